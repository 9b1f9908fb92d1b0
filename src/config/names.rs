//! What a request knows about the names that its manifests use.

use crate::collections::{OrderedMap, OrderedSet};
use crate::config::KnownName;
use crate::outputs::is_name;
use crate::reference::Heads;

/// How many of the patterns that begin alike are compared with a text.
const MAX_ALIKE: usize = 256;

/// The names of one render, bound or not.
#[derive(Clone, Debug, Default)]
pub(crate) struct Names {
    /// Bound, but without a document: the policy `unpublished` keeps their references.
    unpublished: OrderedSet<String>,
    /// Names that the Binding declares as another tool's.
    foreign: OrderedSet<String>,
    /// Texts that it declares as another tool's, without blanks: `{{cluster.*}}`. By what is
    /// before their first `*`.
    foreign_texts: OrderedMap<String, Vec<String>>,
    /// Names that other Bindings bind, with the path of one of those Bindings.
    elsewhere: OrderedMap<String, String>,
}

impl Names {
    /// Creates the names of a render. `asked` are the names that the Binding binds,
    /// `foreign` those that it declares as another tool's.
    pub(crate) fn new(
        known: &[KnownName],
        asked: impl IntoIterator<Item = String>,
        foreign: impl IntoIterator<Item = String>,
    ) -> Self {
        let mut names = Self {
            unpublished: asked.into_iter().collect(),
            foreign: OrderedSet::default(),
            foreign_texts: OrderedMap::new(),
            elsewhere: OrderedMap::new(),
        };
        for declared in foreign {
            if is_name(&declared) {
                names.foreign.insert(declared);
            } else {
                let pattern = declared.replace(|c: char| c.is_ascii_whitespace(), "");
                let before = pattern.split('*').next().unwrap_or_default().to_owned();
                let texts = names.foreign_texts.entry(before).or_default();
                texts.push(pattern);
            }
        }
        for KnownName { name, bound_by } in known {
            match bound_by {
                None => {
                    names.unpublished.insert(name.clone());
                }
                Some(path) => {
                    let path = || path.clone();
                    names.elsewhere.entry(name.clone()).or_insert_with(path);
                }
            }
        }
        names
    }

    /// Returns whether text with this name may stay as it is. So may a reference that names
    /// no binding, if any bound document isn't published: its name is an output's.
    pub(crate) fn is_left_alone(&self, name: &str, is_binding: bool) -> bool {
        let is_unpublished = if is_binding {
            self.unpublished.contains(name)
        } else {
            !self.unpublished.is_empty()
        };
        is_unpublished || self.foreign.contains(name)
    }

    /// Returns whether the Binding declares an output of this name, or text that is written
    /// like this without its blanks, as another tool's.
    pub(crate) fn is_foreign(&self, output: &str, written: &str) -> bool {
        let ends = written.char_indices().map(|(at, _)| at);
        let mut beginnings = ends.chain([written.len()]).map(|end| &written[..end]);
        self.foreign.contains(output)
            || !self.foreign_texts.is_empty()
                && beginnings.any(|before| {
                    let known = self.foreign_texts.get(before);
                    let mut texts = known.into_iter().flatten().take(MAX_ALIKE);
                    texts.any(|pattern| matches(pattern, written))
                })
    }

    /// Returns the Binding that binds `name`, if it is another one.
    pub(crate) fn bound_by(&self, name: &str) -> Option<&str> {
        self.elsewhere.get(name).map(String::as_str)
    }

    /// Returns whether no name is bound at all.
    pub(crate) fn is_empty(&self, heads: &Heads) -> bool {
        self.unpublished.is_empty() && heads.names().next().is_none()
    }

    /// Returns every name that a reference can have here.
    pub(crate) fn usable<'n>(&'n self, heads: &'n Heads) -> impl Iterator<Item = &'n str> {
        heads
            .names()
            .chain(self.unpublished.iter().map(String::as_str))
    }
}

/// Whether a text matches a pattern, in which `*` matches any text.
fn matches(pattern: &str, text: &str) -> bool {
    let Some((first, rest)) = pattern.split_once('*') else {
        return pattern == text;
    };
    let Some(mut left) = text.strip_prefix(first) else {
        return false;
    };
    let (middle, last) = rest.rsplit_once('*').unwrap_or(("", rest));
    for part in middle.split('*') {
        match left.find(part) {
            Some(at) => left = &left[at + part.len()..],
            None => return false,
        }
    }
    left.ends_with(last)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_star_is_any_text() {
        for (pattern, text, expected) in [
            ("{{cluster.*}}", "{{cluster.name}}", true),
            ("{{ cluster.* }}", "{{cluster.name}}", true),
            ("{{cluster.name}}", "{{cluster.name}}", true),
            ("{{cluster.*}}", "{{.cluster.name}}", false),
            ("{{*.cluster.*}}", "{{-.cluster.name}}", true),
            ("$cluster.*", "$cluster.x", true),
            ("${*infra.*}", "${join(\",\",infra.x)}", true),
            ("*a*b*", "xaxbx", true),
            ("*a*b", "xbxa", false),
            ("a*a", "a", false),
        ] {
            let others = ["{{", "${other.*}"].map(str::to_owned);
            let foreign = others.into_iter().chain([pattern.to_owned()]);
            let names = Names::new(&[], [], foreign);
            assert_eq!(names.is_foreign("x", text), expected, "{pattern} {text}");
        }
    }
}
