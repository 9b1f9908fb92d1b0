//! Whether diagnostics are coloured.

use super::Surroundings;
use super::definition::When;

/// `--color` decides; else NO_COLOR, then FORCE_COLOR or CLICOLOR_FORCE, then
/// whether standard error is a terminal that knows colours (no-color.org,
/// bixense.com/clicolors).
pub(super) fn wanted(when: When, surroundings: &Surroundings<'_>) -> bool {
    let is_set = |name| (surroundings.variable)(name).is_some_and(|value| !value.is_empty());
    let forces =
        |name| (surroundings.variable)(name).is_some_and(|value| !value.is_empty() && value != "0");
    match when {
        When::Always => true,
        When::Never => false,
        When::Auto if is_set("NO_COLOR") => false,
        When::Auto if forces("FORCE_COLOR") || forces("CLICOLOR_FORCE") => true,
        When::Auto => {
            surroundings.stderr_is_terminal
                && (surroundings.variable)("TERM").is_none_or(|term| term != "dumb")
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(when: When, variables: &[(&str, &str)], terminal: bool, expect: bool) {
        let variable = |name: &str| {
            variables
                .iter()
                .find(|(key, _)| *key == name)
                .map(|(_, value)| std::ffi::OsString::from(value))
        };
        let surroundings = Surroundings {
            variable: &variable,
            stderr_is_terminal: terminal,
        };
        assert_eq!(
            wanted(when, &surroundings),
            expect,
            "{variables:?} terminal={terminal}"
        );
    }

    #[test]
    fn flag_beats_environment_beats_terminal() {
        check(When::Auto, &[], true, true);
        check(When::Auto, &[], false, false);
        check(When::Auto, &[("TERM", "dumb")], true, false);
        check(When::Auto, &[("NO_COLOR", "1")], true, false);
        check(When::Auto, &[("NO_COLOR", "")], true, true);
        check(When::Auto, &[("FORCE_COLOR", "1")], false, true);
        check(When::Auto, &[("CLICOLOR_FORCE", "1")], false, true);
        check(When::Auto, &[("CLICOLOR_FORCE", "0")], false, false);
        check(
            When::Auto,
            &[("NO_COLOR", "1"), ("FORCE_COLOR", "1")],
            true,
            false,
        );
        check(When::Always, &[("NO_COLOR", "1")], false, true);
        check(When::Never, &[("FORCE_COLOR", "1")], true, false);
    }
}
