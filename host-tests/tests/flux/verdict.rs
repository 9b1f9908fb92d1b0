//! What the comparison of one case shows.

use std::collections::BTreeSet;

use landfall::Diagnostic;
use landfall_test_needs::needs;
use serde_json::Value as Json;

use crate::case::Case;
use crate::ideal::{Difference, Ideal, Place, Scalar, differences};
use crate::landfall_side::NEXT_LINE;
use crate::landfall_side::WITHOUT_TYPES;
use crate::peer::{Answer, Flux};
use crate::rules::Rule;
use crate::{flux_side, landfall_side, refusals};

/// What the comparison of one case shows.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Verdict {
    /// kustomize reads no resource, so that Flux never substitutes in it.
    NotAResource,
    /// Both apply the same object.
    Equal,
    /// Both report an error.
    BothRefuse,
    /// These rules explain every difference.
    Differs(BTreeSet<Rule>),
    /// Something that no rule explains.
    Unexplained(String),
}

impl Verdict {
    /// Returns the verdict on a case with this reason for writing nothing that Flux applies.
    fn refused(rules: BTreeSet<Rule>, applied: &Answer) -> Self {
        match applied {
            Ok(_) => Self::Differs(rules),
            Err(_) => Self::BothRefuse,
        }
    }
}

/// Compares landfall with Flux on one case.
pub(crate) fn judge(flux: &mut Flux, case: &Case) -> Verdict {
    judge_render(flux, case, case.render())
}

/// Compares this render of a case with Flux.
fn judge_render(
    flux: &mut Flux,
    case: &Case,
    rendered: Result<String, Vec<Diagnostic>>,
) -> Verdict {
    let Ok(decoded) = flux.template(&case.manifest) else {
        return Verdict::NotAResource;
    };
    let applied = flux.applied(&case.manifest, &case.variables, case.strict);
    let verdict = match rendered {
        Ok(rendered) => compared(flux, case, &decoded, &applied, &rendered),
        Err(errors) => {
            let ideal = Ideal::of(flux, case, &decoded);
            refusals::explain(&ideal, &errors).map(|rules| Verdict::refused(rules, &applied))
        }
    };
    verdict.unwrap_or_else(Verdict::Unexplained)
}

fn compared(
    flux: &mut Flux,
    case: &Case,
    decoded: &Json,
    applied: &Answer,
    rendered: &str,
) -> Result<Verdict, String> {
    let written = match flux.decoded(rendered) {
        Ok(written) => written,
        Err(error) => {
            let rule = unread(&Ideal::of(flux, case, decoded), &error).ok_or_else(|| {
                format!("kustomize does not read what landfall writes: {error}\n{rendered}")
            })?;
            return Ok(Verdict::refused(BTreeSet::from([rule]), applied));
        }
    };
    let is_equal = applied.as_ref() == Ok(&written);
    if is_equal && !case.manifest.contains('$') {
        return Ok(Verdict::Equal);
    }
    let ideal = Ideal::of(flux, case, decoded);
    let shared = match applied {
        Ok(applied) => shared(&ideal, &written, applied),
        Err(_) => Vec::new(),
    };
    let mut rules = landfall_side::explain(flux, case, &ideal, &written, &shared)?;
    if is_equal {
        return Ok(Verdict::Equal);
    }
    rules.append(&mut flux_side::explain(
        flux, case, &ideal, applied, &shared,
    )?);
    Ok(Verdict::Differs(rules))
}

/// Returns the strings that both sides write as the same other value.
fn shared<'i>(ideal: &'i Ideal, written: &Json, applied: &Json) -> Vec<&'i Scalar> {
    let values = |object| {
        let found = differences(ideal, object, &mut |_| None).into_iter();
        found.filter_map(|difference| match difference {
            Difference::Value(scalar, actual) => Some((scalar, actual)),
            Difference::Key(..) | Difference::Shape(_) => None,
        })
    };
    let written: Vec<_> = values(written).collect();
    let is_written = |(scalar, actual): &(&Scalar, Json)| {
        let mut same = written.iter();
        same.any(|(other, written)| std::ptr::eq(*other, *scalar) && written == actual)
    };
    values(applied)
        .filter(is_written)
        .map(|(scalar, _)| scalar)
        .collect()
}

/// Explains why kustomize does not read a resource with the ideal's strings.
fn unread(ideal: &Ideal, error: &str) -> Option<Rule> {
    ideal.scalars().into_iter().find_map(|scalar| {
        let text = scalar.written()?;
        let is_name = scalar.place == Place::Field && scalar.path == ["metadata", "name"];
        if is_name && text.is_empty() && error.starts_with("missing metadata.name") {
            return Some(Rule::EmptyName);
        }
        let is_key = scalar.place == Place::Key;
        (is_key && text.contains(NEXT_LINE)).then_some(Rule::LosesNextLine)
    })
}

#[needs(tools)]
#[test]
fn a_wrong_render_is_unexplained() {
    let mut flux = Flux::start();
    let mut check = |value: &str, rendered: &str, is_explained: bool| {
        let case = Case {
            name: "by hand".to_owned(),
            manifest: manifest("x: \"${v}\""),
            variables: std::sync::Arc::new([("v".to_owned(), value.to_owned())].into()),
            strict: true,
        };
        let verdict = judge_render(&mut flux, &case, Ok(manifest(rendered)));
        let found = !matches!(verdict, Verdict::Unexplained(_));
        assert_eq!(found, is_explained, "{value:?}, {rendered}: {verdict:?}");
    };
    // Flux fails on this value, which must not explain what landfall writes.
    for (value, right) in [("a: b", "x: 'a: b'"), ("8080", "x: '8080'"), ("a", "x: a")] {
        check(value, right, true);
        check(value, "x: other", false);
        check(value, "x: ''", false);
        check(value, "x: null", false);
        check(value, "x: [a]", false);
        check(value, &format!("{right}\nother: 1"), false);
        check(value, "other: 1", false);
        check(value, "x: \"${v}\"", false);
        check(value, "x: [", false);
    }
    check("8080", "x: 8081", false);
    // As wrong as Flux is.
    check("8080", "x: 8080", false);
    check("true", "x: true", false);
    check("-1 # c", "x: -1", false);
    check("a$b", "x: a$b", true);
    check("a$b", "x: a$$b", false);
    check("a\nb", "x: \"a\\nb\"", true);
    check("a\nb", "x: a b", false);
}

fn manifest(field: &str) -> String {
    format!("{WITHOUT_TYPES}\nkind: App\nmetadata: {{name: app}}\n{field}\n")
}
