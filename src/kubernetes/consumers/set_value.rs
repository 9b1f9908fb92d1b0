//! Values of Helm's options `--set`, `--set-string` and `--set-file`, which programs make of
//! fields: escapes, and the types that Helm gives to texts (`pkg/strvals`, Helm 4.3.1).
//!
//! In a value, `\` makes the next character text, a comma ends the value, and a `{` at its
//! start begins a list. Argo CD escapes commas that are not after a `\`
//! (`cleanSetParameters` in util/helm/cmd.go, argo-cd v3.2.12), and the Helm controller those
//! that are not escaped (`escapeComma` in pkg/controllers/chart/chart.go): a comma with a `\`
//! before it reaches Helm as it is. Crossplane escapes none.

use std::ops::Range;

use crate::kubernetes::in_quotes;

/// How a text becomes a value of an option.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum SetValue {
    /// `--set`, or `--set-string` with `forceString: true`: a parameter of Argo CD.
    Parameter,
    /// `--set-file`: the path of a file, whose text is the value.
    FileParameter,
    /// `--set` for words, else `--set-string`: the Helm controller.
    HelmChart,
    /// `--set`: a member of `set` in a Release of Crossplane.
    Release,
    /// What is before the `=` of an option: the name of a parameter, in which `.` separates
    /// keys and `[0]` is an index.
    Name,
    /// No option of Helm, but a variable or an argument of Jsonnet: with `code: true` beside it,
    /// Argo CD evaluates the text (`makeJsonnetVm` in reposerver/repository/repository.go).
    Jsonnet,
}

/// A value in the text of a field.
#[derive(Clone, Debug)]
pub(crate) struct ValueInText {
    /// Its bytes.
    pub(crate) bytes: Range<usize>,
    /// Whether its commas separate the items of a list that the author begins with `{`.
    pub(crate) is_joined: bool,
}

impl SetValue {
    /// Returns the type that Helm gives to a text, if it isn't a string.
    pub(crate) fn type_of(self, text: &str) -> Option<&'static str> {
        if matches!(self, Self::FileParameter | Self::Name | Self::Jsonnet) {
            return None;
        }
        if text.eq_ignore_ascii_case("true") || text.eq_ignore_ascii_case("false") {
            return Some("a bool");
        }
        if text.eq_ignore_ascii_case("null") {
            return Some("null");
        }
        let is_integer = text == "0" || !text.starts_with('0') && text.parse::<i64>().is_ok();
        let reads_integers = matches!(self, Self::Parameter | Self::Release);
        (reads_integers && is_integer).then_some("an integer")
    }

    /// Returns the positions in the text of a field before which a `\` is written, so that
    /// Helm reads the values in it as they are. They are ascending. A value in a name may be
    /// meant as a path: see [`SetValue::syntax_in`].
    pub(crate) fn escapes(self, text: &str, values: &[ValueInText]) -> Vec<usize> {
        let mut found = Vec::new();
        if matches!(self, Self::Name | Self::Jsonnet) {
            return found;
        }
        let is_list = is_list(text, values);
        for value in values {
            let mut before = '\0';
            for (at, c) in text
                .get(value.bytes.clone())
                .unwrap_or_default()
                .char_indices()
            {
                let at = value.bytes.start + at;
                let is_escaped = match c {
                    '\\' => true,
                    ',' if is_list => !value.is_joined,
                    ',' => before == '\\' || self == Self::Release,
                    '{' => at == 0 || text.get(..at).is_some_and(|text| text.ends_with("}}")),
                    '}' => is_list,
                    _ => false,
                };
                if is_escaped {
                    found.push(at);
                }
                before = c;
            }
        }
        found
    }

    /// Returns the first character of a value in a name that Helm reads as syntax. A path or an
    /// index that is all of the name is meant as such.
    pub(crate) fn syntax_in(self, text: &str, value: &ValueInText) -> Option<char> {
        let own = text.get(value.bytes.clone()).unwrap_or_default();
        let is_syntax = |c: &char| match c {
            '=' | ',' | '\\' => true,
            '.' | '[' | ']' => own.len() < text.len(),
            _ => false,
        };
        own.chars().find(|c| self == Self::Name && is_syntax(c))
    }

    /// Returns whether Argo CD makes the option, which has `forceString` and `valuesObject`.
    pub(crate) const fn is_of_argo_cd(self) -> bool {
        matches!(self, Self::Parameter | Self::FileParameter)
    }

    /// Returns the type that Helm gives to the text with a value, or to an item of a list in
    /// which the value is, if it isn't a string.
    pub(crate) fn type_with(
        self,
        text: &str,
        value: &ValueInText,
        is_list: bool,
    ) -> Option<&'static str> {
        if !is_list {
            return self.type_of(text);
        }
        let before = text.get(..value.bytes.start).unwrap_or_default();
        let start = before.rfind([',', '{']).map_or(0, |at| at + 1);
        let after = text.get(value.bytes.end..).unwrap_or_default();
        let end = value.bytes.end + after.find([',', '}']).unwrap_or(after.len());
        let items = text.get(start..end).unwrap_or_default();
        if value.is_joined {
            items.split(',').find_map(|item| self.type_of(item))
        } else {
            self.type_of(items)
        }
    }
}

/// Returns for each value in code of Jsonnet whether the author's quotes are around it.
pub(crate) fn in_jsonnet_strings(text: &str, values: &[ValueInText]) -> Vec<bool> {
    in_quotes(text, values.iter().map(|value| &value.bytes), &['"', '\''])
}

/// Returns whether a value has syntax of Jsonnet's quoted texts.
pub(crate) fn jsonnet_reads_otherwise(text: &str, value: &ValueInText) -> bool {
    let own = text.get(value.bytes.clone()).unwrap_or_default();
    own.contains(['"', '\'', '\\'])
}

/// Returns whether the author begins a list: with a `{` that is no action of a template.
pub(crate) fn is_list(text: &str, values: &[ValueInText]) -> bool {
    let is_of_value = |at: usize| values.iter().any(|value| value.bytes.contains(&at));
    let is_action = text.starts_with("{{") && !is_of_value(1);
    text.starts_with('{') && !is_of_value(0) && !is_action
}

/// Returns whether a `\` at the end of a value would escape the comma that follows it in a text
/// that is no list: Argo CD leaves the comma, and it ends the text.
pub(crate) fn ends_at_comma(text: &str, value: &ValueInText) -> bool {
    let own = text.get(value.bytes.clone()).unwrap_or_default();
    let after = text.get(value.bytes.end..).unwrap_or_default();
    own.ends_with('\\') && after.starts_with(',')
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Reads a value as Argo CD writes and Helm reads it: the text, or the items of a list.
    fn read(set_value: SetValue, text: &str) -> Result<Vec<String>, &'static str> {
        let mut option = String::new();
        let mut before = '\0';
        for c in text.chars() {
            let is_list = text.starts_with('{') && text.ends_with('}');
            if c == ',' && before != '\\' && !is_list && set_value.is_of_argo_cd() {
                option.push('\\');
            }
            option.push(c);
            before = c;
        }
        let (mut items, mut item) = (Vec::new(), String::new());
        let is_list = option.starts_with('{');
        let mut chars = option.chars().skip(usize::from(is_list));
        while let Some(c) = chars.next() {
            match c {
                '\\' => item.extend(chars.next()),
                ',' if is_list => items.push(std::mem::take(&mut item)),
                '}' if is_list => {
                    items.push(item);
                    return match chars.next() {
                        None => Ok(items),
                        Some(_) => Err("text after the list"),
                    };
                }
                ',' => return Err("ends at a comma"),
                c => item.push(c),
            }
        }
        if is_list {
            Err("the list has no end")
        } else {
            Ok(vec![item])
        }
    }

    fn written(set_value: SetValue, text: &str, values: &[ValueInText]) -> String {
        let mut written = text.to_owned();
        for at in set_value.escapes(text, values).into_iter().rev() {
            written.insert(at, '\\');
        }
        written
    }

    const HOSTILE: &[&str] = &[
        "", "a", "\\", "\\\\", ",", "\\,", "{", "}", "{}", "{a,b}", "{a", "a}", "a,b", "a\\,b",
        "\\{", "\\}", "{\\", ",,", ",\\", "é,{\\}", "[0]", "a=b", "a.b", "{{", "$x,",
    ];

    #[test]
    fn helm_reads_every_value_as_it_is() {
        let beside = [("", ""), ("x", ""), ("", "y"), ("x-", "-y"), ("x,", "")];
        for (set_value, beside) in [
            (SetValue::Parameter, &beside[..]),
            (SetValue::Release, &beside[..4]),
        ] {
            for value in HOSTILE {
                for (before, after) in beside {
                    let text = format!("{before}{value}{after}");
                    let values = [ValueInText {
                        bytes: before.len()..before.len() + value.len(),
                        is_joined: false,
                    }];
                    let option = written(set_value, &text, &values);
                    let read = read(set_value, &option);
                    assert_eq!(read, Ok(vec![text.clone()]), "{text} {option}");
                }
                let text = format!("{{x{value},y}}");
                let values = [ValueInText {
                    bytes: 2..2 + value.len(),
                    is_joined: false,
                }];
                let items = vec![format!("x{value}"), "y".to_owned()];
                let option = written(set_value, &text, &values);
                assert_eq!(read(set_value, &option), Ok(items), "{text}");
            }
        }
    }

    #[test]
    fn joined_values_are_items() {
        let values = [ValueInText {
            bytes: 1..6,
            is_joined: true,
        }];
        let written = |text| written(SetValue::Parameter, text, &values);
        assert_eq!(written("{a,b\\c}"), "{a,b\\\\c}");
        let option = written("{a\\,bc}");
        assert_eq!(
            read(SetValue::Parameter, &option),
            Ok(vec!["a\\".to_owned(), "bc".to_owned()])
        );
    }

    #[test]
    fn jsonnet_reads_a_text_in_quotes() {
        for (before, value, after, expected) in [
            ("", "eu-west-1", "", (false, false)),
            ("'", "eu-west-1", "'", (true, false)),
            ("\"x-", "eu-west-1", "-y\"", (true, false)),
            ("'a' + ", "b", "", (false, false)),
            ("\"it's\" + ", "b", "", (false, false)),
            ("'it\\'s ", "b", "'", (true, false)),
            ("'", "it's", "'", (true, true)),
            ("'", "a\\", "'", (true, true)),
            ("\"", "\"", "\"", (true, true)),
        ] {
            let in_text = ValueInText {
                bytes: before.len()..before.len() + value.len(),
                is_joined: false,
            };
            let text = format!("{before}{value}{after}");
            let is_in_string = in_jsonnet_strings(&text, std::slice::from_ref(&in_text))[0];
            let found = (is_in_string, jsonnet_reads_otherwise(&text, &in_text));
            assert_eq!(found, expected, "{text}");
        }
    }

    #[test]
    fn finds_syntax_in_names() {
        let check = |text: &str, bytes: Range<usize>, expected: Option<char>| {
            let value = ValueInText {
                bytes,
                is_joined: false,
            };
            assert_eq!(SetValue::Name.syntax_in(text, &value), expected, "{text}");
            assert_eq!(SetValue::Parameter.syntax_in(text, &value), None, "{text}");
        };
        check("image.tag", 0..9, None);
        check("hosts[0]", 0..8, None);
        check("labels.team", 7..11, None);
        check("labels.a.io/b", 7..13, Some('.'));
        check("hosts[0]", 5..8, Some('['));
        check("a=b", 0..3, Some('='));
        check("a,b.c", 0..3, Some(','));
        check("a\\b", 0..3, Some('\\'));
    }

    #[test]
    fn a_backslash_before_the_authors_comma_is_found() {
        for (text, bytes, expected) in [
            ("a\\,b", 0..2, true),
            ("a\\b,", 0..3, false),
            ("a,b", 0..1, false),
            ("a\\", 0..2, false),
        ] {
            let value = ValueInText {
                bytes,
                is_joined: false,
            };
            assert_eq!(ends_at_comma(text, &value), expected, "{text}");
        }
    }

    #[test]
    fn knows_the_types_that_helm_gives() {
        let check = |text: &str, parameter: Option<&str>, chart: Option<&str>| {
            assert_eq!(SetValue::Parameter.type_of(text), parameter, "{text}");
            assert_eq!(SetValue::Release.type_of(text), parameter, "{text}");
            assert_eq!(SetValue::HelmChart.type_of(text), chart, "{text}");
            assert_eq!(SetValue::FileParameter.type_of(text), None, "{text}");
        };
        let integer = Some("an integer");
        for text in [
            "0",
            "1",
            "-5",
            "+5",
            "-0",
            "5432",
            "9223372036854775807",
            "-05",
        ] {
            check(text, integer, None);
        }
        for text in [
            "",
            "012",
            "00",
            "0x10",
            "1e3",
            "1.5",
            " 1",
            "1_000",
            "9223372036854775808",
            "yes",
            "~",
            "nullx",
            "-",
        ] {
            check(text, None, None);
        }
        for text in ["true", "True", "TRUE", "fAlSe"] {
            check(text, Some("a bool"), Some("a bool"));
        }
        for text in ["null", "NULL", "Null"] {
            check(text, Some("null"), Some("null"));
        }
    }
}
