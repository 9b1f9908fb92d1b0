//! The wall-time limit.

use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

/// Calls `on_timeout` when `limit` has passed; until then nothing is done and
/// nothing is spent. The callback is expected to end the process: a thread that
/// is inside a plugin cannot be stopped otherwise.
///
/// When the system gives no thread, `on_timeout` is called at once: a run without
/// a limit is never started in silence.
///
/// ```no_run
/// use landfall_sandbox::{Limits, Stopped, watch_wall_time};
///
/// let limit = Limits::default().wall_time;
/// watch_wall_time(limit, move || {
///     eprintln!("landfall: {}", Stopped::WallTime { limit });
///     std::process::exit(3);
/// });
/// ```
pub fn watch_wall_time(limit: Duration, on_timeout: impl FnOnce() + Send + 'static) {
    let start = Instant::now();
    // Shared, because a thread that cannot be made drops what was given to it.
    let on_timeout = Arc::new(Mutex::new(Some(on_timeout)));
    let in_thread = Arc::clone(&on_timeout);
    let spawned = thread::Builder::new()
        .name("wall-time".into())
        .spawn(move || {
            while let Some(left) = limit
                .checked_sub(start.elapsed())
                .filter(|left| !left.is_zero())
            {
                thread::park_timeout(left);
            }
            call(&in_thread);
        });
    if spawned.is_err() {
        call(&on_timeout);
    }
}

fn call(on_timeout: &Mutex<Option<impl FnOnce()>>) {
    let on_timeout = on_timeout
        .lock()
        .unwrap_or_else(PoisonError::into_inner)
        .take();
    if let Some(on_timeout) = on_timeout {
        on_timeout();
    }
}
