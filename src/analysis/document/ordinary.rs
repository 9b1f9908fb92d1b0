//! Scalars in which ordinary text is written as it is, whatever it says: most scalars.
//! Nothing but their values has to be looked up in a render.

use super::scalars::PendingScalar;
use super::{Analyser, FoundReference};
use crate::kubernetes::annotations;
use crate::kubernetes::resources::Resources;
use crate::kubernetes::types::OwnFields;
use crate::steps::{self, RenderStep};
use yaml::{Kind, NodeEditor, Part, Text, Tree};

impl Analyser<'_> {
    /// Returns whether some scalars of the document can hold ordinary text in whose place
    /// nothing else has an effect: no alias repeats it, no consumer of the resource
    /// encodes it or executes it, and the document is a resource that is neither embedded nor
    /// JSON: a patch has the types of what it applies to.
    pub(super) fn may_hold_ordinary_text(&self, tree: &Tree, resources: &Resources<'_>) -> bool {
        let is_block = tree.get(0).is_some_and(|root| {
            matches!(
                root.kind(),
                Kind::Mapping { flow: false, .. } | Kind::Sequence { flow: false, .. }
            )
        });
        is_block
            && self.scope.parsed.is_some()
            && self.outer.is_none()
            && !self.source.is_embedded()
            && resources.has_plain_fields()
            && resources.is_identified(0)
    }

    /// Returns whether references of this scalar that become ordinary text change nothing
    /// but their own bytes, which become this text. The document must be one that
    /// [may hold it](Self::may_hold_ordinary_text), and nothing else may change it.
    pub(super) fn holds_ordinary_text(
        &self,
        tree: &Tree,
        resources: &Resources<'_>,
        fields: &mut OwnFields<'_>,
        scalar: &PendingScalar<'_>,
    ) -> bool {
        let is_output = |found: &FoundReference| {
            let reference = &found.reference;
            found.number.is_some()
                && reference.calls.is_empty()
                && reference.path.segments.len() == 1
        };
        if scalar.format.is_some()
            || scalar.actions.is_some()
            || !scalar.escapes.is_empty()
            || scalar.references.is_empty()
            || !scalar.references.iter().all(is_output)
            || resources.may_read_text(scalar.id, &[])
            || annotations::may_be_json(&scalar.decoded.text)
                && annotations::may_be_parsed(resources, scalar.id, &scalar.decoded.text)
        {
            return false;
        }
        let editor = NodeEditor {
            source: self.source.text,
            tree,
            id: scalar.id,
            decoded: &scalar.decoded,
            json: false,
        };
        let is_untyped = editor.is_untyped();
        let is_string = editor.is_quoted() || editor.is_block();
        let step = steps::enter(RenderStep::Type);
        let is_free = match fields.get(scalar.id) {
            Some(own) => own.takes_any_text(is_untyped, is_string),
            None => !is_untyped && !resources.have_types(),
        };
        drop(step);
        if !is_free {
            return false;
        }
        let _step = steps::enter(RenderStep::Write);
        match &scalar.references[..] {
            [found] => editor.writes_ordinary_texts(&[part(found)]),
            all => editor.writes_ordinary_texts(&all.iter().map(part).collect::<Vec<_>>()),
        }
    }
}

fn part(found: &FoundReference) -> Part<'static, Text<'static>> {
    Part::of_ordinary_text(found.reference.range.clone(), found.raw.clone())
}

#[cfg(test)]
mod tests {
    use crate::analysis::document::{DocumentAnalysis, NoFieldBindings, Scope, Text};
    use crate::reference::{Heads, ParsedReferences};
    use crate::report::Origin;

    /// Returns for each scalar with references whether it holds ordinary text.
    fn check(source: &str) -> Vec<bool> {
        let heads = Heads::new(["infra"]);
        let no_field_bindings = NoFieldBindings::new(&heads);
        let scope = Scope {
            parsed: Some(&ParsedReferences::default()),
            ..no_field_bindings.scope(&heads)
        };
        let text = Text::Borrowed(source);
        let analysis = DocumentAnalysis::of_file(text, 0, Origin::Manifest(0), scope, None);
        let scalars = analysis.located.as_ref().unwrap().scalars.iter();
        scalars.map(|scalar| scalar.holds_ordinary_text).collect()
    }

    /// Checks a value in a ConfigMap.
    fn check_value(value: &str, expected: bool) {
        let source = format!("apiVersion: v1\nkind: ConfigMap\ndata:\n  a: {value}\n");
        assert_eq!(check(&source), [expected], "{value}");
    }

    #[test]
    fn most_scalars_hold_it() {
        for value in [
            "${infra.a}",
            "\"${infra.a}\"",
            "'a ${infra.a} ${infra.b}'",
            "http://${infra.a}/b # c",
            "|\n    a=${infra.a}\n    b=${infra.b}/c",
        ] {
            check_value(value, true);
        }
    }

    #[test]
    fn whatever_else_may_matter_is_left_to_each_render() {
        for value in [
            "${infra.a[0]}",
            "${infra.a | upper}",
            "$${infra.a} ${infra.b}",
            "!!str ${infra.a}",
            "&x ${infra.a}",
            ">-\n    ${infra.a}",
            "\"a\n    ${infra.a}\"",
            "2024-01-01${infra.a}",
        ] {
            check_value(value, false);
        }
    }

    #[test]
    fn the_field_must_take_text_that_nothing_reads() {
        let source = "\
apiVersion: apps/v1
kind: Deployment
metadata: {name: '${infra.a}', annotations: {a: '${infra.a}'}, labels: {a: '${infra.a}'}}
spec:
  replicas: ${infra.a}
  paused: '${infra.a}'
  ${infra.a}: b
";
        // A key decides what its document means.
        assert_eq!(check(source), [false; 6]);
        let without_key = source.replace("  ${infra.a}: b\n", "");
        // In quotes, it is no bool; and the API server does not accept every text as a label.
        assert_eq!(check(&without_key), [false, true, false, false, false]);
    }

    #[test]
    fn no_scalar_of_some_documents_holds_it() {
        let holds = "apiVersion: v1\nkind: ConfigMap\ndata:\n  a: ${infra.a}\n";
        assert_eq!(check(holds), [true]);
        for (from, to) in [
            ("ConfigMap", "Secret"),
            ("ConfigMap", "ApplicationSet"),
            ("data:", "sops: {}\ndata:"),
            ("data:", "b: &b {}\nc: *b\ndata:"),
            ("data:", "b: c # landfall: ${infra.a}\ndata:"),
        ] {
            assert!(!check(&holds.replace(from, to)).contains(&true), "{to}");
        }
        assert_eq!(
            check("{\"kind\": \"ConfigMap\", \"a\": \"${infra.a}\"}"),
            [false]
        );
    }
}
