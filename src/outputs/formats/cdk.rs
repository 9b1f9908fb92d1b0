//! `cdk deploy --outputs-file`: `{stack: {name: "value"}}`. An output is the object of a
//! stack.

use crate::outputs::ReadOutputs;
use crate::outputs::document::Document;
#[cfg(feature = "toys")]
use crate::outputs::formats::sample::{FormatSample, member};
use crate::outputs::formats::{AsManifest, Format, Properties, Publication, Recognition, unmarked};
use crate::outputs::json::Member;

pub(super) struct Cdk;

const ID: &str = "cdk";

const HELP: &str = "bind the unchanged result of `cdk deploy --outputs-file outputs.json`";

impl Format for Cdk {
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
        let is_string = |member: &Member<'_>| member.value.string().is_some();
        let is_stack = |stack: &Member<'_>| {
            stack.value.is_object() && stack.value.members().iter().all(is_string)
        };
        match document.members() {
            Ok(stacks) if stacks.iter().all(is_stack) => Recognition::Generic {
                what: "is a JSON object of objects of strings, as written by `cdk deploy --outputs-file`",
                otherwise: " (`format: json` if another program wrote it)",
            },
            _ => Recognition::No,
        }
    }

    fn read(&self, document: &Document<'_>) -> ReadOutputs {
        let mut read = unmarked::read_members(document, ID, HELP);
        if !read.diagnostics.has_errors() && self.recognise(document) == Recognition::No {
            let message = "the outputs document is not an object of stacks with strings";
            let error = document.invalid(message.to_owned(), document.start, "");
            read.diagnostics.push(error.help(HELP));
            read.outputs.clear();
        }
        read
    }

    #[cfg(feature = "toys")]
    fn sample(&self) -> FormatSample {
        FormatSample {
            path: "stack.",
            ..FormatSample::in_flow("{\"stack\": {", member, "}}")
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::{check_all_redacted, check_read};

    #[track_caller]
    fn check(content: &str, expected: &[&str]) {
        check_read("cdk", content, expected);
    }

    #[test]
    fn reads_an_object_for_each_stack() {
        check(
            "{\"Shop\": {\"VpcId\": \"vpc-0ab1\"},\n \"Data\": {}}",
            &["\"Shop\" = {\"VpcId\":\"vpc-0ab1\"}", "\"Data\" = {}"],
        );
        check("{}", &[]);
    }

    #[test]
    fn rejects_other_objects() {
        for content in ["{\"Shop\": \"vpc-0ab1\"}", "{\"Shop\": {\"Replicas\": 3}}"] {
            check(
                content,
                &[
                    "the outputs document is a JSON object whose members are not outputs: each needs a `value`: 1:1",
                ],
            );
        }
    }

    #[test]
    fn rejects_duplicate_stacks_and_outputs() {
        check(
            "{\"Shop\": {\"A\": \"x\", \"A\": \"y\"}, \"Data\": {}, \"Data\": {}}",
            &[
                "\"Data\" = {}",
                "duplicate key in an object of the output `Shop`: \"A\", \"A\"",
                "duplicate output `Data` in one document: \"Data\", \"Data\"",
            ],
        );
    }

    #[test]
    fn redacts_every_value_of_a_document_from_a_secret() {
        check_all_redacted(
            "cdk",
            "{\"Shop\": {\"Key\": \"hunter2\", \"public\": \"hunter2\"}}",
            "{\"Shop\": {\"public\": \"(sensitive)\"}}",
        );
    }
}
