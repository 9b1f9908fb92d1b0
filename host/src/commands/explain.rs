//! `landfall explain`: what came from where.

use std::io::Write;

use landfall_sandbox::types::Detail;
use serde::Deserialize;

use crate::application::Rendered;
use crate::draw::{Position, Positions};
use crate::engine::Halted;
use crate::exit::Exit;
use crate::settings::Inputs;

use super::inputs;
use super::session::Session;
use super::table::Table;

/// The reports of this version and of later ones that only add to it.
const REPORT: &str = "landfall.dev/report/";

pub(super) fn run(mut session: Session, inputs: &Inputs) -> Exit {
    let rendered = match inputs::render(&mut session, inputs, Detail::Substitutions, None) {
        Err(halted) => return session.halt(&halted, ""),
        Ok(_) if session.drawing.has_errors() => return session.fail("nothing to explain"),
        Ok(rendered) => rendered,
    };
    let mut table = Table::new(["PLACE", "FIELD", "OUTPUT", "TYPE", "VALUE", "FROM"]);
    for rendered in &rendered {
        if let Err(halted) = add(&mut table, rendered) {
            return session.halt(&halted, "");
        }
    }
    let text = table.to_string();
    session.write(text.len(), |out| out.write_all(text.as_bytes()))
}

/// The substitutions report, as `src/report/substitution.rs` of the module
/// documents it. What is not shown is not read.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Report {
    api_version: String,
    substitutions: Vec<Substitution>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Substitution {
    file: usize,
    start: usize,
    output: String,
    document: Option<usize>,
    output_span: Option<(usize, usize)>,
    #[serde(rename = "type")]
    value_type: String,
    value: String,
    #[serde(default)]
    sensitive: bool,
    resource: Option<Resource>,
    field: String,
}

#[derive(Deserialize)]
struct Resource {
    kind: String,
    name: String,
}

fn add(
    table: &mut Table<6>,
    Rendered {
        application,
        answer,
    }: &Rendered,
) -> Result<(), Halted> {
    let Some(report) = &answer.substitutions else {
        return Err(Halted::BrokenAnswer);
    };
    let report: Report = serde_json::from_slice(report).map_err(|_| Halted::BrokenAnswer)?;
    if !report.api_version.starts_with(REPORT) {
        return Err(Halted::BrokenAnswer);
    }
    let documents = application.documents();
    let mut manifests: Vec<_> = documents
        .manifests
        .iter()
        .map(|document| Positions::new(document.content))
        .collect();
    let mut outputs: Vec<_> = documents
        .outputs
        .iter()
        .map(|document| Positions::new(document.content))
        .collect();

    for substitution in report.substitutions {
        let place = match (
            documents.manifests.get(substitution.file),
            manifests.get_mut(substitution.file),
        ) {
            (Some(document), Some(positions)) => {
                let Position { line, column } = positions.at(substitution.start);
                format!("{}:{line}:{column}", document.path)
            }
            _ => return Err(Halted::BrokenAnswer),
        };
        let document = substitution
            .document
            .and_then(|at| Some((documents.outputs.get(at)?, outputs.get_mut(at)?)));
        let from = match (document, substitution.output_span) {
            (Some((document, positions)), Some((start, _))) => {
                format!("{}:{}", document.path, positions.at(start).line)
            }
            (Some((document, _)), None) => document.path.to_owned(),
            (None, _) => "(default)".to_owned(),
        };
        let field = match substitution.resource {
            Some(Resource { kind, name }) if !kind.is_empty() => {
                format!("{kind}/{name} {}", substitution.field)
            }
            _ => substitution.field,
        };
        // The module says so already; a host that shows values does not trust that.
        let value = if substitution.sensitive {
            "(sensitive)".to_owned()
        } else {
            substitution.value
        };
        table.add([
            place,
            field,
            substitution.output,
            substitution.value_type,
            value,
            from,
        ]);
    }
    Ok(())
}
