//! Finds the comments of a text that is not parsed, from its lines alone.

/// Reports which bytes of a text are in a comment. Offsets must ascend from call to call,
/// so that each line is read only once.
#[derive(Debug, Default)]
pub struct CommentScan {
    /// Everything before this offset has been read.
    seen: usize,
    /// Where the comment begins that this offset is in.
    start: Option<usize>,
}

impl CommentScan {
    /// Returns whether byte `at` of `text` follows a `#` that begins a comment on its
    /// line. `at` must not be less than in the previous call.
    pub fn covers(&mut self, text: &str, at: usize) -> bool {
        self.start_of(text, at).is_some()
    }

    /// Returns the byte of that `#`.
    pub fn start_of(&mut self, text: &str, at: usize) -> Option<usize> {
        let between = text.get(self.seen..at).unwrap_or_default();
        let seen = self.seen;
        self.start = match memchr::memrchr(b'\n', between.as_bytes()) {
            Some(end) => beginning(&between[end + 1..]).map(|at| seen + end + 1 + at),
            None if seen == 0 => beginning(between),
            None => self.start.or_else(|| Some(seen + mark(between)?)),
        };
        self.seen = at;
        self.start
    }
}

/// Returns where a comment begins in `before`, the beginning of a line.
fn beginning(before: &str) -> Option<usize> {
    let text = before.trim_start();
    if text.starts_with('#') {
        return Some(before.len() - text.len());
    }
    mark(before)
}

fn mark(text: &str) -> Option<usize> {
    let mut pairs = text.as_bytes().windows(2);
    let blank = pairs.position(|pair| matches!(pair, [b' ' | b'\t', b'#']))?;
    Some(blank + 1)
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
        let mut scan = CommentScan::default();
        let dollars = text.match_indices('$');
        let starts = dollars.filter_map(|(at, _)| scan.start_of(text, at));
        assert_eq!(starts.collect::<Vec<_>>(), [0, 0, 14, 14, 31, 37]);
    }
}
