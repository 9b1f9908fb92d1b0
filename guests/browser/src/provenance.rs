//! Where each value stands in the result: the edits lead from the source to it.

use std::ops::Range as Bytes;

use landfall::{Content, Edit, Span, Substitution};
use memchr::memmem::find;

use crate::answer::RenderedFile;
use crate::input::Input;
use crate::positions::{Positions, Range};

/// The way from sources to results, file by file.
#[derive(Debug)]
pub(crate) struct Provenance<'a> {
    files: Vec<Edited<'a>>,
}

/// A file with its edits and what came of it.
#[derive(Debug)]
struct Edited<'a> {
    source: &'a [u8],
    edits: &'a [Edit],
    /// Where the text of each edit begins in the result.
    starts: Vec<usize>,
    result: &'a [u8],
}

impl<'a> Provenance<'a> {
    pub(crate) fn new(
        input: &'a Input,
        contents: &'a [Content],
        files: &'a [RenderedFile],
    ) -> Self {
        let edits = contents.iter().map(|content| match content {
            Content::Edited(edits) => &edits[..],
            Content::Unchanged | Content::Replaced(_) => &[],
        });
        let files = input.manifests.iter().zip(edits).zip(files);
        let files = files.map(|((document, edits), file)| {
            Edited::new(&document.content, edits, file.content.as_bytes())
        });
        Self {
            files: files.collect(),
        }
    }

    /// The place of each value in the result of its file. They come in the order of
    /// files.
    pub(crate) fn results(&mut self, substitutions: &[Substitution]) -> Vec<Range> {
        let mut results = Vec::with_capacity(substitutions.len());
        for group in substitutions.chunk_by(|one, next| one.file == next.file) {
            let file = group.first().and_then(|first| self.files.get(first.file));
            let Some(file) = file else {
                results.extend(group.iter().map(|_| Range::default()));
                continue;
            };
            let positions = Positions::new(file.result);
            let found = file.results(group);
            let range = |place: Bytes<usize>| positions.range(Span::new(place.start, place.end));
            results.extend(found.into_iter().map(range));
        }
        results
    }
}

impl<'a> Edited<'a> {
    fn new(source: &'a [u8], edits: &'a [Edit], result: &'a [u8]) -> Self {
        let (mut written, mut read) = (0, 0);
        let starts = edits.iter().map(|edit| {
            let start = written + (edit.span.start - read);
            (written, read) = (start + edit.text.len(), edit.span.end);
            start
        });
        Self {
            starts: starts.collect(),
            source,
            edits,
            result,
        }
    }

    fn results(&self, group: &[Substitution]) -> Vec<Bytes<usize>> {
        let mut found = Vec::with_capacity(group.len());
        // Several references of one scalar may have become one edit: each is looked
        // for behind the one before, from this byte of the result on.
        let mut from: Option<(Span, usize)> = None;
        for (nth, one) in group.iter().enumerate() {
            let span = one.span();
            let touched = self.touched(span);
            let wide =
                Some(touched.start).filter(|at| touched.len() == 1 && self.is_wider(*at, span));
            let (place, next) = match wide {
                Some(at) => {
                    let edit = self.edits[at].span;
                    let is_in = |span: &Span| edit.start <= span.start && span.end <= edit.end;
                    let before = from.filter(|(span, _)| is_in(span));
                    let behind = group.get(nth + 1).map(Substitution::span).filter(is_in);
                    self.inside(at, one, before, behind)
                }
                None if touched.is_empty() => (self.moved(span), 0),
                None => (self.hull(touched), 0),
            };
            from = Some((span, next));
            found.push(place);
        }
        found
    }

    /// The edits that have a part in what stands at `span`.
    fn touched(&self, span: Span) -> Bytes<usize> {
        let start = self.edits.partition_point(|edit| {
            edit.span.end < span.start
                || edit.span.end == span.start && !edit.span.range().is_empty()
        });
        let mut end = start;
        while self.edits.get(end).is_some_and(|edit| {
            edit.span.start < span.end
                || edit.span.range().is_empty() && edit.span.start == span.end
        }) {
            end += 1;
        }
        // A collection begins behind the comment of its line.
        let writes = |at: &usize| !self.edits[*at].text.is_empty();
        if !(start..end).any(|at| writes(&at))
            && let Some(next) = self.edits.get(end)
            && next.span.range().is_empty()
            && !next.text.is_empty()
            && self
                .source
                .get(span.end..next.span.start)
                .is_some_and(|between| !between.contains(&b'\n'))
        {
            return end..end + 1;
        }
        start..end
    }

    /// Whether an edit writes more than what stands at `span`.
    fn is_wider(&self, at: usize, span: Span) -> bool {
        let edit = self.edits[at].span;
        edit.start < span.start || span.end < edit.end
    }

    /// What these edits write, without the line breaks around it.
    fn hull(&self, touched: Bytes<usize>) -> Bytes<usize> {
        let writes = |at: &usize| !self.edits[*at].text.is_empty();
        let first = touched.clone().find(writes).unwrap_or(touched.start);
        let last = touched.clone().rev().find(writes).unwrap_or(first);
        let end = self.starts[last] + self.edits[last].text.len();
        self.trimmed(self.starts[first]..end)
    }

    fn trimmed(&self, place: Bytes<usize>) -> Bytes<usize> {
        let text = self.result.get(place.clone()).unwrap_or_default();
        let start = place.start + (text.len() - text.trim_ascii_start().len());
        let end = place.end - (text.len() - text.trim_ascii_end().len());
        if start < end { start..end } else { place }
    }

    /// A place that no edit touches.
    fn moved(&self, span: Span) -> Bytes<usize> {
        let behind = self
            .edits
            .partition_point(|edit| edit.span.end <= span.start);
        let (read, written) = match behind.checked_sub(1) {
            Some(last) => (
                self.edits[last].span.end,
                self.starts[last] + self.edits[last].text.len(),
            ),
            None => (0, 0),
        };
        let move_ = |at: usize| (at + written).saturating_sub(read).min(self.result.len());
        move_(span.start)..move_(span.end)
    }

    /// One value in an edit that writes more: the value stands there as it is or in
    /// quotes, or the text around it does; else it is somewhere in the whole. And where
    /// the next one is looked for.
    fn inside(
        &self,
        at: usize,
        one: &Substitution,
        before: Option<(Span, usize)>,
        behind: Option<Span>,
    ) -> (Bytes<usize>, usize) {
        let (edit, span) = (&self.edits[at], one.span());
        let whole = self.starts[at]..self.starts[at] + edit.text.len();
        let (read, from) = before.map_or((edit.span.start, whole.start), |(before, from)| {
            (before.end, from)
        });
        let between = |from: usize, to: usize| self.source.get(from..to).unwrap_or_default();
        let text = self.result.get(from..whole.end).unwrap_or_default();
        let literal = between(read, span.start);
        let start = from + find(text, literal).map_or(0, |at| at + literal.len());
        let rest = self.result.get(start..whole.end).unwrap_or_default();
        for form in forms(one) {
            if let Some(found) = find(rest, form.as_bytes()) {
                let place = start + found..start + found + form.len();
                return (place.clone(), place.end);
            }
        }
        let literal = between(
            span.end,
            behind.map_or(edit.span.end, |behind| behind.start),
        );
        let end = match behind {
            Some(_) if literal.is_empty() => None,
            Some(_) => find(rest, literal),
            None => rest.ends_with(literal).then(|| rest.len() - literal.len()),
        };
        match end.filter(|end| *end > 0) {
            Some(end) => (self.trimmed(start..start + end), start + end),
            None => (self.trimmed(start..whole.end), start),
        }
    }
}

/// How a value may have been written into a scalar.
fn forms(one: &Substitution) -> Vec<String> {
    if one.sensitive || one.value.is_empty() {
        return Vec::new();
    }
    let value = match one.dollars_doubled {
        true => one.value.replace('$', "$$"),
        false => one.value.clone(),
    };
    let escaped = serde_json::to_string(&value).unwrap_or_default();
    let escaped = escaped.get(1..escaped.len().saturating_sub(1));
    let mut forms = vec![value.replace('\'', "''")];
    forms.extend(escaped.map(str::to_owned));
    forms.push(value);
    forms.dedup();
    forms
}

#[cfg(test)]
mod tests {
    use crate::Call;

    const INFRA: &str = r#"{
      "vpc": {"sensitive": false, "type": "string", "value": "vpc-0ab1"},
      "no": {"sensitive": false, "type": "string", "value": "no"},
      "quote": {"sensitive": false, "type": "string", "value": "it's \"x\": 😀"},
      "port": {"sensitive": false, "type": "number", "value": 5432},
      "list": {"sensitive": false, "type": "dynamic", "value": ["a", "b"]},
      "tags": {"sensitive": false, "type": "dynamic", "value": {"k": "v"}},
      "text": {"sensitive": false, "type": "string", "value": "one\ntwo"},
      "secret": {"sensitive": true, "type": "string", "value": "hunter2"}
    }"#;

    /// What stands in the result for each reference, `reference → text`.
    fn arrived(manifest: &str, binding: Option<&str>) -> Vec<String> {
        let mut call = Call::new();
        call.document(manifest.into());
        call.document(INFRA.into());
        let mut options = serde_json::json!({
            "manifests": [{"path": "a.yaml"}],
            "outputs": [{"path": "infra.json", "name": "infra"}],
        });
        if let Some(binding) = binding {
            call.document(
                format!("apiVersion: landfall.dev/v1alpha1\nkind: Binding\nspec:\n{binding}")
                    .into(),
            );
            options["binding"] = serde_json::json!({"path": "landfall.yaml"});
        }
        let answer = call.explain(&options.to_string());
        let answer: serde_json::Value = serde_json::from_str(&answer).unwrap();
        let answer = &answer["Ok"];
        let Some(files) = answer["files"].as_array() else {
            panic!("{manifest:?}: {}", answer["diagnostics"]);
        };
        let units: Vec<u16> = files[0]["content"]
            .as_str()
            .unwrap()
            .encode_utf16()
            .collect();
        let offset =
            |place: &serde_json::Value| usize::try_from(place["offset"].as_u64().unwrap()).unwrap();
        let substitutions = answer["substitutions"].as_array().unwrap();
        let arrived = substitutions.iter().map(|one| {
            let range = &one["result"];
            let text = String::from_utf16(&units[offset(&range["start"])..offset(&range["end"])]);
            let reference = one["reference"].as_str().unwrap();
            format!("{reference} → {}", text.unwrap())
        });
        arrived.collect()
    }

    #[track_caller]
    fn check(manifest: &str, expected: &[&str]) {
        assert_eq!(arrived(manifest, None), expected, "{manifest:?}");
    }

    #[test]
    fn a_whole_scalar() {
        check("a: ${infra.vpc}\n", &["${infra.vpc} → vpc-0ab1"]);
        check("a: '${infra.vpc}'\n", &["${infra.vpc} → vpc-0ab1"]);
        check("a: ${infra.no}\n", &["${infra.no} → \"no\""]);
        check("a: \"${infra.port}\" # c\n", &["${infra.port} → 5432"]);
        check(
            "a: '${infra.quote}'\n",
            &["${infra.quote} → it''s \"x\": 😀"],
        );
    }

    #[test]
    fn parts_of_a_scalar() {
        check(
            "a: ${infra.vpc}/${infra.port}/x\nb: 😀 ${infra.vpc}\n",
            &[
                "${infra.vpc} → vpc-0ab1",
                "${infra.port} → 5432",
                "${infra.vpc} → vpc-0ab1",
            ],
        );
    }

    #[test]
    fn scalars_that_are_written_anew() {
        check(
            "a: x ${infra.quote}: ${infra.vpc}, ${infra.port}.\n"
                .replace(": $", " - $")
                .as_str(),
            &[
                "${infra.quote} → it's \\\"x\\\": 😀",
                "${infra.vpc} → vpc-0ab1",
                "${infra.port} → 5432",
            ],
        );
        check(
            "a: ${infra.quote}${infra.vpc}\n",
            &[
                "${infra.quote} → it's \\\"x\\\": 😀",
                "${infra.vpc} → vpc-0ab1",
            ],
        );
        check(
            "a: |\n  x ${infra.text} y\n  ${infra.port}\n",
            &["${infra.text} → one\n  two", "${infra.port} → 5432"],
        );
    }

    #[test]
    fn sensitive_values_beside_others() {
        check(
            "kind: Secret\napiVersion: v1\nstringData: {a: x ${infra.secret}${infra.vpc}${infra.quote}}\n",
            &[
                "${infra.secret} → hunter2vpc-0ab1it's \\\"x\\\": 😀\"",
                "${infra.vpc} → vpc-0ab1",
                "${infra.quote} → it's \\\"x\\\": 😀",
            ],
        );
    }

    #[test]
    fn collections() {
        check("a: ${infra.list}\n", &["${infra.list} → - a\n  - b"]);
        check(
            "a: ${infra.list} # c\nb: 1\n",
            &["${infra.list} → - a\n  - b"],
        );
        check("a: [${infra.list}]\n", &["${infra.list} → [a, b]"]);
        check("a:\n  - ${infra.tags}\n", &["${infra.tags} → k: v"]);
    }

    #[test]
    fn secrets() {
        check(
            "kind: Secret\napiVersion: v1\nstringData:\n  a: x-${infra.secret}-${infra.secret}: z\n  b: '${infra.secret}'\n"
                .replace(": z", " z")
                .as_str(),
            &[
                "${infra.secret} → hunter2",
                "${infra.secret} → hunter2",
                "${infra.secret} → hunter2",
            ],
        );
    }

    #[test]
    fn embedded_documents() {
        check(
            "kind: ConfigMap\napiVersion: v1\ndata:\n  a.yaml: |\n    a: ${infra.no}\n    b: x-${infra.vpc}\n  b.json: '{\"a\": ${infra.list}}'\n",
            &[
                "${infra.no} → \"no\"",
                "${infra.vpc} → vpc-0ab1",
                "${infra.list} → [\"a\", \"b\"]",
            ],
        );
    }

    #[test]
    fn setter_comments() {
        check(
            "a: old # landfall: ${infra.vpc}\nb: vpc-0ab1 # landfall: ${infra.vpc}\nc: # landfall: ${infra.list}\n  - z\n",
            &[
                "${infra.vpc} → vpc-0ab1",
                "${infra.vpc} → vpc-0ab1",
                "${infra.list} → - a\n  - b",
            ],
        );
    }

    #[test]
    fn field_bindings() {
        let binding = |rest: &str| {
            format!(
                "  substitutions:\n    - value: ${{infra.vpc}}\n      targets:\n        - select: {{kind: A}}\n          {rest}\n"
            )
        };
        let manifest = "kind: A\napiVersion: v1\nspec:\n  id: x/y/z\n";
        let one = |rest: &str| arrived(manifest, Some(&binding(rest)));
        assert_eq!(one("fieldPaths: [spec.id]"), ["${infra.vpc} → vpc-0ab1"]);
        assert_eq!(
            one("fieldPaths: [spec.id]\n          options: {delimiter: /, index: 1}"),
            ["${infra.vpc} → vpc-0ab1"]
        );
        assert_eq!(
            one("fieldPaths: [spec.new]\n          options: {create: true}"),
            ["${infra.vpc} → vpc-0ab1"]
        );
    }
}
