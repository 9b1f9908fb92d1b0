//! The outputs in `terraform show -json PLAN`, before or after the plan is applied:
//! `{"format_version": …, "planned_values": …, "output_changes": {name: {"actions": […],
//! "before": …, "after": …, "after_unknown": …, "before_sensitive": …, "after_sensitive":
//! …}}, "prior_state": {"values": {"outputs": {name: {"sensitive": bool, "value": …}}}}}`.
//! Only a host's request names these formats: a Binding can't, and no document is recognised
//! as one of them.
//!
//! With `-target`, Terraform leaves outputs of other resources out of `output_changes`, and
//! the apply keeps them, even those that the configuration no longer has. Without it, every
//! output of the prior state has a change, `delete` if it is removed or destroyed. The mark
//! in the prior state is always written (observed with Terraform 1.11).

use crate::collections::{OrderedMap, OrderedSet};
use crate::outputs::document::Document;
use crate::outputs::formats::marked_outputs::Root;
#[cfg(feature = "toys")]
use crate::outputs::formats::sample::FormatSample;
use crate::outputs::formats::{AsManifest, Format, Properties, Publication, Recognition, certain};
use crate::outputs::json::{Member, Node};
use crate::outputs::other_document;
use crate::outputs::redact::Redaction;
use crate::outputs::value::Type;
use crate::outputs::{Output, ReadOutputs, Value};
use crate::report::{Diagnostic, Diagnostics, Rule};
use yaml::Span;

/// One side of a plan.
pub(super) struct TerraformPlan {
    id: &'static str,
    /// The key of the value, and that of its marks.
    keys: [&'static str; 2],
    /// The action of an output that does not exist on this side.
    absent: &'static str,
    /// Whether values may be unknown.
    is_after: bool,
}

pub(super) const BEFORE: TerraformPlan = TerraformPlan {
    id: "terraform-plan-before",
    keys: ["before", "before_sensitive"],
    absent: "create",
    is_after: false,
};

pub(super) const AFTER: TerraformPlan = TerraformPlan {
    id: "terraform-plan-after",
    keys: ["after", "after_sensitive"],
    absent: "delete",
    is_after: true,
};

/// How to write the document that these formats read.
const SHOW: &str = "write it with `terraform plan -out plan.tfplan`, then `terraform show -json plan.tfplan > plan.json`";

impl Format for TerraformPlan {
    fn properties(&self) -> Properties {
        Properties {
            id: self.id,
            marks_sensitive: true,
            as_manifest: AsManifest::Outputs,
            publication: Publication::OfState,
            of_plan: Some(SHOW),
        }
    }

    fn recognise(&self, document: &Document<'_>) -> Recognition {
        match plan(document) {
            Some(_) => Recognition::Certain,
            None => Recognition::No,
        }
    }

    fn read(&self, document: &Document<'_>) -> ReadOutputs {
        let mut read = ReadOutputs::default();
        if let Err(found) = self.read_into(&mut read, document) {
            read.diagnostics.append(found);
        }
        read
    }

    /// The resources of a plan contain secrets in plain text, and nothing needs a redacted
    /// plan.
    fn redact(&self, _: &Document<'_>, _: &dyn Fn(&str) -> bool) -> Option<Redaction> {
        None
    }

    #[cfg(feature = "toys")]
    fn sample(&self) -> FormatSample {
        FormatSample::in_flow(
            "{\"format_version\": \"1.2\", \"output_changes\": {",
            |name, value| {
                let side =
                    |[key, mark]: [&str; 2]| format!("\"{key}\": {value}, \"{mark}\": false");
                let (before, after) = (side(BEFORE.keys), side(AFTER.keys));
                format!("\"{name}\": {{\"actions\": [\"no-op\"], {before}, {after}}}")
            },
            "}, \"resource_changes\": [\"hunter2\"]}",
        )
    }
}

impl TerraformPlan {
    fn read_into(
        &self,
        read: &mut ReadOutputs,
        document: &Document<'_>,
    ) -> Result<(), Diagnostics> {
        let root = plan(document).ok_or_else(|| not_a_plan(document))?;
        // Everything before an output may be secret, so only lines are reported.
        let at = |member: &Member<'_>| document.line_of(member.span.start);
        if let Ok(json) = document.json() {
            document.unique_members(json.root())?;
        }
        let is = |key: &str, value: &str| root.member(key).is_some_and(|node| node.raw() == value);
        if is("errored", "true") {
            let message = "the plan is incomplete, because Terraform failed to plan";
            return Err(Diagnostic::error(Rule::InvalidOutputs, message)
                .at_concealed(document.origin, Span::point(0), "")
                .help("fix the errors of `terraform plan`, and plan again")
                .into());
        }
        if self.is_after && is("complete", "false") {
            let message =
                "the plan is incomplete: further changes of outputs need another plan and apply";
            let warning = Diagnostic::warning(Rule::InvalidOutputs, message)
                .at_concealed(document.origin, Span::point(0), "")
                .help("plan without `-target` to see all changes");
            read.diagnostics.push(warning);
        }
        let invalid = |message: &str| {
            let error = Diagnostic::error(Rule::InvalidOutputs, message);
            error
                .at_concealed(document.origin, Span::point(0), "")
                .help(SHOW)
        };
        let changes = match root.member("output_changes") {
            Some(changes) if changes.is_object() => document.unique_members(changes)?,
            Some(other) if other.value_type() != Type::Null => {
                return Err(invalid("`output_changes` in the plan is not an object").into());
            }
            _ => Vec::new(),
        };
        let mut kept = match root.member("prior_state") {
            Some(state) => {
                outputs_at(document, state, &["values", "outputs"])?.ok_or_else(|| {
                    invalid("`prior_state` in the plan has outputs that are not an object")
                })?
            }
            None => Vec::new(),
        };
        let mut marked = marked_outputs(&kept);
        if let Some(planned) = root.member("planned_values") {
            let planned = outputs_at(document, planned, &["outputs"])?.ok_or_else(|| {
                invalid("`planned_values` in the plan has outputs that are not an object")
            })?;
            marked.extend(marked_outputs(&planned));
        }
        let changed: OrderedSet<&str> = changes.iter().map(|change| &*change.name).collect();
        kept.retain(|output| !changed.contains(&*output.name));
        let changes = changes
            .iter()
            .map(|member| (member, "the change of the output", self.output(member)));
        let kept = kept.iter().map(|member| {
            (
                member,
                "in the prior state, the output",
                kept_output(member),
            )
        });
        for (member, what, output) in changes.chain(kept) {
            let span = at(member);
            match output {
                Ok(None) => {}
                Ok(Some(planned)) => {
                    let PlannedOutput {
                        value,
                        sensitive,
                        unknown,
                    } = planned;
                    let name = member.name.clone().into_owned();
                    if let Some(unknown) = unknown {
                        read.unknown.insert(name.clone(), unknown);
                    }
                    read.outputs.push(Output {
                        sensitive: sensitive
                            || marked.contains(&name)
                            || document.declares_sensitive(&name),
                        name,
                        span,
                        value,
                        written: member.value.span(),
                    });
                }
                Err(why) => {
                    let message = format!("{what} `{}` {why}", member.name);
                    let error = Diagnostic::error(Rule::InvalidOutputs, message).at_concealed(
                        document.origin,
                        span,
                        "",
                    );
                    read.diagnostics.push(error.help(SHOW));
                }
            }
        }
        Ok(())
    }

    /// Returns an output; `None` if it doesn't exist on this side.
    ///
    /// # Errors
    /// What is wrong with it.
    fn output(&self, member: &Member<'_>) -> Result<Option<PlannedOutput>, &'static str> {
        let entries = entries(member)?;
        let Some(Value::List(actions)) = entries.get("actions") else {
            return Err("has no `actions`");
        };
        if matches!(&actions[..], [Value::String(action)] if action == self.absent) {
            return Ok(None);
        }
        let [value, marks] = self.keys.map(|key| entries.get(key));
        // Without marks, it isn't known what is sensitive.
        let sensitive = marks.is_none_or(|marks| marks.has_mark());
        let unknown = entries
            .get("after_unknown")
            .filter(|unknown| self.is_after && unknown.has_mark());
        // An unknown value is left out.
        match (value, unknown) {
            (None, None) => Err(NO_VALUE),
            (value, unknown) => Ok(Some(PlannedOutput {
                value: value.cloned().unwrap_or(Value::Null),
                sensitive,
                unknown: unknown.cloned(),
            })),
        }
    }
}

/// An output on one side of a plan.
struct PlannedOutput {
    value: Value,
    sensitive: bool,
    /// Which parts of the value are unknown.
    unknown: Option<Value>,
}

const NO_VALUE: &str = "has no value";

/// Returns the entries of an object.
///
/// # Errors
/// Why it isn't one.
fn entries(member: &Member<'_>) -> Result<OrderedMap<String, Value>, &'static str> {
    match member.value.value() {
        Ok(Value::Object(entries)) => Ok(entries
            .into_iter()
            .map(|(key, value)| (key.name, value))
            .collect()),
        _ if member.value.is_object() => Err("has an object with a duplicate key"),
        _ => Err("is not an object"),
    }
}

/// Returns the outputs at a path; `None` if they aren't an object.
///
/// # Errors
/// A duplicate key.
fn outputs_at<'d>(
    document: &'d Document<'_>,
    mut node: Node<'d>,
    path: &[&str],
) -> Result<Option<Vec<Member<'d>>>, Diagnostics> {
    for key in path {
        if !node.is_object() {
            break;
        }
        let members = document.unique_members(node)?;
        match members.into_iter().find(|member| member.name == *key) {
            Some(member) => node = member.value,
            None => return Ok(Some(Vec::new())),
        }
    }
    match node.value_type() {
        Type::Object => document.unique_members(node).map(Some),
        Type::Null => Ok(Some(Vec::new())),
        _ => Ok(None),
    }
}

/// Returns an output of the state that the plan doesn't change.
///
/// # Errors
/// What is wrong with it.
fn kept_output(member: &Member<'_>) -> Result<Option<PlannedOutput>, &'static str> {
    let entries = entries(member)?;
    let value = entries.get("value").ok_or(NO_VALUE)?;
    Ok(Some(PlannedOutput {
        value: value.clone(),
        // Without a mark, it isn't known whether it is sensitive.
        sensitive: !matches!(entries.get("sensitive"), Some(Value::Bool(false))),
        unknown: None,
    }))
}

/// Returns the names of the outputs that a state marks as sensitive. Each side of a plan is
/// sensitive then, whatever the change of the output says.
fn marked_outputs(outputs: &[Member<'_>]) -> OrderedSet<String> {
    let is_marked = |output: &&Member<'_>| {
        let is_public = entries(output)
            .is_ok_and(|entries| matches!(entries.get("sensitive"), Some(Value::Bool(false))));
        !is_public
    };
    let marked = outputs.iter().filter(is_marked);
    marked
        .map(|output| output.name.clone().into_owned())
        .collect()
}

/// Returns the members of a plan.
fn plan<'d>(document: &'d Document<'_>) -> Option<Root<'d>> {
    let root = Root::of(document)?;
    let has_version = root.member("format_version")?.value_type() == Type::String;
    let has_plan = ["planned_values", "resource_changes", "output_changes"]
        .iter()
        .any(|key| root.member(key).is_some());
    (has_version && has_plan).then_some(root)
}

/// Reports a document that isn't a plan.
fn not_a_plan(document: &Document<'_>) -> Diagnostics {
    let format = certain(document).next();
    let what = match (format, other_document::identify(document)) {
        (Some(format), _) => format!("has the format `{}`", format.id()),
        (None, Some(found)) => found.what.to_owned(),
        (None, None) => match document.json() {
            Err(error) => return document.not_json(error).help(SHOW).into(),
            Ok(_) => "has another format".to_owned(),
        },
    };
    let message = format!("expected the JSON of a Terraform plan, but the document {what}");
    Diagnostic::error(Rule::OutputsNotRecognized, message)
        .at_concealed(document.origin, Span::point(0), "")
        .help(SHOW)
        .into()
}

#[cfg(test)]
mod tests {
    use super::super::tests::{check_read, check_redacted, document};
    use super::{AFTER, BEFORE};
    use crate::outputs::Value;
    use crate::report::Origin;

    /// Returns a plan with these changes of outputs, each on its line.
    fn plan(changes: &str) -> String {
        format!(
            "{{\"format_version\":\"1.2\",\"planned_values\":{{}},\"output_changes\":{{\n{changes}}}}}"
        )
    }

    #[track_caller]
    fn check(content: &str, before: &[&str], after: &[&str]) {
        check_read(BEFORE.id, content, before);
        check_read(AFTER.id, content, after);
    }

    #[test]
    fn reads_both_sides_with_their_marks() {
        check(
            &plan(
                r#""a":{"actions":["update"],"before":1.50,"after":2,"after_unknown":false,"before_sensitive":false,"after_sensitive":{"b":[false,true]}}"#,
            ),
            &["2:1 = 1.50"],
            &["2:1 = 2 (sensitive)"],
        );
    }

    #[test]
    fn a_mark_in_a_state_applies_to_both_sides() {
        let change = r#""output_changes":{"a":{"actions":["update"],"before":1,"after":2,"after_unknown":false,"before_sensitive":false,"after_sensitive":false}}"#;
        let marked = r#"{"outputs":{"a":{"sensitive":true,"value":2}}}"#;
        let public = marked.replace("true", "false");
        let check_marked = |planned: &str, prior: &str, before: &[&str], after: &[&str]| {
            let plan = format!(
                "{{\"format_version\":\"1.2\",\"planned_values\":{planned},\"prior_state\":{{\"values\":{prior}}},\n{change}}}"
            );
            check(&plan, before, after);
        };
        check_marked(&public, &public, &["2:1 = 1"], &["2:1 = 2"]);
        let sensitive = (&["2:1 = 1 (sensitive)"], &["2:1 = 2 (sensitive)"]);
        check_marked(marked, &public, sensitive.0, sensitive.1);
        check_marked(&public, marked, sensitive.0, sensitive.1);
        check_marked(marked, "{}", sensitive.0, sensitive.1);
    }

    #[test]
    fn a_created_or_deleted_output_is_missing_on_one_side() {
        check(
            &plan(
                r#""a":{"actions":["create"],"before":null,"after":"x","after_unknown":false,"before_sensitive":false,"after_sensitive":false},"b":{"actions":["delete"],"before":"y","after":null,"after_unknown":false,"before_sensitive":false,"after_sensitive":false}"#,
            ),
            &["2:1 = \"y\""],
            &["2:1 = \"x\""],
        );
    }

    #[test]
    fn without_marks_every_value_is_sensitive() {
        check(
            &plan(r#""a":{"actions":["no-op"],"before":"x","after":"x"}"#),
            &["2:1 = \"x\" (sensitive)"],
            &["2:1 = \"x\" (sensitive)"],
        );
    }

    #[test]
    fn a_plan_may_change_no_outputs() {
        for content in [
            &plan(""),
            r#"{"format_version":"1.2","planned_values":{}}"#,
            r#"{"format_version":"1.2","resource_changes":[],"output_changes":null}"#,
        ] {
            check(content, &[], &[]);
        }
    }

    /// Returns a plan with these changes and these outputs in the prior state, each on its
    /// line.
    fn targeted(changes: &str, prior: &str) -> String {
        format!(
            "{{\"format_version\":\"1.2\",\"resource_changes\":[],{changes}\"prior_state\":{{\"format_version\":\"1.0\",\"values\":{{\"outputs\":{{\n{prior}}}}}}}}}"
        )
    }

    #[test]
    fn outputs_that_are_only_in_the_prior_state_do_not_change() {
        let prior = r#""a":{"sensitive":false,"value":"x","type":"string"},"b":{"sensitive":true,"value":"hunter2","type":"string"},"c":{"value":1}"#;
        let kept = [
            "2:1 = \"x\"",
            "2:1 = \"hunter2\" (sensitive)",
            "2:1 = 1 (sensitive)",
        ];
        for changes in ["", r#""output_changes":{},"#, r#""output_changes":null,"#] {
            check(&targeted(changes, prior), &kept, &kept);
        }
    }

    #[test]
    fn a_change_decides_over_the_prior_state() {
        let changes = r#""output_changes":{"a":{"actions":["delete"],"before":"x","after":null,"before_sensitive":false,"after_sensitive":false},"b":{"actions":["update"],"before":1,"after":2,"before_sensitive":true,"after_sensitive":false},"c":{"actions":["create"],"before":null,"after":3,"before_sensitive":false,"after_sensitive":false}},"#;
        let prior = r#""a":{"sensitive":false,"value":"y"},"b":{"sensitive":false,"value":3},"c":{"sensitive":false,"value":4}"#;
        check(
            &targeted(changes, prior),
            &["1:1 = \"x\"", "1:1 = 1 (sensitive)"],
            &["1:1 = 2", "1:1 = 3"],
        );
    }

    #[test]
    fn a_prior_state_may_have_no_outputs() {
        for prior_state in [
            "null",
            "{}",
            r#"{"values":null}"#,
            r#"{"values":{"outputs":null}}"#,
        ] {
            let content = format!(
                r#"{{"format_version":"1.2","planned_values":{{}},"prior_state":{prior_state}}}"#
            );
            check(&content, &[], &[]);
        }
    }

    #[test]
    fn rejects_an_invalid_prior_state() {
        for (prior, expect) in [
            (
                r#""a":1"#,
                "in the prior state, the output `a` is not an object: 2:1",
            ),
            (
                r#""a":{"sensitive":true}"#,
                "in the prior state, the output `a` has no value: 2:1",
            ),
            (
                r#""a":{"sensitive":true,"sensitive":false,"value":"hunter2"}"#,
                "in the prior state, the output `a` has an object with a duplicate key: 2:1",
            ),
        ] {
            check(&targeted("", prior), &[expect], &[expect]);
        }
        let not_an_object = ["`prior_state` in the plan has outputs that are not an object: 1:1"];
        for prior_state in ["1", r#"{"values":[]}"#, r#"{"values":{"outputs":[]}}"#] {
            let content = format!(
                r#"{{"format_version":"1.2","planned_values":{{}},"prior_state":{prior_state}}}"#
            );
            check(&content, &not_an_object, &not_an_object);
        }
    }

    #[test]
    fn keeps_which_parts_are_unknown() {
        let content = plan(
            r#""all":{"actions":["create"],"before":null,"after_unknown":true,"after_sensitive":false},"part":{"actions":["create"],"before":null,"after":["a",null],"after_unknown":[false,true],"after_sensitive":false},"none":{"actions":["create"],"before":null,"after":["a"],"after_unknown":[false],"after_sensitive":false}"#,
        );
        let read = crate::outputs::read(&document(AFTER.id, &content), Origin::Outputs(0));
        let unknown = read.unknown.iter();
        let unknown: Vec<_> = unknown
            .map(|(name, unknown)| format!("{name}: {}", Value::to_json(unknown)))
            .collect();
        assert_eq!(unknown, ["all: true", "part: [false,true]"]);
    }

    #[test]
    fn rejects_incomplete_and_invalid_plans() {
        let errored = r#"{"format_version":"1.2","planned_values":{},"errored":true}"#;
        let failed = ["the plan is incomplete, because Terraform failed to plan: 1:1"];
        check(errored, &failed, &failed);
        let targeted = r#"{"format_version":"1.2","planned_values":{},"complete":false}"#;
        check(
            targeted,
            &[],
            &[
                "the plan is incomplete: further changes of outputs need another plan and apply: 1:1",
            ],
        );
        for (change, expect) in [
            ("1", "the change of the output `a` is not an object: 2:1"),
            ("{}", "the change of the output `a` has no `actions`: 2:1"),
            (
                r#"{"actions":["update"]}"#,
                "the change of the output `a` has no value: 2:1",
            ),
            (
                r#"{"actions":["update"],"before":{"k":"hunter2","k":"hunter2"}}"#,
                "the change of the output `a` has an object with a duplicate key: 2:1",
            ),
        ] {
            check_read(BEFORE.id, &plan(&format!("\"a\":{change}")), &[expect]);
        }
        check_read(
            BEFORE.id,
            r#"{"format_version":"1.2","output_changes":[]}"#,
            &["`output_changes` in the plan is not an object: 1:1"],
        );
    }

    #[test]
    fn names_what_is_not_a_plan() {
        for (content, what) in [
            (
                r#"{"a":{"sensitive":true,"value":"hunter2"}}"#,
                "has the format `terraform`",
            ),
            (
                r#"{"version":4,"lineage":"","outputs":{}}"#,
                "has the format `tfstate`",
            ),
            (
                "Terraform will perform the following actions:\n",
                "is the text of a Terraform plan",
            ),
            (
                "{\"@level\":\"info\"}\n{\"@level\":\"info\"}\n",
                "is the JSON log of a Terraform command",
            ),
            ("{\"a\":1}", "has another format"),
        ] {
            let message =
                format!("expected the JSON of a Terraform plan, but the document {what}: 1:1");
            check(content, &[&message], &[&message]);
        }
        for content in ["", "{", "PK\u{3}\u{4}"] {
            let read = crate::outputs::read(&document(AFTER.id, content), Origin::Outputs(0));
            let help = read.diagnostics[0].help.as_deref().unwrap_or_default();
            assert!(help.contains("terraform show -json"), "{help}");
        }
    }

    #[test]
    fn a_plan_is_not_recognised_and_not_redacted() {
        let content = plan(r#""a":{"actions":["no-op"],"before":"hunter2","after":"hunter2"}"#);
        check_read(
            "",
            &content,
            &[
                "the outputs document is a Terraform plan, as written by `terraform show -json PLAN`: 1:1",
            ],
        );
        check_redacted(&document(AFTER.id, &content), None);
    }
}
