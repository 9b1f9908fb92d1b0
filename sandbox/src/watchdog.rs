//! The time limit.

use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

/// Calls `on_timeout` in a new thread after `limit`. The callback is expected to end the
/// process, because a thread that runs a plugin cannot be stopped in another way.
///
/// If the thread cannot be created, `on_timeout` is called immediately, so that nothing runs
/// without a limit.
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
    // Shared, because the closure is dropped if the thread cannot be created.
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
