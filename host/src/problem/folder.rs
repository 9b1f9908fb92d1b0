//! Problems with the contents of folders.

use landfall_sandbox::types::Severity;

use crate::files::{ListingError, RootKind};

use super::{HostRule, Problem};

impl Problem {
    /// Something in an application's folder that could not be listed.
    pub(crate) fn listing(path: &str, error: &ListingError) -> Self {
        match error {
            ListingError::File(error) => Self::manifest(path, error),
            ListingError::NotUtf8 => Self::not_utf8_name(path, None, false),
            ListingError::TooMany { limit } => {
                let message = format!("more than {limit} files: listing stopped in `{path}`");
                Self::new(HostRule::InputTooLarge, message)
                    .help("render a smaller folder, and check for links that form a cycle")
            }
        }
    }

    /// A file whose name is not UTF-8. `exclude` is the pattern that excludes it in the Binding. It
    /// is skipped, which is a warning, if the Binding does not select it for certain.
    pub(crate) fn not_utf8_name(path: &str, exclude: Option<&str>, is_skipped: bool) -> Self {
        let rule = HostRule::UnlistedFile;
        if is_skipped {
            let message = format!("skipped `{path}`: its name is not UTF-8");
            return Self::new(rule, message).severity(Severity::Warning);
        }
        let message = format!("`{path}` cannot be rendered: its name is not UTF-8");
        let exclude = exclude.map(excluding).unwrap_or_default();
        Self::new(rule, message).help(format!("rename it{exclude}"))
    }

    /// A link that points outside the root. `exclude` and `is_skipped`: as for a name that is not
    /// UTF-8.
    pub(crate) fn link_outside_root(
        path: &str,
        exclude: Option<&str>,
        root: RootKind,
        is_skipped: bool,
    ) -> Self {
        let rule = HostRule::OutsideRoot;
        let larger = match root {
            RootKind::Named | RootKind::WorkTree | RootKind::NoWorkTree => {
                ", or pass a larger root with --root"
            }
            RootKind::ArgoCd => {
                ", or add its target's folder to the annotation `argocd.argoproj.io/manifest-generate-paths`"
            }
            RootKind::ManualPlugin { .. } => "",
        };
        if is_skipped {
            let message = format!("skipped `{path}`: the link points outside the root");
            let help = format!("replace the link with a copy of its target{larger}");
            return Self::new(rule, message)
                .help(help)
                .severity(Severity::Warning);
        }
        let message = format!(
            "the link `{path}` points outside the root, so its target would not be rendered"
        );
        let exclude = exclude.map(excluding).unwrap_or_default();
        Self::new(rule, message).help(format!(
            "replace the link with a copy of its target{exclude}{larger}"
        ))
    }
}

/// Returns the end of a help text: how to exclude the file.
fn excluding(pattern: &str) -> String {
    format!(", or exclude it in the Binding: `spec: {{manifests: {{exclude: [{pattern}]}}}}`")
}
