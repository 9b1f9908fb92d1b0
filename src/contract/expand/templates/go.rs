//! Go templates, as far as they are values: `text/template` of Go 1.26 with `default` of
//! Sprig 3.3.0, on the types that Argo CD's parameters have.

use crate::contract::expand::parameters::{Object, Parameter, Parameters};
use crate::contract::expand::problems::Place;
use crate::contract::expand::templates::Renderer;
use crate::reference::{ACTION_OPENER, Action, Expression, ExpressionKind, parse_action};

/// What a field of a missing key is: `missingkey=` of `goTemplateOptions`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(in crate::contract::expand) enum MissingKey {
    /// `default` or `invalid`: nothing, which Argo CD writes as `<no value>`.
    #[default]
    Nothing,
    /// `zero`: the zero value of the map's values.
    Zero,
    /// `error`
    Error,
}

/// What an expression is.
enum Evaluated {
    Value(Parameter),
    /// There is no such key. `path` is what was looked up.
    Absent {
        path: String,
        /// Whether Argo CD writes an empty string: the key of `index` in a map of strings.
        is_zero: bool,
    },
}

/// Why an expression has no value.
struct Failure {
    range: std::ops::Range<usize>,
    why: Why,
}

enum Why {
    Missing {
        path: String,
        reason: Option<String>,
    },
    Wrong {
        message: String,
        help: &'static str,
    },
}

const FALLBACK: &str = "provide a fallback with `default`, or set the parameter everywhere";

impl Renderer<'_, '_> {
    /// Replaces the actions of a Go template.
    pub(super) fn go(
        &mut self,
        id: yaml::NodeId,
        text: &str,
        missing_key: MissingKey,
    ) -> Option<String> {
        let mut rendered = String::with_capacity(text.len());
        let (mut at, mut trims, mut is_whole) = (0, false, true);
        while let Some(length) = text.get(at..).and_then(|rest| rest.find(ACTION_OPENER)) {
            let start = at + length;
            let action = match parse_action(text, start) {
                Ok(action) => action,
                Err(error) => {
                    let wrong = text.get(error.at..).unwrap_or_default();
                    let length = wrong.chars().next().map_or(0, char::len_utf8);
                    let range = error.at..error.at + length;
                    let place = Place {
                        id,
                        text,
                        range: &range,
                    };
                    let message = if error.unterminated {
                        format!("unclosed action: {}", error.message)
                    } else {
                        error.message
                    };
                    let help = error
                        .help
                        .unwrap_or_else(|| "close it with `}}`".to_owned());
                    self.problems.error_at(place, message, help);
                    return None;
                }
            };
            push_text(
                &mut rendered,
                text.get(at..start).unwrap_or_default(),
                trims,
                action.trims_before,
            );
            at = action.range.end;
            trims = action.trims_after;
            is_whole &= self.action(id, text, &action, missing_key, &mut rendered);
        }
        push_text(
            &mut rendered,
            text.get(at..).unwrap_or_default(),
            trims,
            false,
        );
        is_whole.then_some(rendered)
    }

    /// Writes the value of an action. Returns false after reporting a problem.
    fn action(
        &mut self,
        id: yaml::NodeId,
        text: &str,
        action: &Action,
        missing_key: MissingKey,
        rendered: &mut String,
    ) -> bool {
        let Some(expression) = &action.expression else {
            return true;
        };
        let evaluation = Evaluation {
            parameters: self.parameters,
            missing_key,
        };
        match evaluation.printed(expression) {
            Ok(value) => {
                if let Parameter::Number(digits) = &value
                    && let Some(printed) = value.printed().filter(|printed| printed.contains('e'))
                    && !digits.contains(['e', 'E'])
                {
                    let place = Place {
                        id,
                        text,
                        range: &expression.range,
                    };
                    self.inexact(place, digits, &printed);
                }
                rendered.push_str(&value.printed().unwrap_or_default());
                true
            }
            Err(Failure { range, why }) => {
                let place = Place {
                    id,
                    text,
                    range: &range,
                };
                match why {
                    Why::Missing { path, reason } => self.missing(place, &path, reason.as_deref()),
                    Why::Wrong { message, help } => self.problems.error_at(place, message, help),
                }
                false
            }
        }
    }

    fn inexact(&mut self, place: Place<'_>, digits: &str, printed: &str) {
        let span = self
            .problems
            .document
            .span_in(place.id, place.text, place.range);
        let message = format!("Argo CD writes the number {digits} as `{printed}`");
        let warning =
            crate::report::Diagnostic::warning(crate::report::Rule::MisreadApplicationSet, message)
                .at(self.problems.document.origin, span, "")
                .help("quote the number where the parameter is set: a string is written as it is");
        self.problems.push(place.id, place.range.start, warning);
    }
}

/// Appends text between two actions, without the white space that they remove.
fn push_text(rendered: &mut String, text: &str, trims_start: bool, trims_end: bool) {
    const SPACE: [char; 4] = [' ', '\t', '\r', '\n'];
    let text = if trims_start {
        text.trim_start_matches(SPACE)
    } else {
        text
    };
    rendered.push_str(if trims_end {
        text.trim_end_matches(SPACE)
    } else {
        text
    });
}

/// The evaluation of expressions; it ends, because expressions are a tree.
struct Evaluation<'e> {
    parameters: &'e Parameters,
    missing_key: MissingKey,
}

impl Evaluation<'_> {
    /// Returns the value that an action writes: a string, a number or a bool.
    fn printed(&self, expression: &Expression) -> Result<Parameter, Failure> {
        let fail = |why| {
            Err(Failure {
                range: expression.range.clone(),
                why,
            })
        };
        match self.evaluate(expression)? {
            Evaluated::Absent { path, is_zero } => fail(Why::Missing {
                path,
                reason: is_zero.then(|| format!("Argo CD writes an empty string; {FALLBACK}")),
            }),
            Evaluated::Value(Parameter::Null) => fail(Why::Missing {
                path: shown(expression),
                reason: Some(format!("it is null; {FALLBACK}")),
            }),
            Evaluated::Value(value @ (Parameter::List(_) | Parameter::Object(_))) => {
                fail(Why::Wrong {
                    message: format!(
                        "`{}` is {}, which has no text",
                        shown(expression),
                        value.described()
                    ),
                    help: "write one of its members",
                })
            }
            Evaluated::Value(value) => Ok(value),
        }
    }

    fn evaluate(&self, expression: &Expression) -> Result<Evaluated, Failure> {
        Ok(match &expression.kind {
            ExpressionKind::String(text) => Evaluated::Value(Parameter::String(text.clone())),
            ExpressionKind::Integer(digits) => Evaluated::Value(Parameter::String(digits.clone())),
            ExpressionKind::Bool(value) => Evaluated::Value(Parameter::Bool(*value)),
            ExpressionKind::Field(names) => return self.field(expression, names),
            ExpressionKind::Index { value, keys } => return self.index(expression, value, keys),
            ExpressionKind::Default {
                fallback, value, ..
            } => {
                // Go evaluates all arguments.
                let fallback_value = self.evaluate(fallback)?;
                match self.evaluate(value)? {
                    Evaluated::Value(value) if !value.is_empty() => Evaluated::Value(value),
                    _ => fallback_value,
                }
            }
        })
    }

    fn field(
        &self,
        expression: &Expression,
        names: &[(String, std::ops::Range<usize>)],
    ) -> Result<Evaluated, Failure> {
        let fail = |why| {
            Err(Failure {
                range: expression.range.clone(),
                why,
            })
        };
        let mut object: Option<&Object> = None;
        for (nth, (name, _)) in names.iter().enumerate() {
            let path = || shown_names(names.get(..=nth).unwrap_or_default());
            let (entries, only_strings) = match object {
                None => (self.parameters, false),
                Some(object) => (&object.entries, object.only_strings),
            };
            let Some(value) = entries.get(name) else {
                let path = path();
                return match self.missing_key {
                    MissingKey::Error => fail(Why::Missing {
                        path: shown(expression),
                        reason: None,
                    }),
                    MissingKey::Zero if only_strings => {
                        let is_last = nth + 1 == names.len();
                        if is_last {
                            Ok(Evaluated::Value(Parameter::String(String::new())))
                        } else {
                            fail(no_fields(&path, &Parameter::String(String::new())))
                        }
                    }
                    MissingKey::Zero if nth + 1 < names.len() => {
                        fail(Why::Missing { path, reason: None })
                    }
                    _ => Ok(Evaluated::Absent {
                        path: shown(expression),
                        is_zero: false,
                    }),
                };
            };
            if nth + 1 == names.len() {
                return Ok(Evaluated::Value(value.clone()));
            }
            match value {
                Parameter::Object(inside) => object = Some(inside),
                Parameter::Null => {
                    return fail(Why::Missing {
                        path: shown(expression),
                        reason: Some(format!("`{}` is null", path())),
                    });
                }
                other => return fail(no_fields(&path(), other)),
            }
        }
        Ok(Evaluated::Absent {
            path: String::new(),
            is_zero: false,
        })
    }

    fn index(
        &self,
        expression: &Expression,
        value: &Expression,
        keys: &[Expression],
    ) -> Result<Evaluated, Failure> {
        let fail = |why| {
            Err(Failure {
                range: expression.range.clone(),
                why,
            })
        };
        let mut at = match self.evaluate(value)? {
            Evaluated::Value(Parameter::Null) | Evaluated::Absent { .. } => {
                return fail(Why::Missing {
                    path: shown(value),
                    reason: Some(
                        "`index` fails without a map: `default` around it does not help".to_owned(),
                    ),
                });
            }
            Evaluated::Value(value) => value,
        };
        let mut path = shown(value);
        for (nth, key) in keys.iter().enumerate() {
            let is_last = nth + 1 == keys.len();
            let Evaluated::Value(key) = self.evaluate(key)? else {
                return fail(Why::Missing {
                    path: shown(key),
                    reason: None,
                });
            };
            at = match (&at, &key, &keys.get(nth).map(|key| &key.kind)) {
                (Parameter::Object(object), Parameter::String(name), kind)
                    if !matches!(kind, Some(ExpressionKind::Integer(_))) =>
                {
                    path = format!("{path}.{name}");
                    match object.entries.get(name) {
                        Some(value) => value.clone(),
                        None if is_last => {
                            let is_zero = object.only_strings;
                            return Ok(Evaluated::Absent { path, is_zero });
                        }
                        None => return fail(Why::Missing { path, reason: None }),
                    }
                }
                (
                    Parameter::List(items),
                    Parameter::String(digits),
                    Some(ExpressionKind::Integer(_)),
                ) => {
                    path = format!("{path}.{digits}");
                    let item = digits.parse::<usize>().ok().and_then(|nth| items.get(nth));
                    match item {
                        Some(item) => item.clone(),
                        None => {
                            let message = format!(
                                "`{path}` is out of range: the list has {} items",
                                items.len()
                            );
                            return fail(Why::Wrong {
                                message,
                                help: "the first item is 0",
                            });
                        }
                    }
                }
                (at, _, _) => {
                    let message = format!("`{path}` is {}, which has no such key", at.described());
                    let help = "the keys of objects are strings, those of lists are integers";
                    return fail(Why::Wrong { message, help });
                }
            };
        }
        Ok(Evaluated::Value(at))
    }
}

fn no_fields(path: &str, value: &Parameter) -> Why {
    Why::Wrong {
        message: format!("`{path}` is {}, which has no fields", value.described()),
        help: "remove what follows it",
    }
}

fn shown_names(names: &[(String, std::ops::Range<usize>)]) -> String {
    let names: Vec<&str> = names.iter().map(|(name, _)| name.as_str()).collect();
    names.join(".")
}

/// Returns an expression as a path, as plain templates write it.
fn shown(expression: &Expression) -> String {
    match &expression.kind {
        ExpressionKind::Field(names) => shown_names(names),
        ExpressionKind::Index { value, keys } => {
            let mut path = shown(value);
            for key in keys {
                path.push('.');
                path.push_str(&shown(key));
            }
            path
        }
        ExpressionKind::Default { value, .. } => shown(value),
        ExpressionKind::String(text) | ExpressionKind::Integer(text) => text.clone(),
        ExpressionKind::Bool(value) => value.to_string(),
    }
}
