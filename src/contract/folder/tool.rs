//! Files by which other tools own a folder: rendered by landfall alone, such a
//! folder would lose what its tool does.

/// A tool that makes manifests of a folder's files.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Tool {
    Kustomize,
    Helm,
    Helmfile,
    Jsonnet,
}

impl Tool {
    pub(crate) const ALL: [Self; 4] = [Self::Kustomize, Self::Helm, Self::Helmfile, Self::Jsonnet];

    /// The tool that a file of this name belongs to.
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

    /// What a render without the tool leaves out.
    pub(crate) const fn work(self) -> &'static str {
        match self {
            Self::Kustomize => "its patches, prefixes and generators",
            Self::Helm => "the chart's templates",
            Self::Helmfile => "its releases",
            Self::Jsonnet => "its manifests",
        }
    }

    /// How both work together on a file of this path; `with` are the flags that bind
    /// outputs.
    pub(crate) fn together(self, path: &str, with: &str) -> String {
        let folder = match path.rsplit_once('/') {
            Some((folder, _)) => folder,
            None => ".",
        };
        match self {
            Self::Kustomize => {
                "call landfall from kustomize: `transformers: [landfall.yaml]`, with `landfall krm` as its function".to_owned()
            }
            Self::Helm => {
                format!("render the chart first: `helm template {folder} | landfall render - {with}`")
            }
            Self::Helmfile => {
                format!("render the releases first: `helmfile -f {path} template | landfall render - {with}`")
            }
            Self::Jsonnet => {
                format!("evaluate it first: `jsonnet {path} | landfall render - {with}`")
            }
        }
    }
}
