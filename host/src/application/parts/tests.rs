use landfall_sandbox::types::{
    BuiltInCeiling, Ceiling, Content, EditList, File, Findings, OutputsDocument, RenderedPart,
};
use landfall_test_support::skip::{Requirement, skipped};

use super::divide::{Slice, divide};
use super::join::{join, unused_in_all};
use super::render_parts;
use crate::engine::{Engine, Halted, Request};
use crate::settings::Limits;

fn file(content: impl Into<Vec<u8>>) -> File {
    File {
        path: "a.yaml".into(),
        content: content.into(),
    }
}

/// Returns the parts of one file as texts.
fn divided(text: &str, size: usize) -> Vec<&str> {
    let parts = divide(&[file(text)], size);
    let slices = parts.iter().map(|part| match part.as_slice() {
        [Slice { bytes, .. }] => &text[bytes.clone()],
        _ => panic!("one slice in each part of a file"),
    });
    slices.collect()
}

#[test]
fn a_file_is_divided_where_documents_begin() {
    let text = "a: 1\n---\nb: 2\n--- # c\nc: 3\n---\r\nd: 4\n";
    assert_eq!(
        divided(text, 1),
        ["a: 1\n", "---\nb: 2\n", "--- # c\nc: 3\n", "---\r\nd: 4\n"]
    );
    assert_eq!(
        divided(text, 20),
        ["a: 1\n---\nb: 2\n--- # c\nc: 3\n", "---\r\nd: 4\n"]
    );
    assert_eq!(divided(text, 100), [text]);
}

#[test]
fn a_file_is_not_divided_where_a_marker_may_belong_to_a_document() {
    for text in [
        "# c\n---\na: 1\n",
        "a: 1\n...\n---\nb: 2\n",
        "a: 1\n...\n# c\n%TAG ! x\n\n---\nb: 2\n",
        "a: |\n  x\n  ---\n  y\n",
        "a: 1\n---x\n---\rb: 2\n",
        "a: 1\n...\n\u{feff}\n---\nb: 2\n",
        "a: 1\n...\n# c\rx\n---\nb: 2\n",
    ] {
        assert_eq!(divided(text, 1), [text]);
    }
}

#[test]
fn parts_are_divided_as_the_module_splits_documents() {
    let lines = [
        "a: 1",
        "---",
        "---",
        "...",
        "# c",
        "%YAML 1.2",
        "",
        "  ---",
        "--- x",
        "---x",
        "\u{feff}",
        "b\r",
        "---\r",
        "# c\rx",
        "x\r# c",
    ];
    let mut state = 1_u64;
    let mut divisions = 0;
    for _ in 0..20_000 {
        let mut text = String::new();
        for _ in 0..8 {
            state = state
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1);
            let line = lines[usize::try_from(state >> 33).unwrap() % lines.len()];
            text.push_str(line);
            text.push('\n');
        }
        let whole: Vec<_> = yaml::split(&text).iter().map(|one| one.text).collect();
        let parts = divided(&text, 1);
        divisions += parts.len() - 1;
        let split = parts.iter().flat_map(|part| yaml::split(part));
        assert_eq!(
            split.map(|one| one.text).collect::<Vec<_>>(),
            whole,
            "{text:?}"
        );
    }
    assert!(divisions > 10_000, "{divisions}");
}

#[test]
fn small_files_are_parts_together() {
    let files: Vec<_> = (0..6).map(|_| file("a: 1\n")).collect();
    let parts = divide(&files, 10);
    let files: Vec<Vec<_>> = parts
        .iter()
        .map(|part| part.iter().map(|slice| slice.file).collect())
        .collect();
    assert_eq!(files, [[0, 1], [2, 3], [4, 5]]);
}

/// Returns a list of edits, each with its start, end and text.
fn edits(all: &[(u32, u32, &str)]) -> EditList {
    let mut list = EditList::default();
    for (start, end, text) in all {
        list.text.extend_from_slice(text.as_bytes());
        let text_end = u32::try_from(list.text.len()).unwrap();
        list.offsets.extend([*start, *end, text_end]);
    }
    list
}

fn part(edits: EditList) -> RenderedPart {
    RenderedPart {
        sources: vec![Content::Edited(edits)],
        findings: Findings::default(),
        unused: Vec::new(),
    }
}

#[test]
fn the_edits_of_parts_are_moved_to_their_file() {
    let files = [file("a: x\n---\nb: y\n")];
    let parts = divide(&files, 1);
    let rendered = vec![part(edits(&[(3, 4, "1")])), part(edits(&[(7, 8, "2")]))];
    let answer = join(&files, &parts, rendered, Vec::new()).unwrap();
    let expected = edits(&[(3, 4, "1"), (12, 13, "2")]);
    assert_eq!(answer.sources, [Content::Edited(expected)]);
}

#[test]
fn a_part_that_violates_the_contract_has_no_result() {
    let files = [file("a: x\n---\nb: y\n")];
    let parts = divide(&files, 1);
    for invalid in [
        part(edits(&[(3, 6, "1")])),
        RenderedPart {
            sources: Vec::new(),
            ..part(EditList::default())
        },
    ] {
        let rendered = vec![invalid, part(EditList::default())];
        assert!(join(&files, &parts, rendered, Vec::new()).is_none());
    }
}

#[test]
fn an_output_is_unused_if_no_part_uses_it() {
    let unused = |lists: &[&[u32]]| unused_in_all(lists.iter().copied());
    assert_eq!(unused(&[&[1, 2, 5], &[2, 3, 5], &[0, 2, 5]]), [2, 5]);
    assert_eq!(unused(&[&[1], &[]]), [] as [u32; 0]);
}

/// Renders a file in parts and in one instance; the first is None if a part was declined.
/// Returns whether the parts have a result, which is compared with that of one instance.
fn renders_in_parts(text: &str) -> Option<bool> {
    let engine = match Engine::embedded(Limits::default()) {
        Err(Halted::NoModule) => {
            skipped(
                Requirement::Dist,
                "the command has no embedded module: run cargo xtask dist",
            );
            return None;
        }
        engine => engine.unwrap(),
    };
    let outputs = OutputsDocument {
        name: "infra".to_owned(),
        path: "infra.json".to_owned(),
        content: br#"{"a": {"value": "x"}, "b": {"value": "y"}, "c": {"value": "z"}}"#.to_vec(),
        format: None,
        sensitive: false,
        declared_at: None,
    };
    let mut request = Request::new(Ceiling {
        built_in: BuiltInCeiling::None,
        operator_policy: None,
    });
    request.inputs.documents.push(outputs);
    let files = [file("kind: List\n"), file(text)];
    let mut plugin = engine.start().unwrap();
    let parts = divide(&files, 1);
    let joined = render_parts(&engine, &mut plugin, (&files, &parts), &request, 3);
    let sources = plugin.sources(&files).unwrap();
    let whole = plugin.generate(&sources, &request).unwrap();
    match joined {
        Some(joined) => assert_eq!(whole.unwrap(), joined),
        None => return Some(false),
    }
    Some(true)
}

#[test]
fn renders_parts_as_one_instance_does() {
    let all = "a: ${infra.a}\n---\nb: ${infra.b}\n---\nc: ${infra.c}\n";
    for text in [all, "a: ${infra.a}\n---\nb: ${infra.a}\n", "a: 1\n---\n"] {
        if let Some(has_result) = renders_in_parts(text) {
            assert!(has_result, "{text}");
        }
    }
}

#[test]
fn declines_parts_with_diagnostics() {
    for text in [
        "a: ${infra.a}\n---\nb: ${infra.missing}\n",
        "a: ${infra.a}\n---\nb: ${other.b}\n",
        "a: ${infra.a}\n---\n# CustomResourceDefinition\n",
    ] {
        if let Some(has_result) = renders_in_parts(text) {
            assert!(!has_result, "{text}");
        }
    }
}
