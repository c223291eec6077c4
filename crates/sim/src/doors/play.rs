//! The scenes, played: what is sent when, through an engine and a provider.

use std::sync::Arc;

use twiceproof_core::{
    admission::{Payload, Projection},
    engine::{CallEnd, Command, Engine, EnqueueError, NewRun, Start},
    events::{Function, FunctionKeys, Given, KeyRule, NewEvent, WINDOW_MS},
    ids::WorkflowId,
    journal::{EngineOptions, Event, Journal},
    limits::RETENTION_MS_DEFAULT,
    retry::{Failure, RetryOptions, RetryPolicy},
    workflow::{Steps, Workflow},
};

use super::{Came, Door, Doors, PROVIDER_WINDOW_MS, PrunePass, STEP_WINDOW_MS, Scene, Sent, windows::Windows};
use crate::{
    provider::{Deed, Providers, Request},
    scenario::{Scenario, USERS},
    strategy::Strategy,
};

const HOUR_MS: u64 = 60 * 60 * 1000;
/// What the email takes where a run is asked for, in milliseconds: it is over some time after it was accepted.
const CALL_MS: u64 = 70;

/// The three scenes.
pub fn scenes(doors: Doors) -> [Scene; 3] {
    [events(doors), runs(doors), calls(doors)]
}

/// An engine with one workflow of one step that sends an email, and the provider of it.
struct World {
    engine: Engine<Journal>,
    workflow: WorkflowId,
    providers: Providers,
    /// The key that goes with each call.
    key: Option<Arc<str>>,
    /// The replies to so many calls are lost.
    lose: u32,
    /// What a call takes, in milliseconds.
    call_ms: u64,
    sent: Vec<Sent>,
    /// How many entries there were after each of them.
    entries: Vec<usize>,
    passes: Vec<PrunePass>,
}

impl World {
    /// With or without keys for its step.
    fn new(once: bool) -> Self {
        let options = EngineOptions { seed: 1, workers: None, key_ttl_ms: Some(STEP_WINDOW_MS) };
        let mut engine = Engine::new(0, options, Journal::default());
        let retry = RetryOptions { max_attempts: 2.0, ..RetryOptions::default() };
        let workflow = Workflow {
            name: "welcome".into(),
            steps: Steps::List(vec!["welcome-email".into()]),
            step_retry: RetryPolicy::new(retry).expect("two attempts are a policy"),
            run_retry: RetryPolicy::once(),
            memo: false,
            once,
            compare_data: false,
        };
        let workflow = engine.define(0, workflow).expect("one step has a name of its own");
        let default = Scenario::default();
        let rules = Scenario {
            strategy: Strategy { provider_remembers: true, ..default.strategy },
            provider_window_ms: Some(PROVIDER_WINDOW_MS),
            ..default
        };
        Self {
            engine,
            workflow,
            providers: Providers::new(&rules),
            key: None,
            lose: 0,
            call_ms: 0,
            sent: Vec::new(),
            entries: Vec::new(),
            passes: Vec::new(),
        }
    }

    /// Does what the engine asks for until it asks for nothing. Of the last call: what the provider did with it, and
    /// whether its reply came.
    fn work(&mut self, now: u64) -> Option<(Deed, bool)> {
        let mut last = None;
        while let Some(command) = self.engine.poll_command() {
            let Command::Call { run, step, attempt } = command else { continue };
            let key = self.key.clone();
            self.engine.handle_observed(now, Event::RequestArrived { run, step, attempt, key: key.clone() });
            let request = Request { step: step.0, subject: USERS[0].id, key: key.as_deref(), data: 0 };
            let deed = self.providers.handle(now, request);
            let told = match deed {
                Deed::Did { count } => Event::EffectDone { run, step, attempt, count },
                Deed::KnewKey => Event::ProviderKnewKey { run, step, attempt },
                Deed::Refused => Event::ProviderRefused { run, step, attempt },
            };
            self.engine.handle_observed(now, told);
            let lost = self.lose > 0;
            let end = if lost {
                self.lose -= 1;
                self.engine.handle_observed(now, Event::ReplyLost { run, step, attempt });
                CallEnd::Failed { error: "timed out".into(), failure: Failure::default() }
            } else {
                CallEnd::Succeeded
            };
            self.engine.handle_call_ended(now + self.call_ms, run, step, attempt, end).expect("the call is under way");
            last = Some((deed, !lost));
        }
        last
    }

    fn note(&mut self, at: u64, what: &'static str, came: Came, keys: Vec<(Door, Arc<str>)>) {
        let emails = self.providers.effects(0, USERS[0].id);
        self.sent.push(Sent { at, what, came, emails, keys, stopped_by: None });
        self.entries.push(self.engine.sink().entries().len());
    }

    fn prune(&mut self, at: u64) {
        let runs = self.engine.handle_prune(at, usize::MAX).runs.len();
        self.passes.push(PrunePass { at, runs });
    }

    /// The scene that was played.
    fn scene(self, doors: &'static [Door]) -> Scene {
        let windows = Windows::of(self.engine.sink().entries());
        let mut sent = self.sent;
        for (place, window) in windows.stops {
            let of = self.entries.partition_point(|&entries| entries <= place);
            if let Some(sent) = sent.get_mut(of) {
                sent.stopped_by = Some(window);
            }
        }
        Scene { doors, sent, windows: windows.all, passes: self.passes, wanted: 1 }
    }
}

/// What something is known by, if its door is shut.
fn known(doors: Doors, by: &[(Door, &str)]) -> Vec<(Door, Arc<str>)> {
    by.iter().filter(|(door, _)| doors.is_shut(*door)).map(|&(door, key)| (door, key.into())).collect()
}

fn key_of(keys: &[(Door, Arc<str>)], door: Door) -> Option<Arc<str>> {
    keys.iter().find(|(of, _)| *of == door).map(|(_, key)| key.clone())
}

fn events(doors: Doors) -> Scene {
    let mut world = World::new(false);
    let key = if doors.function_key { KeyRule::Required } else { KeyRule::None };
    let function = Function { key, ..Function::on(&["user/signed.up"]) };
    world.engine.define_function(0, world.workflow, function).expect("it is no function yet");
    let sends = [
        (0, "evt_1", "the event"),
        (248, "evt_1", "the event again: its delivery was repeated"),
        (2_000, "evt_2", "a second click: another event, with another ID"),
        (WINDOW_MS - 1, "evt_1", "the first event again, 1 ms before 24 hours"),
        (WINDOW_MS, "evt_1", "and again, after 24 hours"),
    ];
    for (at, id, what) in sends {
        let keys = known(doors, &[(Door::EventId, id), (Door::FunctionKey, USERS[0].id)]);
        let given = key_of(&keys, Door::FunctionKey).map_or(Given::Nothing, Given::Value);
        let new = NewEvent {
            id: key_of(&keys, Door::EventId),
            name: "user/signed.up".into(),
            keys: vec![(world.workflow, FunctionKeys { key: given, ..FunctionKeys::default() })],
            ..NewEvent::default()
        };
        let accepted = world.engine.handle_send(at, new).expect("it has a name");
        world.work(at);
        let came = match accepted.starts.into_iter().next() {
            Some((_, Start::Skipped(why))) => Came::NotStarted(why),
            Some((_, Start::Started(_) | Start::Held { .. })) | None => Came::Began,
        };
        world.note(at, what, came, keys);
    }
    world.scene(&[Door::EventId, Door::FunctionKey])
}

fn runs(doors: Doors) -> Scene {
    let mut world = World::new(false);
    world.call_ms = CALL_MS;
    let payload = |json: &str| Payload::from_json(json, &Projection::default()).map(Arc::new).ok();
    let (first, other) = (r#"{"userId":"user_1001","receivedAt":1}"#, r#"{"userId":"user_1001","receivedAt":2}"#);
    let ask = |world: &mut World, at: u64, what: &'static str, json: &str| {
        let keys = known(doors, &[(Door::RunId, "welcome:user_1001")]);
        let new = NewRun { id: key_of(&keys, Door::RunId), payload: payload(json), ..NewRun::default() };
        let admitted = world.engine.handle_enqueue(at, world.workflow, new);
        world.work(at);
        let came = match admitted {
            Ok(admitted) if admitted.created() => Came::Began,
            Ok(_) => Came::Existing,
            Err(EnqueueError::Conflict { mismatch, .. }) => Came::Refused(mismatch),
            Err(other) => unreachable!("a request of this scene is well-formed: {other}"),
        };
        world.note(at, what, came, keys);
    };
    let late = RETENTION_MS_DEFAULT;
    ask(&mut world, 0, "the request", first);
    ask(&mut world, 200, "the request again: its answer was lost", first);
    ask(&mut world, 400, "again, with the time it was received in it", other);
    ask(&mut world, late + HOUR_MS, "again, after 184 days, before the prune", first);
    world.prune(late + 2 * HOUR_MS);
    ask(&mut world, late + 3 * HOUR_MS, "again, after the prune", first);
    world.scene(&[Door::RunId])
}

/// Replies are lost until the job is dead; somebody does it again when the provider is about to forget.
fn calls(doors: Doors) -> Scene {
    let mut world = World::new(doors.step_key);
    let key = "welcome-email:user_1001";
    let keys = known(doors, &[(Door::ProviderKey, key), (Door::StepKey, key)]);
    world.key = key_of(&keys, Door::ProviderKey);
    world.lose = 3;
    let new = || NewRun { subject: Some(USERS[0].id.into()), ..NewRun::default() };
    let first = world.engine.handle_enqueue(0, world.workflow, new()).expect("there is room").run();
    let called = |world: &mut World, at: u64, what: &'static str| {
        let came = match world.work(at) {
            Some((Deed::Did { .. }, true)) => Came::Began,
            Some((Deed::Did { .. }, false)) => Came::ReplyLost,
            Some((Deed::KnewKey | Deed::Refused, reply)) => Came::Known { reply_lost: !reply },
            None => Came::Skipped,
        };
        world.note(at, what, came, keys.clone());
    };
    let retry = |world: &mut World| {
        let at = world.engine.next_deadline().expect("the step waits to be tried again");
        world.engine.handle_tick(at);
        at
    };
    called(&mut world, 0, "the call to the provider");
    let at = retry(&mut world);
    called(&mut world, at, "the call again: its reply was lost");
    let by_hand = PROVIDER_WINDOW_MS - 1;
    world.engine.handle_redrive(by_hand, first, None).expect("both attempts are used, so it is dead");
    called(&mut world, by_hand, "the dead job done again by hand, 1 ms before 24 hours");
    let at = retry(&mut world);
    called(&mut world, at, "its retry, after 24 hours");
    let click = PROVIDER_WINDOW_MS + 5_000;
    world.engine.handle_enqueue(click, world.workflow, new()).expect("there is room");
    called(&mut world, click, "a second click: the same sign-up as another job");
    world.scene(&[Door::ProviderKey, Door::StepKey])
}
