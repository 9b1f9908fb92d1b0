//! References in every dialect: one syntax tree, and a file for each dialect that parses
//! text into it and writes it back.

mod derivation;
mod dialect;
mod dialects;
mod head;
mod invalid_reference;
mod mask;
mod parsed;
mod site;
mod template;

pub(crate) use derivation::NotDerived;
pub(crate) use dialect::{Dialect, Insertion, Notation, Opening, Position, Syntax};
#[cfg(test)]
pub(crate) use dialects::documented;
pub(crate) use dialects::{
    ACTION_CLOSER, ACTION_OPENER, Action, DIALECTS, Expression, ExpressionKind, LANDFALL,
    NAME_NORMALIZED, SyntaxError, landfall, parse_action, references_of_others,
};
#[cfg(feature = "toys")]
pub use dialects::{DialectTokens, dialect_tokens};
pub(crate) use head::{Heads, UnboundHead, is_escaped, opening_at, openings, skip_name};
pub(crate) use invalid_reference::invalid_reference;
pub(crate) use mask::{Mask, locate, mask_found, mask_references, mask_shapes, mask_unfinished};
pub(crate) use parsed::{ParsedReference, ParsedReferences};
pub(crate) use site::Site;
pub(crate) use template::Template;

use std::borrow::Cow;
use std::ops::Range;

/// Returns whether a part of a reference, as it is written, has text of its own, such as a
/// fallback: not only a path and names of functions.
pub(crate) fn has_own_text(written: &str) -> bool {
    let is_of_names = |byte: u8| byte.is_ascii_alphanumeric() || b"${}_-.[]* |".contains(&byte);
    !written.bytes().all(is_of_names)
}

/// `${infra.subnets[0] | default("none")}`, parsed. Every range is in bytes of the text
/// that the reference was parsed from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Reference {
    pub(crate) path: Path,
    pub(crate) calls: Vec<Call>,
    /// From the opener through the closer.
    pub(crate) range: Range<usize>,
}

/// `infra.subnets[0]`
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Path {
    /// The bound name. `None` in dialects whose references name only an output, which is
    /// one of the default binding: the only binding, or `infra` if there are several.
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
    /// The same, including them.
    pub(crate) whole: Range<usize>,
}

/// What a step looks up.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Step {
    /// `.name` or `["any key"]`. Digits after a dot are an index if the value is a list.
    Key(String),
    /// `[0]`
    Index(usize),
    /// `[*]`: the rest of the path is looked up in every item of a list.
    Splat,
}

impl Step {
    /// Returns the key that the step looks up in an object; `*` for `[*]`, which looks up
    /// none and is never the first step.
    pub(crate) fn key(&self) -> Cow<'_, str> {
        match self {
            Self::Key(key) => Cow::Borrowed(key),
            Self::Index(index) => Cow::Owned(index.to_string()),
            Self::Splat => Cow::Borrowed("*"),
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

/// What a reference does to the entry or item that it is, instead of being replaced by its
/// value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum MemberCall {
    /// `default(omit)`: removes it if there is no value.
    Omit,
    /// `spread`: replaces an item with all items of a list.
    Spread,
}

/// An argument with its location.
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
    /// A nested reference, which may call functions.
    Reference(Box<Reference>),
    /// Strings and nested references, joined to one text.
    Concatenation(Vec<Argument>),
    /// `omit`, in `default(omit)`: no value, so that the entry or item is removed.
    Omit,
    /// A function that another one calls: `upper` in `each(upper)`.
    Call(Box<Call>),
}

impl Reference {
    /// Returns whether its last function makes JSON of the value.
    pub(crate) fn becomes_json(&self) -> bool {
        (self.calls.last()).is_some_and(|call| call.function == "json")
    }

    /// Returns a reference that is not part of a text yet.
    pub(crate) const fn new(path: Path, calls: Vec<Call>) -> Self {
        Self {
            path,
            calls,
            range: 0..0,
        }
    }

    /// Returns what it may do to an entry or item; `spread` also if both are called.
    pub(crate) fn member_call(&self) -> Option<MemberCall> {
        if self.calls.last()?.function == "spread" {
            return Some(MemberCall::Spread);
        }
        let mut arguments = self.calls.iter().flat_map(|call| &call.arguments);
        let omits = arguments.any(|argument| argument.value == ArgumentValue::Omit);
        omits.then_some(MemberCall::Omit)
    }

    /// Calls `each` with every path in the reference: its own, and those of its arguments.
    pub(crate) fn for_each_path<'r>(&'r self, each: &mut dyn FnMut(&'r Path)) {
        each(&self.path);
        for argument in self.calls.iter().flat_map(|call| &call.arguments) {
            argument.for_each_path(each);
        }
    }
}

impl Argument {
    /// Calls `each` with every path in the argument.
    pub(crate) fn for_each_path<'r>(&'r self, each: &mut dyn FnMut(&'r Path)) {
        match &self.value {
            ArgumentValue::Path(path) => each(path),
            ArgumentValue::Reference(reference) => reference.for_each_path(each),
            ArgumentValue::Concatenation(parts) => {
                parts.iter().for_each(|part| part.for_each_path(each));
            }
            ArgumentValue::Call(call) => {
                for argument in &call.arguments {
                    argument.for_each_path(each);
                }
            }
            _ => {}
        }
    }

    /// Calls `each` with every reference nested in the argument, but not with those in them.
    pub(crate) fn for_each_nested<'r, E>(
        &'r self,
        each: &mut dyn FnMut(&'r Reference) -> Result<(), E>,
    ) -> Result<(), E> {
        match &self.value {
            ArgumentValue::Reference(reference) => each(reference),
            ArgumentValue::Concatenation(parts) => {
                parts.iter().try_for_each(|part| part.for_each_nested(each))
            }
            _ => Ok(()),
        }
    }
}

impl Call {
    /// Returns a call with string arguments that is not part of a text yet.
    pub(crate) fn new(function: &str, arguments: &[&str]) -> Self {
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

    /// Returns the call that is its first argument: `upper` of `each(upper)`.
    pub(crate) fn nested(&self) -> Option<&Self> {
        match &self.arguments.first()?.value {
            ArgumentValue::Call(call) => Some(call),
            _ => None,
        }
    }

    /// Returns the call and those nested in it, the outermost first.
    pub(crate) fn with_nested(&self) -> impl Iterator<Item = &Self> {
        std::iter::successors(Some(self), |call| call.nested())
    }
}

/// Whether a comment is a setter comment in landfall's own dialect.
pub(crate) fn is_setter(comment: &str) -> bool {
    LANDFALL.setter(comment).is_some()
}

impl Path {
    /// Returns the path of an output; it is not part of a text yet.
    pub(crate) fn new(binding: Option<String>, output: &str) -> Self {
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

    /// Returns the output that the path names: `infra.vpc_id` for `infra.vpc_id["x"]`.
    pub(crate) fn output(&self) -> String {
        self.display_to(1)
    }

    /// Returns the path as messages show it, the same in every dialect:
    /// `infra.tags["a b"]`.
    pub(crate) fn display(&self) -> String {
        self.display_to(self.segments.len())
    }

    /// Returns the bound name and this number of segments, as messages show them.
    pub(crate) fn display_to(&self, segments: usize) -> String {
        self.display_with(self.binding.as_deref(), segments)
    }

    fn display_with(&self, binding: Option<&str>, segments: usize) -> String {
        let mut text = String::with_capacity(self.range.len());
        text.push_str(binding.unwrap_or_default());
        for segment in self.segments.iter().take(segments) {
            match &segment.step {
                Step::Key(key) if landfall::is_key(key) => {
                    if !text.is_empty() {
                        text.push('.');
                    }
                    text.push_str(key);
                }
                Step::Key(key) => {
                    text.push_str("[\"");
                    text.push_str(&key.replace('\\', "\\\\").replace('"', "\\\""));
                    text.push_str("\"]");
                }
                Step::Index(index) => text.push_str(&format!("[{index}]")),
                Step::Splat => text.push_str("[*]"),
            }
        }
        text
    }
}
