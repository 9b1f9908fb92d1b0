//! The command line: the part of the native command's that needs no file.

use crate::report::line;

/// What `--help` prints.
const HELP: &str = "\
landfall as a WASI command: it reads standard input and writes standard output.

Usage: landfall.wasi.wasm [krm]
       landfall.wasi.wasm check --no-references [-b [NAME=]FILE]... [--allow TEXT]... -

  krm                    Render a ResourceList, as a KRM function (the default)
  check --no-references  Fail if rendered manifests still contain references
    -b, --bind [NAME=]FILE
                           Look for references to NAME only; FILE is not opened
        --allow TEXT       Ignore references that start with TEXT
        --no-resources allow
                           Allow empty input
  -h, --help             Print help
  -V, --version          Print version

There are no files: outputs are in the functionConfig (`from: {inline: ...}`) or in a resource of
the list (`from: {resource: ...}`). Exit codes: 0 success, 1 errors in the input, 2 usage.
";

/// What follows a problem with the command line.
const SEE_HELP: &str = "For more information, try '--help'.";

/// The name that `-b FILE` binds.
const DEFAULT_NAME: &str = "infra";

/// What the command is asked to do.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Asked {
    /// Process a ResourceList.
    Krm,
    /// Report references that are left.
    Check(NoReferences),
    /// Print a text.
    Print(String),
}

/// `check --no-references`
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct NoReferences {
    /// The bound names. If there is none, any reference counts.
    pub(crate) names: Vec<String>,
    /// What references may start with.
    pub(crate) allowed: Vec<String>,
    /// Whether there may be nothing to check.
    pub(crate) allows_empty: bool,
}

/// Parses the arguments that follow the program's name.
///
/// # Errors
/// What to print, if they are not understood.
pub(crate) fn parse(arguments: &[String]) -> Result<Asked, String> {
    let mut arguments = arguments.iter().map(String::as_str);
    let is_help = |argument: &str| matches!(argument, "-h" | "--help" | "help");
    let asked = match arguments.next() {
        None => return Ok(Asked::Krm),
        Some("krm") => Asked::Krm,
        Some("check") => return check(arguments),
        Some("-V" | "--version") => {
            Asked::Print(format!("landfall {}\n", env!("CARGO_PKG_VERSION")))
        }
        Some(first) if is_help(first) => return Ok(Asked::Print(HELP.to_owned())),
        Some(other) => return Err(unknown(other, "`krm` and `check --no-references`")),
    };
    match arguments.next() {
        Some(argument) if is_help(argument) => Ok(Asked::Print(HELP.to_owned())),
        Some(argument) => Err(usage(&format!(
            "`{argument}` is not understood: `krm` has no arguments here, and its policies are set in the functionConfig"
        ))),
        None => Ok(asked),
    }
}

fn check<'a>(mut arguments: impl Iterator<Item = &'a str>) -> Result<Asked, String> {
    let mut check = NoReferences::default();
    let (mut no_references, mut reads_stdin, mut has_unnamed) = (false, false, false);
    while let Some(argument) = arguments.next() {
        let (flag, mut value) = match argument.split_once('=') {
            Some((flag, value)) if flag.starts_with("--") => (flag, Some(value)),
            _ => (argument, None),
        };
        let has_value = value.is_some();
        let mut value = || {
            let value = value.take().or_else(|| arguments.next());
            value.ok_or_else(|| usage(&format!("`{flag}` takes a value")))
        };
        match flag {
            "-h" | "--help" => return Ok(Asked::Print(HELP.to_owned())),
            "--no-references" if !has_value && !no_references => no_references = true,
            "-b" | "--bind" => match bound_name(value()?)? {
                Some(name) => check.names.push(name.to_owned()),
                None if has_unnamed => {
                    return Err(usage(&format!(
                        "several outputs documents have no name, but only one can default to `{DEFAULT_NAME}`: use `-b NAME=FILE`"
                    )));
                }
                None => {
                    has_unnamed = true;
                    check.names.push(DEFAULT_NAME.to_owned());
                }
            },
            "--allow" => check.allowed.push(value()?.to_owned()),
            "--no-resources" => {
                check.allows_empty = match value()? {
                    "allow" => true,
                    "error" => false,
                    other => {
                        return Err(usage(&format!("`{other}` is neither `allow` nor `error`")));
                    }
                }
            }
            "-" if !reads_stdin => reads_stdin = true,
            path if !path.starts_with('-') => {
                return Err(usage(&format!(
                    "`{path}` cannot be read, because there are no files: write the manifests to standard input, and pass `-`"
                )));
            }
            other => return Err(unknown(other, "`--bind`, `--allow` and `--no-resources`")),
        }
    }
    if !no_references {
        return Err(usage(
            "`check` renders manifests, which needs files: pass `--no-references`, or use the native command",
        ));
    }
    if !reads_stdin {
        return Err(usage(
            "the manifests are missing: pass `-` for standard input",
        ));
    }
    Ok(Asked::Check(check))
}

/// Returns the name in `[NAME=]FILE`; `None`: it has none.
fn bound_name(argument: &str) -> Result<Option<&str>, String> {
    let named = argument.split_once('=');
    let file = named.map_or(argument, |(_, file)| file);
    if file == "-" {
        return Err(usage(
            "standard input can be read only once: `-` is given more than once",
        ));
    }
    if argument.is_empty() || argument.starts_with('-') {
        return Err(usage(&format!(
            "`-b {argument}` has no file: use `-b NAME=FILE`"
        )));
    }
    // `./a=b.json` is a path that contains an equals sign.
    if let Some((name, file)) = named.filter(|(name, _)| !name.contains(['/', '\\'])) {
        return if !is_binding_name(name) {
            Err(usage(&format!(
                "`{name}` is not a valid binding name: a name starts with a letter or `_`, followed by letters, digits, `_` or `-`"
            )))
        } else if file.is_empty() {
            Err(usage(&format!(
                "`-b {argument}` has no file: use `-b NAME=FILE`"
            )))
        } else {
            Ok(Some(name))
        };
    }
    // A name would be taken for a file that is bound to another name.
    let is_name = match argument.split_once(':') {
        // A single letter is a drive of Windows, and `//` follows the scheme of an address.
        Some((name, rest)) => name.len() > 1 && !rest.starts_with("//") && is_binding_name(name),
        None => is_binding_name(argument),
    };
    if is_name {
        return Err(usage(&format!(
            "`-b {argument}` does not name an outputs document: use `-b NAME=FILE`"
        )));
    }
    Ok(None)
}

/// Whether `name` is a name of the reference grammar, which follows `${`.
fn is_binding_name(name: &str) -> bool {
    let is_first = |char: char| char.is_ascii_alphabetic() || char == '_';
    let is_later = |char: char| char.is_ascii_alphanumeric() || matches!(char, '_' | '-');
    name.starts_with(is_first) && name.chars().all(is_later)
}

fn unknown(argument: &str, known: &str) -> String {
    usage(&format!(
        "`{argument}` is not understood: there are only {known}"
    ))
}

fn usage(problem: &str) -> String {
    // Arguments may come from anywhere, too.
    format!("error: {}\n\n{SEE_HELP}\n", line(problem))
}

#[cfg(test)]
mod tests {
    use super::{Asked, NoReferences, parse};

    fn parsed(line: &str) -> Result<Asked, String> {
        let arguments: Vec<String> = line.split_whitespace().map(str::to_owned).collect();
        parse(&arguments)
    }

    #[test]
    fn krm_is_the_default() {
        assert_eq!(parsed(""), Ok(Asked::Krm));
        assert_eq!(parsed("krm"), Ok(Asked::Krm));
    }

    #[test]
    fn names_are_bound_as_in_the_native_command() {
        let check = |line: &str| match parsed(line) {
            Ok(Asked::Check(check)) => check,
            other => panic!("{other:?}"),
        };
        assert_eq!(
            check("check --no-references -b ./a=b.json --bind=dns=a=b.json --allow $${ -"),
            NoReferences {
                names: vec!["infra".into(), "dns".into()],
                allowed: vec!["$${".into()],
                allows_empty: false,
            }
        );
        assert!(check("check - --no-references --no-resources allow").allows_empty);
    }

    #[test]
    fn what_needs_files_is_refused_with_what_to_do() {
        for (line, part) in [
            (
                "render app",
                "`render` is not understood: there are only `krm` and",
            ),
            (
                "krm -b infra.json",
                "`-b` is not understood: `krm` has no arguments here",
            ),
            ("check -", "pass `--no-references`"),
            ("check --no-references", "pass `-` for standard input"),
            ("check --no-references app/", "`app/` cannot be read"),
            (
                "check --no-references -c landfall.yaml -",
                "`-c` is not understood",
            ),
            (
                "check --no-references -b dns -",
                "`-b dns` does not name an outputs document: use `-b NAME=FILE`",
            ),
            (
                "check --no-references -b dns:d.json -",
                "use `-b NAME=FILE`",
            ),
            (
                "check --no-references -b a.json -b b.json -",
                "only one can default to `infra`",
            ),
            ("check --no-references -b dns= -", "`-b dns=` has no file"),
            ("check --no-references -b -x -", "`-b -x` has no file"),
            ("check --no-references -b - -", "can be read only once"),
            (
                "check --no-references -b infra=- -",
                "can be read only once",
            ),
            ("check --no-references - -", "`-` is not understood"),
            (
                "check --no-references=false -",
                "`--no-references` is not understood",
            ),
            (
                "check --no-references -b a.b=d.json -",
                "`a.b` is not a valid binding name",
            ),
            ("check --no-references --bind", "`--bind` takes a value"),
            (
                "check --no-references --no-resources maybe -",
                "neither `allow` nor `error`",
            ),
        ] {
            let error = parsed(line).unwrap_err();
            assert!(error.contains(part), "{line}: {error}");
            assert!(error.ends_with("try '--help'.\n"), "{line}: {error}");
        }
    }

    #[test]
    fn help_is_printed_wherever_it_is_asked_for() {
        for line in ["-h", "--help", "help", "krm --help", "check -h"] {
            let Ok(Asked::Print(help)) = parsed(line) else {
                panic!("{line}");
            };
            assert!(help.contains("Usage:"), "{line}");
        }
    }
}
