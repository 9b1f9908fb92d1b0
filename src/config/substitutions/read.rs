//! Reads `spec.substitutions` and `spec.embedded` from the Binding.

use crate::config::keys::{EMBEDDED, OPTIONS, SELECTOR, SUBSTITUTION, TARGET};
use crate::config::reader::{Reader, named};
use crate::config::substitutions::Pattern;
use crate::config::substitutions::Selector;
use crate::config::substitutions::labels::requirements;
use crate::config::substitutions::path;
use crate::config::substitutions::{
    EmbeddedFields, FieldBinding, FieldPath, Fields, Options, SpannedText, Target,
};
use crate::config::substitutions::{nested, notation};
use crate::kubernetes::Format;
use yaml::NodeId;

/// Reads `spec.substitutions`.
pub(crate) fn substitutions(reader: &mut Reader<'_>, id: NodeId) -> Vec<FieldBinding> {
    let what = "an item of spec.substitutions";
    let mut list = Vec::new();
    for item in reader.items(id, "spec.substitutions") {
        let entries = reader.mapping(item, what, &SUBSTITUTION);
        let value = entries
            .get("value")
            .and_then(|id| read_spanned_text(reader, *id, "value"));
        if !entries.contains_key("value") {
            reader.error(
                item,
                format!("{} has no `value`", named(what)),
                "write `value: \"${infra.vpc_id}\"`",
            );
        }
        let targets = match entries.get("targets") {
            Some(targets) => reader.items(*targets, "targets"),
            None => {
                let help =
                    "write `targets: [{select: {kind: Deployment}, fieldPaths: [spec.replicas]}]`";
                reader.error(item, format!("{} has no `targets`", named(what)), help);
                Vec::new()
            }
        };
        let targets: Vec<Target> = targets
            .into_iter()
            .filter_map(|target| read_target(reader, target))
            .collect();
        list.extend(value.map(|value| FieldBinding { value, targets }));
    }
    list
}

/// Reads `spec.embedded`.
pub(crate) fn embedded(reader: &mut Reader<'_>, id: NodeId) -> Vec<EmbeddedFields> {
    let mut list = Vec::new();
    for item in reader.items(id, "spec.embedded") {
        let what = "an item of spec.embedded";
        let entries = reader.mapping(item, what, &EMBEDDED);
        let format = match entries.get("format") {
            None => Some(Format::Yaml),
            Some(id) => match reader.text(*id, "format").as_deref() {
                Some("yaml") => Some(Format::Yaml),
                Some("json") => Some(Format::Json),
                Some("text") => Some(Format::Text),
                Some(other) => {
                    let message = format!("unknown format `{other}` for embedded documents");
                    reader.error(*id, message, "expected `yaml`, `json` or `text`");
                    None
                }
                None => None,
            },
        };
        let fields = read_fields(reader, item, what, &entries);
        list.extend(
            fields
                .zip(format)
                .map(|(fields, format)| EmbeddedFields { fields, format }),
        );
    }
    for nested in nested::find(&list) {
        let message = format!(
            "`{}` continues in `{}`, which is a text",
            nested.path.text, nested.text
        );
        reader.error_at(nested.path.span, message, nested.help());
    }
    list
}

type Entries<'t> = crate::collections::OrderedMap<&'t str, NodeId>;

fn read_target(reader: &mut Reader<'_>, id: NodeId) -> Option<Target> {
    let entries = reader.mapping(id, "a target", &TARGET);
    let options = match entries.get("options") {
        Some(options) => read_options(reader, *options),
        None => Options::default(),
    };
    let fields = read_fields(reader, id, "a target", &entries)?;
    for path in &fields.paths {
        let appends = path.steps.contains(&path::PathStep::Append);
        if appends && !options.create {
            let message = format!("`{}` adds an item, but `create` is not set", path.text);
            reader.error_at(path.span, message, "set `options: {create: true}`");
        }
    }
    Some(Target { fields, options })
}

fn read_fields(
    reader: &mut Reader<'_>,
    id: NodeId,
    what: &str,
    entries: &Entries<'_>,
) -> Option<Fields> {
    let Some(select) = entries.get("select") else {
        reader.error(
            id,
            format!("{} has no `select`", named(what)),
            "write `select: {kind: Deployment, name: web}`",
        );
        return None;
    };
    let select_span = reader.content_span(*select);
    let select = read_selector(reader, *select, "select");
    if select.is_empty() && reader.diagnostics.is_empty() {
        let help = "set at least one of group, version, kind, name, namespace, labelSelector, annotationSelector";
        reader.error_at(select_span, "`select` would match every resource", help);
    }
    let reject = match entries.get("reject") {
        Some(reject) => reader
            .items(*reject, "reject")
            .into_iter()
            .map(|item| read_selector(reader, item, "an item of reject"))
            .collect(),
        None => Vec::new(),
    };
    let mut paths = Vec::new();
    match entries.get("fieldPaths") {
        Some(list) => {
            let items = reader.items(*list, "fieldPaths");
            if items.is_empty() {
                reader.error(
                    *list,
                    "`fieldPaths` is empty",
                    "write `fieldPaths: [spec.replicas]`",
                );
            }
            for item in items {
                let Some(text) = reader.text(item, "an item of fieldPaths") else {
                    continue;
                };
                let span = reader.span(item);
                match path::parse(&text) {
                    Ok(steps) => match notation::respelled(&text, &steps) {
                        Some(better) => reader.error(
                            item,
                            format!("`{text}` is a path in another notation"),
                            format!("write `{better}`"),
                        ),
                        None => paths.push(FieldPath { text, steps, span }),
                    },
                    Err(error) => reader.error(
                        item,
                        format!("invalid field path `{text}`: {error}"),
                        "write a path such as `spec.containers.[name=web].args.0`, with brackets around a key that has dots: `metadata.annotations.[a.b/c]`",
                    ),
                }
            }
        }
        None => reader.error(
            id,
            format!("{} has no `fieldPaths`", named(what)),
            "write `fieldPaths: [spec.replicas]`",
        ),
    }
    Some(Fields {
        select,
        reject,
        select_span,
        paths,
    })
}

fn read_selector(reader: &mut Reader<'_>, id: NodeId, what: &str) -> Selector {
    let entries = reader.mapping(id, what, &SELECTOR);
    let mut pattern = |key: &str| {
        let id = *entries.get(key)?;
        if reader.is_blank(id) {
            // As in kustomize, it selects everything.
            return None;
        }
        match Pattern::read(&reader.text(id, key)?) {
            Ok(pattern) => Some(pattern),
            Err(error) => {
                let help =
                    "write a name, or a regular expression that matches the whole name: `web-.*`";
                reader.error(id, error, help);
                None
            }
        }
    };
    let mut selector = Selector {
        // The core group has no name.
        group: pattern("group"),
        version: pattern("version"),
        kind: pattern("kind"),
        name: pattern("name"),
        namespace: pattern("namespace"),
        ..Selector::default()
    };
    for (key, slot) in [
        ("labelSelector", &mut selector.labels),
        ("annotationSelector", &mut selector.annotations),
    ] {
        let Some(id) = entries.get(key).filter(|id| !reader.is_blank(**id)) else {
            continue;
        };
        let Some(text) = reader.text(*id, key) else {
            continue;
        };
        match requirements(&text) {
            Ok(requirements) => *slot = requirements,
            Err(error) => reader.error(*id, error, "write `app=web,tier!=db`"),
        }
    }
    selector
}

fn read_options(reader: &mut Reader<'_>, id: NodeId) -> Options {
    let entries = reader.mapping(id, "options", &OPTIONS);
    let mut options = Options::default();
    if let Some(id) = entries.get("delimiter") {
        options.delimiter = reader.text(*id, "delimiter");
    }
    if let Some(id) = entries.get("index")
        && let Some(text) = reader.text(*id, "index")
    {
        match text.parse() {
            Ok(index) => options.index = index,
            Err(_) => reader.error(
                *id,
                format!("invalid index `{text}`"),
                "an index is a whole number, counted from 0",
            ),
        }
        if options.delimiter.is_none() {
            reader.error(
                *id,
                "`index` requires `delimiter`",
                "write `delimiter: \":\"`, which splits the text",
            );
        }
    }
    if let Some(id) = entries.get("encoding") {
        match reader.text(*id, "encoding").as_deref() {
            Some("base64") => options.base64 = true,
            Some(other) => reader.error(
                *id,
                format!("unknown encoding `{other}`"),
                "expected `base64`",
            ),
            None => {}
        }
    }
    for (key, slot) in [("create", &mut options.create), ("key", &mut options.key)] {
        let Some(id) = entries.get(key) else { continue };
        match reader.text(*id, key).as_deref() {
            Some("true") => *slot = true,
            Some("false") | None => {}
            Some(other) => reader.error(
                *id,
                format!("invalid value `{other}` for `{key}`"),
                "expected `true` or `false`",
            ),
        }
    }
    let splits_what_is_missing = options.delimiter.is_some() && options.index != 0;
    if let (true, Some(id)) = (
        options.create && splits_what_is_missing,
        entries.get("create"),
    ) {
        reader.error(
            *id,
            format!(
                "`create` cannot make part {} of a text that does not exist",
                options.index
            ),
            "remove `create`, and select only resources and items that have the field, such as `[name=web]`",
        );
    }
    if let (true, Some(id)) = (options.key && options.create, entries.get("key")) {
        reader.error(
            *id,
            "a key cannot be both created and replaced",
            "remove `create` or `key`",
        );
    }
    options
}

/// Returns a string that maps back to its bytes.
fn read_spanned_text(reader: &mut Reader<'_>, id: NodeId, what: &str) -> Option<SpannedText> {
    let text = reader.text(id, what)?;
    let span = reader.span(id);
    // In a quoted string without escapes each decoded byte is one raw byte.
    let at = match (span.end - span.start).checked_sub(text.len()) {
        Some(quotes @ (0 | 2)) => Some(span.start + quotes / 2),
        _ => None,
    };
    Some(SpannedText { text, at, span })
}
