//! KRM functions: a ResourceList in, a ResourceList out
//! (kubernetes-sigs/kustomize, cmd/config/docs/api-conventions/functions-spec.md).

mod function_config;
mod generated_outputs;
mod generator;
mod ids;
mod internal;
mod list;
mod outputs;
mod results;
mod validator;

use crate::analysis::View;
use crate::analysis::document::Scope;
use crate::analysis::near_miss::candidates;
use crate::analysis::targets::{FieldBindings, Listed, Steps, UnmatchedPaths};
use crate::analysis::unbound::{MeantNames, UnboundContext, UnboundReferences};
use crate::analysis::{encoded_references, may_hold_encoded, stray};
use crate::bind::near_miss::{NearMissContext, near_misses};
use crate::bind::{Budget, Context, overridden, unused};
use crate::config::EffectiveConfig;
use crate::config::KnownName;
use crate::config::binding::Binding;
use crate::config::bound_output::BoundValues;
use crate::config::names::Names;
use crate::config::{Ceiling, Config, Need, written_values};
use crate::contract::DEFAULT_ANSWER_LIMIT;
use crate::contract::members::value_of;
use crate::functions::{Evaluation, hide_render_reason};
use crate::kubernetes::{CustomKinds, DefinedKinds};
use crate::outputs::Bindings;
use crate::outputs::OutputsDocument;
use crate::reference::Heads;
use crate::report::{Diagnostics, Origin, Rule, Severity};
use yaml::Document;
use yaml::Edit;

use generator::WithGenerated;
use list::List;
use results::results;

/// The path of a resource's annotations.
const ANNOTATIONS: [&str; 2] = ["metadata", "annotations"];

/// A ResourceList that was processed: the result is the list with these edits applied.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Processed {
    /// Ascending and disjoint.
    pub edits: Vec<Edit>,
    /// Whether there are errors among the diagnostics and the list's `results`; it has no items
    /// then. Without edits, there is no such list.
    pub failed: bool,
    /// All diagnostics.
    pub diagnostics: Diagnostics,
}

/// Returns the outputs documents that the ResourceList's functionConfig, a Binding,
/// requires.
///
/// # Errors
/// All problems with the ResourceList or its functionConfig.
pub fn krm_needs(resource_list: &[u8]) -> Result<Vec<Need>, Diagnostics> {
    let list = List::read(resource_list)?;
    match function_config::binding(&list.tree, 0) {
        Some(binding) => match binding? {
            // Names alone tell which references are left.
            validator if validator.validate.is_some() => Ok(Vec::new()),
            binding => {
                function_config::generated(&list.tree, &binding)?;
                outputs::documents(&list, binding)
            }
        },
        None => Ok(Vec::new()),
    }
}

/// Renders the items of a ResourceList. Its functionConfig, a Binding, is left unchanged.
/// `policy` contains policies set by flags, which override the Binding; `known_names` is as
/// in [`crate::contract::Request`].
///
/// # Errors
/// The input is not a ResourceList, or resources cannot be added to it.
pub fn process(
    resource_list: &[u8],
    outputs: &[OutputsDocument],
    ceiling: &Ceiling,
    policy: Option<&Config>,
    known_names: &[KnownName],
) -> Result<Processed, Diagnostics> {
    let list = List::read(resource_list)?;
    let binding = function_config::binding(&list.tree, 0);
    let call = Call {
        ceiling,
        policy,
        known_names,
    };
    let resources = match &binding {
        Some(Ok(binding)) => {
            let mut resources = function_config::generated(&list.tree, binding)?;
            generated_outputs::add(&mut resources, binding, outputs, call)?;
            resources
        }
        _ => Vec::new(),
    };
    let mut processed = if resources.is_empty() {
        process_items(&list, binding.as_ref(), outputs, call)
    } else {
        let generated = WithGenerated::new(&list, &resources)?;
        let list = List::read(generated.text.as_bytes())?;
        let binding = function_config::binding(&list.tree, 0);
        let outputs = generated.declared(outputs);
        let mut processed = process_items(&list, binding.as_ref(), &outputs, call);
        generated.relocate(&mut processed)?;
        processed
    };
    if let Some(Ok(binding)) = &binding
        && binding.values.iter().any(BoundValues::is_inline)
    {
        written_values::conceal(&list.tree, Origin::Manifest(0), &mut processed.diagnostics);
    }
    if processed.failed {
        // Whoever reads the results must find nothing to apply.
        processed.edits = list.without_items().into_iter().collect();
        if processed.edits.is_empty() && value_of(&list.tree, 0, "items").is_some() {
            return Ok(processed);
        }
    }
    let reported: Vec<_> = processed
        .diagnostics
        .iter()
        .filter(|diagnostic| diagnostic.severity >= Severity::Warning)
        .collect();
    if !reported.is_empty() {
        let results = results(list.text, &list.tree, 0, &reported);
        processed.edits.extend(results);
    }
    processed.edits.sort_by_key(|edit| edit.span);
    Ok(processed)
}

/// What is not in the ResourceList.
#[derive(Clone, Copy)]
struct Call<'c> {
    ceiling: &'c Ceiling,
    policy: Option<&'c Config>,
    known_names: &'c [KnownName],
}

/// Renders the items, or validates them. The edits are in any order.
fn process_items(
    list: &List<'_>,
    binding: Option<&Result<Binding, Diagnostics>>,
    outputs: &[OutputsDocument],
    call: Call<'_>,
) -> Processed {
    let binding = binding.map(Result::as_ref);
    let render = |evaluation| render_items(list, binding, outputs, call, evaluation);
    let validator = binding
        .and_then(Result::ok)
        .filter(|binding| binding.validate.is_some());
    let (mut edits, mut diagnostics) = match validator {
        Some(binding) => validator::validate(list, binding, outputs, call),
        None => render(Evaluation::All),
    };
    if validator.is_none() && diagnostics.has_errors() && call.ceiling.is_set() {
        diagnostics = render(Evaluation::Public).1;
        if !diagnostics.has_errors() {
            diagnostics = hide_render_reason(diagnostics);
        }
    }
    let failed = diagnostics.has_errors();
    if failed {
        edits.clear();
    }
    Processed {
        edits,
        failed,
        diagnostics,
    }
}

/// Returns the edits that render the items, in any order, and all diagnostics.
fn render_items(
    list: &List<'_>,
    binding: Option<Result<&Binding, &Diagnostics>>,
    outputs: &[OutputsDocument],
    call: Call<'_>,
    evaluation: Evaluation,
) -> (Vec<Edit>, Diagnostics) {
    let has_binding = binding.is_some();
    let is_readable = binding.is_some_and(|binding| binding.is_ok());
    let (mut config, found) = EffectiveConfig::new(binding, call.policy, call.ceiling);
    let (mut bindings, mut diagnostics) = Bindings::read(outputs, &config.declarations);
    bindings.limit_work(DEFAULT_ANSWER_LIMIT);
    let policy = config.policy.choices.overridden.value;
    diagnostics.extend(overridden::overridden(&bindings, policy));
    let is_empty = function_config::is_without_items(&list.tree, 0);
    let is_bound = !outputs.is_empty()
        || call
            .known_names
            .iter()
            .any(|known| known.bound_by.is_none());
    if !has_binding && !is_bound {
        diagnostics.push(function_config::missing());
    }
    diagnostics.append(found);
    if is_readable && is_empty && config.needs_resources() {
        diagnostics.push(function_config::no_items());
    }
    let violations = config.violations(&bindings);
    let violates_contract = !violations.is_empty();
    diagnostics.append(violations);
    let heads = Heads::in_dialect(config.dialect, bindings.names());
    let field_bindings = FieldBindings::new(
        std::mem::take(&mut config.substitutions),
        &heads,
        Origin::Manifest(0),
        &mut diagnostics,
    );
    let names = config.names(call.known_names, &heads, &mut diagnostics);
    field_bindings.report_unbound(&heads, &names, Origin::Manifest(0), &mut diagnostics);
    let budget = Budget::new(DEFAULT_ANSWER_LIMIT);
    let listed = Listed::new(std::mem::take(&mut config.embedded));
    let (steps, listed_steps) = (Steps::default(), Steps::default());
    let unmatched_paths = UnmatchedPaths::default();
    let scope = Scope {
        heads: &heads,
        field_bindings: &field_bindings,
        steps: &steps,
        listed: &listed,
        listed_steps: &listed_steps,
        kustomizations: &[],
        patch_files: None,
        keep_references: false,
        only_under: Some("items"),
        unbound: config.policy.choices.unbound.value,
        unfinished: None,
        parsed: None,
    };
    let context = Context {
        scope,
        bindings: &bindings,
        ordinary: None,
        quotes_lost: true,
        policy: &config.policy,
        custom: &CustomKinds::new(Vec::new(), DefinedKinds::of_tree(list.text, &list.tree)),
        unmatched_paths: &unmatched_paths,
        evaluation,
        file: 0,
        wants_substitutions: false,
        budget: &budget,
    };
    let mut edits = Vec::new();
    // Errors that follow from a contract violation would only hide it. Without its Binding,
    // it is unknown which values are sensitive.
    if !violates_contract && !config.declarations.is_unknown() {
        edits = edit_items(list, &context, &names, &mut diagnostics);
    }
    let unused = unused::unused(
        &bindings,
        config.policy.choices.unused.value,
        &config.contract,
        &diagnostics,
    );
    diagnostics.extend(unused);
    if is_readable
        && config.needs_resources()
        && !diagnostics.has_errors()
        && list.has_only_empty_lists(&edits)
    {
        diagnostics.push(function_config::no_resources());
    }
    (edits, diagnostics)
}

/// Returns the edits that render the items, in any order, and reports references and near misses
/// that are left.
fn edit_items(
    list: &List<'_>,
    context: &Context<'_>,
    names: &Names,
    diagnostics: &mut Diagnostics,
) -> Vec<Edit> {
    let scope = context.scope;
    let (heads, field_bindings) = (scope.heads, scope.field_bindings);
    let view = View {
        embedded: scope.listed,
        steps: scope.listed_steps,
        only_under: scope.only_under,
        located: list.trees(heads.dialect()),
    };
    let document = Document {
        text: list.text,
        offset: 0,
    };
    if may_hold_encoded(list.text) {
        let is_bound = |name: Option<&[u8]>| heads.is_bound(name);
        let dialect = heads.dialect();
        diagnostics.extend(encoded_references(document, dialect, 0, view, &is_bound));
    }
    let severity = scope.unbound.severity();
    diagnostics.extend(stray::without_effect(document, &list.tree, 0, severity));
    diagnostics.extend(stray::bare_setters(document, heads, 0, view));
    let all = heads.all(list.text);
    let has_references = !all.bound.is_empty();
    let context_of_unbound = UnboundContext {
        heads,
        names,
        view,
        policy: scope.unbound,
        setters_only: heads.dialect().only_in_setters(),
    };
    let documents = || std::slice::from_ref(&document);
    let mut meant = MeantNames::default();
    let unbound =
        UnboundReferences::read(all.unbound, documents, 0, context_of_unbound, &mut meant);
    let mut edits = Vec::new();
    if has_references || field_bindings.may_select(list.text) {
        edits = list.render(scope, context, diagnostics);
        edits.retain(internal::is_ours(list));
    }
    // Without its Binding, the bound names are unknown.
    if diagnostics
        .iter()
        .all(|found| found.rule != Rule::InvalidBinding)
    {
        diagnostics.note_unbound_names(unbound.has_any());
        diagnostics.extend(unbound.finish(&meant));
        let near_miss_context = NearMissContext {
            unbound: context_of_unbound,
            bindings: context.bindings,
        };
        let positions = candidates(list.text, heads);
        diagnostics.extend(near_misses(
            &[(0, list.text)],
            &[(0, positions)],
            near_miss_context,
        ));
    }
    let exceeded = scope.steps.exceeded();
    diagnostics.append(field_bindings.unmatched(context.unmatched_paths, exceeded));
    diagnostics.retain(internal::is_elsewhere(list));
    edits
}
