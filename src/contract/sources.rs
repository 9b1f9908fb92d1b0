//! Source manifests: parsed once, rendered many times.

mod part;

pub use part::{RenderedPart, report_unused};

use std::borrow::Cow;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use crate::analysis::emitted::{self, Emitted};
use crate::analysis::source::{
    Analysis, FileAnalysis, FileSummary, Finding, SourceAnalyser, SourceScope, Summary,
};
use crate::analysis::targets::{FieldBindings, Listed, Steps};
use crate::bind::near_miss::{NearMissContext, near_misses};
use crate::bind::source::{SourceBinder, Values};
use crate::bind::{detached_alias, overridden, unused};
use crate::collections::OrderedSet;
use crate::config::outputs_contract::Contract;
use crate::config::{EffectiveConfig, KnownName, written_values};
use crate::contract::{
    Answer, Application, Content, DEFAULT_ANSWER_LIMIT, Detail, File, Request, values,
};
use crate::functions::{Evaluation, StandIn, sensitive_failure};
use crate::kubernetes::types::{PatchFiles, is_kustomization, may_name_patches};
use crate::kubernetes::{CustomKinds, DefinedKinds, may_define_kinds};
use crate::outputs::{Bindings, bound_names, named_as_manifest};
use crate::reference::{Dialect, Heads};
use crate::report::{API_VERSION, Diagnostic, Diagnostics, Origin, Rule, SubstitutionsReport};
use yaml::{Edit, Span, splice};

/// How many bytes of analyses the first render of a source caches: those of an application.
/// Most sources are rendered once, and an analysis takes several times the bytes of its
/// source.
const MAX_CACHED_BY_FIRST: usize = 1 << 20;

/// How many bytes the second render caches: a quarter of the memory that an instance of the
/// module has by default. Sources with larger analyses are analysed in each render.
const MAX_CACHED: usize = 256 << 20;

/// The size in bytes of files that can be nothing but empty lists. Larger ones are not searched
/// for it, if they need not be manifests.
const MAX_EMPTY_LIST: usize = 64 << 10;

/// Source manifests: loaded once, rendered many times.
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
    pub(super) files: Vec<File>,
    /// What the last render knew about the source, for the next one.
    cache: Mutex<Option<RenderCache>>,
}

/// Everything that an analysis depends on besides the files.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Dependencies {
    names: Vec<String>,
    /// Also names the dialect.
    application: Application,
    known_names: Vec<KnownName>,
    resources_only: bool,
    keep_references: bool,
}

impl Dependencies {
    fn of(request: &Request, declared: &[Contract]) -> Self {
        let names = names_of(request, declared);
        Self {
            names: names.iter().copied().map(str::to_owned).collect(),
            application: request.application.clone(),
            known_names: request.known_names.clone(),
            resources_only: request.resources_only,
            keep_references: request.keep_references,
        }
    }
}

/// Returns the names that documents are bound to, or that a contract declares; sorted.
fn names_of<'r>(request: &'r Request, declared: &'r [Contract]) -> OrderedSet<&'r str> {
    let mut names = bound_names(&request.outputs);
    names.extend(declared.iter().flat_map(Contract::names));
    names
}

/// What one render caches for the next.
#[derive(Clone)]
struct RenderCache {
    dependencies: Dependencies,
    prepared: Arc<PreparedScope>,
    /// False: files have been replaced since.
    is_current: bool,
    /// `None` if there is none yet, or if it was too large to be cached.
    analysis: Option<Arc<Analysis>>,
    /// How many bytes of analyses the next render may cache, if there is none yet.
    limit: usize,
    kinds: DefinedKinds,
}

impl RenderCache {
    /// Drops what is known about a file, and unless it `is_apart`, about those that may depend
    /// on it.
    fn replaced(&mut self, position: usize, is_apart: bool) {
        self.is_current = false;
        if !is_apart {
            self.analysis = None;
            self.kinds = DefinedKinds::default();
        }
        if let Some(analysis) = &mut self.analysis {
            Arc::make_mut(analysis).replaced(position);
        }
    }

    /// Analyses what has been replaced.
    fn refreshed(self, prepared: PreparedScope, texts: &[FileText<'_>]) -> Self {
        let texts: Vec<&str> = texts.iter().map(|text| text.unwrap_or_default()).collect();
        let analysis = self.analysis.map(Arc::unwrap_or_clone);
        let refreshed =
            analysis.and_then(|analysis| analysis.refreshed(&texts, &prepared.scope, MAX_CACHED));
        Self {
            analysis: refreshed.map(Arc::new),
            prepared: Arc::new(prepared),
            is_current: true,
            ..self
        }
    }
}

/// What analyses with the same dependencies depend on.
struct PreparedScope {
    scope: Arc<SourceScope>,
    /// Problems with the configuration that depend on the bound names.
    scope_errors: Diagnostics,
    /// Errors about outputs documents that are passed as manifests.
    outputs_as_manifests: Vec<Diagnostic>,
}

/// A file that is not UTF-8.
#[derive(Clone, Copy, Debug)]
pub(crate) struct NotUtf8 {
    /// The first byte that is not.
    at: usize,
    /// It begins as a file in UTF-16 does.
    is_utf16: bool,
}

pub(super) type FileText<'s> = Result<&'s str, NotUtf8>;

impl std::fmt::Debug for Sources {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Sources")
            .field("files", &self.files.len())
            .finish_non_exhaustive()
    }
}

impl Sources {
    /// Creates the sources from unmodified files.
    #[must_use]
    pub const fn new(files: Vec<File>) -> Self {
        Self {
            files,
            cache: Mutex::new(None),
        }
    }

    /// Returns the files.
    #[must_use]
    pub fn files(&self) -> &[File] {
        &self.files
    }

    /// Replaces the content of the file at a position, as an editor does. The next render
    /// analyses this file alone, unless others depend on it: it may define kinds, or name the
    /// targets of patches. Returns false if there is no such file.
    pub fn replace(&mut self, position: usize, content: Vec<u8>) -> bool {
        let Some(file) = self.files.get_mut(position) else {
            return false;
        };
        let old = std::mem::replace(&mut file.content, content);
        let is_apart = [&old, &file.content].into_iter().all(|content| {
            let text = simdutf8::basic::from_utf8(content);
            text.is_ok_and(|text| !may_define_kinds(text) && !may_name_patches(&file.path, text))
        });
        let cache = self.cache.get_mut().unwrap_or_else(PoisonError::into_inner);
        if let Some(cached) = cache {
            cached.replaced(position, is_apart);
        }
        true
    }

    /// Returns the position of standard input, on which `kustomize build` often writes.
    pub(super) fn piped(&self) -> Option<usize> {
        self.files.iter().position(|file| file.path == "<stdin>")
    }

    pub(crate) fn texts(&self) -> impl Iterator<Item = FileText<'_>> {
        self.files.iter().map(|file| {
            simdutf8::compat::from_utf8(&file.content).map_err(|error| NotUtf8 {
                at: error.valid_up_to(),
                is_utf16: file.content.starts_with(b"\xff\xfe")
                    || file.content.starts_with(b"\xfe\xff"),
            })
        })
    }

    /// Returns what analyses for a request depend on.
    pub(super) fn scope_of(request: &Request) -> Arc<SourceScope> {
        PreparedScope::of(request, &[], &[], &[]).scope
    }

    /// Returns what analyses of these files for a request depend on.
    pub(crate) fn scope_for(&self, request: &Request) -> Arc<SourceScope> {
        let texts: Vec<FileText<'_>> = self.texts().collect();
        PreparedScope::of(request, &[], &self.files, &texts).scope
    }

    /// Renders all files.
    ///
    /// # Errors
    /// All diagnostics, including at least one error; nothing is rendered then.
    pub fn generate(&self, request: &Request) -> Result<Answer, Diagnostics> {
        self.generate_with(request, &[])
    }

    /// Renders files from which a tool builds the manifests, such as the values of a chart:
    /// the manifests are rendered too, so what is missing from these files alone — resources,
    /// targets of field bindings, uses of outputs — is not reported. The answer has a
    /// substitutions report.
    ///
    /// # Errors
    /// As of [`Self::generate`]. Also for a sensitive output, which a template could write
    /// anywhere; for `{{` from a value, because charts execute values as Go templates; and for
    /// references and escapes that are left, because they would be rendered in the manifests.
    pub fn generate_values(&self, request: &Request) -> Result<Answer, Diagnostics> {
        let request = &Request {
            detail: Detail::Substitutions,
            ..request.clone()
        };
        let answer = self.render_without_reasons(request, &[], Completeness::Part);
        let mut answer = answer.map_err(values::with_help)?;
        values::check(&self.files, &answer, request)?;
        let rendered = Self::new(values::rendered(&self.files, &answer));
        // The render of the manifests reports errors.
        let again = rendered.render_without_reasons(request, &[], Completeness::Part);
        if let Ok(again) = again
            && let Some(changed) = values::check_again(&rendered.files, &again, &answer)
        {
            return Err(changed.into());
        }
        let warnings = values::warnings(&answer);
        answer.diagnostics.extend(warnings);
        Ok(answer)
    }

    /// As [`Self::generate`]; the outputs of the contracts are declared without values. What
    /// refers to them is not rendered, so the answer is only good for its diagnostics.
    pub(crate) fn generate_with(
        &self,
        request: &Request,
        declared: &[Contract],
    ) -> Result<Answer, Diagnostics> {
        self.render_without_reasons(request, declared, Completeness::Whole)
    }

    /// As [`Self::generate`], with placeholders for sensitive outputs, which are allowed
    /// anywhere: neither the answer nor the diagnostics depend on a secret.
    pub(super) fn generate_without_secrets(
        &self,
        request: &Request,
    ) -> Result<Answer, Diagnostics> {
        let values = (Evaluation::All, Secrets::Placeholders);
        self.render(request, &[], values, Completeness::Whole)
    }

    /// Renders files from which another tool builds the manifests, with a text instead of each
    /// sensitive value: the answer does not depend on one.
    ///
    /// # Errors
    /// As of [`Self::generate`], and for a sensitive value in a field that takes no text.
    pub fn generate_stand_ins(
        &self,
        request: &Request,
        stand_in: StandIn,
    ) -> Result<Answer, Diagnostics> {
        let values = (Evaluation::StandIns(stand_in), Secrets::Real);
        self.render(request, &[], values, Completeness::Part)
    }

    /// Renders all files. Under a ceiling, errors do not depend on sensitive values.
    fn render_without_reasons(
        &self,
        request: &Request,
        declared: &[Contract],
        completeness: Completeness,
    ) -> Result<Answer, Diagnostics> {
        let secrets = Secrets::Real;
        let render =
            |evaluation| self.render(request, declared, (evaluation, secrets), completeness);
        match render(Evaluation::All) {
            Err(_) if request.configuration().ceiling.is_set() => {
                Err(match render(Evaluation::Public) {
                    Err(errors) => errors,
                    Ok(answer) => sensitive_failure::hide_render_reason(answer.diagnostics),
                })
            }
            all => all,
        }
    }

    fn render(
        &self,
        request: &Request,
        declared: &[Contract],
        values: (Evaluation, Secrets),
        completeness: Completeness,
    ) -> Result<Answer, Diagnostics> {
        let mut rendered = self.render_unconcealed(request, declared, values, completeness);
        let found = match &mut rendered {
            Ok(answer) => &mut answer.diagnostics,
            Err(found) => found,
        };
        let binding = request.configuration().binding.as_ref();
        written_values::conceal_in(binding, Origin::Binding, found);
        rendered
    }

    fn render_unconcealed(
        &self,
        request: &Request,
        declared: &[Contract],
        (evaluation, secrets): (Evaluation, Secrets),
        completeness: Completeness,
    ) -> Result<Answer, Diagnostics> {
        let texts: Vec<FileText<'_>> = self.texts().collect();
        let cache = self.cached_or_new(request, declared, &texts);
        let scope = &cache.prepared.scope;
        let (config, _) = request.application.effective();
        let (mut bindings, diagnostics) = Bindings::read(&request.outputs, &config.declarations);
        for (nth, contract) in declared.iter().enumerate() {
            let outputs = contract.declared(request.outputs.len() + nth);
            outputs.for_each(|outputs| bindings.declare(outputs, &config.declarations));
        }
        let answer_limit = request.answer_limit.unwrap_or(DEFAULT_ANSWER_LIMIT);
        bindings.limit_work(answer_limit);
        let mut diagnostics =
            (cache.prepared).check(&request.application, &bindings, diagnostics)?;
        if secrets == Secrets::Placeholders {
            bindings.replace_secrets();
        }
        if texts.is_empty() && completeness == Completeness::Whole && config.needs_resources() {
            diagnostics.push(no_manifests("no manifests to render"));
        }
        let wants_substitutions = request.detail == Detail::Substitutions;
        let values = Values {
            bindings: &bindings,
            policy: &config.policy,
            evaluation,
            wants_substitutions,
            piped: self.piped(),
        };
        let all = texts.iter().map(|text| text.unwrap_or_default());
        let custom =
            CustomKinds::new(all.collect(), cache.kinds.clone()).patching(&scope.patch_files);
        let mut binder = SourceBinder::new(scope, values, custom, answer_limit);
        binder.diagnostics = diagnostics;
        let (sources, analysis) = match &cache.analysis {
            Some(analysis) => (bind_cached(analysis, &mut binder), Arc::clone(analysis)),
            None => {
                let (sources, analysis) = bind_texts(&texts, scope, &mut binder, cache.limit);
                (sources, Arc::new(analysis))
            }
        };
        if let Some(anchored) = binder.anchored {
            let found = detached_alias(valid_texts(&texts), &scope.heads, anchored);
            binder.diagnostics.extend(found);
        }
        // Without its Binding, the bound names are unknown.
        if !has(&binder.diagnostics, Rule::InvalidBinding) {
            let unbound = analysis.summary.unbound.iter().cloned();
            binder.diagnostics.extend(unbound);
            let has_unbound = analysis.summary.has_unbound;
            binder.diagnostics.note_unbound_names(has_unbound);
            let found = near_misses_of(&texts, scope, &analysis.summary, &bindings);
            binder.diagnostics.extend(found);
        }
        if completeness == Completeness::Whole {
            report_missing(request, config, &bindings, &analysis.summary, &mut binder);
            if !request.keep_references {
                let valid: Vec<&str> = valid_texts(&texts).map(|(_, text)| text).collect();
                let severity = config.policy.choices.unbound.value.severity();
                binder
                    .diagnostics
                    .extend(scope.listed.absent(&valid, severity));
            }
            if config.needs_resources()
                && !binder.diagnostics.has_errors()
                && self.emits_nothing(request, &analysis.summary, &sources)
            {
                binder.diagnostics.push(without_resources());
            }
        }
        let diagnostics = std::mem::take(&mut binder.diagnostics);
        let substitutions = std::mem::take(&mut binder.substitutions);
        self.store(&cache, analysis, binder.into_kinds().into_defined());
        if diagnostics.has_errors() {
            return Err(diagnostics);
        }
        let substitutions = wants_substitutions.then(|| SubstitutionsReport {
            api_version: API_VERSION,
            unused: bindings.unused(),
            substitutions,
        });
        Ok(Answer {
            sources,
            diagnostics,
            substitutions,
        })
    }

    /// Returns whether the rendered files emit no resource. Files that need not be manifests
    /// are only known to emit none if they are empty lists.
    fn emits_nothing(&self, request: &Request, summary: &Summary, rendered: &[Content]) -> bool {
        let size: usize = self.files.iter().map(|file| file.content.len()).sum();
        let is_decided = if request.resources_only {
            summary.has_resources
        } else {
            size > MAX_EMPTY_LIST
        };
        if is_decided {
            return false;
        }
        let files = std::iter::zip(&self.files, rendered);
        let mut emitted = files.filter_map(|(file, content)| {
            let content = match content {
                Content::Unchanged => Cow::Borrowed(&*file.content),
                Content::Edited(edits) => Cow::Owned(splice(&file.content, edits).ok()?),
            };
            // What is not UTF-8 has been reported, or is left as it is.
            Some(std::str::from_utf8(&content).map_or(Emitted::Something, emitted::of_text))
        });
        let mut has_list = false;
        let emits = emitted.any(|emitted| {
            has_list |= emitted == Emitted::EmptyList;
            emitted == Emitted::Something
        });
        !emits && (request.resources_only || has_list)
    }

    fn lock(&self) -> MutexGuard<'_, Option<RenderCache>> {
        self.cache.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns what is known about the source for this request: from the last render, if
    /// its dependencies were the same.
    fn cached_or_new(
        &self,
        request: &Request,
        declared: &[Contract],
        texts: &[FileText<'_>],
    ) -> RenderCache {
        let dependencies = Dependencies::of(request, declared);
        let new_scope = || PreparedScope::of(request, declared, &self.files, texts);
        let cached = self.lock().clone();
        if let Some(cached) = cached.filter(|cached| cached.dependencies == dependencies) {
            if cached.is_current {
                return cached;
            }
            // What is kept of an analysis depends on no file that was replaced.
            let prepared = match &cached.analysis {
                Some(_) => cached.prepared.with_texts(texts),
                None => new_scope(),
            };
            return cached.refreshed(prepared, texts);
        }
        RenderCache {
            prepared: Arc::new(new_scope()),
            is_current: true,
            dependencies,
            analysis: None,
            limit: MAX_CACHED_BY_FIRST,
            kinds: DefinedKinds::default(),
        }
    }

    /// Stores what this render knows for the next one.
    fn store(&self, used: &RenderCache, analysis: Arc<Analysis>, kinds: DefinedKinds) {
        *self.lock() = Some(RenderCache {
            dependencies: used.dependencies.clone(),
            prepared: Arc::clone(&used.prepared),
            is_current: true,
            limit: match (used.limit, analysis.weight) {
                (MAX_CACHED_BY_FIRST, _) => MAX_CACHED,
                (limit, Some(_)) => limit,
                // The analysis is always as large, so none of it has to be copied again.
                (_, None) => 0,
            },
            analysis: Some(analysis).filter(|analysis| analysis.weight.is_some()),
            kinds,
        });
    }
}

/// The values of sensitive outputs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Secrets {
    Real,
    /// Others of the same types.
    Placeholders,
}

/// Whether the files of a render are all manifests of an application.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Completeness {
    Whole,
    /// A tool builds manifests from them.
    Part,
}

/// Reports what no file has: fields for the targets of field bindings, and uses of outputs.
fn report_missing(
    request: &Request,
    config: &EffectiveConfig,
    bindings: &Bindings,
    summary: &Summary,
    binder: &mut SourceBinder<'_>,
) {
    if !request.keep_references {
        let unmatched = binder.unmatched(summary.too_many_steps());
        binder.diagnostics.append(unmatched);
        let unused = unused::unused(
            bindings,
            config.policy.choices.unused.value,
            &config.contract,
            &binder.diagnostics,
        );
        binder.diagnostics.extend(unused);
    }
}

/// Reports text that names an output but is not a reference.
fn near_misses_of(
    texts: &[FileText<'_>],
    scope: &SourceScope,
    summary: &Summary,
    bindings: &Bindings,
) -> Vec<Diagnostic> {
    if summary.near_misses.is_empty() {
        return Vec::new();
    }
    let listed_steps = Steps::default();
    let context = NearMissContext {
        unbound: scope.unbound_context(&listed_steps),
        bindings,
    };
    let texts: Vec<_> = valid_texts(texts).collect();
    near_misses(&texts, &summary.near_misses, context)
}

/// Returns a warning if only setter comments are updated, and the dialect has none.
fn no_setters(dialect: &dyn Dialect) -> Option<Diagnostic> {
    let notation = dialect.notation();
    let message = format!(
        "only setter comments are updated, and the dialect `{}` has none: nothing changes",
        notation.id
    );
    let warning = Diagnostic::warning(Rule::InvalidSetter, message)
        .help("write the result to another place, or replace the references in the files, too");
    notation.setter.is_none().then_some(warning)
}

/// Returns the texts that are UTF-8, with the positions of their files.
fn valid_texts<'t>(texts: &'t [FileText<'_>]) -> impl Iterator<Item = (usize, &'t str)> {
    let texts = texts.iter().enumerate();
    texts.filter_map(|(file, text)| Some((file, text.ok()?)))
}

impl PreparedScope {
    /// `texts` are those of the `files`.
    fn of(
        request: &Request,
        declared: &[Contract],
        files: &[File],
        texts: &[FileText<'_>],
    ) -> Self {
        let (config, _) = request.application.effective();
        let mut names = names_of(request, declared);
        let absent = config.declarations.absent(&request.outputs);
        let absent: Vec<String> = absent.map(str::to_owned).collect();
        names.extend(absent.iter().map(String::as_str));
        let heads = Heads::in_dialect(config.dialect, names.iter().copied());
        let mut scope_errors = Diagnostics::default();
        let field_bindings = FieldBindings::new(
            config.substitutions.clone(),
            &heads,
            Origin::Binding,
            &mut scope_errors,
        );
        let names = config.names(&request.known_names, &heads, &mut scope_errors);
        field_bindings.report_unbound(&heads, &names, Origin::Binding, &mut scope_errors);
        let paths = files.iter().map(|file| file.path.as_str());
        let named = paths.zip(texts).enumerate();
        let named = named.filter_map(|(nth, (path, text))| Some((nth, path, text.ok()?)));
        let patch_files = PatchFiles::find(&named.collect::<Vec<_>>(), &heads);
        let scope = SourceScope {
            field_bindings,
            listed: Listed::new(config.embedded.clone()),
            names,
            unbound: config.policy.choices.unbound.value,
            resources_only: request.resources_only,
            keep_references: request.keep_references,
            kustomizations: files
                .iter()
                .enumerate()
                .filter(|(_, file)| is_kustomization(&file.path))
                .map(|(nth, _)| nth)
                .collect(),
            patch_files,
            heads,
        };
        Self {
            outputs_as_manifests: outputs_as_manifests(&scope, texts),
            scope: Arc::new(scope),
            scope_errors,
        }
    }

    /// Returns what is known of other texts, if the same files name the same patches.
    fn with_texts(&self, texts: &[FileText<'_>]) -> Self {
        Self {
            scope: Arc::clone(&self.scope),
            scope_errors: self.scope_errors.clone(),
            outputs_as_manifests: outputs_as_manifests(&self.scope, texts),
        }
    }

    /// Adds the problems that are known before anything is bound.
    ///
    /// # Errors
    /// Nothing is bound: all other errors would follow from these.
    fn check(
        &self,
        application: &Application,
        bindings: &Bindings,
        mut diagnostics: Diagnostics,
    ) -> Result<Diagnostics, Diagnostics> {
        let (config, config_errors) = application.effective();
        let policy = config.policy.choices.overridden.value;
        diagnostics.extend(overridden::overridden(bindings, policy));
        diagnostics.append(config_errors.clone());
        diagnostics.append(config.violations(bindings));
        diagnostics.append(self.scope_errors.clone());
        diagnostics.extend(self.outputs_as_manifests.iter().cloned());
        if self.scope.keep_references {
            diagnostics.extend(no_setters(config.dialect));
        }
        if config.declarations.is_unknown()
            || !self.outputs_as_manifests.is_empty()
            || has(&diagnostics, Rule::ContractViolation)
        {
            // Errors that follow from these would only hide them. Without its Binding, it
            // is also unknown which values are sensitive.
            return Err(diagnostics);
        }
        Ok(diagnostics)
    }
}

fn outputs_as_manifests(scope: &SourceScope, texts: &[FileText<'_>]) -> Vec<Diagnostic> {
    let has_references = |text: &str| scope.heads.any(text);
    let found = valid_texts(texts).filter_map(|(file, text)| {
        let origin = Origin::Manifest(file);
        named_as_manifest(text, &has_references, scope.resources_only, origin)
    });
    found.collect()
}

/// Binds an analysis that an earlier render cached.
fn bind_cached(analysis: &Analysis, binder: &mut SourceBinder<'_>) -> Vec<Content> {
    let files = analysis.files.iter().flatten().enumerate();
    let contents = files.map(|(position, file)| {
        let mut edits = Vec::new();
        for finding in &file.findings {
            binder.bind(position, finding, &mut edits);
        }
        content(edits)
    });
    contents.collect()
}

/// Analyses and binds document by document, so that the analyses of a large source are
/// never all in memory. They are cached only if they take at most `limit` bytes together.
fn bind_texts(
    texts: &[FileText<'_>],
    scope: &SourceScope,
    binder: &mut SourceBinder<'_>,
    limit: usize,
) -> (Vec<Content>, Analysis) {
    let mut analyser = SourceAnalyser::new(scope);
    let mut files: Vec<FileAnalysis> = Vec::with_capacity(texts.len());
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
        let summary = match text {
            Ok(text) => analyser.analyse_file(position, text, take),
            Err(error) => {
                take(Finding::Diagnostic(not_utf8(position, *error)));
                FileSummary::default()
            }
        };
        if left.is_none() {
            files.iter_mut().for_each(|file| file.findings = Vec::new());
        }
        files.push(FileAnalysis { findings, summary });
        contents.push(content(edits));
    }
    let analysis = Analysis {
        summary: analyser.finish(files.iter().map(|file| &file.summary)),
        files: files.into_iter().map(|file| Some(Arc::new(file))).collect(),
        weight: left.map(|left| limit - left),
    };
    (contents, analysis)
}

fn content(edits: Vec<Edit>) -> Content {
    if edits.is_empty() {
        Content::Unchanged
    } else {
        Content::Edited(edits)
    }
}

/// Returns the error of the file at a position.
pub(crate) fn not_utf8(position: usize, NotUtf8 { at, is_utf16 }: NotUtf8) -> Diagnostic {
    let (message, help) = if is_utf16 {
        (
            "the manifest is UTF-16, not UTF-8",
            "save the file as UTF-8, the only encoding that Kubernetes reads: `iconv -f UTF-16 -t UTF-8`; Windows PowerShell's `>` writes UTF-16, `| Out-File -Encoding utf8` does not",
        )
    } else {
        (
            "the manifest is not UTF-8",
            "save the file as UTF-8, the only encoding that Kubernetes reads",
        )
    };
    Diagnostic::error(Rule::NotUtf8, message)
        .at_concealed(
            Origin::Manifest(position),
            Span::point(at),
            "this byte is not UTF-8",
        )
        .help(help)
}

fn has(diagnostics: &[Diagnostic], rule: Rule) -> bool {
    diagnostics.iter().any(|diagnostic| diagnostic.rule == rule)
}

/// The error for manifests without resources.
pub(super) fn without_resources() -> Diagnostic {
    no_manifests("the manifests contain no resources")
}

fn no_manifests(message: &str) -> Diagnostic {
    Diagnostic::error(Rule::NoManifests, message)
        .help("an empty result would make Argo CD prune the application; manifests are *.yaml, *.yml and *.json files with Kubernetes resources")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::Config;
    use crate::contract::Configuration;

    /// A host may share the sources between its threads.
    #[test]
    fn sources_are_send_and_sync() {
        fn check<T: Send + Sync>() {}
        check::<Sources>();
        check::<Analysis>();
    }

    #[test]
    fn adds_markers_between_documents_that_only_dots_separate() {
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
    fn an_analysis_is_cached_within_the_limit_of_each_render() {
        let document = "a: ${infra.a}\n---\n";
        let new = || {
            Sources::new(vec![File {
                path: "a.yaml".into(),
                content: document.repeat(2_000).into(),
            }])
        };
        let request = Request {
            outputs: vec![crate::outputs::OutputsDocument {
                name: "infra".into(),
                content: r#"{"a": {"sensitive": false, "type": "string", "value": "v"}}"#.into(),
                ..crate::outputs::OutputsDocument::default()
            }],
            ..Request::default()
        };
        let expected = new().generate(&request);
        // Renders once, and returns whether the analysis is cached then.
        let caches = |sources: &Sources| {
            assert_eq!(sources.generate(&request), expected);
            sources.lock().as_ref().unwrap().analysis.is_some()
        };
        let set_limit = |sources: &Sources, limit| {
            sources.lock().as_mut().unwrap().limit = limit;
        };

        let sources = new();
        assert!(!caches(&sources));
        assert_eq!(sources.lock().as_ref().unwrap().limit, 256 << 20);
        assert!(caches(&sources));

        let sources = new();
        assert!(!caches(&sources));
        set_limit(&sources, 1 << 10);
        assert!(!caches(&sources));
        assert_eq!(sources.lock().as_ref().unwrap().limit, 0);
        assert!(!caches(&sources));
    }

    #[test]
    fn reports_substitutions_in_source_order() {
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
    fn checks_a_secret_between_definitions() {
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

    /// Renders one manifest with a Binding whose field bindings set two parts of a text.
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
            application: Configuration {
                binding: Some(Config {
                    path: "landfall.yaml".into(),
                    content: binding.into(),
                }),
                ..Configuration::default()
            }
            .into(),
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
    fn rejects_parts_of_secret_data_not_marked_as_base64() {
        let secret = "apiVersion: v1\nkind: Secret\nmetadata: {name: x}\ndata: {x: YWE/YWEh}\n";
        let errors = two_parts(secret, ["infra.a", "infra.price"], "data.x").unwrap_err();
        let reported: Vec<&str> = errors.iter().map(|error| error.message.as_str()).collect();
        assert_eq!(
            reported,
            ["`data` of a Secret must be base64, but `infra.price` is not marked as base64"]
        );
    }
}
