//! Did you mean …?

/// The candidate that a person who wrote `word` most likely meant, if any is
/// close.
pub(crate) fn closest<'a>(
    word: &str,
    candidates: impl IntoIterator<Item = &'a str>,
) -> Option<&'a str> {
    let wanted = word.to_lowercase();
    candidates
        .into_iter()
        .map(|candidate| {
            (
                strsim::osa_distance(&wanted, &candidate.to_lowercase()),
                candidate,
            )
        })
        .filter(|(distance, candidate)| *distance <= allowed(word) || is_part(&wanted, candidate))
        .min_by_key(|(distance, _)| *distance)
        .map(|(_, candidate)| candidate)
}

/// The candidate that differs from `word` as typing mistakes do.
pub(crate) fn typo<'a>(
    word: &str,
    candidates: impl IntoIterator<Item = &'a str>,
) -> Option<&'a str> {
    closest(word, candidates).filter(|near| is_typo(word, near))
}

/// Whether two names differ as typing mistakes do.
pub(crate) fn is_typo(word: &str, near: &str) -> bool {
    strsim::osa_distance(&word.to_lowercase(), &near.to_lowercase()) <= allowed(word)
}

/// How many letters may be wrong.
fn allowed(word: &str) -> usize {
    (word.chars().count() / 3).max(1)
}

/// One of the two is the other's beginning or end at a word's boundary: `vpc` of
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

/// The first names, and how many more there are.
pub(crate) fn listed<'a>(names: impl IntoIterator<Item = &'a str>) -> String {
    const SHOWN: usize = 12;
    let names: Vec<_> = names.into_iter().collect();
    let mut list = names
        .iter()
        .take(SHOWN)
        .map(|name| format!("`{name}`"))
        .collect::<Vec<_>>()
        .join(", ");
    if names.len() > SHOWN {
        list.push_str(&format!(" and {} more", names.len() - SHOWN));
    }
    list
}

#[cfg(test)]
mod tests {
    use super::closest;

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
}
