//! A format for tests, as different from all others as possible: text, and marked outputs.
//!
//! ```text
//! toy outputs
//! vpc_id = vpc-0ab1
//! password ! hunter2
//! ```
//!
//! A value after `!` is sensitive. This file and its row in `FORMATS` are all that landfall
//! knows of it.

use crate::outputs::document::Document;
use crate::outputs::formats::sample::FormatSample;
use crate::outputs::formats::{
    AsManifest, Format, Properties, Publication, Recognition, reject_repeated,
};
use crate::outputs::{Output, ReadOutputs, Value};
use yaml::Span;

pub(super) struct Toy;

pub(super) const ID: &str = "toy";

const FIRST_LINE: &str = "toy outputs\n";

impl Format for Toy {
    fn properties(&self) -> Properties {
        Properties {
            id: ID,
            marks_sensitive: true,
            as_manifest: AsManifest::Outputs,
            publication: Publication::ConvertedIfSensitive,
            of_plan: None,
        }
    }

    fn recognise(&self, document: &Document<'_>) -> Recognition {
        if document.body().starts_with(FIRST_LINE) {
            Recognition::Certain
        } else {
            Recognition::No
        }
    }

    fn read(&self, document: &Document<'_>) -> ReadOutputs {
        let mut read = ReadOutputs::default();
        let mut lines = document.body().split_inclusive('\n');
        let mut start = document.start + lines.next().unwrap_or_default().len();
        if self.recognise(document) == Recognition::No {
            let message = "the outputs document has no first line `toy outputs`".to_owned();
            let error = document.invalid(message, document.start, "");
            read.diagnostics.push(error);
        }
        for line in lines {
            let content = line.trim_end();
            let end = start + content.len();
            match *content.splitn(3, ' ').collect::<Vec<_>>() {
                [name, sign @ ("=" | "!"), value] => read.outputs.push(Output {
                    name: name.to_owned(),
                    // A column after a value would show how long it is.
                    span: document.line_of(start),
                    value: Value::String(value.trim_matches('"').to_owned()),
                    written: Span::new(end - value.len(), end),
                    sensitive: sign == "!" || document.declares_sensitive(name),
                }),
                [""] => {}
                _ => {
                    let message = "the outputs document has a line without a value".to_owned();
                    let error = document.invalid(message, document.start, "");
                    read.diagnostics.push(error);
                }
            }
            start += line.len();
        }
        reject_repeated(document, &mut read);
        read
    }

    fn sample(&self) -> FormatSample {
        FormatSample::in_lines(FIRST_LINE, |name, value| format!("{name} = {value}"))
    }
}
