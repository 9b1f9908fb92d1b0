//! A ResourceList, before anything in it is read.

use crate::analysis::document::{DocumentAnalysis, Scope, Text};
use crate::bind::{Context, render};
use crate::contract::krm::ids;
use crate::contract::krm::value_of;
use crate::reference::{locate, mask_shapes};
use crate::report::{Diagnostic, Diagnostics, Origin, Rule};
use yaml::{Edit, Span};
use yaml::{NodeId, Tree, masked};

/// A ResourceList and its tree.
pub(super) struct List<'l> {
    pub(super) text: &'l str,
    /// With references masked, if YAML needs that.
    tree: Tree,
}

impl<'l> List<'l> {
    /// Reads a ResourceList.
    ///
    /// # Errors
    /// It is none.
    pub(super) fn read(resource_list: &'l [u8]) -> Result<Self, Diagnostics> {
        let wrong = |message: &str, at: usize| {
            let diagnostic = Diagnostic::error(Rule::InvalidResourceList, message)
                .at_concealed(Origin::Manifest(0), Span::point(at), "")
                .help("pass a ResourceList (config.kubernetes.io/v1), as kustomize and kpt do");
            Diagnostics::from(diagnostic)
        };
        let text = std::str::from_utf8(resource_list)
            .map_err(|error| wrong("the input is not UTF-8", error.valid_up_to()))?;
        let references = masked(text, mask_shapes(text).iter());
        let tree = yaml::locate(text).or_else(|_| locate(references));
        let tree = tree.map_err(|error| wrong("the input is not valid YAML", error.at))?;
        let kind = value_of(&tree, 0, "kind").and_then(|id| tree.text(id));
        match kind {
            Some("ResourceList") => Ok(Self { text, tree }),
            _ => Err(wrong("the input is not a ResourceList", 0)),
        }
    }

    /// The edits that render the items, ascending and disjoint.
    pub(super) fn rendered(
        &self,
        scope: Scope<'_>,
        context: &Context<'_>,
        diagnostics: &mut Diagnostics,
    ) -> Result<Vec<Edit>, Diagnostics> {
        let text = Text::Borrowed(self.text);
        let analysis = DocumentAnalysis::of_file(text, 0, Origin::Manifest(0), scope);
        let rendered = render(&analysis, context);
        diagnostics.append(rendered.diagnostics);
        let (mut edits, mut reshaped) = (rendered.edits, rendered.reshaped);
        edits.sort_by_key(|edit| edit.span);
        if reshaped.is_empty() {
            return Ok(edits);
        }
        reshaped.sort_unstable();
        let mut gone =
            self.with_tree(|tree, root| Ok(ids::removed(self.text, tree, root, &reshaped)))?;
        gone.retain(|gone| !ids::is_needed(gone, &edits));
        edits.append(&mut gone);
        edits.sort_by_key(|edit| edit.span);
        Ok(edits)
    }

    /// Hands the tree and its root on.
    pub(super) fn with_tree<T>(
        &self,
        read: impl FnOnce(&Tree, NodeId) -> Result<T, Diagnostics>,
    ) -> Result<T, Diagnostics> {
        read(&self.tree, 0)
    }
}
