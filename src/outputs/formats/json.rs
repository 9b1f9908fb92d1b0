//! Plain JSON: an object of names to values of any type.

use crate::outputs::ReadOutputs;
use crate::outputs::document::Document;
#[cfg(feature = "toys")]
use crate::outputs::formats::sample::{FormatSample, member};
use crate::outputs::formats::{AsManifest, Format, Properties, Publication, Recognition, unmarked};

pub(super) struct Json;

pub(crate) const ID: &str = "json";

const HELP: &str = "write one JSON object of names to values";

impl Format for Json {
    fn properties(&self) -> Properties {
        Properties {
            id: ID,
            marks_sensitive: false,
            as_manifest: AsManifest::Template,
            publication: Publication::ConvertedIfSensitive,
            of_plan: None,
        }
    }

    fn recognise(&self, document: &Document<'_>) -> Recognition {
        match document.members() {
            Ok(_) => Recognition::Generic {
                what: "is a JSON object whose members are not outputs: each needs a `value`",
                otherwise: " (`format: pulumi` if `pulumi stack output --json` wrote it)",
            },
            Err(_) => Recognition::No,
        }
    }

    fn read(&self, document: &Document<'_>) -> ReadOutputs {
        unmarked::read_members(document, ID, HELP)
    }

    #[cfg(feature = "toys")]
    fn sample(&self) -> FormatSample {
        FormatSample::in_flow("{", member, "}")
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::{
        check_all_redacted, check_read, check_redacted, check_sensitive, document,
    };

    #[track_caller]
    fn check(content: &str, expected: &[&str]) {
        check_read("json", content, expected);
    }

    #[test]
    fn reads_values_of_every_type_with_their_digits() {
        check(
            "\u{feff}{\"a\": \"b\", \"c.d-e f:g\": 1.50,\n \"h\": [true, null, {\"i\": 1e-07}]}",
            &[
                "\"a\" = \"b\"",
                "\"c.d-e f:g\" = 1.50",
                "\"h\" = [true,null,{\"i\":1e-07}]",
            ],
        );
        check("{}", &[]);
    }

    #[test]
    fn rejects_duplicate_names_and_keys() {
        check(
            "{\"a\": 1, \"b\": 2, \"\\u0061\": 3}",
            &[
                "\"a\" = 1",
                "\"b\" = 2",
                "duplicate output `a` in one document: \"\\u0061\", \"a\"",
            ],
        );
        check(
            "{\"a\": [{\"k\": 1, \"k\": 2}], \"b\": 1}",
            &[
                "\"b\" = 1",
                "duplicate key in an object of the output `a`: \"k\", \"k\"",
            ],
        );
    }

    #[test]
    fn rejects_marks_that_the_format_would_lose() {
        check(
            "{\"a\": {\"b\": [{\"Sensitive\": true, \"value\": 1}]}, \"c\": {\"sensitive\": 1}}",
            &[
                "1:1 = {\"sensitive\":1}",
                "the output `a` has a `sensitive` mark, which the format `json` would lose: \"a\"",
            ],
        );
        check(
            "{\"a\": {\"4dabf18193072939515e22adb298388d\": \"x\"}}",
            &[
                "the output `a` has a mark of Pulumi's state, which the format `json` would lose: \"a\"",
            ],
        );
    }

    #[test]
    fn hides_the_locations_after_a_mark() {
        check(
            "{\"a\": {\"sensitive\": true, \"value\": \"x\"}, \"b\": 1,\n\"c\": 2}",
            &[
                "1:1 = 1",
                "\"c\" = 2",
                "the output `a` has a `sensitive` mark, which the format `json` would lose: \"a\"",
            ],
        );
        check(
            "{\"a\": [{\"sensitive\": true, \"value\": \"x\", \"sensitive\": false}]}",
            &["the output `a` has an object with a duplicate key: \"a\""],
        );
    }

    #[test]
    fn rejects_what_is_not_an_object_of_outputs() {
        for content in ["[1]", "1"] {
            check(
                content,
                &[
                    "the outputs document is a single value, as written by `terraform output -json NAME`: 1:1",
                ],
            );
        }
        check(
            "{\"a\": }",
            &["the outputs document is not valid JSON: expected a value: 1:1"],
        );
        check(
            "{\"apiVersion\": \"v1\", \"kind\": \"Deployment\"}",
            &["the outputs document is a Kubernetes manifest: 1:1"],
        );
    }

    #[test]
    fn errors_of_a_sensitive_document_reveal_neither_a_value_nor_how_long_it_is() {
        check_sensitive(
            "json",
            "{\"a\": \"hunter2\", \"b\": {\"k\": 1, \"k\": 2}, \"c\": 1}",
            &[
                "\"a\" = \"hunter2\"",
                "1:1 = 1",
                "the output `b` has an object with a duplicate key: 1:1",
            ],
        );
    }

    #[test]
    fn redacts_every_value_of_a_document_from_a_secret() {
        check_all_redacted(
            "json",
            "{\"a\":\"hunter2\",\n\"b\": {\"hunter2\": 1, \"public\": 2}}",
            "{\"a\": \"(sensitive)\",\n\"b\": {\"public\": 0}}",
        );
        let unmarked = "{\"a\": \"b\" }\n";
        check_redacted(&document("json", unmarked), Some((unmarked, &[])));
    }
}
