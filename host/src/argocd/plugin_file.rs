//! plugin.yaml as argocd-cmp-server reads and validates it.
//!
//! Source: cmpserver/plugin/config.go, argo-cd v3.2.12. Keys that are missing are empty, and
//! unknown keys are ignored.

use serde::de::Error as _;
use serde::{Deserialize, Deserializer};
use yaml_serde::Value;

const KIND: &str = "ConfigManagementPlugin";

/// The keys of plugin.yaml that matter here.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct PluginFile {
    kind: String,
    metadata: Metadata,
    spec: Spec,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct Metadata {
    name: String,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct Spec {
    #[serde(deserialize_with = "string")]
    version: String,
    init: Command,
    generate: Command,
    discover: Discover,
    parameters: Parameters,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct Discover {
    #[serde(rename = "fileName")]
    file_name: String,
    find: Find,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct Find {
    glob: String,
    command: Vec<String>,
    args: Vec<String>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct Parameters {
    dynamic: Command,
}

/// A command with its arguments.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(default)]
pub(super) struct Command {
    command: Vec<String>,
    args: Vec<String>,
}

/// Reads a string. yaml_serde would accept `1.0` for one, Go does not.
fn string<'de, D: Deserializer<'de>>(deserializer: D) -> Result<String, D::Error> {
    match Value::deserialize(deserializer)? {
        Value::String(text) => Ok(text),
        Value::Null => Ok(String::new()),
        _ => Err(D::Error::custom("`spec.version` is not a string: quote it")),
    }
}

impl Command {
    /// Returns the program and its arguments. Empty: there is no command.
    pub(super) fn words(&self) -> impl Iterator<Item = &str> {
        let args = self.args.iter().filter(|_| !self.command.is_empty());
        self.command.iter().chain(args).map(String::as_str)
    }
}

impl PluginFile {
    /// Reads plugin.yaml.
    ///
    /// # Errors
    /// Why argocd-cmp-server would not start with it.
    pub(super) fn read(content: &[u8]) -> Result<Self, String> {
        let file: Self = yaml_serde::from_slice(content).map_err(|error| error.to_string())?;
        if file.metadata.name.is_empty() {
            return Err("`metadata.name` is missing".to_owned());
        }
        if file.kind != KIND {
            return Err(format!("`kind` is `{}`, expected `{KIND}`", file.kind));
        }
        if file.spec.generate.command.is_empty() {
            return Err("`spec.generate.command` is missing".to_owned());
        }
        Ok(file)
    }

    /// Returns the name that Applications use: with a version `NAME-VERSION`.
    pub(super) fn plugin_name(&self) -> String {
        match self.spec.version.as_str() {
            "" => self.metadata.name.clone(),
            version => format!("{}-{version}", self.metadata.name),
        }
    }

    pub(super) const fn has_version(&self) -> bool {
        !self.spec.version.is_empty()
    }

    pub(super) const fn generate(&self) -> &Command {
        &self.spec.generate
    }

    /// Returns the commands, with their keys under `spec`. Discovery by a command counts
    /// only if neither `fileName` nor `glob` is set.
    pub(super) fn commands(&self) -> Vec<(&'static str, Command)> {
        let Spec {
            init,
            generate,
            discover,
            parameters,
            ..
        } = &self.spec;
        let discovers_by_files = !discover.file_name.is_empty() || !discover.find.glob.is_empty();
        let find = Command {
            command: discover.find.command.clone(),
            args: discover.find.args.clone(),
        };
        [
            ("init", init.clone()),
            ("generate", generate.clone()),
            (
                "discover.find",
                if discovers_by_files {
                    Command::default()
                } else {
                    find
                },
            ),
            ("parameters.dynamic", parameters.dynamic.clone()),
        ]
        .into_iter()
        .filter(|(_, command)| command.words().next().is_some())
        .collect()
    }

    /// Returns whether Argo CD can find out by itself which folders the plugin renders.
    pub(super) const fn has_discovery(&self) -> bool {
        let Discover { file_name, find } = &self.spec.discover;
        !file_name.is_empty() || !find.glob.is_empty() || !find.command.is_empty()
    }
}

#[cfg(test)]
mod tests {
    use super::PluginFile;

    #[test]
    fn landfall_s_own_file_is_valid() {
        let own = include_bytes!("../../../deploy/argocd/plugin.yaml");
        let file = PluginFile::read(own).unwrap();
        assert_eq!(file.plugin_name(), "landfall");
        assert!(file.has_discovery());
        let generate: Vec<_> = file.generate().words().collect();
        assert_eq!(generate, ["landfall", "cmp", "generate"]);
        assert!(
            file.commands()
                .iter()
                .all(|(_, command)| { command.words().next() == Some("landfall") })
        );
    }

    #[test]
    fn what_the_server_refuses_is_an_error() {
        for (content, part) in [
            ("", "metadata.name"),
            ("kind: ConfigManagementPlugin", "metadata.name"),
            ("metadata: {name: a}\nkind: Plugin", "`kind` is `Plugin`"),
            (
                "metadata: {name: a}\nkind: ConfigManagementPlugin",
                "spec.generate.command",
            ),
            ("metadata: {name: a", ""),
            (
                "metadata: {name: a}\nkind: ConfigManagementPlugin\nspec: {version: 1.0, generate: {command: [a]}}",
                "`spec.version` is not a string",
            ),
        ] {
            let error = PluginFile::read(content.as_bytes()).unwrap_err();
            assert!(error.contains(part), "{content}: {error}");
        }
    }

    #[test]
    fn a_version_is_a_part_of_the_name() {
        let file = PluginFile::read(
            b"metadata: {name: a}\nkind: ConfigManagementPlugin\nspec: {version: v1, generate: {command: [a], args: [b]}}",
        )
        .unwrap();
        assert_eq!(file.plugin_name(), "a-v1");
        let words: Vec<_> = file.generate().words().collect();
        assert_eq!(words, ["a", "b"]);
    }

    #[test]
    fn a_command_counts_only_without_file_patterns() {
        let file = PluginFile::read(
            b"metadata: {name: a}\nkind: ConfigManagementPlugin\nspec: {generate: {command: [a]}, discover: {fileName: x, find: {command: [missing]}}}",
        )
        .unwrap();
        let keys: Vec<_> = file.commands().iter().map(|(key, _)| *key).collect();
        assert_eq!(keys, ["generate"]);
        assert!(file.has_discovery());
    }
}
