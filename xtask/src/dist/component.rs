//! The component and its ahead-of-time compiled form, made by `xtask/forge`.

use std::path::Path;
use std::process::Command;

use anyhow::Result;

use super::{COMPONENT, PRECOMPILED, files, forge, guest};
use crate::process::run;
use crate::workspace::Workspace;

/// Makes `dist/landfall.component.{wasm,cwasm}` from the core module by the program `forge`.
pub(super) fn make(workspace: &Workspace, core: &Path, forge: &Path) -> Result<()> {
    let made = guest::folder(workspace);
    let outputs = [made.join(COMPONENT), made.join(PRECOMPILED)];
    let stamp = forge::Stamp {
        path: made.join("component.stamp"),
        program: forge,
        core,
        outputs: &outputs,
    };
    if !stamp.is_current()? {
        run(Command::new(forge).arg(core).args(&outputs))?;
        stamp.write()?;
    }
    let [component, precompiled] = &outputs;
    files::install(component, &workspace.dist.join(COMPONENT))?;
    files::install(precompiled, &workspace.dist.join(PRECOMPILED))
}
