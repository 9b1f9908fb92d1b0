//! Files that mark a folder as another tool's: rendered by landfall alone, such a folder
//! would lose what its tool does.

/// A tool that generates manifests from a folder's files.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Tool {
    Kustomize,
    Helm,
    Helmfile,
    Jsonnet,
}

impl Tool {
    pub(crate) const ALL: [Self; 4] = [Self::Kustomize, Self::Helm, Self::Helmfile, Self::Jsonnet];

    /// Returns the tool that a file of this name belongs to.
    pub(crate) fn of_file(name: &str) -> Option<Self> {
        match name {
            // The three names that kustomize looks for (api/konfig, v5.8.1).
            "kustomization.yaml" | "kustomization.yml" | "Kustomization" => Some(Self::Kustomize),
            "Chart.yaml" => Some(Self::Helm),
            "helmfile.yaml" | "helmfile.yaml.gotmpl" => Some(Self::Helmfile),
            _ if name.ends_with(".jsonnet") => Some(Self::Jsonnet),
            _ => None,
        }
    }

    pub(crate) const fn name(self) -> &'static str {
        match self {
            Self::Kustomize => "kustomize",
            Self::Helm => "Helm",
            Self::Helmfile => "helmfile",
            Self::Jsonnet => "Jsonnet",
        }
    }

    /// Returns whether landfall runs the tool, as the end of a clause about landfall.
    pub(crate) const fn is_run(self) -> &'static str {
        match self {
            Self::Kustomize => "runs only with `spec.tool: kustomize`",
            Self::Helm => "runs only with `spec.tool: helm`",
            Self::Helmfile | Self::Jsonnet => "does not run",
        }
    }

    /// Returns what a render without the tool leaves out.
    pub(crate) const fn produces(self) -> &'static str {
        match self {
            Self::Kustomize => "its patches, prefixes and generators",
            Self::Helm => "the chart's templates",
            Self::Helmfile => "its releases",
            Self::Jsonnet => "its manifests",
        }
    }

    /// Returns how to use landfall with the tool for its file at this path.
    pub(crate) fn combined_use(self, path: &str) -> String {
        let folder = match path.rsplit_once('/') {
            Some((folder, _)) => folder,
            None => ".",
        };
        match self {
            Self::Kustomize => {
                "to build it with kustomize, set this in the Binding:\nspec:\n  tool: kustomize\nor run landfall as a KRM function in kustomize: `transformers: [landfall.yaml]`"
                    .to_owned()
            }
            Self::Helm => {
                format!(
                    "to template the chart with Helm, set this in the Binding:\nspec:\n  tool: helm\nor render it first with `helm template {folder}` and pass the result to landfall"
                )
            }
            Self::Helmfile => {
                format!(
                    "render the releases first with `helmfile -f {path} template` and pass the result to landfall"
                )
            }
            Self::Jsonnet => {
                format!("evaluate it first with `jsonnet {path}` and pass the result to landfall")
            }
        }
    }
}
