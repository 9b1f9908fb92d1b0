//! Which outputs each bound name has: several documents may share a name, and
//! later ones win for each output.

use std::cell::{Cell, RefCell};

use crate::collections::OrderedMap;
use crate::outputs::OutputsDocument;
use crate::outputs::{Key, Output, Read, Value};
use crate::report::{Diagnostic, Diagnostics, Origin, Rule, UnusedOutput};
use yaml::Span;

/// All bound names of one request.
#[derive(Debug, Default)]
pub(crate) struct Bindings {
    names: OrderedMap<String, Named>,
    suggested: Cell<u32>,
    /// The positions of a large object's entries, sorted by their keys; objects by the
    /// address of their entries, which never move once they are bound.
    sorted: RefCell<OrderedMap<usize, Vec<usize>>>,
    /// What functions may still read and make, in bytes.
    work_left: Cell<u64>,
}

/// The name of one document that is bound without a name.
const DEFAULT_NAME: &str = "infra";

/// Objects with fewer keys are searched from the beginning.
const LARGE_OBJECT: usize = 32;

/// What functions may read and make in one render: so many times what its answer may
/// hold. A chain of calls makes its value anew with every call, so this is not linear
/// in the manifest.
pub(crate) const MAX_WORK: u64 = 16;

/// A bound name.
#[derive(Debug, Default)]
pub(crate) struct Named {
    /// Sorted by their names.
    pub(crate) outputs: OrderedMap<String, Bound>,
    /// Position of its last document in the request.
    pub(crate) document: usize,
    /// Some of its documents could not be read, which is an error of its own: that
    /// an output is missing says nothing then.
    pub(crate) is_incomplete: bool,
}

/// How many missing names get a suggestion: each is compared with every name
/// that exists, and more would not help.
const MAX_SUGGESTED: u32 = 200;

/// An output under the name that it is bound to.
#[derive(Debug)]
pub(crate) struct Bound {
    pub(crate) value: Value,
    pub(crate) sensitive: bool,
    /// Position of its document in the request.
    pub(crate) document: usize,
    /// The position of its name in that document, or of the start of that line: a column
    /// after a sensitive value would reveal its length.
    pub(crate) span: Span,
    /// Whether a reference has named it.
    pub(crate) used: Cell<bool>,
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

impl Bindings {
    /// Reads every document. Returns what could be read and everything that is
    /// wrong.
    pub(crate) fn read(documents: &[OutputsDocument]) -> (Self, Diagnostics) {
        let mut bindings = Self {
            work_left: Cell::new(u64::MAX),
            ..Self::default()
        };
        let mut diagnostics = Diagnostics::default();
        for (position, document) in documents.iter().enumerate() {
            let origin = Origin::Outputs(position);
            if !is_name(&document.name) {
                diagnostics.push(
                    Diagnostic::error(Rule::InvalidBindingName, format!("invalid binding name `{}`", document.name))
                        .at_concealed(origin, Span::point(0), "bound here")
                        .help("a name starts with a letter or `_`, followed by letters, digits, `_` or `-`"),
                );
                continue;
            }
            let Read {
                outputs,
                diagnostics: found,
                ..
            } = crate::outputs::read(document, origin);
            let named = bindings.names.entry(document.name.clone()).or_default();
            named.document = position;
            named.is_incomplete |= found.has_errors();
            diagnostics.append(found);
            let names = &mut named.outputs;
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
                    sensitive,
                    document: position,
                    span,
                    used: Cell::new(false),
                };
                if let Some(earlier) = names.get(&name) {
                    diagnostics.push(
                        Diagnostic::note(
                            Rule::OutputOverridden,
                            format!(
                                "`{}.{name}` from a later document replaces an earlier one",
                                document.name
                            ),
                        )
                        .at_concealed(origin, span, "this value is used")
                        .at_concealed(
                            Origin::Outputs(earlier.document),
                            earlier.span,
                            "this value is ignored",
                        ),
                    );
                }
                names.insert(name, bound);
            }
        }
        (bindings, diagnostics)
    }

    /// The bound names, sorted.
    pub(crate) fn names(&self) -> impl Iterator<Item = &str> {
        self.names.keys().map(String::as_str)
    }

    /// Whether one more missing name may be compared with those that exist.
    pub(crate) fn may_suggest(&self) -> bool {
        self.suggested.set(self.suggested.get().saturating_add(1));
        self.suggested.get() <= MAX_SUGGESTED
    }

    /// Limits what functions read and make to [`MAX_WORK`] times `answer` bytes.
    pub(crate) const fn limit_work(&mut self, answer: u64) {
        self.work_left = Cell::new(answer.saturating_mul(MAX_WORK));
    }

    /// Counts bytes that a function reads or makes. False: all functions together have
    /// done more than they may.
    pub(crate) fn may_work(&self, bytes: usize) -> bool {
        let bytes = u64::try_from(bytes).unwrap_or(u64::MAX);
        let left = self.work_left.get().checked_sub(bytes);
        self.work_left.set(left.unwrap_or(0));
        left.is_some()
    }

    /// The value under a key of an object that is bound here: references to all keys
    /// of a large one take as long as sorting it.
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

    /// Outputs that no reference has named.
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

    /// The outputs of a bound name, sorted by name.
    pub(crate) fn outputs(&self, name: &str) -> Option<&OrderedMap<String, Bound>> {
        self.named(name).map(|named| &named.outputs)
    }

    /// A bound name.
    pub(crate) fn named(&self, name: &str) -> Option<&Named> {
        self.names.get(name)
    }

    /// A bound name, or the default one where none is given: the only one, or of several
    /// `infra`.
    pub(crate) fn named_or_default<'b: 'n, 'n>(
        &'b self,
        name: Option<&'n str>,
    ) -> Option<(&'n str, &'b Named)> {
        let name = match name {
            Some(name) => name,
            None if self.names.len() == 1 => self.names().next()?,
            None => DEFAULT_NAME,
        };
        Some((name, self.named(name)?))
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
