//! Reads the paths in an index of Git, versions 2 to 4
//! (Documentation/gitformat-index.adoc, Git 2.51).

/// The length of an entry up to its object name: times, device, inode, mode, owner, size.
const STAT: usize = 40;
/// The flag of an entry with a second pair of flags.
const IS_EXTENDED: u16 = 0x4000;

/// What an index says about a path.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Found {
    pub(super) has_path: bool,
    /// The object name of the index that this one adds to (`core.splitIndex`).
    pub(super) shared: Option<Vec<u8>>,
}

/// Searches an index for `path`, relative to the work tree and with `/`. `hash` is the length
/// of an object name in bytes. Returns None if it is not an index that can be read.
pub(super) fn search(index: &[u8], path: &[u8], hash: usize) -> Option<Found> {
    let mut rest = Bytes { rest: index };
    if rest.take(4)? != b"DIRC" {
        return None;
    }
    let version = rest.number()?;
    if !(2..=4).contains(&version) {
        return None;
    }
    let entries = rest.number()?;
    let mut name: Vec<u8> = Vec::new();
    let mut has_path = false;
    for _ in 0..entries {
        let start = rest.rest.len();
        rest.take(STAT + hash)?;
        let flags = rest.pair()?;
        if version > 2 && flags & IS_EXTENDED != 0 {
            rest.take(2)?;
        }
        if version == 4 {
            let removed = rest.variable()?;
            name.truncate(name.len().checked_sub(removed)?);
            name.extend_from_slice(rest.text()?);
            has_path |= name == path;
        } else {
            has_path |= rest.text()? == path;
            // At least one zero byte, which is read already, up to a multiple of eight.
            let length = start - rest.rest.len();
            rest.take(length.next_multiple_of(8) - length)?;
        }
    }
    Some(Found {
        has_path,
        shared: rest.shared(hash),
    })
}

/// The bytes that are left.
struct Bytes<'b> {
    rest: &'b [u8],
}

impl<'b> Bytes<'b> {
    fn take(&mut self, length: usize) -> Option<&'b [u8]> {
        let (taken, rest) = self.rest.split_at_checked(length)?;
        self.rest = rest;
        Some(taken)
    }

    fn number(&mut self) -> Option<u32> {
        let bytes = self.take(4)?;
        Some(u32::from_be_bytes(bytes.try_into().ok()?))
    }

    fn pair(&mut self) -> Option<u16> {
        let bytes = self.take(2)?;
        Some(u16::from_be_bytes(bytes.try_into().ok()?))
    }

    /// Reads a number as offsets in packs are written: seven bits a byte, the highest first,
    /// and one is added for each byte after the first.
    fn variable(&mut self) -> Option<usize> {
        let mut number = 0_usize;
        loop {
            let byte = self.take(1)?[0];
            number = number
                .checked_mul(128)?
                .checked_add(usize::from(byte & 0x7f))?;
            if byte & 0x80 == 0 {
                return Some(number);
            }
            number = number.checked_add(1)?;
        }
    }

    /// Reads a text and the zero byte after it.
    fn text(&mut self) -> Option<&'b [u8]> {
        let end = memchr::memchr(0, self.rest)?;
        let text = self.take(end)?;
        self.take(1)?;
        Some(text)
    }

    /// Reads the extensions, and returns the object name in the one of a split index.
    fn shared(&mut self, hash: usize) -> Option<Vec<u8>> {
        // The checksum comes last.
        while self.rest.len() > hash {
            let signature = self.take(4)?;
            let length = usize::try_from(self.number()?).ok()?;
            let content = self.take(length)?;
            if signature == b"link" {
                return content.get(..hash).map(<[u8]>::to_vec);
            }
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Writes an index with these paths.
    fn index(version: u32, paths: &[&str], hash: usize, extension: &[u8]) -> Vec<u8> {
        let mut index = b"DIRC".to_vec();
        index.extend(version.to_be_bytes());
        index.extend(u32::try_from(paths.len()).unwrap().to_be_bytes());
        let mut previous = "";
        for (nth, path) in paths.iter().enumerate() {
            let start = index.len();
            index.extend(vec![7; STAT + hash]);
            let is_extended = version > 2 && nth % 2 == 1;
            let flags = u16::try_from(path.len()).unwrap();
            let flags = if is_extended {
                flags | IS_EXTENDED
            } else {
                flags
            };
            index.extend(flags.to_be_bytes());
            if is_extended {
                index.extend([0x20, 0]);
            }
            if version == 4 {
                let common = std::iter::zip(previous.bytes(), path.bytes());
                let common = common.take_while(|(one, other)| one == other).count();
                let mut removed = previous.len() - common;
                let mut bytes = vec![u8::try_from(removed & 0x7f).unwrap()];
                while removed > 0x7f {
                    removed = (removed >> 7) - 1;
                    bytes.push(u8::try_from(removed & 0x7f).unwrap() | 0x80);
                }
                bytes.reverse();
                index.extend(bytes);
                index.extend(path[common..].bytes());
                index.push(0);
            } else {
                index.extend(path.bytes());
                let length = index.len() - start;
                index.resize(start + (length / 8 + 1) * 8, 0);
            }
            previous = path;
        }
        index.extend(extension);
        index.extend(vec![9; hash]);
        index
    }

    #[test]
    fn finds_paths_in_every_version() {
        let long = format!("apps/{}/x.json", "deep/".repeat(60));
        let paths = ["README.md", "apps/infra.json", &long, "apps/web.yaml", "z"];
        for version in [2, 3, 4] {
            for hash in [20, 32] {
                let index = index(version, &paths, hash, b"TREE\0\0\0\x02xx");
                for path in paths {
                    let found = search(&index, path.as_bytes(), hash).unwrap();
                    assert!(found.has_path, "{path} in version {version}");
                }
                for path in [
                    "infra.json",
                    "apps",
                    "apps/infra.jso",
                    "apps/infra.json2",
                    "",
                ] {
                    let found = search(&index, path.as_bytes(), hash).unwrap();
                    assert!(!found.has_path, "{path} in version {version}");
                }
            }
        }
    }

    #[test]
    fn finds_the_shared_index() {
        let mut extension = b"TREE\0\0\0\x01xlink\0\0\0\x16".to_vec();
        extension.extend([5; 20]);
        extension.extend([0; 2]);
        let found = search(&index(2, &["a"], 20, &extension), b"a", 20).unwrap();
        assert_eq!(found.shared, Some(vec![5; 20]));
    }

    #[test]
    fn rejects_what_is_not_an_index() {
        let whole = index(4, &["a/b", "a/c"], 20, b"");
        assert!(search(&index(5, &[], 20, b""), b"a", 20).is_none());
        for end in 0..12 + 2 * (STAT + 22) {
            assert!(search(&whole[..end], b"a/c", 20).is_none(), "{end}");
        }
        for nth in 0..whole.len() {
            for byte in [0, 0x7f, 0xff] {
                let mut broken = whole.clone();
                broken[nth] = byte;
                search(&broken, b"a/c", 20);
            }
        }
    }
}
