//! What a render tells beside the manifests: diagnostics and substitutions, as
//! data. Nothing here knows of terminals, colours or SARIF; hosts draw.

mod diagnostic;
mod rule;
mod substitution;

pub use diagnostic::{Diagnostic, Edit, Label, Mend, Origin, ResourceRef, Severity, Span};
pub use rule::Rule;
pub(crate) use substitution::API_VERSION;
pub use substitution::{Substitution, SubstitutionsReport, UnusedOutput};
