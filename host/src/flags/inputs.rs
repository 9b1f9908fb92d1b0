//! Groups of flags that several subcommands have: the inputs, and what they are bound to.

use std::ffi::OsString;
use std::path::PathBuf;

use clap::Args;
use landfall_sandbox::types::{Parameter, ParameterValue};

use crate::settings::{
    BindingFlag, BoundFile, InputPath, Inputs, MOUNTED_OUTPUTS, MOUNTED_OUTPUTS_PUBLIC,
    MountedOutputs, OperatorPath, Outputs, Programs,
};

use super::binding::{bound_files, input_path, read_stdin_once};
use super::environment::{Environment, operator_path};
use super::policy::{Dialect, PolicyFlags, Unused, policies};

#[derive(Args)]
#[command(next_display_order = 20)]
pub(super) struct InputFlags {
    /// Manifest files, or folders of them; `-` reads standard input
    ///
    /// A folder with a `landfall.yaml` is an application. That Binding selects the
    /// manifests among the files below the folder, and names the outputs documents.
    /// A path inside an application renders that part of it; a folder of applications
    /// renders all of them. A file that belongs to no application is rendered on its
    /// own.
    #[arg(value_name = "PATH", default_value = ".")]
    pub(super) paths: Vec<PathBuf>,

    #[command(flatten)]
    pub(super) bind: BindFlags,

    /// Use this Binding instead of the nearest landfall.yaml
    #[arg(short, long, value_name = "FILE")]
    pub(super) config: Option<PathBuf>,

    /// Use no Binding, even where there is a landfall.yaml
    #[arg(long, conflicts_with = "config")]
    pub(super) no_binding: bool,

    /// Folder that must contain all files a Binding names [default: the Git work tree]
    #[arg(long, value_name = "DIR")]
    pub(super) root: Option<PathBuf>,

    /// How the manifests write references [default: `spec.dialect` of the Binding, or landfall]
    #[arg(long)]
    pub(super) dialect: Option<Dialect>,

    /// Name of standard input in diagnostics
    #[arg(long, value_name = "NAME")]
    pub(super) stdin_filename: Option<String>,

    #[command(flatten)]
    pub(super) parameters: ParameterFlags,

    #[command(flatten)]
    pub(super) mounted: MountedFlags,

    #[command(flatten)]
    pub(super) policy: PolicyFlags,
}

#[derive(Args)]
#[command(next_display_order = 30)]
pub(super) struct ParameterFlags {
    /// Parameter that the Binding uses, as in `from: {file: "{cluster}/infra.json"}`
    ///
    /// Argo CD passes the parameters of an Application's plugin. Can be repeated.
    #[arg(long = "param", value_name = "NAME=VALUE")]
    pub(super) parameters: Vec<String>,
}

#[derive(Args)]
#[command(next_display_order = 31)]
pub(super) struct MountedFlags {
    /// Folder with the documents that a Binding binds with `from: {mounted: …}`
    ///
    /// Under Argo CD, an application reads the subfolder of its project, then `_shared`.
    /// All outputs of a document are sensitive if its format, such as that of a
    /// ConfigMap, does not mark sensitive outputs.
    #[arg(long, value_name = "DIR")]
    pub(super) mounted_outputs: Option<PathBuf>,

    /// Outputs of mounted documents are not sensitive unless they are marked
    #[arg(long, requires = "mounted_outputs")]
    pub(super) mounted_outputs_public: bool,
}

#[derive(Args)]
#[command(next_display_order = 10)]
pub(super) struct BindFlags {
    /// Bind an outputs document to a name, `infra` by default
    ///
    /// References use the name: `-b network=net.json` provides `${network.vpc_id}`.
    /// Can be repeated; when several documents are bound to one name, outputs of later
    /// documents override those of earlier ones. Replaces the documents that the
    /// Binding binds to the same name. FILE can be `-`.
    #[arg(short, long = "bind", value_name = "[NAME=]FILE")]
    pub(super) bind: Vec<OsString>,
}

#[derive(Args)]
#[command(next_display_order = 30)]
pub(super) struct ProgramFlags {
    /// Program for folders with `spec.tool: kustomize` [default: kustomize on PATH]
    #[arg(long, value_name = "PROGRAM")]
    pub(super) kustomize: Option<PathBuf>,

    /// Program for folders with `spec.tool: helm` [default: helm on PATH]
    #[arg(long, value_name = "PROGRAM")]
    pub(super) helm: Option<PathBuf>,
}

#[derive(Args)]
#[command(next_display_order = 20)]
pub(super) struct OutputsFlags {
    #[command(flatten)]
    pub(super) bind: BindFlags,

    /// Binding that names the outputs documents [default: the nearest landfall.yaml; with -b, only if it declares their outputs sensitive]
    #[arg(short, long, value_name = "FILE")]
    pub(super) config: Option<PathBuf>,

    /// Use no Binding, even where there is a landfall.yaml
    #[arg(long, conflicts_with = "config")]
    pub(super) no_binding: bool,

    /// Folder that must contain all files a Binding names [default: the Git work tree]
    #[arg(long, value_name = "DIR")]
    pub(super) root: Option<PathBuf>,

    /// Name of standard input in diagnostics
    #[arg(long, value_name = "NAME")]
    pub(super) stdin_filename: Option<String>,

    #[command(flatten)]
    pub(super) parameters: ParameterFlags,

    #[command(flatten)]
    pub(super) mounted: MountedFlags,
}

impl InputFlags {
    /// Resolves the flags, with those of the subcommand that concern outputs that nothing uses.
    ///
    /// # Errors
    /// An argument is not valid, or standard input is given twice.
    pub(super) fn resolve(self, unused: Option<Unused>) -> Result<Inputs, String> {
        let bound = self.bind.resolve(&self.paths)?;
        let paths: Vec<_> = self
            .paths
            .iter()
            .map(|path| input_path(path.as_os_str()))
            .collect();
        let config = self.config.map(|path| input_path(path.as_os_str()));
        let files = bound.iter().map(|bound| &bound.file);
        read_stdin_once(paths.iter().chain(files).chain(&config))?;
        Ok(Inputs {
            paths,
            bound,
            declared: Vec::new(),
            config,
            ignores_bindings: self.no_binding,
            checks_git: false,
            root: self.root,
            stdin_name: self.stdin_filename,
            policies: policies(self.policy, unused, self.dialect),
            parameters: self.parameters.resolve()?,
            mounted: self.mounted.resolve(),
            each: None,
            jobs: None,
        })
    }
}

impl OutputsFlags {
    /// Resolves the flags. `contract` is another file that the command reads.
    ///
    /// # Errors
    /// An argument is not valid, or standard input is given twice.
    pub(super) fn resolve(self, contract: Option<&InputPath>) -> Result<Outputs, String> {
        let bound = self.bind.resolve(&[])?;
        let config = self.config.map(|path| input_path(path.as_os_str()));
        let files = bound.iter().map(|bound| &bound.file);
        read_stdin_once(files.chain(&config).chain(contract))?;
        Ok(Outputs {
            bound,
            config,
            ignores_bindings: self.no_binding,
            root: self.root,
            stdin_name: self.stdin_filename,
            parameters: self.parameters.resolve()?,
            mounted: self.mounted.resolve(),
        })
    }
}

impl ParameterFlags {
    /// Splits the arguments.
    ///
    /// # Errors
    /// One has no value, or its name is given twice.
    pub(super) fn resolve(&self) -> Result<Vec<Parameter>, String> {
        let mut parameters: Vec<Parameter> = Vec::new();
        for argument in &self.parameters {
            let (name, value) = argument.split_once('=').unwrap_or_default();
            if name.is_empty() {
                return Err(format!(
                    "--param {argument} has no value: use `--param NAME=VALUE`"
                ));
            }
            if parameters.iter().any(|earlier| earlier.name == name) {
                return Err(format!("--param sets `{name}` twice"));
            }
            parameters.push(Parameter {
                name: name.to_owned(),
                value: ParameterValue::Text(value.to_owned()),
            });
        }
        Ok(parameters)
    }
}

impl MountedFlags {
    fn resolve(self) -> Option<MountedOutputs> {
        Some(MountedOutputs {
            folder: self.mounted_outputs?,
            named_by: "--mounted-outputs",
            is_public: self.mounted_outputs_public,
        })
    }

    /// Returns what flags of the operator mount, or else the variables.
    ///
    /// # Errors
    /// A variable is not valid.
    pub(super) fn resolve_for_operator(
        self,
        environment: &Environment<'_>,
    ) -> Result<Option<MountedOutputs>, String> {
        if let Some(mounted) = self.resolve() {
            return Ok(Some(mounted));
        }
        let Some(OperatorPath { path, named_by }) =
            operator_path("", None, MOUNTED_OUTPUTS, environment)
        else {
            return Ok(None);
        };
        let is_public = match (environment.variable)(MOUNTED_OUTPUTS_PUBLIC) {
            None => false,
            Some(value) if value == "true" => true,
            Some(value) if value == "false" => false,
            Some(_) => return Err(format!("{MOUNTED_OUTPUTS_PUBLIC} is not `true` or `false`")),
        };
        Ok(Some(MountedOutputs {
            folder: path,
            named_by,
            is_public,
        }))
    }
}

impl BindFlags {
    /// Parses the arguments, as [`bound_files`].
    pub(super) fn resolve(&self, paths: &[PathBuf]) -> Result<Vec<BoundFile>, String> {
        bound_files(BindingFlag::Bind, &self.bind, paths)
    }
}

impl ProgramFlags {
    pub(super) fn resolve(self) -> Programs {
        let Self { kustomize, helm } = self;
        Programs { kustomize, helm }
    }
}
