//! The texts of rendered files that contain sensitive values.

use crate::collections::OrderedMap;
use crate::contract::File;
use crate::outputs::{Key, Value};
use yaml::{Document, Kind, NodeId, Span, Style, Tree, is_number, locate, split};

/// How deep documents may be embedded in each other.
const MAX_EMBEDDED: usize = 8;

/// How deep the value of a text may be nested.
const MAX_DEPTH: usize = 64;

/// The scalars of rendered files that have stand-ins, with their values.
pub(super) struct Texts {
    by_first: OrderedMap<String, Replaced>,
}

struct Replaced {
    second: String,
    /// `None`: it has no value, or not the same everywhere.
    value: Option<Value>,
}

/// The same text with the first and the second stand-ins, and with the values.
struct Versions {
    texts: [String; 3],
    embedded: usize,
}

impl Texts {
    /// Reads the files with the first and the second stand-ins, and with the values.
    pub(super) fn of(files: [&[File]; 3]) -> Self {
        let [first, second, rendered] = files;
        let mut texts = Self {
            by_first: OrderedMap::default(),
        };
        let same = std::iter::zip(first, std::iter::zip(second, rendered));
        let mut open: Vec<Versions> = Vec::new();
        for (first, (second, rendered)) in same {
            if first.content != second.content {
                let text = |file: &File| String::from_utf8_lossy(&file.content).into_owned();
                open.push(Versions {
                    texts: [text(first), text(second), text(rendered)],
                    embedded: 0,
                });
            }
        }
        while let Some(Versions {
            texts: versions,
            embedded,
        }) = open.pop()
        {
            let [first, second, rendered] = versions.each_ref().map(|text| split(text));
            for (first, (second, rendered)) in
                std::iter::zip(first, std::iter::zip(second, rendered))
            {
                if first.text != second.text {
                    texts.read_document([first, second, rendered], embedded, &mut open);
                }
            }
        }
        texts
    }

    /// Returns the value of a text, given with the first and with the second stand-ins. Err:
    /// no file has it. `None`: it has no value.
    pub(super) fn value_of(&self, first: &str, second: &str) -> Result<Option<&Value>, NoText> {
        match self.by_first.get(first) {
            Some(replaced) if replaced.second == second => Ok(replaced.value.as_ref()),
            _ => Err(NoText),
        }
    }

    /// Adds the scalars of a document that differ. Documents in them are opened too: a tool may
    /// read them.
    fn read_document(
        &mut self,
        documents: [Document<'_>; 3],
        embedded: usize,
        open: &mut Vec<Versions>,
    ) {
        let [Ok(first), Ok(second), Ok(rendered)] = documents.map(|one| locate(one.text)) else {
            return;
        };
        if [&first, &second, &rendered]
            .iter()
            .any(|tree| tree.is_empty())
        {
            return;
        }
        let mut nodes = vec![[0, 0, 0]];
        while let Some([a, b, c]) = nodes.pop() {
            if let (Some(text), Some(other)) = (first.text(a), second.text(b)) {
                // A whole text is no document, but a scalar in one.
                if text == other || a == 0 {
                    continue;
                }
                self.insert(text, other, value_of(&rendered, c, 0));
                if let Some(value) = rendered.text(c)
                    && embedded < MAX_EMBEDDED
                {
                    open.push(Versions {
                        texts: [text, other, value].map(str::to_owned),
                        embedded: embedded + 1,
                    });
                }
                continue;
            }
            let all = [
                members(&first, a),
                members(&second, b),
                members(&rendered, c),
            ];
            if all.iter().all(|members| members.len() == all[0].len()) {
                let [first, second, rendered] = all;
                let same = std::iter::zip(first, std::iter::zip(second, rendered));
                nodes.extend(same.map(|(a, (b, c))| [a, b, c]));
            }
        }
    }

    fn insert(&mut self, first: &str, second: &str, value: Option<Value>) {
        match self.by_first.get_mut(first) {
            None => {
                let second = second.to_owned();
                self.by_first
                    .insert(first.to_owned(), Replaced { second, value });
            }
            Some(replaced) if replaced.value != value => replaced.value = None,
            Some(_) => {}
        }
    }
}

/// No file has a text.
pub(super) struct NoText;

/// Returns the values of a collection; none for other nodes.
fn members(tree: &Tree, id: NodeId) -> Vec<NodeId> {
    match tree[id].kind() {
        Kind::Mapping { .. } => tree.entries(id).map(|(_, value)| value).collect(),
        Kind::Sequence { .. } => tree.members(id).collect(),
        Kind::Scalar { .. } | Kind::Alias(_) => Vec::new(),
    }
}

/// Returns the value of a node that rendering has written.
fn value_of(tree: &Tree, id: NodeId, depth: usize) -> Option<Value> {
    if depth > MAX_DEPTH {
        return None;
    }
    match tree[id].kind() {
        Kind::Alias(_) => None,
        Kind::Scalar { style, .. } => {
            let text = tree.text(id)?.to_owned();
            Some(match (style, &*text) {
                (Style::Plain, "true") => Value::Bool(true),
                (Style::Plain, "false") => Value::Bool(false),
                (Style::Plain, "null") => Value::Null,
                (Style::Plain, _) if is_number(&text) => Value::Number(text),
                _ => Value::String(text),
            })
        }
        Kind::Sequence { .. } => {
            let items = tree.members(id).map(|item| value_of(tree, item, depth + 1));
            items.collect::<Option<_>>().map(Value::List)
        }
        Kind::Mapping { .. } => {
            let entries = tree.entries(id).map(|(key, value)| {
                let name = tree.text(key)?.to_owned();
                let span = Span::point(0);
                Some((Key { name, span }, value_of(tree, value, depth + 1)?))
            });
            entries.collect::<Option<_>>().map(Value::Object)
        }
    }
}
