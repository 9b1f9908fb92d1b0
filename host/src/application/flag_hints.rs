//! Command-line hints for diagnostics of the module, which does not know about flags.

use landfall_sandbox::types::{Diagnostic, Findings, Origin, Topic};

use crate::engine::{Answer, Request};
use crate::rendered::Source;

/// Adds the flags that would help to the help texts of the diagnostics.
pub(crate) fn add(outcome: &mut Result<Answer, Findings>, request: &Request, sources: &[Source]) {
    let found = match outcome {
        Ok(answer) => &mut answer.findings.diagnostics,
        Err(found) => &mut found.diagnostics,
    };
    let has_binding = request.configuration.binding.is_some();
    for diagnostic in found {
        match diagnostic.topic {
            Some(Topic::NothingBound) => append(
                diagnostic,
                "on the command line, bind one with `-b NAME=FILE`, or choose a Binding with `--config FILE`",
            ),
            Some(Topic::UnboundName) if !has_binding => append(
                diagnostic,
                "on the command line, bind it with `-b NAME=FILE`",
            ),
            Some(Topic::OutputsAsManifest) => {
                if let Some(help) = bind_instead(diagnostic, request, sources) {
                    diagnostic.help = Some(help);
                }
            }
            _ if is_about_plan(diagnostic) => append(
                diagnostic,
                "to see what it does to manifests, use `landfall diff --plan FILE`",
            ),
            _ => {}
        }
    }
}

/// Returns whether a Terraform plan is used as an outputs document or as a manifest.
fn is_about_plan(diagnostic: &Diagnostic) -> bool {
    let help = diagnostic.help.as_deref().unwrap_or_default();
    help.starts_with("a plan does not know its outputs")
}

/// Appends a hint to the help of a diagnostic.
fn append(diagnostic: &mut Diagnostic, hint: &str) {
    diagnostic.help = Some(match diagnostic.help.take() {
        Some(help) => format!("{help}; {hint}"),
        None => hint.to_owned(),
    });
}

/// Returns how to bind an outputs document that was passed as a manifest.
fn bind_instead(found: &Diagnostic, request: &Request, sources: &[Source]) -> Option<String> {
    let is_folder = request.inputs.resources_only;
    if is_folder && request.configuration.binding.is_some() {
        return None;
    }
    let Origin::Manifest(position) = found.labels.first()?.span.origin else {
        return None;
    };
    let path = &sources.get(position as usize)?.display_path;
    let outputs = &request.inputs.documents;
    let is_bound = outputs.iter().any(|document| document.path == *path);
    Some(if is_bound {
        format!("it is already bound: remove `{path}` from the manifests")
    } else if is_folder {
        format!("bind it with `-b {path}`, or in `spec.outputs` of a Binding")
    } else if path.starts_with('<') {
        "did you mean `-b -`?".to_owned()
    } else {
        format!("did you mean `-b {path}`?")
    })
}
