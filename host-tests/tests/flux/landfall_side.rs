//! Why landfall writes something else than the ideal.

use std::collections::BTreeSet;

use serde::Deserialize as _;
use serde_json::Value as Json;

use crate::case::Case;
use crate::ideal::{Difference, Ideal, Scalar, differences, embedded};
use crate::peer::{Flux, Variables};
use crate::rules::Rule;

/// The character that kustomize writes as it is, and reads as a line break.
pub(crate) const NEXT_LINE: char = '\u{85}';

/// The apiVersion of generated resources of which nobody knows the types.
pub(crate) const WITHOUT_TYPES: &str = "apiVersion: example.com/v1";

/// A dollar sign, written with an escape between double quotes.
const ESCAPED_DOLLAR: &str = "\\x24";

/// Ordinary text in its place; no manifest contains it.
const ORDINARY: &str = "QQdollarQQ";

/// Returns the rules that explain why landfall writes `actual`, without those of the strings
/// in `shared`, which are the same in Flux: they need a reason as well.
///
/// # Errors
/// What no rule explains.
pub(crate) fn explain(
    flux: &mut Flux,
    case: &Case,
    ideal: &Ideal,
    actual: &Json,
    shared: &[&Scalar],
) -> Result<BTreeSet<Rule>, String> {
    let mut side = Side { flux, case };
    let mut rules = BTreeSet::new();
    for difference in &written_differences(ideal, actual) {
        let rule = match difference {
            Difference::Key(key, _) => {
                let meant = key.meant.as_ref();
                Some(meant.map_or(Rule::DropsLineBreaks, |meant| meant.rule))
            }
            Difference::Value(scalar, Json::String(actual)) => side.string(scalar, actual),
            Difference::Value(scalar, actual) if side.has_own_type(scalar, actual) => continue,
            Difference::Value(scalar, actual) => side.typed(scalar, actual),
            Difference::Shape(_) => None,
        };
        let rule = rule.ok_or_else(|| format!("landfall: {}", difference.shown()))?;
        let is_shared = matches!(difference, Difference::Value(scalar, _) if shared.iter().any(|it| std::ptr::eq(*it, *scalar)));
        if !is_shared {
            rules.insert(rule);
        }
    }
    Ok(rules)
}

/// Compares an object with the ideal; keys may be what landfall writes.
fn written_differences<'i>(ideal: &'i Ideal, actual: &Json) -> Vec<Difference<'i>> {
    differences(ideal, actual, &mut |key| key.written().map(str::to_owned))
}

struct Side<'a> {
    flux: &'a mut Flux,
    case: &'a Case,
}

impl Side<'_> {
    /// Explains a string.
    fn string(&mut self, scalar: &Scalar, actual: &str) -> Option<Rule> {
        let text = scalar.written()?;
        if let Some(meant) = &scalar.meant
            && actual == text
        {
            return Some(meant.rule);
        }
        // A block scalar drops the last line breaks of its text, whoever wrote them.
        if actual == text || actual == text.trim_end_matches('\n') {
            return Some(Rule::DropsLineBreaks);
        }
        if is_expanded(&scalar.path) && doubles_dollars(text, actual) {
            return Some(Rule::DoublesDollars);
        }
        if text.contains(NEXT_LINE) && self.loses_next_line(scalar, text, actual) {
            return Some(Rule::LosesNextLine);
        }
        if self.keeps_escapes(scalar, actual) {
            return Some(Rule::KeepsEscapes);
        }
        if self.is_refolded(scalar, actual) {
            return Some(Rule::FoldsAnew);
        }
        self.is_embedded(scalar, actual)
            .then_some(Rule::EmbeddedDocument)
    }

    /// Whether kustomize makes this string of a text with a next line.
    fn loses_next_line(&mut self, scalar: &Scalar, text: &str, actual: &str) -> bool {
        // In a folded scalar, it folds the lines around it anew, too.
        if text.split_whitespace().eq(actual.split_whitespace()) {
            return true;
        }
        let Ok(Json::String(carried)) = self.flux.carried(text) else {
            return false;
        };
        carried == actual || is_expanded(&scalar.path) && doubles_dollars(&carried, actual)
    }

    /// Explains a value that is not a string, but has the text of one.
    fn typed(&mut self, scalar: &Scalar, actual: &Json) -> Option<Rule> {
        let is_values = scalar
            .path
            .starts_with(&["spec".to_owned(), "values".to_owned()]);
        let has_types = !is_values && !self.case.manifest.contains(WITHOUT_TYPES);
        (has_types && self.is_read_as(scalar, actual)).then_some(Rule::FieldType)
    }

    /// Whether a value has the type that it has without any variable, as in Flux: a length,
    /// or a fallback, which is the author's own text.
    fn has_own_type(&mut self, scalar: &Scalar, actual: &Json) -> bool {
        let template = scalar.template.as_str();
        let own = (self.flux).text(template, &Variables::new(), false, true);
        let is_own = self.is_length(template) || own.ok().as_deref() == scalar.written();
        is_own && self.is_read_as(scalar, actual)
    }

    /// Whether a template begins with a length, or is a fallback that does.
    fn is_length(&self, template: &str) -> bool {
        let is_missing = |name: &str| {
            let value = self.case.variables.get(name);
            value.is_none_or(String::is_empty)
        };
        let is_name = |name: &str| name.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_');
        let mut rest = template;
        while let Some((name, fallback)) = rest
            .strip_prefix("${")
            .and_then(|rest| rest.split_once([':', '-', '=', '+', '?']))
            && is_name(name)
            && is_missing(name)
        {
            // Flux's library reads `:+` and `:?` as `:-`.
            rest = fallback.trim_start_matches(['-', '=', '+', '?']);
        }
        rest.starts_with("${#")
    }

    /// Whether Flux reads the text of a string as this number or boolean.
    fn is_read_as(&mut self, scalar: &Scalar, actual: &Json) -> bool {
        let is_typed = actual.is_number() || actual.is_boolean();
        let text = scalar.written().unwrap_or_default();
        is_typed && self.flux.read_at(scalar.place, text).as_ref() == Ok(actual)
    }

    /// Whether the string is written with an escape for `$`, and landfall writes what it becomes
    /// if those dollar signs are ordinary text.
    fn keeps_escapes(&mut self, scalar: &Scalar, actual: &str) -> bool {
        if !self.case.manifest.contains(ESCAPED_DOLLAR) {
            return false;
        }
        let marked = self.case.manifest.replace(ESCAPED_DOLLAR, ORDINARY);
        let decoded = self.flux.decoded(&marked);
        let marked = decoded.as_ref().ok().and_then(|it| at(it, &scalar.path));
        let Some(template) = marked.and_then(Json::as_str) else {
            return false;
        };
        let is_escaped = template.contains(ORDINARY);
        let text = (self.flux).text(template, &self.case.variables, self.case.strict, true);
        is_escaped
            && template.replace(ORDINARY, "$") == scalar.template
            && text.is_ok_and(|text| text.replace(ORDINARY, "$") == actual)
    }

    /// Whether another reader reads another template, and landfall writes its text.
    fn is_refolded(&mut self, scalar: &Scalar, actual: &str) -> bool {
        let source = serde_yaml::Deserializer::from_str(&self.case.manifest)
            .find_map(|document| Json::deserialize(document).ok());
        let read = source.as_ref().and_then(|source| at(source, &scalar.path));
        let Some(template) = read.and_then(Json::as_str) else {
            return false;
        };
        let text = (self.flux).text(template, &self.case.variables, self.case.strict, true);
        template != scalar.template && text.as_deref() == Ok(actual)
    }

    /// Whether the document in a string has the texts as values.
    fn is_embedded(&mut self, scalar: &Scalar, actual: &str) -> bool {
        let (Some(ideal), Some(actual)) = (scalar.embedded.as_deref(), embedded(actual)) else {
            return false;
        };
        let differences = written_differences(ideal, &actual);
        differences.iter().all(|difference| match difference {
            Difference::Key(..) => true,
            Difference::Value(scalar, Json::String(actual)) => {
                scalar.written() == Some(actual.as_str())
            }
            Difference::Value(scalar, actual) => self.has_own_type(scalar, actual),
            Difference::Shape(_) => false,
        })
    }
}

/// Returns the value at a path of keys and positions.
fn at<'j>(value: &'j Json, path: &[String]) -> Option<&'j Json> {
    path.iter().try_fold(value, |value, step| match value {
        Json::Array(items) => items.get(step.parse::<usize>().ok()?),
        _ => value.get(step),
    })
}

/// Whether two texts differ only in runs of `$`, of which the second has up to twice as many.
fn doubles_dollars(text: &str, doubled: &str) -> bool {
    let (mut before, mut after) = (runs(text), runs(doubled));
    loop {
        match (before.next(), after.next()) {
            (Some((dollars, rest)), Some((doubled, same))) => {
                if rest != same || doubled < dollars || doubled > 2 * dollars {
                    return false;
                }
            }
            (None, None) => return true,
            _ => return false,
        }
    }
}

/// Returns the texts that begin after a run of `$`, with the length of the run.
fn runs(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let mut rest = text;
    std::iter::from_fn(move || {
        if rest.is_empty() {
            return None;
        }
        let after = rest.trim_start_matches('$');
        let dollars = rest.len() - after.len();
        let (run, next) = after.split_at(after.find('$').unwrap_or(after.len()));
        rest = next;
        Some((dollars, run))
    })
}

/// Whether Kubernetes expands `$(NAME)` in this field, so that it reads `$$` as `$`.
fn is_expanded(path: &[String]) -> bool {
    let mut steps = path.iter().map(String::as_str);
    let is_container = steps
        .by_ref()
        .any(|step| ["containers", "initContainers", "ephemeralContainers"].contains(&step));
    let rest: Vec<_> = steps.skip(1).collect();
    is_container && matches!(rest[..], ["args" | "command", _] | ["env", _, "value"])
}
