//! Which outputs of one side of a comparison are sensitive, whether or not manifests render
//! with them.

use std::collections::BTreeMap;

use landfall_sandbox::types::{Configuration, OutputsDocument};

use crate::engine::{Halted, OutputsInputs, Plugin};

/// The outputs of one side, and which of them are sensitive.
#[derive(Debug)]
pub(crate) struct SensitiveMarks {
    /// None if nothing is known.
    marks: Option<BTreeMap<Name, bool>>,
    /// Whether there may be other outputs, which may be sensitive.
    is_incomplete: bool,
}

/// A bound name, and the name of one of its outputs.
type Name = (String, String);

impl SensitiveMarks {
    /// The marks of outputs of which nothing is known.
    pub(super) const UNKNOWN: Self = Self {
        marks: None,
        is_incomplete: true,
    };

    /// Asks the module for the marks in `documents`, and in the Binding.
    ///
    /// # Errors
    /// The module was stopped.
    pub(super) fn of(
        documents: &[OutputsDocument],
        is_incomplete: bool,
        configuration: &Configuration,
        plugin: &mut Plugin,
    ) -> Result<Self, Halted> {
        let inputs = OutputsInputs {
            configuration: configuration.clone(),
            documents: documents.to_vec(),
            contract: None,
        };
        let contract = plugin.outputs_contract(&inputs)?;
        let contract = contract.ok().and_then(|text| String::from_utf8(text).ok());
        Ok(Self {
            marks: contract.and_then(|text| marks(&text)),
            is_incomplete,
        })
    }

    /// Returns whether any output of `documents` may be sensitive. `trusts_unmarked`: whether
    /// those of a format without marks are not.
    ///
    /// # Errors
    /// The module was stopped.
    pub(crate) fn may_be_in(
        documents: &[OutputsDocument],
        trusts_unmarked: bool,
        configuration: &Configuration,
        plugin: &mut Plugin,
    ) -> Result<bool, Halted> {
        for document in documents.iter().filter(|_| !trusts_unmarked) {
            if !plugin.marks_sensitive(document)? {
                return Ok(true);
            }
        }
        let found = Self::of(documents, false, configuration, plugin)?;
        Ok(found
            .marks
            .is_none_or(|marks| marks.values().any(|sensitive| *sensitive)))
    }

    /// Returns whether an output may be sensitive. `output` is its name in reports:
    /// `infra.vpc_id`.
    pub(crate) fn may_be_sensitive(&self, output: &str) -> bool {
        name_of(output).is_none_or(|name| self.may_mark(&name))
    }

    fn may_mark(&self, name: &Name) -> bool {
        let mark = self.marks.as_ref().map(|marks| marks.get(name));
        mark.is_none_or(|mark| mark.copied().unwrap_or(self.is_incomplete))
    }

    /// Returns an output that may be sensitive here, and has a value on the other side that
    /// is not.
    pub(super) fn only_here(&self, other: &Self) -> OnlyHere {
        match &other.marks {
            None => OnlyHere::Unknown,
            Some(marks) => {
                let mut public = marks.iter().filter(|(_, sensitive)| !**sensitive);
                let found = public.find(|(name, _)| self.may_mark(name));
                found.map_or(OnlyHere::None, |((bound, output), _)| {
                    OnlyHere::Output(format!("{bound}.{output}"))
                })
            }
        }
    }
}

/// An output that may be sensitive on one side, and is public on the other one.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum OnlyHere {
    None,
    /// The name of the first one.
    Output(String),
    /// Which outputs there are is not known.
    Unknown,
}

/// Reads the marks in a contract as the module writes it: a bound name on a line, and below
/// it each output with its clause on a line. Returns None if it is written otherwise.
fn marks(contract: &str) -> Option<BTreeMap<Name, bool>> {
    let (_, spec) = contract.split_once("\nspec:")?;
    let mut marks = BTreeMap::new();
    let mut bound = None;
    for line in spec.lines().filter(|line| !matches!(*line, "" | " {}")) {
        if let Some(line) = line.strip_prefix("    ") {
            let (name, clause) = key(line)?;
            let sensitive = match clause.strip_prefix(" {")?.strip_suffix('}')? {
                clause if clause.ends_with(", sensitive: true") => true,
                clause if !clause.contains("sensitive") => false,
                _ => return None,
            };
            marks.insert((bound.clone()?, name), sensitive);
        } else {
            let (name, rest) = key(line.strip_prefix("  ")?)?;
            matches!(rest, "" | " {}").then_some(())?;
            bound = Some(name);
        }
    }
    Some(marks)
}

/// Splits a line into its key, which may be in double quotes, and what follows the colon.
fn key(line: &str) -> Option<(String, &str)> {
    if !line.starts_with('"') {
        let (name, rest) = line.split_once(':')?;
        return Some((name.to_owned(), rest));
    }
    let mut quoted = serde_json::Deserializer::from_str(line).into_iter::<String>();
    let name = quoted.next()?.ok()?;
    let rest = line.get(quoted.byte_offset()..)?.strip_prefix(':')?;
    Some((name, rest))
}

/// Returns the names in `infra.vpc_id` or `infra["vpc id"]`.
fn name_of(output: &str) -> Option<Name> {
    let (bound, name) = output.split_at_checked(output.find(['.', '['])?)?;
    let name = match name.strip_prefix('.') {
        Some(name) => name.to_owned(),
        None => serde_json::from_str(name.strip_prefix('[')?.strip_suffix(']')?).ok()?,
    };
    Some((bound.to_owned(), name))
}

#[cfg(test)]
mod tests {
    use super::{OnlyHere, SensitiveMarks, marks};

    fn of(contract: &str) -> SensitiveMarks {
        SensitiveMarks {
            marks: marks(contract),
            is_incomplete: false,
        }
    }

    const CONTRACT: &str = "apiVersion: landfall.dev/v1alpha1\nkind: OutputsContract\nspec:\n  infra:\n    \"a: {b\\\"\": {required: false, sensitive: true}\n    id: {type: string}\n    key: {type: string, sensitive: true}\n  net: {}\n";

    #[test]
    fn reads_the_marks_of_a_contract() {
        let marks = of(CONTRACT);
        assert!(marks.may_be_sensitive("infra.key"));
        assert!(marks.may_be_sensitive("infra[\"a: {b\\\"\"]"));
        assert!(!marks.may_be_sensitive("infra.id"));
        assert!(!marks.may_be_sensitive("infra.other"));
        // A name that cannot be read may be any of them.
        assert!(marks.may_be_sensitive("infra[x"));
        let empty = of("apiVersion: landfall.dev/v1alpha1\nkind: OutputsContract\nspec: {}\n");
        assert!(!empty.may_be_sensitive("infra.key"));
    }

    #[test]
    fn what_cannot_be_read_may_be_sensitive() {
        for contract in [
            "",
            "kind: x\nspec:\n    a: {}\n",
            "kind: x\nspec:\n  infra:\n    a: {sensitive: yes}\n",
            "kind: x\nspec:\n  infra:\n    a:\n",
            "kind: x\nspec:\n  \"infra: {}\n",
        ] {
            assert!(of(contract).may_be_sensitive("infra.a"), "{contract}");
        }
    }

    #[test]
    fn compares_the_marks_of_two_sides() {
        let of = |text: &str| of(&format!("kind: x\nspec:\n  infra:\n{text}"));
        let output = OnlyHere::Output("infra.a".to_owned());
        let sensitive = of("    a: {type: string, sensitive: true}\n");
        let public = of("    a: {type: string}\n");
        assert_eq!(sensitive.only_here(&public), output);
        assert_eq!(public.only_here(&sensitive), OnlyHere::None);
        // Removed outputs have no value on the other side.
        let mut empty = of("");
        assert_eq!(sensitive.only_here(&empty), OnlyHere::None);
        assert_eq!(empty.only_here(&public), OnlyHere::None);
        empty.is_incomplete = true;
        assert_eq!(empty.only_here(&public), output);
        let unknown = SensitiveMarks::UNKNOWN;
        assert_eq!(unknown.only_here(&public), output);
        assert_eq!(public.only_here(&unknown), OnlyHere::Unknown);
    }
}
