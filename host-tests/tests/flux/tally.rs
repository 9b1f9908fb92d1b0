//! Counts of verdicts, printed at the end of a run.

use std::collections::BTreeMap;
use std::io::Write as _;
use std::sync::atomic::{AtomicUsize, Ordering};

use crate::case::Case;
use crate::peer::Flux;
use crate::rules::Rule;
use crate::verdict::{Verdict, judge};

/// How many programs are asked at once.
const PROGRAMS: usize = 4;

/// How many unexplained cases are printed.
const SHOWN: usize = 8;

/// Counts of verdicts.
#[derive(Debug, Default)]
pub(crate) struct Tally {
    pub(crate) equal: usize,
    pub(crate) both_refuse: usize,
    pub(crate) differ: usize,
    pub(crate) not_resources: usize,
    /// Documents by rule; several rules may explain one document.
    pub(crate) rules: BTreeMap<Rule, usize>,
    unexplained: Vec<String>,
}

impl Tally {
    /// Compares landfall with Flux on every case. Most of the time is spent waiting for Flux,
    /// so that several programs are asked at once.
    pub(crate) fn of(cases: impl IntoIterator<Item = Case>) -> Self {
        let cases: Vec<_> = cases.into_iter().collect();
        let (cases, next) = (&cases, &AtomicUsize::new(0));
        let ask = |mut flux: Flux| {
            let mut tally = Self::default();
            while let Some(case) = cases.get(next.fetch_add(1, Ordering::Relaxed)) {
                let verdict = judge(&mut flux, case);
                tally.add(case, verdict);
            }
            tally
        };
        std::thread::scope(|scope| {
            let running: Vec<_> = (0..PROGRAMS)
                .map(|_| scope.spawn(move || ask(Flux::start())))
                .collect();
            let mut all = Self::default();
            running
                .into_iter()
                .for_each(|one| all.merge(one.join().unwrap()));
            all
        })
    }

    fn merge(&mut self, other: Self) {
        self.equal += other.equal;
        self.both_refuse += other.both_refuse;
        self.differ += other.differ;
        self.not_resources += other.not_resources;
        for (rule, count) in other.rules {
            *self.rules.entry(rule).or_default() += count;
        }
        self.unexplained.extend(other.unexplained);
    }

    fn add(&mut self, case: &Case, verdict: Verdict) {
        match verdict {
            Verdict::NotAResource => self.not_resources += 1,
            Verdict::Equal => self.equal += 1,
            Verdict::BothRefuse => self.both_refuse += 1,
            Verdict::Differs(rules) => {
                self.differ += 1;
                for rule in rules {
                    *self.rules.entry(rule).or_default() += 1;
                }
            }
            Verdict::Unexplained(why) => self.unexplained.push(shown(case, &why)),
        }
    }

    /// Prints the counts, bypassing the test runner, and checks that nothing is unexplained.
    pub(crate) fn report(&self, name: &str) {
        let mut text = format!(
            "{name}: {} documents equal, {} refused by both, {} classified, {} unexplained; {} not resources\n",
            self.equal,
            self.both_refuse,
            self.differ,
            self.unexplained.len(),
            self.not_resources
        );
        for (rule, count) in &self.rules {
            text.push_str(&format!("{count:>8} {rule}: {}\n", rule.meaning()));
        }
        let _ = std::io::stderr().write_all(text.as_bytes());
        let shown = &self.unexplained[..self.unexplained.len().min(SHOWN)];
        assert!(
            shown.is_empty(),
            "{name}, unexplained:\n\n{}",
            shown.join("\n\n")
        );
    }
}

fn shown(case: &Case, why: &str) -> String {
    let used: BTreeMap<_, _> = case
        .variables
        .iter()
        .filter(|(name, _)| case.manifest.contains(name.as_str()))
        .collect();
    let manifest = match case.manifest.len() {
        0..4_000 => case.manifest.as_str(),
        _ => "(a long manifest)",
    };
    format!(
        "{}{}\n{why}\nvariables: {used:?}\n{manifest}",
        case.name,
        if case.strict { ", strict" } else { "" }
    )
}
