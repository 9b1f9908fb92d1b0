//! The value of a template.

use std::borrow::Cow;
use std::ops::Range;

use crate::bind::resolve::Resolved;
use crate::outputs::Value;
use crate::reference::Template;

impl Template {
    /// Returns the value that the template becomes with the values of its references.
    ///
    /// # Errors
    /// The position of a reference whose value is not text.
    pub(crate) fn value<'v>(&self, values: &[&'v Value]) -> Result<Cow<'v, Value>, usize> {
        if let (true, [value]) = (self.is_whole(), values) {
            return Ok(Cow::Borrowed(value));
        }
        let mut parts: Vec<(&Range<usize>, &str)> = Vec::new();
        for (nth, (reference, value)) in self.references.iter().zip(values).enumerate() {
            parts.push((&reference.range, value.text().ok_or(nth)?));
        }
        parts.extend(self.escapes.iter().map(|range| (range, "")));
        parts.sort_unstable_by_key(|(range, _)| range.start);
        let mut text = String::new();
        let mut at = 0;
        for (range, value) in parts {
            text.push_str(&self.text()[at..range.start]);
            text.push_str(value);
            at = range.end;
        }
        text.push_str(&self.text()[at..]);
        Ok(Cow::Owned(Value::String(text)))
    }

    /// Returns which bytes of [`Self::value`] each reference becomes; `None` for one that
    /// is all of the template.
    pub(crate) fn ranges(&self, values: &[Option<Resolved<'_>>]) -> Vec<Option<Range<usize>>> {
        if self.is_whole() {
            return vec![None];
        }
        let mut escapes = self.escapes.iter().peekable();
        let (mut written, mut at) = (0, 0);
        let references = self.references.iter().zip(values);
        let ranges = references.map(|(reference, value)| {
            while let Some(escape) = escapes.next_if(|escape| escape.start < reference.range.start)
            {
                written += escape.start - at;
                at = escape.end;
            }
            let start = written + reference.range.start - at;
            let text = value.as_ref().and_then(|value| value.value.text());
            written = start + text.map_or(0, str::len);
            at = reference.range.end;
            Some(start..written)
        });
        ranges.collect()
    }
}
