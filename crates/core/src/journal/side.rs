//! Whose doing an event is.

use super::{Event, Origin};

/// Whose doing an event is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Side {
    /// What the provider's side did or suffered.
    Provider,
    /// What became of events.
    Intake,
    /// Everything else.
    Engine,
}

impl Event {
    /// Whether this is one of the kinds of a step that goes well, which are numbers only.
    #[inline]
    pub(super) fn is_plain(&self) -> bool {
        matches!(
            self,
            Self::RunStarted { .. }
                | Self::KeyClaimed { .. }
                | Self::AttemptStarted { .. }
                | Self::AttemptSucceeded { .. }
                | Self::KeySaved { .. }
                | Self::RunSucceeded { .. }
        )
    }

    /// Whether this is something the provider's side did or suffered: noted, and of no consequence for the engine.
    pub fn is_providers(&self) -> bool {
        self.side() == Side::Provider
    }

    /// Whether this is about events: one was accepted, waits, started a run or did not, or was removed.
    pub fn is_intakes(&self) -> bool {
        self.side() == Side::Intake
    }

    fn side(&self) -> Side {
        match self {
            Self::RequestArrived { .. }
            | Self::EffectDone { .. }
            | Self::ProviderKnewKey { .. }
            | Self::ProviderRefused { .. }
            | Self::CallFailed { .. }
            | Self::ReplyLost { .. } => Side::Provider,
            Self::RunQueued { origin: Some(origin), .. } if matches!(**origin, Origin::Events { .. }) => Side::Intake,
            Self::EventAccepted { .. }
            | Self::EventHeld { .. }
            | Self::StartSkipped { .. }
            | Self::EventPruned { .. } => Side::Intake,
            Self::Opened { .. }
            | Self::WorkflowDefined { .. }
            | Self::FunctionDefined { .. }
            | Self::RetentionSet { .. }
            | Self::WorkflowPaused { .. }
            | Self::WorkflowResumed { .. }
            | Self::RunQueued { .. }
            | Self::EnqueueRepeated { .. }
            | Self::EnqueueRefused { .. }
            | Self::RunRestarted { .. }
            | Self::RunStarted { .. }
            | Self::StepFound { .. }
            | Self::StepReplayed { .. }
            | Self::KeyClaimed { .. }
            | Self::KeyExpired { .. }
            | Self::KeyForgotten { .. }
            | Self::StepSkipped { .. }
            | Self::StepJoined { .. }
            | Self::KeyConflict { .. }
            | Self::AttemptStarted { .. }
            | Self::AttemptSucceeded { .. }
            | Self::AttemptFailed { .. }
            | Self::AttemptInterrupted { .. }
            | Self::KeySaved { .. }
            | Self::KeyReleased { .. }
            | Self::RetryScheduled { .. }
            | Self::SleepStarted { .. }
            | Self::SleepEnded { .. }
            | Self::StepGaveUp { .. }
            | Self::HandlerFailed { .. }
            | Self::RunSucceeded { .. }
            | Self::RunGaveUp { .. }
            | Self::CancelRequested { .. }
            | Self::RunCancelled { .. }
            | Self::RunPruned { .. }
            | Self::RunForgotten { .. }
            | Self::ProcessRestarted => Side::Engine,
        }
    }
}
