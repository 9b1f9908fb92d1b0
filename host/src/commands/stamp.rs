//! `landfall stamp`: prints the digest of outputs documents, for the parameter
//! `outputs-digest` of an Application.

use landfall_sandbox::types::DocumentFormat;

use crate::discovery::RootChoice;
use crate::engine::{Engine, Halted, OutputsInputs, Plugin, configuration};
use crate::exit::Exit;
use crate::files::Budget;
use crate::loading::{
    FlagInputs, OwnBinding, apply_own_binding, digest, outputs_documents, unkeyed_digest,
};
use crate::paths::display as display_path;
use crate::problem::Problem;
use crate::rendered::may_be_marked;
use crate::reporter::Failed;
use crate::settings::{Policies, Stamp};

use super::digest_key;
use super::inputs::STDIN;
use super::outputs::own_binding;
use super::session::Session;

/// The outcome of a run with errors.
const NOTHING_PRINTED: &str = "no digest was printed";

pub(super) fn run(mut session: Session, stamp: &Stamp) -> Exit {
    match stamped(&mut session, stamp) {
        Err(failed) => session.end(&failed, NOTHING_PRINTED),
        Ok(digest) => session.write_text(Exit::Done, &format!("{digest}\n")),
    }
}

/// Returns the digest.
fn stamped(session: &mut Session, stamp: &Stamp) -> Result<String, Failed> {
    let mut budget = Budget::new(session.limits.input);
    let mut problems = Vec::new();
    let read = FlagInputs::read(
        &stamp.bound,
        None,
        stamp.stdin_name.as_deref().unwrap_or(STDIN),
        &Policies::default(),
        &mut budget,
        &mut problems,
    );
    let key = stamp.key.as_deref().and_then(|file| {
        let failed = |error| Problem::flag("--digest-key", &display_path(file), &error);
        let key = digest_key::read(file, &mut budget).map_err(failed);
        key.map_err(|problem| problems.push(problem)).ok()
    });
    session.add_problems(problems);
    session.reporter.check()?;
    let engine = Engine::embedded(session.limits)?;
    let _watch = engine.watch();
    let mut plugin = engine.start()?;
    let mut inputs = OutputsInputs {
        configuration: configuration(None, session.ceiling(None)),
        documents: read.outputs,
        contract: None,
    };
    name_formats(&mut inputs, &mut plugin)?;
    if key.is_none() {
        apply_binding(&mut inputs, stamp, session, &mut plugin)?;
    }
    let found = plugin.check_outputs(&inputs)?;
    let reporter = &mut session.reporter;
    reporter.add_findings(&outputs_documents(&inputs), &found);
    reporter.check()?;
    if key.is_none()
        && let Some(problem) = requires_key(&inputs, stamp.is_public, &mut plugin)?
    {
        return Err(reporter.refuse(problem).into());
    }
    Ok(digest(inputs.documents.iter(), key.as_deref()))
}

/// Applies the Binding that declares outputs of the documents sensitive, if there is one.
fn apply_binding(
    inputs: &mut OutputsInputs,
    stamp: &Stamp,
    session: &mut Session,
    plugin: &mut Plugin,
) -> Result<(), Failed> {
    let found = match &stamp.config {
        Some(named) => Ok(Some(named.clone())),
        None if stamp.ignores_bindings => Ok(None),
        None => own_binding(&stamp.bound, &RootChoice::WorkTree, session.limits),
    };
    match found {
        Err(problem) => Err(session.reporter.refuse(problem).into()),
        Ok(None) => Ok(()),
        Ok(Some(path)) => {
            let own = OwnBinding {
                path: &path,
                bound: &stamp.bound,
                parameters: &[],
            };
            let reporter = &mut session.reporter;
            apply_own_binding(inputs, &own, session.limits, plugin, reporter)
        }
    }
}

/// Names the format of documents whose format is not detected, as a Binding must. Which one it
/// is makes no difference: none of them marks sensitive outputs.
fn name_formats(inputs: &mut OutputsInputs, plugin: &mut Plugin) -> Result<(), Halted> {
    let read = plugin.read_outputs(&inputs.documents, &inputs.configuration)?;
    for (document, format) in inputs.documents.iter_mut().zip(read.formats) {
        document.format = format.possible.into_iter().next();
    }
    Ok(())
}

/// Returns why the documents cannot be digested without a key.
fn requires_key(
    inputs: &OutputsInputs,
    is_public: bool,
    plugin: &mut Plugin,
) -> Result<Option<Problem>, Halted> {
    let (documents, configuration) = (&inputs.documents, &inputs.configuration);
    let read = plugin.read_outputs(documents, configuration)?;
    let is_unmarked = |format: &DocumentFormat| !is_public && !format.marks_sensitive;
    let unmarked = read.formats.iter().position(is_unmarked);
    if let Some(document) = unmarked.and_then(|nth| documents.get(nth)) {
        return Ok(Some(unkeyed_digest(Some(&document.path))));
    }
    Ok(may_be_marked(&read).then(|| unkeyed_digest(None)))
}
