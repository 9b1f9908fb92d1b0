//! Tips for command lines that are almost right, often because another tool takes them.

use std::ffi::OsString;

use clap::Command;
use clap::error::{ContextKind, ContextValue, ErrorKind};

/// Adds a tip to the error of an invalid command line, if there is one.
pub(super) fn add(
    mut error: clap::Error,
    command: &Command,
    arguments: &[OsString],
) -> clap::Error {
    let subcommand = subcommand(command, arguments);
    let tip = match error.kind() {
        ErrorKind::UnknownArgument => {
            // clap suggests to escape each unknown flag, as if it were the name of a file.
            error.remove(ContextKind::Suggested);
            let argument = text(&error, ContextKind::InvalidArg).unwrap_or_default();
            match subcommand {
                Some((name, position)) if !is_before(argument, arguments, position) => {
                    for_argument(argument, name)
                }
                Some((name, _)) => Some(format!(
                    "`{argument}` comes after the command: `landfall {name} {argument} …`"
                )),
                None => None,
            }
        }
        ErrorKind::InvalidSubcommand => {
            let name = text(&error, ContextKind::InvalidSubcommand).unwrap_or_default();
            let other = match subcommand {
                Some(_) => None,
                None => for_subcommand(name),
            };
            other.or_else(|| with_name(command, name))
        }
        ErrorKind::MissingRequiredArgument => missing(&error),
        _ => None,
    };
    if let Some(tip) = tip {
        error.remove(ContextKind::SuggestedArg);
        error.remove(ContextKind::SuggestedSubcommand);
        let tips = ContextValue::StyledStrs(vec![tip.into()]);
        error.insert(ContextKind::Suggested, tips);
    }
    error
}

fn text(error: &clap::Error, kind: ContextKind) -> Option<&str> {
    match error.get(kind)? {
        ContextValue::String(text) => Some(text),
        _ => None,
    }
}

/// Returns the subcommand that is called, and its position, if there is one.
fn subcommand<'a>(command: &Command, arguments: &'a [OsString]) -> Option<(&'a str, usize)> {
    let mut arguments = arguments.iter().enumerate().skip(1);
    arguments.find_map(|(position, argument)| {
        let name = argument.to_str()?;
        command.find_subcommand(name).map(|_| (name, position))
    })
}

/// Returns whether a flag is among the arguments before `position`.
fn is_before(flag: &str, arguments: &[OsString], position: usize) -> bool {
    arguments.iter().take(position).any(|argument| {
        let argument = argument.to_string_lossy();
        argument.split('=').next() == Some(flag)
    })
}

/// Returns the tip for an argument that a subcommand does not have.
fn for_argument(argument: &str, subcommand: &str) -> Option<String> {
    let tip = match (argument, subcommand) {
        (file, "outputs" | "export") if !file.starts_with('-') => {
            return Some(format!(
                "outputs documents are given with `-b`: `-b {file}`"
            ));
        }
        (file, "sample") if !file.starts_with('-') => {
            return Some(format!("the contract is given with `--contract {file}`"));
        }
        // kubectl
        ("-f" | "--filename" | "--file" | "-R" | "--recursive", _) => {
            "pass files and folders as arguments, without a flag"
        }
        // Helm, Terraform
        ("--set" | "--values" | "--var" | "--var-file", _) => {
            "values come from outputs documents: `-b FILE`"
        }
        ("-o" | "--output" | "--out", "render") => {
            "the result is written to standard output: redirect it with `>`, or write files with `--output-dir DIR`"
        }
        ("-o" | "--output" | "--out", _) => {
            "the result is written to standard output: redirect it with `>`"
        }
        // sed, yq, gofmt
        ("-i" | "--inplace" | "-w" | "--write", "render") => {
            "to update setter comments in the files, use `--in-place`"
        }
        ("-i" | "--in-place" | "--inplace" | "-w", "adopt" | "migrate") => {
            "to change the files, use `--write`"
        }
        ("--dry-run" | "--check", "adopt" | "migrate") => "files are changed only with `--write`",
        ("--dry-run", "render") => "files are written only with `--output-dir` or `--in-place`",
        _ => return None,
    };
    Some(tip.to_owned())
}

/// Returns the tip for a subcommand that does not exist.
fn for_subcommand(name: &str) -> Option<String> {
    let tip = match name {
        "apply" | "deploy" | "sync" => {
            "pipe the result to kubectl: `landfall render … | kubectl apply -f -`"
        }
        "bind" | "build" | "envsubst" | "generate" | "kustomize" | "substitute" | "template" => {
            "use `landfall render`"
        }
        "lint" | "test" | "validate" | "verify" => "use `landfall check`",
        "plan" => {
            "to show what a Terraform plan does to manifests, use `landfall diff --plan FILE`"
        }
        "convert" => "to rewrite manifests of another tool, use `landfall migrate`",
        "digest" | "hash" => "use `landfall stamp`",
        "unused" => "use `landfall explain --unused`",
        "import" | "init" => "to replace hard-coded values with references, use `landfall adopt`",
        "version" => "use `landfall --version`",
        path if path.contains(['.', '/']) => {
            return Some(format!("to render it, use `landfall render {path}`"));
        }
        _ => return None,
    };
    Some(tip.to_owned())
}

/// Returns the tip for a subcommand that another command has, or landfall itself.
fn with_name(command: &Command, name: &str) -> Option<String> {
    if command.find_subcommand(name).is_some() {
        return Some(format!("use `landfall {name}`"));
    }
    let mut command = command.clone();
    command.build();
    let mut commands = command.get_subcommands();
    let parent = commands.find(|command| command.find_subcommand(name).is_some())?;
    Some(format!("use `landfall {} {name}`", parent.get_name()))
}

/// Returns the tip for required arguments that are missing, if others replace them.
fn missing(error: &clap::Error) -> Option<String> {
    let Some(ContextValue::Strings(missing)) = error.get(ContextKind::InvalidArg) else {
        return None;
    };
    let is_missing = |flag: &str| missing.iter().any(|one| one.starts_with(flag));
    if is_missing("--from ") && is_missing("--to ") {
        Some("for a Terraform plan, use `--plan FILE` instead".to_owned())
    } else if is_missing("<DIR>") {
        Some("to install landfall in Argo CD, use `landfall argocd install`".to_owned())
    } else if is_missing("--server ") {
        Some("if an output has the address, use `--server-output OUTPUT` instead".to_owned())
    } else {
        None
    }
}
