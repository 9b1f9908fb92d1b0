//! Writes values into parts of one scalar: the edits change those parts and nothing else,
//! and every YAML reader decodes them to the same text.

use std::ops::Range;

use super::{Data, DataType, Edit, Misfit, NodeEditor, TextHolder, Why, block, flow};
use crate::line::{line_break, line_end, line_start, marker};
use crate::scalar::{
    decode_block_whole, decode_flow, double_quoted, literal_cannot_hold, number, plain_reads_back,
    push_double_quoted, push_single_quoted, single_quotes_can_hold,
};
use crate::tree::{Kind, Role, Style};

/// The maximum length in characters of a key on one line (YAML 1.2.2, 7.4.2).
const MAX_KEY: usize = 1024;

/// A part of a scalar that is replaced.
#[derive(Debug)]
pub struct Part<'v, D> {
    /// Its bytes in the decoded text.
    pub decoded: Range<usize>,
    /// Its bytes in the document.
    pub raw: Range<usize>,
    /// What replaces it; `None` removes it.
    pub value: Option<&'v D>,
}

impl<'v, D> Part<'v, D> {
    /// Returns the same part with another value.
    pub fn with<'w>(&self, value: Option<&'w D>) -> Part<'w, D>
    where
        'v: 'w,
    {
        Part {
            decoded: self.decoded.clone(),
            raw: self.raw.clone(),
            value,
        }
    }
}

impl NodeEditor<'_> {
    /// Returns whether one part is the whole scalar, so that its value's type becomes the
    /// scalar's.
    fn is_whole<D: Data>(&self, parts: &[Part<'_, D>]) -> bool {
        matches!(parts, [part] if part.value.is_some() && part.decoded == (0..self.decoded.text.len()))
    }

    /// Returns the value that replaces the whole scalar, if any.
    #[must_use]
    pub fn whole_value<'v, D: Data>(&self, parts: &[Part<'v, D>]) -> Option<&'v D> {
        if !self.is_whole(parts) {
            return None;
        }
        parts.first()?.value
    }

    /// Returns whether a value's type becomes the scalar's: one value replaces a whole
    /// plain scalar.
    #[must_use]
    pub fn keeps_type<D: Data>(&self, parts: &[Part<'_, D>]) -> bool {
        self.is_whole(parts)
            && self.style() == Style::Plain
            && !self.is_key()
            && self.core_tag() != Some("str")
    }

    /// Returns whether a list or map replaces the scalar.
    #[must_use]
    pub fn becomes_collection<D: Data>(&self, parts: &[Part<'_, D>]) -> bool {
        self.whole_type(parts).is_some_and(is_collection)
    }

    /// Returns whether another kind of node replaces the node.
    #[must_use]
    pub fn changes_kind<D: Data>(&self, parts: &[Part<'_, D>]) -> bool {
        let becomes = self.whole_type(parts);
        match self.node().kind() {
            Kind::Sequence { .. } => becomes != Some(DataType::List),
            Kind::Mapping { .. } => becomes != Some(DataType::Map),
            Kind::Scalar { .. } | Kind::Alias(_) => becomes.is_some_and(is_collection),
        }
    }

    fn whole_type<D: Data>(&self, parts: &[Part<'_, D>]) -> Option<DataType> {
        self.whole_value(parts).map(Data::data_type)
    }

    /// Returns the scalar's text with its parts replaced, before the chomping of a block
    /// scalar.
    #[must_use]
    pub fn text_with<D: Data>(&self, parts: &[Part<'_, D>]) -> String {
        let text = &self.decoded.text;
        let mut target = String::with_capacity(text.len());
        let mut at = 0;
        for part in parts {
            target.push_str(&text[at..part.decoded.start]);
            target.push_str(text_of(part));
            at = part.decoded.end;
        }
        target.push_str(&text[at..]);
        target
    }

    /// Replaces parts of a scalar in its own style; if that can't represent the text, the
    /// whole scalar becomes one double-quoted line. A value that replaces a whole plain
    /// scalar keeps its type.
    ///
    /// ```yaml
    /// # before: <a> and <b> are the parts
    /// url: https://<a>/path   # comment
    /// 'key': 'it is <b>'
    /// # after
    /// url: https://example.org/path   # comment
    /// 'key': 'it is o''clock'
    /// ```
    ///
    /// # Errors
    /// A value's type isn't allowed here, or a key becomes too long.
    pub fn replace_parts<D: Data>(&self, parts: &[Part<'_, D>]) -> Result<Vec<Edit>, Misfit> {
        if self.is_whole(parts)
            && self.style() == Style::Plain
            && !self.is_key()
            && let Some(value) = parts[0].value
        {
            if let Some(misfit) = self.tag_misfit(value) {
                return Err(misfit);
            }
            if has_long_key(value) {
                return Err(Misfit::of(Why::LongKey));
            }
            return Ok(self.whole_scalar_edits(value, &parts[0].raw));
        }
        self.check_texts(parts)?;
        let target = || self.text_with(parts);
        let minimal = match self.style() {
            Style::Plain => self.plain_edits(parts, &target()),
            Style::SingleQuoted => self.single_quoted_edits(parts),
            Style::DoubleQuoted => self.double_quoted_edits(parts),
            Style::Literal | Style::Folded => self.block_edits(parts, &target()),
        };
        let quoted = || self.replace_with_quoted(self.decoded.chomped(&target()));
        let edits = minimal.unwrap_or_else(quoted);
        if self.is_key() && self.key_length(&edits) > MAX_KEY {
            return Err(Misfit::of(Why::LongKey));
        }
        Ok(edits)
    }

    /// Replaces parts of a plain scalar whose text becomes the number or bool `value`, and
    /// writes it as one.
    ///
    /// ```yaml
    /// # before: <a> is the part, and 80 its value
    /// port: <a>80
    /// # after
    /// port: 8080
    /// ```
    #[must_use]
    pub fn replace_parts_as<D: Data>(&self, parts: &[Part<'_, D>], value: &D) -> Vec<Edit> {
        let text = flow(value, self.context());
        if self.is_multi_line() || text != self.text_with(parts) {
            return vec![Edit::new(&self.decoded.raw, text)];
        }
        self.verbatim_edits(parts)
    }

    /// Replaces a scalar with its quotes by the number or bool `value`.
    ///
    /// ```yaml
    /// # before
    /// replicas: "2"   # comment
    /// # after
    /// replicas: 3   # comment
    /// ```
    #[must_use]
    pub fn replace_unquoted<D: Data>(&self, value: &D) -> Vec<Edit> {
        vec![Edit::new(&self.decoded.raw, flow(value, self.context()))]
    }

    fn verbatim_edits<D: Data>(&self, parts: &[Part<'_, D>]) -> Vec<Edit> {
        let verbatim = |part: &Part<'_, D>| Edit::new(&part.raw, text_of(part).to_owned());
        parts.iter().map(verbatim).collect()
    }

    /// Returns the length in characters of a key as it will be written, with its anchor
    /// and tag, which readers count too; 0 if the key may have any length.
    fn key_length(&self, edits: &[Edit]) -> usize {
        let start = self.decoded.raw.start;
        let before = (self.source.get(self.node().after()..start)).unwrap_or_default();
        let line = before.rsplit(['\n', '\r']).next().unwrap_or_default();
        if line.trim_start().starts_with('?') {
            return 0;
        }
        line.chars().count() + self.edited(edits).chars().count()
    }

    /// Returns why the node's explicit tag does not allow a value, if so.
    pub(crate) fn tag_misfit<D: Data>(&self, value: &D) -> Option<Misfit> {
        let tag = self.core_tag()?;
        let found = value.data_type();
        let fits = match (tag, found) {
            ("str" | "int" | "float" | "bool" | "null" | "binary" | "timestamp", found)
                if is_collection(found) =>
            {
                false
            }
            ("int", DataType::Number) => value
                .as_text()
                .is_some_and(|digits| !digits.contains(['.', 'e', 'E'])),
            ("int" | "float", found) => found == DataType::Number,
            ("bool", found) => found == DataType::Bool,
            ("null", found) => found == DataType::Null,
            ("seq", found) => found == DataType::List,
            ("map", found) => found == DataType::Map,
            _ => true,
        };
        if fits {
            return None;
        }
        let tag = tag.to_owned();
        Some(Misfit::of(Why::Tag { found, tag }))
    }

    /// Rejects lists, maps and null, which are not text.
    pub(crate) fn check_texts<D: Data>(&self, parts: &[Part<'_, D>]) -> Result<(), Misfit> {
        for (nth, part) in parts.iter().enumerate() {
            let Some(found) = part.value.map(Data::data_type) else {
                continue;
            };
            if !is_collection(found) && found != DataType::Null {
                continue;
            }
            let holder = match self.style() {
                _ if self.is_key() => TextHolder::Key,
                Style::SingleQuoted | Style::DoubleQuoted if self.is_whole(parts) => {
                    TextHolder::Quotes
                }
                Style::Literal | Style::Folded => TextHolder::Block,
                _ => TextHolder::Part,
            };
            return Err(Misfit {
                part: nth,
                why: Why::NotText {
                    found,
                    holder,
                    tagged: self.node().tag().is_some(),
                },
            });
        }
        Ok(())
    }

    pub(crate) fn whole_scalar_edits<D: Data>(&self, value: &D, raw: &Range<usize>) -> Vec<Edit> {
        let context = self.context();
        let is_string = self.core_tag() == Some("str");
        let text = match (value.data_type(), value.as_text().unwrap_or_default()) {
            (DataType::String, text) if plain_reads_back(text, context) => text.to_owned(),
            (DataType::String, text) => double_quoted(text),
            (DataType::Number | DataType::Bool, text) if is_string => double_quoted(text),
            (DataType::Number, digits) => number(digits),
            _ if value.is_block() && !context.flow => return self.whole_block_edits(value, raw),
            _ => flow(value, context),
        };
        vec![Edit::new(raw, text)]
    }

    /// Replaces a plain scalar with a list or map on lines of its own.
    fn whole_block_edits<D: Data>(&self, value: &D, raw: &Range<usize>) -> Vec<Edit> {
        let line_break = line_break(self.source);
        let line_end = line_end(self.source, raw.end);
        let before = &self.source[line_start(self.source, raw.start)..raw.start];
        let after = &self.source[raw.end..line_end];
        let alone = before.bytes().all(|b| b == b' ');
        let compact = matches!(self.node().role(), Role::Item(_))
            && before.bytes().all(|b| matches!(b, b' ' | b'-'))
            && after.trim_ascii().is_empty();
        if alone || compact {
            // The collection begins in the scalar's column.
            return vec![Edit::new(raw, block(value, before.len(), line_break))];
        }
        let column = self.member_column();
        let text = format!(
            "{line_break}{}{}",
            " ".repeat(column),
            block(value, column, line_break)
        );
        // A comment after the scalar stays on its line.
        let blanks = before.len() - before.trim_end_matches([' ', '\t']).len();
        let removed = raw.start - blanks..raw.end;
        if after.is_empty() {
            vec![Edit::new(&removed, text)]
        } else {
            vec![
                Edit::new(&removed, String::new()),
                Edit::new(&(line_end..line_end), text),
            ]
        }
    }

    /// Returns the column of a block collection that replaces the node, on lines of its
    /// own.
    pub(crate) fn member_column(&self) -> usize {
        self.tree
            .block_column(self.id)
            .map_or(0, |column| column + 2)
    }

    fn plain_edits<D: Data>(&self, parts: &[Part<'_, D>], target: &str) -> Option<Vec<Edit>> {
        if self.decoded.raw.len() == self.decoded.text.len() && !self.is_multi_line() {
            if !plain_reads_back(target, self.context()) {
                return None;
            }
            return Some(self.verbatim_edits(parts));
        }
        // In a multi-line scalar, a value may also be at the beginning or end of a line, where
        // other characters could be indicators or be folded.
        let safe_in_any_line = |text: &str| {
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
            .all(|part| part.value.is_some() && safe_in_any_line(text_of(part)))
            && plain_reads_back(&target.replace('\n', " "), self.context());
        if !fits {
            return None;
        }
        let edits = self.verbatim_edits(parts);
        self.reads_back(&edits, target).then_some(edits)
    }

    fn single_quoted_edits<D: Data>(&self, parts: &[Part<'_, D>]) -> Option<Vec<Edit>> {
        if !parts
            .iter()
            .all(|part| single_quotes_can_hold(text_of(part)))
        {
            return None;
        }
        let edits = encoded_edits(parts, push_single_quoted);
        let reads_back = || self.reads_back(&edits, &self.text_with(parts));
        (!self.is_multi_line() || reads_back()).then_some(edits)
    }

    fn double_quoted_edits<D: Data>(&self, parts: &[Part<'_, D>]) -> Option<Vec<Edit>> {
        let edits = encoded_edits(parts, push_double_quoted);
        let reads_back = || self.reads_back(&edits, &self.text_with(parts));
        (!self.is_multi_line() || reads_back()).then_some(edits)
    }

    pub(crate) fn is_multi_line(&self) -> bool {
        let raw = &self.source.as_bytes()[self.decoded.raw.clone()];
        memchr::memchr2(b'\n', b'\r', raw).is_some()
    }

    /// Returns whether the flow scalar decodes to `target` with these edits applied.
    fn reads_back(&self, edits: &[Edit], target: &str) -> bool {
        let raw = self.edited(edits);
        // In column 0 even quotes do not hide a document marker.
        if raw.lines().skip(1).any(is_marker) {
            return false;
        }
        decode_flow(&raw, 0..raw.len(), self.style()).is_some_and(|decoded| decoded.text == target)
    }

    /// Returns the scalar's raw text with edits applied.
    fn edited(&self, edits: &[Edit]) -> String {
        self.edited_from(self.decoded.raw.start, edits)
    }

    /// Returns the text from byte `at` to the end of the scalar, or of the last edit, with
    /// edits applied.
    pub(crate) fn edited_from(&self, mut at: usize, edits: &[Edit]) -> String {
        let mut raw = String::new();
        for edit in edits {
            raw.push_str(self.source.get(at..edit.span.start).unwrap_or_default());
            raw.push_str(std::str::from_utf8(&edit.text).unwrap_or_default());
            at = edit.span.end;
        }
        raw.push_str(self.source.get(at..self.decoded.next).unwrap_or_default());
        raw
    }

    pub(crate) fn block_edits<D: Data>(
        &self,
        parts: &[Part<'_, D>],
        target: &str,
    ) -> Option<Vec<Edit>> {
        let header = self.decoded.header?;
        if literal_cannot_hold(target) || target.trim_matches([' ', '\t', '\n']).is_empty() {
            return None;
        }
        // Node's yaml drops a last line of blanks, unless it has more than the first line
        // that isn't blank begins with.
        let last = self.decoded.text.trim_end_matches('\n').rfind('\n');
        let changes_last = |part: &Part<'_, D>| last.is_none_or(|last| part.decoded.end > last);
        let last_line = target.trim_end_matches('\n').rsplit('\n').next();
        if last_line.is_some_and(|line| line.trim_matches([' ', '\t']).is_empty())
            && (parts.iter().any(changes_last)
                || first_indent(target) > first_indent(&self.decoded.text))
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
        let folded = self.style() == Style::Folded;
        let begins_line = |part: &Part<'_, D>| {
            self.decoded.text[..part.decoded.start].ends_with('\n') || part.decoded.start == 0
        };
        let ends_line =
            |part: &Part<'_, D>| self.decoded.text[part.decoded.clone()].ends_with('\n');
        let is_removed_line = |part: &Part<'_, D>| {
            !folded && text_of(part).is_empty() && ends_line(part) && begins_line(part)
        };
        // A blank line may lack the indentation that a value in it needs. After a removed
        // line break, the next line's indentation would become text.
        let breaks_indentation = |part: &Part<'_, D>| {
            // Only there: a line may be long, and have many parts.
            let column = || part.raw.start - line_start(self.source, part.raw.start);
            !is_removed_line(part)
                && (ends_line(part) || (begins_line(part) && column() < header.indent))
        };
        if parts.iter().any(breaks_indentation) {
            return None;
        }
        let line_break = line_break(self.source);
        let next_line = || format!("{line_break}{}", " ".repeat(header.indent));
        let mut edits: Vec<Edit> = Vec::with_capacity(parts.len() + 1);
        if !header.explicit_indent && begins_blank(target) {
            // Without a digit the first line's blanks would count as indentation. At the
            // root the digit counts from column 0, whatever YAML 1.2.2 says: all six
            // readers do that.
            let column = match self.node().role() {
                Role::Root => 0,
                _ => self.tree.block_column(self.id)?,
            };
            let digit = header
                .indent
                .checked_sub(column)
                .filter(|digit| (1..=9).contains(digit))?;
            let indicator = header.start + 1..header.start + 1;
            edits.push(Edit::new(&indicator, digit.to_string()));
        }
        for part in parts {
            if is_removed_line(part) {
                // With its indentation.
                let start = line_start(self.source, part.raw.start);
                edits.push(Edit::new(&(start..part.raw.end), String::new()));
                continue;
            }
            let text = text_of(part);
            if !multi_line {
                edits.push(Edit::new(&part.raw, text.to_owned()));
                continue;
            }
            let text = if folded {
                text.replace('\n', "\n\n")
            } else {
                text.to_owned()
            };
            let at_line_end = self.source[part.raw.end..].starts_with(['\n', '\r'])
                || part.raw.end == self.source.len();
            let text = indented(&text, &next_line(), line_break, at_line_end);
            edits.push(Edit::new(&part.raw, text));
        }
        if folded {
            let raw = self.edited(&edits);
            let reread = decode_block_whole(&raw, header.indent, folded)?;
            return (reread.text == target).then_some(edits);
        }
        Some(edits)
    }

    /// Replaces the scalar with this text as one double-quoted line.
    pub(crate) fn replace_with_quoted(&self, text: &str) -> Vec<Edit> {
        self.replace_with(double_quoted(text))
    }

    /// Replaces the scalar with one line of YAML.
    pub(super) fn replace_with(&self, text: String) -> Vec<Edit> {
        match self.decoded.header {
            None => vec![Edit::new(&self.decoded.raw, text)],
            // A comment after the header, and blank lines after the content, stay where
            // they are.
            Some(header) => {
                let before_break = |end: usize| {
                    let text = &self.source[..end];
                    let text = text.strip_suffix('\n').unwrap_or(text);
                    text.strip_suffix('\r').unwrap_or(text).len()
                };
                let lines = before_break(header.content)..before_break(self.decoded.raw.end);
                vec![
                    Edit::new(&(header.start..header.end), text),
                    Edit::new(&lines, String::new()),
                ]
            }
        }
    }
}

const fn is_collection(found: DataType) -> bool {
    matches!(found, DataType::List | DataType::Map)
}

/// Returns whether some reader treats a line in column 0 as a document marker.
fn is_marker(line: &str) -> bool {
    marker(line).is_some()
        || (line.starts_with("---") || line.starts_with("..."))
            && line[3..].starts_with(char::is_whitespace)
}

/// Returns whether a block scalar's first line that isn't empty begins with a space or
/// tab.
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

/// Returns how many spaces the first line that isn't blank begins with.
fn first_indent(text: &str) -> usize {
    let indent = |line: &str| line.find(|c| c != ' ');
    text.split('\n').find_map(indent).unwrap_or_default()
}

/// Returns `text` with every line but the first on a line of its own in the block.
fn indented(text: &str, next_line: &str, line_break: &str, at_line_end: bool) -> String {
    let mut lines = text.split('\n').peekable();
    let mut out = lines.next().unwrap_or_default().to_owned();
    while let Some(line) = lines.next() {
        // An empty line needs no indentation, unless the block's own text follows.
        let empty = line.is_empty() && (lines.peek().is_some() || at_line_end);
        out.push_str(if empty { line_break } else { next_line });
        out.push_str(line);
    }
    out
}

fn encoded_edits<D: Data>(parts: &[Part<'_, D>], push: fn(&str, &mut String)) -> Vec<Edit> {
    let encode = |part: &Part<'_, D>| {
        let value = text_of(part);
        let mut text = String::with_capacity(value.len());
        push(value, &mut text);
        Edit::new(&part.raw, text)
    };
    parts.iter().map(encode).collect()
}

/// Returns whether any map in `value` has a key of more than 1,024 characters, which YAML
/// does not allow on one line.
pub fn has_long_key<D: Data>(value: &D) -> bool {
    // Only a key that is long in bytes can be long as written: an escape has six.
    let is_long =
        |name: &str| name.len() * 6 > MAX_KEY && double_quoted(name).chars().count() > MAX_KEY;
    if let super::Shape::List(items) = value.shape() {
        return items.iter().any(has_long_key);
    }
    let mut entries = value.entries();
    entries.any(|(name, value)| is_long(name) || has_long_key(value))
}

pub(crate) fn text_of<'v, D: Data>(part: &Part<'v, D>) -> &'v str {
    part.value.and_then(Data::as_text).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::edit::{Value, decode_node, splice};
    use crate::locate::locate;

    /// Writes a value in the place of each `X` of a scalar, or removes it.
    #[track_caller]
    fn check(source: &str, value: impl Into<Value>, expected: &str) {
        let value = Some(value.into()).filter(|value| *value != Value::Null);
        let tree = locate(source).unwrap();
        let holds = |id: &usize| tree.text(*id).is_some_and(|text| text.contains('X'));
        let id = tree.ids().find(holds).unwrap();
        let decoded = decode_node(source, &tree, id).unwrap();
        let editor = NodeEditor {
            source,
            tree: &tree,
            id,
            decoded: &decoded,
            json: false,
        };
        let parts: Vec<_> = decoded
            .text
            .match_indices('X')
            .map(|(at, _)| match &value {
                Some(_) => at..at + 1,
                None => at..(at + 2).min(decoded.text.len()),
            })
            .map(|range| Part {
                raw: decoded.raw_range(&range),
                decoded: range,
                value: value.as_ref(),
            })
            .collect();
        let result = match editor.replace_parts(&parts) {
            Ok(edits) => String::from_utf8(splice(source.as_bytes(), &edits).unwrap()).unwrap(),
            Err(misfit) => format!("{:?}", misfit.why),
        };
        assert_eq!(result, expected, "{source:?}");
    }

    #[test]
    fn a_whole_plain_scalar_gets_the_type_of_the_value() {
        check("a: X # c\n", 1, "a: 1 # c\n");
        check("a: X\n", Value::Number("1e3".to_owned()), "a: 1.0e+3\n");
        check("a: X\n", "1", "a: \"1\"\n");
        check("a: !!str X\n", 1, "a: !!str \"1\"\n");
        check("a: !!str X\n", true, "a: !!str \"true\"\n");
        check("X: a\n", 1, "\"1\": a\n");
    }

    #[test]
    fn a_tag_allows_only_its_type() {
        let list = || Value::from(vec![1]);
        check("a: !!int X\n", 1, "a: !!int 1\n");
        let tag = |found: DataType, tag: &str| format!("Tag {{ found: {found:?}, tag: {tag:?} }}");
        check(
            "a: !!int X\n",
            Value::Number("1.5".to_owned()),
            &tag(DataType::Number, "int"),
        );
        check(
            "a: !!float X\n",
            Value::Number("1.5".to_owned()),
            "a: !!float 1.5\n",
        );
        check("a: !!float X\n", "b", &tag(DataType::String, "float"));
        check("a: !!bool X\n", true, "a: !!bool true\n");
        check("a: !!bool X\n", 1, &tag(DataType::Number, "bool"));
        check("a: !!null X\n", true, &tag(DataType::Bool, "null"));
        check("a: !!seq X\n", list(), "a: !!seq\n  - 1\n");
        check("a: !!seq X\n", 1, &tag(DataType::Number, "seq"));
        check("a: !!map X\n", list(), &tag(DataType::List, "map"));
        check("a: !!str X\n", list(), &tag(DataType::List, "str"));
        check("a: !b X\n", list(), "a: !b\n  - 1\n");
    }

    #[test]
    fn only_text_is_a_part_of_text() {
        let not_text = |holder: TextHolder, tagged: bool| {
            format!("NotText {{ found: List, holder: {holder:?}, tagged: {tagged} }}")
        };
        for (source, holder) in [
            ("X: a\n", TextHolder::Key),
            ("a: 'X'\n", TextHolder::Quotes),
            ("a: 'bX'\n", TextHolder::Part),
            ("a: bX\n", TextHolder::Part),
            ("a: |\n  X\n", TextHolder::Block),
        ] {
            check(source, vec![1], &not_text(holder, false));
        }
        check("a: !b 'X'\n", vec![1], &not_text(TextHolder::Quotes, true));
    }

    #[test]
    fn a_long_key_is_refused() {
        let (most, more) = ("k".repeat(1024), "k".repeat(1025));
        check("X: a\n", most.as_str(), &format!("{most}: a\n"));
        check("X: a\n", more.as_str(), "LongKey");
        check("&x X: a\n", most.as_str(), "LongKey");
        check("? X\n: a\n", more.as_str(), &format!("? {more}\n: a\n"));
        let entry = |key: &str| Value::Map(vec![(key.to_owned(), 1.into())]);
        check("a: X\n", entry(&more), "LongKey");
        check("a: X\n", vec![entry(&more)], "LongKey");
        // Each is written in six.
        check("a: X\n", entry(&"\u{1}".repeat(171)), "LongKey");
        // Its quotes count.
        check(
            "[X]\n",
            entry(&most[2..]),
            &format!("[{{{}: 1}}]\n", &most[2..]),
        );
        check("[X]\n", entry(&most[1..]), "LongKey");
    }

    #[test]
    fn blocks_get_lines_of_their_own_indentation() {
        check("a: |\n  X\n  b\n", "1\n2", "a: |\n  1\n  2\n  b\n");
        check("a: |\n  X-\n", "1\n\n", "a: |\n  1\n\n  -\n");
        check("a: |\n  -X\n", "1\n\n", "a: |\n  -1\n\n\n");
        check("a: |\r\n  X\r\n", "1\n2", "a: |\r\n  1\r\n  2\r\n");
        check("a: >\n  X\n  b\n", "1\n2", "a: >\n  1\n\n  2\n  b\n");
        check("a: |\n  X", "1\n2", "a: |\n  1\n  2");
    }

    #[test]
    fn a_first_line_of_blanks_gets_its_indentation_as_a_digit() {
        check("a: |\n  X\n", " b", "a: |2\n   b\n");
        check("a: |-\n    X\n", " b", "a: |4-\n     b\n");
        check("--- |\n X\n", " b", "--- |1\n  b\n");
        check("- a: |\n    X\n", " b", "- a: |2\n     b\n");
        check("a: |2\n  X\n", " b", "a: |2\n   b\n");
        check("a: |\n            X\n", " b", "a: \" b\\n\"\n");
    }

    #[test]
    fn a_block_that_cannot_hold_a_text_becomes_quotes() {
        check(
            "a: | # c\n  X\nb: 1\n",
            "\u{1}",
            "a: \"\\u0001\\n\" # c\nb: 1\n",
        );
        check(
            "a: |\r\n  X\r\nb: 1\r\n",
            "\u{1}",
            "a: \"\\u0001\\n\"\r\nb: 1\r\n",
        );
        check("a: |-\n  X\n\nb: 1\n", " ", "a: \" \"\n\nb: 1\n");
        check("a: |\n  b\n  X\n", " ", "a: \"b\\n \\n\"\n");
        check("--- |\nX\n", "--- b", "--- \"--- b\\n\"\n");
        check("--- |\nX\n", "...", "--- \"...\\n\"\n");
        check("--- |\nX\n", "a\nb", "--- \"a\\nb\\n\"\n");
        check("--- |\nX\n", "a", "--- |\na\n");
    }

    #[test]
    fn a_line_without_text_is_removed() {
        check("a: |\n  b\n  X\n  c\n", Value::Null, "a: |\n  b\n  c\n");
        check("a: >\n  b\n\n  X\n  c\n", Value::Null, "a: \"b\\nc\\n\"\n");
        check("a: |\n  b X\n  c\n", Value::Null, "a: \"b c\\n\"\n");
    }

    #[test]
    fn lines_of_flow_scalars_stay() {
        check("a: b\n  X c\n", "d", "a: b\n  d c\n");
        check("a: b\n  X c\n", "d:", "a: \"b d: c\"\n");
        check("a: b\n  X c\n", "#", "a: \"b # c\"\n");
        check("a: 'b\n  X c'\n", "it's", "a: 'b\n  it''s c'\n");
        check("a: 'b\n  X'\n", " ", "a: \"b  \"\n");
        check("a: \"b\n  X c\"\n", "\n", "a: \"b\n  \\n c\"\n");
        check("a: 'X'\n", "\n", "a: \"\\n\"\n");
    }
}
