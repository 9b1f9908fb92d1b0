//! The setter comments of kpt's function `apply-setters`:
//! `image: nginx:1.7.1 # kpt-set: ${image}:${tag}`.
//!
//! ```text
//! setter = "# kpt-set: " pattern            ; exactly one space on both sides of `kpt-set:`
//! name   = 1*<any character but white space, control characters, `$`, `{` and `}`>
//! reference = "${" name "}"
//! ```
//!
//! The names are those of outputs. There are no functions, and no escape. References occur
//! in comments only: `${x}` in the values of a manifest belongs to other tools. Read in
//! `applysetters/apply_setters.go` of kpt-functions-catalog 033c1e4.

use std::ops::Range;

use crate::reference::{
    Call, Dialect, Insertion, Notation, Opening, Path, Reference, Segment, Step, Syntax,
    SyntaxError,
};

#[derive(Debug)]
pub(super) struct KptSet;

static NOTATION: Notation = Notation {
    id: "kpt-set",
    opener: "${",
    closer: "}",
    escape: "",
    setter: Some("kpt-set:"),
    form: "write `# kpt-set: ${output}` after a value",
    names_variables: true,
    // Nothing could encode them.
    data_is_encoded: true,
    searches_base64: false,
    ..Notation::OWN
};

/// What `apply-setters` compares the beginning of a comment with. It ignores all others.
const SETTER: &str = "# kpt-set: ";

impl Dialect for KptSet {
    fn notation(&self) -> &'static Notation {
        &NOTATION
    }

    fn only_in_setters(&self) -> bool {
        true
    }

    fn opening(&self, bytes: &[u8], at: usize) -> Option<Opening> {
        let name = name(bytes, at);
        let is_named = !name.is_empty();
        is_named.then_some(Opening {
            at,
            name,
            is_binding: false,
        })
    }

    fn parse(&self, text: &str, at: usize) -> Result<Reference, SyntaxError> {
        let name = name(text.as_bytes(), at);
        let end = name.end;
        if !text[end..].starts_with(NOTATION.closer) {
            let mut error = SyntaxError::new(end, format!("expected `{}`", NOTATION.closer));
            error.unterminated = end == text.len();
            return Err(error);
        }
        let segment = Segment {
            step: Step::Key(text[name.clone()].to_owned()),
            range: name.clone(),
            whole: name.clone(),
        };
        Ok(Reference {
            path: Path {
                binding: None,
                segments: vec![segment],
                range: name,
            },
            calls: Vec::new(),
            range: at..end + NOTATION.closer.len(),
        })
    }

    fn extent(&self, raw: &str, at: usize) -> Range<usize> {
        let end = name(raw.as_bytes(), at).end;
        let is_closed = raw[end..].starts_with(NOTATION.closer);
        at..end + if is_closed { NOTATION.closer.len() } else { 0 }
    }

    fn write(&self, syntax: &Syntax<'_>, _: char) -> Option<String> {
        match syntax {
            Syntax::Reference(reference) if reference.calls.is_empty() => {
                let path = &reference.path;
                match &path.segments[..] {
                    [output] if path.binding.is_none() => {
                        Some(format!("${{{}}}", written(&output.step)?))
                    }
                    _ => None,
                }
            }
            Syntax::Segment(path, 0) => written(&path.segments.first()?.step),
            Syntax::Reference(_) | Syntax::Segment(..) | Syntax::Call(_) | Syntax::Argument(_) => {
                None
            }
        }
    }

    fn append(&self, _: &Reference, _: &[Call], _: char) -> Option<Vec<Insertion>> {
        None
    }

    fn setter(&self, comment: &str) -> Option<Range<usize>> {
        comment
            .starts_with(SETTER)
            .then_some(SETTER.len()..comment.len())
    }
}

/// Returns the name of a step, if a setter can have it.
fn written(step: &Step) -> Option<String> {
    let Step::Key(key) = step else {
        return None;
    };
    let is_name = !key.is_empty() && key.bytes().all(is_name_byte);
    is_name.then(|| key.clone())
}

/// Returns the bytes of the name after the opener at byte `at`; it may be empty.
fn name(bytes: &[u8], at: usize) -> Range<usize> {
    let start = (at + NOTATION.opener.len()).min(bytes.len());
    let name = bytes[start..]
        .iter()
        .take_while(|byte| is_name_byte(**byte));
    start..start + name.count()
}

/// Whether a byte can be part of a name: also any byte of a character outside ASCII.
const fn is_name_byte(byte: u8) -> bool {
    byte > b' ' && !matches!(byte, b'$' | b'{' | b'}' | 0x7f)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn written_references_parse_back() {
        for text in ["${a}", "${image-tag_1}", "${a.b/c}", "${0}", "${é}"] {
            let reference = KptSet.parse(text, 0).unwrap();
            assert_eq!(reference.range, 0..text.len());
            let written = KptSet.write(&Syntax::Reference(&reference), '"');
            assert_eq!(written.as_deref(), Some(text));
            assert_eq!(KptSet.extent(&format!("{text} x}}"), 0), 0..text.len());
        }
    }

    #[test]
    fn rejects_text_that_is_not_a_setter() {
        for (text, at, unterminated) in [
            ("${a", 3, true),
            ("${a b}", 3, false),
            ("${a${b}}", 3, false),
            ("${a\n}", 3, false),
        ] {
            let error = KptSet.parse(text, 0).unwrap_err();
            assert_eq!((error.at, error.unterminated), (at, unterminated), "{text}");
            assert_eq!(KptSet.extent(text, 0), 0..3, "{text}");
        }
        for text in ["${}", "${", "${ a }", "${$"] {
            assert_eq!(KptSet.opening(text.as_bytes(), 0), None, "{text}");
        }
    }

    #[test]
    fn only_the_prefix_of_kpt_makes_a_setter_comment() {
        let template = |comment: &'static str| KptSet.setter(comment).map(|range| &comment[range]);
        assert_eq!(template("# kpt-set: ${a}"), Some("${a}"));
        for comment in [
            "#kpt-set: ${a}",
            "#  kpt-set: ${a}",
            "# kpt-set:${a}",
            "# kpt-set:\t${a}",
            "# Kpt-set: ${a}",
            "## kpt-set: ${a}",
            "# landfall: ${a}",
        ] {
            assert_eq!(template(comment), None, "{comment}");
        }
    }
}
