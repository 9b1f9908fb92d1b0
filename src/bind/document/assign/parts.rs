//! The parts of a string that values replace, counted as in kustomize's replacements.

use std::ops::Range;

use crate::collections::OrderedMap;
use crate::outputs::Value;
use yaml::NodeId;

/// The texts of scalars, split once for all values that replace a part of them.
#[derive(Default)]
pub(crate) struct Parts<'d> {
    /// The bytes at which the parts start, by scalar and delimiter.
    starts: OrderedMap<(NodeId, &'d str), Vec<usize>>,
}

impl<'d> Parts<'d> {
    /// Returns the bytes of the text of `node` that are replaced, the value with any
    /// added delimiter, and where the value starts in that.
    pub(crate) fn part(
        &mut self,
        node: NodeId,
        text: &str,
        delimiter: &'d str,
        index: i64,
        value: &Value,
    ) -> (Range<usize>, Value, usize) {
        let value = value.text().unwrap_or_default();
        let Ok(index) = usize::try_from(index) else {
            return (0..0, Value::String(format!("{value}{delimiter}")), 0);
        };
        let starts = self
            .starts
            .entry((node, delimiter))
            .or_insert_with(|| starts(text, delimiter));
        match starts.get(index) {
            Some(start) => {
                let next = starts.get(index + 1).map(|next| next - delimiter.len());
                let range = *start..next.unwrap_or(text.len());
                (range, Value::String(value.to_owned()), 0)
            }
            None => (
                text.len()..text.len(),
                Value::String(format!("{delimiter}{value}")),
                delimiter.len(),
            ),
        }
    }
}

fn starts(text: &str, delimiter: &str) -> Vec<usize> {
    let mut at = 0;
    let starts = text.split(delimiter).map(|part| {
        let start = at;
        at += part.len() + delimiter.len();
        start
    });
    starts.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_parts_from_0() {
        let mut parts = Parts::default();
        let mut check = |text: &str, delimiter: &'static str, index, expected: (&str, &str)| {
            // One node for each text and delimiter.
            let node = text.len() * 100 + delimiter.len();
            let value = Value::String("v".to_owned());
            let (range, value, start) = parts.part(node, text, delimiter, index, &value);
            let replacement = value.text().unwrap();
            assert_eq!((&text[range], replacement), expected, "{index} of {text}");
            assert_eq!(
                replacement.get(start..start + 1),
                Some("v"),
                "{index} of {text}"
            );
        };
        for (index, part) in [(0, "a"), (1, ""), (2, "bc")] {
            check("a::bc", ":", index, (part, "v"));
        }
        check("a::bc", ":", 3, ("", ":v"));
        check("a::bc", ":", -1, ("", "v:"));
        check("a::bc", "::", 1, ("bc", "v"));
        check("", ":", 0, ("", "v"));
    }
}
