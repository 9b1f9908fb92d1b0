//! The last check of a pipeline: finds references left in rendered manifests.

use crate::analysis::View;
use crate::analysis::encoded::{encoded_references, may_hold_encoded};
use crate::analysis::near_miss::{Form, NearMiss, candidates, near_miss};
use crate::analysis::targets::{Listed, Steps};
use crate::analysis::texts::{Place, TextKind, visit_places};
use crate::analysis::unbound::{HeadContext, ParsedAs, visit_heads};
use crate::collections::OrderedSet;
use crate::config::binding::Binding;
use crate::config::names::Names;
use crate::config::policy::Flags;
use crate::contract::Request;
use crate::contract::sources::{Sources, not_utf8};
use crate::kubernetes::placeholders::Placeholders;
use crate::reference::{Dialect, Heads, LANDFALL, UnboundHead};
use crate::report::{Diagnostic, Diagnostics, Origin, Rule};
use yaml::Span;
use yaml::{Document, split};

impl Sources {
    /// Reports every reference that is left in the files, except in comments, in disabled
    /// resources and where the text begins with one of `allowed`.
    ///
    /// Only references with the names that the request knows count: those of its outputs
    /// documents, its Binding and its known names. No document is opened. If it knows none,
    /// any text that parses as a reference is reported.
    #[must_use]
    pub fn unrendered(&self, request: &Request, allowed: &[String]) -> Diagnostics {
        let (binding, errors) = request.application.binding();
        if !errors.is_empty() {
            return errors.clone();
        }
        let flags = match request.configuration().policy.as_ref().map(Flags::read) {
            Some(Ok(flags)) => flags,
            Some(Err(found)) => return found,
            None => Flags::default(),
        };
        let names = request.outputs.iter().map(|document| &document.name);
        let known = request.known_names.iter().map(|known| &known.name);
        let dialect = flags.dialect.or(binding.dialect).unwrap_or(LANDFALL);
        let search = Search {
            allowed,
            ..Search::new(binding, dialect, names.chain(known))
        };
        let mut found = Diagnostics::default();
        for (file, text) in self.texts().enumerate() {
            match text {
                Ok(text) => search.check_file(text, file, &mut found),
                Err(error) => found.push(not_utf8(file, error)),
            }
        }
        found
    }
}

/// What counts as a reference.
pub(super) struct Search<'g> {
    dialect: &'static dyn Dialect,
    /// If empty, any name counts.
    names: OrderedSet<String>,
    foreign: Names,
    embedded: Listed,
    steps: Steps,
    allowed: &'g [String],
    /// The key of a document's root that is searched; `None`: all of it.
    pub(super) only_under: Option<&'static str>,
}

impl Search<'_> {
    /// Creates a search for the names that the Binding binds, and for others that are known.
    pub(super) fn new<'n>(
        binding: &'n Binding,
        dialect: &'static dyn Dialect,
        names: impl Iterator<Item = &'n String>,
    ) -> Self {
        let foreign = binding.foreign.iter().map(|declared| &declared.value);
        Self {
            dialect,
            names: names.chain(binding.bound_names()).cloned().collect(),
            foreign: Names::new(&[], [], foreign.cloned()),
            embedded: Listed::new(binding.embedded.clone()),
            steps: Steps::default(),
            allowed: &[],
            only_under: None,
        }
    }

    /// Whether a reference to this binding counts, or one without a binding name.
    fn is_wanted(&self, name: Option<&str>) -> bool {
        name.is_none_or(|name| {
            !self.foreign.is_left_alone(name, true)
                && (self.names.is_empty() || self.names.contains(name))
        })
    }

    /// Reports what is left in a file.
    pub(super) fn check_file(&self, text: &str, file: usize, found: &mut Diagnostics) {
        let no_names = Heads::in_dialect(self.dialect, []);
        let named = Heads::in_dialect(self.dialect, self.names.iter().map(String::as_str));
        let mut heads = no_names
            .all(text)
            .unbound
            .into_iter()
            .filter(|head| self.is_wanted(head.is_binding.then_some(head.name)))
            .peekable();
        for document in split(text) {
            let end = document.offset + document.text.len();
            let in_document: Vec<_> =
                std::iter::from_fn(|| heads.next_if(|head| head.at < end)).collect();
            if !in_document.is_empty() {
                self.check_document(document, &in_document, file, found);
            }
            self.check_other_dialects(document, &named, file, found);
            if !may_hold_encoded(document.text) {
                continue;
            }
            let is_wanted = |name: Option<&[u8]>| match name.map(std::str::from_utf8) {
                Some(name) => name.is_ok_and(|name| self.is_wanted(Some(name))),
                None => self.is_wanted(None),
            };
            let (dialect, view) = (self.dialect, self.view());
            found.extend(encoded_references(
                document, dialect, file, view, &is_wanted,
            ));
        }
    }

    /// Reports text that refers to a known name as other dialects and tools do.
    fn check_other_dialects(
        &self,
        document: Document<'_>,
        named: &Heads,
        file: usize,
        errors: &mut Diagnostics,
    ) {
        let text = document.text;
        let is_left = |near: &NearMiss<'_>| {
            let written = text.get(near.range.clone()).unwrap_or_default();
            let is_reference = matches!(near.form, Form::Path { .. } | Form::Expression);
            let mut allowed = self.allowed.iter();
            let compact: String = written.split_ascii_whitespace().collect();
            is_reference
                && !self.foreign.is_foreign(&near.output, &compact)
                && !allowed.any(|allowed| written.starts_with(allowed.as_str()))
        };
        let found: Vec<_> = candidates(text, named)
            .into_iter()
            .filter_map(|at| near_miss(text, at, named))
            .filter(is_left)
            .collect();
        let positions: Vec<usize> = found.iter().map(|near| near.path.start).collect();
        if positions.is_empty() {
            return;
        }
        let mut left = found.iter();
        let view = self.view();
        visit_places(
            document,
            self.dialect,
            &positions,
            view,
            &mut |at, place| {
                let Some(near) = left.find(|near| near.path.start == at) else {
                    return;
                };
                // Without a closer, it may be a shell's variable.
                let is_closed = !matches!(near.form, Form::Path { closer: None });
                let field = match place {
                    Place::Comment(_) => return,
                    Place::Unparsed => None,
                    Place::Scalar(scalar, _) => {
                        let is_clear = scalar.kind == TextKind::Scalar && !scalar.is_script();
                        if scalar.placeholders >= Placeholders::Templates
                            || scalar.is_dashboard()
                            || !is_closed && !is_clear
                        {
                            return;
                        }
                        Some(&*scalar.field)
                    }
                };
                let name = near.binding.as_deref().unwrap_or_default();
                let span = Span::from(near.range.clone()).shifted(document.offset);
                let message =
                    format!("unrendered reference to `{name}` in the syntax of another tool");
                let error = Diagnostic::error(Rule::UnrenderedReference, message)
                .at_concealed(Origin::Manifest(file), span, "")
                .help("write it as a reference of landfall's, and render the manifest before applying it");
                errors.push(error.in_field(field));
            },
        );
    }

    fn check_document(
        &self,
        document: Document<'_>,
        heads: &[UnboundHead<'_>],
        file: usize,
        errors: &mut Diagnostics,
    ) {
        let starts: Vec<usize> = heads.iter().map(|head| head.at - document.offset).collect();
        let mut heads = heads.iter();
        visit_heads(
            document,
            self.dialect,
            &starts,
            self.view(),
            &mut |at, context| {
                let Some(head) = heads.find(|head| head.at == at + document.offset) else {
                    return;
                };
                let HeadContext::Text(found) = context else {
                    return;
                };
                // With a bound name, it was meant as a reference however it continues.
                let is_reference = found.parsed_as != ParsedAs::Other || !self.names.is_empty();
                let rest = document.text.get(at..).unwrap_or_default();
                let is_allowed = self
                    .allowed
                    .iter()
                    .any(|allowed| rest.starts_with(allowed.as_str()));
                if !is_reference || is_allowed {
                    return;
                }
                let span = Span::new(head.name_at, head.name_at + head.name.len());
                let message = format!("unrendered reference to `{}`", head.name);
                let error = Diagnostic::error(Rule::UnrenderedReference, message)
                    .at_concealed(Origin::Manifest(file), span, "")
                    .help("render the manifest before applying it");
                errors.push(error.in_field(found.field.as_deref()));
            },
        );
    }

    fn view(&self) -> View<'_> {
        View {
            embedded: &self.embedded,
            steps: &self.steps,
            only_under: self.only_under,
            located: None,
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::{Config, Configuration, File, KnownName, Request, Sources};

    const RENDERED: &str = "\
# ${infra.comment}
apiVersion: v1
kind: ConfigMap
metadata: {name: web}
data:
  set: vpc-0ab1 # landfall: ${infra.vpc_id}
  left: ${infra.left}
  block: |
    echo ${infra.block} $${infra.escape} ${network.other}
  values.json: '{\"a\": \"${infra.embedded}\"}'
  meant: see ${infra.meant}
  open: ${infra.open
  ${infra.key}: x
---
apiVersion: v1
kind: Secret
metadata: {name: s}
data:
  URL: aHR0cDovLyR7aW5mcmEuZG9tYWlufQ==
---
apiVersion: v1
kind: ConfigMap
metadata: {name: d, annotations: {landfall.dev/substitute: disabled}}
data: {a: '${infra.disabled}'}
";

    /// Checks which lines are reported.
    fn check(request: &Request, allowed: &[&str], expected: &[usize]) {
        let sources = Sources::new(vec![File {
            path: "rendered.yaml".into(),
            content: RENDERED.into(),
        }]);
        let allowed: Vec<String> = allowed.iter().map(|text| (*text).to_owned()).collect();
        let lines: Vec<usize> = sources
            .unrendered(request, &allowed)
            .iter()
            .map(|found| {
                let at = found.labels[0].span.start;
                1 + RENDERED[..at].matches('\n').count()
            })
            .collect();
        assert_eq!(lines, expected);
    }

    fn known(name: &str) -> Request {
        Request {
            known_names: vec![KnownName {
                name: name.into(),
                bound_by: None,
            }],
            ..Request::default()
        }
    }

    #[test]
    fn ends_comments_at_yaml_1_1_line_breaks() {
        for after in ['\u{85}', '\u{2028}', '\u{2029}'] {
            let content = format!("a: b # ${{infra.x}}{after}c: ${{infra.y}}\n");
            let sources = Sources::new(vec![File {
                path: "rendered.yaml".into(),
                content: content.clone().into(),
            }]);
            let found: Vec<usize> = sources
                .unrendered(&Request::default(), &[])
                .iter()
                .map(|one| one.labels[0].span.start)
                .collect();
            assert_eq!(found, [content.rfind("infra").unwrap()]);
        }
    }

    #[test]
    fn reports_references_everywhere_but_in_comments() {
        check(
            &known("infra"),
            &["${infra.meant}"],
            &[7, 9, 10, 12, 13, 19],
        );
        check(&known("network"), &[], &[9]);
        check(&known("elsewhere"), &[], &[]);
    }

    #[test]
    fn reports_references_in_the_syntax_of_other_dialects() {
        let text = "\
a: '{{infra.x}}'
b: $infra.x
c: $(infra.x)
d: ${join(',', infra.x)}
# {{infra.x}}
e: |
  $infra.x
  {{ .infra.x }}
f: '{{other.x}} ${x}'
---
apiVersion: argoproj.io/v1alpha1
kind: ApplicationSet
spec: {a: '{{infra.x}}'}
";
        for dialect in ["landfall", "kpt-set", "flux"] {
            let request = Request {
                application: Configuration {
                    policy: Some(Config {
                        path: String::new(),
                        content: format!("dialect: {dialect}").into_bytes(),
                    }),
                    ..Configuration::default()
                }
                .into(),
                ..known("infra")
            };
            let sources = Sources::new(vec![File {
                path: "rendered.yaml".into(),
                content: text.into(),
            }]);
            let found = sources.unrendered(&request, &[]);
            let mut lines: Vec<usize> = found
                .iter()
                .map(|found| {
                    let at = found.labels[0].span.start;
                    1 + text[..at].matches('\n').count()
                })
                .collect();
            lines.sort_unstable();
            let expected: &[usize] = match dialect {
                // `${x}` is a reference in Flux's.
                "flux" => &[1, 2, 3, 4, 8, 9],
                _ => &[1, 2, 3, 4, 8],
            };
            assert_eq!(lines, expected, "{dialect}");
        }
    }

    #[test]
    fn reports_any_reference_if_no_names_are_known() {
        check(&Request::default(), &[], &[7, 9, 9, 10, 11, 13, 19]);
    }

    #[test]
    fn reports_references_with_escaped_quotes() {
        let text = "apiVersion: v1\nkind: ConfigMap\ndata:\n  a.json: '{\"a\": \"${x.y | join(\\\",\\\")}\"}'\n";
        let sources = Sources::new(vec![File {
            path: "rendered.yaml".into(),
            content: text.into(),
        }]);
        let found = sources.unrendered(&Request::default(), &[]);
        assert_eq!(found.len(), 1, "{text}");
    }

    #[test]
    fn reads_names_from_the_binding() {
        let spec = "spec: {outputs: [{name: network, from: {file: none.json}}], foreign: [x]}";
        let content = format!("apiVersion: landfall.dev/v1alpha1\nkind: Binding\n{spec}\n");
        let request = Request {
            application: Configuration {
                binding: Some(Config {
                    path: "landfall.yaml".into(),
                    content: content.into_bytes(),
                }),
                ..Configuration::default()
            }
            .into(),
            ..Request::default()
        };
        check(&request, &[], &[9]);
    }
}
