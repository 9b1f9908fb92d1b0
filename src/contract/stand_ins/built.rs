//! Compares two builds with different stand-ins, and puts the values into the first.

use crate::collections::OrderedMap;
use crate::config::policy::Policy;
use crate::contract::Request;
use crate::contract::stand_ins::generated_name::{with_hash, without_hash};
use crate::contract::stand_ins::texts::{NoText, Texts};
use crate::functions::is_base64;
use crate::kubernetes::resources::{Field, Resources};
use crate::outputs::{Value, base64_bytes, base64_text};
use crate::report::{Diagnostic, Diagnostics, Origin, Rule};
use yaml::{Context, Document, Edit, Kind, NodeId, Span, Style, Tree, line_start, locate, split};

/// Returns the first build with the values.
///
/// # Errors
/// Where the builds differ and no value may be.
pub(super) fn restored(
    first: &[u8],
    second: &[u8],
    texts: &Texts,
    request: &Request,
) -> Result<Vec<u8>, Diagnostics> {
    let (config, _) = request.application.effective();
    let mut comparison = Comparison {
        texts,
        policy: &config.policy,
        names: OrderedMap::default(),
        found: Diagnostics::default(),
    };
    match comparison.restored(first, second) {
        Some(content) if comparison.found.is_empty() => Ok(content),
        Some(_) => Err(comparison.found),
        None => {
            comparison.found.push(depends(Span::point(0)));
            Err(comparison.found)
        }
    }
}

struct Comparison<'a> {
    texts: &'a Texts,
    policy: &'a Policy,
    /// The names of generated Secrets in the first build.
    names: OrderedMap<String, Name>,
    found: Diagnostics,
}

/// The name of a generated Secret in the second build, and with the values.
struct Name {
    second: String,
    restored: String,
}

/// A document that differs in the two builds.
struct Pair<'d> {
    /// Its position in the stream.
    nth: usize,
    document: Document<'d>,
    first: Tree,
    second: Tree,
    /// The scalars with stand-ins, and what they become.
    values: OrderedMap<NodeId, Written>,
    /// Other scalars that differ.
    others: Vec<[NodeId; 2]>,
}

/// A scalar with its value.
struct Written {
    value: Value,
    /// Whether it is base64 that the tool has encoded.
    is_encoded: bool,
    /// Whether its stand-ins are base64, so that the value is, too.
    is_base64: bool,
}

impl Comparison<'_> {
    /// `None`: the builds differ in more than scalars.
    fn restored(&mut self, first: &[u8], second: &[u8]) -> Option<Vec<u8>> {
        let first = str::from_utf8(first).ok()?;
        let (documents, others) = (split(first), split(str::from_utf8(second).ok()?));
        if documents.len() != others.len() {
            return None;
        }
        let mut differ = Vec::new();
        let mut seconds = Vec::new();
        for (nth, (document, other)) in std::iter::zip(documents, others).enumerate() {
            if document.text != other.text {
                differ.push((nth, document, locate(document.text).ok()?));
                seconds.push(locate(other.text).ok()?);
            }
        }
        let firsts = differ.iter().map(|(.., first)| first);
        let places = places(&firsts.collect::<Vec<_>>(), &seconds);
        let mut pairs = Vec::new();
        for ((nth, document, first), place) in std::iter::zip(differ, places) {
            let mut pair = Pair {
                nth,
                document,
                first,
                second: std::mem::take(seconds.get_mut(place)?),
                values: OrderedMap::default(),
                others: Vec::new(),
            };
            pair.compare()?;
            self.find_values(&mut pair);
            pairs.push(pair);
        }
        for pair in &pairs {
            self.rename(pair);
        }
        let mut edits = Vec::new();
        for pair in &pairs {
            self.write(pair, &mut edits);
        }
        edits.sort_by_key(|edit| edit.span);
        let restored = yaml::splice(first.as_bytes(), &edits).ok()?;
        let documents = split(str::from_utf8(&restored).ok()?);
        let is_read =
            |pair: &Pair<'_>| (documents.get(pair.nth)).is_some_and(|it| pair.is_read(it.text));
        let all_are_read = pairs.iter().all(is_read);
        (all_are_read || !self.found.is_empty()).then_some(restored)
    }

    /// Finds the values of the scalars that differ.
    fn find_values(&mut self, pair: &mut Pair<'_>) {
        let others = std::mem::take(&mut pair.others);
        for [node, other] in others {
            let Pair { first, second, .. } = pair;
            let texts = [first.text(node), second.text(other)].map(Option::unwrap_or_default);
            let found = match self.texts.value_of(texts[0], texts[1]) {
                Ok(value) => Ok((value, false)),
                Err(NoText) => {
                    // A tool encodes what it puts into a Secret.
                    let plain = texts.map(|text| String::from_utf8(base64_bytes(text)?).ok());
                    match plain {
                        [Some(first), Some(second)] => {
                            let value = self.texts.value_of(&first, &second);
                            value.map(|value| (value, true))
                        }
                        _ => Err(NoText),
                    }
                }
            };
            match found {
                Ok((Some(value), is_encoded)) => {
                    let value = if is_encoded {
                        Value::String(wrapped(base64_text(&text_of(value))))
                    } else {
                        value.clone()
                    };
                    let written = Written {
                        value,
                        is_encoded,
                        is_base64: texts.into_iter().all(is_base64),
                    };
                    pair.values.insert(node, written);
                }
                Ok((None, _)) => self.found.push(
                    Diagnostic::error(
                        Rule::SensitiveFailure,
                        "a sensitive value cannot be written to what was built",
                    )
                    .at_concealed(
                        Origin::Manifest(0),
                        pair.line(node),
                        "in this line",
                    ),
                ),
                Err(NoText) => pair.others.push([node, other]),
            }
        }
    }

    /// Finds the name of a generated Secret.
    fn rename(&mut self, pair: &Pair<'_>) {
        let (Some((_, name)), Some((_, other))) =
            (secret_name(&pair.first), secret_name(&pair.second))
        else {
            return;
        };
        let unchanged = OrderedMap::default();
        let base = without_hash(name).filter(|base| {
            with_hash(base, &pair.first, &unchanged) == name
                && with_hash(base, &pair.second, &unchanged) == other
        });
        if let Some(base) = base {
            let texts = pair
                .values
                .iter()
                .map(|(node, written)| (*node, text_of(&written.value)));
            let name = name.to_owned();
            let restored = with_hash(base, &pair.first, &texts.collect());
            let second = other.to_owned();
            self.names.insert(name, Name { second, restored });
        }
    }

    /// Writes what becomes of the scalars that differ.
    fn write(&mut self, pair: &Pair<'_>, edits: &mut Vec<Edit>) {
        let resources = Resources::new(&pair.first);
        for (node, written) in pair.values.iter() {
            let field = resources.field(*node);
            if !self.allows(&resources, *node) {
                self.report(pair, *node, &COPIED, &field);
            } else if field.holds_base64() && !written.is_base64 {
                self.report(pair, *node, &PLAIN, &field);
            } else {
                edits.push(pair.edit(*node, written));
            }
        }
        for [node, other] in &pair.others {
            let texts =
                [pair.first.text(*node), pair.second.text(*other)].map(Option::unwrap_or_default);
            match self.renamed(texts) {
                Some(restored) => {
                    let value = Value::String(restored);
                    let written = Written {
                        value,
                        is_encoded: false,
                        is_base64: false,
                    };
                    edits.push(pair.edit(*node, &written));
                }
                None => {
                    let has_hash = without_hash(texts[0]).is_some();
                    let is_own =
                        || secret_name(&pair.first).is_some_and(|(_, name)| name == texts[0]);
                    let problem = if self.allows(&resources, *node) {
                        &CHANGED
                    } else if has_hash && is_own() {
                        &HASH
                    } else {
                        &COPIED
                    };
                    self.report(pair, *node, problem, &resources.field(*node));
                }
            }
        }
    }

    /// Returns a text with the names of generated Secrets that the values give it, if the two
    /// builds differ in nothing else.
    fn renamed(&self, [first, second]: [&str; 2]) -> Option<String> {
        let with = |to: fn(&Name) -> &str| {
            let names = self.names.iter().filter(|(name, _)| first.contains(*name));
            names.fold(first.to_owned(), |text, (name, other)| {
                text.replace(name, to(other))
            })
        };
        (with(|name| &name.second) == second).then(|| with(|name| &name.restored))
    }

    fn allows(&self, resources: &Resources<'_>, node: NodeId) -> bool {
        let occurrences = resources.occurrences(node, None);
        occurrences.is_ok_and(|found| {
            (found.all()).all(|occurrence| self.policy.allows_sensitive(occurrence))
        })
    }

    fn report(&mut self, pair: &Pair<'_>, node: NodeId, problem: &Problem, field: &Field) {
        self.found.push(
            Diagnostic::error(problem.rule, problem.message)
                .at_concealed(Origin::Manifest(0), pair.line(node), "in this line")
                .in_field(Some(field))
                .help(problem.help),
        );
    }
}

/// Why no value can be written.
struct Problem {
    rule: Rule,
    message: &'static str,
    help: &'static str,
}

const COPIED: Problem = Problem {
    rule: Rule::SensitiveOutput,
    message: "a sensitive value was copied to a field that may not contain it",
    help: "let it reference the Secret, and remove what copies the value: `replacements`, `vars`, or a patch with a `target`",
};

const CHANGED: Problem = Problem {
    rule: Rule::SensitiveOutput,
    message: "a text with a sensitive value was changed after it was rendered",
    help: "it must not be taken apart, extended or encoded: write the reference where its text is needed",
};

const PLAIN: Problem = Problem {
    rule: Rule::SecretDataNotBase64,
    message: "`data` of a Secret must be base64, but a text with a sensitive value was copied there as it is",
    help: "copy it to `stringData`, or copy a text that is base64",
};

const HASH: Problem = Problem {
    rule: Rule::SensitiveOutput,
    message: "the hash in this name cannot be computed from the sensitive values",
    help: "set `disableNameSuffixHash: true` in the `options` of the generator",
};

impl Pair<'_> {
    /// Collects the scalars that differ. `None`: something else does.
    fn compare(&mut self) -> Option<()> {
        let Self { first, second, .. } = self;
        if first.is_empty() || second.is_empty() {
            return None;
        }
        let mut nodes = vec![[0, 0]];
        while let Some([node, other]) = nodes.pop() {
            match (first[node].kind(), second[other].kind()) {
                (Kind::Scalar { .. }, Kind::Scalar { .. }) => {
                    if first.text(node) != second.text(other) {
                        self.others.push([node, other]);
                    }
                }
                (Kind::Mapping { .. }, Kind::Mapping { .. })
                | (Kind::Sequence { .. }, Kind::Sequence { .. }) => {
                    let [here, there]: [Vec<NodeId>; 2] = [
                        first.children(node).collect(),
                        second.children(other).collect(),
                    ];
                    if here.len() != there.len() {
                        return None;
                    }
                    let same = std::iter::zip(here, there);
                    nodes.extend(same.map(|(node, other)| [node, other]));
                }
                (Kind::Alias(target), Kind::Alias(other)) if target == other => {}
                _ => return None,
            }
        }
        Some(())
    }

    /// Returns whether a text is this document with its values.
    fn is_read(&self, text: &str) -> bool {
        let Ok(tree) = locate(text) else {
            return false;
        };
        let is_collection =
            |written: &Written| matches!(written.value, Value::List(_) | Value::Object(_));
        if self
            .values
            .iter()
            .any(|(_, written)| is_collection(written))
        {
            // Its nodes are others.
            return true;
        }
        let has_value = |(node, written): (&NodeId, &Written)| match &written.value {
            // Block scalars have other line breaks at their ends.
            Value::String(value) => {
                let text = tree.text(*node).unwrap_or_default();
                text.trim_end() == value.trim_end()
            }
            _ => true,
        };
        tree.len() == self.first.len() && self.values.iter().all(has_value)
    }

    /// Returns the start of a node's line in the stream.
    fn line(&self, node: NodeId) -> Span {
        let start = self.first[node].range().start;
        Span::point(self.document.offset + line_start(self.document.text, start))
    }

    /// Returns the edit that writes a value instead of a scalar.
    fn edit(&self, node: NodeId, written: &Written) -> Edit {
        let tree = &self.first;
        let text = match (
            &written.value,
            tree[node].parent().map(|id| tree[id].kind()),
        ) {
            (
                Value::String(text),
                Some(Kind::Mapping {
                    flow: false,
                    column,
                }),
            ) if written.is_encoded && text.ends_with('\n') => {
                // As kustomize writes it.
                let mut block = String::from("|");
                for line in text.lines() {
                    block.push_str(&format!("\n{:1$}{line}", "", column + 2));
                }
                block
            }
            (value, _) => {
                let flow = tree.in_flow(node);
                yaml::flow(value, Context { flow, json: false })
            }
        };
        // The header of a block scalar is before its bytes.
        let indicator = tree.colon(node).or_else(|| tree.dash(node));
        let is_block = tree[node].style().is_some_and(Style::is_block);
        let (start, text) = match indicator {
            Some(indicator) if is_block => (indicator + 1, format!(" {text}")),
            _ => (tree[node].range().start, text),
        };
        // A block scalar extends to the next token, also over the indentation before it.
        let old = &self.document.text[start..tree[node].extent().end];
        let end = start + old.trim_end().len();
        Edit {
            span: Span::new(self.document.offset + start, self.document.offset + end),
            text: text.into_bytes(),
        }
    }
}

/// Returns `metadata.name` of a Secret, with its `metadata.namespace`.
fn secret_name(tree: &Tree) -> Option<(Option<&str>, &str)> {
    let field = |mapping: NodeId, name: &str| {
        let mut fields = tree.entries(mapping);
        let found = fields.find(|(key, _)| tree.text(*key) == Some(name));
        found.map(|(_, value)| value)
    };
    let is = |name, text| field(0, name).and_then(|id| tree.text(id)) == Some(text);
    if !is("apiVersion", "v1") || !is("kind", "Secret") {
        return None;
    }
    let metadata = field(0, "metadata")?;
    let namespace = field(metadata, "namespace").and_then(|id| tree.text(id));
    Some((namespace, tree.text(field(metadata, "name")?)?))
}

/// Returns the position of each document in the second build. Most are where they are in the
/// first, but kustomize sorts generated Secrets by their names, and the hash of `db` may be
/// before or after `creds`.
fn places(first: &[&Tree], second: &[Tree]) -> Vec<usize> {
    let generated = |tree| {
        let (namespace, name) = secret_name(tree)?;
        Some((namespace, without_hash(name)?))
    };
    let mut by_name: OrderedMap<_, Vec<usize>> = OrderedMap::default();
    for (nth, tree) in second.iter().enumerate().rev() {
        by_name.entry(generated(tree)).or_default().push(nth);
    }
    let places: Option<Vec<usize>> = (first.iter())
        .map(|tree| by_name.get_mut(&generated(tree))?.pop())
        .collect();
    places.unwrap_or_else(|| (0..first.len()).collect())
}

/// Returns a value as the text of a Secret.
fn text_of(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        value => value.to_json(),
    }
}

/// Wraps base64 as kustomize does (`encodeBase64` in kyaml/yaml/datamap.go, kustomize 5.8.1).
pub(super) fn wrapped(base64: String) -> String {
    /// The length of a line.
    const LINE: usize = 70;
    if base64.len() < LINE {
        return base64;
    }
    let mut lines = String::with_capacity(base64.len() + base64.len() / LINE + 1);
    for (nth, char) in base64.chars().enumerate() {
        if nth > 0 && nth % LINE == 0 {
            lines.push('\n');
        }
        lines.push(char);
    }
    lines.push('\n');
    lines
}

/// Reports that what was built depends on a value in more than its texts.
fn depends(at: Span) -> Diagnostic {
    Diagnostic::error(
        Rule::SensitiveOutput,
        "what is built depends on a sensitive value: the number or the shape of the resources does",
    )
    .at_concealed(Origin::Manifest(0), at, "")
    .help("remove what compares the value or takes it apart, such as `delimiter` in `replacements`")
}
