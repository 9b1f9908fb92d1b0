//! The Binding: the outputs documents that an application needs, and the files that are its
//! manifests.

use crate::config::Spanned;
use crate::config::bound_output::{self, BoundOutput, BoundValues};
use crate::config::outputs_contract::Contract;
use crate::config::patterns::{Pattern, read as read_patterns};
use crate::config::policy::{Policies, Unpublished};
use crate::config::reader::Reader;
use crate::config::substitutions::{self, EmbeddedFields, FieldBinding};
use crate::config::{ChartOptions, Config, Need};
use crate::config::{keys, unambiguous, written_values};
use crate::outputs::{Declarations, is_name};
use crate::reference::{DIALECTS, Dialect};
use crate::report::{Diagnostic, Diagnostics, Origin, Rule, shown_at, suggest};
use yaml::{NodeId, Span, Tree};

/// The `apiVersion` of the Binding.
pub(crate) const API_VERSION: &str = "landfall.dev/v1alpha1";

/// The API group that every landfall document has in its `apiVersion`.
const API_GROUP: &[u8] = b"landfall.dev/";

/// A parsed Binding.
#[derive(Clone, Debug, Default)]
pub(crate) struct Binding {
    /// The outputs documents that are files.
    pub(crate) outputs: Vec<Need>,
    /// The outputs documents that are not.
    pub(crate) values: Vec<BoundValues>,
    /// What it declares about these documents.
    pub(crate) declarations: Declarations,
    /// `None`: the default manifests.
    pub(crate) include: Option<Vec<Pattern>>,
    pub(crate) exclude: Vec<Pattern>,
    /// The tool that generates the folder's manifests, if other tools' files are in it.
    pub(crate) tool: Option<Tool>,
    pub(crate) chart: ChartOptions,
    /// The paths of files with CustomResourceDefinitions, each with its location.
    pub(crate) schemas: Vec<(String, Span)>,
    /// How the manifests write references. `None`: in landfall's own dialect.
    pub(crate) dialect: Option<&'static dyn Dialect>,
    pub(crate) substitutions: Vec<FieldBinding>,
    pub(crate) embedded: Vec<EmbeddedFields>,
    /// Names that belong to other tools: text with these names is left alone.
    pub(crate) foreign: Vec<Spanned<String>>,
    pub(crate) policy: Policies,
    pub(crate) contract: Contract,
    /// Where it says that it only validates.
    pub(crate) validate: Option<Span>,
    /// The resources that it adds, which are read where it is the Binding of a function.
    pub(crate) generate: Option<(NodeId, Span)>,
}

/// The keys without effect on a function that only validates.
const NOT_VALIDATED: [&str; 6] = [
    "substitutions",
    "contract",
    "manifests",
    "tool",
    "helm",
    "generate",
];

/// The tool that builds the manifests of an application's folder: `spec.tool`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Tool {
    /// No tool: the plain manifests are rendered, even if there are other tools' files.
    None,
    /// The host renders the files of the folder's kustomization, and builds it.
    Kustomize,
    /// The host renders the values of the folder's chart, templates it, and renders the
    /// result.
    Helm,
}

impl Binding {
    /// Returns the names that it binds.
    pub(crate) fn bound_names(&self) -> impl Iterator<Item = &String> {
        let files = self.outputs.iter().map(|need| &need.name);
        files.chain(self.values.iter().map(|values| &values.name))
    }
}

/// Reads what can be read of a Binding's document. Also returns every problem in it.
pub(crate) fn read_partly(config: &Config, origin: Origin) -> (Binding, Diagnostics) {
    let mut binding = Binding::default();
    let errors = with_document(config, origin, Rule::InvalidBinding, |tree| {
        let (read, errors) = read_node(tree, 0, origin);
        // Nothing is taken from another document, which was named by mistake.
        if names_group(config) {
            binding = read;
        }
        if errors.is_empty() {
            Ok(())
        } else {
            Err(errors)
        }
    });
    (binding, errors.err().unwrap_or_default())
}

/// Locates a configuration document and passes its tree to `read`. Problems in a document
/// that doesn't name landfall's API group are reported without any of its text: it may be
/// an outputs document, or a Secret, that was named by mistake. Outputs that are written in
/// it are never shown.
pub(crate) fn with_document<T>(
    config: &Config,
    origin: Origin,
    rule: Rule,
    read: impl FnOnce(&Tree) -> Result<T, Diagnostics>,
) -> Result<T, Diagnostics> {
    let is_named = names_group(config);
    let tree = tree(config, origin, rule).map_err(|found| {
        if is_named && !written_values::may_have(config) {
            found
        } else {
            concealed(found, origin)
        }
    })?;
    read(&tree).map_err(|mut found| {
        if !is_named {
            return concealed(found, origin);
        }
        written_values::conceal(&tree, origin, &mut found);
        found
    })
}

fn names_group(config: &Config) -> bool {
    memchr::memmem::find(&config.content, API_GROUP).is_some()
}

/// Returns diagnostics that contain no text of the document.
pub(crate) fn concealed(mut diagnostics: Diagnostics, origin: Origin) -> Diagnostics {
    for found in diagnostics.iter_mut() {
        for label in &mut found.labels {
            if label.origin == origin {
                label.conceal = true;
                // A label on the wrong value would show that value.
                label.span.end = label.span.start;
            }
        }
        found.fixes.clear();
    }
    diagnostics
}

/// Locates configuration text and passes its tree to `read`.
pub(crate) fn with_tree<T>(
    config: &Config,
    origin: Origin,
    rule: Rule,
    read: impl FnOnce(&Tree) -> Result<T, Diagnostics>,
) -> Result<T, Diagnostics> {
    read(&tree(config, origin, rule)?)
}

fn tree(config: &Config, origin: Origin, rule: Rule) -> Result<Tree, Diagnostics> {
    let text = std::str::from_utf8(&config.content).map_err(|error| {
        Diagnostic::error(rule, "the file is not UTF-8").at_concealed(
            origin,
            Span::point(error.valid_up_to()),
            "this byte is not UTF-8",
        )
    })?;
    if let Some(ambiguity) = unambiguous::in_text(text) {
        return Err(ambiguity.diagnostic(origin, rule).into());
    }
    let tree = yaml::locate(text).map_err(|error| {
        Diagnostic::error(rule, error.described("the file")).at(
            origin,
            Span::point(shown_at(&error)),
            error.label(),
        )
    })?;
    if tree.is_empty() {
        let error = Diagnostic::error(rule, "the file is empty");
        return Err(error
            .at(origin, Span::point(0), "expected a mapping here")
            .into());
    }
    Ok(tree)
}

/// Reads the Binding at node `id`. Also returns every problem in it.
pub(crate) fn read_node(tree: &Tree, id: NodeId, origin: Origin) -> (Binding, Diagnostics) {
    let mut reader = Reader::new(tree, id, origin, Rule::InvalidBinding);
    let mut binding = Binding::default();
    let root = reader.mapping(id, "the Binding", &keys::ROOT);
    header(&mut reader, id, &root, "Binding");
    if let Some(spec) = root.get("spec") {
        let spec = reader.mapping(*spec, "spec", &keys::SPEC);
        if let Some(policy) = spec.get("policy") {
            binding.policy = Policies::read(&mut reader, *policy, "spec.policy");
        }
        if let Some(contract) = spec.get("contract") {
            binding.contract = Contract::read(&mut reader, *contract, "spec.contract");
        }
        if let Some(id) = spec.get("substitutions") {
            binding.substitutions = substitutions::substitutions(&mut reader, *id);
        }
        if let Some(id) = spec.get("embedded") {
            binding.embedded = substitutions::embedded(&mut reader, *id);
        }
        if let Some(id) = spec.get("foreign") {
            binding.foreign = foreign(&mut reader, *id);
        }
        let unpublished = binding.policy.choices.unpublished.as_ref();
        let optional = unpublished.is_some_and(|declared| declared.value == Unpublished::Keep);
        if let Some(outputs) = spec.get("outputs") {
            for item in reader.items(*outputs, "spec.outputs") {
                let Some((output, mut declaration)) =
                    bound_output::read(&mut reader, item, optional)
                else {
                    continue;
                };
                declaration.is_inline = output.is_inline();
                binding
                    .declarations
                    .push(output.name().to_owned(), declaration);
                match output {
                    BoundOutput::File(need) => binding.outputs.push(need),
                    BoundOutput::Values(values) => binding.values.push(values),
                }
            }
        }
        if let Some(manifests) = spec.get("manifests") {
            let manifests = reader.mapping(*manifests, "spec.manifests", &keys::MANIFESTS);
            binding.include = manifests
                .get("include")
                .map(|id| read_patterns(&mut reader, *id, "spec.manifests.include"));
            binding.exclude = manifests
                .get("exclude")
                .map(|id| read_patterns(&mut reader, *id, "spec.manifests.exclude"))
                .unwrap_or_default();
        }
        if let Some(id) = spec.get("tool") {
            binding.tool = tool(&mut reader, *id);
        }
        if let (Some(Tool::Kustomize | Tool::Helm), Some(id)) =
            (binding.tool, spec.get("manifests"))
        {
            let message = "`spec.manifests` has no effect on a folder that another tool builds";
            reader.error(
                *id,
                message,
                "remove it: the tool decides which files are manifests",
            );
        }
        if let Some(id) = spec.get("helm") {
            binding.chart = ChartOptions::read(&mut reader, *id);
            if spec.get("tool").is_none()
                || matches!(binding.tool, Some(Tool::None | Tool::Kustomize))
            {
                let message = "`spec.helm` has no effect without `spec.tool: helm`";
                reader.error(*id, message, "set `tool: helm` in `spec`");
            }
        }
        if let Some(id) = spec.get("schemas") {
            binding.schemas = schemas(&mut reader, *id);
        }
        if let Some(id) = spec.get("dialect") {
            binding.dialect = dialect_of(&mut reader, *id, "spec.dialect");
        }
        if let Some(id) = spec.get("generate") {
            binding.generate = Some((*id, reader.span(*id)));
        }
        if let Some(id) = spec.get("validate")
            && reader.flag(*id, "spec.validate") == Some(true)
        {
            binding.validate = Some(reader.span(*id));
            for key in NOT_VALIDATED {
                if let Some(id) = spec.get(key) {
                    let message = format!("`spec.{key}` has no effect with `validate: true`");
                    reader.error(*id, &message, "remove it: a validator changes nothing");
                }
            }
        }
    }
    (binding, reader.diagnostics)
}

fn schemas(reader: &mut Reader<'_>, id: NodeId) -> Vec<(String, Span)> {
    let mut schemas = Vec::new();
    for (id, path) in reader.texts(id, "spec.schemas") {
        if path.starts_with('/') || path.contains('\\') {
            let help = "write it relative to the Binding's folder, with `/` between folders";
            reader.error(id, format!("`{path}` is not a relative path"), help);
        } else {
            schemas.push((path, reader.span(id)));
        }
    }
    schemas
}

fn tool(reader: &mut Reader<'_>, id: NodeId) -> Option<Tool> {
    let text = reader.text(id, "spec.tool")?;
    match text.as_str() {
        "none" => Some(Tool::None),
        "kustomize" => Some(Tool::Kustomize),
        "helm" => Some(Tool::Helm),
        _ => {
            let help = "write `tool: kustomize` or `tool: helm` to build the folder with that tool, or `tool: none` to render its plain manifests, even if it contains other tools' files";
            reader.error(id, format!("invalid value `{text}` for `spec.tool`"), help);
            None
        }
    }
}

/// Returns the dialect that a scalar names; `what` is its key.
pub(crate) fn dialect_of(
    reader: &mut Reader<'_>,
    id: NodeId,
    what: &str,
) -> Option<&'static dyn Dialect> {
    let text = reader.text(id, what)?;
    let dialect = <dyn Dialect>::of_id(&text);
    if dialect.is_none() {
        let ids = DIALECTS.iter().map(|dialect| dialect.notation().id);
        let message = format!("`{what}` cannot be `{text}`");
        reader.error(
            id,
            message,
            format!("the dialects are {}", suggest::listed(ids)),
        );
    }
    dialect
}

/// Checks apiVersion and kind.
pub(crate) fn header(
    reader: &mut Reader<'_>,
    id: NodeId,
    root: &crate::collections::OrderedMap<&str, NodeId>,
    kind: &str,
) {
    for (key, wanted) in [("apiVersion", API_VERSION), ("kind", kind)] {
        match root.get(key) {
            None => reader.error(
                id,
                format!("missing `{key}`"),
                format!("write `{key}: {wanted}`"),
            ),
            Some(value) => {
                if let Some(found) = reader.text(*value, key).filter(|found| found != wanted) {
                    let message = format!("`{key}` must be `{wanted}`, found `{found}`");
                    let help = format!("write `{key}: {wanted}`");
                    // Another group's resource is no document with a mistake.
                    if found.as_bytes().starts_with(API_GROUP) {
                        reader.error_with_fix(*value, message, help, wanted);
                    } else {
                        reader.error(*value, message, help);
                    }
                }
            }
        }
    }
    if let Some(metadata) = root.get("metadata") {
        reader.mapping(*metadata, "metadata", &keys::METADATA);
    }
}

/// Returns the names that the Binding declares as other tools'.
fn foreign(reader: &mut Reader<'_>, id: NodeId) -> Vec<Spanned<String>> {
    let mut names = Vec::new();
    for item in reader.items(id, "spec.foreign") {
        let Some(name) = reader.text(item, "an item of spec.foreign") else {
            continue;
        };
        match foreign_form(&name) {
            Some(form) => names.push(reader.spanned(item, form.to_owned())),
            None => {
                let message = format!("`{name}` is not a valid name in a reference");
                let help = "list only the first name, `schema` for `${schema.spec.name}`, or text as it is written: `\"{{cluster.*}}\"`";
                reader.error(item, message, help);
            }
        }
    }
    names
}

/// Returns what an item of `spec.foreign` declares: a name, also for `${name.*}`, or text
/// that begins as references of other tools do.
fn foreign_form(item: &str) -> Option<&str> {
    let reference = item.strip_prefix("${");
    let head = reference.and_then(|rest| rest.split(['.', '[']).next());
    match head.filter(|head| head.len() + 2 < item.len() && is_name(head)) {
        Some(head) => Some(head),
        None if is_name(item) => Some(item),
        None => Some(item).filter(|item| ["$", "{{", "#{"].iter().any(|o| item.starts_with(o))),
    }
}

/// Returns what a Binding declares about its outputs documents.
pub(crate) fn declarations(binding: Option<&Config>) -> Declarations {
    match binding.map(|binding| read_partly(binding, Origin::Binding)) {
        Some((binding, errors)) if errors.is_empty() => binding.declarations,
        Some(_) => Declarations::unknown(),
        None => Declarations::default(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::outputs::{format_samples, is_plan_format};

    fn read(config: &Config) -> Result<Binding, Diagnostics> {
        let (binding, errors) = read_partly(config, Origin::Binding);
        if errors.is_empty() {
            Ok(binding)
        } else {
            Err(errors)
        }
    }

    fn check(text: &str, expected: &[&str]) {
        let config = Config {
            path: "landfall.yaml".into(),
            content: text.into(),
        };
        let reported: Vec<String> = match read(&config) {
            Ok(binding) => binding
                .outputs
                .iter()
                .map(|need| {
                    let optional = if need.optional { " if it is there" } else { "" };
                    format!("{} <- {}{optional}", need.name, need.path)
                })
                .collect(),
            Err(diagnostics) => crate::config::tests::described(text, &diagnostics),
        };
        assert_eq!(reported, expected);
    }

    const HEAD: &str = "apiVersion: landfall.dev/v1alpha1\nkind: Binding\nmetadata: {name: x}\n";

    #[test]
    fn quotes_nothing_from_a_document_that_is_not_a_binding() {
        for content in [
            r#"{"password": {"sensitive": true, "value": "hunter2"}}"#,
            "apiVersion: v1\nkind: Secret\nstringData: {password: hunter2}\n",
            "hunter2\n",
            "- hunter2\n",
            "spec: hunter2\n",
            "password: hunter2\n  x: [\n",
        ] {
            let config = Config {
                path: "infra.json".into(),
                content: content.into(),
            };
            let found = read(&config).unwrap_err();
            let text = str::from_utf8(&config.content).unwrap();
            crate::config::tests::assert_concealed(text, &found, "hunter2");
        }
    }

    #[test]
    fn shows_no_value_beside_outputs_that_it_declares_sensitive() {
        for item in [
            "{name: a, sensitive: true, from: {inline: {b: c}}, values: {password: hunter2}}",
            "{name: a, sensitive: [password], from: {inline: {b: c}}, password: hunter2}",
            "{name: a, sensitive: true, from: {inline: {password: !hunter2 x}}}",
            "{name: a, sensitive: true, from: {inline: {password: *hunter2}}}",
            "{name: a, sensitive: true, from: [hunter2}",
            "{name: a, sensitive: yes, from: {inline: {b: c}}, password: hunter2}",
        ] {
            let config = Config {
                path: "landfall.yaml".into(),
                content: format!("{HEAD}spec: {{outputs: [{item}]}}\n").into(),
            };
            let found = read(&config).unwrap_err();
            assert!(!format!("{found:?}").contains("hunter2"), "{found:?}");
            let mut labels = found.iter().flat_map(|found| &found.labels);
            let text = str::from_utf8(&config.content).unwrap();
            let shows = |span: Span| text[span.range()].contains("hunter2");
            assert!(
                labels.all(|label| label.conceal && !shows(label.span)),
                "{found:?}"
            );
        }
    }

    #[test]
    fn reads_the_documents_and_their_names() {
        check(
            &format!("{HEAD}spec:\n  outputs:\n  - name: infra\n    from: {{file: ../o.json}}\n"),
            &["infra <- ../o.json"],
        );
        check(HEAD, &[]);
    }

    #[test]
    fn a_plan_cannot_be_bound() {
        let ids = format_samples().map(|(id, _)| id);
        for format in ids.filter(|id| is_plan_format(id)) {
            check(
                &format!(
                    "{HEAD}spec: {{outputs: [{{name: infra, from: {{file: o.json}}, format: {format}}}]}}\n"
                ),
                &[&format!(
                    "{format:?}: `format` cannot be `{format}`; a plan does not know its outputs: apply it, then bind the result of `terraform output -json > outputs.json`"
                )],
            );
        }
    }

    #[test]
    fn a_declaration_is_true_or_a_list_of_names() {
        let outputs = |declared: &str| {
            format!(
                "{HEAD}spec: {{outputs: [{{name: infra, from: {{file: o.json}}, sensitive: {declared}}}]}}\n"
            )
        };
        for declared in ["true", "[]", "[password, 'a b']"] {
            check(&outputs(declared), &["infra <- o.json"]);
        }
        let help = "to declare nothing sensitive, remove it: it adds to the marks of the document, and cannot remove one";
        for declared in ["false", "password", "yes"] {
            check(
                &outputs(declared),
                &[&format!(
                    "{declared:?}: `sensitive` must be `true` or a list of names; {help}"
                )],
            );
        }
        check(
            &outputs("[yes, [a]]"),
            &[
                "\"yes\": not every YAML reader reads `yes` as a string; quote it",
                "\"[\": an item of `sensitive` must be a string; give it a value",
            ],
        );
        check(
            &outputs("[a, b], notSensitive: [c, b]"),
            &[
                "\"b\": `b` is declared both sensitive and not sensitive; remove one of the declarations",
            ],
        );
        check(
            &outputs("true, notSensitive: [c]"),
            &[
                "\"c\": `c` is declared both sensitive and not sensitive; remove one of the declarations",
            ],
        );
        check(
            &outputs("{password: true}"),
            &["\"{\": `sensitive` must be a list; start each item with `- `"],
        );
    }

    #[test]
    fn unpublished_keep_makes_documents_optional() {
        check(
            &format!(
                "{HEAD}spec:\n  outputs:\n  - name: infra\n    from: {{file: o.json}}\n  policy: {{unpublished: keep}}\n"
            ),
            &["infra <- o.json if it is there"],
        );
    }

    #[test]
    fn the_parameter_of_a_digest_is_reserved() {
        let from = |from: &str| {
            format!("{HEAD}spec:\n  outputs:\n  - name: infra\n    from: {{{from}}}\n")
        };
        let help = "the parameter `outputs-digest` is reserved for the digest of the mounted outputs; use a parameter of another name";
        check(
            &from("parameter: outputs-digest"),
            &[&format!("\"outputs-digest\": {help}")],
        );
        check(
            &from("file: '{outputs-digest}.json'"),
            &[&format!("\"'{{outputs-digest}}.json'\": {help}")],
        );
    }

    #[test]
    fn another_version_of_the_format_has_a_fix() {
        let fixes = |api_version: &str| {
            let content = format!("apiVersion: {api_version}\nkind: Binding\n").into_bytes();
            let config = Config {
                path: "landfall.yaml".into(),
                content: content.clone(),
            };
            let found = read(&config).unwrap_err();
            let fixes: Vec<_> = found.into_iter().flat_map(|found| found.fixes).collect();
            let fixed = |edits: &[yaml::Edit]| yaml::splice(&content, edits).unwrap();
            let fixed = fixes
                .iter()
                .map(|fix| String::from_utf8(fixed(&fix.edits)).unwrap());
            fixed.collect::<Vec<_>>()
        };
        let right = format!("{}kind: Binding\n", "apiVersion: landfall.dev/v1alpha1\n");
        assert_eq!(fixes("landfall.dev/v1"), [&*right]);
        assert_eq!(fixes("'landfall.dev/v1beta1'"), [&*right]);
        assert!(fixes("v1").is_empty());
    }

    #[test]
    fn reports_all_mistakes_with_their_location() {
        let dialects = suggest::listed(DIALECTS.iter().map(|dialect| dialect.notation().id));
        check(
            &format!("{HEAD}spec:\n  output: []\n  policy: []\n  dialect: fluks\n"),
            &[
                "\"output\": unknown key `output` in `spec`; did you mean `outputs`?",
                "\"[\": `spec.policy` must be a mapping; expected one of: `missing`, `empty`, `unpublished`, `unbound`, `unused`, `overridden`, `noResources`, `nonsensitive`, `sensitiveContract`, `sensitive`",
                &format!(
                    "\"fluks\": `spec.dialect` cannot be `fluks`; the dialects are {dialects}"
                ),
            ],
        );
        check(
            "apiVersion: landfall.dev/v1\nkind: Binding\nspec: {outputs: [{name: 1a, from: {file: /etc/x}}]}\n",
            &[
                "\"landfall.dev/v1\": `apiVersion` must be `landfall.dev/v1alpha1`, found `landfall.dev/v1`; write `apiVersion: landfall.dev/v1alpha1`",
                "\"1a\": invalid binding name `1a`; a name starts with a letter or `_`, followed by letters, digits, `_` or `-`",
                "\"/etc/x\": `/etc/x` is not a relative path; write it relative to the Binding's folder, with `/` between folders",
            ],
        );
        check(
            "a: [\n",
            &["\"\": the file is not valid YAML: unclosed bracket '['; "],
        );
        check("", &["\"\": the file is empty; "]);
    }
}
