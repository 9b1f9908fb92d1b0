//! Any functions in any order on any value: they terminate, they reveal no secret, and
//! what is not marked sensitive depends on nothing that is. `PROPTEST_CASES=100000` runs
//! more cases.

use std::collections::BTreeMap;
use std::ops::Range;

use proptest::prelude::*;

use crate::bind::resolve::{Outcome, Resolved, resolve};
use crate::functions::{FUNCTIONS, Function};
use crate::outputs::{Bindings, Declarations, OutputsDocument, Value};
use crate::reference::LANDFALL;
use crate::reference::Site;
use crate::report::{Diagnostic, Origin};
use yaml::Span;

/// Returns a strategy for a regular expression, which is parsed once and not for every
/// text.
fn matching(expression: &str) -> impl Strategy<Value = String> + Clone + use<> {
    prop::string::string_regex(expression).unwrap().boxed()
}

/// Words that no message contains by chance, in the formats that functions read.
fn word() -> impl Strategy<Value = String> {
    let part = matching("[zq][0-9αß]{4,6}");
    let two = (part.clone(), part.clone());
    prop_oneof![
        4 => part.clone(),
        1 => two.clone().prop_map(|(a, b)| format!("{a}, {b}\n{b}")),
        1 => two.clone().prop_map(|(a, b)| format!("https://{a}.{b}:8443/x")),
        1 => two.prop_map(|(a, b)| format!("arn:{a}:iam::{b}:role/{a}")),
        1 => part.prop_map(|a| format!("{a}=")),
        1 => Just("enExMjM0NQ==".to_owned()),
        1 => Just("10.20.0.0/14".to_owned()),
        1 => Just("fd00:99::/61".to_owned()),
        1 => matching("-?[1-9][0-9]{6,40}(\\.[0-9]{3})?(e-[1-9])?"),
        1 => matching("\\PC{0,12}"),
        1 => prop::collection::vec(any::<char>(), 0..3).prop_map(String::from_iter),
    ]
}

fn json() -> impl Strategy<Value = serde_json::Value> {
    let scalar = prop_oneof![
        6 => word().prop_map(serde_json::Value::from),
        1 => Just(serde_json::Value::Null),
        1 => any::<bool>().prop_map(serde_json::Value::from),
        2 => any::<i64>().prop_map(serde_json::Value::from),
        1 => any::<f64>().prop_map(serde_json::Value::from),
    ];
    scalar.prop_recursive(3, 24, 5, |inside| {
        prop_oneof![
            prop::collection::vec(inside.clone(), 0..5).prop_map(serde_json::Value::from),
            prop::collection::btree_map(word(), inside, 0..4)
                .prop_map(|entries| serde_json::Value::Object(entries.into_iter().collect())),
        ]
    })
}

/// Mostly what outputs usually are: a string, a list of strings, an object of strings.
fn output() -> impl Strategy<Value = serde_json::Value> {
    let object = prop::collection::btree_map(word(), word(), 1..4);
    prop_oneof![
        3 => word().prop_map(serde_json::Value::from),
        2 => prop::collection::vec(word(), 1..4).prop_map(serde_json::Value::from),
        2 => object.prop_map(|entries| serde_json::json!(entries)),
        1 => json(),
    ]
}

fn argument() -> impl Strategy<Value = String> {
    prop_oneof![
        1 => Just("\"\"".to_owned()),
        1 => matching("\"[a-z0-9:,./=%-]{1,3}\""),
        1 => matching("'[zq][0-9]{4}'"),
        1 => Just("\"account\"".to_owned()),
        1 => Just("\"why\"".to_owned()),
        1 => (-4..40_i32).prop_map(|n| n.to_string()),
        1 => any::<i128>().prop_map(|n| n.to_string()),
        1 => Just("1.5e3".to_owned()),
        1 => Just("true".to_owned()),
        1 => Just("null".to_owned()),
        8 => matching("infra\\.[abcx]"),
        8 => matching("infra\\.[abc]\\[[01]\\]"),
    ]
}

fn call() -> impl Strategy<Value = String> {
    let names: Vec<_> = FUNCTIONS.iter().map(|function| function.name).collect();
    let with_arguments: Vec<_> = FUNCTIONS
        .iter()
        .filter(|function| !function.parameters.is_empty())
        .map(|function| function.name)
        .collect();
    let name = prop_oneof![
        1 => prop::sample::select(names),
        2 => prop::sample::select(with_arguments),
    ];
    (name, prop::collection::vec(argument(), 3), any::<u8>()).prop_map(
        |(name, arguments, arity)| {
            let function = Function::of_name(name).unwrap();
            // Sometimes a number of arguments that the function does not accept.
            let min = (0..4).find(|n| function.accepts_count(*n)).unwrap_or(0);
            let max = (0..4).rfind(|n| function.accepts_count(*n)).unwrap_or(0);
            let count = match arity {
                0..8 => usize::from(arity % 4),
                8..128 => min,
                _ => max,
            };
            if name == "each" {
                let nested = &arguments[0];
                return match arity % 4 {
                    0 => "each(each(upper))".to_owned(),
                    1 => "each(default(infra.c))".to_owned(),
                    2 => format!("each(object({nested}))"),
                    _ => format!("each(prefix({nested}))"),
                };
            }
            match arguments.get(..count.min(3)) {
                Some(arguments) if count > 0 => format!("{name}({})", arguments.join(", ")),
                _ => name.to_owned(),
            }
        },
    )
}

/// Two sets of outputs that differ only in their sensitive values, and a pipeline.
#[derive(Debug)]
struct Case {
    outputs: BTreeMap<&'static str, (bool, [serde_json::Value; 2])>,
    calls: Vec<String>,
    /// Calls that are tried one after the other.
    candidates: Vec<String>,
}

fn case() -> impl Strategy<Value = Case> {
    let output = (any::<bool>(), output(), output()).boxed();
    let outputs = [output.clone(), output.clone(), output];
    (outputs, prop::collection::vec(call(), 16)).prop_map(|(outputs, candidates)| Case {
        outputs: ["a", "b", "c"]
            .into_iter()
            .zip(outputs)
            .map(|(name, (sensitive, one, other))| {
                let other = if sensitive { other } else { one.clone() };
                (name, (sensitive, [one, other]))
            })
            .collect(),
        calls: Vec::new(),
        candidates,
    })
}

impl Case {
    fn bindings(&self, nth: usize) -> Bindings {
        let document: serde_json::Map<_, _> = self
            .outputs
            .iter()
            .map(|(name, (sensitive, values))| {
                let output = serde_json::json!({"sensitive": sensitive, "value": values[nth]});
                ((*name).to_owned(), output)
            })
            .collect();
        let document = OutputsDocument {
            name: "infra".to_owned(),
            content: serde_json::Value::Object(document).to_string().into_bytes(),
            ..OutputsDocument::default()
        };
        let (bindings, diagnostics) = Bindings::read(&[document], &Declarations::default());
        assert_eq!(diagnostics.as_slice(), []);
        bindings
    }

    fn text(&self) -> String {
        let calls: Vec<_> = self.calls.iter().map(|call| format!(" | {call}")).collect();
        format!("${{infra.a{}}}", calls.concat())
    }

    fn is_sensitive(&self, name: &str) -> bool {
        self.outputs
            .get(name)
            .is_some_and(|(sensitive, _)| *sensitive)
    }

    fn has_sensitive_reference(&self) -> bool {
        let text = self.text();
        ["a", "b", "c"]
            .iter()
            .any(|name| self.is_sensitive(name) && text.contains(&format!("infra.{name}")))
    }
}

fn resolved<'b>(text: &str, bindings: &'b Bindings) -> Result<Resolved<'b>, Box<Diagnostic>> {
    let span_of = |range: &Range<usize>| Span::new(range.start, range.end);
    let site = Site {
        dialect: LANDFALL,
        manifest: Origin::Manifest(0),
        span_of: &span_of,
        style: yaml::Style::Plain,
    };
    let policy = crate::config::policy::Policy::default();
    let reference = LANDFALL.parse(text, 0).unwrap();
    match resolve(&reference, bindings, &policy, &site)? {
        Outcome::Resolved(resolved) => Ok(resolved),
        Outcome::Withheld(withheld) => {
            let value = withheld.evaluate(&reference, bindings, &policy, &site)?;
            Ok(value)
        }
    }
}

/// Returns everything that a diagnostic says.
fn reported(diagnostic: &Diagnostic) -> String {
    let fixes: Vec<_> = diagnostic
        .fixes
        .iter()
        .flat_map(|fix| &fix.edits)
        .map(|edit| String::from_utf8_lossy(&edit.text).into_owned())
        .collect();
    let labels: Vec<_> = diagnostic
        .labels
        .iter()
        .map(|label| label.message.as_str())
        .collect();
    format!(
        "{}\n{labels:?}\n{}\n{fixes:?}",
        diagnostic.message,
        diagnostic.help.as_deref().unwrap_or_default()
    )
}

/// Returns everything that is reported for an outcome.
fn all_reported(outcome: &Result<Resolved<'_>, Box<Diagnostic>>) -> Vec<String> {
    match outcome {
        Ok(resolved) => resolved.warnings.iter().map(reported).collect(),
        Err(error) => vec![reported(error)],
    }
}

/// Collects the texts and keys of a value that are long enough to be unambiguous. Messages say
/// `true` and `false` themselves.
fn texts(value: &Value, found: &mut Vec<String>) {
    let mut push = |text: &str| {
        if text.chars().count() >= 5 && text != "false" {
            found.push(text.to_owned());
        }
    };
    match value {
        Value::Null | Value::Bool(_) => {}
        Value::Number(text) | Value::String(text) => push(text),
        Value::List(items) => items.iter().for_each(|item| texts(item, found)),
        Value::Object(entries) => {
            for (key, _) in entries {
                push(&key.name);
            }
            entries.iter().for_each(|(_, value)| texts(value, found));
        }
    }
}

proptest! {
    #![proptest_config(landfall_test_support::property::cases(256))]

    #[test]
    fn no_pipeline_reveals_or_loses_a_secret(mut case in case()) {
        let [one, other] = [case.bindings(0), case.bindings(1)];
        let (mut secrets, mut public) = (Vec::new(), Vec::new());
        for (name, bound) in one.outputs("infra").unwrap() {
            let found = if case.is_sensitive(name) { &mut secrets } else { &mut public };
            texts(&bound.value, found);
        }
        for candidate in std::mem::take(&mut case.candidates) {
            case.calls.push(candidate);
            let text = case.text();
            let outcome = resolved(&text, &one);
            let outcome_of_other = resolved(&text, &other);
            let reported_of_other = all_reported(&outcome_of_other);
            for reported in all_reported(&outcome) {
                // What the author wrote may be reported, and so may public values. What
                // is also reported for other secrets is not secret: `true or false`.
                let leak = secrets.iter().find(|secret| {
                    reported.contains(*secret)
                        && !text.contains(*secret)
                        && !public.iter().any(|public| public.contains(*secret))
                        && !reported_of_other.iter().any(|reported| reported.contains(*secret))
                });
                prop_assert_eq!(leak, None, "{} reveals {}", text, reported);
            }
            let Ok(one) = outcome else {
                // The next candidate is added to the previous pipeline.
                case.calls.pop();
                continue;
            };
            let has_nonsensitive = case.calls.iter().any(|call| call == "nonsensitive");
            prop_assert!(!case.is_sensitive("a") || one.is_sensitive() || has_nonsensitive, "{}", text);
            if case.has_sensitive_reference() {
                texts(&one.value, &mut secrets);
            } else {
                prop_assert!(!one.is_sensitive(), "{}", text);
            }
            // Only marked values depend on a secret.
            if let Ok(other) = outcome_of_other && !one.is_sensitive() && !other.is_sensitive() && !has_nonsensitive {
                prop_assert_eq!(one.value.to_json(), other.value.to_json(), "{}", text);
            }
        }
    }
}
