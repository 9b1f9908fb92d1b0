//! Tests that the `console` blocks of `docs/rules.md`, `docs/outputs.md`, `docs/exports.md`,
//! `docs/fleet.md`, `docs/diff.md`, `docs/adopt.md`, `docs/dialects/migrate.md` and
//! `docs/dialects/applicationset.md` show the command's real output.
//!
//! In a chapter, blocks with a path after the language are files. A `console` block
//! contains `$ landfall …` lines, each followed by its standard output and standard
//! error, and by a line with the exit code unless that is 0 or 1.
//! `UPDATE=1 cargo test -p landfall-host` rewrites the output.

use std::path::Path;

use crate::run::{Run, TestFolder};

#[test]
fn console_examples_of_the_outputs_page_match_the_command() {
    check_page("outputs.md");
}

#[test]
fn console_examples_of_the_exports_page_match_the_command() {
    check_page("exports.md");
}

#[test]
fn console_examples_of_the_fleet_page_match_the_command() {
    check_page("fleet.md");
}

/// Checks a page whose examples share their files.
#[track_caller]
fn check_page(name: &str) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../docs")
        .join(name);
    let page = std::fs::read_to_string(&path).unwrap();
    let folder = TestFolder::new();
    let rewritten = with_actual_output(&page, &folder);
    compare(&path, page, rewritten);
}

#[test]
fn console_examples_of_the_rules_match_the_command() {
    check("rules.md");
}

#[test]
fn console_examples_of_adopt_match_the_command() {
    check("adopt.md");
}

#[test]
fn console_examples_of_migrate_match_the_command() {
    check("dialects/migrate.md");
}

#[test]
fn console_examples_of_applicationsets_match_the_command() {
    check("dialects/applicationset.md");
}

#[test]
fn console_examples_of_diff_match_the_command() {
    check("diff.md");
}

#[track_caller]
fn check(page: &str) {
    let docs = Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs");
    let path = docs.join(page);
    let page = std::fs::read_to_string(&path).unwrap();
    let mut rewritten = String::new();
    for chapter in chapters(&page) {
        let folder = TestFolder::new();
        if chapter.contains("`utf-16.json`") {
            let utf_16 = "\u{feff}{}\r\n".encode_utf16().flat_map(u16::to_le_bytes);
            folder.write("utf-16.json", utf_16.collect::<Vec<_>>());
        }
        if chapter.contains("`many.yaml`") {
            let name = "b".repeat(250);
            let resource =
                format!("---\napiVersion: v1\nkind: ConfigMap\nmetadata: {{name: {name}}}\n");
            folder.write("many.yaml", resource.repeat(120));
            let target =
                "    - {select: {kind: ConfigMap, name: \"a.{0,300}z\"}, fieldPaths: [data.vpc]}\n";
            let binding = "apiVersion: landfall.dev/v1alpha1\nkind: Binding\nspec:\n  substitutions:\n  - value: ${infra.vpc_id}\n    targets:\n";
            folder.write(
                "many-patterns.yaml",
                format!("{binding}{}", target.repeat(120)),
            );
        }
        rewritten.push_str(&with_actual_output(chapter, &folder));
    }
    compare(&path, page, rewritten);
}

/// Compares a page with its actual output, or rewrites it.
#[track_caller]
fn compare(path: &Path, page: String, rewritten: String) {
    if std::env::var_os("UPDATE").is_some_and(|value| value == "1") {
        std::fs::write(path, &rewritten).unwrap();
    } else {
        snapbox::assert_data_eq!(rewritten, snapbox::Data::text(page).raw());
    }
}

/// Splits the page before each heading `## …`.
fn chapters(page: &str) -> impl Iterator<Item = &str> {
    let mut rest = page;
    std::iter::from_fn(move || {
        if rest.is_empty() {
            return None;
        }
        let end = rest[1..].find("\n## ").map_or(rest.len(), |at| at + 2);
        let (chapter, others) = rest.split_at(end);
        rest = others;
        Some(chapter)
    })
}

/// Returns the chapter with the actual output in its `console` blocks. Examples
/// (`### it …`) are run by tests/specs, without files.
fn with_actual_output(chapter: &str, folder: &TestFolder) -> String {
    let mut text = String::new();
    let mut lines = chapter.lines();
    while let Some(line) = lines.next() {
        text.push_str(line);
        text.push('\n');
        let Some(info) = line.strip_prefix("```") else {
            continue;
        };
        let block: Vec<&str> = lines.by_ref().take_while(|line| *line != "```").collect();
        let file = info.split_once(' ').map(|(_, path)| path);
        if info == "console" {
            for command in block.iter().filter(|line| line.starts_with("$ ")) {
                text.push_str(command);
                text.push('\n');
                text.push_str(&run(folder, &command[2..]));
            }
        } else {
            let content: String = block.iter().map(|line| format!("{line}\n")).collect();
            if let Some(path) = file.filter(|path| path.contains('.')) {
                folder.write(path, &content);
            }
            text.push_str(&content);
        }
        text.push_str("```\n");
    }
    text
}

fn run(folder: &TestFolder, command: &str) -> String {
    let (command, input) = match command.split_once(" < ") {
        Some((command, file)) => (command, folder.read(file)),
        None => (command, String::new()),
    };
    let mut words = command.split(' ');
    assert_eq!(words.next(), Some("landfall"), "{command}");
    let arguments: Vec<&str> = words.map(|word| word.trim_matches('\'')).collect();
    let Run {
        code,
        stdout,
        stderr,
        ..
    } = folder.run_with_stdin(&arguments, input);
    let mut output = String::from_utf8(stdout).unwrap() + &stderr;
    let code = code.unwrap();
    if code > 1 {
        output.push_str(&format!("(exit code {code})\n"));
    }
    output
}
