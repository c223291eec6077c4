//! Memory that grows in steps.
//!
//! Each time it grows, JavaScript's view of it is made anew, and V8 counts all of it as allocated at that moment. Once
//! that is more than its collector lets pass, and 40 MB are, every growth by the allocator's 64 kB is a collection of
//! all of the heap: an engine that kept 30,000 runs was ten times as slow as one that kept none.

/// If memory has grown since the last look, grows it further by a quarter: the allocator then finds room for a while. To be
/// called now and then by whatever makes it grow.
#[inline]
pub(crate) fn ahead() {
    #[cfg(target_arch = "wasm32")]
    wasm::ahead();
}

#[cfg(target_arch = "wasm32")]
mod wasm {
    use core::{
        arch::wasm32::memory_size,
        hint::black_box,
        sync::atomic::{AtomicUsize, Ordering::Relaxed},
    };

    const PAGE_BYTES: usize = 65_536;
    /// The least that is taken at once, and the most. What is not used yet costs addresses, not memory.
    const STEP_BYTES_MIN: usize = 1 << 20;
    const STEP_BYTES_MAX: usize = 1 << 26;

    /// Pages at the last look.
    static PAGES: AtomicUsize = AtomicUsize::new(0);

    #[inline]
    pub(super) fn ahead() {
        if memory_size(0) != PAGES.load(Relaxed) {
            grow();
        }
    }

    #[cold]
    fn grow() {
        let step = (memory_size(0) * PAGE_BYTES / 4).clamp(STEP_BYTES_MIN, STEP_BYTES_MAX);
        // Given back at once: the allocator keeps what it once had. If there is none to be had, that is for whoever needs it.
        let mut taken: Vec<u8> = Vec::new();
        let _ = taken.try_reserve_exact(step);
        drop(black_box(taken));
        PAGES.store(memory_size(0), Relaxed);
    }
}
