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

    /// Adds the edits of a scalar in which ordinary text is written as it is, and returns how
    /// many bytes they write. `None` if one of its values is another one, the scalar may
    /// hold no such text, or `may_write` returns that so many bytes are too many: an edit
    /// copies its value, and a large one may be referenced many times.
    pub(crate) fn write(
        &self,
        scalar: &ScalarWithReferences,
        may_write: impl Fn(usize) -> bool,
        edits: &mut Vec<Edit>,
    ) -> Option<usize> {
        if !scalar.holds_ordinary_text {
            return None;
        }
        let before = edits.len();
        let mut written: usize = 0;
        let mut texts = self.texts.borrow_mut();
        for found in &scalar.references {
            let text = self.text(found, &mut texts).filter(|text| {
                written = written.saturating_add(text.len());
                may_write(written)
            });
            let Some(text) = text else {
                edits.truncate(before);
                return None;
            };
            edits.push(Edit {
                span: Span::new(found.raw.start, found.raw.end),
                text: text.as_bytes().to_vec(),
            });
        }
        Some(written)
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

#[cfg(test)]
mod tests {
    use super::OrdinaryTexts;
    use crate::analysis::document::{DocumentAnalysis, NoFieldBindings, Scope, Text};
    use crate::outputs::{Bindings, Declarations, OutputsDocument};
    use crate::reference::{Heads, ParsedReferences};
    use crate::report::Origin;

    /// Returns the result of writing the only scalar of a ConfigMap, if it may write this
    /// many bytes, and the number of edits. `infra.a` has eight bytes.
    fn write(value: &str, limit: usize) -> (Option<usize>, usize) {
        let source = format!("apiVersion: v1\nkind: ConfigMap\ndata:\n  a: {value}\n");
        let heads = Heads::new(["infra"]);
        let no_field_bindings = NoFieldBindings::new(&heads);
        let scope = Scope {
            parsed: Some(&ParsedReferences::default()),
            ..no_field_bindings.scope(&heads)
        };
        let text = Text::Borrowed(&source);
        let analysis = DocumentAnalysis::of_file(text, 0, Origin::Manifest(0), scope, None);
        let infra = OutputsDocument {
            name: "infra".to_owned(),
            content: br#"{"a": {"value": "vpc-0ab1"}}"#.to_vec(),
            ..OutputsDocument::default()
        };
        let (bindings, _) = Bindings::read(&[infra], &Declarations::default());
        let mut edits = Vec::new();
        let [scalar] = &analysis.located.as_ref().unwrap().scalars[..] else {
            panic!("one scalar: {value}");
        };
        let texts = OrdinaryTexts::new(&bindings);
        let written = texts.write(scalar, |bytes| bytes <= limit, &mut edits);
        (written, edits.len())
    }

    #[test]
    fn writes_what_the_render_may_write() {
        assert_eq!(write("${infra.a}", 8), (Some(8), 1));
        assert_eq!(write("${infra.a}/${infra.a}", 16), (Some(16), 2));
    }

    #[test]
    fn copies_no_value_that_the_render_may_not_write() {
        assert_eq!(write("${infra.a}", 7), (None, 0));
        assert_eq!(write("${infra.a}/${infra.a}", 15), (None, 0));
    }
}
