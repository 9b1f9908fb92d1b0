//! Untrusted text (file names, keys, messages, values of a Binding) in every output
//! format: it must not start a line, control a terminal or be a command for a CI server.

use landfall_test_support::seed::{Sequence, factor};

use crate::run::TestFolder;

/// Text that a hostile author puts before the marker, which must not start a line.
const HOSTILE: &[&str] = &[
    "\n",
    "\r",
    "\r\n",
    "\n\n",
    "\u{85}",
    "\u{2028}",
    "\u{2029}",
    "\u{b}",
    "\u{c}",
    "\t",
    "\u{1b}[2K",
    "\u{9b}2K",
    "\u{7f}",
    "\u{202e}",
    "\u{200b}",
    "\u{feff}",
    "\u{e0041}",
    "\u{8}",
    "::",
    "##[error]",
    "##vso[task.setvariable variable=a]",
    "::set-output name=a::b",
    "%0A",
    "<!--",
    "]]>",
    "&",
    "\"",
    "'",
    "\\",
    " ",
    "x",
    "ж",
    "😀",
    "]",
    "${",
];

/// A workflow command, which takes effect at the start of a line.
const MARKER: &str = "::error title=injected::";

fn some_text(random: &mut Sequence) -> String {
    let mut text = String::new();
    for _ in 0..=random.below(3) {
        for _ in 0..=random.below(3) {
            text.push_str(random.pick(HOSTILE));
        }
        text.push_str(MARKER);
    }
    text
}

/// Returns a hostile file name: without slashes or NUL, and not too long.
fn some_file_name(random: &mut Sequence) -> String {
    let name: String = some_text(random)
        .replace('/', "_")
        .chars()
        .take(40)
        .collect();
    format!("{name}.yaml")
}

fn is_harmless(char: char) -> bool {
    match char {
        '\n' => true,
        '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{feff}' | '\u{e0041}' => false,
        _ => !char.is_control(),
    }
}

/// Checks that output contains no injected line, command or unsafe character.
#[track_caller]
fn assert_inert(text: &str, what: &str) {
    for line in text.lines() {
        let start = line.trim_start();
        let is_command = start.starts_with("::") && !start.starts_with(":::");
        assert!(!is_command, "{what}: {line:?} in\n{text}");
        assert!(
            !start.starts_with("error title="),
            "{what}: {line:?} in\n{text}"
        );
    }
    for marker in ["##[", "##vso["] {
        assert!(!text.contains(marker), "{what}: {text}");
    }
    assert!(text.chars().all(is_harmless), "{what}: {text:?}");
}

#[track_caller]
fn assert_report_is_inert(format: &str, text: &str) {
    match format {
        "json" | "sarif" | "explain" => {
            serde_json::from_str::<serde_json::Value>(text).unwrap();
            assert_inert(text, format);
        }
        "github" => {
            for line in text.lines() {
                let command = ["::error ", "::warning ", "::notice "]
                    .iter()
                    .find_map(|name| line.strip_prefix(name));
                match command {
                    Some(rest) => {
                        let (properties, data) = rest.split_once("::").unwrap();
                        assert!(properties.contains("title=landfall"), "{line:?}");
                        assert_inert(data, format);
                        assert_inert(properties, format);
                    }
                    None => assert!(line.starts_with("landfall found "), "{line:?}"),
                }
            }
        }
        "junit" => {
            roxmltree::Document::parse(text).unwrap();
            assert_inert(text, format);
        }
        _ => assert_inert(text, format),
    }
}

/// Writes files with untrusted text wherever they allow it. Returns paths to check.
fn write(folder: &TestFolder, random: &mut Sequence) -> Vec<String> {
    let quoted = |text: &str| serde_json::to_string(text).unwrap();
    let [
        key,
        name,
        kind,
        message,
        function,
        output,
        publisher,
        wanted,
    ] = std::array::from_fn(|_| some_text(random));
    let mut manifest = format!(
        "apiVersion: v1\nkind: {}\nmetadata: {{name: {}}}\ndata:\n",
        quoted(&kind),
        quoted(&name),
    );
    for reference in [
        format!("${{infra.nothing | required({})}}", quoted(&message)),
        format!("${{infra.vpc_id | {function}}}"),
        format!("${{infra.vpc_id {function}"),
        format!("${{infra[{}]}}", quoted(&wanted)),
        "${infra.subnets} and".to_owned(),
    ] {
        manifest.push_str(&format!(
            "  {}: {}\n",
            quoted(&format!("{key}{}", manifest.len())),
            quoted(&reference)
        ));
    }
    manifest.push_str(&format!(
        "  plain: ${{infra.x}} # {}\n",
        message.replace(['\n', '\r'], " ")
    ));
    let outputs = serde_json::json!({
        output: {"value": message, "type": "string", "sensitive": false},
        "subnets": {"value": ["a"], "type": ["list", "string"], "sensitive": false},
        "vpc_id": {"value": wanted, "type": "string", "sensitive": false},
    });
    folder.write("infra.json", outputs.to_string());
    let broken = match random.below(4) {
        0 => format!("  {}: 1\n", quoted(&key)),
        1 => format!(
            "  contract: {{infra: {{{}: {{type: string, pattern: {}}}}}}}\n",
            quoted(&output_name(&outputs)),
            quoted(&name)
        ),
        2 => format!(
            "  substitutions: [{{value: {}, targets: [{{select: {{kind: {}}}, fieldPaths: [{}]}}]}}]\n",
            quoted("${infra.vpc_id}"),
            quoted(&kind),
            quoted(&key)
        ),
        _ => String::new(),
    };
    let missing = match random.below(2) {
        0 => format!(
            ", {{name: network, from: {{file: {}}}, publishedBy: {}}}",
            quoted(&some_file_name(random)),
            quoted(&publisher)
        ),
        _ => String::new(),
    };
    folder.write(
        "app/landfall.yaml",
        format!("apiVersion: landfall.dev/v1alpha1\nkind: Binding\nspec:\n  outputs: [{{name: infra, from: {{file: ../infra.json}}}}{missing}]\n{broken}"),
    );
    let file = some_file_name(random);
    folder.write(&format!("app/{file}"), &manifest);
    folder.write(
        "app/fine.yaml",
        format!(
            "apiVersion: v1\nkind: ConfigMap\nmetadata: {{name: fine}}\ndata:\n  {}: ${{infra.vpc_id}}\n",
            quoted(&key)
        ),
    );
    let alone = some_file_name(random);
    folder.write(&alone, manifest);
    vec![
        "app".to_owned(),
        format!("./{alone}"),
        some_file_name(random),
    ]
}

fn output_name(outputs: &serde_json::Value) -> String {
    outputs.as_object().unwrap().keys().next().unwrap().clone()
}

#[test]
fn untrusted_text_is_inert_in_every_format() {
    let mut random = Sequence::new(3);
    for _ in 0..factor() * 6 {
        let folder = TestFolder::new();
        std::fs::create_dir(folder.at(".git")).unwrap();
        let paths = write(&folder, &mut random);
        let target = &paths[random.below(3)];
        for format in ["text", "json", "sarif", "github", "junit"] {
            let run = folder.run(&["check", "-v", "-o", format, "--", target]);
            assert_inert(&run.stderr, "stderr");
            if run.code != Some(3) {
                assert_report_is_inert(format, &String::from_utf8(run.stdout).unwrap());
            }
        }
        let run = folder.run(&["explain", "-b", "infra.json", "--", "app/fine.yaml", target]);
        assert_inert(&run.stderr, "stderr");
        assert_report_is_inert("table", &String::from_utf8(run.stdout).unwrap());
        let run = folder.run(&["explain", "-o", "json", "-b", "infra.json", "app/fine.yaml"]);
        assert_inert(&run.stderr, "stderr");
        if run.code == Some(0) {
            assert_report_is_inert("explain", &String::from_utf8(run.stdout).unwrap());
        }
        // File names to which a shell expanded a pattern.
        let name = some_file_name(&mut random);
        for arguments in [
            ["check", &format!("--{name}")],
            ["check", &format!("-b{name}=")],
            [&name, "app"],
            ["render", &format!("--color={name}")],
        ] {
            let run = folder.run(&arguments);
            assert_inert(&run.stderr, "usage");
        }
    }
}

#[test]
fn a_publisher_cannot_write_a_workflow_command() {
    let folder = TestFolder::new();
    folder.write(
        "landfall.yaml",
        "apiVersion: landfall.dev/v1alpha1\nkind: Binding\nspec:\n  outputs:\n    - {name: infra, from: {file: none.json}, publishedBy: \"us\\n::error::injected\"}\n",
    );
    folder.write(
        "a.yaml",
        "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\n",
    );
    let run = folder.run(&["check"]);
    assert!(
        run.stderr.contains("published by: us␊::error::injected"),
        "{}",
        run.stderr
    );
}
