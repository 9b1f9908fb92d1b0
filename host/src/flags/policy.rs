//! Policies by flags, as the document that the module reads.

use clap::{Args, ValueEnum};

use super::help;
use crate::settings::Policies;

#[derive(Args, Clone, Debug, Default)]
#[command(next_display_order = 50)]
pub(super) struct PolicyFlags {
    /// A reference to an output that is not there
    #[arg(long, value_name = "POLICY", help_heading = help::POLICIES)]
    missing: Option<Missing>,

    /// An output that is null or an empty string
    #[arg(long, value_name = "POLICY", help_heading = help::POLICIES)]
    empty: Option<Empty>,

    /// A bound outputs document that is not there yet
    #[arg(long, value_name = "POLICY", help_heading = help::POLICIES)]
    unpublished: Option<Unpublished>,

    /// A folder that renders to no resource
    #[arg(long, value_name = "POLICY", help_heading = help::POLICIES)]
    no_resources: Option<NoResources>,

    /// Text that parses as a reference to a name that is not bound [default: warn]
    #[arg(long, value_name = "POLICY", help_heading = help::POLICIES)]
    unbound: Option<Unbound>,

    /// The function `nonsensitive` on a sensitive value [default: allow]
    #[arg(long, value_name = "POLICY", help_heading = help::POLICIES)]
    nonsensitive: Option<Nonsensitive>,

    /// A contract that restricts the value of a sensitive output [default: allow]
    #[arg(long, value_name = "POLICY", help_heading = help::POLICIES)]
    sensitive_contract: Option<SensitiveContract>,

    /// The kinds that may hold sensitive outputs [default: Secret]
    ///
    /// In the data of a Secret, and anywhere in the other kinds but in their
    /// metadata. Nothing, `--sensitive-kinds=`, is nowhere.
    #[arg(long, value_name = "KIND,...", value_delimiter = ',', help_heading = help::POLICIES)]
    sensitive_kinds: Option<Vec<String>>,

    /// The kinds in which such a resource may be nested [default: none]
    #[arg(long, value_name = "KIND,...", value_delimiter = ',', help_heading = help::POLICIES)]
    sensitive_inside: Option<Vec<String>>,
}

// `explain --unused` lists them.
#[derive(Args, Clone, Copy, Debug, Default)]
#[command(next_display_order = 51)]
pub(super) struct UnusedFlag {
    /// Bound outputs that nothing uses [default: note]
    #[arg(long, value_name = "POLICY", help_heading = help::POLICIES)]
    pub(super) unused: Option<Unused>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Missing {
    /// It is an error
    Error,
    /// It stays in the text as it is, with a warning
    Keep,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Empty {
    /// It is an error, unless `| default(…)` answers
    Error,
    /// Null is null, and nothing inside a text
    Allow,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Unpublished {
    /// It is an error
    Error,
    /// References to it stay as they are, with a warning
    Keep,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(super) enum Unused {
    /// A note tells them
    Note,
    /// Nothing is told
    Ignore,
    /// They are an error
    Error,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum NoResources {
    /// It is an error: Argo CD would prune the application
    Error,
    /// The answer is empty
    Allow,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Unbound {
    /// It is an error
    Error,
    /// It is a warning
    Warn,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Nonsensitive {
    /// It is an error
    Refuse,
    /// The value is no longer sensitive
    Allow,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum SensitiveContract {
    /// It is an error
    Refuse,
    /// The value is checked, and the message says nothing of it
    Allow,
}

/// The policies that were typed.
pub(super) fn policies(flags: PolicyFlags, unused: Option<Unused>) -> Policies {
    let PolicyFlags {
        missing,
        empty,
        unpublished,
        no_resources,
        unbound,
        nonsensitive,
        sensitive_contract,
        sensitive_kinds,
        sensitive_inside,
    } = flags;
    let keeps_unpublished = unpublished.map(|unpublished| unpublished == Unpublished::Keep);
    let lines = [
        line("missing", missing),
        line("empty", empty),
        line("unpublished", unpublished),
        line("unbound", unbound),
        line("unused", unused),
        line("noResources", no_resources),
        line("nonsensitive", nonsensitive),
        line("sensitiveContract", sensitive_contract),
        sensitive(sensitive_kinds, sensitive_inside),
    ];
    let document: String = lines.into_iter().flatten().collect();
    Policies {
        document: (!document.is_empty()).then_some(document),
        keeps_unpublished,
    }
}

/// `sensitive: {kinds: ["Secret"]}`
fn sensitive(kinds: Option<Vec<String>>, inside: Option<Vec<String>>) -> Option<String> {
    let list = |key: &str, list: Option<Vec<String>>| {
        let list: Vec<_> = list?.into_iter().filter(|kind| !kind.is_empty()).collect();
        Some(format!("{key}: {}", serde_json::json!(list)))
    };
    let lists: Vec<_> = [list("kinds", kinds), list("inside", inside)]
        .into_iter()
        .flatten()
        .collect();
    (!lists.is_empty()).then(|| format!("sensitive: {{{}}}\n", lists.join(", ")))
}

/// `missing: keep`
fn line<T: ValueEnum>(key: &str, value: Option<T>) -> Option<String> {
    let value = value?.to_possible_value()?;
    Some(format!("{key}: {}\n", value.get_name()))
}
