//! Every page is linked, and every link has a target.

use crate::{PAGES, docs};

/// Returns every Markdown file below `docs/`, as a path below it.
fn files() -> Vec<String> {
    let mut files = Vec::new();
    let mut folders = vec![docs()];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(&folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|extension| extension == "md") {
                let below = path.strip_prefix(docs()).unwrap();
                files.push(below.to_str().unwrap().replace('\\', "/"));
            }
        }
    }
    files.sort();
    files
}

/// Returns the targets of a page's links: the text in `](…)`, except in code.
fn links(page: &str) -> Vec<&str> {
    let mut links = Vec::new();
    let mut in_code = false;
    for line in page.lines() {
        in_code ^= line.starts_with("```");
        if !in_code {
            let targets = line
                .split("](")
                .skip(1)
                .filter_map(|rest| rest.split(')').next());
            links.extend(targets.filter(|target| !target.contains('`')));
        }
    }
    links
}

#[test]
fn every_language_page_is_tested_and_listed() {
    let index = std::fs::read_to_string(docs().join("README.md")).unwrap();
    let is_listed = |file: &&String| {
        let folders = ["language/", "dialects/"];
        folders.iter().any(|folder| file.starts_with(folder))
    };
    for file in files().iter().filter(is_listed) {
        let page = std::fs::read_to_string(docs().join(file)).unwrap();
        assert!(
            PAGES.contains(&file.as_str()) || !page.contains("\n### it "),
            "{file} has no line in `pages!`"
        );
        assert!(
            links(&index).contains(&file.as_str()),
            "docs/README.md does not link {file}"
        );
    }
}

#[test]
fn links_lead_to_files() {
    let mut lost = Vec::new();
    for file in files() {
        let path = docs().join(&file);
        let page = std::fs::read_to_string(&path).unwrap();
        for link in links(&page) {
            let target = link.split('#').next().unwrap_or_default();
            let is_outside = link.contains("://");
            if !is_outside && !target.is_empty() && !path.with_file_name(target).exists() {
                lost.push(format!("docs/{file}: {link}"));
            }
        }
    }
    assert!(
        lost.is_empty(),
        "links that lead nowhere:\n{}",
        lost.join("\n")
    );
}
