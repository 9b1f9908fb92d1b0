//! Sample values that satisfy a contract, so that manifests can be rendered without any
//! infrastructure.

use crate::config::Spanned;
use crate::config::outputs_contract::matching_text::matching_text;
use crate::config::outputs_contract::{Clause, Contract, Member, Wanted};
use crate::outputs::{Value, terraform_document};
use crate::report::{Diagnostic, Diagnostics, Rule};
use yaml::is_number;

/// The maximum length of a sample, in characters or items. A contract can require any.
const MAX_LENGTH: usize = 4_096;

impl Contract {
    /// Returns a document of sample values for each bound name, in the format `terraform`.
    ///
    /// # Errors
    /// The outputs for which no value can be made.
    pub(crate) fn samples(&self) -> Result<Vec<(String, String)>, Diagnostics> {
        let mut errors = Diagnostics::default();
        let mut documents = Vec::new();
        for section in &self.sections {
            let mut outputs = Vec::new();
            for clause in &section.clauses {
                match clause.sample() {
                    Some(value) => {
                        let name = clause.output.value.as_str();
                        outputs.push((name, value, clause.requires_mark()));
                    }
                    None => errors.push(clause.no_sample(&section.name.value)),
                }
            }
            documents.push((section.name.value.clone(), terraform_document(&outputs)));
        }
        if errors.is_empty() {
            Ok(documents)
        } else {
            Err(errors)
        }
    }
}

impl Clause {
    /// Returns a value that satisfies the clause, if one is found.
    fn sample(&self) -> Option<Value> {
        if let Some(example) = self.example.as_ref()
            && self.accepts(example).is_ok()
        {
            return Some(example.clone());
        }
        if let Some(members) = &self.members {
            let mut values = members.value.iter().flat_map(Member::values);
            return values.find(|value| self.accepts_member(value));
        }
        let mut candidates = self.candidates().into_iter();
        candidates.find(|value| self.accepts(value).is_ok())
    }

    fn no_sample(&self, name: &str) -> Diagnostic {
        let output = &self.output.value;
        let Spanned { origin, span, .. } = self.output;
        let message = format!("cannot make a sample value for `{name}.{output}`");
        Diagnostic::error(Rule::InvalidContract, message)
            .in_config(origin, span, "")
            .help("add an `example` that satisfies its other keys")
    }

    /// Returns values that may satisfy a clause without `enum`, best first.
    fn candidates(&self) -> Vec<Value> {
        let wanted = self.wanted.as_ref().map(|wanted| wanted.value);
        match wanted.unwrap_or_else(|| self.probable_type()) {
            Wanted::String => self.strings().into_iter().map(Value::String).collect(),
            Wanted::Number | Wanted::Integer => self.numbers(),
            Wanted::Bool => vec![Value::Bool(true)],
            Wanted::List => self.list().into_iter().collect(),
            Wanted::Object => vec![Value::Object(Vec::new())],
        }
    }

    /// Returns the type to which the keys of a clause without a type apply.
    fn probable_type(&self) -> Wanted {
        if self.min.is_some() || self.max.is_some() {
            Wanted::Number
        } else {
            Wanted::String
        }
    }

    fn strings(&self) -> Vec<String> {
        let length = self.min_length.as_ref().map_or(0, |least| least.value);
        if length > MAX_LENGTH {
            return Vec::new();
        }
        let mut texts = vec![format!("sample-{}", self.output.value)];
        if let Some(pattern) = &self.pattern {
            let pattern = pattern.value.as_str();
            texts.extend(
                [1, length]
                    .map(|repeat| matching_text(pattern, repeat))
                    .into_iter()
                    .flatten(),
            );
        }
        let padded: Vec<_> = texts
            .iter()
            .map(|text| {
                let missing = length.saturating_sub(text.chars().count());
                let last = text.chars().next_back().unwrap_or('x');
                text.clone() + &last.to_string().repeat(missing)
            })
            .collect();
        texts.extend(padded);
        texts
    }

    fn numbers(&self) -> Vec<Value> {
        let limits: Vec<_> = [&self.min, &self.max]
            .into_iter()
            .flatten()
            .map(|limit| &limit.value)
            .collect();
        let mut texts = vec!["1".to_owned()];
        texts.extend(limits.iter().map(|limit| limit.text.clone()));
        let whole = limits.iter().filter_map(|limit| limit.number.around());
        texts.extend(whole.flatten().map(|whole| whole.to_string()));
        texts.into_iter().map(Value::Number).collect()
    }

    fn list(&self) -> Option<Value> {
        let length = self.min_length.as_ref().map_or(1, |least| least.value);
        let name = &self.output.value;
        let items = match length {
            0 | 1 => vec![Value::String(format!("sample-{name}"))],
            _ if length > MAX_LENGTH => return None,
            _ => (1..=length)
                .map(|nth| Value::String(format!("sample-{name}-{nth}")))
                .collect(),
        };
        Some(Value::List(items))
    }
}

impl Member {
    /// Returns the values that equal this one: an unquoted one may have several types.
    fn values(&self) -> Vec<Value> {
        let text = self.text.clone();
        let other = match text.as_str() {
            _ if !self.is_plain => None,
            "true" => Some(Value::Bool(true)),
            "false" => Some(Value::Bool(false)),
            number if is_number(number) => Some(Value::Number(text.clone())),
            _ => None,
        };
        let other = other.filter(|value| self.equals(value));
        other.into_iter().chain([Value::String(text)]).collect()
    }
}

#[cfg(test)]
mod tests {
    use crate::config::Config;
    use crate::config::outputs_contract::read_document;

    /// Checks the sample of one clause; `None`: there is none.
    #[track_caller]
    fn check(clause: &str, expected: Option<&str>) {
        let text = format!(
            "apiVersion: landfall.dev/v1alpha1\nkind: OutputsContract\nspec: {{infra: {{x: {clause}}}}}\n"
        );
        let config = Config {
            path: String::new(),
            content: text.into(),
        };
        let contract = read_document(&config).unwrap();
        let sample = contract.sections[0].clauses[0]
            .sample()
            .map(|value| value.to_json());
        assert_eq!(sample.as_deref(), expected, "{clause}");
    }

    #[test]
    fn samples_have_the_type_of_their_clause() {
        check("{}", Some("\"sample-x\""));
        check("{type: string}", Some("\"sample-x\""));
        check("{type: number}", Some("1"));
        check("{type: bool}", Some("true"));
        check("{type: list}", Some("[\"sample-x\"]"));
        check("{type: object}", Some("{}"));
    }

    #[test]
    fn samples_satisfy_limits() {
        check("{type: string, minLength: 10}", Some("\"sample-xxx\""));
        check(
            "{type: list, minLength: 2}",
            Some("[\"sample-x-1\",\"sample-x-2\"]"),
        );
        check("{min: 5}", Some("5"));
        check("{type: integer, min: 1.5, max: 2.5}", Some("2"));
        check("{type: integer, min: 0.1, max: 0.9}", None);
        check("{type: number, max: -0.5}", Some("-0.5"));
        check("{type: integer, min: 1e400}", Some("1e400"));
        check("{minLength: 5000}", None);
        check("{type: list, minLength: 99999999999}", None);
    }

    #[test]
    fn samples_match_patterns() {
        check("{pattern: sample}", Some("\"sample-x\""));
        check(
            "{pattern: '^vpc-[0-9a-f]{17}$'}",
            Some("\"vpc-00000000000000000\""),
        );
        check("{pattern: '^vpc-', minLength: 8}", Some("\"vpc-----\""));
        check("{pattern: '^[a-z]+[.]$', minLength: 4}", Some("\"aaaa.\""));
        check("{pattern: '^[[:alpha:]]$'}", None);
    }

    #[test]
    fn the_first_value_of_an_enum_that_has_the_type() {
        check("{enum: [a, b]}", Some("\"a\""));
        check("{enum: [12]}", Some("12"));
        check("{type: string, enum: [12]}", Some("\"12\""));
        check("{type: bool, enum: [1, true]}", Some("true"));
        check("{enum: [1, 5], min: 3}", Some("5"));
        check("{type: list, enum: [a]}", None);
    }

    #[test]
    fn an_example_is_the_sample() {
        check(
            "{type: object, example: {team: a, n: [1, null]}}",
            Some("{\"team\":\"a\",\"n\":[1,null]}"),
        );
        check("{enum: [a, b], example: b}", Some("\"b\""));
    }
}
