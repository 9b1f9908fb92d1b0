//! Source manifests: parsed once, rendered many times.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use crate::analysis::source::{Analysis, Finding, SourceAnalyser, SourceScope, Summary};
use crate::analysis::targets::{FieldBindings, Listed};
use crate::bind::source::{SourceBinder, Values};
use crate::bind::unused;
use crate::collections::OrderedMap;
use crate::config::{Ceiling, Config, EffectiveConfig, KnownName, binding};
use crate::contract::{Announcement, Answer, Content, Detail, File, Request};
use crate::functions::{Evaluation, sensitive_failure};
use crate::kubernetes::{CustomKinds, DefinedKinds};
use crate::outputs::{Bindings, named_as_manifest};
use crate::reference::{Heads, locate, mask_references};
use crate::report::{API_VERSION, Diagnostic, Diagnostics, Origin, Rule, SubstitutionsReport};
use yaml::{Document, Edit, Kind, Span, masked, split};

/// What all edits together may write when a request sets no limit: 256 MiB.
const ANSWER_LIMIT: u64 = 256 << 20;

/// How many bytes of analyses the first render of a source keeps: those of an application.
/// Most sources are rendered once, and an analysis takes several times the bytes of its
/// source. From the second render on, all of it is kept.
const KEPT_BY_FIRST: usize = 1 << 20;

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
    /// What the last render knew of the source, for the next one.
    kept: Mutex<Option<Kept>>,
}

/// Everything that an analysis depends on beside the files.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Dependencies {
    names: Vec<String>,
    /// Names the dialect, too.
    binding: Option<Config>,
    policy: Option<Config>,
    ceiling: Ceiling,
    known_names: Vec<KnownName>,
    resources_only: bool,
    keep_references: bool,
}

impl Dependencies {
    fn of(request: &Request, bindings: &Bindings) -> Self {
        Self {
            names: bindings.names().map(str::to_owned).collect(),
            binding: request.binding.clone(),
            policy: request.policy.clone(),
            ceiling: request.ceiling.clone(),
            known_names: request.known_names.clone(),
            resources_only: request.resources_only,
            keep_references: request.keep_references,
        }
    }
}

/// What one render leaves for the next.
#[derive(Clone)]
struct Kept {
    dependencies: Dependencies,
    prepared: Arc<Prepared>,
    /// None: it has not been kept, because it was too large for a first render.
    analysis: Option<Arc<Analysis>>,
    kinds: DefinedKinds,
    is_first: bool,
}

/// The configuration of renders with the same dependencies.
struct Prepared {
    config: EffectiveConfig,
    scope: SourceScope,
    /// What is wrong with the configuration documents.
    config_errors: Diagnostics,
    /// What is wrong with the configuration for the names that are bound.
    scope_errors: Diagnostics,
    /// Outputs documents that are named as manifests.
    outputs: Vec<Diagnostic>,
}

/// The text of a file. Err: the first byte that is not UTF-8.
type FileText<'s> = Result<&'s str, usize>;

impl std::fmt::Debug for Sources {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Sources")
            .field("files", &self.files.len())
            .finish_non_exhaustive()
    }
}

impl Sources {
    /// Takes the files as they are.
    #[must_use]
    pub const fn new(files: Vec<File>) -> Self {
        Self {
            files,
            kept: Mutex::new(None),
        }
    }

    pub(crate) fn texts(&self) -> impl Iterator<Item = FileText<'_>> {
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
        let (mut bindings, mut diagnostics) = Bindings::read(&request.outputs);
        let answer_limit = request.answer_limit.unwrap_or(ANSWER_LIMIT);
        bindings.limit_work(answer_limit);
        let kept = self.kept(request, &bindings, &texts);
        let Prepared {
            config,
            scope,
            config_errors,
            scope_errors,
            outputs,
        } = &*kept.prepared;
        diagnostics.append(config_errors.clone());
        diagnostics.append(config.violations(&bindings));
        diagnostics.append(scope_errors.clone());
        diagnostics.extend(outputs.iter().cloned());
        if !outputs.is_empty() || has(&diagnostics, Rule::ContractViolation) {
            // What follows from it would only hide it.
            return Err(diagnostics);
        }
        if texts.is_empty() && config.needs_resources() {
            diagnostics.push(no_manifests("no manifests to render"));
        }
        let valid = texts.iter().filter_map(|text| text.ok());
        let values = Values {
            bindings: &bindings,
            policy: &config.policy,
            evaluation,
            wants_substitutions: request.detail == Detail::Substitutions,
        };
        let custom = CustomKinds::new(valid.collect(), kept.kinds.clone());
        let mut binder = SourceBinder::new(scope, values, custom, answer_limit);
        binder.diagnostics = diagnostics;
        let (sources, analysis) = match &kept.analysis {
            Some(analysis) => (bind_kept(analysis, &mut binder), Arc::clone(analysis)),
            None => {
                let limit = match kept.is_first {
                    true => KEPT_BY_FIRST,
                    false => usize::MAX,
                };
                let (sources, analysis) = bind_texts(&texts, scope, &mut binder, limit);
                (sources, Arc::new(analysis))
            }
        };
        detached_aliases(&texts, &scope.heads, &mut binder);
        let Summary {
            unbound,
            resources,
            too_many_steps,
        } = &analysis.summary;
        let mut diagnostics = std::mem::take(&mut binder.diagnostics);
        // Without its Binding, the bound names are unknown.
        if !has(&diagnostics, Rule::InvalidBinding) {
            diagnostics.extend(unbound.iter().cloned());
        }
        if request.resources_only
            && *resources == 0
            && config.needs_resources()
            && !diagnostics.has_errors()
        {
            diagnostics.push(no_manifests("the manifests contain no resources"));
        }
        if !request.keep_references {
            diagnostics.append(binder.unmatched(*too_many_steps));
            let unused = unused::unused(
                &bindings,
                config.policy.choices.unused.value,
                &config.contract,
                &diagnostics,
            );
            diagnostics.extend(unused);
        }
        let wanted = request.detail == Detail::Substitutions;
        let substitutions = std::mem::take(&mut binder.substitutions);
        self.keep(&kept, analysis, binder.into_kinds().into_defined());
        if diagnostics.has_errors() {
            return Err(diagnostics);
        }
        let substitutions = wanted.then(|| SubstitutionsReport {
            api_version: API_VERSION,
            unused: bindings.unused(),
            substitutions,
        });
        Ok(Answer {
            sources,
            generated: Vec::new(),
            diagnostics,
            substitutions,
        })
    }

    fn lock(&self) -> MutexGuard<'_, Option<Kept>> {
        self.kept.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns what is known of the source for this request: from the last render, where
    /// that depended on the same.
    fn kept(&self, request: &Request, bindings: &Bindings, texts: &[FileText<'_>]) -> Kept {
        let dependencies = Dependencies::of(request, bindings);
        let kept = self.lock().clone();
        if let Some(kept) = kept.filter(|kept| kept.dependencies == dependencies) {
            return kept;
        }
        Kept {
            prepared: Arc::new(Prepared::of(request, bindings, texts)),
            dependencies,
            analysis: None,
            kinds: DefinedKinds::default(),
            is_first: true,
        }
    }

    /// Keeps what this render knows for the next one.
    fn keep(&self, used: &Kept, analysis: Arc<Analysis>, kinds: DefinedKinds) {
        *self.lock() = Some(Kept {
            dependencies: used.dependencies.clone(),
            prepared: Arc::clone(&used.prepared),
            analysis: Some(analysis).filter(|analysis| analysis.is_whole),
            kinds,
            is_first: false,
        });
    }
}

impl Prepared {
    fn of(request: &Request, bindings: &Bindings, texts: &[FileText<'_>]) -> Self {
        let binding = request.binding.as_ref();
        let (mut config, config_errors) = EffectiveConfig::new(
            binding.map(|binding| binding::read(binding, Origin::Binding)),
            request.policy.as_ref(),
            &request.ceiling,
        );
        let heads = Heads::of(config.dialect, bindings.names());
        let mut scope_errors = Diagnostics::default();
        let field_bindings = FieldBindings::new(
            std::mem::take(&mut config.substitutions),
            &heads,
            Origin::Binding,
            &mut scope_errors,
        );
        let names = config.names(&request.known_names, &heads, &mut scope_errors);
        let texts = texts.iter().enumerate();
        let texts = texts.filter_map(|(file, text)| Some((file, text.ok()?)));
        let has_references = |text: &str| heads.any(text);
        let outputs = texts
            .filter_map(|(file, text)| {
                let origin = Origin::Manifest(file);
                named_as_manifest(text, &has_references, request.resources_only, origin)
            })
            .collect();
        let scope = SourceScope {
            field_bindings,
            listed: Listed::new(std::mem::take(&mut config.embedded)),
            names,
            unbound: config.policy.choices.unbound.value,
            resources_only: request.resources_only,
            keep_references: request.keep_references,
            heads,
        };
        Self {
            config,
            scope,
            config_errors,
            scope_errors,
            outputs,
        }
    }
}

/// Binds an analysis that an earlier render has kept.
fn bind_kept(analysis: &Analysis, binder: &mut SourceBinder<'_>) -> Vec<Content> {
    let files = analysis.files.iter().enumerate();
    let contents = files.map(|(position, findings)| {
        let mut edits = Vec::new();
        for finding in findings {
            binder.bind(position, finding, &mut edits);
        }
        content(edits)
    });
    contents.collect()
}

/// Analyses and binds document after document, so that a large source is never in memory
/// as analyses. Those that weigh less than `limit` together are kept.
fn bind_texts(
    texts: &[FileText<'_>],
    scope: &SourceScope,
    binder: &mut SourceBinder<'_>,
    limit: usize,
) -> (Vec<Content>, Analysis) {
    let mut analyser = SourceAnalyser::new(scope);
    let mut files: Vec<Vec<Finding<'static>>> = Vec::with_capacity(texts.len());
    let mut left = Some(limit);
    let mut contents = Vec::with_capacity(texts.len());
    for (position, text) in texts.iter().enumerate() {
        let mut edits = Vec::new();
        let mut findings = Vec::new();
        let mut take = |finding: Finding<'_>| {
            binder.bind(position, &finding, &mut edits);
            left = left.and_then(|left| left.checked_sub(finding.weight()));
            match left {
                Some(_) => findings.push(finding.into_owned()),
                None => findings = Vec::new(),
            }
        };
        match text {
            Ok(text) => analyser.file(position, text, take),
            Err(at) => take(Finding::Diagnostic(not_utf8(position, *at))),
        }
        if left.is_none() {
            files = Vec::new();
        }
        files.push(findings);
        contents.push(content(edits));
    }
    let analysis = Analysis {
        files,
        summary: analyser.finish(),
        is_whole: left.is_some(),
    };
    (contents, analysis)
}

fn content(edits: Vec<Edit>) -> Content {
    match edits.is_empty() {
        true => Content::Unchanged,
        false => Content::Edited(edits),
    }
}

fn not_utf8(position: usize, at: usize) -> Diagnostic {
    Diagnostic::error(Rule::NotUtf8, "the manifest is not UTF-8")
        .at_concealed(
            Origin::Manifest(position),
            Span::point(at),
            "this byte is not UTF-8",
        )
        .help("save the file as UTF-8, the only encoding that Kubernetes reads")
}

/// Reports the first alias without an anchor in its document, where another document has a
/// sensitive value in what an anchor names: go-yaml v3 keeps anchors from one document of
/// a stream to the next.
fn detached_aliases(texts: &[FileText<'_>], heads: &Heads, binder: &mut SourceBinder<'_>) {
    let Some((file, anchored)) = binder.anchored else {
        return;
    };
    let alias = texts.iter().enumerate().find_map(|(file, text)| {
        let documents = split(text.ok()?);
        let mut aliases = documents
            .iter()
            .filter_map(|one| detached_alias(*one, heads));
        Some((file, aliases.next()?))
    });
    let Some((alias_in, alias)) = alias else {
        return;
    };
    binder.diagnostics.push(
        Diagnostic::error(
            Rule::AmbiguousResource,
            "YAML readers may resolve this alias to a sensitive value in another document",
        )
        .at(
            Origin::Manifest(alias_in),
            alias,
            "this document has no such anchor",
        )
        .at(
            Origin::Manifest(file),
            anchored,
            "the sensitive value, inside an anchored node",
        )
        .help("remove the alias, or the anchor around the sensitive value"),
    );
}

fn detached_alias(document: Document<'_>, heads: &Heads) -> Option<Span> {
    memchr::memchr(b'*', document.text.as_bytes())?;
    let masks = mask_references(document.text, heads, &OrderedMap::new());
    let scratch = masked(document.text, masks.iter().map(|mask| &mask.range));
    let tree = locate(scratch).ok()?;
    let mut nodes = tree.nodes().map(|(_, node)| node);
    let alias = nodes.find(|node| node.kind() == Kind::Alias(None))?;
    Some(Span::from(alias.range()).shifted(document.offset))
}

fn has(diagnostics: &[Diagnostic], rule: Rule) -> bool {
    diagnostics.iter().any(|diagnostic| diagnostic.rule == rule)
}

fn no_manifests(message: &str) -> Diagnostic {
    Diagnostic::error(Rule::NoManifests, message)
        .help("an empty result would make Argo CD prune the application; manifests are *.yaml, *.yml and *.json files with Kubernetes resources")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::splice;

    /// A host may share the sources between its threads.
    #[test]
    fn sources_are_send_and_sync() {
        fn check<T: Send + Sync>() {}
        check::<Sources>();
        check::<Analysis>();
    }

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
            binding: Some(Config {
                path: "landfall.yaml".into(),
                content: binding.into(),
            }),
            detail: Detail::Substitutions,
            ..Request::default()
        })
    }

    #[test]
    fn reports_doubled_dollars_in_every_part_of_a_text() {
        let pod =
            "apiVersion: v1\nkind: Pod\nmetadata: {name: x}\nspec: {containers: [{args: [a/b]}]}\n";
        let answer = two_parts(pod, ["infra.a", "infra.price"], "spec.containers.0.args.0");
        let report = answer.unwrap().substitutions.unwrap();
        let reported: Vec<_> = report
            .substitutions
            .iter()
            .map(|one| (one.output.as_str(), one.dollars_doubled))
            .collect();
        assert_eq!(reported, [("infra.a", false), ("infra.price", true)]);
    }

    #[test]
    fn every_part_of_a_secrets_data_must_say_that_it_is_base64() {
        let secret = "apiVersion: v1\nkind: Secret\nmetadata: {name: x}\ndata: {x: YWE/YWEh}\n";
        let errors = two_parts(secret, ["infra.a", "infra.price"], "data.x").unwrap_err();
        let reported: Vec<&str> = errors.iter().map(|error| error.message.as_str()).collect();
        assert_eq!(
            reported,
            ["`data` of a Secret must be base64, but `infra.price` is not marked as base64"]
        );
    }
}
