//! The tables of the Binding, from its root down. The tables of policies are in
//! `policy/choice.rs`.

use crate::config::keys::Keys;
#[cfg(test)]
use crate::config::policy::POLICY;

/// The keys of every configuration document; `spec` differs.
pub(crate) static ROOT: Keys = keys! {
    /// The version of this form.
    required "apiVersion" => Const("landfall.dev/v1alpha1"),
    /// The kind of this document.
    required "kind" => Const("Binding"),
    /// For programs that expect every document to have a name: landfall reads nothing
    /// in it.
    "metadata" => Object,
    /// What is bound, and how.
    "spec" => Mapping(&SPEC),
};

/// The root of an operator's policy.
pub(crate) static OPERATOR_ROOT: Keys = keys! {
    /// The version of this form.
    required "apiVersion" => Const("landfall.dev/v1alpha1"),
    /// The kind of this document.
    required "kind" => Const("OperatorPolicy"),
    /// For programs that expect every document to have a name: landfall reads nothing
    /// in it.
    "metadata" => Object,
    /// The loosest value that a Binding or a flag may ask for, key by key. A key that is
    /// not stated keeps its built-in ceiling.
    "spec" => Mapping(&POLICY),
};

pub(crate) static SPEC: Keys = keys! {
    /// The outputs documents that the application needs, each with the name that
    /// references use.
    "outputs" => List(&Mapping(&OUTPUT)),
    /// Which files of the folder are manifests. By default all YAML and JSON files at
    /// any depth, without dotfiles, Bindings, bound documents and other tools' own files.
    "manifests" => Mapping(&MANIFESTS),
    /// The tool that makes the folder's manifests. `none`: files of other tools mean
    /// nothing, and the plain manifests are rendered.
    "tool" => Word(&["none"]),
    /// What is an error and what is allowed. A flag replaces what is said here, and an
    /// operator limits both.
    "policy" => Mapping(&POLICY),
    /// What outputs must be, by bound name and by output; checked before any manifest.
    "contract" => Named("^[A-Za-z_][A-Za-z0-9_-]*$", &Named("", &Mapping(&CLAUSE))),
    /// Field bindings: values for fields of manifests that hold no reference.
    "substitutions" => List(&Mapping(&SUBSTITUTION)),
    /// Fields that hold documents of their own, beside those that landfall knows.
    "embedded" => List(&Mapping(&EMBEDDED)),
    /// Names of other tools: text that reads as a reference to one of them is left alone.
    "foreign" => List(&Pattern("^[A-Za-z_][A-Za-z0-9_-]*$")),
    /// How the manifests write references. landfall's own is the only dialect so far.
    "dialect" => Dialect,
};

pub(crate) static OUTPUT: Keys = keys! {
    /// The bound name: `infra` in `${infra.vpc_id}`.
    required "name" => Pattern("^[A-Za-z_][A-Za-z0-9_-]*$"),
    /// Where the document is.
    required "from" => Mapping(&FROM),
    /// The document's format. By default it is recognised by its content.
    "format" => Text,
    /// Who publishes the document, in your words: reported while it is not there yet.
    "publishedBy" => Text,
};

pub(crate) static FROM: Keys = keys! {
    /// A file, relative to the folder of the Binding and inside the root.
    required "file" => Pattern(r"^[^/\\][^\\]*$"),
    later: "mounted", "parameter", "inline",
};

pub(crate) static MANIFESTS: Keys = keys! {
    /// Patterns of the files that are manifests, in place of the default.
    "include" => List(&Text),
    /// Patterns of the files that are not.
    "exclude" => List(&Text),
};

/// What the contract says of one output.
pub(crate) static CLAUSE: Keys = keys! {
    /// The type of the value.
    "type" => Word(&["string", "number", "integer", "bool", "list", "object"]),
    /// Whether the output must be there and must not be null.
    "required" => Bool(true),
    /// A regular expression that matches somewhere in the string.
    "pattern" => Text,
    /// The values that the output may have.
    "enum" => NonEmptyList(&Scalar),
    /// The least number.
    "min" => Number,
    /// The greatest number.
    "max" => Number,
    /// The least number of characters, or of items.
    "minLength" => Whole,
    /// What the output is for, in your words: a part of every message about it.
    "description" => Text,
    /// `error`: that nothing uses the output is an error.
    "unused" => Word(&["error"]),
};

pub(crate) static SUBSTITUTION: Keys = keys! {
    /// A text with references.
    required "value" => Text,
    /// Where the value goes.
    required "targets" => List(&Mapping(&TARGET)),
};

pub(crate) static TARGET: Keys = keys! {
    /// The resources. At least one key must be given.
    required "select" => Mapping(&SELECTOR),
    /// Resources that are left out of them.
    "reject" => List(&Mapping(&SELECTOR)),
    /// The fields, as kustomize's replacements write them.
    required "fieldPaths" => NonEmptyList(&Text),
    /// What is done with each field.
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
    /// Labels, as kubectl writes them: `app=web,tier!=db`.
    "labelSelector" => AnyText,
    /// Annotations, likewise.
    "annotationSelector" => AnyText,
};

pub(crate) static OPTIONS: Keys = keys! {
    /// Splits the field's text, to replace one of its parts.
    "delimiter" => Text,
    /// Which part is replaced: 0 is the first. It needs a `delimiter`.
    "index" => Integer,
    /// How the field's text is encoded.
    "encoding" => Word(&["base64"]),
    /// Makes fields that are not there.
    "create" => Bool(false),
    /// Replaces the key, not the value.
    "key" => Bool(false),
};

pub(crate) static EMBEDDED: Keys = keys! {
    /// The resources. At least one key must be given.
    required "select" => Mapping(&SELECTOR),
    /// Resources that are left out of them.
    "reject" => List(&Mapping(&SELECTOR)),
    /// The fields that hold a document.
    required "fieldPaths" => NonEmptyList(&Text),
    /// What they hold. `text` is no document: references in it are plain text.
    "format" => Word(&["yaml", "json", "text"]),
};
