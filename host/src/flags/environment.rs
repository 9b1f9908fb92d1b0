//! What the command line is resolved in, and the variables that replace flags.

use std::ffi::OsString;
use std::path::PathBuf;

use crate::settings::OperatorPath;

/// The environment that the command line is resolved in. Tests provide their own.
pub(crate) struct Environment<'a> {
    pub(crate) variable: &'a dyn Fn(&str) -> Option<OsString>,
    pub(crate) stderr_is_terminal: bool,
}

/// Returns the path that a flag of the operator names, or else an environment variable.
///
/// The flags are in the plugin.yaml of an image, the variables in a Deployment. Authors
/// cannot set the variables: Argo CD adds the prefix `ARGOCD_ENV_` to the names in an
/// Application's `plugin.env`, and `PARAM_` to those of its parameters (getPluginParamEnvs in
/// reposerver/repository/repository.go, argo-cd v3.2.12).
pub(super) fn operator_path(
    flag: &'static str,
    path: Option<PathBuf>,
    variable: &'static str,
    environment: &Environment<'_>,
) -> Option<OperatorPath> {
    let by_variable = || {
        let path = PathBuf::from((environment.variable)(variable)?);
        let named_by = variable;
        Some(OperatorPath { path, named_by })
    };
    let named_by = flag;
    path.map(|path| OperatorPath { path, named_by })
        .or_else(by_variable)
}
