//! Positions of the scalars of a real file. The plugin's own parser finds them, but
//! nothing depends on it: the oracle decides what a changed file means, and a wrong
//! position only makes another test.

use std::ops::Range;

use granit_parser::{Event, Parser, ScalarStyle};

use crate::template::{Chomping, ScalarProperties};

/// A scalar of a file.
#[derive(Clone, Debug)]
pub(crate) struct Scalar {
    /// Including its quotes; a block scalar's from its header on.
    pub(crate) range: Range<usize>,
    /// Its text in source form: without quotes, without the header.
    pub(crate) inner: Range<usize>,
    pub(crate) properties: ScalarProperties,
}

/// Returns the non-empty scalars of a YAML file, or `None` if it is not YAML.
pub(crate) fn scalars(text: &str) -> Option<Vec<Scalar>> {
    let mut scalars = Vec::new();
    for next in Parser::new_from_str(text) {
        let (event, span) = next.ok()?;
        let Event::Scalar(value, style, ..) = event else {
            continue;
        };
        let range = span.byte_range()?;
        // At the end of a document, the span of a block scalar without text is its header.
        let is_block = matches!(style, ScalarStyle::Literal | ScalarStyle::Folded);
        if range.is_empty() || is_block && value.trim_end_matches('\n').is_empty() {
            continue;
        }
        scalars.push(match style {
            ScalarStyle::Plain => Scalar {
                inner: range.clone(),
                range,
                properties: ScalarProperties {
                    plain: true,
                    ..ScalarProperties::default()
                },
            },
            ScalarStyle::SingleQuoted | ScalarStyle::DoubleQuoted => Scalar {
                inner: range.start + 1..range.end - 1,
                range,
                properties: ScalarProperties::default(),
            },
            ScalarStyle::Literal | ScalarStyle::Folded => {
                let (start, chomping) = header(text, range.start)?;
                Scalar {
                    range: start..range.end,
                    inner: range,
                    properties: ScalarProperties {
                        chomping: Some(chomping),
                        ..ScalarProperties::default()
                    },
                }
            }
        });
    }
    Some(scalars)
}

/// Finds the header of the block scalar whose text begins at `at`: the last non-blank
/// line before it ends with the header.
fn header(text: &str, at: usize) -> Option<(usize, Chomping)> {
    let lines = &text[..at];
    let lines = &lines[..lines.rfind(['\n', '\r'])?];
    let line = lines.trim_end();
    let line_start = line.rfind(['\n', '\r']).map_or(0, |end| end + 1);
    let (start, indicators) = line[line_start..]
        .match_indices(['|', '>'])
        .map(|(start, _)| (line_start + start, &line[line_start + start + 1..]))
        .find(|(_, rest)| {
            let rest =
                rest.trim_start_matches(['+', '-', '1', '2', '3', '4', '5', '6', '7', '8', '9']);
            rest.is_empty() || rest.trim_start().starts_with('#') && rest.starts_with([' ', '\t'])
        })?;
    let indicators = indicators.split([' ', '\t']).next()?;
    let chomping = match () {
        () if indicators.contains('-') => Chomping::Strip,
        () if indicators.contains('+') => Chomping::Keep,
        () => Chomping::Clip,
    };
    Some((start, chomping))
}
