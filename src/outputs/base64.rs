//! Base64 as Kubernetes and Terraform decode it.

use base64ct::{Base64, Encoding};

/// Decodes base64 with padding; returns `None` for other text. Line breaks are ignored, as
/// in Go's decoder, which Terraform and Kubernetes use.
pub(crate) fn base64_bytes(text: &str) -> Option<Vec<u8>> {
    let text = if text.contains(['\n', '\r']) {
        &text.replace(['\n', '\r'], "")
    } else {
        text
    };
    Base64::decode_vec(text).ok()
}

/// Encodes a string as base64, with padding.
pub(crate) fn base64_text(text: &str) -> String {
    Base64::encode_string(text.as_bytes())
}
