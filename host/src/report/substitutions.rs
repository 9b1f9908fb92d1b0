//! The substitutions report of the module, with byte offsets converted to locations.

use std::collections::{BTreeMap, BTreeSet};

use landfall_comparison::{self as comparison, Reference};
use landfall_sandbox::types::{Origin, OutputsDocument};
use serde::{Deserialize, Serialize};

use crate::draw::Documents;
use crate::engine::{Answer, Halted};
use crate::rendered::Rendered;

use super::finding::Resource;
use super::json;
use super::location::{Location, Locator};

/// The prefix of all compatible versions of the module's report.
const REPORT: &str = "landfall.dev/report/";

const SUBSTITUTIONS: &str = "landfall.dev/substitutions/v1alpha1";

/// The report of `landfall explain -o json`.
#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub(crate) struct Explanation {
    /// The version of this format.
    #[cfg_attr(test, schemars(extend("const" = SUBSTITUTIONS)))]
    api_version: &'static str,
    /// In the order of the command line. Omitted with `--unused`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) substitutions: Option<Vec<Substitution>>,
    /// Bound outputs that no application uses.
    pub(crate) unused: Vec<UnusedOutput>,
}

/// One reference that was replaced by a value.
#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub(crate) struct Substitution {
    /// The location of the reference.
    #[serde(flatten)]
    pub(crate) location: Location,
    /// The value in the rendered file. Omitted if a sensitive value is written to the same
    /// file, because it would reveal the length of that value.
    #[serde(skip_serializing_if = "Option::is_none")]
    result: Option<Bytes>,
    /// The reference as written, on one line.
    reference: String,
    /// The name of the output: `infra.vpc_id`.
    pub(crate) output: String,
    /// The outputs document that contains it; null if the output is missing and a
    /// default was used.
    pub(crate) document: Option<String>,
    /// The location of the output's name in that document.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) definition: Option<Location>,
    /// The type of the value, in Terraform's terms.
    #[serde(rename = "type")]
    pub(crate) value_type: String,
    /// The value as text or as JSON; `(sensitive)` for a sensitive output.
    pub(crate) value: String,
    /// Whether the output is sensitive.
    sensitive: bool,
    /// The resource that contains the reference.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) resource: Option<Resource>,
    /// The path of the field in that resource.
    pub(crate) field: String,
    /// Whether each `$` of the value was doubled, because `$` is expanded downstream in
    /// this field. Omitted if false.
    #[serde(skip_serializing_if = "std::ops::Not::not", default)]
    pub(crate) dollars_doubled: bool,
}

/// A range of a rendered file.
#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct Bytes {
    /// The offset of the first byte, from 0.
    start: usize,
    /// The offset after the last byte; equal to `start` for an empty value.
    end: usize,
}

/// A bound output that nothing uses.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub(crate) struct UnusedOutput {
    /// The name of the output: `infra.zone_id`.
    pub(crate) output: String,
    /// The outputs document that contains it; null if several documents share the name
    /// and the module does not report which one.
    pub(crate) document: Option<String>,
    /// The location of the output's name in that document, if the module reports it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) definition: Option<Location>,
}

/// The module's report, which `src/report/substitution.rs` documents.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Report {
    api_version: String,
    pub(super) substitutions: Vec<Reported>,
    #[serde(default)]
    unused: Vec<ReportedUnused>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Reported {
    pub(super) file: u32,
    pub(super) start: usize,
    pub(super) end: usize,
    /// Absent from older reports.
    pub(super) result_span: Option<(usize, usize)>,
    #[serde(default)]
    pub(super) reference: String,
    pub(super) output: String,
    document: Option<u32>,
    output_span: Option<(usize, usize)>,
    #[serde(rename = "type")]
    pub(super) value_type: String,
    pub(super) value: String,
    #[serde(default)]
    pub(super) sensitive: bool,
    /// Whether the reference is not replaced, because a value is unknown.
    #[serde(default)]
    pub(super) unwritten: bool,
    pub(super) resource: Option<ReportedResource>,
    pub(super) field: String,
    #[serde(default)]
    dollars_doubled: bool,
}

#[derive(Clone, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub(super) struct ReportedResource {
    api_version: String,
    pub(super) kind: String,
    pub(super) name: String,
    namespace: String,
}

/// The name of an unused output, with its location in newer reports.
#[derive(Deserialize)]
#[serde(untagged, rename_all_fields = "camelCase")]
enum ReportedUnused {
    Name(String),
    Placed {
        output: String,
        document: u32,
        output_span: (usize, usize),
    },
}

impl Report {
    /// Reads the report of an answer.
    ///
    /// # Errors
    /// The answer has none, or one of an incompatible version.
    pub(super) fn of(answer: &Answer) -> Result<Self, Halted> {
        let report = answer.substitutions.as_deref();
        let report = report.and_then(|report| serde_json::from_slice::<Self>(report).ok());
        report
            .filter(|report| report.api_version.starts_with(REPORT))
            .ok_or(Halted::BrokenAnswer)
    }

    /// Returns the references, as a comparison takes them.
    pub(super) fn references(&self) -> impl Iterator<Item = Reference<'_>> {
        self.substitutions.iter().map(|of| Reference {
            file: of.file as usize,
            span: of.start..of.end,
            result: of.result_span.map(|(start, end)| start..end),
            text: &of.reference,
            output: &of.output,
            value_type: &of.value_type,
            value: &of.value,
            is_sensitive: of.sensitive,
            is_unwritten: of.unwritten,
            resource: of.resource.as_ref().map(|of| comparison::Resource {
                api_version: &of.api_version,
                kind: &of.kind,
                name: &of.name,
                namespace: &of.namespace,
            }),
            field: &of.field,
        })
    }
}

impl From<ReportedResource> for Resource {
    fn from(resource: ReportedResource) -> Self {
        Self {
            api_version: resource.api_version,
            kind: resource.kind,
            name: resource.name,
            namespace: resource.namespace,
        }
    }
}

impl Explanation {
    /// Converts the reports of all rendered applications.
    ///
    /// # Errors
    /// A report has an incompatible version, or spans outside its documents.
    pub(crate) fn of<'r>(rendered: impl Iterator<Item = &'r Rendered>) -> Result<Self, Halted> {
        let mut substitutions = Vec::new();
        let mut unused = UnusedOutputs::default();
        for Rendered {
            application,
            answer,
        } in rendered
        {
            let report = Report::of(answer)?;
            let documents = application.documents();
            let mut locator = Locator::new(&documents);
            let is_written = |reported: &Reported| {
                let source = application.sources().get(reported.file as usize);
                source.is_none_or(|source| source.target.is_some())
            };
            let sensitive: BTreeSet<u32> = report
                .substitutions
                .iter()
                .filter(|one| one.sensitive)
                .map(|one| one.file)
                .collect();
            for mut reported in report.substitutions.into_iter().filter(is_written) {
                if sensitive.contains(&reported.file) {
                    reported.result_span = None;
                }
                let substitution = Substitution::new(reported, &documents, &mut locator);
                substitutions.push(substitution.ok_or(Halted::BrokenAnswer)?);
            }
            unused.add(
                &application.request.inputs.documents,
                report.unused,
                &mut locator,
            );
        }
        Ok(Self {
            api_version: SUBSTITUTIONS,
            substitutions: Some(substitutions),
            unused: unused.of_all(),
        })
    }

    /// Serializes the report as indented JSON with a line break at the end.
    pub(crate) fn to_json(&self) -> String {
        json::text(self)
    }
}

impl Substitution {
    fn new(
        reported: Reported,
        documents: &Documents<'_>,
        locator: &mut Locator<'_>,
    ) -> Option<Self> {
        let manifest = Origin::Manifest(reported.file);
        let outputs = reported.document.map(Origin::Outputs);
        let document = match outputs {
            Some(origin) => Some(documents.get(origin)?.path.to_owned()),
            None => None,
        };
        let definition = outputs
            .zip(reported.output_span)
            .and_then(|(origin, (start, end))| locator.find(origin, start, end));
        // The module redacts the value itself; this is a second line of defence.
        let value = if reported.sensitive {
            "(sensitive)".to_owned()
        } else {
            reported.value
        };
        Some(Self {
            location: locator.find(manifest, reported.start, reported.end)?,
            result: reported
                .result_span
                .map(|(start, end)| Bytes { start, end }),
            reference: reported.reference,
            output: reported.output,
            document,
            definition,
            value_type: reported.value_type,
            value,
            sensitive: reported.sensitive,
            resource: reported.resource.map(Resource::from),
            field: reported.field,
            dollars_doubled: reported.dollars_doubled,
        })
    }
}

/// Collects unused outputs. An output is used if any application that binds the same
/// documents to the same name uses it.
#[derive(Default)]
struct UnusedOutputs {
    /// The number of applications that bind these documents to this name.
    bound: BTreeMap<(String, Vec<String>), usize>,
    /// Unused outputs with their documents and the number of applications that do not
    /// use them, in the order in which they are first reported.
    outputs: Vec<(Vec<String>, usize, UnusedOutput)>,
}

impl UnusedOutputs {
    fn add(
        &mut self,
        bound: &[OutputsDocument],
        unused: Vec<ReportedUnused>,
        locator: &mut Locator<'_>,
    ) {
        let mut paths: BTreeMap<&str, Vec<String>> = BTreeMap::new();
        for document in bound {
            let of_name = paths.entry(&document.name).or_default();
            of_name.push(document.path.clone());
        }
        for (name, paths) in &paths {
            let key = ((*name).to_owned(), paths.clone());
            *self.bound.entry(key).or_default() += 1;
        }
        let mut known: BTreeMap<(String, Vec<String>), usize> = self
            .outputs
            .iter()
            .enumerate()
            .map(|(at, (paths, _, unused))| ((unused.output.clone(), paths.clone()), at))
            .collect();
        for reported in unused {
            let (output, origin_and_span) = match reported {
                ReportedUnused::Name(output) => (output, None),
                ReportedUnused::Placed {
                    output,
                    document,
                    output_span,
                } => (output, Some((Origin::Outputs(document), output_span))),
            };
            let paths = paths.get(bound_name(&output)).cloned().unwrap_or_default();
            if let Some(&at) = known.get(&(output.clone(), paths.clone())) {
                self.outputs[at].1 += 1;
                continue;
            }
            let definition =
                origin_and_span.and_then(|(origin, (start, end))| locator.find(origin, start, end));
            let document = match (&definition, paths.as_slice()) {
                (Some(location), _) => Some(location.path.clone()),
                (None, [path]) => Some(path.clone()),
                (None, _) => None,
            };
            known.insert((output.clone(), paths.clone()), self.outputs.len());
            let unused = UnusedOutput {
                output,
                document,
                definition,
            };
            self.outputs.push((paths, 1, unused));
        }
    }

    fn of_all(self) -> Vec<UnusedOutput> {
        let Self { bound, outputs } = self;
        let unused = outputs.into_iter().filter(|(paths, times, unused)| {
            let key = (bound_name(&unused.output).to_owned(), paths.clone());
            bound.get(&key).is_none_or(|all| times == all)
        });
        unused.map(|(_, _, unused)| unused).collect()
    }
}

/// Returns the bound name of an output, which contains neither a dot nor a bracket.
pub(super) fn bound_name(output: &str) -> &str {
    output.split(['.', '[']).next().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use landfall_sandbox::types::OutputsDocument;

    use super::{ReportedUnused, UnusedOutputs};
    use crate::draw::{Document, Documents};
    use crate::report::location::Locator;

    const CONTENT: &str = "{\n  \"größe\": 1, \"zone\": 2\n}";

    fn bound(name: &str, path: &str) -> OutputsDocument {
        OutputsDocument {
            name: name.to_owned(),
            path: path.to_owned(),
            content: CONTENT.into(),
            format: None,
            sensitive: false,
            declared_at: None,
        }
    }

    /// `applications` are the documents that each one binds, and the module's report.
    #[track_caller]
    fn check(applications: &[(&[OutputsDocument], &str)], expect: &[&str]) {
        let mut outputs = UnusedOutputs::default();
        for (bound, reported) in applications {
            let reported: Vec<ReportedUnused> = serde_json::from_str(reported).unwrap();
            let documents = Documents {
                outputs: bound
                    .iter()
                    .map(|document| Document {
                        path: &document.path,
                        content: &document.content,
                    })
                    .collect(),
                ..Documents::default()
            };
            outputs.add(bound, reported, &mut Locator::new(&documents));
        }
        let actual: Vec<String> = outputs
            .of_all()
            .into_iter()
            .map(|unused| {
                let location = unused
                    .definition
                    .map(|at| format!(":{}:{}", at.line, at.column));
                let document = unused.document.unwrap_or_else(|| "?".to_owned());
                format!(
                    "{} {document}{}",
                    unused.output,
                    location.unwrap_or_default()
                )
            })
            .collect();
        assert_eq!(actual, expect);
    }

    #[test]
    fn an_output_is_unused_if_no_application_uses_it() {
        let infra = [bound("infra", "infra.json")];
        let other = [bound("infra", "other.json")];
        check(&[(&infra, r#"["infra.zone"]"#)], &["infra.zone infra.json"]);
        check(&[(&infra, r#"["infra.zone"]"#), (&infra, "[]")], &[]);
        check(
            &[(&infra, r#"["infra.zone"]"#), (&infra, r#"["infra.zone"]"#)],
            &["infra.zone infra.json"],
        );
        check(
            &[(&infra, r#"["infra.zone"]"#), (&other, "[]")],
            &["infra.zone infra.json"],
        );
    }

    #[test]
    fn an_unused_output_has_the_reported_location() {
        let start = CONTENT.find("\"zone").unwrap();
        let placed = format!(
            r#"[{{"output": "infra.zone", "document": 1, "outputSpan": [{start}, {}]}}]"#,
            start + 6
        );
        let two = [bound("infra", "a.json"), bound("infra", "b.json")];
        check(&[(&two, &placed)], &["infra.zone b.json:2:15"]);
        check(&[(&two, r#"["infra.zone"]"#)], &["infra.zone ?"]);
    }
}
