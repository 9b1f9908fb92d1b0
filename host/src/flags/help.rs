//! What `--help` teaches.

pub(super) const LIMITS: &str = "Limits";

pub(super) const POLICIES: &str = "Policies";

pub(super) const ABOUT: &str =
    "Binds infrastructure outputs (terraform output -json, ...) into Kubernetes manifests";

macro_rules! examples {
    () => {
        "\
Examples:
  terraform output -json > infra.json
  landfall render apps/karpenter -b infra.json    # ${infra.vpc_id} becomes vpc-0ab1
  landfall check apps/*                           # every error at once, nothing written
  landfall explain apps/karpenter                 # what came from where
"
    };
}

pub(super) const EXAMPLES: &str = examples!();

pub(super) const EXAMPLES_AND_MORE: &str = concat!(
    examples!(),
    "
References:
  ${infra.vpc_id}  ${network.subnets[0]}  ${infra.region | default(\"eu-west-1\")}
  $${infra.vpc_id} is the text ${infra.vpc_id}. Everything that does not begin with a
  bound name passes through untouched.

Manifests go to standard output, diagnostics to standard error. When anything is
wrong, standard output stays empty and no file is touched.

Exit codes:
  0  done
  1  the input has errors
  2  the command line is wrong
  3  the module was stopped at a limit, or cannot run
"
);

pub(super) const RENDER: &str = "Substitute outputs into manifests and write them";

pub(super) const RENDER_EXAMPLES: &str = "\
Examples:
  landfall render                                 # this folder, with its landfall.yaml
  landfall render apps/karpenter | kubectl apply -f -
  landfall render app.yaml -b infra.json          # ${infra.vpc_id}
  terraform output -json | landfall render apps -b infra=-
  helm template . | landfall render - -b infra=infra.json -b network=net.json
  landfall render apps/karpenter --output-dir rendered --prune
  landfall render apps/karpenter --in-place       # vpcId: vpc-0ab1  # landfall: ${infra.vpc_id}
";

pub(super) const CHECK: &str = "Report all problems; write nothing";

pub(super) const CHECK_EXAMPLES: &str = "\
Examples:
  landfall check apps/*
  landfall check - -b infra.json --stdin-filename app.yaml < app.yaml
  landfall check apps/* -o github                 # annotations on a pull request
  landfall check apps/* -o sarif > landfall.sarif
";

pub(super) const EXPLAIN: &str = "Show what came from where: every substitution with its output";

pub(super) const EXPLAIN_EXAMPLES: &str = "\
Examples:
  landfall explain apps/karpenter
  landfall explain app.yaml -b infra.json
  landfall explain apps/* --unused                # outputs that nothing uses
  landfall explain apps/* -o json

The value of a sensitive output shows as (sensitive).
";

pub(super) const KRM: &str =
    "Run as a KRM function: a ResourceList on standard input, one on standard output";

pub(super) const KRM_EXAMPLES: &str = "\
The functionConfig is a Binding; the files that it names are looked for in the
current folder, which is the kustomization's. Called as `landfall-krm`, this is
the default.

Example of a kustomize transformer (kustomize build --enable-alpha-plugins --enable-exec):
  apiVersion: landfall.dev/v1alpha1
  kind: Binding
  metadata:
    name: landfall
    annotations:
      config.kubernetes.io/function: |
        exec: {path: ./landfall-krm}
  spec:
    outputs:
      - {name: infra, from: {file: outputs.json}}
";

pub(super) const CMP: &str = "Run as an Argo CD config management plugin, as plugin.yaml calls it";

pub(super) const CMP_EXAMPLES: &str = "\
Example of a plugin.yaml:
  apiVersion: argoproj.io/v1alpha1
  kind: ConfigManagementPlugin
  metadata: {name: landfall}
  spec:
    discover: {find: {command: [landfall, cmp, discover]}}
    generate: {command: [landfall, cmp, generate]}
";
