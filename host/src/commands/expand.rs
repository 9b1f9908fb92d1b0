//! `landfall expand`: writes the Applications that ApplicationSets make.

use std::collections::BTreeSet;
use std::io;
use std::path::Path;

use landfall_sandbox::types::{ExpandedApplication, File};

use crate::draw::{Document, Documents};
use crate::engine::Engine;
use crate::exit::Exit;
use crate::files::Budget;
use crate::loading::read_manifest_files;
use crate::rendered::may_be_secret;
use crate::reporter::Failed;
use crate::settings::Expand;
use crate::splice::Spliced;
use crate::stream::Stream;

use super::inputs::{STDIN, counted};
use super::session::Session;
use super::write::{NOTHING_WRITTEN, Output, into_folder};

/// The outcome of a run with errors.
const NOTHING_EXPANDED: &str = "nothing was expanded";

pub(super) fn run(mut session: Session, expand: &Expand) -> Exit {
    let applications = match expanded(&mut session, expand) {
        Err(failed) => return session.end(&failed, NOTHING_EXPANDED),
        Ok(applications) => applications,
    };
    let count = counted(applications.len(), "Application", "Applications");
    session.reporter.remark(&format!("expanded {count}"));
    match &expand.output_dir {
        Some(folder) => write_folder(session, &applications, folder, expand.prune),
        None => write_stream(session, &applications),
    }
}

/// Returns the Applications.
fn expanded(session: &mut Session, expand: &Expand) -> Result<Vec<ExpandedApplication>, Failed> {
    let stdin_name = expand.stdin_name.as_deref().unwrap_or(STDIN);
    let mut budget = Budget::new(session.limits.input);
    let mut problems = Vec::new();
    let mut read =
        |paths, flag| read_manifest_files(paths, flag, stdin_name, &mut budget, &mut problems);
    let files = read(&expand.paths, None);
    let clusters = read(&expand.clusters, Some("--clusters"));
    session.add_problems(problems);
    session.reporter.check()?;
    let engine = Engine::embedded(session.limits)?;
    let _watch = engine.watch();
    let mut plugin = engine.start()?;
    let documents = Documents {
        manifests: files.iter().map(document).collect(),
        outputs: clusters.iter().map(document).collect(),
        ..Documents::default()
    };
    let reporter = &mut session.reporter;
    match plugin.expand(&files, &clusters)? {
        Ok(expanded) => {
            reporter.add_findings(&documents, &expanded.findings);
            reporter.check()?;
            Ok(expanded.applications)
        }
        Err(found) => Err(reporter.fail(&documents, found)?.into()),
    }
}

fn document(file: &File) -> Document<'_> {
    Document {
        path: &file.path,
        content: &file.content,
    }
}

/// Writes all Applications as one stream to standard output.
fn write_stream(session: Session, applications: &[ExpandedApplication]) -> Exit {
    let size = applications.iter().map(|one| one.content.len() + 4).sum();
    session.write(size, |out| {
        let mut stream = Stream::new(out);
        for application in applications {
            stream.write(Spliced::unedited(&application.content))?;
        }
        stream.finish()
    })
}

/// Writes a file for each Application: `NAME.yaml`, in a folder for each namespace if there
/// are several.
fn write_folder(
    mut session: Session,
    applications: &[ExpandedApplication],
    folder: &Path,
    prune: bool,
) -> Exit {
    let namespaces: BTreeSet<&str> = applications
        .iter()
        .map(|one| one.namespace.as_str())
        .collect();
    let outputs = applications.iter().map(|one| Output {
        path: if namespaces.len() > 1 && !one.namespace.is_empty() {
            format!("{}/{}.yaml", one.namespace, one.name).into()
        } else {
            format!("{}.yaml", one.name).into()
        },
        content: if is_file_name(&one.name) {
            Ok(Spliced::unedited(&one.content))
        } else {
            Err(io::Error::other("the name cannot be that of a file"))
        },
        is_sensitive: may_be_secret(Spliced::unedited(&one.content)),
    });
    match into_folder(folder, outputs, Vec::new(), prune) {
        Ok(kept) => {
            session.add_problems(kept);
            session.done()
        }
        Err(problems) => session.refuse(problems, NOTHING_WRITTEN),
    }
}

/// Returns whether a name is one segment of a path: it may be a value of a cluster.
fn is_file_name(name: &str) -> bool {
    !name.starts_with('.') && !name.contains(['/', '\\', '\0'])
}
