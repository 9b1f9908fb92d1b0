//! Tests that the TypeScript types of the package match the Rust types.

use std::path::Path;

use ts_rs::{Config, TS};

use crate::answer;
use crate::positions::{Position, Range};
use crate::tools;

/// The functions and their input, which are declared by hand. The types of answers are generated.
const BY_HAND: &str = include_str!("../js/input.d.ts");

/// `UPDATE=1 cargo test -p landfall-browser` rewrites them.
#[test]
fn the_typescript_types_are_up_to_date() {
    let config = Config::new();
    let mut generated = BY_HAND.to_owned();
    let types = [
        declared::<Position>(&config),
        declared::<Range>(&config),
        declared::<answer::Origin>(&config),
        declared::<answer::Label>(&config),
        declared::<answer::Edit>(&config),
        declared::<answer::Fix>(&config),
        declared::<answer::Resource>(&config),
        declared::<answer::Severity>(&config),
        declared::<answer::Diagnostic>(&config),
        declared::<answer::Counts>(&config),
        declared::<answer::Findings>(&config),
        declared::<answer::RenderedFile>(&config),
        declared::<answer::Rendered>(&config),
        declared::<answer::Substitution>(&config),
        declared::<answer::UnusedOutput>(&config),
        declared::<answer::Explanation>(&config),
        declared::<answer::NameKind>(&config),
        declared::<answer::Completed>(&config),
        declared::<answer::Hovered>(&config),
        declared::<answer::Defined>(&config),
        declared::<answer::Redacted>(&config),
        declared::<answer::Classified>(&config),
        declared::<answer::OtherDialect>(&config),
        declared::<tools::Adopted>(&config),
        declared::<tools::HardCoded>(&config),
        declared::<tools::Outcome>(&config),
        declared::<tools::Migrated>(&config),
        declared::<tools::Rewritten>(&config),
        declared::<tools::Applications>(&config),
        declared::<tools::GeneratedApplication>(&config),
        declared::<tools::Text>(&config),
        declared::<tools::Samples>(&config),
        declared::<tools::Sample>(&config),
        declared::<tools::Compared>(&config),
        declared::<tools::Renders>(&config),
        declared::<tools::Change>(&config),
        declared::<tools::OtherChange>(&config),
        declared::<tools::Value>(&config),
    ];
    for declaration in types {
        generated.push('\n');
        generated.push_str(&declaration);
    }
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("js/index.d.ts");
    if std::env::var_os("UPDATE").is_some_and(|value| value == "1") {
        std::fs::write(&path, &generated).unwrap();
    }
    let committed = std::fs::read_to_string(&path).unwrap_or_default();
    assert!(
        committed == generated,
        "guests/browser/js/index.d.ts is out of date: run UPDATE=1 cargo test -p landfall-browser and review the diff"
    );
}

fn declared<T: TS + 'static>(config: &Config) -> String {
    let docs = T::docs().unwrap_or_default();
    laid_out(&format!("{docs}export {}", T::decl(config)))
}

/// Formats a declaration. Every field has a comment and is therefore already on its own
/// line.
fn laid_out(declaration: &str) -> String {
    let mut text = String::new();
    let mut inside = false;
    let mut lines = declaration.lines().map(str::trim).peekable();
    while let Some(line) = lines.next() {
        let indent = if inside { "  " } else { "" };
        if line == "/**" {
            let comment: Vec<&str> = lines.by_ref().take_while(|line| *line != "*/").collect();
            match comment[..] {
                [one] => text.push_str(&format!(
                    "{indent}/** {} */\n",
                    one.trim_start_matches("* ")
                )),
                _ => {
                    text.push_str(&format!("{indent}/**\n"));
                    for line in comment {
                        text.push_str(&format!("{indent} {line}\n"));
                    }
                    text.push_str(&format!("{indent} */\n"));
                }
            }
        } else if line.ends_with("= {") {
            inside = true;
            text.push_str(&format!("{line}\n"));
        } else if let Some(field) = line.strip_suffix(", };") {
            text.push_str(&format!("{indent}{field};\n}};\n"));
        } else if let Some(field) = line.strip_suffix(',') {
            text.push_str(&format!("{indent}{field};\n"));
        } else {
            text.push_str(&format!("{line}\n"));
        }
    }
    text
}
