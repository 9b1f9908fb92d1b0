//! Where a name in a reference is defined.

use crate::assist::ask_of_name;
use crate::assist::node::{Node, output};
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
    let (span, (origin, target)) = ask_of_name(
        manifest,
        offset,
        outputs,
        application,
        |_, node, bindings| match node {
            Node::Binding(path) => {
                let named = bindings.named(path.binding.as_deref()?)?;
                Some((Origin::Outputs(named.document), Span::point(0)))
            }
            Node::Segment(path, _) => {
                let output = output(path, bindings)?;
                Some((Origin::Outputs(output.document), output.span))
            }
            Node::Call { .. } => None,
        },
    )?;
    Some(Definition {
        span,
        origin,
        target,
    })
}
