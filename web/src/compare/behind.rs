//! From a number of the table to the first sign-up behind it, as a scenario in the timeline.

use std::cell::RefCell;

use twiceproof_sim::scenario::{Fault, FaultKind, Retry, Scenario, ScenarioError, Step};
use twiceproof_sim::strategy::ARTICLE_ROWS;
use twiceproof_sim::table::witness::{Cell, Found, Search, Witness};
use twiceproof_sim::table::{CallOutcome, TableParams, format};
use yew::prelude::*;

use super::Panel;
use super::run::{Action, Run, Shown};
use crate::app::action::Action as PageAction;
use crate::app::state::State;
use crate::app::{frames, page};
use crate::controls::Go;
use crate::link::Link;

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

/// Opens the first sign-up with harm in it, if the row has one.
pub(super) fn button(row: usize, shown: Option<&Shown>, panel: &Panel) -> Html {
    let Some(shown) = shown.filter(|shown| shown.whole) else { return Html::default() };
    let counts = &shown.table.rows[row];
    let cell = if counts.two_emails > 0 {
        Cell::TwoEmails
    } else if counts.repeated_steps > 0 {
        Cell::RepeatedSteps
    } else if counts.failed > 0 {
        Cell::Failed
    } else {
        return Html::default();
    };
    let (wanted, run) = (Wanted { params: shown.table.params, row, cell }, panel.run.clone());
    let onclick = move |event: MouseEvent| {
        // The row around it would load its strategy.
        event.stop_propagation();
        run.dispatch(Action::Seek(Some(wanted)));
    };
    let label = format!("See one: row {}, {}", row + 1, cell_words(cell));
    html! { <button type="button" class="lk" aria-label={label} {onclick}>{ "See one" }</button> }
}

fn cell_words(cell: Cell) -> &'static str {
    match cell {
        Cell::Failed => "a sign-up that failed",
        Cell::RepeatedSteps => "a step done again",
        Cell::TwoEmails => "a user with two emails",
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
            let search = RefCell::new(search);
            frames::each(move || {
                let found = slice(&mut search.borrow_mut());
                if found.is_none() {
                    return;
                }
                run.dispatch(Action::Seek(None));
                match found.flatten().map(|witness| open(&wanted, &witness)) {
                    Some(Ok(state)) => {
                        go.dispatch(PageAction::Load(Box::new(state)));
                        page::scroll_to("stage");
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
    let mut state = State::of_link(Link { scenario: scenario(wanted, found), ..Link::default() })?;
    let number = format::grouped(found.job + 1);
    state.remark(&format!("This is sign-up {number} of the table, call by call."));
    Ok(state)
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
mod tests {
    use super::*;
    use crate::story::Kind;

    fn opened(row: usize, cell: Cell) -> State {
        let wanted = Wanted { params: TableParams::default(), row, cell };
        let mut search = search(&wanted).unwrap();
        let found = std::iter::from_fn(|| Some(slice(&mut search))).flatten().next().flatten();
        open(&wanted, &found.unwrap()).unwrap()
    }

    #[test]
    fn the_scenario_has_the_harm_of_its_number() {
        assert_eq!(opened(0, Cell::TwoEmails).story.people[0].emails.len(), 2);
        assert!(opened(3, Cell::RepeatedSteps).story.counts.total(Kind::DoneAgain) > 0);
        assert!(opened(4, Cell::Failed).story.counts.total(Kind::GaveUp) > 0);
    }
}
