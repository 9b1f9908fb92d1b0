//! `[NAME=]FILE` of `-b`, `--from`, `--to` and `--plan`, and `[NAME=]DIR` of Terraform code.

use std::ffi::{OsStr, OsString};
use std::path::PathBuf;

use crate::settings::{BindingFlag, BoundFile, InputPath, TerraformFolder};

/// The name of an outputs document that is bound without one.
pub(super) const DEFAULT_NAME: &str = "infra";

/// Parses all arguments of one flag. `paths` are the path arguments of the command line,
/// from which a suggestion may be taken.
pub(super) fn bound_files(
    flag: BindingFlag,
    arguments: &[OsString],
    paths: &[PathBuf],
) -> Result<Vec<BoundFile>, String> {
    let written = flag.as_str();
    let mut bound = Vec::new();
    let mut unnamed = 0;
    for argument in arguments {
        let (name, file) = split(argument)?;
        unnamed += usize::from(name.is_none());
        if file.is_empty() {
            return Err(format!(
                "`{written} {}` has no file: use `{written} NAME=FILE`",
                argument.to_string_lossy()
            ));
        }
        bound.push(BoundFile {
            flag,
            name: name.unwrap_or(DEFAULT_NAME).to_owned(),
            file: input_path(file),
            suggestion: match name {
                None if flag == BindingFlag::Bind => {
                    file.to_str().and_then(|text| suggestion(text, paths))
                }
                _ => None,
            },
        });
    }
    if unnamed > 1 {
        return Err(format!(
            "{unnamed} outputs documents have no name, but only one can default to `{DEFAULT_NAME}`: use `{written} NAME=FILE`"
        ));
    }
    Ok(bound)
}

/// Parses the `[NAME=]DIR` arguments of a flag.
pub(super) fn terraform_folders(arguments: &[OsString]) -> Result<Vec<TerraformFolder>, String> {
    let mut folders: Vec<TerraformFolder> = Vec::new();
    for argument in arguments {
        let (name, path) = split(argument)?;
        let name = name.unwrap_or(DEFAULT_NAME).to_owned();
        if path.is_empty() {
            return Err(format!("`{}` has no folder", argument.to_string_lossy()));
        }
        if folders.iter().any(|folder| folder.name == name) {
            return Err(format!(
                "`{name}` is bound to two folders of Terraform code: use `NAME=DIR`"
            ));
        }
        let path = PathBuf::from(path);
        folders.push(TerraformFolder { name, path });
    }
    Ok(folders)
}

/// Parses a path, or `-` for standard input.
pub(super) fn input_path(argument: &OsStr) -> InputPath {
    if argument == "-" {
        InputPath::Stdin
    } else {
        InputPath::Path(PathBuf::from(argument))
    }
}

/// Rejects a command line that names standard input more than once.
pub(super) fn read_stdin_once<'i>(
    inputs: impl Iterator<Item = &'i InputPath>,
) -> Result<(), String> {
    match inputs.filter(|input| **input == InputPath::Stdin).count() {
        0 | 1 => Ok(()),
        _ => Err("standard input can be read only once: `-` is given more than once".to_owned()),
    }
}

/// Splits `[NAME=]FILE`.
pub(super) fn split(argument: &OsStr) -> Result<(Option<&str>, &OsStr), String> {
    let Some(text) = argument.to_str() else {
        return Ok((None, argument));
    };
    let Some((name, file)) = text.split_once('=') else {
        return Ok((None, argument));
    };
    // `./a=b.json` is a path that contains an equals sign.
    if name.contains(['/', '\\']) {
        return Ok((None, argument));
    }
    if !is_binding_name(name) {
        return Err(format!(
            "`{name}` is not a valid binding name: a name starts with a letter or `_`, followed by letters, digits, `_` or `-`"
        ));
    }
    Ok((Some(name), OsStr::new(file)))
}

/// Returns the likely correction of an argument without `=` that turns out not to be a
/// file: `infra:infra.json`, or a name whose file was passed as a separate argument.
fn suggestion(text: &str, paths: &[PathBuf]) -> Option<String> {
    if is_binding_name(text) {
        let is_json = |path: &&PathBuf| path.extension().is_some_and(|end| end == "json");
        let file = paths.iter().find(is_json).and_then(|path| path.to_str());
        return Some(format!("{text}={}", file.unwrap_or("FILE")));
    }
    let (name, file) = text.split_once(':')?;
    // A single letter is a Windows drive.
    let is_name = name.len() > 1 && is_binding_name(name);
    (is_name && !file.is_empty() && !file.starts_with("//")).then(|| format!("{name}={file}"))
}

/// Returns whether `name` is a `name` of the reference grammar, which follows `${`.
fn is_binding_name(name: &str) -> bool {
    let bytes = name.as_bytes();
    bytes
        .first()
        .is_some_and(|&first| first.is_ascii_alphabetic() || first == b'_')
        && bytes
            .iter()
            .all(|&byte| byte.is_ascii_alphanumeric() || byte == b'_' || byte == b'-')
}

#[cfg(test)]
mod tests {
    use std::ffi::OsString;

    use super::{BindingFlag, bound_files, suggestion};

    fn check(arguments: &[&str], expect: Result<&str, &str>) {
        let arguments: Vec<_> = arguments.iter().map(OsString::from).collect();
        let actual = bound_files(BindingFlag::Bind, &arguments, &[]).map(|bound| {
            bound
                .iter()
                .map(|b| format!("{}={:?}", b.name, b.file))
                .collect::<Vec<_>>()
                .join(" ")
        });
        match expect {
            Ok(expect) => assert_eq!(actual.as_deref(), Ok(expect)),
            Err(part) => assert!(
                actual.clone().is_err_and(|message| message.contains(part)),
                "{actual:?}"
            ),
        }
    }

    #[test]
    fn splits_names_from_files() {
        check(&["tf.json"], Ok(r#"infra=Path("tf.json")"#));
        check(
            &["network=net.json", "tf.json"],
            Ok(r#"network=Path("net.json") infra=Path("tf.json")"#),
        );
        check(
            &["a=1.json", "a=2.json"],
            Ok(r#"a=Path("1.json") a=Path("2.json")"#),
        );
        check(&["infra=-"], Ok("infra=Stdin"));
        check(&["./a=b.json"], Ok(r#"infra=Path("./a=b.json")"#));
        check(&["a=b=c.json"], Ok(r#"a=Path("b=c.json")"#));
    }

    #[test]
    fn suggests_the_likely_argument() {
        for (text, paths, expected) in [
            (
                "infra",
                &["a.yaml", "infra.json"][..],
                Some("infra=infra.json"),
            ),
            ("infra", &["a.yaml"], Some("infra=FILE")),
            ("infra:a/b.json", &[], Some("infra=a/b.json")),
            ("infra:/srv/b.json", &[], Some("infra=/srv/b.json")),
            ("infra.json", &["b.json"], None),
            ("https://example.org/b.json", &[], None),
            ("C:b.json", &[], None),
            ("a/b:c.json", &[], None),
            ("infra:", &[], None),
        ] {
            let paths: Vec<_> = paths.iter().map(Into::into).collect();
            assert_eq!(suggestion(text, &paths).as_deref(), expected, "{text}");
        }
    }

    #[test]
    fn rejects_invalid_names_and_missing_files() {
        check(
            &["one.json", "two.json"],
            Err("2 outputs documents have no name"),
        );
        check(&["1st=tf.json"], Err("`1st` is not a valid binding name"));
        check(&["a.b=tf.json"], Err("`a.b` is not a valid binding name"));
        check(&["=tf.json"], Err("is not a valid binding name"));
        check(&["infra="], Err("has no file"));
        check(&[""], Err("has no file"));
    }
}
