//! The flags of `landfall export`: a subcommand for each target. Each flag becomes an option
//! of the target, which the module validates.

use std::path::PathBuf;

use clap::{Args, Subcommand};

use landfall_sandbox::types::{Parameter, ParameterValue};

use crate::settings::Export;

use super::help;
use super::inputs::OutputsFlags;

#[derive(Subcommand)]
pub(super) enum ExportCall {
    /// Write ConfigMaps and Secrets for Flux
    #[command(after_help = help::EXPORT_FLUX_EXAMPLES)]
    Flux(FluxFlags),
    /// Write the Secret that registers a cluster in Argo CD
    #[command(after_help = help::EXPORT_ARGOCD_CLUSTER_EXAMPLES)]
    ArgocdCluster(ArgocdClusterFlags),
    /// Write values for Helm and helmfile
    #[command(after_help = help::EXPORT_HELM_VALUES_EXAMPLES)]
    HelmValues(HelmValuesFlags),
    /// Write NAME=value lines for shells and Compose
    #[command(after_help = help::EXPORT_DOTENV_EXAMPLES)]
    Dotenv(DotenvFlags),
    /// Write an ExternalSecret that copies secrets from a store
    #[command(after_help = help::EXPORT_EXTERNAL_SECRET_EXAMPLES)]
    ExternalSecret(ExternalSecretFlags),
    /// Write the same document without the values of sensitive outputs
    #[command(after_help = help::EXPORT_PUBLIC_EXAMPLES)]
    Public(PublicFlags),
}

/// The options of a target, by name.
#[derive(Default)]
struct Options(Vec<Parameter>);

impl Options {
    fn push(mut self, name: &str, value: Option<ParameterValue>) -> Self {
        let name = name.to_owned();
        self.0.extend(value.map(|value| Parameter { name, value }));
        self
    }

    fn text(self, name: &str, text: Option<String>) -> Self {
        self.push(name, text.map(ParameterValue::Text))
    }

    /// Adds an option that is only given or not.
    fn given(self, name: &str, is_given: bool) -> Self {
        self.text(name, is_given.then(|| "true".to_owned()))
    }

    fn items(self, name: &str, items: Vec<String>) -> Self {
        let items = (!items.is_empty()).then_some(items);
        self.push(name, items.map(ParameterValue::Items))
    }

    fn entries(self, name: &str, entries: Vec<(String, String)>) -> Self {
        let entries = (!entries.is_empty()).then_some(entries);
        self.push(name, entries.map(ParameterValue::Entries))
    }
}

impl ExportCall {
    /// Resolves the flags.
    ///
    /// # Errors
    /// Those of [`OutputsFlags::resolve`].
    pub(super) fn resolve(self) -> Result<Export, String> {
        let mut config_file = None;
        let (target, flags, options) = match self {
            Self::Flux(flags) => {
                let options = Options::default()
                    .text("name", flags.name)
                    .text("namespace", flags.namespace)
                    .entries("service", flags.service)
                    .text("values-key", flags.values_key);
                let options = flags.names.add(flags.json.add(options));
                ("flux", flags.outputs, options)
            }
            Self::ArgocdCluster(flags) => {
                config_file = flags.config_file;
                let options = Options::default()
                    .text("name", Some(flags.name))
                    .text("namespace", flags.namespace)
                    .text("server", flags.server)
                    .text("server-output", flags.server_output)
                    .text("config-output", flags.config_output)
                    .items("label", flags.label);
                ("argocd-cluster", flags.outputs, flags.json.add(options))
            }
            Self::HelmValues(flags) => {
                let options = Options::default().text("key", flags.key);
                ("helm-values", flags.outputs, flags.names.add(options))
            }
            Self::Dotenv(flags) => {
                let options = flags.names.add(flags.json.add(Options::default()));
                ("dotenv", flags.outputs, options)
            }
            Self::ExternalSecret(flags) => {
                let options = Options::default()
                    .text("name", flags.name)
                    .text("namespace", flags.namespace)
                    .text("store", Some(flags.store))
                    .text("store-kind", flags.store_kind)
                    .text("remote-key", flags.remote_key)
                    .entries("secret", flags.secret)
                    .text("refresh-interval", flags.refresh_interval);
                ("external-secret", flags.outputs, options)
            }
            Self::Public(flags) => ("public", flags.outputs, Options::default()),
        };
        Ok(Export {
            outputs: flags.resolve(None)?,
            target,
            options: options.0,
            config_file,
        })
    }
}

#[derive(Args)]
struct JsonFlag {
    /// Write lists and objects as JSON
    #[arg(long)]
    json: bool,
}

impl JsonFlag {
    fn add(&self, options: Options) -> Options {
        options.given("json", self.json)
    }
}

#[derive(Args)]
struct NamesFlag {
    /// Write `_` for each `-` in the names of outputs
    #[arg(long)]
    dashes_to_underscores: bool,
}

impl NamesFlag {
    fn add(&self, options: Options) -> Options {
        options.given("dashes-to-underscores", self.dashes_to_underscores)
    }
}

#[derive(Args)]
#[command(next_display_order = 20)]
pub(super) struct FluxFlags {
    #[command(flatten)]
    outputs: OutputsFlags,

    /// Name of the ConfigMap; sensitive outputs are in the Secret NAME-secrets [default: infra]
    #[arg(long, value_name = "NAME")]
    name: Option<String>,

    /// Namespace of the resources [default: none]
    #[arg(long, value_name = "NAMESPACE")]
    namespace: Option<String>,

    /// Write outputs whose names start with PREFIX to the ConfigMap NAME and the Secret NAME-secrets
    #[arg(long, value_name = "PREFIX=NAME", value_parser = entry)]
    service: Vec<(String, String)>,

    /// Write all values as YAML to this key, for the `valuesFrom` of a HelmRelease
    #[arg(long, value_name = "KEY")]
    values_key: Option<String>,

    #[command(flatten)]
    json: JsonFlag,

    #[command(flatten)]
    names: NamesFlag,
}

#[derive(Args)]
#[command(next_display_order = 20)]
pub(super) struct ArgocdClusterFlags {
    #[command(flatten)]
    outputs: OutputsFlags,

    /// Name of the cluster and of its Secret
    #[arg(long, value_name = "NAME")]
    name: String,

    /// Namespace of Argo CD [default: argocd]
    #[arg(long, value_name = "NAMESPACE")]
    namespace: Option<String>,

    /// Address of the cluster's API server
    #[arg(long, value_name = "URL", value_parser = url, required_unless_present = "server_output")]
    server: Option<String>,

    /// Output with the address of the cluster's API server
    #[arg(long, value_name = "OUTPUT", conflicts_with = "server")]
    server_output: Option<String>,

    /// File with the cluster's credentials, the JSON of Argo CD's `config`
    #[arg(long, value_name = "FILE")]
    config_file: Option<PathBuf>,

    /// Output with the cluster's credentials
    #[arg(long, value_name = "OUTPUT", conflicts_with = "config_file")]
    config_output: Option<String>,

    /// Write this output as a label instead of an annotation
    #[arg(long, value_name = "OUTPUT")]
    label: Vec<String>,

    #[command(flatten)]
    json: JsonFlag,
}

#[derive(Args)]
#[command(next_display_order = 20)]
pub(super) struct HelmValuesFlags {
    #[command(flatten)]
    outputs: OutputsFlags,

    /// Keys under which the values are written, such as `global.infra`; `.` is the top level [default: the bound names]
    #[arg(long, value_name = "PATH")]
    key: Option<String>,

    #[command(flatten)]
    names: NamesFlag,
}

#[derive(Args)]
#[command(next_display_order = 20)]
pub(super) struct DotenvFlags {
    #[command(flatten)]
    outputs: OutputsFlags,

    #[command(flatten)]
    json: JsonFlag,

    #[command(flatten)]
    names: NamesFlag,
}

#[derive(Args)]
#[command(next_display_order = 20)]
pub(super) struct ExternalSecretFlags {
    #[command(flatten)]
    outputs: OutputsFlags,

    /// Name of the ExternalSecret and of its Secret [default: infra-secrets]
    #[arg(long, value_name = "NAME")]
    name: Option<String>,

    /// Namespace of the ExternalSecret [default: none]
    #[arg(long, value_name = "NAMESPACE")]
    namespace: Option<String>,

    /// Name of the store
    #[arg(long, value_name = "NAME")]
    store: String,

    /// `SecretStore` or `ClusterSecretStore` [default: SecretStore]
    #[arg(long, value_name = "KIND")]
    store_kind: Option<String>,

    /// Copy the secret whose name or ARN is the value of OUTPUT to KEY
    #[arg(long, value_name = "KEY=OUTPUT", value_parser = entry)]
    secret: Vec<(String, String)>,

    /// Copy each sensitive output from this key of the store; `{name}` is the output's name
    #[arg(long, value_name = "TEMPLATE")]
    remote_key: Option<String>,

    /// How often the secrets are copied, such as `1h` [default: the operator's]
    #[arg(long, value_name = "DURATION")]
    refresh_interval: Option<String>,
}

#[derive(Args)]
#[command(next_display_order = 20)]
pub(super) struct PublicFlags {
    #[command(flatten)]
    outputs: OutputsFlags,
}

/// Accepts an address with a scheme, which the name of an output does not have.
fn url(argument: &str) -> Result<String, String> {
    if argument.contains("://") {
        Ok(argument.to_owned())
    } else {
        Err("expected a URL; to take it from an output, use `--server-output OUTPUT`".to_owned())
    }
}

/// Parses an entry of an option that maps texts to texts.
fn entry(argument: &str) -> Result<(String, String), String> {
    match argument.split_once('=') {
        Some((name, value)) if !name.is_empty() && !value.is_empty() => {
            Ok((name.to_owned(), value.to_owned()))
        }
        _ => Err("expected two names with `=` between them".to_owned()),
    }
}
