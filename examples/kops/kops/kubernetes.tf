# Stands for the file that `kops update cluster --target=terraform` writes: its outputs have these
# names.

output "cluster_name" {
  value = "k8s.example.com"
}

output "node_security_group_ids" {
  value = ["sg-0c1d", "sg-0e2f"]
}

output "nodes_role_arn" {
  value = "arn:aws:iam::012345678901:role/nodes.k8s.example.com"
}

output "subnet_eu-central-1a_id" {
  value = "subnet-052d82995"
}
