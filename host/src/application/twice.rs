//! Renders the groups of a job twice, with old and with new outputs.

use landfall_comparison::SensitiveMarks;
use landfall_sandbox::types::{Counts, OutputsDocument, Severity};

use crate::discovery::{ApplicationFolder, Group};
use crate::engine::{Engine, Halted, errors};
use crate::files::Budget;
use crate::loading::{FlagInputs, Job, after_apply};
use crate::problem::Problem;
use crate::rendered::{RenderedTwice, Side, is_same};
use crate::reporter::{Failed, Reporter};
use crate::settings::BoundFile;

use super::built_twice::ToolWork;
use super::groups::{Groups, LoadedGroup};
use super::render::{Call, is_about_unwritten_file};

/// Renders all groups of `job` with its own outputs, and with the documents of `to` instead
/// of those that its flags bind to the same names; of a plan, with the outputs before and
/// after the apply. Adds to `reporter` what prevents the
/// comparison; otherwise the errors with the new outputs, and the warnings and notes that
/// there were not with the old outputs.
///
/// # Errors
/// The comparison is impossible: a file or a Binding has errors, or an outputs document cannot be
/// used. Or the module was stopped, or an answer is invalid.
pub(crate) fn render_twice(
    job: &Job<'_>,
    to: &[BoundFile],
    mut problems: Vec<Problem>,
    engine: &Engine,
    reporter: &mut Reporter,
) -> Result<Vec<RenderedTwice>, Failed> {
    let mut budget = Budget::new(job.limits.input);
    let mut read = |files: &[BoundFile], config| {
        let (stdin, policies) = (job.stdin_name, job.policies);
        FlagInputs::read(files, config, stdin, policies, &mut budget, &mut problems)
    };
    let mut flag_inputs = read(job.bound_files, job.config);
    let new_inputs = read(to, None);
    let new_documents = flag_inputs.take(new_inputs);
    let on_both_sides = flag_inputs
        .outputs
        .iter()
        .filter(|document| !binds(to, &document.name));
    let new_documents: Vec<_> = on_both_sides
        .map(after_apply)
        .chain(new_documents)
        .collect();

    let mut groups = Groups::new(job, engine, flag_inputs, budget, problems, reporter);
    let watch = engine.watch();
    let mut rendered = Vec::with_capacity(job.groups.len());
    let mut of_tools = Vec::new();
    loop {
        let budget = groups.budget.clone();
        let Some(LoadedGroup {
            group,
            mut application,
            built_by,
            mut plugin,
            ..
        }) = groups.next(reporter)?
        else {
            break;
        };
        if let (Some(built_by), Group::Folder(folder)) = (&built_by, group) {
            // The runs of a tool have limits of their own.
            watch.pause();
            let path = built_by.shown(&folder.display_path);
            let work = ToolWork {
                job,
                group,
                engine,
                folder: &folder.display_path,
                path,
                budget,
            };
            let documents = [&groups.flag_inputs.outputs, &new_documents];
            let built = work.run(application, documents, &groups, &mut plugin, reporter)?;
            if let Some((built, found)) = built {
                rendered.push(built);
                of_tools.extend(found);
            }
            watch.restart();
            continue;
        }
        let sources = plugin.sources(application.files())?;
        let call = Call {
            job,
            group,
            built_by: None,
            contracts: &[],
        };
        let of_binding = std::mem::take(&mut application.request.inputs.documents);
        let mut render = |documents: &[OutputsDocument]| {
            let outputs = &mut application.request.inputs.documents;
            *outputs = of_binding.iter().chain(documents).cloned().collect();
            let result = match call.generate(&mut plugin, &sources, &mut application)? {
                Ok(mut answer) => {
                    answer.check(application.files())?;
                    answer
                        .findings
                        .diagnostics
                        .retain(|found| !is_about_unwritten_file(found, &application));
                    Ok(answer)
                }
                Err(found) => Err(errors(found)?),
            };
            let outputs = std::mem::take(&mut application.request.inputs.documents);
            Ok::<_, Halted>(Side {
                outputs,
                result,
                sensitive: SensitiveMarks::UNKNOWN,
            })
        };
        let mut old = render(&groups.flag_inputs.outputs)?;
        let mut new = render(&new_documents)?;
        let of_old = old.unusable();
        let mut of_new = new.unusable();
        // A document that both sides have, such as a plan, is reported once.
        of_new.retain(|found| {
            !of_old.iter().any(|known| {
                (new.place(found), &found.message) == (old.place(known), &known.message)
            })
        });
        reporter.add(&application.documents_with(&old.outputs), &of_old);
        reporter.add(&application.documents_with(&new.outputs), &of_new);
        if of_old.is_empty() && of_new.is_empty() {
            for side in [&mut old, &mut new] {
                side.find_sensitive(&application.request.configuration, &mut plugin)?;
            }
            let known = [&old, &new].map(|side| side.diagnostics().0.to_vec());
            old.conceal(&known[1], &new.sensitive, "new");
            new.conceal(&known[0], &old.sensitive, "old");
        }
        rendered.push(RenderedTwice {
            application,
            folder: match group {
                Group::Folder(ApplicationFolder { display_path, .. }) => Some(display_path.clone()),
                Group::Files(_) => None,
            },
            old,
            new,
            built: None,
        });
    }
    reporter.check()?;
    for one in &rendered {
        report_new(one, reporter);
    }
    reporter.add_recorded(&of_tools);
    Ok(rendered)
}

fn binds(files: &[BoundFile], name: &str) -> bool {
    files.iter().any(|bound| bound.name == name)
}

/// Adds the errors of the new side, and the other diagnostics that only the new side has.
fn report_new(rendered: &RenderedTwice, reporter: &mut Reporter) {
    let RenderedTwice {
        application,
        old,
        new,
        ..
    } = rendered;
    let (known, known_omitted) = old.diagnostics();
    let (found, omitted) = new.diagnostics();
    let found: Vec<_> = found
        .iter()
        .filter(|found| {
            found.severity == Severity::Error || !known.iter().any(|known| is_same(known, found))
        })
        .cloned()
        .collect();
    reporter.add(&application.documents_with(&new.outputs), &found);
    reporter.omit(Counts {
        errors: omitted.errors,
        warnings: omitted.warnings.saturating_sub(known_omitted.warnings),
        notes: omitted.notes.saturating_sub(known_omitted.notes),
    });
}
