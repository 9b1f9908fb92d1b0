//! Setter comments of dialects whose references occur only there: a template of which
//! nothing is bound sets nothing, and the parts of another one that nothing binds keep
//! their current text.

use crate::analysis::document::{AssignedNode, FoundReference};
use crate::bind::document::Context;
use crate::bind::document::assign::Assignment;
use crate::bind::document::assign::setter_value::Replaced;
use crate::outputs::Bindings;
use crate::reference::{NotDerived, Path, Template};
use crate::report::suggest;
use crate::report::{Diagnostic, Origin, Rule};
use yaml::{BLANKS, Edit, NodeId, Span, Style, Tree};

impl<'c> Assignment<'c> {
    /// Returns the assignment of a node, if it sets anything, with the problems of a setter
    /// comment that depend on which names are bound.
    pub(crate) fn of(
        assigned: &'c AssignedNode,
        tree: &Tree,
        context: &Context<'c>,
        origin: Origin,
    ) -> (Option<Self>, Vec<Diagnostic>) {
        let mut assignment = Self::new(assigned, context.scope.field_bindings, origin);
        let AssignedNode::Comment {
            node,
            template,
            references,
            errors,
            ..
        } = assigned
        else {
            return (Some(assignment), Vec::new());
        };
        if !context.dialect().only_in_setters() {
            return (Some(assignment), Vec::new());
        }
        let bindings = context.bindings;
        let bound: Vec<bool> = references
            .iter()
            .map(|found| names_output(&found.reference.path, bindings))
            .collect();
        let unbound = || std::iter::zip(references, &bound).filter(|(_, bound)| !**bound);
        let mut found: Vec<Diagnostic> = unbound()
            .filter_map(|(found, _)| near_miss(found, bindings))
            .collect();
        if !bound.contains(&true) {
            return (None, found);
        }
        if !errors.is_empty() {
            found.extend(errors.iter().cloned());
            return (None, found);
        }
        let replaced = Replaced::of(tree, *node);
        assignment.replaced = Some(replaced);
        if replaced != Replaced::Scalar && !template.is_whole() {
            let what = replaced.described();
            let error = Diagnostic::error(
                Rule::InvalidSetter,
                format!("{what} is set by one setter, without text around it"),
            )
            .at(origin, assignment.span, "this is the pattern of a string")
            .help("write `${name}`, and bind the name to the whole value");
            found.push(error);
            return (None, found);
        }
        if unbound().next().is_none() {
            return (Some(assignment), found);
        }
        match template.derive(current_text(tree, *node), &bound) {
            Ok(derived) => {
                assignment.derived = derived;
                (Some(assignment), found)
            }
            Err(why) => {
                found.push(not_derived(why, template, references, &bound, origin));
                (None, found)
            }
        }
    }
}

/// Returns the text that a setter comment replaces.
pub(crate) fn current_text(tree: &Tree, node: NodeId) -> &str {
    let text = tree.text(node).unwrap_or_default();
    if tree[node].style().is_some_and(Style::is_block) {
        text.trim_end_matches(BLANKS)
    } else {
        text
    }
}

/// Whether a path names an output, readable or not, by its own name. One that cannot be looked
/// up, because a document could not be read, counts as bound.
pub(crate) fn names_output(path: &Path, bindings: &Bindings) -> bool {
    let Some(name) = path.segments.first().map(|segment| segment.step.key()) else {
        return false;
    };
    let binding = path.binding.as_deref();
    let is_output = bindings
        .target(binding, name.clone())
        .is_some_and(|target| {
            target.output == name
                && (target.bound().is_some() || target.named.unreadable(&name).is_some())
        });
    is_output || bindings.is_incomplete(binding)
}

/// Returns a warning about a name that is not an output, if it is likely a misspelled one.
fn near_miss(found: &FoundReference, bindings: &Bindings) -> Option<Diagnostic> {
    let segment = found.reference.path.segments.first()?;
    let name = segment.step.key();
    if !bindings.may_suggest() {
        return None;
    }
    let near = suggest::typo(&name, bindings.variable_names()?)?;
    let start = found.span.start + segment.range.start - found.reference.range.start;
    let span = Span::new(start, start + segment.range.len());
    let warning = Diagnostic::warning(
        Rule::NearMiss,
        format!("nothing is bound to `{name}`: its part of the value is left unchanged"),
    )
    .help(format!("did you mean `{near}`?"));
    if found.span.range().len() != found.reference.range.len() {
        // It is inside a scalar, where bytes may be escaped.
        return Some(warning.at(found.origin, found.span, ""));
    }
    let edit = Edit {
        span,
        text: near.as_bytes().to_vec(),
    };
    let warning = warning.at(found.origin, span, "");
    Some(warning.fix(format!("replace with `{near}`"), found.origin, vec![edit]))
}

/// Returns the error about a pattern whose other parts cannot be derived.
fn not_derived(
    why: NotDerived,
    template: &Template,
    references: &[FoundReference],
    bound: &[bool],
    origin: Origin,
) -> Diagnostic {
    let name = |nth: usize| {
        let found = references.get(nth);
        found.map_or_else(String::new, |found| found.reference.path.display())
    };
    let first_unbound = bound.iter().position(|bound| !bound).unwrap_or_default();
    let (nth, message) = match why {
        NotDerived::NoMatch => (
            first_unbound,
            format!(
                "nothing is bound to `{}`, and the current value does not match the pattern",
                name(first_unbound)
            ),
        ),
        NotDerived::Empty(nth) => (
            nth,
            format!(
                "nothing is bound to `{}`, and its part of the current value is empty",
                name(nth)
            ),
        ),
        NotDerived::Ambiguous(nth) => (
            nth,
            format!(
                "nothing is bound to `{}`, and the current value matches the pattern in several ways",
                name(nth)
            ),
        ),
        NotDerived::Different(nth) => (
            nth,
            format!(
                "nothing is bound to `{}`, and its parts of the current value differ",
                name(nth)
            ),
        ),
    };
    let mut error = Diagnostic::error(Rule::InvalidSetter, message);
    if let Some(found) = references.get(nth) {
        error = error.at(origin, found.span, "this part of the value is unknown");
    }
    let mut unbound: Vec<String> = (0..template.references.len())
        .filter(|nth| !bound.get(*nth).copied().unwrap_or_default())
        .map(name)
        .collect();
    unbound.sort_unstable();
    unbound.dedup();
    let names = suggest::listed(unbound.iter().map(String::as_str));
    error.help(format!(
        "bind {names} too, or correct the value or the pattern"
    ))
}
