//! Descriptions of rules, taken from docs/rules.md, which has a section for every rule
//! with the id of the rule as its heading.

/// The page at build time.
const PAGE: &str = include_str!("../../../docs/rules.md");

/// Returns the URL of a rule's section.
pub(super) fn address(rule: &str) -> String {
    format!(
        "{}/blob/main/docs/rules.md#{rule}",
        env!("CARGO_PKG_REPOSITORY")
    )
}

/// Returns the first paragraph of a rule's section on one line, without backquotes. None
/// for a rule that is not on the page.
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
    use crate::problem::HostRule;

    /// Returns the headings. Fenced blocks may contain comments that look like headings.
    fn sections() -> Vec<&'static str> {
        let mut is_code = false;
        let headings = PAGE.lines().filter_map(|line| {
            is_code ^= line.starts_with("```");
            line.strip_prefix("## ").filter(|_| !is_code)
        });
        headings.collect()
    }

    #[test]
    fn every_rule_has_a_section_and_every_section_a_rule() {
        let of_module = landfall::Rule::ALL.iter().map(|rule| rule.id());
        let of_host = HostRule::ALL.iter().map(|rule| rule.id());
        let rules: Vec<_> = of_module.chain(of_host).collect();
        assert_eq!(sections(), rules, "docs/rules.md, in the order of the code");
    }

    #[test]
    fn every_section_has_a_description_a_severity_and_an_example() {
        // A bound name that only another host can pass, a question that only an editor asks, and
        // a file name that is not UTF-8.
        let without_example = ["invalid-binding-name", "not-renamed", "unlisted-file"];

        for (rule, section) in sections().iter().zip(PAGE.split("\n## ").skip(1)) {
            let meaning = meaning(rule).unwrap_or_default();
            assert!(
                meaning.ends_with('.') && !meaning.starts_with("Severity"),
                "{rule}: {meaning}"
            );
            let (_, rest) = section.split_once("\nSeverity: ").unwrap_or_default();
            let severity = rest.split(['.', ';', ',']).next().unwrap_or_default();
            assert!(
                ["error", "warning", "note"].contains(&severity),
                "{rule}: {severity}"
            );
            assert!(
                rest.contains(&format!("\n{severity}[{rule}]")) || without_example.contains(rule),
                "{rule} has no example that shows {severity}[{rule}]"
            );
        }
    }

    #[test]
    fn an_unknown_rule_has_no_description() {
        assert_eq!(meaning("newer-than-this"), None);
        assert!(address("near-miss").ends_with("docs/rules.md#near-miss"));
    }
}
