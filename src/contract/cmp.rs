//! Argo CD's calls, and everyone else's who renders a folder of files: which
//! files are ours, and which must be opened.

use crate::config::binding::{self, Binding};
use crate::config::{Config, Need};
use crate::contract::Parameter;
use crate::contract::folder::{BINDINGS, Folder, select};
use crate::report::{Diagnostic, Diagnostics, Origin};

/// What a host opens before it calls [`crate::Sources::generate`].
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Plan {
    /// Outputs documents that the Binding asks for.
    pub outputs: Vec<Need>,
    /// Positions in the folder's paths: the source manifests among them.
    pub manifests: Vec<usize>,
    /// Warnings.
    pub diagnostics: Vec<Diagnostic>,
}

/// Whether a folder that holds these paths is landfall's: it has a Binding.
///
/// # Examples
/// ```
/// assert!(landfall::discover(&["landfall.yaml", "deployment.yaml"]));
/// assert!(!landfall::discover(&["deployment.yaml", "sub/landfall.yaml"]));
/// ```
#[must_use]
pub fn discover(paths: &[&str]) -> bool {
    paths.iter().any(|path| BINDINGS.contains(path))
}

/// What must be opened: the outputs documents that the Binding asks for, and the
/// manifests of the application's folder. Without a folder (the manifests are given
/// in another way) only the former.
///
/// Unless the Binding says otherwise, manifests are the YAML and JSON files at
/// any depth, without dotfiles, Bindings, bound documents and the files by which
/// other tools own a folder, such as `kustomization.yaml` and `Kptfile`.
///
/// # Errors
/// Everything that is wrong with the Binding, and why the folder must not be
/// rendered: another Binding or another tool owns a part of it.
///
/// # Examples
/// ```
/// let folder = landfall::Folder { shown: "app", paths: &["a.yaml", ".hidden.yaml", "b/c.json", "README.md"] };
/// let plan = landfall::needs(None, &[], Some(&folder)).unwrap();
/// assert_eq!(plan.manifests, [0, 2]);
/// ```
// Inlined into the component's export, it would be compiled for speed there.
#[inline(never)]
pub fn needs(
    binding: Option<&Config>,
    _parameters: &[Parameter],
    folder: Option<&Folder<'_>>,
) -> Result<Plan, Diagnostics> {
    let binding = match binding {
        Some(binding) => binding::read(binding, Origin::Binding)?,
        None => Binding::default(),
    };
    let mut diagnostics = Vec::new();
    let manifests = match folder {
        Some(folder) => match select(&binding, folder, &mut diagnostics) {
            Ok(manifests) => manifests,
            Err(mut errors) => {
                errors.append(&mut diagnostics);
                return Err(errors.into());
            }
        },
        None => Vec::new(),
    };
    Ok(Plan {
        outputs: binding.outputs,
        manifests,
        diagnostics,
    })
}
