//! Go templates that become YAML. With its actions masked, such a text is an embedded
//! document; if it isn't YAML even then, every reference in it must become JSON, which is
//! a value both in YAML and in an action.

use std::ops::Range;

use super::Analyser;
use super::scalars::PendingScalar;
use crate::collections::OrderedMap;
use crate::kubernetes::resources::Resources;
use crate::kubernetes::{Format, go_template};
use crate::reference::{Reference, locate, mask_references};
use crate::report::{Diagnostic, Rule};
use yaml::{Edit, masked, split};

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
        let place = if go_template::is_in_action(actions, &reference.range) {
            "an action of a Go template"
        } else {
            "a Go template that is not YAML without its actions"
        };
        let message = format!("`{}` is in {place}", reference.path.display());
        Diagnostic::error(Rule::DocumentIsNotYaml, message)
            .at(self.source.origin, self.span(raw), "not converted to JSON")
            .help(dialect.translate_calls("convert it with `| json`, without quotes around it"))
    }

    /// Finds the actions of a scalar that Argo CD expands, and the strings in them.
    pub(super) fn find_go_actions(
        &self,
        resources: &Resources<'_>,
        scalar: &mut PendingScalar<'_>,
    ) {
        let text = &scalar.decoded.text;
        if scalar.format.is_none()
            && text.contains("{{")
            && go_template::is_expanded(&resources.field(scalar.id))
        {
            // The strings in a reference are not those of an action.
            let masks = mask_references(text, self.scope.heads, &OrderedMap::new());
            let text = masked(text, masks.iter().map(|mask| &mask.range));
            (scalar.go_actions, scalar.go_strings) = go_template::lex(&text);
        }
    }

    /// Returns the error of a reference that becomes JSON inside quotes: in a string of an
    /// action, or next to quotes in a template that is not YAML.
    pub(super) fn quoted_json(
        &self,
        reference: &Reference,
        scalar: &PendingScalar<'_>,
    ) -> Option<Diagnostic> {
        let bytes = &reference.range;
        let decoded = &scalar.decoded;
        let quotes = bytes.start.wrapping_sub(1)..bytes.end + 1;
        let is_quote = |c: char| matches!(c, '"' | '\'' | '`');
        let is_around = decoded.text.get(quotes.clone()).is_some_and(|text| {
            text.starts_with(is_quote) && text.chars().next() == text.chars().next_back()
        });
        let is_in_string = go_template::is_in_action(&scalar.go_strings, bytes);
        if !reference.becomes_json() || !(is_in_string || is_around && scalar.actions.is_some()) {
            return None;
        }
        let message = format!("`{}` becomes JSON inside quotes", reference.path.display());
        let span = self.span(&decoded.raw_range(bytes));
        let error = Diagnostic::error(Rule::DocumentIsNotYaml, message).at(
            self.source.origin,
            span,
            "a JSON string has quotes of its own",
        );
        if !is_around {
            return Some(error.help(
                "end the string before it: `printf` joins strings in an action of a Go template",
            ));
        }
        let removed = [quotes.start..bytes.start, bytes.end..quotes.end];
        let edits = removed.map(|quote| Edit {
            span: self.span(&decoded.raw_range(&quote)),
            text: Vec::new(),
        });
        let error = error.help("remove the quotes around it");
        Some(error.fix("remove the quotes", self.source.origin, edits.into()))
    }
}
