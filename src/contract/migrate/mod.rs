//! Rewrites the references of another dialect in landfall's own.

mod binding;
mod candidate;
mod documents;
mod levels;
mod references;
mod search;
mod setters;
mod translate;
mod verify;

use std::ops::Range;

use crate::analysis::is_like_setter;
use crate::collections::OrderedSet;
use crate::contract::hard_coded::SensitiveValues;
use crate::contract::migrate::binding::{dialect_edit, in_dialect, without_field_bindings};
use crate::contract::migrate::candidate::Candidate;
use crate::contract::migrate::search::{Left, LeftText, Search};
use crate::contract::migrate::verify::Verification;
use crate::contract::{Detail, Request, Sources};
use crate::outputs::Bindings;
use crate::reference::{DIALECTS, Dialect, LANDFALL};
use crate::report::{Diagnostic, Diagnostics, Origin, Rule, Severity, suggest};
use yaml::{Edit, Span, Tree, is_number, line_start, locate, split};

/// The migration of source files to landfall's own dialect.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Migration {
    /// The changes of each source file, in their order.
    pub changes: Vec<Vec<MigrationEdit>>,
    /// The edits of the Binding: its manifests are no longer in the other dialect.
    pub binding: Vec<Edit>,
    /// A warning about everything that is not migrated.
    pub left: Diagnostics,
}

/// A change of a source file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MigrationEdit {
    /// The bytes, and what replaces them.
    pub edit: Edit,
    /// Whether its line must not be shown, because its document contains the value of a
    /// sensitive output or may be a Secret.
    pub conceal: bool,
}

impl Sources {
    /// Returns the edits that rewrite the references of another dialect, `flux` or `kpt-set`,
    /// in landfall's own. Rendering the edited sources in landfall's own dialect gives the
    /// documents that rendering these in the other one gives: this is verified, and what
    /// differs is left as it is. So is a file with errors: Flux, for one, would not apply it.
    ///
    /// # Errors
    /// All diagnostics of rendering the sources as they are, if some are not about a file.
    ///
    /// # Examples
    /// ```
    /// use landfall::{File, OutputsDocument, Request, Sources};
    ///
    /// let manifest = b"vpc: ${vpc_id:=none}\n".to_vec();
    /// let sources = Sources::new(vec![File { path: "a.yaml".into(), content: manifest }]);
    /// let content = br#"{"vpc_id": {"value": "vpc-0ab1"}}"#.to_vec();
    /// let outputs = vec![OutputsDocument { name: "infra".into(), content, ..OutputsDocument::default() }];
    /// let request = Request { outputs, ..Request::default() };
    /// let migration = sources.migrate(&request, "flux").unwrap();
    /// assert_eq!(migration.changes[0][0].edit.text, b"${infra.vpc_id | default(\"none\")}");
    /// ```
    pub fn migrate(&self, request: &Request, dialect: &str) -> Result<Migration, Diagnostics> {
        let from = <dyn Dialect>::of_id(dialect)
            .filter(|from| from.notation().id != LANDFALL.notation().id)
            .ok_or_else(|| unknown_dialect(dialect))?;
        let before = in_dialect(request, from);
        let after = in_dialect(request, LANDFALL);
        let (scope, own) = (Self::scope_of(&before), Self::scope_of(&after));
        let (config, _) = before.application.effective();
        let (bindings, _) = Bindings::read(&request.outputs, &config.declarations);
        let sensitive = SensitiveValues::new(&bindings);
        let setters = SensitiveSetters::new(&bindings);
        let conceals = |document: &str, tree: &Tree| sensitive.conceal(document, tree, &own.heads);
        let concealed: Vec<Vec<Range<usize>>> = (self.texts())
            .map(|text| concealed_ranges(text.unwrap_or_default(), &conceals, &setters))
            .collect();
        // The end of a text is on its last line.
        let is_hidden = |file: usize, at: usize| {
            is_concealed(&concealed, file, at)
                || is_concealed(&concealed, file, at.saturating_sub(1))
        };
        let (sources, unrendered) =
            (self.without_failing(&before)).map_err(|found| without_lines(found, &is_hidden))?;
        let unrendered = without_lines(unrendered, &is_hidden);
        let mut search = Search {
            dialect: from,
            bindings: &bindings,
            heads: &own.heads,
            file: 0,
            candidates: Vec::new(),
            left: Vec::new(),
            known: OrderedSet::new(),
        };
        for (file, text) in sources.texts().enumerate() {
            search.add_file(file, text.unwrap_or_default(), &scope, &own);
        }
        let Search {
            mut candidates,
            mut left,
            ..
        } = search;
        let mut left_ranges: Vec<Vec<Range<usize>>> = vec![Vec::new(); concealed.len()];
        for LeftText { file, range, .. } in &left {
            if let Some(ranges) = left_ranges.get_mut(*file) {
                ranges.push(range.clone());
            }
        }
        // Field bindings are in the other dialect.
        let (before, after) = (
            without_field_bindings(before),
            without_field_bindings(after),
        );
        let verification = Verification {
            sources: &sources,
            before,
            after,
            left: left_ranges,
        };
        // They are about files with other offsets.
        let has_hidden = |file: usize, _| concealed.get(file).is_none_or(|all| !all.is_empty());
        let differing = (verification.confirm(&mut candidates))
            .map_err(|found| without_lines(found, &has_hidden))?;
        let mut migration = Migration {
            changes: vec![Vec::new(); concealed.len()],
            left: unrendered,
            ..Migration::default()
        };
        for candidate in candidates {
            add(candidate, &concealed, &mut migration, &mut left);
        }
        left.extend(differing.into_iter().map(|(file, range)| LeftText {
            file,
            range: range.start..range.start,
            subject: "this document".to_owned(),
            why: Left::Differs,
        }));
        left.sort_by_key(|left| (left.file, left.range.start));
        for LeftText {
            file,
            range,
            subject,
            why,
        } in left
        {
            let is_concealed = is_concealed(&concealed, file, range.start);
            // The label shows its bytes.
            let (subject, span) = if is_concealed && !has_only_names(&subject, from) {
                ("${…}".to_owned(), Span::point(range.start))
            } else {
                (subject, Span::from(range))
            };
            let warning = why.warning(Origin::Manifest(file), span, &subject);
            migration.left.push(warning);
        }
        for binding in &scope.field_bindings.list {
            let why = Left::FieldBinding;
            let subject = &binding.value.text;
            let warning = why.warning(Origin::Binding, binding.value.span, subject);
            migration.left.push(warning);
        }
        migration.binding = dialect_edit(request.configuration().binding.as_ref(), from);
        Ok(migration)
    }

    /// Returns the sources without the content of files that cannot be rendered, and why, as
    /// warnings.
    fn without_failing(&self, request: &Request) -> Result<(Self, Diagnostics), Diagnostics> {
        let request = Request {
            keep_references: false,
            detail: Detail::Diagnostics,
            ..request.clone()
        };
        let mut files = self.files.clone();
        let mut unrendered = Diagnostics::default();
        loop {
            let sources = Self::new(files.clone());
            let Err(found) = sources.generate_without_secrets(&request) else {
                return Ok((sources, unrendered));
            };
            let mut failing = OrderedSet::new();
            for error in found.iter().filter(|it| it.severity == Severity::Error) {
                // The other labels are about what the error is related to.
                let first = error.labels.first().map(|label| label.origin);
                let Some(Origin::Manifest(file)) = first else {
                    return Err(found);
                };
                failing.insert(file);
                unrendered.push(Diagnostic {
                    severity: Severity::Warning,
                    ..error.clone()
                });
            }
            let before = files.clone();
            for position in failing.iter() {
                if let Some(file) = files.get_mut(*position) {
                    file.content.clear();
                }
            }
            if files == before {
                return Err(found);
            }
        }
    }
}

/// Whether the subject of a message, a reference or a setter comment, has no text but names.
/// Others may contain a secret, such as a fallback.
fn has_only_names(subject: &str, dialect: &dyn Dialect) -> bool {
    let setter = dialect.setter(subject).and_then(|text| subject.get(text));
    let is_name_byte = |b: u8| b.is_ascii_alphanumeric() || b == b'_';
    let mut parts = setter.unwrap_or(subject).split("${");
    let is_separator = |text: &str| !text.chars().any(char::is_alphanumeric);
    parts.next().is_none_or(is_separator)
        && parts.all(|part| {
            let (name, after) = part.split_once('}').unwrap_or((".", ""));
            name.bytes().all(is_name_byte) && is_separator(after)
        })
}

/// Adds the change of a candidate, or what it leaves.
fn add(
    candidate: Candidate,
    concealed: &[Vec<Range<usize>>],
    migration: &mut Migration,
    left: &mut Vec<LeftText>,
) {
    let (file, range) = (candidate.file, candidate.range.clone());
    let Some(edit) = candidate.edit() else {
        left.push(LeftText {
            file,
            range,
            subject: candidate.subject,
            why: Left::Differs,
        });
        return;
    };
    let conceal = is_concealed(concealed, file, range.start);
    if let Some(changes) = migration.changes.get_mut(file) {
        changes.push(MigrationEdit { edit, conceal });
    }
}

/// Returns whether a byte of a file must not be shown.
fn is_concealed(concealed: &[Vec<Range<usize>>], file: usize, at: usize) -> bool {
    let ranges = concealed.get(file).map_or(&[][..], Vec::as_slice);
    let next = ranges.partition_point(|range| range.end <= at);
    ranges.get(next).is_some_and(|range| range.contains(&at))
}

/// Returns what was found without any text of the places that must not be shown, by file and byte.
fn without_lines(mut found: Diagnostics, is_hidden: &dyn Fn(usize, usize) -> bool) -> Diagnostics {
    for found in found.iter_mut() {
        let mut hides = false;
        for label in &mut found.labels {
            let at = label.span.start;
            if matches!(label.origin, Origin::Manifest(file) if is_hidden(file, at)) {
                label.conceal = true;
                label.span = Span::point(at);
                hides = true;
            }
        }
        if hides {
            found.help = None;
            found.fixes.clear();
        }
    }
    found
}

/// Returns the bytes that must not be shown, ascending and disjoint: those of whole documents,
/// and in others those of the lines with setter comments of sensitive outputs.
fn concealed_ranges(
    text: &str,
    conceals: &dyn Fn(&str, &Tree) -> bool,
    setters: &SensitiveSetters<'_>,
) -> Vec<Range<usize>> {
    let mut concealed = Vec::new();
    for document in split(text).iter() {
        let (start, text) = (document.offset, document.text);
        match locate(text.to_owned()) {
            Ok(tree) if !conceals(text, &tree) => {
                let lines: Option<Vec<Range<usize>>> = setters.lines(text, &tree).collect();
                match lines {
                    Some(lines) => concealed.extend(
                        lines
                            .iter()
                            .map(|line| start + line.start..start + line.end),
                    ),
                    None => concealed.push(start..start + text.len()),
                }
            }
            _ => concealed.push(start..start + text.len()),
        }
    }
    concealed
}

/// The names of outputs, by which setter comments are known whose values are no secrets.
struct SensitiveSetters<'b> {
    sensitive: OrderedSet<&'b str>,
    /// Those that no document has as a sensitive output.
    public: OrderedSet<&'b str>,
}

impl<'b> SensitiveSetters<'b> {
    fn new(bindings: &'b Bindings) -> Self {
        let all = bindings.names().filter_map(|name| bindings.named(name));
        let public = all.flat_map(|named| {
            let outputs = named.outputs.keys().map(String::as_str);
            outputs.filter(|name| !named.has_sensitive(name))
        });
        let sensitive: OrderedSet<&str> = bindings.sensitive_names().collect();
        Self {
            public: public.filter(|name| !sensitive.contains(name)).collect(),
            sensitive,
        }
    }

    /// Returns the lines of the setter comments that do not name public outputs alone: the value
    /// before them may be an earlier one. `None` for one whose value may be on other lines.
    fn lines<'t>(
        &'t self,
        text: &'t str,
        tree: &'t Tree,
    ) -> impl Iterator<Item = Option<Range<usize>>> + 't {
        tree.comments().iter().filter_map(move |range| {
            if self.sensitive.is_empty() {
                return None;
            }
            let comment = text.get(range.clone()).unwrap_or_default();
            if !is_like_setter(comment) || self.are_in(comment) {
                return None;
            }
            let start = line_start(text, range.start);
            let before = text.get(start..range.start).unwrap_or_default();
            let ends_elsewhere = before.trim_end().ends_with([':', '-', '|', '>', ']', '}']);
            let has_indicator = before.contains(['|', '>', '&', '!']);
            Some((!ends_elsewhere && !has_indicator).then_some(start..range.end))
        })
    }

    /// Returns whether all that a setter comment names are public outputs.
    fn are_in(&self, comment: &str) -> bool {
        let mut references = comment.split("${").skip(1).peekable();
        references.peek().is_some()
            && references.all(|reference| {
                let end = reference.find(['}', '|', ':', '=']);
                let (path, calls) = reference.split_at(end.unwrap_or(0));
                let path = path.trim();
                let of_binding = path.split_once('.').map(|(_, output)| output);
                let mut names = [Some(path), of_binding].into_iter().flatten();
                names.any(|name| self.public.contains(name)) && self.are_in_arguments(calls)
            })
    }

    /// Returns whether no word in the functions of a reference is, or may be, another output.
    fn are_in_arguments(&self, calls: &str) -> bool {
        let words = calls.split(['|', '(', ')', ',', ' ', '}']);
        let is_literal = |word: &str| word.starts_with(['"', '\'', '-']) || is_number(word);
        let mut named = words.filter(|word| !is_literal(word));
        named.all(|word| {
            let word = word.trim_matches(['"', '\'']);
            let end = word.find('[').unwrap_or(word.len());
            match word[..end].split_once('.') {
                Some((_, path)) => {
                    let output = path.split('.').next().unwrap_or_default();
                    self.public.contains(output)
                }
                None => end == word.len() && !self.sensitive.contains(word),
            }
        })
    }
}

fn unknown_dialect(name: &str) -> Diagnostics {
    let others = DIALECTS.iter().map(|dialect| dialect.notation().id);
    let others = suggest::listed(others.filter(|id| *id != LANDFALL.notation().id));
    Diagnostic::error(
        Rule::InvalidPolicy,
        format!("cannot migrate from the dialect `{name}`"),
    )
    .help(format!("the dialects are {others}"))
    .into()
}

#[cfg(test)]
mod tests;
