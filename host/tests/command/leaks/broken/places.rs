//! The documents that commands read, each with a secret in one of the places where it may be.

use base64ct::{Base64, Encoding};

use super::super::values::Canaries;

/// A document before it is broken.
pub(super) struct Document {
    pub(super) text: String,
    /// The secret as it is written in the text, once.
    pub(super) secret: String,
}

impl Document {
    /// Returns a document with a new secret in place of `SECRET` or, in base64, of `BASE64`.
    pub(super) fn new(template: &str, canaries: &mut Canaries) -> Self {
        let secret = canaries.token();
        let (mark, secret) = if template.contains("BASE64") {
            ("BASE64", Base64::encode_string(secret.as_bytes()))
        } else {
            ("SECRET", secret)
        };
        assert_eq!(template.matches(mark).count(), 1, "{template}");
        Self {
            text: template.replace(mark, &secret),
            secret,
        }
    }

    fn at(&self) -> usize {
        self.text.find(&self.secret).unwrap()
    }

    /// Returns the text until some bytes of the secret.
    pub(super) fn until_secret(&self, bytes: usize) -> &str {
        &self.text[..self.at() + bytes]
    }

    /// Returns the line with the secret, and the text before and after it.
    pub(super) fn line(&self) -> (&str, &str, &str) {
        let start = self.text[..self.at()].rfind('\n').map_or(0, |at| at + 1);
        let length = self.text[start..].find('\n').unwrap();
        let (before, rest) = self.text.split_at(start);
        let (line, after) = rest.split_at(length);
        (before, line, after)
    }
}

/// The outputs that are bound to `infra` where another document is broken.
pub(super) const INFRA: &str = r#"{
  "vpc_id": {"sensitive": false, "type": "string", "value": "vpc-0ab1"},
  "password": {"sensitive": true, "type": "string", "value": "SECRET"}
}
"#;

/// Manifests in which a secret is written by hand, and a reference beside it.
#[rustfmt::skip]
pub(super) const MANIFESTS: &[(&str, &str)] = &[
    ("data.yaml", "apiVersion: v1\nkind: Secret\nmetadata:\n  name: data\n  labels: {vpc: \"${infra.vpc_id}\"}\ndata:\n  a: YQ==\n  password: BASE64\n  b: YQ==\n"),
    ("string-data.yaml", "apiVersion: v1\nkind: Secret\nmetadata:\n  name: string-data\nstringData:\n  vpc: ${infra.vpc_id}\n  password: SECRET\n  a: b\n"),
    ("quoted.yaml", "apiVersion: v1\nkind: Secret\nmetadata:\n  name: quoted\nstringData:\n  vpc: ${infra.vpc_id}\n  password: \"SECRET\"\n  a: b\n"),
    ("block.yaml", "apiVersion: v1\nkind: Secret\nmetadata:\n  name: block\nstringData:\n  app.yaml: |\n    vpc: ${infra.vpc_id}\n    password: SECRET\n    a: b\n"),
    ("last.yaml", "stringData:\n  vpc: ${infra.vpc_id}\n  password: SECRET\n  a: b\nmetadata:\n  name: last\nkind: Secret\napiVersion: v1\n"),
    ("flow.yaml", "{apiVersion: v1, kind: Secret, metadata: {name: flow}, stringData: {vpc: \"${infra.vpc_id}\", password: SECRET}}\n"),
    ("secret.json", "{\n  \"apiVersion\": \"v1\",\n  \"kind\": \"Secret\",\n  \"metadata\": {\"name\": \"json\"},\n  \"stringData\": {\n    \"vpc\": \"${infra.vpc_id}\",\n    \"password\": \"SECRET\"\n  }\n}\n"),
    ("list.yaml", "apiVersion: v1\nkind: List\nitems:\n- apiVersion: v1\n  kind: ConfigMap\n  metadata:\n    name: in-list\n  data:\n    vpc: ${infra.vpc_id}\n- apiVersion: v1\n  kind: Secret\n  metadata:\n    name: in-list\n  stringData:\n    password: SECRET\n"),
    ("cluster.yaml", "apiVersion: v1\nkind: Secret\nmetadata:\n  name: cluster\n  labels:\n    argocd.argoproj.io/secret-type: cluster\n  annotations:\n    vpc: ${infra.vpc_id}\nstringData:\n  name: prod\n  server: https://prod.example\n  config: '{\"bearerToken\": \"SECRET\"}'\n"),
    ("fallback.yaml", "apiVersion: v1\nkind: Secret\nmetadata:\n  name: fallback\nstringData:\n  vpc: ${infra.vpc_id}\n  password: ${infra.none | default(\"SECRET\")}\n"),
    ("flux.yaml", "apiVersion: v1\nkind: Secret\nmetadata:\n  name: flux\nstringData:\n  vpc: ${vpc_id} ${infra.vpc_id}\n  password: ${none:=SECRET}\n"),
    ("kpt-set.yaml", "apiVersion: v1\nkind: Secret\nmetadata:\n  name: kpt-set\nstringData:\n  vpc: ${infra.vpc_id}\n  password: SECRET # kpt-set: ${vpc_id}\n"),
    ("setter.yaml", "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: setter\ndata:\n  vpc: ${infra.vpc_id}\n  password: SECRET # landfall: ${infra.password}\n"),
    ("generator.yaml", "apiVersion: v1\nkind: Template\nmetadata:\n  name: ${infra.vpc_id}\nsecretGenerator:\n- name: generator\n  literals:\n  - password=SECRET\n"),
];

/// Outputs documents, and what their Binding states about them.
#[rustfmt::skip]
pub(super) const OUTPUTS: &[(&str, &str, &str)] = &[
    ("terraform", "", "{\n  \"vpc_id\": {\"sensitive\": false, \"type\": \"string\", \"value\": \"vpc-0ab1\"},\n  \"password\": {\n    \"sensitive\": true,\n    \"type\": \"string\",\n    \"value\": \"SECRET\"\n  },\n  \"a\": {\"sensitive\": false, \"type\": \"string\", \"value\": \"b\"}\n}\n"),
    ("one-line", "", "{\"vpc_id\": {\"sensitive\": false, \"type\": \"string\", \"value\": \"vpc-0ab1\"}, \"password\": {\"sensitive\": true, \"type\": \"string\", \"value\": \"SECRET\"}}\n"),
    ("tfstate", "", "{\n  \"version\": 4,\n  \"terraform_version\": \"1.11.0\",\n  \"serial\": 1,\n  \"lineage\": \"0\",\n  \"outputs\": {\n    \"vpc_id\": {\"type\": \"string\", \"value\": \"vpc-0ab1\"},\n    \"password\": {\"type\": \"string\", \"sensitive\": true, \"value\": \"SECRET\"}\n  },\n  \"resources\": []\n}\n"),
    ("resource", "", "{\n  \"version\": 4,\n  \"terraform_version\": \"1.11.0\",\n  \"serial\": 1,\n  \"lineage\": \"0\",\n  \"outputs\": {\"vpc_id\": {\"type\": \"string\", \"value\": \"vpc-0ab1\"}},\n  \"resources\": [{\n    \"instances\": [{\"attributes\": {\n      \"password\": \"SECRET\"\n    }}]\n  }]\n}\n"),
    ("pulumi", "", "{\"version\": 3, \"deployment\": {\"resources\": [{\n  \"urn\": \"urn:pulumi:dev::a::pulumi:pulumi:Stack::a-dev\",\n  \"type\": \"pulumi:pulumi:Stack\",\n  \"outputs\": {\n    \"vpc_id\": \"vpc-0ab1\",\n    \"password\": {\"4dabf18193072939515e22adb298388d\": \"1b47061264138c4ac30d75fd1eb44270\", \"plaintext\": \"\\\"SECRET\\\"\"}\n  }\n}]}}\n"),
    ("secret", "", "apiVersion: v1\nkind: Secret\nmetadata:\n  name: db\ndata:\n  vpc_id: YQ==\n  password: BASE64\n  a: YQ==\n"),
    ("string-data", "", "apiVersion: v1\nkind: Secret\nmetadata:\n  name: db\nstringData:\n  vpc_id: vpc-0ab1\n  password: SECRET\n  a: b\n"),
    ("cluster", "", "apiVersion: v1\nkind: Secret\nmetadata:\n  name: prod\n  labels:\n    argocd.argoproj.io/secret-type: cluster\n  annotations:\n    vpc_id: vpc-0ab1\nstringData:\n  name: prod\n  server: https://prod.example\n  config: '{\"bearerToken\": \"SECRET\"}'\n"),
    ("declared-env", ", format: dotenv, sensitive: [password]", "vpc_id=vpc-0ab1\npassword=SECRET\na=b\n"),
    ("declared-yaml", ", format: yaml, sensitive: true", "vpc_id: vpc-0ab1\npassword: SECRET\na: b\n"),
    ("declared-json", ", format: json, sensitive: true", "{\n  \"vpc_id\": \"vpc-0ab1\",\n  \"password\": \"SECRET\",\n  \"a\": \"b\"\n}\n"),
    ("config-map", ", sensitive: true", "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: db\ndata:\n  vpc_id: vpc-0ab1\n  password: SECRET\n  a: b\n"),
];

/// The `spec` of Bindings with values of outputs that they declare sensitive.
#[rustfmt::skip]
const SPECS: &[(&str, &str)] = &[
    ("inline", "  outputs:\n  - name: infra\n    sensitive: true\n    from:\n      inline:\n        vpc_id: vpc-0ab1\n        password: SECRET\n        a: b\n"),
    ("flow", "  outputs: [{name: infra, sensitive: [password], from: {inline: {vpc_id: vpc-0ab1, password: SECRET}}}]\n"),
    ("unknown-key", "  outputs:\n  - name: infra\n    sensitive: true\n    from: {inline: {vpc_id: vpc-0ab1}}\n    values:\n      password: SECRET\n"),
    ("unknown-value", "  outputs:\n  - name: infra\n    sensitive: [password]\n    from: {inline: {vpc_id: vpc-0ab1}}\n    password: SECRET\n"),
    ("unknown-source", "  outputs:\n  - name: infra\n    sensitive: true\n    from:\n      inlined:\n        password: SECRET\n"),
    ("no-source", "  outputs:\n  - name: infra\n    sensitive: true\n    inline:\n      password: SECRET\n"),
    ("no-key", "  outputs:\n  - name: infra\n    sensitive: true\n    from: [SECRET]\n"),
    ("enum", "  outputs:\n  - {name: infra, from: {file: ../../infra.json}}\n  contract:\n    infra:\n      password:\n        sensitive: true\n        enum:\n        - SECRET\n"),
    ("example", "  outputs:\n  - {name: infra, from: {file: ../../infra.json}}\n  contract:\n    infra:\n      password: {sensitive: true, example: SECRET, enum: [x]}\n"),
];

/// Contracts with the values of a sensitive output.
#[rustfmt::skip]
const CLAUSES: &[(&str, &str)] = &[
    ("enum.yaml", "    password:\n      sensitive: true\n      enum:\n      - SECRET\n      - x\n"),
    ("flow.yaml", "    password: {sensitive: true, enum: [x, SECRET]}\n"),
    ("example.yaml", "    password:\n      sensitive: true\n      example: SECRET\n      pattern: ^never$\n"),
    ("unknown-key.yaml", "    password:\n      sensitive: true\n      value: SECRET\n"),
];

/// Terraform code with a sensitive value.
#[rustfmt::skip]
const CODE: &[(&str, &str, &str)] = &[
    ("output", "/main.tf", "output \"vpc_id\" {\n  value = aws_vpc.a.id\n}\noutput \"password\" {\n  sensitive = true\n  value     = \"SECRET\"\n}\n"),
    ("object", "/main.tf", "output \"password\" {\n  sensitive = true\n  value = {\n    a = \"b\"\n    b = \"SECRET\"\n  }\n}\n"),
    ("variable", "/main.tf", "variable \"password\" {\n  sensitive = true\n  default   = \"SECRET\"\n}\noutput \"vpc_id\" {\n  value = aws_vpc.a.id\n}\n"),
    ("json", "/main.tf.json", "{\n  \"output\": {\n    \"password\": {\n      \"sensitive\": true,\n      \"value\": \"SECRET\"\n    }\n  }\n}\n"),
];

pub(super) const PLAN: &str = "{\n  \"format_version\": \"1.2\",\n  \"planned_values\": {},\n  \"output_changes\": {\n    \"vpc_id\": {\"actions\": [\"no-op\"], \"before\": \"vpc-0ab1\", \"after\": \"vpc-0ab1\", \"after_unknown\": false, \"before_sensitive\": false, \"after_sensitive\": false},\n    \"password\": {\n      \"actions\": [\"update\"],\n      \"before\": \"x\",\n      \"after\": \"SECRET\",\n      \"after_unknown\": false,\n      \"before_sensitive\": true,\n      \"after_sensitive\": true\n    }\n  }\n}\n";

const CREDENTIALS: &str = "{\n  \"username\": \"admin\",\n  \"password\": \"SECRET\",\n  \"tlsClientConfig\": {\"insecure\": false}\n}\n";

/// A document among the files of a fault.
pub(super) struct Place {
    /// The folder of all documents of its kind.
    pub(super) folder: &'static str,
    /// The file, or the folder that has other files of the same application.
    pub(super) target: String,
    /// The path of the document.
    pub(super) path: String,
    pub(super) document: Document,
}

/// Returns all documents.
pub(super) fn all(canaries: &mut Canaries) -> Vec<Place> {
    let mut all = Vec::new();
    let mut add = |folder, name: &str, file: &str, template: &str| {
        let target = format!("{folder}/{name}");
        all.push(Place {
            folder,
            path: format!("{target}{file}"),
            target,
            document: Document::new(template, canaries),
        });
    };
    for (name, manifest) in MANIFESTS {
        add("manifests", name, "", manifest);
        let item = manifest.trim_end().replace('\n', "\n  ");
        let list = resource_list(&binding("  outputs: []\n"), &item);
        add("lists", name, "", &list);
    }
    for (name, _, outputs) in OUTPUTS {
        add("outputs", name, "/infra.doc", outputs);
    }
    for (name, spec) in SPECS {
        add("apps", name, "/landfall.yaml", &binding(spec));
        let list = resource_list(&binding(spec), "apiVersion: v1\n  kind: ConfigMap");
        add("lists", name, "", &list);
    }
    for (name, clause) in CLAUSES {
        let head = "apiVersion: landfall.dev/v1alpha1\nkind: OutputsContract\nspec:\n  infra:\n";
        add("contracts", name, "", &format!("{head}{clause}"));
    }
    for (name, file, code) in CODE {
        add("terraform", name, file, code);
    }
    add("plans", "plan.json", "", PLAN);
    add("credentials", "config.json", "", CREDENTIALS);
    all
}

/// Returns a Binding.
pub(super) fn binding(spec: &str) -> String {
    format!(
        "apiVersion: landfall.dev/v1alpha1\nkind: Binding\nmetadata: {{name: app}}\nspec:\n{spec}"
    )
}

/// Returns a ResourceList with a Binding and an item.
fn resource_list(binding: &str, item: &str) -> String {
    format!(
        "apiVersion: config.kubernetes.io/v1\nkind: ResourceList\nfunctionConfig:\n  {}\nitems:\n- {item}\n",
        binding.trim_end().replace('\n', "\n  ")
    )
}
