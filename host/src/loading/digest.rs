//! Digests of mounted outputs. Argo CD caches a render by revision and Application, and does
//! not know when a mounted volume changes. An Application with the digest of its outputs
//! changes with them.

use hmac::digest::KeyInit as _;
use hmac::{Hmac, Mac as _};
use landfall_sandbox::types::OutputsDocument;
use sha2::{Digest as _, Sha256};

/// The parameter of an Application that has the digest of its mounted outputs.
pub(crate) const PARAMETER: &str = "outputs-digest";

const PLAIN: &str = "sha256:";
const KEYED: &str = "hmac-sha256:";

/// The digest that an Application asks for.
#[derive(Clone, PartialEq, Eq)]
pub(crate) struct ExpectedDigest {
    text: String,
    key: Option<Vec<u8>>,
}

/// Why a text is not a digest that can be compared.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum DigestError {
    /// It was not written by `landfall stamp`.
    Malformed,
    /// It is keyed, and the operator has named no key.
    NoKey,
}

impl ExpectedDigest {
    /// Parses the value of the parameter.
    ///
    /// # Errors
    /// See [`DigestError`].
    pub(crate) fn parse(text: &str, key: Option<&[u8]>) -> Result<Self, DigestError> {
        let (hexadecimal, is_keyed) = match (text.strip_prefix(PLAIN), text.strip_prefix(KEYED)) {
            (Some(rest), _) => (rest, false),
            (_, Some(rest)) => (rest, true),
            (None, None) => return Err(DigestError::Malformed),
        };
        let is_digit = |byte: u8| byte.is_ascii_digit() || (b'a'..=b'f').contains(&byte);
        if hexadecimal.len() != 64 || !hexadecimal.bytes().all(is_digit) {
            return Err(DigestError::Malformed);
        }
        let key = match (is_keyed, key) {
            (true, None) => return Err(DigestError::NoKey),
            (true, Some(key)) => Some(key.to_vec()),
            (false, _) => None,
        };
        let text = text.to_owned();
        Ok(Self { text, key })
    }

    /// Returns whether it was made with a key.
    pub(super) fn is_keyed(&self) -> bool {
        self.key.is_some()
    }

    /// Returns whether these documents have the digest.
    pub(super) fn matches<'d>(&self, documents: impl Iterator<Item = &'d OutputsDocument>) -> bool {
        digest(documents, self.key.as_deref()) == self.text
    }
}

impl std::fmt::Debug for ExpectedDigest {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("ExpectedDigest")
            .field("text", &self.text)
            .finish_non_exhaustive()
    }
}

/// Returns the digest of documents with the names that they are bound to. Their order
/// matters only among documents of one name.
pub(crate) fn digest<'d>(
    documents: impl Iterator<Item = &'d OutputsDocument>,
    key: Option<&[u8]>,
) -> String {
    let mut documents: Vec<_> = documents.collect();
    documents.sort_by(|one, other| one.name.cmp(&other.name));
    // With its length before it, no field can pass for another one.
    let mut fields = Vec::new();
    for document in documents {
        for field in [document.name.as_bytes(), &document.content] {
            fields.push(field.len().to_be_bytes().to_vec());
            fields.push(field.to_vec());
        }
    }
    match key {
        None => {
            let mut plain = Sha256::new();
            fields.iter().for_each(|field| plain.update(field));
            format!("{PLAIN}{}", hexadecimal(&plain.finalize()))
        }
        Some(key) => {
            // Keys of every length are accepted.
            let Ok(mut keyed) = Hmac::<Sha256>::new_from_slice(key) else {
                return String::new();
            };
            fields.iter().for_each(|field| keyed.update(field));
            format!("{KEYED}{}", hexadecimal(&keyed.finalize().into_bytes()))
        }
    }
}

fn hexadecimal(bytes: &[u8]) -> String {
    use std::fmt::Write as _;
    let mut text = String::with_capacity(bytes.len() * 2);
    for byte in bytes {
        let _ = write!(text, "{byte:02x}");
    }
    text
}

#[cfg(test)]
mod tests {
    use landfall_sandbox::types::OutputsDocument;

    use super::{DigestError, ExpectedDigest, digest};

    fn document(name: &str, content: &str) -> OutputsDocument {
        OutputsDocument {
            name: name.to_owned(),
            path: String::new(),
            content: content.into(),
            format: None,
            sensitive: false,
            declared_at: None,
        }
    }

    #[test]
    fn depends_on_names_and_bytes() {
        let of = |documents: &[OutputsDocument]| digest(documents.iter(), None);
        let one = of(&[document("a", "1"), document("b", "2")]);
        assert_eq!(one, of(&[document("b", "2"), document("a", "1")]));
        for other in [
            &[document("a", "1")][..],
            &[document("a", "2"), document("b", "1")],
            &[document("a", "1b2")],
            &[document("a", "1"), document("b", "2 ")],
        ] {
            assert_ne!(one, of(other));
        }
        assert!(one.starts_with("sha256:"));
    }

    #[test]
    fn a_keyed_digest_depends_on_the_key() {
        let documents = [document("a", "1")];
        let keyed = digest(documents.iter(), Some(b"key"));
        assert!(keyed.starts_with("hmac-sha256:"));
        assert_ne!(keyed, digest(documents.iter(), Some(b"other")));
        let parsed = ExpectedDigest::parse(&keyed, Some(b"key")).unwrap();
        assert!(parsed.matches(documents.iter()));
        assert_eq!(
            ExpectedDigest::parse(&keyed, None).unwrap_err(),
            DigestError::NoKey
        );
    }

    #[test]
    fn only_a_digest_is_parsed() {
        for text in ["", "sha256:", "sha256:00", "md5:00", &"0".repeat(64)] {
            let error = ExpectedDigest::parse(text, None).unwrap_err();
            assert_eq!(error, DigestError::Malformed, "{text}");
        }
        let upper = format!("sha256:{}", "A".repeat(64));
        assert!(ExpectedDigest::parse(&upper, None).is_err());
    }
}
