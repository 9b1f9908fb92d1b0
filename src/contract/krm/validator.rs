//! The validator: it reports the references that are left in the items, and changes none of them.

use crate::config::EffectiveConfig;
use crate::config::binding::Binding;
use crate::contract::krm::internal;
use crate::contract::krm::list::List;
use crate::contract::krm::{ANNOTATIONS, Call, function_config};
use crate::contract::members::{value_at, value_of};
use crate::contract::unrendered::Search;
use crate::outputs::OutputsDocument;
use crate::reference::Heads;
use crate::report::Diagnostics;
use yaml::Edit;

/// Returns every reference that is left in the items, and the edits that make the list the
/// answer of a validator.
pub(super) fn validate(
    list: &List<'_>,
    binding: &Binding,
    outputs: &[OutputsDocument],
    call: Call<'_>,
) -> (Vec<Edit>, Diagnostics) {
    let (config, mut found) = EffectiveConfig::new(Some(Ok(binding)), call.policy, call.ceiling);
    if function_config::is_without_items(&list.tree, 0) && config.needs_resources() {
        found.push(function_config::nothing_to_validate());
    }
    // Those of flags.
    let names = outputs.iter().map(|document| &document.name);
    let names = names.chain(call.known_names.iter().map(|known| &known.name));
    let bound = binding.bound_names().chain(names.clone());
    let heads = Heads::in_dialect(config.dialect, bound.map(String::as_str));
    config.names(call.known_names, &heads, &mut found);
    let mut search = Search::new(binding, config.dialect, names);
    search.only_under = Some("items");
    search.check_file(list.text, 0, &mut found);
    found.retain(internal::is_elsewhere(list));
    (without_items(list).into_iter().collect(), found)
}

/// Returns the edit that removes the items if kustomize reads the answer: it adds annotations to
/// the items of an answer, and then refuses a validator for having changed them (kustomize 5.8.1).
fn without_items(list: &List<'_>) -> Option<Edit> {
    let tree = &list.tree;
    let items = value_of(tree, 0, "items")?;
    let is_kustomize = tree.members(items).any(|item| {
        value_at(tree, item, &ANNOTATIONS).is_some_and(|annotations| {
            value_of(tree, annotations, internal::KUSTOMIZE_ID).is_some()
        })
    });
    is_kustomize.then(|| list.without_items())?
}
