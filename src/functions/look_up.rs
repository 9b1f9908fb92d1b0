//! Looks up a path in the bound outputs.

use std::borrow::Cow;
use std::ops::Range;

use crate::functions::call::{ITEM, size, width};
use crate::functions::failed_call::too_much_work;
use crate::functions::{StandIn, sensitive_failure};
use crate::outputs::Mark;
use crate::outputs::{Bindings, Bound, Key, Target, Type, Value};
use crate::reference::Site;
use crate::reference::{Path, Segment, Step, Syntax};
use crate::report::suggest;
use crate::report::{Diagnostic, Origin, Rule};
use yaml::Edit;
use yaml::Style;

/// A value while functions are evaluated: present, or missing with the error
/// that is reported unless `default` applies.
pub(crate) enum Found<'b> {
    Value(Cow<'b, Value>),
    Missing(Box<Missing>),
    /// There is none, and the entry or item is removed: `default(omit)`.
    Omitted,
    /// It depends on something sensitive, so it is not evaluated: nothing may depend on it
    /// before its placement is known.
    Withheld,
    /// It depends on an output that is only declared or not known before an apply.
    Unknown,
}

/// Which values may be read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Evaluation {
    /// Only values of outputs that aren't sensitive; others are withheld.
    Public,
    All,
    /// A placeholder replaces each sensitive value, which is not read.
    StandIns(StandIn),
}

pub(crate) struct Missing {
    pub(crate) error: Diagnostic,
    /// An existing name that differs from the missing one by a typing mistake.
    pub(crate) typo: Option<String>,
}

impl Found<'_> {
    /// Returns the type of the value; null if it is missing.
    pub(crate) fn value_type(&self) -> Type {
        match self {
            Self::Value(value) => value.value_type(),
            Self::Missing(_) | Self::Omitted | Self::Withheld | Self::Unknown => Type::Null,
        }
    }
}

/// The origin of a value.
#[derive(Clone, Copy)]
pub(crate) enum Source<'r, 'b> {
    /// An output that exists, as this path names it.
    Output(&'r Path, &'b Bound),
    /// A path without a value.
    Missing(&'r Path),
    /// A literal in the reference: `default("")` is intended.
    Literal,
}

impl<'r, 'b> Source<'r, 'b> {
    pub(crate) const fn bound(self) -> Option<&'b Bound> {
        match self {
            Self::Output(_, bound) => Some(bound),
            Self::Missing(_) | Self::Literal => None,
        }
    }

    /// Returns the output, if it is sensitive.
    pub(crate) fn mark(self) -> Option<(&'r Path, &'b Bound)> {
        match self {
            Self::Output(path, bound) if bound.sensitive => Some((path, bound)),
            Self::Output(..) | Self::Missing(_) | Self::Literal => None,
        }
    }
}

/// Returns the output that a path names, which may not exist.
pub(crate) fn target_of<'b, 'p>(path: &'p Path, bindings: &'b Bindings) -> Option<Target<'b, 'p>> {
    let output = path.segments.first()?.step.key();
    bindings.target(path.binding.as_deref(), output)
}

/// The name of an output as messages show it: `infra.vpc_id`. It is only written where it is
/// shown.
#[derive(Clone, Debug)]
pub(crate) enum OutputName<'b> {
    /// The names of a binding and of an output that exists.
    Bound(&'b str, &'b str),
    Other(String),
}

impl std::fmt::Display for OutputName<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Bound(binding, output) => {
                f.write_str(&Path::new(Some((*binding).to_owned()), output).output())
            }
            Self::Other(name) => f.write_str(name),
        }
    }
}

/// Returns the name of the output that a path names.
pub(crate) fn name_of<'b>(path: &Path, bindings: &'b Bindings) -> OutputName<'b> {
    let Some(target) = target_of(path, bindings) else {
        return OutputName::Other(path.output());
    };
    match target.named.outputs.get_key_value(&*target.output) {
        Some((output, _)) => OutputName::Bound(target.binding, output),
        None => {
            let path = Path::new(Some(target.binding.to_owned()), &target.output);
            OutputName::Other(path.output())
        }
    }
}

/// Returns the output that a path is, with its name: one that exists, is public and known
/// and has a value. Marks it as used. `None` if anything else has to be decided, or if the
/// path continues in the value.
pub(crate) fn public_output<'b>(
    path: &Path,
    bindings: &'b Bindings,
) -> Option<(OutputName<'b>, &'b Bound)> {
    if path.segments.len() != 1 {
        return None;
    }
    let target = target_of(path, bindings)?;
    let (output, bound) = target.named.outputs.get_key_value(&*target.output)?;
    let is_decided = !bound.sensitive && bound.unknown.is_none() && !bound.value.is_empty();
    if !is_decided || target.named.unreadable(&target.output).is_some() {
        return None;
    }
    bound.used.set(true);
    Some((OutputName::Bound(target.binding, output), bound))
}

/// Looks up a path.
///
/// # Errors
/// `[*]` fails: a `default` replaces an output that is missing, but not an item that is
/// incomplete.
pub(crate) fn look_up<'r, 'b>(
    path: &'r Path,
    bindings: &'b Bindings,
    evaluation: Evaluation,
    site: &Site<'_>,
) -> Result<(Found<'b>, Source<'r, 'b>), Box<Diagnostic>> {
    let missing = |error, typo: Option<&str>| {
        let typo = typo.map(str::to_owned);
        let missing = Found::Missing(Box::new(Missing { error, typo }));
        Ok((missing, Source::Missing(path)))
    };
    let target = target_of(path, bindings);
    let (Some(target), Some((first, rest))) = (target, path.segments.split_first()) else {
        let (error, typo) = match bindings.variable_names() {
            Some(_) => unknown_variable(path, bindings, site),
            None => {
                let (error, typo) = unbound(path, bindings);
                (site.label(error, &path.range, ""), typo)
            }
        };
        return missing(error, typo);
    };
    let Target {
        binding,
        named,
        output: name,
    } = target;
    let outputs = &named.outputs;
    if let Some((document, entry)) = named.unreadable(&name) {
        let error = Diagnostic::error(
            Rule::UnreadableOutput,
            format!(
                "`{}` cannot be read: {}",
                Path::new(Some(binding.to_owned()), &name).output(),
                entry.why
            ),
        );
        let error = site
            .label(error, &first.range, "")
            .at_concealed(Origin::Outputs(document), entry.span, "this entry")
            .help(entry.help);
        return missing(error, None);
    }
    let Some(bound) = outputs.get(&*name).inspect(|bound| bound.used.set(true)) else {
        let error = Diagnostic::error(
            Rule::UnknownOutput,
            format!("`{binding}` has no output `{name}`"),
        );
        let names = || outputs.keys().map(String::as_str);
        let near = if bindings.may_suggest() {
            suggest::closest(&name, names())
        } else {
            None
        };
        let error = match near {
            Some(near) => {
                let error = fix_step(error, site, path, 0, near);
                let error = site.label(error, &first.range, "no such output");
                match outputs.get(near) {
                    Some(near) => {
                        let origin = Origin::Outputs(near.document);
                        error.at_concealed(origin, near.span, "this output exists")
                    }
                    None => error,
                }
            }
            None if named.is_absent => site.label(error, &first.range, "no such output").help(
                site.dialect.translate_calls(
                    "its document is optional and does not exist: add `| default(\"…\")`",
                ),
            ),
            None if outputs.is_empty() => site
                .label(error, &first.range, "no such output")
                .help("its documents contain no outputs"),
            None => site
                .label(error, &first.range, "no such output")
                .help(format!(
                    "available outputs: {}; {}",
                    suggest::listed(names()),
                    (site.dialect).translate_calls("if it may be missing, add `| default(\"…\")`")
                )),
        };
        let typo = near.filter(|near| suggest::is_typo(&name, near));
        return missing(error, typo);
    };
    let source = Source::Output(path, bound);
    if bound.sensitive && evaluation == Evaluation::Public {
        return Ok((Found::Withheld, source));
    }
    if let Some(unknown) = &bound.unknown
        && is_unknown(unknown, rest)
    {
        return Ok((Found::Unknown, source));
    }
    if bound.sensitive {
        // The keys of a sensitive value, and their number, are part of it.
        let mut walk = Walk::new(rest, bindings);
        let found = match walk.value_of(&bound.value, 0) {
            Ok(value) => Found::Value(value),
            Err(why) => {
                let error = sensitive_failure::no_value(path, &Mark::of(path, bound), site);
                if !walk.may_default(&why) {
                    return Err(Box::new(error));
                }
                Found::Missing(Box::new(Missing { error, typo: None }))
            }
        };
        // If a default applies, it replaces this output.
        return Ok((found, source));
    }
    let mut walk = Walk::new(rest, bindings);
    let why = match walk.value_of(&bound.value, 0) {
        Ok(value) => return Ok((Found::Value(value), source)),
        Err(why) => why,
    };
    let error = walk.error(&why, path, site);
    let found = bound.value.value_type().described();
    let origin = Origin::Outputs(bound.document);
    let error = error.at_concealed(origin, bound.span, format!("this output is {found}"));
    if !walk.may_default(&why) {
        return Err(Box::new(error));
    }
    let typo = match why {
        StepError::Key { typo, .. } => typo,
        _ => None,
    };
    let (found, _) = missing(error, typo.as_deref())?;
    Ok((found, source))
}

/// Returns whether the part of a value at these steps is unknown, or contains something that
/// is. It recurses at most as deep as the value is.
fn is_unknown(unknown: &Value, steps: &[Segment]) -> bool {
    let [segment, rest @ ..] = steps else {
        return unknown.has_mark();
    };
    match (unknown, &segment.step) {
        (Value::Bool(unknown), _) => *unknown,
        (Value::List(items), Step::Splat) => items.iter().any(|item| is_unknown(item, rest)),
        (unknown, step) => member(unknown, step).is_some_and(|part| is_unknown(part, rest)),
    }
}

/// Returns the value at these steps in a value that is bound.
pub(crate) fn value_at<'v>(
    value: &'v Value,
    steps: &[Segment],
    bindings: &Bindings,
) -> Option<Cow<'v, Value>> {
    Walk::new(steps, bindings).value_of(value, 0).ok()
}

/// The steps of a path after its output, and how far they have been followed.
struct Walk<'a> {
    steps: &'a [Segment],
    bindings: &'a Bindings,
    /// The position of the last step that was looked up.
    at: usize,
    /// The index of the current item for each `[*]` before that step.
    indices: Vec<usize>,
}

impl<'a> Walk<'a> {
    const fn new(steps: &'a [Segment], bindings: &'a Bindings) -> Self {
        Self {
            steps,
            bindings,
            at: 0,
            indices: Vec::new(),
        }
    }

    /// Returns the value at the steps from `first` on. It recurses at `[*]` only, at most as
    /// deep as the value is.
    ///
    /// # Errors
    /// The step `at` fails, in the item at `indices`.
    fn value_of<'v>(
        &mut self,
        mut value: &'v Value,
        first: usize,
    ) -> Result<Cow<'v, Value>, StepError> {
        for (nth, segment) in self.steps.iter().enumerate().skip(first) {
            self.at = nth;
            if segment.step == Step::Splat {
                return self.project(value);
            }
            if !self.indices.is_empty() {
                self.work(width(value))?;
            }
            value = bound_member(value, &segment.step, self.bindings)?;
        }
        Ok(Cow::Borrowed(value))
    }

    /// Returns the list of what the steps after a `[*]` find in each item: as in Terraform,
    /// `a[*].b[*].c` is a list of lists.
    fn project<'v>(&mut self, value: &'v Value) -> Result<Cow<'v, Value>, StepError> {
        let Value::List(items) = value else {
            return Err(StepError::NotAList(value.value_type()));
        };
        let next = self.at + 1;
        if next == self.steps.len() {
            return Ok(Cow::Borrowed(value));
        }
        let depth = self.indices.len();
        let mut found = Vec::with_capacity(items.len());
        for (index, item) in items.iter().enumerate() {
            self.indices.truncate(depth);
            self.indices.push(index);
            let value = self.value_of(item, next)?;
            // A list that a further `[*]` made has been counted.
            let copied = match &value {
                Cow::Borrowed(value) => size(value),
                Cow::Owned(_) => 0,
            };
            self.work(copied.saturating_add(ITEM))?;
            found.push(value.into_owned());
        }
        self.indices.truncate(depth);
        Ok(Cow::Owned(Value::List(found)))
    }

    /// Counts work like that of functions.
    fn work(&self, bytes: usize) -> Result<(), StepError> {
        if self.bindings.may_work(bytes) {
            Ok(())
        } else {
            Err(StepError::TooMuchWork)
        }
    }

    /// Returns whether a `default` applies to an error: there is no list, or nothing that
    /// could contain one.
    fn may_default(&self, why: &StepError) -> bool {
        let is_missing = match why {
            StepError::NotAList(found) => *found == Type::Null,
            StepError::TooMuchWork => false,
            _ => true,
        };
        is_missing && self.indices.is_empty()
    }

    /// Returns the diagnostic of an error.
    fn error(&self, why: &StepError, path: &Path, site: &Site<'_>) -> Diagnostic {
        // Without steps nothing fails.
        let Some(segment) = self.steps.get(self.at) else {
            return Diagnostic::error(Rule::UnknownKey, String::new());
        };
        if let StepError::TooMuchWork = why {
            return site.label(too_much_work(), &segment.whole, "");
        }
        // `infra.subnets[3]` for `infra.subnets[*]`: it is one item that fails.
        let mut indices = self.indices.iter();
        let mut before = path.clone();
        before.segments.truncate(self.at + 1);
        for segment in &mut before.segments {
            if segment.step == Step::Splat
                && let Some(index) = indices.next()
            {
                segment.step = Step::Index(*index);
            }
        }
        let message = why.message(&before.display(), &segment.step);
        let rule = match why {
            StepError::NotAList(_) => Rule::TypeMismatch,
            _ => Rule::UnknownKey,
        };
        let error = Diagnostic::error(rule, message);
        // What an earlier item has is not misspelled.
        let is_first = self.indices.iter().all(|index| *index == 0);
        let error = match why {
            StepError::Key {
                near: Some(near), ..
            } if is_first => fix_step(error, site, path, self.at + 1, near),
            StepError::Key { names, .. } if !names.is_empty() => {
                error.help(format!("available keys: {names}"))
            }
            StepError::NotAList(Type::Object) => error.help(
                (site.dialect)
                    .translate_calls("for the list of an object's values, write `| values`"),
            ),
            _ => error,
        };
        site.label(error, &segment.range, "")
    }
}

/// Returns the error for a variable that no document has, and the name that was probably
/// meant.
fn unknown_variable<'b>(
    path: &Path,
    bindings: &'b Bindings,
    site: &Site<'_>,
) -> (Diagnostic, Option<&'b str>) {
    let first = path.segments.first();
    let name = first.map(|first| (first.step.key(), first.range.clone()));
    let (name, range) = name.unwrap_or_default();
    let message = format!("no bound document has an output `{name}`");
    let error = Diagnostic::error(Rule::UnknownOutput, message);
    let names = || bindings.variable_names().into_iter().flatten();
    let near = if bindings.may_suggest() {
        suggest::closest(&name, names())
    } else {
        None
    };
    let error = match near {
        Some(near) => {
            let error = fix_step(error, site, path, 0, near);
            let error = site.label(error, &range, "no such output");
            match bindings.variable(near) {
                Some(bound) => {
                    let origin = Origin::Outputs(bound.document);
                    error.at_concealed(origin, bound.span, "this output exists")
                }
                None => error,
            }
        }
        None if names().next().is_none() => site
            .label(error, &range, "no such output")
            .help("the bound documents contain no outputs"),
        None => site.label(error, &range, "no such output").help(format!(
            "available outputs: {}; {}",
            suggest::listed(names()),
            (site.dialect).translate_calls("if it may be missing, add `| default(\"…\")`")
        )),
    };
    let help = error.help.as_deref().unwrap_or_default();
    let help = site.dialect.notation().or_literal(help, &name);
    let typo = near.filter(|near| suggest::is_typo(&name, near));
    (error.help(help), typo)
}

/// Returns the error for a path whose binding isn't bound, and the name that was probably
/// meant.
fn unbound<'b>(path: &Path, bindings: &'b Bindings) -> (Diagnostic, Option<&'b str>) {
    let Some(name) = &path.binding else {
        let message = format!("it is not clear which binding has `{}`", path.display());
        let names: Vec<&str> = bindings.names().collect();
        let help = format!(
            "bound names: {}; a reference without a name means `infra`",
            suggest::listed(names)
        );
        return (
            Diagnostic::error(Rule::UnknownOutput, message).help(help),
            None,
        );
    };
    let message = format!("nothing is bound to `{name}`");
    let typo = if bindings.may_suggest() {
        suggest::typo(name, bindings.names())
    } else {
        None
    };
    (Diagnostic::error(Rule::UnknownOutput, message), typo)
}

/// Why a value has no member for a step.
pub(crate) enum StepError {
    Key {
        near: Option<String>,
        typo: Option<String>,
        names: String,
    },
    Index {
        length: usize,
    },
    NotAnIndex,
    Scalar(Type),
    /// `[*]` after something that is not a list.
    NotAList(Type),
    /// All functions and `[*]` of the render together would exceed the limit of their work.
    TooMuchWork,
}

impl StepError {
    fn message(&self, before: &str, step: &Step) -> String {
        let wanted = match step {
            Step::Key(key) => format!("key `{key}`"),
            Step::Index(index) => format!("index {index}"),
            Step::Splat => "items".to_owned(),
        };
        match self {
            Self::Key { .. } => format!("`{before}` has no {wanted}"),
            Self::Index { length } => {
                let items = if *length == 1 { "item" } else { "items" };
                format!("`{before}` has no {wanted}: it has {length} {items}, counted from 0")
            }
            Self::NotAnIndex => format!("`{before}` is a list, but {wanted} is not an index"),
            Self::Scalar(found) => {
                format!("`{before}` is {}, which has no {wanted}", found.described())
            }
            Self::NotAList(found) => format!(
                "`[*]` expects a list, but `{before}` is {}",
                found.described()
            ),
            Self::TooMuchWork => String::new(),
        }
    }
}

/// Returns the value at one step of a path; `None` for `[*]`.
pub(crate) fn member<'v>(value: &'v Value, wanted: &Step) -> Option<&'v Value> {
    try_member(value, wanted).ok()
}

/// Returns the value at one step of a path; `value` is bound.
fn bound_member<'v>(
    value: &'v Value,
    wanted: &Step,
    bindings: &Bindings,
) -> Result<&'v Value, StepError> {
    let Value::Object(entries) = value else {
        return try_member(value, wanted);
    };
    let key = wanted.key();
    bindings
        .member(entries, &key)
        .ok_or_else(|| missing_key(entries, &key, bindings.may_suggest()))
}

pub(crate) fn try_member<'v>(value: &'v Value, step: &Step) -> Result<&'v Value, StepError> {
    match (value, step) {
        (other, Step::Splat) => Err(StepError::NotAList(other.value_type())),
        (Value::List(items), Step::Index(index)) => items.get(*index).ok_or(StepError::Index {
            length: items.len(),
        }),
        (Value::List(items), Step::Key(key)) => match key.parse::<usize>() {
            Ok(index) => items.get(index).ok_or(StepError::Index {
                length: items.len(),
            }),
            Err(_) => Err(StepError::NotAnIndex),
        },
        (Value::Object(entries), step) => {
            let key = step.key();
            let mut found = entries.iter().filter(|(found, _)| found.name == key);
            let value = found.next().map(|(_, value)| value);
            value.ok_or_else(|| missing_key(entries, &key, true))
        }
        (other, _) => Err(StepError::Scalar(other.value_type())),
    }
}

/// Reports a key that an object does not have, compared with its keys.
fn missing_key(entries: &[(Key, Value)], wanted: &str, may_suggest: bool) -> StepError {
    let names = || entries.iter().map(|(key, _)| key.name.as_str());
    let near = if may_suggest {
        suggest::closest(wanted, names())
    } else {
        None
    };
    let typo = near.filter(|near| suggest::is_typo(wanted, near));
    StepError::Key {
        near: near.map(str::to_owned),
        typo: typo.map(str::to_owned),
        names: suggest::listed(names()),
    }
}

/// Returns help and a fix for a misspelled step of a path, the segment `nth` of it.
fn fix_step(error: Diagnostic, site: &Site<'_>, path: &Path, nth: usize, near: &str) -> Diagnostic {
    let error = error.help(format!("did you mean `{near}`?"));
    let (Some(segment), Some(text)) = (
        path.segments.get(nth),
        display_segment(path, nth, near, site),
    ) else {
        return error;
    };
    // Where only the name changes, the edit changes only the name.
    let before = segment.range.start - segment.whole.start;
    let is_name = segment.range.end == segment.whole.end
        && text.strip_suffix(near).map(str::len) == Some(before);
    if is_name {
        return fix_name(error, site, &segment.range, near);
    }
    // Such names are unlikely, and cannot be displayed well.
    if near.contains(char::is_control) {
        return error;
    }
    let text = match site.style {
        Style::DoubleQuoted => text.replace('\\', "\\\\").replace('"', "\\\""),
        Style::SingleQuoted => text.replace('\'', "\'\'"),
        Style::Plain | Style::Literal | Style::Folded => text,
    };
    let span = (site.span_of)(&segment.whole);
    let edit = Edit {
        span,
        text: text.into_bytes(),
    };
    error.fix(format!("replace with `{near}`"), site.manifest, vec![edit])
}

/// Returns the segment `nth` of a path, written with another key.
fn display_segment(path: &Path, nth: usize, key: &str, site: &Site<'_>) -> Option<String> {
    let mut path = path.clone();
    path.segments.get_mut(nth)?.step = Step::Key(key.to_owned());
    site.dialect.display(&Syntax::Segment(&path, nth))
}

/// Adds help and a fix for a name that is nearly right. A name that needs quotes gets no
/// fix: whether it is already quoted depends on the position.
pub(crate) fn fix_name(
    error: Diagnostic,
    site: &Site<'_>,
    range: &Range<usize>,
    near: &str,
) -> Diagnostic {
    let error = error.help(format!("did you mean `{near}`?"));
    let is_word = |b: u8| b.is_ascii_alphanumeric() || matches!(b, b'_' | b'-');
    if !near.bytes().all(is_word) {
        return error;
    }
    let edit = Edit {
        span: (site.span_of)(range),
        text: near.as_bytes().to_vec(),
    };
    error.fix(format!("replace with `{near}`"), site.manifest, vec![edit])
}
