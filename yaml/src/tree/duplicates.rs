//! Keys that a mapping has twice.

use super::{NodeId, Role, Tree};

impl Tree {
    /// Returns the keys whose text equals that of an earlier key of their mapping, each
    /// with the earlier one, in the document's order. Aliases are not compared, and merge
    /// keys (`<<`) may be repeated: each merges its own mapping.
    ///
    /// # Examples
    /// ```
    /// let tree = landfall_yaml::locate("{a: {b: 1}, b: 2, 'a': 3}").unwrap();
    /// let found = tree.duplicate_keys();
    /// assert_eq!(found.len(), 1);
    /// let [key, earlier] = found[0].map(|id| tree[id].range().start);
    /// assert_eq!((key, earlier), (18, 1));
    /// ```
    #[must_use]
    pub fn duplicate_keys(&self) -> Vec<[NodeId; 2]> {
        let mut keys = Vec::with_capacity(self.len() / 2);
        for (id, node) in self.nodes() {
            if node.role() == Role::Key
                && let Some(text) = self.text(id)
            {
                keys.push((node.parent, fingerprint(text), super::narrow(id)));
            }
        }
        keys.sort_unstable();
        let alike = |a: &(u32, u32, _), b: &(u32, u32, _)| (a.0, a.1) == (b.0, b.1);
        let groups = keys.chunk_by(alike).filter(|group| group.len() > 1);
        let mut found = Vec::new();
        for group in groups {
            let mut group: Vec<_> = group
                .iter()
                .map(|&(.., id)| (self.text(id as usize), id as usize))
                .filter(|(text, _)| *text != Some("<<"))
                .collect();
            group.sort_unstable();
            let pairs = group.windows(2).filter(|pair| pair[0].0 == pair[1].0);
            found.extend(pairs.map(|pair| [pair[1].1, pair[0].1]));
        }
        found.sort_unstable();
        found
    }
}

/// Returns a number that equal texts share, and that others hardly ever do: of their
/// length, their first and their last bytes.
fn fingerprint(text: &str) -> u32 {
    let bytes = text.as_bytes();
    let end = |bytes: Option<&[u8; 4]>| bytes.map_or(0, |bytes| u32::from_le_bytes(*bytes));
    let mixed = match bytes {
        [..] if bytes.len() >= 4 => {
            end(bytes.first_chunk()).wrapping_mul(0x9e37_79b1) ^ end(bytes.last_chunk())
        }
        _ => bytes
            .iter()
            .fold(0, |sum, byte| (sum << 8) | u32::from(*byte)),
    };
    mixed ^ super::narrow(bytes.len() & 0xff).rotate_right(8)
}

#[cfg(test)]
mod tests {
    use crate::locate;

    #[track_caller]
    fn check(source: &str, expected: &[(&str, usize, usize)]) {
        let tree = locate(source).unwrap();
        let found = tree.duplicate_keys().into_iter().map(|[key, earlier]| {
            let text = tree.text(key).unwrap_or_default();
            (text, tree[key].range().start, tree[earlier].range().start)
        });
        assert_eq!(found.collect::<Vec<_>>(), expected, "{source}");
    }

    #[test]
    fn each_is_found_with_the_one_before_it() {
        check("a: 1\nb: 2\na: 3\n'a': 4\n", &[("a", 10, 0), ("a", 15, 10)]);
        check("x:\n- a: 1\n- a: 2\n  a: 3\n", &[("a", 19, 12)]);
        check("{\"\\x61\": 1, a: 2}", &[("a", 12, 1)]);
    }

    #[test]
    fn other_mappings_values_and_merge_keys_are_not_compared() {
        check("a: {a: a}\nb: [a, a]\n", &[]);
        check(
            "x: &x {}\ny: &y {}\nz: {<<: *x, <<: *y, *x : 1, *x : 2}\n",
            &[],
        );
    }

    #[test]
    fn keys_with_one_fingerprint_are_compared_by_text() {
        check(
            "abcd1wxyz: 1\nabcd2wxyz: 2\nabcd1wxyz: 3\n",
            &[("abcd1wxyz", 26, 0)],
        );
    }
}
