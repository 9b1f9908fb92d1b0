//! Variables that something else than landfall defines, or may define.

use crate::analysis::texts::ScalarText;
use crate::collections::OrderedSet;
use crate::kubernetes::resources::Field;
use crate::outputs::is_json;
use crate::reference::{Heads, locate, skip_name};
use yaml::{Kind, NodeId, Role, Tree, masked, split};

/// The names of defined variables.
#[derive(Debug, Default)]
pub(super) struct Variables {
    names: OrderedSet<String>,
    /// Some are defined elsewhere: any name may be.
    has_others: bool,
    /// Those of the environment may be.
    has_environment: bool,
}

impl Variables {
    pub(super) fn contains(&self, name: &str) -> bool {
        self.has_others
            || self.names.contains(name)
            || (self.has_environment && is_environment_name(name))
    }

    /// Returns the environment variables of the containers in a document.
    pub(super) fn of_env(tree: &Tree) -> Self {
        let mut found = Self::default();
        for (id, node) in tree.nodes() {
            let Role::Value(key) = node.role() else {
                continue;
            };
            match tree.text(key) {
                Some("envFrom") => found.has_others = true,
                Some("env") => {
                    for item in tree.children(id) {
                        found.add_named(tree, item);
                    }
                }
                _ => {}
            }
        }
        found
    }

    fn add_named(&mut self, tree: &Tree, item: NodeId) {
        if !matches!(tree[item].kind(), Kind::Mapping { .. }) {
            return;
        }
        for (key, value) in tree.entries(item) {
            if tree.text(key) == Some("name") {
                self.names.extend(tree.text(value).map(str::to_owned));
            }
        }
    }

    /// Adds the variables of Flux's `postBuild` in a document.
    fn add_post_build(&mut self, tree: &Tree) {
        for (id, node) in tree.nodes() {
            let Role::Value(key) = node.role() else {
                continue;
            };
            if tree.text(key) != Some("postBuild") || !matches!(node.kind(), Kind::Mapping { .. }) {
                continue;
            }
            for (key, value) in tree.entries(id) {
                let is_mapping = matches!(tree[value].kind(), Kind::Mapping { .. });
                match tree.text(key) {
                    Some("substituteFrom") => self.has_others = true,
                    Some("substitute") if is_mapping => {
                        let names = tree.entries(value).filter_map(|(key, _)| tree.text(key));
                        self.names.extend(names.map(str::to_owned));
                    }
                    _ => {}
                }
            }
        }
    }
}

/// Returns the variables that the `postBuild` of Flux's Kustomizations in a source defines.
/// Beside resources of Cluster API, `clusterctl` defines any of the environment
/// (<https://cluster-api.sigs.k8s.io/clusterctl/provider-contract>).
pub(super) fn defines_variables(texts: &[(usize, &str)]) -> Variables {
    let has = |text: &str, word: &[u8]| memchr::memmem::find(text.as_bytes(), word).is_some();
    let has_one = |text: &str| has(text, b"postBuild");
    let mut found = Variables::default();
    for (_, text) in texts {
        found.has_environment |=
            has(text, b".cluster.x-k8s.io/") || has(text, b" cluster.x-k8s.io/");
        for document in split(text).iter().filter(|one| has_one(one.text)) {
            match locate(masked(document.text, std::iter::empty())) {
                Ok(tree) => found.add_post_build(&tree),
                Err(_) => found.has_others = true,
            }
        }
    }
    found
}

/// Whether a name is written as those of environment variables are (POSIX.1, XBD 8.1).
fn is_environment_name(name: &str) -> bool {
    let is_one = |byte: u8| byte.is_ascii_uppercase() || byte.is_ascii_digit() || byte == b'_';
    name.bytes().all(is_one)
}

/// What the text of a scalar says about the program that reads it.
#[derive(Debug, Default)]
pub(super) struct ProgramText {
    /// The variables that it defines, or reads as those of a shell.
    defined: OrderedSet<String>,
    /// Whether it is written in a syntax that has variables: an author's command, a
    /// directive of nginx, a URL with other variables.
    has_syntax: bool,
    /// Whether it is a container's: its image may define variables of the environment.
    is_of_container: bool,
}

impl ProgramText {
    /// Reads a scalar. `is_output` says whether a name is an output's.
    pub(super) fn of(
        scalar: &ScalarText<'_>,
        heads: &Heads,
        is_output: &dyn Fn(&str) -> bool,
    ) -> Self {
        let text = scalar.text();
        let steps = &scalar.field.steps;
        Self {
            defined: definitions(text, is_output),
            has_syntax: is_file(&scalar.field)
                || (has_syntax(text, heads, is_output) && !is_json(text)),
            is_of_container: steps.iter().any(|step| {
                let lists = ["containers", "initContainers", "ephemeralContainers"];
                lists.iter().any(|list| step.is_key(list))
            }),
        }
    }

    /// Whether it defines a variable.
    pub(super) fn defines(&self, name: &str) -> bool {
        self.defined.contains(name)
    }

    /// Whether a variable may be defined by the program.
    pub(super) fn may_define(&self, name: &str) -> bool {
        self.has_syntax || (self.is_of_container && is_environment_name(name))
    }
}

/// Whether a field is an entry of a ConfigMap or Secret that is a file, or a property.
fn is_file(field: &Field) -> bool {
    let kind = field.resource.as_deref().map(|found| found.kind.as_str());
    matches!(kind, Some("ConfigMap" | "Secret"))
        && matches!(field.key(0), Some("data" | "stringData"))
        && field.key(1).is_some_and(|key| key.contains('.'))
}

/// Whether a text has anything else than words, URLs and flags beside references and
/// variables named as outputs.
fn has_syntax(text: &str, heads: &Heads, is_output: &dyn Fn(&str) -> bool) -> bool {
    let bytes = text.trim_end().as_bytes();
    let mut at = 0;
    while let Some(byte) = bytes.get(at) {
        if text[at..].starts_with("${") {
            let end = skip_name(bytes, at + 2);
            let name = &text[at + 2..end];
            at = match bytes.get(end) {
                Some(b'}') if is_output(name) => end + 1,
                Some(b'.' | b'[') if heads.is_bound(Some(name.as_bytes())) => {
                    heads.dialect().extent(text, at).end.max(end)
                }
                _ => return true,
            };
            continue;
        }
        if byte.is_ascii_whitespace() || b"$`;\"'()<>{}|^\\".contains(byte) {
            return true;
        }
        at += text[at..].chars().next().map_or(1, char::len_utf8);
    }
    false
}

/// Words that declare the variables after them, until the statement ends.
const DECLARING: &[&str] = &[
    "declare",
    "export",
    "for",
    "foreach",
    "getopts",
    "let",
    "local",
    "map",
    "mapfile",
    "read",
    "readarray",
    "readonly",
    "select",
    "set",
    "typeset",
    "unset",
];

/// Returns the outputs whose names are those of variables that a script defines, or expands
/// as only a shell does (`${name:-default}`).
fn definitions(text: &str, is_output: &dyn Fn(&str) -> bool) -> OrderedSet<String> {
    let bytes = text.as_bytes();
    let is_word = |byte: &u8| byte.is_ascii_alphanumeric() || *byte == b'_';
    let mut found = OrderedSet::new();
    let mut declares = None;
    let mut at = 0;
    while let Some(byte) = bytes.get(at) {
        if !is_word(byte) {
            if b"\n;&|()`".contains(byte) {
                declares = None;
            }
            at += 1;
            continue;
        }
        let end = at + bytes[at..].iter().take_while(|byte| is_word(byte)).count();
        let (word, before, after) = (&text[at..end], &bytes[..at], &bytes[end..]);
        let is_first = before
            .last()
            .is_none_or(|byte| b" \t\n;&|()`{\"'".contains(byte));
        let is_set = before.ends_with(b" $") && matches!(declares, Some("set" | "map"));
        let is_expanded = before.ends_with(b"${")
            && after
                .first()
                .is_some_and(|byte| b":-+?=#%/^,".contains(byte));
        let is_powershell = before.ends_with(b"$") && is_assigned(text, word, end, true);
        let is_defined = !before.ends_with(b"${")
            && is_first
            && (is_assigned(text, word, end, false) || declares.is_some());
        if (is_defined || is_set || is_expanded || is_powershell) && is_output(word) {
            found.insert(word.to_owned());
        }
        if is_first
            && DECLARING.contains(&word)
            && after.first().is_some_and(u8::is_ascii_whitespace)
        {
            declares = Some(word);
        } else if word == "in" {
            declares = None;
        }
        at = end;
    }
    found
}

/// Whether the word before byte `end` is assigned something else than itself. Blanks may
/// follow it in most languages, but not in a shell's.
fn is_assigned(text: &str, word: &str, end: usize, after_blanks: bool) -> bool {
    let rest = text[end..].trim_start_matches([' ', '\t']);
    if after_blanks && rest.len() == text.len() - end {
        return false;
    }
    let rest = rest.strip_prefix('+').unwrap_or(rest);
    let Some(value) = rest.strip_prefix('=') else {
        return false;
    };
    let value = value
        .trim_start_matches([' ', '\t', '"', '\''])
        .trim_start_matches(['$', '{']);
    let is_itself = value.strip_prefix(word).is_some_and(|after| {
        !after.starts_with(|c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | ':'))
    });
    !value.starts_with('=') && !is_itself
}
