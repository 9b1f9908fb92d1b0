//! `pulumi stack export`: the state of a stack. Its outputs are those of the resource of
//! type `pulumi:pulumi:Stack`, in which an object with a signature replaces each secret
//! (pkg/resource/stack/deployment.go).

use crate::outputs::document::Document;
#[cfg(feature = "toys")]
use crate::outputs::formats::sample::{FormatSample, member};
use crate::outputs::formats::{
    AsManifest, Format, Properties, Publication, Recognition, reject_repeated,
};
use crate::outputs::json::{Json, MAX_DEPTH, Member, Node};
use crate::outputs::position::Positions;
use crate::outputs::redact::{Redaction, placeholder};
use crate::outputs::value::push_json_string;
use crate::outputs::{Key, Output, ReadOutputs, Type, Value};
use crate::report::{Diagnostic, Diagnostics, Rule};
use yaml::Span;

pub(super) struct PulumiState;

/// The key of an object that represents something JSON cannot express.
pub(super) const SIGNATURE: &str = "4dabf18193072939515e22adb298388d";
/// The signature of a secret. It has its JSON as `plaintext`, or encrypted as `ciphertext`.
const SECRET: &str = "1b47061264138c4ac30d75fd1eb44270";
/// The type of the resource with the outputs.
const STACK: &str = "pulumi:pulumi:Stack";
/// The string in place of a value that Pulumi doesn't know yet.
const UNKNOWN: &str = "04da6b54-80e4-46f7-96ec-b56ff0331ba9";

/// Other signatures (sdk/go/common/resource/sig/sig.go), as messages name them.
const SIGNATURES: &[(&str, &str)] = &[
    ("c44067f5952c0a294b673a41bacd8c17", "contains an asset"),
    ("0def7320c3a5731c473e5ecbe6d01bc7", "contains an archive"),
    (
        "5cf8f73096256a8f31e491e813e4eb8e",
        "contains a reference to a resource",
    ),
    (
        "d0e6a833031e9bbcd3f4e8bde6ca49a4",
        "contains a nested output",
    ),
    (
        "803fd3297a5875dc03ca845dda5d2a98",
        "contains bytes that are not UTF-8",
    ),
];

const EXPORT: &str = "bind the unchanged result of `pulumi stack export --show-secrets`";

/// Why a value cannot be read, to continue `the output …`, and what to do.
type Problem = (&'static str, &'static str);

const ENCRYPTED: Problem = (
    "is encrypted",
    "export it in plain text with `pulumi stack export --show-secrets`, and don't commit the file: it contains all secrets of the stack",
);
const NOT_KNOWN: Problem = (
    "is not known yet",
    "run `pulumi up`, then `pulumi stack export --show-secrets`",
);
const INVALID_SECRET: Problem = ("has an invalid secret", EXPORT);
const DUPLICATE_KEY: Problem = ("has an object with a duplicate key", EXPORT);
const TOO_DEEP: Problem = (
    "nests lists and objects more than 128 levels deep",
    "export a simpler value",
);
const NOT_A_VALUE: &str =
    "export a string, number, bool, list or object from the Pulumi program, such as the `id`";

impl Format for PulumiState {
    fn properties(&self) -> Properties {
        Properties {
            id: "pulumi-state",
            marks_sensitive: true,
            as_manifest: AsManifest::Outputs,
            publication: Publication::OfState,
            of_plan: None,
        }
    }

    fn recognise(&self, document: &Document<'_>) -> Recognition {
        let root = document.json().ok().map(|json| json.root());
        if root.is_some_and(|root| is_state(root) == Some(true)) {
            Recognition::Certain
        } else {
            Recognition::No
        }
    }

    fn read(&self, document: &Document<'_>) -> ReadOutputs {
        let mut read = ReadOutputs::default();
        let outputs = match outputs_of_stack(document) {
            Ok(Some(outputs)) => outputs,
            Ok(None) => return read,
            Err(errors) => {
                read.diagnostics = errors;
                return read;
            }
        };
        let members = outputs.members();
        let mut positions = Positions::new(document.text.as_bytes());
        // Resources before it may have secrets.
        positions.hide(outputs.span().start);
        for member in &members {
            let name = &member.name;
            let span = positions.reported(member.span);
            let written = member.value.span();
            let mut secrets = Secrets {
                found: document.declares_sensitive(name),
                name: member.span,
            };
            let value = member.value.value().map_err(|_| DUPLICATE_KEY);
            match value.and_then(|value| secrets.reveal(value, 0, false)) {
                Ok(value) => read.outputs.push(Output {
                    name: name.clone().into_owned(),
                    span,
                    value,
                    written,
                    sensitive: secrets.found,
                }),
                Err((why, help)) => {
                    secrets.found = true;
                    let message = format!("the output `{name}` {why}");
                    let error = Diagnostic::error(Rule::InvalidOutputs, message).at_concealed(
                        document.origin,
                        span,
                        "",
                    );
                    read.diagnostics.push(error.help(help));
                }
            }
            if secrets.found {
                positions.hide(written.end);
            }
        }
        reject_repeated(document, &mut read);
        read
    }

    /// The rest of a state may contain secrets in plain text, so only the outputs are kept.
    fn redact(
        &self,
        document: &Document<'_>,
        is_public: &dyn Fn(&str) -> bool,
    ) -> Option<Redaction> {
        let read = self.read(document);
        let root = document.json().ok()?.root();
        if read.diagnostics.has_errors() {
            return None;
        }
        let mut redaction = Redaction::default();
        let mut outputs = String::new();
        for output in read.outputs {
            outputs.push_str(if outputs.is_empty() { "\n" } else { ",\n" });
            push_json_string(&output.name, &mut outputs);
            outputs.push_str(": ");
            if output.sensitive {
                outputs.push_str(&format!("{{\"{SIGNATURE}\": \"{SECRET}\", \"plaintext\": "));
                push_json_string(&placeholder(&output.value, is_public), &mut outputs);
                outputs.push('}');
                redaction.outputs.push(output.name);
            } else {
                outputs.push_str(document.text.get(output.written.range())?);
            }
        }
        let text = format!(
            "{{\"version\": 3, \"deployment\": {{\"resources\": [{{\"type\": \"{STACK}\", \"outputs\": {{{outputs}}}}}]}}}}"
        );
        redaction.replace(root.span(), text);
        Some(redaction)
    }

    #[cfg(feature = "toys")]
    fn sample(&self) -> FormatSample {
        FormatSample::in_flow(
            "{\"version\": 3, \"deployment\": {\"resources\": [{\"type\": \"pulumi:pulumi:Stack\", \"outputs\": {",
            member,
            "}, \"inputs\": \"hunter2\"}]}}",
        )
    }
}

/// Returns whether JSON has the form of a state.
fn is_state(root: Node<'_>) -> Option<bool> {
    let deployment = root.get("deployment")?;
    let is_list = |node: Node<'_>| node.value_type() == Type::List;
    let has_resources = deployment.get("resources").is_some_and(is_list);
    let has_manifest = deployment.get("manifest").is_some_and(Node::is_object);
    Some(root.get("version").is_some() && (has_resources || has_manifest))
}

/// Returns the outputs of the resource that is the stack; `None` if it has none.
///
/// # Errors
/// The document is not a state, or it is unclear which resource is the stack.
fn outputs_of_stack<'j>(document: &'j Document<'_>) -> Result<Option<Node<'j>>, Diagnostics> {
    let find = |members: Vec<Member<'j>>, name: &str| {
        let member = members.into_iter().find(|member| member.name == name);
        member.map(|member| member.value)
    };
    let invalid = |what: &str| {
        let message = format!("the outputs document {what}");
        let error = document.invalid(message, document.start, "");
        Diagnostics::from(error.help(EXPORT))
    };
    let json = document
        .json()
        .map_err(|error| document.not_json(error).help(EXPORT))?;
    let root = document.unique_members(json.root())?;
    let (Some(deployment), Some(true)) = (find(root, "deployment"), is_state(json.root())) else {
        return Err(invalid("is not the state of a Pulumi stack"));
    };
    let deployment = document.unique_members(deployment)?;
    let resources = find(deployment, "resources").into_iter();
    let mut found = None;
    for resource in resources.flat_map(Node::items) {
        let resource = document.unique_members(resource)?;
        let has = |name: &str, text: &str| {
            let is = |field: &Member<'_>| {
                field.name == name && field.value.string().is_some_and(|found| found == text)
            };
            resource.iter().any(is)
        };
        let has_parent = resource.iter().any(|field| field.name == "parent");
        if has("type", STACK) && (!has_parent || has("parent", "")) {
            if found.is_some() {
                return Err(invalid("has several stacks"));
            }
            found = Some(find(resource, "outputs"));
        }
    }
    match found.flatten() {
        Some(outputs) if !outputs.is_object() => Err(invalid("has a stack with invalid outputs")),
        outputs => Ok(outputs),
    }
}

/// Finds and reveals the secrets in one output.
struct Secrets {
    found: bool,
    /// The name of the output.
    name: Span,
}

impl Secrets {
    /// Replaces secrets by their plain text.
    fn reveal(&mut self, value: Value, depth: usize, in_secret: bool) -> Result<Value, Problem> {
        // The plain text of a secret may have as many levels again.
        if depth > MAX_DEPTH {
            return Err(TOO_DEEP);
        }
        let depth = depth + 1;
        match value {
            Value::String(text) if text == UNKNOWN => Err(NOT_KNOWN),
            Value::List(items) => {
                let items = items
                    .into_iter()
                    .map(|item| self.reveal(item, depth, in_secret));
                Ok(Value::List(items.collect::<Result<_, _>>()?))
            }
            Value::Object(entries) => match signature(&entries) {
                Some(signature) if signature == SECRET => {
                    self.found = true;
                    let secret = plaintext(&entries, in_secret)?;
                    self.reveal(secret, depth, true)
                }
                Some(signature) => Err(named(signature)),
                None => {
                    let entries = entries.into_iter().map(|(mut key, value)| {
                        if in_secret {
                            key.span = self.name;
                        }
                        let value = self.reveal(value, depth, in_secret)?;
                        Ok::<_, Problem>((key, value))
                    });
                    Ok(Value::Object(entries.collect::<Result<_, _>>()?))
                }
            },
            other => Ok(other),
        }
    }
}

/// Returns the text of an entry; `None` if it is missing or not a string.
fn text<'e>(entries: &'e [(Key, Value)], name: &str) -> Option<&'e str> {
    entries.iter().find_map(|(key, value)| match value {
        Value::String(text) if key.name == name => Some(text.as_str()),
        _ => None,
    })
}

/// Returns what an object represents, by its signature; an empty string if that is invalid.
fn signature(entries: &[(Key, Value)]) -> Option<&str> {
    let is_signed = entries.iter().any(|(key, _)| key.name == SIGNATURE);
    is_signed.then(|| text(entries, SIGNATURE).unwrap_or_default())
}

/// Returns why an object that is not a secret has no value.
fn named(signature: &str) -> Problem {
    let known = SIGNATURES.iter().find(|(known, _)| *known == signature);
    let what = known.map_or("contains a value of an unknown kind", |(_, what)| what);
    (what, NOT_A_VALUE)
}

/// Reads the value of a secret. Inside another secret, which is encrypted as a whole, its
/// `ciphertext` is not encrypted.
fn plaintext(entries: &[(Key, Value)], in_secret: bool) -> Result<Value, Problem> {
    let json = match (text(entries, "plaintext"), text(entries, "ciphertext")) {
        (Some(json), None) => json,
        (None, Some(json)) if in_secret => json,
        (None, Some(_)) => return Err(ENCRYPTED),
        _ => return Err(INVALID_SECRET),
    };
    let json = Json::read(json, 0).map_err(|_| INVALID_SECRET)?;
    json.root().value().map_err(|_| DUPLICATE_KEY)
}

#[cfg(test)]
mod tests {
    use super::super::tests::{check_redacted, document};
    use super::*;
    use crate::report::Origin;

    /// Returns a state with the outputs of its stack on their own lines.
    fn state(outputs: &str) -> String {
        format!(
            "{{\"version\": 3, \"deployment\": {{\"manifest\": {{}}, \"secrets_providers\": {{\"state\": {{\"salt\": \"hunter2\"}}}}, \"resources\": [
              {{\"type\": \"random:index/randomPassword:RandomPassword\", \"outputs\": {{\"result\": \"hunter2\"}}}},
              {{\"urn\": \"urn:pulumi:dev::shop::pulumi:pulumi:Stack::shop-dev\", \"type\": \"pulumi:pulumi:Stack\", \"outputs\": {{\n{outputs}\n}}}}
            ]}}}}"
        )
    }

    /// Returns an object with a signature and one entry.
    fn signed(signature: &str, key: &str, text: &str) -> String {
        let text = serde_json::to_string(text).unwrap();
        format!("{{\"{SIGNATURE}\": \"{signature}\", \"{key}\": {text}}}")
    }

    fn secret(json: &str) -> String {
        signed(SECRET, "plaintext", json)
    }

    /// Checks each output, with `!` after the name of a sensitive one, and each error. An
    /// error must have a help, and reveals nothing.
    #[track_caller]
    fn check(content: &str, expected: &[&str]) {
        for format in ["", "pulumi-state"] {
            let read = crate::outputs::read(&document(format, content), Origin::Outputs(0));
            let outputs = read.outputs.iter().map(|output| {
                let mark = if output.sensitive { "!" } else { "" };
                format!("{}{mark} = {}", output.name, output.value.to_json())
            });
            let errors = read.diagnostics.iter().map(|error| {
                assert!(!format!("{error:?}").contains("hunter2"), "{error:?}");
                assert!(error.help.is_some(), "{error:?}");
                error.message.clone()
            });
            let found: Vec<_> = outputs.chain(errors).collect();
            assert_eq!(found, expected, "{content}");
        }
    }

    #[test]
    fn reads_the_outputs_of_the_stack() {
        check(
            &state(
                "\"vpc-id\": \"vpc-0ab1\", \"ratio\": 1.50, \"subnets\": [\"a\", {\"b\": null}]",
            ),
            &[
                "vpc-id = \"vpc-0ab1\"",
                "ratio = 1.50",
                "subnets = [\"a\",{\"b\":null}]",
            ],
        );
    }

    #[test]
    fn a_state_may_have_no_outputs() {
        for content in [
            "{\"version\": 3, \"deployment\": {\"manifest\": {}}}",
            "{\"version\": 3, \"deployment\": {\"resources\": []}}",
            "{\"version\": 3, \"deployment\": {\"resources\": [{\"type\": \"pulumi:pulumi:Stack\"}]}}",
        ] {
            check(content, &[]);
        }
        check(&state(""), &[]);
    }

    #[test]
    fn outputs_with_secrets_are_sensitive_and_keep_their_types() {
        check(
            &state(&format!(
                "\"a\": {},\n\"b\": {},\n\"c\": [{{\"k\": {}}}, \"x\"], \"d\": 1",
                secret("\"x\\n\\\"y\\\"\""),
                secret("{\"k\": [1.50, true]}"),
                secret("null"),
            )),
            &[
                "a! = \"x\\n\\\"y\\\"\"",
                "b! = {\"k\":[1.50,true]}",
                "c! = [{\"k\":null},\"x\"]",
                "d = 1",
            ],
        );
    }

    #[test]
    fn a_secret_inside_a_secret_is_not_encrypted() {
        for key in ["plaintext", "ciphertext"] {
            let outer = secret(&format!("{{\"k\": {}}}", signed(SECRET, key, "\"x\"")));
            check(&state(&format!("\"a\": {outer}")), &["a! = {\"k\":\"x\"}"]);
        }
    }

    #[test]
    fn rejects_encrypted_secrets() {
        let encrypted = signed(SECRET, "ciphertext", "v1:hunter2");
        check(
            &state(&format!(
                "\"a\": {encrypted}, \"b\": [{encrypted}], \"c\": 1"
            )),
            &[
                "c = 1",
                "the output `a` is encrypted",
                "the output `b` is encrypted",
            ],
        );
    }

    #[test]
    fn rejects_secrets_that_it_cannot_read() {
        for (value, why) in [
            (signed(SECRET, "text", "hunter2"), "has an invalid secret"),
            (secret("hunter2"), "has an invalid secret"),
            (secret("\"hunter2\" 1"), "has an invalid secret"),
            (
                format!(
                    "{{\"{SIGNATURE}\": \"{SECRET}\", \"plaintext\": \"1\", \"ciphertext\": \"hunter2\"}}"
                ),
                "has an invalid secret",
            ),
            (
                secret("{\"hunter2\": 1, \"hunter2\": 2}"),
                "has an object with a duplicate key",
            ),
            (
                format!(
                    "[{}]",
                    secret(&format!("{}{}", "[".repeat(128), "]".repeat(128)))
                ),
                "nests lists and objects more than 128 levels deep",
            ),
        ] {
            check(
                &state(&format!("\"a\": {value}")),
                &[&format!("the output `a` {why}")],
            );
        }
    }

    #[test]
    fn names_what_has_no_value() {
        for (value, why) in [
            (
                signed("c44067f5952c0a294b673a41bacd8c17", "text", "hunter2"),
                "contains an asset",
            ),
            (
                signed("0def7320c3a5731c473e5ecbe6d01bc7", "path", "hunter2"),
                "contains an archive",
            ),
            (
                signed("5cf8f73096256a8f31e491e813e4eb8e", "urn", "hunter2"),
                "contains a reference to a resource",
            ),
            (
                signed("d0e6a833031e9bbcd3f4e8bde6ca49a4", "value", "hunter2"),
                "contains a nested output",
            ),
            (
                signed("803fd3297a5875dc03ca845dda5d2a98", "value", "hunter2"),
                "contains bytes that are not UTF-8",
            ),
            (
                signed("hunter2", "value", "hunter2"),
                "contains a value of an unknown kind",
            ),
            (
                format!("{{\"{SIGNATURE}\": 1}}"),
                "contains a value of an unknown kind",
            ),
            (format!("\"{UNKNOWN}\""), "is not known yet"),
        ] {
            let message = format!("the output `a` {why}");
            check(&state(&format!("\"a\": [{value}]")), &[&message]);
            let inside = secret(&value);
            check(&state(&format!("\"a\": {inside}")), &[&message]);
        }
    }

    #[test]
    fn rejects_unclear_states() {
        check(
            &state(&format!(
                "\"a\": 1, \"b\": {{\"k\": 1, \"k\": 2}}, \"a\": {}",
                secret("2")
            )),
            &[
                "a = 1",
                "the output `b` has an object with a duplicate key",
                "duplicate output `a` in one document",
            ],
        );
        let twice = "duplicate key in an object of the outputs document";
        let stack = "{\"type\": \"pulumi:pulumi:Stack\", \"outputs\": {}}";
        for content in [
            format!("{{\"version\": 3, \"deployment\": {{\"resources\": [{stack}], \"resources\": []}}}}"),
            format!("{{\"version\": 3, \"deployment\": {{\"resources\": [{stack}]}}, \"deployment\": {{}}}}"),
            "{\"version\": 3, \"deployment\": {\"resources\": [{\"type\": \"a\", \"type\": \"b\"}]}}".to_owned(),
        ] {
            check(&content, &[twice]);
        }
        check(
            &format!("{{\"version\": 3, \"deployment\": {{\"resources\": [{stack}, {stack}]}}}}"),
            &["the outputs document has several stacks"],
        );
        check(
            "{\"version\": 3, \"deployment\": {\"resources\": [{\"type\": \"pulumi:pulumi:Stack\", \"outputs\": [\"hunter2\"]}]}}",
            &["the outputs document has a stack with invalid outputs"],
        );
        let child = stack.replace("{}", "{\"a\": 1}, \"parent\": \"urn:x\"");
        check(
            &format!("{{\"version\": 3, \"deployment\": {{\"resources\": [{child}, {stack}]}}}}"),
            &[],
        );
    }

    #[test]
    fn locations_do_not_reveal_how_long_a_secret_is() {
        let content = state(&format!("\"a\": {}, \"b\": 1,\n\"c\": 1", secret("\"x\"")));
        let read = crate::outputs::read(&document("", &content), Origin::Outputs(0));
        let spans = read
            .outputs
            .iter()
            .map(|output| &content[output.span.range()]);
        assert_eq!(spans.collect::<Vec<_>>(), ["\"a\"", "", "\"c\""]);
        let compact = content.replace('\n', " ");
        let read = crate::outputs::read(&document("", &compact), Origin::Outputs(0));
        assert!(
            read.outputs
                .iter()
                .all(|output| output.span == Span::point(0))
        );
    }

    #[test]
    fn keys_inside_a_secret_have_the_location_of_the_output() {
        let content = state(&format!("\"a\": {}", secret("{\"hunter2\": 1}")));
        let read = crate::outputs::read(&document("", &content), Origin::Outputs(0));
        let Value::Object(entries) = &read.outputs[0].value else {
            panic!("{:?}", read.outputs);
        };
        assert_eq!(&content[entries[0].0.span.range()], "\"a\"");
    }

    #[test]
    fn redaction_keeps_only_names_and_public_values() {
        let content = state(&format!(
            "\"a\": {}, \"b\": {{\"k\":  1.50}}, \"c\": [{}, 1]",
            secret("{\"public\": \"hunter2\", \"hunter2\": 1}"),
            secret("\"hunter2\""),
        ));
        let expected = format!(
            "{{\"version\": 3, \"deployment\": {{\"resources\": [{{\"type\": \"pulumi:pulumi:Stack\", \"outputs\": {{\n\"a\": {},\n\"b\": {{\"k\":  1.50}},\n\"c\": {}}}}}]}}}}",
            secret("{\"public\": \"(sensitive)\"}"),
            secret("[\"(sensitive)\"]"),
        );
        check_redacted(&document("", &content), Some((&expected, &["a", "c"])));
        check_redacted(&document("", &expected), Some((&expected, &["a", "c"])));
    }

    #[test]
    fn a_state_that_cannot_be_read_cannot_be_redacted() {
        let encrypted = signed(SECRET, "ciphertext", "v1:hunter2");
        let content = state(&format!("\"a\": {encrypted}"));
        check_redacted(&document("", &content), None);
    }
}
