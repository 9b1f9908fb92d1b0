//! Which outputs each bound name has: several documents may share a name, and
//! later ones win for each output.

use std::cell::Cell;
use std::collections::BTreeMap;

use super::{Output, Value};
use crate::OutputsDocument;
use crate::report::{Diagnostic, Origin, Rule, Severity, Span, UnusedOutput};

/// All bound names of one request.
#[derive(Debug, Default)]
pub(crate) struct Bindings {
    names: BTreeMap<String, Named>,
    suggested: Cell<u32>,
}

/// A bound name.
#[derive(Debug, Default)]
pub(crate) struct Named {
    /// Sorted by their names.
    pub(crate) outputs: BTreeMap<String, Bound>,
    /// Position of its last document in the request.
    pub(crate) document: usize,
    /// Some of its documents could not be read, which is an error of its own: that
    /// an output is missing says nothing then.
    pub(crate) is_incomplete: bool,
}

/// How many missing names get a suggestion: each is compared with every name
/// that exists, and nobody reads so many.
const MOST_SUGGESTED: u32 = 200;

/// An output under the name that it is bound to.
#[derive(Debug)]
pub(crate) struct Bound {
    pub(crate) value: Value,
    pub(crate) sensitive: bool,
    /// Position of its document in the request.
    pub(crate) document: usize,
    /// Where its name stands in that document.
    pub(crate) span: Span,
    /// Whether a reference has named it.
    pub(crate) used: Cell<bool>,
}

impl Bindings {
    /// Reads every document. Returns what could be read and everything that is
    /// wrong.
    pub(crate) fn read(documents: &[OutputsDocument]) -> (Self, Vec<Diagnostic>) {
        let mut bindings = Self::default();
        let mut diagnostics = Vec::new();
        for (position, document) in documents.iter().enumerate() {
            let origin = Origin::Outputs(position);
            if !is_name(&document.name) {
                diagnostics.push(
                    Diagnostic::error(Rule::InvalidBindingName, format!("`{}` cannot be the name of a binding", document.name))
                        .at_concealed(origin, Span::point(0), "bound here")
                        .help("a name begins with a letter or `_` and goes on with letters, digits, `_` and `-`"),
                );
                continue;
            }
            let (outputs, found) =
                super::read(&document.content, document.format.as_deref(), origin);
            let named = bindings.names.entry(document.name.clone()).or_default();
            named.document = position;
            named.is_incomplete |= found.iter().any(|found| found.severity == Severity::Error);
            diagnostics.extend(found);
            let names = &mut named.outputs;
            for output in outputs {
                let Output {
                    name,
                    span,
                    value,
                    sensitive,
                } = output;
                let bound = Bound {
                    value,
                    sensitive: sensitive || document.sensitive,
                    document: position,
                    span,
                    used: Cell::new(false),
                };
                if let Some(earlier) = names.get(&name) {
                    diagnostics.push(
                        Diagnostic::note(
                            Rule::OutputOverridden,
                            format!(
                                "`{}.{name}` of a later document replaces that of an earlier one",
                                document.name
                            ),
                        )
                        .at_concealed(origin, span, "this one is used")
                        .at_concealed(
                            Origin::Outputs(earlier.document),
                            earlier.span,
                            "this one is not",
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
        self.suggested.get() <= MOST_SUGGESTED
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
    pub(crate) fn outputs(&self, name: &str) -> Option<&BTreeMap<String, Bound>> {
        self.named(name).map(|named| &named.outputs)
    }

    /// A bound name.
    pub(crate) fn named(&self, name: &str) -> Option<&Named> {
        self.names.get(name)
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
