//! SARIF 2.1.0, the format of code scanning.
//! (docs.oasis-open.org/sarif/sarif/v2.1.0; section numbers below refer to it.)
//! Snippets are not written, because they could contain secrets; viewers have the files.

use std::fmt::Write as _;
use std::path::Path;

use serde::Serialize;

use super::finding::{Edit, Finding, Findings, Fix, Label, Origin};
use super::location::Location;
use super::{json, relative_path, rule_page};

/// The conventional name for the folder that relative paths start from (§3.4.4).
const ROOT: &str = "%SRCROOT%";

/// `sarifLog` (§3.13). The fields of all objects are in alphabetical order.
#[derive(Serialize)]
struct Log<'a> {
    #[serde(rename = "$schema")]
    schema: &'static str,
    runs: [Run<'a>; 1],
    version: &'static str,
}

/// `run` (§3.14)
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Run<'a> {
    column_kind: &'static str,
    invocations: [Invocation; 1],
    results: Vec<RunResult<'a>>,
    tool: Tool<'a>,
}

/// `invocation` (§3.20)
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Invocation {
    execution_successful: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    tool_execution_notifications: Option<[Notification; 1]>,
}

/// `notification` (§3.58)
#[derive(Serialize)]
struct Notification {
    level: &'static str,
    message: Text,
}

/// `tool` (§3.18)
#[derive(Serialize)]
struct Tool<'a> {
    driver: Driver<'a>,
}

/// `toolComponent` (§3.19)
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Driver<'a> {
    information_uri: &'static str,
    name: &'static str,
    rules: Vec<Rule<'a>>,
    semantic_version: &'static str,
    version: &'static str,
}

/// `reportingDescriptor` (§3.49)
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Rule<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    help: Option<Help>,
    help_uri: String,
    id: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    short_description: Option<Text>,
}

/// `multiformatMessageString` (§3.12)
#[derive(Serialize)]
struct Help {
    markdown: String,
    text: String,
}

/// `message` (§3.11), and other objects with nothing but a text
#[derive(Serialize)]
struct Text {
    text: String,
}

/// `result` (§3.27)
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct RunResult<'a> {
    #[serde(skip_serializing_if = "Vec::is_empty")]
    code_flows: Vec<CodeFlow>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    fixes: Vec<ResultFix>,
    level: &'static str,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    locations: Vec<ResultLocation>,
    message: Text,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    related_locations: Vec<ResultLocation>,
    rule_id: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    rule_index: Option<usize>,
}

/// `codeFlow` (§3.36)
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct CodeFlow {
    thread_flows: [ThreadFlow; 1],
}

/// `threadFlow` (§3.37)
#[derive(Serialize)]
struct ThreadFlow {
    locations: Vec<FlowLocation>,
}

/// `threadFlowLocation` (§3.38)
#[derive(Serialize)]
struct FlowLocation {
    location: ResultLocation,
}

/// `location` (§3.28)
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct ResultLocation {
    #[serde(skip_serializing_if = "Option::is_none")]
    id: Option<usize>,
    #[serde(skip_serializing_if = "Option::is_none")]
    logical_locations: Option<[LogicalLocation; 1]>,
    #[serde(skip_serializing_if = "Option::is_none")]
    message: Option<Text>,
    physical_location: PhysicalLocation,
}

/// `logicalLocation` (§3.33)
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct LogicalLocation {
    fully_qualified_name: String,
}

/// `physicalLocation` (§3.29)
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct PhysicalLocation {
    artifact_location: ArtifactLocation,
    region: Region,
}

/// `artifactLocation` (§3.4)
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct ArtifactLocation {
    uri: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    uri_base_id: Option<&'static str>,
}

/// `region` (§3.30)
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Region {
    end_column: usize,
    end_line: usize,
    start_column: usize,
    start_line: usize,
}

/// `fix` (§3.55)
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct ResultFix {
    artifact_changes: [ArtifactChange; 1],
    description: Text,
}

/// `artifactChange` (§3.56)
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct ArtifactChange {
    artifact_location: ArtifactLocation,
    replacements: Vec<Replacement>,
}

/// `replacement` (§3.57)
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Replacement {
    deleted_region: Region,
    inserted_content: Text,
}

pub(super) fn log(findings: &Findings, current_folder: Option<&Path>) -> String {
    let found = &findings.findings;
    let mut rules: Vec<&str> = found.iter().map(|finding| finding.rule.as_str()).collect();
    rules.sort_unstable();
    rules.dedup();
    let sarif = Sarif {
        current_folder,
        rules: &rules,
    };
    // A message of the tool itself, not about a file (§3.20.21).
    let more = findings.more().map(|text| {
        [Notification {
            level: "warning",
            message: Text { text },
        }]
    });
    json::text(&Log {
        schema: "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json",
        runs: [Run {
            column_kind: "unicodeCodePoints",
            invocations: [Invocation {
                execution_successful: true,
                tool_execution_notifications: more,
            }],
            results: found.iter().map(|finding| sarif.result(finding)).collect(),
            tool: Tool {
                driver: Driver {
                    information_uri: env!("CARGO_PKG_HOMEPAGE"),
                    name: "landfall",
                    rules: rules.iter().map(|rule| described(rule)).collect(),
                    semantic_version: env!("CARGO_PKG_VERSION"),
                    version: env!("CARGO_PKG_VERSION"),
                },
            },
        }],
        version: "2.1.0",
    })
}

fn described(rule: &str) -> Rule<'_> {
    let address = rule_page::address(rule);
    let meaning = rule_page::meaning(rule);
    Rule {
        help: meaning.as_ref().map(|meaning| Help {
            markdown: format!("{meaning} [How to fix it]({address})"),
            text: format!("{meaning} See {address}"),
        }),
        help_uri: address,
        id: rule,
        short_description: meaning.map(|text| Text { text }),
    }
}

struct Sarif<'a> {
    current_folder: Option<&'a Path>,
    /// Sorted.
    rules: &'a [&'a str],
}

impl Sarif<'_> {
    fn result<'f>(&self, finding: &'f Finding) -> RunResult<'f> {
        let mut text = finding.message.clone();
        for note in finding.notes() {
            let _ = write!(text, "\n{note}");
        }
        if let Some(help) = &finding.help {
            let _ = write!(text, "\nhelp: {help}");
        }
        let related = finding.labels.iter().skip(1).enumerate();
        let related = related.filter_map(|(nth, label)| {
            Some(ResultLocation {
                id: Some(nth + 1),
                ..self.location(label)?
            })
        });
        let fixes = finding.fixes.iter();
        RunResult {
            code_flows: self.flow(finding).into_iter().collect(),
            fixes: fixes.filter_map(|fix| self.fix(fix)).collect(),
            level: finding.severity.word(),
            locations: self.primary(finding).into_iter().collect(),
            message: Text { text },
            related_locations: related.collect(),
            rule_id: &finding.rule,
            rule_index: self.rules.binary_search(&finding.rule.as_str()).ok(),
        }
    }

    fn primary(&self, finding: &Finding) -> Option<ResultLocation> {
        Some(ResultLocation {
            logical_locations: finding.subject().map(|fully_qualified_name| {
                [LogicalLocation {
                    fully_qualified_name,
                }]
            }),
            ..self.location(finding.labels.first()?)?
        })
    }

    /// Returns the flow from the reference in the manifest to the output.
    fn flow(&self, finding: &Finding) -> Option<CodeFlow> {
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
        let locations = std::iter::once(manifest).chain(outputs);
        let locations = locations
            .map(|location| FlowLocation { location })
            .collect();
        Some(CodeFlow {
            thread_flows: [ThreadFlow { locations }],
        })
    }

    /// Returns a fix that a viewer can apply. None if its edits are not shown.
    fn fix(&self, fix: &Fix) -> Option<ResultFix> {
        let first = fix.edits.first()?;
        let replacement = |Edit { location, text }: &Edit| Replacement {
            deleted_region: region(location),
            inserted_content: Text { text: text.clone() },
        };
        Some(ResultFix {
            artifact_changes: [ArtifactChange {
                artifact_location: self.artifact(&first.location.path),
                replacements: fix.edits.iter().map(replacement).collect(),
            }],
            description: Text {
                text: fix.title.clone(),
            },
        })
    }

    fn location(&self, label: &Label) -> Option<ResultLocation> {
        let range = label.location.as_ref()?;
        let has_message = !label.message.is_empty();
        Some(ResultLocation {
            id: None,
            logical_locations: None,
            message: has_message.then(|| Text {
                text: label.message.clone(),
            }),
            physical_location: PhysicalLocation {
                artifact_location: self.artifact(&range.path),
                region: region(range),
            },
        })
    }

    fn artifact(&self, path: &str) -> ArtifactLocation {
        let path = relative_path(path, self.current_folder);
        let is_absolute = path.starts_with('/');
        let is_below = !is_absolute && !path.starts_with("../");
        let scheme = if is_absolute { "file://" } else { "" };
        ArtifactLocation {
            uri: format!("{scheme}{}", encoded(path)),
            uri_base_id: is_below.then_some(ROOT),
        }
    }
}

fn region(location: &Location) -> Region {
    Region {
        end_column: location.end_column,
        end_line: location.end_line,
        start_column: location.column,
        start_line: location.line,
    }
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
