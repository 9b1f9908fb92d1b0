//! `outputs` in `spec.generate`: an entry for each output of a bound name, as a reference that is
//! rendered like the author's own.

use crate::collections::OrderedSet;
use crate::config::EffectiveConfig;
use crate::config::binding::Binding;
use crate::config::generated::{
    DATA_KEYS, Generated, NO_DATA_KEY, Template, TemplateValue, is_data_key,
};
use crate::contract::krm::Call;
use crate::outputs::{Bindings, OutputsDocument, Value};
use crate::reference::{Call as FunctionCall, LANDFALL, Path, Reference, Syntax};
use crate::report::{Diagnostic, Diagnostics, Origin, Rule, suggest};

/// Adds the entries to the resources that ask for them: to a Secret the outputs that are sensitive,
/// to a ConfigMap the others, to both none that is null.
///
/// # Errors
/// A name is not bound, or an output's name cannot be a key.
pub(super) fn add(
    resources: &mut [Generated],
    binding: &Binding,
    documents: &[OutputsDocument],
    call: Call<'_>,
) -> Result<(), Diagnostics> {
    if resources.iter().all(|resource| resource.outputs.is_none()) {
        return Ok(());
    }
    // Problems with either are reported when the resources are rendered.
    let (config, _) = EffectiveConfig::new(Some(Ok(binding)), call.policy, call.ceiling);
    let (bindings, _) = Bindings::read(documents, &config.declarations);
    let known = binding.bound_names();
    let known = known.chain(documents.iter().map(|document| &document.name));
    let known: OrderedSet<&str> = known.map(String::as_str).collect();
    let mut errors = Diagnostics::default();
    let mut refuse = |span, message: String, help: String| {
        let error = Diagnostic::error(Rule::InvalidBinding, message);
        errors.push(error.in_config(Origin::Manifest(0), span, "").help(help));
    };
    for resource in resources {
        let Some((name, span)) = &resource.outputs else {
            continue;
        };
        if !known.contains(name.as_str()) {
            let help = if known.is_empty() {
                "bind it in `spec.outputs`".to_owned()
            } else {
                format!("bound names: {}", suggest::listed(known.iter().copied()))
            };
            refuse(*span, format!("nothing is bound to `{name}`"), help);
            continue;
        }
        if config.dialect.notation().id != LANDFALL.notation().id {
            let message = "`outputs` writes references of landfall's own dialect".to_owned();
            let help = "write the entries under `data`, or remove `dialect` from the Binding";
            refuse(*span, message, help.to_owned());
            continue;
        }
        let is_secret = resource.kind == "Secret";
        let keys = resource.data.iter().map(|entry| entry.key.clone());
        let written: OrderedSet<String> = keys.collect();
        for (output, bound) in bindings.outputs(name).into_iter().flatten() {
            let is_written = written.contains(output);
            if bound.sensitive != is_secret || bound.value == Value::Null || is_written {
                continue;
            }
            if !is_data_key(output) {
                let help = format!(
                    "remove `outputs`, and write the entries under `data`, this one with a valid key: {DATA_KEYS}"
                );
                refuse(*span, format!("the output `{output}` {NO_DATA_KEY}"), help);
                continue;
            }
            let calls = match bound.value {
                Value::List(_) | Value::Object(_) => vec![FunctionCall::new("json", &[])],
                _ => Vec::new(),
            };
            let reference = Reference::new(Path::new(Some(name.clone()), output), calls);
            if let Some(text) = LANDFALL.write(&Syntax::Reference(&reference), '"') {
                resource.data.push(Template {
                    key: output.clone(),
                    value: TemplateValue::Reference(text, *span),
                });
            }
        }
    }
    if errors.is_empty() {
        Ok(())
    } else {
        Err(errors)
    }
}
