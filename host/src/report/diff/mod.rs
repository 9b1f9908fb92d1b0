//! What a change of outputs does to manifests: the report of `landfall diff`.

mod built;
mod compare;
mod markdown;
mod text;
mod value;

use std::collections::BTreeSet;

use landfall_sandbox::types::{self as module, Findings};
use serde::Serialize;

use crate::engine::Halted;
use crate::rendered::{RenderedTwice, Side};
use crate::sanitize;
use crate::settings::DiffFormat;

use super::finding::{self, Finding, Resource};
use super::substitutions::{Report, bound_name};
use super::{json, setting};

use value::Value;

const DIFF: &str = "landfall.dev/diff/v1alpha1";

/// The report of `landfall diff -o json`.
#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub(crate) struct Diff {
    /// The version of this format.
    #[cfg_attr(test, schemars(extend("const" = DIFF)))]
    api_version: &'static str,
    counts: Counts,
    /// Those that change or do not render. Those that do not render with the new outputs
    /// come first, the others are in the order of the command line.
    applications: Vec<ApplicationDiff>,
    /// The names of `--from`, `--to` and `--plan` that no reference uses.
    unreferenced: Vec<String>,
}

/// Totals.
#[derive(Debug, Default, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
struct Counts {
    /// The number of items in `changes` and `otherChanges`.
    changes: usize,
    /// The number of resources that change.
    resources: usize,
    /// The number of applications that do not render with the new outputs.
    failed: usize,
}

/// What changes in one application, or in the files that belong to no application.
#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
struct ApplicationDiff {
    /// The path of its folder; null for files that belong to no application.
    folder: Option<String>,
    renders: Renders,
    /// The errors with the new outputs; if it renders with these, the errors with the old
    /// outputs. At most a thousand.
    errors: Vec<Finding>,
    /// The number of errors that are not listed.
    more_errors: u64,
    /// Changed values, in the order of files and locations. Empty if it does not render with
    /// the new outputs.
    changes: Vec<Change>,
    /// Changes that are not the change of one value.
    other_changes: Vec<OtherChange>,
}

/// The outputs that an application renders with.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
enum Renders {
    Both,
    /// Only with the old outputs: the change stops it from rendering.
    Old,
    /// Only with the new outputs.
    New,
    Neither,
}

/// A reference whose value changes.
#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
struct Change {
    /// The path as given on the command line, with `/`.
    path: String,
    /// The line of the reference, from 1.
    line: usize,
    /// The column of the reference, from 1, in characters.
    column: usize,
    /// The resource that contains the reference.
    #[serde(skip_serializing_if = "Option::is_none")]
    resource: Option<Resource>,
    /// The path of the field in that resource.
    field: String,
    /// The name of the output: `infra.vpc_id`.
    output: String,
    /// The reference as written, on one line.
    reference: String,
    /// Whether the output is sensitive in the old or in the new outputs.
    sensitive: bool,
    /// The old value; null if the reference was not replaced.
    from: Option<Value>,
    /// The new value; null if the reference is not replaced.
    to: Option<Value>,
}

/// Rendered text that changes without the change of a value in it.
#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
struct OtherChange {
    /// The path as given on the command line, with `/`.
    path: String,
    /// The line of the change in the source, from 1.
    line: usize,
    /// The old text; null if it may be secret.
    from: Option<String>,
    /// The new text; null if it may be secret.
    to: Option<String>,
}

impl Diff {
    /// Compares both results of all applications. `names` are the names whose outputs
    /// documents differ.
    ///
    /// # Errors
    /// A report of the module has an incompatible version, or spans outside its documents.
    pub(crate) fn of<'n>(
        rendered: &[RenderedTwice],
        names: impl Iterator<Item = &'n str>,
    ) -> Result<Self, Halted> {
        let mut applications = Vec::new();
        let mut referenced = BTreeSet::new();
        for one in rendered {
            let [old, new] = [&one.old, &one.new].map(|side| match &side.result {
                Ok(answer) => Report::of(answer).map(Some),
                Err(_) => Ok(None),
            });
            let (old, new) = (old?, new?);
            for report in [&old, &new].into_iter().flatten() {
                let outputs = report.substitutions.iter().map(|of| bound_name(&of.output));
                referenced.extend(outputs.map(str::to_owned));
            }
            let application = ApplicationDiff::of(one, old.as_ref(), new.as_ref())?;
            if application.differs() {
                applications.push(application);
            }
        }
        applications.sort_by_key(|one| !one.has_failed());
        // An application that does not render has no report of its references.
        let are_all_known = applications
            .iter()
            .all(|one| one.renders != Renders::Neither);
        let names: BTreeSet<&str> = names.filter(|_| are_all_known).collect();
        let unreferenced = names.into_iter().filter(|name| !referenced.contains(*name));
        Ok(Self {
            api_version: DIFF,
            counts: Counts::of(&applications),
            unreferenced: unreferenced.map(str::to_owned).collect(),
            applications,
        })
    }

    /// Returns whether a manifest does not render with the new outputs.
    pub(crate) const fn has_failed(&self) -> bool {
        self.counts.failed > 0
    }

    /// Returns whether there is no change, and everything renders.
    pub(crate) fn is_empty(&self) -> bool {
        self.applications.is_empty()
    }

    /// Formats the report.
    pub(crate) fn write(&self, format: DiffFormat) -> String {
        match format {
            DiffFormat::Json => json::text(self),
            DiffFormat::Text => sanitize::without_ci_commands(&text::text(self)).into_owned(),
            DiffFormat::Markdown => {
                sanitize::without_ci_commands(&markdown::markdown(self)).into_owned()
            }
        }
    }

    /// Formats `1 error, 2 changes in 1 resource`. Errors with the old outputs do not count.
    fn summary(&self) -> String {
        let Counts {
            changes, resources, ..
        } = self.counts;
        let failed = self.applications.iter().filter(|one| one.has_failed());
        let errors: usize = failed.map(ApplicationDiff::error_count).sum();
        let changes = match (changes, resources) {
            (0, _) if errors > 0 => return counted(errors, "error"),
            (0, _) if self.is_empty() => "no changes".to_owned(),
            (0, _) => "no changed values".to_owned(),
            (changes, 0) => counted(changes, "change"),
            _ => format!(
                "{} in {}",
                counted(changes, "change"),
                counted(resources, "resource")
            ),
        };
        match errors {
            0 => changes,
            _ => format!("{}, {changes}", counted(errors, "error")),
        }
    }
}

impl Counts {
    fn of(applications: &[ApplicationDiff]) -> Self {
        let each = |number: fn(&ApplicationDiff) -> usize| applications.iter().map(number).sum();
        let changes = applications.iter().flat_map(|one| &one.changes);
        let resources: BTreeSet<_> = changes
            .filter_map(|change| Some((&change.path, change.resource.as_ref()?)))
            .collect();
        Self {
            changes: each(|one| one.changes.len() + one.other_changes.len()),
            resources: resources.len(),
            failed: each(|one| usize::from(one.has_failed())),
        }
    }
}

impl ApplicationDiff {
    fn of(
        rendered: &RenderedTwice,
        old_report: Option<&Report>,
        new_report: Option<&Report>,
    ) -> Result<Self, Halted> {
        let RenderedTwice {
            application,
            folder,
            old,
            new,
            built,
        } = rendered;
        let (old_side, new_side) = (old, new);
        let may_be_sensitive = |output: &str| {
            let mut sides = [old_side, new_side].into_iter();
            sides.any(|side| side.sensitive.may_be_sensitive(output))
        };
        let built = built.as_ref().zip(old_report);
        let (changes, other_changes) = match (&new.result, new_report, built) {
            (Ok(_), Some(new_report), Some((built, old_report))) => {
                let reports = [old_report, new_report];
                let may_nest = application.may_nest_secrets();
                let changes = built::compare(built, reports, may_nest, &may_be_sensitive);
                (changes, Vec::new())
            }
            (Ok(new), Some(new_report), None) => compare::compare(
                application,
                old.result.as_ref().ok().zip(old_report),
                (new, new_report),
                &may_be_sensitive,
            )?,
            _ => Default::default(),
        };
        let renders = match (&old.result, &new.result) {
            (Ok(_), Ok(_)) => Renders::Both,
            (Ok(_), Err(_)) => Renders::Old,
            (Err(_), Ok(_)) => Renders::New,
            (Err(_), Err(_)) => Renders::Neither,
        };
        let errors = match (&old.result, &new.result) {
            (_, Err(found)) => Some((found, new)),
            (Err(found), Ok(_)) => Some((found, old)),
            (Ok(_), Ok(_)) => None,
        };
        let (errors, more_errors) = match errors {
            Some((found, side)) => (findings(rendered, found, side), found.omitted.errors),
            None => (Vec::new(), 0),
        };
        Ok(Self {
            folder: folder.clone(),
            renders,
            errors,
            more_errors,
            changes,
            other_changes,
        })
    }

    fn has_failed(&self) -> bool {
        matches!(self.renders, Renders::Old | Renders::Neither)
    }

    fn differs(&self) -> bool {
        self.renders != Renders::Both || !self.changes.is_empty() || !self.other_changes.is_empty()
    }

    fn error_count(&self) -> usize {
        let more = usize::try_from(self.more_errors).unwrap_or(usize::MAX);
        self.errors.len().saturating_add(more)
    }

    /// Says with which outputs it does not render. None if it renders with both. `name` is
    /// its formatted path.
    fn failure(&self, name: impl Fn(&str) -> String) -> Option<String> {
        let (subject, renders) = match &self.folder {
            Some(folder) => (name(folder), "renders"),
            None => ("the manifests".to_owned(), "render"),
        };
        let outcome = match self.renders {
            Renders::Both => return None,
            Renders::Old => format!("no longer {renders} with the new outputs"),
            Renders::New => "did not render with the old outputs".to_owned(),
            Renders::Neither => format!("{renders} neither with the old nor with the new outputs"),
        };
        let errors = counted(self.error_count(), "error");
        Some(format!("{subject} {outcome}: {errors}"))
    }

    /// Returns the changes of one resource after the other.
    fn by_resource(&self) -> impl Iterator<Item = &[Change]> {
        self.changes
            .chunk_by(|one, next| (&one.path, &one.resource) == (&next.path, &next.resource))
    }
}

impl Change {
    /// Formats the old and the new value, shortened around their first difference.
    fn values(&self) -> (String, String) {
        value::shown_pair(self.from.as_ref(), self.to.as_ref(), self.sensitive)
    }

    /// Returns the resource, if its kind is known, and where it is: `a.yaml, namespace prod`.
    /// `name` formats the path and the namespace.
    fn located(&self, name: impl Fn(&str) -> String) -> (Option<&Resource>, String) {
        let path = name(&self.path);
        let known = |resource: &&Resource| !resource.kind.is_empty();
        let resource = self.resource.as_ref().filter(known);
        let location = match resource.map_or("", |resource| &resource.namespace) {
            "" => path,
            namespace => format!("{path}, namespace {}", name(namespace)),
        };
        (resource, location)
    }
}

/// Returns the errors of one side.
fn findings(rendered: &RenderedTwice, found: &Findings, side: &Side) -> Vec<Finding> {
    let documents = rendered.application.documents_with(&side.outputs);
    let reported: Vec<module::Diagnostic> =
        found.diagnostics.iter().map(setting::reported).collect();
    let mut findings = finding::Findings::default();
    findings.add(&documents, reported.iter());
    findings.into_errors()
}

/// Formats a number with its noun.
fn counted(number: usize, what: &str) -> String {
    format!("{number} {what}{}", if number == 1 { "" } else { "s" })
}
