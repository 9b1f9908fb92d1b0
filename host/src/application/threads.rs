//! Work that several threads share.

use std::ops::Range;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::thread;

/// Items, by their indexes. Each is taken by one thread, in ascending order.
#[derive(Debug)]
pub(crate) struct Queue {
    next: AtomicUsize,
    end: usize,
}

impl Queue {
    pub(crate) const fn new(items: Range<usize>) -> Self {
        Self {
            next: AtomicUsize::new(items.start),
            end: items.end,
        }
    }

    /// Takes the next item, or returns `None` if none is left.
    pub(crate) fn take(&self) -> Option<usize> {
        let item = self.next.fetch_add(1, Ordering::Relaxed);
        (item < self.end).then_some(item)
    }

    /// Drops the items that are left.
    pub(crate) fn clear(&self) {
        self.next.store(self.end, Ordering::Relaxed);
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.next.load(Ordering::Relaxed) >= self.end
    }
}

/// Calls `own` in this thread and `other` in each other one of `threads`, and returns when
/// all are done. If a thread cannot be started, the others have more to do.
pub(crate) fn run_in(threads: usize, name: &str, other: impl Fn() + Sync, own: impl FnOnce()) {
    thread::scope(|scope| {
        for _ in 1..threads {
            let thread = thread::Builder::new().name(name.to_owned());
            let _ = thread.spawn_scoped(scope, &other);
        }
        own();
    });
}

pub(crate) fn locked<T>(shared: &Mutex<T>) -> MutexGuard<'_, T> {
    shared.lock().unwrap_or_else(PoisonError::into_inner)
}

pub(crate) fn into_inner<T>(shared: Mutex<T>) -> T {
    shared.into_inner().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use std::sync::Mutex;

    use super::{Queue, into_inner, locked, run_in};

    #[test]
    fn each_item_is_taken_once() {
        let queue = Queue::new(1..1_000);
        let taken = Mutex::new(Vec::new());
        let work = || {
            while let Some(item) = queue.take() {
                locked(&taken).push(item);
            }
        };
        run_in(3, "test", work, work);
        let mut taken = into_inner(taken);
        taken.sort_unstable();
        assert_eq!(taken, (1..1_000).collect::<Vec<_>>());
        assert!(queue.is_empty());
    }

    #[test]
    fn nothing_is_taken_from_a_cleared_queue() {
        let queue = Queue::new(0..3);
        assert_eq!(queue.take(), Some(0));
        queue.clear();
        assert!(queue.is_empty());
        assert_eq!(queue.take(), None);
    }
}
