//! Writes the contract that outputs documents satisfy, to be reviewed and kept in Git. It
//! has names and types, and no values.

use crate::config::binding::API_VERSION;
use crate::config::outputs_contract::document::KIND;
use crate::outputs::{Bindings, Bound, Value, is_name};
use yaml::{Context, double_quoted, plain_reads_back};

/// YAML readers accept longer keys only after `? `.
const MAX_SIMPLE_KEY: usize = 1024;

/// Returns the document of the contract, sorted by name.
pub(crate) fn contract_of(bindings: &Bindings) -> String {
    let mut text = format!("apiVersion: {API_VERSION}\nkind: {KIND}\nspec:");
    for name in bindings.names() {
        text.push_str(&format!("\n  {}:", key(name, "  ")));
        let mut outputs = bindings.outputs(name).into_iter().flatten().peekable();
        if outputs.peek().is_none() {
            text.push_str(" {}");
        }
        for (output, bound) in outputs {
            text.push_str(&format!("\n    {}: {}", key(output, "    "), clause(bound)));
        }
    }
    if bindings.names().next().is_none() {
        text.push_str(" {}");
    }
    text.push('\n');
    text
}

/// Returns a name as a key that every YAML reader reads as this string, for a mapping with
/// this indentation.
fn key(name: &str, indentation: &str) -> String {
    let key = if is_name(name) && plain_reads_back(name, Context::default()) {
        name.to_owned()
    } else {
        double_quoted(name)
    };
    if key.chars().count() > MAX_SIMPLE_KEY {
        format!("? {key}\n{indentation}")
    } else {
        key
    }
}

fn clause(bound: &Bound) -> String {
    let sensitive = if bound.sensitive {
        ", sensitive: true"
    } else {
        ""
    };
    match &bound.value {
        // Terraform leaves out outputs that are null.
        Value::Null => format!("{{required: false{sensitive}}}"),
        // The model's types have the names of the contract's.
        value => format!("{{type: {}{sensitive}}}", value.value_type().name()),
    }
}
