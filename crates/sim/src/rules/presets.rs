//! The presets, from the narrowest rules to the widest.

use super::{Answer, HOUR, Preset, Since, Then, Window};

const DAY: u64 = 24 * HOUR;

const fn says(then: Then, rule: &'static str) -> Answer {
    Answer { then, rule }
}

const fn counts(since: Since, ms: u64, rule: &'static str) -> Window {
    Window { since, ms: Some(ms), rule }
}

const fn kept(rule: &'static str) -> Window {
    Window { since: Since::Ended, ms: None, rule }
}

/// While the work is under way, and no moment longer.
const fn active(rule: &'static str) -> Window {
    counts(Since::Ended, 0, rule)
}

const NEVER: Answer = says(Then::Runs, "Its key does not count any more.");

/// All of them.
pub const PRESETS: [Preset; 18] = [
    Preset {
        system: "The article's store",
        mode: "24 h",
        key: "a text, in one process",
        window: counts(Since::Ended, DAY, "The window of 24 hours from the finish is over, so the work runs again."),
        other_data: None,
        under_way: says(Then::Joins, "A call with a key that runs shares that run and its outcome."),
        succeeded: says(Then::Returns, "The saved value is returned; data is not compared."),
        failed: says(Then::Runs, "A run that failed is not remembered."),
    },
    Preset {
        system: "Inngest",
        mode: "event id",
        key: "the event's id, for all functions",
        window: counts(Since::Accepted, DAY, "24 hours after the first event its id counts as new."),
        other_data: None,
        under_way: says(Then::Ignored, "The event is kept in the history and triggers nothing."),
        succeeded: says(Then::Ignored, "The event is kept in the history and triggers nothing."),
        failed: says(Then::Ignored, "The id stays used for 24 hours, however the run ended."),
    },
    Preset {
        system: "Inngest",
        mode: "function key",
        key: "an expression over the event, for one function",
        window: counts(Since::Accepted, DAY, "24 hours after the run began its key counts as new."),
        other_data: None,
        under_way: says(Then::Ignored, "One run of the function per value: the second start is skipped."),
        succeeded: says(Then::Ignored, "One run of the function per value: the second start is skipped."),
        failed: says(Then::Ignored, "The value stays used for 24 hours, however the run ended."),
    },
    Preset {
        system: "Tako",
        mode: "run id",
        key: "the run's id, in one app and environment",
        window: kept("The run was removed, so its id is free."),
        other_data: Some(says(Then::Refused, "The id belongs to a run with another payload: a conflict.")),
        under_way: says(Then::Returns, "The id of the existing run is returned; nothing is created."),
        succeeded: says(Then::Returns, "A finished run is returned, until it is pruned: 184 days at the earliest."),
        failed: says(Then::Returns, "A dead run is returned and not restarted; another try needs another id."),
    },
    Preset {
        system: "Stripe",
        mode: "v1",
        key: "a request header, per account",
        window: counts(Since::Accepted, DAY, "Keys may be removed after 24 hours; then the request is a new one."),
        other_data: Some(says(Then::Refused, "Parameters differ from those of the first request: an error.")),
        under_way: says(Then::Refused, "Another request with this key is being executed; nothing is saved."),
        succeeded: says(Then::Returns, "The saved status code and body are sent again."),
        failed: says(Then::Returns, "The saved answer is sent again, a 500 included."),
    },
    Preset {
        system: "Stripe",
        mode: "v2",
        key: "a request header, per account",
        window: counts(Since::Accepted, 30 * DAY, "Keys count for 30 days."),
        other_data: Some(says(Then::Refused, "Parameters differ from those of the first request: an error.")),
        under_way: says(Then::Refused, "Another request with this key is being executed; nothing is saved."),
        succeeded: says(Then::Returns, "What succeeded is not repeated; the answer is sent again."),
        failed: says(Then::Runs, "Failed or partial work is carried on to its end, and the answer is a new one."),
    },
    Preset {
        system: "IETF draft",
        mode: "Idempotency-Key",
        key: "a request header; its scope is the resource's to say",
        window: counts(Since::Accepted, DAY, "The published window is over (24 hours here), so the key is new."),
        other_data: Some(says(Then::Refused, "The key was used with another request: 422.")),
        under_way: says(Then::Refused, "The first request is still being processed: 409."),
        succeeded: says(Then::Returns, "The first result is sent again."),
        failed: says(Then::Returns, "The first result is sent again, whether success or error."),
    },
    Preset {
        system: "Temporal",
        mode: "defaults",
        key: "the workflow id, in a namespace",
        window: kept("The closed run is beyond the namespace's retention."),
        other_data: None,
        under_way: says(Then::Refused, "Conflict policy Fail: a workflow with this id is open."),
        succeeded: says(Then::Runs, "Reuse policy AllowDuplicate: a closed id may be used again."),
        failed: says(Then::Runs, "Reuse policy AllowDuplicate: a closed id may be used again."),
    },
    Preset {
        system: "Temporal",
        mode: "UseExisting, RejectDuplicate",
        key: "the workflow id, in a namespace",
        window: kept("The closed run is beyond the namespace's retention."),
        other_data: None,
        under_way: says(Then::Returns, "Conflict policy UseExisting: a handle of the open run is returned."),
        succeeded: says(Then::Refused, "Reuse policy RejectDuplicate: a closed id is not used again."),
        failed: says(Then::Refused, "Reuse policy RejectDuplicate: a closed id is not used again."),
    },
    Preset {
        system: "Temporal",
        mode: "Fail, AllowDuplicateFailedOnly",
        key: "the workflow id, in a namespace",
        window: kept("The closed run is beyond the namespace's retention."),
        other_data: None,
        under_way: says(Then::Refused, "Conflict policy Fail: a workflow with this id is open."),
        succeeded: says(Then::Refused, "Reuse policy AllowDuplicateFailedOnly: the run before succeeded."),
        failed: says(Then::Runs, "Reuse policy AllowDuplicateFailedOnly: the run before did not succeed."),
    },
    Preset {
        system: "Temporal",
        mode: "TerminateExisting",
        key: "the workflow id, in a namespace",
        window: kept("The closed run is beyond the namespace's retention."),
        other_data: None,
        under_way: says(
            Then::Replaces,
            "Conflict policy TerminateExisting: the open run is terminated, and a new one starts.",
        ),
        succeeded: says(Then::Runs, "Reuse policy AllowDuplicate: a closed id may be used again."),
        failed: says(Then::Runs, "Reuse policy AllowDuplicate: a closed id may be used again."),
    },
    Preset {
        system: "BullMQ",
        mode: "job id",
        key: "the job id, in a queue",
        window: kept("The job was removed, so its id is free."),
        other_data: None,
        under_way: says(Then::Ignored, "A job with this id exists, so none is added."),
        succeeded: says(Then::Ignored, "The completed job still exists, so none is added."),
        failed: says(Then::Ignored, "The failed job still exists, so none is added."),
    },
    Preset {
        system: "BullMQ",
        mode: "simple",
        key: "the deduplication id, in a queue",
        window: active("The job has completed or failed, so its deduplication id is free."),
        other_data: None,
        under_way: says(Then::Ignored, "A job with this deduplication id is not done yet; an event says so."),
        succeeded: NEVER,
        failed: NEVER,
    },
    Preset {
        system: "BullMQ",
        mode: "throttle, 5 s",
        key: "the deduplication id, in a queue",
        window: counts(Since::Accepted, 5_000, "Its time to live is over."),
        other_data: None,
        under_way: says(Then::Ignored, "The deduplication id counts for its time to live, whatever the job does."),
        succeeded: says(Then::Ignored, "The deduplication id counts for its time to live, whatever the job does."),
        failed: says(Then::Ignored, "The deduplication id counts for its time to live, whatever the job does."),
    },
    Preset {
        system: "BullMQ",
        mode: "debounce, 5 s, extended",
        key: "the deduplication id, in a queue",
        window: counts(Since::LastAsked, 5_000, "Nobody asked for its time to live."),
        other_data: None,
        under_way: says(Then::Ignored, "Each repeat is dropped and makes the time to live begin anew."),
        succeeded: says(Then::Ignored, "Each repeat is dropped and makes the time to live begin anew."),
        failed: says(Then::Ignored, "Each repeat is dropped and makes the time to live begin anew."),
    },
    Preset {
        system: "BullMQ",
        mode: "keep last if active",
        key: "the deduplication id, in a queue",
        window: active("The job is done, so its deduplication id is free."),
        other_data: None,
        under_way: says(Then::Afterwards, "The newest data is kept, and runs once the active job is done."),
        succeeded: NEVER,
        failed: NEVER,
    },
    Preset {
        system: "Trigger.dev",
        mode: "v4",
        key: "the idempotency key, of a task in an environment",
        window: counts(Since::Accepted, 30 * DAY, "Its time to live (30 days unless said otherwise) is over."),
        other_data: None,
        under_way: says(Then::Returns, "The handle of the original run is returned."),
        succeeded: says(Then::Returns, "The handle of the original run is returned."),
        failed: says(Then::Runs, "A failed run gives its key up."),
    },
    Preset {
        system: "AWS Lambda",
        mode: "durable functions",
        key: "the execution name, per account and region",
        window: kept("The execution is beyond its retention."),
        other_data: Some(says(Then::Refused, "An execution of this name has another payload: an error.")),
        under_way: says(Then::Returns, "Same name and payload: the existing execution."),
        succeeded: says(Then::Returns, "Same name and payload: the existing execution and its outcome."),
        failed: says(Then::Returns, "Same name and payload: the existing execution and its outcome, a failure too."),
    },
];
