//! How Kubernetes interprets a document: which resource and field a node belongs to, the
//! type of a field, what the API server accepts there, and how its text is read.

pub(crate) mod annotations;
pub(crate) mod consumers;
mod embedding;
pub(crate) mod go_template;
mod open_fields;
pub(crate) mod placeholders;
pub(crate) mod plain_scalar;
mod quotes;
pub(crate) mod resources;
pub(crate) mod types;
pub(crate) mod validity;

pub(crate) use embedding::{
    Format, by_field as embedded_by_field, by_name as embedded_by_name,
    by_text as embedded_by_text, is_entry, is_in_patch,
};
pub(crate) use open_fields::{Opened, keeps_if_absent, opened_by};
pub(crate) use quotes::in_quotes;
pub(crate) use types::{CustomKinds, DefinedKinds, may_define_kinds};

/// Returns whether a text is the name of a kind; any other, such as a variable or a
/// template, may become one.
pub(crate) fn is_kind(text: &str) -> bool {
    text.bytes()
        .all(|byte| byte.is_ascii_alphanumeric() || byte == b'-')
}
