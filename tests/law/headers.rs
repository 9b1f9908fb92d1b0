//! Sensitive values in documents whose header readers take in different ways.

use crate::aliases::{bound, is_secret};
use crate::choices::Sequence;
use crate::generated::cases;
use crate::render::render;
use crate::streams::{leaks, readings};

/// Documents of an ordinary run.
const DOCUMENTS: u32 = 8_000;

const NAMES: &[&str] = &[
    "apiVersion",
    "kind",
    "metadata",
    "data",
    "stringData",
    "items",
];

/// Lines that change the resource for some reader, or for none.
fn oddity(sequence: &mut Sequence) -> String {
    let mut pick = |from: &[&'static str]| from[sequence.below(from.len())];
    let name = pick(NAMES);
    let value = pick(&[
        "ConfigMap",
        "v1",
        "&k ConfigMap",
        "*k",
        "!!binary Q29uZmlnTWFw",
        "!!str ConfigMap",
        "{name: x}",
        "{a: b}",
        "\"${infra.configmap}\"",
        "\"\"",
        "null",
        "[ConfigMap]",
    ]);
    match pick(&[
        "key",
        "key",
        "key",
        "merge",
        "character",
        "marker",
        "comment",
        "other",
    ]) {
        "key" => {
            let key = match pick(&[
                "plain",
                "double",
                "single",
                "explicit",
                "case",
                "upper",
                "tag",
                "binary",
                "escape",
                "nul",
                "list",
                "reference",
                "fold",
                "space",
            ]) {
                "double" => format!("\"{name}\""),
                "single" => format!("'{name}'"),
                "explicit" => return format!("? {name}\n: {value}\n"),
                "case" => name[..1].to_uppercase() + &name[1..],
                "upper" => name.to_uppercase(),
                "tag" => format!("!!str {name}"),
                "binary" => "!!binary a2luZA==".to_owned(),
                "escape" => format!("\"\\x{:02x}{}\"", name.as_bytes()[0], &name[1..]),
                "nul" => format!("\"{name}\\0\""),
                "list" => return format!("? [{name}]\n: {value}\n"),
                "reference" => return format!("${{infra.kind}}: {value}\n"),
                "fold" => name.replacen('k', "\u{212a}", 1).replacen('s', "ſ", 1),
                "space" => format!("\"{name} \""),
                _ => name.to_owned(),
            };
            format!("{key}: {value}\n")
        }
        "merge" => {
            let key = pick(&["<<", "!!merge <<", "\"<<\"", "!!merge x"]);
            format!("{key}: {{{name}: {value}}}\n")
        }
        "character" => {
            let c = pick(&[
                "\u{85}", "\u{2028}", "\u{2029}", "\u{feff}", "\r", "\u{b}", "\u{7f}",
            ]);
            format!("# {c}{name}: {value}\n")
        }
        "marker" => pick(&[
            "---x: y\n",
            "...\n",
            "--- # c\n",
            "---\n",
            "%YAML 1.1\n",
            "--- {}\n",
            "----\n",
        ])
        .to_owned(),
        "comment" => format!("# {name}: {value}\n"),
        _ => pick(&[
            "type: Opaque\n",
            "immutable: true\n",
            "x: &k ConfigMap\n",
            "*k : y\n",
            "x: *k\n",
        ])
        .to_owned(),
    }
}

fn document(sequence: &mut Sequence) -> String {
    let mut lines: Vec<String> = [
        "apiVersion: v1\n",
        "kind: Secret\n",
        "metadata: {name: db}\n",
        "stringData: {p: \"${infra.secret}\"}\n",
    ]
    .map(str::to_owned)
    .to_vec();
    if sequence.below(3) == 0 {
        lines.push("data: {p: \"${infra.secret | base64}\"}\n".to_owned());
    }
    for _ in 0..sequence.below(4) {
        let line = oddity(sequence);
        match sequence.below(4) {
            // In the place of one that says the same.
            0 => {
                let at = sequence.below(lines.len());
                lines[at] = line;
            }
            _ => lines.insert(sequence.below(lines.len() + 1), line),
        }
    }
    let text = lines.concat();
    let nested = |header: &str, indent: &str| {
        let body: Vec<&str> = text.lines().collect();
        format!("{header}{}\n", body.join(&format!("\n{indent}")))
    };
    match sequence.below(9) {
        0 => nested("apiVersion: v1\nkind: List\nitems:\n- ", "  "),
        1 => nested("apiVersion: v1\nkind: SecretList\nitems:\n- ", "  "),
        2 => nested(
            "apiVersion: example.com/v1\nkind: Template\nobjects:\n- ",
            "  ",
        ),
        3 => nested(
            "apiVersion: v1\nkind: ConfigMap\ndata:\n  s.yaml: |\n    ",
            "    ",
        ),
        4 => nested("spec:\n  ", "  "),
        5 => format!("a: b\n---\n{text}---\nc: d\n"),
        6 => format!("a: b\n...\n{text}"),
        _ => text,
    }
}

#[test]
fn a_secret_is_one_for_every_reader() {
    let mut sequence = Sequence::new(31);
    let request = bound();
    let count = cases(DOCUMENTS).cases;
    let (mut streams, mut from, mut secrets) = (Vec::new(), Vec::new(), 0);
    for _ in 0..count {
        let text = document(&mut sequence);
        if let Ok(done) = render(text.as_bytes(), &request) {
            let output = String::from_utf8(done.output).unwrap();
            secrets += u32::from(is_secret(&output));
            streams.push(output);
            from.push(text);
        }
    }
    for reading in readings(&streams) {
        for document in &reading.documents {
            assert_eq!(
                leaks(document, &is_secret),
                [""; 0],
                "{} reads\n{}of\n{}",
                reading.reader,
                streams[reading.stream],
                from[reading.stream]
            );
        }
    }
    let rendered = u32::try_from(streams.len()).unwrap();
    assert!(
        rendered > count / 20 && secrets > count / 50,
        "{rendered} rendered, {secrets} of them with the secret"
    );
    println!("{rendered} of {count} rendered, {secrets} with the secret");
}
