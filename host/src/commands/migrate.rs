//! `landfall migrate`: rewrites manifests of another dialect in landfall's own.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use landfall_sandbox::EditRef;
use landfall_sandbox::types::{Content, Migrated, Origin, Severity};

use crate::application::Migration;
use crate::engine::Halted;
use crate::exit::Exit;
use crate::loading::no_outputs;
use crate::report::{MigratedFile, migration_text};
use crate::reporter::Failed;
use crate::sanitize;
use crate::settings::Migrate;
use crate::splice::{BrokenEdits, Spliced};

use super::inputs;
use super::session::Session;
use super::write::{
    Changed, NOTHING_WRITTEN, check_readers, disagreements, in_place, is_first, shared_path,
};

/// The outcome of a run with errors.
const NOTHING_MIGRATED: &str = "nothing was migrated";

/// That of one which would write.
const NOT_ALL_MIGRATED: &str = "nothing was written; `--partial` leaves what is not migrated";

pub(super) fn run(mut session: Session, migrate: &Migrate) -> Exit {
    // Without --write, everything is shown.
    let is_partial = migrate.is_partial || !migrate.writes;
    let dialect = (migrate.dialect.as_str(), is_partial);
    let mut migrations = match inputs::migrate(&mut session, &migrate.inputs, dialect) {
        Err(Failed::Reported(reported)) if !is_partial => {
            return session.end(&reported.into(), NOT_ALL_MIGRATED);
        }
        Err(failed) => return session.end(&failed, NOTHING_MIGRATED),
        Ok(migrations) => migrations,
    };
    let has_no_outputs = |migration: &Migration| migration.application.has_no_outputs();
    if !migrations.is_empty() && migrations.iter().all(has_no_outputs) {
        let lacks_binding = false;
        return session.refuse(vec![no_outputs(lacks_binding)], NOTHING_MIGRATED);
    }
    conceal_shared(&mut migrations);
    let left: usize = migrations.iter().map(left).sum();
    let is_shared = migrate.inputs.config.is_some();
    let mut changes: Vec<Changes<'_>> = migrations
        .iter()
        .map(|migration| Changes::of(migration, is_shared, is_partial))
        .collect();
    wait_for_others(&mut changes);
    let written: Vec<_> = (changes.iter())
        .map(|changes| (&changes.migration.sources, changes.files(true)))
        .collect();
    let problems = disagreements(written.iter().flat_map(|(_, files)| files).map(changed));
    if !problems.is_empty() {
        return session.refuse(problems, NOTHING_WRITTEN);
    }
    let of_tools = written.iter();
    let of_tools = of_tools.map(|(sources, files)| (*sources, files.iter().map(changed).collect()));
    if let Err(failed) = check_readers(&mut session, of_tools, migrate.writes) {
        return session.end(&failed, NOTHING_WRITTEN);
    }
    // Without --partial, all changes are shown.
    let files = changes
        .iter()
        .flat_map(|changes| changes.files(migrate.is_partial));
    let mut seen = BTreeMap::new();
    let files: Vec<MigratedFile<'_>> = files
        .filter(|file| is_first(&mut seen, file.real_path.clone(), file.content))
        .collect();
    let mut text = match migration_text(&files, left, migrate.writes) {
        Ok(text) => text,
        Err(BrokenEdits) => return session.halt(&Halted::BrokenAnswer, NOTHING_MIGRATED),
    };
    let mut listed = BTreeSet::new();
    for one in &changes {
        let migration = one.migration;
        text.push_str(&one.waiting_text(&mut listed, migrate.is_partial));
        if let Some(binding) = &migration.application.request.configuration.binding
            && one.keeps_dialect
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
        return session.refuse(problems, NOTHING_WRITTEN);
    }
    session.write_text(Exit::Done, &sanitize::without_ci_commands(&text))
}

/// Conceals changes of a file unless all applications that read it make and show them: one that
/// does not make a change says nothing about its line.
fn conceal_shared(migrations: &mut [Migration]) {
    #[derive(Default)]
    struct Known {
        applications: usize,
        /// How many of them show the change that starts there.
        shown: BTreeMap<u32, usize>,
    }
    let mut all: BTreeMap<PathBuf, Known> = BTreeMap::new();
    for one in &*migrations {
        for (source, changes) in one.application.sources().iter().zip(&one.migrated.changes) {
            let known = all.entry(shared_path(source).to_path_buf()).or_default();
            known.applications += 1;
            for change in changes.iter().filter(|change| !change.conceal) {
                *known.shown.entry(change.edit.start).or_default() += 1;
            }
        }
    }
    for one in migrations {
        let sources = one.application.sources().iter();
        for (source, changes) in sources.zip(&mut one.migrated.changes) {
            let Some(known) = all.get(shared_path(source)) else {
                continue;
            };
            for change in changes {
                let shown = known.shown.get(&change.edit.start).copied();
                change.conceal |= shown.unwrap_or_default() < known.applications;
            }
        }
    }
}

/// Makes changes wait for those of other applications to the same files.
fn wait_for_others(all: &mut [Changes<'_>]) {
    loop {
        let waiting: BTreeSet<_> = all.iter().flat_map(Changes::waiting_paths).collect();
        let mut is_done = true;
        for one in &mut *all {
            is_done &= !one.wait_for(&waiting);
        }
        if is_done {
            return;
        }
    }
}

/// Returns how many warnings there are about what is not migrated.
fn left(migration: &Migration) -> usize {
    let left = &migration.migrated.left;
    let warnings = left
        .diagnostics
        .iter()
        .filter(|found| found.severity == Severity::Warning);
    warnings.count() + usize::try_from(left.omitted.warnings).unwrap_or(usize::MAX)
}

/// Whether the dialect of the Binding may change: a reference of the old one that is left, in
/// these manifests or in others of the Binding, would become text. `is_shared`: a flag names
/// it, so that it may be that of other manifests, too.
fn changes_binding(migration: &Migration, is_shared: bool) -> bool {
    let mut sources = migration.application.sources().iter();
    let is_whole = sources.all(|source| source.target.is_some());
    is_whole && !is_shared && left(migration) == 0
}

/// What changes in the files of an application.
struct Changes<'a> {
    migration: &'a Migration,
    /// One for each file.
    contents: Vec<Content>,
    binding: Content,
    /// Whether the Binding would have to change, and does not.
    keeps_dialect: bool,
    waiting: Waiting,
}

impl<'a> Changes<'a> {
    fn of(migration: &'a Migration, is_shared: bool, is_partial: bool) -> Self {
        let Migrated {
            changes, binding, ..
        } = &migration.migrated;
        let contents = changes.iter().map(|changes| {
            let edits = changes.iter().map(|change| EditRef::from(&change.edit));
            Content::Edited(edits.collect())
        });
        let keeps_dialect = !binding.is_empty() && !changes_binding(migration, is_shared);
        Self {
            migration,
            contents: contents.collect(),
            binding: Content::Edited(binding.clone()),
            keeps_dialect,
            waiting: Waiting::of(migration, keeps_dialect, is_partial),
        }
    }

    /// Returns the files that would be written: the manifests, except those that wait if the
    /// migration `is_partial`, and the Binding.
    fn files(&self, is_partial: bool) -> Vec<MigratedFile<'_>> {
        let Migration {
            application,
            migrated,
            ..
        } = self.migration;
        let mut files = Vec::new();
        for (nth, file) in application.edited(&self.contents).enumerate() {
            let waits = is_partial && self.waiting.files.contains(&nth);
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
            && !self.keeps_dialect
        {
            files.push(MigratedFile {
                path: &binding.path,
                real_path: Path::new(&binding.path).canonicalize().ok(),
                original: &binding.content,
                content: &self.binding,
                concealed: vec![false; migrated.binding.len()],
            });
        }
        files
    }

    fn is_changed(&self, file: usize) -> bool {
        let changes = self.migration.migrated.changes.get(file);
        changes.is_some_and(|changes| !changes.is_empty())
    }

    /// Returns the paths of the files that wait.
    fn waiting_paths(&self) -> impl Iterator<Item = &'a Path> {
        let sources = self.migration.application.sources().iter().enumerate();
        let waiting = sources.filter(|(nth, _)| self.waiting.files.contains(nth));
        waiting.map(|(_, source)| shared_path(source))
    }

    /// Makes changes wait if their file is one of those that wait, and then all of a Binding,
    /// which keeps its dialect. Returns whether more of them wait than before.
    fn wait_for(&mut self, waiting: &BTreeSet<&Path>) -> bool {
        let sources = self.migration.application.sources();
        let more: Vec<usize> = (sources.iter().enumerate())
            .filter(|(nth, source)| self.is_changed(*nth) && waiting.contains(shared_path(source)))
            .map(|(nth, _)| nth)
            .filter(|nth| !self.waiting.files.contains(nth))
            .collect();
        let is_more = !more.is_empty();
        self.waiting.files.extend(more);
        if is_more && !self.migration.migrated.binding.is_empty() {
            self.keeps_dialect = true;
            self.waiting.files.extend(0..sources.len());
            self.waiting.why = Waiting::FOR_BINDING;
        }
        is_more
    }

    /// Returns a line for each file with changes that wait, unless it is `listed`.
    fn waiting_text(&self, listed: &mut BTreeSet<&'a Path>, is_partial: bool) -> String {
        let mut text = String::new();
        let flag = if is_partial { "" } else { "with --partial, " };
        let sources = self.migration.application.sources().iter().enumerate();
        for (nth, source) in sources {
            if self.waiting.files.contains(&nth)
                && self.is_changed(nth)
                && listed.insert(shared_path(source))
            {
                let path = sanitize::line(&source.display_path);
                text.push_str(&format!("{flag}{path} waits {}\n", self.waiting.why));
            }
        }
        text
    }
}

/// Which changes of a partial migration wait, because a file is rendered in one dialect.
struct Waiting {
    /// The positions of the files, even of those without changes.
    files: BTreeSet<usize>,
    why: &'static str,
}

impl Waiting {
    const FOR_BINDING: &str = "until all manifests of its Binding are migrated";

    /// Files wait if some of them is not migrated, and all do if their Binding keeps the other
    /// dialect.
    fn of(migration: &Migration, keeps_dialect: bool, is_partial: bool) -> Self {
        let Migration {
            application,
            migrated,
            ..
        } = migration;
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
            files: (0..application.files().len())
                .filter(|file| !is_complete && (all || left.contains(file)))
                .collect(),
            why: if keeps_dialect {
                Self::FOR_BINDING
            } else {
                "until all of it is migrated"
            },
        }
    }
}

fn changed<'a>(file: &'a MigratedFile<'_>) -> Changed<'a> {
    Changed {
        display_path: file.path,
        real_path: file.real_path.as_deref(),
        original: file.original,
        edited: Spliced::new(file.original, file.content),
    }
}
