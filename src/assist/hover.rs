//! What a name in a reference means.

use crate::assist::ask_of_name;
use crate::assist::node::{Node, called, descendant, output};
use crate::contract::Application;
use crate::functions::Function;
use crate::outputs::{Bindings, OutputsDocument};
use crate::reference::Reference;
use crate::report::Origin;
use yaml::Span;

/// Shown instead of a sensitive value.
const SENSITIVE: &str = "(sensitive)";

/// What a name in a manifest means.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Hover {
    /// The bytes of the name.
    pub span: Span,
    /// What it means.
    pub kind: HoverKind,
}

/// What a name in a reference means.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum HoverKind {
    /// A bound name.
    Binding {
        /// `infra`
        name: String,
        /// How many outputs it has.
        outputs: usize,
    },
    /// An output, or a key or an index in its value.
    Output {
        /// The path to it: `infra.tags["team"]`. For anything inside a sensitive output,
        /// the path of the output.
        path: String,
        /// The type of its value in Terraform's terms: `string`, `number`, `bool`, `list`,
        /// `object`, `null`.
        value_type: &'static str,
        /// Whether the output is sensitive.
        sensitive: bool,
        /// The value as text or as JSON; `(sensitive)` for a sensitive output.
        value: String,
        /// The outputs document.
        origin: Origin,
        /// The bytes of the output's name there, with its quotes, or a point on its line.
        definition: Span,
    },
    /// A function.
    Function {
        /// `join`
        name: &'static str,
        /// `join(separator)`
        signature: String,
        /// What it does, in a few words.
        summary: &'static str,
    },
}

/// Returns what the name at byte `offset` of a manifest means. Returns `None` outside
/// references, and for names that do not exist. The Binding may declare outputs sensitive.
///
/// # Examples
/// ```
/// use landfall::{Application, HoverKind, OutputsDocument, hover};
///
/// let outputs = [OutputsDocument {
///     name: "infra".into(),
///     content: br#"{"vpc_id": {"sensitive": false, "type": "string", "value": "vpc-0ab1"}}"#.to_vec(),
///     ..OutputsDocument::default()
/// }];
/// let found = hover(b"vpc: ${infra.vpc_id | upper}", 15, &outputs, &Application::default()).unwrap();
/// assert_eq!(found.span.range(), 13..19);
/// let HoverKind::Output { path, value, .. } = found.kind else { panic!() };
/// assert_eq!((&path[..], &value[..]), ("infra.vpc_id", "vpc-0ab1"));
/// ```
#[must_use]
pub fn hover(
    manifest: &[u8],
    offset: usize,
    outputs: &[OutputsDocument],
    application: &Application,
) -> Option<Hover> {
    let (span, kind) = ask_of_name(manifest, offset, outputs, application, meaning)?;
    Some(Hover { span, kind })
}

fn meaning(reference: &Reference, node: Node<'_>, bindings: &Bindings) -> Option<HoverKind> {
    let kind = match node {
        Node::Binding(path) => {
            let name = path.binding.as_deref()?;
            let named = bindings.named(name)?;
            HoverKind::Binding {
                name: name.to_owned(),
                outputs: named.outputs.len(),
            }
        }
        Node::Segment(path, nth) => {
            let bound = output(path, bindings)?;
            let last = if bound.sensitive { 0 } else { nth };
            let value = descendant(bound, path.segments.get(1..=last)?, bindings)?;
            HoverKind::Output {
                path: path.display_to(last + 1),
                value_type: value.value_type().name(),
                sensitive: bound.sensitive,
                value: match (bound.sensitive, value.text()) {
                    (true, _) => SENSITIVE.to_owned(),
                    (false, Some(text)) => text.to_owned(),
                    (false, None) => value.to_json(),
                },
                origin: Origin::Outputs(bound.document),
                definition: bound.span,
            }
        }
        Node::Call { nth, depth } => {
            let call = called(reference, nth, depth)?;
            let function = Function::of_name(&call.function)?;
            HoverKind::Function {
                name: function.name,
                signature: function.signature(),
                summary: function.doc,
            }
        }
    };
    Some(kind)
}
