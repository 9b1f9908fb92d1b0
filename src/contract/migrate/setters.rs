//! Setter comments of another dialect: `# kpt-set: ${image}:${tag}` becomes
//! `# landfall: ${infra.image}:1.7.1` if nothing is bound to `tag`.

use crate::analysis::document::AssignedNode;
use crate::bind::{current_text, names_output};
use crate::contract::migrate::candidate::{Candidate, with_call, written};
use crate::contract::migrate::levels::Level;
use crate::contract::migrate::search::{Left, Search};
use crate::contract::migrate::translate::translated;
use crate::functions::target_of;
use crate::outputs::Value;
use crate::reference::{LANDFALL, Reference, Template};
use yaml::Kind;

/// Functions that give a setter the type that the value has, or write base64 as it is.
const CONVERSIONS: [&str; 3] = ["number", "bool", "verbatim"];

impl Search<'_> {
    /// Adds the setter comments of one document.
    pub(super) fn add_setters(&mut self, level: &Level<'_>, text: &str) {
        for assigned in &level.located.assignments {
            let AssignedNode::Comment {
                node,
                template,
                start,
                span,
                ..
            } = assigned
            else {
                continue;
            };
            let end = level.in_file(&(*start..start + template.text().len())).end;
            let range = span.start..end;
            let subject = text.get(range.clone()).unwrap_or_default().to_owned();
            let tree = &level.located.tree;
            let is_list = matches!(tree[*node].kind(), Kind::Sequence { .. });
            match self.migrated(template, current_text(tree, *node), is_list) {
                Ok(texts) => {
                    let candidate = Candidate::new(self.file, range, texts, subject);
                    self.candidates.push(candidate);
                }
                Err(why) => self.leave(range, subject, why),
            }
        }
    }

    /// Returns the comments that may replace one with this template, where `current` is the
    /// text of the value.
    fn migrated(
        &self,
        template: &Template,
        current: &str,
        is_list: bool,
    ) -> Result<Vec<String>, Left> {
        let paths = template.references.iter().map(|reference| &reference.path);
        let bound: Vec<bool> = paths
            .map(|path| names_output(path, self.bindings))
            .collect();
        if !bound.contains(&true) {
            return Err(Left::NothingBound);
        }
        let all_bound = !bound.contains(&false);
        let parts = if all_bound {
            vec![None; bound.len()]
        } else {
            // What is wrong with it is an error of rendering.
            template.derive(current, &bound).map_err(|_| Left::Part)?
        };
        let mut references = Vec::with_capacity(parts.len());
        for (reference, part) in template.references.iter().zip(&parts) {
            references.push(match part {
                Some(_) => None,
                None => {
                    let name = || Left::Unbound(reference.path.display());
                    Some(translated(reference, self.bindings, false).map_err(|_| name())?)
                }
            });
        }
        if is_list
            && let Some(target) = template
                .references
                .first()
                .and_then(|first| target_of(&first.path, self.bindings))
            && matches!(
                target.bound().map(|bound| &bound.value),
                Some(Value::String(_))
            )
        {
            return Err(Left::ListInString(target.output.into_owned()));
        }
        let mut texts = vec![self.comment(template, &references, &parts)?];
        if let ([Some(reference)], true) = (&references[..], template.is_whole()) {
            for function in CONVERSIONS {
                let references = [Some(with_call(reference, function))];
                texts.push(self.comment(template, &references, &parts)?);
            }
        }
        Ok(texts)
    }

    /// Returns a setter comment: the literal text of the template with these references, or
    /// these parts of the value in their place.
    fn comment(
        &self,
        template: &Template,
        references: &[Option<Reference>],
        parts: &[Option<String>],
    ) -> Result<String, Left> {
        let setter = LANDFALL.notation().setter.unwrap_or_default();
        let mut comment = format!("# {setter} ");
        let length = comment.len();
        let mut at = 0;
        for (nth, old) in template.references.iter().enumerate() {
            let literal = template.text().get(at..old.range.start);
            self.push_literal(literal.unwrap_or_default(), &mut comment);
            at = old.range.end;
            if let Some(Some(reference)) = references.get(nth) {
                comment.push_str(&written(reference, &[]).ok_or(Left::Quotes)?);
            } else if let Some(Some(part)) = parts.get(nth) {
                self.push_literal(part, &mut comment);
            }
        }
        self.push_literal(template.text().get(at..).unwrap_or_default(), &mut comment);
        let text = &comment[length..];
        // A comment ends with its line, and is trimmed.
        let is_trimmed = text.trim() == text;
        let is_line = !text.contains(['\n', '\r', '\u{85}', '\u{2028}', '\u{2029}']);
        if is_trimmed && is_line {
            Ok(comment)
        } else {
            Err(Left::Part)
        }
    }

    /// Adds text that must not become a reference.
    fn push_literal(&self, text: &str, comment: &mut String) {
        let mut at = 0;
        for head in self.heads.find(text) {
            comment.push_str(&text[at..head.at]);
            comment.push('$');
            at = head.at;
        }
        comment.push_str(&text[at..]);
    }
}
