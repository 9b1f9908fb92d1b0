//! Cleanup when a signal ends the run while files are staged.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};

/// State that must be cleaned up when the run ends early.
pub(super) trait Discard: Send + 'static {
    /// Removes everything that was created.
    fn discard(&mut self);
}

/// Locks the shared state. While it is locked, no signal ends the run.
pub(super) fn lock<T: ?Sized>(shared: &Arc<Mutex<T>>) -> MutexGuard<'_, T> {
    shared.lock().unwrap_or_else(PoisonError::into_inner)
}

/// What a signal discards, as long as it exists.
#[cfg(unix)]
type Discarded = Weak<Mutex<dyn Discard>>;

/// Everything that a signal discards. None: no handlers are installed yet.
#[cfg(unix)]
static DISCARDED: Mutex<Option<Vec<Discarded>>> = Mutex::new(None);

/// Installs handlers for the signals that terminate the program: they wait for the lock
/// of `shared`, discard it, and then terminate the program as usual. There is one thread for
/// all calls, because a fleet writes thousands of folders.
#[cfg(unix)]
pub(super) fn discard_on_signals<T: Discard>(shared: &Arc<Mutex<T>>) -> std::io::Result<()> {
    let shared: Weak<Mutex<T>> = Arc::downgrade(shared);
    let mut discarded = DISCARDED.lock().unwrap_or_else(PoisonError::into_inner);
    let all = match &mut *discarded {
        Some(all) => all,
        none => {
            install()?;
            none.insert(Vec::new())
        }
    };
    all.retain(|other| other.strong_count() > 0);
    all.push(shared);
    Ok(())
}

#[cfg(unix)]
fn install() -> std::io::Result<()> {
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
    let thread = std::thread::Builder::new().name("signals".to_owned());
    thread.spawn(move || {
        if let Some(signal) = signals.forever().next() {
            let discarded = DISCARDED.lock().unwrap_or_else(PoisonError::into_inner);
            let all: Vec<_> = discarded
                .iter()
                .flatten()
                .filter_map(Weak::upgrade)
                .collect();
            // Locked until the program ends, so that nothing is created meanwhile.
            let mut locked: Vec<_> = all.iter().map(lock).collect();
            for shared in &mut locked {
                shared.discard();
            }
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
