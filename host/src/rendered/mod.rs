//! The data of a render: the files of an application with their request, and the module's
//! answers. It is made by the application, and drawn by the reports.

mod application;
mod sensitive_files;
mod sensitive_marks;
mod sides;

pub(crate) use application::{Application, Rendered, Source, SourceFile, files};
pub(crate) use sensitive_files::may_be_secret;
pub(crate) use sensitive_marks::{may_be_marked, may_have_sensitive_outputs};
pub(crate) use sides::{BuiltTwice, RenderedTwice, Side, is_same};
