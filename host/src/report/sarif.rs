//! SARIF 2.1.0, the format of code scanning.
//! (docs.oasis-open.org/sarif/sarif/v2.1.0; section numbers below refer to it.)
//! Snippets are not written, because they could contain secrets; viewers have the files.

use std::fmt::Write as _;
use std::path::Path;

use serde_json::{Map, Value, json};

use super::finding::{Edit, Finding, Findings, Fix, Label, Origin};
use super::location::Location;
use super::{json, relative_path, rule_page};

/// The conventional name for the folder that relative paths start from (§3.4.4).
const ROOT: &str = "%SRCROOT%";

pub(super) fn log(findings: &Findings, current_folder: Option<&Path>) -> String {
    let mut rules: Vec<&str> = findings
        .findings
        .iter()
        .map(|finding| finding.rule.as_str())
        .collect();
    rules.sort_unstable();
    rules.dedup();
    let sarif = Sarif {
        current_folder,
        rules: &rules,
    };
    let results: Vec<_> = findings
        .findings
        .iter()
        .map(|finding| sarif.result(finding))
        .collect();
    let mut invocation = json!({"executionSuccessful": true});
    if let Some(more) = findings.more() {
        // A message of the tool itself, not about a file (§3.20.21).
        invocation["toolExecutionNotifications"] =
            json!([{"level": "warning", "message": {"text": more}}]);
    }
    json::text(&json!({
        "$schema": "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json",
        "version": "2.1.0",
        "runs": [{
            "tool": {"driver": {
                "name": "landfall",
                "version": env!("CARGO_PKG_VERSION"),
                "semanticVersion": env!("CARGO_PKG_VERSION"),
                "informationUri": env!("CARGO_PKG_HOMEPAGE"),
                "rules": rules.iter().map(|rule| described(rule)).collect::<Vec<_>>(),
            }},
            "columnKind": "unicodeCodePoints",
            "invocations": [invocation],
            "results": results,
        }],
    }))
}

/// Returns the reportingDescriptor of a rule (§3.49).
fn described(rule: &str) -> Value {
    let address = rule_page::address(rule);
    let mut described = json!({"id": rule, "helpUri": address});
    if let Some(meaning) = rule_page::meaning(rule) {
        described["shortDescription"] = json!({"text": meaning});
        described["help"] = json!({
            "text": format!("{meaning} See {address}"),
            "markdown": format!("{meaning} [How to fix it]({address})"),
        });
    }
    described
}

struct Sarif<'a> {
    current_folder: Option<&'a Path>,
    /// Sorted.
    rules: &'a [&'a str],
}

impl Sarif<'_> {
    fn result(&self, finding: &Finding) -> Value {
        let mut text = finding.message.clone();
        for note in finding.notes() {
            let _ = write!(text, "\n{note}");
        }
        if let Some(help) = &finding.help {
            let _ = write!(text, "\nhelp: {help}");
        }
        let mut result = Map::new();
        result.insert("ruleId".into(), finding.rule.as_str().into());
        if let Ok(index) = self.rules.binary_search(&finding.rule.as_str()) {
            result.insert("ruleIndex".into(), index.into());
        }
        result.insert("level".into(), finding.severity.word().into());
        result.insert("message".into(), json!({"text": text}));
        let mut add = |name: &str, values: Vec<Value>| {
            if !values.is_empty() {
                result.insert(name.into(), values.into());
            }
        };
        add("locations", self.primary(finding).into_iter().collect());
        let related = finding.labels.iter().skip(1).enumerate();
        add(
            "relatedLocations",
            related
                .filter_map(|(nth, label)| {
                    let mut location = self.location(label)?;
                    location["id"] = (nth + 1).into();
                    Some(location)
                })
                .collect(),
        );
        add("codeFlows", self.flow(finding).into_iter().collect());
        let fixes = finding.fixes.iter().filter_map(|fix| self.fix(fix));
        add("fixes", fixes.collect());
        Value::Object(result)
    }

    fn primary(&self, finding: &Finding) -> Option<Value> {
        let mut location = self.location(finding.labels.first()?)?;
        if let Some(subject) = finding.subject() {
            location["logicalLocations"] = json!([{"fullyQualifiedName": subject}]);
        }
        Some(location)
    }

    /// Returns the flow from the reference in the manifest to the output (§3.36).
    fn flow(&self, finding: &Finding) -> Option<Value> {
        let from = |origin| {
            let labels = finding.labels.iter();
            labels
                .filter(move |label| label.origin == origin)
                .filter_map(|label| self.location(label))
        };
        let manifest = from(Origin::Manifest).next()?;
        let outputs: Vec<_> = from(Origin::Outputs).collect();
        if outputs.is_empty() {
            return None;
        }
        let locations: Vec<_> = std::iter::once(manifest)
            .chain(outputs)
            .map(|location| json!({"location": location}))
            .collect();
        Some(json!({"threadFlows": [{"locations": locations}]}))
    }

    /// Returns a fix that a viewer can apply (§3.55). None if its edits are not shown.
    fn fix(&self, fix: &Fix) -> Option<Value> {
        let first = fix.edits.first()?;
        let replacements: Vec<_> = fix
            .edits
            .iter()
            .map(|Edit { location, text }| {
                json!({"deletedRegion": region(location), "insertedContent": {"text": text}})
            })
            .collect();
        Some(json!({
            "description": {"text": fix.title},
            "artifactChanges": [{
                "artifactLocation": self.artifact(&first.location.path),
                "replacements": replacements,
            }],
        }))
    }

    fn location(&self, label: &Label) -> Option<Value> {
        let range = label.location.as_ref()?;
        let mut location = json!({"physicalLocation": {
            "artifactLocation": self.artifact(&range.path),
            "region": region(range),
        }});
        if !label.message.is_empty() {
            location["message"] = json!({"text": label.message});
        }
        Some(location)
    }

    fn artifact(&self, path: &str) -> Value {
        let path = relative_path(path, self.current_folder);
        if path.starts_with('/') {
            json!({"uri": format!("file://{}", encoded(path))})
        } else if path.starts_with("../") {
            json!({"uri": encoded(path)})
        } else {
            json!({"uri": encoded(path), "uriBaseId": ROOT})
        }
    }
}

fn region(location: &Location) -> Value {
    json!({
        "startLine": location.line,
        "startColumn": location.column,
        "endLine": location.end_line,
        "endColumn": location.end_column,
    })
}

/// Encodes a path as a URI reference, except the unreserved characters of RFC 3986 and
/// `/`.
fn encoded(path: &str) -> String {
    let mut uri = String::with_capacity(path.len());
    for byte in path.bytes() {
        match byte {
            b'A'..=b'Z' | b'a'..=b'z' | b'0'..=b'9' | b'-' | b'.' | b'_' | b'~' | b'/' => {
                uri.push(byte as char);
            }
            byte => {
                let _ = write!(uri, "%{byte:02X}");
            }
        }
    }
    uri
}

#[cfg(test)]
mod tests {
    use super::encoded;

    #[test]
    fn encodes_paths_as_uris() {
        assert_eq!(encoded("apps/web/a.yaml"), "apps/web/a.yaml");
        assert_eq!(encoded("a b:c%#ж.yaml"), "a%20b%3Ac%25%23%D0%B6.yaml");
        assert_eq!(encoded("<stdin>"), "%3Cstdin%3E");
    }
}
