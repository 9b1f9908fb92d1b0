# The account in which kOps builds the cluster. `terraform_data` stands for the resources in the
# comments, so that no cloud account is needed.

locals {
  zones = ["eu-central-1a", "eu-central-1b"]
}

# Stands for aws_vpc.this.
resource "terraform_data" "vpc" {
  input = "vpc-0ab12cd34ef56789a"
}

# Stands for aws_subnet.nodes.
resource "terraform_data" "subnet" {
  for_each = { for index, zone in local.zones : zone => index }

  input = {
    id   = "subnet-0${substr(sha1(each.key), 0, 8)}"
    zone = each.key
    cidr = cidrsubnet("10.20.0.0/16", 3, each.value)
  }
}

output "account_id" {
  value = "012345678901"
}

output "subnets" {
  value = [for zone in local.zones : terraform_data.subnet[zone].output]
}

output "vpc_id" {
  value = terraform_data.vpc.output
}

output "waf" {
  value = true
}

output "workers" {
  value = 3
}
