//! `landfall krm`: a KRM function on standard input and output.
//!
//! On an error the list on standard output has no items: its `results` are the errors, which also
//! go to standard error. kpt reads these results; kustomize reads standard output before it
//! checks the exit code, and drops them.

use std::path::Path;

use landfall_sandbox::types::{
    Config, EditList, Findings, KnownName, Location, Need, Origin, OutputsDocument, Processed,
};

use crate::application::{names_under, retain_relevant};
use crate::draw::{Document, Documents};
use crate::engine::{Engine, Halted, Plugin, errors, has_errors};
use crate::exit::Exit;
use crate::files::{self, Budget, Root};
use crate::loading::{FlagInputs, RequiredFiles, document, open_required};
use crate::problem::{Problem, diagnostics as problem_diagnostics};
use crate::reporter::Failed;
use crate::settings::Krm;
use crate::splice::{BrokenEdits, Spliced};

use super::session::Session;
use super::write::NOTHING_RENDERED;

/// The default name of the ResourceList in diagnostics.
const RESOURCE_LIST: &str = "ResourceList";

pub(super) fn run(mut session: Session, krm: &Krm) -> Exit {
    let display_path = krm.stdin_name.as_deref().unwrap_or(RESOURCE_LIST);
    let mut budget = Budget::new(session.limits.input);
    let resource_list = match files::read_stdin(&mut budget) {
        Ok(resource_list) => resource_list,
        Err(error) => {
            let problem = Problem::manifest(display_path, &error);
            return session.refuse(vec![problem], NOTHING_RENDERED);
        }
    };
    let mut results = None;
    let (list, results_of_failure) = (&resource_list, &mut results);
    match process(
        &mut session,
        krm,
        display_path,
        list,
        budget,
        results_of_failure,
    ) {
        Ok(edits) => match Spliced::with_edits(list, &edits) {
            Ok(file) => session.write(list.len(), |out| file.write_to(out)),
            Err(BrokenEdits) => session.halt(&Halted::BrokenAnswer, NOTHING_RENDERED),
        },
        Err(failed @ Failed::Reported(_)) => {
            let results = results.as_ref();
            let file = results.and_then(|edits| Spliced::with_edits(list, edits).ok());
            match file {
                Some(file) => session.end_with(NOTHING_RENDERED, |out| file.write_to(out)),
                None => session.end(&failed, NOTHING_RENDERED),
            }
        }
        Err(failed) => session.end(&failed, NOTHING_RENDERED),
    }
}

/// Returns the edits on the ResourceList. Those that make it the list of a failure, without items,
/// are in `results`.
fn process(
    session: &mut Session,
    krm: &Krm,
    display_path: &str,
    resource_list: &[u8],
    mut budget: Budget,
    results: &mut Option<EditList>,
) -> Result<EditList, Failed> {
    let engine = Engine::embedded(session.limits)?;
    let mut problems = Vec::new();
    let flag_inputs = FlagInputs::read(
        &krm.bound,
        None,
        display_path,
        &krm.policies,
        &mut budget,
        &mut problems,
    );

    let _watch = engine.watch();
    let mut plugin = engine.start()?;
    let (mut outputs, mut found) = match plugin.krm_needs(resource_list)? {
        Ok(mut needs) => {
            let files = RequiredFiles {
                binding: display_path,
                needs: &needs,
                patterns: &[],
                folder: std::fs::canonicalize(".").ok(),
                mounted: None,
            };
            problems.extend(files.declared_under_other_name(&flag_inputs.named));
            needs.retain(|need| !flag_inputs.binds(&need.name));
            (
                open_all_required(krm, &needs, &mut budget, &mut problems),
                Findings::default(),
            )
        }
        Err(found) => (Vec::new(), errors(found)?),
    };
    let mut known_names = flag_inputs.known_names();
    outputs.extend(flag_inputs.outputs);
    found.diagnostics.extend(problem_diagnostics(problems));
    let mut edits = None;
    let policy = krm.policies.to_config();
    let ceiling = session.ceiling(None);
    if !has_errors(&found.diagnostics) {
        let process = |plugin: &mut Plugin, known_names: &[KnownName]| {
            let policy = policy.as_ref();
            plugin.process(resource_list, &outputs, &ceiling, policy, known_names)
        };
        let mut outcome = process(&mut plugin, &known_names)?;
        let has_unbound_names = |processed: &Processed| processed.findings.has_unbound_names;
        if outcome.as_ref().is_ok_and(has_unbound_names) {
            let root = Root::open(krm.root.as_deref().unwrap_or(Path::new(".")));
            let mut names = names_under(root, session.limits.input, &mut plugin)?;
            retain_relevant(&mut names, &[resource_list], &outputs);
            if !names.is_empty() {
                known_names.extend(names);
                outcome = process(&mut plugin, &known_names)?;
            }
        }
        let answer = match outcome {
            Ok(Processed {
                edits: processed_edits,
                failed,
                findings,
            }) => {
                if !failed {
                    edits = Some(processed_edits);
                } else if !processed_edits.is_empty() {
                    *results = Some(processed_edits);
                }
                if failed { errors(findings)? } else { findings }
            }
            Err(findings) => errors(findings)?,
        };
        found.diagnostics.extend(answer.diagnostics);
        found.omitted = answer.omitted;
    }
    let documents = documents(display_path, resource_list, &outputs, policy.as_ref());
    session.reporter.add_findings(&documents, &found);
    session.reporter.check()?;
    Ok(edits.ok_or(Halted::BrokenAnswer)?)
}

/// Returns the outputs documents that the functionConfig requires. kustomize runs a
/// function in the folder of the kustomization, so the current folder is the root and
/// the Binding's folder.
fn open_all_required(
    krm: &Krm,
    needs: &[Need],
    budget: &mut Budget,
    problems: &mut Vec<Problem>,
) -> Vec<OutputsDocument> {
    let current_folder = Path::new(".");
    let folder = krm.root.as_deref().unwrap_or(current_folder);
    let open_root =
        || Root::open(folder).and_then(|root| Ok((root.relative(current_folder)?, root)));
    let is_file = |need: &&Need| matches!(need.location, Location::Root | Location::Mounted);
    let opened_root = match needs.iter().find(is_file).map(|_| open_root()).transpose() {
        Ok(opened_root) => opened_root,
        Err(error) => {
            let path = folder.to_string_lossy().into_owned();
            problems.push(Problem::flag("--root", &path, &error));
            return Vec::new();
        }
    };
    let mut outputs = Vec::new();
    for need in needs {
        let opened = match (&need.location, &opened_root) {
            (Location::Held(content), _) => Ok(document(need, need.path.clone(), content.clone())),
            (_, Some((folder, root))) => {
                open_required(need, Origin::Manifest(0), root, folder, ".", budget)
            }
            (_, None) => continue,
        };
        match opened {
            Ok(document) => outputs.push(document),
            Err(problem) if krm.policies.keeps_unpublished(need) => {
                problems.push(problem.into_optional(need.may_be_absent));
            }
            Err(problem) => problems.push(problem),
        }
    }
    outputs
}

fn documents<'a>(
    display_path: &'a str,
    resource_list: &'a [u8],
    outputs: &'a [OutputsDocument],
    policy: Option<&'a Config>,
) -> Documents<'a> {
    Documents {
        manifests: vec![Document {
            path: display_path,
            content: resource_list,
        }],
        outputs: outputs.iter().map(Document::from).collect(),
        policy: policy.map(Document::from),
        ..Documents::default()
    }
}
