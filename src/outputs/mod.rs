//! Outputs documents of any format, read into one typed model: name → value,
//! type, sensitivity, and the bytes where each stands.

mod as_manifest;
mod bound;
mod json;
mod mistaken;
mod position;
mod terraform;
mod value;

pub(crate) use as_manifest::named_as_manifest;
pub(crate) use bound::{Bindings, Bound, MAX_WORK, Mark, Named, is_name};
pub(crate) use value::{Key, Type, Value};

use mistaken::Mistaken;
use position::line_of;

use crate::report::{Diagnostic, Diagnostics, Origin, Rule};
use yaml::Span;

/// A file of infra outputs under the name that references use.
///
/// Its `Debug` form shows no content: values may be sensitive.
#[derive(Clone, Default, PartialEq, Eq)]
pub struct OutputsDocument {
    /// The bound name: `infra` in `${infra.vpc_id}`.
    pub name: String,
    /// Shown in diagnostics; never opened by the plugin.
    pub path: String,
    /// The document's bytes.
    pub content: Vec<u8>,
    /// A format's id, such as `terraform`; none: recognised by content.
    pub format: Option<String>,
    /// The document came out of a Secret: every output in it is sensitive.
    pub sensitive: bool,
}

impl std::fmt::Debug for OutputsDocument {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Self {
            name,
            path,
            content,
            format,
            sensitive,
        } = self;
        f.debug_struct("OutputsDocument")
            .field("name", name)
            .field("path", path)
            .field("bytes", &content.len())
            .field("format", format)
            .field("sensitive", sensitive)
            .finish_non_exhaustive()
    }
}

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
type Read = (Vec<Output>, Diagnostics);

/// One row for every format: its id, how its documents are told apart, and its
/// reader.
struct Format {
    id: &'static str,
    recognizes: fn(&json::Node) -> bool,
    read: fn(&json::Node, &Source<'_>) -> Read,
}

/// A document that is read.
pub(crate) struct Source<'a> {
    pub(crate) content: &'a [u8],
    pub(crate) origin: Origin,
    /// Every output of it is sensitive.
    pub(crate) is_sensitive: bool,
}

impl Source<'_> {
    /// Its text cannot be read on. How far it could is known by the line alone: nobody
    /// knows what stands before it on the line.
    fn not_json(&self, error: &json::Error) -> Diagnostic {
        let message = format!("the outputs document is not JSON: {}", error.message);
        Diagnostic::error(Rule::InvalidOutputs, message)
            .at_concealed(
                self.origin,
                line_of(self.content, error.at),
                "invalid JSON on this line",
            )
            .help("bind the output of `terraform output -json` or `tofu output -json`, unchanged")
    }
}

const FORMATS: &[Format] = &[Format {
    id: "terraform",
    recognizes: terraform::recognizes,
    read: terraform::read,
}];

/// Reads one document. Returns what could be read and everything that is wrong
/// with the rest.
pub(crate) fn read(source: &Source<'_>, format: Option<&str>) -> (Vec<Output>, Diagnostics) {
    let Source {
        content, origin, ..
    } = *source;
    let failed = |diagnostic: Diagnostic| (Vec::new(), Diagnostics::from(diagnostic));
    let mistaken = |rule: Rule, at: usize, found: Mistaken| {
        let message = format!("the outputs document {}", found.what);
        let error = Diagnostic::error(rule, message).at_concealed(origin, Span::point(at), "");
        failed(error.help(found.help))
    };
    let (text, skipped) = match text_of(content) {
        Ok(found) => found,
        Err(at) => {
            if let Some(found) = mistaken::binary(content) {
                return mistaken(Rule::NotUtf8, 0, found);
            }
            return failed(
                Diagnostic::error(Rule::NotUtf8, "the outputs document is not UTF-8")
                    .at_concealed(origin, line_of(content, at), "a byte of this line is not UTF-8")
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
            return match mistaken::text(text) {
                Some(found) => mistaken(Rule::InvalidOutputs, skipped, found),
                None => failed(source.not_json(&error)),
            };
        }
    };
    let known = || FORMATS.iter().map(|f| f.id).collect::<Vec<_>>().join(", ");
    let row = match format {
        Some(id) => FORMATS.iter().find(|row| row.id == id),
        None => FORMATS.iter().find(|row| (row.recognizes)(&node)),
    };
    match (row, format) {
        (Some(row), _) => (row.read)(&node, source),
        (None, Some(id)) => failed(
            Diagnostic::error(
                Rule::OutputsNotRecognized,
                format!("no outputs format is called `{id}`"),
            )
            .at_concealed(origin, Span::point(skipped), "")
            .help(format!("the formats are: {}", known())),
        ),
        (None, None) => mistaken(
            Rule::OutputsNotRecognized,
            node.span.start,
            mistaken::node(&node),
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
