//! Finds the comments of a text that is not parsed, from its lines alone.

/// Reports which bytes of a text are in a comment. Offsets must ascend from call to call,
/// so that each line is read only once.
#[derive(Debug, Default)]
pub struct CommentScan {
    /// Everything before this offset has been read.
    seen: usize,
    /// Whether this offset is in a comment.
    commented: bool,
}

impl CommentScan {
    /// Returns whether byte `at` of `text` follows a `#` that begins a comment on its
    /// line. `at` must not be less than in the previous call.
    pub fn covers(&mut self, text: &str, at: usize) -> bool {
        let between = text.get(self.seen..at).unwrap_or_default();
        self.commented = match memchr::memrchr(b'\n', between.as_bytes()) {
            Some(end) => begins_comment(&between[end + 1..]),
            None if self.seen == 0 => begins_comment(between),
            None => self.commented || holds_mark(between),
        };
        self.seen = at;
        self.commented
    }
}

/// Whether a comment begins in `before`, the beginning of a line.
fn begins_comment(before: &str) -> bool {
    before.trim_start().starts_with('#') || holds_mark(before)
}

fn holds_mark(text: &str) -> bool {
    text.contains(" #") || text.contains("\t#")
}

#[cfg(test)]
mod tests {
    use super::CommentScan;

    #[test]
    fn a_comment_ends_with_its_line() {
        let text = "# $a $b\nc: $d # $e $f\ng: x#$h\n\t#$i\n  # $j";
        let mut scan = CommentScan::default();
        let commented: String = text
            .match_indices('$')
            .filter(|(at, _)| scan.covers(text, *at))
            .map(|(at, _)| &text[at + 1..at + 2])
            .collect();
        assert_eq!(commented, "abefij");
    }
}
