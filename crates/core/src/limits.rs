//! Every maximum of the core, with its reason. Reaching one is a typed refusal, never a silent cut.

/// Longest key or ID, in UTF-8 bytes (SEMANTICS 2.4): fits an index row of every store we mean to stand behind.
pub const KEY_BYTES_MAX: usize = 255;

/// Largest time, delay or finite window, in milliseconds: the largest integer that JavaScript holds exactly.
pub const TIME_MS_MAX: u64 = (1 << 53) - 1;

/// Expired records that one call of [`crate::idempotency::Store::begin`] may drop besides its own key.
///
/// Each record is dropped once, so the cost per call is constant on average; the maximum bounds a single call.
/// After any call at most `expired - SWEEP_PER_CALL_MAX` expired records remain.
pub const SWEEP_PER_CALL_MAX: usize = 1 << 17;

/// Runs one engine can number. Run numbers are `u32` so that an event of the hot path fits two words,
/// and half of those are used, so that a sum of two counts overflows nowhere, not even where `usize` has 32 bits.
pub const RUNS_MAX: usize = i32::MAX as usize;

/// Steps of one run. A loop that never ends is refused here instead of filling the memory.
pub const STEPS_PER_RUN_MAX: usize = 10_000;

/// Longest error text kept in a journal, in bytes. The thrown value itself stays with the caller, whole.
pub const ERROR_BYTES_MAX: usize = 2_048;

/// Runs that may wait in one queue.
pub const QUEUE_LENGTH_MAX: usize = 50_000_000;

/// Server-told delays above this end the retrying, unless the policy says otherwise: one hour (SEMANTICS 2.7).
pub const RETRY_AFTER_MS_MAX_DEFAULT: u64 = 3_600_000;

/// Longest payload that is read, in bytes of JSON: 16 MiB. A larger one belongs in a store of its own, with its address
/// in the payload.
pub const PAYLOAD_BYTES_MAX: usize = 16 << 20;

/// Longest canonical payload of which the text is kept beside the fingerprint, in bytes. It names the places of a
/// conflict, and travels with the journal: large enough for orders and sign-ups, small enough to keep by the thousand.
pub const PAYLOAD_KEPT_BYTES_MAX: usize = 8 << 10;

/// Places that a conflict names; how many more there are is said by number. A person reads no more.
pub const DIFFERENCES_MAX: usize = 20;

/// Longest place that a conflict names, in bytes; a longer one is cut and ends in an ellipsis. It is for people.
pub const DIFFERENCE_PATH_BYTES_MAX: usize = 200;

/// Paths that may be picked or omitted for a fingerprint. Each is walked for every request.
pub const PROJECTION_PATHS_MAX: usize = 100;

/// Longest such path, in bytes.
pub const PROJECTION_PATH_BYTES_MAX: usize = 1_000;

/// How long a run that is over is kept if nobody says otherwise: 184 days, which holds six calendar months (C25).
pub const RETENTION_MS_DEFAULT: u64 = 184 * 24 * 60 * 60 * 1000;

/// Longest note on a run that was forgotten, in bytes: who and why, for the record, and no document.
pub const NOTE_BYTES_MAX: usize = 1_000;

/// Events one engine can number. Their numbers are `u32`, as those of runs.
pub const EVENTS_MAX: usize = i32::MAX as usize;

/// Names of events that one function may listen to. Each event looks through none of them; the maximum is for people.
pub const EVENT_NAMES_MAX: usize = 100;

/// Events of one batch. All of them are in one entry of the journal.
pub const BATCH_SIZE_MAX: u32 = 10_000;

/// Starts that one rate limit may count. Their times are remembered.
pub const RATE_LIMIT_MAX: u32 = 10_000;

/// Waits that are summed one by one for the longest retry window; the rest is taken at the longest wait. Delays that
/// double reach it after 53.
pub const WAITS_SUMMED_MAX: u32 = 10_000;
