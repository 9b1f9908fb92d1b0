//! The type of a value in a patch is that of the field that the patch sets, wherever its
//! target is named: every place of a patch, with every type and every kind of quotes.

use landfall::{Content, Diagnostics, File, Rule, Severity, Sources, splice};
use serde_json::{Value as Json, json};

use crate::render::{outputs, request};

/// How a patch is written.
#[derive(Clone, Copy, PartialEq)]
enum Form {
    /// A JSON patch, as YAML.
    Operations,
    /// A JSON patch, as JSON.
    Json,
    /// A strategic merge patch without apiVersion and kind.
    Merge,
}

/// A place where a patch can be written: `PATCH` in one of these files.
struct Place {
    files: &'static [(&'static str, &'static str)],
    form: Form,
    /// Where the patch is in the first file: a JSON pointer. Empty if the file is the patch.
    at: &'static str,
}

const PLACES: &[Place] = &[
    Place {
        files: &[(
            "kustomization.yaml",
            "apiVersion: kustomize.config.k8s.io/v1beta1\nkind: Kustomization\npatches:\n- target: {kind: Deployment}\n  patch: |\n    PATCH\n",
        )],
        form: Form::Operations,
        at: "/patches/0/patch",
    },
    Place {
        files: &[(
            "kustomization.yaml",
            "apiVersion: kustomize.config.k8s.io/v1beta1\nkind: Kustomization\npatches:\n- patch: 'PATCH'\n  target: {group: apps, version: v1, kind: Deployment, name: web}\n",
        )],
        form: Form::Json,
        at: "/patches/0/patch",
    },
    Place {
        files: &[(
            "kustomization.yaml",
            "apiVersion: kustomize.config.k8s.io/v1alpha1\nkind: Component\npatches:\n- target: {kind: Deployment|StatefulSet}\n  patch: |-\n    PATCH\n",
        )],
        form: Form::Merge,
        at: "/patches/0/patch",
    },
    Place {
        files: &[(
            "kustomization.yaml",
            "apiVersion: kustomize.config.k8s.io/v1beta1\nkind: Kustomization\npatchesJson6902:\n- target: {group: apps, version: v1, kind: Deployment, name: web}\n  patch: |\n    PATCH\n",
        )],
        form: Form::Operations,
        at: "/patchesJson6902/0/patch",
    },
    Place {
        files: &[
            ("base/p.yaml", "PATCH\n"),
            (
                "web/kustomization.yaml",
                "patches:\n- path: ../base/p.yaml\n  target: {kind: ^(Deployment)$}\n",
            ),
        ],
        form: Form::Operations,
        at: "",
    },
    Place {
        files: &[
            ("p.json", "PATCH\n"),
            (
                "kustomization.yml",
                "patchesJson6902:\n- path: ./p.json\n  target: {group: apps, version: v1, kind: Deployment, name: web}\n",
            ),
        ],
        form: Form::Json,
        at: "",
    },
    Place {
        files: &[
            ("p.yaml", "PATCH\n"),
            (
                "Kustomization",
                "patches: [{path: p.yaml, target: {kind: Deployment, labelSelector: app=web}}]\n",
            ),
        ],
        form: Form::Merge,
        at: "",
    },
    // Its own kind does not count beside a target.
    Place {
        files: &[(
            "kustomization.yaml",
            "patches:\n- target: {kind: Deployment}\n  patch: |\n    apiVersion: not/important\n    kind: not-important\n    PATCH\n",
        )],
        form: Form::Merge,
        at: "/patches/0/patch",
    },
    // kustomize adds the kind, or the apiVersion, of a kustomization.
    Place {
        files: &[(
            "a/kustomization.yml",
            "kind: Kustomization\npatches:\n- target: {kind: Deployment}\n  patch: |\n    PATCH\n",
        )],
        form: Form::Operations,
        at: "/patches/0/patch",
    },
    Place {
        files: &[(
            "Kustomization",
            "patchesStrategicMerge:\n- |\n  apiVersion: apps/v1\n  kind: Deployment\n  PATCH\n- other.yaml\n",
        )],
        form: Form::Merge,
        at: "/patchesStrategicMerge/0",
    },
    Place {
        files: &[(
            "transformer.yaml",
            "apiVersion: builtin\nkind: PatchTransformer\nmetadata: {name: a}\ntarget: {kind: Deployment}\npatch: |\n  PATCH\n",
        )],
        form: Form::Merge,
        at: "/patch",
    },
    Place {
        files: &[
            ("web/p.yaml", "PATCH\n"),
            (
                "web/transformer.yaml",
                "apiVersion: builtin\nkind: PatchTransformer\nmetadata: {name: a}\npath: p.yaml\ntarget: {kind: Deployment}\n",
            ),
        ],
        form: Form::Operations,
        at: "",
    },
    Place {
        files: &[(
            "flux.yaml",
            "apiVersion: kustomize.toolkit.fluxcd.io/v1\nkind: Kustomization\nmetadata: {name: a}\nspec:\n  patches:\n  - patch: |\n      PATCH\n    target: {kind: Deployment}\n",
        )],
        form: Form::Operations,
        at: "/spec/patches/0/patch",
    },
    Place {
        files: &[(
            "flux.yaml",
            "apiVersion: kustomize.toolkit.fluxcd.io/v1\nkind: Kustomization\nmetadata: {name: a}\nspec:\n  patches:\n  - target: {kind: Deployment}\n    patch: |\n      PATCH\n",
        )],
        form: Form::Merge,
        at: "/spec/patches/0/patch",
    },
    Place {
        files: &[(
            "flux.yaml",
            "apiVersion: kustomize.toolkit.fluxcd.io/v1beta2\nkind: Kustomization\nmetadata: {name: a}\nspec:\n  patchesJson6902:\n  - target: {group: apps, version: v1, kind: Deployment}\n    patch:\n    PATCH\n",
        )],
        form: Form::Operations,
        at: "/spec/patchesJson6902/0/patch",
    },
    Place {
        files: &[(
            "release.yaml",
            "apiVersion: helm.toolkit.fluxcd.io/v2\nkind: HelmRelease\nmetadata: {name: a}\nspec:\n  postRenderers:\n  - kustomize:\n      patches:\n      - target: {kind: Deployment}\n        patch: |\n          PATCH\n",
        )],
        form: Form::Operations,
        at: "/spec/postRenderers/0/kustomize/patches/0/patch",
    },
    Place {
        files: &[(
            "app.yaml",
            "apiVersion: argoproj.io/v1alpha1\nkind: Application\nmetadata: {name: a}\nspec:\n  source:\n    kustomize:\n      patches:\n      - target: {kind: Deployment}\n        patch: |\n          PATCH\n",
        )],
        form: Form::Operations,
        at: "/spec/source/kustomize/patches/0/patch",
    },
    Place {
        files: &[(
            "app.yaml",
            "apiVersion: argoproj.io/v1alpha1\nkind: Application\nmetadata: {name: a}\nspec:\n  sources:\n  - kustomize:\n      patches:\n      - target: {group: apps, kind: Deployment}\n        patch: 'PATCH'\n",
        )],
        form: Form::Json,
        at: "/spec/sources/0/kustomize/patches/0/patch",
    },
    Place {
        files: &[(
            "set.yaml",
            "apiVersion: argoproj.io/v1alpha1\nkind: ApplicationSet\nmetadata: {name: a}\nspec:\n  template:\n    spec:\n      source:\n        kustomize:\n          patches:\n          - target: {kind: Deployment}\n            patch: |\n              PATCH\n",
        )],
        form: Form::Operations,
        at: "/spec/template/spec/source/kustomize/patches/0/patch",
    },
    // An alias repeats the patch where its target is of another kind with the same field.
    Place {
        files: &[(
            "kustomization.yaml",
            "apiVersion: kustomize.config.k8s.io/v1beta1\nkind: Kustomization\npatches:\n- target: {kind: Deployment}\n  patch: &p |\n    PATCH\n- target: {kind: StatefulSet}\n  patch: *p\n",
        )],
        form: Form::Operations,
        at: "/patches/0/patch",
    },
];

/// How a reference is quoted.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Quotes {
    None,
    Single,
    Double,
}

/// What becomes of a value in a field of a Deployment, without quotes and with them.
struct Case {
    /// The field, as a JSON pointer.
    pointer: &'static str,
    value: Json,
    plain: Option<Json>,
    quoted: Option<Json>,
    /// In the quotes of JSON, which cannot be left out.
    json_quoted: Option<Json>,
}

fn cases() -> Vec<Case> {
    let case = |pointer, value: Json, [plain, quoted, json_quoted]: [Option<Json>; 3]| Case {
        pointer,
        value,
        plain,
        quoted,
        json_quoted,
    };
    let number = |value: Json, plain: Option<i64>| {
        let plain = plain.map(Json::from);
        case("/spec/replicas", value, [plain.clone(), None, plain])
    };
    let bool = |value: Json, plain: Option<bool>| {
        let plain = plain.map(Json::from);
        case("/spec/paused", value, [plain.clone(), None, plain])
    };
    let text = |pointer, value: Json, expected: &str| {
        let expected = Some(json!(expected));
        case(
            pointer,
            value,
            [expected.clone(), expected.clone(), expected],
        )
    };
    let annotation = "/metadata/annotations/example.com~1a";
    let port = json!({"name": "web", "env": [{"name": "A", "value": 1}], "ports": [{"containerPort": "80"}]});
    vec![
        number(json!(3), Some(3)),
        number(json!("3"), Some(3)),
        number(json!("three"), None),
        number(json!(true), None),
        bool(json!(true), Some(true)),
        bool(json!("false"), Some(false)),
        bool(json!("yes"), None),
        bool(json!(1), None),
        text(annotation, json!(8080), "8080"),
        text(annotation, json!(true), "true"),
        text(annotation, json!("a: b"), "a: b"),
        text("/spec/template/spec/containers/0/args/0", json!(1), "1"),
        text("/spec/template/spec/nodeSelector/8080", json!(true), "true"),
        case(
            "/spec/template/spec/containers/0",
            port.clone(),
            [
                Some(
                    json!({"name": "web", "env": [{"name": "A", "value": "1"}], "ports": [{"containerPort": 80}]}),
                ),
                None,
                None,
            ],
        ),
        case(
            "/spec/template/spec/containers/0/image",
            port,
            [None, None, None],
        ),
    ]
}

/// Returns the patch that sets a field to a value.
fn patch(form: Form, pointer: &str, value: &str) -> String {
    match form {
        Form::Operations => format!("- {{op: add, path: {pointer}, value: {value}}}"),
        Form::Json => {
            format!("[{{\"op\": \"replace\", \"path\": \"{pointer}\", \"value\": {value}}}]")
        }
        Form::Merge => {
            let merged =
                pointer[1..]
                    .rsplit('/')
                    .fold(value.to_owned(), |inside, token| match token {
                        "0" => format!("[{inside}]"),
                        key => format!("{{{}: {inside}}}", key.replace("~1", "/")),
                    });
            // The root is a block mapping, as authors write it.
            merged[1..merged.len() - 1].to_owned()
        }
    }
}

/// Returns the pointer to the value in a patch.
fn value_at(form: Form, pointer: &str) -> String {
    match form {
        Form::Operations | Form::Json => "/0/value".to_owned(),
        Form::Merge => pointer.to_owned(),
    }
}

/// Returns the files of a place with this patch.
fn sources(place: &Place, patch: &str) -> Sources {
    let files = place.files.iter().map(|(path, text)| File {
        path: (*path).into(),
        content: text.replace("PATCH", patch).into(),
    });
    Sources::new(files.collect())
}

/// Renders a patch and returns the value in it.
fn rendered(place: &Place, case: &Case, quotes: Quotes) -> Result<Json, Diagnostics> {
    let value = match quotes {
        Quotes::None => "${infra.x}",
        Quotes::Single => "'${infra.x}'",
        Quotes::Double => "\"${infra.x}\"",
    };
    let sources = sources(place, &patch(place.form, case.pointer, value));
    let request = request(outputs([("x".to_owned(), &case.value)]));
    let answer = sources.generate(&request)?;
    let source = &sources.files()[0].content;
    let text = match &answer.sources[0] {
        Content::Unchanged => source.clone(),
        Content::Edited(edits) => splice(source, edits).unwrap(),
    };
    let text = String::from_utf8(text).unwrap();
    let root: Json = serde_yaml::from_str(&text).unwrap_or_else(|error| panic!("{error}: {text}"));
    let root = root.pointer(place.at).unwrap_or_else(|| panic!("{text}"));
    let parsed = match root {
        Json::String(text) => serde_yaml::from_str(text).unwrap(),
        other => other.clone(),
    };
    let at = value_at(place.form, case.pointer);
    Ok(parsed
        .pointer(&at)
        .unwrap_or_else(|| panic!("{at}: {text}"))
        .clone())
}

#[test]
fn a_value_has_the_type_of_the_field_that_the_patch_sets() {
    for place in PLACES {
        for case in &cases() {
            for quotes in [Quotes::None, Quotes::Single, Quotes::Double] {
                if quotes == Quotes::Single && place.form == Form::Json {
                    continue;
                }
                let expected = match (quotes, place.form) {
                    (Quotes::None, _) => &case.plain,
                    (_, Form::Json) => &case.json_quoted,
                    (_, _) => &case.quoted,
                };
                let found = rendered(place, case, quotes);
                let shown = format!(
                    "{} {} {} {quotes:?} {found:?}",
                    place.files[0].1, case.pointer, case.value
                );
                match (expected, found) {
                    (Some(expected), Ok(found)) => assert_eq!(found, *expected, "{shown}"),
                    (None, Err(found)) => {
                        let errors = found.iter().filter(|one| one.severity == Severity::Error);
                        let rules: Vec<Rule> = errors.map(|error| error.rule).collect();
                        let is_type =
                            |rule| matches!(rule, Rule::FieldTypeMismatch | Rule::TypeMismatch);
                        assert!(rules.len() == 1 && is_type(rules[0]), "{shown}");
                    }
                    _ => panic!("{shown}"),
                }
            }
        }
    }
}

/// A null in a patch removes a field, also in one of its own file; elsewhere it is an error.
#[test]
fn a_null_is_a_member_of_patches_alone() {
    let patch = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a, labels: ${infra.x}}\n";
    for (path, kustomization, is_patch) in [
        ("kustomization.yaml", "patches: [{path: p.yaml}]\n", true),
        (
            "kustomization.yaml",
            "patchesStrategicMerge: [p.yaml]\n",
            true,
        ),
        (
            "t.yaml",
            "apiVersion: builtin\nkind: PatchStrategicMergeTransformer\npaths: [./p.yaml]\n",
            true,
        ),
        ("kustomization.yaml", "resources: [p.yaml]\n", false),
        ("t.yaml", "kind: Widget\npaths: [p.yaml]\n", false),
    ] {
        let files = [("p.yaml", patch), (path, kustomization)].map(|(path, text)| File {
            path: path.into(),
            content: text.into(),
        });
        let x = json!({"team": "shop", "owner": null});
        let answer = Sources::new(files.into()).generate(&request(outputs([("x".to_owned(), &x)])));
        assert_eq!(
            answer.is_ok(),
            is_patch,
            "{path} {kustomization} {answer:?}"
        );
    }
}

/// A Secret's patch whose target is something else would write the value there.
#[test]
fn a_secret_is_no_excuse_for_a_target_of_another_kind() {
    let patch =
        "apiVersion: v1\nkind: Secret\nmetadata: {name: a}\nstringData: {a: \"${infra.x}\"}\n";
    for (kustomization, is_allowed) in [
        ("patches: [{path: p.yaml}]", true),
        ("patches: [{path: p.yaml, target: {kind: Secret}}]", true),
        (
            "patches: [{path: p.yaml, target: {version: v1, kind: ^Secret$, name: a}}]",
            true,
        ),
        (
            "patches: [{path: p.yaml, target: {kind: ConfigMap}}]",
            false,
        ),
        (
            "patches: [{path: p.yaml, target: {kind: Secret|ConfigMap}}]",
            false,
        ),
        (
            "patches: [{path: p.yaml, target: {kind: Secret, group: example.com}}]",
            false,
        ),
        (
            "patches: [{path: p.yaml, target: {kind: Secret, group: .*}}]",
            false,
        ),
        (
            "patches: [{path: p.yaml, target: {kind: Secret, kind: ConfigMap}}]",
            false,
        ),
        (
            "patches: [{path: p.yaml, target: {kind: Secret}, Target: {kind: ConfigMap}}]",
            false,
        ),
        ("patches: [{path: p.yaml, target: {}}]", false),
        ("patches: [{path: p.yaml, target: {name: a}}]", false),
        (
            "patches: [{path: p.yaml, target: {labelSelector: app=web}}]",
            false,
        ),
        ("patches: [{path: p.yaml, target: {kind: ''}}]", false),
        ("patches: [{path: p.yaml, target: {kind: .*}}]", false),
        ("patches: [{path: p.yaml, target: {kind: Secret.*}}]", false),
        (
            "patches: [{path: p.yaml, target: {kind: '${infra.x}'}}]",
            false,
        ),
        (
            "patches: [{path: p.yaml, Target: {kind: ConfigMap}}]",
            false,
        ),
        (
            "x: &x {target: {kind: ConfigMap}}\npatches: [{<<: *x, path: p.yaml}]",
            false,
        ),
        (
            "x: &x {kind: ConfigMap}\npatches: [{path: p.yaml, target: {<<: *x}}]",
            false,
        ),
        (
            "Patches: [{Path: p.yaml, target: {kind: ConfigMap}}]",
            false,
        ),
        (
            "patches: [{path: p.yaml, target: {kind: Secret}}, {path: p.yaml, target: {name: a}}]",
            false,
        ),
        (
            "patchesJson6902: [{path: p.yaml, target: {name: a}}]",
            false,
        ),
        ("patchesStrategicMerge: [p.yaml]", true),
        (
            "kind: PatchTransformer\npath: p.yaml\ntarget: {name: a}",
            false,
        ),
        (
            "kind: PatchTransformer\npath: p.yaml\ntarget: {kind: Secret}",
            true,
        ),
        ("kind: PatchTransformer\npath: p.yaml", true),
    ] {
        let files =
            [("p.yaml", patch), ("kustomization.yaml", kustomization)].map(|(path, text)| File {
                path: path.into(),
                content: text.into(),
            });
        let outputs = json!({"x": {"sensitive": true, "type": "string", "value": "hunter2"}});
        let answer =
            Sources::new(files.into()).generate(&request(outputs.to_string().into_bytes()));
        let rules = answer.map_err(|found| found.iter().map(|one| one.rule).collect::<Vec<_>>());
        if is_allowed {
            assert!(rules.is_ok(), "{kustomization} {rules:?}");
        } else {
            let rules = rules.expect_err(kustomization);
            assert!(
                rules.contains(&Rule::SensitiveOutput),
                "{kustomization} {rules:?}"
            );
        }
    }
}

/// Patches are found before any value is known.
#[test]
fn which_files_are_patches_is_written() {
    let refused = [
        "patches: [{path: \"${infra.x}\"}]",
        "patches: [{path: \"a/${infra.x}\", target: {kind: Secret}}]",
        "patches:\n- path: p.yaml # landfall: ${infra.x}",
        "patches:\n- ${infra.x}: p.yaml",
        "patches: [\"${infra.x}\"]",
        "patches: ${infra.x}",
        "Patches: [{Path: \"${infra.x}\"}]",
        "x: &x ${infra.x}\npatches: [{path: *x}]",
        "x: &x [{path: \"${infra.x}\"}]\npatches: *x",
        "patchesJson6902: [{path: \"${infra.x}\", target: {kind: Secret}}]",
        "patchesStrategicMerge: [\"${infra.x}\"]",
        "patchesStrategicMerge:\n- p.yaml # landfall: ${infra.x}",
        "kind: PatchTransformer\npath: ${infra.x}",
        "kind: PatchStrategicMergeTransformer\npaths: [\"${infra.x}\"]",
        "patches:\n- path: p.yaml\n  target:\n    kind: Secret # landfall: ${infra.x}",
    ];
    let accepted = [
        "resources: [\"${infra.x}\"]",
        "patches: [{path: p.yaml, target: {name: \"${infra.x}\"}}]",
        "patches: [{path: p.yaml, target: {kind: \"${infra.x}\"}}]",
        "patches:\n- target:\n    kind: Secret # landfall: ${infra.x}\n  patch: |\n    a: b",
        "patches:\n- target: {kind: Secret}\n  patch: |\n    path: ${infra.x}",
        "patchesStrategicMerge:\n- |\n  path: ${infra.x}",
        "namePrefix: ${infra.x}",
        "kind: Widget\nspec: {path: \"${infra.x}\"}",
    ];
    let x = json!("path");
    let request = request(outputs([("x".to_owned(), &x)]));
    for (text, is_refused) in
        (refused.map(|text| (text, true)).into_iter()).chain(accepted.map(|text| (text, false)))
    {
        let sources = Sources::new(vec![File {
            path: "kustomization.yaml".into(),
            content: text.into(),
        }]);
        match sources.generate(&request) {
            Ok(_) => assert!(!is_refused, "{text}"),
            Err(found) => {
                let rules: Vec<Rule> = found.iter().map(|one| one.rule).collect();
                assert!(is_refused, "{text} {found:?}");
                assert!(
                    rules.contains(&Rule::MisplacedReference),
                    "{text} {rules:?}"
                );
            }
        }
    }
}

/// Nothing would know the field that it sets.
#[test]
fn an_operation_is_written_in_the_patch() {
    let operation = json!({"op": "replace", "path": "/spec/replicas", "value": "three"});
    let operations = json!([operation]);
    let both = [
        ("op".to_owned(), &operation),
        ("ops".to_owned(), &operations),
    ];
    let request = request(outputs(both));
    let is_yaml = |place: &&Place| place.form == Form::Operations;
    for place in PLACES.iter().filter(is_yaml) {
        for patch in ["- ${infra.op}", "- ${infra.ops | spread}"] {
            let found = sources(place, patch).generate(&request).unwrap_err();
            let rules: Vec<Rule> = found.iter().map(|one| one.rule).collect();
            assert_eq!(
                rules,
                [Rule::MisplacedReference],
                "{} {patch}",
                place.files[0].1
            );
        }
    }
    // Anywhere else it is a value like any other.
    let manifest = "apiVersion: example.com/v1\nkind: Rewrite\nmetadata: {name: a}\nspec: {first: ${infra.op}, all: ${infra.ops}}\n";
    let sources = Sources::new(vec![File {
        path: "a.yaml".into(),
        content: manifest.into(),
    }]);
    assert!(sources.generate(&request).is_ok());
}

/// The value of an operation is what is there afterwards: a null would be an empty text.
#[test]
fn a_null_in_the_value_of_an_operation_is_an_error() {
    let text = "patches:\n- target: {kind: Deployment}\n  patch: |\n    - {op: add, path: /metadata/labels, value: \"${infra.x}\"}\n".replace('"', "");
    let sources = Sources::new(vec![File {
        path: "kustomization.yaml".into(),
        content: text.into(),
    }]);
    let x = json!({"team": "shop", "owner": null});
    let answer = sources.generate(&request(outputs([("x".to_owned(), &x)])));
    let found = answer.unwrap_err();
    assert_eq!(
        found.first().map(|one| one.rule),
        Some(Rule::FieldTypeMismatch)
    );
}

/// A target that does not say its kind leaves all types but those of the metadata open.
#[test]
fn without_a_kind_only_the_metadata_is_known() {
    for target in [
        "{name: web}",
        "{kind: \".*\"}",
        "{labelSelector: app=web}",
        "{kind: Widget}",
        "{kind: \"Deployment|Widget[ab]\"}",
    ] {
        let text = format!(
            "apiVersion: kustomize.config.k8s.io/v1beta1\nkind: Kustomization\npatches:\n- target: {target}\n  patch: |\n    - {{op: add, path: /spec/replicas, value: ${{infra.x}}}}\n    - {{op: add, path: /metadata/labels/a, value: ${{infra.y}}}}\n"
        );
        let (x, y) = (json!("3"), json!(1));
        let request = request(outputs([("x".to_owned(), &x), ("y".to_owned(), &y)]));
        let sources = Sources::new(vec![File {
            path: "kustomization.yaml".into(),
            content: text.clone().into(),
        }]);
        let answer = sources.generate(&request).unwrap();
        let Content::Edited(edits) = &answer.sources[0] else {
            panic!("{text}");
        };
        let output = String::from_utf8(splice(text.as_bytes(), edits).unwrap()).unwrap();
        let expected = text
            .replace("${infra.x}", "\"3\"")
            .replace("${infra.y}", "\"1\"");
        assert_eq!(output, expected);
    }
}
