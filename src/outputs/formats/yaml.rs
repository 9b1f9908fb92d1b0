//! Plain YAML: a mapping of names to values, restricted to what every YAML reader reads
//! alike. `true`, `false`, `null` and JSON numbers have their own types; quoted scalars are
//! strings, and so are scalars that no reader reads as another type. Anything that readers
//! disagree on is an error.

use std::ops::Range;

use crate::outputs::document::Document;
#[cfg(feature = "toys")]
use crate::outputs::formats::sample::FormatSample;
use crate::outputs::formats::{
    AsManifest, Format, Properties, Publication, Recognition, has_value_and_mark, reject_repeated,
    unmarked, unreadable,
};
use crate::outputs::json::{MAX_DEPTH, previous_occurrences};
use crate::outputs::other_document::{self, is_assignment, is_name};
use crate::outputs::position::Positions;
use crate::outputs::{Key, Output, ReadOutputs, Value};
use crate::report::{Diagnostics, Origin, shown_at};
use yaml::{
    BLANKS, Context, Kind, NodeId, Span, Style, Tree, is_number, number, plain_reads_back,
    read_differently, split,
};

pub(super) struct Yaml;

const ID: &str = "yaml";

/// The mapping of names to values.
const ROOT: NodeId = 0;

const QUOTE: &str = "quote it to make it a string; only `true`, `false`, `null` and numbers such as `1`, `1.5` and `1.0e+5` may be unquoted";
pub(super) const KEY: &str = "a key that not every YAML reader reads as a string";
pub(super) const PORTABLE: &str = "write one mapping of names to values in portable YAML";

impl Format for Yaml {
    fn properties(&self) -> Properties {
        Properties {
            id: ID,
            marks_sensitive: false,
            as_manifest: AsManifest::Template,
            publication: Publication::ConvertedIfSensitive,
            of_plan: None,
        }
    }

    fn recognise(&self, document: &Document<'_>) -> Recognition {
        let is_mapping = match document.json() {
            Ok(json) => json.root().is_object(),
            Err(_) => begins_mapping(document.first_line()),
        };
        if is_mapping {
            Recognition::Generic {
                what: "is YAML",
                otherwise: "",
            }
        } else {
            Recognition::No
        }
    }

    fn read(&self, document: &Document<'_>) -> ReadOutputs {
        match locate(document) {
            Ok(tree) => {
                let mut read = Reader::new(document, &tree).read();
                unmarked::reject_marked(document, ID, &mut read);
                read
            }
            Err(diagnostics) => ReadOutputs {
                diagnostics,
                ..ReadOutputs::default()
            },
        }
    }

    #[cfg(feature = "toys")]
    fn sample(&self) -> FormatSample {
        FormatSample::in_lines("# hunter2\n", |name, value| format!("{name}: {value}"))
    }
}

/// Reads a text that is one YAML document, of any value. `may_have` decides whether it may
/// have this many nodes.
///
/// # Errors
/// What is wrong with it, and at which byte; `None` if it has too many nodes.
pub(in crate::outputs) fn value_of_yaml(
    text: &str,
    may_have: impl Fn(usize) -> bool,
) -> Result<Value, Option<(String, usize)>> {
    if let Some((range, what)) = read_differently(text, false) {
        return Err(Some((format!("has {what}"), range.start)));
    }
    let mut others = split(text).into_iter().skip(1);
    if let Some(other) = others.find(|other| !other.text.trim_matches(BLANKS).is_empty()) {
        return Err(Some((
            "has more than one YAML document".to_owned(),
            other.offset,
        )));
    }
    let not_yaml = |error: yaml::LocateError| {
        let what = error.described("").trim_start().to_owned();
        Some((what, shown_at(&error)))
    };
    let tree = yaml::locate(text).map_err(not_yaml)?;
    if !may_have(tree.len()) {
        return Err(None);
    }
    if tree.is_empty() {
        return Ok(Value::Null);
    }
    let document = Document::of_text(text, Origin::Outputs(0));
    let mut reader = Reader::new(&document, &tree);
    let value = reader.value(ROOT, false);
    match reader.first_wrong {
        Some((at, why)) => Err(Some((format!("has {why}"), at))),
        None => Ok(value),
    }
}

/// Returns everything after the `:` of an entry: the bytes of its value, with comments
/// inside. Returns `None` if something else is between the key and its `:`.
pub(super) fn written(text: &str, tree: &Tree, key: NodeId, value: NodeId) -> Option<Span> {
    let (start, end) = (tree.get(key)?.end(), tree.get(value)?.end());
    let between = text.get(start..end).unwrap_or_default();
    let written = match between.trim_start().strip_prefix(':') {
        None if !between.is_empty() => return None,
        written => written.unwrap_or_default().trim_end(),
    };
    let end = start + between.trim_end().len();
    Some(Span::new(end - written.len(), end))
}

/// Returns whether a document's first line begins a mapping.
fn begins_mapping(line: &str) -> bool {
    line.starts_with(['{', '"', '\'', '%', '?'])
        || line.starts_with("---")
        || is_assignment(line, ": ")
        || line.strip_suffix(':').is_some_and(is_name)
}

/// Locates the nodes of a document that every reader splits into the same lines and
/// documents.
fn locate(document: &Document<'_>) -> Result<Tree, Diagnostics> {
    let text = document.text;
    let has = |what: &str, at: usize| {
        let error = document.invalid(format!("the outputs document has {what}"), at, "");
        Err(error.help(PORTABLE).into())
    };
    if let Some((range, what)) = read_differently(text, false) {
        return has(what, range.start);
    }
    let mut others = split(text).into_iter().skip(1);
    if let Some(other) = others.find(|other| !other.text.trim_matches(BLANKS).is_empty()) {
        return has("more than one YAML document", other.offset);
    }
    let tree = yaml::locate(text).map_err(|error| {
        // The parser may quote a character.
        let message = if document.declares_any_sensitive() {
            "the outputs document is not valid YAML".to_owned()
        } else {
            error.described("the outputs document")
        };
        Diagnostics::from(document.invalid(message, shown_at(&error), error.label()))
    })?;
    match tree.get(ROOT).map(yaml::Node::kind) {
        Some(Kind::Mapping { .. }) => Ok(tree),
        _ => has("no mapping of names to values", document.start),
    }
}

/// Returns whether a mapping marks its `value` as sensitive, or not.
fn has_mark(tree: &Tree, id: NodeId) -> bool {
    has_value_and_mark(tree.entries(id).filter_map(|(key, _)| tree.text(key)))
}

/// Reads the nodes of a tree, and reports every problem with them.
struct Reader<'t, 'd> {
    document: &'t Document<'d>,
    tree: &'t Tree,
    /// The number of open collections.
    depth: usize,
    /// The output that is being read.
    name: &'t str,
    /// Whether the output has an error.
    is_wrong: bool,
    /// Whether some value has a mark: no location may depend on it.
    has_mark: bool,
    /// The first problem.
    first_wrong: Option<(usize, String)>,
    read: ReadOutputs,
}

impl<'t, 'd> Reader<'t, 'd> {
    fn new(document: &'t Document<'d>, tree: &'t Tree) -> Self {
        Self {
            document,
            tree,
            depth: 0,
            name: "",
            is_wrong: false,
            has_mark: tree.ids().any(|id| has_mark(tree, id)),
            first_wrong: None,
            read: ReadOutputs::default(),
        }
    }

    fn read(mut self) -> ReadOutputs {
        let Self { document, tree, .. } = self;
        let mut positions = Positions::new(document.text.as_bytes());
        self.properties(ROOT);
        for (key, value) in tree.entries(ROOT) {
            self.is_wrong = false;
            self.name = "";
            self.name = self.key(key);
            let span = positions.reported(tree[key].range().into());
            let written = written(document.text, tree, key, value);
            if written.is_none() {
                let start = tree[key].end();
                self.wrong(start, "no `:` right after its name", "write `name: value`");
            }
            let content = self.value(value, false);
            // A name that not every reader reads alike may be a declared one.
            let sensitive = if self.is_wrong {
                document.declares_any_sensitive()
            } else {
                document.declares_sensitive(self.name)
            };
            if sensitive || self.has_mark {
                positions.hide(tree[value].end());
            }
            if let Some(written) = written
                && !self.is_wrong
            {
                self.read.outputs.push(Output {
                    name: self.name.to_owned(),
                    span,
                    value: content,
                    written,
                    sensitive,
                });
            }
        }
        reject_repeated(document, &mut self.read);
        let content = |comment: &Range<usize>| Span::new(comment.start + 1, comment.end);
        self.read.comments = tree.comments().iter().map(content).collect();
        // Other documents, recognised by their keys, do not mark their secrets.
        if let Some(found) = other_document::identify_by_keys(&|key| tree.root_has(key)) {
            self.read.diagnostics = unreadable(document, found).into();
            self.read.outputs.clear();
        }
        self.read
    }

    /// Reports a problem with the output.
    fn wrong(&mut self, at: usize, why: &str, help: &str) {
        self.is_wrong = true;
        self.first_wrong.get_or_insert_with(|| (at, why.to_owned()));
        let message = match self.name {
            "" => format!("the outputs document has {why}"),
            name => format!("the output `{name}` has {why}"),
        };
        let mut error = self.document.invalid(message, at, "");
        if self.has_mark
            && let Some(label) = error.labels.first_mut()
        {
            label.span = self.document.line_of(at);
        }
        self.read.diagnostics.push(error.help(help));
    }

    /// Reads a key: a one-line string to every reader, and a merge key to none.
    fn key(&mut self, id: NodeId) -> &'t str {
        let range = self.tree[id].range();
        let text = self.tree.text(id).unwrap_or_default();
        let was_wrong = std::mem::take(&mut self.is_wrong);
        let is_string = matches!(self.value(id, true), Value::String(_));
        let has_lines = self.document.text[range.clone()].contains('\n');
        if !self.is_wrong && (!is_string || has_lines || text == "<<") {
            self.wrong(range.start, KEY, QUOTE);
        }
        self.is_wrong |= was_wrong;
        text
    }

    fn value(&mut self, id: NodeId, is_key: bool) -> Value {
        let tree = self.tree;
        let start = tree[id].range().start;
        self.properties(id);
        let text = || tree.text(id).unwrap_or_default();
        match tree[id].kind() {
            Kind::Alias(_) => return Value::Null,
            Kind::Scalar {
                style: Style::Plain,
                ..
            } => return self.plain(id, text(), is_key),
            Kind::Scalar { .. } => return Value::String(text().to_owned()),
            _ if self.depth == MAX_DEPTH => {
                let why = "lists and mappings more than 128 levels deep";
                self.wrong(start, why, "nest them less deeply");
                return Value::Null;
            }
            _ => self.depth += 1,
        }
        let value = match tree[id].kind() {
            Kind::Mapping { .. } => self.mapping(id),
            _ => {
                let mut items = Vec::new();
                for item in tree.children(id) {
                    items.push(self.value(item, false));
                }
                Value::List(items)
            }
        };
        self.depth -= 1;
        value
    }

    fn mapping(&mut self, id: NodeId) -> Value {
        let mut entries = Vec::new();
        for (key, value) in self.tree.entries(id) {
            let span = self.tree[key].range().into();
            let name = self.key(key).to_owned();
            entries.push((Key { name, span }, self.value(value, false)));
        }
        let names: Vec<_> = entries.iter().map(|(key, _)| &*key.name).collect();
        if let Some(again) = previous_occurrences(&names)
            .iter()
            .position(Option::is_some)
        {
            let at = entries[again].0.span.start;
            self.wrong(at, "a duplicate key", "remove one of them");
        }
        if has_mark(self.tree, id) {
            self.wrong(
                self.tree[id].range().start,
                "a `sensitive` mark, which the format `yaml` would lose",
                "bind the unchanged result of `terraform output -json > outputs.json`",
            );
        }
        Value::Object(entries)
    }

    /// Rejects a node's properties.
    fn properties(&mut self, id: NodeId) {
        let node = &self.tree[id];
        let tag = node.tag();
        if tag.is_some() || node.has_anchor() || matches!(node.kind(), Kind::Alias(_)) {
            let at = tag.unwrap_or(node.range()).start;
            self.wrong(at, "a tag, an anchor or an alias", "write the value itself");
        }
    }

    /// Reads an unquoted scalar.
    fn plain(&mut self, id: NodeId, text: &str, is_key: bool) -> Value {
        let context = Context {
            flow: self.tree.in_flow(id),
            json: false,
        };
        match text {
            "true" if !is_key => Value::Bool(true),
            "false" if !is_key => Value::Bool(false),
            "null" if !is_key => Value::Null,
            // `1e5` is a string to some readers.
            _ if !is_key && is_number(text) && number(text) == text => {
                Value::Number(text.to_owned())
            }
            _ => {
                if !plain_reads_back(text, context) {
                    let why = if is_key {
                        KEY
                    } else {
                        "an unquoted value that YAML readers read differently"
                    };
                    self.wrong(self.tree[id].range().start, why, QUOTE);
                }
                Value::String(text.to_owned())
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::{
        check_all_redacted, check_read, check_redacted, check_sensitive, document,
    };

    #[track_caller]
    fn check(content: &str, expected: &[&str]) {
        check_read("yaml", content, expected);
    }

    /// Checks that a document with one value has exactly one error.
    #[track_caller]
    fn refuses(value: &str, why: &str) {
        let content = format!("a: {value}\n");
        let message = format!("the output `a` has {why}: 1:4");
        check(&content, &[&message]);
    }

    #[test]
    fn reads_what_every_reader_reads_alike() {
        check(
            "\u{feff}# c\n---\nvpc_id: vpc-0a1b # c\nzone-1: \"eu\\n1\"\n'a.b': 'it''s'\ntext: |\n  a\n  b\nfolded: >-\n  a\n  b\n",
            &[
                "vpc_id = \"vpc-0a1b\"",
                "zone-1 = \"eu\\n1\"",
                "'a.b' = \"it's\"",
                "text = \"a\\nb\\n\"",
                "folded = \"a b\"",
            ],
        );
        check(
            "subnets:\n- a\n- {id: b, tags: [x, 1]}\nempty: []\nmap:\n  k: {}\n",
            &[
                "subnets = [\"a\",{\"id\":\"b\",\"tags\":[\"x\",1]}]",
                "empty = []",
                "map = {\"k\":{}}",
            ],
        );
    }

    #[test]
    fn numbers_bools_and_null_are_those_of_json() {
        check(
            "a: 8080\nb: -0.50\nc: 1.0e+5\nd: true\ne: false\nf: null\ng: \"8080\"\nh: 'true'\ni: 123456789012345678901234567890\n",
            &[
                "a = 8080",
                "b = -0.50",
                "c = 1.0e+5",
                "d = true",
                "e = false",
                "f = null",
                "g = \"8080\"",
                "h = \"true\"",
                "i = 123456789012345678901234567890",
            ],
        );
    }

    #[test]
    fn json_is_yaml() {
        check(
            "{\"a\": \"b\",\n \"c\": [1, true, null, {\"d\": 1.50}]}",
            &["\"a\" = \"b\"", "\"c\" = [1,true,null,{\"d\":1.50}]"],
        );
    }

    #[test]
    fn rejects_values_that_readers_read_differently() {
        for value in [
            "yes",
            "No",
            "on",
            "y",
            "TRUE",
            "True",
            "Null",
            "~",
            "0x1f",
            "0o17",
            "017",
            "1_000",
            "1e5",
            "1.5E+3",
            "+1",
            ".5",
            "1.",
            "12:30",
            "2024-01-31",
            ".inf",
            "<<",
            "=",
        ] {
            refuses(
                value,
                "an unquoted value that YAML readers read differently",
            );
        }
        check(
            "a:\n",
            &["the output `a` has an unquoted value that YAML readers read differently: 1:2"],
        );
    }

    #[test]
    fn rejects_keys_that_are_not_strings_to_every_reader() {
        let why = "a key that not every YAML reader reads as a string";
        check(
            "a: {true: 1}\n",
            &[&format!("the output `a` has {why}: 1:5")],
        );
        check(
            "a: {b\n c: 1}\n",
            &[&format!("the output `a` has {why}: 1:5")],
        );
        check(
            "a: {? [b] : 1}\n",
            &[&format!("the output `a` has {why}: 1:7")],
        );
        for key in ["yes", "1", "null", "2024-01-31", "<<", "'<<'", "[a]"] {
            check(
                &format!("a: 1\n{key}: 1\n"),
                &["a = 1", &format!("the outputs document has {why}: 2:1")],
            );
        }
    }

    #[test]
    fn rejects_tags_anchors_and_aliases() {
        let why = "a tag, an anchor or an alias";
        for value in ["!!str 1", "! x", "*x", "!!binary aGk="] {
            refuses(value, why);
        }
        check("a: &x 1\n", &[&format!("the output `a` has {why}: 1:7")]);
        check("a: [&x 1]\n", &[&format!("the output `a` has {why}: 1:8")]);
        check(
            "!x a: 1\n",
            &[&format!("the outputs document has {why}: 1:1")],
        );
    }

    #[test]
    fn rejects_a_duplicate_name_with_both_locations() {
        check(
            "a: 1\n'a': 2\n",
            &["a = 1", "duplicate output `a` in one document: 'a', a"],
        );
        check(
            "? a # c\n: b\n",
            &["the output `a` has no `:` right after its name: 1:4"],
        );
        check(
            "a:\n  b: 1\n  \"b\": 2\n",
            &["the output `a` has a duplicate key: 3:3"],
        );
    }

    #[test]
    fn reports_every_output_that_is_wrong_and_reads_the_others() {
        let why = "an unquoted value that YAML readers read differently";
        check(
            "a: yes\nb: 1\nc: [no, {d: ~}]\n",
            &[
                "b = 1",
                &format!("the output `a` has {why}: 1:4"),
                &format!("the output `c` has {why}: 3:5"),
                &format!("the output `c` has {why}: 3:13"),
            ],
        );
    }

    #[test]
    fn rejects_marks_that_the_format_would_lose() {
        let why = "a `sensitive` mark, which the format `yaml` would lose";
        for value in [
            "{sensitive: true, value: x}",
            "{Sensitive: false, value: x}",
            "{\"value\": x, \"type\": string, \"sensitive\": true}",
        ] {
            // A column could depend on the value.
            let message = format!("the output `a` has {why}: 1:1");
            check(&format!("a: {value}\n"), &[&message]);
        }
        check(
            "outputs:\n  db: {value: x, sensitive: true}\n",
            &[&format!("the output `outputs` has {why}: 2:1")],
        );
        check("a: {sensitive: true}\n", &["a = {\"sensitive\":true}"]);
    }

    #[test]
    fn names_documents_in_which_secrets_have_no_marks() {
        for (content, what) in [
            (
                "apiVersion: v1\nkind: Pod\ndata: {a: aGk=}\n",
                "is a Kubernetes manifest",
            ),
            ("{apiVersion: v1, kind: Pod}\n", "is a Kubernetes manifest"),
            (
                "{\"kind\": \"Pod\", \"apiVersion\": \"v1\"}",
                "is a Kubernetes manifest",
            ),
            (
                "\"terraform_version\": \"1.9.0\"\n",
                "is a Terraform state file of an unsupported version",
            ),
            (
                "{\"terraform_version\": \"1.9.0\", \"outputs\": {}}",
                "is a Terraform state file of an unsupported version",
            ),
            ("a: b\nsops: {}\n", "is encrypted with SOPS"),
        ] {
            check(content, &[&format!("the outputs document {what}: 1:1")]);
        }
    }

    #[test]
    fn rejects_what_is_not_a_single_mapping() {
        for (content, what) in [
            ("---\n- a\n", "has no mapping of names to values: 1:1"),
            ("--- # c\na\n", "has no mapping of names to values: 1:1"),
            ("# c\n", "has no mapping of names to values: 1:1"),
            ("a: b\n---\nc: d\n", "has more than one YAML document: 2:1"),
            ("a: b\n...\nc: d\n", "has more than one YAML document: 3:1"),
            ("%YAML 1.1\n---\na: b\n", "has a directive: 1:1"),
            (
                "a: \"\u{2028}\"\n",
                "has a YAML 1.1 line break, which YAML 1.2 does not treat as one: 1:5",
            ),
            (
                "a: b\rc: d\n",
                "has a lone carriage return, which not all readers treat as a line break: 1:5",
            ),
        ] {
            check(content, &[&format!("the outputs document {what}")]);
        }
    }

    #[test]
    fn reports_the_location_of_a_yaml_error() {
        check(
            "a: b\nc: [d\n",
            &["the outputs document is not valid YAML: unclosed bracket '[': 2:4"],
        );
        let nested = |depth: usize| format!("a: {}1{}\n", "[".repeat(depth), "]".repeat(depth));
        check(
            &nested(128),
            &[&format!("a = {}1{}", "[".repeat(128), "]".repeat(128))],
        );
        check(
            &nested(129),
            &["the output `a` has lists and mappings more than 128 levels deep: 1:132"],
        );
        let deep = format!("a: {}{}\n", "[".repeat(2_000), "]".repeat(2_000));
        check(
            &deep,
            &["the outputs document nests lists and mappings more than 1000 levels deep: 1:1004"],
        );
    }

    #[test]
    fn errors_of_a_sensitive_document_reveal_neither_a_value_nor_how_long_it_is() {
        check_sensitive(
            "yaml",
            "{a: hunter2, b: 1, c: yes}\nd: {hunter2: 1, hunter2: 2}\n",
            &["the outputs document is not valid YAML: 2:1"],
        );
        check_sensitive(
            "yaml",
            "{a: hunter2, b: 1, c: yes,\n d: {hunter2: 1, hunter2: 2}}\n",
            &[
                "a = \"hunter2\"",
                "1:1 = 1",
                "the output `c` has an unquoted value that YAML readers read differently: 1:1",
                "the output `d` has a duplicate key: 2:1",
            ],
        );
    }

    #[test]
    fn hides_the_locations_after_a_mark() {
        check_read(
            "yaml",
            "{a: {sensitive: true, value: x}, b: c, d: yes,\ne: f}",
            &[
                "1:1 = \"c\"",
                "e = \"f\"",
                "the output `a` has a `sensitive` mark, which the format `yaml` would lose: 1:1",
                "the output `d` has an unquoted value that YAML readers read differently: 1:1",
            ],
        );
        let value = "an unquoted value that YAML readers read differently";
        let mark = "a `sensitive` mark, which the format `yaml` would lose";
        check(
            "{a: {value: x, b: yes, sensitive: true}}",
            &[
                &format!("the output `a` has {value}: 1:1"),
                &format!("the output `a` has {mark}: 1:1"),
            ],
        );
    }

    #[test]
    fn redacts_every_value_of_a_document_from_a_secret() {
        check_all_redacted(
            "yaml",
            "# hunter2\r\na: hunter2 # hunter2\r\n'b' : # hunter2\r\n  public: [hunter2, x]\r\n  hunter2: 1\r\nc: | # hunter2\n  hunter2\n  hunter2\n\n# hunter2\nd:\n- 1.5\n- hunter2\ne: true\nf: null\ng: {}\n",
            "#\r\na: \"(sensitive)\" #\r\n'b' : {\"public\": [\"(sensitive)\"]}\r\nc: \"(sensitive)\"\n\n#\nd: [0]\ne: false\nf: null\ng: {}\n",
        );
        check_all_redacted(
            "yaml",
            "{\"a\":\"hunter2\",\"b\" : [1, 2]}",
            "{\"a\": \"(sensitive)\",\"b\" : [0]}",
        );
    }

    #[test]
    fn leaves_a_document_that_is_not_sensitive_unchanged() {
        check_redacted(&document("yaml", "a: b # c\n"), Some(("a: b # c\n", &[])));
        check_redacted(&document("yaml", "a: yes\n"), None);
    }
}
