//! Compares two renderings of an application: passes what the module returned to the comparison,
//! and gives its results locations.

use landfall_comparison::{self as comparison, BrokenReport, Comparison, Rendering};
use landfall_sandbox::types::{Content, Origin};

use crate::engine::{Answer, Halted};
use crate::rendered::Application;
use crate::splice::{BrokenEdits, Spliced};

use super::super::finding::Resource;
use super::super::location::{Location, Locator};
use super::super::substitutions::Report;
use super::{Change, OtherChange, Value};

/// Returns the changed values of an application, and the changes that are not the change of
/// one value. Without an old rendering, every value is a change. `may_be_sensitive` returns
/// whether an output may be sensitive in the old or in the new outputs.
///
/// # Errors
/// A report has spans outside its documents.
pub(super) fn compare(
    application: &Application,
    old: Option<(&Answer, &Report)>,
    new: (&Answer, &Report),
    may_be_sensitive: &dyn Fn(&str) -> bool,
) -> Result<(Vec<Change>, Vec<OtherChange>), Halted> {
    let documents = application.documents_with(&[]);
    let (new_answer, new_report) = new;
    let old_references = old.into_iter().flat_map(|(_, report)| report.references());
    let mut comparison = Comparison::new(old_references, new_report.references(), may_be_sensitive);
    let files = application.each().enumerate();
    for (nth, (_, file)) in files.filter(|(_, (source, _))| source.target.is_some()) {
        let renderings = match old {
            None => None,
            Some((old_answer, _)) => {
                let contents = old_answer.sources.get(nth).zip(new_answer.sources.get(nth));
                let (old, new) = contents.ok_or(Halted::BrokenAnswer)?;
                Some([
                    rendering(&file.content, old)?,
                    rendering(&file.content, new)?,
                ])
            }
        };
        let compared = comparison.file(nth, &file.content, renderings);
        compared.map_err(|BrokenReport| Halted::BrokenAnswer)?;
    }
    let locator = Locator::new(&documents);
    let find = |file: usize, start, end| {
        let origin = Origin::Manifest(u32::try_from(file).unwrap_or(u32::MAX));
        let location = locator.find(origin, start, end);
        location.ok_or(Halted::BrokenAnswer)
    };
    let changes = comparison.changes.into_iter().map(|change| {
        let location = find(change.file, change.span.start, change.span.end)?;
        Ok(Change::new(change, location))
    });
    let changes = changes.collect::<Result<_, Halted>>()?;
    let other_changes = comparison.other_changes.into_iter().map(|other| {
        let Location { path, line, .. } = find(other.file, other.at, other.at)?;
        let comparison::OtherChange { from, to, .. } = other;
        Ok(OtherChange {
            path,
            line,
            from,
            to,
        })
    });
    Ok((changes, other_changes.collect::<Result<_, Halted>>()?))
}

fn rendering(source: &[u8], content: &Content) -> Result<Rendering, Halted> {
    let spliced = Spliced::new(source, content).map_err(|BrokenEdits| Halted::BrokenAnswer)?;
    let edits = spliced.edits().iter().map(|edit| comparison::Edit {
        source: edit.start..edit.end,
        length: edit.text.len(),
    });
    Ok(Rendering {
        edits: edits.collect(),
        text: spliced.to_vec(),
    })
}

impl Change {
    fn new(change: comparison::Change<'_>, location: Location) -> Self {
        let Location {
            path, line, column, ..
        } = location;
        Self {
            path,
            line,
            column,
            resource: change.resource.map(Resource::from),
            field: change.field.to_owned(),
            output: change.output.to_owned(),
            reference: change.text.to_owned(),
            sensitive: change.is_sensitive,
            from: change.from.map(Value::from),
            to: change.to.map(Value::from),
        }
    }
}

impl From<comparison::Resource<'_>> for Resource {
    fn from(resource: comparison::Resource<'_>) -> Self {
        Self {
            api_version: resource.api_version.to_owned(),
            kind: resource.kind.to_owned(),
            name: resource.name.to_owned(),
            namespace: resource.namespace.to_owned(),
        }
    }
}

impl From<comparison::Value<'_>> for Value {
    fn from(value: comparison::Value<'_>) -> Self {
        Self {
            value_type: value.value_type.to_owned(),
            value: value.value.to_owned(),
            rendered: value.rendered,
        }
    }
}

#[cfg(test)]
#[path = "compare_tests.rs"]
mod tests;
