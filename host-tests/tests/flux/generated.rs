//! Generated manifests: every operator, nested, in every kind of scalar and in keys, with
//! tame and hostile values.

use std::fmt::Write as _;
use std::sync::Arc;

use landfall_test_needs::needs;
use landfall_test_support::seed::{Sequence, factor};

use crate::case::Case;
use crate::landfall_side::WITHOUT_TYPES;
use crate::peer::Variables;
use crate::tally::Tally;
use crate::values::{HOSTILE, TAME};

/// How many manifests are compared.
const MANIFESTS: u64 = 2_500;

/// Names of variables. The last two are not set.
const NAMES: &[&str] = &[
    "a", "b", "_c1", "D9", "region", "a", "b", "region", "missing", "unset",
];

/// The variable of references that are written with escapes.
const ESCAPED: &str = "escaped";

/// Text around references, and in their arguments.
const WORDS: &[&str] = &["x", "prod", "-", ".", "/", "7", "_", "a", "tail", "é"];

/// What is written into a manifest by hand next to its references.
const LITERALS: &[&str] = &["$$", "$", "$${a}", "$(HOME)", "$x", "$$$${a}", "{a}", "}"];

fn variables(sequence: &mut Sequence) -> Variables {
    let set = &NAMES[..NAMES.len() - 2];
    let value = |sequence: &mut Sequence| match sequence.below(3) {
        0 => sequence.pick(HOSTILE),
        _ => sequence.pick(TAME),
    };
    set.iter()
        .chain([&ESCAPED])
        .map(|name| ((*name).to_owned(), value(sequence).to_owned()))
        .collect()
}

/// Returns text of an argument: words and references.
fn argument(sequence: &mut Sequence, depth: usize) -> String {
    let mut text = String::new();
    for _ in 0..1 + sequence.below(2) {
        if depth < 3 && sequence.one_in(3) {
            text.push_str(&reference(sequence, depth + 1));
        } else {
            text.push_str(sequence.pick(WORDS));
        }
    }
    text
}

fn reference(sequence: &mut Sequence, depth: usize) -> String {
    let name = sequence.pick(NAMES);
    let rest = match sequence.below(22) {
        0..6 => String::new(),
        6 => format!(":-{}", argument(sequence, depth)),
        7 => format!(":={}", argument(sequence, depth)),
        8 => format!("={}", argument(sequence, depth)),
        9 => format!(
            ":{}{}",
            sequence.pick(&["?", "+"]),
            argument(sequence, depth)
        ),
        10 => format!("/{}/{}", pattern(sequence), word(sequence)),
        11 => format!("//{}/{}", pattern(sequence), word(sequence)),
        12 => format!(
            "/{}{}/{}",
            sequence.pick(&["#", "%"]),
            pattern(sequence),
            word(sequence)
        ),
        13 => format!("#{}", glob(sequence)),
        14 => format!("##{}", glob(sequence)),
        15 => format!("%{}", glob(sequence)),
        16 => format!("%%{}", glob(sequence)),
        17 => sequence.pick(&["^", "^^", ",", ",,"]).to_owned(),
        18 => format!(":{}", number(sequence)),
        19 => format!(":{}:{}", number(sequence), number(sequence)),
        20 => return format!("${{#{name}}}"),
        // Flux refuses the whole document then.
        _ if sequence.one_in(3) => sequence
            .pick(&[
                "-x", "+x", "?x", "@Q", "[0]", " ", ":", "/x", "^x", "##", "!", "-", "{",
            ])
            .to_owned(),
        _ => String::new(),
    };
    format!("${{{name}{rest}}}")
}

fn word(sequence: &mut Sequence) -> String {
    if sequence.one_in(4) {
        sequence.pick(&["$$", "\\/", "\\\\", "", "${b}"]).to_owned()
    } else {
        sequence.pick(WORDS).to_owned()
    }
}

fn pattern(sequence: &mut Sequence) -> String {
    sequence
        .pick(&[
            "a", "e", "o", "-", ".", "\\/", "ä", "1", "${b}", "$$", "com", "ex", " ", "\\\\",
        ])
        .to_owned()
}

fn glob(sequence: &mut Sequence) -> String {
    sequence
        .pick(&[
            "a", "*.", "*-", ".*", "/*", "*/", "e*", "?", "*", "[a-z]", "[^x]*", "*[.-]*", "${b}",
            "\\*", "[", "ä*",
        ])
        .to_owned()
}

fn number(sequence: &mut Sequence) -> String {
    sequence
        .pick(&[
            "0", "1", "2", "3", "8", "40", " -1", " -3", "-", "x", "${D9}",
        ])
        .to_owned()
}

/// Returns the text of a scalar: words, literals and references.
fn text(sequence: &mut Sequence) -> String {
    let mut text = String::new();
    for _ in 0..1 + sequence.below(3) {
        match sequence.below(12) {
            0..2 => text.push_str(sequence.pick(WORDS)),
            2 => text.push_str(sequence.pick(LITERALS)),
            3 => text.push(' '),
            _ => text.push_str(&reference(sequence, 0)),
        }
    }
    text
}

/// Whether YAML reads a text without quotes as itself, whatever is around it.
fn is_plain(text: &str) -> bool {
    let mut chars = text.chars();
    chars
        .next()
        .is_some_and(|c| c.is_ascii_alphanumeric() || c == '$' || c == '_')
        && !text.contains(": ")
        && !text.contains(" #")
        && !text.ends_with([':', ' '])
}

/// Writes a text in one of YAML's styles for one line.
fn scalar(sequence: &mut Sequence, text: &str) -> String {
    match sequence.below(4) {
        0 => serde_json::to_string(text).unwrap(),
        1 => format!("'{}'", text.replace('\'', "''")),
        _ if is_plain(text) => text.to_owned(),
        _ => serde_json::to_string(text).unwrap(),
    }
}

fn value(sequence: &mut Sequence, indent: usize) -> String {
    let blank = " ".repeat(indent);
    match sequence.below(8) {
        0 => {
            let (header, first) = (sequence.pick(&["|", "|-", ">", ">-", "|+"]), text(sequence));
            format!(
                "{header}\n{blank}x{first}\n{blank}{} end\n",
                text(sequence).trim()
            )
        }
        1 => {
            let (one, two) = (text(sequence), text(sequence));
            format!(
                "[{}, {}]\n",
                serde_json::to_string(&one).unwrap(),
                serde_json::to_string(&two).unwrap()
            )
        }
        2 => {
            let (one, two) = (text(sequence), text(sequence));
            format!(
                "\n{blank}- {}\n{blank}- {} # ${{comment\n",
                scalar(sequence, &one),
                scalar(sequence, &two)
            )
        }
        _ => {
            let text = text(sequence);
            format!("{}\n", scalar(sequence, &text))
        }
    }
}

fn config_map(sequence: &mut Sequence) -> String {
    let mut manifest = "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: app\n".to_owned();
    if sequence.one_in(12) {
        let field = sequence.pick(&["labels", "annotations"]);
        let value = sequence.pick(&["disabled", "disabled", "enabled"]);
        let _ = writeln!(
            manifest,
            "  {field}: {{kustomize.toolkit.fluxcd.io/substitute: {value}}}"
        );
    }
    if sequence.one_in(4) {
        let text = text(sequence);
        let _ = write!(
            manifest,
            "  annotations:\n    note: {}\n",
            scalar(sequence, &text)
        );
    }
    manifest.push_str("data:\n");
    for nth in 0..1 + sequence.below(3) {
        let text = text(sequence);
        let _ = writeln!(manifest, "  key{nth}: {}", scalar(sequence, &text));
    }
    if sequence.one_in(4) {
        let text = text(sequence);
        let _ = write!(manifest, "  block: |\n    first\n    {} x\n", text.trim());
    }
    if sequence.one_in(4) {
        let (one, two) = (reference(sequence, 0), reference(sequence, 0));
        let two = two.replace(['"', '\\'], "");
        let _ = write!(
            manifest,
            "  config.yaml: |\n    # a comment\n    one: {one}\n    two: \"x {two}\"\n"
        );
    }
    manifest
}

fn deployment(sequence: &mut Sequence) -> String {
    let (image, arg, variable) = (reference(sequence, 0), text(sequence), text(sequence));
    // Most texts are no number, so that landfall refuses the document.
    let number = if sequence.one_in(8) {
        reference(sequence, 0)
    } else {
        format!("${{missing:={}}}", sequence.pick(&["3", "8080", "x"]))
    };
    let number = if is_plain(&number) {
        number
    } else {
        "3".to_owned()
    };
    format!(
        "apiVersion: apps/v1\nkind: Deployment\nmetadata:\n  name: app\nspec:\n  replicas: {number}\n  template:\n    spec:\n      containers:\n      - name: app\n        image: {}\n        args: [serve, {}]\n        env:\n        - name: X\n          value: {}\n",
        scalar(sequence, &format!("app:{image}")),
        serde_json::to_string(&arg).unwrap(),
        scalar(sequence, &variable),
    )
}

fn custom_resource(sequence: &mut Sequence) -> String {
    let mut manifest = format!("{WITHOUT_TYPES}\nkind: App\nmetadata:\n  name: app\nspec:\n");
    for nth in 0..1 + sequence.below(4) {
        let key = if sequence.one_in(5) {
            let key = format!("k{nth}{}", reference(sequence, 0));
            scalar(sequence, &key)
        } else {
            format!("k{nth}")
        };
        let value = match sequence.below(30) {
            // A reference that ends in the next field, and one that only YAML's escapes show.
            0 => format!("${{b:=x\n  m{nth}: y}}\n"),
            1 => format!("\"\\x24{{{ESCAPED}}}\"\n"),
            _ => value(sequence, 4),
        };
        let _ = write!(manifest, "  {key}: {value}");
        if !manifest.ends_with('\n') {
            manifest.push('\n');
        }
    }
    manifest
}

fn case(sequence: &mut Sequence, nth: u64) -> Case {
    let manifest = match sequence.below(4) {
        0 => config_map(sequence),
        1 => deployment(sequence),
        _ => custom_resource(sequence),
    };
    Case {
        name: format!("generated {nth}"),
        manifest,
        variables: Arc::new(variables(sequence)),
        strict: sequence.one_in(4),
    }
}

#[needs(tools)]
#[test]
fn generated_manifests_render_to_what_flux_applies() {
    let cases = (0..MANIFESTS * factor()).map(|nth| case(&mut Sequence::new(nth), nth));
    Tally::of(cases).report("generated manifests");
}
