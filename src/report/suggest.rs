//! Suggestions for misspelled names: did you mean …?

/// The maximum length of names that are compared, in bytes: an edit distance takes as many
/// steps as the product of both lengths, and longer names are not typed by hand.
const MAX_NAME: usize = 200;

/// Returns the candidate that the author of `word` most likely meant, if any is close.
pub(crate) fn closest<'a>(
    word: &str,
    candidates: impl IntoIterator<Item = &'a str>,
) -> Option<&'a str> {
    closest_of(word, &mut candidates.into_iter())
}

/// Not generic, so that it is compiled only once.
fn closest_of<'a>(word: &str, candidates: &mut dyn Iterator<Item = &'a str>) -> Option<&'a str> {
    if word.len() > MAX_NAME {
        return None;
    }
    let wanted = word.to_lowercase();
    let allowed = allowed(word);
    let letters = Letters::of(&wanted);
    let mut best: Option<(usize, &str)> = None;
    for candidate in candidates {
        if candidate.len() > MAX_NAME {
            continue;
        }
        let is_part = is_part(&wanted, candidate);
        let enough = if is_part {
            usize::MAX
        } else {
            allowed.saturating_add(1)
        };
        let enough = best.map_or(enough, |(distance, _)| distance.min(enough));
        // Most names are excluded without computing an edit distance.
        if letters.differ_at_least(candidate) >= enough {
            continue;
        }
        let distance = strsim::osa_distance(&wanted, &candidate.to_lowercase());
        if distance < enough {
            best = Some((distance, candidate));
        }
    }
    best.map(|(_, candidate)| candidate)
}

/// The number of occurrences of each letter in a word, ignoring case.
struct Letters {
    counts: [i32; 32],
    is_ascii: bool,
}

impl Letters {
    fn of(word: &str) -> Self {
        let mut counts = [0; 32];
        for letter in word.bytes() {
            counts[bucket(letter)] += 1;
        }
        Self {
            counts,
            is_ascii: word.is_ascii(),
        }
    }

    /// Returns a lower bound of the edit distance: each edit adds at most one letter and
    /// removes at most one.
    fn differ_at_least(&self, candidate: &str) -> usize {
        // `to_lowercase` changes non-ASCII letters in ways that the counts do not reflect.
        if !self.is_ascii || !candidate.is_ascii() {
            return 0;
        }
        let mut counts = self.counts;
        for letter in candidate.bytes() {
            counts[bucket(letter)] -= 1;
        }
        let (mut missing, mut more) = (0, 0);
        for count in counts {
            missing += count.max(0).unsigned_abs();
            more += count.min(0).unsigned_abs();
        }
        usize::try_from(missing.max(more)).unwrap_or_default()
    }
}

/// Returns the same index for both cases of a letter; digits and punctuation share some.
const fn bucket(letter: u8) -> usize {
    (letter & 31) as usize
}

/// Returns the candidate that differs from `word` only by typing mistakes, if any.
pub(crate) fn typo<'a>(
    word: &str,
    candidates: impl IntoIterator<Item = &'a str>,
) -> Option<&'a str> {
    closest(word, candidates).filter(|near| is_typo(word, near))
}

/// Whether two names differ only by typing mistakes.
pub(crate) fn is_typo(word: &str, near: &str) -> bool {
    differs_at_most(word, near, allowed(word))
}

/// Whether this many typing mistakes make one name of the other.
pub(crate) fn differs_at_most(word: &str, near: &str, mistakes: usize) -> bool {
    word.len().max(near.len()) <= MAX_NAME
        && strsim::osa_distance(&word.to_lowercase(), &near.to_lowercase()) <= mistakes
}

/// Returns the maximum edit distance of a typing mistake.
fn allowed(word: &str) -> usize {
    (word.chars().count() / 3).max(1)
}

/// Whether one of the two is a prefix or suffix of the other at a word boundary: `vpc` of
/// `vpc_id`.
fn is_part(word: &str, candidate: &str) -> bool {
    let (short, long) = if word.len() < candidate.len() {
        (word, candidate)
    } else {
        (candidate, word)
    };
    let boundary = |rest: &str, edge: fn(&str) -> Option<char>| {
        edge(rest).is_some_and(|c| c == '_' || c == '-')
    };
    short.len() >= 3
        && (long
            .strip_prefix(short)
            .is_some_and(|rest| boundary(rest, |r| r.chars().next()))
            || long
                .strip_suffix(short)
                .is_some_and(|rest| boundary(rest, |r| r.chars().last())))
}

/// Lists the first names, and how many more there are.
pub(crate) fn listed<'a>(names: impl IntoIterator<Item = &'a str>) -> String {
    list(&mut names.into_iter())
}

/// Lists all names.
pub(crate) fn all_listed(names: &mut dyn Iterator<Item = &str>) -> String {
    let names = names.map(|name| format!("`{name}`"));
    names.collect::<Vec<_>>().join(", ")
}

fn list(names: &mut dyn Iterator<Item = &str>) -> String {
    const SHOWN: usize = 12;
    // Each of many diagnostics may list many names.
    const COUNTED: usize = 1_000;
    let mut list = all_listed(&mut (&mut *names).take(SHOWN));
    // Only counted if the number is unknown.
    let (more, is_all) = match names.size_hint() {
        (least, Some(most)) if least == most => (least, true),
        _ => (names.take(COUNTED).count(), names.next().is_none()),
    };
    match (more, is_all) {
        (0, _) => {}
        (_, true) => list.push_str(&format!(" and {more} more")),
        (_, false) => list.push_str(&format!(" and over {more} more")),
    }
    list
}

#[cfg(test)]
mod tests {
    use super::{Letters, closest, listed};

    #[test]
    fn names_that_are_not_shown_are_not_visited() {
        let names = (0..1_000).map(|nth| match nth {
            0..12 => "a",
            _ => panic!("visited name {nth}"),
        });
        assert!(listed(names).ends_with("`a` and 988 more"));
        let names = |count: usize| (0..count).map(|_| "a").filter(|_| true);
        assert!(listed(names(1_012)).ends_with("`a` and 1000 more"));
        assert!(listed(names(2_000)).ends_with("`a` and over 1000 more"));
    }

    #[test]
    fn typing_mistakes_and_parts_are_close() {
        let names = ["vpc_id", "cluster_name", "cluster_endpoint", "region"];
        assert_eq!(closest("vpc_di", names), Some("vpc_id"));
        assert_eq!(closest("VPC_ID", names), Some("vpc_id"));
        assert_eq!(closest("vpc", names), Some("vpc_id"));
        assert_eq!(closest("clustername", names), Some("cluster_name"));
        assert_eq!(closest("account", names), None);
        assert_eq!(closest("zone", names), None);
    }

    #[test]
    fn long_names_are_not_compared() {
        let long = "a".repeat(super::MAX_NAME + 1);
        let longer = format!("{long}b");
        assert_eq!(closest(&long, [longer.as_str()]), None);
        assert_eq!(
            closest("region", [longer.as_str(), "regoin"]),
            Some("regoin")
        );
        assert!(!super::is_typo(&long, &longer));
    }

    /// The letters' lower bound never exceeds the distance, so nothing close is missed.
    #[test]
    fn letter_counts_bound_the_distance_from_below() {
        let words = [
            "",
            "a",
            "A",
            "vpc_id",
            "vpc_di",
            "VPC-ID",
            "pvc_id2",
            "output_1_name",
            "otput_10_nam",
            "p@q",
            "0p",
            "\u{212a}ey",
            "key",
            "É",
            "é",
        ];
        for one in words {
            let wanted = one.to_lowercase();
            for other in words {
                let distance = strsim::osa_distance(&wanted, &other.to_lowercase());
                let reported = Letters::of(&wanted).differ_at_least(other);
                assert!(
                    reported <= distance,
                    "{one} {other}: {reported} > {distance}"
                );
            }
        }
        assert_eq!(Letters::of("vpc_id").differ_at_least("region"), 5);
    }
}
