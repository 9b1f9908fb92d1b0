//! What ApplicationSets become.

use crate::contract::expand::expand;
use crate::report::Origin;
use pretty::{applications, errors, file, named, set};

/// A set with this spec, in one line each.
mod pretty {
    use crate::contract::File;
    use crate::contract::expand::expand;

    pub(super) fn file(content: &str) -> File {
        File {
            path: "set.yaml".to_owned(),
            content: content.as_bytes().to_vec(),
        }
    }

    /// Returns an ApplicationSet with these fields of its spec.
    pub(super) fn set(spec: &str) -> String {
        let spec: Vec<_> = spec.lines().map(|line| format!("  {line}")).collect();
        format!(
            "apiVersion: argoproj.io/v1alpha1\nkind: ApplicationSet\nmetadata: {{name: web, namespace: argocd}}\nspec:\n{}\n",
            spec.join("\n")
        )
    }

    /// Two clusters.
    pub(super) fn clusters() -> String {
        let secret = |name: &str, labels: &str, annotations: &str| {
            format!(
                "---\napiVersion: v1\nkind: Secret\nmetadata:\n  name: {name}\n  labels: {{argocd.argoproj.io/secret-type: cluster, {labels}}}\n  annotations: {{{annotations}}}\nstringData: {{name: {name}, server: https://{name}, config: hunter2}}\n"
            )
        };
        [
            secret("prod", "env: prod, tier: a", "vpc: vpc-1, a.b/c: x"),
            secret("Dev_1", "env: dev", "vpc: vpc-2"),
        ]
        .concat()
    }

    /// Returns the texts of the Applications with the test's clusters.
    pub(super) fn applications(spec: &str) -> Vec<String> {
        let expanded = expand(&[file(&set(spec))], &[file(&clusters())]).unwrap_or_else(|found| {
            let messages: Vec<_> = found.iter().map(|one| &one.message).collect();
            panic!("{messages:#?}")
        });
        let texts = expanded.applications.into_iter();
        texts
            .map(|one| String::from_utf8(one.content).unwrap())
            .collect()
    }

    /// Returns the names of the Applications with the test's clusters.
    pub(super) fn named(spec: &str) -> Vec<String> {
        let expanded = expand(&[file(&set(spec))], &[file(&clusters())]).unwrap_or_else(|found| {
            let messages: Vec<_> = found.iter().map(|one| &one.message).collect();
            panic!("{messages:#?}")
        });
        expanded
            .applications
            .into_iter()
            .map(|one| one.name)
            .collect()
    }

    /// Returns the errors, each with its help.
    pub(super) fn errors(spec: &str) -> Vec<String> {
        let found = expand(&[file(&set(spec))], &[file(&clusters())]).unwrap_err();
        found
            .iter()
            .map(|one| format!("{} | {}", one.message, one.help.as_deref().unwrap_or("")))
            .collect()
    }
}

const TEMPLATE: &str = "template: {metadata: {name: 'web-{{name}}'}, spec: {project: default}}";
const GO: &str =
    "goTemplate: true\ntemplate: {metadata: {name: 'web-{{.name}}'}, spec: {project: default}}";

#[test]
fn makes_an_application_for_each_cluster_and_the_local_one() {
    assert_eq!(
        named(&format!("generators: [{{clusters: {{}}}}]\n{TEMPLATE}")),
        ["web-Dev_1", "web-prod", "web-in-cluster"]
    );
    let spec = "generators:
- clusters:
    selector: {matchLabels: {env: prod}}
    values: {region: eu, vpc: '{{metadata.annotations.vpc}}'}
template:
  metadata:
    name: 'web-{{nameNormalized}}'
    labels: {'{{values.region}}-x': '{{ metadata.labels.tier }}'}
    namespace: other
  spec:
    project: default
    destination: {server: '{{server}}'}
    sources:
    - repoURL: https://git
      helm:
        valuesObject: {count: 1, '{{name}}': ['{{values.vpc}}', true]}
    - repoURL: '{{metadata.annotations.a.b/c}}'
";
    let expected = "apiVersion: argoproj.io/v1alpha1
kind: Application
metadata:
  name: web-prod
  namespace: argocd
  labels:
    eu-x: a
  finalizers:
    - resources-finalizer.argocd.argoproj.io
spec:
  project: default
  destination:
    server: https://prod
  sources:
    - repoURL: https://git
      helm:
        valuesObject:
          count: 1
          prod:
            - vpc-1
            - true
    - repoURL: x
";
    assert_eq!(applications(spec), [expected]);
}

#[test]
fn evaluates_go_templates() {
    let spec = "generators:
- clusters:
    selector: {matchExpressions: [{key: env, operator: In, values: [prod, dev]}]}
    values: {vpc: '{{ .metadata.annotations.vpc }}'}
goTemplate: true
goTemplateOptions: [missingkey=error]
syncPolicy: {preserveResourcesOnDeletion: true}
template:
  metadata: {name: '{{ .nameNormalized }}'}
  spec:
    project: '{{ index .metadata.labels \"tier\" | default .values.vpc }}-{{ .name -}}   !'
    source: {path: '{{ default \"none\" (index .metadata.annotations \"a.b/c\") }}', repoURL: '{{ \"{{\" }}x}}'}
";
    let expected = |name: &str, rest: &str| {
        format!(
            "apiVersion: argoproj.io/v1alpha1\nkind: Application\nmetadata:\n  name: {name}\n  namespace: argocd\nspec:\n{rest}"
        )
    };
    assert_eq!(
        applications(spec),
        [
            expected(
                "dev-1",
                "  project: vpc-2-Dev_1!\n  source:\n    path: none\n    repoURL: \"{{x}}\"\n"
            ),
            expected(
                "prod",
                "  project: a-prod!\n  source:\n    path: x\n    repoURL: \"{{x}}\"\n"
            ),
        ]
    );
}

#[test]
fn reports_missing_parameters_once_with_every_application_that_lacks_them() {
    assert_eq!(
        errors(
            "generators: [{clusters: {}}]\ntemplate: {metadata: {name: 'a-{{name}}'}, spec: {project: '{{metadata.labels.tire}}', destination: {server: '{{serverr}}'}}}"
        ),
        [
            "`metadata.labels.tire` is missing for `Dev_1`, `prod`, `in-cluster` | did you mean `metadata.labels.env`?",
            "`serverr` is missing for `Dev_1`, `prod`, `in-cluster` | did you mean `server`?",
        ]
    );
}

#[test]
fn names_the_cluster_that_argo_cd_adds() {
    assert_eq!(
        errors(
            "generators: [{clusters: {}}]\ntemplate: {metadata: {name: 'a-{{nameNormalized}}'}, spec: {project: '{{metadata.labels.env}}'}}"
        ),
        [
            "`metadata.labels.env` is missing for `in-cluster` | Argo CD adds `in-cluster`, without labels and annotations, if no Secret registers `https://kubernetes.default.svc`: select clusters by a label to leave it out"
        ]
    );
}

#[test]
fn a_generator_overrides_the_template_but_not_with_empty_values() {
    let spec = "generators:
- list:
    elements: [{name: x}]
    template:
      metadata: {labels: {a: own}, annotations: {c: own}}
      spec: {project: '', syncPolicy: {automated: {prune: false, selfHeal: true}}, sources: [{repoURL: own}]}
template:
  metadata: {name: '{{name}}', labels: {a: base, b: base}}
  spec: {project: base, syncPolicy: {automated: {prune: true}}, sources: [{repoURL: base}, {repoURL: base}]}
";
    assert_eq!(
        applications(spec),
        ["apiVersion: argoproj.io/v1alpha1
kind: Application
metadata:
  name: x
  namespace: argocd
  labels:
    a: own
    b: base
  annotations:
    c: own
  finalizers:
    - resources-finalizer.argocd.argoproj.io
spec:
  project: base
  syncPolicy:
    automated:
      prune: true
      selfHeal: true
  sources:
    - repoURL: own
"]
    );
}

#[test]
fn matrix_replaces_parameters_in_its_second_generator() {
    let generators = "generators:
- matrix:
    generators:
    - clusters: {selector: {matchLabels: {env: prod}}}
    - list: {elements: [{of: '{{metadata.annotations.vpc}}-1'}, {of: x}]}
";
    let template = "template: {metadata: {name: '{{name}}-{{of}}'}, spec: {project: default}}";
    assert_eq!(
        named(&format!("{generators}{template}")),
        ["prod-vpc-1-1", "prod-x"]
    );
    assert_eq!(
        errors(&format!(
            "generators: [{{matrix: {{generators: [{{clusters: {{}}}}, {{list: {{elements: [{{name: x}}]}}}}]}}}}]\n{TEMPLATE}"
        )),
        [
            "both generators of `matrix` have `name`, with different values | rename one of them: plain templates cannot choose"
        ]
    );
}

#[test]
fn merge_overrides_the_items_of_its_first_generator() {
    let spec = "generators:
- merge:
    mergeKeys: [name]
    generators:
    - clusters: {selector: {matchExpressions: [{key: env, operator: Exists}]}, values: {rev: main}}
    - clusters: {selector: {matchLabels: {env: dev}}, values: {rev: next}}
    - list: {elements: [{name: other}]}
goTemplate: true
template: {metadata: {name: '{{.name}}-{{.values.rev}}'}, spec: {project: default}}";
    assert_eq!(named(spec), ["Dev_1-next", "prod-main"]);
    assert_eq!(
        errors(
            "generators:\n- merge:\n    mergeKeys: [name]\n    generators: [{clusters: {values: {a: b}}}, {list: {elements: [{name: prod, values: {a: c}}]}}]\ngoTemplate: true\ntemplate: {metadata: {name: '{{.name}}'}, spec: {project: default}}"
        ),
        [
            "`values` of `clusters` and of another generator cannot be merged | Argo CD 3.2 fails here with `goTemplate: true`: only strings fit into labels, annotations and `values` of `clusters`; name the parameters differently"
        ]
    );
}

#[test]
fn template_patch_warns_of_what_argo_cd_reads_otherwise() {
    let values = |value: &str| {
        let spec = format!(
            "generators: [{{list: {{elements: [{{name: a, acct: '{value}'}}]}}}}]\n{GO}\ntemplatePatch: |\n  spec: {{source: {{helm: {{valuesObject: {{acct: {{{{ .acct }}}}}}}}}}}}\n"
        );
        let expanded = expand(&[file(&set(&spec))], &[]).unwrap();
        let messages = expanded
            .diagnostics
            .iter()
            .map(|found| found.message.clone());
        let readings = messages.filter(|message| message.starts_with("Argo CD reads"));
        readings.collect::<Vec<_>>()
    };
    for (value, read_as) in [
        ("012345670123", "a number"),
        ("012345678901", "a number"),
        ("yes", "a bool"),
        ("1_000", "a number"),
        ("0o17", "a number"),
    ] {
        let expected = format!(
            "Argo CD reads `{value}` in `templatePatch` as {read_as}, because its YAML is of version 1.1"
        );
        assert_eq!(values(value), [expected]);
    }
    for value in ["12", "true", "web", "1.5", "\"012\""] {
        assert_eq!(values(value), [""; 0], "{value}");
    }
}

#[test]
fn template_patch_is_merged_into_each_application() {
    let spec = "generators: [{clusters: {selector: {matchLabels: {env: prod}}}}]
goTemplate: true
template: {metadata: {name: '{{.name}}', labels: {a: b}}, spec: {project: default, revisionHistoryLimit: 3, info: [{name: a, value: b}]}}
templatePatch: |
  metadata: {labels: {a: null, c: '{{ .server }}'}}
  spec: {project: other, info: [{name: c, value: d}], syncPolicy: {automated: {prune: true}}}
";
    assert_eq!(
        applications(spec),
        ["apiVersion: argoproj.io/v1alpha1
kind: Application
metadata:
  name: prod
  namespace: argocd
  labels:
    c: https://prod
  finalizers:
    - resources-finalizer.argocd.argoproj.io
spec:
  project: default
  revisionHistoryLimit: 3
  info:
    - name: c
      value: d
  syncPolicy:
    automated:
      prune: true
"]
    );
}

#[test]
fn names_what_is_not_evaluated() {
    let all = |generators: &str| errors(&format!("generators: [{generators}]\n{TEMPLATE}"));
    let help = "it asks other programs: only `list`, `clusters`, `matrix` and `merge` depend on nothing but files";
    for name in [
        "git",
        "scmProvider",
        "pullRequest",
        "plugin",
        "clusterDecisionResource",
    ] {
        assert_eq!(
            all(&format!("{{{name}: {{}}}}")),
            [format!("the generator `{name}` is not evaluated | {help}")]
        );
        let nested = format!("{{matrix: {{generators: [{{clusters: {{}}}}, {{{name}: {{}}}}]}}}}");
        assert_eq!(
            all(&nested),
            [format!("the generator `{name}` is not evaluated | {help}")]
        );
    }
    assert_eq!(
        all("{list: {elementsYaml: '[{name: x}]'}}"),
        ["`elementsYaml` is not evaluated | write the elements in `elements`"]
    );
    assert_eq!(
        all("{cluster: {}}"),
        ["`cluster` is not a generator | did you mean `clusters`?"]
    );
    let found = errors(&format!(
        "generators: [{{clusters: {{}}}}]\n{GO}\ntemplatePatch: '{{{{ range .x }}}}{{{{ end }}}}'"
    ));
    assert!(
        found[0].starts_with("`range` is not evaluated | "),
        "{found:?}"
    );
    assert_eq!(found.len(), 1);
}

#[test]
fn a_bool_in_a_selector_is_an_error_with_its_fix() {
    let spec = set(
        "generators: [{clusters: {selector: {matchLabels: {logging: on}}}}]\ntemplate: {metadata: {name: 'a-{{name}}'}, spec: {project: default}}",
    );
    let found = expand(&[file(&spec)], &[]).unwrap_err();
    assert_eq!(
        found[0].message,
        "`spec.generators[0].clusters.selector.matchLabels.logging` must be a string, and `on` is a bool in the YAML 1.1 that Argo CD reads"
    );
    let [fix] = &found[0].fixes[..] else {
        panic!("{found:?}")
    };
    let fixed = yaml::splice(spec.as_bytes(), &fix.edits).unwrap();
    assert_eq!(
        String::from_utf8(fixed).unwrap(),
        spec.replace("logging: on", "logging: \"on\"")
    );
}

#[test]
fn warns_of_what_argo_cd_reads_differently() {
    let spec = set(
        "generators: [{list: {elements: [{name: on, size: 1000000}]}}]\ngoTemplate: true\ntemplate: {metadata: {name: 'a-{{.size}}'}, spec: {project: '{{.name}}', source: {helm: {valuesObject: {a: null}}}}}",
    );
    let expanded = expand(&[file(&spec)], &[]).unwrap();
    let messages: Vec<_> = expanded
        .diagnostics
        .iter()
        .map(|one| one.message.as_str())
        .collect();
    assert_eq!(
        messages,
        [
            "Argo CD reads `on` in `spec.generators[0].list.elements[0].name` as a bool, because its YAML is of version 1.1",
            "Argo CD removes `spec.template.spec.source.helm.valuesObject.a`, because it is null",
            "Argo CD writes the number 1000000 as `1e+06`",
            "`a-1e+06` cannot be the name of an Application",
        ]
    );
    let text = String::from_utf8(expanded.applications[0].content.clone()).unwrap();
    assert!(text.contains("project: \"true\""), "{text}");
}

#[test]
fn warns_of_numbers_that_helm_writes_in_another_way() {
    let set = |helm: &str| {
        set(&format!(
            "generators: [{{list: {{elements: [{{size: '8388608', small: '42'}}]}}}}]\ngoTemplate: true\ntemplate: {{metadata: {{name: a}}, spec: {{project: p, {helm}}}}}"
        ))
    };
    let exponent = |path: &str| {
        format!("Helm writes `{path}` with an exponent where a template inserts it as text")
    };
    for (helm, expected) in [
        (
            "source: {helm: {values: 'size: {{.size}}'}}",
            vec![exponent("spec.source.helm.values")],
        ),
        (
            "sources: [{helm: {values: 'size: {{.small}}'}}, {helm: {valuesObject: {a: [1000000]}}}]",
            vec![exponent("spec.sources[1].helm.valuesObject")],
        ),
        (
            "source: {helm: {values: 'size: \"{{.size}}\"', valuesObject: {size: '{{.size}}'}}}",
            vec![],
        ),
    ] {
        let expanded = expand(&[file(&set(helm))], &[]).unwrap();
        let messages = expanded.diagnostics.iter().map(|one| one.message.clone());
        assert_eq!(messages.collect::<Vec<_>>(), expected, "{helm}");
    }
}

#[test]
fn reads_the_list_that_kubectl_writes() {
    let list = "apiVersion: v1
kind: List
items:
- apiVersion: v1
  kind: Secret
  metadata:
    name: a
    labels: {argocd.argoproj.io/secret-type: cluster}
  data: {name: YQ==, server: aHR0cHM6Ly9h, config: aHVudGVyMg==}
- {apiVersion: v1, kind: Secret, metadata: {name: other}, data: {config: aHVudGVyMg==}}
";
    let set = set(
        "generators: [{clusters: {selector: {matchExpressions: [{key: x, operator: DoesNotExist}]}}}]\ntemplate: {metadata: {name: 'a-{{name}}'}, spec: {project: default}}",
    );
    let expanded = expand(&[file(&set)], &[file(list)]).unwrap();
    let names: Vec<_> = expanded
        .applications
        .iter()
        .map(|one| one.name.as_str())
        .collect();
    assert_eq!(names, ["a-a"]);
}

/// Whatever is wrong with a Secret, and whatever a template names.
#[test]
fn credentials_are_not_shown() {
    let set = |template: &str| {
        set(&format!(
            "generators: [{{clusters: {{}}}}]\ngoTemplate: true\ntemplate: {{metadata: {{name: '{{{{.name}}}}'}}, spec: {{project: '{template}'}}}}"
        ))
    };
    let secret = |rest: &str| {
        format!(
            "apiVersion: v1\nkind: Secret\nmetadata:\n  name: a\n  labels: {{argocd.argoproj.io/secret-type: cluster}}\n  annotations: {{kubectl.kubernetes.io/last-applied-configuration: hunter2}}\nstringData:\n  name: a\n  config: hunter2\n{rest}"
        )
    };
    for (template, rest) in [
        ("{{ .config }}", ""),
        (
            "{{ index .metadata.annotations \"kubectl.kubernetes.io/last-applied-configuration\" }}",
            "",
        ),
        ("{{ .metadata.annotations }}", ""),
        ("x", "  'hunter2\n"),
        ("x", "  config: hunter2\n"),
        ("x", "  server: .inf\n"),
        ("x", "  server: [hunter2]\n"),
        ("x", "  server: *hunter2\n"),
        ("x", "data: {project: hunter2}\n"),
        ("x", "data: {project: '/w=='}\n"),
        ("x", "...\nhunter2: secret-type\n"),
    ] {
        let found = expand(&[file(&set(template))], &[file(&secret(rest))]).unwrap_err();
        assert!(!found.is_empty());
        for one in found.iter() {
            let text = format!("{one:?}");
            assert!(!text.contains("hunter2"), "{text}");
            for label in &one.labels {
                let is_secret = matches!(label.origin, Origin::Outputs(_));
                assert!(
                    !is_secret || label.conceal && label.span.range().is_empty(),
                    "{text}"
                );
            }
        }
    }
}

/// A document that is neither an ApplicationSet nor a cluster is not read.
#[test]
fn other_documents_may_be_anything() {
    let own = set(
        "generators: [{clusters: {}}]\ntemplate: {metadata: {name: '{{name}}'}, spec: {project: x}}",
    );
    for other in [
        "kind: Secret\nstringData: {p: [hunter2}\n",
        "kind: ConfigMap\ndata: &a {b: *a, c: !t d}\n",
        "kind: ConfigMap\nkind: ConfigMap\n",
        "{{ if .Values.a }}\n",
    ] {
        let all = format!("{other}---\n{own}---\n{other}");
        let clusters = format!("{other}{}---\n{other}", pretty::clusters());
        let expanded = expand(&[file(&all)], &[file(&clusters)]).unwrap();
        assert_eq!(expanded.applications.len(), 3, "{other}");
    }
}

#[test]
fn shows_nothing_of_a_set_that_may_be_a_secret() {
    for other in [
        "kind: ApplicationSet\nkind: Secret\nstringData: {p: hunter2}\n",
        "kind: Secret # ApplicationSet\nstringData: {p: [hunter2}\n",
        "<<: {kind: Secret}\napiVersion: ApplicationSet\nstringData: {p: hunter2}\n",
    ] {
        let found = expand(&[file(other)], &[]).unwrap_err();
        for label in found.iter().flat_map(|found| &found.labels) {
            assert!(label.conceal && label.span.range().is_empty(), "{found:?}");
        }
        assert!(!format!("{found:?}").contains("hunter2"), "{found:?}");
    }
}

#[test]
fn clusters_are_those_of_one_namespace() {
    let own = set(
        "generators: [{clusters: {}}]\ntemplate: {metadata: {name: '{{name}}'}, spec: {project: x}}",
    );
    let secret = |name: &str, namespace: &str| {
        format!(
            "---\napiVersion: v1\nkind: Secret\nmetadata:\n  name: {name}\n  namespace: {namespace}\n  labels: {{argocd.argoproj.io/secret-type: cluster}}\nstringData: {{name: {name}, server: https://{name}}}\n"
        )
    };
    let two = secret("a", "argocd") + &secret("b", "team");
    let found = expand(&[file(&own)], &[file(&two)]).unwrap_err();
    assert_eq!(
        found[0].message,
        "cluster Secrets in the namespaces `argocd` and `team`: Argo CD reads only those in its own namespace"
    );
    let expanded = expand(&[file(&own)], &[file(&secret("a", "argocd"))]).unwrap();
    assert!(expanded.diagnostics.is_empty());
    let expanded = expand(&[file(&own)], &[file(&secret("b", "team"))]).unwrap();
    assert_eq!(
        expanded.diagnostics[0].message,
        "the cluster Secrets are in the namespace `team`, and the ApplicationSet is in `argocd`"
    );
}

#[test]
fn rejects_two_applications_with_one_name() {
    assert_eq!(
        errors(
            "generators: [{list: {elements: [{name: x}, {name: x}]}}]\ntemplate: {metadata: {name: '{{name}}'}, spec: {project: default}}"
        ),
        [
            "two Applications have the name `x` | make the name in the template different for every item of the generators"
        ]
    );
}

#[test]
fn limits_items_that_a_selector_removes() {
    let elements = |name: &str| {
        let elements = (0..300).map(|nth| format!("{{{name}: 'v{nth}'}}"));
        elements.collect::<Vec<_>>().join(", ")
    };
    let spec = format!(
        "generators:
- matrix:
    generators:
    - list: {{elements: [{}]}}
    - matrix: {{generators: [{{list: {{elements: [{}]}}}}, {{list: {{elements: [{}]}}}}]}}
      selector: {{matchLabels: {{nope: x}}}}
{TEMPLATE}",
        elements("a"),
        elements("b"),
        elements("name"),
    );
    assert_eq!(
        errors(&spec),
        [
            "the ApplicationSet has too many or too large combinations of parameters | select fewer clusters, or split it"
        ]
    );
}

#[test]
fn limits_the_size_of_combinations() {
    let large = "x".repeat(200_000);
    let names = (0..5000).map(|nth| format!("{{name: 'v{nth}'}}"));
    let spec = format!(
        "generators:
- matrix:
    generators:
    - list: {{elements: [{{large: '{large}'}}]}}
    - list: {{elements: [{}]}}
{TEMPLATE}",
        names.collect::<Vec<_>>().join(", "),
    );
    assert!(errors(&spec)[0].starts_with("the ApplicationSet has too many or too large"));
}

#[test]
fn an_application_set_without_applications_is_noted() {
    let spec = "generators: [{clusters: {selector: {matchLabels: {env: none}}}}]\ntemplate:\n  metadata: {name: '{{name}}'}\n  spec: {project: default}";
    let expanded = expand(&[file(&set(spec))], &[]).unwrap_or_else(|_| panic!("errors"));
    assert!(expanded.applications.is_empty());
    let found: Vec<_> = expanded.diagnostics.iter().collect();
    assert_eq!(found.len(), 1);
    assert_eq!(
        found[0].message,
        "the ApplicationSet `web` makes no Applications"
    );
}
