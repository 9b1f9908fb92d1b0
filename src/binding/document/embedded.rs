//! Documents inside scalars: YAML and JSON by the name of their entry, values of
//! Helm charts, and what the Binding lists.

use std::collections::BTreeMap;

use super::holders::Holder;
use super::{Renderer, render_text};
use crate::binding::place::{Field, FieldStep, Places};
use crate::binding::substitute::{Part, Scalar};
use crate::manifest::{Kind, NodeId, Role, Style, split};
use crate::outputs::Value;
use crate::reference::parse;
use crate::report::{Diagnostic, Edit, Rule};

/// What the text of a scalar is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Format {
    Yaml,
    Json,
    /// Text, although its name says otherwise.
    Text,
}

impl Renderer<'_, '_> {
    /// What the scalar embeds; none for text, and for one reference that is all of
    /// it: its value is the document.
    pub(super) fn embedding(
        &self,
        listed: &BTreeMap<NodeId, Format>,
        places: &Places<'_>,
        holder: &Holder<'_>,
    ) -> Option<Format> {
        let id = holder.id;
        let text = holder.decoded.text.trim();
        let is_reference = self.context.heads.is_head(text, 0)
            && parse(text, 0).is_ok_and(|reference| reference.range == (0..text.len()));
        if is_reference {
            return None;
        }
        if self.ground.inside.is_some() && places.role(id) == Role::Root {
            // Its field is that of the text around it, which has been read.
            return None;
        }
        match listed.get(&id) {
            Some(Format::Text) => None,
            Some(format) => Some(*format),
            None => by_name(places, id),
        }
    }

    /// Renders the documents in one scalar.
    pub(super) fn embedded(
        &mut self,
        scalar: &Scalar<'_>,
        holder: &Holder<'_>,
        format: Format,
        fields: &[Field],
    ) {
        let json = format == Format::Json;
        let mut changes: Vec<(std::ops::Range<usize>, Value)> = Vec::new();
        for document in split(&holder.decoded.text) {
            if !self.context.heads.any(document.text) {
                continue;
            }
            let Some(ground) = self
                .ground
                .embedded(&holder.decoded, document, fields, json)
            else {
                let error = Diagnostic::error(
                    Rule::DocumentIsNotYaml,
                    "documents embed each other too deeply",
                )
                .at(self.origin(), self.span(&holder.decoded.raw), "")
                .help("say in the Binding that this one is text: `embedded: [{…, format: text}]`");
                if let Some(field) = fields.first() {
                    self.tell(error, field);
                }
                return;
            };
            let mut rendered = render_text(&ground, self.context);
            let style = match scalar.tree.nodes[holder.id].kind {
                Kind::Scalar { style, .. } => style,
                _ => Style::Plain,
            };
            for diagnostic in &mut rendered.diagnostics {
                diagnostic
                    .mends
                    .retain(|mend| mend.edits.iter().all(|edit| stays_itself(edit, style)));
            }
            self.rendered.diagnostics.append(&mut rendered.diagnostics);
            self.rendered
                .substitutions
                .append(&mut rendered.substitutions);
            changes.extend(rendered.edits.into_iter().map(|edit| {
                let range = edit.span.start + document.offset..edit.span.end + document.offset;
                let text = String::from_utf8(edit.text).unwrap_or_default();
                (range, Value::String(text))
            }));
        }
        let parts: Vec<Part<'_>> = changes
            .iter()
            .map(|(decoded, value)| Part {
                decoded: decoded.clone(),
                raw: holder.decoded.raw_range(decoded),
                value: Some(value),
                read: true,
                sensitive: false,
            })
            .collect();
        if parts.is_empty() {
            return;
        }
        // Texts fit into every text.
        if let Ok(edits) = scalar.edits(&parts) {
            self.rendered.edits.extend(edits);
        }
    }
}

/// Whether the text of an edit is the same in the scalar as in the document that
/// it embeds.
fn stays_itself(edit: &Edit, style: Style) -> bool {
    let holds = |bytes: &[u8]| edit.text.iter().any(|b| bytes.contains(b));
    match style {
        Style::Literal => !holds(b"\n\r"),
        Style::SingleQuoted => !holds(b"\n\r'"),
        Style::DoubleQuoted => !holds(b"\n\r\"\\"),
        Style::Plain | Style::Folded => false,
    }
}

/// What a scalar embeds by the name of its entry or the field of its kind.
fn by_name(places: &Places<'_>, id: NodeId) -> Option<Format> {
    // Most scalars have another name, and need no look at their resource.
    let Role::Value(key) = places.role(id) else {
        return None;
    };
    let name = places.text(key)?;
    if by_extension(name).is_none() && !matches!(name, "values" | "valuesContent") {
        return None;
    }
    let field = places.field(id);
    let resource = field.resource.as_ref()?;
    let (group, _) = resource.group_version();
    match (group, resource.kind.as_str(), &field.steps[..]) {
        ("", "ConfigMap", [FieldStep::Key(part), FieldStep::Key(name)]) if part == "data" => {
            by_extension(name)
        }
        ("", "Secret", [FieldStep::Key(part), FieldStep::Key(name)]) if part == "stringData" => {
            by_extension(name)
        }
        ("argoproj.io", "Application" | "ApplicationSet", [.., source, helm, values]) => {
            let source = match source {
                FieldStep::Key(key) => key == "source",
                FieldStep::Index(_) => true,
            };
            let is =
                |step: &FieldStep, name: &str| matches!(step, FieldStep::Key(key) if key == name);
            (source && is(helm, "helm") && is(values, "values")).then_some(Format::Yaml)
        }
        (
            "helm.cattle.io",
            "HelmChart" | "HelmChartConfig",
            [FieldStep::Key(spec), FieldStep::Key(name)],
        ) => (spec == "spec" && name == "valuesContent").then_some(Format::Yaml),
        _ => None,
    }
}

fn by_extension(name: &str) -> Option<Format> {
    let (_, extension) = name.rsplit_once('.')?;
    match extension {
        "yaml" | "yml" => Some(Format::Yaml),
        "json" => Some(Format::Json),
        _ => None,
    }
}
