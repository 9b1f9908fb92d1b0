//! Reads anchors and tags, and aliases.

use std::ops::Range;

use super::lines::separates;
use super::{Content, Leaf, Scanner};

/// The anchor and the tag before a node.
pub(super) struct Properties {
    /// The anchor's name, without `&`.
    anchor: Option<Range<usize>>,
    tag: Option<Range<usize>>,
    /// The offset after the last of them.
    pub(super) end: usize,
}

impl Properties {
    /// Most nodes have none.
    pub(super) const NONE: Self = Self {
        anchor: None,
        tag: None,
        end: 0,
    };

    pub(super) const fn is_empty(&self) -> bool {
        self.anchor.is_none() && self.tag.is_none()
    }

    pub(super) fn tag(&self) -> Option<Range<usize>> {
        self.tag.clone()
    }
}

/// Returns whether a byte can be in the names of most tags.
const fn is_in_tag(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | b'.' | b'/' | b':')
}

impl<'t> Scanner<'t> {
    /// Reads an anchor and a tag, in either order, and the blanks after them.
    #[inline]
    pub(super) fn properties(&mut self) -> Option<Properties> {
        match self.byte(self.at) {
            b'&' | b'!' => self.written_properties(),
            _ => Some(Properties::NONE),
        }
    }

    fn written_properties(&mut self) -> Option<Properties> {
        let mut properties = Properties::NONE;
        loop {
            match self.byte(self.at) {
                b'&' if properties.anchor.is_none() => {
                    let end = self.name_end(self.at + 1)?;
                    properties.anchor = Some(self.at + 1..end);
                    self.at = end;
                }
                b'!' if properties.tag.is_none() => {
                    let end = self.tag_end(self.at)?;
                    properties.tag = Some(self.at..end);
                    self.at = end;
                }
                b'&' | b'!' => return None,
                _ => return Some(properties),
            }
            if !separates(self.byte(self.at)) {
                return None;
            }
            properties.end = self.at;
            self.at = self.after_blanks(self.at);
        }
    }

    /// Gives the last node its anchor.
    pub(super) fn add_anchor(&mut self, properties: &Properties) {
        let text: &'t str = self.text;
        let name = properties.anchor.clone().and_then(|name| text.get(name));
        if let Some(name) = name {
            self.builder.anchor(name.into());
        }
    }

    /// Reads an alias.
    pub(super) fn alias(&mut self) -> Option<Leaf> {
        let range = self.at..self.name_end(self.at + 1)?;
        self.at = range.end;
        Some(Leaf {
            content: Content::Alias,
            range,
            multiline: false,
        })
    }

    /// Returns the end of the name of an anchor, which begins at `from`.
    fn name_end(&self, from: usize) -> Option<usize> {
        let mut at = from;
        loop {
            match self.byte(at) {
                byte if separates(byte) => break,
                b',' | b'[' | b']' | b'{' | b'}' => break,
                _ => at += 1,
            }
        }
        (at > from).then_some(at)
    }

    /// Returns the end of the tag at `from`: `!`, `!name` or `!!name`.
    fn tag_end(&self, from: usize) -> Option<usize> {
        let is_secondary = self.byte(from + 1) == b'!';
        let name = if is_secondary { from + 2 } else { from + 1 };
        let mut at = name;
        while is_in_tag(self.byte(at)) {
            at += 1;
        }
        (at > name || !is_secondary).then_some(at)
    }
}
