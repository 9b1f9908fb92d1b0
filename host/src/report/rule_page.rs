//! What a rule means, from the page of the documentation that tells it to people:
//! docs/rules.md has a chapter for every rule, with the rule's id as its heading.

/// The page, as it was when this program was built.
const PAGE: &str = include_str!("../../../docs/rules.md");

/// The address of a rule's chapter.
pub(super) fn address(rule: &str) -> String {
    format!(
        "{}/blob/main/docs/rules.md#{rule}",
        env!("CARGO_PKG_REPOSITORY")
    )
}

/// The first paragraph of a rule's chapter on one line, without its marks for
/// code. None for rules of a module that is newer than the page.
pub(super) fn meaning(rule: &str) -> Option<String> {
    let mut lines = PAGE.lines();
    lines.find(|line| line.strip_prefix("## ") == Some(rule))?;
    let paragraph: Vec<_> = lines
        .skip_while(|line| line.is_empty())
        .take_while(|line| !line.is_empty() && !line.starts_with('#'))
        .collect();
    (!paragraph.is_empty()).then(|| paragraph.join(" ").replace('`', ""))
}
