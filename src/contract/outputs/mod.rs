//! Questions about outputs, beyond rendering manifests with their values. A file for each.

mod check;
mod contract;
mod export;
mod read;
mod references;
mod sample;

use crate::config::{Config, EffectiveConfig, written_values};
use crate::contract::Application;
use crate::outputs::{Bindings, OutputsDocument};
use crate::report::{Diagnostics, Origin};

pub use check::check_outputs;
pub use contract::outputs_contract;
pub use export::{Exported, export_outputs};
pub use read::{OutputSummary, OutputsSummary, Sensitivity, read_outputs};
pub use sample::sample_outputs;

/// Outputs documents, and what applies to them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct OutputsInputs {
    /// The bound outputs documents, as in a [`crate::Request`].
    pub documents: Vec<OutputsDocument>,
    /// The application's configuration.
    pub application: Application,
    /// A document of the kind OutputsContract, which replaces the contract of the Binding.
    pub contract: Option<Config>,
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
        let binding = self.application.configuration().binding.as_ref();
        let (config, errors) = self.application.effective();
        let (bindings, mut diagnostics) = Bindings::read(&self.documents, &config.declarations);
        diagnostics.append(errors.clone());
        written_values::conceal_in(binding, Origin::Binding, &mut diagnostics);
        Opened {
            bindings,
            config: config.clone(),
            diagnostics,
        }
    }
}
