//! An application: its configuration, read once, and what a host does before it renders.

use std::sync::Arc;

use crate::config::binding::{self, Binding};
use crate::config::{Ceiling, ChartOptions, Config, EffectiveConfig, Need, Tool};
use crate::contract::folder::{Folder, select};
use crate::contract::{Announcement, Parameter, parameters};
use crate::report::{Diagnostic, Diagnostics, Origin, Rule};
use yaml::Span;

/// Everything that configures an application and does not change from render to render.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Configuration {
    /// The Binding.
    pub binding: Option<Config>,
    /// The loosest policies that are allowed.
    pub ceiling: Ceiling,
    /// Policies set by flags: a mapping with the keys of the Binding's `spec.policy`, which
    /// override the Binding.
    pub policy: Option<Config>,
    /// Names for which the caller has documents of its own: the parameters of the Binding's
    /// documents with these names need not be set.
    pub bound_otherwise: Vec<String>,
}

/// An application's configuration, read once. Copies share it.
///
/// # Examples
/// ```
/// use landfall::{Application, Config, Configuration, Folder};
///
/// let content = b"apiVersion: landfall.dev/v1alpha1
/// kind: Binding
/// spec: {outputs: [{name: infra, from: {file: infra.json}}]}
/// ".to_vec();
/// let binding = Some(Config { path: "app/landfall.yaml".into(), content });
/// let application = Application::new(Configuration { binding, ..Configuration::default() });
/// let folder = Folder { shown: "app", paths: &["landfall.yaml", "infra.json", "web.yaml"] };
/// let plan = application.plan(&[], Some(&folder));
/// assert_eq!(plan.names, ["infra"]);
/// assert_eq!(plan.documents[0].path, "infra.json");
/// assert_eq!(plan.manifests, [2]);
/// ```
#[derive(Clone, Debug)]
pub struct Application(Arc<Read>);

/// What was read.
#[derive(Debug)]
struct Read {
    configuration: Configuration,
    /// What could be read of the Binding.
    binding: Binding,
    /// All problems with the Binding.
    binding_errors: Diagnostics,
    effective: EffectiveConfig,
    /// All problems with the configuration.
    errors: Diagnostics,
}

/// What a host does before it renders. What could be answered is answered, also if there are
/// errors.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Plan {
    /// The names that the Binding binds, in its order.
    pub names: Vec<String>,
    /// The outputs documents that the Binding binds, in its order. Parameters in their paths
    /// have been replaced, unless they are missing. A document that need not exist is left
    /// out if its parameter is not set.
    pub documents: Vec<Need>,
    /// The files with CustomResourceDefinitions, which a host adds to the sources, and does
    /// not write: paths relative to the folder of the Binding, with their locations in it.
    pub schemas: Vec<(String, Span)>,
    /// The tool that builds the folder's manifests. `None`: the Binding names none.
    pub tool: Option<Tool>,
    /// How the chart of a folder with the tool `helm` is templated.
    pub chart: ChartOptions,
    /// The source manifests, as indexes into the paths of the folder. None if a tool builds
    /// them.
    pub manifests: Vec<usize>,
    /// The Binding's parameters, for Argo CD's user interface.
    pub announcements: Vec<Announcement>,
    /// Whether a render without a resource is an error.
    pub needs_resources: bool,
    /// All problems with the Binding, and the reasons why the folder must not be rendered: a
    /// part of it belongs to another Binding or another tool.
    pub diagnostics: Diagnostics,
    /// The parameters that are missing or cannot be used. Who asks about a Binding without
    /// its parameters ignores them.
    pub parameter_errors: Diagnostics,
}

impl Application {
    /// Reads a configuration. Its problems are reported by whatever is asked.
    #[must_use]
    pub fn new(configuration: Configuration) -> Self {
        let config = configuration.binding.as_ref();
        let (binding, binding_errors) = config
            .map(|config| binding::read_partly(config, Origin::Binding))
            .unwrap_or_default();
        let (effective, mut errors) = EffectiveConfig::new(
            config.map(|_| {
                if binding_errors.is_empty() {
                    Ok(&binding)
                } else {
                    Err(&binding_errors)
                }
            }),
            configuration.policy.as_ref(),
            &configuration.ceiling,
        );
        errors.extend(function_keys(&binding));
        Self(Arc::new(Read {
            configuration,
            binding,
            binding_errors,
            effective,
            errors,
        }))
    }

    /// Returns what was read.
    #[must_use]
    pub fn configuration(&self) -> &Configuration {
        &self.0.configuration
    }

    /// Returns the format that the Binding declares for a document that is bound to `name`, for
    /// hosts that open no files. Of several files of a name, the one with the file name of `path`
    /// counts.
    #[must_use]
    pub fn declared_format(&self, name: &str, path: &str) -> Option<&str> {
        let file_name = |path: &str| path.rsplit('/').next().map(str::to_owned);
        let needs = &self.0.binding.outputs;
        let mut named = needs.iter().filter(|need| need.name == name);
        let need = match (named.next(), named.next()) {
            (only, None) => only?,
            _ => needs
                .iter()
                .find(|need| need.name == name && file_name(&need.path) == file_name(path))?,
        };
        need.format.as_deref()
    }

    /// Reads the configuration again after a change.
    #[must_use]
    pub fn with(&self, change: impl FnOnce(&mut Configuration)) -> Self {
        let mut configuration = self.configuration().clone();
        change(&mut configuration);
        Self::new(configuration)
    }

    /// Returns what a host does before it renders: which files it opens, and which tool builds
    /// the manifests. Without a folder, no manifests are selected.
    ///
    /// Unless the Binding says otherwise, manifests are the YAML and JSON files at any depth,
    /// except dotfiles, Bindings, bound documents and other tools' own files, such as
    /// `kustomization.yaml` and `Kptfile`.
    #[must_use]
    pub fn plan(&self, parameters: &[Parameter], folder: Option<&Folder<'_>>) -> Plan {
        let binding = &self.0.binding;
        let mut diagnostics = self.0.binding_errors.clone();
        diagnostics.extend(function_keys(binding));
        let is_built = matches!(binding.tool, Some(Tool::Kustomize | Tool::Helm));
        let folder = folder.filter(|_| !is_built && diagnostics.is_empty());
        let mut warnings = Vec::new();
        let manifests = match folder.map(|folder| select(binding, folder, &mut warnings)) {
            Some(Ok(manifests)) => manifests,
            Some(Err(errors)) => {
                diagnostics.extend(errors);
                Vec::new()
            }
            None => Vec::new(),
        };
        diagnostics.extend(warnings);
        let bound_otherwise = &self.0.configuration.bound_otherwise;
        let (documents, parameter_errors) =
            parameters::documents(binding, parameters, bound_otherwise);
        Plan {
            names: binding.bound_names().cloned().collect(),
            documents,
            schemas: binding.schemas.clone(),
            tool: binding.tool,
            chart: binding.chart.clone(),
            manifests,
            announcements: parameters::announcements(binding, parameters),
            needs_resources: self.0.effective.needs_resources(),
            diagnostics,
            parameter_errors,
        }
    }

    /// Returns what could be read of the Binding, with all problems with it.
    pub(crate) fn binding(&self) -> (&Binding, &Diagnostics) {
        (&self.0.binding, &self.0.binding_errors)
    }

    /// Returns the configuration of a render, with all problems with it.
    pub(crate) fn effective(&self) -> (&EffectiveConfig, &Diagnostics) {
        (&self.0.effective, &self.0.errors)
    }
}

/// Reports keys that only a KRM function has.
fn function_keys(binding: &Binding) -> impl Iterator<Item = Diagnostic> {
    let validate = "remove it: a render of a folder fails on references that are left";
    let generate = "write the ConfigMaps and Secrets as manifests in the folder";
    let keys = [
        ("validate", binding.validate, validate),
        ("generate", binding.generate.map(|(_, span)| span), generate),
    ];
    keys.into_iter().filter_map(|(key, span, help)| {
        let message = format!("`{key}` is only supported in a functionConfig");
        let error = Diagnostic::error(Rule::InvalidBinding, message);
        Some(error.in_config(Origin::Binding, span?, "").help(help))
    })
}

impl Default for Application {
    /// Returns an application without a Binding, which allows everything.
    fn default() -> Self {
        Self::new(Configuration::default())
    }
}

impl PartialEq for Application {
    fn eq(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.0, &other.0) || self.configuration() == other.configuration()
    }
}

impl Eq for Application {}

impl From<Configuration> for Application {
    fn from(configuration: Configuration) -> Self {
        Self::new(configuration)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::Location;

    fn application(spec: &str) -> Application {
        let content = format!("apiVersion: landfall.dev/v1alpha1\nkind: Binding\nspec: {spec}\n");
        Application::new(Configuration {
            binding: Some(Config {
                path: "landfall.yaml".into(),
                content: content.into(),
            }),
            ..Configuration::default()
        })
    }

    fn plan(spec: &str, paths: &[&str]) -> Plan {
        let folder = Folder {
            shown: "app",
            paths,
        };
        application(spec).plan(&[], Some(&folder))
    }

    #[test]
    fn a_folder_that_another_tool_builds_has_no_plain_manifests() {
        for (tool, own) in [("kustomize", "kustomization.yaml"), ("helm", "Chart.yaml")] {
            let plan = plan(&format!("{{tool: {tool}}}"), &["a.yaml", own]);
            assert!(plan.diagnostics.is_empty(), "{plan:?}");
            assert_eq!(plan.manifests, [] as [usize; 0]);
        }
    }

    #[test]
    fn what_can_be_answered_is_answered_beside_errors() {
        let plan = plan(
            "{outputs: [{name: infra, from: {file: \"{cluster}.json\"}}, {name: b, from: {inline: {c: d}}}], polcy: {}, schemas: [crd.yaml]}",
            &["a.yaml"],
        );
        assert_eq!(plan.diagnostics.len(), 1, "{plan:?}");
        assert_eq!(plan.names, ["infra", "b"]);
        assert_eq!(plan.schemas[0].0, "crd.yaml");
        assert_eq!(plan.announcements[0].name, "cluster");
        let held = Location::Held(br#"{"c":"d"}"#.to_vec());
        let locations = plan.documents.iter().map(|need| &need.location);
        assert!(locations.eq([&Location::Root, &held]), "{plan:?}");
        // The folder of a Binding with errors is not read.
        assert_eq!(plan.manifests, [] as [usize; 0]);
        assert_eq!(plan.parameter_errors.len(), 1, "{plan:?}");
    }

    #[test]
    fn parameters_of_names_that_are_bound_otherwise_need_not_be_set() {
        let spec = "{outputs: [{name: infra, from: {file: \"{cluster}.json\"}}, {name: b, from: {parameter: p}}]}";
        let bound = |names: &[&str]| {
            let names = names.iter().map(|name| (*name).to_owned());
            let application = application(spec).with(|it| it.bound_otherwise = names.collect());
            application.plan(&[], None).parameter_errors.len()
        };
        assert_eq!(bound(&[]), 2);
        assert_eq!(bound(&["infra"]), 1);
        assert_eq!(bound(&["infra", "b"]), 0);
    }

    #[test]
    fn nothing_is_taken_from_a_document_that_is_no_binding() {
        let content = b"kind: Secret\nspec: {outputs: [{name: infra, from: {file: a.json}}]}\n";
        let application = Application::new(Configuration {
            binding: Some(Config {
                path: "landfall.yaml".into(),
                content: content.to_vec(),
            }),
            ..Configuration::default()
        });
        let plan = application.plan(&[], None);
        assert!(!plan.diagnostics.is_empty());
        assert!(
            plan.names.is_empty() && plan.documents.is_empty(),
            "{plan:?}"
        );
    }
}
