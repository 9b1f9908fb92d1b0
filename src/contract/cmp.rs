//! The calls of Argo CD and other hosts that render a folder: whether it is landfall's, and
//! which of its files must be opened.

use crate::config::binding::{self, Binding};
use crate::config::{ChartOptions, Config, Need};
use crate::contract::folder::{BINDINGS, Folder, select};
use crate::contract::{Parameter, parameters};
use crate::report::{Diagnostic, Diagnostics, Origin};
use yaml::Span;

/// The files that a host opens before it calls [`crate::Sources::generate`].
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Plan {
    /// The outputs documents that the Binding requires.
    pub outputs: Vec<Need>,
    /// The source manifests, as indexes into the paths of the folder.
    pub manifests: Vec<usize>,
    /// Warnings.
    pub diagnostics: Vec<Diagnostic>,
}

/// The tool that builds the manifests of an application's folder: `spec.tool`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Tool {
    /// No tool: the plain manifests are rendered, even if there are other tools' files.
    None,
    /// The host renders the files of the folder's kustomization, and builds it.
    Kustomize,
    /// The host renders the values of the folder's chart, and templates it.
    Helm,
}

/// Returns the tool that the Binding names. A host asks for it before it calls [`needs`]:
/// the files of a folder that another tool builds are found by the host, and it calls
/// [`needs`] without a folder.
///
/// # Errors
/// All problems with the Binding, among them a tool that this version does not support.
///
/// # Examples
/// ```
/// let content = b"apiVersion: landfall.dev/v1alpha1\nkind: Binding\nspec: {tool: kustomize}\n";
/// let binding = landfall::Config { path: "landfall.yaml".into(), content: content.to_vec() };
/// assert_eq!(landfall::tool(Some(&binding)), Ok(Some(landfall::Tool::Kustomize)));
/// assert_eq!(landfall::tool(None), Ok(None));
/// ```
// Inlined into the component's export, it would be compiled for speed there.
#[inline(never)]
pub fn tool(binding: Option<&Config>) -> Result<Option<Tool>, Diagnostics> {
    let Some(binding) = binding else {
        return Ok(None);
    };
    let binding = binding::read(binding, Origin::Binding)?;
    Ok(binding.tool.map(|tool| match tool {
        binding::Tool::None => Tool::None,
        binding::Tool::Kustomize => Tool::Kustomize,
        binding::Tool::Helm => Tool::Helm,
    }))
}

/// Returns whether a folder with these paths has a Binding.
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

/// A file with CustomResourceDefinitions.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SchemaFile {
    /// Its path relative to the folder of the Binding.
    pub path: String,
    /// The location in the Binding.
    pub span: Span,
}

/// Returns the files with CustomResourceDefinitions that a Binding names. A host adds them to
/// the sources, and does not write them.
///
/// # Errors
/// All problems with the Binding.
///
/// # Examples
/// ```
/// let content = b"apiVersion: landfall.dev/v1alpha1
/// kind: Binding
/// spec: {schemas: [../crds/widgets.yaml]}
/// ";
/// let binding = landfall::Config { path: "landfall.yaml".into(), content: content.to_vec() };
/// assert_eq!(landfall::schemas(&binding).unwrap()[0].path, "../crds/widgets.yaml");
/// ```
pub fn schemas(binding: &Config) -> Result<Vec<SchemaFile>, Diagnostics> {
    let binding = binding::read(binding, Origin::Binding)?;
    let schemas = binding.schemas.into_iter();
    Ok(schemas
        .map(|(path, span)| SchemaFile { path, span })
        .collect())
}

/// Returns how the chart of a folder with `spec.tool: helm` is templated.
///
/// # Errors
/// All problems with the Binding.
///
/// # Examples
/// ```
/// let content = b"apiVersion: landfall.dev/v1alpha1
/// kind: Binding
/// spec: {tool: helm, helm: {releaseName: web, valueFiles: [values-prod.yaml]}}
/// ";
/// let binding = landfall::Config { path: "landfall.yaml".into(), content: content.to_vec() };
/// let options = landfall::chart_options(&binding).unwrap();
/// assert_eq!(options.release_name.as_deref(), Some("web"));
/// assert_eq!(options.value_files[0].0, "values-prod.yaml");
/// ```
pub fn chart_options(binding: &Config) -> Result<ChartOptions, Diagnostics> {
    binding::read(binding, Origin::Binding).map(|binding| binding.chart)
}

/// Returns the files that must be opened: the outputs documents that the Binding requires,
/// and the manifests of the application's folder. Without a folder (the host has the
/// manifests already), only the former. Parameters in the paths of outputs documents have
/// been replaced by their values. [`crate::bound_values`] returns the documents that are not
/// files.
///
/// Unless the Binding says otherwise, manifests are the YAML and JSON files at any depth,
/// except dotfiles, Bindings, bound documents and other tools' own files, such as
/// `kustomization.yaml` and `Kptfile`.
///
/// # Errors
/// All problems with the Binding, and the reasons why the folder must not be rendered: a
/// part of it belongs to another Binding or another tool.
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
    parameters: &[Parameter],
    folder: Option<&Folder<'_>>,
) -> Result<Plan, Diagnostics> {
    let mut binding = match binding {
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
    // `bound_values` reports what is missing.
    parameters::set_paths(&mut binding.outputs, parameters);
    Ok(Plan {
        outputs: binding.outputs,
        manifests,
        diagnostics,
    })
}
