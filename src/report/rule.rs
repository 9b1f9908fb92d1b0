//! The rules that diagnostics name: stable kebab-case ids, one table.

macro_rules! rules {
    ($($(#[doc = $doc:literal])+ $name:ident => $id:literal,)+) => {
        /// A rule that an input can break. Its id never changes once released.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
        #[non_exhaustive]
        pub enum Rule { $($(#[doc = $doc])+ $name,)+ }

        impl Rule {
            /// Every rule, in the order of the documentation.
            pub const ALL: &[Rule] = &[$(Rule::$name,)+];

            /// The stable id: `unknown-output`.
            #[must_use]
            pub const fn id(self) -> &'static str {
                match self { $(Rule::$name => $id,)+ }
            }
        }
    };
}

rules! {
    // Manifests
    /// The file is not UTF-8.
    NotUtf8 => "not-utf-8",
    /// A document that contains a reference cannot be parsed.
    DocumentIsNotYaml => "document-is-not-yaml",
    /// A document has no apiVersion or no kind, or is a Terraform document.
    NotAResource => "not-a-resource",
    /// An outputs document among the manifests.
    OutputsAsManifest => "outputs-as-manifest",
    /// There is nothing to render.
    NoManifests => "no-manifests",
    /// A reference in a document that SOPS encrypted.
    EncryptedDocument => "encrypted-document",

    // References
    /// A reference is not closed.
    UnterminatedReference => "unterminated-reference",
    /// A reference that breaks the grammar.
    InvalidReference => "invalid-reference",
    /// A reference in an anchor, alias, tag or directive, or one that removes or multiplies
    /// an item where there is none.
    MisplacedReference => "misplaced-reference",
    /// A function that does not exist.
    UnknownFunction => "unknown-function",
    /// A function is called with invalid arguments.
    InvalidArgument => "invalid-argument",
    /// A name that is similar to a bound one.
    NearMiss => "near-miss",
    /// A name that only another Binding binds.
    BoundElsewhere => "bound-elsewhere",
    /// A reference where nothing is bound at all.
    NothingBound => "nothing-bound",
    /// Text that looks like a reference to a name that is not bound.
    UnboundReference => "unbound-reference",
    /// A reference that was encoded before it could be rendered.
    EncodedReference => "encoded-reference",
    /// A reference that is left in rendered manifests.
    UnrenderedReference => "unrendered-reference",
    /// A reference of another dialect that is not migrated.
    NotMigrated => "not-migrated",
    /// An output that cannot have another name everywhere.
    NotRenamed => "not-renamed",
    /// A comment that looks like a setter comment but is not one.
    SetterLookAlike => "setter-look-alike",
    /// A setter comment that sets nothing.
    InvalidSetter => "invalid-setter",
    /// landfall's annotation has an unknown value.
    InvalidAnnotation => "invalid-annotation",
    /// Two values for one field.
    ConflictingSubstitutions => "conflicting-substitutions",
    /// No manifest has the target of a field binding.
    TargetNotFound => "target-not-found",
    /// Aliases that contain themselves or repeat a value too often.
    TooManyAliases => "too-many-aliases",
    /// Finding the targets of field bindings, or similar names, takes too long.
    TooManySteps => "too-many-steps",
    /// A value whose `$` must be doubled in one field but not where an alias repeats it.
    ExpansionConflict => "expansion-conflict",
    /// A value that Argo CD would expand as a Go template.
    TemplateInValue => "template-in-value",
    /// A value that the program that reads its field would read as another one.
    MisreadValue => "misread-value",

    // Resolution
    /// A bound name has no such output.
    UnknownOutput => "unknown-output",
    /// An entry of an outputs document that references cannot read.
    UnreadableOutput => "unreadable-output",
    /// An output has no such key, index or part.
    UnknownKey => "unknown-key",
    /// The output is null or an empty string.
    EmptyOutput => "empty-output",
    /// An output with `required` is missing, null or empty.
    RequiredOutput => "required-output",
    /// A default is used for a name that is close to an existing one.
    DefaultForNearMiss => "default-for-near-miss",
    /// An operator that does something else in a shell.
    MisleadingOperator => "misleading-operator",
    /// A value of this type is not allowed here, or is not accepted by this function.
    TypeMismatch => "type-mismatch",
    /// A Kubernetes field does not accept a value of this type.
    FieldTypeMismatch => "field-type-mismatch",
    /// The API server refuses the value of a field.
    RefusedValue => "refused-value",
    /// It is unknown whether a field expects the number or a string: kustomize has
    /// dropped the quotes.
    QuotesUnknown => "quotes-unknown",
    /// A field that its resource does not have would be set.
    UnknownField => "unknown-field",
    /// Quotes around a number or bool are removed, because its field takes no string.
    QuotesRemoved => "quotes-removed",
    /// The version of a kind is unknown: the types of another one are used.
    UnknownVersion => "unknown-version",
    /// A number that YAML readers may not keep exactly.
    InexactNumber => "inexact-number",
    /// Two keys of one mapping are equal after substitution.
    DuplicateKey => "duplicate-key",
    /// A sensitive output would be written outside a Secret.
    SensitiveOutput => "sensitive-output",
    /// Something failed on a sensitive value.
    SensitiveFailure => "sensitive-failure",
    /// A sensitive output would be written to a resource that YAML readers may disagree
    /// about.
    AmbiguousResource => "ambiguous-resource",
    /// A value in the `data` of a Secret would not be base64.
    SecretDataNotBase64 => "secret-data-not-base64",
    /// The answer would exceed its limit.
    AnswerTooLarge => "answer-too-large",

    // Outputs documents
    /// The outputs document breaks the rules of its format.
    InvalidOutputs => "invalid-outputs",
    /// The outputs document has no known format.
    OutputsNotRecognized => "outputs-not-recognized",
    /// The outputs document is empty.
    OutputsEmpty => "outputs-empty",
    /// An outputs document has a duplicate name or key.
    DuplicateOutput => "duplicate-output",
    /// A later document of the same binding replaces an output.
    OutputOverridden => "output-overridden",
    /// The name of an output that is not sensitive is that of a secret.
    PlaintextSecret => "plaintext-secret",
    /// Nothing uses a bound output.
    UnusedOutput => "unused-output",
    /// An output violates the Binding's contract.
    ContractViolation => "contract-violation",
    /// An export cannot be written: an option is invalid, or its target cannot have an
    /// output.
    InvalidExport => "invalid-export",
    /// The program that reads an export reads a value differently.
    MisreadExport => "misread-export",
    /// An export does not contain an output.
    NotExported => "not-exported",
    /// An ApplicationSet of which Argo CD would make no Applications, or that needs more than
    /// files.
    InvalidApplicationSet => "invalid-application-set",
    /// A template of an ApplicationSet names a parameter that an Application lacks.
    MissingParameter => "missing-parameter",
    /// Argo CD reads a value of an ApplicationSet differently than it looks.
    MisreadApplicationSet => "misread-application-set",
    /// An ApplicationSet makes no Applications.
    EmptyApplicationSet => "empty-application-set",
    /// A parameter that an outputs document needs is not set.
    ParameterNotSet => "parameter-not-set",
    /// The value of a parameter cannot be used.
    InvalidParameter => "invalid-parameter",
    /// The name of a binding breaks the grammar.
    InvalidBindingName => "invalid-binding-name",

    // Binding, policy, ResourceList
    /// The Binding cannot be read.
    InvalidBinding => "invalid-binding",
    /// The contract of outputs documents cannot be read.
    InvalidContract => "invalid-contract",
    /// A Binding is inside the folder of another one.
    NestedBinding => "nested-binding",
    /// An unused Binding among the manifests.
    StrayBinding => "stray-binding",
    /// The folder belongs to another tool.
    OtherTool => "other-tool",
    /// A pattern of the Binding matches no file.
    UnmatchedPattern => "unmatched-pattern",
    /// The operator's policy cannot be read.
    InvalidPolicy => "invalid-policy",
    /// The operator's policy does not allow it.
    RefusedByOperator => "refused-by-operator",
    /// A policy of the Binding, or one that is set by the host, does not allow it.
    RefusedByPolicy => "refused-by-policy",
    /// The input is not a ResourceList.
    InvalidResourceList => "invalid-resource-list",
    /// A file of `spec.schemas` that defines no types, or definitions of a kind that differ.
    InvalidSchema => "invalid-schema",
}

/// What a host may add its own words to, or knows better than the plugin.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Topic {
    /// Nothing is bound at all.
    NothingBound,
    /// Nothing is bound to a name.
    UnboundName,
    /// Nothing is bound to a name that is similar to a bound one.
    NearMiss,
    /// A reference is left in manifests that a tool built.
    LeftReference,
    /// There are no resources.
    NoResources,
    /// A pattern of the Binding matches no file of the folder.
    UnmatchedPattern,
    /// An output is not used.
    UnusedOutput,
    /// An output cannot be read.
    UnreadableOutput,
    /// An output violates its contract.
    ContractViolation,
    /// An outputs document is among the manifests.
    OutputsAsManifest,
    /// The folder belongs to another tool.
    OtherTool,
}

impl Rule {
    /// Returns what diagnostics of the rule are about, if hosts may act on it.
    #[must_use]
    pub const fn topic(self) -> Option<Topic> {
        Some(match self {
            Self::NothingBound => Topic::NothingBound,
            Self::UnboundReference | Self::BoundElsewhere => Topic::UnboundName,
            Self::NearMiss => Topic::NearMiss,
            Self::UnrenderedReference | Self::EncodedReference => Topic::LeftReference,
            Self::NoManifests => Topic::NoResources,
            Self::UnmatchedPattern => Topic::UnmatchedPattern,
            Self::UnusedOutput => Topic::UnusedOutput,
            Self::UnreadableOutput => Topic::UnreadableOutput,
            Self::ContractViolation => Topic::ContractViolation,
            Self::OutputsAsManifest => Topic::OutputsAsManifest,
            Self::OtherTool => Topic::OtherTool,
            _ => return None,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::Rule;

    #[test]
    fn ids_are_kebab_case_and_unique() {
        let mut seen = std::collections::BTreeSet::new();
        for rule in Rule::ALL {
            assert!(
                rule.id()
                    .bytes()
                    .all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'-'),
                "{}",
                rule.id()
            );
            assert!(seen.insert(rule.id()), "duplicate rule id {}", rule.id());
        }
    }
}
