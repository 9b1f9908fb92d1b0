//! `landfall cmp parameters`: the parameters of an application, for Argo CD's user
//! interface.

use std::path::Path;

use landfall_sandbox::types::{Announcement, Config, ParameterValue, ValueKind};
use serde_json::{Map, Value, json};

use crate::discovery::own_binding;
use crate::engine::{Engine, Halted, configuration};
use crate::exit::Exit;
use crate::files::{Budget, Root, read_user_path};
use crate::settings::{Cmp, InputPath};

use super::super::session::Session;
use super::policy::operator_policy;
use super::variable::parameters;

/// Writes the announcements as JSON. Argo CD cannot show an application whose plugin fails
/// here, so problems are left to `generate`: what could be read of the Binding is announced.
pub(in crate::commands) fn run(session: Session, cmp: &Cmp) -> Exit {
    let announced = announcements(&session, cmp);
    let announced = announced.unwrap_or_default();
    let list: Vec<_> = announced.into_iter().map(to_json).collect();
    let mut text = Value::from(list).to_string();
    text.push('\n');
    session.write_text(Exit::Done, &text)
}

fn announcements(session: &Session, cmp: &Cmp) -> Result<Vec<Announcement>, Halted> {
    let Some(binding) = binding(cmp, session.limits.input) else {
        return Ok(Vec::new());
    };
    let mut problems = Vec::new();
    let operator_policy = operator_policy(cmp, session.limits.input, &mut problems);
    let engine = Engine::embedded(session.limits)?;
    let _watch = engine.watch();
    let mut plugin = engine.start()?;
    let configuration = configuration(Some(binding), session.ceiling(operator_policy));
    let plan = plugin.plan(&configuration, &parameters(&mut problems), None)?;
    Ok(plan.announcements)
}

/// Reads the Binding of the current folder, or the one that a flag names.
fn binding(cmp: &Cmp, limit: u64) -> Option<Config> {
    let mut budget = Budget::new(limit);
    if let Some(InputPath::Path(path)) = &cmp.config {
        let content = read_user_path(path, &mut budget).ok()?;
        let path = path.display().to_string();
        return Some(Config { path, content });
    }
    let root = Root::open(Path::new(".")).ok()?;
    own_binding(&root, Path::new(""), "", &mut budget).ok()?
}

/// Returns an announcement as Argo CD reads it (argo-cd v3.2.12, `ParameterAnnouncement` in
/// reposerver/repository/repository.proto).
fn to_json(announcement: Announcement) -> Value {
    let Announcement {
        name,
        title,
        tooltip,
        required,
        value_kind,
        current,
    } = announcement;
    let (item_type, collection_type) = match value_kind {
        ValueKind::Text => ("string", ""),
        ValueKind::Number => ("number", ""),
        ValueKind::Boolean => ("boolean", ""),
        ValueKind::Items => ("string", "array"),
        ValueKind::Entries => ("string", "map"),
    };
    let mut fields = Map::new();
    fields.insert("name".to_owned(), name.into());
    fields.insert("title".to_owned(), title.into());
    fields.insert("tooltip".to_owned(), tooltip.into());
    fields.insert("required".to_owned(), required.into());
    fields.insert("itemType".to_owned(), item_type.into());
    fields.insert("collectionType".to_owned(), collection_type.into());
    let (key, value) = match current {
        None => return Value::Object(fields),
        Some(ParameterValue::Text(text)) => ("string", text.into()),
        Some(ParameterValue::Items(items)) => ("array", items.into()),
        Some(ParameterValue::Entries(entries)) => {
            let entries = entries.into_iter().map(|(key, value)| (key, json!(value)));
            ("map", Value::Object(entries.collect()))
        }
    };
    fields.insert(key.to_owned(), value);
    Value::Object(fields)
}
