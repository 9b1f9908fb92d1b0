//! The effective configuration of a render: the Binding, the operator's policy, flags, and
//! the outputs contract.

pub(crate) mod binding;
pub(crate) mod bound_output;
mod chart;
pub(crate) mod effective;
pub(crate) mod generated;
mod input;
pub(crate) mod keys;
pub(crate) mod names;
pub(crate) mod operator;
pub(crate) mod outputs_contract;
pub(crate) mod parameter_path;
pub(crate) mod patterns;
pub(crate) mod plain_value;
pub(crate) mod policy;
pub(crate) mod reader;
mod spanned;
pub(crate) mod substitutions;
pub(crate) mod unambiguous;
pub(crate) mod written_values;

pub use binding::Tool;
pub use chart::ChartOptions;
pub(crate) use effective::EffectiveConfig;
pub use input::{BuiltInCeiling, Ceiling, Config, KnownName, Location, Need};
pub(crate) use spanned::{ConfigLocation, Spanned};

#[cfg(test)]
mod tests {
    use crate::report::Diagnostics;

    /// Returns the messages of diagnostics on `text`, each with the text at its location.
    pub(super) fn described(text: &str, diagnostics: &Diagnostics) -> Vec<String> {
        let described = diagnostics.iter().map(|diagnostic| {
            let about = &text[diagnostic.labels[0].span.range()];
            let help = diagnostic.help.as_deref().unwrap_or_default();
            format!("{about:?}: {}; {help}", diagnostic.message)
        });
        described.collect()
    }

    /// Checks that diagnostics on `text` show this nowhere, and that no excerpt is shown.
    #[track_caller]
    pub(super) fn assert_concealed(text: &str, diagnostics: &Diagnostics, secret: &str) {
        assert!(
            !format!("{diagnostics:?}").contains(secret),
            "{diagnostics:?}"
        );
        let mut labels = diagnostics.iter().flat_map(|found| &found.labels);
        assert!(
            labels.all(|label| label.conceal && !text[label.span.range()].contains(secret)),
            "{diagnostics:?}"
        );
    }
}
