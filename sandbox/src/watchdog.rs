//! The time limit of a process.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::thread;
use std::time::{Duration, Instant};

#[cfg(target_os = "linux")]
mod timer;

/// A guard for a time limit. Dropping it stops the clock.
#[derive(Debug)]
pub struct Watch {
    /// Set by whichever comes first, the limit or the end of the guard.
    is_over: &'static AtomicBool,
    limit: Duration,
    clock: Clock,
}

#[derive(Debug)]
enum Clock {
    /// Disarmed when it is dropped.
    #[cfg(target_os = "linux")]
    Timer(timer::Timer),
    Thread(&'static Deadline),
}

/// The end of a limit that a thread waits for.
#[derive(Debug)]
struct Deadline {
    start: Instant,
    /// In nanoseconds after `start`.
    end: AtomicU64,
    /// The longest time that the thread sleeps. Restarting the clock does not wake it, so it
    /// must not sleep beyond the end of a limit that begins meanwhile.
    max_sleep: Duration,
}

impl Deadline {
    fn new(limit: Duration) -> Self {
        let deadline = Self {
            start: Instant::now(),
            end: AtomicU64::new(0),
            max_sleep: limit,
        };
        deadline.restart(limit);
        deadline
    }

    fn restart(&self, limit: Duration) {
        let end = self.start.elapsed().saturating_add(limit);
        let end = u64::try_from(end.as_nanos()).unwrap_or(u64::MAX);
        self.end.store(end, Ordering::SeqCst);
    }

    /// Returns the time until the end must be checked again. None: it has passed.
    fn sleep(&self) -> Option<Duration> {
        let end = Duration::from_nanos(self.end.load(Ordering::SeqCst));
        let left = end.checked_sub(self.start.elapsed())?;
        (!left.is_zero()).then(|| left.min(self.max_sleep))
    }
}

/// A limit that never passes.
const NEVER: Duration = Duration::from_secs(u32::MAX as u64);

impl Watch {
    /// Starts the clock again, with the same limit.
    pub fn restart(&self) {
        self.set(self.limit);
    }

    /// Stops the clock until it is restarted.
    pub fn pause(&self) {
        self.set(NEVER);
    }

    fn set(&self, limit: Duration) {
        match &self.clock {
            #[cfg(target_os = "linux")]
            Clock::Timer(timer) => timer.restart(limit),
            Clock::Thread(deadline) => deadline.restart(limit),
        }
    }
}

/// Ends the process if `limit` passes before the guard is dropped: writes `message` to
/// standard error and exits with `code`. Nothing else is done: a module that is compiled for
/// [`crate::OnTimeout::EndProcess`] cannot be stopped in another way.
///
/// On Linux this is a POSIX timer, because starting and joining a thread takes about a tenth
/// of a small render (measured on Linux 6.18). Elsewhere, or if no timer can be created, it
/// is a thread; if that cannot be created either, the process ends immediately.
///
/// ```no_run
/// use landfall_sandbox::{Limits, Stopped, watch_wall_time};
///
/// let limit = Limits::default().wall_time;
/// let message = format!("landfall: {}\n", Stopped::WallTime { limit });
/// let watch = watch_wall_time(limit, message, 3);
/// // … call the plugin …
/// drop(watch);
/// ```
#[must_use]
pub fn watch_wall_time(limit: Duration, message: String, code: u8) -> Watch {
    #[cfg(target_os = "linux")]
    let message = match timer::Timer::start(limit, message, code) {
        Ok((timer, is_over)) => {
            return Watch {
                is_over,
                limit,
                clock: Clock::Timer(timer),
            };
        }
        Err(message) => message,
    };
    let (deadline, is_over) = watch_in_thread(limit, message, code);
    Watch {
        is_over,
        limit,
        clock: Clock::Thread(deadline),
    }
}

fn watch_in_thread(
    limit: Duration,
    message: String,
    code: u8,
) -> (&'static Deadline, &'static AtomicBool) {
    // Not freed, as that of a timer: the thread may outlive the guard.
    let deadline: &Deadline = Box::leak(Box::new(Deadline::new(limit)));
    let is_over: &AtomicBool = Box::leak(Box::new(AtomicBool::new(false)));
    // Shared, because the closure is dropped if the thread cannot be created.
    let end = Arc::new(move || {
        use std::io::Write;
        if !is_over.swap(true, Ordering::SeqCst) {
            let _ = std::io::stderr().write_all(message.as_bytes());
            std::process::exit(code.into());
        }
    });
    let end_in_thread = Arc::clone(&end);
    let thread = thread::Builder::new().name("wall-time".into());
    let spawned = thread.spawn(move || {
        while let Some(time) = deadline.sleep() {
            thread::park_timeout(time);
        }
        end_in_thread();
    });
    if spawned.is_err() {
        end();
    }
    (deadline, is_over)
}

impl Drop for Watch {
    fn drop(&mut self) {
        if self.is_over.swap(true, Ordering::SeqCst) {
            // The process is ending: write nothing more.
            loop {
                thread::park();
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_deadline_can_be_restarted() {
        let limit = Duration::from_secs(60);
        let deadline = Deadline::new(limit);
        deadline.restart(Duration::ZERO);
        assert_eq!(deadline.sleep(), None);
        deadline.restart(limit);
        assert!(deadline.sleep().is_some_and(|time| time > limit / 2));
        deadline.restart(Duration::MAX);
        assert!(deadline.sleep().is_some());
    }

    #[test]
    fn a_limit_that_follows_a_pause_is_noticed() {
        let limit = Duration::from_secs(60);
        let deadline = Deadline::new(limit);
        deadline.restart(NEVER);
        assert!(deadline.sleep().is_some_and(|time| time <= limit));
    }
}
