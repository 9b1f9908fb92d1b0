//! What the command line adds to the module's findings: the module names policies and
//! documents, and knows nothing of flags.

use landfall_sandbox::types::{Answer, Diagnostic, Findings, Origin};

use super::Application;

/// Adds how flags would help to what was found.
pub(crate) fn add(outcome: &mut Result<Answer, Findings>, application: &Application) {
    let found = match outcome {
        Ok(answer) => &mut answer.diagnostics,
        Err(found) => &mut found.diagnostics,
    };
    for diagnostic in found {
        match diagnostic.rule.as_str() {
            "nothing-bound" => {
                let advice = "on the command line, `-b NAME=FILE` binds one, and `--config FILE` names a Binding";
                diagnostic.help = Some(match diagnostic.help.take() {
                    Some(help) => format!("{help}; {advice}"),
                    None => advice.to_owned(),
                });
            }
            "outputs-as-manifest" => {
                if let Some(help) = bound_instead(diagnostic, application) {
                    diagnostic.help = Some(help);
                }
            }
            _ => {}
        }
    }
}

/// How to bind the outputs document that is named as a manifest.
fn bound_instead(found: &Diagnostic, application: &Application) -> Option<String> {
    if application.request.resources_only {
        return None;
    }
    let Origin::Manifest(position) = found.labels.first()?.span.origin else {
        return None;
    };
    let path = application.shown.get(position as usize)?;
    let outputs = &application.request.outputs;
    Some(
        match outputs.iter().any(|document| document.path == *path) {
            true => format!("it is bound already: leave `{path}` out of the manifests"),
            false if path.starts_with('<') => "did you mean `-b -`?".to_owned(),
            false => format!("did you mean `-b {path}`?"),
        },
    )
}
