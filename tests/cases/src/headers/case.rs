//! Secrets whose header YAML readers interpret differently.

use crate::choices::Choices;

const NAMES: &[&str] = &[
    "apiVersion",
    "kind",
    "metadata",
    "data",
    "stringData",
    "items",
];

/// Returns lines that change the resource for some reader, or for none.
fn oddity(choices: &mut Choices<'_>) -> String {
    let mut pick = |from: &[&'static str]| from[choices.below(from.len())];
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

/// Generates one stream.
pub(super) fn document(choices: &mut Choices<'_>) -> String {
    let mut lines: Vec<String> = [
        "apiVersion: v1\n",
        "kind: Secret\n",
        "metadata: {name: db}\n",
        "stringData: {p: \"${infra.secret}\"}\n",
    ]
    .map(str::to_owned)
    .to_vec();
    if choices.below(3) == 0 {
        lines.push("data: {p: \"${infra.secret | base64}\"}\n".to_owned());
    }
    for _ in 0..choices.below(4) {
        let line = oddity(choices);
        match choices.below(4) {
            // Replaces a line.
            0 => {
                let at = choices.below(lines.len());
                lines[at] = line;
            }
            _ => lines.insert(choices.below(lines.len() + 1), line),
        }
    }
    let text = lines.concat();
    let nested = |header: &str, indent: &str| {
        let body: Vec<&str> = text.lines().collect();
        format!("{header}{}\n", body.join(&format!("\n{indent}")))
    };
    match choices.below(9) {
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
