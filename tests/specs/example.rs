//! Runs one example as the page shows it.

use landfall::{
    BuiltInCeiling, Content, Diagnostic, Diagnostics, Edit, File, Origin, Request, Sources, splice,
};

use crate::config::Configs;
use crate::notation;
use crate::outputs::Expanded;
use crate::page::{Block, Example};
use crate::reported::reported;

/// The outcome of an example.
#[derive(Debug, Default)]
pub(crate) struct Outcome {
    /// `None` if there were errors and nothing was rendered.
    pub(crate) result: Option<String>,
    pub(crate) diagnostics: String,
    /// Violations that no example may have, whatever it expects.
    pub(crate) broken: Vec<String>,
}

/// Renders an example's manifest with its outputs documents.
///
/// # Errors
/// The example cannot be run.
pub(crate) fn run(example: &Example) -> Result<Outcome, String> {
    let (manifest, marks) = match example
        .blocks
        .iter()
        .filter(|b| b.role == "manifest")
        .collect::<Vec<_>>()[..]
    {
        [block] => (notation::read(&block.content, block.marks), block.marks),
        [] => return Err("it has no manifest".to_owned()),
        _ => return Err("it has more than one manifest".to_owned()),
    };
    let bound: Vec<&Block> = example
        .blocks
        .iter()
        .filter(|block| !matches!(block.role.as_str(), "manifest" | "result" | "diagnostics"))
        .filter(|block| !Configs::is_role(&block.role))
        .collect();
    if bound.is_empty() {
        return Err("nothing is bound in it".to_owned());
    }
    let outputs = bound
        .iter()
        .map(|block| Expanded::new(block))
        .collect::<Result<Vec<_>, _>>()?;
    let blocks: Vec<&str> = bound.iter().map(|block| block.content.as_str()).collect();

    let configs = Configs::new(example);
    let mut request = configs.put_into(Request {
        outputs: outputs
            .iter()
            .map(|expanded| expanded.document.clone())
            .collect(),
        resources_only: marks.folder,
        ..Request::default()
    });
    if marks.argo_cd {
        request.configure(|configuration| configuration.ceiling.built_in = BuiltInCeiling::ArgoCd);
    }
    let rendered = render(&manifest, &request);
    let mut outcome = Outcome::default();
    let diagnostics = match rendered {
        Ok((result, diagnostics)) => {
            outcome.result = Some(result);
            diagnostics
        }
        Err(Failure::Diagnostics(diagnostics)) => diagnostics,
        Err(Failure::Broken(broken)) => {
            outcome.broken.push(broken);
            Diagnostics::default()
        }
    };
    outcome.diagnostics = reported(&diagnostics, &manifest, &outputs, &blocks, &configs);
    outcome.broken.extend(bare_labels(&diagnostics));
    outcome.broken.extend(leaks(&diagnostics, &outputs));
    outcome
        .broken
        .extend(bad_fixes(&diagnostics, &manifest, &request));
    Ok(outcome)
}

enum Failure {
    Diagnostics(Diagnostics),
    /// The answer is inconsistent.
    Broken(String),
}

fn render(manifest: &str, request: &Request) -> Result<(String, Diagnostics), Failure> {
    let file = File {
        path: "manifest.yaml".to_owned(),
        content: manifest.as_bytes().to_vec(),
    };
    let answer = Sources::new(vec![file])
        .generate(request)
        .map_err(Failure::Diagnostics)?;
    let broken = |error: &dyn std::fmt::Display| Failure::Broken(error.to_string());
    let result = match &answer.sources[..] {
        [Content::Unchanged] => manifest.to_owned(),
        [Content::Edited(edits)] => {
            let bytes = splice(manifest.as_bytes(), edits).map_err(|error| broken(&error))?;
            String::from_utf8(bytes).map_err(|error| broken(&error))?
        }
        _ => {
            return Err(Failure::Broken(
                "the answer has no edits of the file".to_owned(),
            ));
        }
    };
    Ok((result, answer.diagnostics))
}

/// Reports diagnostics that reveal the value of a sensitive output.
fn leaks(diagnostics: &[Diagnostic], outputs: &[Expanded]) -> Vec<String> {
    let is_leak = |diagnostic: &&Diagnostic| {
        let everything = format!("{diagnostic:?}");
        // The path of a field may legitimately have the same keys.
        let mut words = Diagnostic::clone(diagnostic);
        words.field = None;
        let words = format!("{words:?}");
        outputs.iter().any(|Expanded { secrets, .. }| {
            secrets
                .values
                .iter()
                .any(|value| everything.contains(value))
                || secrets.keys.iter().any(|key| words.contains(key))
        })
    };
    diagnostics
        .iter()
        .filter(is_leak)
        .map(|diagnostic| format!("{} reveals a sensitive value", diagnostic.rule.id()))
        .collect()
}

/// Reports labels around which a host would show confidential text: values of an outputs
/// document, or a Secret.
fn bare_labels(diagnostics: &[Diagnostic]) -> Vec<String> {
    let is_secret = |diagnostic: &Diagnostic| {
        let resource = diagnostic.resource.as_ref();
        resource.is_some_and(|resource| resource.kind == "Secret")
    };
    let is_bare = |diagnostic: &Diagnostic| {
        diagnostic.labels.iter().any(|label| {
            !label.conceal && (matches!(label.origin, Origin::Outputs(_)) || is_secret(diagnostic))
        })
    };
    diagnostics
        .iter()
        .filter(|diagnostic| is_bare(diagnostic))
        .map(|diagnostic| format!("{} conceals too little", diagnostic.rule.id()))
        .collect()
}

/// Reports fixes that don't fix their diagnostic.
fn bad_fixes(diagnostics: &[Diagnostic], manifest: &str, request: &Request) -> Vec<String> {
    let count = |diagnostics: &[Diagnostic], of: &Diagnostic| {
        diagnostics
            .iter()
            .filter(|other| other.rule == of.rule)
            .count()
    };
    let fixed = |edits: &[Edit]| {
        let bytes = splice(manifest.as_bytes(), edits).ok()?;
        match render(&String::from_utf8(bytes).ok()?, request) {
            Ok((_, diagnostics)) | Err(Failure::Diagnostics(diagnostics)) => Some(diagnostics),
            Err(Failure::Broken(_)) => None,
        }
    };
    let mut bad = Vec::new();
    for diagnostic in diagnostics {
        for fix in diagnostic
            .fixes
            .iter()
            .filter(|fix| fix.target == Origin::Manifest(0))
        {
            let helps = fixed(&fix.edits).is_some_and(|left| {
                count(&left, diagnostic) < count(diagnostics, diagnostic)
                    && left.len() <= diagnostics.len()
            });
            if !helps {
                bad.push(format!(
                    "`{}` does not fix {}",
                    fix.title,
                    diagnostic.rule.id()
                ));
            }
        }
    }
    bad
}
