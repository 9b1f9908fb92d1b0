//! The check of rendered values, from which a chart makes manifests.

use crate::contract::{Answer, Content, File, Request, Sources};
use crate::kubernetes::consumers::numbers::HelmNumber;
use crate::kubernetes::go_template;
use crate::outputs::Value;
use crate::report::{Diagnostic, Diagnostics, Origin, Rule, Severity, Substitution};
use yaml::{Edit, Span};

/// Where a sensitive output can be written instead.
const IN_A_TEMPLATE: &str = "write the reference in a template of the chart, in a Secret: manifests are rendered after Helm";

/// Says what to do with the sensitive outputs in values for which a render failed: no policy would
/// allow them there.
pub(super) fn with_help(mut found: Diagnostics) -> Diagnostics {
    for found in found.iter_mut() {
        if found.rule == Rule::SensitiveOutput {
            found.help = Some(IN_A_TEMPLATE.to_owned());
        }
    }
    found
}

/// Checks the answer for files with values.
///
/// # Errors
/// A sensitive output is in them: nothing else is reported then, because it would depend on
/// the output's value. Or a value that would be executed or rendered.
pub(super) fn check(files: &[File], answer: &Answer, request: &Request) -> Result<(), Diagnostics> {
    let substitutions = || substitutions(answer);
    let mut found = Diagnostics::default();
    let sensitive = substitutions().filter(|one| one.sensitive);
    found.extend(sensitive.map(|one| {
        let message = format!(
            "the sensitive output `{}` cannot be in values: a template could write it anywhere",
            one.output
        );
        located(Diagnostic::error(Rule::SensitiveOutput, message), one).help(IN_A_TEMPLATE)
    }));
    if !found.is_empty() {
        return Err(found);
    }
    let rendered = rendered(files, answer);
    let opens_action = |one: &&Substitution| {
        let file = rendered.get(one.file);
        let text = file.and_then(|file| str::from_utf8(&file.content).ok());
        text.is_some_and(|text| go_template::opens_action(text, &one.result().range()))
    };
    found.extend(substitutions().filter(opens_action).map(|one| {
        let message = format!(
            "the value of `{}` adds `{{{{`, which the chart may execute as a Go template",
            one.output
        );
        located(Diagnostic::error(Rule::TemplateInValue, message), one)
            .help("remove it from the output, or write the reference in a template of the chart")
    }));
    found.extend(numbers(answer).filter(|found| found.severity == Severity::Error));
    let mut left = Sources::new(rendered).unrendered(request, &[]);
    for left in left.iter_mut() {
        left.message.push_str(" in the rendered values");
        left.help = Some("a value contains it, or it was escaped (`$${…}`), and it would be rendered in the manifests: write the text in a template of the chart, escaped".to_owned());
        for label in &mut left.labels {
            if let Origin::Manifest(file) = label.origin
                && let Some(Content::Edited(edits)) = answer.sources.get(file)
            {
                label.span = Span::point(in_source(edits, label.span.start));
            }
        }
    }
    found.append(left);
    if found.is_empty() { Ok(()) } else { Err(found) }
}

/// Reports text of the rendered values, `files`, that the render of the manifests would change: in
/// some dialects, escapes are removed also where there is no reference. `again` is the answer for
/// the rendered values, and `answer` the one that has written them.
pub(super) fn check_again(files: &[File], again: &Answer, answer: &Answer) -> Option<Diagnostic> {
    let mut rendered = files.iter().zip(&again.sources).enumerate();
    let (file, at) = rendered.find_map(|(nth, (file, content))| {
        let Content::Edited(edits) = content else {
            return None;
        };
        let changes = |edit: &&Edit| file.content.get(edit.span.range()) != Some(&*edit.text);
        Some((nth, edits.iter().find(changes)?.span.start))
    })?;
    let at = match answer.sources.get(file) {
        Some(Content::Edited(edits)) => in_source(edits, at),
        _ => at,
    };
    let message = "the rendered values have text that would be changed in the manifests";
    Some(
        Diagnostic::error(Rule::UnrenderedReference, message)
            .at_concealed(Origin::Manifest(file), Span::point(at), "")
            .help("a value contains an escape of the dialect, such as `$$`: write the reference in a template of the chart"),
    )
}

/// Returns the files with what the answer has written.
pub(super) fn rendered(files: &[File], answer: &Answer) -> Vec<File> {
    let files = std::iter::zip(files, &answer.sources).map(|(file, content)| File {
        path: file.path.clone(),
        content: content.of(&file.content),
    });
    files.collect()
}

/// Returns a warning for each number that Helm writes with an exponent where a template has
/// no `int64` or `toJson`: `1.048576e+06`.
pub(super) fn warnings(answer: &Answer) -> Vec<Diagnostic> {
    let warnings = numbers(answer).filter(|found| found.severity == Severity::Warning);
    warnings.collect()
}

/// Returns a diagnostic for each value with a number that Helm changes.
fn numbers(answer: &Answer) -> impl Iterator<Item = Diagnostic> {
    substitutions(answer).filter_map(|one| {
        let number = match one.value_type {
            "number" => HelmNumber::of(&Value::Number(one.value.clone())),
            // Its value is shown as JSON.
            "list" | "object" => HelmNumber::in_text(&one.value),
            _ => None,
        };
        Some(located(number?.diagnostic(&one.output), one))
    })
}

fn substitutions(answer: &Answer) -> impl Iterator<Item = &Substitution> {
    let report = answer.substitutions.iter();
    report.flat_map(|report| &report.substitutions)
}

/// Adds the location of the reference that was substituted.
fn located(found: Diagnostic, substitution: &Substitution) -> Diagnostic {
    let origin = Origin::Manifest(substitution.file);
    found.at_concealed(origin, substitution.span(), "")
}

/// Returns where a byte of the rendered file is in its source: the start of the edit that has
/// written it, if one has.
fn in_source(edits: &[Edit], rendered: usize) -> usize {
    let (mut added, mut removed) = (0, 0);
    for Edit { span, text } in edits {
        let start = (span.start + added).saturating_sub(removed);
        if rendered < start {
            break;
        }
        if rendered < start + text.len() {
            return span.start;
        }
        added += text.len();
        removed += span.end - span.start;
    }
    (rendered + removed).saturating_sub(added)
}

#[cfg(test)]
mod tests {
    use crate::contract::{Configuration, File, Request, Sources};
    use crate::outputs::OutputsDocument;
    use crate::{Ceiling, Config};

    const OUTPUTS: &str = r#"{
  "password": {"sensitive": true, "type": "string", "value": "{{hunter2"},
  "lines": {"sensitive": false, "type": "string", "value": "a\nb"},
  "template": {"sensitive": false, "type": "string", "value": "{{ .x }}"},
  "big": {"sensitive": false, "type": "number", "value": 9007199254740993},
  "size": {"sensitive": false, "type": "number", "value": 1048576},
  "ids": {"sensitive": false, "type": ["list", "number"], "value": [1, 9007199254740993]},
  "brace": {"sensitive": false, "type": "string", "value": "{"},
  "reference": {"sensitive": false, "type": "string", "value": "${infra.lines}"},
  "dollars": {"sensitive": false, "type": "string", "value": "a$$b"}
}"#;

    /// Checks the rules of the errors, each with its line.
    #[track_caller]
    fn check(values: &str, expected: &[&str]) {
        check_in("landfall", values, expected);
    }

    #[track_caller]
    fn check_in(dialect: &str, values: &str, expected: &[&str]) {
        let binding = format!(
            "apiVersion: landfall.dev/v1alpha1\nkind: Binding\nspec: {{dialect: {dialect}}}\n"
        );
        let policy = "apiVersion: landfall.dev/v1alpha1\nkind: OperatorPolicy\nspec: {sensitive: {kinds: [Secret]}}\n";
        let request = Request {
            outputs: vec![OutputsDocument {
                name: "infra".into(),
                content: OUTPUTS.into(),
                ..OutputsDocument::default()
            }],
            application: Configuration {
                binding: Some(Config {
                    path: "landfall.yaml".into(),
                    content: binding.into(),
                }),
                ceiling: Ceiling {
                    operator_policy: Some(Config {
                        path: "policy.yaml".into(),
                        content: policy.into(),
                    }),
                    ..Ceiling::default()
                },
                ..Configuration::default()
            }
            .into(),
            ..Request::default()
        };
        let sources = Sources::new(vec![File {
            path: "values.yaml".into(),
            content: values.into(),
        }]);
        let found = match sources.generate_values(&request) {
            Ok(_) => Vec::new(),
            Err(found) => found
                .iter()
                .map(|found| {
                    let before = &values[..found.labels[0].span.start];
                    let line = 1 + before.matches('\n').count();
                    format!("{} {line}", found.rule.id())
                })
                .collect(),
        };
        assert_eq!(found, expected);
    }

    #[test]
    fn nothing_depends_on_a_sensitive_value() {
        for call in ["", " | substring(0, 1)", " | substring(3, 1)"] {
            check(
                &format!(
                    "apiVersion: v1\nkind: Secret\nstringData:\n  a: '{{${{infra.password{call}}}'\n"
                ),
                &["sensitive-output 4"],
            );
        }
    }

    #[test]
    fn values_open_no_action() {
        check("a: ${infra.template}\n", &["template-in-value 1"]);
        check(
            "a: 1\nb: '${infra.missing | default(\"{{\")}'\n",
            &["template-in-value 2"],
        );
        check("a: '{${infra.brace}'\n", &["template-in-value 1"]);
        check("a: '${infra.brace} {'\n", &[]);
    }

    #[test]
    fn numbers_keep_their_digits() {
        check("a: ${infra.size}\nb: ${infra.big | string}\n", &[]);
        check("a: ${infra.big}\n", &["inexact-number 1"]);
        check("a: 1\nb: ${infra.ids}\n", &["inexact-number 2"]);
    }

    #[test]
    fn references_that_are_left_have_their_line_in_the_source() {
        check(
            "a: ${infra.lines}\nb: ${infra.lines}\nc: ${infra.reference}\nd: x $${infra.lines}\n",
            &["unrendered-reference 3", "unrendered-reference 4"],
        );
    }

    /// Flux's escape is one wherever it is.
    #[test]
    fn escapes_of_values_are_not_removed_from_manifests() {
        check("a: ${infra.dollars}\n", &[]);
        check_in("flux", "a: x\nb: ${dollars}\n", &["unrendered-reference 2"]);
        check_in("flux", "a: $$$$\n", &["unrendered-reference 1"]);
        check_in("flux", "a: $${lines} x$$\n", &["unrendered-reference 1"]);
        check_in("flux", "a: ${zone:=b}\n", &[]);
    }
}
