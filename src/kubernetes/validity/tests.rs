//! The verdicts of Kubernetes' own functions on some texts: `vectors.json` was written by a Go
//! program that calls k8s.io/apimachinery v0.37.2.

use std::collections::BTreeMap;

use super::FieldRule;

#[test]
fn accepts_what_kubernetes_accepts() {
    let vectors: BTreeMap<String, BTreeMap<String, Vec<String>>> =
        serde_json::from_str(include_str!("vectors.json")).unwrap();
    let mut wrong = Vec::new();
    let mut rules = 0;
    for rule in FieldRule::ALL {
        let Some(verdicts) = vectors.get(&format!("{rule:?}")) else {
            continue;
        };
        rules += 1;
        for (verdict, texts) in verdicts {
            for text in texts {
                let found = rule.check(text, false);
                if found.is_ok() != (verdict == "accepted") {
                    wrong.push(format!("{rule:?} {verdict} {text:?}: {found:?}"));
                }
            }
        }
    }
    assert_eq!(rules, vectors.len());
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn every_rule_accepts_one_of_its_samples() {
    for rule in FieldRule::ALL.iter().filter(|rule| rule.is_of_values()) {
        let mut samples = rule.samples().iter();
        let accepts = |sample: &&str| rule.check(sample, sample.parse::<i64>().is_ok()).is_ok();
        assert!(samples.any(accepts), "{rule:?}");
    }
}
