//! How often each thing of the legend has happened, at any index.

/// What the legend counts. In the order of the legend.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Kind {
    /// The worker got the reply.
    Replied,
    /// The work was done and the worker heard nothing.
    Lost,
    /// The call failed and nothing was done.
    Failed,
    /// The provider did the work, the first time.
    Done,
    /// The provider did the work once more.
    DoneAgain,
    /// The provider knew the key and did nothing.
    KnewKey,
    /// Answered from what was saved.
    Skipped,
    /// Joined another job's call.
    Joined,
    /// A wait before another try.
    Waiting,
    /// A key was forgotten when it was needed.
    Expired,
    /// The key was used with other data.
    Conflict,
    /// A job was given up.
    GaveUp,
    /// The process restarted.
    Restart,
}

impl Kind {
    /// All of them.
    pub const ALL: [Self; 13] = [
        Self::Replied,
        Self::Lost,
        Self::Failed,
        Self::Done,
        Self::DoneAgain,
        Self::KnewKey,
        Self::Skipped,
        Self::Joined,
        Self::Waiting,
        Self::Expired,
        Self::Conflict,
        Self::GaveUp,
        Self::Restart,
    ];

    /// Whether only the provider knows of it.
    pub fn is_providers(self) -> bool {
        matches!(self, Self::Done | Self::DoneAgain | Self::KnewKey)
    }
}

/// Where each kind happened, so that a count is one binary search.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Counts {
    entries: [Vec<usize>; Kind::ALL.len()],
}

impl Counts {
    pub(super) fn add(&mut self, kind: Kind, entry: usize) {
        self.entries[kind as usize].push(entry);
    }

    /// How often it has happened once `index` entries have been played.
    pub fn at(&self, kind: Kind, index: usize) -> usize {
        self.entries[kind as usize].partition_point(|&entry| entry < index)
    }

    /// How often it happens in the whole story.
    pub fn total(&self, kind: Kind) -> usize {
        self.entries[kind as usize].len()
    }

    /// The entries at which it happens.
    pub fn entries(&self, kind: Kind) -> &[usize] {
        &self.entries[kind as usize]
    }
}
