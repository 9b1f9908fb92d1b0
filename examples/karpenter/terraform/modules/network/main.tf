variable "name" {
  type = string
}

variable "availability_zones" {
  type = list(string)
}

variable "cidr_block" {
  type    = string
  default = "10.20.0.0/16"
}

# Stands for aws_vpc.this, tagged with the name.
resource "terraform_data" "vpc" {
  input = {
    name       = var.name
    id         = "vpc-0ab12cd34ef56789a" # aws_vpc.this.id
    cidr_block = var.cidr_block
  }
}

# Stands for aws_subnet.private, tagged
#   karpenter.sh/discovery          = var.name
#   kubernetes.io/role/internal-elb = 1
resource "terraform_data" "private_subnet" {
  for_each = { for index, zone in var.availability_zones : zone => index }

  input = {
    id         = "subnet-0${substr(sha1("${terraform_data.vpc.output.id}/${each.key}"), 0, 16)}" # aws_subnet.private[*].id
    cidr_block = cidrsubnet(terraform_data.vpc.output.cidr_block, 3, each.value)
  }
}

output "vpc_id" {
  value = terraform_data.vpc.output.id
}

output "private_subnets" {
  value = { for zone, subnet in terraform_data.private_subnet : zone => subnet.output }
}
