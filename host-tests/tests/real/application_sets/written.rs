//! Cases that were written by hand: what generated ones do not have.

use super::comparison::Case;

/// The clusters of the written cases and of Argo CD's examples.
pub(super) const CLUSTERS: &str = "apiVersion: v1
kind: Secret
metadata:
  name: engineering-dev
  labels:
    argocd.argoproj.io/secret-type: cluster
    env: dev
    staging: \"true\"
    logging: \"true\"
  annotations:
    vpc: vpc-1
data:
  name: ZW5naW5lZXJpbmctZGV2
  server: aHR0cHM6Ly9kZXY=
  config: e30=
---
apiVersion: v1
kind: Secret
metadata:
  name: engineering-prod
  labels: {argocd.argoproj.io/secret-type: cluster, env: prod, logging: \"on\"}
stringData: {name: engineering-prod, server: https://prod, project: team}
";

const TEMPLATE: &str = "template: {metadata: {name: 'a-{{name}}'}, spec: {project: default}}";
const GO: &str =
    "goTemplate: true\ntemplate: {metadata: {name: 'a-{{.name}}'}, spec: {project: default}}";

/// Returns the cases.
pub(super) fn cases() -> Vec<Case> {
    let case = |spec: String| Case {
        what: spec.clone(),
        sets: format!(
            "apiVersion: argoproj.io/v1alpha1\nkind: ApplicationSet\nmetadata: {{name: a, namespace: argocd}}\nspec:\n  {}\n",
            spec.replace('\n', "\n  ")
        ),
        secrets: CLUSTERS.to_owned(),
    };
    let plain = |generators: &str| case(format!("generators:\n{generators}\n{TEMPLATE}"));
    let go = |generators: &str| case(format!("generators:\n{generators}\n{GO}"));
    vec![
        plain("- clusters: {selector: {matchLabels: {logging: on}}}"),
        plain("- clusters: {selector: {matchLabels: {logging: 'on'}}}"),
        plain("- clusters: {selector: {matchLabels: {logging: true}}}"),
        plain("- clusters: {selector: {matchExpressions: [{key: logging, operator: In, values: [yes, 'on']}]}}"),
        plain("- clusters: {selector: {matchLabels: {argocd.argoproj.io/secret-type: x}}}"),
        plain("- clusters: {values: {a: on}}"),
        plain("- list: {elements: [{name: 1}]}"),
        plain("- list: {elements: [{name: x}, {name: x}]}"),
        plain("- list: {elements: [{name: 'a{{b}}'}]}"),
        plain("- list: {elements: [{name: x, values: {a: b}}]}\n  clusters: {}"),
        plain("- {}"),
        plain("- list: {elementsYaml: '[{name: x}]'}"),
        plain("- git: {repoURL: x, revision: y}"),
        plain("- matrix: {generators: [{list: {elements: [{name: x}]}}, {list: {elements: [{name: y}]}}]}"),
        plain("- matrix: {generators: [{clusters: {}}, {list: {elements: [{of: '{{name}}'}]}}]}"),
        plain("- matrix: {generators: [{clusters: {}}]}"),
        plain("- merge: {mergeKeys: [], generators: [{clusters: {}}, {clusters: {}}]}"),
        plain("- merge: {mergeKeys: [server], generators: [{clusters: {}}]}"),
        plain("- merge: {mergeKeys: [missing], generators: [{clusters: {}}, {clusters: {}}]}"),
        go("- list: {elements: [{name: on}, {name: 0o17}, {name: 1.50}, {name: 0x1F}, {name: 2024-01-31}, {name: 1_000}]}"),
        go("- list: {elements: [{name: 1000000}]}"),
        go("- list: {elements: [{name: {a: b}}]}"),
        go("- list: {elements: [{name: null}]}"),
        go("- merge:\n    mergeKeys: [name]\n    generators: [{clusters: {values: {a: b}}}, {list: {elements: [{name: engineering-dev, values: {a: c}}]}}]"),
        go("- merge:\n    mergeKeys: [name]\n    generators: [{list: {elements: [{name: engineering-dev, values: {a: c}}]}}, {clusters: {values: {a: b}}}]"),
        go("- matrix: {generators: [{clusters: {values: {a: b}}}, {list: {elements: [{values: {c: d}}]}}]}"),
        go("- matrix: {generators: [{list: {elements: [{values: {c: d}}]}}, {clusters: {values: {a: b}}}]}"),
        go("- matrix: {generators: [{list: {elements: [{env: prod}]}}, {clusters: {selector: {matchLabels: {env: '{{.env}}'}}}}]}"),
        go("- clusters: {flatList: true}"),
        case("generators: [{clusters: {}}]\ntemplate: {metadata: {name: 'a-{{name}}'}, spec: {project: default, source: {repoURL: x, targetRevision: 1.0}}}".to_owned()),
        case("generators: [{clusters: {}}]\ntemplate: {metadata: {name: 'a-{{name}}'}, spec: {project: default, revisionHistoryLimit: '3'}}".to_owned()),
        case("generators: [{clusters: {}}]\ngoTemplates: true\ntemplate: {metadata: {name: 'a-{{name}}'}, spec: {project: default}}".to_owned()),
        case("generators: [{clusters: {}}]\ngoTemplate: true\ngoTemplateOptions: [missingkey=x]\ntemplate: {metadata: {name: 'a-{{.name}}'}, spec: {project: default}}".to_owned()),
        case("generators: [{clusters: {}}]\ntemplate: {metadata: {name: a-b}, spec: {project: default}}".to_owned()),
        case("generators: [{list: {elements: [{}]}}]\ntemplate: {metadata: {name: a-b}, spec: {project: default}}".to_owned()),
        case("generators: [{clusters: {selector: {matchLabels: {env: dev}}}}]\ntemplate: {metadata: {name: a-b}, spec: {project: default, source: {repoURL: x, helm: {values: \"a: {{\\nb: }}\\n\"}}}}".to_owned()),
        case("generators: [{clusters: {selector: {matchLabels: {env: dev}}, template: {metadata: {labels: {a: b}}, spec: {project: ''}}}}]\ntemplate: {metadata: {name: a-b, labels: {a: c, d: e}}, spec: {project: default}}".to_owned()),
        case("generators: [{clusters: {selector: {matchLabels: {env: dev}}}}]\ngoTemplate: true\ntemplate: {metadata: {name: a-b}, spec: {project: default}}\ntemplatePatch: |\n  spec:\n    source:\n      repoURL: '{{ .server }}'\n      helm:\n        valuesObject: {a: {b: c}}\n    info: [{name: a, value: b}]\n".to_owned()),
        case("generators: [{clusters: {selector: {matchLabels: {env: dev}}}}]\ngoTemplate: true\ntemplate: {metadata: {name: a-b}, spec: {project: default, source: {repoURL: x, helm: {valuesObject: {a: {x: y}, l: [1]}}}, info: [{name: x, value: y}]}}\ntemplatePatch: |\n  spec:\n    source:\n      helm:\n        valuesObject: {a: {b: c}, l: [2]}\n    info: [{name: a, value: b}]\n".to_owned()),
        case("generators: [{clusters: {selector: {matchLabels: {env: dev}}}}]\ngoTemplate: true\ntemplate: {metadata: {name: a-b}, spec: {project: default}}\ntemplatePatch: |\n  {{- if .name }}\n  spec: {project: x}\n  {{- end }}\n".to_owned()),
        case("generators: [{clusters: {selector: {matchLabels: {env: dev}}}}]\ngoTemplate: true\ntemplate: {metadata: {name: a-b}, spec: {project: default}}\ntemplatePatch: |\n  spec: {source: [x]}\n".to_owned()),
        case("generators: [{clusters: {selector: {matchLabels: {env: dev}}}}]\ngoTemplate: true\ntemplate: {metadata: {name: a-b, finalizers: [x, z]}, spec: {project: default}}\ntemplatePatch: |\n  metadata: {finalizers: [w, x]}\n".to_owned()),
    ]
}
