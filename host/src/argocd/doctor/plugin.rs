//! The checks of plugin.yaml, its commands, and the server that has read it.

use std::path::PathBuf;

use crate::files::{Budget, FileError, read_user_path};
use crate::report::Check;

use super::super::layout;
use super::super::plugin_file::{Command, PluginFile};
use super::{Sidecar, access};

/// The maximum size of plugin.yaml, in bytes.
const MAX_PLUGIN_FILE_SIZE: u64 = 1 << 20;

/// The files and folders that the flags of `spec.generate` name.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct OperatorFlags {
    pub(crate) operator_policy: Option<PathBuf>,
    pub(crate) mounted_outputs: Option<PathBuf>,
    pub(crate) digest_key: Option<PathBuf>,
}

impl Sidecar<'_> {
    pub(super) fn plugin(&self) -> Vec<Check> {
        let name = "plugin.yaml";
        let file = match self.plugin_file() {
            Ok(file) => file,
            Err(why) => {
                let fix = format!(
                    "use an image with landfall's own plugin.yaml at {}",
                    layout::PLUGIN_FILE
                );
                return vec![Check::error(name, why, fix)];
            }
        };
        let mut checks = vec![Check::ok(
            name,
            format!("valid; Applications use the name `{}`", file.plugin_name()),
        )];
        if file.has_version() {
            checks.push(Check::warning(
                name,
                "`spec.version` is a part of the name, so that a new version breaks every Application that uses it",
                "remove `spec.version`".to_owned(),
            ));
        }
        if !file.has_discovery() {
            checks.push(Check::warning(
                name,
                format!(
                    "`spec.discover` is missing, so Argo CD itself renders Applications that do not use the name `{}`",
                    file.plugin_name()
                ),
                "add landfall's `spec.discover`".to_owned(),
            ));
        }
        let commands = file.commands();
        checks.extend(commands.iter().map(|(key, words)| self.command(key, words)));
        checks.push(self.socket(&file));
        checks
    }

    fn plugin_file(&self) -> Result<PluginFile, String> {
        let path = layout::PLUGIN_FILE;
        let content = read_user_path(&self.at(path), &mut Budget::new(MAX_PLUGIN_FILE_SIZE))
            .map_err(|error| match error {
                FileError::Missing | FileError::BrokenLink => format!("{path} does not exist"),
                FileError::Unreadable(error) => format!("{path} cannot be read: {error}"),
                _ => format!("{path} is not a small file"),
            })?;
        PluginFile::read(&content).map_err(|error| format!("{path}: {error}"))
    }

    fn command(&self, key: &str, command: &Command) -> Check {
        let name = format!("spec.{key}");
        let words: Vec<_> = command.words().collect();
        let shown = words.join(" ");
        let program = words.first().copied().unwrap_or_default();
        match self.program(program) {
            None => Check::error(
                &name,
                format!("`{shown}`: `{program}` is not on the PATH"),
                "use an image that contains it".to_owned(),
            ),
            Some(_) if key == "generate" && !is_landfall(&words) => {
                let fix = "use landfall's own plugin.yaml".to_owned();
                Check::warning(&name, format!("`{shown}` is not landfall"), fix)
            }
            Some(path) => Check::ok(&name, format!("`{shown}` ({})", path.display())),
        }
    }

    fn socket(&self, file: &PluginFile) -> Check {
        let name = "socket";
        let path = self.sockets().join(format!("{}.sock", file.plugin_name()));
        let shown = path.display();
        let fix = Some(format!("run {} in this container", layout::SERVER));
        let found = self.at(&path.to_string_lossy());
        if found.symlink_metadata().is_err() {
            Check::error(name, format!("{shown} does not exist"), fix)
        } else if access::listens(&found) == Some(false) {
            Check::error(name, format!("no server listens on {shown}"), fix)
        } else {
            Check::ok(name, shown.to_string())
        }
    }

    /// Returns what the flags of the plugin's command name. A variable of the container
    /// applies only without them.
    pub(crate) fn operator_flags(&self) -> OperatorFlags {
        let Ok(file) = self.plugin_file() else {
            return OperatorFlags::default();
        };
        let words: Vec<_> = file.generate().words().collect();
        let value = |flag: &str| {
            let with_value = words.iter().zip(words.iter().skip(1));
            let separate = with_value.filter(|(word, _)| **word == flag);
            let joined = words.iter().filter_map(|word| {
                let value = word.strip_prefix(flag)?.strip_prefix('=')?;
                Some(PathBuf::from(value))
            });
            joined
                .chain(separate.map(|(_, value)| PathBuf::from(value)))
                .next()
        };
        OperatorFlags {
            operator_policy: value("--operator-policy"),
            mounted_outputs: value("--mounted-outputs"),
            digest_key: value("--digest-key"),
        }
    }
}

fn is_landfall(words: &[&str]) -> bool {
    let mut words = words.iter();
    let is_program = |word: &&str| word.rsplit('/').next() == Some(layout::NAME);
    words.next().is_some_and(is_program)
        && words.next() == Some(&"cmp")
        && words.next() == Some(&"generate")
}
