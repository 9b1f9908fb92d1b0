//! Field paths as kustomize's `replacements` write them:
//! `spec.template.spec.containers.[name=controller].args.1`.

use crate::config::substitutions::Pattern;

/// One step of a field path.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum PathStep {
    /// A key of a mapping.
    Key(String),
    /// Digits: an item of a list, from 0; in a mapping, the key with this name.
    Index { index: usize, key: String },
    /// `[name=controller]`: the items with this value for this key; `[=--verbose]`, with an
    /// empty `key`: the items that equal this value.
    Match { key: String, value: Pattern },
    /// `*`: every value or item.
    Any,
    /// `-`: the end of a list.
    Append,
}

/// The maximum number of steps, more than any field needs. `create` may make a level for
/// each.
const MAX_STEPS: usize = 100;

/// Reads a field path. Steps are separated by dots; a key with dots is in
/// brackets or quotes, or escapes them with backslashes.
///
/// # Errors
/// A description of the mistake.
pub(crate) fn parse(path: &str) -> Result<Vec<PathStep>, String> {
    let mut steps = Vec::new();
    let mut rest = path;
    loop {
        let (step, after) = step(rest)?;
        if steps.len() == MAX_STEPS {
            return Err(format!("more than {MAX_STEPS} steps"));
        }
        steps.push(step);
        rest = match after.strip_prefix('.') {
            Some(next) => next,
            None if after.is_empty() => return Ok(steps),
            // `containers[name=x]` needs no dot.
            None if after.starts_with('[') => after,
            None => return Err(format!("expected a dot before `{after}`")),
        };
    }
}

fn step(text: &str) -> Result<(PathStep, &str), String> {
    if let Some(inner) = text.strip_prefix('[') {
        let (inside, after) = until(inner, &[']'])?;
        let after = after
            .strip_prefix(']')
            .ok_or_else(|| "unclosed `[`".to_owned())?;
        return Ok((bracket(inside)?, after));
    }
    let (inside, after) = until(text, &['.', '['])?;
    let step = match inside {
        "*" => PathStep::Any,
        "-" => PathStep::Append,
        _ => key(inside)?,
    };
    Ok((step, after))
}

/// Splits a string at the first of these characters that is neither quoted nor escaped nor
/// in nested brackets.
fn until<'t>(text: &'t str, ends: &[char]) -> Result<(&'t str, &'t str), String> {
    let mut quote = None;
    let mut open = 0_usize;
    let mut characters = text.char_indices();
    while let Some((at, character)) = characters.next() {
        match (quote, character) {
            (_, '\\') => {
                characters.next();
            }
            (Some(open), _) if open == character => quote = None,
            (Some(_), _) => {}
            (None, '"' | '\'') => quote = Some(character),
            (None, ']') if open > 0 => open -= 1,
            (None, _) if ends.contains(&character) => return Ok(text.split_at(at)),
            // A character class: `[name=web-[0-9]]`.
            (None, '[') => open += 1,
            (None, _) => {}
        }
    }
    match quote {
        Some(quote) => Err(format!("unclosed {quote}")),
        None => Ok((text, "")),
    }
}

fn bracket(inside: &str) -> Result<PathStep, String> {
    match inside {
        "*" => return Ok(PathStep::Any),
        "-" => return Ok(PathStep::Append),
        _ => {}
    }
    let (name, value) = until(inside, &['='])?;
    let Some(value) = value.strip_prefix('=') else {
        return key(name);
    };
    let value = match unquoted(value) {
        Some(quoted) => Pattern::exactly(plain(quoted)),
        None => Pattern::read(value)?,
    };
    let key = plain(unquoted(name).unwrap_or(name));
    Ok(PathStep::Match { key, value })
}

fn key(text: &str) -> Result<PathStep, String> {
    if text.is_empty() {
        return Err("empty step".to_owned());
    }
    if text.bytes().all(|b| b.is_ascii_digit())
        && let Ok(index) = text.parse()
    {
        let key = text.to_owned();
        return Ok(PathStep::Index { index, key });
    }
    Ok(PathStep::Key(plain(unquoted(text).unwrap_or(text))))
}

/// Returns the text between quotes.
fn unquoted(text: &str) -> Option<&str> {
    ['"', '\'']
        .iter()
        .find_map(|quote| text.strip_prefix(*quote)?.strip_suffix(*quote))
}

/// Returns a string without its backslashes.
fn plain(text: &str) -> String {
    let mut plain = String::with_capacity(text.len());
    let mut characters = text.chars();
    while let Some(character) = characters.next() {
        plain.push(match character {
            '\\' => characters.next().unwrap_or('\\'),
            _ => character,
        });
    }
    plain
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(path: &str, expected: &[&str]) {
        let reported: Vec<String> = match parse(path) {
            Err(error) => vec![format!("error: {error}")],
            Ok(steps) => steps
                .into_iter()
                .map(|step| match step {
                    PathStep::Key(key) => format!("key {key}"),
                    PathStep::Index { index, .. } => format!("index {index}"),
                    PathStep::Match { key, value } => {
                        let kind = value.literal().map_or("pattern", |_| "literal");
                        format!("match {key} = {kind} {}", value.written())
                    }
                    PathStep::Any => "any".to_owned(),
                    PathStep::Append => "append".to_owned(),
                })
                .collect(),
        };
        assert_eq!(reported, expected, "{path}");
    }

    #[test]
    fn dots_separate_steps() {
        check("spec.replicas", &["key spec", "key replicas"]);
        check(
            "spec.containers.[name=controller].args.1",
            &[
                "key spec",
                "key containers",
                "match name = literal controller",
                "key args",
                "index 1",
            ],
        );
        check(
            "a[name=x].b[0]",
            &["key a", "match name = literal x", "key b", "index 0"],
        );
        check("a.*.b", &["key a", "any", "key b"]);
        check("a.[*].-", &["key a", "any", "append"]);
        check("a.[-]", &["key a", "append"]);
    }

    #[test]
    fn brackets_allow_dots_in_keys() {
        for path in [
            "metadata.annotations.[a.b/c]",
            "metadata.annotations.\"a.b/c\"",
            "metadata.annotations.['a.b/c']",
            "metadata.annotations.a\\.b/c",
        ] {
            check(path, &["key metadata", "key annotations", "key a.b/c"]);
        }
        check(
            "env.[name=\"A=B.C\"].value",
            &["key env", "match name = literal A=B.C", "key value"],
        );
        check("[image=a:1.2]", &["match image = literal a:1.2"]);
        check("a.\"0\".['1']", &["key a", "key 0", "key 1"]);
    }

    #[test]
    fn items_are_found_by_patterns() {
        check(
            "[name=web-[0-9]+].a",
            &["match name = pattern web-[0-9]+", "key a"],
        );
        check("[name='a.*']", &["match name = literal a.*"]);
        check(r"[name=a\.b]", &[r"match name = literal a\.b"]);
        check("[=--verbose]", &["match  = literal --verbose"]);
        check(
            "[name=a(]",
            &["error: invalid regular expression `a(`: found open group without closing ')'"],
        );
    }

    #[test]
    fn reports_mistakes() {
        check("", &["error: empty step"]);
        let deep = ["a"; MAX_STEPS + 1].join(".");
        check(&deep, &["error: more than 100 steps"]);
        assert_eq!(parse(&deep[2..]).unwrap().len(), MAX_STEPS);
        check("a..b", &["error: empty step"]);
        check("a.[b", &["error: unclosed `[`"]);
        check("a.\"b", &["error: unclosed \""]);
        check("a.[b]c", &["error: expected a dot before `c`"]);
    }
}
