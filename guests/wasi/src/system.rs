//! WASI, preview 1: the entry point, and the functions of the system that it calls.

#![allow(
    unsafe_code,
    reason = "functions of the system take addresses, and the entry point has a name"
)]

use landfall_allocator as _;
use wasip1::{Ciovec, ERRNO_IO, ERRNO_PIPE, Errno, Fd, Iovec};

use crate::command::{Ended, run};

const STDIN: Fd = 0;
const STDOUT: Fd = 1;
const STDERR: Fd = 2;

/// The exit code if the arguments cannot be read, or standard output cannot be written.
const SYSTEM_ERROR: u32 = 1;
/// That of a program which SIGPIPE ended, as of the native command.
const BROKEN_PIPE: u32 = 128 + 13;

/// The number of bytes of the first read; each further one is as large as all before it.
const FIRST_READ: usize = 64 << 10;

/// Runs the command, as every WASI command's entry point does.
#[unsafe(no_mangle)]
extern "C" fn _start() {
    let code = match arguments() {
        Ok(arguments) => {
            let Ended {
                stdout,
                stderr,
                code,
            } = run(&arguments, |limit| read(limit).map_err(shown));
            // There is nowhere to report that standard error cannot be written.
            let _ = write(STDERR, stderr.as_bytes());
            match write(STDOUT, &stdout) {
                Ok(()) => u32::from(code),
                Err(ERRNO_PIPE) => BROKEN_PIPE,
                Err(error) => failed("standard output cannot be written", error),
            }
        }
        Err(error) => failed("the arguments cannot be read", error),
    };
    // A command that returns has succeeded.
    if code != 0 {
        // SAFETY: it only ends the program.
        unsafe { wasip1::proc_exit(code) }
    }
}

fn failed(what: &str, error: Errno) -> u32 {
    let _ = write(
        STDERR,
        format!("error: {what}: {}\n", shown(error)).as_bytes(),
    );
    SYSTEM_ERROR
}

/// A runtime may return a number that has no name.
fn shown(error: Errno) -> String {
    format!("error {} of WASI", error.raw())
}

/// Returns the arguments after the program's name.
fn arguments() -> Result<Vec<String>, Errno> {
    // SAFETY: it only returns two numbers.
    let (count, size) = unsafe { wasip1::args_sizes_get()? };
    let mut starts = vec![std::ptr::null_mut(); count];
    let mut text = vec![0_u8; size];
    // SAFETY: both buffers have the sizes that were asked for.
    unsafe { wasip1::args_get(starts.as_mut_ptr(), text.as_mut_ptr())? };
    // Each ends with a zero byte, and they follow one another.
    let arguments = text.split(|byte| *byte == 0).take(count).skip(1);
    Ok(arguments
        .map(|argument| String::from_utf8_lossy(argument).into_owned())
        .collect())
}

/// Reads standard input to its end, or the first `limit` bytes of it.
fn read(limit: u64) -> Result<Vec<u8>, Errno> {
    let limit = usize::try_from(limit).unwrap_or(usize::MAX);
    let mut content = Vec::new();
    let mut length = 0;
    while length < limit {
        let more = length.max(FIRST_READ).min(limit - length);
        content.resize(length + more, 0);
        let rest = &mut content[length..];
        let buffer = Iovec {
            buf: rest.as_mut_ptr(),
            buf_len: rest.len(),
        };
        // SAFETY: the buffer is valid for this many bytes, and nothing else refers to it.
        match unsafe { wasip1::fd_read(STDIN, &[buffer])? } {
            0 => break,
            count => length += count,
        }
    }
    content.truncate(length);
    Ok(content)
}

/// Writes all bytes.
fn write(to: Fd, mut bytes: &[u8]) -> Result<(), Errno> {
    while !bytes.is_empty() {
        let buffer = Ciovec {
            buf: bytes.as_ptr(),
            buf_len: bytes.len(),
        };
        // SAFETY: the buffer is valid for this many bytes.
        let count = unsafe { wasip1::fd_write(to, &[buffer])? };
        if count == 0 {
            return Err(ERRNO_IO);
        }
        bytes = bytes.get(count..).unwrap_or_default();
    }
    Ok(())
}
