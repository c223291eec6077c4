//! Every maximum of the core, with its reason. Reaching one is a typed refusal, never a silent cut.

/// Longest key or ID, in UTF-8 bytes (SEMANTICS 2.4): fits an index row of every store we mean to stand behind.
pub const KEY_BYTES_MAX: usize = 255;

/// Largest time, delay or finite window, in milliseconds: the largest integer that JavaScript holds exactly.
pub const TIME_MS_MAX: u64 = (1 << 53) - 1;

/// Expired records that one call of [`crate::idempotency::Store::begin`] may drop besides its own key.
///
/// Each record is dropped once, so the cost per call is constant on average; the maximum bounds a single call
/// (about 2 ms). After any call at most `expired - SWEEP_PER_CALL_MAX` expired records remain.
pub const SWEEP_PER_CALL_MAX: usize = 1 << 17;

/// Runs one engine can number. Run numbers are `u32` so that an event of the hot path fits two words.
pub const RUNS_MAX: usize = u32::MAX as usize;

/// Steps of one run. A loop that never ends is refused here instead of filling the memory.
pub const STEPS_PER_RUN_MAX: usize = 10_000;

/// Longest error text kept in a journal, in bytes. The thrown value itself stays with the caller, whole.
pub const ERROR_BYTES_MAX: usize = 2_048;

/// Runs that may wait in one queue.
pub const QUEUE_LENGTH_MAX: usize = 50_000_000;

/// Server-told delays above this end the retrying, unless the policy says otherwise: one hour (SEMANTICS 2.7).
pub const RETRY_AFTER_MS_MAX_DEFAULT: u64 = 3_600_000;
