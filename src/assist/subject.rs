//! What a reference names: a bound name, an output, or something in its value.

use crate::functions::target_of;
use crate::outputs::Bindings;
use crate::reference::{Path, Step};

/// A bound name, an output, or a key in its value.
///
/// # Examples
/// ```
/// let output = landfall::Subject { name: "infra".into(), path: vec!["vpc_id".into()] };
/// assert_eq!(output.to_string(), "infra.vpc_id");
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Subject {
    /// The bound name: `infra` in `${infra.vpc_id}`.
    pub name: String,
    /// The output, then keys and indexes in its value; empty for the bound name.
    pub path: Vec<String>,
}

impl std::fmt::Display for Subject {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Some((output, keys)) = self.path.split_first() else {
            return f.write_str(&self.name);
        };
        let mut path = Path::new(Some(self.name.clone()), output);
        for key in keys {
            path.segments.extend(Path::new(None, key).segments);
        }
        f.write_str(&path.display())
    }
}

impl Subject {
    /// Returns whether a path leads through it. A path without a bound name leads through none,
    /// although its output has one.
    pub(super) fn is_in(&self, path: &Path, bindings: &Bindings) -> bool {
        let Some((output, keys)) = self.path.split_first() else {
            return path.binding.as_ref() == Some(&self.name);
        };
        let is_output = match &path.binding {
            Some(name) => {
                let mut segments = path.segments.iter();
                *name == self.name
                    && segments
                        .next()
                        .is_some_and(|first| is_key(&first.step, output))
            }
            None => target_of(path, bindings)
                .is_some_and(|target| target.binding == self.name && target.output == *output),
        };
        let steps = path.segments.iter().skip(1).map(|segment| &segment.step);
        is_output
            && path.segments.len() >= self.path.len()
            && keys.iter().zip(steps).all(|(key, step)| is_key(step, key))
    }
}

fn is_key(step: &Step, key: &str) -> bool {
    *step != Step::Splat && step.key() == key
}
