//! One small application: five resources with twenty possible references.

use std::io;

use super::outputs::Outputs;
use super::random::Random;
use super::texts::Texts;

/// The resources; `@app@` is the application's name and `@bucket@` a possible reference.
/// 9 of these are in double quotes, 7 plain, 3 in block literals and 1 in single quotes:
/// about as in real repositories.
const TEMPLATE: &str = include_str!("app.yaml");

/// The number of possible references.
pub(super) const PLACES: usize = 20;

/// Writes the application `name` with `references` of the possible references, spread
/// evenly. The others are written as the value itself.
pub(super) fn write(
    texts: &mut Texts,
    name: &str,
    references: usize,
    outputs: &Outputs,
    random: &mut Random,
) -> io::Result<()> {
    let mut place = 0;
    // Names are enclosed in `@`, so every second piece is one.
    for (position, piece) in TEMPLATE.split('@').enumerate() {
        if position % 2 == 0 {
            texts.literal(piece.as_bytes())?;
        } else if piece == "app" {
            texts.literal(name.as_bytes())?;
        } else {
            let output = outputs
                .pick(piece, random)
                .ok_or_else(|| io::Error::other(format!("app.yaml: there is no @{piece}@")))?;
            if is_chosen(place, references) {
                texts.reference(output)?;
            } else {
                texts.literal(output.value.as_bytes())?;
            }
            place += 1;
        }
    }
    Ok(())
}

/// Whether `place` is one of `references` places among [`PLACES`].
const fn is_chosen(place: usize, references: usize) -> bool {
    (place + 1) * references / PLACES > place * references / PLACES
}

#[cfg(test)]
mod tests {
    use super::{PLACES, TEMPLATE, is_chosen};

    #[test]
    fn the_template_has_all_references() {
        let names = TEMPLATE.split('@').skip(1).step_by(2);
        assert_eq!(names.filter(|name| *name != "app").count(), PLACES);
        assert_eq!(TEMPLATE.matches("---\n").count(), 5);
    }

    #[test]
    fn chooses_the_requested_number_of_references() {
        for references in [0, 5, 12, PLACES] {
            let chosen = (0..PLACES).filter(|&place| is_chosen(place, references));
            assert_eq!(chosen.count(), references);
        }
    }
}
