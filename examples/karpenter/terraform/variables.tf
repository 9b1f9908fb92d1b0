variable "account_id" {
  description = "AWS account. A string: as a number it would lose its leading zero."
  type        = string
  default     = "012345678901"

  validation {
    condition     = can(regex("^[0-9]{12}$", var.account_id))
    error_message = "An AWS account id has twelve digits."
  }
}

variable "region" {
  type    = string
  default = "eu-central-1"
}

variable "cluster_name" {
  type    = string
  default = "shop-prod"
}

variable "cluster_version" {
  description = "Kubernetes minor version. A string: as a number 1.30 would be 1.3."
  type        = string
  default     = "1.30"
}

variable "availability_zones" {
  type    = list(string)
  default = ["eu-central-1a", "eu-central-1b", "eu-central-1c"]
}

variable "node_volume_kms_key_arn" {
  description = "Key for the nodes' volumes. Null: AWS's own key for EBS."
  type        = string
  default     = null
}

variable "node_cpu_limit" {
  description = "The most CPUs that Karpenter may run."
  type        = number
  default     = 1000
}

variable "tags" {
  type = map(string)
  default = {
    # Strings that YAML parsers would misread if they were not quoted.
    CostCenter = "0042"
    Backup     = "no"
    Team       = "platform: sre"

    Environment = "production"
    ManagedBy   = "terraform"
  }
}
