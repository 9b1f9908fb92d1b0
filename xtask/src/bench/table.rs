//! Tables in Markdown that are also readable on a terminal.

use std::fmt;

/// A table; the first column is text and the others are right-aligned.
#[derive(Clone, Debug)]
pub(super) struct Table {
    rows: Vec<Vec<String>>,
}

impl Table {
    pub(super) fn new(header: &[&str]) -> Self {
        Self {
            rows: vec![header.iter().map(ToString::to_string).collect()],
        }
    }

    /// Adds a row; it has as many cells as the header.
    pub(super) fn row(&mut self, cells: Vec<String>) {
        self.rows.push(cells);
    }

    fn widths(&self) -> Vec<usize> {
        let columns = self.rows.first().map_or(0, Vec::len);
        (0..columns)
            .map(|column| {
                let cells = self.rows.iter().filter_map(|row| row.get(column));
                cells
                    .map(|cell| cell.chars().count())
                    .max()
                    .unwrap_or(0)
                    .max(3)
            })
            .collect()
    }
}

impl fmt::Display for Table {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let widths = self.widths();
        for (position, row) in self.rows.iter().enumerate() {
            for (column, (cell, width)) in row.iter().zip(&widths).enumerate() {
                if column == 0 {
                    write!(f, "| {cell:<width$} ")?;
                } else {
                    write!(f, "| {cell:>width$} ")?;
                }
            }
            writeln!(f, "|")?;
            if position == 0 {
                for (column, width) in widths.iter().enumerate() {
                    let dashes = "-".repeat(width - usize::from(column > 0));
                    let colon = if column == 0 { "" } else { ":" };
                    write!(f, "| {dashes}{colon} ")?;
                }
                writeln!(f, "|")?;
            }
        }
        Ok(())
    }
}

/// Formats seconds as milliseconds, with three significant digits.
pub(super) fn millis(seconds: f64) -> String {
    let millis = seconds * 1e3;
    match millis {
        0.0..10.0 => format!("{millis:.2}"),
        10.0..100.0 => format!("{millis:.1}"),
        _ => format!("{millis:.0}"),
    }
}

/// Formats bytes as millions of bytes.
pub(super) fn megabytes(bytes: u64) -> String {
    format!("{:.1}", bytes as f64 / 1e6)
}

#[cfg(test)]
mod tests {
    use super::{Table, millis};

    #[test]
    fn columns_are_as_wide_as_their_widest_cell() {
        let mut table = Table::new(&["program", "×"]);
        table.row(vec!["cat".to_owned(), "1.00".to_owned()]);
        table.row(vec!["≤ 2".to_owned(), "✓".to_owned()]);
        assert_eq!(
            table.to_string(),
            "\
| program |    × |
| ------- | ---: |
| cat     | 1.00 |
| ≤ 2     |    ✓ |
"
        );
    }

    #[test]
    fn three_digits() {
        assert_eq!(millis(0.001_234_5), "1.23");
        assert_eq!(millis(0.012_345), "12.3");
        assert_eq!(millis(1.234_5), "1234");
    }
}
