# The AWS side of Karpenter, with the outputs of
# terraform-aws-modules/eks/aws//modules/karpenter.

variable "account_id" {
  type = string
}

variable "cluster_name" {
  type = string
}

# Stands for aws_iam_role.controller, which the service account karpenter of the
# namespace karpenter assumes through the cluster's OIDC provider, and its policy.
resource "terraform_data" "controller_role" {
  input = {
    arn = "arn:aws:iam::${var.account_id}:role/KarpenterController-${var.cluster_name}" # aws_iam_role.controller.arn
  }
}

# Stands for aws_iam_role.node, its policies, and the aws_eks_access_entry that
# lets its nodes join.
resource "terraform_data" "node_role" {
  input = {
    name = "KarpenterNode-${var.cluster_name}" # aws_iam_role.node.name
  }
}

# Stands for aws_sqs_queue.interruption and the aws_cloudwatch_event_rule of each
# kind of interruption.
resource "terraform_data" "interruption_queue" {
  input = {
    name = "Karpenter-${var.cluster_name}" # aws_sqs_queue.interruption.name
  }
}

# Stands for random_password.alert_webhook. Every character here is one that some
# shell, template or YAML writer breaks.
resource "terraform_data" "alert_webhook" {
  input = sensitive("x{7&:Q\"\\ #<w>$9") # random_password.alert_webhook.result
}

output "controller_role_arn" {
  value = terraform_data.controller_role.output.arn
}

output "node_role_name" {
  value = terraform_data.node_role.output.name
}

output "interruption_queue_name" {
  value = terraform_data.interruption_queue.output.name
}

output "alert_webhook_password" {
  value     = terraform_data.alert_webhook.output
  sensitive = true
}
