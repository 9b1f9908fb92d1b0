//! Packages that the real kpt renders with landfall as an exec function: what `docs/kpt.md` says
//! beside its commands.

use std::path::Path;
use std::process::{Command, Stdio};

use landfall_host_tests::program::{self, tool};
use landfall_host_tests::scratch::Scratch;
use pretty_assertions::assert_eq;

const INFRA: &str = r#"{
  "account_id": {"sensitive": false, "type": "string", "value": "012345678901"},
  "replicas": {"sensitive": false, "type": "number", "value": 3},
  "vpc_id": {"sensitive": false, "type": "string", "value": "vpc-0ab1"}
}
"#;
const SETTINGS: &str = "# The shop.
apiVersion: v1
kind: ConfigMap
metadata: {name: shop}
data:
  account: \"000000000000\" # landfall: ${infra.account_id}
  path: ${HOME}/bin # of the shell
  vpc: 'vpc-old' # landfall: ${infra.vpc_id}
";
const RENDERED: &str = "# The shop.
apiVersion: v1
kind: ConfigMap
metadata: {name: shop}
data:
  account: \"012345678901\" # landfall: ${infra.account_id}
  path: ${HOME}/bin # of the shell
  vpc: 'vpc-0ab1' # landfall: ${infra.vpc_id}
";

/// What kpt did.
struct Run {
    success: bool,
    /// What it printed to both streams.
    text: String,
}

/// Returns a Binding with this `spec`, which may continue on indented lines.
fn binding(name: &str, spec: &str) -> String {
    format!(
        "apiVersion: landfall.dev/v1alpha1
kind: Binding
metadata:
  name: {name}
  annotations: {{config.kubernetes.io/local-config: \"true\"}}
spec:
  {spec}
"
    )
}

/// Returns a package with a mutator and a validator, and its outputs in `infra.json`.
fn package() -> Scratch {
    let package = Scratch::new();
    let outputs = "outputs: [{name: infra, from: {file: infra.json}}]";
    let unused = "policy: {unused: ignore}";
    package.write(
        "landfall.yaml",
        &binding("bind", &format!("{outputs}\n  {unused}")),
    );
    package.write(
        "none-left.yaml",
        &binding("none-left", &format!("{outputs}\n  validate: true")),
    );
    package.write("infra.json", INFRA);
    package.write(".krmignore", "infra.json\n");
    package.write("shop.yaml", SETTINGS);
    package.write(
        "Kptfile",
        "apiVersion: kpt.dev/v1
kind: Kptfile
metadata: {name: shop}
pipeline:
  mutators:
  - exec: landfall krm
    configPath: landfall.yaml
  validators:
  - exec: landfall krm
    configPath: none-left.yaml
",
    );
    package
}

/// Renders a package, or runs another command of kpt in its folder.
fn kpt(folder: &Path, arguments: &[&str]) -> Run {
    let landfall = program::landfall();
    let output = Command::new(tool("kpt"))
        .args(["fn"])
        .args(arguments)
        .arg("--truncate-output=false")
        .current_dir(folder)
        .env("PATH", program::path_with(landfall.parent().unwrap()))
        .stdin(Stdio::null())
        .output()
        .unwrap();
    let text = |bytes| String::from_utf8(bytes).unwrap();
    Run {
        success: output.status.success(),
        text: text(output.stdout) + &text(output.stderr),
    }
}

fn render(package: &Scratch) -> Run {
    kpt(package.path(), &["render", "--allow-exec"])
}

/// Renders a package, which must succeed.
fn rendered(package: &Scratch) {
    let run = render(package);
    assert!(run.success, "{}", run.text);
}

/// Renders a package, which must fail with this text and change nothing.
fn refused(package: &Scratch, message: &str) {
    let before = package.read("shop.yaml");
    let run = render(package);
    assert!(!run.success, "{}", run.text);
    assert!(run.text.contains(message), "{}", run.text);
    assert_eq!(package.read("shop.yaml"), before);
}

#[test(tools)]
fn comments_and_quotes_are_kept() {
    let package = package();
    for _ in 0..2 {
        rendered(&package);
        assert_eq!(package.read("shop.yaml"), RENDERED);
    }
}

#[test(tools)]
fn an_error_fails_and_changes_nothing() {
    let package = package();
    package.replace("shop.yaml", "infra.vpc_id", "infra.vpc_idd");
    refused(&package, "unknown-output");
    package.replace(
        "shop.yaml",
        "vpc: 'vpc-old' # landfall: ${infra.vpc_idd}",
        "vpc: $${infra.vpc_id}",
    );
    refused(&package, "unrendered-reference");
}

/// A warning is one of the results.
#[test(tools)]
fn results_reach_kpt() {
    let package = package();
    package.replace("shop.yaml", "infra.vpc_id", "infr.vpc_id");
    let arguments = ["render", "--allow-exec", "--results-dir", "results"];
    let run = kpt(package.path(), &arguments);
    assert!(run.success, "{}", run.text);
    let results = package.read("results/results.yaml");
    assert!(results.contains("severity: warning"), "{results}");
    assert!(results.contains("nothing is bound to `infr`"), "{results}");
}

/// kpt reads every JSON file as a resource, before it starts a function.
#[test(tools)]
fn an_outputs_document_in_the_package_is_listed_in_krmignore() {
    let package = package();
    std::fs::remove_file(package.at(".krmignore")).unwrap();
    refused(&package, "must contain only KRM resources: infra.json");
    // The other two forms of the page need no such file.
    package.replace("landfall.yaml", "infra.json", "infra.outputs");
    std::fs::rename(package.at("infra.json"), package.at("infra.outputs")).unwrap();
    rendered(&package);
    assert_eq!(package.read("shop.yaml"), RENDERED);

    package.write("shop.yaml", SETTINGS);
    package.replace(
        "landfall.yaml",
        "infra.outputs}",
        "infra.yaml}, format: configmap",
    );
    package.write(
        "infra.yaml",
        "apiVersion: v1
kind: ConfigMap
metadata: {name: infra, annotations: {config.kubernetes.io/local-config: \"true\"}}
data: {account_id: \"012345678901\", replicas: \"3\", vpc_id: vpc-0ab1}
",
    );
    rendered(&package);
    assert_eq!(package.read("shop.yaml"), RENDERED);
}

#[test(tools)]
fn a_function_runs_where_kpt_was_started() {
    let package = package();
    let parent = Scratch::new();
    let path = package.path().to_str().unwrap();
    let arguments = ["render", path, "--allow-exec"];
    let run = kpt(parent.path(), &arguments);
    assert!(!run.success);
    assert!(run.text.contains("outputs-not-published"), "{}", run.text);

    parent.write("outputs.json", INFRA);
    let kptfile = package.read("Kptfile");
    let bound = kptfile.replace(
        "exec: landfall krm",
        "exec: landfall krm -b infra=outputs.json",
    );
    package.write("Kptfile", &bound);
    let run = kpt(parent.path(), &arguments);
    assert!(run.success, "{}", run.text);
    assert_eq!(package.read("shop.yaml"), RENDERED);
}

/// Those of a subpackage run in the same folder.
#[test(tools)]
fn subpackages_are_rendered_with_the_outputs_of_the_package() {
    let package = package();
    for file in ["Kptfile", "landfall.yaml", "none-left.yaml", "shop.yaml"] {
        package.write(&format!("database/{file}"), &package.read(file));
    }
    rendered(&package);
    assert_eq!(package.read("database/shop.yaml"), RENDERED);
}

/// kpt passes the Binding as one of the resources.
#[test(tools)]
fn the_binding_is_not_rendered() {
    let package = package();
    let spec = "outputs: [{name: infra, from: {file: infra.json}}]
  policy: {unused: ignore}
  substitutions:
  - value: ${infra.replicas}
    targets:
    - {select: {kind: ConfigMap}, fieldPaths: [data.replicas], options: {create: true}}";
    let binding = binding("bind", spec);
    package.write("landfall.yaml", &binding);
    rendered(&package);
    assert_eq!(package.read("landfall.yaml"), binding);
    let shop = package.read("shop.yaml");
    assert!(shop.ends_with("  replicas: \"3\"\n"), "{shop}");
}

/// What a render has generated is in the package of the next one.
#[test(tools)]
fn generated_resources_are_written_once() {
    let package = package();
    let spec = "outputs: [{name: infra, from: {file: infra.json}}]
  policy: {unused: ignore}
  generate:
  - kind: ConfigMap
    name: settings
    annotations: {config.kubernetes.io/path: settings.yaml}
    data: {vpc: '${infra.vpc_id}'}";
    package.write("landfall.yaml", &binding("bind", spec));
    rendered(&package);
    let settings = package.read("settings.yaml");
    assert!(
        settings.ends_with("data:\n  vpc: 'vpc-0ab1'\n"),
        "{settings}"
    );
    package.replace("infra.json", "vpc-0ab1", "vpc-0ab2");
    rendered(&package);
    let settings = package.read("settings.yaml");
    assert!(
        settings.ends_with("data:\n  vpc: 'vpc-0ab2'\n"),
        "{settings}"
    );
    let written = std::fs::read_dir(package.path()).unwrap();
    let mut written: Vec<_> = written.map(|entry| entry.unwrap().file_name()).collect();
    written.sort();
    assert_eq!(
        written,
        [
            ".krmignore",
            "Kptfile",
            "infra.json",
            "landfall.yaml",
            "none-left.yaml",
            "settings.yaml",
            "shop.yaml"
        ]
    );
}

/// A function needs no file for outputs that are in a resource of the package.
#[test(tools)]
fn outputs_come_from_a_resource_of_the_package() {
    let package = package();
    let spec = "outputs: [{name: infra, from: {resource: {kind: ConfigMap, name: outputs}}}]
  policy: {unused: ignore}";
    package.write("landfall.yaml", &binding("bind", spec));
    let outputs = "apiVersion: v1
kind: ConfigMap
metadata:
  name: outputs
  annotations: {config.kubernetes.io/local-config: 'true'}
data:
  account_id: '012345678901'
  vpc_id: vpc-0ab1
";
    package.write("outputs.yaml", outputs);
    rendered(&package);
    assert!(package.read("shop.yaml").contains("vpc-0ab1"));
    assert_eq!(package.read("outputs.yaml"), outputs);
}

#[test(tools)]
fn kpt_s_own_setters_get_the_outputs_of_terraform() {
    let package = package();
    package.write(
        "landfall.yaml",
        &binding(
            "bind",
            "dialect: kpt-set\n  outputs: [{name: infra, from: {file: infra.json}}]\n  policy: {unused: ignore}",
        ),
    );
    package.write(
        "shop.yaml",
        "apiVersion: v1
kind: ConfigMap
metadata: {name: shop}
data:
  url: https://old.example.com # kpt-set: https://${vpc_id}.example.com
",
    );
    rendered(&package);
    let shop = package.read("shop.yaml");
    let url = "  url: https://vpc-0ab1.example.com # kpt-set: https://${vpc_id}.example.com\n";
    assert!(shop.ends_with(url), "{shop}");
}

#[test(tools)]
fn eval_needs_no_kptfile() {
    let package = package();
    std::fs::remove_file(package.at("Kptfile")).unwrap();
    let arguments = [
        "eval",
        "--exec",
        "landfall krm",
        "--fn-config",
        "landfall.yaml",
    ];
    let run = kpt(package.path(), &arguments);
    assert!(run.success, "{}", run.text);
    assert_eq!(package.read("shop.yaml"), RENDERED);
}

/// Renders a package with a shell script as its function of this role, and returns whether kpt
/// succeeds and the package's files are still there.
fn with_script(role: &str, script: &str) -> (bool, bool) {
    let package = package();
    package.write("function.sh", script);
    package.write(
        "Kptfile",
        &format!(
            "apiVersion: kpt.dev/v1
kind: Kptfile
metadata: {{name: shop}}
pipeline:
  {role}:
  - exec: sh function.sh
"
        ),
    );
    let run = render(&package);
    (run.success, package.at("shop.yaml").exists())
}

#[test(tools)]
fn kpt_ignores_an_error_among_results_if_the_function_exits_with_0() {
    let results = "cat; printf 'results:\\n- message: wrong\\n  severity: error\\n'";
    let run = with_script("mutators", results);
    assert_eq!(run, (true, true));
}

/// So landfall never prints nothing, or a list without the items, unless it fails.
#[test(tools)]
fn kpt_deletes_the_package_if_a_mutator_prints_nothing() {
    let empty = "printf 'apiVersion: config.kubernetes.io/v1\\nkind: ResourceList\\nitems: []\\n'";
    for script in ["true", empty] {
        let run = with_script("mutators", script);
        assert_eq!(run, (true, false));
        assert_eq!(with_script("validators", script), (true, true));
    }
}

/// Unlike kustomize, kpt does not fail open.
#[test(tools)]
fn without_allow_exec_kpt_fails_and_changes_nothing() {
    let package = package();
    let run = kpt(package.path(), &["render"]);
    assert!(!run.success);
    assert!(
        run.text.contains("must run with `--allow-exec`"),
        "{}",
        run.text
    );
    assert_eq!(package.read("shop.yaml"), SETTINGS);
}

const SHOP: &str = "# head
apiVersion: example.com/v1
kind: Shop
metadata: {name: shop} # inline
spec:
  # above
  zones: ${infra.zones} # of the region
  vpc: ${infra.vpc} # old
  list:
    - a # item
";

/// A package with a list and a string among its outputs.
fn package_with_lists() -> Scratch {
    let package = package();
    let spec = "outputs: [{name: infra, from: {inline: {zones: [a, b], vpc: vpc-0ab1}}}]";
    package.write("landfall.yaml", &binding("bind", spec));
    package.write("shop.yaml", SHOP);
    package
}

/// kpt copies comments to the item with the same id, which fails where a scalar has become a list.
/// So such an item has no id in landfall's answer, and its comments are those of the answer.
#[test(tools)]
fn comments_are_kept_where_a_scalar_becomes_a_list() {
    let package = package_with_lists();
    rendered(&package);
    assert_eq!(
        package.read("shop.yaml"),
        "# head
apiVersion: example.com/v1
kind: Shop
metadata: {name: shop} # inline
spec:
  # above
  zones: # of the region
    - a
    - b
  vpc: vpc-0ab1 # old
  list:
    - a # item
"
    );
}

#[test(tools)]
fn kpt_refuses_a_list_in_place_of_a_scalar_in_an_item_with_its_id() {
    let package = package_with_lists();
    package.write(
        "function.sh",
        "sed 's/: ${infra.zones}.*/: [a, b]/; s/${infra.vpc}/vpc-0ab1/'\n",
    );
    package.replace(
        "Kptfile",
        "exec: landfall krm\n    configPath: landfall.yaml",
        "exec: sh function.sh\n    configPath: landfall.yaml",
    );
    refused(
        &package,
        "wrong node kind: expected ScalarNode but got SequenceNode",
    );
}

#[test(tools)]
fn errors_reach_kpt_as_results() {
    let package = package();
    package.replace("shop.yaml", "infra.vpc_id", "infra.vpc_idd");
    let arguments = ["render", "--allow-exec", "--results-dir", "results"];
    let run = kpt(package.path(), &arguments);
    assert!(!run.success);
    let results = package.read("results/results.yaml");
    for part in [
        "    results:\n",
        "        severity: error\n",
        "          path: data.vpc\n",
        "          rule: unknown-output\n",
    ] {
        assert!(results.contains(part), "{part} in {results}");
    }
}

#[test(tools)]
fn a_file_stays_where_it_is_although_its_path_looks_like_a_reference() {
    let package = package();
    let spec = "outputs: [{name: infra, from: {inline: {env: prod}}}]\n  policy: {unused: ignore}";
    package.write("landfall.yaml", &binding("bind", spec));
    let plain = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: shop}\ndata: {a: b}\n";
    package.write("shop.yaml", plain);
    package.write("${infra.env}/shop.yaml", &plain.replace("shop}", "other}"));
    std::fs::remove_file(package.at("none-left.yaml")).unwrap();
    let kptfile = package.read("Kptfile");
    let (mutators, _) = kptfile.split_once("  validators:").unwrap();
    package.write("Kptfile", mutators);
    rendered(&package);
    assert!(package.at("${infra.env}/shop.yaml").exists());
    assert!(!package.at("prod").exists());
}

#[test(tools)]
fn a_field_binding_of_all_annotations_leaves_those_of_kpt() {
    let package = package();
    let spec = "outputs: [{name: infra, from: {inline: {env: prod}}}]
  substitutions:
  - value: ${infra.env}
    targets: [{select: {kind: ConfigMap}, fieldPaths: ['metadata.annotations.*']}]";
    package.write("landfall.yaml", &binding("bind", spec));
    package.write(
        "shop.yaml",
        "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: shop\n  annotations:\n    env: old\ndata: {a: b}\n",
    );
    rendered(&package);
    let shop = package.read("shop.yaml");
    assert!(shop.contains("    env: prod\n"), "{shop}");
}
