//! The roles of a function in the real kustomize: generator, and outputs from resources; and the
//! image of the function.

use std::io::Write as _;
use std::process::{Command, Stdio};

use landfall_host_tests::image::Image;
use landfall_host_tests::kustomize::{Built, FLAGS, build};
use landfall_host_tests::program;
use landfall_host_tests::scratch::Scratch;
use pretty_assertions::assert_eq;

const BINDING: &str = "apiVersion: landfall.dev/v1alpha1
kind: Binding
metadata:
  name: infra
  annotations:
    config.kubernetes.io/function: |
      exec: {path: landfall, args: [krm]}
spec:
";

/// Builds a kustomization with a Binding.
fn built(kustomization: &str, spec: &str) -> Built {
    let landfall = program::landfall();
    let folder = Scratch::new();
    folder.write("kustomization.yaml", kustomization);
    folder.write("landfall.yaml", &format!("{BINDING}{spec}"));
    folder.write(
        "pod.yaml",
        "apiVersion: v1
kind: Pod
metadata: {name: web}
spec:
  containers:
  - name: web
    image: ${infra.image}
    envFrom:
    - configMapRef: {name: settings}
    - secretRef: {name: db}
",
    );
    let password = r#"{"value": "hunter2", "type": "string", "sensitive": true}"#;
    folder.write(
        "terraform.json",
        &format!(
            r#"{{"vpc": {{"value": "vpc-0ab1", "type": "string", "sensitive": false}}, "password": {password}}}"#
        ),
    );
    build(folder.path(), &FLAGS, &landfall)
}

const GENERATE: &str = "  outputs:
  - {name: infra, from: {file: terraform.json}}
  generate:
  - kind: ConfigMap
    name: settings
    nameSuffixHash: true
    data: {vpc: '${infra.vpc}'}
  - kind: Secret
    name: db
    data:
      password: ${infra.password}
";

/// kustomize passes the Binding itself as an item to a generator, so that there is one, and drops
/// it from the result. It appends hashes to names, and changes references to them.
#[test(tools)]
fn a_generator_adds_resources_with_hashes() {
    let kustomization = "resources: [pod.yaml]\ngenerators: [landfall.yaml]\n";
    let built = built(kustomization, GENERATE);
    assert!(built.success, "{}", built.stderr);
    assert_eq!(
        built.stdout,
        "apiVersion: v1
data:
  vpc: vpc-0ab1
kind: ConfigMap
metadata:
  name: settings-ccg7f8h8m4
---
apiVersion: v1
kind: Secret
metadata:
  name: db
stringData:
  password: hunter2
---
apiVersion: v1
kind: Pod
metadata:
  name: web
spec:
  containers:
  - envFrom:
    - configMapRef:
        name: settings-ccg7f8h8m4
    - secretRef:
        name: db
    image: ${infra.image}
    name: web
"
    );
}

/// A sensitive output in a ConfigMap that is generated is refused like in one that is written.
#[test(tools)]
fn a_generator_writes_no_secret_into_a_config_map() {
    let spec = GENERATE.replace("${infra.vpc}", "${infra.password}");
    let kustomization = "generators: [landfall.yaml]\n";
    let built = built(kustomization, &spec);
    assert!(!built.success);
    assert_eq!(built.stdout, "");
    assert!(
        built.stderr.contains("error[sensitive-output]"),
        "{}",
        built.stderr
    );
    assert!(built.stderr.contains("ResourceList:"), "{}", built.stderr);
    assert!(!built.stderr.contains("hunter2"), "{}", built.stderr);
}

/// kustomize drops a ConfigMap that is only there for its functions.
#[test(tools)]
fn outputs_come_from_a_generated_config_map() {
    let kustomization = "resources: [pod.yaml]
configMapGenerator:
- name: outputs
  literals: [image=nginx:1.29]
  options:
    disableNameSuffixHash: true
    annotations: {config.kubernetes.io/local-config: 'true'}
transformers: [landfall.yaml]
";
    let spec = "  outputs:
  - {name: infra, from: {resource: {kind: ConfigMap, name: outputs}}}
";
    let built = built(kustomization, spec);
    assert!(built.success, "{}", built.stderr);
    assert!(
        built.stdout.contains("    image: nginx:1.29\n"),
        "{}",
        built.stdout
    );
    assert!(
        !built.stdout.contains("kind: ConfigMap"),
        "{}",
        built.stdout
    );
}

/// A container has no files of the package, and is started without arguments.
#[test]
fn the_image_is_a_function_whose_outputs_are_in_the_list() {
    let image = Image::assemble("landfall-krm");
    let list = "apiVersion: config.kubernetes.io/v1
kind: ResourceList
items:
- apiVersion: v1
  kind: ConfigMap
  metadata: {name: web}
  data: {vpc: '${infra.vpc}'}
- apiVersion: v1
  kind: ConfigMap
  metadata: {name: outputs, annotations: {config.kubernetes.io/local-config: 'true'}}
  data: {vpc: vpc-0ab1}
functionConfig:
  apiVersion: landfall.dev/v1alpha1
  kind: Binding
  spec:
    outputs:
    - {name: infra, from: {resource: {kind: ConfigMap, name: outputs}}}
";
    let folder = Scratch::new();
    let mut function = Command::new(image.path(&image.entrypoint))
        .env_clear()
        .envs(&image.environment)
        .current_dir(folder.path())
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut stdin = function.stdin.take().unwrap();
    stdin.write_all(list.as_bytes()).unwrap();
    drop(stdin);
    let output = function.wait_with_output().unwrap();
    assert_eq!(String::from_utf8(output.stderr).unwrap(), "");
    assert_eq!(
        String::from_utf8(output.stdout).unwrap(),
        list.replace("${infra.vpc}", "vpc-0ab1")
    );
}
