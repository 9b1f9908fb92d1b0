//! The outputs of all bound documents under one set of names, for dialects whose references
//! name a variable and no binding.

use crate::collections::{OrderedMap, OrderedSet};

/// Which binding's output each variable is.
#[derive(Debug, Default)]
pub(crate) struct Variables {
    /// By the output's name.
    outputs: OrderedMap<String, Winner>,
    /// The outputs whose names no variable can have, by the name with `_` for each `-` and
    /// `.`; `None` if several outputs share it.
    renamed: OrderedMap<String, Option<String>>,
    /// The outputs that are sensitive in any document.
    sensitive: OrderedSet<String>,
}

/// The binding whose output is used.
#[derive(Debug)]
struct Winner {
    output: String,
    binding: String,
    is_inline: bool,
}

impl Variables {
    /// Adds an output of the next document. One that is inline in the Binding overrides
    /// those of all files, and otherwise a later document overrides earlier ones, as Flux's
    /// `substitute` and `substituteFrom` do (fluxcd/kustomize-controller v1.9, `postBuild`).
    /// Returns the other binding that has the output, if there is one, and whether the added
    /// output is used.
    pub(super) fn add(
        &mut self,
        output: &str,
        binding: &str,
        is_inline: bool,
        is_sensitive: bool,
    ) -> Option<(String, bool)> {
        if is_sensitive {
            self.sensitive.insert(output.to_owned());
        }
        let added = Winner {
            output: output.to_owned(),
            binding: binding.to_owned(),
            is_inline,
        };
        let Some(winner) = self.outputs.get_mut(output) else {
            self.outputs.insert(output.to_owned(), added);
            if let Some(name) = variable_of(output) {
                let unique = !self.renamed.contains_key(&name);
                self.renamed.insert(name, unique.then(|| output.to_owned()));
            }
            return None;
        };
        if winner.binding == binding {
            return None;
        }
        if winner.is_inline && !is_inline {
            return Some((winner.binding.clone(), false));
        }
        let overridden = std::mem::replace(winner, added);
        Some((overridden.binding, true))
    }

    /// Uses another binding's output where this binding's is used, which no longer exists.
    pub(super) fn replace(&mut self, output: &str, binding: &str, other: &str) {
        let winner = self.outputs.get_mut(output);
        if let Some(winner) = winner.filter(|winner| winner.binding == binding) {
            other.clone_into(&mut winner.binding);
            winner.is_inline = false;
        }
    }

    /// Whether any output is sensitive.
    pub(super) fn has_sensitive(&self) -> bool {
        !self.sensitive.is_empty()
    }

    /// Whether an output is sensitive in one of the documents.
    pub(super) fn is_sensitive(&self, output: &str) -> bool {
        self.sensitive.contains(output)
    }

    /// Returns the outputs that are sensitive in one of the documents, each with the binding
    /// that is used.
    pub(super) fn sensitive(&self) -> impl Iterator<Item = (&str, &str)> {
        let names = self.sensitive.iter();
        names.filter_map(|name| Some((name.as_str(), self.outputs.get(name)?.binding.as_str())))
    }

    /// Returns the binding and the output that a variable names: the output with that name,
    /// or the only one that has `-` or `.` where the variable has `_`.
    pub(crate) fn find(&self, variable: &str) -> Option<(&str, &str)> {
        let output = match self.outputs.get(variable) {
            Some(winner) => return Some((&winner.binding, &winner.output)),
            None => self.renamed.get(variable)?.as_deref()?,
        };
        let winner = self.outputs.get(output)?;
        Some((&winner.binding, &winner.output))
    }

    /// Returns the names of all outputs, sorted.
    pub(crate) fn names(&self) -> impl Iterator<Item = &str> {
        self.outputs.keys().map(String::as_str)
    }
}

/// Returns the variable that names an output with dashes or dots.
fn variable_of(output: &str) -> Option<String> {
    let has_others = output.contains(['-', '.']);
    has_others.then(|| output.replace(['-', '.'], "_"))
}
