//! From a number of the table to the first sign-up behind it, as a scenario in the timeline.

use std::ops::ControlFlow;

use twiceproof_sim::scenario::{Fault, FaultKind, Retry, Scenario, Step};
use twiceproof_sim::strategy::Strategy;
use twiceproof_sim::table::witness::{self, Cell, Witness};
use twiceproof_sim::table::{CallOutcome, Row, TableParams, format};
use yew::prelude::*;

use crate::app::action::Action;
use crate::app::page;
use crate::app::state::State;
use crate::controls::Go;
use crate::link::Link;

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
pub(super) fn button(params: &TableParams, strategy: Strategy, row: Option<&Row>, go: &Go) -> Html {
    let cell = match row {
        Some(row) if row.two_emails > 0 => Cell::TwoEmails,
        Some(row) if row.repeated_steps > 0 => Cell::RepeatedSteps,
        Some(row) if row.failed > 0 => Cell::Failed,
        _ => return Html::default(),
    };
    let (params, go) = (*params, go.clone());
    let onclick = move |event: MouseEvent| {
        // The row around it would load its strategy.
        event.stop_propagation();
        if let Some(state) = open(&params, strategy, cell) {
            go.dispatch(Action::Load(Box::new(state)));
            page::scroll_to("stage");
        }
    };
    html! { <button type="button" class="lk" {onclick}>{ "See one" }</button> }
}

fn open(params: &TableParams, strategy: Strategy, cell: Cell) -> Option<State> {
    // The first one is found among the first thousands, except in rows that are almost clean.
    let found = witness::find(params, strategy, 0, cell, &mut |_, _| ControlFlow::Continue(())).ok().flatten()?;
    let mut state = State::of_link(Link { scenario: scenario(params, strategy, &found), ..Link::default() }).ok()?;
    let number = format::grouped(found.job + 1);
    state.remark(&format!("This is sign-up {number} of the table, call by call."));
    Some(state)
}

/// A scenario in which these calls, and no others, go wrong.
fn scenario(params: &TableParams, strategy: Strategy, found: &Witness) -> Scenario {
    let step = |number: u32| {
        let known = STEPS.get(number as usize - 1).filter(|_| params.steps as usize == STEPS.len());
        let [name, provider, key, done] = known.map_or_else(
            || [format!("step {number}"), "provider".into(), format!("step-{number}"), "done".into()],
            |words| words.map(str::to_owned),
        );
        Step { name, provider, key, done, latency_ms: 20, email: number == params.lost_step }
    };
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
        strategy,
        retry: Retry { attempts: params.attempts, ..default.retry },
        timeout_ms: 80,
        steps: (1..=params.steps).map(step).collect(),
        faults,
        ..default
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::story::Kind;
    use twiceproof_sim::strategy::ARTICLE_ROWS;

    #[test]
    fn the_scenario_has_the_harm_of_its_number() {
        let params = TableParams::default();
        let state = |row: usize, cell| open(&params, ARTICLE_ROWS[row].strategy, cell).unwrap();
        let doubled = state(0, Cell::TwoEmails);
        assert_eq!(doubled.story.people[0].emails.len(), 2);
        assert!(state(3, Cell::RepeatedSteps).story.counts.total(Kind::DoneAgain) > 0);
        assert!(state(4, Cell::Failed).story.counts.total(Kind::GaveUp) > 0);
    }
}
