//! Packages of Debian and its derivatives, where this program may install them: after the
//! user at the terminal agreed or, without a terminal, after printing it.

use std::io::{self, BufRead, IsTerminal, Write};
use std::process::{Command, Stdio};

use anyhow::{Context, Result};

use crate::process::{read, run};

/// Packages that a step needs.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Packages {
    /// Their names.
    pub(crate) names: &'static [&'static str],
    /// What they take, for the user to decide.
    pub(crate) size: &'static str,
}

impl Packages {
    /// Returns the commands that install them, to be run as root.
    pub(crate) fn commands(&self) -> [String; 2] {
        [
            "apt-get update".to_owned(),
            format!(
                "apt-get install -y --no-install-recommends {}",
                self.names.join(" ")
            ),
        ]
    }
}

/// Installs packages without recommended ones, and returns whether it did: not without
/// root and `apt-get`, and not if the user at the terminal declines. `step` begins each
/// line, `missing` says what they are for.
///
/// # Errors
/// `apt-get` fails.
pub(crate) fn offer(step: &str, missing: &str, packages: Packages) -> Result<bool> {
    if !may_install() {
        return Ok(false);
    }
    let names = packages.names.join(", ");
    let size = packages.size;
    if io::stdin().is_terminal() && io::stderr().is_terminal() {
        let question = format!("{step}: {missing}. Install {names} with apt-get ({size})?");
        if !ask(&question, &mut io::stdin().lock(), &mut io::stderr())? {
            return Ok(false);
        }
    } else {
        eprintln!("{step}: {missing}: installing {names} with apt-get ({size})");
    }
    install(packages.names)?;
    Ok(true)
}

/// Whether `apt-get` works and we are root.
pub(crate) fn may_install() -> bool {
    let root = read(Command::new("id").arg("-u")).is_ok_and(|id| id == "0");
    root && works(Command::new("apt-get").arg("--version"))
}

/// Asks until the answer is valid. Enter alone means yes, as it does for `apt-get`; end
/// of input means no.
fn ask(question: &str, input: &mut impl BufRead, output: &mut impl Write) -> Result<bool> {
    loop {
        write!(output, "{question} [Y/n] ")?;
        output.flush()?;
        let mut line = String::new();
        if input.read_line(&mut line)? == 0 {
            writeln!(output)?;
            return Ok(false);
        }
        match line.trim().to_lowercase().as_str() {
            "" | "y" | "yes" => return Ok(true),
            "n" | "no" => return Ok(false),
            _ => {}
        }
    }
}

fn install(packages: &[&str]) -> Result<()> {
    let apt = || {
        let mut command = Command::new("apt-get");
        command
            .env("DEBIAN_FRONTEND", "noninteractive")
            // A caller reads paths from our stdout; apt prints its progress there.
            .stdout(io::stderr());
        command
    };
    run(apt().args(["--quiet", "update"])).context("apt-get update")?;
    run(apt()
        .args(["--quiet", "install", "-y", "--no-install-recommends"])
        .args(packages))
    .context("apt-get install")
}

/// Whether a program exists and works.
pub(crate) fn works(command: &mut Command) -> bool {
    command
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .status()
        .is_ok_and(|status| status.success())
}

#[cfg(test)]
mod tests {
    use super::ask;

    #[track_caller]
    fn check(typed: &str, expected: bool, prompts: usize) {
        let mut output = Vec::new();
        let answer = ask("Install lld?", &mut typed.as_bytes(), &mut output).unwrap();
        let output = String::from_utf8(output).unwrap();
        assert_eq!(answer, expected, "{typed:?}");
        assert_eq!(output.matches("Install lld? [Y/n] ").count(), prompts);
    }

    #[test]
    fn enter_and_yes_agree_and_anything_else_is_asked_again() {
        check("\n", true, 1);
        check("y\n", true, 1);
        check("YES\n", true, 1);
        check("maybe\nyes\n", true, 2);
    }

    #[test]
    fn no_and_the_end_of_the_input_refuse() {
        check("n\n", false, 1);
        check("No\n", false, 1);
        check("", false, 1);
        check("what?\n", false, 2);
    }
}
