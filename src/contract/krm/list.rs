//! A ResourceList, which is located once for everything that is read and rendered in it.

use std::ops::Range;
use std::sync::Arc;

use crate::analysis::LocatedTrees;
use crate::analysis::document::{DocumentAnalysis, Scope};
use crate::analysis::emitted;
use crate::bind::{Context, render};
use crate::collections::OrderedMap;
use crate::contract::krm::generator::end_of_comment;
use crate::contract::krm::ids;
use crate::contract::members::value_of;
use crate::reference::{Dialect, Heads, LANDFALL, locate, mask_references, mask_shapes};
use crate::report::{Diagnostic, Diagnostics, Origin, Rule, shown_at};
use yaml::{Edit, Span};
use yaml::{Tree, masked};

/// A ResourceList and its tree.
pub(super) struct List<'l> {
    pub(super) text: &'l str,
    /// The tree with the original texts.
    pub(super) tree: Arc<Tree>,
    /// The tree with everything masked that would be a reference if its name were bound;
    /// `None` if only the unmasked text is YAML.
    masked: Option<Arc<Tree>>,
    /// The masked ranges, in order.
    shapes: Vec<Range<usize>>,
}

impl<'l> List<'l> {
    /// Reads a ResourceList.
    ///
    /// # Errors
    /// The input is not a ResourceList.
    pub(super) fn read(resource_list: &'l [u8]) -> Result<Self, Diagnostics> {
        let invalid = |message: &str, at: usize| {
            let diagnostic = Diagnostic::error(Rule::InvalidResourceList, message)
                .at_concealed(Origin::Manifest(0), Span::point(at), "")
                .help("pass a ResourceList (config.kubernetes.io/v1), as kustomize and kpt do");
            Diagnostics::from(diagnostic)
        };
        let text = std::str::from_utf8(resource_list)
            .map_err(|error| invalid("the input is not UTF-8", error.valid_up_to()))?;
        // The Binding, which names the dialect, is in the list.
        let shapes = mask_shapes(text, LANDFALL);
        let (tree, masked) = match locate(masked(text, shapes.iter())) {
            Ok(tree) => {
                let masked = Arc::new(tree);
                let tree = if shapes.is_empty() {
                    Arc::clone(&masked)
                } else {
                    Arc::new(masked.unmasked(text, &shapes))
                };
                (tree, Some(masked))
            }
            Err(error) => {
                let tree = Some(&shapes)
                    .filter(|shapes| !shapes.is_empty())
                    .and_then(|_| yaml::locate(text).ok())
                    .ok_or_else(|| invalid("the input is not valid YAML", shown_at(&error)))?;
                (Arc::new(tree), None)
            }
        };
        let kind = value_of(&tree, 0, "kind").and_then(|id| tree.text(id));
        match kind {
            Some("ResourceList") => Ok(Self {
                text,
                tree,
                masked,
                shapes,
            }),
            _ => Err(invalid("the input is not a ResourceList", 0)),
        }
    }

    /// Returns whether each item is a list without items once it is rendered by these edits,
    /// or is null.
    pub(super) fn has_only_empty_lists(&self, edits: &[Edit]) -> bool {
        let Some(items) = value_of(&self.tree, 0, "items") else {
            return false;
        };
        let is_resource = |item| emitted::is_certain_item(&self.tree, item);
        if self.tree.members(items).any(is_resource) {
            return false;
        }
        let bytes = yaml::splice(self.text.as_bytes(), edits).ok();
        let text = bytes.and_then(|bytes| String::from_utf8(bytes).ok());
        let tree = text.and_then(|text| yaml::locate(text).ok());
        tree.is_some_and(|tree| emitted::has_no_items(&tree, 0))
    }

    /// Returns the edit that removes all items.
    pub(super) fn without_items(&self) -> Option<Edit> {
        let items = value_of(&self.tree, 0, "items")?;
        let (start, end) = (self.tree.colon(items)?, self.tree[items].end());
        // With a comment after the last value.
        let end = end_of_comment(self.text, end);
        Some(Edit {
            span: Span::new(start, start + self.text.get(start..end)?.trim_end().len()),
            text: b": []".to_vec(),
        })
    }

    /// Returns the tree as the analysis of unbound names needs it. `None` in a dialect other
    /// than landfall's own.
    pub(super) fn trees(&self, dialect: &dyn Dialect) -> Option<LocatedTrees<'_>> {
        let is_own = dialect.notation().id == LANDFALL.notation().id;
        let masked = self.masked.as_deref().filter(|_| is_own)?;
        Some(LocatedTrees {
            masked,
            written: &self.tree,
        })
    }

    /// Returns the tree with the references to bound names masked. `None` if masking the
    /// others may change the tree, which must then be located separately.
    fn with_bound_masked(&self, heads: &Heads) -> Option<Arc<Tree>> {
        let all_masked = self.masked.as_ref()?;
        let bound = mask_references(self.text, heads, &OrderedMap::new());
        let mut left = bound.iter().peekable();
        let mut others = Vec::new();
        let mut end = 0;
        for shape in &self.shapes {
            if left.next_if(|mask| mask.range == *shape).is_some() {
                end = shape.end;
            } else if shape.end > end {
                let text = self.text.get(shape.clone()).unwrap_or_default();
                if !is_inert(text) {
                    return None;
                }
                others.push(shape.clone());
            }
        }
        if left.peek().is_some() {
            return None;
        }
        Some(if others.is_empty() {
            Arc::clone(all_masked)
        } else {
            let text = masked(self.text, bound.iter().map(|mask| &mask.range));
            Arc::new(all_masked.unmasked(&text, &others))
        })
    }

    /// Returns the edits that render the items, ascending and disjoint.
    pub(super) fn render(
        &self,
        scope: Scope<'_>,
        context: &Context<'_>,
        diagnostics: &mut Diagnostics,
    ) -> Vec<Edit> {
        let tree = self.with_bound_masked(scope.heads);
        let analysis = DocumentAnalysis::of_located(self.text, tree, Origin::Manifest(0), scope);
        let rendered = render(&analysis, context);
        diagnostics.append(rendered.diagnostics);
        let (mut edits, mut reshaped) = (rendered.edits, rendered.reshaped);
        edits.sort_by_key(|edit| edit.span);
        if reshaped.is_empty() {
            return edits;
        }
        reshaped.sort_unstable();
        let mut removed_ids = ids::removed(self.text, &self.tree, 0, &reshaped);
        removed_ids.retain(|removed| !ids::is_needed(removed, &edits));
        edits.append(&mut removed_ids);
        edits.sort_by_key(|edit| edit.span);
        edits
    }
}

/// Whether YAML parses a placeholder like a word: outside flow collections, where it would
/// be invalid, it is a part of the same scalar as its mask.
fn is_inert(placeholder: &str) -> bool {
    let name = (placeholder.strip_prefix("${")).and_then(|rest| rest.strip_suffix('}'));
    name.is_some_and(|name| {
        let is_word = |b: u8| b.is_ascii_alphanumeric() || matches!(b, b'.' | b'_' | b'-');
        name.bytes().all(is_word)
    })
}
