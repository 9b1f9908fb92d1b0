# The outputs for the applications of the cluster. Argo CD does not access Terraform: the
# pipeline that applies this module writes `terraform output -json` to
# ../outputs/terraform.json, and landfall binds it as `infra`.

# --- The account and the network ------------------------------------------------

output "account_id" {
  value = var.account_id
}

output "region" {
  value = var.region
}

output "vpc_id" {
  value = module.network.vpc_id
}

output "availability_zones" {
  value = var.availability_zones
}

output "private_subnets" {
  description = "By availability zone."
  value       = module.network.private_subnets
}

output "tags" {
  description = "What everything in this account is tagged with."
  value       = var.tags
}

# --- The cluster ----------------------------------------------------------------

output "cluster_name" {
  value = module.cluster.name
}

output "cluster_endpoint" {
  value = module.cluster.endpoint
}

output "cluster_version" {
  value = module.cluster.kubernetes_version
}

output "eks_control_plane" {
  description = "Karpenter may ask EKS about the cluster."
  value       = true
}

# --- Karpenter ------------------------------------------------------------------

output "karpenter_controller_role_arn" {
  value = module.karpenter.controller_role_arn
}

output "karpenter_interruption_queue" {
  value = module.karpenter.interruption_queue_name
}

output "karpenter_node_role_name" {
  value = module.karpenter.node_role_name
}

output "karpenter_reserved_enis" {
  description = "Network interfaces of a node that custom networking takes away from pods."
  value       = 1
}

output "karpenter_vm_memory_overhead" {
  description = "Share of an instance's memory that its hypervisor keeps."
  value       = 0.075
}

# --- The nodes ------------------------------------------------------------------

output "node_subnet_selector_terms" {
  description = "EC2NodeClass spec.subnetSelectorTerms, whole."
  value       = [for subnet in values(module.network.private_subnets) : { id = subnet.id }]
}

output "node_security_group_ids" {
  description = "Sorted: this is a set."
  value       = toset([module.cluster.node_security_group_id, module.cluster.security_group_id])
}

output "node_kubelet" {
  description = "EC2NodeClass spec.kubelet, whole."
  value = {
    clusterDNS   = [module.cluster.dns_ip]
    evictionHard = { "memory.available" = "5%" }
    maxPods      = 110
  }
}

output "node_volume_kms_key_arn" {
  # `terraform output -json` omits outputs that are null.
  value = var.node_volume_kms_key_arn
}

output "node_volume_iops" {
  value = 4000
}

output "node_detailed_monitoring" {
  value = false
}

output "node_cpu_limit" {
  value = var.node_cpu_limit
}

output "node_memory_limit_gib" {
  value = var.node_cpu_limit * 4
}

# --- Alerts ---------------------------------------------------------------------

output "alert_webhook_password" {
  # `terraform output -json` prints it in plain text anyway.
  sensitive = true
  value     = module.karpenter.alert_webhook_password
}
