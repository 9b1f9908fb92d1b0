terraform {
  # terraform_data came with Terraform 1.4; OpenTofu has it from its first version.
  required_version = ">= 1.4"

  # A real root module names its remote state here, and its provider:
  #
  #   backend "s3" { … }
  #   required_providers { aws = { source = "hashicorp/aws", version = "~> 6.0" } }
  #
  # This one needs neither account nor network: every resource is a
  # terraform_data, which is built into the program. The comment above each says
  # which real resource it stands for and whose attributes its fields are.
  backend "local" {}
}
