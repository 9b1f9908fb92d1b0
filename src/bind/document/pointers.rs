//! Values inside the path of an operation of a JSON patch, which is a JSON pointer (RFC 6901).

use crate::bind::document::Renderer;
use crate::bind::document::consumers::NodeText;
use crate::bind::document::members::is_in_operation;
use crate::bind::document::mismatch::is_in_operations;
use crate::bind::document::validate::Placement;
use crate::report::{Diagnostic, Rule};
use yaml::{Role, Tree};

impl Renderer<'_, '_> {
    /// Reports a value that is part of a path and contains what separates its keys: the operation
    /// would set another field. A value that begins the path may have several keys.
    pub(crate) fn validate_pointer(
        &mut self,
        placements: &[Placement<'_, '_>],
        tree: &Tree,
        result: &dyn Fn() -> NodeText,
    ) {
        let Some(placement) = placements.first() else {
            return;
        };
        let node = &tree[placement.id];
        let is_path = |key| matches!(tree.text(key), Some("path" | "from"));
        let operation = placement
            .field
            .upto(placement.field.steps.len().saturating_sub(1));
        let is_patch = self.context.custom.is_patch(self.context.file);
        if !matches!(node.role(), Role::Value(key) if is_path(key))
            || !is_in_operation(tree, node)
            || !is_in_operations(&operation, is_patch)
        {
            return;
        }
        let NodeText { text, values, .. } = result();
        let mut values = values.into_iter();
        for placement in placements {
            for (found, value) in placement.each() {
                let bytes = values.next().map(|value| value.bytes);
                let Some(bytes) = bytes.filter(|bytes| bytes.start > 0) else {
                    continue;
                };
                if value.source.is_none() || value.mark.is_some() {
                    continue;
                }
                let Some(separator) = text.get(bytes).and_then(separator) else {
                    continue;
                };
                let message = format!(
                    "`{}` contains `{separator}`, so that this path would lead to another field",
                    value.output
                );
                let help = "escape it: `| replace(\"~\", \"~0\") | replace(\"/\", \"~1\")`";
                let error = Diagnostic::error(Rule::MisreadValue, message)
                    .at(found.origin, found.span, "not escaped")
                    .help(self.context.dialect().translate_calls(help));
                self.report(error, placement.field);
            }
        }
    }
}

/// Returns the first character of a token that separates tokens, or begins no escape.
fn separator(token: &str) -> Option<char> {
    if token.contains('/') {
        return Some('/');
    }
    let mut after = token.split('~').skip(1);
    after
        .any(|after| !after.starts_with(['0', '1']))
        .then_some('~')
}
