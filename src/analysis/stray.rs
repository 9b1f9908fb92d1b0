//! What belongs to landfall but has no effect: documents of landfall's own kinds among the
//! manifests, such as a `binding.yaml` or a second document of a file, misspelled annotations,
//! and setter comments with an output but without a reference. Their authors expect them to
//! take effect.

use std::sync::LazyLock;

use memchr::memmem::Finder;

use crate::analysis::annotation::ANNOTATION;
use crate::analysis::document::template_of;
use crate::analysis::near_miss::candidates;
use crate::analysis::texts::{Comment, Place, View, visit_places};
use crate::collections::OrderedMap;
use crate::config::binding::API_VERSION;
use crate::reference::{Heads, LANDFALL, locate, mask_references};
use crate::report::{Diagnostic, Origin, Rule, Severity, suggest};
use yaml::{BLANKS, Document, Edit, Kind, NodeId, Role, Span, Tree, masked};

const GROUP: &str = "landfall.dev";

/// A text without this part of the group's name has nothing of landfall's. It is short, so
/// that it is also found where the rest is misspelled.
static PART: LazyLock<Finder<'static>> = LazyLock::new(|| Finder::new("andfa"));

/// Whether a text may contain a document of one of landfall's own kinds, an annotation, or a
/// setter comment without a reference.
pub(crate) fn may_hold(text: &str) -> bool {
    let mut found = PART.find_iter(text.as_bytes());
    // Where the line of a setter comment ends: one line has one.
    let mut line_end = 0;
    // Most are setter comments.
    found.any(|at| {
        let rest = text.get(at..).unwrap_or_default();
        let part = rest.bytes().take(2 * GROUP.len());
        let length = part.take_while(|b| is_group_byte(*b)).count();
        match rest.as_bytes().get(length) {
            Some(b'/') => true,
            Some(b':') if at >= line_end => {
                // A line of a document that quotes embed ends at an escape.
                let line = rest.split(['\n', '\r', '\\']).next().unwrap_or_default();
                line_end = at + line.len();
                !line.contains(LANDFALL.notation().opener)
            }
            _ => false,
        }
    })
}

const fn is_group_byte(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'-' | b'_')
}

/// Whether a group is landfall's, perhaps misspelled.
fn is_group(group: &str) -> bool {
    group == "landfall" || suggest::is_typo(group, GROUP)
}

/// Reports the Bindings and operator's policies in one document: the document
/// itself, and items of Lists. Also reports setter comments without a reference, and annotations,
/// these with this severity.
pub(crate) fn find(
    document: Document<'_>,
    heads: &Heads,
    file: usize,
    severity: Severity,
    view: View<'_>,
) -> Vec<Diagnostic> {
    let masks = mask_references(document.text, heads, &OrderedMap::new());
    let scratch = masked(document.text, masks.iter().map(|mask| &mask.range));
    let Ok(tree) = locate(scratch) else {
        return Vec::new();
    };
    let mut headers: OrderedMap<NodeId, [Option<NodeId>; 2]> = OrderedMap::new();
    for (id, node) in tree.nodes() {
        let Role::Value(key) = node.role() else {
            continue;
        };
        let part = match tree.text(key) {
            Some("apiVersion") => 0,
            Some("kind") => 1,
            _ => continue,
        };
        if let Some(parent) = node.parent() {
            headers.entry(parent).or_default()[part] = Some(id);
        }
    }
    let strays = headers
        .into_iter()
        .filter(|(id, _)| is_resource(&tree, *id))
        .filter_map(|(_, [version, kind])| {
            let kind = kind?;
            let (group, _) = tree.text(version?)?.split_once('/')?;
            let name = own_kind(group, tree.text(kind)?)?;
            let span = Span::from(tree[kind].range()).shifted(document.offset);
            Some(found(name, Origin::Manifest(file), span))
        });
    let mut found: Vec<_> = strays.collect();
    found.append(&mut without_effect(document, &tree, file, severity));
    found.extend(bare_setters(document, heads, file, view));
    found
}

/// Returns an error for each setter comment with the path of an output, but without `${` and `}`
/// around it: `# landfall: infra.vpc_id`, `{infra.vpc_id}`, `vpc-infra.name`.
pub(crate) fn bare_setters(
    document: Document<'_>,
    heads: &Heads,
    file: usize,
    view: View<'_>,
) -> Vec<Diagnostic> {
    let dialect = heads.dialect();
    if dialect.notation().id != LANDFALL.notation().id {
        return Vec::new();
    }
    let bare = |comment: &Comment| {
        let template = template_of(dialect, document.text, &comment.range)?;
        let text = document.text.get(template.clone())?;
        if heads.any(text) || !candidates(text, heads).is_empty() {
            return None;
        }
        let reference = |path: &str| {
            let reference = format!("{}{path}}}", dialect.notation().opener);
            let parsed = dialect.parse(&reference, 0);
            let is_whole = parsed.is_ok_and(|parsed| parsed.range == (0..reference.len()));
            (is_whole && heads.is_head(&reference, 0)).then_some(reference)
        };
        let without_braces = text.trim_matches(['{', '(', ' ', '"', '\'', ')', '}']);
        let reference = reference(text).or_else(|| reference(without_braces));
        if reference.is_none() && !holds_path(text, heads) {
            return None;
        }
        let (origin, span) = (
            Origin::Manifest(file),
            Span::from(template).shifted(document.offset),
        );
        let message = "this setter comment has no reference, and sets nothing";
        let error = Diagnostic::error(Rule::InvalidSetter, message).at_concealed(origin, span, "");
        let Some(reference) = reference else {
            return Some(error.help("write `${` before the path of the output and `}` after it"));
        };
        let help = format!("write `{reference}`");
        if !comment.takes(&reference) {
            return Some(error.help(help));
        }
        let edit = Edit {
            span,
            text: reference.into_bytes(),
        };
        Some(error.help(help.clone()).fix(help, origin, vec![edit]))
    };
    let setter = dialect.notation().setter.unwrap_or_default();
    let found = memchr::memmem::find_iter(document.text.as_bytes(), setter);
    let positions: Vec<usize> = found.collect();
    let (mut errors, mut seen) = (Vec::new(), 0);
    visit_places(document, dialect, &positions, view, &mut |_, place| {
        if let Place::Comment(comment) = place
            && comment.range.start >= seen
        {
            seen = comment.range.end;
            errors.extend(bare(&comment));
        }
    });
    errors
}

/// Whether a text is no sentence and has the path of an output in it: `vpc-infra.name`.
fn holds_path(text: &str, heads: &Heads) -> bool {
    let is_path = |name: &str, at: usize| {
        let before = text.get(..at).unwrap_or_default();
        let after = text.get(at + name.len()..).unwrap_or_default();
        !before.ends_with(|c: char| c.is_alphanumeric() || matches!(c, '_' | '.'))
            && after.starts_with(['.', '['])
    };
    !text.contains(BLANKS)
        && (heads.names()).any(|name| text.match_indices(name).any(|(at, _)| is_path(name, at)))
}

/// Reports the keys among annotations and labels that were meant as landfall's annotation.
pub(crate) fn without_effect(
    document: Document<'_>,
    tree: &Tree,
    file: usize,
    severity: Severity,
) -> Vec<Diagnostic> {
    let mut found = Vec::new();
    for (key, entries) in annotations(tree) {
        let text = tree.text(key).unwrap_or_default();
        let Some(error) = ineffective(text, entries, severity) else {
            continue;
        };
        let range = tree[key].range();
        let raw = document.text.get(range.clone()).unwrap_or_default();
        let span = Span::from(range).shifted(document.offset);
        let error = error.at_concealed(Origin::Manifest(file), span, "");
        if text == ANNOTATION {
            found.push(error);
            continue;
        }
        let edit = Edit {
            span,
            text: raw.replace(text, ANNOTATION).into_bytes(),
        };
        let title = format!("replace with `{ANNOTATION}`");
        found.push(error.fix(title, Origin::Manifest(file), vec![edit]));
    }
    found
}

/// Returns the kind of landfall's that a group and kind are, perhaps misspelled.
fn own_kind(group: &str, kind: &str) -> Option<&'static str> {
    let kinds = ["Binding", "OperatorPolicy"];
    let is_meant = |own: &&str| {
        kind == *own && is_group(group) || group == GROUP && suggest::is_typo(kind, own)
    };
    kinds.into_iter().find(is_meant)
}

/// Returns the keys in the annotations and labels of a document, each with which of the two.
fn annotations(tree: &Tree) -> impl Iterator<Item = (NodeId, &str)> {
    tree.nodes().filter_map(|(id, node)| {
        let (Role::Key, Some(mapping)) = (node.role(), node.parent()) else {
            return None;
        };
        let Role::Value(name) = tree[mapping].role() else {
            return None;
        };
        let name = tree.text(name)?;
        matches!(name, "annotations" | "labels").then_some((id, name))
    })
}

/// Returns the diagnostic for a key that was meant as landfall's annotation but is not.
fn ineffective(key: &str, entries: &str, severity: Severity) -> Option<Diagnostic> {
    let (group, name) = key.split_once('/')?;
    let (own_group, own_name) = ANNOTATION.split_once('/')?;
    let is_annotation = key == ANNOTATION;
    let is_meant = is_group(group) && suggest::is_typo(name, own_name);
    if !is_meant
        || is_annotation && entries == "annotations"
        || group != own_group && name != own_name
    {
        return None;
    }
    let (message, help) = if is_annotation {
        (
            format!("`{key}` has no effect as a label"),
            "move it to `metadata.annotations`".to_owned(),
        )
    } else {
        (
            format!("`{key}` is not an annotation of landfall and has no effect"),
            format!("did you mean `{ANNOTATION}`?"),
        )
    };
    Some(
        Diagnostic {
            severity,
            ..Diagnostic::error(Rule::InvalidAnnotation, message)
        }
        .help(help),
    )
}

fn found(kind: &str, origin: Origin, span: Span) -> Diagnostic {
    let help = match kind {
        "Binding" => format!(
            "a folder's Binding must be the only document in its `landfall.yaml`: move it there or remove it; a Binding (`{API_VERSION}`) is never deployed"
        ),
        _ => "remove it: the operator passes it to landfall, and it is never deployed".to_owned(),
    };
    let message = format!("unused {kind} among the manifests");
    Diagnostic::error(Rule::StrayBinding, message)
        .at_concealed(origin, span, "has no effect here")
        .help(help)
}

/// Whether a mapping is a document or an item of a List.
fn is_resource(tree: &Tree, mut id: NodeId) -> bool {
    loop {
        let node = &tree[id];
        if node.role() == Role::Root {
            return true;
        }
        let list = match (node.role(), node.parent()) {
            (Role::Item(_), Some(list)) => &tree[list],
            _ => return false,
        };
        match (list.role(), list.parent(), list.kind()) {
            (Role::Value(key), Some(parent), Kind::Sequence { .. })
                if tree.text(key) == Some("items") =>
            {
                id = parent;
            }
            _ => return false,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::analysis::targets::{Listed, Steps};
    use yaml::split;

    #[track_caller]
    fn check(text: &str, expected: &[&str]) {
        assert!(may_hold(text) || expected.is_empty());
        let (listed, steps) = (Listed::default(), Steps::default());
        let view = View {
            embedded: &listed,
            steps: &steps,
            only_under: None,
            located: None,
        };
        let found: Vec<_> = split(text)
            .into_iter()
            .flat_map(|document| find(document, &Heads::new(["infra"]), 0, Severity::Warning, view))
            .map(|found| text[found.labels[0].span.range()].to_owned())
            .collect();
        assert_eq!(found, expected, "{text}");
    }

    #[test]
    fn finds_bindings_in_any_style() {
        for text in [
            "apiVersion: landfall.dev/v1alpha1\nkind: Binding\n",
            "kind: Binding\nspec: {x: [${infra.a}]}\napiVersion: landfall.dev/v2\n",
            "a: 1\n---\napiVersion: 'landfall.dev/v1'\n? kind\n: Binding\n",
            "kind: List\nitems:\n- {apiVersion: landfall.dev/v1alpha1, kind: Binding}\n",
            "{items: [{items: [{apiVersion: landfall.dev/v1, kind: Binding}]}]}\n",
        ] {
            check(text, &["Binding"]);
        }
        check(
            "apiVersion: \"landfall.dev/v1\"\nkind: \"OperatorPolicy\"\n",
            &["\"OperatorPolicy\""],
        );
        check("apiVersion: landfal.dev/v1\nkind: Binding\n", &["Binding"]);
        check("apiVersion: landfall.dev/v1\nkind: Bindng\n", &["Bindng"]);
    }

    #[test]
    fn finds_annotations_without_effect() {
        for (entries, key, expected) in [
            ("annotations", "landfall.dev/substitute", false),
            ("annotations", "landfall.dev/substitue", true),
            ("annotations", "landfall.dev/Substitute", true),
            ("annotations", "Landfall.dev/substitute", true),
            ("annotations", "landfal.dev/substitute", true),
            ("annotations", "landfall.io/substitute", true),
            ("annotations", "landfall/substitute", true),
            ("annotations", "\"landfall.dev/substitutes\"", true),
            ("labels", "landfall.dev/substitute", true),
            ("labels", "landfall.dev/outputs", false),
            ("annotations", "landfall.dev/owner", false),
            (
                "annotations",
                "kustomize.toolkit.fluxcd.io/substitute",
                false,
            ),
            ("data", "landfall.dev/substitue", false),
        ] {
            let text = format!("kind: X\nmetadata:\n  {entries}:\n    {key}: disabled\n");
            let found: &[&str] = if expected { &[key] } else { &[] };
            check(&text, found);
        }
    }

    #[test]
    fn finds_setters_without_a_reference() {
        for (comment, expected) in [
            ("# landfall: infra.vpc_id", &["infra.vpc_id"][..]),
            (
                "#landfall: infra[\"a b\"] | lower",
                &["infra[\"a b\"] | lower"],
            ),
            ("# landfall: {infra.vpc_id}", &["{infra.vpc_id}"]),
            ("# landfall: \"infra.vpc_id", &["\"infra.vpc_id"]),
            // Near misses are found elsewhere.
            ("# landfall: {{ infra.vpc_id }}", &[]),
            ("# landfall: vpc-infra.name/x", &["vpc-infra.name/x"]),
            ("# landfall: ${infra.vpc_id}", &[]),
            ("# landfall: my_infra.vpc_id", &[]),
            ("# landfall: my.infra.vpc_id", &[]),
            ("# landfall: other.vpc_id", &[]),
            ("# landfall: infra.vpc_id sets it", &[]),
            ("# landfall: the VPC", &[]),
            ("# why: infra.vpc_id", &[]),
        ] {
            check(&format!("kind: X\nvpc: vpc-0 {comment}\n"), expected);
            check(
                &format!(
                    "apiVersion: v1\nkind: ConfigMap\ndata:\n  c.yaml: |\n    vpc: vpc-0 {comment}\n"
                ),
                expected,
            );
            check(
                &format!(
                    "apiVersion: v1\nkind: ConfigMap\ndata:\n  c.conf: |\n    vpc: vpc-0 {comment}\n"
                ),
                &[],
            );
        }
    }

    #[test]
    fn ignores_other_documents() {
        for text in [
            "apiVersion: v1\nkind: Binding\nmetadata: {annotations: {landfall.dev/x: y}}\n",
            "apiVersion: example.dev/v1\nkind: Binding\n",
            "apiVersion: landfall.dev/v1\nkind: Other\n",
            "kind: ConfigMap\ndata:\n  a: |\n    apiVersion: landfall.dev/v1\n    kind: Binding\n",
            "kind: X\nspec: {template: {apiVersion: landfall.dev/v1, kind: Binding}}\n",
            "# apiVersion: landfall.dev/v1\n# kind: Binding\na: [\n",
        ] {
            check(text, &[]);
        }
    }
}
