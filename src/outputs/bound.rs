//! The outputs of each bound name. Several documents may share a name; later ones win for
//! each output.

use std::borrow::Cow;
use std::cell::{Cell, RefCell};

use crate::collections::{OrderedMap, OrderedSet};
use crate::outputs::plaintext_secret;
use crate::outputs::variables::Variables;
use crate::outputs::{
    Declarations, DeclaredSensitive, Key, Output, OutputsDocument, ReadOutputs, Unreadable, Value,
    read_declared,
};
use crate::report::{Diagnostic, Diagnostics, Origin, Rule, UnusedOutput};
use yaml::Span;

/// All bound names of one request.
#[derive(Debug, Default)]
pub(crate) struct Bindings {
    names: OrderedMap<String, Named>,
    suggested: Cell<u32>,
    /// For a large object, the positions of its entries sorted by key. The key is the
    /// address of the object's entries, which never move once bound.
    sorted: RefCell<OrderedMap<usize, Vec<usize>>>,
    overridden: Vec<Overridden>,
    /// The positions of the documents in which every output is sensitive because they do not
    /// mark those that are.
    without_marks: OrderedSet<usize>,
    /// The bytes that functions may still read and write.
    work_left: Cell<u64>,
    /// The outputs of all names together, if references name a variable and no binding.
    variables: Option<Variables>,
}

/// The name of a single document that is bound without a name.
const DEFAULT_NAME: &str = "infra";

/// Objects with fewer keys are searched linearly.
const LARGE_OBJECT: usize = 32;

/// The maximum work of functions in one render, as a multiple of the size limit of its
/// answer. Every call in a chain creates its value anew, so the work is not linear in the
/// manifest.
pub(crate) const MAX_WORK: u64 = 16;

/// A bound name.
#[derive(Debug, Default)]
pub(crate) struct Named {
    /// Sorted by name.
    pub(crate) outputs: OrderedMap<String, Bound>,
    /// Entries that references cannot read, each with its document.
    unreadable: OrderedMap<String, (usize, Unreadable)>,
    /// Position of its last document in the request.
    pub(crate) document: usize,
    /// Whether some of its documents could not be read. That is an error of its own, and a
    /// missing output then means nothing.
    pub(crate) is_incomplete: bool,
    /// Whether some of its outputs are sensitive.
    is_sensitive: bool,
    /// The outputs whose sensitive values were replaced.
    replaced: OrderedSet<String>,
    /// Whether none of its documents exists, as the Binding allows.
    pub(crate) is_absent: bool,
}

/// An output that a later document of its name overrides.
#[derive(Debug)]
pub(crate) struct Overridden {
    /// `infra.vpc_id`, or the name of a variable.
    pub(crate) output: String,
    /// The document of the value that is used, and the location of the name in it.
    pub(crate) used: (usize, Span),
    /// Those of the value that is ignored.
    pub(crate) ignored: (usize, Span),
    /// Whether the ignored one is sensitive, and nothing else makes the used one sensitive.
    pub(crate) is_unmarked: bool,
    /// Whether the used one is in the Binding itself, and not in a later document.
    pub(crate) is_inline: bool,
}

/// The maximum number of missing names that get a suggestion: each is compared with every
/// existing name, and more suggestions would not help.
const MAX_SUGGESTED: u32 = 200;

/// An output under the name that it is bound to.
#[derive(Debug)]
pub(crate) struct Bound {
    pub(crate) value: Value,
    /// The parts of the value that are unknown: true for all of it, or a list or an object
    /// with true in it. None: all of it is known. An unknown part is null or missing in
    /// `value`.
    pub(crate) unknown: Option<Value>,
    pub(crate) sensitive: bool,
    /// Position of its document in the request.
    pub(crate) document: usize,
    /// The location of its name in that document, or the start of that line: a column after
    /// a sensitive value would reveal the value's length.
    pub(crate) span: Span,
    /// Whether a reference has named it.
    pub(crate) used: Cell<bool>,
}

/// Outputs that are declared but have no values, under one name.
pub(crate) struct DeclaredOutputs<'d> {
    pub(crate) name: &'d str,
    /// Each with the location of its name, and whether it is sensitive.
    pub(crate) outputs: Vec<(&'d str, Span, bool)>,
    /// The position of labels about them: one after the documents of the request.
    pub(crate) document: usize,
}

/// A sensitive output, as diagnostics name it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Mark {
    /// `infra.password`
    pub(crate) output: String,
    pub(crate) document: usize,
    /// The bytes of its name there.
    pub(crate) span: Span,
}

/// Reads a document after those that share its name, or its variables. An output that is
/// sensitive in one of these, which `is_sensitive` determines if any is, stays sensitive. Also returns the outputs that are sensitive only for that reason.
fn read_later(
    document: &OutputsDocument,
    mut declared: DeclaredSensitive,
    is_sensitive: Option<&dyn Fn(&str) -> bool>,
    origin: Origin,
) -> (ReadOutputs, OrderedSet<String>) {
    let mut read = read_declared(document, declared.clone(), origin);
    let mut unmarked = OrderedSet::new();
    let Some(is_sensitive) = is_sensitive else {
        return (read, unmarked);
    };
    for output in &read.outputs {
        if !output.sensitive && is_sensitive(&output.name) {
            declared.insert(&output.name);
            unmarked.insert(output.name.clone());
        }
    }
    if read.diagnostics.has_errors() {
        // An output that cannot be read may be one of them.
        declared = DeclaredSensitive::All;
    }
    if !unmarked.is_empty() || read.diagnostics.has_errors() {
        // Again, because locations after these outputs depend on their values.
        read = read_declared(document, declared, origin);
    }
    (read, unmarked)
}

/// A variable that the last document and another binding have.
struct Shared {
    output: String,
    other: String,
    /// Whether the last document's is used.
    is_used: bool,
    is_unmarked: bool,
}

/// The output that a path names.
#[derive(Debug)]
pub(crate) struct Target<'b, 'n> {
    /// The bound name.
    pub(crate) binding: &'b str,
    pub(crate) named: &'b Named,
    /// The name of the output, which may not exist.
    pub(crate) output: Cow<'n, str>,
}

impl<'b> Target<'b, '_> {
    /// Returns the output, if it exists.
    pub(crate) fn bound(&self) -> Option<&'b Bound> {
        self.named.outputs.get(&*self.output)
    }
}

/// Returns the names that documents are bound to, sorted.
pub(crate) fn bound_names(documents: &[OutputsDocument]) -> OrderedSet<&str> {
    let names = documents.iter().map(|document| document.name.as_str());
    names.filter(|name| is_name(name)).collect()
}

impl Bindings {
    /// Reads every document, with what a Binding declares about them. Returns what could be
    /// read and every problem.
    pub(crate) fn read(
        documents: &[OutputsDocument],
        declarations: &Declarations,
    ) -> (Self, Diagnostics) {
        let mut bindings = Self {
            work_left: Cell::new(u64::MAX),
            variables: declarations.names_variables.then(Variables::default),
            ..Self::default()
        };
        let mut diagnostics = Diagnostics::default();
        let applicable = declarations.applicable(documents);
        for (position, (document, declared)) in documents.iter().zip(applicable).enumerate() {
            let origin = Origin::Outputs(position);
            if !is_name(&document.name) {
                diagnostics.push(
                    Diagnostic::error(Rule::InvalidBindingName, format!("invalid binding name `{}`", document.name))
                        .at_concealed(origin, Span::point(0), "bound here")
                        .help("a name starts with a letter or `_`, followed by letters, digits, `_` or `-`"),
                );
                continue;
            }
            let is_inline = declared.own.is_some_and(|own| own.is_inline);
            let earlier = bindings
                .names
                .get(&document.name)
                .filter(|earlier| earlier.is_sensitive);
            let variables = bindings
                .variables
                .as_ref()
                .filter(|variables| variables.has_sensitive());
            let is_sensitive = |name: &str| {
                earlier.is_some_and(|earlier| earlier.has_sensitive(name))
                    || variables.is_some_and(|variables| variables.is_sensitive(name))
            };
            let is_sensitive: Option<&dyn Fn(&str) -> bool> =
                if earlier.is_some() || variables.is_some() {
                    Some(&is_sensitive)
                } else {
                    None
                };
            let (read, unmarked) = read_later(document, declared.sensitive, is_sensitive, origin);
            let ReadOutputs {
                outputs,
                unreadable,
                unknown,
                lacks_marks,
                has_readable_secrets,
                diagnostics: found,
                ..
            } = read;
            if has_readable_secrets {
                diagnostics.note_readable_secrets(position);
            }
            if lacks_marks || document.sensitive {
                bindings.without_marks.insert(position);
            }
            let wrong = match declared.own {
                Some(declaration) if !found.has_errors() => {
                    let may_suggest = || bindings.may_suggest();
                    let name = &document.name;
                    declaration.wrong_names(name, origin, &outputs, &unreadable, &may_suggest)
                }
                _ => Vec::new(),
            };
            // A misspelled name may be one that is reported otherwise.
            let reports_plaintext = wrong.is_empty();
            diagnostics.extend(wrong);
            let named = bindings.names.entry(document.name.clone()).or_default();
            named.document = position;
            named.is_incomplete |= found.has_errors();
            diagnostics.append(found);
            for mut entry in unreadable {
                entry.sensitive |= named.has_sensitive(&entry.name);
                named.is_sensitive |= entry.sensitive;
                let name = entry.name.clone();
                if let Some(variables) = &mut bindings.variables {
                    variables.add(&name, &document.name, is_inline, entry.sensitive);
                }
                named.unreadable.insert(name, (position, entry));
            }
            let names = &mut named.outputs;
            let mut added = Vec::new();
            for output in outputs {
                let Output {
                    name,
                    span,
                    value,
                    sensitive,
                    ..
                } = output;
                let bound = Bound {
                    value,
                    unknown: unknown.get(&name).cloned(),
                    sensitive,
                    document: position,
                    span,
                    used: Cell::new(false),
                };
                named.is_sensitive |= sensitive;
                if reports_plaintext
                    && !sensitive
                    && let Some(path) = plaintext_secret::likely(&name, &bound.value)
                    && !declared.not_sensitive.contains(name.as_str())
                {
                    let found = plaintext_secret::warning(&document.name, &name, &path);
                    diagnostics.push(found.at_concealed(origin, span, ""));
                }
                let is_unmarked = unmarked.contains(&name);
                let ignored = match (names.get(&name), named.unreadable.get(&name)) {
                    (Some(earlier), _) => Some((earlier.document, earlier.span)),
                    (None, Some((document, earlier))) if is_unmarked => {
                        Some((*document, earlier.span))
                    }
                    _ => None,
                };
                if let Some(ignored) = ignored {
                    bindings.overridden.push(Overridden {
                        output: format!("{}.{name}", document.name),
                        used: (position, span),
                        ignored,
                        is_unmarked,
                        is_inline: false,
                    });
                }
                if let Some(variables) = &mut bindings.variables {
                    let other = variables.add(&name, &document.name, is_inline, sensitive);
                    added.extend(other.map(|(other, is_used)| Shared {
                        output: name.clone(),
                        other,
                        is_used,
                        is_unmarked,
                    }));
                }
                names.insert(name, bound);
            }
            bindings.report_shared(&document.name, added);
        }
        for name in declarations.absent(documents) {
            bindings.names.entry(name.to_owned()).or_default().is_absent = true;
        }
        bindings.mark_variables();
        (bindings, diagnostics)
    }

    /// Adds the variables that several bindings have; `name` is that of the last document.
    fn report_shared(&mut self, name: &str, shared: Vec<Shared>) {
        for Shared {
            output,
            other,
            is_used,
            is_unmarked,
        } in shared
        {
            let location = |binding: &str| {
                let bound = self.names.get(binding)?.outputs.get(&output)?;
                Some((bound.document, bound.span))
            };
            let (used, ignored) = if is_used {
                (name, other.as_str())
            } else {
                (other.as_str(), name)
            };
            if let (Some(used), Some(ignored)) = (location(used), location(ignored)) {
                self.overridden.push(Overridden {
                    output: output.clone(),
                    used,
                    ignored,
                    is_unmarked,
                    is_inline: !is_used,
                });
            }
        }
    }

    /// Makes every variable sensitive that is sensitive in one of the documents.
    fn mark_variables(&mut self) {
        let Some(variables) = &self.variables else {
            return;
        };
        for (output, binding) in variables.sensitive() {
            let named = self.names.get_mut(binding);
            if let Some(bound) = named.and_then(|named| named.outputs.get_mut(output)) {
                bound.sensitive = true;
            }
        }
    }

    /// Replaces the value of every sensitive output with one of the same type that is not
    /// sensitive.
    pub(crate) fn replace_secrets(&mut self) {
        for named in self.names.values_mut() {
            let sensitive = named.outputs.iter().filter(|(_, bound)| bound.sensitive);
            named.replaced = sensitive.map(|(name, _)| name.clone()).collect();
            for bound in named.outputs.values_mut() {
                if std::mem::take(&mut bound.sensitive) {
                    replace_secret(&mut bound.value);
                }
            }
        }
    }

    /// Returns whether an output is sensitive only because its document does not mark the
    /// outputs that are.
    pub(crate) fn lacks_marks(&self, mark: &Mark) -> bool {
        self.without_marks.contains(&mark.document)
    }

    /// Returns the outputs that a later document overrides.
    pub(crate) fn overridden(&self) -> &[Overridden] {
        &self.overridden
    }

    /// Binds a name to outputs that are declared but have no values. It replaces documents
    /// that are bound to the name, and what a Binding declares about those applies to it.
    pub(crate) fn declare(&mut self, declared: DeclaredOutputs<'_>, declarations: &Declarations) {
        let DeclaredOutputs {
            name,
            outputs,
            document,
        } = declared;
        let also_sensitive = declarations.sensitive(name);
        let outputs = outputs.into_iter().map(|(output, span, sensitive)| {
            let bound = Bound {
                value: Value::Null,
                unknown: Some(Value::Bool(true)),
                sensitive: sensitive || also_sensitive.contains(output),
                document,
                span,
                used: Cell::new(false),
            };
            (output.to_owned(), bound)
        });
        let outputs: OrderedMap<String, Bound> = outputs.collect();
        let is_sensitive = outputs.values().any(|bound| bound.sensitive);
        let named = Named {
            is_sensitive,
            outputs,
            document,
            ..Named::default()
        };
        let replaced = self.names.insert(name.to_owned(), named);
        self.declare_variables(name, &replaced.unwrap_or_default());
        self.mark_variables();
    }

    /// Makes the outputs that are declared under a name variables, instead of those that are
    /// replaced.
    fn declare_variables(&mut self, name: &str, replaced: &Named) {
        let Some(variables) = &mut self.variables else {
            return;
        };
        for output in replaced.outputs.keys().chain(replaced.unreadable.keys()) {
            let others = self.names.iter().filter_map(|(other, named)| {
                let bound = named.outputs.get(output)?;
                Some((bound.document, other))
            });
            // If there is none, the variable stays, and is an output that does not exist.
            if let Some((_, other)) = others.max() {
                variables.replace(output, name, other);
            }
        }
        let outputs = self.names.get(name).map(|named| &named.outputs);
        for (output, bound) in outputs.into_iter().flatten() {
            variables.add(output, name, false, bound.sensitive);
        }
    }

    /// Returns whether any output is sensitive, or may be: also one that cannot be read.
    pub(crate) fn has_sensitive(&self) -> bool {
        let mut names = self.names.values();
        names.any(|named| named.is_sensitive || named.is_incomplete)
    }

    /// Returns the names of all sensitive outputs, also of those that cannot be read.
    pub(crate) fn sensitive_names(&self) -> impl Iterator<Item = &str> {
        self.names.values().flat_map(Named::sensitive_names)
    }

    /// Returns the bound names, sorted.
    pub(crate) fn names(&self) -> impl Iterator<Item = &str> {
        self.names.keys().map(String::as_str)
    }

    /// Returns whether one more missing name may be compared with the existing ones.
    pub(crate) fn may_suggest(&self) -> bool {
        self.suggested.set(self.suggested.get().saturating_add(1));
        self.suggested.get() <= MAX_SUGGESTED
    }

    /// Limits the work of functions to [`MAX_WORK`] times `answer` bytes.
    pub(crate) const fn limit_work(&mut self, answer: u64) {
        self.work_left = Cell::new(answer.saturating_mul(MAX_WORK));
    }

    /// Counts bytes that a function reads or writes. Returns false if all functions
    /// together have exceeded the limit.
    pub(crate) fn may_work(&self, bytes: usize) -> bool {
        let bytes = u64::try_from(bytes).unwrap_or(u64::MAX);
        let left = self.work_left.get().checked_sub(bytes);
        self.work_left.set(left.unwrap_or(0));
        left.is_some()
    }

    /// Returns how many bytes functions have read and written, if their work is limited by
    /// `answer` bytes.
    pub(crate) fn worked(&self, answer: u64) -> u64 {
        answer
            .saturating_mul(MAX_WORK)
            .saturating_sub(self.work_left.get())
    }

    /// Returns the value of a key in an object that is bound here. References to all keys
    /// of a large object take as long as sorting it.
    pub(crate) fn member<'v>(
        &self,
        entries: &'v [(Key, Value)],
        wanted: &str,
    ) -> Option<&'v Value> {
        let name = |nth: &usize| entries.get(*nth).map_or("", |(key, _)| key.name.as_str());
        let at = if entries.len() < LARGE_OBJECT {
            entries.iter().position(|(key, _)| key.name == wanted)?
        } else {
            let mut sorted = self.sorted.borrow_mut();
            let order = sorted.entry(entries.as_ptr().addr()).or_insert_with(|| {
                let mut order: Vec<usize> = (0..entries.len()).collect();
                order.sort_by(|a, b| name(a).cmp(name(b)));
                order
            });
            let found = order.binary_search_by(|nth| name(nth).cmp(wanted)).ok()?;
            *order.get(found)?
        };
        entries.get(at).map(|(_, value)| value)
    }

    /// Returns the outputs that no reference has named.
    pub(crate) fn unused(&self) -> Vec<UnusedOutput> {
        let unused = |(name, named): (&String, &Named)| {
            let outputs = named.outputs.iter().filter(|(_, bound)| !bound.used.get());
            outputs
                .map(|(output, bound)| UnusedOutput {
                    output: format!("{name}.{output}"),
                    document: bound.document,
                    output_span: (bound.span.start, bound.span.end),
                })
                .collect::<Vec<_>>()
        };
        self.names.iter().flat_map(unused).collect()
    }

    /// Returns the outputs of a bound name, sorted by name.
    pub(crate) fn outputs(&self, name: &str) -> Option<&OrderedMap<String, Bound>> {
        self.named(name).map(|named| &named.outputs)
    }

    /// Returns a bound name.
    pub(crate) fn named(&self, name: &str) -> Option<&Named> {
        self.names.get(name)
    }

    /// Returns the output that a reference names: its binding and its name there. Without a
    /// binding, it names a variable; in dialects without variables that means an output of
    /// the only bound name, or of `infra` if there are several.
    pub(crate) fn target<'n>(
        &self,
        binding: Option<&str>,
        output: Cow<'n, str>,
    ) -> Option<Target<'_, 'n>> {
        let name = match binding {
            Some(name) => name,
            None => match &self.variables {
                Some(variables) => {
                    let (binding, output) = variables.find(&output)?;
                    let (binding, named) = self.entry(binding)?;
                    let output = Cow::Owned(output.to_owned());
                    return Some(Target {
                        binding,
                        named,
                        output,
                    });
                }
                None if self.names.len() == 1 => self.names().next()?,
                None => DEFAULT_NAME,
            },
        };
        let (binding, named) = self.entry(name)?;
        Some(Target {
            binding,
            named,
            output,
        })
    }

    fn entry(&self, name: &str) -> Option<(&str, &Named)> {
        let (name, named) = self.names.get_key_value(name)?;
        Some((name, named))
    }

    /// Returns the names of all variables, sorted; `None` if references name bindings.
    pub(crate) fn variable_names(&self) -> Option<impl Iterator<Item = &str>> {
        self.variables.as_ref().map(Variables::names)
    }

    /// Whether a variable with the name of an output is that output of this binding.
    pub(crate) fn is_variable(&self, binding: &str, output: &str) -> bool {
        let found = self.variables.as_ref().and_then(|all| all.find(output));
        found == Some((binding, output))
    }

    /// Returns the output that a variable names, if references name variables.
    pub(crate) fn variable(&self, name: &str) -> Option<&Bound> {
        let (binding, output) = self.variables.as_ref()?.find(name)?;
        self.named(binding)?.outputs.get(output)
    }

    /// Returns whether some of the documents that may have an output of this binding could
    /// not be read.
    pub(crate) fn is_incomplete(&self, binding: Option<&str>) -> bool {
        if binding.is_none() && self.variables.is_some() {
            return self.names.values().any(|named| named.is_incomplete);
        }
        let target = self.target(binding, Cow::Borrowed(""));
        target.is_some_and(|target| target.named.is_incomplete)
    }
}

impl Named {
    /// Returns whether an output of this name is sensitive, even if it cannot be read.
    pub(crate) fn has_sensitive(&self, name: &str) -> bool {
        let is_readable = self.outputs.get(name).is_some_and(|bound| bound.sensitive);
        is_readable
            || self.replaced.contains(name)
            || (self.unreadable.get(name)).is_some_and(|(_, entry)| entry.sensitive)
    }

    /// Returns the names of its sensitive outputs, also of those that cannot be read.
    fn sensitive_names(&self) -> impl Iterator<Item = &str> {
        let names = self
            .outputs
            .keys()
            .chain(self.unreadable.keys())
            .map(String::as_str);
        names.filter(|name| self.has_sensitive(name))
    }

    /// Returns an entry that references cannot read, with its document, unless a later
    /// document has an output of that name.
    pub(crate) fn unreadable(&self, name: &str) -> Option<(usize, &Unreadable)> {
        let (document, entry) = self.unreadable.get(name)?;
        let is_replaced = |bound: &Bound| bound.document > *document;
        let is_replaced = self.outputs.get(name).is_some_and(is_replaced);
        (!is_replaced).then_some((*document, entry))
    }

    /// Returns all entries that references cannot read, sorted by name, each with its
    /// document.
    pub(crate) fn unreadable_entries(&self) -> impl Iterator<Item = (usize, &Unreadable)> {
        let names = self.unreadable.keys();
        names.filter_map(|name| self.unreadable(name))
    }
}

/// Replaces a value with one of the same type: a string that is also a number, and base64.
fn replace_secret(value: &mut Value) {
    const DIGITS: &str = "12345678";
    match value {
        Value::Null => {}
        Value::Bool(value) => *value = true,
        Value::Number(digits) | Value::String(digits) => DIGITS.clone_into(digits),
        Value::List(items) => items.iter_mut().for_each(replace_secret),
        Value::Object(entries) => {
            entries
                .iter_mut()
                .for_each(|(_, value)| replace_secret(value));
        }
    }
}

/// `(letter / "_") *(letter / digit / "_" / "-")`
pub(crate) fn is_name(name: &str) -> bool {
    let mut bytes = name.bytes();
    bytes
        .next()
        .is_some_and(|first| first.is_ascii_alphabetic() || first == b'_')
        && bytes.all(|byte| byte.is_ascii_alphanumeric() || byte == b'_' || byte == b'-')
}
