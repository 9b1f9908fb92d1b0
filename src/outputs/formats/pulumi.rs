//! `pulumi stack output --json`: an object of names to values of any type. Secrets are
//! masked, or with `--show-secrets` in plain text without a mark
//! (pkg/cmd/pulumi/stack/stack_output.go).

use crate::outputs::ReadOutputs;
use crate::outputs::document::Document;
#[cfg(feature = "toys")]
use crate::outputs::formats::sample::{FormatSample, member};
use crate::outputs::formats::{AsManifest, Format, Properties, Publication, Recognition, unmarked};

pub(super) struct Pulumi;

const ID: &str = "pulumi";

const HELP: &str = "bind the unchanged result of `pulumi stack output --json > outputs.json`";

impl Format for Pulumi {
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
                what: "is a JSON object, as written by `pulumi stack output`",
                otherwise: "",
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
    use super::super::tests::{check_all_redacted, check_read};

    #[test]
    fn reads_the_outputs_of_a_stack() {
        check_read(
            "pulumi",
            "{\"vpcId\": \"vpc-0ab1\", \"replicas\": 3, \"subnets\": [\"a\"]}",
            &[
                "\"vpcId\" = \"vpc-0ab1\"",
                "\"replicas\" = 3",
                "\"subnets\" = [\"a\"]",
            ],
        );
    }

    #[test]
    fn no_unmarked_format_reads_a_masked_secret() {
        for (format, content, name) in [
            ("pulumi", "{\"a\": \"[secret]\", \"b\": 1}", "\"a\""),
            (
                "json",
                "{\"a\": {\"k\": [\"[secret]\"]}, \"b\": 1}",
                "\"a\"",
            ),
            ("cdk", "{\"a\": {\"k\": \"[secret]\"}, \"b\": {}}", "\"a\""),
            ("yaml", "a: '[secret]'\nb: 1\n", "a"),
            ("dotenv", "a='[secret]'\nb=1\n", "a"),
        ] {
            let document = super::super::tests::document(format, content);
            let read = crate::outputs::read(&document, crate::Origin::Outputs(0));
            let names: Vec<_> = read.outputs.iter().map(|output| &*output.name).collect();
            assert_eq!(names, ["b"], "{format}");
            assert!(read.diagnostics.is_empty(), "{:?}", read.diagnostics);
            let [masked] = read.unreadable.as_slice() else {
                panic!("{format}: {:?}", read.unreadable);
            };
            assert_eq!(masked.why, "it is masked", "{format}");
            assert_eq!(&content[masked.span.range()], name, "{format}");
            let help = masked.help;
            for words in ["--show-secrets", "pulumi stack export", "`sensitive`"] {
                assert!(help.contains(words), "{help}");
            }
        }
    }

    #[test]
    fn redacts_every_value_of_a_document_from_a_secret() {
        check_all_redacted("pulumi", "{\"a\": \"hunter2\"}", "{\"a\": \"(sensitive)\"}");
    }
}
