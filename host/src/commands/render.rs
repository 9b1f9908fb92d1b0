//! `landfall render`: manifests to standard output or into a folder.

use std::io;
use std::path::{Path, PathBuf};

use landfall_sandbox::types::Detail;

use crate::application::{Refusal, Rendered};
use crate::draw::Documents;
use crate::exit::Exit;
use crate::files::OutputFolder;
use crate::settings::Inputs;
use crate::splice::BrokenEdits;
use crate::stream::Stream;

use super::inputs;
use super::session::Session;

/// What an error means here.
pub(super) const NOTHING: &str = "nothing was rendered";

pub(super) fn run(mut session: Session, inputs: &Inputs, output_dir: Option<PathBuf>) -> Exit {
    match inputs::render(
        &mut session,
        inputs,
        Detail::Diagnostics,
        output_dir.clone(),
    ) {
        Err(halted) => session.halt(&halted, NOTHING),
        Ok(_) if session.drawing.has_errors() => session.fail(NOTHING),
        Ok(rendered) => {
            session
                .drawing
                .remark(&format!("rendered {}", inputs::summary(&rendered)));
            match output_dir {
                None => write_stream(session, &rendered),
                Some(folder) => write_folder(session, &rendered, &folder),
            }
        }
    }
}

/// All files as one stream on standard output.
pub(super) fn write_stream(session: Session, rendered: &[Rendered]) -> Exit {
    let sources = rendered
        .iter()
        .flat_map(|rendered| &rendered.application.files);
    let size = sources
        .map(|file| file.content.len() + file.content.len() / 8 + 64)
        .sum();
    session.write(size, |out| {
        let mut stream = Stream::new(out);
        for (_, file) in rendered.iter().flat_map(Rendered::files) {
            stream.write(file.map_err(|BrokenEdits| io::ErrorKind::InvalidData)?)?;
        }
        stream.finish()
    })
}

fn write_folder(mut session: Session, rendered: &[Rendered], folder: &Path) -> Exit {
    let mut output = OutputFolder::new(folder);
    let mut refusals = Vec::new();
    for (path, file) in rendered.iter().flat_map(Rendered::files) {
        let file =
            file.map_err(|BrokenEdits| (folder.join(path), io::ErrorKind::InvalidData.into()));
        if let Err((path, error)) = file.and_then(|file| output.write(path, file)) {
            refusals.push((path, error));
        }
    }
    if refusals.is_empty() {
        match output.publish() {
            Ok(()) => return session.done(),
            Err(refusal) => refusals.push(refusal),
        }
    }
    let found: Vec<_> = refusals
        .into_iter()
        .map(|(path, error)| {
            Refusal::Output {
                path: path.to_string_lossy().into_owned(),
                error,
            }
            .into_diagnostic()
        })
        .collect();
    session.drawing.add(&Documents::default(), &found);
    session.fail("nothing was written")
}
