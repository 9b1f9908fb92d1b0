//! A timer of the kernel, which ends the process from a signal handler.

use std::ffi::c_void;
use std::mem::MaybeUninit;
use std::ptr;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, AtomicPtr, Ordering};
use std::time::Duration;

/// An armed timer, disarmed when it is dropped.
#[derive(Debug)]
pub(super) struct Timer(libc::timer_t);

// SAFETY: a timer belongs to the process and is not bound to a thread.
unsafe impl Send for Timer {}
// SAFETY: as above, and any thread may call `timer_settime`.
unsafe impl Sync for Timer {}

/// What the signal handler does. It is never freed, because the signal may arrive after the
/// timer was deleted.
struct End {
    is_over: AtomicBool,
    message: String,
    code: u8,
    /// The one that was created before it.
    previous: *const End,
}

/// The last one that was created.
static LAST: AtomicPtr<End> = AtomicPtr::new(ptr::null_mut());

impl End {
    /// Creates one, and adds it to those that the signal handler accepts.
    fn leak(message: String, code: u8) -> &'static Self {
        let end = Box::leak(Box::new(Self {
            is_over: AtomicBool::new(false),
            message,
            code,
            previous: ptr::null(),
        }));
        let mut last = LAST.load(Ordering::SeqCst);
        loop {
            end.previous = last;
            match LAST.compare_exchange(last, end, Ordering::SeqCst, Ordering::SeqCst) {
                Ok(_) => return end,
                Err(other) => last = other,
            }
        }
    }

    /// Returns the one at an address, unless the address is that of something else: another
    /// process can send a signal with any value.
    fn at(address: *const c_void) -> Option<&'static Self> {
        let mut end: *const Self = LAST.load(Ordering::SeqCst);
        // SAFETY: what `LAST` and `previous` point to is never freed or changed.
        while let Some(found) = unsafe { end.as_ref() } {
            if ptr::eq(end.cast(), address) {
                return Some(found);
            }
            end = found.previous;
        }
        None
    }
}

impl Timer {
    /// Arms a timer. The flag is set when the limit passes; if it is set before, nothing
    /// happens then.
    ///
    /// # Errors
    /// There is no timer, or the signal is in use. The message is returned.
    pub(super) fn start(
        limit: Duration,
        message: String,
        code: u8,
    ) -> Result<(Self, &'static AtomicBool), String> {
        if !is_handled() {
            return Err(message);
        }
        let end = End::leak(message, code);
        match arm(limit, end) {
            Some(timer) => Ok((timer, &end.is_over)),
            None => Err(end.message.clone()),
        }
    }

    /// Sets the time that is left to `limit`.
    pub(super) fn restart(&self, limit: Duration) {
        // The arguments are those with which the timer was armed, so it cannot fail.
        self.set(limit);
    }

    /// Returns whether the system accepted the time.
    fn set(&self, limit: Duration) -> bool {
        // SAFETY: all fields of this C structure may be zero.
        let mut spec: libc::itimerspec = unsafe { MaybeUninit::zeroed().assume_init() };
        // Zero would disarm the timer.
        let limit = limit.max(Duration::from_nanos(1));
        let Ok(seconds) = limit.as_secs().try_into() else {
            return false;
        };
        spec.it_value.tv_sec = seconds;
        spec.it_value.tv_nsec = limit.subsec_nanos().into();
        // SAFETY: the timer exists until `self` is dropped, and the pointer is to a valid value.
        unsafe { libc::timer_settime(self.0, 0, &raw const spec, ptr::null_mut()) == 0 }
    }
}

impl Drop for Timer {
    fn drop(&mut self) {
        // SAFETY: the timer was created by `arm` and is deleted once.
        unsafe { libc::timer_delete(self.0) };
    }
}

fn arm(limit: Duration, end: &'static End) -> Option<Timer> {
    // SAFETY: all fields of this C structure may be zero.
    let mut event: libc::sigevent = unsafe { MaybeUninit::zeroed().assume_init() };
    event.sigev_notify = libc::SIGEV_SIGNAL;
    event.sigev_signo = libc::SIGALRM;
    event.sigev_value.sival_ptr = ptr::from_ref(end).cast_mut().cast();
    let mut id = MaybeUninit::uninit();
    // SAFETY: the pointers are to valid values, and the timer's identifier is written if the
    // call succeeds.
    let timer = unsafe {
        if libc::timer_create(libc::CLOCK_MONOTONIC, &raw mut event, id.as_mut_ptr()) != 0 {
            return None;
        }
        Timer(id.assume_init())
    };
    timer.set(limit).then_some(timer)
}

/// Installs the signal handler once. Returns whether it will be called.
fn is_handled() -> bool {
    static INSTALLED: OnceLock<bool> = OnceLock::new();
    *INSTALLED.get_or_init(|| {
        // SAFETY: the handler calls only functions that are safe in signal handlers, and it
        // has the type that SA_SIGINFO requires. The other fields may be zero.
        unsafe {
            let mut action: libc::sigaction = MaybeUninit::zeroed().assume_init();
            if libc::sigaction(libc::SIGALRM, ptr::null(), &raw mut action) != 0
                || !matches!(action.sa_sigaction, libc::SIG_DFL | libc::SIG_IGN)
            {
                return false;
            }
            action = MaybeUninit::zeroed().assume_init();
            action.sa_sigaction =
                on_signal as extern "C" fn(i32, *mut libc::siginfo_t, *mut c_void) as usize;
            // On the alternate stack, because the module may have used up its own.
            action.sa_flags = libc::SA_SIGINFO | libc::SA_ONSTACK | libc::SA_RESTART;
            let mut unblocked: libc::sigset_t = MaybeUninit::zeroed().assume_init();
            libc::sigaddset(&raw mut unblocked, libc::SIGALRM);
            libc::sigaction(libc::SIGALRM, &raw const action, ptr::null_mut()) == 0
                && libc::pthread_sigmask(libc::SIG_UNBLOCK, &raw const unblocked, ptr::null_mut())
                    == 0
        }
    })
}

extern "C" fn on_signal(_: i32, info: *mut libc::siginfo_t, _: *mut c_void) {
    // SAFETY: the kernel passes a valid structure. `write` and `_exit` may be called in signal
    // handlers.
    unsafe {
        let end = match (*info).si_code {
            libc::SI_TIMER => End::at((*info).si_value().sival_ptr),
            _ => None,
        };
        let Some(end) = end else {
            // Sent by another process, which expects the default: to end.
            libc::_exit(128 + libc::SIGALRM);
        };
        if !end.is_over.swap(true, Ordering::SeqCst) {
            let message = end.message.as_bytes();
            libc::write(libc::STDERR_FILENO, message.as_ptr().cast(), message.len());
            libc::_exit(end.code.into());
        }
    }
}
