//! Policy flags, converted to the policy document that the module reads.

use clap::builder::PossibleValue;
use clap::{Args, ValueEnum};

use super::help;
use crate::settings::Policies;

#[derive(Args, Clone, Debug, Default)]
#[command(next_display_order = 50)]
pub(super) struct PolicyFlags {
    /// References to outputs that do not exist [default: error]
    #[arg(long, value_name = "POLICY", help_heading = help::POLICIES)]
    missing: Option<Missing>,

    /// Outputs that are null or an empty string [default: error]
    #[arg(long, value_name = "POLICY", help_heading = help::POLICIES)]
    empty: Option<Empty>,

    /// Bound outputs documents that do not exist yet [default: error]
    #[arg(long, value_name = "POLICY", help_heading = help::POLICIES)]
    unpublished: Option<Unpublished>,

    /// Outputs that a later document of the same name overrides [default: note]
    #[arg(long, value_name = "POLICY", help_heading = help::POLICIES)]
    overridden: Option<Overridden>,

    /// Folders that render to no resources [default: error]
    #[arg(long, value_name = "POLICY", help_heading = help::POLICIES)]
    no_resources: Option<NoResources>,

    /// Text that parses as a reference to an unbound name [default: warn]
    #[arg(long, value_name = "POLICY", help_heading = help::POLICIES)]
    unbound: Option<Unbound>,

    /// The `nonsensitive` function on sensitive values [default: allow]
    #[arg(long, value_name = "POLICY", help_heading = help::POLICIES)]
    nonsensitive: Option<Nonsensitive>,

    /// Contracts that restrict the value of a sensitive output [default: allow]
    #[arg(long, value_name = "POLICY", help_heading = help::POLICIES)]
    sensitive_contract: Option<SensitiveContract>,

    /// Kinds that may contain sensitive outputs [default: Secret]
    ///
    /// A Secret may contain them in its data, any other kind anywhere except in its
    /// metadata. `--sensitive-kinds=` allows them nowhere.
    #[arg(long, value_name = "KIND,...", value_delimiter = ',', help_heading = help::POLICIES)]
    sensitive_kinds: Option<Vec<String>>,

    /// Kinds in which such a resource may be nested [default: none]
    #[arg(long, value_name = "KIND,...", value_delimiter = ',', help_heading = help::POLICIES)]
    sensitive_inside: Option<Vec<String>>,
}

// Not part of PolicyFlags: `explain` has an `--unused` of its own.
#[derive(Args, Clone, Copy, Debug, Default)]
#[command(next_display_order = 51)]
pub(super) struct UnusedFlag {
    /// Bound outputs that nothing uses [default: note]
    #[arg(long, value_name = "POLICY", help_heading = help::POLICIES)]
    pub(super) unused: Option<Unused>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Missing {
    /// Report an error
    Error,
    /// Leave the reference as it is and report a warning
    Keep,
    /// Use an empty string and report a warning
    Empty,
}

/// How manifests write references.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(super) enum Dialect {
    /// `${infra.vpc_id}`
    Landfall,
    /// `${vpc_id}`, the variables of Flux's postBuild
    Flux,
    /// `# kpt-set: ${vpc_id}`, the setter comments of kpt
    KptSet,
    /// `{{metadata.labels.env}}`, the parameters of Argo CD's ApplicationSets
    #[value(name = "applicationset")]
    ApplicationSet,
}

/// A dialect of another tool, whose references are migrated.
#[derive(Clone, Copy)]
pub(super) struct OtherDialect(Dialect);

impl ValueEnum for OtherDialect {
    fn value_variants<'a>() -> &'a [Self] {
        // Parameters of ApplicationSets are values of Argo CD as well, so they stay.
        &[Self(Dialect::Flux), Self(Dialect::KptSet)]
    }

    fn to_possible_value(&self) -> Option<PossibleValue> {
        self.0.to_possible_value()
    }
}

impl OtherDialect {
    /// Returns its id.
    pub(super) fn id(self) -> String {
        let value = self.to_possible_value().unwrap_or_default();
        value.get_name().to_owned()
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Empty {
    /// Report an error, unless `| default(…)` provides a value
    Error,
    /// Write null, or an empty string inside longer text
    Allow,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Unpublished {
    /// Report an error
    Error,
    /// Leave references to the document as they are and report a warning
    Keep,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(super) enum Unused {
    /// Report a note
    Note,
    /// Report nothing
    Ignore,
    /// Report an error
    Error,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Overridden {
    /// Report a note
    Note,
    /// Report nothing
    Ignore,
    /// Report a warning
    Warn,
    /// Report an error
    Error,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum NoResources {
    /// Report an error, because Argo CD would prune the application
    Error,
    /// Write an empty result
    Allow,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Unbound {
    /// Report an error
    Error,
    /// Report a warning
    Warn,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Nonsensitive {
    /// Report an error
    Refuse,
    /// Treat the result as not sensitive
    Allow,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum SensitiveContract {
    /// Report an error
    Refuse,
    /// Check the value without revealing it in messages
    Allow,
}

/// Converts policy flags, and the dialect, to the document that the module reads.
pub(super) fn policies(
    flags: PolicyFlags,
    unused: Option<Unused>,
    dialect: Option<Dialect>,
) -> Policies {
    let PolicyFlags {
        missing,
        empty,
        unpublished,
        overridden,
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
        line("overridden", overridden),
        line("noResources", no_resources),
        line("nonsensitive", nonsensitive),
        line("sensitiveContract", sensitive_contract),
        sensitive(sensitive_kinds, sensitive_inside),
        line("dialect", dialect),
    ];
    let document: String = lines.into_iter().flatten().collect();
    Policies {
        document: (!document.is_empty()).then_some(document),
        keeps_unpublished,
        allows_no_resources: no_resources == Some(NoResources::Allow),
    }
}

/// Formats `sensitive: {kinds: ["Secret"]}`.
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

/// Formats `missing: keep`.
fn line<T: ValueEnum>(key: &str, value: Option<T>) -> Option<String> {
    let value = value?.to_possible_value()?;
    Some(format!("{key}: {}\n", value.get_name()))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The schema of the Binding, which a test of the module writes from its table of dialects.
    const SCHEMA: &str = include_str!("../../../docs/schemas/binding.v1alpha1.json");

    fn names<T: ValueEnum>() -> Vec<String> {
        let values = T::value_variants()
            .iter()
            .filter_map(ValueEnum::to_possible_value);
        values.map(|value| value.get_name().to_owned()).collect()
    }

    #[test]
    fn the_dialects_are_those_of_the_module() {
        let schema: serde_json::Value = serde_json::from_str(SCHEMA).unwrap();
        let of_module = schema.pointer("/properties/spec/properties/dialect/enum");
        let named = names::<Dialect>();
        assert_eq!(of_module, Some(&serde_json::json!(named)));
        // Parameters of ApplicationSets are values of Argo CD as well, so their references
        // are not migrated.
        let migrated = named
            .into_iter()
            .filter(|id| !matches!(&**id, "landfall" | "applicationset"));
        assert_eq!(names::<OtherDialect>(), migrated.collect::<Vec<_>>());
    }
}
