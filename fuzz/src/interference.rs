//! Two renders that differ in the sensitive values alone: nothing that is shown may
//! differ. The generator and the comparison are those of the law's tests.

#[path = "../../tests/law/interference/case.rs"]
mod case;
#[path = "../../tests/law/interference/compare.rs"]
mod compare;

use crate::choices::Choices;

/// Renders the case that these decisions make with two sensitive values.
///
/// # Panics
/// Something that is shown depends on the value.
pub fn survives(numbers: &[u16]) {
    let case = case::Case::new(&mut Choices::new(numbers));
    if let Err(what) = compare::compare(&case) {
        panic!("{what}");
    }
}
