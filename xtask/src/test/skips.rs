//! Skipped tests: counted, reported at the end of the run, and checked in CI.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};
use landfall_test_support::exemptions::{Exemption, applicable};
use landfall_test_support::skip::{self, Requirement, Skip};

use crate::workspace::Workspace;

/// The log that tests append to ([`skip::LOG`]), the steps that this program skips itself,
/// and ignored tests.
#[derive(Debug)]
pub(super) struct Skips {
    log: PathBuf,
    own: Vec<Skip>,
}

impl Skips {
    /// Starts an empty log.
    ///
    /// # Errors
    /// The target folder cannot be written.
    pub(super) fn begin(workspace: &Workspace) -> Result<Self> {
        let log = workspace.target.join("skips.log");
        fs::write(&log, "").with_context(|| format!("writing {}", log.display()))?;
        Ok(Self {
            log,
            own: Vec::new(),
        })
    }

    /// Returns the log's path.
    pub(super) fn log(&self) -> &Path {
        &self.log
    }

    /// Records that a step of this program is skipped.
    pub(super) fn add(&mut self, requirement: Requirement, why: &str, step: &str) {
        let skip = Skip::new(requirement, why, step);
        eprintln!("{skip}");
        self.own.push(skip);
    }

    /// Records a test that the test runner ignored.
    pub(super) fn record(&mut self, skip: Skip) {
        self.own.push(skip);
    }

    /// Reports what was skipped, and in CI which exemptions were not needed.
    ///
    /// # Errors
    /// In CI, something was skipped without an exemption.
    pub(super) fn report(self) -> Result<()> {
        let text = fs::read_to_string(&self.log)
            .with_context(|| format!("reading {}", self.log.display()))?;
        let mut skips = parse(&text)?;
        skips.extend(self.own);
        let is_ci = skip::is_ci();
        let exemptions: Vec<_> = if is_ci {
            applicable(skip::is_true).collect()
        } else {
            Vec::new()
        };
        let report = Report::new(&skips, &exemptions);
        for line in &report.lines {
            eprintln!("test: {line}");
        }
        if is_ci && !report.not_exempt.is_empty() {
            let names: Vec<_> = report.not_exempt.iter().map(|one| one.name()).collect();
            bail!(
                "CI must run what needs {}: only what tests/support/src/exemptions.rs lists may be missing",
                names.join(", ")
            );
        }
        Ok(())
    }
}

/// Parses the log. Every line must be a skip, or it would not be counted.
fn parse(log: &str) -> Result<Vec<Skip>> {
    log.lines()
        .map(|line| Skip::from_line(line).with_context(|| format!("the log of skips: {line:?}")))
        .collect()
}

/// The report at the end of a run.
#[derive(Debug, PartialEq, Eq)]
struct Report {
    lines: Vec<String>,
    not_exempt: BTreeSet<Requirement>,
}

impl Report {
    fn new(skips: &[Skip], exemptions: &[&Exemption]) -> Self {
        let mut by_requirement: BTreeMap<Requirement, Vec<&Skip>> = BTreeMap::new();
        for skip in skips {
            by_requirement
                .entry(skip.requirement)
                .or_default()
                .push(skip);
        }
        let mut lines = vec![match skips.len() {
            0 => "nothing was skipped".to_owned(),
            count => format!("{count} skipped"),
        }];
        for (requirement, skips) in &by_requirement {
            let tests: Vec<&str> = skips.iter().map(|skip| skip.test.as_str()).collect();
            let reasons: BTreeSet<&str> = skips.iter().map(|skip| skip.why.as_str()).collect();
            lines.push(format!(
                "  {} for {requirement}: {}",
                skips.len(),
                tests.join(", ")
            ));
            lines.extend(reasons.iter().map(|why| format!("    {why}")));
            let exemption = exemptions
                .iter()
                .find(|exemption| exemption.requirement == *requirement);
            if let Some(exemption) = exemption {
                lines.push(format!("    exempt: {}", exemption.reason));
            }
        }
        for exemption in exemptions {
            if !by_requirement.contains_key(&exemption.requirement) {
                lines.push(format!(
                    "stale: {} may be missing here, and is not: see tests/support/src/exemptions.rs",
                    exemption.requirement
                ));
            }
        }
        let is_exempt = |requirement: &Requirement| {
            exemptions
                .iter()
                .any(|exemption| exemption.requirement == *requirement)
        };
        let not_exempt = by_requirement
            .into_keys()
            .filter(|requirement| !is_exempt(requirement))
            .collect();
        Self { lines, not_exempt }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TERRAFORM: Exemption = Exemption {
        requirement: Requirement::Terraform,
        only_where: None,
        reason: "its licence",
    };

    fn skip(requirement: Requirement, test: &str) -> Skip {
        Skip::new(requirement, "not found", test)
    }

    #[test]
    fn counts_skips_by_requirement() {
        let skips = [
            skip(Requirement::Corpora, "flux"),
            skip(Requirement::Terraform, "outputs"),
            skip(Requirement::Corpora, "vendors"),
        ];
        let report = Report::new(&skips, &[&TERRAFORM]);
        assert_eq!(
            report.lines,
            [
                "3 skipped",
                "  2 for corpora: flux, vendors",
                "    not found",
                "  1 for terraform: outputs",
                "    not found",
                "    exempt: its licence",
            ]
        );
        assert_eq!(report.not_exempt, BTreeSet::from([Requirement::Corpora]));
    }

    #[test]
    fn reports_unused_exemptions_as_stale() {
        let report = Report::new(&[], &[&TERRAFORM]);
        assert_eq!(
            report.lines,
            [
                "nothing was skipped",
                "stale: terraform may be missing here, and is not: see tests/support/src/exemptions.rs",
            ]
        );
        assert!(report.not_exempt.is_empty());
    }

    #[test]
    fn rejects_invalid_lines_of_the_log() {
        let line = skip(Requirement::Go, "readers").to_line();
        assert_eq!(
            parse(&format!("{line}\n{line}\n")).unwrap(),
            [
                skip(Requirement::Go, "readers"),
                skip(Requirement::Go, "readers")
            ]
        );
        assert!(parse("helm\ttest\tnot found\n").is_err());
    }
}
