//! The package's TypeScript types, made of the Rust types that cross.

use std::path::Path;

use ts_rs::{Config, TS};

use crate::answer;
use crate::input::{BoundDocument, Document, Input};
use crate::positions::{Position, Range};

/// What is called, by hand: the types of its arguments and results are made.
const FUNCTIONS: &str = include_str!("../js/functions.d.ts");

/// `UPDATE_TYPES=1 cargo test -p landfall-browser` writes them anew.
#[test]
fn the_types_of_the_package_are_those_of_the_module() {
    let config = Config::new();
    let mut made = FUNCTIONS.to_owned();
    let types = [
        declared::<Document>(&config),
        declared::<BoundDocument>(&config),
        declared::<Input>(&config),
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
        declared::<answer::CompletionKind>(&config),
        declared::<answer::Completed>(&config),
    ];
    for declaration in types {
        made.push('\n');
        made.push_str(&declaration);
    }
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("js/index.d.ts");
    if std::env::var_os("UPDATE_TYPES").is_some_and(|value| value == "1") {
        std::fs::write(&path, &made).unwrap();
    }
    let committed = std::fs::read_to_string(&path).unwrap_or_default();
    assert!(
        committed == made,
        "guests/browser/js/index.d.ts is not what the types say: run UPDATE_TYPES=1 cargo test -p landfall-browser, and read the difference"
    );
}

fn declared<T: TS + 'static>(config: &Config) -> String {
    let docs = T::docs().unwrap_or_default();
    laid_out(&format!("{docs}export {}", T::decl(config)))
}

/// As people write types: every field has a comment, so that each stands on a line of
/// its own already.
fn laid_out(declaration: &str) -> String {
    let mut text = String::new();
    let mut inside = false;
    let mut lines = declaration.lines().map(str::trim).peekable();
    while let Some(line) = lines.next() {
        let indent = if inside { "  " } else { "" };
        if line == "/**" {
            let said: Vec<&str> = lines.by_ref().take_while(|line| *line != "*/").collect();
            match said[..] {
                [one] => text.push_str(&format!(
                    "{indent}/** {} */\n",
                    one.trim_start_matches("* ")
                )),
                _ => {
                    text.push_str(&format!("{indent}/**\n"));
                    for line in said {
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
