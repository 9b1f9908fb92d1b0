//! Documents inside scalars: YAML and JSON recognised by the name of their entry, values of
//! Helm charts, and those that the Binding lists. Each is analysed separately.

use std::borrow::Cow;
use std::ops::Range;
use std::sync::Arc;

use super::scalars::PendingScalar;
use super::text_at::decoded_from;
use super::{Analyser, DocumentAnalysis, InnerTarget, ScalarWithReferences, Scope, Text};
use crate::analysis::resource_check;
use crate::analysis::targets::ListedFields;
use crate::collections::OrderedMap;
use crate::config::substitutions::FieldPath;
use crate::kubernetes::resources::{Occurrences, Resources};
use crate::kubernetes::{
    Format, annotations, embedded_by_field, embedded_by_name, go_template, is_entry,
};
use crate::reference::{Call, LANDFALL, mask_references};
use crate::report::{Diagnostic, Origin, Rule};
use yaml::{BLANKS, NodeId, Role, Tree, split};

/// The documents in the text of one scalar.
#[derive(Debug)]
pub(crate) struct Embedded {
    /// Those that contain references or targets.
    pub(crate) documents: Vec<DocumentAnalysis<'static>>,
    /// The bytes of the scalar's text that are actions of a Go template: overwritten in the
    /// documents.
    pub(crate) actions: Vec<Range<usize>>,
}

impl Analyser<'_> {
    /// Returns the format of the document that the scalar embeds. `None` for text, and for
    /// a scalar that is a single reference, because its value is the document.
    pub(super) fn format(
        &mut self,
        tree: &Tree,
        listed: &ListedFields<'_>,
        resources: &Resources<'_>,
        scalar: &PendingScalar<'_>,
    ) -> Option<Format> {
        let id = scalar.id;
        if self.source.is_embedded() && resources.role(id) == Role::Root {
            // It has the field of the outer scalar, which was already checked.
            return None;
        }
        let format = match listed.get(id) {
            Some(Format::Text) => None,
            Some(format) => Some(format),
            None if !resources.has_aliases() => {
                let is_in_entry = || is_entry(&resources.field(id));
                embedded_by_name(resources, id).or_else(|| self.json_entry(scalar, is_in_entry))
            }
            None if self.is_reference(scalar) => None,
            // A scalar that embeds a document at one occurrence does so at each. JSON is
            // YAML too.
            None => {
                let occurrences = self.occurrences(tree, resources, id)?;
                let fields = || occurrences.all().map(|occurrence| &occurrence.field);
                let by_field = fields()
                    .filter_map(embedded_by_field)
                    .max_by_key(|format| *format == Format::Json);
                let is_in_entry = || fields().any(is_entry);
                by_field.or_else(|| self.json_entry(scalar, is_in_entry))
            }
        };
        // Most scalars embed nothing, so references are parsed last.
        if format.is_some() && self.is_reference(scalar) {
            return None;
        }
        format
    }

    /// Reports a path of `spec.embedded` that ends at a list or a map.
    pub(super) fn report_without_text(&mut self, tree: &Tree, node: NodeId, path: &FieldPath) {
        let message = format!(
            "`{}` in `spec.embedded` has no effect here: only a text can be a document",
            path.text
        );
        let warning = Diagnostic::warning(Rule::TargetNotFound, message)
            .at(Origin::Binding, path.span, "this path")
            .at(
                self.source.origin,
                self.span(&tree[node].range()),
                "this is no text",
            )
            .help("continue the path to a text; `*` matches every key and every item");
        self.findings.push(Some(node), warning);
    }

    /// Returns JSON if the text of an entry of a ConfigMap or Secret is: whoever reads it parses
    /// it, whatever its name is.
    fn json_entry(
        &mut self,
        scalar: &PendingScalar<'_>,
        is_entry: impl FnOnce() -> bool,
    ) -> Option<Format> {
        let text = &*scalar.decoded.text;
        if !annotations::may_be_json(text) || !is_entry() {
            return None;
        }
        let masks = mask_references(text, self.scope.heads, &OrderedMap::new());
        let references: Vec<Range<usize>> = masks.into_iter().map(|mask| mask.range).collect();
        let outside = annotations::outside_of_json_strings(text, &references)?;
        let Some(as_text) = (outside.iter()).find(|reference| !self.becomes_json(text, reference))
        else {
            return Some(Format::Json);
        };
        if self.is_own() && outside.len() < references.len() {
            let error = Diagnostic::error(
                Rule::MisreadValue,
                "values in the strings of this JSON would not be escaped",
            )
            .at(self.source.origin, self.span(&scalar.decoded.raw_range(as_text)), "because of this text outside of strings")
            .help("make it a whole value, with `json` as its last function, if any; or list the field in `spec.embedded` of the Binding with `format: text`");
            self.findings.push(Some(scalar.id), error);
        }
        None
    }

    fn is_own(&self) -> bool {
        self.scope.heads.dialect().notation().id == LANDFALL.notation().id
    }

    /// Whether a reference outside of strings of JSON becomes a whole value there, instead of a
    /// text which an author or another tool takes care of.
    fn becomes_json(&self, text: &str, reference: &Range<usize>) -> bool {
        let dialect = self.scope.heads.dialect();
        let Ok(parsed) = dialect.parse(text, reference.start) else {
            return true;
        };
        let (last, others) = match &parsed.calls[..] {
            [others @ .., last] => (Some(last), others),
            [] => (None, &[][..]),
        };
        let is_json = |call: &Call| call.function == "json";
        self.is_own()
            && !others.iter().any(is_json)
            && (!last.is_some_and(is_json) || annotations::is_whole(text, reference))
    }

    pub(super) fn occurrences(
        &mut self,
        tree: &Tree,
        resources: &Resources<'_>,
        id: NodeId,
    ) -> Option<Occurrences> {
        let unbounded = match resources.occurrences(id, None) {
            Ok(occurrences) => return Some(occurrences),
            Err(unbounded) => unbounded,
        };
        // Report it once for each document.
        if !std::mem::replace(&mut self.reported_unbounded, true) {
            let span_of = |id: NodeId| self.span(&tree[id].range());
            let error = unbounded.diagnostic(self.source.origin, id, &span_of);
            self.findings.push(Some(id), error);
        }
        None
    }

    /// Whether a scalar holds one reference and nothing else.
    fn is_reference(&self, scalar: &PendingScalar<'_>) -> bool {
        let text = scalar.decoded.text.trim_matches(BLANKS);
        let dialect = self.scope.heads.dialect();
        !dialect.only_in_setters()
            && self.scope.heads.is_head(text, 0)
            && (dialect.parse(text, 0)).is_ok_and(|reference| reference.range == (0..text.len()))
    }

    /// Returns the format of a scalar in whose text field paths continue: it must be a
    /// document, whatever its name is. Returns `None` and ends the paths if it cannot be
    /// one.
    pub(super) fn format_of_targets(
        &mut self,
        listed: &ListedFields<'_>,
        resources: &Resources<'_>,
        scalar: &PendingScalar<'_>,
        targets: &[InnerTarget],
    ) -> Option<Format> {
        let is_reference = self.is_reference(scalar);
        let span = self.span(&scalar.decoded.raw);
        let mut end_paths = |message: &'static str, help: &'static str| {
            self.end_in_text(targets, message, span, help);
            None
        };
        if is_reference {
            return end_paths(
                "a reference replaces all of it",
                "keep either the reference or the field path into the text",
            );
        }
        match listed.get(scalar.id) {
            Some(Format::Text) => end_paths(
                "`spec.embedded` in the Binding declares it as `format: text`",
                "keep one of them",
            ),
            Some(format) => Some(format),
            None => Some(embedded_by_name(resources, scalar.id).unwrap_or(Format::Yaml)),
        }
    }

    /// Analyses the documents in a scalar, if it embeds any.
    pub(super) fn embed(
        &mut self,
        scalar: PendingScalar<'_>,
        resources: &Resources<'_>,
        targets: &[InnerTarget],
        encrypted: bool,
    ) -> ScalarWithReferences {
        let embedded = match scalar.format {
            Some(format) if !encrypted => Some(self.documents(&scalar, format, resources, targets)),
            _ => None,
        };
        ScalarWithReferences {
            id: scalar.id,
            references: scalar.references,
            escapes: scalar.escapes,
            embedded,
            listed: None,
            holds_ordinary_text: false,
        }
    }

    fn documents(
        &mut self,
        scalar: &PendingScalar<'_>,
        format: Format,
        resources: &Resources<'_>,
        targets: &[InnerTarget],
    ) -> Embedded {
        let field = resources.field(scalar.id);
        let patch_target = resources.target_of(scalar.id);
        let actions = match format {
            Format::Template => go_template::actions(&scalar.decoded.text),
            _ => Vec::new(),
        };
        let text = match &actions[..] {
            [] => Cow::Borrowed(&*scalar.decoded.text),
            actions => Cow::Owned(go_template::masked(&scalar.decoded.text, actions)),
        };
        let documents = split(&text);
        let accepts_targets = self.accepts_targets(scalar, &documents, targets);
        let mut embedded = Embedded {
            documents: Vec::new(),
            actions,
        };
        let at = (self.scope.unfinished)
            .and_then(|at| decoded_from(&scalar.decoded, self.source.text, at));
        for document in documents {
            let unfinished = at
                .and_then(|at| at.checked_sub(document.offset))
                .filter(|at| *at <= document.text.len());
            let targets = match resource_check::first_content(document.text) {
                Some(_) if accepts_targets => targets,
                _ => &[],
            };
            let is_wanted = !targets.is_empty() || unfinished.is_some();
            if !is_wanted && !self.scope.heads.any(document.text) {
                continue;
            }
            let Some(source) = self.source.embedded(&scalar.decoded, document) else {
                let error = Diagnostic::error(
                    Rule::DocumentIsNotYaml,
                    "embedded documents are nested too deeply",
                )
                .at(self.source.origin, self.span(&scalar.decoded.raw), "")
                .help("declare this one as text in the Binding: `embedded: [{…, format: text}]`");
                self.findings.push(Some(scalar.id), error);
                embedded.documents.clear();
                return embedded;
            };
            let text = Text::Shared(Arc::from(document.text));
            let analysis = DocumentAnalysis::new(text, document.offset, format);
            let scope = Scope {
                unfinished,
                ..self.scope
            };
            let mut analyser = Analyser::new(&source, scope, Some(&field), targets);
            analyser.is_json = format == Format::Json;
            analyser.patch_target.clone_from(&patch_target);
            embedded.documents.push(analyser.analyse(analysis, None));
        }
        embedded
    }

    /// Whether field paths continue in the documents of a scalar: there must be only one,
    /// because a path cannot select one of several.
    fn accepts_targets(
        &mut self,
        scalar: &PendingScalar<'_>,
        documents: &[yaml::Document<'_>],
        targets: &[InnerTarget],
    ) -> bool {
        if targets.is_empty() {
            return false;
        }
        let has_content =
            |document: &&yaml::Document<'_>| resource_check::first_content(document.text).is_some();
        let message = match documents.iter().filter(has_content).count() {
            0 => "it is empty",
            1 => return true,
            _ => "it contains several documents",
        };
        let help = "a field path can only continue in a single YAML or JSON document";
        self.end_in_text(targets, message, self.span(&scalar.decoded.raw), help);
        false
    }
}
