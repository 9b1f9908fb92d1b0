//! Field paths as kustomize's `replacements` write them:
//! `spec.template.spec.containers.[name=controller].args.1`.

/// One step of a field path.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum PathStep {
    /// A key of a mapping; digits are an index where a list stands.
    Key(String),
    /// `[name=controller]`: the items with this value under this key.
    Match { key: String, value: String },
    /// `*`: every value or item.
    Any,
    /// `-`: behind the last item of a list.
    Append,
}

/// Reads a field path. Steps are parted by dots; a key with dots stands in
/// brackets or quotes, or has them behind backslashes.
///
/// # Errors
/// What is wrong with it.
pub(crate) fn parse(path: &str) -> Result<Vec<PathStep>, String> {
    let mut steps = Vec::new();
    let mut rest = path;
    loop {
        let (step, behind) = step(rest)?;
        steps.push(step);
        rest = match behind.strip_prefix('.') {
            Some(next) => next,
            None if behind.is_empty() => return Ok(steps),
            // `containers[name=x]` needs no dot.
            None if behind.starts_with('[') => behind,
            None => return Err(format!("`{behind}` follows where a dot should")),
        };
    }
}

fn step(text: &str) -> Result<(PathStep, &str), String> {
    if let Some(inner) = text.strip_prefix('[') {
        let (inside, behind) = until(inner, &[']'])?;
        let behind = behind
            .strip_prefix(']')
            .ok_or_else(|| "a `[` is not closed".to_owned())?;
        return Ok((bracket(inside)?, behind));
    }
    let (inside, behind) = until(text, &['.', '['])?;
    let step = match inside {
        "*" => PathStep::Any,
        "-" => PathStep::Append,
        _ => key(inside)?,
    };
    Ok((step, behind))
}

/// What stands before the first of these characters that is neither quoted nor
/// escaped, and the rest.
fn until<'t>(text: &'t str, ends: &[char]) -> Result<(&'t str, &'t str), String> {
    let mut quote = None;
    let mut characters = text.char_indices();
    while let Some((at, character)) = characters.next() {
        match (quote, character) {
            (_, '\\') => {
                characters.next();
            }
            (Some(open), _) if open == character => quote = None,
            (Some(_), _) => {}
            (None, '"' | '\'') => quote = Some(character),
            (None, _) if ends.contains(&character) => return Ok(text.split_at(at)),
            (None, _) => {}
        }
    }
    match quote {
        Some(quote) => Err(format!("a {quote} is not closed")),
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
    match (key(name)?, value.strip_prefix('=')) {
        (PathStep::Key(key), Some(value)) => Ok(PathStep::Match {
            key,
            value: plain(value),
        }),
        (step, _) => Ok(step),
    }
}

fn key(text: &str) -> Result<PathStep, String> {
    match text {
        "" => Err("a step is empty".to_owned()),
        _ => Ok(PathStep::Key(plain(text))),
    }
}

/// A step without its quotes and backslashes.
fn plain(text: &str) -> String {
    let inner = ['"', '\'']
        .iter()
        .find_map(|quote| text.strip_prefix(*quote)?.strip_suffix(*quote))
        .unwrap_or(text);
    let mut plain = String::with_capacity(inner.len());
    let mut characters = inner.chars();
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
        let told: Vec<String> = match parse(path) {
            Err(error) => vec![format!("error: {error}")],
            Ok(steps) => steps
                .into_iter()
                .map(|step| match step {
                    PathStep::Key(key) => format!("key {key}"),
                    PathStep::Match { key, value } => format!("match {key} = {value}"),
                    PathStep::Any => "any".to_owned(),
                    PathStep::Append => "append".to_owned(),
                })
                .collect(),
        };
        assert_eq!(told, expected, "{path}");
    }

    #[test]
    fn steps_are_parted_by_dots() {
        check("spec.replicas", &["key spec", "key replicas"]);
        check(
            "spec.containers.[name=controller].args.1",
            &[
                "key spec",
                "key containers",
                "match name = controller",
                "key args",
                "key 1",
            ],
        );
        check(
            "a[name=x].b[0]",
            &["key a", "match name = x", "key b", "key 0"],
        );
        check("a.*.b", &["key a", "any", "key b"]);
        check("a.[*].-", &["key a", "any", "append"]);
        check("a.[-]", &["key a", "append"]);
    }

    #[test]
    fn keys_may_have_dots() {
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
            &["key env", "match name = A=B.C", "key value"],
        );
        check("[image=a:1.2]", &["match image = a:1.2"]);
    }

    #[test]
    fn mistakes_are_told() {
        check("", &["error: a step is empty"]);
        check("a..b", &["error: a step is empty"]);
        check("a.[b", &["error: a `[` is not closed"]);
        check("a.\"b", &["error: a \" is not closed"]);
        check("a.[b]c", &["error: `c` follows where a dot should"]);
    }
}
