//! Finds which of many texts another text begins with.

/// The most bytes of a text that is found so: at every byte, a text that repeats itself begins
/// with most of a long one.
pub(in crate::contract) const MAX_PREFIX: usize = 256;

/// Something that is found by its text.
pub(in crate::contract) trait Texted {
    fn text(&self) -> &str;
}

impl Texted for String {
    fn text(&self) -> &str {
        self
    }
}

/// Returns the entries with which `rest` begins, the longest first. The entries are sorted
/// by text; each text occurs once and is not empty.
pub(in crate::contract) fn prefixes<'s, T: Texted>(
    sorted: &'s [T],
    mut rest: &str,
) -> impl Iterator<Item = &'s T> {
    std::iter::from_fn(move || {
        loop {
            let next = sorted.partition_point(|entry| entry.text() <= rest);
            let entry = sorted.get(next.checked_sub(1)?)?;
            let text = entry.text();
            let common = common_prefix(text, rest);
            if common < text.len() {
                // Any other entry that `rest` begins with is shorter.
                if common == 0 {
                    return None;
                }
                rest = rest.get(..common)?;
                continue;
            }
            let last = text.char_indices().next_back()?.0;
            rest = rest.get(..last)?;
            return Some(entry);
        }
    })
}

/// Returns the number of bytes with which both texts begin, in whole characters.
fn common_prefix(a: &str, b: &str) -> usize {
    let pairs = a.chars().zip(b.chars());
    pairs
        .take_while(|(a, b)| a == b)
        .map(|(a, _)| a.len_utf8())
        .sum()
}
