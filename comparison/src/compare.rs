//! Compares the renderings of files, and attributes each difference to a reference.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

use serde_json::json;

use crate::regions::{Region, regions};
use crate::scalars::Parts;
use crate::{BrokenReport, Change, OtherChange, Reference, Rendering, Resource, SENSITIVE, Value};

/// Compares two renderings of sources, one file after the other.
#[derive(Debug)]
pub struct Comparison<'r> {
    /// The references by file, in the order of their locations.
    pairs: BTreeMap<usize, Vec<Pair<'r>>>,
    /// Values that names and keys in the report must not contain.
    concealed: BTreeSet<String>,
    /// The changed values, in the order in which files were compared, and of locations.
    pub changes: Vec<Change<'r>>,
    /// The changes that are not the change of one value.
    pub other_changes: Vec<OtherChange>,
}

/// One reference with its results. At least one is present.
#[derive(Clone, Debug, Default)]
struct Pair<'r> {
    old: Option<Reference<'r>>,
    new: Option<Reference<'r>>,
    /// Whether the output is, or may be, sensitive in the old or in the new outputs.
    is_sensitive: bool,
}

impl<'r> Pair<'r> {
    fn each(&self) -> impl Iterator<Item = &Reference<'r>> {
        [&self.old, &self.new].into_iter().flatten()
    }

    /// Returns whether text around the reference may be secret.
    fn is_secret(&self) -> bool {
        let mut resources = self.each().filter_map(|one| one.resource);
        self.is_sensitive || resources.any(|resource| resource.kind == "Secret")
    }

    /// Returns whether the reference is not replaced with the new outputs, because a value is
    /// unknown.
    fn is_unwritten(&self) -> bool {
        self.new.as_ref().is_some_and(|new| new.is_unwritten)
    }

    /// Returns whether both sides are known to have the same value.
    fn has_same_value(&self) -> bool {
        let value = |of: &Reference<'r>| (!of.is_sensitive).then_some((of.value_type, of.value));
        match (&self.old, &self.new) {
            (Some(old), Some(new)) => value(old).is_some() && value(old) == value(new),
            _ => false,
        }
    }
}

/// The two renderings of a file, which differ.
struct Renderings {
    old: Vec<u8>,
    new: Vec<u8>,
    /// The regions that differ. Not empty.
    regions: Vec<Region>,
}

impl Renderings {
    /// Returns None if both are equal.
    fn of([old, new]: [Rendering; 2]) -> Option<Self> {
        let mut regions = regions(&old.edits, &new.edits);
        let [old, new] = [old.text, new.text];
        regions.retain(|region| old.get(region.old.clone()) != new.get(region.new.clone()));
        let is_different = !regions.is_empty();
        is_different.then_some(Self { old, new, regions })
    }

    /// Returns the results of a reference in the old and in the new rendering, and the regions
    /// that they touch.
    fn results(
        &self,
        old: Option<&Reference<'_>>,
        new: Option<&Reference<'_>>,
    ) -> Result<Results<'_>, BrokenReport> {
        let mut touched = Vec::new();
        let mut result = |of: Option<&Reference<'_>>, text, bytes: BytesOf| match of {
            Some(of) => self.result(of, text, bytes, &mut touched).map(Some),
            None => Ok(None),
        };
        let old = result(old, &self.old, |region| &region.old)?;
        let new = result(new, &self.new, |region| &region.new)?;
        Ok(Results { old, new, touched })
    }

    /// Returns the result in the rendering `text` and adds the regions that it touches.
    fn result<'t>(
        &self,
        reference: &Reference<'_>,
        text: &'t [u8],
        bytes: BytesOf,
        touched: &mut Vec<usize>,
    ) -> Result<&'t [u8], BrokenReport> {
        let Range { start, end } = reference.result.clone().ok_or(BrokenReport)?;
        let regions = &self.regions;
        let first = regions.partition_point(|region| bytes(region).end < start);
        let after = regions.partition_point(|region| bytes(region).start <= end);
        touched.extend(first..after);
        text.get(start..end).ok_or(BrokenReport)
    }
}

/// Returns the bytes of a region in one of the renderings.
type BytesOf = fn(&Region) -> &Range<usize>;

/// The rendered text of a reference.
struct Results<'a> {
    old: Option<&'a [u8]>,
    new: Option<&'a [u8]>,
    /// The indices of the regions that differ and overlap the text or are next to it.
    touched: Vec<usize>,
}

impl<'r> Comparison<'r> {
    /// Creates a comparison of sources with these references. They have the same locations in both
    /// renderings, because the sources are the same. `may_be_sensitive` returns whether an output
    /// may be sensitive in the old or in the new outputs.
    pub fn new(
        old: impl Iterator<Item = Reference<'r>>,
        new: impl Iterator<Item = Reference<'r>>,
        may_be_sensitive: impl Fn(&str) -> bool,
    ) -> Self {
        let pairs = pairs(old, new, may_be_sensitive);
        Self {
            concealed: concealed(pairs.values().flatten()),
            pairs,
            changes: Vec::new(),
            other_changes: Vec::new(),
        }
    }

    /// Compares the renderings of the file at this position. Without an old rendering, every value
    /// is a change.
    ///
    /// # Errors
    /// A result is missing, or outside of its rendering.
    pub fn file(
        &mut self,
        file: usize,
        source: &[u8],
        renderings: Option<[Rendering; 2]>,
    ) -> Result<(), BrokenReport> {
        let pairs = self.pairs.remove(&file).unwrap_or_default();
        let Some(renderings) = renderings else {
            for pair in &pairs {
                self.changes.extend(self.change(pair, [None, None]));
            }
            return Ok(());
        };
        if let Some(renderings) = Renderings::of(renderings) {
            return self.differing(file, source, &renderings, &pairs);
        }
        let is_change = |pair: &&Pair<'_>| pair.is_unwritten() && !pair.has_same_value();
        for pair in pairs.iter().filter(is_change) {
            self.changes.extend(self.change(pair, [None, None]));
        }
        Ok(())
    }

    fn differing(
        &mut self,
        file: usize,
        source: &[u8],
        renderings: &Renderings,
        pairs: &[Pair<'r>],
    ) -> Result<(), BrokenReport> {
        let regions = &renderings.regions;
        // Without references, the resource of a text is not known.
        let is_secret = pairs.is_empty() || pairs.iter().any(Pair::is_secret);
        let mut is_explained = vec![false; regions.len()];
        let mut changes = Vec::new();
        let mut same_values = Vec::new();
        for (position, pair) in pairs.iter().enumerate() {
            if pair.is_unwritten() {
                for at in renderings.results(pair.old.as_ref(), None)?.touched {
                    is_explained[at] = true;
                }
                if !pair.has_same_value() {
                    changes.push((position, self.change(pair, [None, None])));
                }
                continue;
            }
            let results = renderings.results(pair.old.as_ref(), pair.new.as_ref())?;
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
            changes.push((position, self.change(pair, [None, None])));
        }
        let changed = changes
            .iter()
            .filter_map(|(position, _)| pairs[*position].each().next());
        let changed: Vec<_> = changed.map(|reference| reference.span.clone()).collect();
        let around = if same_values.is_empty() && !is_explained.contains(&false) {
            Parts::default()
        } else {
            Parts::around(source, &changed)
        };
        let is_around = |pair: &Pair<'_>| {
            let mut references = pair.each();
            references.any(|reference| around.contain(reference.span.start))
        };
        let text = |bytes: Option<&[u8]>| {
            if is_secret {
                return None;
            }
            Some(String::from_utf8_lossy(bytes?).into_owned())
        };
        // A value near a changed one may be written differently, such as in base64 or with
        // other quotes. Only without such a neighbour it is a change.
        for (position, pair, results) in same_values {
            let mut touched = results.touched.iter();
            let is_explained_by_others = touched.all(|&at| is_explained[at]) || is_around(pair);
            for at in results.touched {
                is_explained[at] = true;
            }
            if !is_explained_by_others {
                let rendered = [results.old, results.new].map(text);
                changes.push((position, self.change(pair, rendered)));
            }
        }
        changes.sort_by_key(|(position, _)| *position);
        let changes = changes.into_iter().filter_map(|(_, change)| change);
        self.changes.extend(changes);
        let unexplained = std::iter::zip(regions, is_explained)
            .filter(|(region, is_explained)| !is_explained && !around.contain(region.source));
        let others = unexplained.map(|(region, _)| OtherChange {
            file,
            at: region.source,
            from: text(renderings.old.get(region.old.clone())),
            to: text(renderings.new.get(region.new.clone())),
        });
        self.other_changes.extend(others);
        Ok(())
    }

    /// Returns the change of a reference. `rendered` are the texts to show instead of the
    /// values.
    fn change(&self, pair: &Pair<'r>, rendered: [Option<String>; 2]) -> Option<Change<'r>> {
        let reference = pair.new.as_ref().or(pair.old.as_ref())?;
        let is_sensitive = pair.is_sensitive;
        let value = |of: &Reference<'r>, rendered| Value {
            value_type: of.value_type,
            // The module redacts the value of a sensitive output. It can be sensitive on
            // one side only.
            value: if is_sensitive { SENSITIVE } else { of.value },
            rendered,
        };
        let [old_rendered, new_rendered] = rendered;
        Some(Change {
            file: reference.file,
            span: reference.span.clone(),
            resource: reference.resource.map(|resource| self.resource(resource)),
            field: self.shown(reference.field),
            output: reference.output,
            text: reference.text,
            is_sensitive,
            from: pair.old.as_ref().map(|old| value(old, old_rendered)),
            to: pair.new.as_ref().map(|new| value(new, new_rendered)),
        })
    }

    /// Returns a name or a path, which can be made of values.
    fn shown<'t>(&self, text: &'t str) -> &'t str {
        let mut concealed = self.concealed.iter();
        if concealed.any(|value| text.contains(value.as_str())) {
            SENSITIVE
        } else {
            text
        }
    }

    fn resource<'t>(&self, resource: Resource<'t>) -> Resource<'t> {
        Resource {
            api_version: self.shown(resource.api_version),
            kind: self.shown(resource.kind),
            name: self.shown(resource.name),
            namespace: self.shown(resource.namespace),
        }
    }
}

/// Returns the references of both renderings by file, in the order of their locations. A template
/// can contain a reference more than once.
fn pairs<'r>(
    old: impl Iterator<Item = Reference<'r>>,
    new: impl Iterator<Item = Reference<'r>>,
    may_be_sensitive: impl Fn(&str) -> bool,
) -> BTreeMap<usize, Vec<Pair<'r>>> {
    type Key<'r> = (usize, usize, usize, &'r str, usize);
    fn keyed<'r>(
        references: impl Iterator<Item = Reference<'r>>,
    ) -> impl Iterator<Item = (Key<'r>, Reference<'r>)> {
        let mut counts: BTreeMap<_, usize> = BTreeMap::new();
        references.map(move |reference| {
            let Reference {
                file,
                ref span,
                text,
                ..
            } = reference;
            let (start, end) = (span.start, span.end);
            let count = counts.entry((file, start, end, text)).or_default();
            *count += 1;
            ((file, start, end, text, *count), reference)
        })
    }
    let mut all: BTreeMap<Key<'r>, Pair<'r>> = BTreeMap::new();
    for (key, reference) in keyed(old) {
        all.entry(key).or_default().old = Some(reference);
    }
    for (key, reference) in keyed(new) {
        all.entry(key).or_default().new = Some(reference);
    }
    let mut by_file: BTreeMap<usize, Vec<Pair<'r>>> = BTreeMap::new();
    for ((file, ..), mut pair) in all {
        let is_sensitive = |one: &Reference<'_>| one.is_sensitive || may_be_sensitive(one.output);
        pair.is_sensitive = pair.old.iter().chain(&pair.new).any(is_sensitive);
        by_file.entry(file).or_default().push(pair);
    }
    by_file
}

/// Returns the values that reports contain although their outputs are sensitive: on the other
/// side only. Each as text, and as in a quoted key.
fn concealed<'p, 'r: 'p>(pairs: impl Iterator<Item = &'p Pair<'r>>) -> BTreeSet<String> {
    let sensitive = pairs.filter(|pair| pair.is_sensitive);
    let values = sensitive
        .flat_map(|pair| pair.each())
        .filter(|reference| !reference.is_sensitive && !reference.value.is_empty());
    let forms = |reference: &Reference<'_>| {
        let quoted = json!(reference.value).to_string();
        [
            reference.value.to_owned(),
            quoted.trim_matches('"').to_owned(),
        ]
    };
    values.flat_map(forms).collect()
}
