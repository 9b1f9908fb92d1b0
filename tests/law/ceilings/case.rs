//! One render under a ceiling, and what it may do, by rules that are written down here
//! once more.

use std::collections::BTreeMap;

use crate::choices::Choices;
use landfall::{
    BuiltInCeiling, Ceiling, Config, Content, File, OutputsDocument, Request, Rule, Sources, splice,
};

const PASSWORD: &str = "zq3cr3t-4711";

/// A policy's words from strict to loose, its default and its ceiling under Argo CD.
pub(super) type Row = (&'static str, [&'static str; 2], usize, Option<usize>);

/// The policies of two words that a render shows.
pub(super) const ROWS: &[Row] = &[
    ("missing", ["error", "keep"], 0, Some(0)),
    ("empty", ["error", "allow"], 0, None),
    ("noResources", ["error", "allow"], 0, Some(0)),
    ("nonsensitive", ["refuse", "allow"], 1, Some(0)),
    ("sensitiveContract", ["refuse", "allow"], 1, Some(0)),
];

const KINDS: &[&str] = &["Secret", "ConfigMap"];

/// What one document says.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Said {
    /// A row's position, and a word's.
    pub(super) words: BTreeMap<usize, usize>,
    pub(super) kinds: Option<Vec<String>>,
}

impl Said {
    pub(super) fn made_up(choices: &mut Choices<'_>) -> Self {
        let mut said = Self::default();
        for (at, row) in ROWS.iter().enumerate() {
            if choices.below(3) == 0 {
                said.words.insert(at, choices.below(row.1.len()));
            }
        }
        if choices.below(2) == 0 {
            let mut kinds = KINDS.to_vec();
            kinds.truncate(choices.below(3));
            if choices.below(2) == 0 {
                kinds.reverse();
            }
            said.kinds = Some(kinds.into_iter().map(str::to_owned).collect());
        }
        said
    }

    /// `key: value`, the value as a flow node.
    pub(super) fn lines(&self) -> Vec<(String, String)> {
        let words = self.words.iter().map(|(at, word)| {
            let (key, words, ..) = ROWS[*at];
            (key.to_owned(), words[*word].to_owned())
        });
        let kinds = self.kinds.iter().map(|kinds| {
            let list = format!("{{kinds: [{}]}}", kinds.join(", "));
            ("sensitive".to_owned(), list)
        });
        words.chain(kinds).collect()
    }

    pub(super) fn flow(&self) -> String {
        let lines = self.lines().into_iter();
        let entries: Vec<_> = lines
            .map(|(key, value)| format!("{key}: {value}"))
            .collect();
        format!("{{{}}}", entries.join(", "))
    }
}

/// Something that a render shows of one policy.
#[derive(Clone, Copy, Debug)]
enum Probe {
    /// A row's position: allowed where its looser word is in force.
    Word(usize),
    /// A position in [`KINDS`].
    Kind(usize),
}

impl Probe {
    fn manifest(self) -> &'static str {
        match self {
            Self::Word(0) => "a: ${infra.none}\n",
            Self::Word(1) => "a: ${infra.empty}\n",
            Self::Word(2) => "# ${infra.plain}\n",
            Self::Word(3) => "a: ${infra.password | nonsensitive}\n",
            Self::Word(_) => "a: ${infra.plain}\n",
            Self::Kind(0) => {
                "apiVersion: v1\nkind: Secret\nstringData: {a: \"${infra.password}\"}\n"
            }
            Self::Kind(_) => "apiVersion: v1\nkind: ConfigMap\ndata: {a: \"${infra.password}\"}\n",
        }
    }

    /// Whether the ceiling allows it, and whether it is allowed.
    fn allowed(self, case: &Case, operator: &Said) -> (bool, bool) {
        match self {
            Self::Word(at) => {
                let (_, words, default, argo_cd) = ROWS[at];
                let built_in = argo_cd.filter(|_| case.built_in == BuiltInCeiling::ArgoCd);
                let stated = |said: &Said| said.words.get(&at).copied();
                let loosest = words.len() - 1;
                let ceiling = stated(operator).or(built_in).unwrap_or(loosest);
                let asked = stated(&case.flags).or(stated(&case.binding));
                let in_force = asked.unwrap_or(default).min(ceiling);
                (ceiling == loosest, in_force == loosest)
            }
            Self::Kind(at) => {
                let kind = KINDS[at].to_owned();
                let by_default = vec!["Secret".to_owned()];
                let asked = case.flags.kinds.as_ref().or(case.binding.kinds.as_ref());
                let is_asked = asked.unwrap_or(&by_default).contains(&kind);
                let ceiling = match &operator.kinds {
                    Some(kinds) => kinds.contains(&kind),
                    None => case.built_in == BuiltInCeiling::None,
                };
                (ceiling, ceiling && is_asked)
            }
        }
    }
}

/// One render, but for the operator's policy.
#[derive(Debug)]
pub(super) struct Case {
    built_in: BuiltInCeiling,
    binding: Said,
    flags: Said,
    probe: Probe,
}

impl Case {
    pub(super) fn made_up(choices: &mut Choices<'_>) -> Self {
        Self {
            built_in: match choices.below(2) {
                0 => BuiltInCeiling::None,
                _ => BuiltInCeiling::ArgoCd,
            },
            binding: Said::made_up(choices),
            flags: Said::made_up(choices),
            probe: match choices.below(ROWS.len() + KINDS.len()) {
                at if at < ROWS.len() => Probe::Word(at),
                at => Probe::Kind(at - ROWS.len()),
            },
        }
    }

    /// Something that is stated and looser than the ceiling is an error for itself.
    fn is_refused(&self, operator: &Said) -> bool {
        ROWS.iter().enumerate().any(|(at, (_, words, _, argo_cd))| {
            let built_in = argo_cd.filter(|_| self.built_in == BuiltInCeiling::ArgoCd);
            let ceiling = operator.words.get(&at).copied().or(built_in);
            let stated = [&self.binding, &self.flags].map(|said| said.words.get(&at));
            let ceiling = ceiling.unwrap_or(words.len() - 1);
            stated.into_iter().flatten().any(|word| *word > ceiling)
        })
    }

    /// What the manifest becomes, or the rules that refuse it.
    pub(super) fn render(&self, operator: Option<&str>) -> Result<String, Vec<Rule>> {
        let config = |content: String| Config {
            path: "config.yaml".into(),
            content: content.into_bytes(),
        };
        let contract = match self.probe {
            Probe::Word(4) => "\n  contract: {infra: {password: {pattern: zq}}}",
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
            binding: Some(config(binding)),
            ceiling: Ceiling {
                built_in: self.built_in,
                operator_policy: operator.map(|text| config(text.to_owned())),
            },
            policy: Some(config(self.flags.flow())),
            resources_only: matches!(self.probe, Probe::Word(2)),
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

    /// The render does exactly what these documents allow.
    pub(super) fn holds(&self, said: &Said, operator: Option<&str>) {
        let case = || format!("{self:?}\n{}", operator.unwrap_or("no operator"));
        let (within, allowed) = self.probe.allowed(self, said);
        let rendered = self.render(operator);
        if let Ok(text) = &rendered {
            assert!(
                within,
                "the ceiling does not allow this:\n{}\n{text}",
                case()
            );
        }
        let expected = allowed && !self.is_refused(said);
        assert_eq!(rendered.is_ok(), expected, "{rendered:?}\n{}", case());
    }
}

/// An operator's policy that says this.
pub(super) fn operator(said: &Said) -> String {
    format!("{HEADER}spec: {}\n", said.flow())
}

pub(super) const HEADER: &str = "apiVersion: landfall.dev/v1alpha1\nkind: OperatorPolicy\n";
