//! `landfall stamp`: prints the digest of outputs documents, for the parameter
//! `outputs-digest` of an Application.

use std::path::Path;

use crate::application::{
    FlagInputs, Problem, SensitiveMarks, digest, display_path, empty_request,
};
use crate::engine::{Engine, Halted};
use crate::exit::Exit;
use crate::files::{Budget, FileError, read_user_path};
use crate::settings::{Policies, Stamp};

use super::inputs::STDIN;
use super::session::Session;

/// The outcome of a run with errors.
const NOTHING_PRINTED: &str = "no digest was printed";

pub(super) fn run(mut session: Session, stamp: &Stamp) -> Exit {
    match stamped(&mut session, stamp) {
        Err(halted) => session.halt(&halted, NOTHING_PRINTED),
        Ok(Some(digest)) if !session.reporter.has_errors() => {
            session.write_text(Exit::Done, &format!("{digest}\n"))
        }
        Ok(_) => session.fail(NOTHING_PRINTED),
    }
}

/// Returns the digest, or None after adding errors to the session's reporter.
fn stamped(session: &mut Session, stamp: &Stamp) -> Result<Option<String>, Halted> {
    let mut budget = Budget::new(session.limits.input);
    let mut problems = Vec::new();
    let inputs = FlagInputs::read(
        &stamp.bound,
        None,
        stamp.stdin_name.as_deref().unwrap_or(STDIN),
        &Policies::default(),
        &mut budget,
        &mut problems,
    );
    let key = stamp.key.as_deref();
    let key = key.and_then(|file| read_key(file, &mut budget, &mut problems));
    if problems.is_empty() && key.is_none() && is_sensitive(session, &inputs)? {
        problems.push(Problem::UnkeyedDigest);
    }
    if !problems.is_empty() {
        session.add_problems(problems);
        return Ok(None);
    }
    Ok(Some(digest(inputs.outputs.iter(), key.as_deref())))
}

/// Returns whether an output of the documents may be sensitive.
fn is_sensitive(session: &Session, inputs: &FlagInputs) -> Result<bool, Halted> {
    let engine = Engine::embedded(session.limits)?;
    let _watch = engine.watch();
    let mut plugin = engine.start()?;
    let request = empty_request(session.ceiling(None));
    SensitiveMarks::may_be_in(&inputs.outputs, false, &request, &mut plugin)
}

/// Reads the file of `--digest-key`. Line breaks at its end are not part of the key.
pub(super) fn read_key(
    file: &Path,
    budget: &mut Budget,
    problems: &mut Vec<Problem>,
) -> Option<Vec<u8>> {
    let read = read_user_path(file, budget).and_then(|key| {
        let key = key.trim_ascii_end().to_vec();
        match key.len() {
            ..MIN_KEY => Err(FileError::Unreadable(std::io::Error::other(format!(
                "a key has at least {MIN_KEY} bytes"
            )))),
            _ => Ok(key),
        }
    });
    read.map_err(|error| {
        problems.push(Problem::Flag {
            flag: "--digest-key",
            path: display_path(file),
            error,
        });
    })
    .ok()
}

/// The minimum length of a key in bytes: a shorter one could be guessed together with the
/// outputs.
const MIN_KEY: usize = 16;
