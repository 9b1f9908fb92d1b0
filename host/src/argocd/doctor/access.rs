//! What the current user may do with a file.

use std::path::Path;

#[cfg(unix)]
pub(super) fn is_executable(path: &Path) -> bool {
    path.is_file() && rustix::fs::access(path, rustix::fs::Access::EXEC_OK).is_ok()
}

#[cfg(unix)]
pub(super) fn is_writable(folder: &Path) -> bool {
    use rustix::fs::Access;
    rustix::fs::access(folder, Access::WRITE_OK | Access::EXEC_OK).is_ok()
}

#[cfg(unix)]
pub(super) fn owner(path: &Path) -> Option<u32> {
    use std::os::unix::fs::MetadataExt;
    Some(path.metadata().ok()?.uid())
}

/// Returns whether a server listens on a socket. None: unknown on this platform.
#[cfg(unix)]
pub(super) fn listens(socket: &Path) -> Option<bool> {
    Some(std::os::unix::net::UnixStream::connect(socket).is_ok())
}

#[cfg(not(unix))]
pub(super) fn is_executable(path: &Path) -> bool {
    path.is_file()
}

#[cfg(not(unix))]
pub(super) fn is_writable(folder: &Path) -> bool {
    folder.is_dir()
}

#[cfg(not(unix))]
pub(super) fn owner(_: &Path) -> Option<u32> {
    None
}

#[cfg(not(unix))]
pub(super) fn listens(_: &Path) -> Option<bool> {
    None
}
