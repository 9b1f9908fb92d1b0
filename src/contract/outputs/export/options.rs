//! The options of an export.

use crate::contract::request::{Parameter, ParameterValue};
use crate::report::suggest;
use crate::report::{Diagnostic, Diagnostics, Rule};

/// The options of one export, by their names.
pub(super) struct Options<'a>(&'a [Parameter]);

impl<'a> Options<'a> {
    /// Reports options that the target does not have.
    pub(super) fn new(
        options: &'a [Parameter],
        known: &[&str],
        diagnostics: &mut Diagnostics,
    ) -> Self {
        for option in options {
            if !known.contains(&option.name.as_str()) {
                let message = format!("unknown option `{}`", option.name);
                let error = Diagnostic::error(Rule::InvalidExport, message);
                let known = suggest::listed(known.iter().copied());
                diagnostics.push(error.help(format!("expected one of: {known}")));
            }
        }
        Self(options)
    }

    fn get(&self, name: &str) -> Option<&'a ParameterValue> {
        let option = self.0.iter().find(|option| option.name == name);
        option.map(|option| &option.value)
    }

    /// Returns whether an option is given. Those that are only given or not have the text
    /// `true`.
    pub(super) fn is_given(&self, name: &str) -> bool {
        self.text(name) == Some("true")
    }

    /// Returns an option with a text.
    pub(super) fn text(&self, name: &str) -> Option<&'a str> {
        match self.get(name)? {
            ParameterValue::Text(text) => Some(text),
            ParameterValue::Items(_) | ParameterValue::Entries(_) => None,
        }
    }

    /// Returns the items of an option with a list of texts.
    pub(super) fn items(&self, name: &str) -> &'a [String] {
        match self.get(name) {
            Some(ParameterValue::Items(items)) => items,
            _ => &[],
        }
    }

    /// Returns the entries of an option that maps texts to texts.
    pub(super) fn entries(&self, name: &str) -> &'a [(String, String)] {
        match self.get(name) {
            Some(ParameterValue::Entries(entries)) => entries,
            _ => &[],
        }
    }
}
