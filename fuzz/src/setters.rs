//! Setter comments: a scalar gets what the comment after it says, and the comment
//! stays. So what was rendered can be rendered again, and nothing changes.

use landfall::Request;

use crate::{OUTPUTS, render, request, tokens};

/// Renders `text` as a manifest, and with `pattern` in comments after values that
/// are `text`. `@x` in both means `${infra.x}`.
///
/// # Panics
/// The answer does not hold together, or a second render changes something.
pub fn survives(text: &str, pattern: &str) {
    let (text, pattern) = (tokens::references(text), tokens::references(pattern));
    for manifest in [
        text.clone(),
        format!("a: {text} # landfall: {pattern}\nb: c\n"),
        format!("- {text} # landfall: {pattern}\n- b # landfall: ${{infra.x}}\n"),
        format!("a: \"{text}\" # landfall: {pattern}\n"),
        format!("a: '{text}' # landfall: {pattern}\n"),
        format!("a: # landfall: {pattern}\n  - {text}\n  - b\nc: d\n"),
        format!("a: # landfall: {pattern}\n  k: {text}\nc: d\n"),
        format!("a: | # landfall: {pattern}\n  {text}\nc: d\n"),
        format!("{{a: {text}, # landfall: {pattern}\n b: c}}\n"),
        format!("apiVersion: v1\nkind: ConfigMap\ndata:\n  a: {text} # landfall: {pattern}\n"),
    ] {
        is_idempotent(&manifest);
    }
}

fn is_idempotent(manifest: &str) {
    let request = Request {
        // Escapes and references are gone after one render.
        keep_references: true,
        ..request(OUTPUTS)
    };
    let Some(once) = render(manifest.as_bytes(), &request) else {
        return;
    };
    let Some(again) = render(once.output.as_bytes(), &request) else {
        panic!(
            "refused when it is rendered again:\n{manifest}\n{}",
            once.output
        );
    };
    assert_eq!(again.output, once.output, "from\n{manifest}");
    assert!(
        again.edits.is_empty(),
        "edits that change nothing: {:?} in\n{}",
        again.edits,
        once.output
    );
}
