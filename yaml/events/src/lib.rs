//! The events of the complete YAML parser, granit-parser.
//!
//! The parser is generic over its input, and so it is compiled with the crate that calls it, at
//! the level of that crate. Few documents need it, and it is large: this crate calls it, and is
//! compiled for size.

use granit_parser::{Parser, StrInput, options};

pub use granit_parser::{ErrorKind, Event, ScalarStyle, ScanError, Span, StructureStyle};

/// The events of one text, each with the bytes that it spans.
///
/// # Examples
/// ```
/// use landfall_yaml_events::{Event, Events};
///
/// let events = Events::new("a: 1\n", 1000);
/// let scalars = events.filter(|next| matches!(next, Ok((Event::Scalar(..), _))));
/// assert_eq!(scalars.count(), 2);
/// ```
pub struct Events<'t>(Parser<'t, StrInput<'t>>);

impl<'t> Events<'t> {
    /// Starts reading `text`, in which collections nest at most `nesting_limit` levels deep.
    #[must_use]
    pub fn new(text: &'t str, nesting_limit: usize) -> Self {
        Self(Parser::new_from_str_with_options(
            text,
            options! {
                emit_anchor_events: true,
                // Helm text and fragments alias anchors that they do not define.
                emit_unresolved_aliases: true,
                // Real values files have hundreds of comment lines in a row.
                max_buffered_comment_events: usize::MAX,
                flow_nesting_limit: nesting_limit,
                block_nesting_limit: nesting_limit,
            },
        ))
    }
}

impl<'t> Iterator for Events<'t> {
    type Item = Result<(Event<'t>, Span), ScanError>;

    #[inline(never)]
    fn next(&mut self) -> Option<Self::Item> {
        self.0.next()
    }
}
