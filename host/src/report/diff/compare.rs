//! Compares two renderings of an application.
//!
//! Values are compared by their bytes in the rendered files. Reports show their text as
//! reported by the module, which omits sensitive values.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

use landfall_sandbox::types::{Content, Origin};
use serde_json::json;

use crate::engine::{Answer, Halted};
use crate::rendered::Application;
use crate::splice::{BrokenEdits, Spliced};

use super::super::finding::Resource;
use super::super::location::{Location, Locator};
use super::super::substitutions::{Report, Reported, ReportedResource};
use super::regions::{Region, edits, regions};
use super::scalars::Parts;
use super::{Change, OtherChange, Value};

/// The value of a sensitive output in reports.
pub(super) const SENSITIVE: &str = "(sensitive)";

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
    let old_report = old.map(|(_, report)| report);
    let mut pairs = pairs(old_report, new_report, may_be_sensitive);
    let mut comparison = Comparison {
        locator: Locator::new(&documents),
        concealed: concealed(pairs.values().flatten()),
        changes: Vec::new(),
        other_changes: Vec::new(),
    };
    let files = application.each().enumerate();
    for (nth, (_, file)) in files.filter(|(_, (source, _))| source.target.is_some()) {
        let number = u32::try_from(nth).unwrap_or(u32::MAX);
        let pairs = pairs.remove(&number).unwrap_or_default();
        let origin = Origin::Manifest(number);
        match old {
            None => {
                for pair in pairs {
                    let change = comparison.change(origin, pair, [None, None])?;
                    comparison.changes.push(change);
                }
            }
            Some((old_answer, _)) => {
                let contents = old_answer.sources.get(nth).zip(new_answer.sources.get(nth));
                let (old, new) = contents.ok_or(Halted::BrokenAnswer)?;
                match Renderings::of(&file.content, old, new)? {
                    Some(renderings) => {
                        comparison.file(origin, &file.content, &renderings, &pairs)?;
                    }
                    None => {
                        let is_change =
                            |pair: &Pair<'_>| pair.is_unwritten() && !pair.has_same_value();
                        for pair in pairs.into_iter().filter(is_change) {
                            let change = comparison.change(origin, pair, [None, None])?;
                            comparison.changes.push(change);
                        }
                    }
                }
            }
        }
    }
    Ok((comparison.changes, comparison.other_changes))
}

/// One reference with its results. At least one is present.
#[derive(Clone, Copy, Default)]
struct Pair<'r> {
    old: Option<&'r Reported>,
    new: Option<&'r Reported>,
    /// Whether the output is, or may be, sensitive in the old or in the new outputs.
    is_sensitive: bool,
}

impl<'r> Pair<'r> {
    fn each(self) -> impl Iterator<Item = &'r Reported> {
        [self.old, self.new].into_iter().flatten()
    }

    /// Returns whether text around the reference may be secret.
    fn is_secret(self) -> bool {
        let mut resources = self
            .each()
            .filter_map(|reported| reported.resource.as_ref());
        self.is_sensitive || resources.any(|resource| resource.kind == "Secret")
    }

    /// Returns whether the reference is not replaced with the new outputs, because a value is
    /// unknown.
    fn is_unwritten(self) -> bool {
        self.new.is_some_and(|new| new.unwritten)
    }

    /// Returns whether both sides are known to have the same value.
    fn has_same_value(self) -> bool {
        let value = |of: &'r Reported| (!of.sensitive).then_some((&of.value_type, &of.value));
        match self {
            Self {
                old: Some(old),
                new: Some(new),
                ..
            } => value(old).is_some() && value(old) == value(new),
            _ => false,
        }
    }
}

/// Returns the references of both reports by file, in the order of their locations. The
/// sources are the same, so a reference has the same location on both sides. A template
/// can contain a reference more than once.
fn pairs<'r>(
    old: Option<&'r Report>,
    new: &'r Report,
    may_be_sensitive: &dyn Fn(&str) -> bool,
) -> BTreeMap<u32, Vec<Pair<'r>>> {
    type Key<'r> = (u32, usize, usize, &'r str, usize);
    fn keys(report: &Report) -> impl Iterator<Item = (Key<'_>, &Reported)> {
        let mut counts: BTreeMap<_, usize> = BTreeMap::new();
        report.substitutions.iter().map(move |reported| {
            let Reported {
                file,
                start,
                end,
                reference,
                ..
            } = reported;
            let count = counts.entry((file, start, end, reference)).or_default();
            *count += 1;
            ((*file, *start, *end, reference.as_str(), *count), reported)
        })
    }
    let mut all: BTreeMap<Key<'r>, Pair<'r>> = BTreeMap::new();
    for (key, reported) in old.into_iter().flat_map(keys) {
        all.entry(key).or_default().old = Some(reported);
    }
    for (key, reported) in keys(new) {
        all.entry(key).or_default().new = Some(reported);
    }
    let mut by_file: BTreeMap<u32, Vec<Pair<'r>>> = BTreeMap::new();
    for ((file, ..), mut pair) in all {
        pair.is_sensitive = pair
            .each()
            .any(|reported| reported.sensitive || may_be_sensitive(&reported.output));
        by_file.entry(file).or_default().push(pair);
    }
    by_file
}

/// Returns the values that reports contain although their outputs are sensitive: on the other
/// side only. Each as text, and as in a quoted key.
fn concealed<'p>(pairs: impl Iterator<Item = &'p Pair<'p>>) -> BTreeSet<String> {
    let sensitive = pairs.filter(|pair| pair.is_sensitive);
    let values = sensitive
        .flat_map(|pair| pair.each())
        .filter(|reported| !reported.sensitive && !reported.value.is_empty());
    let forms = |reported: &Reported| {
        let quoted = json!(reported.value).to_string();
        [reported.value.clone(), quoted.trim_matches('"').to_owned()]
    };
    values.flat_map(forms).collect()
}

/// Two renderings of a file that differ.
struct Renderings {
    old: Vec<u8>,
    new: Vec<u8>,
    /// The regions that differ. Not empty.
    regions: Vec<Region>,
}

impl Renderings {
    /// Returns None if both are equal.
    fn of(source: &[u8], old: &Content, new: &Content) -> Result<Option<Self>, Halted> {
        let [old_edits, new_edits] = [old, new].map(edits);
        let spliced = |edits| Spliced::with_edits(source, edits);
        let [old, new] = [spliced(&old_edits), spliced(&new_edits)];
        let [old, new] = [old, new].map(|file| file.map_err(|BrokenEdits| Halted::BrokenAnswer));
        let (old, new) = (old?, new?);
        let mut regions = regions(old.edits(), new.edits());
        let [old, new] = [old, new].map(Spliced::to_vec);
        regions.retain(|region| old.get(region.old.clone()) != new.get(region.new.clone()));
        let is_different = !regions.is_empty();
        Ok(is_different.then_some(Self { old, new, regions }))
    }

    /// Returns the results of a reference, and the regions that they touch.
    fn results(&self, pair: Pair<'_>) -> Result<Results<'_>, Halted> {
        let mut touched = Vec::new();
        let mut result = |of: Option<&Reported>, text, span: Side| match of {
            Some(of) => self.result(of, text, span, &mut touched).map(Some),
            None => Ok(None),
        };
        let old = result(pair.old, &self.old, |region| &region.old)?;
        let new = result(pair.new, &self.new, |region| &region.new)?;
        Ok(Results { old, new, touched })
    }

    /// Returns the result in the rendering `text` and adds the regions that it touches.
    fn result<'t>(
        &self,
        reported: &Reported,
        text: &'t [u8],
        span: Side,
        touched: &mut Vec<usize>,
    ) -> Result<&'t [u8], Halted> {
        let (start, end) = reported.result_span.ok_or(Halted::BrokenAnswer)?;
        let regions = &self.regions;
        let first = regions.partition_point(|region| span(region).end < start);
        let after = regions.partition_point(|region| span(region).start <= end);
        touched.extend(first..after);
        text.get(start..end).ok_or(Halted::BrokenAnswer)
    }
}

/// The bytes of a region in one of the renderings.
type Side = fn(&Region) -> &Range<usize>;

/// The rendered text of a reference.
struct Results<'a> {
    old: Option<&'a [u8]>,
    new: Option<&'a [u8]>,
    /// The indices of the regions that differ and overlap the text or are next to it.
    touched: Vec<usize>,
}

struct Comparison<'d> {
    locator: Locator<'d>,
    /// Values that names and keys in the report must not contain.
    concealed: BTreeSet<String>,
    changes: Vec<Change>,
    other_changes: Vec<OtherChange>,
}

impl Comparison<'_> {
    /// Compares the renderings of one file. `pairs` are its references.
    fn file(
        &mut self,
        origin: Origin,
        source: &[u8],
        renderings: &Renderings,
        pairs: &[Pair<'_>],
    ) -> Result<(), Halted> {
        let regions = &renderings.regions;
        // Without references, the resource of a text is not known.
        let is_secret = pairs.is_empty() || pairs.iter().any(|pair| pair.is_secret());
        let mut is_explained = vec![false; regions.len()];
        let mut changes = Vec::new();
        let mut same_values = Vec::new();
        for (position, &pair) in pairs.iter().enumerate() {
            if pair.is_unwritten() {
                let old = Pair { new: None, ..pair };
                for at in renderings.results(old)?.touched {
                    is_explained[at] = true;
                }
                if !pair.has_same_value() {
                    changes.push((position, self.change(origin, pair, [None, None])?));
                }
                continue;
            }
            let results = renderings.results(pair)?;
            if results.touched.is_empty() || results.old == results.new {
                continue;
            }
            if pair.has_same_value() {
                same_values.push((position, pair, results));
                continue;
            }
            for at in results.touched {
                is_explained[at] = true;
            }
            changes.push((position, self.change(origin, pair, [None, None])?));
        }
        let changed = changes
            .iter()
            .filter_map(|(position, _)| pairs[*position].each().next());
        let changed: Vec<_> = changed
            .map(|reported| reported.start..reported.end)
            .collect();
        let around = if same_values.is_empty() && !is_explained.contains(&false) {
            Parts::default()
        } else {
            Parts::around(source, &changed)
        };
        let is_around = |pair: Pair<'_>| {
            let mut reported = pair.each();
            reported.any(|reported| around.contain(reported.start))
        };
        // A value near a changed one may be written differently, such as in base64 or with
        // other quotes. Only without such a neighbour it is a change.
        for (position, pair, results) in same_values {
            let mut touched = results.touched.iter();
            if touched.all(|&at| is_explained[at]) || is_around(pair) {
                for at in results.touched {
                    is_explained[at] = true;
                }
                continue;
            }
            let rendered = [results.old, results.new].map(|text| {
                if is_secret {
                    return None;
                }
                Some(String::from_utf8_lossy(text?).into_owned())
            });
            for at in results.touched {
                is_explained[at] = true;
            }
            changes.push((position, self.change(origin, pair, rendered)?));
        }
        changes.sort_by_key(|(position, _)| *position);
        self.changes
            .extend(changes.into_iter().map(|(_, change)| change));
        let unexplained = std::iter::zip(regions, is_explained)
            .filter(|(region, is_explained)| !is_explained && !around.contain(region.source));
        for (region, _) in unexplained {
            let Location { path, line, .. } = self
                .locator
                .find(origin, region.source, region.source)
                .ok_or(Halted::BrokenAnswer)?;
            let text = |rendering: &[u8], bytes: &Range<usize>| {
                if is_secret {
                    return None;
                }
                let text = rendering.get(bytes.clone())?;
                Some(String::from_utf8_lossy(text).into_owned())
            };
            self.other_changes.push(OtherChange {
                path,
                line,
                from: text(&renderings.old, &region.old),
                to: text(&renderings.new, &region.new),
            });
        }
        Ok(())
    }

    /// Returns the change of a reference. `rendered` are the texts to show instead of the
    /// values.
    fn change(
        &self,
        origin: Origin,
        pair: Pair<'_>,
        rendered: [Option<String>; 2],
    ) -> Result<Change, Halted> {
        let reported = pair.new.or(pair.old).ok_or(Halted::BrokenAnswer)?;
        let location = self.locator.find(origin, reported.start, reported.end);
        let Location {
            path, line, column, ..
        } = location.ok_or(Halted::BrokenAnswer)?;
        let sensitive = pair.is_sensitive;
        let value = |reported: &Reported, rendered| Value {
            value_type: reported.value_type.clone(),
            // The module redacts the value of a sensitive output. It can be sensitive on
            // one side only.
            value: if sensitive {
                SENSITIVE.to_owned()
            } else {
                reported.value.clone()
            },
            rendered,
        };
        let [old_rendered, new_rendered] = rendered;
        Ok(Change {
            path,
            line,
            column,
            resource: reported.resource.as_ref().map(|of| self.resource(of)),
            field: self.shown(&reported.field),
            output: reported.output.clone(),
            reference: reported.reference.clone(),
            sensitive,
            from: pair.old.map(|reported| value(reported, old_rendered)),
            to: pair.new.map(|reported| value(reported, new_rendered)),
        })
    }

    /// Returns a name or a path, which can be made of values.
    fn shown(&self, text: &str) -> String {
        let mut concealed = self.concealed.iter();
        if concealed.any(|value| text.contains(value.as_str())) {
            SENSITIVE.to_owned()
        } else {
            text.to_owned()
        }
    }

    fn resource(&self, reported: &ReportedResource) -> Resource {
        let mut resource = Resource::from(reported.clone());
        let Resource {
            api_version,
            kind,
            name,
            namespace,
        } = &mut resource;
        for text in [api_version, kind, name, namespace] {
            *text = self.shown(text);
        }
        resource
    }
}

#[cfg(test)]
#[path = "compare_tests.rs"]
mod tests;
