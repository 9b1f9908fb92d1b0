//! Reads a contract from its mapping, and reports every mistake with its location.

use regex_lite::{Regex, RegexBuilder};

use crate::collections::OrderedMap;
use crate::config::Spanned;
use crate::config::keys::CLAUSE;
use crate::config::outputs_contract::{
    Clause, Contract, Decimal, Limit, Member, Section, Wanted, example,
};
use crate::config::reader::Reader;
use crate::outputs::is_name;
use crate::report::suggest;
use yaml::NodeId;

/// The maximum size of a compiled pattern, in bytes: each character of a value costs a step
/// for each of the pattern's states.
const MAX_PATTERN: usize = 64 << 10;

impl Contract {
    /// Reads the mapping `id`, whose path in its document is `what`.
    pub(crate) fn read(reader: &mut Reader<'_>, id: NodeId, what: &str) -> Self {
        let help = "map bound names to their outputs: `infra: {vpc_id: {type: string}}`";
        let mut sections = Vec::new();
        for (name, key, value) in reader.entries(id, what, help) {
            if !is_name(name) {
                let help =
                    "a name starts with a letter or `_`, followed by letters, digits, `_` or `-`";
                reader.error(key, format!("invalid binding name `{name}`"), help);
            }
            let what = format!("{what}.{name}");
            let mut clauses = Vec::new();
            for (output, key, value) in reader.entries(
                value,
                &what,
                "map the names of outputs to their constraints: `vpc_id: {type: string}`",
            ) {
                let output = reader.spanned(key, output.to_owned());
                clauses.push(clause(reader, output, value, &what));
            }
            sections.push(Section {
                name: reader.spanned(key, name.to_owned()),
                clauses,
            });
        }
        Self { sections }
    }
}

fn clause(reader: &mut Reader<'_>, output: Spanned<String>, id: NodeId, what: &str) -> Clause {
    let what = format!("{what}.{}", output.value);
    let fields = reader.mapping(id, &what, &CLAUSE);
    let wanted = wanted(reader, &fields);
    let type_of = wanted.as_ref().map(|wanted| wanted.value);
    let fits = |types: &[Wanted]| type_of.is_none_or(|wanted| types.contains(&wanted));
    for (key, types) in [
        ("pattern", &[Wanted::String][..]),
        ("min", &[Wanted::Number, Wanted::Integer]),
        ("max", &[Wanted::Number, Wanted::Integer]),
        ("minLength", &[Wanted::String, Wanted::List]),
    ] {
        if let Some(id) = fields.get(key)
            && !fits(types)
        {
            let of = type_of.map_or("", Wanted::described);
            let help = "remove it, or change `type`";
            reader.error(*id, format!("`{key}` does not apply to {of}"), help);
        }
    }
    let mut clause = Clause {
        wanted,
        required: fields
            .get("required")
            .and_then(|id| reader.flag(*id, "required"))
            .unwrap_or(true),
        sensitive: fields.get("sensitive").and_then(|id| {
            let flag = reader.flag(*id, "sensitive")?;
            Some(reader.spanned(*id, flag))
        }),
        pattern: fields.get("pattern").and_then(|id| pattern(reader, *id)),
        members: fields.get("enum").map(|id| members(reader, *id)),
        min: number(reader, &fields, "min"),
        max: number(reader, &fields, "max"),
        min_length: min_length(reader, &fields),
        description: fields
            .get("description")
            .and_then(|id| reader.text(*id, "description")),
        example: None,
        must_be_used: fields.get("unused").and_then(|id| {
            let text = reader.text(*id, "unused")?;
            if text != "error" {
                let message = format!("invalid value `{text}` for `unused` of one output");
                let help =
                    "write `error` or remove it; `policy: {unused: …}` applies to all outputs";
                reader.error(*id, message, help);
            }
            Some(reader.span(*id))
        }),
        output,
    };
    if let (Some(min), Some(max)) = (&clause.min, &clause.max)
        && min.value.number > max.value.number
        && let Some(id) = fields.get("max")
    {
        let help = "no number satisfies both: change one of them";
        reader.error(*id, "`max` is less than `min`", help);
    }
    if let Some(id) = fields.get("example") {
        clause.example = example::read(reader, *id, &clause);
    }
    clause
}

fn wanted(reader: &mut Reader<'_>, fields: &OrderedMap<&str, NodeId>) -> Option<Spanned<Wanted>> {
    let id = *fields.get("type")?;
    let text = reader.text(id, "type")?;
    let words = || Wanted::WORDS.iter().map(|(_, word, _)| *word);
    let mut rows = Wanted::WORDS.iter();
    if let Some((wanted, ..)) = rows.find(|(_, word, _)| *word == text) {
        return Some(reader.spanned(id, *wanted));
    }
    // The names that other schema languages use.
    let elsewhere = match text.as_str() {
        "boolean" => Some("bool"),
        "int" => Some("integer"),
        "float" => Some("number"),
        "array" | "set" | "tuple" => Some("list"),
        "map" => Some("object"),
        _ => None,
    };
    let help = match elsewhere.or_else(|| suggest::closest(&text, words())) {
        Some(near) => format!("did you mean `{near}`?"),
        None => format!("expected one of: {}", suggest::listed(words())),
    };
    reader.error(id, format!("unknown type `{text}`"), help);
    None
}

fn pattern(reader: &mut Reader<'_>, id: NodeId) -> Option<Spanned<Regex>> {
    let text = reader.text(id, "pattern")?;
    match RegexBuilder::new(&text).size_limit(MAX_PATTERN).build() {
        Ok(pattern) => Some(reader.spanned(id, pattern)),
        Err(error) => {
            let help = "write a regular expression without look-around or backreferences, such as `^vpc-[0-9a-f]+$`";
            reader.error(id, format!("invalid pattern: {error}"), help);
            None
        }
    }
}

fn members(reader: &mut Reader<'_>, id: NodeId) -> Spanned<Vec<Member>> {
    let items = reader.items(id, "enum");
    if items.is_empty() {
        reader.error(id, "`enum` is empty", "list the allowed values");
    }
    let members = items
        .into_iter()
        .filter_map(|item| {
            let Some(text) = reader.scalar(item) else {
                let help = "lists and objects cannot be compared";
                reader.error(
                    item,
                    "an item of `enum` must be a string, a number or a bool",
                    help,
                );
                return None;
            };
            Some(Member {
                text: text.to_owned(),
                is_plain: reader.is_plain(item),
            })
        })
        .collect();
    reader.spanned(id, members)
}

fn number(
    reader: &mut Reader<'_>,
    fields: &OrderedMap<&str, NodeId>,
    key: &str,
) -> Option<Spanned<Limit>> {
    let id = *fields.get(key)?;
    let text = reader.text(id, key)?;
    match Decimal::read(&text) {
        Some(number) if reader.is_plain(id) => Some(reader.spanned(id, Limit { number, text })),
        _ => {
            let help = "write it as in JSON, without quotes: `3`, `-0.5`, `1e9`";
            reader.error(id, format!("`{key}` must be a number"), help);
            None
        }
    }
}

fn min_length(
    reader: &mut Reader<'_>,
    fields: &OrderedMap<&str, NodeId>,
) -> Option<Spanned<usize>> {
    let id = *fields.get("minLength")?;
    let text = reader.text(id, "minLength")?;
    match text.parse() {
        Ok(length) => Some(reader.spanned(id, length)),
        Err(_) => {
            let help = "it is the number of characters of a string, or of items of a list";
            reader.error(id, "`minLength` must be a whole number", help);
            None
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::Config;
    use crate::config::binding::with_tree;
    use crate::report::{Origin, Rule};

    fn check(text: &str, expected: &[&str]) {
        let config = Config {
            path: String::new(),
            content: text.into(),
        };
        let read = with_tree(&config, Origin::Binding, Rule::InvalidBinding, |tree| {
            let mut reader = Reader::new(tree, 0, Origin::Binding, Rule::InvalidBinding);
            let contract = Contract::read(&mut reader, 0, "spec.contract");
            reader.finish(contract)
        });
        let reported: Vec<String> = match read {
            Ok(contract) => contract
                .sections
                .iter()
                .flat_map(|section| {
                    section.clauses.iter().map(|clause| {
                        let declared = clause.wanted.as_ref().map(|wanted| wanted.value);
                        let wanted = declared.map_or("anything", Wanted::described);
                        let required = if clause.required { "" } else { " or nothing" };
                        let (name, output) = (&section.name.value, &clause.output.value);
                        format!("{name}.{output} is {wanted}{required}")
                    })
                })
                .collect(),
            Err(diagnostics) => crate::config::tests::described(text, &diagnostics),
        };
        assert_eq!(reported, expected, "{text}");
    }

    #[test]
    fn reads_clauses() {
        check("{}", &[]);
        check(
            "infra:\n  vpc_id: {type: string, pattern: ^vpc-, minLength: 3, description: d}\n  azs: {type: list, required: false}\n  any: {}\nnet: {n: {type: integer, min: -1, max: 1e3, enum: [1, 2], unused: error}}\n",
            &[
                "infra.vpc_id is a string",
                "infra.azs is a list or nothing",
                "infra.any is anything",
                "net.n is an integer",
            ],
        );
    }

    #[test]
    fn rejects_invalid_clauses() {
        check(
            "[]",
            &[
                "\"[\": `spec.contract` must be a mapping; map bound names to their outputs: `infra: {vpc_id: {type: string}}`",
            ],
        );
        check(
            "i: {a: {typ: string, type: strin}}",
            &[
                "\"typ\": unknown key `typ` in `spec.contract.i.a`; did you mean `type`?",
                "\"strin\": unknown type `strin`; did you mean `string`?",
            ],
        );
        check(
            "i: {a: {type: boolean}, a: {type: blob}}",
            &[
                "\"a\": duplicate key `a`; keep one of them",
                "\"boolean\": unknown type `boolean`; did you mean `bool`?",
                "\"blob\": unknown type `blob`; expected one of: `string`, `number`, `integer`, `bool`, `list`, `object`",
            ],
        );
        check(
            "1i: {a: {required: yes, unused: note, enum: []}}",
            &[
                "\"1i\": invalid binding name `1i`; a name starts with a letter or `_`, followed by letters, digits, `_` or `-`",
                "\"yes\": invalid value `yes` for `required`; expected `true` or `false`",
                "\"[\": `enum` is empty; list the allowed values",
                "\"note\": invalid value `note` for `unused` of one output; write `error` or remove it; `policy: {unused: …}` applies to all outputs",
            ],
        );
        check(
            "i: {a: {min: low, max: \"3\", minLength: -1, enum: [[1]]}}",
            &[
                "\"[\": an item of `enum` must be a string, a number or a bool; lists and objects cannot be compared",
                "\"low\": `min` must be a number; write it as in JSON, without quotes: `3`, `-0.5`, `1e9`",
                "\"\\\"3\\\"\": `max` must be a number; write it as in JSON, without quotes: `3`, `-0.5`, `1e9`",
                "\"-1\": `minLength` must be a whole number; it is the number of characters of a string, or of items of a list",
            ],
        );
        check(
            "i: {a: {min: 3, max: 2}}",
            &["\"2\": `max` is less than `min`; no number satisfies both: change one of them"],
        );
        check(
            "i: {a: {type: number, pattern: x, minLength: 1}, b: {type: string, min: 1}}",
            &[
                "\"x\": `pattern` does not apply to a number; remove it, or change `type`",
                "\"1\": `minLength` does not apply to a number; remove it, or change `type`",
                "\"1\": `min` does not apply to a string; remove it, or change `type`",
            ],
        );
    }

    #[test]
    fn rejects_unusable_patterns() {
        let wrong = |pattern: &str, why: &str| {
            let text = format!("i: {{a: {{pattern: '{pattern}'}}}}");
            let help = "write a regular expression without look-around or backreferences, such as `^vpc-[0-9a-f]+$`";
            check(
                &text,
                &[&format!(
                    "{:?}: invalid pattern: {why}; {help}",
                    format!("'{pattern}'")
                )],
            );
        };
        wrong("(", "found open group without closing ')'");
        wrong("(?=x)", "look-around is not supported");
        // Repetitions expand when compiled, so the compiled size is bounded.
        wrong("((x{100}){100}){100}", "compiled regex exceeded size limit");
    }
}
