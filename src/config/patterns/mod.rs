//! A list of globs; the last one that matches a path decides.

pub(crate) mod glob;

use regex_lite::Regex;

use crate::collections::OrderedMap;
use crate::config::patterns::glob::{Glob, Malformed};
use crate::config::reader::Reader;
use yaml::NodeId;
use yaml::Span;

/// The maximum total size of the patterns with wildcards of one list, in bytes. Each of
/// them is tried on every path, so this bounds the work for one path.
const MAX_WILD: usize = 4096;

/// One item of `include` or `exclude`.
#[derive(Clone, Debug)]
pub(crate) struct Pattern {
    /// As written in the Binding.
    pub(crate) text: String,
    pub(crate) span: Span,
    /// Whether it begins with `!`.
    pub(crate) negated: bool,
    glob: Glob,
}

/// Reads the list at node `id`; `what` is its path in the Binding.
pub(crate) fn read(reader: &mut Reader<'_>, id: NodeId, what: &str) -> Vec<Pattern> {
    let mut patterns: Vec<Pattern> = Vec::new();
    let mut wild = 0;
    for item in reader.items(id, what) {
        let Some(text) = reader.text(item, &format!("an item of {what}")) else {
            continue;
        };
        let (negated, rest) = match text.strip_prefix('!') {
            Some(rest) => (true, rest),
            None => (false, text.as_str()),
        };
        let glob = match Glob::parse(rest) {
            Ok(Glob::Path(path)) if path.is_empty() => Err(Malformed {
                message: "the pattern is empty".to_owned(),
                help: "write a file's path, or a pattern such as `**/*.yaml`".to_owned(),
            }),
            other => other,
        };
        let glob = match glob {
            Ok(glob) => glob,
            Err(Malformed { message, help }) => {
                reader.error(item, message, help);
                continue;
            }
        };
        if negated && patterns.is_empty() {
            reader.error(
                item,
                format!("`{text}` negates nothing: it is the first pattern of `{what}`"),
                format!("`!` removes files that earlier patterns match: add a pattern before it, or write `{rest}` without `!`"),
            );
        }
        if matches!(glob, Glob::Wild { .. }) {
            let before = wild;
            wild += text.len();
            if before <= MAX_WILD && wild > MAX_WILD {
                reader.error(
                    item,
                    format!("the wildcard patterns of `{what}` exceed {MAX_WILD} bytes"),
                    "use folders (`charts/`) or plain paths, which have no limit",
                );
            }
        }
        patterns.push(Pattern {
            span: reader.span(item),
            text,
            negated,
            glob,
        });
    }
    patterns
}

/// The patterns of one list, compiled, and which of them have matched something.
#[derive(Debug)]
pub(crate) struct Matcher<'p> {
    patterns: &'p [Pattern],
    /// Indices of the patterns without wildcards, ascending.
    paths: OrderedMap<&'p str, Vec<usize>>,
    /// The patterns with wildcards, the last first.
    wild: Vec<(usize, &'p str, Regex)>,
    matched: Vec<bool>,
    /// The patterns that exceed the regex engine's limits.
    pub(crate) too_large: Vec<&'p Pattern>,
}

impl<'p> Matcher<'p> {
    pub(crate) fn new(patterns: &'p [Pattern]) -> Self {
        let mut paths: OrderedMap<_, Vec<_>> = OrderedMap::new();
        let mut wild = Vec::new();
        let mut too_large = Vec::new();
        for (position, pattern) in patterns.iter().enumerate() {
            match &pattern.glob {
                Glob::Path(path) => paths.entry(path.as_str()).or_default().push(position),
                Glob::Wild { prefix, regex, .. } => match Regex::new(regex) {
                    Ok(regex) => wild.push((position, prefix.as_str(), regex)),
                    Err(_) => too_large.push(pattern),
                },
            }
        }
        wild.reverse();
        Self {
            patterns,
            paths,
            wild,
            matched: vec![false; patterns.len()],
            too_large,
        }
    }

    /// Returns whether the list includes `path`.
    pub(crate) fn matches(&mut self, path: &str) -> bool {
        self.decide(path, |_| true)
    }

    /// Returns whether the list includes `path`. A path with a segment that begins with a
    /// dot is included only by a pattern that has such a segment.
    pub(crate) fn matches_but_dotfiles(&mut self, path: &str) -> bool {
        let has_dotfile = path.split('/').any(|segment| segment.starts_with('.'));
        self.decide(path, |pattern| {
            !has_dotfile
                || pattern.negated
                || match pattern.glob {
                    Glob::Path(_) => true,
                    Glob::Wild { names_dotfiles, .. } => names_dotfiles,
                }
        })
    }

    fn decide(&mut self, path: &str, counts: impl Fn(&Pattern) -> bool) -> bool {
        let mut last = None;
        if let Some(positions) = self.paths.get(path) {
            for position in positions {
                self.matched[*position] = true;
            }
            last = positions.last().copied();
        }
        for (position, prefix, regex) in &self.wild {
            let decides = last.is_none_or(|last| last < *position);
            if (decides || !self.matched[*position])
                && path.starts_with(prefix)
                && counts(&self.patterns[*position])
                && regex.is_match(path)
            {
                self.matched[*position] = true;
                last = last.max(Some(*position));
            }
        }
        last.is_some_and(|last| !self.patterns[last].negated)
    }

    /// Returns the patterns that matched no path.
    pub(crate) fn unmatched(&self) -> impl Iterator<Item = &'p Pattern> {
        std::iter::zip(self.patterns, &self.matched)
            .filter(|(_, matched)| !**matched)
            .map(|(pattern, _)| pattern)
    }
}
