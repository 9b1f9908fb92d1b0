//! The dialect of Flux's variables: `${var:=default}`.
//!
//! ```text
//! reference = "${" name [ operation ] "}" / "${#" name "}"
//! operation = ( "=" / ":=" / ":-" / ":?" / ":+" ) *( text / reference )
//!           / ( "/" / "//" / "/#" / "/%" ) argument 1*"/" [ argument ]
//!           / ( "#" / "##" / "%" / "%%" ) argument
//!           / ( "^" / "^^" / "," / ",," )
//!           / ":" argument [ 1*":" argument ]
//! argument  = text / reference
//! ```
//!
//! Wherever variables are replaced, `$$` becomes `$`, so that `$${var}` is literal text. The
//! grammar is that of fluxcd/pkg/envsubst 1.8.0 (`parse/parse.go`), which Flux 2.9 uses.

mod dollars;
mod parser;
mod write;

use std::ops::Range;

use crate::reference::dialects::flux::parser::Parser;
use crate::reference::{
    Call, Dialect, Insertion, Notation, Opening, Position, Reference, Syntax, SyntaxError,
};

#[derive(Debug)]
pub(super) struct Flux;

static NOTATION: Notation = Notation {
    id: "flux",
    opener: "${",
    closer: "}",
    escape: "$",
    form: "write `${name}`, or `$${` for a literal `${`",
    names_variables: true,
    disabled_by: Some("kustomize.toolkit.fluxcd.io/substitute"),
    has_plain_literals: true,
    data_is_encoded: true,
    // Flux does not decode it either, and every `${name}` of a script would be found.
    searches_base64: false,
    ..Notation::OWN
};

impl Dialect for Flux {
    fn notation(&self) -> &'static Notation {
        &NOTATION
    }

    fn opening(&self, bytes: &[u8], at: usize) -> Option<Opening> {
        // A name that is missing is an error of the reference: Flux fails there, too.
        let has_length = bytes.get(at + 2) == Some(&b'#');
        Some(Opening {
            at,
            name: parser::name_at(bytes, at + 2 + usize::from(has_length)),
            is_binding: false,
        })
    }

    fn parse(&self, text: &str, at: usize) -> Result<Reference, SyntaxError> {
        if self.escape_before(text.as_bytes(), at) > 0 {
            return Err(SyntaxError::new(at, "it is escaped".to_owned()));
        }
        Parser::new(text, at).reference()
    }

    /// Ends before every byte that has a meaning in YAML: manifests for Flux are YAML before
    /// their variables are replaced, so that nothing else has to be masked.
    fn extent(&self, raw: &str, at: usize) -> Range<usize> {
        let bytes = raw.as_bytes();
        if self.escape_before(bytes, at) > 0 {
            return at..dollars::end_of_literal(bytes, at);
        }
        let (mut end, mut open) = ((at + 2).min(bytes.len()), 1);
        while let Some(&byte) = bytes.get(end) {
            let next = bytes.get(end + 1);
            match byte {
                b'$' if next == Some(&b'{') => {
                    open += 1;
                    end += 1;
                }
                b'}' => {
                    open -= 1;
                    if open == 0 {
                        return at..end + 1;
                    }
                }
                b'\n' | b'\r' | b'"' | b'\'' | b'\\' | b',' | b'[' | b']' | b'{' => break,
                b':' if matches!(next, None | Some(b' ' | b'\t' | b'\n' | b'\r')) => break,
                b' ' | b'\t' if next == Some(&b'#') => break,
                _ => {}
            }
            end += 1;
        }
        // It is unclosed; trailing blanks belong to the manifest.
        at..at
            + raw
                .get(at..end)
                .unwrap_or_default()
                .trim_end_matches([' ', '\t'])
                .len()
    }

    fn write(&self, syntax: &Syntax<'_>, _: char) -> Option<String> {
        write::write(syntax)
    }

    fn append(&self, reference: &Reference, calls: &[Call], _: char) -> Option<Vec<Insertion>> {
        let ([], [call]) = (&reference.calls[..], calls) else {
            return None;
        };
        let text = write::operation(call)?;
        let position = Position::BeforeCloser;
        Some(vec![Insertion { position, text }])
    }

    fn is_opener(&self, bytes: &[u8], at: usize) -> bool {
        match bytes.get(at..) {
            Some([b'$', b'{', ..]) => true,
            Some([b'$', ..]) => self.escape_before(bytes, at) > 0,
            _ => false,
        }
    }

    fn escape_before(&self, bytes: &[u8], at: usize) -> usize {
        dollars::escape_before(bytes, at)
    }

    fn find(&self, bytes: &[u8], from: usize) -> Option<Opening> {
        let at = dollars::find(bytes, from)?;
        self.opening(bytes, at)
    }

    /// Flux has no setter comments.
    fn setter(&self, _: &str) -> Option<Range<usize>> {
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn extent_of(raw: &str) -> &str {
        &raw[Flux.extent(raw, 0)]
    }

    #[test]
    fn the_extent_ends_at_the_matching_brace_or_before_what_yaml_reads() {
        assert_eq!(extent_of("${a} x}"), "${a}");
        assert_eq!(extent_of("${a:-${b:=c}} x}"), "${a:-${b:=c}}");
        assert_eq!(extent_of("${a:-x y}"), "${a:-x y}");
        assert_eq!(extent_of("${a:-x, y}"), "${a:-x");
        assert_eq!(extent_of("${a: b}"), "${a");
        assert_eq!(extent_of("${a # c}"), "${a");
        assert_eq!(extent_of("${a:-\"}\"}"), "${a:-");
        assert_eq!(extent_of("${a\nb: c}"), "${a");
        assert_eq!(extent_of("${"), "${");
    }

    #[test]
    fn an_opening_has_the_name_of_its_variable() {
        for (text, name) in [
            ("${a-b}", "a"),
            ("${#a}", "a"),
            ("${größe:-x}", "größe"),
            ("${#ñ€", "ñ"),
            ("${#}", ""),
            ("${", ""),
        ] {
            let opening = Flux.opening(text.as_bytes(), 0).unwrap();
            assert_eq!(&text[opening.name], name, "{text}");
        }
        let cut = Flux.opening(b"${gr\xc3", 0).unwrap();
        assert_eq!(cut.name, 2..4);
    }

    #[test]
    fn escapes_are_a_run_of_dollars() {
        let found = |text: &str| {
            let mut from = 0;
            let mut found = Vec::new();
            while let Some(opening) = Flux.find(text.as_bytes(), from) {
                from = opening.at + 1;
                let escape = Flux.escape_before(text.as_bytes(), opening.at);
                let extent = Flux.extent(text, opening.at);
                found.push((opening.at, escape, text[extent].to_owned()));
            }
            found
        };
        let one = |at, escape, text: &str| (at, escape, text.to_owned());
        assert_eq!(found("$x ${a} $"), [one(3, 0, "${a}")]);
        assert_eq!(found("$$"), [one(1, 1, "$")]);
        assert_eq!(found("a$$(B)$$"), [one(2, 1, "$"), one(7, 1, "$")]);
        assert_eq!(found("$${a}"), [one(1, 1, "$")]);
        assert_eq!(found("$$${a}"), [one(1, 1, "$"), one(2, 0, "${a}")]);
        assert_eq!(found("$$$$${a}"), [one(2, 2, "$$"), one(4, 0, "${a}")]);
        assert_eq!(found("$$$"), [one(1, 1, "$$")]);
        assert_eq!(found("$$$$$$x"), [one(3, 3, "$$$")]);
    }

    #[test]
    fn a_long_run_of_dollars_is_read_once() {
        let text = format!("{}{{a}}", "$".repeat(1_000_001));
        let first = Flux.find(text.as_bytes(), 0).map(|opening| opening.at);
        assert_eq!(first, Some(500_000));
        let second = Flux
            .find(text.as_bytes(), 500_001)
            .map(|opening| opening.at);
        assert_eq!(second, Some(1_000_000));
        assert_eq!(Flux.find(text.as_bytes(), 1_000_001), None);
    }

    #[test]
    fn written_references_parse_back() {
        for text in [
            "${a}",
            "${#a}",
            "${a:=b c}",
            "${a:=x${b}${c:=d}}",
            "${a:=}",
            "${a:?b}",
            "${a//x\\/y/$$z}",
            "${a/#x/y}",
            "${a/x/}",
            "${a##*/}",
            "${a%.*}",
            "${a^^}",
            "${a:1:2}",
            "${a:1}",
            "${a:${b}:${c}}",
        ] {
            let reference = Flux.parse(text, 0).unwrap();
            let written = Flux.write(&Syntax::Reference(&reference), '"');
            assert_eq!(written.as_deref(), Some(text));
            assert_eq!(reference.range, 0..text.len());
        }
    }
}
