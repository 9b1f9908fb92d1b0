//! Plain templates: `{{name}}`, as `applicationset/utils` replaces them with fasttemplate
//! 1.2.2. A tag is a whole name; white space around it does not count.

use crate::contract::expand::parameters::Parameter;
use crate::contract::expand::problems::Place;
use crate::contract::expand::templates::{Renderer, Unknown};
use crate::reference::{ACTION_CLOSER as CLOSER, ACTION_OPENER as OPENER};

/// Returns whether Argo CD treats a text as a template: a line of it has `{{` and then `}}`.
pub(in crate::contract::expand) fn has_tag(text: &str) -> bool {
    text.split('\n').any(|line| {
        let opened = line
            .find(OPENER)
            .and_then(|at| line.get(at + OPENER.len()..));
        opened.is_some_and(|rest| rest.contains(CLOSER))
    })
}

impl Renderer<'_, '_> {
    /// Replaces the tags of a plain template.
    pub(super) fn plain(&mut self, id: yaml::NodeId, text: &str) -> Option<String> {
        if !has_tag(text) {
            return Some(text.to_owned());
        }
        let mut rendered = String::with_capacity(text.len());
        let (mut at, mut is_whole) = (0, true);
        while let Some(length) = text.get(at..).and_then(|rest| rest.find(OPENER)) {
            let start = at + length;
            let content = start + OPENER.len();
            let Some(length) = text.get(content..).and_then(|rest| rest.find(CLOSER)) else {
                let range = start..content;
                let place = Place {
                    id,
                    text,
                    range: &range,
                };
                let help = "close it with `}}`; Argo CD refuses a text with a tag and another `{{`";
                self.problems.error_at(place, "unclosed tag", help);
                return None;
            };
            let range = start..content + length + CLOSER.len();
            rendered.push_str(text.get(at..start).unwrap_or_default());
            at = range.end;
            let tag = text.get(content..content + length).unwrap_or_default();
            let place = Place {
                id,
                text,
                range: &range,
            };
            match self.parameters.get(tag.trim()) {
                Some(Parameter::String(value)) if !tag.trim().is_empty() => {
                    if self.unknown == Unknown::Missing && has_tag(value) {
                        let message = format!(
                            "the value of `{}` has a tag that nothing replaces: `{value}`",
                            tag.trim()
                        );
                        let help = "Argo CD writes it to the Application; correct the name in it, or remove its braces";
                        self.problems.error_at(place, message, help);
                        is_whole = false;
                    }
                    rendered.push_str(value);
                }
                _ if self.unknown == Unknown::Kept => {
                    rendered.push_str(text.get(range).unwrap_or_default());
                }
                _ => {
                    self.unknown_tag(place, tag.trim());
                    is_whole = false;
                }
            }
        }
        rendered.push_str(text.get(at..).unwrap_or_default());
        is_whole.then_some(rendered)
    }

    fn unknown_tag(&mut self, place: Place<'_>, tag: &str) {
        let is_go = tag.starts_with('.')
            || tag.split_whitespace().nth(1).is_some()
            || tag.contains(['|', '(', '"', '$', '`']);
        let reason = (tag.is_empty() || is_go).then_some(
            "in plain templates a tag is the name of a parameter, such as `{{name}}`; Go templates require `goTemplate: true`",
        );
        self.missing(place, tag, reason);
    }
}
