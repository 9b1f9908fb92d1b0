//! One render under a ceiling, and what it is allowed to do by an independent model of
//! the rules.

use std::collections::BTreeMap;

use crate::choices::Choices;
use landfall::{
    BuiltInCeiling, Ceiling, Config, Configuration, Content, File, OutputsDocument, Request, Rule,
    Sources, splice,
};

const PASSWORD: &str = "zq3cr3t-4711";

/// A policy with two values.
pub(super) struct Policy {
    pub(super) key: &'static str,
    /// The strict value, then the loose one.
    pub(super) values: [&'static str; 2],
    /// The index of the default in `values`.
    default: usize,
    /// The index of the loosest value that Argo CD's ceiling allows, if it has one.
    argo_cd: Option<usize>,
}

/// The index of the loose value of a [`Policy`].
const LOOSE: usize = 1;

/// The policies with two values whose effect a render shows.
pub(super) const POLICIES: &[Policy] = &[
    policy("missing", ["error", "keep"], 0, Some(0)),
    policy("empty", ["error", "allow"], 0, None),
    policy("noResources", ["error", "allow"], 0, Some(0)),
    policy("nonsensitive", ["refuse", "allow"], LOOSE, Some(0)),
    policy("sensitiveContract", ["refuse", "allow"], LOOSE, Some(0)),
];

const fn policy(
    key: &'static str,
    values: [&'static str; 2],
    default: usize,
    argo_cd: Option<usize>,
) -> Policy {
    Policy {
        key,
        values,
        default,
        argo_cd,
    }
}

const KINDS: &[&str] = &["Secret", "ConfigMap"];

/// The policies that one document sets.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct PolicySettings {
    /// The index of a value by the index of its policy in [`POLICIES`].
    pub(super) values: BTreeMap<usize, usize>,
    pub(super) kinds: Option<Vec<String>>,
}

impl PolicySettings {
    pub(super) fn generate(choices: &mut Choices<'_>) -> Self {
        let mut settings = Self::default();
        for (at, policy) in POLICIES.iter().enumerate() {
            if choices.below(3) == 0 {
                settings
                    .values
                    .insert(at, choices.below(policy.values.len()));
            }
        }
        if choices.below(2) == 0 {
            let mut kinds = KINDS.to_vec();
            kinds.truncate(choices.below(3));
            if choices.below(2) == 0 {
                kinds.reverse();
            }
            settings.kinds = Some(kinds.into_iter().map(str::to_owned).collect());
        }
        settings
    }

    /// `key: value`, the value as a flow node.
    pub(super) fn lines(&self) -> Vec<(String, String)> {
        let values = self.values.iter().map(|(at, value)| {
            let policy = &POLICIES[*at];
            (policy.key.to_owned(), policy.values[*value].to_owned())
        });
        let kinds = self.kinds.iter().map(|kinds| {
            let list = format!("{{kinds: [{}]}}", kinds.join(", "));
            ("sensitive".to_owned(), list)
        });
        values.chain(kinds).collect()
    }

    pub(super) fn flow(&self) -> String {
        let lines = self.lines().into_iter();
        let entries: Vec<_> = lines
            .map(|(key, value)| format!("{key}: {value}"))
            .collect();
        format!("{{{}}}", entries.join(", "))
    }
}

/// A render that shows the effect of one policy.
#[derive(Clone, Copy, Debug)]
enum Probe {
    /// An index in [`POLICIES`]: succeeds if the loose value is in force.
    Policy(usize),
    /// An index in [`KINDS`].
    Kind(usize),
}

impl Probe {
    fn manifest(self) -> &'static str {
        match self {
            Self::Policy(0) => "a: ${infra.none}\n",
            Self::Policy(1) => "a: ${infra.empty}\n",
            Self::Policy(2) => "# ${infra.plain}\n",
            Self::Policy(3) => "a: ${infra.password | nonsensitive}\n",
            Self::Policy(_) => "a: ${infra.plain}\n",
            Self::Kind(0) => {
                "apiVersion: v1\nkind: Secret\nstringData: {a: \"${infra.password}\"}\n"
            }
            Self::Kind(_) => "apiVersion: v1\nkind: ConfigMap\ndata: {a: \"${infra.password}\"}\n",
        }
    }

    /// Whether the ceiling allows it, and whether it is allowed.
    fn allowed(self, case: &Case, operator: &PolicySettings) -> (bool, bool) {
        match self {
            Self::Policy(at) => {
                let policy = &POLICIES[at];
                let stated = |settings: &PolicySettings| settings.values.get(&at).copied();
                let built_in = case.built_in_ceiling(policy);
                let ceiling = stated(operator).or(built_in).unwrap_or(LOOSE);
                let requested = stated(&case.flags).or(stated(&case.binding));
                let in_force = requested.unwrap_or(policy.default).min(ceiling);
                (ceiling == LOOSE, in_force == LOOSE)
            }
            Self::Kind(at) => {
                let kind = KINDS[at].to_owned();
                let by_default = vec!["Secret".to_owned()];
                let requested = case.flags.kinds.as_ref().or(case.binding.kinds.as_ref());
                let is_requested = requested.unwrap_or(&by_default).contains(&kind);
                let ceiling = match &operator.kinds {
                    Some(kinds) => kinds.contains(&kind),
                    None => case.built_in == BuiltInCeiling::None,
                };
                (ceiling, ceiling && is_requested)
            }
        }
    }
}

/// One render, except for the operator's policy.
#[derive(Debug)]
pub(super) struct Case {
    built_in: BuiltInCeiling,
    binding: PolicySettings,
    flags: PolicySettings,
    probe: Probe,
}

impl Case {
    pub(super) fn generate(choices: &mut Choices<'_>) -> Self {
        Self {
            built_in: match choices.below(2) {
                0 => BuiltInCeiling::None,
                _ => BuiltInCeiling::ArgoCd,
            },
            binding: PolicySettings::generate(choices),
            flags: PolicySettings::generate(choices),
            probe: match choices.below(POLICIES.len() + KINDS.len()) {
                at if at < POLICIES.len() => Probe::Policy(at),
                at => Probe::Kind(at - POLICIES.len()),
            },
        }
    }

    /// Whether a document sets something looser than the ceiling, which is an error by
    /// itself.
    fn is_refused(&self, operator: &PolicySettings) -> bool {
        POLICIES.iter().enumerate().any(|(at, policy)| {
            let set = operator.values.get(&at).copied();
            let ceiling = set.or(self.built_in_ceiling(policy)).unwrap_or(LOOSE);
            let stated = [&self.binding, &self.flags].map(|settings| settings.values.get(&at));
            stated.into_iter().flatten().any(|value| *value > ceiling)
        })
    }

    fn built_in_ceiling(&self, policy: &Policy) -> Option<usize> {
        match self.built_in {
            BuiltInCeiling::ArgoCd => policy.argo_cd,
            BuiltInCeiling::None => None,
        }
    }

    /// Returns the rendered manifest, or the rules that refuse it.
    pub(super) fn render(&self, operator: Option<&str>) -> Result<String, Vec<Rule>> {
        let config = |content: String| Config {
            path: "config.yaml".into(),
            content: content.into_bytes(),
        };
        let contract = match self.probe {
            Probe::Policy(4) => "\n  contract: {infra: {password: {pattern: zq}}}",
            _ => "",
        };
        let binding = format!(
            "apiVersion: landfall.dev/v1alpha1\nkind: Binding\nspec:\n  policy: {}{contract}\n",
            self.binding.flow()
        );
        let outputs = format!(
            "{{\"password\": {{\"value\": \"{PASSWORD}\", \"sensitive\": true}}, \"plain\": {{\"value\": \"b\"}}, \"empty\": {{\"value\": \"\"}}}}"
        );
        let request = Request {
            outputs: vec![OutputsDocument {
                name: "infra".into(),
                path: "infra.json".into(),
                content: outputs.into_bytes(),
                ..OutputsDocument::default()
            }],
            application: Configuration {
                binding: Some(config(binding)),
                ceiling: Ceiling {
                    built_in: self.built_in,
                    operator_policy: operator.map(|text| config(text.to_owned())),
                },
                policy: Some(config(self.flags.flow())),
                ..Configuration::default()
            }
            .into(),
            resources_only: matches!(self.probe, Probe::Policy(2)),
            ..Request::default()
        };
        let manifest = self.probe.manifest().as_bytes();
        let sources = Sources::new(vec![File {
            path: "a.yaml".into(),
            content: manifest.to_vec(),
        }]);
        let mut answer = sources
            .generate(&request)
            .map_err(|found| found.iter().map(|found| found.rule).collect::<Vec<_>>())?;
        let text = match answer.sources.pop() {
            Some(Content::Edited(edits)) => splice(manifest, &edits).unwrap(),
            _ => manifest.to_vec(),
        };
        Ok(String::from_utf8(text).unwrap())
    }

    /// Checks that the render does exactly what these documents allow.
    pub(super) fn assert_renders_what_is_allowed(
        &self,
        settings: &PolicySettings,
        operator: Option<&str>,
    ) {
        let case = || format!("{self:?}\n{}", operator.unwrap_or("no operator"));
        let (within_ceiling, allowed) = self.probe.allowed(self, settings);
        let rendered = self.render(operator);
        if let Ok(text) = &rendered {
            assert!(
                within_ceiling,
                "the ceiling does not allow this:\n{}\n{text}",
                case()
            );
        }
        let expected = allowed && !self.is_refused(settings);
        assert_eq!(rendered.is_ok(), expected, "{rendered:?}\n{}", case());
    }
}

/// Returns an operator's policy that sets these.
pub(super) fn operator(settings: &PolicySettings) -> String {
    format!("{HEADER}spec: {}\n", settings.flow())
}

pub(super) const HEADER: &str = "apiVersion: landfall.dev/v1alpha1\nkind: OperatorPolicy\n";
