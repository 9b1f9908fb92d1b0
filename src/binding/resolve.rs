//! A reference's value: its path looked up in the bound outputs, its functions
//! called in turn.

use std::borrow::Cow;
use std::ops::Range;

use super::suggest;
use crate::manifest::Style;
use crate::outputs::{Bindings, Bound, Type, Value};
use crate::reference::{Argument, ArgumentValue, Call, Path, Reference, Segment, Step, is_key};
use crate::report::{Diagnostic, Edit, Origin, Rule, Span};

/// A reference that has a value.
#[derive(Debug)]
pub(crate) struct Resolved<'b> {
    pub(crate) value: Cow<'b, Value>,
    pub(crate) sensitive: bool,
    /// The output as it is spoken of: `infra.vpc_id`.
    pub(crate) output: String,
    /// The output's document and the bytes of its name; none when it is missing.
    pub(crate) source: Option<(usize, Span)>,
    pub(crate) warnings: Vec<Diagnostic>,
}

/// Where a reference stands: leads from the bytes it was read from to those of
/// its manifest.
pub(crate) struct Site<'a> {
    pub(crate) manifest: Origin,
    pub(crate) span_of: &'a dyn Fn(&Range<usize>) -> Span,
    /// How the scalar is written, and so what must be escaped in it.
    pub(crate) style: Style,
}

impl Site<'_> {
    /// A diagnostic whose primary place is `range` of the reference's text.
    pub(crate) fn tell(
        &self,
        diagnostic: Diagnostic,
        range: &Range<usize>,
        message: impl Into<String>,
    ) -> Diagnostic {
        diagnostic.at(self.manifest, (self.span_of)(range), message)
    }
}

/// A value on its way through the functions: there, or not there with the error
/// that this is unless `default` answers it.
enum Found<'b> {
    Value(Cow<'b, Value>),
    Missing(Box<Missing>),
}

struct Missing {
    error: Diagnostic,
    /// A name that exists and differs from the missing one as typing mistakes do.
    typo: Option<String>,
}

/// Where a value comes from.
#[derive(Clone, Copy)]
enum Source<'r, 'b> {
    /// An output that exists, as this path names it.
    Output(&'r Path, &'b Bound),
    /// A path that leads to nothing.
    Nowhere(&'r Path),
    /// Written into the reference: `default("")` means it.
    Literal,
}

/// Looks the path up and calls the functions.
///
/// # Errors
/// The one thing that is wrong with this reference.
pub(crate) fn resolve<'b>(
    reference: &Reference,
    bindings: &'b Bindings,
    site: &Site<'_>,
) -> Result<Resolved<'b>, Box<Diagnostic>> {
    let mut warnings = Vec::new();
    let mut spoken = &reference.path;
    let (mut found, mut source) = look_up(&reference.path, bindings, site);
    let mut sensitive = source.is_sensitive();
    for call in &reference.calls {
        match call.function.as_str() {
            "default" => {
                let argument = default_argument(call, site)?;
                let needed = match &found {
                    Found::Missing(_) => true,
                    Found::Value(value) => value.is_empty(),
                };
                // Only then: what it names may be missing where it is not needed.
                if needed {
                    if let Found::Missing(missing) = &found {
                        warnings.extend(default_for_typo(missing, argument, spoken, site));
                    }
                    (found, source) = evaluate(argument, bindings, site);
                    sensitive |= source.is_sensitive();
                    if let Source::Output(path, _) | Source::Nowhere(path) = source {
                        spoken = path;
                    }
                }
            }
            other => {
                let known = ["default"];
                let mut error = Diagnostic::error(
                    Rule::UnknownFunction,
                    format!("there is no function `{other}`"),
                );
                error = match suggest::closest(other, known) {
                    Some(near) => mend_name(error, site, &call.range, near),
                    None => error.help(format!("the functions are: {}", suggest::listed(known))),
                };
                return Err(Box::new(site.tell(error, &call.range, "")));
            }
        }
    }
    let value = match found {
        Found::Value(value) => value,
        Found::Missing(missing) => return Err(Box::new(missing.error)),
    };
    if let (true, Source::Output(path, bound)) = (value.is_empty(), source) {
        return Err(Box::new(empty(&value, path, bound, site)));
    }
    Ok(Resolved {
        value,
        sensitive,
        output: output_name(spoken),
        source: source.bound().map(|bound| (bound.document, bound.span)),
        warnings,
    })
}

impl<'b> Source<'_, 'b> {
    const fn bound(self) -> Option<&'b Bound> {
        match self {
            Self::Output(_, bound) => Some(bound),
            Self::Nowhere(_) | Self::Literal => None,
        }
    }

    fn is_sensitive(self) -> bool {
        self.bound().is_some_and(|bound| bound.sensitive)
    }
}

/// An output that is null or an empty string, and that no default answers.
fn empty(value: &Value, path: &Path, bound: &Bound, site: &Site<'_>) -> Diagnostic {
    let what = match value.value_type() {
        Type::Null => "null",
        _ => "an empty string",
    };
    let spelled = path.spelled();
    let error = Diagnostic::error(Rule::EmptyOutput, format!("`{spelled}` is {what}"));
    site.tell(error, &path.range, "")
        .at_concealed(
            Origin::Outputs(bound.document),
            bound.span,
            format!("this output is {what}"),
        )
        .help(format!(
            "say what should stand here then: ${{{spelled} | default(\"…\")}}; default(\"\") where nothing should"
        ))
}

/// A default that answers for what is probably a typing mistake, unless it names
/// that very output itself.
fn default_for_typo(
    missing: &Missing,
    argument: &Argument,
    path: &Path,
    site: &Site<'_>,
) -> Option<Diagnostic> {
    let near = missing.typo.as_ref()?;
    let names_it = matches!(&argument.value, ArgumentValue::Path(path)
        if path.segments.iter().any(|segment| segment.step == Step::Key(near.clone())));
    if names_it {
        return None;
    }
    let text = format!(
        "the default answers for a missing name, and `{near}` exists: is it a typing mistake?"
    );
    Some(site.tell(
        Diagnostic::warning(Rule::DefaultForNearMiss, text),
        &path.range,
        format!("did you mean `{near}`?"),
    ))
}

/// `infra.vpc_id` of `infra.vpc_id["x"]`.
fn output_name(path: &Path) -> String {
    let segments = path.segments.iter().take(1).cloned().collect();
    Path {
        binding: path.binding.clone(),
        segments,
        range: path.range.clone(),
    }
    .spelled()
}

fn look_up<'r, 'b>(
    path: &'r Path,
    bindings: &'b Bindings,
    site: &Site<'_>,
) -> (Found<'b>, Source<'r, 'b>) {
    let missing = |error, typo: Option<&str>| {
        let typo = typo.map(str::to_owned);
        let missing = Found::Missing(Box::new(Missing { error, typo }));
        (missing, Source::Nowhere(path))
    };
    let (Some(outputs), Some((first, rest))) =
        (bindings.outputs(&path.binding), path.segments.split_first())
    else {
        let error = Diagnostic::error(
            Rule::UnknownOutput,
            format!("nothing is bound to `{}`", path.binding),
        );
        let typo = suggest::typo(&path.binding, bindings.names());
        return missing(site.tell(error, &path.range, ""), typo);
    };
    let name = match &first.step {
        Step::Key(key) => key.clone(),
        Step::Index(index) => index.to_string(),
    };
    let Some(bound) = outputs.get(&name).inspect(|bound| bound.used.set(true)) else {
        let error = Diagnostic::error(
            Rule::UnknownOutput,
            format!("`{}` has no output `{name}`", path.binding),
        );
        let names = || outputs.keys().map(String::as_str);
        let near = match bindings.may_suggest() {
            true => suggest::closest(&name, names()),
            false => None,
        };
        let error = match near {
            Some(near) => {
                let error = mend_step(error, site, first, near);
                site.tell(error, &first.range, "no such output")
                    .at_concealed(
                        Origin::Outputs(outputs[near].document),
                        outputs[near].span,
                        "this one exists",
                    )
            }
            None if outputs.is_empty() => site
                .tell(error, &first.range, "no such output")
                .help("its documents hold no outputs at all"),
            None => site
                .tell(error, &first.range, "no such output")
                .help(format!(
                    "it has {}; `| default(\"…\")` answers for an output that may be missing",
                    suggest::listed(names())
                )),
        };
        let typo = near.filter(|near| suggest::is_typo(&name, near));
        return missing(error, typo);
    };
    let mut value = &bound.value;
    for (nth, segment) in rest.iter().enumerate() {
        match step(value, &segment.step) {
            Ok(next) => value = next,
            Err(why) => {
                let before = Path {
                    segments: path.segments[..=nth].to_vec(),
                    ..path.clone()
                }
                .spelled();
                // The keys of a sensitive value, and how many there are, are part
                // of it.
                let open = !bound.sensitive;
                let message = why.message(&before, &segment.step, open);
                let error = Diagnostic::error(Rule::UnknownKey, message);
                let (near, typo) = match &why {
                    NoStep::Key { near, typo, .. } if open => (near.as_deref(), typo.as_deref()),
                    _ => (None, None),
                };
                let error = match (&why, near) {
                    (_, Some(near)) => mend_step(error, site, segment, near),
                    (NoStep::Key { names, .. }, None) if open && !names.is_empty() => {
                        error.help(format!("it has {names}"))
                    }
                    _ => error,
                };
                let found = bound.value.value_type().described();
                let error = site.tell(error, &segment.range, "").at_concealed(
                    Origin::Outputs(bound.document),
                    bound.span,
                    format!("this output is {found}"),
                );
                let (found, _) = missing(error, typo);
                // A default that answers does so for this output.
                return (found, Source::Output(path, bound));
            }
        }
    }
    (
        Found::Value(Cow::Borrowed(value)),
        Source::Output(path, bound),
    )
}

/// Why a value has nothing under a step.
enum NoStep {
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
}

impl NoStep {
    fn message(&self, before: &str, step: &Step, open: bool) -> String {
        let wanted = match step {
            Step::Key(key) => format!("key `{key}`"),
            Step::Index(index) => format!("index {index}"),
        };
        match self {
            Self::Key { .. } => format!("`{before}` has no {wanted}"),
            Self::Index { .. } if !open => format!("`{before}` has no {wanted}"),
            Self::Index { length } => {
                let items = if *length == 1 { "item" } else { "items" };
                format!("`{before}` has no {wanted}: it has {length} {items}, counted from 0")
            }
            Self::NotAnIndex => format!("`{before}` is a list, and {wanted} is no index"),
            Self::Scalar(found) => {
                format!("`{before}` is {}: it has no {wanted}", found.described())
            }
        }
    }
}

fn step<'v>(value: &'v Value, step: &Step) -> Result<&'v Value, NoStep> {
    match (value, step) {
        (Value::List(items), Step::Index(index)) => items.get(*index).ok_or(NoStep::Index {
            length: items.len(),
        }),
        (Value::List(items), Step::Key(key)) => match key.parse::<usize>() {
            Ok(index) => items.get(index).ok_or(NoStep::Index {
                length: items.len(),
            }),
            Err(_) => Err(NoStep::NotAnIndex),
        },
        (Value::Object(entries), step) => {
            let key = match step {
                Step::Key(key) => key.clone(),
                Step::Index(index) => index.to_string(),
            };
            let names = || entries.iter().map(|(key, _)| key.name.as_str());
            entries
                .iter()
                .find(|(found, _)| found.name == key)
                .map(|(_, value)| value)
                .ok_or_else(|| NoStep::Key {
                    near: suggest::closest(&key, names()).map(str::to_owned),
                    typo: suggest::typo(&key, names()).map(str::to_owned),
                    names: suggest::listed(names()),
                })
        }
        (other, _) => Err(NoStep::Scalar(other.value_type())),
    }
}

/// Help and a change for a step of a path that is nearly right.
fn mend_step(error: Diagnostic, site: &Site<'_>, segment: &Segment, near: &str) -> Diagnostic {
    let quoted = segment.whole.start + 1 < segment.range.start;
    let simple = is_key(near);
    if simple && !quoted {
        return mend_name(error, site, &segment.range, near);
    }
    let error = error.help(format!("did you mean `{near}`?"));
    // No person writes such names, and the places would tell them badly.
    if near.contains(char::is_control) {
        return error;
    }
    let text = match simple {
        true => format!(".{near}"),
        false => format!("[\"{}\"]", near.replace('\\', "\\\\").replace('"', "\\\"")),
    };
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
    error.mend(format!("write `{near}`"), site.manifest, vec![edit])
}

/// Help and a change for a name that is nearly right.
fn mend_name(error: Diagnostic, site: &Site<'_>, range: &Range<usize>, near: &str) -> Diagnostic {
    let span = (site.span_of)(range);
    let edit = Edit {
        span,
        text: near.as_bytes().to_vec(),
    };
    error.help(format!("did you mean `{near}`?")).mend(
        format!("write `{near}`"),
        site.manifest,
        vec![edit],
    )
}

/// The one argument of `default`.
fn default_argument<'c>(call: &'c Call, site: &Site<'_>) -> Result<&'c Argument, Box<Diagnostic>> {
    let [argument] = call.arguments.as_slice() else {
        let error = Diagnostic::error(
            Rule::InvalidArgument,
            format!(
                "`default` takes one argument, and {} stand here",
                call.arguments.len()
            ),
        );
        return Err(Box::new(
            site.tell(error, &call.range, "")
                .help("for example: default(\"eu-west-1\")"),
        ));
    };
    Ok(argument)
}

/// An argument's value, and where it comes from.
fn evaluate<'r, 'b>(
    argument: &'r Argument,
    bindings: &'b Bindings,
    site: &Site<'_>,
) -> (Found<'b>, Source<'r, 'b>) {
    let value = match &argument.value {
        ArgumentValue::Null => Value::Null,
        ArgumentValue::Bool(value) => Value::Bool(*value),
        ArgumentValue::Number(digits) => Value::Number(digits.clone()),
        ArgumentValue::String(text) => Value::String(text.clone()),
        ArgumentValue::Path(path) => return look_up(path, bindings, site),
    };
    (Found::Value(Cow::Owned(value)), Source::Literal)
}
