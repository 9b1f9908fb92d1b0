//! Outputs documents of any format, read into one typed model: name → value,
//! type, sensitivity, and the bytes where each stands.

mod bound;
mod json;
mod terraform;
mod value;

pub(crate) use bound::{Bindings, Bound, Named, is_name};
pub(crate) use value::{Key, Type, Value};

use crate::report::{Diagnostic, Origin, Rule, Span};

/// One output of an outputs document.
#[derive(Clone, Debug)]
pub(crate) struct Output {
    /// `vpc_id`; names may hold dashes and dots.
    pub(crate) name: String,
    /// Where the name stands in its document.
    pub(crate) span: Span,
    pub(crate) value: Value,
    pub(crate) sensitive: bool,
}

/// What a reader could read, and everything that is wrong with the rest.
type Read = (Vec<Output>, Vec<Diagnostic>);

/// One row for every format: its id, how its documents are told apart, and its
/// reader.
struct Format {
    id: &'static str,
    recognizes: fn(&json::Node) -> bool,
    read: fn(&json::Node, Origin) -> Read,
}

const FORMATS: &[Format] = &[Format {
    id: "terraform",
    recognizes: terraform::recognizes,
    read: terraform::read,
}];

/// Reads one document. Returns what could be read and everything that is wrong
/// with the rest.
pub(crate) fn read(
    content: &[u8],
    format: Option<&str>,
    origin: Origin,
) -> (Vec<Output>, Vec<Diagnostic>) {
    let failed = |diagnostic: Diagnostic| (Vec::new(), vec![diagnostic]);
    let (text, skipped) = match text_of(content) {
        Ok(found) => found,
        Err(at) => {
            return failed(
                Diagnostic::error(Rule::NotUtf8, "the outputs document is not UTF-8")
                    .at_concealed(origin, Span::point(at), "this byte is not UTF-8")
                    .help("write the outputs again, for example with `terraform output -json > outputs.json`; PowerShell's `>` writes UTF-16: use `Out-File -Encoding utf8`"),
            );
        }
    };
    if text.trim_ascii().is_empty() {
        return failed(
            Diagnostic::error(Rule::OutputsEmpty, "the outputs document is empty")
                .at_concealed(origin, Span::point(0), "nothing stands here")
                .help("was the command that writes it interrupted? `terraform output -json > outputs.json` writes at least `{}`"),
        );
    }
    let node = match json::parse(text, skipped) {
        Ok(node) => node,
        Err(error) => {
            return failed(
                Diagnostic::error(
                    Rule::OutputsNotJson,
                    format!("the outputs document is not JSON: {}", error.message),
                )
                .at_concealed(origin, Span::point(error.at), "JSON cannot go on like this")
                .help(
                    "bind the output of `terraform output -json` or `tofu output -json`, unchanged",
                ),
            );
        }
    };
    let known = || FORMATS.iter().map(|f| f.id).collect::<Vec<_>>().join(", ");
    let row = match format {
        Some(id) => FORMATS.iter().find(|row| row.id == id),
        None => FORMATS.iter().find(|row| (row.recognizes)(&node)),
    };
    match (row, format) {
        (Some(row), _) => (row.read)(&node, origin),
        (None, Some(id)) => failed(
            Diagnostic::error(Rule::OutputsNotRecognized, format!("no outputs format is called `{id}`"))
                .at_concealed(origin, Span::point(skipped), "")
                .help(format!("the formats are: {}", known())),
        ),
        (None, None) => failed(
            Diagnostic::error(Rule::OutputsNotRecognized, "the document is none of the outputs formats that landfall reads")
                .at_concealed(origin, Span::point(node.span.start), "")
                .help(format!(
                    "landfall reads: {}; an output of `terraform output -json` looks like {{\"name\": {{\"sensitive\": false, \"type\": \"string\", \"value\": …}}}}",
                    known()
                )),
        ),
    }
}

/// The document as text, without its byte order mark, and how many bytes that
/// was. Err: the first byte that is not UTF-8.
fn text_of(content: &[u8]) -> Result<(&str, usize), usize> {
    let text = std::str::from_utf8(content).map_err(|error| error.valid_up_to())?;
    Ok(text
        .strip_prefix('\u{feff}')
        .map_or((text, 0), |rest| (rest, '\u{feff}'.len_utf8())))
}

/// A value as JSON writes it.
#[cfg(test)]
pub(crate) fn value_of_json(json: &str) -> Value {
    json::parse(json, 0).unwrap().value().unwrap()
}
