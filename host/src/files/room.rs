//! Memory for the content of a file, taken at once.

/// An empty buffer with room for `size` bytes.
///
/// The kernel hands a large buffer out page by page, at the first touch of each:
/// for 5 MB that takes longer than reading them. Large pages take half the time
/// (2.2 to 1.1 ms, Linux 6.18), where the system gives them to who asks.
pub(super) fn room_for(size: usize) -> Vec<u8> {
    if size < 2 * LARGE_PAGE {
        return Vec::with_capacity(size);
    }
    // The last large page is one only where all of it may be used.
    let mut room = Vec::with_capacity(size + LARGE_PAGE);
    ask_for_large_pages(room.spare_capacity_mut());
    room
}

/// Of processors whose pages are 4 KiB; others' are larger, and then the buffer
/// may hold none.
const LARGE_PAGE: usize = 2 << 20;

#[cfg(target_os = "linux")]
#[allow(unsafe_code, reason = "the system call takes an address")]
fn ask_for_large_pages(room: &mut [std::mem::MaybeUninit<u8>]) {
    use rustix::mm::{Advice, madvise};
    let before = room.as_ptr().align_offset(LARGE_PAGE);
    let Some(pages) = room.get_mut(before..) else {
        return;
    };
    // SAFETY: the bytes are this buffer's own, and the advice changes none of them.
    // Where the kernel does not take it everything is as before.
    let _ = unsafe {
        madvise(
            pages.as_mut_ptr().cast(),
            pages.len(),
            Advice::LinuxHugepage,
        )
    };
}

#[cfg(not(target_os = "linux"))]
fn ask_for_large_pages(_: &mut [std::mem::MaybeUninit<u8>]) {}

#[cfg(test)]
mod tests {
    use super::{LARGE_PAGE, room_for};

    #[test]
    fn there_is_room() {
        for size in [0, 1, 2 * LARGE_PAGE, 5 * LARGE_PAGE + 1] {
            let mut room = room_for(size);
            assert!(room.capacity() >= size && room.is_empty());
            room.resize(size, 1);
            assert!(room.iter().all(|byte| *byte == 1));
        }
    }
}
