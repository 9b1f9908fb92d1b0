//! The report of `landfall argocd doctor`: a line for each check, or JSON.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use serde::Serialize;

use super::json;
use crate::sanitize;

const CHECKUP: &str = "landfall.dev/checkup/v1alpha1";

/// The report of `landfall argocd doctor -o json`.
#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub(crate) struct Checkup {
    /// The version of this format.
    #[cfg_attr(test, schemars(extend("const" = CHECKUP)))]
    api_version: &'static str,
    /// In the order in which they were made.
    checks: Vec<Check>,
    /// The annotations that the Application of the checked folder needs.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    annotations: BTreeMap<String, String>,
}

/// One check.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub(crate) struct Check {
    /// What was checked.
    name: String,
    pub(crate) status: Status,
    /// What was found.
    message: String,
    /// How to fix it.
    #[serde(skip_serializing_if = "Option::is_none")]
    fix: Option<String>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub(crate) enum Status {
    Ok,
    /// It works, but not as intended or not safely.
    Warning,
    /// It cannot work.
    Error,
}

impl Check {
    pub(crate) fn ok(name: &str, message: impl Into<String>) -> Self {
        Self::new(name, Status::Ok, message.into(), None)
    }

    pub(crate) fn warning(
        name: &str,
        message: impl Into<String>,
        fix: impl Into<Option<String>>,
    ) -> Self {
        Self::new(name, Status::Warning, message.into(), fix.into())
    }

    pub(crate) fn error(
        name: &str,
        message: impl Into<String>,
        fix: impl Into<Option<String>>,
    ) -> Self {
        Self::new(name, Status::Error, message.into(), fix.into())
    }

    fn new(name: &str, status: Status, message: String, fix: Option<String>) -> Self {
        Self {
            name: name.to_owned(),
            status,
            message,
            fix,
        }
    }
}

impl Status {
    const fn as_str(self) -> &'static str {
        match self {
            Self::Ok => "ok",
            Self::Warning => "warning",
            Self::Error => "error",
        }
    }
}

impl Checkup {
    pub(crate) const fn new(checks: Vec<Check>, annotations: BTreeMap<String, String>) -> Self {
        Self {
            api_version: CHECKUP,
            checks,
            annotations,
        }
    }

    /// Returns whether a check failed, or with `strict` found something to warn about.
    pub(crate) fn has_failed(&self, strict: bool) -> bool {
        self.checks.iter().any(|check| match check.status {
            Status::Ok => false,
            Status::Warning => strict,
            Status::Error => true,
        })
    }

    pub(crate) fn to_json(&self) -> String {
        json::text(self)
    }

    /// Returns a line for each check, or with `only_errors` for those that failed, and the
    /// annotations as a part of a manifest.
    pub(crate) fn to_text(&self, only_errors: bool) -> String {
        let mut text = String::new();
        for check in &self.checks {
            if only_errors && check.status != Status::Error {
                continue;
            }
            let mut line = format!("{}: {}", check.name, check.message);
            if let Some(fix) = &check.fix {
                line.push_str("; ");
                line.push_str(fix);
            }
            let line = sanitize::line(&line);
            let _ = writeln!(text, "{:7}  {line}", check.status.as_str());
        }
        if !self.annotations.is_empty() {
            let _ = writeln!(text, "\nmetadata:\n  annotations:");
            // Cannot fail: these are strings.
            let annotations = yaml_serde::to_string(&self.annotations).unwrap_or_default();
            for line in annotations.lines() {
                let _ = writeln!(text, "    {}", sanitize::line(line));
            }
        }
        sanitize::without_ci_commands(&text).into_owned()
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::{Check, Checkup};

    #[test]
    fn each_check_is_one_line_whatever_it_found() {
        let checks = vec![
            Check::ok("user", "999"),
            Check::warning("a", "b\n::error::c", None),
            Check::error("socket", "x", "start \u{1b}[2J".to_owned()),
        ];
        let annotations = BTreeMap::from([("a/b".to_owned(), ".;../x: y".to_owned())]);
        let report = Checkup::new(checks, annotations);
        assert_eq!(
            report.to_text(false),
            "ok       user: 999\nwarning  a: b␊::error::c\nerror    socket: x; start ␛[2J\n\n\
             metadata:\n  annotations:\n    a/b: '.;../x: y'\n"
        );
        assert!(report.has_failed(false));
        assert!(report.to_text(true).starts_with("error    socket"));
    }

    #[test]
    fn warnings_fail_only_strict_checks() {
        let report = Checkup::new(vec![Check::warning("a", "b", None)], BTreeMap::new());
        assert!(!report.has_failed(false));
        assert!(report.has_failed(true));
    }
}
