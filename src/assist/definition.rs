//! Where a name in a reference is defined.

use crate::assist::ask;
use crate::assist::node::{Node, name_at, output, reference_at};
use crate::contract::Application;
use crate::outputs::OutputsDocument;
use crate::report::Origin;
use yaml::Span;

/// Where a name in a manifest is defined.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Definition {
    /// The bytes of the name in the manifest.
    pub span: Span,
    /// The outputs document.
    pub origin: Origin,
    /// The bytes of the output's name there, with its quotes, or a point on its line; the
    /// beginning of the document for the name of a binding.
    pub target: Span,
}

/// Returns where the name at byte `offset` of a manifest is defined: an output, with
/// everything in it, in its document; a bound name in the last of its documents. Returns
/// `None` outside references, for functions, and for outputs that do not exist. The Binding
/// may declare outputs sensitive, after which columns are not reported.
///
/// # Examples
/// ```
/// use landfall::{Application, Origin, OutputsDocument, definition};
///
/// let outputs = [OutputsDocument {
///     name: "infra".into(),
///     content: br#"{"vpc_id": {"sensitive": false, "type": "string", "value": "vpc-0ab1"}}"#.to_vec(),
///     ..OutputsDocument::default()
/// }];
/// let found = definition(b"vpc: ${infra.vpc_id}", 15, &outputs, &Application::default()).unwrap();
/// assert_eq!(found.origin, Origin::Outputs(0));
/// assert_eq!(found.target.range(), 1..9);
/// ```
#[must_use]
pub fn definition(
    manifest: &[u8],
    offset: usize,
    outputs: &[OutputsDocument],
    application: &Application,
) -> Option<Definition> {
    ask(
        manifest,
        offset,
        outputs,
        application,
        |text, _, bindings| {
            let (reference, _) = reference_at(text.text, text.at)?;
            let (node, range) = name_at(&reference, text)?;
            let (document, target) = match node {
                Node::Binding(path) => {
                    let named = bindings.named(path.binding.as_deref()?)?;
                    (named.document, Span::point(0))
                }
                Node::Segment(path, _) => {
                    let output = output(path, bindings)?;
                    (output.document, output.span)
                }
                Node::Call { .. } => return None,
            };
            Some(Definition {
                span: text.span(&range),
                origin: Origin::Outputs(document),
                target,
            })
        },
    )
}
