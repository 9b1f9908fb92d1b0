//! Indexes selectors by the kinds and names that they require, so that a resource is
//! compared only with the few that may select it.

use crate::collections::{OrderedMap, OrderedSet};
use crate::config::substitutions::Selector;

/// With more kinds and names than this, a text is split into words once instead of being
/// searched for each.
const MAX_SEARCHED: usize = 16;

/// Positions of selectors by kind and name.
#[derive(Debug, Default)]
pub(crate) struct Candidates {
    kinds: OrderedMap<String, Names>,
    any_kind: Names,
    /// The names in `kinds` and `any_kind`, all of which are words as [`words`] finds them
    /// unless `has_unusual_names` is set.
    names: OrderedSet<String>,
    /// Whether some kind or name is not a single word.
    has_unusual_names: bool,
}

/// Selectors of one kind, or of any.
#[derive(Debug, Default)]
struct Names {
    named: OrderedMap<String, Vec<usize>>,
    /// Selectors without a literal name.
    others: Vec<usize>,
}

impl Names {
    fn candidates(&self, name: &str) -> impl Iterator<Item = usize> + '_ {
        let named = self.named.get(name).into_iter().flatten();
        named.chain(&self.others).copied()
    }
}

impl Candidates {
    pub(crate) fn new<'s>(selectors: impl Iterator<Item = &'s Selector>) -> Self {
        let mut candidates = Self::default();
        for (position, selector) in selectors.enumerate() {
            let names = match selector.kind() {
                Some(kind) => {
                    candidates.has_unusual_names |= !is_word(kind);
                    candidates.kinds.entry(kind.to_owned()).or_default()
                }
                None => &mut candidates.any_kind,
            };
            match selector.name() {
                Some(name) => {
                    candidates.has_unusual_names |= !is_word(name);
                    candidates.names.insert(name.to_owned());
                    names
                        .named
                        .entry(name.to_owned())
                        .or_default()
                        .push(position);
                }
                None => names.others.push(position),
            }
        }
        candidates
    }

    /// Returns the selectors that may select a resource of this kind and name, in order.
    pub(crate) fn of(&self, kind: &str, name: &str) -> Vec<usize> {
        let of_kind = self
            .kinds
            .get(kind)
            .into_iter()
            .flat_map(|names| names.candidates(name));
        let mut candidates: Vec<usize> = of_kind.chain(self.any_kind.candidates(name)).collect();
        candidates.sort_unstable();
        candidates
    }

    /// Returns the selectors that may select resources of this kind, whatever their names are.
    pub(crate) fn of_kind(&self, kind: &str) -> Vec<usize> {
        let names = self.kinds.get(kind).into_iter().chain([&self.any_kind]);
        let all = names.flat_map(|names| names.named.values().flatten().chain(&names.others));
        let mut candidates: Vec<usize> = all.copied().collect();
        candidates.sort_unstable();
        candidates
    }

    /// Whether a document with this text may contain a selected resource: false only if it
    /// certainly does not.
    pub(crate) fn may_select_in(&self, text: &str) -> bool {
        if self.kinds.is_empty() && self.any_kind.named.is_empty() {
            return !self.any_kind.others.is_empty();
        }
        // An escape may spell any name, and an alias repeat one.
        if !self.any_kind.others.is_empty() || text.contains(['\\', '&']) {
            return true;
        }
        let searched = self.kinds.len() + self.names.len();
        if searched > MAX_SEARCHED {
            return self.has_unusual_names || self.may_select_in_words(text);
        }
        let holds = |name: &str| memchr::memmem::find(text.as_bytes(), name.as_bytes()).is_some();
        let holds_name =
            |names: &Names| !names.others.is_empty() || names.named.keys().any(|name| holds(name));
        let mut kinds = self.kinds.iter();
        kinds.any(|(kind, names)| holds(kind) && holds_name(names)) || holds_name(&self.any_kind)
    }

    fn may_select_in_words(&self, text: &str) -> bool {
        let (mut has_kind, mut has_name) = (false, false);
        for word in words(text) {
            // Items of a ConfigMapList need not say that they are ConfigMaps.
            let listed = word.strip_suffix("List").unwrap_or(word);
            for kind in [word, listed] {
                if let Some(names) = self.kinds.get(kind) {
                    has_kind = true;
                    if !names.others.is_empty() {
                        return true;
                    }
                }
            }
            has_name = has_name || self.names.contains(word);
            if has_name && (has_kind || self.any_kind.named.contains_key(word)) {
                return true;
            }
        }
        false
    }
}

/// Returns the words of a text that may be kinds or names.
fn words(text: &str) -> impl Iterator<Item = &str> {
    let words = text.split(|c: char| !is_word_char(c));
    words
        .map(|word| word.trim_matches(':'))
        .filter(|word| !word.is_empty())
}

const fn is_word_char(c: char) -> bool {
    matches!(c, 'a'..='z' | 'A'..='Z' | '0'..='9' | '-' | '.' | ':' | '_')
}

fn is_word(name: &str) -> bool {
    !name.is_empty() && name.chars().all(is_word_char) && name.trim_matches(':') == name
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::substitutions::Pattern;

    fn selector(kind: &str, name: &str) -> Selector {
        let read = |text: &str| (!text.is_empty()).then(|| Pattern::read(text).unwrap());
        Selector {
            kind: read(kind),
            name: read(name),
            ..Selector::default()
        }
    }

    #[test]
    fn returns_selectors_that_may_match_a_resource() {
        let selectors = [
            selector("Service", "web"),
            selector("Service", ""),
            selector("", "web"),
            selector("Serv.*", "web"),
            selector("Service", "we.*"),
            selector("Pod", "web"),
        ];
        let candidates = Candidates::new(selectors.iter());
        assert_eq!(candidates.of("Service", "web"), [0, 1, 2, 3, 4]);
        assert_eq!(candidates.of("Service", "api"), [1, 4]);
        assert!(candidates.of("Node", "api").is_empty());
    }

    #[test]
    fn rules_out_texts_that_name_no_selected_resource() {
        let few = vec![selector("Service", "web"), selector("Pod", "api")];
        let mut many = few.clone();
        many.extend((0..40).map(|nth| selector("Service", &format!("other-{nth}"))));
        for selectors in [few, many] {
            let candidates = Candidates::new(selectors.iter());
            let may = |text: &str| candidates.may_select_in(text);
            assert!(may("kind: Service\nmetadata: {name: web}\n"));
            assert!(may("{\"kind\":\"Pod\",\"metadata\":{\"name\":\"api\"}}"));
            assert!(may("kind: PodList\nitems: [{metadata: {name: api}}]\n"));
            assert!(may("kind: \"P\\x6fd\"\n"));
            assert!(!may("kind: Deployment\nmetadata: {name: web}\n"));
            assert!(!may("kind: Service\nmetadata: {name: none}\n"));
        }
        assert!(Candidates::new([selector("", "a.*")].iter()).may_select_in(""));
        assert!(!Candidates::default().may_select_in("kind: Service"));
    }
}
