//! `landfall migrate`: rewrites manifests of another dialect in landfall's own.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use landfall_sandbox::EditRef;
use landfall_sandbox::types::{Content, Origin, Severity};

use crate::application::Migration;
use crate::engine::Halted;
use crate::exit::Exit;
use crate::loading::no_outputs;
use crate::report::{MigratedFile, migration_text};
use crate::sanitize;
use crate::settings::Migrate;
use crate::splice::{BrokenEdits, Spliced};

use super::inputs;
use super::session::Session;
use super::write::{Changed, NOTHING_WRITTEN, in_place};

/// The outcome of a run with errors.
const NOTHING_MIGRATED: &str = "nothing was migrated";

/// That of one which would write.
const NOT_ALL_MIGRATED: &str = "nothing was written; `--partial` leaves what is not migrated";

pub(super) fn run(mut session: Session, migrate: &Migrate) -> Exit {
    // Without --write, everything is shown.
    let is_partial = migrate.is_partial || !migrate.writes;
    let dialect = (migrate.dialect.as_str(), is_partial);
    let migrations = match inputs::migrate(&mut session, &migrate.inputs, dialect) {
        Err(halted) => return session.halt(&halted, NOTHING_MIGRATED),
        Ok(_) if session.reporter.has_errors() => {
            return session.fail(if is_partial {
                NOTHING_MIGRATED
            } else {
                NOT_ALL_MIGRATED
            });
        }
        Ok(migrations) => migrations,
    };
    if !migrations.is_empty() && migrations.iter().all(has_no_outputs) {
        let lacks_binding = false;
        session.add_problems(vec![no_outputs(lacks_binding)]);
        return session.fail(NOTHING_MIGRATED);
    }
    let left: usize = migrations.iter().map(left).sum();
    let contents = migrations.iter().map(contents).collect::<Vec<_>>();
    let is_shared = migrate.inputs.config.is_some();
    let waiting: Vec<Waiting> = migrations
        .iter()
        .map(|migration| Waiting::of(migration, is_shared, is_partial))
        .collect();
    let mut files: Vec<MigratedFile<'_>> = Vec::new();
    for ((migration, contents), waiting) in migrations.iter().zip(&contents).zip(&waiting) {
        // Without --partial, all changes are shown.
        let waiting = migrate.is_partial.then_some(&waiting.files);
        files.extend(self::files(migration, contents, waiting, is_shared));
    }
    let mut text = match migration_text(&files, left, migrate.writes) {
        Ok(text) => text,
        Err(BrokenEdits) => return session.halt(&Halted::BrokenAnswer, NOTHING_MIGRATED),
    };
    for (migration, waiting) in migrations.iter().zip(&waiting) {
        text.push_str(&waiting.text(migration, migrate.is_partial));
        if let Some(binding) = &migration.application.request.configuration.binding
            && !migration.migrated.binding.is_empty()
            && !changes_binding(migration, is_shared)
        {
            let path = sanitize::line(&binding.path);
            text.push_str(&format!(
                "{path} is not changed: set its `spec.dialect` to `landfall` when all of its manifests are migrated\n"
            ));
        }
    }
    if migrate.writes
        && let Err(problems) = in_place(files.iter().map(changed))
    {
        session.add_problems(problems);
        return session.fail(NOTHING_WRITTEN);
    }
    session.write_text(Exit::Done, &sanitize::without_ci_commands(&text))
}

fn has_no_outputs(migration: &Migration) -> bool {
    let request = &migration.application.request;
    let mut known = request.inputs.known_names.iter();
    request.inputs.documents.is_empty() && !known.any(|name| name.bound_by.is_none())
}

/// Returns how many warnings there are about what is not migrated.
fn left(migration: &Migration) -> usize {
    let left = &migration.migrated.left;
    let warnings = left.diagnostics.iter();
    let warnings = warnings.filter(|found| found.severity == Severity::Warning);
    warnings.count() + usize::try_from(left.omitted.warnings).unwrap_or(usize::MAX)
}

/// Returns the contents of the files, and of the Binding last.
fn contents(migration: &Migration) -> (Vec<Content>, Content) {
    let changes = migration.migrated.changes.iter();
    let contents = changes.map(|changes| {
        let edits = changes.iter().map(|change| EditRef::from(&change.edit));
        Content::Edited(edits.collect())
    });
    let binding = Content::Edited(migration.migrated.binding.clone());
    (contents.collect(), binding)
}

/// Whether the dialect of the Binding may change: a reference of the old one that is left, in
/// these manifests or in others of the Binding, would become text. `is_shared`: a flag names
/// it, so that it may be that of other manifests, too.
fn changes_binding(migration: &Migration, is_shared: bool) -> bool {
    let mut sources = migration.application.sources().iter();
    let is_whole = sources.all(|source| source.target.is_some());
    is_whole && !is_shared && left(migration) == 0
}

/// Which changes of a partial migration wait, because a file is rendered in one dialect.
struct Waiting {
    /// The positions of the files.
    files: BTreeSet<usize>,
    why: &'static str,
}

impl Waiting {
    /// Files wait if some of them is not migrated, and all do if their Binding keeps the other
    /// dialect.
    fn of(migration: &Migration, is_shared: bool, is_partial: bool) -> Self {
        let Migration {
            application,
            migrated,
        } = migration;
        let keeps_dialect = !migrated.binding.is_empty() && !changes_binding(migration, is_shared);
        let is_changed = |file: &usize| {
            let changes = migrated.changes.get(*file);
            changes.is_some_and(|changes| !changes.is_empty())
        };
        let changed = (0..application.files().len()).filter(is_changed);
        let left: BTreeSet<usize> = (migrated.left.diagnostics.iter())
            .filter(|found| found.severity == Severity::Warning)
            .filter_map(|found| match found.labels.first()?.span.origin {
                Origin::Manifest(file) => usize::try_from(file).ok(),
                _ => None,
            })
            .collect();
        let is_complete = self::left(migration) == 0 || !is_partial;
        // What is left of the other files is not listed.
        let is_unknown = migrated.left.omitted.warnings > 0;
        let all = keeps_dialect || is_unknown;
        Self {
            files: changed
                .filter(|file| !is_complete && (all || left.contains(file)))
                .collect(),
            why: if keeps_dialect {
                "until all manifests of its Binding are migrated"
            } else {
                "until all of it is migrated"
            },
        }
    }

    /// Returns a line for each file.
    fn text(&self, migration: &Migration, is_partial: bool) -> String {
        let mut text = String::new();
        let flag = if is_partial { "" } else { "with --partial, " };
        for file in &self.files {
            let source = migration.application.sources().get(*file);
            let path = source.map_or("", |source| source.display_path.as_str());
            let path = sanitize::line(path);
            text.push_str(&format!("{flag}{path} waits {}\n", self.why));
        }
        text
    }
}

/// Returns the files that would be written: the manifests, except those that wait, and the
/// Binding.
fn files<'a>(
    migration: &'a Migration,
    (contents, binding_content): &'a (Vec<Content>, Content),
    waiting: Option<&BTreeSet<usize>>,
    is_shared: bool,
) -> Vec<MigratedFile<'a>> {
    let Migration {
        application,
        migrated,
    } = migration;
    let mut files = Vec::new();
    for (nth, file) in application.edited(contents).enumerate() {
        let waits = waiting.is_some_and(|waiting| waiting.contains(&nth));
        if waits || file.source.target.is_none() {
            continue;
        }
        let changes = migrated.changes.get(nth).map_or(&[][..], Vec::as_slice);
        files.push(MigratedFile {
            path: &file.source.display_path,
            real_path: file.source.real_path.clone(),
            original: file.original,
            content: file.content,
            concealed: changes.iter().map(|change| change.conceal).collect(),
        });
    }
    if let Some(binding) = &application.request.configuration.binding
        && !migrated.binding.is_empty()
        && changes_binding(migration, is_shared)
    {
        files.push(MigratedFile {
            path: &binding.path,
            real_path: real_path(&binding.path),
            original: &binding.content,
            content: binding_content,
            concealed: vec![false; migrated.binding.len()],
        });
    }
    files
}

fn real_path(path: &str) -> Option<PathBuf> {
    Path::new(path).canonicalize().ok()
}

fn changed<'a>(file: &'a MigratedFile<'_>) -> Changed<'a> {
    Changed {
        display_path: file.path,
        real_path: file.real_path.as_deref(),
        original: file.original,
        edited: Spliced::new(file.original, file.content),
    }
}
