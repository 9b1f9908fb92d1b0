//! What a render reports besides the manifests: diagnostics and substitutions, as
//! data. Nothing here knows of terminals, colours or SARIF: hosts present them.

mod diagnostic;
mod diagnostics;
mod rule;
mod substitution;
pub(crate) mod suggest;

pub use diagnostic::{Diagnostic, Fix, Label, Origin, ResourceRef, Severity};
pub(crate) use diagnostic::{group_version, shown_at};
pub(crate) use diagnostics::MAX_DIAGNOSTICS;
pub use diagnostics::{Counts, Diagnostics};
pub use rule::{Rule, Topic};
pub(crate) use substitution::API_VERSION;
pub use substitution::{Substitution, SubstitutionsReport, UnusedOutput};
