//! Go templates that become YAML. With its actions masked, such a text is an embedded
//! document; if it isn't YAML even then, every reference in it must become JSON, which is
//! a value both in YAML and in an action.

use std::ops::Range;

use super::Analyser;
use super::scalars::PendingScalar;
use crate::collections::OrderedMap;
use crate::kubernetes::{Format, go_template};
use crate::reference::{Reference, locate, mask_references};
use crate::report::{Diagnostic, Rule};
use yaml::{masked, split};

impl Analyser<'_> {
    /// Treats a template as text if it isn't YAML.
    pub(super) fn check_template(&self, scalar: &mut PendingScalar<'_>) {
        if scalar.format != Some(Format::Template) {
            return;
        }
        let text = &scalar.decoded.text;
        let actions = go_template::actions(text);
        // Without any action, it can only be YAML.
        if !actions.is_empty() && !self.is_yaml(text, &actions) {
            scalar.format = None;
            scalar.actions = Some(actions);
        }
    }

    /// Returns whether a template is YAML without its actions, and no reference overlaps
    /// one.
    fn is_yaml(&self, text: &str, actions: &[Range<usize>]) -> bool {
        let heads = self.scope.heads;
        let masks = |text| mask_references(text, heads, &OrderedMap::new());
        if masks(text)
            .iter()
            .any(|mask| go_template::is_in_action(actions, &mask.range))
        {
            return false;
        }
        let text = go_template::masked(text, actions);
        split(&text)
            .iter()
            .filter(|document| heads.any(document.text))
            .all(|document| {
                let masks = masks(document.text);
                locate(masked(document.text, masks.iter().map(|mask| &mask.range))).is_ok()
            })
    }

    /// Returns the error of a reference that doesn't become JSON. `raw` are its bytes.
    pub(super) fn not_json(
        &self,
        reference: &Reference,
        raw: &Range<usize>,
        actions: &[Range<usize>],
    ) -> Diagnostic {
        let dialect = self.scope.heads.dialect();
        let place = match go_template::is_in_action(actions, &reference.range) {
            true => "an action of a Go template",
            false => "a Go template that is not YAML without its actions",
        };
        let message = format!("`{}` is in {place}", reference.path.display());
        Diagnostic::error(Rule::DocumentIsNotYaml, message)
            .at(self.source.origin, self.span(raw), "not converted to JSON")
            .help(dialect.translate_calls("convert it with `| json`, without quotes around it"))
    }
}

/// Returns whether a reference becomes JSON.
pub(super) fn is_json(reference: &Reference) -> bool {
    let last = reference.calls.last();
    last.is_some_and(|call| call.function == "json")
}
