variable "name" {
  type = string
}

variable "kubernetes_version" {
  type = string
}

variable "region" {
  type = string
}

variable "vpc_id" {
  type = string
}

variable "service_cidr" {
  type    = string
  default = "172.20.0.0/16"
}

# Stands for aws_eks_cluster.this:
#   name     = var.name
#   version  = var.kubernetes_version
#   kubernetes_network_config { service_ipv4_cidr = var.service_cidr }
resource "terraform_data" "cluster" {
  input = {
    name              = var.name
    version           = var.kubernetes_version
    endpoint          = "https://${upper(md5(var.name))}.gr7.${var.region}.eks.amazonaws.com" # aws_eks_cluster.this.endpoint
    security_group_id = "sg-0d4e5f60718293a4b"                                                # aws_eks_cluster.this.vpc_config[0].cluster_security_group_id
  }
}

# Stands for aws_security_group.node in var.vpc_id, tagged
#   "kubernetes.io/cluster/${var.name}" = "owned"
resource "terraform_data" "node_security_group" {
  input = {
    vpc_id = var.vpc_id
    id     = "sg-0b2c3d4e5f6071829" # aws_security_group.node.id
  }
}

output "name" {
  # Whoever uses the name needs the cluster.
  value = terraform_data.cluster.output.name
}

output "kubernetes_version" {
  value = terraform_data.cluster.output.version
}

output "endpoint" {
  value = terraform_data.cluster.output.endpoint
}

output "security_group_id" {
  value = terraform_data.cluster.output.security_group_id
}

output "node_security_group_id" {
  value = terraform_data.node_security_group.output.id
}

output "dns_ip" {
  description = "EKS gives CoreDNS the tenth address of the service network."
  value       = cidrhost(var.service_cidr, 10)
}
