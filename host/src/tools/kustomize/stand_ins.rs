//! Files with sensitive values. kustomize never reads a value: it builds the files twice, with
//! texts that stand for the values, and these follow in what it has built. So neither its
//! result nor its messages depend on a value.

use landfall_sandbox::types::{Diagnostic, File, Findings, StandIn, StandInBuild};
use serde::Deserialize;

use crate::engine::{Answer, Halted, Plugin, Request, errors};
use crate::problem::{HostRule, Problem};

use super::Kustomization;
use super::sources::Rendered;

/// The files of a kustomization with sensitive values, as the values are put into what is built.
#[derive(Debug)]
pub(super) struct SensitiveFiles {
    /// The contents of the files with the second stand-ins.
    pub(super) contents: Vec<Vec<u8>>,
    first: Vec<File>,
    second: Vec<File>,
    rendered: Vec<File>,
}

impl SensitiveFiles {
    /// Returns the manifests with the values. `first` and `second` are what was built.
    pub(super) fn restored(
        self,
        first: Vec<u8>,
        second: Vec<u8>,
        plugin: &mut Plugin,
        request: &Request,
    ) -> Result<Result<Vec<u8>, Findings>, Halted> {
        let first = StandInBuild {
            manifests: first,
            rendered: self.first,
        };
        let second = StandInBuild {
            manifests: second,
            rendered: self.second,
        };
        match plugin.restore_sensitive([&first, &second], &self.rendered, request)? {
            Ok(content) => Ok(Ok(content)),
            Err(found) => errors(found).map(Err),
        }
    }
}

impl Kustomization {
    /// Returns the files with the first stand-ins, and all that is needed to put the values
    /// into what is built from them. `answer` is the one with the values.
    ///
    /// # Errors
    /// The reasons why the files cannot be built. They depend on no value but for one: that a
    /// value does not fit into its file.
    pub(super) fn with_stand_ins(
        &self,
        plugin: &mut Plugin,
        originals: &[File],
        request: &Request,
        answer: &Answer,
    ) -> Result<Result<(Rendered, SensitiveFiles), Vec<Diagnostic>>, Halted> {
        let mut all = Vec::new();
        let mut restorable = Vec::new();
        for stand_in in [StandIn::First, StandIn::Second] {
            let answer = match plugin.render_stand_ins(self.sources(), request, stand_in)? {
                Ok(answer) => answer,
                Err(found) => {
                    let mut found = errors(found)?.diagnostics;
                    self.relocate(&mut found);
                    return Ok(Err(takes_no_text(found)));
                }
            };
            answer.check(self.sources())?;
            let rendered = self.sources.rendered(&self.files, originals, &answer)?;
            if !rendered.problems.is_empty() {
                return Ok(Err(rendered.problems));
            }
            all.push(rendered);
            restorable.push(self.sources.restorable(originals, &answer)?);
        }
        restorable.push(self.sources.restorable(originals, answer)?);
        let (Some(other), Some(rendered)) = (all.pop(), all.pop()) else {
            return Err(Halted::BrokenAnswer);
        };
        let restorable: Vec<_> = restorable.into_iter().flatten().collect();
        Ok(match <[Vec<File>; 3]>::try_from(restorable) {
            Ok([first, second, with_values]) => {
                let sensitive = SensitiveFiles {
                    contents: other.contents,
                    first,
                    second,
                    rendered: with_values,
                };
                Ok((rendered, sensitive))
            }
            Err(_) => Err(vec![does_not_fit()]),
        })
    }
}

/// Returns whether a sensitive value is in the files of an answer.
pub(super) fn has_sensitive(answer: &Answer) -> Result<bool, Halted> {
    #[derive(Deserialize)]
    struct Report {
        substitutions: Vec<Substitution>,
    }
    #[derive(Deserialize)]
    struct Substitution {
        sensitive: bool,
    }
    let Some(report) = &answer.substitutions else {
        return Ok(true);
    };
    let report: Report = serde_json::from_slice(report).map_err(|_| Halted::BrokenAnswer)?;
    let mut substitutions = report.substitutions.iter();
    Ok(substitutions.any(|substitution| substitution.sensitive))
}

/// Creates the errors of fields that take no text, where rendering a text has failed.
fn takes_no_text(found: Vec<Diagnostic>) -> Vec<Diagnostic> {
    let message =
        "with `tool: kustomize`, a sensitive value is only allowed in a field that takes a string";
    let found = found.into_iter().map(|found| {
        let problem = Problem::new(HostRule::InvalidKustomization, message)
            .help("make it a Secret's text, or an output that is not sensitive");
        found
            .labels
            .into_iter()
            .fold(problem, Problem::at)
            .diagnostic()
    });
    found.collect()
}

fn does_not_fit() -> Diagnostic {
    let message = "a sensitive value cannot be written to a file of the kustomization";
    Problem::new(HostRule::InvalidKustomization, message)
        .help("which one and why is not reported, because it would reveal part of the value: in the input of `envs`, a value has no line break and less than 64 KiB").diagnostic()
}
