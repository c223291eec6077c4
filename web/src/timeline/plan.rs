//! Which rows a timeline has, and which entries concern each: a row is drawn anew only when one of its own is played.

use twiceproof_core::journal::Event;

use crate::order;
use crate::story::{AttemptName, Job, Lifeline, Story};

/// Height of the head of an open job.
pub(super) const HEAD: i32 = 26;
/// Height of a step's row, and of a folded job.
pub(super) const ROW: i32 = 50;
/// Height of the head of the key store.
pub(super) const STORE_HEAD: i32 = 24;
/// Height of a key's lane.
pub(super) const LANE: i32 = 18;
/// Room under the last lane.
pub(super) const FOOT: i32 = 8;

/// Up to so many rows are in the page all at once; of more, only those in view.
const ROWS_AT_ONCE: usize = 40;

/// What a row shows. Numbers count from 1, lifelines from 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Kind {
    /// The head of the open job.
    Head(u32),
    /// A step of the open job.
    Step(u32, u32),
    /// Another job, all in one row.
    Folded(u32),
    /// The head of the key store.
    StoreHead,
    /// A key.
    Key(usize),
}

/// A row and where it is.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Row {
    /// What it shows.
    pub(super) kind: Kind,
    /// Its top.
    pub(super) y: i32,
    /// Its height.
    pub(super) height: i32,
    /// The entries that concern it, in order.
    pub(super) entries: Vec<usize>,
}

impl Row {
    /// The index the row is drawn for: that of its own entry played last. Rows compare equal until the next one.
    pub(super) fn clamp(&self, index: usize) -> usize {
        let played = self.entries.partition_point(|&entry| entry < index);
        played.checked_sub(1).map_or(0, |last| self.entries[last] + 1)
    }

    /// From where a view of this height has the row in it, if it begins at `top` now: a row that is seen already moves nothing.
    pub(super) fn in_view(&self, top: i32, height: i32) -> i32 {
        top.max(self.y + self.height - height).min(self.y)
    }

    /// Whether the mark of this name is in this row.
    pub(super) fn shows(&self, name: AttemptName) -> bool {
        match self.kind {
            Kind::Step(job, step) => job == name.job && step == name.step,
            Kind::Folded(job) => job == name.job,
            Kind::Head(_) | Kind::StoreHead | Kind::Key(_) => false,
        }
    }
}

/// All rows, from the top.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Plan {
    /// The rows.
    pub(super) rows: Vec<Row>,
    /// The subject whose keys are shown, if only one person's are.
    pub(super) subject: Option<String>,
    /// Their height together.
    pub(super) height: i32,
}

impl Plan {
    /// The rows of a story with one job open.
    pub(super) fn new(story: &Story, open: Option<u32>) -> Self {
        let mut plan = Self { rows: Vec::new(), subject: None, height: 0 };
        for job in &story.jobs {
            if open == Some(job.number) {
                plan.push(Kind::Head(job.number), HEAD);
                for step in &job.steps {
                    plan.push(Kind::Step(job.number, step.number), ROW);
                }
            } else {
                plan.push(Kind::Folded(job.number), ROW);
            }
        }
        plan.push_store(story, open.and_then(|open| story.job(open)));
        plan.assign_entries(story);
        plan
    }

    fn push(&mut self, kind: Kind, height: i32) {
        self.rows.push(Row { kind, y: self.height, height, entries: Vec::new() });
        self.height += height;
    }

    /// The keys of the person whose job is open; of everybody if none is.
    fn push_store(&mut self, story: &Story, open: Option<&Job>) {
        let subject = open.and_then(|job| job.subject.as_deref());
        let shown = |line: &Lifeline| subject.is_none_or(|subject| &*line.subject == subject);
        let lines: Vec<usize> = (0..story.lifelines.len()).filter(|&at| shown(&story.lifelines[at])).collect();
        if lines.is_empty() {
            return;
        }
        let first = &story.lifelines[lines[0]].subject;
        let one = lines.iter().all(|&at| story.lifelines[at].subject == *first);
        self.subject = one.then(|| first.to_string());
        self.push(Kind::StoreHead, STORE_HEAD);
        for line in lines {
            self.push(Kind::Key(line), LANE);
        }
        self.height += FOOT;
    }

    fn assign_entries(&mut self, story: &Story) {
        // Rows of one job stand together: its head or its only row first.
        let mut first = vec![0; story.jobs.len() + 1];
        for (at, row) in self.rows.iter().enumerate() {
            if let Kind::Head(job) | Kind::Folded(job) = row.kind {
                first[job as usize] = at;
            }
        }
        for (index, entry) in story.entries.iter().enumerate() {
            if entry.event == Event::ProcessRestarted {
                self.rows.iter_mut().for_each(|row| row.entries.push(index));
            }
            let (Some(job), step) = about(&entry.event) else { continue };
            let Some(&at) = first.get(job as usize) else { continue };
            self.rows[at].entries.push(index);
            for row in self.rows[at + 1..].iter_mut().take_while(|row| matches!(row.kind, Kind::Step(..))) {
                if step.is_none_or(|step| row.kind == Kind::Step(job, step)) {
                    row.entries.push(index);
                }
            }
        }
        for row in &mut self.rows {
            if let Kind::Key(line) = row.kind {
                row.entries = moments(&story.lifelines[line]);
            }
        }
    }

    /// The rows between two heights, and the heights of what is left out above and below.
    pub(super) fn window(&self, top: i32, bottom: i32) -> (&[Row], i32, i32) {
        if self.rows.len() <= ROWS_AT_ONCE {
            return (&self.rows, 0, 0);
        }
        let from = self.rows.partition_point(|row| row.y + row.height <= top);
        let to = self.rows.partition_point(|row| row.y < bottom).max(from);
        let rows = &self.rows[from..to];
        let end = rows.last().map_or(top.max(0), |row| row.y + row.height);
        (rows, rows.first().map_or(0, |row| row.y), self.height - end)
    }

    /// From where a view of this height shows the latest of so many played entries, if it begins at `top` now. It stays where
    /// it is if a row of that entry is in it; what only the store knows of is in a key's row. Before the first entry it begins at
    /// the top.
    pub(super) fn follow(&self, index: usize, top: i32, height: i32) -> i32 {
        let Some(latest) = index.checked_sub(1) else { return 0 };
        let of_latest = |row: &&Row| row.entries.binary_search(&latest).is_ok();
        let of_step = |row: &&Row| matches!(row.kind, Kind::Step(..) | Kind::Folded(_));
        let any_step = self.rows.iter().filter(of_step).any(|row| of_latest(&row));
        let wanted =
            |row: &&Row| of_latest(row) && if any_step { of_step(row) } else { matches!(row.kind, Kind::Key(_)) };
        let rows = || self.rows.iter().filter(wanted);
        let stays = rows().any(|row| row.in_view(top, height) == top);
        rows().next().filter(|_| !stays).map_or(top, |row| row.in_view(top, height))
    }

    /// The row that shows a lifeline.
    pub(super) fn lane(&self, line: usize) -> Option<&Row> {
        self.rows.iter().find(|row| row.kind == Kind::Key(line))
    }
}

fn moments(line: &Lifeline) -> Vec<usize> {
    let of_span = |span: &crate::story::Span| {
        [Some(span.claimed), span.saved.map(|saved| saved.0), span.ended.map(|ended| ended.0)]
    };
    let spans = line.spans.iter().flat_map(of_span).flatten();
    let mut entries: Vec<usize> = spans.chain(line.joins.iter().copied()).map(|moment| moment.entry).collect();
    order::sort_by_place(&mut entries, |&entry| (entry as u64, 0));
    entries.dedup();
    entries
}

/// The job and the step an entry is about, counted from 1.
fn about(event: &Event) -> (Option<u32>, Option<u32>) {
    match event {
        Event::Opened { .. }
        | Event::WorkflowDefined { .. }
        | Event::FunctionDefined { .. }
        | Event::RetentionSet { .. }
        | Event::EventAccepted { .. }
        | Event::EventHeld { .. }
        | Event::StartSkipped { .. }
        | Event::EventPruned { .. }
        | Event::WorkflowPaused { .. }
        | Event::WorkflowResumed { .. }
        | Event::KeyExpired { .. }
        | Event::KeyForgotten { .. }
        | Event::KeySaved { .. }
        | Event::KeyReleased { .. }
        | Event::ProcessRestarted => (None, None),
        Event::RunQueued { run, .. }
        | Event::EnqueueRepeated { run, .. }
        | Event::EnqueueRefused { run, .. }
        | Event::RunRestarted { run, .. }
        | Event::RunPruned { run }
        | Event::RunForgotten { run, .. }
        | Event::RunStarted { run, .. }
        | Event::HandlerFailed { run, .. }
        | Event::RunSucceeded { run }
        | Event::RunGaveUp { run, .. }
        | Event::CancelRequested { run }
        | Event::RunCancelled { run } => (Some(run.0 + 1), None),
        Event::RetryScheduled { run, step, .. } => (Some(run.0 + 1), step.map(|step| step.0 + 1)),
        Event::StepFound { run, step, .. }
        | Event::StepReplayed { run, step }
        | Event::KeyClaimed { run, step, .. }
        | Event::StepSkipped { run, step, .. }
        | Event::StepJoined { run, step, .. }
        | Event::KeyConflict { run, step, .. }
        | Event::AttemptStarted { run, step, .. }
        | Event::AttemptSucceeded { run, step, .. }
        | Event::AttemptFailed { run, step, .. }
        | Event::AttemptInterrupted { run, step, .. }
        | Event::SleepStarted { run, step, .. }
        | Event::SleepEnded { run, step }
        | Event::StepGaveUp { run, step, .. }
        | Event::RequestArrived { run, step, .. }
        | Event::EffectDone { run, step, .. }
        | Event::ProviderKnewKey { run, step, .. }
        | Event::ProviderRefused { run, step, .. }
        | Event::CallFailed { run, step, .. }
        | Event::ReplyLost { run, step, .. } => (Some(run.0 + 1), Some(step.0 + 1)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::story::samples::two_emails;

    #[test]
    fn only_the_job_in_focus_is_open() {
        let plan = Plan::new(&two_emails(), Some(1));
        let kinds: Vec<_> = plan.rows.iter().map(|row| row.kind).collect();
        use Kind::*;
        assert_eq!(
            kinds,
            [Head(1), Step(1, 1), Step(1, 2), Step(1, 3), Folded(2), Folded(3), StoreHead, Key(0), Key(1), Key(2)]
        );
        assert_eq!(plan.subject.as_deref(), Some("user_1001"));
        assert_eq!(plan.height, 26 + 5 * 50 + 24 + 3 * 18 + 8);
    }

    #[test]
    fn the_view_follows_the_latest_entry_and_stays_where_that_is_seen() {
        let story = two_emails();
        let plan = Plan::new(&story, Some(1));
        let entry = |row: usize| plan.rows[row].entries.iter().find(|entry| !plan.rows[2].entries.contains(entry));
        let third = entry(3).unwrap() + 1;
        assert_eq!(plan.rows[3].kind, Kind::Step(1, 3));
        assert_eq!(plan.follow(third, 0, 100), 26 + 3 * ROW - 100, "it was below");
        assert_eq!(plan.follow(third, 200, 100), 26 + 2 * ROW, "it was above");
        assert_eq!(plan.follow(third, 90, 100), 90, "it is seen");
        let job = plan.rows[1].entries.iter().find(|entry| plan.rows[3].entries.contains(entry)).unwrap() + 1;
        assert_eq!(plan.follow(job, 126, 50), 126, "what is of the whole job is seen in any of its steps");
        assert_eq!(plan.follow(0, 200, 100), 0);
    }

    #[test]
    fn of_many_rows_only_those_in_view_are_drawn() {
        let row = |at: i32| Row { kind: Kind::Folded(1), y: at * ROW, height: ROW, entries: Vec::new() };
        let plan = Plan { rows: (0..1000).map(row).collect(), subject: None, height: 1000 * ROW };
        let (rows, above, below) = plan.window(5000, 5400);
        assert_eq!((rows.len(), above, below), (8, 5000, 1000 * ROW - 5400));
        let heights: i32 = rows.iter().map(|row| row.height).sum();
        assert_eq!(above + heights + below, plan.height);
    }

    #[test]
    fn a_view_moves_only_for_a_row_that_is_not_in_it() {
        let row = Row { kind: Kind::Step(1, 7), y: 326, height: ROW, entries: Vec::new() };
        let from = |top| row.in_view(top, 300);
        assert_eq!([from(0), from(76), from(200), from(326), from(400)], [76, 76, 200, 326, 326]);
        assert_eq!(row.in_view(0, 0), 326, "where nothing is seen yet, the row is the first that will be");
    }

    #[test]
    fn a_step_of_the_story_changes_few_rows() {
        let story = two_emails();
        let plan = Plan::new(&story, Some(1));
        for index in 0..story.len() {
            let changed = plan.rows.iter().filter(|row| row.clamp(index) != row.clamp(index + 1)).count();
            assert!(changed <= 4, "{changed} rows at {index}");
        }
    }
}
