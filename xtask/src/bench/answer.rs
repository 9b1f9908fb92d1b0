//! Whether a program wrote the right output.

use std::fs::File;
use std::io::{BufRead, BufReader, Read};
use std::path::Path;

use anyhow::{Context, Result, bail};

use super::contenders::{Answer, Contender};
use super::inputs::{Dialect, Input, Inputs};

/// Checks the file that `contender` wrote, in pieces (see
/// [`super::measure::Sample::peak`]).
///
/// # Errors
/// It is not the right output: a time for different work is meaningless.
pub(super) fn check(
    contender: &Contender,
    input: &Input,
    inputs: &Inputs,
    output: &Path,
) -> Result<()> {
    let checked = match contender.kind.answer() {
        Answer::Copy => same(output, &input.file(contender.kind.dialect())),
        Answer::Expected => same(output, &input.file(Dialect::Expected)),
        Answer::Rewritten => without_references(output, inputs),
    };
    checked.with_context(|| {
        format!(
            "the answer of {} for {} is wrong",
            contender.kind.name(),
            input.name
        )
    })
}

/// Fails at the first byte that differs.
fn same(output: &Path, expected: &Path) -> Result<()> {
    let (mut ours, mut theirs) = (open(output)?, open(expected)?);
    let mut offset = 0;
    loop {
        let (left, right) = (ours.fill_buf()?, theirs.fill_buf()?);
        let length = left.len().min(right.len());
        if let Some(at) = (0..length).find(|&at| left[at] != right[at]) {
            bail!(
                "{} and {} differ at byte {}",
                output.display(),
                expected.display(),
                offset + at
            );
        }
        if length == 0 {
            if left.len() == right.len() {
                return Ok(());
            }
            bail!(
                "{} and {}: one ends at byte {offset}",
                output.display(),
                expected.display()
            );
        }
        offset += length;
        ours.consume(length);
        theirs.consume(length);
    }
}

/// Fails if the name of an output occurs in `${…}`, or nothing was written.
fn without_references(output: &Path, inputs: &Inputs) -> Result<()> {
    let references: Vec<String> = inputs
        .outputs
        .all()
        .iter()
        .map(|output| format!("${{{}}}", output.variable))
        .collect();
    let mut lines = 0_usize;
    for line in open(output)?.lines() {
        let line = line.with_context(|| format!("reading {}", output.display()))?;
        lines += 1;
        if line.contains("${")
            && let Some(reference) = references
                .iter()
                .find(|reference| line.contains(*reference))
        {
            bail!("{}:{lines}: {reference} is still there", output.display());
        }
    }
    if lines == 0 {
        bail!("{} is empty", output.display());
    }
    Ok(())
}

fn open(path: &Path) -> Result<BufReader<impl Read>> {
    let file = File::open(path).with_context(|| format!("reading {}", path.display()))?;
    Ok(BufReader::with_capacity(64 << 10, file))
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::same;

    #[test]
    fn reports_the_first_difference() {
        let folder = std::env::temp_dir().join(format!("landfall-answer-{}", std::process::id()));
        fs::create_dir_all(&folder).unwrap();
        let long = "x".repeat(200_000);
        let check = |left: &str, right: &str, expect: Option<&str>| {
            let (a, b) = (folder.join("a"), folder.join("b"));
            fs::write(&a, left).unwrap();
            fs::write(&b, right).unwrap();
            let found = same(&a, &b).err().map(|error| error.to_string());
            match (&found, expect) {
                (None, None) => {}
                (Some(found), Some(expect)) if found.ends_with(expect) => {}
                _ => panic!("{found:?} instead of {expect:?}"),
            }
        };
        check("", "", None);
        check(&long, &long, None);
        check(&long, &format!("{long}y"), Some("one ends at byte 200000"));
        check(
            &format!("{long}z"),
            &format!("{long}y"),
            Some("differ at byte 200000"),
        );
        fs::remove_dir_all(&folder).unwrap();
    }
}
