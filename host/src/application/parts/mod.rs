//! Distributes the manifests of a large application across threads, each with an instance of
//! the module. The result is that of one instance.
//!
//! A part is a run of whole files, or of whole documents of a file (`divide`). The module
//! knows what crosses from one part to another, and renders no part where anything may:
//! `parts` in `wit/`, and `contract/sources/part.rs` of the module. Then, and for everything
//! unexpected, there is no answer here, and the caller renders everything in one instance,
//! which reports all errors and exceeded limits. `--max-time` is for both renders together.

mod divide;
mod join;
#[cfg(test)]
mod tests;

use std::sync::Mutex;

use landfall_sandbox::types::{Detail, File, RenderedPart};

use crate::engine::{Answer, Engine, Plugin, Request};
use crate::loading::Job;
use crate::rendered::Application;

use super::threads::{Queue, into_inner, locked, run_in};

use divide::{Slice, divide};
use join::{join, unused_in_all};

/// The size in bytes from which sources are divided. A thread with an instance takes a
/// fraction of a millisecond to start, as long as 1 MB with few references takes to render;
/// with many it takes ten times as long or more.
const MIN_SHARED: usize = 1 << 20;

/// The size of the parts at most, unless these would be too many. Smaller parts take turns
/// in the memory of an instance and balance the threads, and each reads the outputs documents
/// again.
const PART_SIZE: usize = 1 << 20;

/// How many times the size of the largest part an instance may need in memory.
const MEMORY_FACTOR: usize = 16;

/// How many times the size of the outputs documents a part has at least.
const OUTPUTS_FACTOR: usize = 8;

/// What a text with a CustomResourceDefinition contains. The module declines it in any case;
/// this is only found out earlier here.
const DEFINITION: &[u8] = b"CustomResourceDefinition";

/// The keys of a Binding with which the module declines parts. As above: reading a large
/// Binding once more for each part takes long.
const CROSSING_KEYS: [&[u8]; 2] = [b"substitutions", b"embedded"];

/// Renders an application in several instances of the module. `plugin` is idle meanwhile.
/// Returns `None` if it is not worth it, or if one instance has to render everything.
pub(super) fn render(
    job: &Job<'_>,
    engine: &Engine,
    plugin: &mut Plugin,
    application: &Application,
) -> Option<Answer> {
    let (files, request) = (application.files(), &application.request);
    let is_whole = job.declared.is_empty();
    let size: usize = files.iter().map(|file| file.content.len()).sum();
    if size < MIN_SHARED || !is_whole || request.inputs.detail != Detail::Diagnostics {
        return None;
    }
    let binding = request.configuration.binding.as_ref();
    let crosses = |key: &&[u8]| {
        binding.is_some_and(|binding| memchr::memmem::find(&binding.content, key).is_some())
    };
    if CROSSING_KEYS.iter().any(crosses) {
        return None;
    }
    let threads = job.jobs();
    let defines = |file: &File| memchr::memmem::find(&file.content, DEFINITION).is_some();
    if threads < 2 || files.iter().any(defines) {
        return None;
    }
    let outputs: usize = request
        .inputs
        .documents
        .iter()
        .map(|one| one.content.len())
        .sum();
    // Each thread renders as many: one that is left over would be rendered alone.
    let count = size.div_ceil(PART_SIZE).next_multiple_of(threads);
    let parts = divide(
        files,
        size.div_ceil(count)
            .max(outputs.saturating_mul(OUTPUTS_FACTOR)),
    );
    let largest = parts.iter().map(|part| size_of_part(part)).max()?;
    let memory = largest.saturating_mul(MEMORY_FACTOR).max(1) as u64;
    let instances = usize::try_from(job.limits.memory / memory).unwrap_or(usize::MAX);
    // One instance is idle.
    let threads = threads.min(instances.saturating_sub(1));
    render_parts(engine, plugin, (files, &parts), request, threads)
}

/// Renders these parts of `files` in up to `threads` threads.
fn render_parts(
    engine: &Engine,
    plugin: &mut Plugin,
    (files, parts): (&[File], &[Vec<Slice>]),
    request: &Request,
    threads: usize,
) -> Option<Answer> {
    let threads = threads.min(parts.len());
    if threads < 2 {
        return None;
    }
    let shared = Shared {
        files,
        request,
        parts,
        queue: Queue::new(0..parts.len()),
        rendered: Mutex::new(parts.iter().map(|_| None).collect()),
    };
    // The idle instance has its share of the memory, too.
    let work = || shared.run(engine, threads + 1);
    run_in(threads, "part", work, work);
    let rendered = into_inner(shared.rendered);
    let rendered = rendered.into_iter().collect::<Option<Vec<_>>>()?;
    let unused = unused_in_all(rendered.iter().map(|part| part.unused.as_slice()));
    let reported = if unused.is_empty() {
        Vec::new()
    } else {
        plugin.report_unused(request, &unused).ok()?
    };
    join(files, parts, rendered, reported)
}

fn size_of_part(part: &[Slice]) -> usize {
    part.iter().map(|slice| slice.bytes.len()).sum()
}

/// What the threads share.
struct Shared<'a> {
    files: &'a [File],
    request: &'a Request,
    parts: &'a [Vec<Slice>],
    /// Cleared if a part has no result: no other one is needed then.
    queue: Queue,
    rendered: Mutex<Vec<Option<RenderedPart>>>,
}

impl Shared<'_> {
    /// Renders parts in a new instance, with one of `shares` shares of the memory, until none
    /// is left.
    fn run(&self, engine: &Engine, shares: usize) {
        let Ok(mut plugin) = engine.start_one_of(shares) else {
            return self.queue.clear();
        };
        while let Some(nth) = self.queue.take() {
            let part = self.parts.get(nth);
            let Some(rendered) = part.and_then(|part| self.render(part, &mut plugin)) else {
                return self.queue.clear();
            };
            if let Some(slot) = locked(&self.rendered).get_mut(nth) {
                *slot = Some(rendered);
            }
        }
    }

    fn render(&self, part: &[Slice], plugin: &mut Plugin) -> Option<RenderedPart> {
        let file = |slice: &Slice| {
            let file = self.files.get(slice.file)?;
            Some(File {
                path: file.path.clone(),
                content: file.content.get(slice.bytes.clone())?.to_vec(),
            })
        };
        let files = part.iter().map(file).collect::<Option<Vec<_>>>()?;
        let parts = u32::try_from(self.parts.len()).ok()?;
        let rendered = plugin.render_part(&files, self.request, parts);
        rendered.ok().flatten()
    }
}
