//! An outputs document without the values of its sensitive outputs, to be committed to Git.

use crate::contract::outputs::export::{Export, Target};
use crate::outputs::{DeclaredSensitive, without_sensitive_values};
use crate::report::suggest;
use crate::report::{Diagnostic, Rule};

pub(super) const TARGET: Target = Target {
    id: "public",
    options: &[],
    write,
};

fn write(export: &mut Export<'_>) -> String {
    let [document] = export.documents else {
        export.refuse(
            "several outputs documents are bound, but a public document is made of one".to_owned(),
            "export each document into a file of its own",
        );
        return String::new();
    };
    let mut declared = DeclaredSensitive::None;
    let outputs = export.bindings.outputs(&document.name);
    for (name, bound) in outputs.into_iter().flatten() {
        if bound.sensitive {
            declared.insert(name);
        }
    }
    match without_sensitive_values(document, declared) {
        Err(diagnostics) => {
            export.diagnostics.append(diagnostics);
            String::new()
        }
        Ok((content, left_out)) => {
            if !left_out.is_empty() {
                let names = suggest::all_listed(&mut left_out.iter().map(String::as_str));
                let message = format!("left out the values of sensitive outputs: {names}");
                let note = Diagnostic::note(Rule::NotExported, message);
                export.diagnostics.push(note);
            }
            // Documents are UTF-8, and so are their edits.
            String::from_utf8(content).unwrap_or_default()
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::export_outputs;
    use super::super::tests::{exported, inputs};
    use crate::Config;

    #[test]
    fn leaves_out_the_values_of_sensitive_outputs() {
        let outputs = r#"{"a": {"value": 1}, "b": {"sensitive": true, "value": "hunter2"}}"#;
        assert_eq!(
            exported("public", &[("infra", outputs)], &[]),
            "{\"a\": {\"value\": 1}, \"b\": {\"sensitive\": true, \"value\": null, \"left_out\": true}}note: left out the values of sensitive outputs: `b`\n"
        );
    }

    #[test]
    fn leaves_out_what_the_binding_declares_sensitive() {
        let mut inputs = inputs(&[("infra", r#"{"a": {"value": "hunter2"}}"#)]);
        let binding = Some(Config {
            path: "landfall.yaml".into(),
            content: "apiVersion: landfall.dev/v1alpha1\nkind: Binding\nspec: {outputs: [{name: infra, from: {file: a}, sensitive: [a]}]}\n".into(),
        });
        inputs.application = inputs.application.with(|changed| changed.binding = binding);
        let content = export_outputs(&inputs, "public", &[]).unwrap().content;
        let expected = r#"{"a": {"value": null, "left_out": true}}"#;
        assert_eq!(String::from_utf8(content).unwrap(), expected);
    }

    #[test]
    fn lists_all_names() {
        let output = |nth: usize| format!(r#""o{nth:02}": {{"sensitive": true, "value": 1}}"#);
        let outputs: Vec<_> = (0..14).map(output).collect();
        let names: Vec<_> = (0..14).map(|nth| format!("`o{nth:02}`")).collect();
        let found = exported(
            "public",
            &[("infra", &format!("{{{}}}", outputs.join(",")))],
            &[],
        );
        let expected = format!("sensitive outputs: {}\n", names.join(", "));
        assert!(found.ends_with(&expected), "{found}");
    }

    #[test]
    fn takes_one_document() {
        let documents = [("infra", "{}"), ("network", "{}")];
        assert_eq!(
            exported("public", &documents, &[]),
            "error: several outputs documents are bound, but a public document is made of one\n"
        );
    }

    #[test]
    fn other_targets_report_what_was_left_out() {
        let public = r#"{"b": {"sensitive": true, "value": null, "left_out": true}}"#;
        assert_eq!(
            exported("flux", &[("infra", public)], &[]),
            "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: infra\ndata: {}\nwarning: `b` was left out: its value was left out of this document, because it is sensitive\n"
        );
    }
}
