//! The programs and their versions. Adding one takes one entry here.

/// What a program is needed for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Group {
    /// `cargo xtask test`: the hosts that landfall runs under.
    Tests,
    /// `cargo xtask bench` only: peers that do similar work.
    Benches,
}

/// How a program is built.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Source {
    /// `go install PACKAGE@vVERSION`.
    Published {
        /// The main package's import path.
        package: &'static str,
    },
    /// A main package of ours, in a Go module next to this crate that pins its
    /// dependencies (go.sum).
    Ours {
        /// The Go module's folder in this crate; the package is its subfolder with the
        /// program's name.
        module: &'static str,
        /// The dependency that gives the program its version.
        dependency: &'static str,
    },
}

/// One program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Program {
    /// The name of the program and of its file.
    pub name: &'static str,
    /// Its version, without `v`.
    pub version: &'static str,
    /// What it is needed for.
    pub group: Group,
    pub(crate) source: Source,
}

/// Every program that landfall's tests and benches start and that distributions do not
/// package.
pub const PROGRAMS: &[Program] = &[
    Program {
        name: "kustomize",
        version: "5.8.1",
        group: Group::Tests,
        source: Source::Published {
            package: "sigs.k8s.io/kustomize/kustomize/v5",
        },
    },
    Program {
        name: "argocd-cmp-server",
        version: "3.2.12",
        group: Group::Tests,
        source: Source::Ours {
            module: "argocd",
            dependency: "github.com/argoproj/argo-cd/v3",
        },
    },
    Program {
        name: "cmp-client",
        version: "3.2.12",
        group: Group::Tests,
        source: Source::Ours {
            module: "argocd",
            dependency: "github.com/argoproj/argo-cd/v3",
        },
    },
    Program {
        name: "helm",
        version: "4.3.1",
        group: Group::Tests,
        source: Source::Published {
            package: "helm.sh/helm/v4/cmd/helm",
        },
    },
    Program {
        name: "helm3",
        version: "3.22.0",
        group: Group::Tests,
        source: Source::Published {
            package: "helm.sh/helm/v3/cmd/helm",
        },
    },
    Program {
        name: "kpt",
        version: "1.0.0-beta.61",
        group: Group::Tests,
        source: Source::Ours {
            module: "kpt",
            dependency: "github.com/kptdev/kpt",
        },
    },
    Program {
        name: "applicationset-expand",
        version: "3.2.12",
        group: Group::Tests,
        source: Source::Ours {
            module: "applicationset",
            dependency: "github.com/argoproj/argo-cd/v3",
        },
    },
    Program {
        name: "flux-substitute",
        version: "1.41.0",
        group: Group::Tests,
        source: Source::Ours {
            module: "flux",
            dependency: "github.com/fluxcd/pkg/kustomize",
        },
    },
    Program {
        name: "yq",
        version: "4.54.1",
        group: Group::Benches,
        source: Source::Published {
            package: "github.com/mikefarah/yq/v4",
        },
    },
    Program {
        name: "flux-envsubst",
        version: "1.8.0",
        group: Group::Benches,
        source: Source::Ours {
            module: "flux",
            dependency: "github.com/fluxcd/pkg/envsubst",
        },
    },
];

/// Returns the program with this name.
///
/// ```
/// assert_eq!(landfall_tools::named("kustomize").map(|program| program.version), Some("5.8.1"));
/// assert_eq!(landfall_tools::named("kustomise"), None);
/// ```
#[must_use]
pub fn named(name: &str) -> Option<&'static Program> {
    PROGRAMS.iter().find(|program| program.name == name)
}

#[cfg(test)]
mod tests {
    use super::{PROGRAMS, Source};

    #[test]
    fn versions_match_the_go_modules() {
        for program in PROGRAMS {
            let Source::Ours { module, dependency } = program.source else {
                continue;
            };
            let path = std::path::Path::new(env!("CARGO_MANIFEST_DIR"))
                .join(module)
                .join("go.mod");
            let go_mod = std::fs::read_to_string(&path).unwrap();
            let wanted = format!("{dependency} v{}", program.version);
            assert!(
                go_mod
                    .lines()
                    .any(|line| line.trim_start_matches("require ").trim() == wanted),
                "{} has no `{wanted}`",
                path.display()
            );
        }
    }
}
