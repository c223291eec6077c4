//! Functions over one event name, and events to start them.

use twiceproof_core::{
    engine::{Sent, Start},
    events::{Function, FunctionKeys, Given, KeyRule, NewEvent, NoStart},
    ids::{EventId, RunId, WorkflowId},
    workflow::Workflow,
};

use super::{Bench, list};

pub const NAME: &str = "cart/checkout.completed";

/// Many workers, and for each of these functions a workflow of one step.
pub fn with(functions: Vec<Function>) -> (Bench, Vec<WorkflowId>) {
    let mut bench = Bench::new(1_000, list(&["a"]));
    let mut workflows = Vec::new();
    for (index, function) in functions.into_iter().enumerate() {
        let definition = Workflow { name: format!("function-{index}").into(), ..list(&["a"]) };
        let workflow = bench.engine.define(0, definition).unwrap();
        bench.engine.define_function(0, workflow, function).unwrap();
        workflows.push(workflow);
    }
    (bench, workflows)
}

pub fn one(function: Function) -> (Bench, WorkflowId) {
    let (bench, workflows) = with(vec![function]);
    (bench, workflows[0])
}

pub fn keyed() -> Function {
    Function { key: KeyRule::Required, ..Function::on(&[NAME]) }
}

pub fn event(id: Option<&str>) -> NewEvent {
    NewEvent { id: id.map(Into::into), name: NAME.into(), ..NewEvent::default() }
}

pub fn value(text: &str) -> Given {
    Given::Value(text.into())
}

pub fn key(text: &str) -> FunctionKeys {
    FunctionKeys { key: value(text), ..FunctionKeys::default() }
}

impl Bench {
    pub fn send(&mut self, now: u64, id: Option<&str>) -> Sent {
        self.engine.handle_send(now, event(id)).unwrap()
    }

    /// Sends an event for which a function's key has this value.
    pub fn send_keyed(&mut self, now: u64, workflow: WorkflowId, text: &str) -> Start {
        let new = NewEvent { keys: vec![(workflow, key(text))], ..event(None) };
        only(self.engine.handle_send(now, new).unwrap())
    }

    pub fn runs(&self) -> usize {
        self.engine.state().runs().count()
    }
}

pub fn only(sent: Sent) -> Start {
    assert_eq!(sent.starts.len(), 1);
    sent.starts[0].1.clone()
}

pub fn started(sent: &Sent) -> usize {
    sent.starts.iter().filter(|(_, start)| matches!(start, Start::Started(_))).count()
}

pub fn duplicate(winner: u32, left_ms: u64) -> Start {
    Start::Skipped(NoStart::DuplicateEvent { winner: EventId(winner), left_ms })
}

pub fn same_key(winner: u32, left_ms: u64) -> Start {
    Start::Skipped(NoStart::DuplicateFunctionKey { winner: RunId(winner), left_ms: Some(left_ms) })
}
