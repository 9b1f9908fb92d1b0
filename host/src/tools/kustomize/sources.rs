//! The files of a kustomization as the module renders them, and back.

use std::collections::BTreeSet;
use std::ops::Range;

use landfall_sandbox::EditRef;
use landfall_sandbox::types::{
    Content, Diagnostic, EditList, File, Fix, HardCodedValue, Label, Origin,
};
use serde_json::{Map, Value as Json};

use crate::engine::{Answer, Halted};
use crate::problem::HostRule;
use crate::splice::{BrokenEdits, Spliced};

use super::collect::{SourceFile, Use, conceal, located};
use super::entry::{Entry, Target};
use super::envs;
use super::fields::{self, Header};
use super::reader::Stage;

/// The sources that the module renders. A file is one for each of its uses.
#[derive(Debug)]
pub(super) struct Sources {
    pub(super) files: Vec<File>,
    /// One for each of `files`.
    views: Vec<View>,
}

/// The rendered sources.
#[derive(Debug, Default)]
pub(super) struct Rendered {
    /// The content of each file.
    pub(super) contents: Vec<Vec<u8>>,
    /// What each source was rendered to.
    pub(super) sources: Vec<File>,
    /// The reasons why the files cannot be built.
    pub(crate) problems: Vec<Diagnostic>,
}

/// How a source represents a file.
#[derive(Debug)]
struct View {
    /// The index of the file.
    file: usize,
    form: Form,
}

#[derive(Debug)]
enum Form {
    /// The file itself.
    Same,
    /// The file with the missing `apiVersion` and `kind` inserted.
    With(Header),
    Entry(Entry, Target),
}

impl Sources {
    /// Creates the sources of `files`; `originals` are their contents. Further originals define
    /// types: they are sources too, but kustomize does not read them.
    pub(crate) fn new(files: &[SourceFile], originals: &[File]) -> Self {
        let mut sources = Self {
            files: Vec::new(),
            views: Vec::new(),
        };
        let only_types = BTreeSet::from([Use::Yaml]);
        for (file, original) in originals.iter().enumerate() {
            let source = files.get(file);
            let uses = source.map_or(&only_types, |source| &source.uses);
            // A file that is YAML in two ways is one source.
            let mut has_yaml = false;
            for usage in uses {
                let form = match usage {
                    Use::Entry(target) => {
                        Form::Entry(Entry::new(&original.content, target), target.clone())
                    }
                    Use::Kustomization | Use::Plugins | Use::Yaml if has_yaml => continue,
                    Use::Kustomization => {
                        let fields = source.and_then(|source| source.fields.as_ref());
                        let header = fields.and_then(|fields| fields.header.clone());
                        header.map_or(Form::Same, Form::With)
                    }
                    Use::Plugins | Use::Yaml => Form::Same,
                };
                has_yaml |= !matches!(form, Form::Entry(..));
                let content = match &form {
                    Form::Same => original.content.clone(),
                    Form::With(Header { at, text }) => {
                        let (before, after) = original.content.split_at(*at);
                        [before, text.as_bytes(), after].concat()
                    }
                    Form::Entry(entry, _) => entry.document.clone(),
                };
                sources.files.push(File {
                    path: original.path.clone(),
                    content,
                });
                sources.views.push(View { file, form });
            }
        }
        sources
    }

    /// Creates sources with the variables of `envs` that contain placeholders.
    pub(super) fn of_variables(&self, originals: &[File]) -> Self {
        let (mut files, mut views) = (Vec::new(), Vec::new());
        for view in &self.views {
            let original = &originals[view.file];
            if let Form::Entry(_, target) = &view.form
                && target.is_env
            {
                let entry = Entry::of_variables(&original.content, target);
                if entry.is_empty() {
                    continue;
                }
                files.push(File {
                    path: original.path.clone(),
                    content: entry.document.clone(),
                });
                let form = Form::Entry(entry, target.clone());
                views.push(View { form, ..*view });
            }
        }
        Self { files, views }
    }

    /// Moves the labels and fixes of diagnostics from the sources to the files.
    pub(crate) fn relocate(&self, found: &mut [Diagnostic]) {
        for found in found {
            found.fixes.retain_mut(|fix| self.relocate_fix(fix));
            for label in &mut found.labels {
                self.relocate_label(label);
            }
        }
    }

    fn view(&self, origin: Origin) -> Option<&View> {
        match origin {
            Origin::Manifest(position) => self.views.get(position as usize),
            _ => None,
        }
    }

    /// Moves a substitution of the module's report from the sources to the files.
    pub(super) fn relocate_substitution(&self, one: &mut Map<String, Json>) {
        let number = |key: &str| one.get(key).and_then(Json::as_u64);
        let numbers = number("file").zip(number("start")).zip(number("end"));
        let Some(((file, start), end)) = numbers else {
            return;
        };
        let [file, start, end] = [file, start, end].map(|it| usize::try_from(it).unwrap_or(0));
        if let Some(view) = self.views.get(file) {
            let range = view.in_file(&(start..end));
            for (key, value) in [
                ("file", view.file),
                ("start", range.start),
                ("end", range.end),
            ] {
                one.insert(key.to_owned(), value.into());
            }
        }
    }

    /// Moves a hard-coded value from its source to its file.
    pub(super) fn relocate_value(&self, value: &mut HardCodedValue) {
        if let Some(view) = self.views.get(value.file as usize) {
            let range = view.in_file(&(value.start as usize..value.end as usize));
            value.file = offset(view.file);
            (value.start, value.end) = (offset(range.start), offset(range.end));
        }
    }

    /// Returns the index of the file of the source `nth`.
    pub(super) fn file_of(&self, nth: usize) -> Option<usize> {
        self.views.get(nth).map(|view| view.file)
    }

    /// Returns the file and its bytes in which an edit of the source `nth` is made. None: another
    /// use of the file would see it, or kustomize would read another text.
    pub(super) fn edited_in_file(
        &self,
        nth: usize,
        originals: &[File],
        edit: EditRef<'_>,
    ) -> Option<(usize, Range<usize>)> {
        let view = self.views.get(nth)?;
        // The sources of a file follow each other.
        let mut neighbours = [nth.checked_sub(1), nth.checked_add(1)]
            .into_iter()
            .flatten();
        if neighbours.any(|other| self.file_of(other) == Some(view.file)) {
            return None;
        }
        let range = view.in_file(&(edit.start..edit.end));
        if let Form::Entry(entry, target) = &view.form {
            let text = originals.get(view.file)?.content.get(..range.start)?;
            let line = text
                .rsplit(|byte| *byte == b'\n')
                .next()
                .unwrap_or_default();
            let is_name = target.is_env && !line.contains(&b'=');
            if entry.is_altered || is_name || edit.text.contains(&b'\n') {
                return None;
            }
        }
        Some((view.file, range))
    }

    fn relocate_label(&self, label: &mut Label) {
        if let Some(view) = self.view(label.span.origin) {
            let range = view.in_file(&(label.span.start as usize..label.span.end as usize));
            label.span.origin = Origin::Manifest(offset(view.file));
            (label.span.start, label.span.end) = (offset(range.start), offset(range.end));
        }
    }

    /// Returns whether the fix can be made in the file.
    fn relocate_fix(&self, fix: &mut Fix) -> bool {
        let Some(view) = self.view(fix.target) else {
            return true;
        };
        fix.target = Origin::Manifest(offset(view.file));
        let can_be_applied = match &view.form {
            // A new line would need the indentation of the document.
            Form::Entry(..) => fix.edits.iter().all(|edit| {
                let mut bytes = edit.text.iter();
                bytes.all(|byte| *byte != b'\n')
            }),
            Form::Same | Form::With(_) => true,
        };
        if can_be_applied {
            for edit in &mut fix.edits {
                let range = view.in_file(&(edit.start as usize..edit.end as usize));
                (edit.start, edit.end) = (offset(range.start), offset(range.end));
            }
        }
        can_be_applied
    }

    /// Returns the files and the sources with the edits of an answer.
    ///
    /// # Errors
    /// The answer is invalid.
    pub(crate) fn rendered(
        &self,
        files: &[SourceFile],
        originals: &[File],
        answer: &Answer,
    ) -> Result<Rendered, Halted> {
        let (mut problems, mut sources) = (Vec::new(), Vec::new());
        let mut rendered: Vec<Option<Vec<u8>>> = vec![None; originals.len()];
        for (view, (source, content)) in
            std::iter::zip(&self.views, std::iter::zip(&self.files, &answer.sources))
        {
            let file = Spliced::new(&source.content, content);
            sources.push(File {
                path: source.path.clone(),
                content: file.map_err(|BrokenEdits| Halted::BrokenAnswer)?.to_vec(),
            });
            let original = &originals[view.file].content;
            let bytes = match view.rendered(&source.content, content, original) {
                Ok(bytes) => bytes,
                Err(Unusable::BrokenAnswer) => return Err(Halted::BrokenAnswer),
                Err(Unusable::Problem(at, message, help)) => {
                    problems.push(refused(view.file, &at, message.to_owned(), help));
                    continue;
                }
            };
            match &mut rendered[view.file] {
                Some(other) if *other != bytes => problems.push(refused(
                    view.file,
                    &(0..0),
                    "this file has several uses, in which its references are rendered differently"
                        .to_owned(),
                    "make a copy of it for each use",
                )),
                other => *other = Some(bytes),
            }
        }
        let rendered: Vec<Vec<u8>> = std::iter::zip(rendered, originals)
            .map(|(rendered, original)| rendered.unwrap_or_else(|| original.content.clone()))
            .collect();
        let mut has_vars = false;
        for (nth, file) in files.iter().enumerate() {
            let Some(before) = &file.fields else { continue };
            let text = String::from_utf8_lossy(&rendered[nth]);
            let after = if file.uses.contains(&Use::Kustomization) {
                fields::of_kustomization(&text, Stage::Rendered)
            } else {
                fields::of_plugins(&text, Stage::Rendered)
            };
            has_vars |= after.has_vars;
            if before.differ_from(&after) {
                problems.push(refused(
                    nth,
                    &(0..0),
                    "values change what this kustomization reads".to_owned(),
                    "references are not allowed in paths, in the keys of `files` and `literals`, in inline configurations, nor as all of a quoted literal",
                ));
            }
        }
        if has_vars {
            problems.extend(self.expanded(answer));
        }
        conceal(&mut problems, files, originals);
        Ok(Rendered {
            contents: rendered,
            sources,
            problems,
        })
    }

    /// Returns the sources with the edits of an answer, as the texts in them are compared with
    /// those that kustomize has built: each variable of `envs` is a text of its own.
    ///
    /// `None`: a value does not fit into a variable.
    ///
    /// # Errors
    /// The answer is invalid.
    pub(super) fn restorable(
        &self,
        originals: &[File],
        answer: &Answer,
    ) -> Result<Option<Vec<File>>, Halted> {
        let mut restorable = Vec::new();
        for (view, (source, content)) in
            std::iter::zip(&self.views, std::iter::zip(&self.files, &answer.sources))
        {
            let rendered = Spliced::new(&source.content, content);
            let mut content = rendered
                .map_err(|BrokenEdits| Halted::BrokenAnswer)?
                .to_vec();
            if let Form::Entry(entry, target) = &view.form {
                let document = String::from_utf8(content).map_err(|_| Halted::BrokenAnswer)?;
                let text = entry.text(&document, target).unwrap_or_default();
                let original = &originals[view.file].content;
                content = if !target.is_env {
                    format!("text: {}\n", yaml::double_quoted(&text)).into_bytes()
                } else if envs::problem(original, &text).is_some() {
                    return Ok(None);
                } else {
                    envs::restorable(&text)
                };
            }
            restorable.push(File {
                path: source.path.clone(),
                content,
            });
        }
        Ok(Some(restorable))
    }

    /// Reports values that kustomize would not leave as they are, because a kustomization has
    /// `vars`. Which names it expands is not checked: it could be used to guess a sensitive
    /// value.
    fn expanded(&self, answer: &Answer) -> impl Iterator<Item = Diagnostic> {
        let sources = std::iter::zip(&self.files, &answer.sources);
        std::iter::zip(&self.views, sources).filter_map(|(view, (source, content))| {
            let source = &source.content;
            let range = match content {
                Content::Unchanged => return None,
                // `rendered` rejects an answer with broken edits.
                Content::Edited(edits) => (edits.checked(source.len()).ok()?)
                    .iter()
                    .map(|edit| (edit.start..edit.end, edit.text))
                    .find(|(range, text)| adds_expansion(source, range, text))
                    .map(|(range, _)| range)?,
            };
            let message =
                "kustomize would change a `$` in this value, because the kustomization has `vars`";
            let help = "replace `vars` with `replacements`: `kustomize edit fix --vars`";
            let range = view.in_file(&range);
            Some(refused(view.file, &range, message.to_owned(), help))
        })
    }
}

/// Returns whether a source has more that kustomize expands when `text` replaces `range`:
/// `$(NAME)`, and `$$`, which becomes `$` (Expand in api/filters/refvar/expand.go, kustomize
/// 5.8.1). The module doubles each `$` of a value in fields in which Kubernetes expands it.
fn adds_expansion(source: &[u8], range: &Range<usize>, text: &[u8]) -> bool {
    // What the author wrote next to the text can complete it.
    let before = &source[range.start.saturating_sub(1)..range.start];
    let after = &source[range.end..source.len().min(range.end + 1)];
    let expansions = |text: &[u8], is_source: bool| {
        let text = [before, text, after].concat();
        let pairs = text.windows(2).enumerate().filter(|(at, pair)| {
            // The reference is escaped.
            let is_escape = is_source && text.get(at + 2) == Some(&b'{');
            *pair == b"$(" || *pair == b"$$" && !is_escape
        });
        pairs.count()
    };
    expansions(text, false) > expansions(&source[range.clone()], true)
}

/// Why a source cannot be written back to its file.
enum Unusable {
    BrokenAnswer,
    /// The bytes of the file, a message and help.
    Problem(Range<usize>, &'static str, &'static str),
}

impl From<BrokenEdits> for Unusable {
    fn from(_: BrokenEdits) -> Self {
        Self::BrokenAnswer
    }
}

impl View {
    fn in_file(&self, range: &Range<usize>) -> Range<usize> {
        match &self.form {
            Form::Same => range.clone(),
            Form::With(header) => {
                let at = |offset: usize| match offset.checked_sub(header.at) {
                    Some(after) => header.at + after.saturating_sub(header.text.len()),
                    None => offset,
                };
                at(range.start)..at(range.end)
            }
            Form::Entry(entry, _) => entry.in_file(range),
        }
    }

    /// Returns the bytes of the file that the first edit changes whose text `is_meant`.
    fn edited(&self, content: &Content, is_meant: fn(&[u8]) -> bool) -> Range<usize> {
        let Content::Edited(edits) = content else {
            return 0..0;
        };
        // `Spliced::new` has checked them.
        let edits = edits.checked(usize::MAX);
        let edit = edits
            .ok()
            .and_then(|edits| edits.iter().find(|edit| is_meant(edit.text)));
        edit.map_or(0..0, |edit| self.in_file(&(edit.start..edit.end)))
    }

    /// Returns the rendered content of the file.
    fn rendered(
        &self,
        source: &[u8],
        content: &Content,
        original: &[u8],
    ) -> Result<Vec<u8>, Unusable> {
        if let Form::Entry(_, target) = &self.form
            && target.is_env
            && let Some(comment) = envs::setter(original)
        {
            return Err(Unusable::Problem(
                comment,
                "a setter comment sets nothing in the input of `envs`",
                "write the reference in place of the value: `NAME=${…}`",
            ));
        }
        if *content == Content::Unchanged {
            return Ok(original.to_vec());
        }
        match &self.form {
            Form::Same => Ok(Spliced::new(source, content)?.to_vec()),
            Form::With(Header { at, text }) => {
                let Content::Edited(edits) = content else {
                    return Err(Unusable::BrokenAnswer);
                };
                let edits = edits.checked(source.len())?;
                let is_outside =
                    |edit: EditRef<'_>| edit.end <= *at || edit.start >= at + text.len();
                if !edits.iter().all(is_outside) {
                    // Only a field binding that selects the kustomization can do that.
                    return Err(Unusable::Problem(
                        0..0,
                        "a field binding sets the `apiVersion` or the `kind` of this kustomization",
                        "let it select resources",
                    ));
                }
                let edits: EditList = edits
                    .iter()
                    .map(|edit| {
                        let Range { start, end } = self.in_file(&(edit.start..edit.end));
                        EditRef { start, end, ..edit }
                    })
                    .collect();
                Ok(Spliced::with_edits(original, &edits)?.to_vec())
            }
            Form::Entry(entry, target) => {
                if entry.is_altered {
                    return Err(Unusable::Problem(
                        self.edited(content, |_| true),
                        "references cannot be rendered in this file: it is not plain text in UTF-8 with line feeds",
                        "convert its line ends to LF and remove control characters and byte order marks, or move the references to another file",
                    ));
                }
                let document = Spliced::new(source, content)?.to_vec();
                let document = String::from_utf8(document).map_err(|_| Unusable::BrokenAnswer)?;
                let Some(text) = entry.text(&document, target) else {
                    return Err(Unusable::Problem(
                        0..0,
                        "a field binding adds fields to what is generated from this file",
                        "set them in a patch, or in `literals` of the generator",
                    ));
                };
                if target.is_env
                    && let Some((line, message)) = envs::problem(original, &text)
                {
                    let adds_line = |text: &[u8]| text.contains(&b'\n') || text.contains(&b'\r');
                    return Err(Unusable::Problem(
                        line.unwrap_or_else(|| self.edited(content, adds_line)),
                        message,
                        "use `files` or `literals` of the generator for this value",
                    ));
                }
                Ok(text.into_bytes())
            }
        }
    }
}

/// Creates an error in a file.
fn refused(file: usize, span: &Range<usize>, message: String, help: &str) -> Diagnostic {
    Diagnostic {
        help: Some(help.to_owned()),
        ..located(HostRule::InvalidKustomization, file, span, message)
    }
}

fn offset(offset: usize) -> u32 {
    u32::try_from(offset).unwrap_or(u32::MAX)
}

#[cfg(test)]
mod tests {
    use super::adds_expansion;

    #[test]
    fn what_kustomize_expands_is_recognized() {
        let source = b"a: ${x}(b) $(c)";
        let value = 3..7;
        for text in ["$(NAME)", "a$$b", "$$", "a$", "$${x}"] {
            assert!(adds_expansion(source, &value, text.as_bytes()), "{text}");
        }
        for text in ["", "$a", "(NAME)", "${x}", "$2a$10$b", ")"] {
            assert!(!adds_expansion(source, &value, text.as_bytes()), "{text}");
        }
        // The author's own, in a scalar that is written anew.
        let all = 3..source.len();
        assert!(!adds_expansion(source, &all, b"\"1(b) $(c)\""));
        assert!(adds_expansion(source, &all, b"\"$(d)(b) $(c)\""));
        // An escaped reference is not an expansion of the author's.
        assert!(adds_expansion(b"$${x} ${y}", &(0..10), b"${x} $$"));
    }
}
