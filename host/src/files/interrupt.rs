//! Signals that end a run while files wait to be put into place.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// What has to be undone when the run ends early.
pub(super) trait Discard: Send + 'static {
    /// Leaves nothing behind.
    fn discard(&mut self);
}

/// Locks what the signals' thread discards. While it is locked no signal ends the run.
pub(super) fn lock<T>(shared: &Arc<Mutex<T>>) -> MutexGuard<'_, T> {
    shared.lock().unwrap_or_else(PoisonError::into_inner)
}

/// From now on, a signal that asks the program to end waits until `shared` is not
/// locked, discards it, and then ends the program as it would have without this.
#[cfg(unix)]
pub(super) fn discard_on_signals<T: Discard>(shared: &Arc<Mutex<T>>) -> std::io::Result<()> {
    use signal_hook::consts::{SIGHUP, SIGINT, SIGQUIT, SIGTERM};
    use signal_hook::iterator::Signals;
    use signal_hook::low_level::emulate_default_handler;

    let ignored = ignored();
    // A shell that ignores a signal, as `nohup` does, wants the program to ignore it.
    let is_handled = |signal: &&i32| ignored & (1 << (**signal - 1)) == 0;
    let signals = [SIGHUP, SIGINT, SIGQUIT, SIGTERM];
    let mut signals = Signals::new(signals.iter().filter(is_handled))?;
    // Writing beyond a limit of file sizes shall be an error that is reported.
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

/// The signals that are ignored, a bit for each, where the system tells (proc(5)).
#[cfg(unix)]
fn ignored() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let mask = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    mask.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok())
        .unwrap_or(0)
}
