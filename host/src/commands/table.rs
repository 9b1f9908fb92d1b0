//! Tables in the style of `kubectl get`.

use std::fmt;

use crate::sanitize;

/// The maximum width of a cell in characters. A longer text, such as a policy document,
/// would make the other columns unreadable.
const MAX_CELL_WIDTH: usize = 80;

/// Rows below a heading.
pub(super) struct Table<const N: usize> {
    rows: Vec<[String; N]>,
    widths: [usize; N],
}

impl<const N: usize> Table<N> {
    pub(super) fn new(heading: [&str; N]) -> Self {
        let mut table = Self {
            rows: Vec::new(),
            widths: [0; N],
        };
        table.add(heading.map(str::to_owned));
        table
    }

    pub(super) fn add(&mut self, row: [String; N]) {
        let row = row.map(|cell| one_line(&cell));
        for (width, cell) in std::iter::zip(&mut self.widths, &row) {
            *width = (*width).max(cell.chars().count());
        }
        self.rows.push(row);
    }
}

impl<const N: usize> fmt::Display for Table<N> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for row in &self.rows {
            for (position, (cell, width)) in std::iter::zip(row, &self.widths).enumerate() {
                if position + 1 == N {
                    writeln!(f, "{cell}")?;
                } else {
                    write!(f, "{cell:width$}   ")?;
                }
            }
        }
        Ok(())
    }
}

/// Returns the text on one line, truncated to the maximum width.
fn one_line(text: &str) -> String {
    let mut chars = text.chars();
    let mut line: String = chars.by_ref().take(MAX_CELL_WIDTH).collect();
    if chars.next().is_some() {
        line.push('…');
    }
    sanitize::line(&line).into_owned()
}

#[cfg(test)]
mod tests {
    use super::Table;

    #[test]
    fn columns_are_aligned() {
        let mut table = Table::new(["A", "B", "C"]);
        table.add(["ключ".into(), "x\ny".into(), "end".into()]);
        table.add(["a".into(), "b".repeat(200), String::new()]);
        let lines: Vec<String> = table.to_string().lines().map(str::to_owned).collect();
        assert_eq!(lines[0], format!("A      B{}   C", " ".repeat(80)));
        assert_eq!(lines[1], format!("ключ   x␊y{}   end", " ".repeat(78)));
        assert_eq!(lines[2], format!("a      {}…   ", "b".repeat(80)));
    }
}
