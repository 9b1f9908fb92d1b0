//! References in every dialect: one syntax tree, and a file for each dialect that
//! parses into it and writes out of it.

mod broken;
mod dialect;
mod dialects;
mod head;
mod mask;
mod site;
mod template;

pub(crate) use broken::not_a_reference;
pub(crate) use dialect::{Dialect, Insertion, Notation, Opening, Place, Syntax};
pub(crate) use dialects::{DIALECTS, LANDFALL, SyntaxError, extent, is_key, parse, parse_partial};
pub(crate) use head::{Heads, UnboundHead, is_escaped, opening_at, openings, skip_name};
pub(crate) use mask::{Mask, locate, mask_references, mask_shapes, mask_unfinished};
pub(crate) use site::Site;
pub(crate) use template::Template;

use std::ops::Range;

/// `${infra.subnets[0] | default("none")}`, parsed. Every range counts bytes of
/// the text that the reference was read from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Reference {
    pub(crate) path: Path,
    pub(crate) calls: Vec<Call>,
    /// From its opener to after its closer.
    pub(crate) range: Range<usize>,
}

/// `infra.subnets[0]`
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Path {
    /// The bound name. `None` in dialects whose references name an output alone: it is
    /// one of the default binding, which is the only one, or of several `infra`.
    pub(crate) binding: Option<String>,
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
    /// A reference with functions of its own.
    #[cfg_attr(
        not(feature = "toy-dialect"),
        expect(dead_code, reason = "landfall's own dialect has none")
    )]
    Reference(Box<Reference>),
}

impl Reference {
    /// Returns a reference that is in no text yet.
    pub(crate) const fn of(path: Path, calls: Vec<Call>) -> Self {
        Self {
            path,
            calls,
            range: 0..0,
        }
    }

    /// Hands on every path in the reference: its own, and those of its arguments.
    pub(crate) fn each_path<'r>(&'r self, each: &mut dyn FnMut(&'r Path)) {
        each(&self.path);
        for argument in self.calls.iter().flat_map(|call| &call.arguments) {
            match &argument.value {
                ArgumentValue::Path(path) => each(path),
                ArgumentValue::Reference(reference) => reference.each_path(each),
                _ => {}
            }
        }
    }
}

impl Call {
    /// Returns a call that is in no text yet, with arguments that are strings.
    pub(crate) fn of(function: &str, arguments: &[&str]) -> Self {
        let argument = |text: &&str| Argument {
            value: ArgumentValue::String((*text).to_owned()),
            range: 0..0,
        };
        Self {
            function: function.to_owned(),
            range: 0..0,
            arguments: arguments.iter().map(argument).collect(),
        }
    }
}

/// Whether a comment is a setter's in landfall's own dialect.
pub(crate) fn is_setter(comment: &str) -> bool {
    LANDFALL.setter(comment).is_some()
}

impl Path {
    /// Returns the path of an output that is in no text yet.
    pub(crate) fn of(binding: Option<String>, output: &str) -> Self {
        let segment = Segment {
            step: Step::Key(output.to_owned()),
            range: 0..0,
            whole: 0..0,
        };
        Self {
            binding,
            segments: vec![segment],
            range: 0..0,
        }
    }

    /// The output that it names: `infra.vpc_id` of `infra.vpc_id["x"]`.
    pub(crate) fn output(&self) -> String {
        self.spelled_to(1)
    }

    /// The output that it names, of this binding.
    pub(crate) fn output_of(&self, binding: Option<&str>) -> String {
        self.spelled_with(binding, 1)
    }

    /// The path as it is spoken of, the same in every dialect: `infra.tags["a b"]`.
    pub(crate) fn spelled(&self) -> String {
        self.spelled_to(self.segments.len())
    }

    /// Its bound name and so many of its segments.
    pub(crate) fn spelled_to(&self, segments: usize) -> String {
        self.spelled_with(self.binding.as_deref(), segments)
    }

    fn spelled_with(&self, binding: Option<&str>, segments: usize) -> String {
        let mut spelled = String::with_capacity(self.range.len());
        spelled.push_str(binding.unwrap_or_default());
        for segment in self.segments.iter().take(segments) {
            match &segment.step {
                Step::Key(key) if is_key(key) => {
                    if !spelled.is_empty() {
                        spelled.push('.');
                    }
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
