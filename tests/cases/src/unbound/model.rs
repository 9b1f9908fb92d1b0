//! A model of the table in docs/language/references.md, for one text.

use std::collections::BTreeMap;

use landfall::{Rule, Severity};

/// The role of a name in a render.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Role {
    Unknown,
    Bound,
    /// Another Binding binds it.
    Elsewhere,
    /// `spec.foreign` lists it.
    Foreign,
    /// Its document is not published, and references to it are kept.
    Unpublished,
}

/// The context of a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Context {
    /// A key or a value, including a block that is one reference.
    Scalar,
    Block,
    Embedded,
    /// A document that is not YAML.
    Unparsed,
    SetterComment,
    /// In a comment, after an escape, in a disabled resource.
    Passes,
}

/// How a text is read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Reads {
    Reference {
        calls: bool,
    },
    /// The beginning of a reference only.
    Beginning,
}

/// One text with a name.
#[derive(Clone, Debug)]
pub(super) struct Occurrence {
    /// The byte offset of its name.
    pub(super) at: usize,
    pub(super) name: &'static str,
    pub(super) context: Context,
    pub(super) reads: Reads,
}

/// The names of one render and the settings that decide about all its texts.
#[derive(Clone, Debug)]
pub(super) struct Names {
    pub(super) roles: BTreeMap<&'static str, Role>,
    /// The policy `unbound` is `error`.
    pub(super) is_strict: bool,
    /// Only setter comments are rendered.
    pub(super) setters_only: bool,
}

/// One finding: the first occurrence, and how many there are.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Finding {
    pub(super) start: usize,
    pub(super) end: usize,
    pub(super) rule: Rule,
    pub(super) severity: Severity,
    pub(super) count: usize,
}

impl Names {
    pub(super) fn role(&self, name: &str) -> Role {
        self.roles.get(name).copied().unwrap_or(Role::Unknown)
    }

    fn usable(&self) -> impl Iterator<Item = &'static str> {
        let usable = |role: &Role| matches!(role, Role::Bound | Role::Unpublished);
        let usable = self.roles.iter().filter(move |(_, role)| usable(role));
        usable.map(|(name, _)| *name)
    }

    /// Returns the bound names that are closest to this one, within the distance of a
    /// typo.
    pub(super) fn near(&self, name: &str) -> Vec<&'static str> {
        let allowed = (name.len() / 3).max(1);
        let mut near: Vec<_> = self
            .usable()
            .map(|usable| (distance(name, usable), usable))
            .filter(|(distance, _)| *distance <= allowed)
            .collect();
        near.sort_unstable();
        let least = near.first().map(|(distance, _)| *distance);
        near.retain(|(distance, _)| Some(*distance) == least);
        near.into_iter().map(|(_, name)| name).collect()
    }

    /// Returns the severity of what no other tool reads.
    pub(super) const fn severity(&self) -> Severity {
        if self.is_strict {
            Severity::Error
        } else {
            Severity::Warning
        }
    }

    /// Returns the rule and severity of one text. Texts with the same name, severity and
    /// letter are one finding; `None` makes each its own.
    fn verdict(&self, text: &Occurrence) -> Option<(Rule, Severity, Option<char>)> {
        use Severity::{Error, Warning};
        let role = self.role(text.name);
        if matches!(role, Role::Bound | Role::Foreign | Role::Unpublished) {
            return None;
        }
        let is_near = !self.near(text.name).is_empty();
        let is_comment = text.context == Context::SetterComment;
        if text.context == Context::Passes || self.setters_only && !is_comment {
            return None;
        }
        if text.reads == Reads::Beginning && !is_comment {
            return is_near.then_some((Rule::NearMiss, Warning, None));
        }
        let nothing_bound = self.usable().next().is_none();
        if is_comment {
            let severity = self.severity();
            return Some(match (nothing_bound, is_near) {
                (true, _) => (Rule::NothingBound, Error, Some('n')),
                (false, _) if role == Role::Elsewhere => (Rule::BoundElsewhere, Error, Some('e')),
                (false, true) => (Rule::NearMiss, severity, None),
                (false, false) => (Rule::UnboundReference, severity, Some('s')),
            });
        }
        let clear = match text.context {
            Context::Scalar => Error,
            _ => Warning,
        };
        let calls = text.reads == Reads::Reference { calls: true };
        Some(if nothing_bound {
            (Rule::NothingBound, clear, Some('n'))
        } else if role == Role::Elsewhere {
            (Rule::BoundElsewhere, clear, Some('e'))
        } else if is_near {
            (Rule::NearMiss, clear, None)
        } else if calls {
            (Rule::UnboundReference, clear, Some('c'))
        } else {
            let severity = match text.context {
                Context::Block | Context::Embedded => return None,
                Context::Scalar if self.is_strict => Error,
                _ => Warning,
            };
            (Rule::UnboundReference, severity, Some('o'))
        })
    }

    /// Returns all findings, grouped by the letter of their verdict.
    pub(super) fn findings(&self, texts: &[Occurrence]) -> Vec<Finding> {
        let mut findings: Vec<Finding> = Vec::new();
        let mut first = BTreeMap::new();
        for text in texts {
            let Some((rule, severity, kind)) = self.verdict(text) else {
                continue;
            };
            if let Some(kind) = kind {
                let position = findings.len();
                let position = *first.entry((text.name, severity, kind)).or_insert(position);
                if let Some(finding) = findings.get_mut(position) {
                    finding.count += 1;
                    continue;
                }
            }
            findings.push(Finding {
                start: text.at,
                end: text.at + text.name.len(),
                rule,
                severity,
                count: 1,
            });
        }
        findings
    }
}

/// Returns how many letters are wrong, missing, added or transposed; names are ASCII,
/// compared case-insensitively.
fn distance(one: &str, other: &str) -> usize {
    let (one, other) = (
        one.to_lowercase().into_bytes(),
        other.to_lowercase().into_bytes(),
    );
    let mut rows = vec![vec![0; other.len() + 1]; one.len() + 1];
    for i in 0..=one.len() {
        for j in 0..=other.len() {
            rows[i][j] = match (i, j) {
                (0, n) | (n, 0) => n,
                _ => {
                    let differs = usize::from(one[i - 1] != other[j - 1]);
                    let swapped =
                        i > 1 && j > 1 && one[i - 1] == other[j - 2] && one[i - 2] == other[j - 1];
                    let least = (rows[i - 1][j] + 1)
                        .min(rows[i][j - 1] + 1)
                        .min(rows[i - 1][j - 1] + differs);
                    if swapped {
                        least.min(rows[i - 2][j - 2] + 1)
                    } else {
                        least
                    }
                }
            };
        }
    }
    rows[one.len()][other.len()]
}
