//! What a tool builds with old and with new outputs.

use landfall_comparison::SensitiveMarks;
use landfall_sandbox::types::{Diagnostic, File, Findings, OutputsDocument, Severity};

use crate::discovery::Group;
use crate::draw::Documents;
use crate::engine::{Engine, Halted, Plugin};
use crate::files::Budget;
use crate::loading::Job;
use crate::problem::{HostRule, Problem};
use crate::rendered::{Application, BuiltTwice, RenderedTwice, Side, is_same};
use crate::reporter::{Failed, Recorded, Reporter};

use super::groups::Groups;
use super::render::render_groups;

/// How to see what is concealed.
const HELP: &str = "to see them, use `landfall check` with only these outputs";

/// The comparison of an application that a tool builds.
pub(super) struct ToolWork<'a> {
    pub(super) job: &'a Job<'a>,
    pub(super) group: &'a Group,
    pub(super) engine: &'a Engine,
    /// Its folder in diagnostics.
    pub(super) folder: &'a str,
    /// As [`BuiltTwice::path`].
    pub(super) path: String,
    /// What was left before its files were read: each side reads them again.
    pub(super) budget: Budget,
}

impl ToolWork<'_> {
    /// Builds the application with the old and the new `documents` that flags bind. None: it
    /// cannot be built on both sides, which is reported. Otherwise the findings that only the new
    /// side has are left to report.
    pub(super) fn run(
        self,
        mut application: Application,
        documents: [&Vec<OutputsDocument>; 2],
        groups: &Groups<'_>,
        plugin: &mut Plugin,
        reporter: &mut Reporter,
    ) -> Result<Option<(RenderedTwice, Vec<Recorded>)>, Halted> {
        let of_binding = std::mem::take(&mut application.request.inputs.documents);
        let configuration = &application.request.configuration;
        let [old, new] = documents.map(|documents| {
            let mut side = self.side(documents, groups, reporter)?;
            side.side.outputs = of_binding.iter().chain(documents).cloned().collect();
            side.side.find_sensitive(configuration, plugin)?;
            Ok::<_, Halted>(side)
        });
        let (mut old, mut new) = (old?, new?);
        let is_concealed = old.side.differs_in_sensitivity(&new.side);
        let recorded = old.recorded.iter();
        let known: Vec<_> = recorded.flat_map(|it| it.diagnostics.clone()).collect();
        let mut left = Vec::new();
        for (side, name) in [(&mut old, "old"), (&mut new, "new")] {
            if is_concealed && side.built.is_none() {
                reporter.add(&Documents::default(), &[self.concealed(name)]);
                continue;
            }
            for mut recorded in std::mem::take(&mut side.recorded) {
                recorded.diagnostics.retain(|found| {
                    if name == "new" {
                        !known.iter().any(|known| is_same(known, found))
                    } else {
                        found.severity == Severity::Error
                    }
                });
                if is_concealed {
                    recorded.diagnostics.iter_mut().for_each(conceal);
                }
                left.push(recorded);
            }
        }
        let (Some(old_files), Some(new_files)) = (old.built, new.built) else {
            reporter.add_recorded(&left);
            return Ok(None);
        };
        let rendered = RenderedTwice {
            application,
            folder: Some(self.folder.to_owned()),
            old: old.side,
            new: new.side,
            built: Some(BuiltTwice {
                path: self.path,
                old: old_files,
                new: new_files,
            }),
        };
        Ok(Some((rendered, left)))
    }

    fn side(
        &self,
        documents: &[OutputsDocument],
        groups: &Groups<'_>,
        reporter: &Reporter,
    ) -> Result<BuiltSide, Halted> {
        // Only a warning that is new is an error with `--strict`.
        let mut recorder = reporter.lenient_recorder();
        let mut flag_inputs = groups.flag_inputs.clone();
        flag_inputs.outputs = documents.to_vec();
        let (job, engine) = (self.job, self.engine);
        let mut again = Groups::again(
            job,
            engine,
            self.group,
            flag_inputs,
            self.budget.clone(),
            job.parameters.clone(),
        );
        let rendered = match render_groups(job, &mut again, engine, &mut recorder) {
            Ok(mut all) => all.pop().map(|sources| sources.rendered),
            Err(Failed::Reported(_)) => None,
            Err(Failed::Halted(halted)) => return Err(halted),
        };
        let (recorded, omitted) = recorder.into_recorded();
        let mut built = None;
        let result = match rendered {
            Some(rendered) => {
                let mut answer = rendered.into_built()?.answer;
                answer.findings = Findings::default();
                built = Some(std::mem::take(&mut answer.built));
                Ok(answer)
            }
            None => Err(Findings {
                diagnostics: recorded
                    .iter()
                    .flat_map(|it| it.diagnostics.clone())
                    .collect(),
                omitted,
                ..Findings::default()
            }),
        };
        Ok(BuiltSide {
            side: Side {
                outputs: Vec::new(),
                result,
                sensitive: SensitiveMarks::UNKNOWN,
            },
            built,
            recorded,
        })
    }

    /// Returns an error instead of those that may contain a value.
    fn concealed(&self, side: &str) -> Diagnostic {
        let message = format!(
            "`{}` does not render with the {side} outputs; the messages are not shown, because they may contain a value that is sensitive on the other side",
            self.folder
        );
        Problem::new(HostRule::ToolFailed, message)
            .help(HELP)
            .diagnostic()
    }
}

/// Removes what may contain a value that is sensitive on the other side.
fn conceal(found: &mut Diagnostic) {
    found.message = "the message is not shown, because it may contain a value that is sensitive on the other side".to_owned();
    found.help = Some(HELP.to_owned());
    found.labels.clear();
    found.fixes.clear();
    (found.resource, found.field) = (None, None);
}

/// What a tool has built on one side.
struct BuiltSide {
    /// Without what is built, and without diagnostics.
    side: Side,
    /// None: there are errors.
    built: Option<Vec<File>>,
    recorded: Vec<Recorded>,
}
