//! `landfall explain`: shows where each value came from, and unused outputs.

use std::io::Write;

use landfall_sandbox::types::Detail;

use crate::exit::Exit;
use crate::report::{Explanation, Location, Resource, Substitution, UnusedOutput};
use crate::reporter::Failed;
use crate::sanitize;
use crate::settings::{Destination, ExplainFormat, Inputs};

use super::inputs;
use super::session::Session;
use super::table::Table;

pub(super) fn run(
    mut session: Session,
    inputs: &Inputs,
    format: ExplainFormat,
    unused: bool,
) -> Exit {
    let (detail, destination) = (Detail::Substitutions, Destination::Stdout);
    let rendered = match inputs::render_sources(&mut session, inputs, detail, destination) {
        Err(Failed::Halted(halted)) => return session.halt(&halted, ""),
        Err(failed) => return session.end(&failed, "nothing to explain"),
        Ok(rendered) => rendered,
    };
    let rendered = rendered.iter().map(|sources| &sources.rendered);
    let mut explanation = match Explanation::of(rendered) {
        Err(halted) => return session.halt(&halted, ""),
        Ok(explanation) => explanation,
    };
    if unused {
        explanation.substitutions = None;
    }
    let text = match format {
        ExplainFormat::Json => explanation.to_json(),
        ExplainFormat::Text => match explanation.substitutions {
            Some(substitutions) => {
                sanitize::without_ci_commands(&substitutions_table(substitutions)).into_owned()
            }
            None => sanitize::without_ci_commands(&unused_table(explanation.unused)).into_owned(),
        },
    };
    session.write(text.len(), |out| out.write_all(text.as_bytes()))
}

fn substitutions_table(substitutions: Vec<Substitution>) -> String {
    let mut table = Table::new(["LOCATION", "FIELD", "OUTPUT", "TYPE", "VALUE", "FROM"]);
    for substitution in substitutions {
        let Location {
            path, line, column, ..
        } = substitution.location;
        let field = match substitution.resource {
            Some(Resource { kind, name, .. }) if !kind.is_empty() => {
                format!("{kind}/{name} {}", substitution.field)
            }
            _ => substitution.field,
        };
        let from = from(substitution.definition, substitution.document);
        table.add([
            format!("{path}:{line}:{column}"),
            field,
            substitution.output,
            substitution.value_type,
            if substitution.dollars_doubled {
                format!("{} (each $ doubled)", substitution.value)
            } else {
                substitution.value
            },
            from.unwrap_or_else(|| "(default)".to_owned()),
        ]);
    }
    table.to_string()
}

fn unused_table(unused: Vec<UnusedOutput>) -> String {
    let mut table = Table::new(["OUTPUT", "FROM"]);
    for UnusedOutput {
        output,
        document,
        definition,
    } in unused
    {
        let from = from(definition, document);
        table.add([
            output,
            from.unwrap_or_else(|| "(several documents)".to_owned()),
        ]);
    }
    table.to_string()
}

/// Formats where an output is defined.
fn from(definition: Option<Location>, document: Option<String>) -> Option<String> {
    match definition {
        Some(Location { path, line, .. }) => Some(format!("{path}:{line}")),
        None => document,
    }
}
