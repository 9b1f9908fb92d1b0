//! Cleanup when a signal ends the run while files are staged.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// State that must be cleaned up when the run ends early.
pub(super) trait Discard: Send + 'static {
    /// Removes everything that was created.
    fn discard(&mut self);
}

/// Locks the shared state. While it is locked, no signal ends the run.
pub(super) fn lock<T>(shared: &Arc<Mutex<T>>) -> MutexGuard<'_, T> {
    shared.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Installs handlers for the signals that terminate the program: they wait for the lock
/// of `shared`, discard it, and then terminate the program as usual.
#[cfg(unix)]
pub(super) fn discard_on_signals<T: Discard>(shared: &Arc<Mutex<T>>) -> std::io::Result<()> {
    use signal_hook::consts::{SIGHUP, SIGINT, SIGQUIT, SIGTERM};
    use signal_hook::iterator::Signals;
    use signal_hook::low_level::emulate_default_handler;

    let ignored = ignored();
    // A signal that the parent ignores, as `nohup` does, stays ignored.
    let is_handled = |signal: &&i32| ignored & (1 << (**signal - 1)) == 0;
    let signals = [SIGHUP, SIGINT, SIGQUIT, SIGTERM];
    let mut signals = Signals::new(signals.iter().filter(is_handled))?;
    // Exceeding the file size limit must be an error that is reported, not a signal.
    let exceeded = rustix::process::Signal::XFSZ.as_raw();
    signal_hook::flag::register(exceeded, Arc::default())?;
    let shared = Arc::clone(shared);
    let thread = std::thread::Builder::new().name("signals".to_owned());
    thread.spawn(move || {
        if let Some(signal) = signals.forever().next() {
            let mut shared = lock(&shared);
            shared.discard();
            let _ = emulate_default_handler(signal);
            std::process::exit(128 + signal);
        }
    })?;
    Ok(())
}

#[cfg(not(unix))]
pub(super) fn discard_on_signals<T: Discard>(_: &Arc<Mutex<T>>) -> std::io::Result<()> {
    Ok(())
}

/// Returns the ignored signals as a bit mask (proc(5)), or 0 where it is unknown.
#[cfg(unix)]
fn ignored() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let mask = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    mask.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok())
        .unwrap_or(0)
}
