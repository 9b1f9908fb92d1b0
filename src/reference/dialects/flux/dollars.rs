//! Runs of `$`: every two are one, and the last of an odd number may begin a reference.
//!
//! ```text
//! $$        -> $
//! $${a}     -> ${a}         literal text
//! $$${a}    -> $ and the value of a
//! ```
//!
//! The escapes of a run are one: as many of its first bytes are removed as it has pairs. So a
//! run of any length is read once.

/// Returns the first byte at or after `from` where a reference begins, or the text that the
/// escapes of a run leave.
pub(super) fn find(bytes: &[u8], mut from: usize) -> Option<usize> {
    loop {
        let at = from + memchr::memchr(b'$', bytes.get(from..)?)?;
        let end = run_end(bytes, at);
        // A search may go on after the escapes of this run.
        let start = if at == from { run_start(bytes, at) } else { at };
        let length = end - start;
        let literal = start + length / 2;
        if literal > start && literal >= from {
            return Some(literal);
        }
        let last = end - 1;
        if length % 2 == 1 && last >= from && bytes.get(end) == Some(&b'{') {
            return Some(last);
        }
        from = end;
    }
}

/// Returns how many bytes before `at` the escapes of its run remove: 0 if a reference begins
/// at `at`.
pub(super) fn escape_before(bytes: &[u8], at: usize) -> usize {
    let start = run_start(bytes, at);
    let end = run_end(bytes, at);
    let is_reference =
        bytes.get(end) == Some(&b'{') && end == at + 1 && !(end - start).is_multiple_of(2);
    if is_reference { 0 } else { at - start }
}

/// Returns the end of the text that the escapes before `at` leave.
pub(super) fn end_of_literal(bytes: &[u8], at: usize) -> usize {
    let (start, end) = (run_start(bytes, at), run_end(bytes, at));
    let is_odd = !(end - start).is_multiple_of(2);
    if is_odd && bytes.get(end) == Some(&b'{') {
        end - 1
    } else {
        end
    }
}

fn run_start(bytes: &[u8], at: usize) -> usize {
    let before = bytes.get(..at).unwrap_or_default();
    at - before.iter().rev().take_while(|b| **b == b'$').count()
}

fn run_end(bytes: &[u8], at: usize) -> usize {
    let rest = bytes.get(at..).unwrap_or_default();
    at + rest.iter().take_while(|b| **b == b'$').count()
}
