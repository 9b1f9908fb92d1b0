//! Where each value is in the rendered files: bytes converted to positions in JavaScript.

use landfall::Substitution;

use crate::answer::RenderedFile;
use crate::positions::{Positions, Range};

/// Returns the position of each value in the rendered file. `substitutions` are in the
/// order of files.
pub(crate) fn results(files: &[RenderedFile<'_>], substitutions: &[Substitution]) -> Vec<Range> {
    let mut results = Vec::with_capacity(substitutions.len());
    for of_file in substitutions.chunk_by(|one, next| one.file == next.file) {
        let file = of_file.first().and_then(|first| files.get(first.file));
        let positions = Positions::new(file.map_or(&[], |file| file.content.as_bytes()));
        results.extend(of_file.iter().map(|one| positions.range(one.result())));
    }
    results
}

#[cfg(test)]
mod tests {
    use crate::Call;

    const INFRA: &str = r#"{
      "vpc": {"sensitive": false, "type": "string", "value": "vpc-0ab1"},
      "quote": {"sensitive": false, "type": "string", "value": "it's \"x\": 😀"},
      "port": {"sensitive": false, "type": "number", "value": 5432},
      "secret": {"sensitive": true, "type": "string", "value": "hunter2"}
    }"#;

    /// Checks the text in the result for each reference, as `reference → text`.
    #[track_caller]
    fn check(manifest: &str, expected: &[&str]) {
        let answer = Call::of(manifest, INFRA).explain();
        let answer: serde_json::Value = serde_json::from_str(&answer).unwrap();
        let answer = &answer["Ok"];
        let Some(files) = answer["files"].as_array() else {
            panic!("{manifest:?}: {}", answer["diagnostics"]);
        };
        let content = files[0]["content"].as_str().unwrap();
        let units: Vec<u16> = content.encode_utf16().collect();
        let offset =
            |place: &serde_json::Value| usize::try_from(place["offset"].as_u64().unwrap()).unwrap();
        let substitutions = answer["substitutions"].as_array().unwrap();
        let arrived = substitutions.iter().map(|one| {
            let range = &one["result"];
            let text = String::from_utf16(&units[offset(&range["start"])..offset(&range["end"])]);
            let reference = one["reference"].as_str().unwrap();
            format!("{reference} → {}", text.unwrap())
        });
        assert_eq!(arrived.collect::<Vec<_>>(), expected, "{manifest:?}");
    }

    #[test]
    fn counts_utf_16_code_units() {
        check(
            "a: 😀 ${infra.vpc}/${infra.port}/x\nb: 😀 ${infra.quote}: ${infra.vpc}\n"
                .replace(": $", " - $")
                .as_str(),
            &[
                "${infra.vpc} → vpc-0ab1",
                "${infra.port} → 5432",
                "${infra.quote} → it's \\\"x\\\": 😀",
                "${infra.vpc} → vpc-0ab1",
            ],
        );
    }

    #[test]
    fn counts_a_byte_order_mark() {
        check(
            "\u{feff}a: ${infra.vpc}\r\nb: ${infra.vpc}\r\n",
            &["${infra.vpc} → vpc-0ab1", "${infra.vpc} → vpc-0ab1"],
        );
    }

    #[test]
    fn sensitive_values_have_a_position_too() {
        check(
            "kind: Secret\napiVersion: v1\nstringData: {a: x ${infra.secret}${infra.vpc}}\n",
            &["${infra.secret} → hunter2", "${infra.vpc} → vpc-0ab1"],
        );
    }
}
