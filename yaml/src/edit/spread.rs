//! Writes several items in the place of one.

use super::parts::has_long_key;
use super::{Data, Edit, Misfit, NodeEditor, Why, Written, block, flow};
use crate::line::{line_break, line_end};
use crate::tree::Kind;

impl NodeEditor<'_> {
    /// Replaces the node, a plain scalar that is an item of a sequence, with these items,
    /// of which there is at least one. A comment stays on the line of the first.
    ///
    /// ```yaml
    /// # before
    /// args:
    ///   - <>   # comment
    ///   - --verbose
    /// ports: [<>, 8080]
    /// # after: `--a` and `--b` for `args`, 80 and 443 for `ports`
    /// args:
    ///   - --a   # comment
    ///   - --b
    ///   - --verbose
    /// ports: [80, 443, 8080]
    /// ```
    ///
    /// Returns the edits, and where the items are in the text with them.
    ///
    /// # Errors
    /// The node is not such an item, or a key is too long.
    pub fn spread<D: Data>(&self, items: &[D]) -> Result<(Vec<Edit>, Written), Misfit> {
        let parent = self.node().parent().map(|id| self.tree[id].kind());
        let Some((first, others)) = items.split_first() else {
            return Err(Misfit::of(Why::NoPosition));
        };
        if items.iter().any(has_long_key) {
            return Err(Misfit::of(Why::LongKey));
        }
        let raw = &self.decoded.raw;
        match parent {
            Some(Kind::Sequence { flow: true, .. }) => {
                let items: Vec<_> = items
                    .iter()
                    .map(|item| flow(item, self.context()))
                    .collect();
                let text = items.join(", ");
                let written = Written {
                    source: raw.start,
                    edit: Some(0),
                    range: 0..text.len(),
                };
                Ok((vec![Edit::new(raw, text)], written))
            }
            Some(Kind::Sequence { column, .. }) => Ok(self.spread_block(first, others, column)),
            _ => Err(Misfit::of(Why::NoPosition)),
        }
    }

    fn spread_block<D: Data>(
        &self,
        first: &D,
        others: &[D],
        column: usize,
    ) -> (Vec<Edit>, Written) {
        let line_break = line_break(self.source);
        let indent = " ".repeat(column);
        let mut text = String::new();
        for item in others {
            text.push_str(line_break);
            text.push_str(&indent);
            text.push_str("- ");
            text.push_str(&block(item, column + 2, line_break));
        }
        let mut edits = self.whole_scalar_edits(first, &self.decoded.raw);
        let end = line_end(self.source, self.decoded.raw.end);
        let at_end = edits.iter_mut().find(|edit| edit.span.start == end);
        match at_end {
            // Nothing, or a comment that stays on the first line, precedes it.
            Some(edit) => edit.text.extend(text.into_bytes()),
            None if text.is_empty() => {}
            None => edits.push(Edit::new(&(end..end), text)),
        }
        let start = edits.first().map_or(end, |edit| edit.span.start);
        let last = edits.last().map_or(end, |edit| edit.span.end);
        let written: usize = edits.iter().map(|edit| edit.text.len()).sum();
        let replaced: usize = edits.iter().map(|edit| edit.span.range().len()).sum();
        let written = Written {
            source: start,
            edit: Some(0),
            range: 0..(last - start + written).saturating_sub(replaced),
        };
        (edits, written)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::edit::{Value, decode_node, resolve, splice};
    use crate::locate::locate;

    /// Spreads items in the place of the scalar `X`. In `expected`, `<` and `>` are around
    /// them.
    #[track_caller]
    fn check(source: &str, items: &serde_json::Value, expected: &str) {
        let tree = locate(source).unwrap();
        let id = tree.ids().find(|id| tree.text(*id) == Some("X")).unwrap();
        let decoded = decode_node(source, &tree, id).unwrap();
        let editor = NodeEditor {
            source,
            tree: &tree,
            id,
            decoded: &decoded,
            json: false,
        };
        let items: Vec<_> = items.as_array().unwrap().iter().map(Value::from).collect();
        let Ok((mut edits, written)) = editor.spread(&items) else {
            return assert_eq!("error", expected);
        };
        let span = resolve(&mut edits, &[written])[0];
        let result = String::from_utf8(splice(source.as_bytes(), &edits).unwrap()).unwrap();
        locate(&result).unwrap();
        let mut shown = result;
        shown.insert(span.end, '>');
        shown.insert(span.start, '<');
        assert_eq!(shown, expected);
    }

    #[test]
    fn items_of_a_block() {
        use serde_json::json;
        check("- X\n", &json!(["a"]), "- <a>\n");
        check(
            "a:\n  - X\n  - c\n",
            &json!(["a", true]),
            "a:\n  - <a\n  - true>\n  - c\n",
        );
        check("a:\n- X", &json!(["a", "yes"]), "a:\n- <a\n- \"yes\">");
        check(
            "- X # c\r\n- b\r\n",
            &json!(["a", 1]),
            "- <a # c\r\n- 1>\r\n- b\r\n",
        );
        check(
            "- - X\n  - b\n",
            &json!(["a", "c"]),
            "- - <a\n  - c>\n  - b\n",
        );
        check("-\n  X\n- b\n", &json!(["a", "c"]), "-\n  <a\n- c>\n- b\n");
    }

    #[test]
    fn items_that_are_collections() {
        use serde_json::json;
        let items = json!([{"id": "a", "size": 1}, ["x"], {}]);
        check(
            "a:\n  - X\n  - c\n",
            &items,
            "a:\n  - <id: a\n    size: 1\n  - - x\n  - {}>\n  - c\n",
        );
        check(
            "a:\n  - X  # c\n",
            &items,
            "a:\n  -<  # c\n    id: a\n    size: 1\n  - - x\n  - {}>\n",
        );
        check(
            "a: [X, c]\n",
            &items,
            "a: [<{id: a, size: 1}, [x], {}>, c]\n",
        );
    }

    #[test]
    fn items_of_a_flow_sequence() {
        use serde_json::json;
        check("[X]", &json!(["a,b", 80]), "[<\"a,b\", 80>]");
        check("[b,\n X # c\n]", &json!(["a", "c"]), "[b,\n <a, c> # c\n]");
    }

    #[test]
    fn only_items_are_spread() {
        use serde_json::json;
        check("a: X\n", &json!(["a"]), "error");
        check("X\n", &json!(["a"]), "error");
        check("- X\n", &json!([]), "error");
    }
}
