//! The outputs that an export writes, and what every target asks of them.

use crate::collections::OrderedMap;
use crate::contract::outputs::export::Export;
use crate::kubernetes::consumers::numbers::HelmNumber;
use crate::outputs::{Bound, Unreadable, Value};
use crate::report::suggest;
use crate::report::{Diagnostic, Origin, Rule, Severity};

/// An output that an export writes.
#[derive(Clone)]
pub(super) struct Selected<'b> {
    pub(super) binding: &'b str,
    /// The name as it is written.
    pub(super) name: String,
    pub(super) bound: &'b Bound,
}

/// An output as text.
pub(super) struct Text<'b> {
    pub(super) output: Selected<'b>,
    pub(super) text: String,
}

/// The option that writes lists and objects as JSON.
pub(super) const JSON: &str = "json";

/// The option that writes names with `_` instead of `-`.
pub(super) const DASHES_TO_UNDERSCORES: &str = "dashes-to-underscores";

impl<'b> Export<'b> {
    /// Returns the outputs of a bound name, and reports those that cannot be read.
    pub(super) fn outputs_of(&mut self, binding: &'b str) -> Vec<Selected<'b>> {
        self.readable_of(binding, &|_| true)
    }

    /// Returns the outputs of a bound name, and reports those of the others that are left
    /// out.
    fn readable_of(
        &mut self,
        binding: &'b str,
        is_left_out: &dyn Fn(&Unreadable) -> bool,
    ) -> Vec<Selected<'b>> {
        let Some(named) = self.bindings.named(binding) else {
            return Vec::new();
        };
        let mut unreadable = named.unreadable_entries();
        while let Some((document, entry)) = unreadable.find(|(_, entry)| is_left_out(entry)) {
            let message = format!("`{}` was left out: {}", entry.name, entry.why);
            self.diagnostics.push(
                Diagnostic::warning(Rule::NotExported, message)
                    .at_concealed(Origin::Outputs(document), entry.span, "this entry")
                    .help(entry.help),
            );
        }
        let selected = |(name, bound): (&String, &'b Bound)| Selected {
            binding,
            name: name.clone(),
            bound,
        };
        named.outputs.iter().map(selected).collect()
    }

    /// Returns the outputs of all bound names, sorted, with the names that the target gets.
    /// Reports names that occur twice.
    pub(super) fn outputs(&mut self) -> Vec<Selected<'b>> {
        self.readable(&|_| true)
    }

    /// Returns the outputs like [`Self::outputs`], and the sorted names of the sensitive
    /// ones, which a target can have without their values: also of those that cannot be read.
    pub(super) fn outputs_and_sensitive_names(&mut self) -> (Vec<Selected<'b>>, Vec<String>) {
        let outputs = self.readable(&|entry| !entry.sensitive);
        let bindings = self.bindings;
        let named = bindings.names().filter_map(|name| bindings.named(name));
        let unreadable = named.flat_map(|named| {
            let is_sensitive = |bound: &Bound| bound.sensitive;
            named.unreadable_entries().filter(move |(_, entry)| {
                entry.sensitive && !named.outputs.get(&entry.name).is_some_and(is_sensitive)
            })
        });
        let sensitive = outputs.iter().filter(|output| output.bound.sensitive);
        let mut names: Vec<_> = sensitive.map(|output| output.name.clone()).collect();
        names.extend(unreadable.map(|(_, entry)| entry.name.clone()));
        names.sort();
        (outputs, names)
    }

    fn readable(&mut self, is_left_out: &dyn Fn(&Unreadable) -> bool) -> Vec<Selected<'b>> {
        let bindings = self.bindings;
        let names = bindings.names();
        let outputs: Vec<_> = names
            .flat_map(|name| self.readable_of(name, is_left_out))
            .collect();
        self.renamed(outputs)
    }

    /// Warns about numbers that Helm changes, which reads all of them as 64-bit floats. For
    /// a sensitive one, that would reveal a part of its value.
    pub(super) fn warn_about_inexact_numbers(&mut self, outputs: &[Selected<'b>]) {
        for (wanted, warning) in [
            (
                HelmNumber::Changed,
                "Helm reads numbers as 64-bit floats, which may change the digits of these",
            ),
            (
                HelmNumber::WithExponent,
                "Helm writes these numbers with an exponent where a template inserts them as text",
            ),
        ] {
            let is_changed = |output: &&Selected<'b>| {
                !output.bound.sensitive && HelmNumber::of(&output.bound.value) == Some(wanted)
            };
            let changed: Vec<_> = outputs.iter().filter(is_changed).cloned().collect();
            let warning = Diagnostic::warning(Rule::MisreadExport, warning);
            let help = "make them strings with `tostring(…)` in Terraform";
            self.report(warning.help(help), &changed);
        }
    }

    /// Returns outputs with the names that the target gets, and reports names that occur
    /// twice.
    pub(super) fn renamed(&mut self, outputs: Vec<Selected<'b>>) -> Vec<Selected<'b>> {
        let mut by_name = OrderedMap::<String, Selected<'b>>::new();
        let is_renamed = self.options.is_given(DASHES_TO_UNDERSCORES);
        for mut output in outputs {
            let original = output.name.clone();
            if is_renamed {
                output.name = original.replace('-', "_");
            }
            if let Some(other) = by_name.get(&output.name) {
                let message = format!(
                    "`{}.{original}` and another output would both have the name `{}`",
                    output.binding, output.name
                );
                let error = Diagnostic::error(Rule::InvalidExport, message)
                    .at_concealed(origin(output.bound), output.bound.span, "this output")
                    .at_concealed(origin(other.bound), other.bound.span, "the other one")
                    .help("export the outputs separately, or rename one of them");
                self.diagnostics.push(error);
                continue;
            }
            by_name.insert(output.name.clone(), output);
        }
        by_name.into_values().collect()
    }

    /// Returns outputs as texts. Outputs that are null have none and are left out. Lists and
    /// objects are errors, unless the option `json` is given.
    pub(super) fn texts(&mut self, outputs: Vec<Selected<'b>>) -> Vec<Text<'b>> {
        let mut texts = Vec::new();
        let (mut empty, mut collections) = (Vec::new(), Vec::new());
        for output in outputs {
            let text = match &output.bound.value {
                Value::Null => {
                    empty.push(output);
                    continue;
                }
                Value::List(_) | Value::Object(_) if !self.options.is_given(JSON) => {
                    collections.push(output);
                    continue;
                }
                value => match value.text() {
                    Some(text) => text.to_owned(),
                    None => value.to_json(),
                },
            };
            texts.push(Text { output, text });
        }
        self.report(
            Diagnostic::note(Rule::NotExported, "left out outputs that are null"),
            &empty,
        );
        self.report(
            Diagnostic::error(
                Rule::InvalidExport,
                "lists and objects are not text, which this target requires",
            )
            .help("write them as JSON with the option `json`, or publish their parts as outputs of their own"),
            &collections,
        );
        texts
    }

    /// Returns the outputs that are not sensitive, and reports the others as left out.
    pub(super) fn public(&mut self, outputs: Vec<Selected<'b>>) -> Vec<Selected<'b>> {
        let (sensitive, public): (Vec<_>, Vec<_>) = outputs
            .into_iter()
            .partition(|output| output.bound.sensitive);
        let note = Diagnostic::note(Rule::NotExported, "left out sensitive outputs");
        self.report(
            note.help("only a Secret may have the value of a sensitive output"),
            &sensitive,
        );
        public
    }

    /// Reports outputs whose names the target does not accept, all in one error.
    pub(super) fn check_names(
        &mut self,
        outputs: &[Selected<'b>],
        is_accepted: impl Fn(&str) -> bool,
        error: Diagnostic,
    ) {
        let refused = |output: &&Selected<'b>| !is_accepted(&output.name);
        let refused: Vec<_> = outputs.iter().filter(refused).cloned().collect();
        self.report(error, &refused);
    }

    /// Adds a diagnostic about outputs, whose names follow its message; nothing if there
    /// are none.
    pub(super) fn report(&mut self, diagnostic: Diagnostic, outputs: &[Selected<'b>]) {
        if outputs.is_empty() {
            return;
        }
        let names: Vec<_> = outputs
            .iter()
            .map(|output| format!("{}.{}", output.binding, output.name))
            .collect();
        let names = suggest::all_listed(&mut names.iter().map(String::as_str));
        let mut diagnostic = Diagnostic {
            message: format!("{}: {names}", diagnostic.message),
            ..diagnostic
        };
        if diagnostic.severity != Severity::Note {
            for output in outputs {
                let Bound { span, .. } = output.bound;
                diagnostic = diagnostic.at_concealed(origin(output.bound), *span, "");
            }
        }
        self.diagnostics.push(diagnostic);
    }

    /// Reports a problem with an option.
    pub(super) fn refuse(&mut self, message: String, help: &str) {
        let error = Diagnostic::error(Rule::InvalidExport, message);
        self.diagnostics.push(error.help(help));
    }
}

/// Returns the document of an output.
pub(super) const fn origin(bound: &Bound) -> Origin {
    Origin::Outputs(bound.document)
}
