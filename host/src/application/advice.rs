//! What the command line adds to the module's findings: the module names policies and
//! documents, and knows nothing of flags.

use landfall_sandbox::types::{Answer, Findings};

/// Adds how flags would help to what was found.
pub(crate) fn add(outcome: &mut Result<Answer, Findings>) {
    let found = match outcome {
        Ok(answer) => &mut answer.diagnostics,
        Err(found) => &mut found.diagnostics,
    };
    for diagnostic in found {
        let advice = match diagnostic.rule.as_str() {
            "nothing-bound" => {
                "on the command line, `-b NAME=FILE` binds one, and `--config FILE` names a Binding"
            }
            _ => continue,
        };
        diagnostic.help = Some(match diagnostic.help.take() {
            Some(help) => format!("{help}; {advice}"),
            None => advice.to_owned(),
        });
    }
}
