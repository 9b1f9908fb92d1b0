//! `landfall krm`: a KRM function on standard input and output.
//!
//! kustomize reads standard output before it looks at the exit code, drops the
//! `results` of a ResourceList, and takes an empty answer as an error only when
//! the exit code says so: on an error nothing is written and the diagnostics are
//! told on standard error.

use std::path::Path;

use landfall_sandbox::Plugin;
use landfall_sandbox::types::{
    Config, Diagnostic, Edit, Findings, KnownName, Need, Origin, OutputsDocument, Processed,
    Severity,
};

use crate::application::{Bound, Refusal, has_unanswered, names_under, open_need, refused};
use crate::draw::{Document, Documents};
use crate::engine::{Engine, Halted, errors};
use crate::exit::Exit;
use crate::files::{self, Budget, Root};
use crate::settings::Krm;
use crate::splice::Spliced;

use super::render::NOTHING;
use super::session::Session;

/// What the ResourceList is called when no flag names it.
const RESOURCE_LIST: &str = "ResourceList";

pub(super) fn run(mut session: Session, krm: &Krm) -> Exit {
    let shown = krm.stdin_name.as_deref().unwrap_or(RESOURCE_LIST);
    let mut budget = Budget::new(session.limits.input);
    let resource_list = match files::read_stdin(&mut budget) {
        Ok(resource_list) => resource_list,
        Err(error) => {
            let refusal = Refusal::Manifest {
                path: shown.to_owned(),
                error,
            };
            let found = refused(vec![refusal]);
            session.drawing.add(&Documents::default(), &found);
            return session.fail(NOTHING);
        }
    };
    match process(&mut session, krm, shown, &resource_list, budget) {
        Err(halted) => session.halt(&halted, NOTHING),
        Ok(Some(edits)) if !session.drawing.has_errors() => {
            let Ok(file) = Spliced::with_edits(&resource_list, &edits) else {
                return session.halt(&Halted::BrokenAnswer, NOTHING);
            };
            session.write(resource_list.len(), |out| file.write_to(out))
        }
        Ok(_) => session.fail(NOTHING),
    }
}

/// The edits on the ResourceList; none when something is wrong, which has been
/// drawn then.
fn process(
    session: &mut Session,
    krm: &Krm,
    shown: &str,
    resource_list: &[u8],
    mut budget: Budget,
) -> Result<Option<Vec<Edit>>, Halted> {
    let engine = Engine::embedded(session.limits)?;
    let mut refusals = Vec::new();
    let bound = Bound::read(
        &krm.bound,
        None,
        shown,
        &krm.policies,
        &mut budget,
        &mut refusals,
    );

    let _watch = engine.watch();
    let mut plugin = engine.start()?;
    let (mut outputs, mut found) = match plugin.krm_needs(resource_list)? {
        Ok(mut needs) => {
            needs.retain(|need| !bound.binds(&need.name));
            (
                open_needs(krm, &needs, &mut budget, &mut refusals),
                Findings::default(),
            )
        }
        Err(found) => (Vec::new(), errors(found)?),
    };
    let mut known_names = bound.known_names();
    outputs.extend(bound.outputs);
    found.diagnostics.extend(refused(refusals));
    let mut edits = None;
    let policy = krm.policies.to_config();
    let ceiling = session.ceiling(None);
    let is_error = |found: &Diagnostic| found.severity == Severity::Error;
    if !found.diagnostics.iter().any(is_error) {
        let process = |plugin: &mut Plugin, known_names: &[KnownName]| {
            let policy = policy.as_ref();
            plugin.process(resource_list, &outputs, &ceiling, policy, known_names)
        };
        let mut outcome = process(&mut plugin, &known_names)?;
        let is_unanswered =
            |processed: &Processed| has_unanswered(&processed.diagnostics, processed.omitted);
        if outcome.as_ref().is_ok_and(is_unanswered) {
            let root = Root::open(krm.root.as_deref().unwrap_or(Path::new(".")));
            let names = names_under(root, session.limits.input, &mut plugin)?;
            if !names.is_empty() {
                known_names.extend(names);
                outcome = process(&mut plugin, &known_names)?;
            }
        }
        let answer = match outcome {
            Ok(Processed {
                edits: made,
                failed,
                diagnostics,
                omitted,
            }) => {
                edits = (!failed).then_some(made);
                let answer = Findings {
                    diagnostics,
                    omitted,
                };
                match failed {
                    true => errors(answer)?,
                    false => answer,
                }
            }
            Err(answer) => errors(answer)?,
        };
        found.diagnostics.extend(answer.diagnostics);
        found.omitted = answer.omitted;
    }
    let documents = documents(shown, resource_list, &outputs, policy.as_ref());
    session.drawing.add(&documents, &found.diagnostics);
    session.drawing.omit(found.omitted);
    Ok(edits)
}

/// Opens what the functionConfig asks for. kustomize runs a function in the
/// folder of the kustomization: that is the root, and the Binding's folder.
fn open_needs(
    krm: &Krm,
    needs: &[Need],
    budget: &mut Budget,
    refusals: &mut Vec<Refusal>,
) -> Vec<OutputsDocument> {
    let mut outputs = Vec::new();
    if needs.is_empty() {
        return outputs;
    }
    let here = Path::new(".");
    let folder = krm.root.as_deref().unwrap_or(here);
    let opened = Root::open(folder).and_then(|root| Ok((root.relative(here)?, root)));
    let (folder, root) = match opened {
        Ok(opened) => opened,
        Err(error) => {
            let path = folder.to_string_lossy().into_owned();
            refusals.push(Refusal::Flag {
                flag: "--root",
                path,
                error,
            });
            return outputs;
        }
    };
    for need in needs {
        match open_need(need, Origin::Manifest(0), &root, &folder, ".", budget) {
            Ok(document) => outputs.push(document),
            Err(refusal) if krm.policies.keep(need) => refusals.push(refusal.of_optional()),
            Err(refusal) => refusals.push(refusal),
        }
    }
    outputs
}

fn documents<'a>(
    shown: &'a str,
    resource_list: &'a [u8],
    outputs: &'a [OutputsDocument],
    policy: Option<&'a Config>,
) -> Documents<'a> {
    Documents {
        manifests: vec![Document {
            path: shown,
            content: resource_list,
        }],
        outputs: outputs.iter().map(Document::from).collect(),
        policy: policy.map(Document::from),
        ..Documents::default()
    }
}
