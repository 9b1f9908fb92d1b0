//! Source manifests: taken in once, rendered many times.

use std::cell::OnceCell;
use std::collections::BTreeMap;
use std::ops::Range;

use crate::analysis::View;
use crate::analysis::document::{DocumentAnalysis, Scope, Text};
use crate::analysis::targets::{FieldBindings, Listed, Missing, Steps};
use crate::analysis::unbound::{self, UnboundReferences};
use crate::analysis::{decoded_kinds, encoded_references, resource, stray};
use crate::bind::{Budget, Context, render, unused};
use crate::config::{EffectiveConfig, binding};
use crate::contract::{Announcement, Answer, Content, Detail, File, Request};
use crate::functions::{Evaluation, sensitive_failure};
use crate::kubernetes::CustomKinds;
use crate::outputs::{Bindings, named_as_manifest};
use crate::reference::Heads;
use crate::reference::{locate, mask_references};
use crate::report::{
    API_VERSION, Diagnostic, Diagnostics, Origin, Rule, Substitution, SubstitutionsReport,
};
use yaml::{Document, Kind, masked, split};
use yaml::{Edit, Span};

/// What all edits together may write when a request sets no limit: 256 MiB.
const ANSWER_LIMIT: u64 = 256 << 20;

/// Source manifests: taken in once, rendered many times.
///
/// # Examples
/// ```
/// use landfall::{Content, File, OutputsDocument, Request, Sources, splice};
///
/// let manifest = b"kind: Service\nvpc: ${infra.vpc_id} # kept\n".to_vec();
/// let outputs = br#"{"vpc_id": {"sensitive": false, "type": "string", "value": "vpc-0ab1"}}"#.to_vec();
/// let sources = Sources::new(vec![File { path: "service.yaml".into(), content: manifest.clone() }]);
/// let request = Request {
///     outputs: vec![OutputsDocument { name: "infra".into(), content: outputs, ..OutputsDocument::default() }],
///     ..Request::default()
/// };
/// let answer = sources.generate(&request).unwrap();
/// let Content::Edited(edits) = &answer.sources[0] else { panic!() };
/// assert_eq!(splice(&manifest, edits).unwrap(), b"kind: Service\nvpc: vpc-0ab1 # kept\n");
/// ```
pub struct Sources {
    files: Vec<File>,
}

/// The text of a file. Err: the first byte that is not UTF-8.
type FileText<'s> = Result<&'s str, usize>;

impl std::fmt::Debug for Sources {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Sources")
            .field("files", &self.files.len())
            .finish()
    }
}

impl Sources {
    /// Takes the files as they are.
    #[must_use]
    pub const fn new(files: Vec<File>) -> Self {
        Self { files }
    }

    pub(super) fn texts(&self) -> impl Iterator<Item = FileText<'_>> {
        let text = |file| simdutf8::compat::from_utf8(file).map_err(|error| error.valid_up_to());
        self.files.iter().map(move |file| text(&file.content))
    }

    /// The parameters that the request's Binding understands.
    ///
    /// # Errors
    /// Everything that is wrong with the Binding.
    pub fn parameters(&self, request: &Request) -> Result<Vec<Announcement>, Diagnostics> {
        match &request.binding {
            Some(binding) => binding::read(binding, Origin::Binding).map(|_| Vec::new()),
            None => Ok(Vec::new()),
        }
    }

    /// Renders all files.
    ///
    /// # Errors
    /// Every error that was found; nothing is rendered then.
    pub fn generate(&self, request: &Request) -> Result<Answer, Diagnostics> {
        let all = self.render(request, Evaluation::All);
        match all {
            Err(_) if request.ceiling.is_set() => {
                Err(match self.render(request, Evaluation::Public) {
                    Err(errors) => errors,
                    Ok(answer) => sensitive_failure::sealed_render(answer.diagnostics),
                })
            }
            all => all,
        }
    }

    fn render(&self, request: &Request, evaluation: Evaluation) -> Result<Answer, Diagnostics> {
        let texts: Vec<FileText<'_>> = self.texts().collect();
        let mut render = Render::new(request, &texts, evaluation);
        let has_outputs = render.outputs_documents(&texts);
        if has_outputs || has(&render.diagnostics, Rule::ContractViolation) {
            // What follows from it would only hide it.
            return Err(render.diagnostics);
        }
        if texts.is_empty() && render.config.needs_resources() {
            render
                .diagnostics
                .push(no_manifests("there are no manifests to render"));
        }
        let mut sources = Vec::with_capacity(texts.len());
        for (position, text) in texts.iter().enumerate() {
            let edits = match text {
                Ok(text) => render.file(position, text),
                Err(at) => {
                    render.diagnostics.push(
                        Diagnostic::error(Rule::NotUtf8, "the manifest is not UTF-8")
                            .at_concealed(
                                Origin::Manifest(position),
                                Span::point(*at),
                                "this byte is not UTF-8",
                            )
                            .help("save the file as UTF-8: Kubernetes reads nothing else"),
                    );
                    Vec::new()
                }
            };
            sources.push(if edits.is_empty() {
                Content::Unchanged
            } else {
                Content::Edited(edits)
            });
        }
        render.detached_aliases(&texts);
        render.finish(sources)
    }
}

/// One render under way.
struct Render<'r> {
    request: &'r Request,
    evaluation: Evaluation,
    bindings: Bindings,
    heads: Heads,
    config: EffectiveConfig,
    /// The embedded documents that the Binding lists.
    listed: Listed,
    steps: Steps,
    listed_steps: Steps,
    missing: Missing,
    custom: CustomKinds<'r>,
    field_bindings: FieldBindings,
    budget: Budget,
    unbound: UnboundReferences,
    diagnostics: Diagnostics,
    substitutions: Vec<Substitution>,
    resources: usize,
    /// The first sensitive reference in what an anchor names, with its file.
    anchored: Option<(usize, Span)>,
}

impl<'r> Render<'r> {
    fn new(request: &'r Request, texts: &[FileText<'r>], evaluation: Evaluation) -> Self {
        let (mut bindings, mut diagnostics) = Bindings::read(&request.outputs);
        let answer_limit = request.answer_limit.unwrap_or(ANSWER_LIMIT);
        bindings.limit_work(answer_limit);
        let (mut config, found) = EffectiveConfig::new(
            request
                .binding
                .as_ref()
                .map(|binding| binding::read(binding, Origin::Binding)),
            request.policy.as_ref(),
            &request.ceiling,
        );
        diagnostics.append(found);
        diagnostics.append(config.violations(&bindings));
        let heads = Heads::new(bindings.names());
        let field_bindings = FieldBindings::new(
            std::mem::take(&mut config.substitutions),
            &heads,
            Origin::Binding,
            &mut diagnostics,
        );
        let names = config.names(&request.known_names, &heads, &mut diagnostics);
        let texts = texts.iter().filter_map(|text| text.ok());
        Self {
            request,
            evaluation,
            custom: CustomKinds::new(texts.collect()),
            field_bindings,
            heads,
            bindings,
            listed: Listed::new(std::mem::take(&mut config.embedded)),
            steps: Steps::default(),
            listed_steps: Steps::default(),
            missing: Missing::default(),
            config,
            unbound: UnboundReferences::new(names),
            budget: Budget::new(answer_limit),
            diagnostics,
            substitutions: Vec::new(),
            resources: 0,
            anchored: None,
        }
    }

    /// Reports outputs documents that are named as manifests. Returns whether there are
    /// any.
    fn outputs_documents(&mut self, texts: &[FileText<'_>]) -> bool {
        let texts = texts.iter().enumerate();
        let texts = texts.filter_map(|(file, text)| Some((file, text.ok()?)));
        let has_references = |text: &str| self.heads.any(text);
        let in_folder = self.request.resources_only;
        let found: Vec<_> = texts
            .filter_map(|(file, text)| {
                named_as_manifest(text, &has_references, in_folder, Origin::Manifest(file))
            })
            .collect();
        let has_outputs = !found.is_empty();
        self.diagnostics.extend(found);
        has_outputs
    }

    fn file(&mut self, position: usize, text: &str) -> Vec<Edit> {
        let documents = OnceCell::new();
        let documents = || documents.get_or_init(|| split(text)).as_slice();
        let mut heads = self.heads.all(text);
        let view = View {
            embedded: &self.listed,
            steps: &self.listed_steps,
            only_under: None,
        };
        self.unbound.read(
            std::mem::take(&mut heads.unbound),
            documents,
            position,
            unbound::Scope {
                heads: &self.heads,
                view,
                policy: self.config.policy.choices.unbound.value,
                setters_only: self.request.keep_references,
            },
        );
        let stretches = match heads.bound.is_empty() && !is_definition(text) {
            true => std::iter::once(0..text.len()).collect(),
            false => without_definitions(documents()),
        };
        let mut texts = stretches.iter().map(|stretch| &text[stretch.clone()]);
        if texts.any(stray::may_hold) {
            let may_hold = |document: &&Document<'_>| stray::may_hold(document.text);
            for document in documents().iter().filter(may_hold) {
                self.diagnostics
                    .extend(stray::find(*document, &self.heads, position));
            }
        }
        let selects = self.selects(text);
        let mut encoded = Vec::new();
        if !self.request.keep_references && self.heads.names().next().is_some() {
            for stretch in stretches {
                decoded_kinds(text, stretch, &mut encoded);
            }
        }
        if !self.request.resources_only && !selects && encoded.is_empty() && heads.bound.is_empty()
        {
            return Vec::new();
        }
        let mut encoded = encoded.into_iter().peekable();
        let mut edits = Vec::new();
        for document in documents().iter().copied() {
            if self.request.resources_only {
                self.check_resource(position, document);
            }
            if self.request.resources_only && lacks_marker(document) {
                // argocd-cmp-server (3.2.12) drops, in silence, a document that
                // only `...` parts from the one before.
                edits.push(Edit {
                    span: Span::point(document.offset),
                    text: b"---\n".to_vec(),
                });
            }
            let end = document.offset + document.text.len();
            let mut may_hold_encoded = false;
            while encoded.next_if(|at| *at < end).is_some() {
                may_hold_encoded = true;
            }
            if may_hold_encoded {
                let is_bound = |name: &[u8]| self.heads.is_bound(name);
                let view = self.view();
                let found = encoded_references(document, position, view, &is_bound);
                self.diagnostics.extend(found);
            }
            let selects = selects && self.selects(document.text);
            if !selects && !heads.any_in(document.offset..end) {
                continue;
            }
            let scope = Scope {
                heads: &self.heads,
                field_bindings: &self.field_bindings,
                steps: &self.steps,
                listed: &self.listed,
                listed_steps: &self.listed_steps,
                keep_references: self.request.keep_references,
                only_under: None,
            };
            let text = Text::Borrowed(document.text);
            let origin = Origin::Manifest(position);
            let analysis = DocumentAnalysis::of_file(text, document.offset, origin, scope);
            let context = Context {
                scope,
                bindings: &self.bindings,
                policy: &self.config.policy,
                custom: &self.custom,
                missing: &self.missing,
                evaluation: self.evaluation,
                file: position,
                wants_substitutions: self.request.detail == Detail::Substitutions,
                budget: &self.budget,
            };
            let mut rendered = render(&analysis, &context);
            edits.append(&mut rendered.edits);
            rendered
                .diagnostics
                .sort_by_key(|diagnostic| diagnostic.labels.first().map(|label| label.span));
            self.diagnostics.append(rendered.diagnostics);
            let anchored = rendered.anchored.map(|span| (position, span));
            self.anchored = self.anchored.or(anchored);
            // References, setter comments and field bindings are written one kind
            // after the other.
            rendered
                .substitutions
                .sort_by_key(|substitution| substitution.start);
            self.substitutions.append(&mut rendered.substitutions);
        }
        edits
    }

    /// Reports the first alias without an anchor in its document, where another document
    /// has a sensitive value in what an anchor names: go-yaml v3 keeps anchors from one
    /// document of a stream to the next.
    fn detached_aliases(&mut self, texts: &[FileText<'_>]) {
        let Some((file, anchored)) = self.anchored else {
            return;
        };
        let alias = texts.iter().enumerate().find_map(|(file, text)| {
            let documents = split(text.ok()?);
            let mut aliases = documents.iter().filter_map(|one| self.detached_alias(*one));
            Some((file, aliases.next()?))
        });
        let Some((alias_in, alias)) = alias else {
            return;
        };
        self.diagnostics.push(
            Diagnostic::error(
                Rule::AmbiguousResource,
                "not all readers agree about this alias, whose anchor may be that of a sensitive value in another document",
            )
            .at(Origin::Manifest(alias_in), alias, "its document has no such anchor")
            .at(Origin::Manifest(file), anchored, "the sensitive value, inside of an anchor")
            .help("remove the alias, or the anchor around the sensitive value"),
        );
    }

    fn detached_alias(&self, document: Document<'_>) -> Option<Span> {
        memchr::memchr(b'*', document.text.as_bytes())?;
        let masks = mask_references(document.text, &self.heads, &BTreeMap::new());
        let scratch = masked(document.text, masks.iter().map(|mask| &mask.range));
        let tree = locate(scratch).ok()?;
        let mut nodes = tree.nodes().map(|(_, node)| node);
        let alias = nodes.find(|node| node.kind() == Kind::Alias(None))?;
        Some(Span::from(alias.range()).shifted(document.offset))
    }

    const fn view(&self) -> View<'_> {
        View {
            embedded: &self.listed,
            steps: &self.listed_steps,
            only_under: None,
        }
    }

    /// Whether a text may hold a field binding's target.
    fn selects(&self, text: &str) -> bool {
        !self.request.keep_references && self.field_bindings.may_select(text)
    }

    /// Every document of a folder is a resource, or holds nothing at all.
    fn check_resource(&mut self, position: usize, document: Document<'_>) {
        match resource::check(document.text, &self.heads) {
            resource::Check::Resource => self.resources += 1,
            resource::Check::Blank => {}
            resource::Check::No { at, message } => self.diagnostics.push(
                Diagnostic::error(Rule::NotAResource, message)
                    .at_concealed(Origin::Manifest(position), Span::point(at).shifted(document.offset), "this document")
                    .help("every document of a folder must be a Kubernetes resource, with apiVersion and kind; exclude other files in the Binding (`spec.manifests.exclude`)"),
            ),
        }
    }

    fn finish(mut self, sources: Vec<Content>) -> Result<Answer, Diagnostics> {
        // Without its Binding nobody knows what is bound.
        if !has(&self.diagnostics, Rule::InvalidBinding) {
            self.diagnostics.extend(self.unbound.finish());
        }
        if self.request.resources_only
            && self.resources == 0
            && self.config.needs_resources()
            && !self.diagnostics.has_errors()
        {
            self.diagnostics
                .push(no_manifests("the manifests hold no resource at all"));
        }
        if !self.request.keep_references {
            self.diagnostics.append(
                self.field_bindings
                    .unmatched(&self.missing, self.steps.exceeded()),
            );
            let unused = unused::unused(
                &self.bindings,
                self.config.policy.choices.unused.value,
                &self.config.contract,
                &self.diagnostics,
            );
            self.diagnostics.extend(unused);
        }
        if self.diagnostics.has_errors() {
            return Err(self.diagnostics);
        }
        let wanted = self.request.detail == Detail::Substitutions;
        let substitutions = wanted.then(|| SubstitutionsReport {
            api_version: API_VERSION,
            unused: self.bindings.unused(),
            substitutions: self.substitutions,
        });
        Ok(Answer {
            sources,
            generated: Vec::new(),
            diagnostics: self.diagnostics,
            substitutions,
        })
    }
}

/// The stretches of a text between its CustomResourceDefinitions: those are long, and
/// neither Secrets nor Bindings.
fn without_definitions(documents: &[Document<'_>]) -> Vec<Range<usize>> {
    let mut stretches: Vec<Range<usize>> = Vec::new();
    for document in documents.iter().filter(|one| !is_definition(one.text)) {
        let bytes = document.offset..document.offset + document.text.len();
        match stretches.last_mut() {
            Some(last) if last.end == bytes.start => last.end = bytes.end,
            _ => stretches.push(bytes),
        }
    }
    stretches
}

/// Whether the first document of a text says so in its first lines.
fn is_definition(text: &str) -> bool {
    let head = &text.as_bytes()[..text.len().min(1024)];
    let mut lines = head.split(|byte| *byte == b'\n').take(16);
    lines.any(|line| line == b"kind: CustomResourceDefinition")
}

/// Whether a document follows another one and has no `---` of its own.
fn lacks_marker(document: Document<'_>) -> bool {
    let has_one = |line: &str| {
        line.strip_prefix("---")
            .is_some_and(|rest| rest.trim_end().is_empty() || rest.starts_with([' ', '\t']))
    };
    document.offset > 0
        && !document.text.lines().any(has_one)
        && resource::first_content(document.text).is_some()
}

fn has(diagnostics: &[Diagnostic], rule: Rule) -> bool {
    diagnostics.iter().any(|diagnostic| diagnostic.rule == rule)
}

fn no_manifests(message: &str) -> Diagnostic {
    Diagnostic::error(Rule::NoManifests, message)
        .help("an empty answer would make Argo CD prune the application; manifests are *.yaml, *.yml and *.json files of Kubernetes resources")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::splice;

    #[test]
    fn a_document_that_only_dots_part_gets_its_marker_in_a_folder() {
        let text = "kind: A\napiVersion: v1\n...\nkind: B\napiVersion: v1\n...\n# end\n";
        let content = text.as_bytes().to_vec();
        let sources = Sources::new(vec![File {
            path: "a.yaml".into(),
            content,
        }]);
        let request = Request {
            resources_only: true,
            ..Request::default()
        };
        let answer = sources.generate(&request).unwrap();
        let Content::Edited(edits) = &answer.sources[0] else {
            panic!("nothing was edited");
        };
        let expected = "kind: A\napiVersion: v1\n...\n---\nkind: B\napiVersion: v1\n...\n# end\n";
        assert_eq!(splice(text.as_bytes(), edits).unwrap(), expected.as_bytes());
    }

    #[test]
    fn substitutions_come_in_the_order_of_places() {
        let text = "a: x # landfall: ${infra.v}\nb: ${infra.v}\nc: # landfall: ${infra.l}\n  - y\n";
        let outputs = r#"{
            "v": {"sensitive": false, "type": "string", "value": "v"},
            "l": {"sensitive": false, "type": ["list", "string"], "value": ["l"]}
        }"#;
        let sources = Sources::new(vec![File {
            path: "a.yaml".into(),
            content: text.into(),
        }]);
        let request = Request {
            outputs: vec![crate::outputs::OutputsDocument {
                name: "infra".into(),
                content: outputs.into(),
                ..crate::outputs::OutputsDocument::default()
            }],
            detail: Detail::Substitutions,
            ..Request::default()
        };
        let report = sources.generate(&request).unwrap().substitutions.unwrap();
        let starts: Vec<usize> = report.substitutions.iter().map(|one| one.start).collect();
        assert_eq!(starts.len(), 3);
        assert!(starts.is_sorted(), "{starts:?}");
    }

    #[test]
    fn a_secret_between_definitions_is_looked_at() {
        let definition = "apiVersion: apiextensions.k8s.io/v1\nkind: CustomResourceDefinition\nmetadata: {name: widgets.example.com}\n";
        // `${infra.v}`
        let secret =
            "apiVersion: v1\nkind: Secret\nmetadata: {name: x}\ndata: {x: JHtpbmZyYS52fQ==}\n";
        let text = format!("{definition}---\n{secret}---\n{definition}");
        let outputs = r#"{"v": {"sensitive": false, "type": "string", "value": "v"}}"#;
        let sources = Sources::new(vec![File {
            path: "a.yaml".into(),
            content: text.clone().into(),
        }]);
        let errors = sources
            .generate(&Request {
                outputs: vec![crate::outputs::OutputsDocument {
                    name: "infra".into(),
                    content: outputs.into(),
                    ..crate::outputs::OutputsDocument::default()
                }],
                ..Request::default()
            })
            .unwrap_err();
        let found: Vec<_> = errors
            .iter()
            .map(|error| (error.rule, &text[error.labels[0].span.range()]))
            .collect();
        assert_eq!(found, [(Rule::EncodedReference, "x")]);
    }

    /// Renders one manifest with a Binding whose field bindings give a text two parts.
    fn two_parts(
        manifest: &str,
        [first, second]: [&str; 2],
        path: &str,
    ) -> Result<Answer, Diagnostics> {
        let outputs = r#"{
            "a": {"sensitive": false, "type": "string", "value": "a"},
            "price": {"sensitive": false, "type": "string", "value": "5$"}
        }"#;
        let target = |value: &str, index: usize, more: &str| {
            format!(
                "  - value: ${{{value}}}\n    targets: [{{select: {{name: x}}, fieldPaths: [{path}], options: {{delimiter: /, index: {index}{more}}}}}]\n"
            )
        };
        let binding = format!(
            "apiVersion: landfall.dev/v1alpha1\nkind: Binding\nspec:\n  substitutions:\n{}{}",
            target(first, 0, ", encoding: base64"),
            target(second, 1, "")
        );
        let sources = Sources::new(vec![File {
            path: "a.yaml".into(),
            content: manifest.into(),
        }]);
        sources.generate(&Request {
            outputs: vec![crate::outputs::OutputsDocument {
                name: "infra".into(),
                content: outputs.into(),
                ..crate::outputs::OutputsDocument::default()
            }],
            binding: Some(crate::config::Config {
                path: "landfall.yaml".into(),
                content: binding.into(),
            }),
            detail: Detail::Substitutions,
            ..Request::default()
        })
    }

    #[test]
    fn the_report_tells_of_doubled_dollars_in_every_part_of_a_text() {
        let pod =
            "apiVersion: v1\nkind: Pod\nmetadata: {name: x}\nspec: {containers: [{args: [a/b]}]}\n";
        let answer = two_parts(pod, ["infra.a", "infra.price"], "spec.containers.0.args.0");
        let report = answer.unwrap().substitutions.unwrap();
        let told: Vec<_> = report
            .substitutions
            .iter()
            .map(|one| (one.output.as_str(), one.dollars_doubled))
            .collect();
        assert_eq!(told, [("infra.a", false), ("infra.price", true)]);
    }

    #[test]
    fn every_part_of_a_secrets_data_must_say_that_it_is_base64() {
        let secret = "apiVersion: v1\nkind: Secret\nmetadata: {name: x}\ndata: {x: YWE/YWEh}\n";
        let errors = two_parts(secret, ["infra.a", "infra.price"], "data.x").unwrap_err();
        let told: Vec<&str> = errors.iter().map(|error| error.message.as_str()).collect();
        assert_eq!(
            told,
            ["the `data` of a Secret holds base64, and `infra.price` is not said to be"]
        );
    }
}
