# `terraform_data` stands for the resources in the comments, so that no cloud account is needed.

variable "queue" {
  default = "orders"
}

# Stands for aws_sqs_queue.this.
resource "terraform_data" "queue" {
  input = "https://sqs.eu-central-1.amazonaws.com/012345678901/${var.queue}"
}

output "database_password" {
  value     = "x{7&:Q#w>$9"
  sensitive = true
}

output "database_secret_name" {
  description = "The entry of the secret store that has the password."
  value       = "prod/orders/database"
}

output "queue_url" {
  value = terraform_data.queue.output
}

output "role_arn" {
  value = "arn:aws:iam::012345678901:role/orders"
}
