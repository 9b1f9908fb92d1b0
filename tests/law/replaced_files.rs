//! Sources in which files have been replaced give the answers of new ones.

use landfall::Sources;
use proptest::prelude::*;

use crate::choices::{Choices, Sequence};
use crate::generated::cases;
use crate::parts::Case;

/// Files on which others depend, besides those of [`Case`].
const CONTENTS: &[&[u8]] = &[
    b"patches: [{path: 1.yaml, target: {kind: Service}}]\n",
    b"kind: PatchTransformer\nmetadata: {name: x}\npath: 0.yaml\ntarget: {kind: Deployment}\n",
    b"apiVersion: v1\nkind: Service\nmetadata: {name: s}\nspec: {clusterIP: \"${infra.number}\"}\n",
    b"spec: {clusterIP: \"${infra.number}\", text: ${infra.v0}}\n",
    b"a: ${other.name} ${infar.v0}\nb: ${x.y} # ${infra.v0\n",
    b"infra.v0 $(infra.v1) # landfal: ${infra.v2}\n",
    b"{\"v0\": {\"sensitive\": false, \"type\": \"string\", \"value\": \"x\"}}\n",
    b"\xff\xfe",
    b"",
];

/// Replaces files and renders now and then. Each answer must be that of new sources.
fn check(choices: &mut Choices<'_>) -> Result<(), TestCaseError> {
    let Case { mut files, request } = Case::generate(choices);
    let other = Case::generate(choices);
    if choices.one_in(3) {
        files[0].path = "kustomization.yaml".to_owned();
    }
    let mut sources = Sources::new(files.clone());
    for _ in 0..2 + choices.below(4) {
        if !choices.one_in(4) {
            let rendered = sources.generate(&request);
            let expected = Sources::new(files.clone()).generate(&request);
            let texts = files
                .iter()
                .map(|file| String::from_utf8_lossy(&file.content));
            prop_assert_eq!(rendered, expected, "{:#?}", texts.collect::<Vec<_>>());
        }
        let content = match choices.below(3) {
            0 => CONTENTS[choices.below(CONTENTS.len())].to_vec(),
            1 => other.files[choices.below(other.files.len())]
                .content
                .clone(),
            _ => files[choices.below(files.len())].content.clone(),
        };
        let position = choices.below(files.len());
        prop_assert!(sources.replace(position, content.clone()));
        files[position].content = content;
    }
    prop_assert_eq!(
        sources.generate(&request),
        Sources::new(files).generate(&request)
    );
    Ok(())
}

proptest! {
    #![proptest_config(cases(2_000))]

    #[test]
    fn replaced_files_have_the_answer_of_new_sources(numbers in prop::collection::vec(any::<u16>(), 0..400)) {
        check(&mut Choices::new(&numbers))?;
    }
}

/// Choices of long cases: most of the property's are short.
#[test]
fn many_files_are_replaced_one_after_another() {
    let mut sequence = Sequence::new(3);
    for _ in 0..400 {
        let numbers = sequence.numbers(800);
        if let Err(error) = check(&mut Choices::new(&numbers)) {
            panic!("{error}");
        }
    }
}
