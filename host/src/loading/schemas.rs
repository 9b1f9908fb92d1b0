//! Loads the CustomResourceDefinitions that `spec.schemas` names: sources that define the types
//! of fields, and are not written.

use std::path::Path;

use landfall_sandbox::types::{File, NamedFile, Plan, SchemaFile};

use crate::engine::Halted;
use crate::files::Root;
use crate::paths;
use crate::problem::{Problem, named_here};
use crate::rendered::Source;

use super::load::Loader;

impl Loader<'_> {
    /// Adds the schemas of the Binding in `folder`, relative to the root. A file that is a
    /// manifest of the application too is added once.
    pub(crate) fn schemas(
        &mut self,
        plan: &Plan,
        root: &Root,
        folder: &Path,
        display_path: &str,
    ) -> Result<(), Halted> {
        let mut schemas = Vec::new();
        for schema in &plan.schemas {
            if self.is_full() {
                break;
            }
            let path_in_root = folder.join(&schema.path);
            let shown = paths::join(display_path, &schema.path);
            let inside = root.inside(&path_in_root);
            let path = paths::for_module(inside.as_deref().unwrap_or(&path_in_root));
            let mut loaded = self.loaded.application.files().iter();
            if let Some(manifest) = loaded.find(|file| file.path == path) {
                let content = manifest.content.clone();
                schemas.push(opened(schema, shown, content));
                continue;
            }
            let content = match root.read(&path_in_root, self.budget) {
                Ok(content) => content,
                Err(error) => {
                    let place = named_here(schema.start, schema.end);
                    self.report(Problem::manifest(&shown, &error).at(place));
                    continue;
                }
            };
            schemas.push(opened(schema, shown.clone(), content.clone()));
            let source = Source {
                display_path: shown,
                target: None,
                real_path: None,
                id: None,
            };
            let application = &mut self.loaded.application;
            application.add(File { path, content }, source);
        }
        if !schemas.is_empty() {
            let configuration = &self.loaded.application.request.configuration;
            let mut found = (self.plugin.check_schemas(&schemas, configuration))?.diagnostics;
            self.loaded.findings.diagnostics.append(&mut found);
        }
        Ok(())
    }
}

/// Returns an opened schema. `path` is its path in diagnostics.
fn opened(schema: &NamedFile, path: String, content: Vec<u8>) -> SchemaFile {
    SchemaFile {
        file: File { path, content },
        start: schema.start,
        end: schema.end,
    }
}
