module "network" {
  source = "./modules/network"

  name               = var.cluster_name
  availability_zones = var.availability_zones
}

module "cluster" {
  source = "./modules/cluster"

  name               = var.cluster_name
  kubernetes_version = var.cluster_version
  region             = var.region
  vpc_id             = module.network.vpc_id
}

module "karpenter" {
  source = "./modules/karpenter"

  account_id   = var.account_id
  cluster_name = module.cluster.name
}
