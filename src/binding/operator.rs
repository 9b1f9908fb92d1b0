//! The operator's policy: a ceiling over what an application's author may do.

use super::config::{header, with_tree};
use super::policy::Policy;
use super::reader::{Keys, Reader};
use crate::contract::Config;
use crate::report::{Diagnostic, Origin, Rule};

/// The default policy under the operator's ceiling, if there is one:
///
/// ```yaml
/// apiVersion: landfall.dev/v1alpha1
/// kind: OperatorPolicy
/// spec:
///   sensitive:
///     kinds: [Secret]     # sensitive values may stand in these; [] is nowhere
/// ```
///
/// # Errors
/// Everything that is wrong with the document.
pub(crate) fn policy_under(config: Option<&Config>) -> Result<Policy, Vec<Diagnostic>> {
    let Some(config) = config else {
        return Ok(Policy::default());
    };
    let kinds = with_tree(
        config,
        Origin::OperatorPolicy,
        Rule::InvalidPolicy,
        |tree| {
            let mut reader = Reader::new(tree, Origin::OperatorPolicy, Rule::InvalidPolicy);
            let mut kinds = None;
            let root = reader.mapping(
                0,
                "the policy",
                &Keys {
                    known: &["apiVersion", "kind", "metadata", "spec"],
                    later: &[],
                },
            );
            header(&mut reader, 0, &root, "OperatorPolicy");
            if let Some(spec) = root.get("spec") {
                let spec = reader.mapping(
                    *spec,
                    "spec",
                    &Keys {
                        known: &["sensitive"],
                        later: &[],
                    },
                );
                if let Some(sensitive) = spec.get("sensitive") {
                    let sensitive = reader.mapping(
                        *sensitive,
                        "spec.sensitive",
                        &Keys {
                            known: &["kinds"],
                            later: &[],
                        },
                    );
                    kinds = sensitive
                        .get("kinds")
                        .map(|id| reader.texts(*id, "spec.sensitive.kinds"));
                }
            }
            if reader.diagnostics.is_empty() {
                Ok(kinds)
            } else {
                Err(reader.diagnostics)
            }
        },
    )?;
    Ok(match kinds {
        Some(kinds) => Policy::default().under(&kinds),
        None => Policy::default(),
    })
}
