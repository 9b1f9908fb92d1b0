//! The node of a reference at an offset.

use std::borrow::Cow;
use std::ops::Range;

use crate::analysis::document::TextAt;
use crate::functions::look_up::target_of;
use crate::functions::{member, value_at};
use crate::outputs::{Bindings, Bound, Value};
use crate::reference::{ArgumentValue, Call, LANDFALL, Path, Reference, Segment, Step, landfall};

/// How far before the offset a reference may begin, in bytes: longer ones do not occur in
/// practice, and an unclosed `${` must not cost more.
const MAX_REFERENCE: usize = 4096;

/// A named part of a reference.
#[derive(Clone, Copy, Debug)]
pub(super) enum Node<'r> {
    /// The name of a binding.
    Binding(&'r Path),
    /// An output, key or index: the segment at this position of a path.
    Segment(&'r Path, usize),
    /// A function: the call at this position of the reference, or the one that is this
    /// deep in it.
    Call { nth: usize, depth: usize },
}

/// Returns the reference in `text` whose bytes, as far as they can be parsed, are around or
/// right before `at`, and whether it is finished.
pub(super) fn reference_at(text: &str, at: usize) -> Option<(Reference, bool)> {
    let bytes = text.as_bytes();
    let from = at.saturating_sub(MAX_REFERENCE);
    let opener = LANDFALL.notation().opener;
    let openings =
        memchr::memmem::find_iter(bytes.get(from..at)?, opener).map(|start| from + start);
    // The outermost first: what looks like a reference in another one's string is text.
    for start in openings {
        if start > 0 && bytes.get(start - 1) == Some(&b'$') {
            continue;
        }
        let (reference, error) = landfall::parse_partial(text, start);
        let is_finished = error.is_none();
        if at < reference.range.end || at == reference.range.end && !is_finished {
            return Some((reference, is_finished));
        }
    }
    None
}

impl Node<'_> {
    /// Returns the bytes of its name.
    pub(super) fn range(self, reference: &Reference) -> Range<usize> {
        match self {
            Self::Binding(path) => {
                let start = path.range.start;
                start..start + path.binding.as_ref().map_or(0, String::len)
            }
            Self::Segment(path, nth) => {
                let segment = path.segments.get(nth);
                segment.map_or(0..0, |segment| segment.range.clone())
            }
            Self::Call { nth, depth } => {
                let call = called(reference, nth, depth);
                call.map_or(0..0, |call| call.range.clone())
            }
        }
    }
}

/// Returns the call at this position of a reference, or the one that is this deep in it.
pub(super) fn called(reference: &Reference, nth: usize, depth: usize) -> Option<&Call> {
    reference.calls.get(nth)?.with_nested().nth(depth)
}

/// Returns the node whose name is around `at`, or is expected there.
pub(super) fn node_at<'r>(reference: &'r Reference, text: &str, at: usize) -> Option<Node<'r>> {
    fn of_path(path: &Path) -> impl Iterator<Item = Node<'_>> {
        let segments = (0..path.segments.len()).map(|nth| Node::Segment(path, nth));
        std::iter::once(Node::Binding(path)).chain(segments)
    }
    let calls = reference.calls.iter().enumerate().flat_map(|(nth, call)| {
        call.with_nested()
            .enumerate()
            .flat_map(move |(depth, call)| {
                let arguments = call.arguments.iter();
                let paths = arguments.filter_map(|argument| match &argument.value {
                    ArgumentValue::Path(path) => Some(path),
                    _ => None,
                });
                std::iter::once(Node::Call { nth, depth }).chain(paths.flat_map(of_path))
            })
    });
    of_path(&reference.path).chain(calls).find(|node| {
        let range = node.range(reference);
        let before = text.get(at..range.start);
        at <= range.end && before.is_none_or(|before| before.trim_ascii().is_empty())
    })
}

/// Returns the node whose name is around the offset of a text, with the bytes of the name.
pub(super) fn name_at<'r>(
    reference: &'r Reference,
    text: &TextAt<'_>,
) -> Option<(Node<'r>, Range<usize>)> {
    let node = node_at(reference, text.text, text.at)?;
    let range = node.range(reference);
    let is_name = !range.is_empty() && range.start <= text.at;
    is_name.then_some((node, range))
}

/// Returns the output that a path names.
pub(super) fn output<'b>(path: &Path, bindings: &'b Bindings) -> Option<&'b Bound> {
    target_of(path, bindings)?.bound()
}

/// Returns the value at a path in an output. A sensitive value isn't inspected: `None` for
/// anything inside it.
pub(super) fn descendant<'b>(
    output: &'b Bound,
    steps: &[Segment],
    bindings: &Bindings,
) -> Option<Cow<'b, Value>> {
    if output.sensitive && !steps.is_empty() {
        None
    } else {
        value_at(&output.value, steps, bindings)
    }
}

/// The maximum number of items after `[*]` whose keys are compared: in practice all items
/// of a list have the same keys.
const MAX_ITEMS: usize = 100;

/// Returns the values in which the step after these steps is looked up: one, or items of
/// lists after `[*]`. The output is not sensitive.
pub(super) fn values_before<'b>(output: &'b Bound, steps: &[Segment]) -> Vec<&'b Value> {
    let mut values = vec![&output.value];
    for segment in steps {
        let members = |value: &&'b Value| match (*value, &segment.step) {
            (Value::List(items), Step::Splat) => items.iter().take(MAX_ITEMS).collect(),
            (value, step) => Vec::from_iter(member(value, step)),
        };
        values = values.iter().flat_map(members).take(MAX_ITEMS).collect();
    }
    values
}
