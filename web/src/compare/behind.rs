//! From a number of the table to the first sign-up behind it, as a scenario in the timeline.

use std::cell::RefCell;

use twiceproof_sim::scenario::{ATTEMPTS_MAX, Fault, FaultKind, Retry, STEPS_MAX, Scenario, ScenarioError, Step};
use twiceproof_sim::strategy::ARTICLE_ROWS;
use twiceproof_sim::table::witness::{Cell, Found, Search, Witness};
use twiceproof_sim::table::{CallOutcome, TableParams, format};
use yew::prelude::*;

use super::run::{Action, Run, Shown};
use super::scale::Measure;
use crate::app::action::Action as PageAction;
use crate::app::state::State;
use crate::app::{frames, page};
use crate::controls::Go;
use crate::link::Link;
use crate::story::{Attempt, AttemptName, Did, Story};

/// A sign-up that is looked for.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Wanted {
    params: TableParams,
    row: usize,
    cell: Cell,
}

/// The article's ten steps: what it calls them, who performs them, what the key calls them, the word for done.
const STEPS: [[&str; 4]; 10] = [
    ["save the user", "database", "save-user", "saved"],
    ["create the billing customer", "billing", "billing-customer", "created"],
    ["create the workspace", "database", "workspace", "created"],
    ["upload the default avatar", "file store", "avatar", "uploaded"],
    ["add to the CRM", "CRM", "crm", "added"],
    ["subscribe to the newsletter", "newsletter", "newsletter", "subscribed"],
    ["send the welcome email", "email provider", "welcome-email", "sent"],
    ["notify the sales channel", "chat", "sales-channel", "notified"],
    ["record the analytics event", "analytics", "analytics-event", "recorded"],
    ["schedule the day-3 email", "scheduler", "day-3-email", "scheduled"],
];

impl Wanted {
    /// What a number opens: nothing as long as the row is not whole, if the number is 0, where no single sign-up adds to it, or
    /// if its sign-ups have more steps or attempts than a story.
    pub(super) fn of(measure: Measure, row: usize, shown: &Shown) -> Option<Self> {
        let cell = measure.cell()?;
        let some = measure.of(&shown.table.rows[row]) > 0.0;
        let params = shown.table.params;
        let can_be_told = params.steps as usize <= STEPS_MAX && params.attempts <= ATTEMPTS_MAX;
        (shown.whole && some && can_be_told).then_some(Self { params, row, cell })
    }

    /// The name of the number's button: "4,971: open the first sign-up in which a step was done again, row 1".
    pub(super) fn label(&self, number: &str) -> String {
        format!("{number}: open the first sign-up {}, row {}", cell_words(self.cell), self.row + 1)
    }

    /// A click on the number.
    pub(super) fn onclick(self, run: &UseReducerDispatcher<Run>) -> Callback<MouseEvent> {
        let run = run.clone();
        Callback::from(move |event: MouseEvent| {
            // The row around it would load its strategy.
            event.stop_propagation();
            run.dispatch(Action::Seek(Some(self)));
        })
    }
}

/// What can be done with the numbers, wherever there is one to be clicked.
pub(super) fn hint(shown: Option<&Shown>) -> Html {
    let opens = |shown: &Shown, row| Measure::ALL.into_iter().any(|measure| Wanted::of(measure, row, shown).is_some());
    let any = shown.is_some_and(|shown| (0..ARTICLE_ROWS.len()).any(|row| opens(shown, row)));
    html! { <p class="tell muted">{ any.then_some("Click a number to see its first sign-up.") }</p> }
}

fn cell_words(cell: Cell) -> &'static str {
    match cell {
        Cell::Failed => "that failed",
        Cell::RepeatedSteps => "in which a step was done again",
        Cell::TwoEmails => "whose user got two emails or more",
    }
}

/// Longest search in one frame, in milliseconds.
const SLICE_MS: f64 = 12.0;
/// Sign-ups between two looks at the clock.
const STRIDE: u64 = 4_096;

/// Looks for the sign-up that is wanted, slice by slice: of a million the first is found at once, of a billion that are almost all
/// well it may be one of the last.
#[hook]
pub(super) fn use_search(run: &UseReducerHandle<Run>, go: &Go) {
    let (run, go, seeking) = (run.dispatcher(), go.clone(), run.seeking);
    use_effect_with(seeking, move |seeking| {
        let frames = seeking.and_then(|wanted| Some((search(&wanted)?, wanted))).map(|(search, wanted)| {
            let search = RefCell::new(Some(search));
            frames::each(move || {
                // Another frame may come before this effect is cleared away: what was found opens once.
                let Some(found) = search.borrow_mut().as_mut().and_then(slice) else { return };
                search.take();
                run.dispatch(Action::Seek(None));
                match found.map(|witness| open(&wanted, &witness)) {
                    Some(Ok(state)) => {
                        go.dispatch(PageAction::Load(Box::new(state)));
                        page::top("stage");
                    }
                    Some(Err(error)) => {
                        let text = format!("This sign-up cannot be shown call by call: {error}.");
                        go.dispatch(PageAction::Say { text, problem: true });
                    }
                    None => {}
                }
            })
        });
        move || {
            let _ended = frames;
        }
    });
}

fn search(wanted: &Wanted) -> Option<Search> {
    Search::new(&wanted.params, ARTICLE_ROWS[wanted.row].strategy, wanted.row, wanted.cell).ok()
}

/// One slice: nothing if the search goes on, else what it found.
fn slice(search: &mut Search) -> Option<Option<Witness>> {
    let began = page::now_ms();
    loop {
        match search.advance(STRIDE) {
            Found::Witness(witness) => return Some(Some(witness)),
            Found::Nothing => return Some(None),
            Found::NotYet(_) if page::now_ms() - began >= SLICE_MS => return None,
            Found::NotYet(_) => {}
        }
    }
}

fn open(wanted: &Wanted, found: &Witness) -> Result<State, ScenarioError> {
    let origin = Some(Origin { row: wanted.row, cell: wanted.cell, number: found.job + 1 });
    let mut state = State::of_link(Link { scenario: scenario(wanted, found), origin, ..Link::default() })?;
    // What was asked for is marked, and has just happened.
    state.selected = harm(&state.story, wanted.cell);
    let call = state.selected.and_then(|call| state.story.attempt(call));
    let happened = call.and_then(|call| match wanted.cell {
        Cell::Failed => call.ended.as_ref().map(|ended| ended.0),
        Cell::RepeatedSteps | Cell::TwoEmails => call.did.map(|did| did.0),
    });
    state.index = happened.map_or(0, |moment| moment.entry + 1);
    Ok(state)
}

/// Which sign-up of the table a scenario is.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Origin {
    row: usize,
    cell: Cell,
    /// The sign-up's number, from 1.
    number: u64,
}

/// What was looked for, in links.
const CELLS: [(Cell, &str); 3] =
    [(Cell::Failed, "failed"), (Cell::RepeatedSteps, "again"), (Cell::TwoEmails, "emails")];

impl Origin {
    /// As a link says it: `1.emails.26`.
    pub(crate) fn in_link(self) -> String {
        let word = CELLS.iter().find(|(cell, _)| *cell == self.cell).map_or("", |(_, word)| word);
        format!("{}.{word}.{}", self.row + 1, self.number)
    }

    /// What a link says.
    pub(crate) fn of_link(text: &str) -> Option<Self> {
        let mut parts = text.split('.');
        let (row, word, number) = (parts.next()?, parts.next()?, parts.next()?);
        let cell = CELLS.iter().find(|(_, name)| *name == word)?.0;
        let origin = Self { row: row.parse::<usize>().ok()?.checked_sub(1)?, cell, number: number.parse().ok()? };
        // Written in one way only.
        (origin.row < ARTICLE_ROWS.len() && origin.number > 0 && origin.in_link() == text).then_some(origin)
    }

    /// What is to be said of it.
    pub(crate) fn sentence(self) -> String {
        let (number, row, cell) = (format::grouped(self.number), self.row + 1, cell_words(self.cell));
        let strategy = ARTICLE_ROWS[self.row].strategy.name();
        format!("Sign-up {number} of row {row} ({strategy}): the first {cell}. Every call goes as the table drew it.")
    }
}

/// The call that did the harm: the last of all, the first to do work again, the one that sent the second email.
fn harm(story: &Story, cell: Cell) -> Option<AttemptName> {
    let attempts = story.jobs.iter().flat_map(|job| &job.steps).flat_map(|step| &step.attempts);
    let again = |attempt: &&Attempt| matches!(attempt.did, Some((_, Did::Effect(2..))));
    match cell {
        Cell::Failed => attempts.max_by_key(|attempt| attempt.started).map(|attempt| attempt.name),
        Cell::RepeatedSteps => {
            attempts.filter(again).min_by_key(|attempt| attempt.did.map(|did| did.0)).map(|attempt| attempt.name)
        }
        Cell::TwoEmails => story.people.first()?.emails.get(1).map(|email| email.by),
    }
}

/// The first sign-up with two emails in a row of the article's table: its number, from 1, and its scenario.
pub(crate) fn first_two_emails(row: usize) -> Option<(u64, Scenario)> {
    let wanted = Wanted { params: TableParams::default(), row, cell: Cell::TwoEmails };
    match search(&wanted)?.advance(wanted.params.jobs) {
        Found::Witness(found) => Some((found.job + 1, scenario(&wanted, &found))),
        Found::Nothing | Found::NotYet(_) => None,
    }
}

/// The steps of the article's table.
pub(crate) fn article_steps() -> Vec<Step> {
    steps(&TableParams::default())
}

fn steps(params: &TableParams) -> Vec<Step> {
    let step = |number: u32| {
        let known = STEPS.get(number as usize - 1).filter(|_| params.steps as usize == STEPS.len());
        let [name, provider, key, done] = known.map_or_else(
            || [format!("step {number}"), "provider".into(), format!("step-{number}"), "done".into()],
            |words| words.map(str::to_owned),
        );
        Step { name, provider, key, done, latency_ms: 20, email: number == params.lost_step }
    };
    (1..=params.steps).map(step).collect()
}

/// A scenario in which these calls, and no others, go wrong.
fn scenario(wanted: &Wanted, found: &Witness) -> Scenario {
    let params = &wanted.params;
    let mut attempts = vec![0; params.steps as usize];
    let mut faults = Vec::new();
    for call in &found.calls {
        let attempt = &mut attempts[call.step as usize - 1];
        *attempt += 1;
        let kind = match call.outcome {
            CallOutcome::Refused => FaultKind::Fail,
            CallOutcome::ReplyLost => FaultKind::LoseReply,
            CallOutcome::Done => continue,
        };
        faults.push(Fault { job: 1, step: call.step, attempt: *attempt, kind });
    }
    let default = Scenario::default();
    Scenario {
        seed: params.seed.into(),
        strategy: ARTICLE_ROWS[wanted.row].strategy,
        retry: Retry { attempts: params.attempts, ..default.retry },
        timeout_ms: 80,
        steps: steps(params),
        faults,
        ..default
    }
}

#[cfg(test)]
#[path = "behind_tests.rs"]
mod tests;
