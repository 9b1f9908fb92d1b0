//! Outputs documents that are resources: items of a function's list, or manifests of an
//! application.

use crate::analysis::targets::{Members, Steps};
use crate::config::bound_output::{BoundValues, ResourceName};
use crate::config::substitutions::{FieldBinding, FieldPath, Selector, Target};
use crate::config::{Need, written_values};
use crate::contract::members::{text_at, value_of};
use crate::contract::parameters::holding;
use crate::contract::{Application, Sources};
use crate::reference::{Heads, locate, mask_shapes};
use crate::report::{Diagnostic, Diagnostics, Origin, ResourceRef, Rule, shown_at, suggest};
use yaml::{Document, NodeId, Span, Tree, line_end, masked, split};

/// The annotation of a resource that is not for the cluster, as kpt and kustomize read it.
const LOCAL: [&str; 3] = [
    "metadata",
    "annotations",
    "config.kubernetes.io/local-config",
];

/// The number of other documents that are kept for a help text.
const MAX_OTHERS: usize = 1_000;

/// A resource that is an outputs document.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ResourceDocument {
    /// The entry of the Binding; its location is `Held`, with the content of the resource.
    pub need: Need,
    /// The position of its file.
    pub file: usize,
    /// The bytes of the resource in its file, with a comment after its last value.
    pub span: Span,
    /// Whether it is not for the cluster, as its annotation `config.kubernetes.io/local-config`
    /// says.
    pub is_local: bool,
}

/// A resource, and where it is.
#[derive(Clone, Copy)]
pub(super) struct Candidate<'c> {
    /// The position of its source.
    pub(super) file: usize,
    /// The text of its tree.
    pub(super) text: &'c str,
    /// The byte offset of `text` in the source.
    pub(super) offset: usize,
    pub(super) tree: &'c Tree,
    pub(super) node: NodeId,
}

/// Where outputs documents are looked for.
pub(super) struct Candidates<'c> {
    pub(super) all: Vec<Candidate<'c>>,
    /// How references to outputs begin.
    pub(super) heads: &'c Heads,
    /// Whether these are the items of a function's list, which has the Binding, too.
    pub(super) is_function: bool,
    /// Where documents are not valid YAML: positions of files, and bytes in them.
    pub(super) unreadable: Vec<(usize, usize)>,
    /// The Binding's field bindings, which are applied later.
    pub(super) substitutions: &'c [FieldBinding],
}

impl Sources {
    /// Returns the outputs documents of an application that are resources in these files, in the
    /// order of its Binding. Those of names that are bound otherwise need not be there.
    ///
    /// # Errors
    /// A resource is missing, there are several, or it has no outputs that are known.
    pub fn resource_documents(
        &self,
        application: &Application,
    ) -> Result<Vec<ResourceDocument>, Diagnostics> {
        let (binding, _) = application.binding();
        let dialect = application.effective().0.dialect;
        let configuration = application.configuration();
        let otherwise = &configuration.bound_otherwise;
        let names = binding.bound_names().chain(otherwise).map(String::as_str);
        let heads = Heads::in_dialect(dialect, names);
        let resources = binding.values.iter().filter_map(BoundValues::resource);
        let resources: Vec<(&BoundValues, &ResourceName)> = resources.collect();
        if resources.is_empty() {
            return Ok(Vec::new());
        }
        let texts: Vec<_> = self.texts().collect();
        let (mut trees, mut unreadable) = (Vec::new(), Vec::new());
        for (file, text) in texts.iter().enumerate() {
            for document in split(text.unwrap_or_default()) {
                let text = document.text;
                if !resources
                    .iter()
                    .any(|(_, named)| text.contains(&named.kind))
                {
                    continue;
                }
                let shapes = mask_shapes(text, dialect);
                let tree = match locate(masked(text, shapes.iter())) {
                    Ok(tree) => tree,
                    Err(error) => {
                        unreadable.push((file, document.offset + shown_at(&error)));
                        continue;
                    }
                };
                let candidate = Candidate::new(file, document, &tree);
                let is_found = resources.iter().any(|(_, named)| candidate.is_named(named));
                if is_found || trees.len() < MAX_OTHERS {
                    trees.push((file, document, tree));
                }
            }
        }
        let candidates = trees.iter();
        let candidates =
            candidates.map(|(file, document, tree)| Candidate::new(*file, *document, tree));
        let candidates = Candidates {
            all: candidates.collect(),
            heads: &heads,
            is_function: false,
            unreadable,
            substitutions: &binding.substitutions,
        };
        let mut found = Vec::new();
        let mut errors = Diagnostics::default();
        for (bound, named) in resources {
            match candidates.document(bound, named) {
                Ok(document) => found.extend(document),
                Err(_) if otherwise.contains(&bound.name) => {}
                Err(error) => errors.push(*error),
            }
        }
        if errors.is_empty() {
            return Ok(found);
        }
        let config = configuration.binding.as_ref();
        written_values::conceal_in(config, Origin::Binding, &mut errors);
        Err(errors)
    }
}

impl Candidates<'_> {
    /// Returns the outputs document in the resource `named`; `None`: it is missing, and need not be
    /// there.
    ///
    /// # Errors
    /// It is missing, there are several, it has no outputs, or it has references of its own.
    pub(super) fn document(
        &self,
        bound: &BoundValues,
        named: &ResourceName,
    ) -> Result<Option<ResourceDocument>, Box<Diagnostic>> {
        let (noun, binding, remedy) = if self.is_function {
            let remedy = "render it in a function before this one";
            ("item", Origin::Manifest(0), remedy)
        } else {
            let remedy = "write its values, or bind a file";
            ("manifest", Origin::Binding, remedy)
        };
        let described = format!("{} `{}`", named.kind, named.name);
        let invalid = |message: String| {
            let start = Span::point(bound.span.start);
            Diagnostic::error(Rule::InvalidBinding, message).in_config(binding, start, "")
        };
        let mut found = self.all.iter().filter(|one| one.is_named(named));
        let found = match (found.next(), found.next()) {
            (Some(found), None) => found,
            (None, _) if bound.optional => return Ok(None),
            (None, _) => {
                let of_kind = self.all.iter();
                let of_kind = of_kind.filter(|one| one.text_at(&["kind"]) == Some(&named.kind));
                let names = of_kind.filter_map(|one| one.text_at(&["metadata", "name"]));
                let names: Vec<&str> = names.collect();
                let help = match names[..] {
                    [] => format!("no {noun} has the kind `{}`", named.kind),
                    _ => format!(
                        "{noun}s of this kind: {}",
                        suggest::listed(names.into_iter())
                    ),
                };
                let mut error = invalid(format!("no {noun} is the {described}"));
                for (file, at) in &self.unreadable {
                    let at = Span::point(*at);
                    let message = "this is not valid YAML";
                    error = error.at_concealed(Origin::Manifest(*file), at, message);
                }
                return Err(Box::new(error.help(help)));
            }
            (Some(_), Some(second)) => {
                let at = second.tree[second.node].range().start;
                let error = invalid(format!("several {noun}s are the {described}"));
                return Err(Box::new(second.labelled(error, at, "the second one").help(
                    "add `namespace` or `apiVersion` to select one of them, or remove the others",
                )));
            }
        };
        let Candidate {
            file,
            text,
            offset,
            tree,
            node,
        } = *found;
        let is_document = found.text_at(&["apiVersion"]) == Some("v1")
            && ["ConfigMap", "Secret"].contains(&named.kind.as_str());
        let (content, format) = if is_document {
            (node, bound.format.clone())
        } else {
            let Some(status) = value_of(tree, node, "status") else {
                let error = invalid(format!("the {described} has no `status`"));
                return Err(Box::new(error.help(
                    "of resources that are no ConfigMaps or Secrets, the outputs are in `status`: bind one as the cluster has it",
                )));
            };
            let format = bound.format.clone().unwrap_or_else(|| "yaml".to_owned());
            (status, Some(format))
        };
        let extent = tree[node].extent();
        // With a setter comment after the last value. A block scalar ends after its line.
        let end = match text.get(..extent.end) {
            Some(before) if before.ends_with('\n') => extent.end,
            _ => line_end(text, extent.end),
        };
        let written = text.get(extent.start..end).unwrap_or_default();
        if let Some(at) = self.heads.all(written).bound.first() {
            let error = invalid(format!("the {described} has references of its own"));
            let help = format!("its outputs would be those before it is rendered: {remedy}");
            let error = found.labelled(error, extent.start + at, "a reference");
            return Err(Box::new(error.help(help)));
        }
        let is_local = found.text_at(&LOCAL) == Some("true");
        let is_written = self.is_function || !is_local;
        if let Some(changing) = self.changing(found).filter(|_| is_written) {
            let error = invalid(format!("a field binding changes the {described}"));
            let error = error.in_config(binding, changing, "by this one");
            let help = format!(
                "its outputs would be those before it is changed: let the field binding select other resources, or {remedy}"
            );
            return Err(Box::new(error.help(help)));
        }
        let content = alone(text, tree, content);
        Ok(Some(ResourceDocument {
            need: holding(bound, named.path(), content, format),
            file,
            span: Span::new(offset + extent.start, offset + end),
            is_local,
        }))
    }
}

impl Candidates<'_> {
    /// Returns the location of a field binding that changes more of a resource than its metadata.
    fn changing(&self, found: &Candidate<'_>) -> Option<Span> {
        let text = |path: &[&str]| found.text_at(path).unwrap_or_default().to_owned();
        let resource = ResourceRef {
            api_version: text(&["apiVersion"]),
            kind: text(&["kind"]),
            name: text(&["metadata", "name"]),
            namespace: text(&["metadata", "namespace"]),
        };
        let (members, steps) = (Members::new(found.tree), Steps::default());
        let is = |selector: &Selector| selector.matches(&members, found.node, &resource, &steps);
        let changes = |target: &&Target| {
            let fields = &target.fields;
            let is_metadata = |path: &FieldPath| path.text.starts_with("metadata");
            !fields.paths.iter().all(is_metadata)
                && is(&fields.select)
                && !fields.reject.iter().any(is)
        };
        let mut targets = self.substitutions.iter().flat_map(|one| &one.targets);
        targets
            .find(changes)
            .map(|target| target.fields.select_span)
    }
}

impl<'c> Candidate<'c> {
    /// Returns the resource that is a whole document.
    const fn new(file: usize, document: Document<'c>, tree: &'c Tree) -> Self {
        Self {
            file,
            text: document.text,
            offset: document.offset,
            tree,
            node: 0,
        }
    }

    fn text_at(&self, path: &[&str]) -> Option<&'c str> {
        text_at(self.tree, self.node, path)
    }

    fn is_named(&self, named: &ResourceName) -> bool {
        let is = |path: &[&str], expected: &str| self.text_at(path) == Some(expected);
        let is_any_or = |path: &[&str], expected: &str| expected.is_empty() || is(path, expected);
        is(&["kind"], &named.kind)
            && is(&["metadata", "name"], &named.name)
            && is_any_or(&["apiVersion"], &named.api_version)
            && is_any_or(&["metadata", "namespace"], &named.namespace)
    }

    /// Adds a label at byte `at` of the text.
    fn labelled(&self, error: Diagnostic, at: usize, message: &str) -> Diagnostic {
        let at = Span::point(self.offset + at);
        error.at_concealed(Origin::Manifest(self.file), at, message)
    }
}

/// Returns the text of a node as a document, with the indentation that its first line had.
fn alone(text: &str, tree: &Tree, node: NodeId) -> Vec<u8> {
    let extent = tree[node].extent();
    let before = text.get(..extent.start).unwrap_or_default();
    let column = before.len() - before.rfind('\n').map_or(0, |at| at + 1);
    // The end of a block scalar may be after the indentation of the next line.
    let own = text.get(extent).unwrap_or_default().trim_end_matches(' ');
    let mut content = " ".repeat(column);
    content.push_str(own);
    if !own.ends_with('\n') {
        content.push('\n');
    }
    content.into_bytes()
}
