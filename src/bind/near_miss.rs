//! Reports text that names an output but is not a reference, which an analysis found as
//! `analysis/near_miss.rs` describes.

mod defined;
mod rewrite;

use std::borrow::Cow;
use std::cmp::Reverse;

use crate::analysis::TextKind;
use crate::analysis::near_miss::{Form, NearMiss, near_miss};
use crate::analysis::texts::{Comment, Place, visit_places};
use crate::analysis::unbound::UnboundContext;
use crate::bind::near_miss::defined::{ProgramText, Variables, defines_variables};
use crate::collections::OrderedMap;
use crate::kubernetes::placeholders::Placeholders;
use crate::outputs::Bindings;
use crate::reference::Heads;
use crate::report::{Diagnostic, Origin, Rule, Severity};
use yaml::{Document, Edit, Span, split};

/// How many texts are reported: vendor text may contain thousands.
const MAX_REPORTED: usize = 100;

/// What determines which texts are reported.
#[derive(Clone, Copy)]
pub(crate) struct NearMissContext<'c> {
    pub(crate) unbound: UnboundContext<'c>,
    pub(crate) bindings: &'c Bindings,
}

impl<'c> NearMissContext<'c> {
    const fn heads(&self) -> &'c Heads {
        self.unbound.heads
    }
}

/// The bindings that have outputs, by the name of the binding and of the output in a text.
type Owners<'t> = OrderedMap<(Option<Cow<'t, str>>, Cow<'t, str>), Option<String>>;

/// A text with the output that it names.
struct Meant<'t> {
    near: NearMiss<'t>,
    /// The binding that has the output.
    binding: String,
}

/// Reports the texts at these positions of each file that name an output which exists.
/// `texts` are all texts of the source, with the positions of their files.
pub(crate) fn near_misses(
    texts: &[(usize, &str)],
    candidates: &[(usize, Vec<usize>)],
    context: NearMissContext<'_>,
) -> Vec<Diagnostic> {
    let mut found = Found::default();
    let mut owners = OrderedMap::new();
    let mut files = texts.iter().peekable();
    for (file, positions) in candidates {
        while files.next_if(|(number, _)| number < file).is_some() {}
        let Some((_, text)) = files.peek().filter(|(number, _)| number == file) else {
            continue;
        };
        let meant = meant(text, positions, context, &mut owners);
        if meant.is_empty() {
            continue;
        }
        let has_variables = |meant: &Meant<'_>| matches!(meant.near.form, Form::Variable);
        if found.defined.is_none() && meant.iter().any(has_variables) {
            found.defined = Some(defines_variables(texts));
        }
        let mut meant = meant.into_iter().peekable();
        for document in split(text) {
            let end = document.offset + document.text.len();
            let mut inside = Vec::new();
            while let Some(one) = meant.next_if(|one| one.near.range.start < end) {
                inside.push(one);
            }
            if !inside.is_empty() {
                found.read_document(document, &inside, *file, context);
            }
        }
    }
    found.finish()
}

/// Returns the texts that name an output which exists and that may be reported.
fn meant<'t>(
    text: &'t str,
    positions: &[usize],
    context: NearMissContext<'_>,
    owners: &mut Owners<'t>,
) -> Vec<Meant<'t>> {
    let mut found = Vec::new();
    for at in positions {
        let Some(near) = near_miss(text, *at, context.heads()) else {
            continue;
        };
        let binding = match owners.get(&(near.binding.clone(), near.output.clone())) {
            Some(owner) => owner.clone(),
            None => {
                let owner = owner(near.binding.as_deref(), &near.output, context.bindings);
                owners.insert((near.binding.clone(), near.output.clone()), owner.clone());
                owner
            }
        };
        let is_foreign = |near: &NearMiss<'_>| {
            let written = without_blanks(&text[near.range.clone()]);
            context.unbound.names.is_foreign(&near.output, &written)
        };
        if let Some(binding) = binding
            && !is_foreign(&near)
        {
            found.push(Meant { near, binding });
        }
    }
    found
}

/// Returns the name of the binding that has an output: this one, or any.
fn owner(binding: Option<&str>, output: &str, bindings: &Bindings) -> Option<String> {
    let has = |name: &&str| {
        let outputs = bindings.outputs(name);
        outputs.is_some_and(|outputs| outputs.contains_key(output))
    };
    match binding {
        Some(name) => Some(name).filter(has),
        None => bindings.names().find(has),
    }
    .map(str::to_owned)
}

/// The texts that are reported: one diagnostic for each, with its first location in a file,
/// the number of occurrences and a fix of all of them.
#[derive(Default)]
struct Found {
    /// The variables that another tool defines in the source.
    defined: Option<Variables>,
    texts: OrderedMap<(Reverse<Severity>, usize, String), Occurrences>,
    setters: Vec<Diagnostic>,
    /// Where the last setter comment begins.
    last_setter: Option<(usize, usize)>,
}

/// The occurrences of one text in a file.
struct Occurrences {
    diagnostic: Diagnostic,
    /// The title of its fix.
    title: String,
    replacement: Option<String>,
    edits: Vec<Edit>,
    count: usize,
}

impl Found {
    fn read_document(
        &mut self,
        document: Document<'_>,
        meant: &[Meant<'_>],
        file: usize,
        context: NearMissContext<'_>,
    ) {
        let position = |meant: &Meant<'_>| meant.near.path.start - document.offset;
        let positions: Vec<usize> = meant.iter().map(position).collect();
        let (dialect, view) = (context.heads().dialect(), context.unbound.view);
        let mut left = meant.iter().peekable();
        let mut env = None;
        let mut program = None;
        visit_places(document, dialect, &positions, view, &mut |at, place| {
            while left.next_if(|one| position(one) < at).is_some() {}
            let Some(one) = left.next_if(|one| position(one) == at) else {
                return;
            };
            let start = one.near.range.start - document.offset;
            let is_comment = matches!(place, Place::Comment(_));
            if (context.unbound.setters_only || matches!(one.near.form, Form::Setter(_)))
                && !is_comment
            {
                return;
            }
            let clear = context.unbound.policy.severity();
            let mut comment = None;
            let (severity, scalar) = match place {
                Place::Comment(around) => {
                    let around = comment.insert(around);
                    let within = around.range.clone();
                    match one.near.form {
                        Form::Setter(_) => {
                            return self.report_setter(document, around, one, file, context);
                        }
                        // `key: #{infra.x}` has no value, and `# landfall: $infra.x` sets none.
                        _ if within.start == start => (around.severity(clear), None),
                        _ if !dialect.only_in_setters()
                            && dialect
                                .setter(document.text.get(within).unwrap_or_default())
                                .is_some() =>
                        {
                            (clear, None)
                        }
                        _ => return,
                    }
                }
                Place::Unparsed => (Severity::Warning, None),
                Place::Scalar(scalar, decoded) => {
                    if scalar.placeholders >= Placeholders::Templates || scalar.is_dashboard() {
                        return;
                    }
                    let is_clear = match scalar.kind {
                        TextKind::Scalar => !scalar.is_script(),
                        _ => scalar.kind_at(decoded) == TextKind::Scalar,
                    };
                    let mut severity = if is_clear { clear } else { Severity::Warning };
                    if matches!(one.near.form, Form::Variable) {
                        if scalar.placeholders == Placeholders::Names {
                            return;
                        }
                        let name = &*one.near.output;
                        if program.as_ref().is_none_or(|(id, _)| *id != scalar.id) {
                            let is_output =
                                |name: &str| owner(None, name, context.bindings).is_some();
                            let found = ProgramText::of(scalar, context.heads(), &is_output);
                            program = Some((scalar.id, found));
                        }
                        let Some((_, program)) = &program else {
                            return;
                        };
                        let env = env.get_or_insert_with(|| Variables::of_env(scalar.tree));
                        let is_defined = |found: &Variables| found.contains(name);
                        if program.defines(name)
                            || is_defined(env)
                            || self.defined.as_ref().is_some_and(is_defined)
                        {
                            return;
                        }
                        if program.may_define(name) {
                            severity = Severity::Warning;
                        }
                    }
                    (severity, Some(&*scalar))
                }
            };
            let opener = scalar.and_then(|scalar| scalar.position(start));
            let replacement = match (scalar, opener) {
                (Some(scalar), Some(at)) => rewrite::in_scalar(scalar, at, &one.binding, context),
                _ => rewrite::in_text(document.text, start, &one.binding, context),
            };
            // A literal argument in a Secret may be one.
            let is_secret = scalar.is_none_or(|scalar| scalar.field.is_of_secret());
            let shown = replacement
                .as_deref()
                .filter(|text| !is_secret || !text.contains(['"', '\'']));
            let written = &document.text[start..one.near.range.end - document.offset];
            let key = (Reverse(severity), file, written.to_owned());
            let occurrences = self.texts.entry(key).or_insert_with(|| Occurrences {
                diagnostic: diagnostic(one, written, severity, shown, file)
                    .in_field(scalar.map(|scalar| &*scalar.field)),
                title: replacing_with(shown),
                replacement: replacement.clone(),
                edits: Vec::new(),
                count: 0,
            });
            occurrences.count += 1;
            if let Some(text) = replacement
                && occurrences.replacement.as_ref() == Some(&text)
                && scalar.is_none_or(|scalar| rewrite::fits(scalar, &text))
                && comment.is_none_or(|comment| comment.takes(&text))
            {
                occurrences.edits.push(Edit {
                    span: Span::from(one.near.range.clone()),
                    text: text.into_bytes(),
                });
            }
        });
    }

    /// Reports a setter comment of another dialect.
    fn report_setter(
        &mut self,
        document: Document<'_>,
        comment: &Comment,
        meant: &Meant<'_>,
        file: usize,
        context: NearMissContext<'_>,
    ) {
        let Form::Setter(dialect) = meant.near.form else {
            return;
        };
        let span = Span::from(comment.range.clone()).shifted(document.offset);
        if self.last_setter == Some((file, span.start)) || self.setters.len() == MAX_REPORTED {
            return;
        }
        self.last_setter = Some((file, span.start));
        let text = document.text.get(comment.range.clone()).unwrap_or_default();
        // It may be one only of a text that ends there.
        let Some(template) = dialect.setter(text) else {
            return;
        };
        let id = dialect.notation().id;
        let message = format!("a setter comment of the dialect `{id}` sets nothing here");
        let found = Diagnostic {
            severity: comment.severity(context.unbound.policy.severity()),
            ..Diagnostic::error(Rule::SetterLookAlike, message)
        }
        .at_concealed(Origin::Manifest(file), span, "");
        let rewritten = rewrite::setter(dialect, text, template.clone(), context)
            .filter(|text| comment.takes(text));
        let is_shown = rewrite::is_one_reference(dialect, &text[template]);
        let found = match &rewritten {
            Some(text) if is_shown => found.help(format!(
                "write `{text}`, or set `dialect: {id}` in the Binding"
            )),
            _ => found.help(format!(
                "set `dialect: {id}` in the Binding, or migrate the comment"
            )),
        };
        self.setters.push(match rewritten {
            Some(text) => {
                let title = replacing_with(is_shown.then_some(text.as_str()));
                let text = text.into_bytes();
                found.fix(title, Origin::Manifest(file), vec![Edit { span, text }])
            }
            None => found,
        });
    }

    /// Returns the diagnostics, sorted by location. If there are too many, warnings are
    /// omitted first.
    fn finish(self) -> Vec<Diagnostic> {
        let mut found = self.setters;
        for ((_, file, _), occurrences) in self.texts.into_iter().take(MAX_REPORTED) {
            let Occurrences {
                mut diagnostic,
                title,
                edits,
                count,
                ..
            } = occurrences;
            if count > 1 {
                diagnostic.message = format!("{} ({count} occurrences)", diagnostic.message);
            }
            found.push(if edits.is_empty() {
                diagnostic
            } else {
                diagnostic.fix(title, Origin::Manifest(file), edits)
            });
        }
        found.sort_by_key(|found| found.labels.first().map(|label| (label.origin, label.span)));
        found
    }
}

/// Returns the title of a fix; `None`: its text is not shown.
fn replacing_with(text: Option<&str>) -> String {
    match text {
        Some(text) => format!("replace with `{text}`"),
        None => "replace with a reference".to_owned(),
    }
}

/// Creates the diagnostic of one text.
fn diagnostic(
    meant: &Meant<'_>,
    written: &str,
    severity: Severity,
    replacement: Option<&str>,
    file: usize,
) -> Diagnostic {
    let Meant { near, binding } = meant;
    let consequence = match severity {
        Severity::Error => "",
        _ => ": the text is left unchanged",
    };
    let start = near.range.start;
    let path = &written[near.path.start - start..near.path.end - start];
    let opener = without_blanks(&written[..near.path.start - start]);
    let head = near.binding.as_deref().unwrap_or_default();
    let (message, foreign) = match near.form {
        Form::Path { closer } => {
            let closer = closer.unwrap_or_default();
            (
                format!("`{opener}{path}{closer}` is not a reference"),
                format!("\"{opener}{head}.*{closer}\""),
            )
        }
        Form::Expression | Form::Setter(_) => (
            format!("the expression with `{path}` is not a reference"),
            format!("\"${{*{head}.*}}\""),
        ),
        Form::Variable => (
            format!("`${{{path}}}` is not a reference, but `{binding}` has an output `{path}`"),
            path.to_owned(),
        ),
    };
    let found = Diagnostic {
        severity,
        ..Diagnostic::error(Rule::NearMiss, format!("{message}{consequence}"))
    };
    let write = match replacement {
        Some(text) => format!("write `{text}`"),
        None => "write a reference, with functions after `|`".to_owned(),
    };
    found
        .at_concealed(Origin::Manifest(file), Span::from(near.range.clone()), "")
        .help(format!(
            "{write}, or declare it as another tool's in the Binding: `spec.foreign: [{foreign}]`"
        ))
}

/// Returns a text without blanks, as `spec.foreign` is compared.
fn without_blanks(text: &str) -> String {
    text.chars().filter(|c| !c.is_ascii_whitespace()).collect()
}
