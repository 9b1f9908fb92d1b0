//! Documents inside scalars: YAML and JSON by the name of their entry, values of
//! Helm charts, and what the Binding lists.

use std::collections::BTreeMap;

use crate::analysis::resource;
use crate::bind::document::holders::Holder;
use crate::bind::document::targets::InnerTarget;
use crate::bind::document::{Renderer, render_text};
use crate::kubernetes::resources::{Identity, Occurrence, Places};
use crate::kubernetes::{Format, embedded_by_field as by_field, embedded_by_name as by_name};
use crate::outputs::Value;
use crate::reference::parse;
use crate::report::{Diagnostic, Rule};
use yaml::Edit;
use yaml::{BLANKS, Document, Kind, NodeId, Role, Style, Tree, split};
use yaml::{NodeEditor, Part};

impl Renderer<'_, '_> {
    /// What the scalar embeds; none for text, and for one reference that is all of
    /// it: its value is the document.
    pub(crate) fn embedding(
        &mut self,
        tree: &Tree,
        listed: &BTreeMap<NodeId, Format>,
        places: &Places<'_>,
        holder: &Holder<'_>,
    ) -> Option<Format> {
        let id = holder.id;
        if self.ground.inside.is_some() && places.role(id) == Role::Root {
            // Its field is that of the text around it, which has been read.
            return None;
        }
        let format = match listed.get(&id) {
            Some(Format::Text) => None,
            Some(format) => Some(*format),
            None if !places.has_aliases() => by_name(places, id),
            None if self.is_reference(holder) => None,
            // Text that is a document anywhere is one everywhere. JSON is YAML too.
            None => self
                .occurrences(tree, places, id, None)?
                .all()
                .filter_map(|place| by_field(&place.field))
                .max_by_key(|format| *format == Format::Json),
        };
        // Most scalars embed nothing: reading them comes last.
        format.filter(|_| !self.is_reference(holder))
    }

    /// Whether a scalar holds one reference and nothing else.
    fn is_reference(&self, holder: &Holder<'_>) -> bool {
        let text = holder.decoded.text.trim_matches(BLANKS);
        self.context.heads.is_head(text, 0)
            && parse(text, 0).is_ok_and(|reference| reference.range == (0..text.len()))
    }

    /// What the scalar embeds where field paths go on in its text: then it is a
    /// document, whatever its name is. None, and an error, for what cannot be one.
    pub(crate) fn embedding_of_targets(
        &mut self,
        listed: &BTreeMap<NodeId, Format>,
        places: &Places<'_>,
        holder: &Holder<'_>,
        targets: &[InnerTarget],
    ) -> Option<Format> {
        let is_reference = self.is_reference(holder);
        let span = self.span(&holder.decoded.raw);
        let mut refused = |message: &str, help: &str| {
            self.not_inside(targets, message, span, help);
            None
        };
        if is_reference {
            return refused(
                "a reference writes all of it",
                "keep one of them: the reference, or the field path that goes into the text",
            );
        }
        match listed.get(&holder.id) {
            Some(Format::Text) => refused(
                "`spec.embedded` of the Binding has it as `format: text`",
                "keep one of them",
            ),
            Some(format) => Some(*format),
            None => Some(by_name(places, holder.id).unwrap_or(Format::Yaml)),
        }
    }

    /// Renders the documents in one scalar.
    pub(crate) fn embedded(
        &mut self,
        scalar: &NodeEditor<'_>,
        holder: &Holder<'_>,
        format: Format,
        (places, identity): (&[Occurrence], &Identity<'_>),
        targets: &[InnerTarget],
    ) {
        let json = format == Format::Json;
        let targets = self.of_one_document(holder, targets);
        let mut changes: Vec<(std::ops::Range<usize>, Value)> = Vec::new();
        for document in split(&holder.decoded.text) {
            let targets = match resource::first_content(document.text) {
                Some(_) => targets,
                None => &[],
            };
            if targets.is_empty() && !self.context.heads.any(document.text) {
                continue;
            }
            let Some(ground) =
                self.ground
                    .embedded(&holder.decoded, document, (places, identity), json, targets)
            else {
                let error = Diagnostic::error(
                    Rule::DocumentIsNotYaml,
                    "documents embed each other too deeply",
                )
                .at(self.origin(), self.span(&holder.decoded.raw), "")
                .help("say in the Binding that this one is text: `embedded: [{…, format: text}]`");
                if let Some(place) = places.first() {
                    self.tell(error, &place.field);
                }
                return;
            };
            let mut rendered = render_text(&ground, self.context);
            self.went_on(targets, std::mem::take(&mut rendered.followed));
            let style = match scalar.tree[holder.id].kind() {
                Kind::Scalar { style, .. } => style,
                _ => Style::Plain,
            };
            for diagnostic in rendered.diagnostics.iter_mut() {
                diagnostic
                    .fixes
                    .retain(|fix| fix.edits.iter().all(|edit| stays_itself(edit, style)));
            }
            self.rendered.diagnostics.append(rendered.diagnostics);
            self.rendered
                .substitutions
                .append(&mut rendered.substitutions);
            changes.extend(rendered.edits.into_iter().map(|edit| {
                let range = edit.span.start + document.offset..edit.span.end + document.offset;
                let text = String::from_utf8(edit.text).unwrap_or_default();
                (range, Value::String(text))
            }));
        }
        let parts: Vec<Part<'_, Value>> = changes
            .iter()
            .map(|(decoded, value)| Part {
                decoded: decoded.clone(),
                raw: holder.decoded.raw_range(decoded),
                value: Some(value),
            })
            .collect();
        if parts.is_empty() {
            return;
        }
        // Texts fit into every text.
        if let Ok(edits) = scalar.replace_parts(&parts) {
            self.rendered.edits.extend(edits);
        }
    }
}

impl Renderer<'_, '_> {
    /// The targets inside a scalar that holds one document; a path does not say
    /// which of several it means.
    fn of_one_document<'t>(
        &mut self,
        holder: &Holder<'_>,
        targets: &'t [InnerTarget],
    ) -> &'t [InnerTarget] {
        if targets.is_empty() {
            return targets;
        }
        let has_content =
            |document: &Document<'_>| resource::first_content(document.text).is_some();
        let message = match split(&holder.decoded.text)
            .iter()
            .filter(|document| has_content(document))
            .count()
        {
            0 => "it is empty",
            1 => return targets,
            _ => "it holds several documents",
        };
        let help = "a field path goes on in one YAML or JSON document";
        self.not_inside(targets, message, self.span(&holder.decoded.raw), help);
        &[]
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
