//! Loads the CustomResourceDefinitions that `spec.schemas` names: sources that define the types
//! of fields, and are not written.

use std::path::Path;

use landfall_sandbox::types::{Diagnostic, File, Label, Origin, SchemaFile, Span};

use crate::engine::{Halted, errors};
use crate::files::Root;

use super::load::{Loader, Stop};
use super::paths;
use super::problem::Problem;

impl Loader<'_> {
    /// Adds the schemas of the Binding in `folder`, relative to the root. A file that is a
    /// manifest of the application too is added once.
    pub(super) fn schemas(
        &mut self,
        root: &Root,
        folder: &Path,
        display_path: &str,
    ) -> Result<(), Stop> {
        let Some(binding) = &self.loaded.application.request.binding else {
            return Ok(());
        };
        let schemas = match self.plugin.schemas(binding).map_err(Halted::from)? {
            Ok(schemas) => schemas,
            Err(found) => {
                self.loaded.findings = errors(found)?;
                return Err(Stop::Reported);
            }
        };
        for schema in schemas {
            if self.is_full() {
                break;
            }
            let path_in_root = folder.join(&schema.path);
            let shown = paths::join(display_path, &schema.path);
            let inside = root.inside(&path_in_root);
            let path = paths::for_module(inside.as_deref().unwrap_or(&path_in_root));
            let mut loaded = self.loaded.application.files.iter();
            if loaded.any(|file| file.path == path) {
                continue;
            }
            match root.read(&path_in_root, self.budget) {
                Ok(content) => self.add(File { path, content }, None, shown, None),
                Err(error) => self.report(Problem::Schema {
                    schema: Box::new(schema),
                    path: shown,
                    error,
                }),
            }
        }
        Ok(())
    }
}

/// Returns the diagnostic of a schema that cannot be read, with its location in the Binding.
pub(super) fn unreadable(found: Diagnostic, schema: &SchemaFile) -> Diagnostic {
    let span = Span {
        origin: Origin::Binding,
        start: schema.start,
        end: schema.end,
    };
    let label = Label {
        span,
        message: "named here".to_owned(),
        conceal: false,
    };
    Diagnostic {
        labels: vec![label],
        ..found
    }
}
