//! The tables of the Binding, from its root down. The tables of policies are in
//! `policy/choice.rs`.

use crate::config::keys::Keys;
#[cfg(test)]
use crate::config::policy::POLICY;

/// The keys of every configuration document; `spec` differs.
pub(crate) static ROOT: Keys = keys! {
    /// The version of the document's format.
    required "apiVersion" => Const("landfall.dev/v1alpha1"),
    /// The kind of the document.
    required "kind" => Const("Binding"),
    /// For programs that expect every document to have a name; landfall ignores its values.
    "metadata" => Mapping(&METADATA),
    /// The outputs documents to bind, and how to bind them.
    "spec" => Mapping(&SPEC),
};

/// The root of an operator's policy.
pub(crate) static OPERATOR_ROOT: Keys = keys! {
    /// The version of the document's format.
    required "apiVersion" => Const("landfall.dev/v1alpha1"),
    /// The kind of the document.
    required "kind" => Const("OperatorPolicy"),
    /// For programs that expect every document to have a name; landfall ignores its values.
    "metadata" => Mapping(&METADATA),
    /// The loosest value that a Binding or a flag may set, for each key. A key that is not
    /// set keeps its built-in ceiling.
    "spec" => Mapping(&POLICY),
};

/// The root of an outputs contract in a file of its own.
pub(crate) static CONTRACT_ROOT: Keys = keys! {
    /// The version of the document's format.
    required "apiVersion" => Const("landfall.dev/v1alpha1"),
    /// The kind of the document.
    required "kind" => Const("OutputsContract"),
    /// For programs that expect every document to have a name; landfall ignores its values.
    "metadata" => Mapping(&METADATA),
    /// Requirements on outputs, by bound name and output.
    required "spec" => Named("^[A-Za-z_][A-Za-z0-9_-]*$", &Named("", &Mapping(&CLAUSE))),
};

/// The keys that programs write or read; those of the API server have no meaning in a file.
pub(crate) static METADATA: Keys = keys! {
    /// The name of the document.
    "name" => AnyText,
    /// A namespace.
    "namespace" => AnyText,
    /// Labels.
    "labels" => Object,
    /// Annotations, such as those that kustomize and kpt read.
    "annotations" => Object,
};

pub(crate) static SPEC: Keys = keys! {
    /// The outputs documents that the application needs, each with the name that
    /// references use.
    "outputs" => List(&Mapping(&OUTPUT)),
    /// The files of the folder that are manifests. By default all YAML and JSON files at
    /// any depth, except dotfiles, Bindings, bound documents and other tools' own files.
    "manifests" => Mapping(&MANIFESTS),
    /// The tool that generates the folder's manifests. `none`: files of other tools are
    /// ignored, and the plain manifests are rendered.
    "tool" => Word(&["none", "kustomize", "helm"]),
    /// How the folder's chart is templated. Requires `tool: helm`.
    "helm" => Mapping(&HELM),
    /// Files with CustomResourceDefinitions that are not manifests of the application,
    /// relative to the folder of the Binding and inside the root: they define the types of
    /// fields.
    "schemas" => List(&Pattern(r"^[^/\\][^\\]*$")),
    /// What is an error and what is allowed. A flag overrides the value set here, and an
    /// operator's policy limits both.
    "policy" => Mapping(&POLICY),
    /// Requirements on outputs, by bound name and output; checked before any manifest.
    "contract" => Named("^[A-Za-z_][A-Za-z0-9_-]*$", &Named("", &Mapping(&CLAUSE))),
    /// Field bindings: values for fields of manifests that contain no reference.
    "substitutions" => List(&Mapping(&SUBSTITUTION)),
    /// Fields that contain embedded documents, in addition to those that landfall knows.
    "embedded" => List(&Mapping(&EMBEDDED)),
    /// Names and outputs' names that belong to other tools, and text as they write it, with
    /// `*` for any text (`{{cluster.*}}`): what looks like a reference to one of them is left
    /// unchanged.
    "foreign" => List(&Pattern(r"^([A-Za-z_][A-Za-z0-9_-]*$|\$|\{\{|#\{)")),
    /// How the manifests write references.
    "dialect" => Dialect,
    /// Whether a KRM function changes nothing, and fails if a reference is left in the resources.
    "validate" => Bool(false),
    /// ConfigMaps and Secrets that a KRM function adds to the resources.
    "generate" => List(&Mapping(&GENERATE)),
};

pub(crate) static GENERATE: Keys = keys! {
    /// `ConfigMap` or `Secret`.
    required "kind" => Word(&["ConfigMap", "Secret"]),
    /// `metadata.name`, without references.
    required "name" => Text,
    /// `metadata.namespace`
    "namespace" => Text,
    /// Whether kustomize appends a hash of the content to the name, and to the names that refer
    /// to it.
    "nameSuffixHash" => Bool(false),
    /// Labels; references are rendered in their values.
    "labels" => Named("", &AnyText),
    /// Annotations; references are rendered in their values.
    "annotations" => Named("", &AnyText),
    /// The `type` of a Secret.
    "type" => Text,
    /// The entries; references are rendered in their values. Required without `outputs`.
    "data" => Named("^[A-Za-z0-9._-]+$", &AnyText),
    /// A bound name whose outputs are entries, too, unless `data` has them: in a Secret the
    /// sensitive ones, in a ConfigMap the others. Lists and objects are written as JSON.
    "outputs" => Pattern("^[A-Za-z_][A-Za-z0-9_-]*$"),
};

pub(crate) static OUTPUT: Keys = keys! {
    /// The bound name: `infra` in `${infra.vpc_id}`.
    required "name" => Pattern("^[A-Za-z_][A-Za-z0-9_-]*$"),
    /// The location of the document.
    required "from" => Mapping(&FROM),
    /// The document's format. By default it is recognised by its content.
    "format" => Format,
    /// Outputs that are sensitive although the document doesn't mark them: `true` for all,
    /// or a list of names. No mark of a document is removed.
    "sensitive" => TrueOrList(&Text),
    /// Outputs that are not secrets although their names read as if they were: no warning
    /// is reported about them.
    "notSensitive" => List(&Text),
    /// Who publishes the document, in your words: reported while it is unpublished.
    "publishedBy" => Text,
    /// Whether the document may be absent. It then has no outputs: references to it need a
    /// `default`, and the contract of its name does not apply.
    "optional" => Bool(false),
};

pub(crate) static FROM: Keys = keys! {
    /// A file, relative to the folder of the Binding and inside the root. `{name}` is the
    /// value of a parameter.
    "file" => Pattern(r"^[^/\\][^\\]*$"),
    /// A file in the operator's folder, relative to the folder of the project under Argo
    /// CD. `{name}` is the value of a parameter.
    "mounted" => Pattern(r"^[^/\\][^\\]*$"),
    /// A parameter whose value is an outputs document: a map, or a string with a document.
    "parameter" => Text,
    /// The outputs themselves.
    "inline" => Object,
    /// A resource among the manifests, or that a KRM function gets: a ConfigMap or Secret, or
    /// another one whose `status` has the outputs.
    "resource" => Mapping(&RESOURCE),
};

pub(crate) static RESOURCE: Keys = keys! {
    /// `v1` or `apps/v1`; by default any.
    "apiVersion" => Text,
    /// The kind.
    required "kind" => Text,
    /// `metadata.name`
    required "name" => Text,
    /// `metadata.namespace`; by default any.
    "namespace" => Text,
};

pub(crate) static MANIFESTS: Keys = keys! {
    /// Patterns of the files that are manifests, instead of the default.
    "include" => List(&Text),
    /// Patterns of the files that are not manifests.
    "exclude" => List(&Text),
};

pub(crate) static HELM: Keys = keys! {
    /// The name of the release. By default the name of the Argo CD Application; outside of
    /// Argo CD it is required.
    "releaseName" => Pattern("^[a-z0-9.-]{1,53}$"),
    /// The namespace of the release. By default the destination's of the Argo CD
    /// Application; outside of Argo CD it is required.
    "namespace" => Pattern("^[a-z0-9-]{1,63}$"),
    /// Values files, relative to the folder of the Binding and inside the root. Later ones
    /// override earlier ones.
    "valueFiles" => List(&Pattern(r"^[^/\\][^\\]*$")),
    /// The version of Kubernetes that templates see. By default that of the destination
    /// cluster; outside of Argo CD, Helm's own default.
    "kubeVersion" => Pattern("^v?[0-9][0-9A-Za-z.+-]*$"),
    /// API versions that templates see, in addition to those of the destination cluster.
    "apiVersions" => List(&Pattern("^[a-z][0-9A-Za-z./-]*$")),
    /// Whether to leave out the files in `crds/`.
    "skipCrds" => Bool(false),
    /// Whether to leave out the chart's tests.
    "skipTests" => Bool(false),
};

/// The requirements of the contract on one output.
pub(crate) static CLAUSE: Keys = keys! {
    /// The type of the value.
    "type" => Word(&["string", "number", "integer", "bool", "list", "object"]),
    /// Whether the output must exist and must not be null.
    "required" => Bool(true),
    /// Whether the output must be marked as sensitive; `false`: it must not be. By default
    /// both are allowed.
    "sensitive" => OptionalBool,
    /// A regular expression that matches somewhere in the string.
    "pattern" => Text,
    /// The allowed values.
    "enum" => NonEmptyList(&Scalar),
    /// The minimum of a number.
    "min" => Number,
    /// The maximum of a number.
    "max" => Number,
    /// The minimum number of characters, or of items.
    "minLength" => Whole,
    /// What the output is for, in your words: part of every message about it.
    "description" => Text,
    /// A value that satisfies the other requirements: `landfall sample` uses it.
    "example" => Any,
    /// `error`: it is an error if nothing uses the output.
    "unused" => Word(&["error"]),
};

pub(crate) static SUBSTITUTION: Keys = keys! {
    /// A string with references.
    required "value" => Text,
    /// The fields that get the value.
    required "targets" => List(&Mapping(&TARGET)),
};

pub(crate) static TARGET: Keys = keys! {
    /// The resources to select. At least one key is required.
    required "select" => Mapping(&SELECTOR),
    /// Selected resources to exclude.
    "reject" => List(&Mapping(&SELECTOR)),
    /// The paths of the fields, in the syntax of kustomize's replacements.
    required "fieldPaths" => NonEmptyList(&Text),
    /// How each field is replaced.
    "options" => Mapping(&OPTIONS),
};

pub(crate) static SELECTOR: Keys = keys! {
    /// The API group.
    "group" => AnyText,
    /// The API version without its group.
    "version" => AnyText,
    /// The kind.
    "kind" => AnyText,
    /// `metadata.name`
    "name" => AnyText,
    /// `metadata.namespace`
    "namespace" => AnyText,
    /// A label selector, in the syntax of kubectl: `app=web,tier!=db`.
    "labelSelector" => AnyText,
    /// A selector of annotations, in the same syntax.
    "annotationSelector" => AnyText,
};

pub(crate) static OPTIONS: Keys = keys! {
    /// Splits the field's string, to replace one of its parts.
    "delimiter" => Text,
    /// The part that is replaced, counted from 0. Requires `delimiter`.
    "index" => Integer,
    /// The encoding of the field's string.
    "encoding" => Word(&["base64"]),
    /// Whether to create missing fields.
    "create" => Bool(false),
    /// Whether to replace the key instead of the value.
    "key" => Bool(false),
};

pub(crate) static EMBEDDED: Keys = keys! {
    /// The resources to select. At least one key is required.
    required "select" => Mapping(&SELECTOR),
    /// Selected resources to exclude.
    "reject" => List(&Mapping(&SELECTOR)),
    /// The paths of the fields that contain a document.
    required "fieldPaths" => NonEmptyList(&Text),
    /// The format of the document. `text` is not parsed: references in it are replaced as
    /// in plain text.
    "format" => Word(&["yaml", "json", "text"]),
};
