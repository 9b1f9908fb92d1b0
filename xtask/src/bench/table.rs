//! Tables in Markdown that are also readable on a terminal.

use std::fmt;

/// A table; the first column is text and the others are right-aligned.
pub(super) struct Table(Vec<Vec<String>>);

impl Table {
    /// Makes a table with these column names, separated by ` | `.
    pub(super) fn new(header: &str) -> Self {
        Self(vec![header.split(" | ").map(str::to_owned).collect()])
    }

    /// Adds a row; it has as many cells as the header.
    pub(super) fn row(&mut self, cells: Vec<String>) {
        self.0.push(cells);
    }
}

impl fmt::Display for Table {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut widths = vec![3; self.0[0].len()];
        for row in &self.0 {
            for (width, cell) in widths.iter_mut().zip(row) {
                *width = cell.chars().count().max(*width);
            }
        }
        for (position, row) in self.0.iter().enumerate() {
            for (column, (cell, width)) in row.iter().zip(&widths).enumerate() {
                if column == 0 {
                    write!(f, "| {cell:<width$} ")?;
                } else {
                    write!(f, "| {cell:>width$} ")?;
                }
            }
            writeln!(f, "|")?;
            if position == 0 {
                write!(f, "| {} ", "-".repeat(widths[0]))?;
                for width in &widths[1..] {
                    write!(f, "| {}: ", "-".repeat(width - 1))?;
                }
                writeln!(f, "|")?;
            }
        }
        Ok(())
    }
}

/// Formats seconds as milliseconds, with three significant digits.
pub(super) fn millis(seconds: f64) -> String {
    match seconds * 1e3 {
        millis @ 0.0..10.0 => format!("{millis:.2}"),
        millis @ 10.0..100.0 => format!("{millis:.1}"),
        millis => format!("{millis:.0}"),
    }
}

/// Formats bytes as millions of bytes.
pub(super) fn megabytes(bytes: u64) -> String {
    format!("{:.1}", bytes as f64 / 1e6)
}

/// Formats 20000 as `20,000`.
pub(super) fn grouped(number: usize) -> String {
    if number < 1_000 {
        return number.to_string();
    }
    format!("{},{:03}", grouped(number / 1_000), number % 1_000)
}

/// Returns a mark for whether something is as expected.
pub(super) fn mark(is_met: bool) -> String {
    if is_met { "✓" } else { "✗" }.to_owned()
}
