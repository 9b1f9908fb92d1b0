//! The findings of a run by their cause, for Argo CD: it shows all of standard error in one
//! small field of the Application, where a hundred excerpts would hide what is wrong.

use std::collections::{BTreeSet, HashMap};

use annotate_snippets::Level;
use landfall_sandbox::types::{Diagnostic, Severity};

use crate::draw::{Drawing, Located, Place};

/// The maximum number of causes to draw of each severity.
const MAX_CAUSES: usize = 20;

/// The maximum number of findings to list of each cause, including the one that is drawn.
const MAX_LISTED: usize = 5;

/// The findings of a run by their cause.
pub(super) struct Causes {
    errors: OfSeverity,
    warnings: OfSeverity,
    notes: OfSeverity,
    /// The files with errors.
    files: BTreeSet<String>,
    /// The folder to check for everything that is not drawn.
    application: String,
    /// Whether all causes are drawn and all findings listed.
    is_complete: bool,
}

#[derive(Default)]
struct OfSeverity {
    /// In the order of their first findings.
    drawn: Vec<Cause>,
    /// The index in `drawn`, or None if the cause is only counted.
    known: HashMap<Key, Option<usize>>,
}

/// The rule of a finding, and its message without the names in backquotes: a hundred unbound
/// names are one cause.
type Key = (String, String);

struct Cause {
    /// The first finding.
    drawing: Drawing,
    message: String,
    /// Where else the same finding is.
    places: Vec<String>,
    /// Findings about other names, each with its place and fix.
    variants: Vec<String>,
    /// The number of all findings.
    count: usize,
}

impl Causes {
    pub(super) fn new(application: &str, is_complete: bool) -> Self {
        Self {
            errors: OfSeverity::default(),
            warnings: OfSeverity::default(),
            notes: OfSeverity::default(),
            files: BTreeSet::new(),
            application: application.to_owned(),
            is_complete,
        }
    }

    /// Adds a finding. `drawing` is empty.
    pub(super) fn add(&mut self, documents: &Located<'_>, found: &Diagnostic, drawing: Drawing) {
        let place = Place::of(documents, found);
        let (max_causes, max_listed) = if self.is_complete {
            (usize::MAX, usize::MAX)
        } else {
            (MAX_CAUSES, MAX_LISTED)
        };
        let OfSeverity { drawn, known } = match found.severity {
            Severity::Error => {
                let file = place.as_ref().and_then(Place::file);
                self.files.extend(file.map(str::to_owned));
                &mut self.errors
            }
            Severity::Warning => &mut self.warnings,
            Severity::Note => &mut self.notes,
        };
        let key = (found.rule.clone(), without_names(&found.message));
        let index = *known.entry(key).or_insert_with(|| {
            (drawn.len() < max_causes).then(|| {
                drawn.push(Cause::new(documents, found, drawing));
                drawn.len() - 1
            })
        });
        let Some(cause) = index.map(|index| &mut drawn[index]) else {
            return;
        };
        cause.count += 1;
        if (2..=max_listed).contains(&cause.count) {
            cause.list(found, place);
        }
    }

    /// Formats ` in 3 files`, or nothing if the errors are in none.
    pub(super) fn in_files(&self) -> String {
        match self.files.len() {
            0 => String::new(),
            1 => " in 1 file".to_owned(),
            count => format!(" in {count} files"),
        }
    }

    /// Draws errors, then warnings, then notes.
    pub(super) fn draw(self, drawing: &mut Drawing) {
        for (level, OfSeverity { drawn, known }) in [
            (Level::ERROR, self.errors),
            (Level::WARNING, self.warnings),
            (Level::NOTE, self.notes),
        ] {
            let more = known.len() - drawn.len();
            for cause in drawn {
                drawing.append(&cause.into_drawing());
            }
            if more > 0 {
                let causes = if more == 1 { "cause is" } else { "causes are" };
                let text = format!(
                    "{more} more {causes} not shown: run `landfall check {}` in the repository",
                    self.application
                );
                drawing.paragraph(&level, &text);
            }
        }
    }
}

impl Cause {
    fn new(documents: &Located<'_>, found: &Diagnostic, mut drawing: Drawing) -> Self {
        drawing.diagnostic(documents, found);
        Self {
            drawing,
            message: found.message.clone(),
            places: Vec::new(),
            variants: Vec::new(),
            count: 0,
        }
    }

    fn list(&mut self, found: &Diagnostic, place: Option<Place<'_>>) {
        let place = place.map(|place| place.to_string());
        if found.message == self.message {
            self.places.extend(place);
            return;
        }
        // The help is drawn once, but a fix belongs to one finding.
        let fix = found.fixes.first().map(|fix| fix.title.clone());
        let parts = [place, Some(found.message.clone()), fix];
        let parts: Vec<_> = parts.into_iter().flatten().collect();
        self.variants.push(parts.join(": "));
    }

    /// Returns the first finding, then `also at` with the places of the others, then how
    /// many more there are.
    fn into_drawing(self) -> Drawing {
        let Self {
            mut drawing,
            places,
            variants,
            count,
            ..
        } = self;
        let listed = 1 + places.len() + variants.len();
        let also = (!places.is_empty()).then(|| format!("also at {}", places.join(", ")));
        let more = (count > listed).then(|| format!("and {} more", count - listed));
        for line in also.into_iter().chain(variants).chain(more) {
            drawing.line(&Level::NOTE, &line);
        }
        drawing.blank_line();
        drawing
    }
}

/// Returns a message without what is in backquotes.
fn without_names(message: &str) -> String {
    message.split('`').step_by(2).collect::<Vec<_>>().join("`")
}
