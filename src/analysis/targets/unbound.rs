//! Names in the values of field bindings that nothing binds: their text would be written as it is.

use crate::analysis::targets::FieldBindings;
use crate::config::names::Names;
use crate::reference::Heads;
use crate::report::{Diagnostic, Diagnostics, Origin, Rule};

impl FieldBindings {
    /// Reports the names that nothing binds. They are in a document of landfall's own, so that
    /// they are not another tool's unless the Binding says so.
    pub(crate) fn report_unbound(
        &self,
        heads: &Heads,
        names: &Names,
        origin: Origin,
        diagnostics: &mut Diagnostics,
    ) {
        for binding in &self.list {
            let unbound = heads.all(&binding.value.text).unbound.into_iter();
            for head in unbound.filter(|head| !names.is_left_alone(head.name, head.is_binding)) {
                let name = head.name;
                let range = head.name_at..head.name_at + name.len();
                let error = names.bound_by(name).map_or_else(
                    || {
                        let message = format!("nothing is bound to `{name}`");
                        Diagnostic::error(Rule::UnboundReference, message)
                    },
                    |path| {
                        let message = format!("`{name}` is bound by {path} but not here");
                        Diagnostic::error(Rule::BoundElsewhere, message)
                    },
                );
                diagnostics.note_unbound_names(true);
                diagnostics.push(
                    error
                        .at(origin, binding.value.span_of(&range), "")
                        .help(format!("bind it in `spec.outputs`, or declare it as another tool's name: `spec.foreign: [{name}]`")),
                );
            }
        }
    }
}
