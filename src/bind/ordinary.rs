//! The outputs that are ordinary text, looked up once for all equal references of a render.

use std::cell::RefCell;
use std::rc::Rc;

use crate::analysis::document::{FoundReference, ScalarWithReferences};
use crate::functions::look_up::public_output;
use crate::outputs::{Bindings, Value};
use yaml::{Edit, Span, is_ordinary};

/// The values of the references of one source, by their numbers.
#[derive(Debug)]
pub(crate) struct OrdinaryTexts<'b> {
    bindings: &'b Bindings,
    texts: RefCell<Vec<Known>>,
}

/// What is known about the value of a reference.
#[derive(Clone, Debug)]
enum Known {
    Nothing,
    /// It must be resolved where it is: it is not text, is sensitive, or is missing.
    Other,
    Text(Rc<str>),
}

impl<'b> OrdinaryTexts<'b> {
    pub(crate) const fn new(bindings: &'b Bindings) -> Self {
        Self {
            bindings,
            texts: RefCell::new(Vec::new()),
        }
    }

    /// Adds the edits of a scalar in which ordinary text is written as it is. Returns `false`,
    /// and adds none, if the scalar may not hold such text or one of its values is another.
    pub(crate) fn write(&self, scalar: &ScalarWithReferences, edits: &mut Vec<Edit>) -> bool {
        if !scalar.holds_ordinary_text {
            return false;
        }
        let before = edits.len();
        let mut texts = self.texts.borrow_mut();
        for found in &scalar.references {
            let Some(text) = self.text(found, &mut texts) else {
                edits.truncate(before);
                return false;
            };
            edits.push(Edit {
                span: Span::new(found.raw.start, found.raw.end),
                text: text.as_bytes().to_vec(),
            });
        }
        true
    }

    /// Returns the value of a reference to an output, if it is ordinary text.
    fn text<'t>(&self, found: &FoundReference, texts: &'t mut Vec<Known>) -> Option<&'t str> {
        let number = usize::try_from(found.number?).ok()?;
        if texts.len() <= number {
            texts.resize(number + 1, Known::Nothing);
        }
        let known = texts.get_mut(number)?;
        if let Known::Nothing = known {
            let output = public_output(&found.reference.path, self.bindings);
            *known = match output.map(|(_, bound)| &bound.value) {
                Some(Value::String(text)) if is_ordinary(text) => Known::Text(text.as_str().into()),
                _ => Known::Other,
            };
        }
        match known {
            Known::Text(text) => Some(text),
            Known::Nothing | Known::Other => None,
        }
    }
}
