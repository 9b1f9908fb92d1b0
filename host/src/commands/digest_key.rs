//! The key of a digest of mounted outputs, as the pipeline and the operator provide it.

use std::io;
use std::path::Path;

use crate::files::{Budget, FileError, read_user_path};
use crate::settings::OperatorPath;

/// The minimum length of a key in bytes: a shorter one could be guessed together with the
/// outputs.
const MIN_KEY: usize = 16;

/// Reads the file of a key. Line breaks at its end are not part of the key.
///
/// # Errors
/// It cannot be read, or the key is too short.
pub(super) fn read(file: &Path, budget: &mut Budget) -> Result<Vec<u8>, FileError> {
    let key = without_line_breaks(read_user_path(file, budget)?);
    match key.len() {
        MIN_KEY.. => Ok(key),
        0 => Err(unusable("it is empty".to_owned())),
        length => Err(unusable(format!(
            "a key has at least {MIN_KEY} bytes, but this one has {length}"
        ))),
    }
}

/// Reads the key that the operator of Argo CD has mounted.
///
/// # Errors
/// As [`read`], or the path is relative. The plugin runs in the folder of an application, so
/// authors could provide that file.
pub(super) fn read_mounted(file: &OperatorPath, budget: &mut Budget) -> Result<Vec<u8>, FileError> {
    if file.path.is_absolute() {
        read(&file.path, budget)
    } else {
        Err(unusable(
            "an absolute path is required, because a relative one would be a file of the application"
                .to_owned(),
        ))
    }
}

fn without_line_breaks(mut content: Vec<u8>) -> Vec<u8> {
    let is_break = |byte: &u8| matches!(byte, b'\n' | b'\r');
    let last = content.iter().rposition(|byte| !is_break(byte));
    content.truncate(last.map_or(0, |last| last + 1));
    content
}

fn unusable(why: String) -> FileError {
    FileError::Unreadable(io::Error::other(why))
}

#[cfg(test)]
mod tests {
    use super::without_line_breaks;

    /// A random key can end with any byte.
    #[test]
    fn only_line_breaks_at_the_end_are_not_part_of_the_key() {
        for (content, key) in [
            ("key\n", "key"),
            ("key\r\n\n", "key"),
            ("key \t\n", "key \t"),
            ("\nkey\x0c", "\nkey\x0c"),
            ("\n", ""),
            ("", ""),
        ] {
            assert_eq!(without_line_breaks(content.into()), key.as_bytes());
        }
    }
}
