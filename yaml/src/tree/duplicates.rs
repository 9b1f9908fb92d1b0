//! Keys that a mapping has twice.

use std::collections::BTreeSet;

use super::{Node, NodeId, Role, Tree};

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
        let mut keys = Vec::new();
        for mapping in self.mappings_with_similar_keys() {
            for key in self.children(mapping) {
                if let Some(text) = self.key_bytes(&self[key]) {
                    keys.push((mapping, fingerprint(text), key));
                }
            }
        }
        keys.sort_unstable();
        let alike = |a: &(_, u32, _), b: &(_, u32, _)| (a.0, a.1) == (b.0, b.1);
        let groups = keys.chunk_by(alike).filter(|group| group.len() > 1);
        let mut found = Vec::new();
        for group in groups {
            let mut group: Vec<_> = group
                .iter()
                .map(|&(.., id)| (self.text(id), id))
                .filter(|(text, _)| *text != Some("<<"))
                .collect();
            group.sort_unstable();
            let pairs = group.windows(2).filter(|pair| pair[0].0 == pair[1].0);
            found.extend(pairs.map(|pair| [pair[1].1, pair[0].1]));
        }
        found.sort_unstable();
        found
    }

    /// Returns all mappings with equal keys, and few others, so that the keys of most are not
    /// sorted.
    fn mappings_with_similar_keys(&self) -> BTreeSet<NodeId> {
        // For each mapping, a bit for each fingerprint of its keys so far.
        let mut seen = vec![0u64; self.len()];
        let mut similar = BTreeSet::new();
        for (_, node) in self.nodes() {
            if let Some(mapping) = node.parent()
                && let Some(text) = self.key_bytes(node)
            {
                let bit = 1 << (fingerprint(text).wrapping_mul(MULTIPLIER) >> (u32::BITS - 6));
                if seen[mapping] & bit != 0 {
                    similar.insert(mapping);
                }
                seen[mapping] |= bit;
            }
        }
        similar
    }

    /// Returns the text of a node that is a key and not an alias.
    fn key_bytes(&self, node: &Node) -> Option<&[u8]> {
        if node.role() != Role::Key {
            return None;
        }
        let (source, range) = self.text_range(node)?;
        source.as_bytes().get(range)
    }
}

/// Its products differ in their first bits.
const MULTIPLIER: u32 = 0x9e37_79b1;

/// Returns a number that equal texts share, and that others hardly ever do: of their
/// length, their first and their last bytes.
fn fingerprint(bytes: &[u8]) -> u32 {
    let end = |bytes: Option<&[u8; 4]>| bytes.map_or(0, |bytes| u32::from_le_bytes(*bytes));
    let mixed = match bytes {
        [..] if bytes.len() >= 4 => {
            end(bytes.first_chunk()).wrapping_mul(MULTIPLIER) ^ end(bytes.last_chunk())
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
