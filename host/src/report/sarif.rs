//! SARIF 2.1.0, the form of code scanning.
//! (docs.oasis-open.org/sarif/sarif/v2.1.0; section numbers below are that
//! document's.) No snippets are written: a viewer has the files, and secrets
//! stand in them.

use std::fmt::Write as _;
use std::path::Path;

use serde_json::{Map, Value, json};

use super::finding::{Edit, Finding, Findings, Fix, Label, Origin};
use super::place::Place;
use super::{from_here, json, rule_page};

/// Where relative paths begin: consumers know it by this name (§3.4.4).
const ROOT: &str = "%SRCROOT%";

pub(super) fn log(findings: &Findings, here: Option<&Path>) -> String {
    let mut rules: Vec<&str> = findings
        .findings
        .iter()
        .map(|finding| finding.rule.as_str())
        .collect();
    rules.sort_unstable();
    rules.dedup();
    let sarif = Sarif {
        here,
        rules: &rules,
    };
    let results: Vec<_> = findings
        .findings
        .iter()
        .map(|finding| sarif.result(finding))
        .collect();
    let mut invocation = json!({"executionSuccessful": true});
    if let Some(more) = findings.more() {
        // Of the tool itself, not of a file (§3.20.21).
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

/// A reportingDescriptor (§3.49).
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
    here: Option<&'a Path>,
    /// Sorted.
    rules: &'a [&'a str],
}

impl Sarif<'_> {
    fn result(&self, finding: &Finding) -> Value {
        let mut text = finding.message.clone();
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

    /// From the reference in the manifest to the output that it names (§3.36).
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

    /// A change that a viewer can make (§3.55). None where it is not to be shown.
    fn fix(&self, fix: &Fix) -> Option<Value> {
        let first = fix.edits.first()?;
        let replacements: Vec<_> = fix
            .edits
            .iter()
            .map(|Edit { place, text }| {
                json!({"deletedRegion": region(place), "insertedContent": {"text": text}})
            })
            .collect();
        Some(json!({
            "description": {"text": fix.title},
            "artifactChanges": [{
                "artifactLocation": self.artifact(&first.place.path),
                "replacements": replacements,
            }],
        }))
    }

    fn location(&self, label: &Label) -> Option<Value> {
        let place = label.place.as_ref()?;
        let mut location = json!({"physicalLocation": {
            "artifactLocation": self.artifact(&place.path),
            "region": region(place),
        }});
        if !label.message.is_empty() {
            location["message"] = json!({"text": label.message});
        }
        Some(location)
    }

    fn artifact(&self, path: &str) -> Value {
        let path = from_here(path, self.here);
        if path.starts_with('/') {
            json!({"uri": format!("file://{}", encoded(path))})
        } else if path.starts_with("../") {
            json!({"uri": encoded(path)})
        } else {
            json!({"uri": encoded(path), "uriBaseId": ROOT})
        }
    }
}

fn region(place: &Place) -> Value {
    json!({
        "startLine": place.line,
        "startColumn": place.column,
        "endLine": place.end_line,
        "endColumn": place.end_column,
    })
}

/// A path as a URI reference: RFC 3986's unreserved characters and `/` stay.
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
    fn paths_are_uris() {
        assert_eq!(encoded("apps/web/a.yaml"), "apps/web/a.yaml");
        assert_eq!(encoded("a b:c%#ж.yaml"), "a%20b%3Ac%25%23%D0%B6.yaml");
        assert_eq!(encoded("<stdin>"), "%3Cstdin%3E");
    }
}
