//! The flags of `landfall argocd`.

use std::path::PathBuf;

use clap::{Args, Subcommand, ValueEnum};

use crate::argocd::{image_reference, is_subdomain_in_yaml};
use crate::settings::{
    ArgocdDoctor, ArgocdForm, ArgocdInstall, Command, DIGEST_KEY, DoctorFormat, MOUNTED_OUTPUTS,
    OPERATOR_POLICY, OutputsSource, OutputsVolume,
};

use super::environment::{Environment, operator_path};
use super::help;
use super::inputs::ParameterFlags;

#[derive(Subcommand)]
pub(super) enum ArgocdCall {
    /// Write the configuration that adds landfall to Argo CD's repo-server
    #[command(after_help = help::ARGOCD_INSTALL_EXAMPLES)]
    Install(InstallFlags),
    /// Check the sidecar in which this runs, and an application
    #[command(after_help = help::ARGOCD_DOCTOR_EXAMPLES)]
    Doctor(DoctorFlags),
}

#[derive(Args)]
#[command(next_display_order = 20)]
pub(super) struct InstallFlags {
    /// Form of the configuration
    #[arg(long = "as", value_name = "FORM")]
    form: Form,

    /// Image of the sidecar, with a tag or a digest
    #[arg(long, value_name = "IMAGE", default_value = concat!("landfall:", env!("CARGO_PKG_VERSION")))]
    image: String,

    /// Mount the keys of a Secret or ConfigMap as outputs documents
    ///
    /// KIND is `secret` or `configmap`. A Binding reads them by `from: {mounted: KEY}`,
    /// if its Application is in the Argo CD project PROJECT; without PROJECT, in any. Can be
    /// repeated, once for each project.
    #[arg(long, value_name = "[PROJECT=]KIND/NAME")]
    mounted_outputs: Vec<String>,

    /// Outputs of mounted documents are not sensitive unless they are marked
    #[arg(long, requires = "mounted_outputs")]
    mounted_outputs_public: bool,

    /// Secret with the key of digests (`landfall stamp --digest-key`), under the key digest-key
    #[arg(long, value_name = "SECRET")]
    digest_key: Option<String>,

    /// ConfigMap with the operator's policy, under the key operator-policy.yaml
    #[arg(long, value_name = "CONFIGMAP")]
    operator_policy: Option<String>,
}

#[derive(Clone, Copy, ValueEnum)]
enum Form {
    /// A Component, for the kustomization that installs Argo CD
    Kustomize,
    /// Values for the Helm chart argo-cd
    HelmValues,
    /// A patch, for `kubectl patch deployment argocd-repo-server`
    Patch,
}

#[derive(Args)]
#[command(next_display_order = 20)]
pub(super) struct DoctorFlags {
    /// Folder of an application to check; also prints the annotation with its paths
    #[arg(value_name = "PATH")]
    application: Option<PathBuf>,

    #[command(flatten)]
    parameters: ParameterFlags,

    /// Output format
    #[arg(short, long, value_name = "FORMAT", default_value = "text")]
    output: Output,
}

#[derive(Clone, Copy, ValueEnum)]
enum Output {
    /// A line for each check
    Text,
    /// Versioned JSON, see docs/schemas
    Json,
}

impl ArgocdCall {
    /// Resolves the flags.
    ///
    /// # Errors
    /// A name is not valid, or a project has two sources of outputs.
    pub(super) fn resolve(self, environment: &Environment<'_>) -> Result<Command, String> {
        match self {
            Self::Install(flags) => install(flags),
            Self::Doctor(flags) => Ok(Command::ArgocdDoctor(ArgocdDoctor {
                application: flags.application,
                parameters: flags.parameters.resolve()?,
                format: match flags.output {
                    Output::Text => DoctorFormat::Text,
                    Output::Json => DoctorFormat::Json,
                },
                operator_policy: operator_path("", None, OPERATOR_POLICY, environment),
                mounted_outputs: operator_path("", None, MOUNTED_OUTPUTS, environment),
                digest_key: operator_path("", None, DIGEST_KEY, environment),
            })),
        }
    }
}

fn install(flags: InstallFlags) -> Result<Command, String> {
    let InstallFlags {
        form,
        image,
        mounted_outputs,
        mounted_outputs_public: is_public,
        digest_key,
        operator_policy,
    } = flags;
    image_reference(&image)?;
    if let Some(name) = &operator_policy
        && !is_subdomain_in_yaml(name)
    {
        return Err(format!("`{name}` is not the name of a ConfigMap"));
    }
    if let Some(name) = &digest_key
        && !is_subdomain_in_yaml(name)
    {
        return Err(format!("`{name}` is not the name of a Secret"));
    }
    let mut outputs: Vec<OutputsVolume> = Vec::new();
    for argument in &mounted_outputs {
        let one = mounted(argument)?;
        if outputs.iter().any(|other| other.project == one.project) {
            let of = match &one.project {
                Some(project) => format!("the project `{project}`"),
                None => "all projects".to_owned(),
            };
            return Err(format!(
                "--mounted-outputs is given twice for {of}: put all documents into one Secret or ConfigMap"
            ));
        }
        outputs.push(one);
    }
    Ok(Command::ArgocdInstall(ArgocdInstall {
        form: match form {
            Form::Kustomize => ArgocdForm::Kustomize,
            Form::HelmValues => ArgocdForm::HelmValues,
            Form::Patch => ArgocdForm::Patch,
        },
        image,
        mounted_outputs: outputs,
        is_public,
        digest_key,
        operator_policy,
    }))
}

/// Parses `[PROJECT=]KIND/NAME`.
fn mounted(argument: &str) -> Result<OutputsVolume, String> {
    let (project, source) = match argument.split_once('=') {
        Some((project, source)) => (Some(project), source),
        None => (None, argument),
    };
    if let Some(project) = project
        && !is_subdomain_in_yaml(project)
    {
        return Err(format!("`{project}` is not the name of an Argo CD project"));
    }
    let (source, name) = match source.split_once('/') {
        Some(("secret", name)) => (OutputsSource::Secret, name),
        Some(("configmap", name)) => (OutputsSource::ConfigMap, name),
        _ => {
            return Err(format!(
                "`{argument}` is not `[PROJECT=]KIND/NAME`: expected `secret/NAME` or `configmap/NAME`"
            ));
        }
    };
    if !is_subdomain_in_yaml(name) {
        return Err(format!("`{name}` is not the name of a Secret or ConfigMap"));
    }
    Ok(OutputsVolume {
        project: project.map(str::to_owned),
        source,
        name: name.to_owned(),
    })
}
