//! The three doors at which a duplicate can be stopped: the event's ID, the run's ID, and the key that a provider
//! knows. One click for each, sent more often than once, through an engine of its own; each door can be opened, to see
//! what comes through.
//!
//! Each door has a window of its own, and looks at its own duplicate only: that is what the scenes are for.

use std::sync::Arc;

use twiceproof_core::{
    admission::{Mismatch, Payload, Projection},
    engine::{CallEnd, Command, Engine, EnqueueError, NewRun, Start},
    events::{Function, NewEvent, NoStart, WINDOW_MS},
    index::Names,
    journal::{Discard, EngineOptions},
    limits::RETENTION_MS_DEFAULT,
    retry::{Failure, RetryOptions, RetryPolicy},
    workflow::{Steps, Workflow},
};

/// A door.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Door {
    /// The ID that the sender gives an event: the same one starts functions once in 24 hours (B2).
    EventId,
    /// The ID that the caller gives a run: the same one is the same run for as long as that is kept (C4).
    RunId,
    /// The key that goes to the provider: whoever performs the effect remembers it (A15).
    ProviderKey,
}

/// Which doors are shut.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Doors {
    /// Events carry an ID.
    pub event_id: bool,
    /// Requests carry an ID.
    pub run_id: bool,
    /// Calls carry a key.
    pub provider_key: bool,
}

impl Doors {
    /// All three.
    pub const SHUT: Self = Self { event_id: true, run_id: true, provider_key: true };

    /// Whether this one is.
    pub fn is_shut(self, door: Door) -> bool {
        match door {
            Door::EventId => self.event_id,
            Door::RunId => self.run_id,
            Door::ProviderKey => self.provider_key,
        }
    }
}

/// What came of something that was sent.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Came {
    /// Work began.
    Began,
    /// The event started nothing.
    NotStarted(NoStart),
    /// The run that has the ID was handed back.
    Existing,
    /// The ID belongs to other work.
    Refused(Mismatch),
    /// The provider did the work, and its reply was lost.
    ReplyLost,
    /// The provider knew the key and did nothing.
    Known,
}

/// Something that was sent.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Sent {
    /// When, in milliseconds from the first.
    pub at: u64,
    /// What it is.
    pub what: &'static str,
    /// What came of it.
    pub came: Came,
    /// Emails that have left by then.
    pub emails: u32,
}

/// One door's scene.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Scene {
    /// The door.
    pub door: Door,
    /// How long it remembers, in milliseconds.
    pub window_ms: u64,
    /// What was sent, in order.
    pub sent: Vec<Sent>,
    /// Emails that the one who clicked expects.
    pub wanted: u32,
}

/// The three scenes.
pub fn scenes(doors: Doors) -> [Scene; 3] {
    [events(doors), runs(doors), calls(doors)]
}

/// An engine with one workflow of one step that sends an email, and the provider of it.
struct World {
    engine: Engine<Discard>,
    workflow: twiceproof_core::ids::WorkflowId,
    known: Names,
    emails: u32,
    /// The replies to so many calls are lost.
    lose: u32,
    sends_key: bool,
    knew: bool,
}

impl World {
    fn new(doors: Doors, lose: u32) -> Self {
        let options = EngineOptions { seed: 1, workers: None, key_ttl_ms: None };
        let mut engine = Engine::new(0, options, Discard);
        let retry = RetryOptions { max_attempts: 2.0, ..RetryOptions::default() };
        let workflow = Workflow {
            name: "welcome".into(),
            steps: Steps::List(vec!["send the welcome email".into()]),
            step_retry: RetryPolicy::new(retry).expect("two attempts are a policy"),
            run_retry: RetryPolicy::once(),
            memo: false,
            once: false,
            compare_data: false,
        };
        let workflow = engine.define(0, workflow).expect("one step has a name of its own");
        let (known, sends_key) = (Names::default(), doors.provider_key);
        Self { engine, workflow, known, emails: 0, lose, sends_key, knew: false }
    }

    /// Does what the engine asks for until it asks for nothing. A call takes no time here.
    fn work(&mut self, now: u64) {
        while let Some(command) = self.engine.poll_command() {
            let Command::Call { run, step, attempt } = command else { continue };
            let key = format!("{}:{}", run.0, step.0);
            self.knew = self.sends_key && self.known.get(&key).is_some();
            self.emails += u32::from(!self.knew);
            self.known.insert(key.into(), 0);
            let end = if self.lose > 0 {
                self.lose -= 1;
                CallEnd::Failed { error: "timed out".into(), failure: Failure::default() }
            } else {
                CallEnd::Succeeded
            };
            self.engine.handle_call_ended(now, run, step, attempt, end).expect("the call is under way");
        }
    }

    fn sent(&self, at: u64, what: &'static str, came: Came) -> Sent {
        Sent { at, what, came, emails: self.emails }
    }
}

fn events(doors: Doors) -> Scene {
    let mut world = World::new(doors, 0);
    let function = Function::on(&["user/signed.up"]);
    world.engine.define_function(0, world.workflow, function).expect("it is no function yet");
    let id: Option<Arc<str>> = doors.event_id.then(|| "evt_1".into());
    let sends = [
        (0, "the event"),
        (248, "the event again: its delivery was repeated"),
        (WINDOW_MS - 1, "again, 1 ms before 24 hours"),
        (WINDOW_MS, "again, after 24 hours"),
    ];
    let sent = sends.map(|(at, what)| {
        let new = NewEvent { id: id.clone(), name: "user/signed.up".into(), ..NewEvent::default() };
        let sent = world.engine.handle_send(at, new).expect("it has a name");
        world.work(at);
        let came = match sent.starts.into_iter().next() {
            Some((_, Start::Skipped(why))) => Came::NotStarted(why),
            Some((_, Start::Started(_) | Start::Held { .. })) | None => Came::Began,
        };
        world.sent(at, what, came)
    });
    Scene { door: Door::EventId, window_ms: WINDOW_MS, sent: sent.into(), wanted: 1 }
}

fn runs(doors: Doors) -> Scene {
    let mut world = World::new(doors, 0);
    let payload = |json: &str| Payload::from_json(json, &Projection::default()).map(Arc::new).ok();
    let (first, other) = (r#"{"userId":"user_1001","receivedAt":1}"#, r#"{"userId":"user_1001","receivedAt":2}"#);
    let asks = [
        (0, "the request", first),
        (200, "the request again: its answer was lost", first),
        (400, "again, with the time it was received in it", other),
        (RETENTION_MS_DEFAULT - 1, "again, 1 ms before 184 days", first),
        (RETENTION_MS_DEFAULT, "again, after 184 days and a prune", first),
    ];
    let sent = asks.map(|(at, what, json)| {
        world.engine.handle_prune(at, usize::MAX);
        let id = doors.run_id.then(|| "welcome:user_1001".into());
        let new = NewRun { id, payload: payload(json), ..NewRun::default() };
        let admitted = world.engine.handle_enqueue(at, world.workflow, new);
        world.work(at);
        let came = match admitted {
            Ok(admitted) if admitted.created() => Came::Began,
            Ok(_) => Came::Existing,
            Err(EnqueueError::Conflict { mismatch, .. }) => Came::Refused(mismatch),
            Err(other) => unreachable!("a request of this scene is well-formed: {other}"),
        };
        world.sent(at, what, came)
    });
    Scene { door: Door::RunId, window_ms: RETENTION_MS_DEFAULT, sent: sent.into(), wanted: 1 }
}

fn calls(doors: Doors) -> Scene {
    let mut world = World::new(doors, 1);
    world.engine.handle_enqueue(0, world.workflow, NewRun::default()).expect("there is room");
    world.work(0);
    let mut sent = vec![world.sent(0, "the call to the provider", Came::ReplyLost)];
    let at = world.engine.next_deadline().expect("the step waits to be tried again");
    world.engine.handle_tick(at);
    world.work(at);
    let came = if world.knew { Came::Known } else { Came::Began };
    sent.push(world.sent(at, "the call again: its reply was lost", came));
    Scene { door: Door::ProviderKey, window_ms: WINDOW_MS, sent, wanted: 1 }
}

#[cfg(test)]
mod tests {
    use super::*;
    use twiceproof_core::ids::EventId;

    fn came(scene: &Scene) -> Vec<(&Came, u32)> {
        scene.sent.iter().map(|sent| (&sent.came, sent.emails)).collect()
    }

    #[test]
    fn b02_b06_the_event_door_stops_repeats_for_24_hours_and_not_one_millisecond_longer() {
        let [events, ..] = scenes(Doors::SHUT);
        let stopped = |left_ms| Came::NotStarted(NoStart::DuplicateEvent { winner: EventId(0), left_ms });
        let (soon, late) = (stopped(WINDOW_MS - 248), stopped(1));
        assert_eq!(came(&events), [(&Came::Began, 1), (&soon, 1), (&late, 1), (&Came::Began, 2)]);
    }

    #[test]
    fn c04_c06_c30_the_run_door_returns_the_run_refuses_other_work_and_opens_with_the_prune() {
        let [_, runs, _] = scenes(Doors::SHUT);
        let kinds: Vec<(bool, u32)> = runs.sent.iter().map(|sent| (sent.came == Came::Began, sent.emails)).collect();
        assert_eq!(kinds, [(true, 1), (false, 1), (false, 1), (false, 1), (true, 2)]);
        let Came::Refused(Mismatch::Payload { differences, .. }) = &runs.sent[2].came else { panic!("{runs:?}") };
        assert_eq!(differences[0].path, "payload.receivedAt");
    }

    #[test]
    fn a15_only_the_provider_s_door_stops_the_effect_of_a_retry() {
        let [.., calls] = scenes(Doors::SHUT);
        assert_eq!(came(&calls), [(&Came::ReplyLost, 1), (&Came::Known, 1)]);
        let [.., calls] = scenes(Doors { provider_key: false, ..Doors::SHUT });
        assert_eq!(came(&calls), [(&Came::ReplyLost, 1), (&Came::Began, 2)]);
    }

    #[test]
    fn each_door_stops_its_own_duplicate_and_no_other() {
        let emails = |doors| scenes(doors).map(|scene| scene.sent.last().map_or(0, |sent| sent.emails));
        assert_eq!(emails(Doors::SHUT), [2, 2, 1]);
        assert_eq!(emails(Doors { event_id: false, ..Doors::SHUT }), [4, 2, 1]);
        assert_eq!(emails(Doors { run_id: false, ..Doors::SHUT }), [2, 5, 1]);
        assert_eq!(emails(Doors { provider_key: false, ..Doors::SHUT }), [2, 2, 2]);
    }
}
