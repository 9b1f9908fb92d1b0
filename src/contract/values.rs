//! The check of rendered values, from which a chart makes manifests.

use crate::contract::{Answer, Content, File, Request, Sources};
use crate::kubernetes::go_template;
use crate::outputs::is_inexact_as_float;
use crate::report::{Diagnostic, Diagnostics, Origin, Rule, Substitution};
use yaml::{Edit, Span};

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
        located(Diagnostic::error(Rule::SensitiveOutput, message), one)
            .help("write the reference in a template of the chart, in a Secret: manifests are rendered after Helm")
    }));
    if !found.is_empty() {
        return Err(found);
    }
    let rendered: Vec<File> = std::iter::zip(files, &answer.sources)
        .map(|(file, content)| File {
            path: file.path.clone(),
            content: content.of(&file.content),
        })
        .collect();
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
    let is_inexact =
        |one: &&Substitution| one.value_type == "number" && is_inexact_as_float(&one.value);
    found.extend(substitutions().filter(is_inexact).map(|one| {
        let message = format!(
            "Helm would change the digits of `{}`: it reads numbers as 64-bit floats",
            one.output
        );
        located(Diagnostic::error(Rule::InexactNumber, message), one)
            .help("make it a string: add `| string`")
    }));
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
    match found.is_empty() {
        true => Ok(()),
        false => Err(found),
    }
}

/// Returns a warning for each number that Helm writes with an exponent where a template has
/// no `int64` or `toJson`: `1.048576e+06`.
pub(super) fn warnings(answer: &Answer) -> Vec<Diagnostic> {
    let is_large = |one: &&Substitution| {
        let integer = one.value.parse::<i64>();
        one.value_type == "number" && integer.is_ok_and(|it| it.unsigned_abs() >= 1_000_000)
    };
    let warnings = substitutions(answer).filter(is_large).map(|one| {
        let message = format!(
            "Helm writes `{}` with an exponent where a template inserts it as text",
            one.output
        );
        located(Diagnostic::warning(Rule::InexactNumber, message), one)
            .help("make it a string with `| string`, or use `int64` in the template")
    });
    warnings.collect()
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
    use crate::contract::{File, Request, Sources};
    use crate::outputs::OutputsDocument;
    use crate::{Ceiling, Config};

    const OUTPUTS: &str = r#"{
  "password": {"sensitive": true, "type": "string", "value": "{{hunter2"},
  "lines": {"sensitive": false, "type": "string", "value": "a\nb"},
  "template": {"sensitive": false, "type": "string", "value": "{{ .x }}"},
  "big": {"sensitive": false, "type": "number", "value": 9007199254740993},
  "size": {"sensitive": false, "type": "number", "value": 1048576},
  "brace": {"sensitive": false, "type": "string", "value": "{"},
  "reference": {"sensitive": false, "type": "string", "value": "${infra.lines}"}
}"#;

    /// Checks the rules of the errors, each with its line.
    #[track_caller]
    fn check(values: &str, expected: &[&str]) {
        let policy = "apiVersion: landfall.dev/v1alpha1\nkind: OperatorPolicy\nspec: {sensitive: {kinds: [Secret]}}\n";
        let request = Request {
            outputs: vec![OutputsDocument {
                name: "infra".into(),
                content: OUTPUTS.into(),
                ..OutputsDocument::default()
            }],
            ceiling: Ceiling {
                operator_policy: Some(Config {
                    path: "policy.yaml".into(),
                    content: policy.into(),
                }),
                ..Ceiling::default()
            },
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
    }

    #[test]
    fn references_that_are_left_have_their_line_in_the_source() {
        check(
            "a: ${infra.lines}\nb: ${infra.lines}\nc: ${infra.reference}\nd: x $${infra.lines}\n",
            &["unrendered-reference 3", "unrendered-reference 4"],
        );
    }
}
