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

#[cfg(test)]
mod tests {
    use super::{PAGE, address, meaning};
    use crate::application::HostRule;

    /// Headings of chapters; fenced blocks may hold comments that look like some.
    fn chapters() -> Vec<&'static str> {
        let mut is_code = false;
        let headings = PAGE.lines().filter_map(|line| {
            is_code ^= line.starts_with("```");
            line.strip_prefix("## ").filter(|_| !is_code)
        });
        headings.collect()
    }

    #[test]
    fn every_rule_has_a_chapter_and_every_chapter_a_rule() {
        let of_module = landfall::Rule::ALL.iter().map(|rule| rule.id());
        let of_host = HostRule::ALL.iter().map(|rule| rule.id());
        let rules: Vec<_> = of_module.chain(of_host).collect();
        assert_eq!(chapters(), rules, "docs/rules.md, in the order of the code");
    }

    #[test]
    fn every_chapter_tells_meaning_and_severity_and_shows_it() {
        // A bound name that only a host of its own can make, and a file whose name
        // no page can hold.
        let without_example = ["invalid-binding-name", "unlisted-file"];

        for (rule, chapter) in chapters().iter().zip(PAGE.split("\n## ").skip(1)) {
            let meaning = meaning(rule).unwrap_or_default();
            assert!(
                meaning.ends_with('.') && !meaning.starts_with("Severity"),
                "{rule}: {meaning}"
            );
            let (_, told) = chapter.split_once("\nSeverity: ").unwrap_or_default();
            let severity = told.split(['.', ';', ',']).next().unwrap_or_default();
            assert!(
                ["error", "warning", "note"].contains(&severity),
                "{rule}: {severity}"
            );
            assert!(
                told.contains(&format!("\n{severity}[{rule}]")) || without_example.contains(rule),
                "{rule} has no example that shows {severity}[{rule}]"
            );
        }
    }

    #[test]
    fn a_rule_that_nobody_knows() {
        assert_eq!(meaning("newer-than-this"), None);
        assert!(address("near-miss").ends_with("docs/rules.md#near-miss"));
    }
}
