//! The rules of the host's own diagnostics.

macro_rules! rules {
    ($($name:ident => $id:literal,)+) => {
        /// Problems with files that are found before the module is called. Each rule has
        /// a section in docs/rules.md.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub(crate) enum HostRule { $($name,)+ }

        impl HostRule {
            #[cfg(test)]
            pub(crate) const ALL: &[HostRule] = &[$(HostRule::$name,)+];

            /// Returns the stable id: `missing-file`.
            pub(crate) const fn id(self) -> &'static str {
                match self { $(Self::$name => $id,)+ }
            }
        }
    };
}

rules! {
    MissingFile => "missing-file",
    UnreadableFile => "unreadable-file",
    OutsideRoot => "outside-root",
    UnlistedFile => "unlisted-file",
    InputTooLarge => "input-too-large",
    NoOutputs => "no-outputs",
    NothingChecked => "nothing-checked",
    OutputsNotPublished => "outputs-not-published",
    SecretInGit => "secret-in-git",
    OutputsDigest => "outputs-digest",
    InvalidTerraform => "invalid-terraform",
    InvalidClusters => "invalid-clusters",
    ContractNames => "contract-names",
    TwoBindings => "two-bindings",
    KeptFile => "kept-file",
    NotInApplication => "not-in-application",
    OutsideApplications => "outside-applications",
    SeveralApplications => "several-applications",
    OutputAmongManifests => "output-among-manifests",
    UnwritableFile => "unwritable-file",
    InvalidKustomization => "invalid-kustomization",
    RepeatedResource => "repeated-resource",
    SharedFile => "shared-file",
    BindingNotApplied => "binding-not-applied",
    InvalidChart => "invalid-chart",
    InvalidValues => "invalid-values",
    ToolFailed => "tool-failed",
    ToolNotRun => "tool-not-run",
}
