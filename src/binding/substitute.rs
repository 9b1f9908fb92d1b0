//! Values into one scalar: the edits that change its references and nothing
//! else, and that every YAML reader decodes to the same text.

use std::ops::Range;

use crate::manifest::{
    Decoded, Kind, Node, NodeId, Place, Role, Style, Tree, block, decode_block_text, decode_flow,
    double_quoted, flow, is_block, literal_cannot_hold, number, plain_reads_back,
    push_double_quoted, push_single_quoted, single_quotes_can_hold,
};
use crate::outputs::{Type, Value};
use crate::report::{Edit, Span};

/// The most characters that YAML lets a key on one line have (1.2.2, 7.4.2).
const LONGEST_KEY: usize = 1024;

/// A stretch of the scalar that is replaced.
#[derive(Debug)]
pub(crate) struct Part<'v> {
    /// In the decoded text.
    pub(crate) decoded: Range<usize>,
    /// In the document.
    pub(crate) raw: Range<usize>,
    /// None: these bytes go (the first `$` of an escape), or the reference has no
    /// value.
    pub(crate) value: Option<&'v Value>,
    /// A reference, not an escape.
    pub(crate) read: bool,
}

/// Why a value cannot stand at a place.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Misfit {
    /// Position of the part.
    pub(crate) part: usize,
    pub(crate) message: String,
    pub(crate) help: String,
    /// The quotes around the scalar should go.
    pub(crate) unquote: bool,
    /// Its JSON could stand here.
    pub(crate) as_json: bool,
}

/// One scalar with everything around it that decides how it may be written.
pub(crate) struct Scalar<'a> {
    pub(crate) source: &'a str,
    pub(crate) tree: &'a Tree<'a>,
    pub(crate) id: NodeId,
    pub(crate) decoded: &'a Decoded<'a>,
    pub(crate) json: bool,
}

impl Scalar<'_> {
    fn node(&self) -> &Node<'_> {
        &self.tree.nodes[self.id]
    }

    fn style(&self) -> Style {
        match self.node().kind {
            Kind::Scalar { style, .. } => style,
            _ => Style::Plain,
        }
    }

    pub(super) fn is_key(&self) -> bool {
        self.node().role == Role::Key
    }

    pub(super) fn place(&self) -> Place {
        Place {
            flow: self.tree.in_flow(self.id),
            json: self.json,
        }
    }

    /// Whether the reference is the whole scalar, so that its value's type is the
    /// scalar's.
    fn is_whole(&self, parts: &[Part<'_>]) -> bool {
        matches!(parts, [part] if part.value.is_some() && part.decoded == (0..self.decoded.text.len()))
    }

    /// Whether a value's type becomes the scalar's.
    pub(crate) fn keeps_type(&self, parts: &[Part<'_>]) -> bool {
        self.is_whole(parts)
            && self.style() == Style::Plain
            && !self.is_key()
            && self.core_tag() != Some("str")
    }

    /// The scalar's tag, if it is one of YAML's own: `str` of `!!str`, of
    /// `!<tag:yaml.org,2002:str>` and of `!`.
    pub(super) fn core_tag(&self) -> Option<&str> {
        let tag = self.source.get(self.node().tag.clone()?)?;
        match tag.strip_prefix("!<tag:yaml.org,2002:") {
            _ if tag == "!" => Some("str"),
            Some(verbatim) => verbatim.strip_suffix('>'),
            None => tag.strip_prefix("!!"),
        }
    }

    /// Whether a list or object takes the scalar's place.
    pub(crate) fn becomes_collection(&self, parts: &[Part<'_>]) -> bool {
        let value = parts.first().and_then(|part| part.value);
        self.is_whole(parts)
            && value.is_some_and(|value| matches!(value.value_type(), Type::List | Type::Object))
    }

    /// Whether another kind of node takes the node's place.
    pub(crate) fn changes_kind(&self, parts: &[Part<'_>]) -> bool {
        let is_whole = self.is_whole(parts);
        let becomes = parts
            .first()
            .and_then(|part| part.value)
            .map(Value::value_type);
        match (&self.node().kind, becomes.filter(|_| is_whole)) {
            (Kind::Sequence { .. }, becomes) => becomes != Some(Type::List),
            (Kind::Mapping { .. }, becomes) => becomes != Some(Type::Object),
            (Kind::Scalar { .. } | Kind::Alias(_), becomes) => {
                matches!(becomes, Some(Type::List | Type::Object))
            }
        }
    }

    /// Whether the type of the field decides how the scalar is written: the author
    /// wrote neither quotes nor a tag.
    pub(crate) fn is_typed_by_its_place(&self) -> bool {
        self.style() == Style::Plain && !self.is_key() && self.node().tag.is_none()
    }

    /// The value that the whole scalar becomes.
    pub(crate) fn whole_value<'v>(&self, parts: &[Part<'v>]) -> Option<&'v Value> {
        parts
            .first()
            .filter(|_| self.is_whole(parts))
            .and_then(|part| part.value)
    }

    /// The edits that make a plain scalar of several parts the number or bool that
    /// its text is.
    pub(crate) fn joined(&self, parts: &[Part<'_>], value: &Value) -> Vec<Edit> {
        let text = flow(value, self.place());
        if self.is_multi_line() || text != self.target(parts) {
            return vec![edit(&self.decoded.raw, text)];
        }
        parts
            .iter()
            .map(|part| edit(&part.raw, text_of(part).to_owned()))
            .collect()
    }

    /// The text of the scalar with its references replaced, block scalars not
    /// yet chomped.
    pub(crate) fn target(&self, parts: &[Part<'_>]) -> String {
        let text = &self.decoded.text;
        let mut target = String::with_capacity(text.len());
        let mut at = 0;
        for part in parts {
            target.push_str(&text[at..part.decoded.start]);
            target.push_str(part.value.and_then(Value::text).unwrap_or_default());
            at = part.decoded.end;
        }
        target.push_str(&text[at..]);
        target
    }

    /// The edits that put the values in, in the document's bytes.
    ///
    /// # Errors
    /// A value's type has no place here.
    pub(crate) fn edits(&self, parts: &[Part<'_>]) -> Result<Vec<Edit>, Misfit> {
        if self.is_whole(parts)
            && self.style() == Style::Plain
            && !self.is_key()
            && let Some(value) = parts[0].value
        {
            if let Some(misfit) = self.tag_misfit(value) {
                return Err(misfit);
            }
            if has_too_long_a_key(value) {
                return Err(too_long_a_key());
            }
            return Ok(self.whole_plain(value, &parts[0].raw));
        }
        self.check_texts(parts)?;
        let target = self.target(parts);
        let minimal = match self.style() {
            Style::Plain => self.in_plain(parts, &target),
            Style::SingleQuoted => self.in_single_quotes(parts, &target),
            Style::DoubleQuoted => self.in_double_quotes(parts, &target),
            Style::Literal | Style::Folded => self.in_block(parts, &target),
        };
        let edits = minimal.unwrap_or_else(|| self.rewritten(&target));
        if self.is_key() && self.key_length(&edits) > LONGEST_KEY {
            return Err(too_long_a_key());
        }
        Ok(edits)
    }

    /// The characters of a key as it will be written, with its anchor and tag,
    /// which readers count too; 0 where a key may have any length.
    fn key_length(&self, edits: &[Edit]) -> usize {
        let start = self.decoded.raw.start;
        let before = self
            .source
            .get(self.node().after..start)
            .unwrap_or_default();
        let line = before.rsplit(['\n', '\r']).next().unwrap_or_default();
        if line.trim_start().starts_with('?') {
            return 0;
        }
        line.chars().count() + self.edited(edits).chars().count()
    }

    /// A value that its scalar's explicit tag rules out.
    pub(super) fn tag_misfit(&self, value: &Value) -> Option<Misfit> {
        let tag = self.core_tag()?;
        let fits = match (tag, value.value_type()) {
            (
                "str" | "int" | "float" | "bool" | "null" | "binary" | "timestamp",
                Type::List | Type::Object,
            ) => false,
            ("int", Type::Number) => value
                .text()
                .is_some_and(|digits| !digits.contains(['.', 'e', 'E'])),
            ("int" | "float", found) => found == Type::Number,
            ("bool", found) => found == Type::Bool,
            ("null", found) => found == Type::Null,
            ("seq", found) => found == Type::List,
            ("map", found) => found == Type::Object,
            _ => true,
        };
        (!fits).then(|| Misfit {
            part: 0,
            message: format!(
                "{} cannot stand behind the tag `!!{tag}`",
                value.value_type().described()
            ),
            help: "drop the tag: the value brings its own type".to_owned(),
            unquote: false,
            as_json: false,
        })
    }

    /// Lists, objects and null are no text.
    pub(super) fn check_texts(&self, parts: &[Part<'_>]) -> Result<(), Misfit> {
        for (part, value) in parts
            .iter()
            .enumerate()
            .filter_map(|(n, part)| part.value.map(|value| (n, value)))
        {
            let found = value.value_type();
            if !matches!(found, Type::List | Type::Object | Type::Null) {
                continue;
            }
            let (place, unquote) = match self.style() {
                _ if self.is_key() => ("a key", false),
                Style::SingleQuoted | Style::DoubleQuoted if self.is_whole(parts) => {
                    ("a quoted scalar", true)
                }
                Style::Literal | Style::Folded => ("a block scalar", false),
                _ => ("a part of a text", false),
            };
            let help = match found {
                Type::Null => "say what should stand here: `| default(\"…\")`",
                Type::List if self.is_key() => "name one item, such as `[0]`",
                _ if self.is_key() => "name one of its keys",
                Type::List if unquote => {
                    "`| join(\",\")` or `| json` makes a text of it; without the quotes it becomes YAML of its own"
                }
                _ if unquote => {
                    "drop the quotes: then it becomes YAML of its own; `| json` or `| yaml` makes a text of it"
                }
                Type::List => {
                    "`| join(\",\")` or `| json` makes a text of it; or name one item, such as `[0]`"
                }
                _ => "`| json` or `| yaml` makes a text of it; or name one of its keys",
            };
            return Err(Misfit {
                part,
                message: format!("{} cannot stand in {place}", found.described()),
                help: help.to_owned(),
                unquote: unquote && found != Type::Null && self.node().tag.is_none(),
                as_json: found != Type::Null && !self.is_key(),
            });
        }
        Ok(())
    }

    pub(super) fn whole_plain(&self, value: &Value, raw: &Range<usize>) -> Vec<Edit> {
        let place = self.place();
        let is_string = self.core_tag() == Some("str");
        let text = match value {
            Value::String(text) if plain_reads_back(text, place) => text.clone(),
            Value::String(text) => double_quoted(text),
            Value::Number(_) | Value::Bool(_) if is_string => {
                double_quoted(value.text().unwrap_or_default())
            }
            Value::Number(digits) => number(digits),
            _ if is_block(value) && !place.flow => return self.whole_block(value, raw),
            _ => flow(value, place),
        };
        vec![edit(raw, text)]
    }

    /// A list or object where a plain scalar stood, over lines of its own.
    fn whole_block(&self, value: &Value, raw: &Range<usize>) -> Vec<Edit> {
        let line_break = self.line_break();
        let bytes = self.source.as_bytes();
        let line_start = memchr::memrchr2(b'\n', b'\r', &bytes[..raw.start]).map_or(0, |at| at + 1);
        let line_end =
            memchr::memchr2(b'\n', b'\r', &bytes[raw.end..]).map_or(bytes.len(), |at| raw.end + at);
        let before = &self.source[line_start..raw.start];
        let behind = &self.source[raw.end..line_end];
        let alone = before.bytes().all(|b| b == b' ');
        let compact = matches!(self.node().role, Role::Item(_))
            && before.bytes().all(|b| matches!(b, b' ' | b'-'))
            && behind.trim_ascii().is_empty();
        if alone || compact {
            // It goes on in this very column.
            return vec![edit(raw, block(value, before.len(), line_break))];
        }
        let column = self
            .tree
            .block_column(self.id)
            .map_or(0, |column| column + 2);
        let text = format!(
            "{line_break}{}{}",
            " ".repeat(column),
            block(value, column, line_break)
        );
        // What stands behind the reference, a comment, stays on its line.
        let blanks = before.len() - before.trim_end_matches([' ', '\t']).len();
        let gone = raw.start - blanks..raw.end;
        if behind.is_empty() {
            vec![edit(&gone, text)]
        } else {
            vec![
                edit(&gone, String::new()),
                edit(&(line_end..line_end), text),
            ]
        }
    }

    pub(super) fn line_break(&self) -> &'static str {
        match memchr::memchr(b'\n', self.source.as_bytes()) {
            Some(at) if at > 0 && self.source.as_bytes()[at - 1] == b'\r' => "\r\n",
            _ => "\n",
        }
    }

    fn in_plain(&self, parts: &[Part<'_>], target: &str) -> Option<Vec<Edit>> {
        let edits = || {
            parts
                .iter()
                .map(|part| edit(&part.raw, text_of(part).to_owned()))
                .collect::<Vec<_>>()
        };
        if self.decoded.raw.len() == self.decoded.text.len() && !self.is_multi_line() {
            return plain_reads_back(target, self.place()).then(edits);
        }
        // Over several lines a value also meets the ends and beginnings of lines.
        let quiet = |text: &str| {
            text.bytes()
                .next()
                .is_some_and(|b| b.is_ascii_alphanumeric())
                && text.bytes().all(|b| {
                    b.is_ascii_alphanumeric()
                        || matches!(b, b'_' | b'.' | b'/' | b'@' | b'+' | b'=' | b'-')
                })
        };
        let fits = parts
            .iter()
            .all(|part| part.value.is_some() && quiet(text_of(part)))
            && plain_reads_back(&target.replace('\n', " "), self.place());
        fits.then(edits)
            .filter(|edits| self.reads_back(edits, target))
    }

    fn in_single_quotes(&self, parts: &[Part<'_>], target: &str) -> Option<Vec<Edit>> {
        if !parts
            .iter()
            .all(|part| single_quotes_can_hold(text_of(part)))
        {
            return None;
        }
        let edits = self.encoded(parts, push_single_quoted);
        (!self.is_multi_line() || self.reads_back(&edits, target)).then_some(edits)
    }

    fn in_double_quotes(&self, parts: &[Part<'_>], target: &str) -> Option<Vec<Edit>> {
        let edits = self.encoded(parts, push_double_quoted);
        (!self.is_multi_line() || self.reads_back(&edits, target)).then_some(edits)
    }

    fn encoded(&self, parts: &[Part<'_>], push: fn(&str, &mut String)) -> Vec<Edit> {
        let encode = |part: &Part<'_>| {
            let mut text = String::new();
            push(text_of(part), &mut text);
            edit(&part.raw, text)
        };
        parts.iter().map(encode).collect()
    }

    fn is_multi_line(&self) -> bool {
        memchr::memchr2(
            b'\n',
            b'\r',
            &self.source.as_bytes()[self.decoded.raw.clone()],
        )
        .is_some()
    }

    /// Whether the flow scalar with these edits made decodes to `target`.
    fn reads_back(&self, edits: &[Edit], target: &str) -> bool {
        let raw = self.edited(edits);
        // In column 0 even quotes do not hide a document marker.
        if raw.lines().skip(1).any(is_marker) {
            return false;
        }
        decode_flow(&raw, 0..raw.len(), self.style()).is_some_and(|decoded| decoded.text == target)
    }

    /// The scalar's raw text with edits made.
    fn edited(&self, edits: &[Edit]) -> String {
        let mut raw = String::new();
        let mut at = self.decoded.raw.start;
        for edit in edits {
            raw.push_str(self.source.get(at..edit.span.start).unwrap_or_default());
            raw.push_str(std::str::from_utf8(&edit.text).unwrap_or_default());
            at = edit.span.end;
        }
        raw.push_str(self.source.get(at..self.decoded.behind).unwrap_or_default());
        raw
    }

    pub(super) fn in_block(&self, parts: &[Part<'_>], target: &str) -> Option<Vec<Edit>> {
        let header = self.decoded.header?;
        if literal_cannot_hold(target) || target.trim_matches([' ', '\t', '\n']).is_empty() {
            return None;
        }
        // Node's yaml drops a last line of blanks.
        let last = self.decoded.text.trim_end_matches('\n').rfind('\n');
        let changes_last = |part: &Part<'_>| last.is_none_or(|last| part.decoded.end > last);
        let last_line = target.trim_end_matches('\n').rsplit('\n').next();
        if last_line.is_some_and(|line| line.trim_matches([' ', '\t']).is_empty())
            && parts.iter().any(changes_last)
        {
            return None;
        }
        let multi_line = parts.iter().any(|part| text_of(part).contains('\n'));
        if header.indent == 0
            && (multi_line
                || target
                    .lines()
                    .any(|line| line.starts_with("---") || line.starts_with("...")))
        {
            return None;
        }
        // A blank line need not have the indentation that a value in it wants, and
        // the text behind a line break that goes has one that it does not want.
        let is_outside = |part: &Part<'_>| {
            let begins =
                self.decoded.text[..part.decoded.start].ends_with('\n') || part.decoded.start == 0;
            let before = &self.source[..part.raw.start];
            let column = before.len() - before.rfind(['\n', '\r']).map_or(0, |end| end + 1);
            let replaced = &self.decoded.text[part.decoded.clone()];
            replaced.ends_with('\n') || (begins && column < header.indent)
        };
        if parts.iter().any(is_outside) {
            return None;
        }
        let folded = self.style() == Style::Folded;
        let next_line = format!("{}{}", self.line_break(), " ".repeat(header.indent));
        let mut edits: Vec<Edit> = Vec::with_capacity(parts.len() + 1);
        if !header.explicit_indent && begins_blank(target) {
            // Without a digit the first line's blanks would count as indentation.
            // At the root it counts from column 0, whatever YAML 1.2.2 says: all
            // six readers do.
            let column = match self.node().role {
                Role::Root => 0,
                _ => self.tree.block_column(self.id)?,
            };
            let digit = header
                .indent
                .checked_sub(column)
                .filter(|digit| (1..=9).contains(digit))?;
            edits.push(edit(
                &(header.start + 1..header.start + 1),
                digit.to_string(),
            ));
        }
        for part in parts {
            let text = text_of(part);
            let text = if folded {
                text.replace('\n', "\n\n")
            } else {
                text.to_owned()
            };
            let at_line_end = self.source[part.raw.end..].starts_with(['\n', '\r'])
                || part.raw.end == self.source.len();
            edits.push(edit(
                &part.raw,
                indented(&text, &next_line, self.line_break(), at_line_end),
            ));
        }
        if folded {
            let raw = self.edited(&edits);
            let reread = decode_block_text(&raw, header.indent, folded)?;
            return (reread == target).then_some(edits);
        }
        Some(edits)
    }

    /// The whole scalar as one double-quoted line.
    fn rewritten(&self, target: &str) -> Vec<Edit> {
        self.in_quotes(self.decoded.chomped(target))
    }

    /// This text as one double-quoted line in the scalar's place.
    pub(super) fn in_quotes(&self, text: &str) -> Vec<Edit> {
        let text = double_quoted(text);
        match self.decoded.header {
            None => vec![edit(&self.decoded.raw, text)],
            // A comment behind the header, and blank lines behind the content,
            // stay where they are.
            Some(header) => {
                let before_break = |end: usize| {
                    let text = &self.source[..end];
                    let text = text.strip_suffix('\n').unwrap_or(text);
                    text.strip_suffix('\r').unwrap_or(text).len()
                };
                let lines = before_break(header.content)..before_break(self.decoded.raw.end);
                vec![
                    edit(&(header.start..header.end), text),
                    edit(&lines, String::new()),
                ]
            }
        }
    }
}

/// Whether a line in column 0 would begin or end a document.
fn is_marker(line: &str) -> bool {
    matches!(line.get(..3), Some("---" | "..."))
        && line[3..].chars().next().is_none_or(char::is_whitespace)
}

/// Whether a block scalar's first line that says anything, or a blank one before
/// it, begins with a space or tab.
fn begins_blank(target: &str) -> bool {
    for line in target.split('\n') {
        if line.starts_with([' ', '\t']) {
            return true;
        }
        if !line.is_empty() {
            return false;
        }
    }
    false
}

/// `text` with every line but the first on a line of its own in the block.
fn indented(text: &str, next_line: &str, line_break: &str, at_line_end: bool) -> String {
    let mut lines = text.split('\n').peekable();
    let mut out = lines.next().unwrap_or_default().to_owned();
    while let Some(line) = lines.next() {
        // An empty line needs no blanks, unless the block's own text follows.
        let empty = line.is_empty() && (lines.peek().is_some() || at_line_end);
        out.push_str(if empty { line_break } else { next_line });
        out.push_str(line);
    }
    out
}

/// Whether any object in `value` has a key that YAML cannot write on one line.
pub(super) fn has_too_long_a_key(value: &Value) -> bool {
    match value {
        Value::List(items) => items.iter().any(has_too_long_a_key),
        Value::Object(entries) => entries.iter().any(|(key, value)| {
            // Only what is long in bytes can be long when it is written: an
            // escape has six.
            let long = key.name.len() * 6 > LONGEST_KEY
                && double_quoted(&key.name).chars().count() > LONGEST_KEY;
            long || has_too_long_a_key(value)
        }),
        _ => false,
    }
}

pub(super) fn too_long_a_key() -> Misfit {
    Misfit {
        part: 0,
        message: format!(
            "a key would have more than {LONGEST_KEY} characters, which YAML does not allow"
        ),
        help: "bind a shorter value".to_owned(),
        unquote: false,
        as_json: false,
    }
}

fn text_of<'v>(part: &Part<'v>) -> &'v str {
    part.value.and_then(Value::text).unwrap_or_default()
}

pub(super) fn edit(raw: &Range<usize>, text: String) -> Edit {
    Edit {
        span: Span::new(raw.start, raw.end),
        text: text.into_bytes(),
    }
}
