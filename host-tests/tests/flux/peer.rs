//! Flux's own library, one question after the other: `flux-substitute`, a program of
//! `xtask/tools/flux`.

use std::collections::BTreeMap;
use std::io::{BufRead, BufReader, Write};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

use landfall_host_tests::program;
use serde_json::{Value as Json, json};

use crate::ideal::Place;

/// The variables of `spec.postBuild`, by name.
pub(crate) type Variables = BTreeMap<String, String>;

/// What Flux answers, or its message.
pub(crate) type Answer = Result<Json, String>;

/// A running `flux-substitute`.
#[derive(Debug)]
pub(crate) struct Flux {
    program: Child,
    questions: Option<ChildStdin>,
    answers: BufReader<ChildStdout>,
    /// The last answer of [`Flux::decoded`]: one manifest has many cases in a row.
    last: Option<(String, Answer)>,
}

impl Flux {
    /// Starts the program.
    pub(crate) fn start() -> Self {
        let mut program = Command::new(program::tool("flux-substitute"))
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        Self {
            questions: program.stdin.take(),
            answers: BufReader::new(program.stdout.take().unwrap()),
            program,
            last: None,
        }
    }

    /// Returns the object that kustomize-controller would apply for a manifest.
    pub(crate) fn applied(
        &mut self,
        manifest: &str,
        variables: &Variables,
        strict: bool,
    ) -> Answer {
        self.ask(&json!({"document": manifest, "variables": variables, "strict": strict}))
    }

    /// Returns the object that kustomize-controller would apply for a manifest without
    /// `spec.postBuild`.
    pub(crate) fn decoded(&mut self, manifest: &str) -> Answer {
        self.ask(&json!({"document": manifest}))
    }

    /// The same for the manifest of a case.
    pub(crate) fn template(&mut self, manifest: &str) -> Answer {
        if let Some((last, answer)) = &self.last
            && last == manifest
        {
            return answer.clone();
        }
        let answer = self.decoded(manifest);
        self.last = Some((manifest.to_owned(), answer.clone()));
        answer
    }

    /// Returns the text that a template becomes. Flux drops the line breaks of values; with
    /// `line_breaks` they are kept.
    pub(crate) fn text(
        &mut self,
        template: &str,
        variables: &Variables,
        strict: bool,
        line_breaks: bool,
    ) -> Result<String, String> {
        let answer = self.ask(&json!({
            "template": template,
            "variables": variables,
            "strict": strict,
            "lineBreaks": line_breaks,
        }))?;
        Ok(answer.as_str().unwrap().to_owned())
    }

    /// Returns what Flux reads a text as that is written without quotes at this place.
    ///
    /// # Errors
    /// It is not one value.
    pub(crate) fn read_at(&mut self, place: Place, text: &str) -> Answer {
        let document = match place {
            Place::Item => format!("field:\n- {text}\n"),
            Place::Field | Place::Key => format!("field: {text}\n"),
        };
        let mut read = self.ask(&json!({"yaml": document}))?;
        let fields = read.as_object().map_or(0, serde_json::Map::len);
        match (&mut read["field"], place) {
            _ if fields != 1 => Err(format!("more than one field: {document}")),
            (Json::Array(items), Place::Item) if items.len() == 1 => Ok(items.remove(0)),
            (_, Place::Item) => Err(format!("more than one item: {document}")),
            (value, _) => Ok(value.take()),
        }
    }

    /// Returns what kustomize makes of a string in a resource without variables.
    pub(crate) fn carried(&mut self, text: &str) -> Answer {
        let manifest = alone(&json!(text));
        Ok(self.decoded(&manifest.to_string())?["value"].take())
    }

    fn ask(&mut self, question: &Json) -> Answer {
        let questions = self.questions.as_mut().unwrap();
        // In one piece: the pipe has no buffer of its own.
        let asked = format!("{question}\n");
        questions.write_all(asked.as_bytes()).unwrap();
        let mut line = String::new();
        self.answers.read_line(&mut line).unwrap();
        let mut answer: BTreeMap<String, Json> = serde_json::from_str(&line)
            .unwrap_or_else(|error| panic!("{error}: {line:?} answers {question}"));
        match (
            answer.remove("json"),
            answer.remove("text"),
            answer.remove("error"),
        ) {
            (_, _, Some(error)) => Err(error.as_str().unwrap().to_owned()),
            (Some(answer), _, _) | (_, Some(answer), _) => Ok(answer),
            (None, None, None) => panic!("{line:?} answers {question}"),
        }
    }
}

impl Drop for Flux {
    fn drop(&mut self) {
        // It ends with its input.
        drop(self.questions.take());
        let _ = self.program.wait();
    }
}

/// Returns a resource with nothing but this value.
pub(crate) fn alone(value: &Json) -> Json {
    json!({
        "apiVersion": "v1",
        "kind": "Alone",
        "metadata": {"name": "alone"},
        "value": value,
    })
}
