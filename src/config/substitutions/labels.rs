//! Label selectors as Kubernetes writes them: `app=web,tier!=db,env in (a,b),!old`.

/// One part of a label selector.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Requirement {
    pub(crate) key: String,
    test: Test,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Test {
    Exists,
    Absent,
    In(Vec<String>),
    /// A missing key meets it too.
    NotIn(Vec<String>),
}

impl Requirement {
    /// Returns whether the value of the key, if any, meets the requirement.
    pub(crate) fn is_met_by(&self, found: Option<&str>) -> bool {
        let is_one_of = |values: &[String]| {
            found.is_some_and(|found| values.iter().any(|value| value == found))
        };
        match &self.test {
            Test::Exists => found.is_some(),
            Test::Absent => found.is_none(),
            Test::In(values) => is_one_of(values),
            Test::NotIn(values) => !is_one_of(values),
        }
    }

    /// Returns an upper bound of the steps that a match takes.
    pub(crate) const fn cost(&self) -> usize {
        match &self.test {
            Test::Exists | Test::Absent => 8,
            Test::In(values) | Test::NotIn(values) => 8 + values.len(),
        }
    }
}

/// Writes the requirement as a label selector does.
impl std::fmt::Display for Requirement {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let key = &self.key;
        match &self.test {
            Test::Exists => f.write_str(key),
            Test::Absent => write!(f, "!{key}"),
            Test::In(values) => match &values[..] {
                [value] => write!(f, "{key}={value}"),
                values => write!(f, "{key} in ({})", values.join(", ")),
            },
            Test::NotIn(values) => match &values[..] {
                [value] => write!(f, "{key}!={value}"),
                values => write!(f, "{key} notin ({})", values.join(", ")),
            },
        }
    }
}

/// Reads a label selector.
///
/// # Errors
/// The part that isn't a requirement.
pub(crate) fn requirements(text: &str) -> Result<Vec<Requirement>, String> {
    let mut list = Vec::new();
    let mut rest = text;
    loop {
        let (requirement, after) = requirement(rest)?;
        list.push(requirement);
        match after.trim_start().strip_prefix(',') {
            Some(next) => rest = next,
            None => return Ok(list),
        }
    }
}

fn requirement(text: &str) -> Result<(Requirement, &str), String> {
    let text = text.trim_start();
    let part = || text.split(',').next().unwrap_or_default().trim();
    let not_understood = || {
        format!(
            "invalid selector `{}`: expected `key=value`, `key!=value`, `key in (a, b)`, `key notin (a, b)`, `key` or `!key`",
            part()
        )
    };
    let (absent, named) = match text.strip_prefix('!') {
        Some(named) => (true, named.trim_start()),
        None => (false, text),
    };
    let ends = |c: char| c.is_whitespace() || ",=!()<>".contains(c);
    let (key, rest) = named.split_at(named.find(ends).unwrap_or(named.len()));
    if key.is_empty() {
        return Err(format!("`{}` has no key", part()));
    }
    let requirement = |test: Test, rest| {
        let key = key.to_owned();
        Ok((Requirement { key, test }, rest))
    };
    let rest = rest.trim_start();
    if rest.is_empty() || rest.starts_with(',') {
        return requirement(if absent { Test::Absent } else { Test::Exists }, rest);
    }
    if absent {
        return Err(not_understood());
    }
    let one = |value: &str| {
        let (value, rest) = value.split_at(value.find(',').unwrap_or(value.len()));
        (vec![value.trim().to_owned()], rest.len())
    };
    let equal = rest.strip_prefix("==").or_else(|| rest.strip_prefix('='));
    if let Some(value) = equal {
        let (values, left) = one(value);
        return requirement(Test::In(values), &rest[rest.len() - left..]);
    }
    if let Some(value) = rest.strip_prefix("!=") {
        let (values, left) = one(value);
        return requirement(Test::NotIn(values), &rest[rest.len() - left..]);
    }
    let word = rest.split(['(', ' ', '\t']).next().unwrap_or_default();
    let listed = rest[word.len()..].trim_start().strip_prefix('(');
    let Some((values, after)) = listed.and_then(|listed| listed.split_once(')')) else {
        return Err(not_understood());
    };
    if !(after.trim_start().is_empty() || after.trim_start().starts_with(',')) {
        return Err(not_understood());
    }
    let values = values
        .split(',')
        .map(|value| value.trim().to_owned())
        .collect();
    match word {
        "in" => requirement(Test::In(values), after),
        "notin" => requirement(Test::NotIn(values), after),
        _ => Err(not_understood()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, expected: &str) {
        let found = match requirements(text) {
            Ok(list) => {
                let list: Vec<String> = list.iter().map(Requirement::to_string).collect();
                list.join("; ")
            }
            Err(error) => format!("error: {error}"),
        };
        assert_eq!(found, expected, "{text}");
    }

    #[test]
    fn parses_label_selectors() {
        check(
            "app=web, tier==db,env!=test,x,!y",
            "app=web; tier=db; env!=test; x; !y",
        );
        check(
            "env in (a, b),tier notin(db),x in (,a)",
            "env in (a, b); tier!=db; x in (, a)",
        );
        check("in in (in),notin", "in=in; notin");
        check("a=,b", "a=; b");
        check("url=https://x?a=b", "url=https://x?a=b");
        check("=a", "error: `=a` has no key");
        check("a,", "error: `` has no key");
        for wrong in ["a of (b)", "a in b", "a in (b", "a in (b) c", "!a=b", "a>1"] {
            assert!(
                requirements(wrong)
                    .unwrap_err()
                    .contains("invalid selector"),
                "{wrong}"
            );
        }
    }

    #[test]
    fn an_absent_key_satisfies_exclusions() {
        let met = |text: &str, found: Option<&str>| requirements(text).unwrap()[0].is_met_by(found);
        assert!(met("a notin (b)", None));
        assert!(met("a!=b", None));
        assert!(met("!a", None));
        assert!(!met("a in (b)", None));
        assert!(!met("!a", Some("")));
        assert!(met("a in (b,c)", Some("c")));
        assert!(!met("a notin (b,c)", Some("c")));
    }
}
