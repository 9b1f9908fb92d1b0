//! YAML as an independent parser reads it: libyaml.

use serde::Deserialize as _;
use serde_yaml::{Deserializer, Value};

/// The documents of a stream; none when it does not parse.
pub(crate) fn documents(text: &str) -> Option<Vec<Value>> {
    // A stream that failed once fails for ever: the first error ends it.
    Deserializer::from_str(text)
        .map(|document| Value::deserialize(document).ok())
        .collect()
}

/// The one document of a stream.
pub(crate) fn document(text: &str) -> Option<Value> {
    let documents = documents(text)?;
    let [document] = <[Value; 1]>::try_from(documents).ok()?;
    Some(document)
}
