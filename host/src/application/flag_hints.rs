//! Command-line hints for diagnostics of the module, which does not know about flags.

use landfall_sandbox::types::{Answer, Diagnostic, Findings, Origin};

use super::Application;

/// Adds the flags that would help to the help texts of the diagnostics.
pub(crate) fn add(outcome: &mut Result<Answer, Findings>, application: &Application) {
    let found = match outcome {
        Ok(answer) => &mut answer.diagnostics,
        Err(found) => &mut found.diagnostics,
    };
    for diagnostic in found {
        match diagnostic.rule.as_str() {
            "nothing-bound" => {
                let hint = "on the command line, bind one with `-b NAME=FILE`, or choose a Binding with `--config FILE`";
                diagnostic.help = Some(match diagnostic.help.take() {
                    Some(help) => format!("{help}; {hint}"),
                    None => hint.to_owned(),
                });
            }
            "outputs-as-manifest" => {
                if let Some(help) = bind_instead(diagnostic, application) {
                    diagnostic.help = Some(help);
                }
            }
            _ => {}
        }
    }
}

/// Returns how to bind an outputs document that was passed as a manifest.
fn bind_instead(found: &Diagnostic, application: &Application) -> Option<String> {
    if application.request.resources_only {
        return None;
    }
    let Origin::Manifest(position) = found.labels.first()?.span.origin else {
        return None;
    };
    let path = application.display_paths.get(position as usize)?;
    let outputs = &application.request.outputs;
    Some(
        match outputs.iter().any(|document| document.path == *path) {
            true => format!("it is already bound: remove `{path}` from the manifests"),
            false if path.starts_with('<') => "did you mean `-b -`?".to_owned(),
            false => format!("did you mean `-b {path}`?"),
        },
    )
}
