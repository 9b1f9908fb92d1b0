//! `benches/RESULTS.md`: the measurements, and the notes on them.

use std::fmt::Write as _;
use std::fs;
use std::path::Path;

use anyhow::{Context, Result};

/// A part of the page that is kept by a run that does not measure it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kept {
    /// What each function costs: can be measured alone.
    Functions,
    /// What each step of a render costs: can be measured alone.
    Steps,
    /// Twice the input: can be measured alone.
    Growth,
    /// One source and many outputs documents: can be measured alone.
    Fleet,
    /// Calls through Argo CD's plugin server: can be measured alone.
    PluginServer,
    /// The module at opt-level 3 and "s": measured only on request.
    GuestSizes,
    /// Written by hand.
    Shortfall,
}

impl Kept {
    const fn name(self) -> &'static str {
        match self {
            Self::Functions => "functions",
            Self::Steps => "steps",
            Self::Growth => "growth",
            Self::Fleet => "fleet",
            Self::PluginServer => "plugin-server",
            Self::GuestSizes => "guest-sizes",
            Self::Shortfall => "by-hand",
        }
    }

    /// Returns the placeholder for a part that was never written.
    const fn nothing(self) -> &'static str {
        match self {
            Self::Functions => "Not measured yet: `cargo xtask bench --functions`.\n",
            Self::Steps => "Not measured yet: `cargo xtask bench --steps`.\n",
            Self::Growth => "Not measured yet: `cargo xtask bench --growth`.\n",
            Self::Fleet => "Not measured yet: `cargo xtask bench --fleet`.\n",
            Self::PluginServer => "Not measured yet: `cargo xtask bench --plugin-server`.\n",
            Self::GuestSizes => "Not measured yet: `cargo xtask bench --guest-sizes`.\n",
            Self::Shortfall => "Nothing was written here yet.\n",
        }
    }

    fn begin(self) -> String {
        format!("<!-- {}: begin -->\n", self.name())
    }

    fn end(self) -> String {
        format!("<!-- {}: end -->\n", self.name())
    }

    /// Returns this part of an old page.
    fn find(self, page: &str) -> Option<&str> {
        let (_, rest) = page.split_once(&self.begin())?;
        let (text, _) = rest.split_once(&self.end())?;
        Some(text)
    }

    /// Returns an old page with this part replaced, or `None` if it has no such part.
    fn replace(self, page: &str, text: &str) -> Option<String> {
        let (before, rest) = page.split_once(&self.begin())?;
        let (_, after) = rest.split_once(&self.end())?;
        Some(format!(
            "{before}{}{text}{}{after}",
            self.begin(),
            self.end()
        ))
    }
}

/// The page being written.
#[derive(Clone, Debug, Default)]
pub(super) struct Page(String);

impl Page {
    /// Adds a section with a heading.
    pub(super) fn section(&mut self, heading: &str, text: &str) {
        self.heading(heading);
        let _ = writeln!(self.0, "{}", text.trim_end());
    }

    /// Adds a section with the new text, else with that of `old`.
    pub(super) fn keep(&mut self, heading: &str, kept: Kept, new: Option<&str>, old: &str) {
        let text = new
            .or_else(|| kept.find(old))
            .unwrap_or_else(|| kept.nothing());
        self.heading(heading);
        let _ = write!(self.0, "{}{text}{}", kept.begin(), kept.end());
    }

    /// Returns an old page with one part replaced.
    ///
    /// # Errors
    /// The page has no such part.
    pub(super) fn renewed(old: &str, kept: Kept, new: &str) -> Result<Self> {
        kept.replace(old, new).map(Self).with_context(|| {
            format!(
                "the page has no part `{}`: measure everything once",
                kept.name()
            )
        })
    }

    /// Adds text without a heading.
    pub(super) fn text(&mut self, text: &str) {
        if !self.0.is_empty() {
            self.0.push('\n');
        }
        let _ = writeln!(self.0, "{}", text.trim_end());
    }

    fn heading(&mut self, heading: &str) {
        self.text(&format!("## {heading}\n"));
        self.0.push('\n');
    }

    pub(super) fn as_str(&self) -> &str {
        &self.0
    }

    /// Writes it to a file.
    pub(super) fn write(&self, path: &Path) -> Result<()> {
        if let Some(folder) = path.parent() {
            fs::create_dir_all(folder).with_context(|| format!("making {}", folder.display()))?;
        }
        fs::write(path, &self.0).with_context(|| format!("writing {}", path.display()))
    }
}

#[cfg(test)]
mod tests {
    use super::{Kept, Page};

    #[test]
    fn keeps_manual_text() {
        let mut first = Page::default();
        first.text("# Results");
        first.section("Tables", "| a |\n");
        first.keep("Why", Kept::Shortfall, None, "");
        assert_eq!(
            first.as_str(),
            "# Results\n\n## Tables\n\n| a |\n\n## Why\n\n<!-- by-hand: begin -->\nNothing was written here yet.\n<!-- by-hand: end -->\n"
        );

        let edited = first
            .as_str()
            .replace("Nothing was written here yet.\n", "\nThe locator.\n\n");
        let mut second = Page::default();
        second.keep("Why", Kept::Shortfall, None, &edited);
        assert_eq!(
            second.as_str(),
            "## Why\n\n<!-- by-hand: begin -->\n\nThe locator.\n\n<!-- by-hand: end -->\n"
        );
    }

    #[test]
    fn replaces_only_one_part() {
        let old = "a\n<!-- functions: begin -->\nold\n<!-- functions: end -->\nb\n";
        let page = Page::renewed(old, Kept::Functions, "new\n").unwrap();
        assert_eq!(page.as_str(), old.replace("old", "new"));
        assert!(Page::renewed("a\n", Kept::Functions, "new\n").is_err());
    }

    #[test]
    fn new_results_replace_old_ones() {
        let old = "<!-- guest-sizes: begin -->\nold\n<!-- guest-sizes: end -->\n";
        let mut page = Page::default();
        page.keep("Guest", Kept::GuestSizes, Some("new\n"), old);
        assert!(page.as_str().contains("begin -->\nnew\n<!--"));
    }
}
