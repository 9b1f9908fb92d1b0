//! Outputs documents that are resources among the manifests of a folder, as they are in a KRM
//! function.

#![allow(
    clippy::panic,
    clippy::unwrap_used,
    reason = "a test that cannot go on fails"
)]

use std::fmt::Write as _;

use landfall::{
    Application, Config, Configuration, Content, Diagnostics, File, Location, OutputsDocument,
    Request, ResourceDocument, Sources, krm_needs, splice,
};

fn binding(spec: &str) -> String {
    format!("apiVersion: landfall.dev/v1alpha1\nkind: Binding\nspec: {spec}\n")
}

fn application(spec: &str) -> Application {
    let binding = Config {
        path: "landfall.yaml".into(),
        content: binding(spec).into(),
    };
    Application::new(Configuration {
        binding: Some(binding),
        ..Configuration::default()
    })
}

fn sources(manifests: &[&str]) -> Sources {
    let file = |(nth, content): (usize, &&str)| File {
        path: format!("{nth}.yaml"),
        content: (*content).into(),
    };
    Sources::new(manifests.iter().enumerate().map(file).collect())
}

/// Returns the document of a need, as a host passes it.
fn document(need: landfall::Need) -> OutputsDocument {
    let Location::Held(content) = need.location else {
        panic!("{} is a file", need.path)
    };
    OutputsDocument {
        name: need.name,
        path: need.path,
        content,
        format: need.format,
        declared_at: Some(need.span.start),
        ..OutputsDocument::default()
    }
}

/// Renders the manifests of a folder with the outputs in them.
fn rendered(spec: &str, manifests: &[&str]) -> Result<Vec<String>, Diagnostics> {
    let application = application(spec);
    let plan = application.plan(&[], None);
    let found = sources(manifests).resource_documents(&application)?;
    let held = plan.documents.into_iter();
    let held = held.filter(|need| need.location != Location::Resource);
    let mut documents: Vec<OutputsDocument> = held.map(document).collect();
    documents.extend(found.into_iter().map(|found| document(found.need)));
    documents.sort_by_key(|document| document.declared_at);
    let answer = sources(manifests).generate(&Request {
        application,
        outputs: documents,
        resources_only: true,
        ..Request::default()
    })?;
    let files = manifests.iter().zip(answer.sources);
    let files = files.map(|(manifest, content)| match content {
        Content::Unchanged => (*manifest).to_owned(),
        Content::Edited(edits) => {
            String::from_utf8(splice(manifest.as_bytes(), &edits).unwrap()).unwrap()
        }
    });
    Ok(files.collect())
}

fn messages(found: &Diagnostics) -> Vec<&str> {
    found.iter().map(|found| &*found.message).collect()
}

const WEB: &str =
    "apiVersion: v1\nkind: Secret\nmetadata: {name: web}\nstringData: {vpc: '${infra.vpc}'}\n";

const INFRA: &str = "# what Terraform writes
apiVersion: v1
kind: ConfigMap
metadata:
  name: infra
  annotations: {config.kubernetes.io/local-config: 'true'}
data:
  vpc: vpc-0ab1
";

const SPEC: &str = "{outputs: [{name: infra, from: {resource: {kind: ConfigMap, name: infra}}}]}";

#[test]
fn a_manifest_is_an_outputs_document() {
    let secret = "apiVersion: v1\nkind: Secret\nmetadata: {name: infra, namespace: b}\ndata: {vpc: dnBjLTBhYjE=}\n";
    let other = "apiVersion: v1\nkind: Secret\nmetadata: {name: infra, namespace: a}\n---\n";
    let status = "kind: VPC\napiVersion: ec2.services.k8s.aws/v1alpha1\nmetadata: {name: main}\nspec: {cidr: [${unbound.a}, 10.0.0.0/16]}\nstatus:\n  vpc: vpc-0ab1\n";
    for (resource, manifest) in [
        ("kind: ConfigMap, name: infra", INFRA.to_owned()),
        ("kind: ConfigMap, name: infra", format!("{WEB}---\n{INFRA}")),
        (
            "kind: Secret, name: infra, namespace: b",
            format!("{other}{secret}"),
        ),
        (
            "kind: ConfigMap, name: infra",
            r#"{"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "infra"}, "data": {"vpc": "vpc-0ab1"}}"#
                .to_owned(),
        ),
    ] {
        let spec = format!("{{outputs: [{{name: infra, from: {{resource: {{{resource}}}}}}}]}}");
        let files = rendered(&spec, &[&manifest, WEB]).unwrap();
        let expected = |text: &str| text.replace("${infra.vpc}", "vpc-0ab1");
        assert_eq!(files, [expected(&manifest), expected(WEB)]);
    }
    let spec = "{outputs: [{name: infra, from: {resource: {kind: VPC, name: main}}}], policy: {unbound: warn}}";
    let files = rendered(spec, &[status, WEB]).unwrap();
    assert_eq!(files[1], WEB.replace("${infra.vpc}", "vpc-0ab1"));
}

#[test]
fn what_is_found_has_its_place_and_its_marks() {
    let text = format!("{WEB}---\n{INFRA}---\n{WEB}");
    let found = sources(&[WEB, &text]).resource_documents(&application(SPEC));
    let [
        ResourceDocument {
            need,
            file,
            span,
            is_local,
        },
    ] = &found.unwrap()[..]
    else {
        panic!("there is one");
    };
    assert_eq!(
        (&*need.path, *file, *is_local),
        ("<ConfigMap infra>", 1, true)
    );
    let all = INFRA.split_once('\n').unwrap().1.trim_end();
    assert_eq!(&text[span.range()], all);
    assert_eq!(need.location, Location::Held(format!("{all}\n").into()));
    for annotations in ["{}", "{config.kubernetes.io/local-config: 'false'}"] {
        let manifest = INFRA.replace("{config.kubernetes.io/local-config: 'true'}", annotations);
        let found = sources(&[&manifest]).resource_documents(&application(SPEC));
        assert!(!found.unwrap()[0].is_local, "{annotations}");
    }
}

/// What is an error in a function is one in a folder, in the same words.
#[test]
fn the_rules_are_those_of_a_function() {
    let resources = [
        "{apiVersion: v1, kind: ConfigMap, metadata: {name: a, namespace: x}}",
        "{apiVersion: v1, kind: ConfigMap, metadata: {name: a, namespace: y}}",
        "{apiVersion: v1, kind: ConfigMap, metadata: {name: b}}",
        "{apiVersion: v1, kind: ConfigMap, metadata: {name: r}, data: {a: '${infra.a}'}}",
        "{apiVersion: example.com/v1, kind: VPC, metadata: {name: main}}",
    ];
    let mut list = "kind: ResourceList\nitems:\n".to_owned();
    for resource in resources {
        let _ = writeln!(list, "- {resource}");
    }
    list.push_str("functionConfig:\n  apiVersion: landfall.dev/v1alpha1\n  kind: Binding\n");
    for (resource, expected) in [
        ("kind: ConfigMap, name: c", "no item is the ConfigMap `c`"),
        ("kind: Secret, name: b", "no item is the Secret `b`"),
        (
            "kind: ConfigMap, name: a",
            "several items are the ConfigMap `a`",
        ),
        ("kind: VPC, name: main", "the VPC `main` has no `status`"),
        (
            "kind: ConfigMap, name: r",
            "the ConfigMap `r` has references of its own",
        ),
    ] {
        let spec = format!("{{outputs: [{{name: infra, from: {{resource: {{{resource}}}}}}}]}}");
        let in_function = krm_needs(format!("{list}  spec: {spec}\n").as_bytes()).unwrap_err();
        assert_eq!(messages(&in_function), [expected]);
        let found = sources(&resources).resource_documents(&application(&spec));
        let in_folder = found.unwrap_err();
        assert_eq!(messages(&in_folder), [expected.replace("item", "manifest")]);
        let helps =
            |found: &Diagnostics| found[0].help.clone().unwrap().replace("item", "manifest");
        let [function, folder] = [&in_function, &in_folder].map(helps);
        let remedy = "render it in a function before this one";
        assert_eq!(
            function.replace(remedy, "write its values, or bind a file"),
            folder
        );
        assert_eq!(in_function[0].labels.len(), in_folder[0].labels.len());
    }
}

#[test]
fn a_resource_may_be_missing() {
    let optional = SPEC.replace("}}}]", "}}, optional: true}]");
    let web = WEB.replace("infra.vpc", "infra.vpc | default(\"none\")");
    let files = rendered(&optional, &[&web]).unwrap();
    assert_eq!(files, [WEB.replace("${infra.vpc}", "none")]);
    let otherwise = application(SPEC).with(|it| it.bound_otherwise = vec!["infra".to_owned()]);
    assert_eq!(
        sources(&[WEB]).resource_documents(&otherwise),
        Ok(Vec::new())
    );
}

#[test]
fn values_of_a_secret_are_sensitive() {
    let spec = SPEC.replace("ConfigMap", "Secret");
    let infra = INFRA
        .replace("ConfigMap", "Secret")
        .replace("\ndata:", "\nstringData:");
    let web = WEB
        .replace("kind: Secret", "kind: ConfigMap")
        .replace("stringData", "data");
    let errors = rendered(&spec, &[&infra, &web]).unwrap_err();
    assert!(!format!("{errors:?}").contains("0ab1"), "{errors:?}");
    assert_eq!(errors[0].rule.id(), "sensitive-output", "{errors:?}");
    assert_eq!(
        rendered(&spec, &[&infra, WEB]).unwrap()[1],
        WEB.replace("${infra.vpc}", "vpc-0ab1")
    );
}

/// A later document of a name wins, whatever it is.
#[test]
fn documents_apply_in_the_order_of_the_binding() {
    let items = [
        "{name: infra, from: {inline: {vpc: first}}}",
        "{name: infra, from: {resource: {kind: ConfigMap, name: infra}}}",
    ];
    for (spec, expected) in [
        (items.join(", "), "vpc-0ab1"),
        ([items[1], items[0]].join(", "), "first"),
    ] {
        let files = rendered(&format!("{{outputs: [{spec}]}}"), &[WEB, INFRA]).unwrap();
        assert_eq!(files[0], WEB.replace("${infra.vpc}", expected));
    }
}

/// A reference in an outputs document would be to its own value.
#[test]
fn adopt_leaves_outputs_documents_alone() {
    let application = application(SPEC);
    let web = WEB.replace("'${infra.vpc}'", "vpc-0ab1");
    let sources = sources(&[INFRA, &web]);
    let found = sources.resource_documents(&application).unwrap();
    let adopted = sources.adopt(&Request {
        application,
        outputs: found
            .into_iter()
            .map(|found| document(found.need))
            .collect(),
        ..Request::default()
    });
    let files: Vec<usize> = adopted
        .unwrap()
        .values
        .iter()
        .map(|value| value.file)
        .collect();
    assert_eq!(files, [1]);
}

/// The manifest would have another value than those that refer to it.
#[test]
fn a_field_binding_may_change_only_metadata() {
    let spec = |path: &str| {
        format!(
            "{{outputs: [{{name: infra, from: {{resource: {{kind: ConfigMap, name: infra}}}}}}], substitutions: [{{value: x, targets: [{{select: {{kind: ConfigMap}}, fieldPaths: [{path}]}}]}}]}}"
        )
    };
    let manifest = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: infra, labels: {a: b}}\ndata: {vpc: old}\n";
    let find = |path: &str| sources(&[manifest]).resource_documents(&application(&spec(path)));
    let found = find("data.vpc").unwrap_err();
    assert_eq!(
        found.as_slice()[0].message,
        "a field binding changes the ConfigMap `infra`"
    );
    assert_eq!(find("metadata.labels.a").unwrap().len(), 1);
}
