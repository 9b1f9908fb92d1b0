//! The outputs that Terraform code declares, for the commands that read it.

use crate::draw::{Document, Documents};
use crate::engine::watch;
use crate::files::Budget;
use crate::reporter::ErrorReported;
use crate::settings::TerraformFolder;
use crate::terraform::{self, Declared};

use super::session::Session;

/// Reads several folders. The process ends after the limit of time, because hcl-edit takes quadratic
/// time for the keys of a large object.
///
/// # Errors
/// An error was reported: one of them cannot be read.
pub(super) fn read_all(
    session: &mut Session,
    folders: &[TerraformFolder],
    flag: &'static str,
    budget: &mut Budget,
) -> Result<Vec<Declared>, ErrorReported> {
    let mut all = Vec::new();
    let time = session.limits.time;
    let _watch = (!folders.is_empty()).then(|| {
        let message = format!("reading Terraform code exceeded the limit of {time:?} (--max-time)");
        watch(time, message)
    });
    for folder in folders {
        match terraform::read(folder, flag, budget) {
            Ok(declared) => all.push(declared),
            Err(unreadable) => {
                let documents = Documents {
                    outputs: unreadable.files.iter().map(Document::from).collect(),
                    ..Documents::default()
                };
                session.reporter.add(&documents, &unreadable.diagnostics);
            }
        }
    }
    session.reporter.check()?;
    Ok(all)
}
