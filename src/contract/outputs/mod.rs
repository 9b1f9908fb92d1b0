//! Questions about outputs, beyond rendering manifests with their values. A file for each.

mod check;
mod contract;
mod export;
mod references;
mod sample;

use crate::config::{Ceiling, Config, EffectiveConfig, binding, written_values};
use crate::outputs::{Bindings, OutputsDocument};
use crate::report::{Diagnostics, Origin};

pub use check::check_outputs;
pub use contract::outputs_contract;
pub use export::{Exported, export_outputs};
pub use sample::sample_outputs;

/// Outputs documents, and what applies to them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct OutputsInputs {
    /// The bound outputs documents, as in a [`crate::Request`].
    pub documents: Vec<OutputsDocument>,
    /// The Binding.
    pub binding: Option<Config>,
    /// A document of the kind OutputsContract, which replaces the contract of the Binding.
    pub contract: Option<Config>,
    /// The loosest policies that are allowed.
    pub ceiling: Ceiling,
    /// Policies set by flags, as in a [`crate::Request`].
    pub policy: Option<Config>,
}

/// The outputs that could be read, and the configuration that applies to them.
struct Opened {
    bindings: Bindings,
    config: EffectiveConfig,
    /// Every problem with both.
    diagnostics: Diagnostics,
}

impl OutputsInputs {
    fn open(&self) -> Opened {
        let binding = self.binding.as_ref();
        let (config, errors) = EffectiveConfig::new(
            binding.map(|binding| binding::read(binding, Origin::Binding)),
            self.policy.as_ref(),
            &self.ceiling,
        );
        let (bindings, mut diagnostics) = Bindings::read(&self.documents, &config.declarations);
        diagnostics.append(errors);
        written_values::conceal_in(binding, Origin::Binding, &mut diagnostics);
        Opened {
            bindings,
            config,
            diagnostics,
        }
    }
}
