//! Turns the measurements into tables and the page.

use super::contenders::{Contender, Kind};
use super::expected;
use super::inputs::{self, Inputs};
use super::page::{Kept, Page};
use super::rounds::{Measured, Series};
use super::table::{Table, megabytes, millis};

/// Everything that a run of the bench collects.
pub(super) struct Results<'a> {
    pub(super) day: String,
    pub(super) machine: String,
    pub(super) load: Option<f64>,
    pub(super) contenders: &'a [Contender],
    pub(super) skipped: &'a [String],
    pub(super) inputs: &'a Inputs,
    pub(super) measured: &'a [Measured],
    pub(super) sizes: Table,
    pub(super) functions: Option<String>,
    pub(super) steps: Option<String>,
    pub(super) fleet: Option<String>,
    pub(super) growth: Option<String>,
    pub(super) plugin_server: Option<String>,
    pub(super) guest_sizes: Option<String>,
    /// The least peak memory that can be measured.
    pub(super) floor: Option<u64>,
}

const INTRODUCTION: &str = "\
# Results

`cargo xtask bench` writes this page. The last section is written by hand, and kept.
Times are those of whole processes, from start to end, each writing to a file on the
same disk; the programs run in turn, round after round, and what they write is
checked. Peak memory is the most that was resident in any run.";

impl Results<'_> {
    /// Returns the page, with the kept parts of the old one.
    pub(super) fn page(&self, old: &str) -> Page {
        let mut page = Page::default();
        page.text(INTRODUCTION);
        page.text(&self.circumstances());
        let expected = expected::table(self.measured, self.inputs.document_bytes);
        page.section("Expected and measured", &expected.to_string());
        for measured in self.measured {
            let heading = format!(
                "{}: {}, {} bytes",
                measured.input.name,
                measured.input.about,
                inputs::grouped(measured.input.bytes)
            );
            let mut text = series(measured).to_string();
            for line in &measured.skipped {
                text.push_str(&format!("\n{line}\n"));
            }
            page.section(&heading, &text);
        }
        page.keep("Time per step", Kept::Steps, self.steps.as_deref(), old);
        page.keep(
            "Time per function",
            Kept::Functions,
            self.functions.as_deref(),
            old,
        );
        page.keep(
            "One source, 1,000 outputs documents",
            Kept::Fleet,
            self.fleet.as_deref(),
            old,
        );
        page.keep("Twice the input", Kept::Growth, self.growth.as_deref(), old);
        page.keep(
            "Through Argo CD's plugin server",
            Kept::PluginServer,
            self.plugin_server.as_deref(),
            old,
        );
        page.section("Sizes", &self.sizes.to_string());
        page.keep(
            "The module for speed and for size",
            Kept::GuestSizes,
            self.guest_sizes.as_deref(),
            old,
        );
        page.keep("What falls short, and why", Kept::Shortfall, None, old);
        page
    }

    /// Describes when, where and with what was measured.
    fn circumstances(&self) -> String {
        let mut text = format!("- {}: {}", self.day, self.machine);
        if let Some(load) = self.load {
            text.push_str(&format!("; load before the first run {load:.2}"));
        }
        text.push('\n');
        for contender in self.contenders {
            text.push_str(&format!(
                "- {}: {}\n",
                contender.kind.name(),
                contender.version
            ));
        }
        for line in self.skipped {
            text.push_str(&format!("- {line}\n"));
        }
        text.push_str(&format!(
            "- seed {}, {} outputs in {} bytes of `terraform output -json`\n",
            inputs::SEED,
            self.inputs.outputs.all().len(),
            inputs::grouped(self.inputs.document_bytes)
        ));
        if let Some(floor) = self.floor {
            text.push_str(&format!(
                "- less peak memory than {} MB cannot be seen: a process inherits what the one that starts it had\n",
                megabytes(floor)
            ));
        }
        text
    }
}

/// Returns one table: all programs on one text.
fn series(measured: &Measured) -> Table {
    let mut header = vec!["program", "median ms", "least ms"];
    // Where there is much to substitute, text substitution is the baseline.
    let bases: &[(&str, Kind)] = match measured.input.name {
        "dense" => &[
            ("× cat", Kind::Cat),
            ("× GNU", Kind::GnuEnvsubst),
            ("× Flux's", Kind::FluxText),
        ],
        "dense16" => &[("× cat", Kind::Cat), ("× GNU", Kind::GnuEnvsubst)],
        _ => &[("× cat", Kind::Cat)],
    };
    header.extend(bases.iter().map(|(name, _)| *name));
    header.extend(["peak MB", "runs"]);
    let mut table = Table::new(&header);
    for series in &measured.series {
        let ratio = |base: &Series| format!("{:.2}", series.median() / base.median());
        let mut row = vec![
            series.kind.name().to_owned(),
            millis(series.median()),
            millis(series.fastest()),
        ];
        for (_, kind) in bases {
            row.push(measured.of(*kind).map_or_else(String::new, ratio));
        }
        row.push(megabytes(series.peak));
        row.push(series.runs().to_string());
        table.row(row);
    }
    table
}
