//! Every operator with ordinary and odd arguments: one template, one text.

use std::io::Write as _;
use std::sync::Arc;

use landfall_test_needs::needs;
use serde_json::{Value as Json, json};

use crate::case::Case;
use crate::meant::Meant;
use crate::peer::{Flux, Variables};

/// The variables; `missing` is not one of them.
const VARIABLES: &[(&str, &str)] = &[
    ("a", "value"),
    ("b", "bbb"),
    ("empty", ""),
    ("one", "1"),
    ("neg", "-3"),
    ("path", "/usr/local/bin/tool.tar.gz"),
    ("name", "prod-eu-1.example.com"),
    ("word", "Hello World"),
    ("uni", "äÖß€😀ǆıİΣς"),
    ("file", "bash.string.txt"),
    ("lines", "one\ntwo\n"),
    ("crlf", "a\r\nb"),
    ("dollar", "$$"),
    ("ref", "${a}"),
    ("slash", "a/b/c/a"),
    ("quote", "it's \"x\""),
    ("bs", "a\\b\\\\c"),
    ("star", "a*b?c[d]"),
    ("spaces", "  lead and trail  "),
    ("brace", "a}b{c"),
    ("colon", "a:b:c"),
    ("long", "0123456789abcdef"),
    ("rep", "aXbXcX"),
    ("pat", "X"),
    ("url", "https://h:80/p?q=1#f"),
    ("_x1", "underscore"),
    ("A9", "digits"),
];

/// Text around references, and what only looks like one.
const TEXTS: &[&str] = &[
    "x${a}y",
    "${a}${b}",
    "${a} ${b}",
    "[${empty}]",
    "${a}\n",
    "${a}\n${b}\n",
    "${a}.${b}.svc",
    "$a",
    "$",
    "$$",
    "$$$",
    "$$$$",
    "$$$$$",
    "a$b",
    "$$a",
    "a$$",
    "a$$$b",
    "$(a)",
    "$$(a)",
    "$$$(a)",
    "$ {a}",
    "$}",
    "{a}",
    "}",
    "{",
    "$${a}",
    "$$${a}",
    "$$$${a}",
    "$$$$${a}",
    "$${a",
    "$${missing:-x}",
    "$${{a}}",
    "${{a}}",
    "$${$${a}}",
    "$1",
    "$*",
    "$@",
    "$?",
    "$#",
    "$-",
    "\\${a}",
    "\\$${a}",
    "\\\\${a}",
    "\\$a",
    "$\\{a}",
    "$é",
    "$$é",
    "é${a}é",
    "$é${a}",
    "`${a}`",
    "'${a}'",
    "\"${a}\"",
    "#${a}",
    "a # ${a}",
    "$\n{a}",
    "${a}$",
    "${a}$$",
    "${a}$$$",
    "$${",
    "$${}",
    "$${a}}",
    "${a}{${b}}",
    "${a}$${b}$${c}",
    "$${a}${a}",
    "${a}: ${b}",
    "{{ $x }}",
    "echo $(date) $HOME ${a} $${HOME}",
    "for i in ${a[@]}; do echo $i; done",
    "^${a}$",
    "^${a}$$",
    "$$(POD_IP)",
    "$$$$(POD_IP)",
    "^(?P<x>[a-z]+)$",
    "${a}\\",
    "${a}\\n",
    "<${a}>",
    "%${a}%",
    "[[${a}]]",
    "$__rate_interval ${a}",
    "${__rate_interval}",
    "${datasource:text}",
    "${a}}",
    "${a}}}",
    "${a:-b}${b:-a}",
    "https://${name}:${one}/${missing:-x}?y=${empty:=z}",
];

/// What is between the braces.
const INSIDE: &[&str] = &[
    // Names.
    "a",
    "empty",
    "missing",
    "lines",
    "crlf",
    "dollar",
    "ref",
    "quote",
    "bs",
    "brace",
    "spaces",
    "uni",
    "_x1",
    "A9",
    "9",
    "1a",
    "a9",
    "é",
    "ß",
    "名前",
    "a-b",
    "a.b",
    "a b",
    " a",
    "a ",
    " a ",
    "\na",
    "a\n",
    "a\t",
    "",
    " ",
    "-a",
    ".a",
    "!a",
    "@",
    "*",
    "*_X",
    "AUTH[@]",
    "AUTH[0]",
    "a[0]",
    "a@Q",
    "$a",
    "$",
    "$$",
    "${a}",
    "_",
    "{a",
    "a{",
    "a;b",
    "a|b",
    "a!",
    "a~",
    "a&",
    "a*",
    "a(b)",
    "a\"",
    "A-Z",
    "a\u{660}",
    "a²",
    "aⅣ",
    "a\u{301}",
    "ａ",
    // Defaults.
    "missing:-:-",
    "missing:-a:b",
    "missing:-a#b",
    "missing:-#",
    "missing:-/a/b",
    "missing:-%",
    "missing:-äöü😀",
    "missing:-$$$${a}",
    "missing:-$$${a}",
    "missing==x",
    "missing===x",
    "missing:==x",
    "missing:--x",
    "missing=-x",
    "missing:-=x",
    "missing:!x",
    "missing:~x",
    "missing:-${a:1}",
    "missing:-${a^^}",
    "missing:-${#a}",
    "missing:-${a/v/V}",
    "missing:-${a%e}",
    "missing:-${}",
    "missing:-${a b}",
    "missing:-{}",
    "missing:-{\"a\":1}",
    "missing:-[]",
    "missing:-${a}${b}",
    "missing:-${a}-${b}-c",
    "missing:-\\\\",
    "missing:-a\\nb",
    "missing:-https://x:80/y",
    "missing:-it's",
    "empty:-${missing:-${missing:-deep}}",
    "missing:-${a}:${b}",
    "missing:",
    "a:",
    "a::",
    "a::1",
    "a: ",
    // Lengths.
    "#",
    "##",
    "###",
    "#a",
    "##a",
    "#uni",
    "#empty",
    "#missing",
    "#lines",
    "#long",
    "# a",
    "#a ",
    "#a:-x",
    "#-",
    "#@",
    "#*",
    "#${a}",
    "#a#b",
    "#9",
    "#é",
    // Case.
    "a^^^",
    "a,,,",
    "a^,",
    "a,^",
    "a^x",
    "a^^x",
    "a,x",
    "a^ ",
    "a ^",
    "a^^[a-z]",
    "a^^:-x",
    // Replacements.
    "rep/#",
    "rep/%",
    "rep//",
    "rep/",
    "rep///",
    "rep////",
    "rep/##/x",
    "rep/%%/x",
    "rep/#X",
    "rep/\n/x",
    "rep/X/\n",
    "rep/X:Y",
    "rep/X/${a}/${b}",
    "slash//\\//",
    "slash/\\/\\//x",
    // Removals.
    "file#${missing}",
    "file#b${a}",
    "file#${b}x",
    "file#*${empty}.",
    "file%.${missing:-txt}",
    "file%${missing:-.txt}",
    "name%%${missing:-.*}",
    "file###b",
    "file%%%t",
    "file#%b",
    "file%#t",
    "file# ",
    "file#b ",
    "file#$$",
    "file#'bash'",
    // Unclosed, with the closing brace that is added.
    "a:-${b",
    "a:-x${b",
];

/// References that nothing closes.
const UNCLOSED: &[&str] = &[
    "${",
    "${a",
    "${a:",
    "${a:-",
    "${a:-x",
    "${a:-${b}",
    "${a/",
    "${a/x",
    "${a/x/",
    "${a/x/y",
    "${a//",
    "${a#",
    "${a##",
    "${a#x",
    "${a%",
    "${a%%x",
    "${a^",
    "${a^^",
    "${a,",
    "${#",
    "${#a",
    "${a:1",
    "${a:1:",
    "${a:1:2",
    "${a=",
    "${a=x",
    "text ${a",
    "${a} ${",
    "${missing} ${",
    "${a\nb: c",
    "x ${a:-b\n",
];

/// Defaults, with each operator and name.
const DEFAULTS: &[&str] = &[
    "",
    "x",
    "x y",
    "${a}",
    "${missing}",
    "x${a}y${b}z",
    "$$",
    "$${a}",
    "\\}",
    "\\/",
    "{x}",
    "'q'",
    "\"q\"",
    " a",
    "$",
    "$x",
    "${empty}",
    "}",
    "\n",
    "a\nb",
    ":-",
    "=",
];

/// Positions and lengths of substrings.
const POSITIONS: &[&str] = &[
    "0",
    "1",
    "5",
    "15",
    "16",
    "17",
    "-1",
    "-3",
    " -3",
    " 1",
    "1 ",
    "x",
    "1x",
    "+1",
    "0x1",
    "1.5",
    "1e1",
    "01",
    "-0",
    "--1",
    "99999999999999999999",
    "9223372036854775807",
    "0:0",
    "0:1",
    "0:16",
    "0:17",
    "5:3",
    "5:-1",
    "5:-11",
    "5:-12",
    "5:-99",
    "16:1",
    "17:1",
    "17:-1",
    "-3:2",
    "-3:-1",
    "-3:-4",
    " -3:2",
    "x:1",
    "1:x",
    "1:",
    "1: ",
    "1: 2",
    "1:2 ",
    "1:+2",
    "1:2:3",
    "1:-",
    "0:99999999999999999999",
    "0:9223372036854775807",
    "1:-9223372036854775807",
    "${one}",
    "${one}:${one}",
    "${one}:2",
    "1:${one}",
    "0${one}",
    "${one}0",
    "1:${one}0",
    "1:1${one}",
    "${neg}",
    "0:${neg}",
    "${missing}",
    "${missing}:1",
    "1:${missing}",
    "${empty}",
    "1:$$",
    "$$:1",
    "\n1",
    "1\n",
    "1:/",
    "2:2",
    "4:2",
];

/// Replacements, by the variable that they are for.
const REPLACEMENTS: &[(&str, &[&str])] = &[
    (
        "rep",
        &[
            "X/Y",
            "X/",
            "X",
            "X/Y/Z",
            "/",
            "/Y",
            "",
            "XX/Y",
            "a/b",
            "cX/",
            "aX/",
            "cX/!",
            "aX/!",
            "X//",
            "X/\\/",
            "\\//Y",
            "*/Y",
            "?/Y",
            "[X]/Y",
            "X/${a}",
            "${pat}/Y",
            "${pat}/${a}",
            "${pat}/",
            "${pat}Z/Y",
            "Z${pat}/Y",
            "X/${a}z",
            "X/z${a}",
            "${missing}/Y",
            "X/${missing}",
            "X/$$",
            "X/$",
            "X/$$${a}",
            "$$/Y",
            "X/\\$",
            "X/}Y",
            "X/ ",
            "X/{}",
            "X/a b",
        ],
    ),
    (
        "slash",
        &[
            "\\//-",
            "a/b",
            "a\\/b/Z",
            "\\/a/Z",
            "c\\/a/Z",
            "a\\/b\\/c/q\\/r",
            "/-",
            "\\\\//x",
            "a/\\/",
        ],
    ),
    (
        "bs",
        &["\\\\/S", "\\/S", "b/\\\\", "\\b/x", "b/\\n", "\\\\\\\\/S"],
    ),
    ("dollar", &["$$/x", "$/x", "$$$$/x", "$$/$$", "$/$$$$"]),
    ("empty", &["a/b", "/b", "a/"]),
    ("missing", &["a/b"]),
    ("uni", &["ß/ss", "€/", "ä/a", "İ/ι"]),
    ("quote", &["\"/'", "'/"]),
];

/// Globs, by the variable that they are for.
const GLOBS: &[(&str, &[&str])] = &[
    (
        "file",
        &[
            "bash",
            ".txt",
            "*.",
            "*.*",
            ".*",
            "*",
            "?",
            "????",
            "[a-z]",
            "[a-z]*",
            "[^b]*",
            "[b]*",
            "[",
            "[a",
            "[a-",
            "[]a]",
            "[!b]*",
            "\\*",
            "\\.txt",
            "bash.",
            "b*h",
            "*s",
            "*t",
            "txt",
            "string",
            "x",
            "",
            "bash.string.txt",
            "**",
            "*?",
            "?*",
            "${a}",
            "*${empty}",
            "[a-z]?*",
            ".[a-z]*",
            "]",
            "a]",
            "*.[t]*",
            "t?t",
            "*[.]*",
            "\\",
            "\\\\",
            "*\\",
            "txt.*",
            "*a*i*",
            "[z-a]*",
            "[a-zz]*",
            "[\\b]*",
            "[b-\\z]*",
            "[^]*",
            "[-b]*",
            "[b-]*",
        ],
    ),
    (
        "path",
        &[
            "/", "*/", "/*", "*", "/usr", "/*/", "*.", "*/*", "\\/usr", "[/]*", ".tar*", ".*",
            "?usr*", "*/bin",
        ],
    ),
    (
        "star",
        &[
            "a\\*", "\\]", "[*]", "*[?]*", "*\\[*", "[d]", "\\[d\\]", "a[*]b", "[\\]]", "*[\\[]*",
        ],
    ),
    (
        "uni",
        &[
            "ä", "?", "??", "*", "*€", "ς", "[ä]", "[ä-ö]", "[^a-z]", "[α-ω]*", "😀*", "*😀", "\\ä",
        ],
    ),
    (
        "url",
        &[
            "https://", "*://", "*:*", "#f", "#*", "\\#*", "?q*", "\\?*", "/*", ":*", "http?://",
        ],
    ),
    (
        "name",
        &[
            "prod-",
            "-*",
            ".*",
            "*.",
            "*-",
            "*-*-",
            ".example.com",
            "[a-z]*-",
        ],
    ),
    ("bs", &["a\\\\", "\\\\c", "\\", "a?b", "*\\\\"]),
    ("dollar", &["$", "$$", "\\$", "?", "*"]),
    ("empty", &["x", "*", ""]),
    ("missing", &["x", "*"]),
    ("colon", &["a:", "*:", ":c", ":*"]),
    ("brace", &["a}", "{c", "a\\}", "*{"]),
    ("word", &[" World", "Hello ", "* ", " *", "[H]*", "[A-Z]"]),
];

fn templates() -> Vec<String> {
    let texts = TEXTS.iter().chain(UNCLOSED).map(|text| (*text).to_owned());
    let mut templates: Vec<_> = texts.collect();
    templates.extend(INSIDE.iter().map(|inside| format!("${{{inside}}}")));
    for operator in [":-", ":=", ":?", ":+", "=", "-", "+", "?"] {
        for name in ["a", "empty", "missing"] {
            let arguments = DEFAULTS.iter();
            templates.extend(arguments.map(|argument| format!("${{{name}{operator}{argument}}}")));
        }
    }
    for name in ["long", "uni", "empty", "missing"] {
        let positions = POSITIONS.iter();
        templates.extend(positions.map(|position| format!("${{{name}:{position}}}")));
    }
    let mut all = |operators: &[&str], arguments: &[(&str, &[&str])]| {
        for operator in operators {
            for (name, arguments) in arguments {
                let arguments = arguments.iter();
                templates
                    .extend(arguments.map(|argument| format!("${{{name}{operator}{argument}}}")));
            }
        }
    };
    all(&["/", "//", "/#", "/%"], REPLACEMENTS);
    all(&["#", "##", "%", "%%"], GLOBS);
    for operator in [",", ",,", "^", "^^"] {
        let names = ["a", "uni", "word", "empty", "missing"].iter();
        templates.extend(names.map(|name| format!("${{{name}{operator}}}")));
    }
    templates.sort();
    templates.dedup();
    templates
}

/// Returns a ConfigMap with a template in a field.
fn case(template: &str, variables: &Arc<Variables>, strict: bool) -> Case {
    let manifest = json!({
        "apiVersion": "v1",
        "kind": "ConfigMap",
        "metadata": {"name": "app"},
        "data": {"text": template},
    });
    Case {
        name: template.to_owned(),
        manifest: manifest.to_string(),
        variables: Arc::clone(variables),
        strict,
    }
}

/// Returns the text that landfall makes of the template.
fn rendered(case: &Case) -> Result<String, String> {
    let rendered = case.render().map_err(|errors| {
        let errors: Vec<_> = errors
            .iter()
            .map(|error| format!("{}: {}", error.rule.id(), error.message))
            .collect();
        errors.join("; ")
    })?;
    let decoded: Json = serde_yaml::from_str(&rendered).unwrap();
    match &decoded["data"]["text"] {
        Json::String(text) => Ok(text.clone()),
        other => Err(format!("not a string: {other}")),
    }
}

/// Whether the name in the first reference has a letter or digit that is not ASCII.
fn names_beyond_ascii(template: &str) -> bool {
    let (_, name) = template.split_once("${").unwrap_or_default();
    let name = name.trim_start_matches('#');
    let mut rest = name
        .trim_start_matches(|c: char| c.is_ascii_alphanumeric() || c == '_')
        .chars();
    rest.next()
        .is_some_and(|c| !c.is_ascii() && c.is_alphanumeric())
}

#[needs(tools)]
#[test]
fn templates_become_the_texts_of_flux() {
    let mut flux = Flux::start();
    let variables: Variables = VARIABLES
        .iter()
        .map(|(name, value)| ((*name).to_owned(), (*value).to_owned()))
        .collect();
    let variables = Arc::new(variables);
    let templates = templates();
    assert!(templates.len() > 1_000, "{} templates", templates.len());
    let (mut equal, mut refused, mut classified, mut different) = (0, 0, 0, Vec::new());
    for template in &templates {
        for strict in [false, true] {
            // Values keep their line breaks: the rule `flux-drops-line-breaks`.
            let expected = flux.text(template, &variables, strict, true);
            let found = rendered(&case(template, &variables, strict));
            match (&expected, &found) {
                (Ok(expected), Ok(found)) if expected == found => equal += 1,
                (Err(_), Err(_)) => refused += 1,
                (_, Ok(found))
                    if Meant::of(
                        &mut flux,
                        &case(template, &variables, strict),
                        template,
                        &expected,
                    )
                    .is_some_and(|meant| meant.text == *found) =>
                {
                    classified += 1;
                }
                // A name that no variable can have: Flux knows it is missing in strict mode only.
                (Ok(_), Err(_)) if names_beyond_ascii(template) && !strict => classified += 1,
                _ => different.push(format!(
                    "{template:?}{}\n  Flux:     {expected:?}\n  landfall: {found:?}",
                    if strict { ", strict" } else { "" },
                )),
            }
        }
    }
    let counts = format!(
        "templates: {equal} texts equal, {refused} refused by both, {classified} classified, {} unexplained\n",
        different.len()
    );
    let _ = std::io::stderr().write_all(counts.as_bytes());
    assert!(different.is_empty(), "{}", different.join("\n"));
}
