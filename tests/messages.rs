//! Every user-visible text of `src/` in one listing: `src/report/messages.md`. Texts are
//! written where they are reported; the listing lets one read them all together, and
//! shows a change of one in review.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::disallowed_methods,
    reason = "tests panic, and this one reads the sources"
)]

use std::collections::BTreeSet;
use std::fmt::Write;
use std::fs;
use std::path::{Path, PathBuf};

use proc_macro2::{TokenStream, TokenTree};
use syn::visit::Visit;

const UPDATE: &str = "UPDATE=1 cargo test -p landfall --test plugin messages";

const INTRODUCTION: &str = "# Messages

Every text of the plugin that a person may read: messages, labels, help, the titles of
fixes, and the fragments that they are made of. They are listed by room and file, in the
order of the sources, under the rules that their function reports. `{…}` is filled in.
";

/// The texts of one function.
#[derive(Default)]
struct Texts {
    /// The variants of `Rule` that the function mentions.
    rules: BTreeSet<String>,
    texts: Vec<String>,
}

/// Collects the texts of a file, function by function.
#[derive(Default)]
struct Collector {
    functions: Vec<Texts>,
}

impl Collector {
    fn current(&mut self) -> &mut Texts {
        if self.functions.is_empty() {
            self.functions.push(Texts::default());
        }
        self.functions.last_mut().unwrap()
    }

    fn text(&mut self, text: &str) {
        if is_message(text) {
            self.current().texts.push(text.to_owned());
        }
    }

    /// Collects the texts and rules in the arguments of a macro.
    fn tokens(&mut self, tokens: TokenStream) {
        let mut after_rule = 0;
        let mut is_attribute = false;
        for token in tokens {
            let is_skipped = std::mem::take(&mut is_attribute);
            match token {
                TokenTree::Group(_) if is_skipped => {}
                TokenTree::Punct(punct) if punct.as_char() == '#' => is_attribute = true,
                TokenTree::Group(group) => self.tokens(group.stream()),
                TokenTree::Literal(literal) => {
                    if let Ok(literal) = syn::parse_str::<syn::LitStr>(&literal.to_string()) {
                        self.text(&literal.value());
                    }
                }
                TokenTree::Ident(ident) if after_rule == 2 => {
                    self.current().rules.insert(ident.to_string());
                    after_rule = 0;
                }
                TokenTree::Ident(ident) if ident == "Rule" => after_rule = 0,
                TokenTree::Punct(punct) if punct.as_char() == ':' => after_rule += 1,
                TokenTree::Ident(_) | TokenTree::Punct(_) => after_rule = 0,
            }
        }
    }

    fn function(&mut self, visit: impl FnOnce(&mut Self)) {
        self.functions.push(Texts::default());
        visit(self);
        self.functions.push(Texts::default());
    }
}

/// The configurations that no user has.
const IN_TESTS: [&str; 2] = ["test", "feature = \"toys\""];

fn is_test(attributes: &[syn::Attribute]) -> bool {
    attributes.iter().any(|attribute| {
        let list = attribute.meta.require_list();
        attribute.path().is_ident("cfg")
            && list.is_ok_and(|list| IN_TESTS.contains(&&*list.tokens.to_string()))
    })
}

impl<'ast> Visit<'ast> for Collector {
    // Documentation is not shown to users.
    fn visit_attribute(&mut self, _: &'ast syn::Attribute) {}

    fn visit_item_mod(&mut self, module: &'ast syn::ItemMod) {
        if !is_test(&module.attrs) {
            syn::visit::visit_item_mod(self, module);
        }
    }

    fn visit_item_fn(&mut self, function: &'ast syn::ItemFn) {
        if !is_test(&function.attrs) {
            self.function(|it| syn::visit::visit_item_fn(it, function));
        }
    }

    fn visit_impl_item_fn(&mut self, function: &'ast syn::ImplItemFn) {
        if !is_test(&function.attrs) {
            self.function(|it| syn::visit::visit_impl_item_fn(it, function));
        }
    }

    fn visit_field_value(&mut self, field: &'ast syn::FieldValue) {
        if !is_test(&field.attrs) {
            syn::visit::visit_field_value(self, field);
        }
    }

    fn visit_lit_str(&mut self, text: &'ast syn::LitStr) {
        self.text(&text.value());
    }

    fn visit_path(&mut self, path: &'ast syn::Path) {
        let names: Vec<_> = path
            .segments
            .iter()
            .map(|it| it.ident.to_string())
            .collect();
        if let [.., parent, rule] = names.as_slice()
            && parent == "Rule"
        {
            self.current().rules.insert(rule.clone());
        }
        syn::visit::visit_path(self, path);
    }

    fn visit_macro(&mut self, call: &'ast syn::Macro) {
        if !call.path.is_ident("macro_rules") {
            self.tokens(call.tokens.clone());
        }
    }
}

/// Whether a literal is a sentence or a part of one: a word next to another word, or to a
/// placeholder.
fn is_message(text: &str) -> bool {
    let mut depth = 0;
    let written = |letter: char| {
        match letter {
            '{' => depth += 1,
            '}' => depth -= 1,
            _ => {}
        }
        match depth {
            0 => letter,
            _ => '.',
        }
    };
    let written: String = text.chars().map(written).collect();
    let is_word = |word: &str| word.chars().filter(char::is_ascii_alphabetic).count() > 1;
    text.trim().contains(' ') && written.split_whitespace().any(is_word)
}

/// Returns the id of a rule from the name of its variant: `unknown-output` for
/// `UnknownOutput`.
fn id(variant: &str) -> String {
    let mut id = String::new();
    for letter in variant.chars() {
        if letter.is_ascii_uppercase() && !id.is_empty() {
            id.push('-');
        }
        id.push(letter.to_ascii_lowercase());
    }
    id.replace("utf8", "utf-8")
}

/// Returns every Rust file below a folder, sorted, without those that contain only tests.
fn files(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            found.extend(files(&path));
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            found.push(path);
        }
    }
    found.sort();
    found
}

/// Returns the files of the test modules: `#[cfg(test)] mod tests;`.
fn test_modules(file: &Path, syntax: &syn::File) -> Vec<PathBuf> {
    let is_parent = file
        .file_stem()
        .is_some_and(|stem| stem == "mod" || stem == "lib");
    let folder = if is_parent {
        file.parent().unwrap().to_owned()
    } else {
        file.with_extension("")
    };
    let modules = syntax.items.iter().filter_map(|item| match item {
        syn::Item::Mod(module) if is_test(&module.attrs) => Some(&module.ident),
        _ => None,
    });
    modules
        .map(|name| folder.join(format!("{name}.rs")))
        .collect()
}

fn listing() -> String {
    let sources = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let mut parsed = Vec::new();
    let mut tests = BTreeSet::new();
    for file in files(&sources) {
        let syntax = syn::parse_file(&fs::read_to_string(&file).unwrap()).unwrap();
        tests.extend(test_modules(&file, &syntax));
        parsed.push((file, syntax));
    }
    let mut listing = INTRODUCTION.to_owned();
    let mut room = String::new();
    for (file, syntax) in parsed {
        let mut collector = Collector::default();
        collector.visit_file(&syntax);
        collector.functions.retain(|it| !it.texts.is_empty());
        if tests.contains(&file) || collector.functions.is_empty() {
            continue;
        }
        let relative = file.strip_prefix(&sources).unwrap().to_str().unwrap();
        let path = relative.replace('\\', "/");
        let (in_room, _) = path.split_once('/').unwrap_or((&path, ""));
        if room != in_room {
            in_room.clone_into(&mut room);
            write!(listing, "\n## {room}\n").unwrap();
        }
        write!(listing, "\n### {path}\n").unwrap();
        let mut before = None;
        for function in collector.functions {
            let rules: Vec<_> = function.rules.iter().map(|rule| id(rule)).collect();
            let rules = rules.join(", ");
            if before.as_ref() != Some(&rules) {
                match rules.as_str() {
                    "" => listing.push('\n'),
                    rules => write!(listing, "\n{rules}:\n\n").unwrap(),
                }
            }
            before = Some(rules);
            for text in function.texts {
                writeln!(
                    listing,
                    "- {}",
                    text.escape_debug()
                        .to_string()
                        .replace("\\\"", "\"")
                        .replace("\\'", "'")
                )
                .unwrap();
            }
        }
    }
    listing
}

#[test]
fn lists_every_message_of_the_sources() {
    let page = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/report/messages.md");
    let listing = listing();
    if std::env::var_os("UPDATE").is_some_and(|value| value == "1") {
        fs::write(&page, &listing).unwrap();
    }
    let committed = fs::read_to_string(&page).unwrap_or_default();
    let changed = || {
        let lines = |text: &str| text.lines().map(str::to_owned).collect::<BTreeSet<_>>();
        let (old, new) = (lines(&committed), lines(&listing));
        let removed = old.difference(&new).map(|line| format!("-{line}\n"));
        let added = new.difference(&old).map(|line| format!("+{line}\n"));
        removed.chain(added).collect::<String>()
    };
    assert!(
        committed == listing,
        "src/report/messages.md is out of date: run {UPDATE}\n{}",
        changed()
    );
}

#[test]
fn messages_do_not_mention_command_lines() {
    let listing = listing();
    let is_other = |line: &str| {
        // Commands of other programs.
        [
            "kpt fn eval",
            "docker run",
            "gcloud ",
            "az deployment ",
            "pulumi stack",
            "cdk deploy",
            "aws cloudformation",
        ]
        .iter()
        .any(|program| line.contains(program))
    };
    let found: Vec<_> = listing
        .lines()
        .filter(|line| !is_other(line))
        .filter(|line| {
            let is_flag = |(_, rest): (_, &str)| rest.starts_with(|c: char| c.is_ascii_lowercase());
            line.contains("`landfall ") || line.split_once("--").is_some_and(is_flag)
        })
        .collect();
    assert!(found.is_empty(), "{found:#?}");
}
