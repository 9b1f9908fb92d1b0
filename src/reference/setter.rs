//! Setter comments: `vpcId: vpc-0ab1  # landfall: ${infra.vpc_id}`.

/// What a setter comment starts with, after its `#`.
const PREFIX: &str = "landfall:";

/// Whether a comment is a setter's.
pub(crate) fn is_setter(comment: &str) -> bool {
    template_text(comment).is_some()
}

/// What a setter comment says.
pub(crate) fn template_text(comment: &str) -> Option<&str> {
    let text = comment.strip_prefix('#')?;
    text.trim_start().strip_prefix(PREFIX)
}
