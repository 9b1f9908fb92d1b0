//! `aws cloudformation describe-stacks`: `{"Stacks": [{"StackName": …, "Outputs":
//! [{"OutputKey": …, "OutputValue": …}]}]}`. The outputs of a single stack have their own
//! names; of several stacks, an output is the object of a stack. Every value is a string.

use std::borrow::Cow;

use crate::outputs::document::Document;
#[cfg(feature = "toys")]
use crate::outputs::formats::sample::FormatSample;
use crate::outputs::formats::{
    AsManifest, Format, Properties, Publication, Recognition, reject_repeated,
};
use crate::outputs::json::{Member, Node, previous_occurrences};
use crate::outputs::position::Positions;
use crate::outputs::redact::{PLACEHOLDER, Redaction};
use crate::outputs::value::push_json_string;
use crate::outputs::{Key, Output, ReadOutputs, Type, Value};
use crate::report::{Diagnostic, Diagnostics, Rule};
use yaml::Span;

pub(super) struct CloudFormation;

const HELP: &str = "bind the unchanged result of `aws cloudformation describe-stacks --stack-name NAME --output json > outputs.json`";

impl Format for CloudFormation {
    fn properties(&self) -> Properties {
        Properties {
            id: "cloudformation",
            marks_sensitive: false,
            as_manifest: AsManifest::Outputs,
            publication: Publication::Converted,
            of_plan: None,
        }
    }

    fn recognise(&self, document: &Document<'_>) -> Recognition {
        let root = document.json().ok().map(|json| json.root());
        let stacks = root.and_then(|root| root.get("Stacks")).filter(is_list);
        let is_stack = |stack: Node<'_>| stack.get("StackName").is_some();
        if stacks.is_some_and(|stacks| stacks.items().all(is_stack)) {
            Recognition::Certain
        } else {
            Recognition::No
        }
    }

    fn read(&self, document: &Document<'_>) -> ReadOutputs {
        let mut read = ReadOutputs::default();
        let stacks = match stacks(document, &mut read.diagnostics) {
            Ok(stacks) => stacks,
            Err(errors) => {
                read.diagnostics.append(errors);
                return read;
            }
        };
        let mut positions = Positions::new(document.text.as_bytes());
        let mut add = |name: &str, span: Span, value: Value, written: Span| {
            let sensitive = document.declares_sensitive(name);
            if sensitive && written.start < span.start {
                positions.hide(written.end);
            }
            read.outputs.push(Output {
                name: name.to_owned(),
                span: positions.reported(span),
                value,
                written,
                sensitive,
            });
            if sensitive {
                positions.hide(written.end);
            }
        };
        match &*stacks {
            [stack] => {
                for output in &stack.outputs {
                    let value = Value::String(output.value.to_string());
                    add(&output.key, output.span, value, output.written);
                }
            }
            stacks => {
                for stack in stacks {
                    let entry = |output: &StackOutput<'_>| {
                        let (name, span) = (output.key.to_string(), output.span);
                        let value = Value::String(output.value.to_string());
                        (Key { name, span }, value)
                    };
                    let value = Value::Object(stack.outputs.iter().map(entry).collect());
                    add(&stack.name, stack.span, value, stack.written);
                }
            }
        }
        reject_repeated(document, &mut read);
        read
    }

    /// A parameter of a stack may contain what an output does, so only the outputs are kept
    /// unless none of them is sensitive.
    fn redact(
        &self,
        document: &Document<'_>,
        is_public: &dyn Fn(&str) -> bool,
    ) -> Option<Redaction> {
        let read = self.read(document);
        if read.diagnostics.has_errors() {
            return None;
        }
        let has_outputs = !read.outputs.is_empty();
        let sensitive = read.outputs.into_iter().filter(|output| output.sensitive);
        let mut redaction = Redaction {
            outputs: sensitive.map(|output| output.name).collect(),
            ..Redaction::default()
        };
        if has_outputs && redaction.outputs.is_empty() {
            return Some(redaction);
        }
        let root = document.json().ok()?.root();
        let stacks = stacks(document, &mut Diagnostics::default()).ok()?;
        let is_single = stacks.len() == 1;
        let mut text = "{\"Stacks\": [".to_owned();
        for (nth, stack) in stacks.iter().enumerate() {
            let hides_all = !is_single && document.declares_sensitive(&stack.name);
            text.push_str(if nth > 0 { ", " } else { "" });
            text.push_str("{\"StackName\": ");
            push_json_string(&stack.name, &mut text);
            text.push_str(", \"Outputs\": [");
            let mut separator = "\n";
            for output in &stack.outputs {
                if hides_all && !is_public(&output.key) {
                    continue;
                }
                let hides = hides_all || is_single && document.declares_sensitive(&output.key);
                text.push_str(separator);
                text.push_str("{\"OutputKey\": ");
                push_json_string(&output.key, &mut text);
                text.push_str(", \"OutputValue\": ");
                let value = if hides { PLACEHOLDER } else { &output.value };
                push_json_string(value, &mut text);
                text.push('}');
                separator = ",\n";
            }
            text.push_str("]}");
        }
        text.push_str("]}");
        redaction.replace(root.span(), text);
        Some(redaction)
    }

    #[cfg(feature = "toys")]
    fn sample(&self) -> FormatSample {
        FormatSample::in_flow(
            "{\"Stacks\": [{\"StackName\": \"stack\", \"Parameters\": \"hunter2\", \"Outputs\": [",
            |name, value| format!("{{\"OutputKey\": \"{name}\", \"OutputValue\": {value}}}"),
            "]}]}",
        )
    }
}

/// A stack in a document.
struct Stack<'j> {
    name: Cow<'j, str>,
    /// The location of the name.
    span: Span,
    /// The list of its outputs, or the name if it has none.
    written: Span,
    outputs: Vec<StackOutput<'j>>,
}

/// An output of a stack.
struct StackOutput<'j> {
    key: Cow<'j, str>,
    span: Span,
    value: Cow<'j, str>,
    written: Span,
}

/// Reads all stacks, and reports what in them cannot be read.
fn stacks<'j>(
    document: &'j Document<'_>,
    diagnostics: &mut Diagnostics,
) -> Result<Vec<Stack<'j>>, Diagnostics> {
    let json = document
        .json()
        .map_err(|error| document.not_json(error).help(HELP))?;
    let fields = document.unique_members(json.root())?;
    let stacks = find(&fields, "Stacks").into_iter().flat_map(Node::items);
    let nodes: Vec<_> = stacks.collect();
    let is_single = nodes.len() == 1;
    let stacks: Vec<_> = nodes
        .into_iter()
        .map(|node| stack(document, node, is_single, diagnostics))
        .collect::<Result<_, _>>()?;
    if stacks.is_empty() {
        Err(invalid(
            document,
            json.root(),
            "the outputs document has no stack",
        ))
    } else {
        Ok(stacks)
    }
}

fn stack<'j>(
    document: &'j Document<'_>,
    node: Node<'j>,
    is_single: bool,
    diagnostics: &mut Diagnostics,
) -> Result<Stack<'j>, Diagnostics> {
    let fields = document.unique_members(node)?;
    let Some((name, span)) = find(&fields, "StackName").and_then(text) else {
        let message = "the outputs document has a stack without a `StackName`";
        return Err(invalid(document, node, message));
    };
    let list = find(&fields, "Outputs");
    let written = list.map_or(span, Node::span);
    if !list.as_ref().is_none_or(is_list) {
        let message = format!("`Outputs` of the stack `{name}` is not a list");
        return Err(invalid(document, node, message));
    }
    // Of several stacks, the keys are part of the value.
    let hides_keys = !is_single && document.declares_sensitive(&name);
    let mut outputs = Vec::new();
    // CloudFormation leaves the list out if there are no outputs.
    for item in list.into_iter().flat_map(Node::items) {
        match output(document, item, hides_keys) {
            Ok(output) => outputs.push(output),
            Err(errors) => diagnostics.append(errors),
        }
    }
    let keys: Vec<_> = outputs.iter().map(|output| &*output.key).collect();
    for (output, earlier) in outputs.iter().zip(previous_occurrences(&keys)) {
        if let Some(earlier) = earlier {
            let message = if hides_keys {
                format!("the stack `{name}` has a duplicate output")
            } else {
                format!("duplicate output `{}` in the stack `{name}`", output.key)
            };
            let places = [outputs[earlier].span, output.span];
            let lines = places.map(|span| document.line_of(span.start));
            return Err(document.duplicate_error(message, lines).into());
        }
    }
    Ok(Stack {
        name,
        span,
        written,
        outputs,
    })
}

fn output<'j>(
    document: &'j Document<'_>,
    node: Node<'j>,
    hides_key: bool,
) -> Result<StackOutput<'j>, Diagnostics> {
    let fields = document.unique_members(node)?;
    let Some((key, span)) = find(&fields, "OutputKey").and_then(text) else {
        let message = "the outputs document has an output without an `OutputKey`";
        return Err(invalid(document, node, message));
    };
    let Some((value, written)) = find(&fields, "OutputValue").and_then(text) else {
        let message = if hides_key {
            "an output has no `OutputValue` that is a string".to_owned()
        } else {
            format!("the output `{key}` has no `OutputValue` that is a string")
        };
        return Err(invalid(document, node, message));
    };
    Ok(StackOutput {
        key,
        span,
        value,
        written,
    })
}

fn is_list(node: &Node<'_>) -> bool {
    node.value_type() == Type::List
}

/// Returns the text and the location of a string.
fn text(node: Node<'_>) -> Option<(Cow<'_, str>, Span)> {
    Some((node.string()?, node.span()))
}

fn find<'j>(fields: &[Member<'j>], name: &str) -> Option<Node<'j>> {
    let field = fields.iter().find(|field| field.name == name);
    field.map(|field| field.value)
}

/// Returns an error at the line of a value: values before it may be sensitive.
fn invalid(document: &Document<'_>, node: Node<'_>, message: impl Into<String>) -> Diagnostics {
    let line = document.line_of(node.span().start);
    let error = Diagnostic::error(Rule::InvalidOutputs, message);
    error
        .at_concealed(document.origin, line, "")
        .help(HELP)
        .into()
}

#[cfg(test)]
mod tests {
    use super::super::tests::{
        check_all_redacted, check_read, check_redacted, check_sensitive, document,
    };

    #[track_caller]
    fn check(content: &str, expected: &[&str]) {
        for format in ["", "cloudformation"] {
            check_read(format, content, expected);
        }
    }

    /// Returns a document with the `Outputs` of one stack.
    fn stack(outputs: &str) -> String {
        format!("{{\"Stacks\": [{{\"Outputs\": [{outputs}], \"StackName\": \"shop\"}}]}}")
    }

    #[test]
    fn reads_the_outputs_of_one_stack_as_strings() {
        check(
            &stack(
                "{\"OutputKey\": \"VpcId\", \"OutputValue\": \"vpc-0ab1\", \"ExportName\": \"shop:VpcId\"},
                {\"Description\": \"x\", \"OutputValue\": \"3\", \"OutputKey\": \"Replicas\"}",
            ),
            &["\"VpcId\" = \"vpc-0ab1\"", "\"Replicas\" = \"3\""],
        );
    }

    #[test]
    fn a_stack_may_have_no_outputs() {
        check("{\"Stacks\": [{\"StackName\": \"shop\"}]}", &[]);
        check(&stack(""), &[]);
    }

    #[test]
    fn reads_an_object_for_each_of_several_stacks() {
        check(
            "{\"Stacks\": [
                {\"StackName\": \"shop\", \"Outputs\": [{\"OutputKey\": \"VpcId\", \"OutputValue\": \"vpc-0ab1\"}]},
                {\"StackName\": \"data-2\"}
            ], \"NextToken\": null}",
            &["\"shop\" = {\"VpcId\":\"vpc-0ab1\"}", "\"data-2\" = {}"],
        );
    }

    #[test]
    fn reports_every_output_that_is_wrong_and_reads_the_others() {
        check(
            &stack(
                "{\"OutputKey\": \"A\"},\n{\"OutputValue\": \"b\"},\n{\"OutputKey\": \"C\", \"OutputValue\": 3},\n{\"OutputKey\": \"D\", \"OutputValue\": \"d\"},\n1",
            ),
            &[
                "\"D\" = \"d\"",
                "the output `A` has no `OutputValue` that is a string: 1:1",
                "the outputs document has an output without an `OutputKey`: 2:1",
                "the output `C` has no `OutputValue` that is a string: 3:1",
                "the outputs document has an output without an `OutputKey`: 5:1",
            ],
        );
    }

    #[test]
    fn rejects_stacks_that_it_cannot_read() {
        for (content, message) in [
            ("{\"Stacks\": []}", "the outputs document has no stack"),
            (
                "{\"Stacks\": [{\"StackName\": 1}]}",
                "the outputs document has a stack without a `StackName`",
            ),
            (
                "{\"Stacks\": [{\"StackName\": \"shop\", \"Outputs\": {}}]}",
                "`Outputs` of the stack `shop` is not a list",
            ),
        ] {
            check(content, &[&format!("{message}: 1:1")]);
        }
    }

    #[test]
    fn rejects_duplicates_by_their_lines() {
        check(
            &stack(
                "{\"OutputKey\": \"A\", \"OutputValue\": \"x\"},\n{\"OutputKey\": \"A\", \"OutputValue\": \"y\"}",
            ),
            &["duplicate output `A` in the stack `shop`: 2:1, 1:1"],
        );
        check(
            &stack("{\"OutputKey\": \"A\", \"OutputValue\": \"x\", \"OutputValue\": \"y\"}"),
            &["duplicate key in an object of the outputs document: 1:1, 1:1"],
        );
        check(
            "{\"Stacks\": [{\"StackName\": \"shop\"}, {\"StackName\": \"shop\"}]}",
            &[
                "\"shop\" = {}",
                "duplicate output `shop` in one document: \"shop\", \"shop\"",
            ],
        );
    }

    #[test]
    fn locations_do_not_reveal_how_long_a_sensitive_value_is() {
        check_sensitive(
            "",
            &stack(
                "{\"OutputValue\": \"hunter2\", \"OutputKey\": \"A\"}, {\"OutputKey\": \"B\", \"OutputValue\": \"x\"},\n{\"OutputKey\": \"C\", \"OutputValue\": \"x\"}",
            ),
            &["1:1 = \"hunter2\"", "1:1 = \"x\"", "\"C\" = \"x\""],
        );
    }

    #[test]
    fn a_message_does_not_quote_the_keys_of_a_sensitive_object() {
        let stacks = |outputs: &str| {
            format!(
                "{{\"Stacks\": [{{\"StackName\": \"a\", \"Outputs\": [{outputs}]}}, {{\"StackName\": \"b\"}}]}}"
            )
        };
        let output = "{\"OutputKey\": \"hunter2\", \"OutputValue\": \"\"}";
        check_sensitive(
            "",
            &stacks(&format!("{output}, {output}")),
            &["the stack `a` has a duplicate output: 1:1, 1:1"],
        );
        check_sensitive(
            "",
            &stacks("{\"OutputKey\": \"hunter2\"}"),
            &[
                "\"a\" = {}",
                "1:1 = {}",
                "an output has no `OutputValue` that is a string: 1:1",
            ],
        );
    }

    #[test]
    fn redaction_keeps_only_stacks_and_outputs() {
        check_all_redacted(
            "",
            "{\"Stacks\": [{\"StackName\": \"shop\", \"Parameters\": [{\"ParameterValue\": \"hunter2\"}], \"Outputs\": [{\"OutputKey\": \"A\", \"OutputValue\": \"hunter2\", \"Description\": \"hunter2\"}]}]}\n",
            "{\"Stacks\": [{\"StackName\": \"shop\", \"Outputs\": [\n{\"OutputKey\": \"A\", \"OutputValue\": \"(sensitive)\"}]}]}\n",
        );
        check_all_redacted(
            "",
            "{\"Stacks\": [{\"StackName\": \"a\"}, {\"StackName\": \"b\", \"Outputs\": [{\"OutputKey\": \"hunter2\", \"OutputValue\": \"x\"}, {\"OutputKey\": \"public\", \"OutputValue\": \"x\"}]}]}",
            "{\"Stacks\": [{\"StackName\": \"a\", \"Outputs\": []}, {\"StackName\": \"b\", \"Outputs\": [\n{\"OutputKey\": \"public\", \"OutputValue\": \"(sensitive)\"}]}]}",
        );
        let unmarked = stack("{\"OutputKey\": \"A\", \"OutputValue\": \"x\"}");
        check_redacted(&document("", &unmarked), Some((&unmarked, &[])));
    }
}
