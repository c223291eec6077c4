//! The numbers by which the core names things. They are dense, start at 0 and never leave one engine.

use serde::Serialize;

/// A run, numbered in the order of acceptance. The stable ID that a user gives is a text beside it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(transparent)]
pub struct RunId(pub u32);

/// A step within its run, numbered in the order in which the list or the handler named it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(transparent)]
pub struct StepId(pub u32);

/// A workflow, numbered in the order of definition.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(transparent)]
pub struct WorkflowId(pub u32);

/// An event, numbered in the order of acceptance. The ID that its sender gave is a text beside it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(transparent)]
pub struct EventId(pub u32);

/// A record of an idempotency store. Reused after its key was forgotten.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(transparent)]
pub struct KeyId(pub u32);

macro_rules! index {
    ($($name:ident)*) => {$(
        impl $name {
            /// The number as an index.
            #[inline]
            pub fn index(self) -> usize {
                self.0 as usize
            }
        }
    )*};
}
index!(RunId StepId WorkflowId EventId KeyId);
