//! The placeholder languages: one syntax tree, and a file for every dialect that
//! parses into it.

mod broken;
mod head;
mod landfall;
mod mask;
mod setter;
mod site;
mod template;

pub(crate) use broken::not_a_reference;
pub(crate) use head::{Heads, UnboundHead, head_name, openings, shapes, skip_name};
pub(crate) use landfall::{SyntaxError, extent, is_key, parse, parse_partial};
pub(crate) use mask::{Mask, locate, mask_references, mask_shapes, mask_unfinished};
pub(crate) use setter::{is_setter, template_text};
pub(crate) use site::Site;
pub(crate) use template::Template;

use std::ops::Range;

/// `${infra.subnets[0] | default("none")}`, parsed. Every range counts bytes of
/// the text that the reference was read from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Reference {
    pub(crate) path: Path,
    pub(crate) calls: Vec<Call>,
    /// From `$` to after `}`.
    pub(crate) range: Range<usize>,
}

/// `infra.subnets[0]`
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Path {
    /// The bound name.
    pub(crate) binding: String,
    /// At least one; the first names the output.
    pub(crate) segments: Vec<Segment>,
    pub(crate) range: Range<usize>,
}

/// One step of a path.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Segment {
    pub(crate) step: Step,
    /// The key or index alone, without `.`, brackets or quotes.
    pub(crate) range: Range<usize>,
    /// With them.
    pub(crate) whole: Range<usize>,
}

/// What a step looks up.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Step {
    /// `.name` or `["any key"]`. Digits after a dot are an index where a list
    /// stands.
    Key(String),
    /// `[0]`
    Index(usize),
}

impl Step {
    /// The key that it looks up in an object.
    pub(crate) fn key(&self) -> String {
        match self {
            Self::Key(key) => key.clone(),
            Self::Index(index) => index.to_string(),
        }
    }
}

/// `| default("none")`
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Call {
    pub(crate) function: String,
    pub(crate) range: Range<usize>,
    pub(crate) arguments: Vec<Argument>,
}

/// An argument with its place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Argument {
    pub(crate) value: ArgumentValue,
    pub(crate) range: Range<usize>,
}

/// What an argument can be.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum ArgumentValue {
    Null,
    Bool(bool),
    /// Digits as written.
    Number(String),
    String(String),
    Path(Path),
}

impl Path {
    /// The output that it names: `infra.vpc_id` of `infra.vpc_id["x"]`.
    pub(crate) fn output(&self) -> String {
        self.spelled_to(1)
    }

    /// The path as it is spoken of: `infra.tags["a b"]`.
    pub(crate) fn spelled(&self) -> String {
        self.spelled_to(self.segments.len())
    }

    /// Its bound name and so many of its segments.
    pub(crate) fn spelled_to(&self, segments: usize) -> String {
        let mut spelled = String::with_capacity(self.range.len());
        spelled.push_str(&self.binding);
        for segment in self.segments.iter().take(segments) {
            match &segment.step {
                Step::Key(key) if is_key(key) => {
                    spelled.push('.');
                    spelled.push_str(key);
                }
                Step::Key(key) => {
                    spelled.push_str("[\"");
                    spelled.push_str(&key.replace('\\', "\\\\").replace('"', "\\\""));
                    spelled.push_str("\"]");
                }
                Step::Index(index) => spelled.push_str(&format!("[{index}]")),
            }
        }
        spelled
    }
}
