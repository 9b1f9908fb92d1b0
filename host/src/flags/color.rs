//! Whether diagnostics are coloured.

use clap::ValueEnum;

use super::environment::Environment;

#[derive(Clone, Copy, ValueEnum)]
pub(super) enum When {
    Auto,
    Always,
    Never,
}

/// Returns whether to colour diagnostics. In order of precedence: `--color`, NO_COLOR,
/// FORCE_COLOR or CLICOLOR_FORCE, and whether standard error is a terminal with colours
/// (no-color.org, bixense.com/clicolors).
pub(super) fn is_enabled(when: When, environment: &Environment<'_>) -> bool {
    let is_set = |name| (environment.variable)(name).is_some_and(|value| !value.is_empty());
    let forces =
        |name| (environment.variable)(name).is_some_and(|value| !value.is_empty() && value != "0");
    match when {
        When::Always => true,
        When::Never => false,
        When::Auto if is_set("NO_COLOR") => false,
        When::Auto if forces("FORCE_COLOR") || forces("CLICOLOR_FORCE") => true,
        When::Auto => {
            environment.stderr_is_terminal
                && (environment.variable)("TERM").is_none_or(|term| term != "dumb")
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
        let environment = Environment {
            variable: &variable,
            stderr_is_terminal: terminal,
        };
        assert_eq!(
            is_enabled(when, &environment),
            expect,
            "{variables:?} terminal={terminal}"
        );
    }

    #[test]
    fn the_flag_overrides_the_environment_which_overrides_the_terminal() {
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
