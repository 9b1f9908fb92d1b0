//! Descriptions and examples in `--help`.

pub(super) const LIMITS: &str = "Limits";

pub(super) const POLICIES: &str = "Policies";

pub(super) const ABOUT: &str =
    "Bind infrastructure outputs (terraform output -json, ...) into Kubernetes manifests";

macro_rules! examples {
    () => {
        "\
Examples:
  terraform output -json > infra.json
  landfall render apps/karpenter -b infra.json    # ${infra.vpc_id} becomes vpc-0ab1
  landfall check apps/*                           # report all problems, write nothing
  landfall explain apps/karpenter                 # show where each value came from
"
    };
}

pub(super) const EXAMPLES: &str = examples!();

pub(super) const EXAMPLES_AND_MORE: &str = concat!(
    examples!(),
    "
References:
  ${infra.vpc_id}  ${network.subnets[0]}  ${infra.region | default(\"eu-west-1\")}
  $${infra.vpc_id} is the literal text ${infra.vpc_id}. Text that does not start with
  a bound name is left untouched.

Manifests go to standard output, diagnostics to standard error. If there is any error,
standard output stays empty and no file is written.

Exit codes:
  0  success
  1  the input has errors
  2  the command line is invalid
  3  the module exceeded a limit or could not run
"
);

pub(super) const RENDER_EXAMPLES: &str = "\
Examples:
  landfall render                                 # this folder, with its landfall.yaml
  landfall render apps/karpenter | kubectl apply -f -
  landfall render app.yaml -b infra.json          # ${infra.vpc_id}
  terraform output -json | landfall render apps -b infra=-
  helm template . | landfall render - -b infra=infra.json -b network=net.json
  landfall render apps/karpenter --output-dir rendered --prune
  landfall render apps/web --each 'clusters/*.json' --output-dir 'out/{name}'
  landfall render apps/karpenter --in-place       # vpcId: vpc-0ab1  # landfall: ${infra.vpc_id}
  landfall render apps/* --in-place --check       # list the files that would change
";

pub(super) const CHECK_EXAMPLES: &str = "\
Examples:
  landfall check apps/*
  landfall check - -b infra.json --stdin-filename app.yaml < app.yaml
  landfall check apps/web --each 'clusters/*.json'   # for each outputs document
  landfall check apps/* -o github                 # annotations on a pull request
  landfall check apps/* -o sarif > landfall.sarif
  landfall check apps/* --outputs-from-terraform infra/   # before any plan
";

pub(super) const EXPLAIN_EXAMPLES: &str = "\
Examples:
  landfall explain apps/karpenter
  landfall explain app.yaml -b infra.json
  landfall explain apps/* --unused                # outputs that nothing uses
  landfall explain apps/* -o json

Values of sensitive outputs are shown as (sensitive).
";

pub(super) const DIFF_EXAMPLES: &str = "\
Examples:
  landfall diff --from old.json --to new.json apps/karpenter
  terraform output -json | landfall diff --from infra.json --to - apps/*
  terraform show -json plan.tfplan | landfall diff --plan - apps/*
  landfall diff --from network=old.json --to network=new.json apps/*
  landfall diff --from old.json --to new.json apps/* -o markdown > comment.md

Values of sensitive outputs are shown as (sensitive), values that a plan does not know as
(known after apply).

Exit codes:
  0  no changes
  1  changes
  2  errors: manifests do not render with the new outputs, or nothing could be compared
  3  the module exceeded a limit or could not run
";

pub(super) const MIGRATE_EXAMPLES: &str = "\
Examples:
  landfall migrate --from flux apps -b infra.json             # show what would change
  landfall migrate --from flux apps -b infra.json --write     # change the files
  landfall migrate --from kpt-set apps -b setters.yaml --write --partial

Rendering the result gives the same documents. What cannot be migrated is reported, and left
as it is.
";

pub(super) const ADOPT_EXAMPLES: &str = "\
Examples:
  landfall adopt apps -b infra.json               # show what would change
  landfall adopt apps -b infra.json --write       # change the files
  landfall adopt apps/karpenter                   # with the outputs of its landfall.yaml
  terraform output -json | landfall adopt apps -b infra=- -o json

Values of sensitive outputs in plain text are reported, but not shown. The result must be
rendered before it is applied.
";

pub(super) const EXPAND_EXAMPLES: &str = "\
Examples:
  landfall expand appsets/ --clusters clusters/
  landfall expand addons.yaml --clusters clusters.yaml --output-dir applications
  kubectl get secret -n argocd -l argocd.argoproj.io/secret-type=cluster -o yaml |
    landfall expand addons.yaml --clusters -

The generators clusters, list, matrix and merge are evaluated, in plain templates and in Go
templates with fields, `index` and `default`. Anything else is an error that names it, and so
is every parameter that a cluster lacks: there is no `<no value>`, and no `{{tag}}`, in the
result. Nothing asks a cluster, and the credentials of clusters are not read.
";

pub(super) const OUTPUTS_EXAMPLES: &str = "\
Examples:
  landfall outputs check -b infra.json --contract contract.yaml
  landfall outputs contract -b infra.json > contract.yaml
";

pub(super) const OUTPUTS_CHECK_EXAMPLES: &str = "\
Examples:
  landfall outputs check -b infra.json --contract contract.yaml
  landfall outputs check -b infra=infra.json -b network=net.json
  landfall outputs check -c apps/karpenter/landfall.yaml
  terraform output -json | landfall outputs check -b infra=- --contract contract.yaml
";

pub(super) const OUTPUTS_CONTRACT_EXAMPLES: &str = "\
Examples:
  landfall outputs contract -b infra.json > contract.yaml
  landfall outputs contract -b infra=infra.json -b network=net.json
  landfall outputs contract --from-terraform infra/ > contract.yaml
";

pub(super) const SAMPLE_EXAMPLES: &str = "\
The result has the format of `terraform output -json`. With it, manifests can be rendered
and validated where no infrastructure exists, such as in a pull request.

Examples:
  landfall sample --contract contract.yaml > sample.json
  landfall sample --contract contract.yaml | landfall render apps -b infra=- | kubeconform
  landfall sample --contract contract.yaml --name network
";

pub(super) const EXPORT_EXAMPLES: &str = "\
Sensitive outputs are only written to Secrets.

Examples:
  landfall export flux -b infra.json --namespace flux-system | kubectl apply -f -
  landfall export helm-values -b infra.json > values.yaml
  terraform output -json | landfall export public -b infra=- > infra.json
";

pub(super) const EXPORT_FLUX_EXAMPLES: &str = "\
Name the ConfigMap and the Secret in `postBuild.substituteFrom` of a Kustomization, or with
--values-key in `valuesFrom` of a HelmRelease.

Examples:
  landfall export flux -b infra.json --name cluster-settings --namespace flux-system
  landfall export flux -b infra.json --service karpenter_=karpenter --service dns_=external-dns
  landfall export flux -b infra.json --values-key values.yaml
";

pub(super) const EXPORT_ARGOCD_CLUSTER_EXAMPLES: &str = "\
Outputs become annotations, which ApplicationSets read. Sensitive outputs are left out.

Examples:
  landfall export argocd-cluster -b infra.json --name prod --server-output cluster_endpoint --config-file config.json
  landfall export argocd-cluster -b infra.json --name prod --server https://kubernetes.default.svc --label environment
";

pub(super) const EXPORT_HELM_VALUES_EXAMPLES: &str = "\
Sensitive outputs are left out.

Examples:
  landfall export helm-values -b infra.json > values.yaml
  landfall export helm-values -b infra.json --key global.infra > values.yaml
";

pub(super) const EXPORT_DOTENV_EXAMPLES: &str = "\
Sensitive outputs are left out.

Examples:
  landfall export dotenv -b infra.json > infra.env
  landfall export dotenv -b infra.json --json --dashes-to-underscores > infra.env
";

pub(super) const EXPORT_EXTERNAL_SECRET_EXAMPLES: &str = "\
Examples:
  landfall export external-secret -b infra.json --store aws --secret password=db_secret_arn
  landfall export external-secret -b infra.json --store vault --store-kind ClusterSecretStore --remote-key 'prod/{name}'
";

pub(super) const EXPORT_PUBLIC_EXAMPLES: &str = "\
The names of sensitive outputs are kept. A reference to one of them is an error, which says
that its value was left out.

Examples:
  terraform output -json | landfall export public -b infra=- > infra.json
";

pub(super) const KRM_EXAMPLES: &str = "\
The functionConfig is a Binding. Paths in it are relative to the current folder,
which is the folder of the kustomization. A program named `landfall-krm` runs this
subcommand by default.

Example of a kustomize transformer (kustomize build --enable-alpha-plugins --enable-exec):
  apiVersion: landfall.dev/v1alpha1
  kind: Binding
  metadata:
    name: landfall
    annotations:
      config.kubernetes.io/function: |
        exec: {path: landfall, args: [krm]}
  spec:
    outputs:
      - {name: infra, from: {file: outputs.json}}
";

pub(super) const INSTALL_EXAMPLES: &str = "\
DIR also gets the name `landfall-krm`, under which the command is a KRM function without
`args`: for kustomize before 5.7, which knows none, and for images.

Examples:
  landfall install ~/.local/bin
  sudo landfall install /usr/local/bin
";

pub(super) const STAMP_EXAMPLES: &str = "\
Argo CD caches a render by revision and Application. An Application with the digest of its
mounted outputs as the plugin parameter `outputs-digest` is rendered again when they change,
and only with the outputs that have this digest.

Examples:
  landfall stamp -b network=network.json
  landfall stamp -b infra.json --digest-key stamp.key   # required for sensitive outputs
";

pub(super) const HELM_EXAMPLES: &str = "\
The Binding at or above the file applies to it. The plugins in deploy/helm call landfall.

Examples:
  helm template web charts/web -f landfall://charts/web/values-prod.yaml
  helm template web charts/web --post-renderer landfall --post-renderer-args -c --post-renderer-args landfall.yaml
  landfall helm values landfall://charts/web/values-prod.yaml
";

pub(super) const CMP_EXAMPLES: &str = "\
Example of a plugin.yaml:
  apiVersion: argoproj.io/v1alpha1
  kind: ConfigManagementPlugin
  metadata: {name: landfall}
  spec:
    discover: {find: {command: [landfall, cmp, discover]}}
    generate: {command: [landfall, cmp, generate]}
";

pub(super) const ARGOCD_EXAMPLES: &str = "\
Examples:
  landfall argocd install --as kustomize > landfall/kustomization.yaml
  landfall argocd doctor apps/karpenter           # the annotation that an Application needs
  kubectl exec -n argocd deploy/argocd-repo-server -c landfall -- landfall argocd doctor
";

pub(super) const ARGOCD_INSTALL_EXAMPLES: &str = "\
The configuration adds landfall to the Pod of repo-server, as its last container. Volumes of
Secrets and ConfigMaps are optional, so that repo-server starts without them.

Examples:
  landfall argocd install --as kustomize --image registry.example.com/landfall:0.1.0
  landfall argocd install --as helm-values > landfall-values.yaml
  landfall argocd install --as patch --operator-policy landfall-policy
  landfall argocd install --as kustomize --mounted-outputs secret/outputs --mounted-outputs team-a=configmap/outputs-a
";

pub(super) const ARGOCD_DOCTOR_EXAMPLES: &str = "\
Each check is one line: ok, warning or error, and how to fix it. The exit code is 1 if there
is an error. Outside of a sidecar, only PATH is checked.

Examples:
  kubectl exec -n argocd deploy/argocd-repo-server -c landfall -- landfall argocd doctor
  landfall argocd doctor apps/karpenter
  landfall argocd doctor apps/karpenter -o json
";
