//! Two texts compared line by line.

/// Returns the lines of both, `-` before the expected ones and `+` before the actual
/// ones.
pub(crate) fn difference(expected: &str, actual: &str) -> String {
    let old: Vec<_> = expected.lines().collect();
    let new: Vec<_> = actual.lines().collect();
    let same =
        |pairs: &mut dyn Iterator<Item = (&&str, &&str)>| pairs.take_while(|(a, b)| a == b).count();
    let first = same(&mut old.iter().zip(&new));
    let last = same(&mut old[first..].iter().rev().zip(new[first..].iter().rev()));
    let (old_end, new_end) = (old.len() - last, new.len() - last);
    let marked = |mark: char, lines: &[&str]| -> String {
        lines
            .iter()
            .map(|line| format!("      {mark} {line}\n"))
            .collect()
    };
    [
        marked(' ', &old[..first]),
        marked('-', &old[first..old_end]),
        marked('+', &new[first..new_end]),
        marked(' ', &old[old_end..]),
    ]
    .concat()
}

#[test]
fn marks_only_differing_lines() {
    assert_eq!(
        difference("a\nb\nc\n", "a\nx\nc\n"),
        "        a\n      - b\n      + x\n        c\n"
    );
    assert_eq!(difference("", "a\n"), "      + a\n");
}
