//! The time of modules whose calls return an error at the time limit.

use std::thread;
use std::time::Duration;

use wasmtime::Engine;

/// How often a module checks the time. A call ends at most this much after its limit.
const TICK: Duration = Duration::from_millis(10);

/// Starts the thread that counts the ticks of an engine. It ends when nothing uses the engine
/// any more.
///
/// # Errors
/// The thread cannot be created.
pub(crate) fn count(engine: &Engine) -> wasmtime::Result<()> {
    let engine = engine.weak();
    let count = move || {
        while let Some(engine) = engine.upgrade() {
            engine.increment_epoch();
            drop(engine);
            thread::sleep(TICK);
        }
    };
    thread::Builder::new().name("epochs".into()).spawn(count)?;
    Ok(())
}

/// Returns after how many ticks a limit has passed for certain: the first one may come at once.
pub(crate) fn ticks(limit: Duration) -> u64 {
    let ticks = limit.as_nanos().div_ceil(TICK.as_nanos());
    u64::try_from(ticks)
        .unwrap_or(u64::MAX / 2)
        .saturating_add(1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_limit_is_never_shortened() {
        assert_eq!(ticks(Duration::ZERO), 1);
        assert_eq!(ticks(Duration::from_millis(1)), 2);
        assert_eq!(ticks(Duration::from_millis(200)), 21);
        // Added to the current tick, it is no overflow.
        assert!(ticks(Duration::MAX) < u64::MAX - u64::from(u32::MAX));
    }
}
