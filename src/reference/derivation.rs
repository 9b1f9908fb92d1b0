//! Derives the parts of a text that a template became before: `nginx` and `1.7.1` from
//! `nginx:1.7.1` and `${image}:${tag}`.

use crate::collections::OrderedMap;
use crate::reference::Template;

/// Why the parts of a text cannot be derived.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum NotDerived {
    /// The text is not what the template can become.
    NoMatch,
    /// The text for this reference would be empty.
    Empty(usize),
    /// The text for this reference can begin or end at several places.
    Ambiguous(usize),
    /// This reference occurs before, and the text for it there is another one.
    Different(usize),
}

/// The first and the last position of the literal text before a reference.
#[derive(Clone, Copy, Default)]
struct Limits {
    first: usize,
    last: usize,
}

impl Limits {
    fn is_certain(self) -> bool {
        self.first == self.last
    }
}

impl Template {
    /// Returns the parts of `text` that the references not in `bound` became. References
    /// next to each other, with no other between them, may share their parts in any way: the
    /// text of all of them together is certain.
    ///
    /// Takes time linear in the text and the template.
    ///
    /// # Errors
    /// The text cannot be divided in exactly one way.
    pub(crate) fn derive(
        &self,
        text: &str,
        bound: &[bool],
    ) -> Result<Vec<Option<String>>, NotDerived> {
        let literals = self.literals();
        let limits = limits(&literals, text).ok_or(NotDerived::NoMatch)?;
        let is_bound = |nth: usize| bound.get(nth).copied().unwrap_or_default();
        let starts: Vec<usize> = limits
            .iter()
            .zip(&literals)
            .map(|(limits, literal)| limits.first + literal.len())
            .collect();
        let mut parts = Vec::with_capacity(self.references.len());
        let mut known: OrderedMap<String, (usize, &str)> = OrderedMap::new();
        for nth in 0..self.references.len() {
            let (Some(start), Some([before, after])) = (starts.get(nth), limits.get(nth..nth + 2))
            else {
                return Err(NotDerived::NoMatch);
            };
            if is_bound(nth) {
                parts.push(None);
                continue;
            }
            let certain = [before.is_certain(), after.is_certain()];
            let follows_bound = nth > 0 && is_bound(nth - 1);
            let precedes_bound = nth + 1 < self.references.len() && is_bound(nth + 1);
            if (follows_bound && !certain[0]) || (precedes_bound && !certain[1]) {
                return Err(NotDerived::Ambiguous(nth));
            }
            let part = text.get(*start..after.first).unwrap_or_default();
            let is_certain = certain == [true, true];
            if part.is_empty() {
                return Err(if is_certain {
                    NotDerived::Empty(nth)
                } else {
                    NotDerived::Ambiguous(nth)
                });
            }
            let name = self.references[nth].path.output();
            match known.get(&name) {
                Some((first, _)) if !is_certain || *first == usize::MAX => {
                    return Err(NotDerived::Ambiguous(nth));
                }
                Some((_, other)) if *other != part => return Err(NotDerived::Different(nth)),
                Some(_) => {}
                None => {
                    let first = if is_certain { nth } else { usize::MAX };
                    known.insert(name, (first, part));
                }
            }
            parts.push(Some(part.to_owned()));
        }
        Ok(parts)
    }

    /// Returns the text before each reference, and after the last one.
    fn literals(&self) -> Vec<&str> {
        let text = self.text();
        let mut at = 0;
        let mut literals = Vec::with_capacity(self.references.len() + 1);
        for reference in &self.references {
            literals.push(text.get(at..reference.range.start).unwrap_or_default());
            at = reference.range.end;
        }
        literals.push(text.get(at..).unwrap_or_default());
        literals
    }
}

/// Returns where each literal can be in `text`, with any text between them; `None` if
/// nowhere.
fn limits(literals: &[&str], text: &str) -> Option<Vec<Limits>> {
    let (first, rest) = literals.split_first()?;
    let (last, inner) = rest.split_last()?;
    let end = text.len().checked_sub(last.len())?;
    if !text.starts_with(first) || !text.ends_with(last) || first.len() > end {
        return None;
    }
    let mut limits = vec![Limits::default()];
    let mut from = first.len();
    for literal in inner {
        let at = from + text.get(from..end)?.find(literal)?;
        limits.push(Limits {
            first: at,
            last: at,
        });
        from = at + literal.len();
    }
    let mut to = end;
    for (limits, literal) in limits.iter_mut().skip(1).zip(inner).rev() {
        limits.last = text.get(..to)?.rfind(literal)?;
        to = limits.last;
    }
    limits.push(Limits {
        first: end,
        last: end,
    });
    Some(limits)
}
