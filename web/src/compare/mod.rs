//! The article's table, computed in the page: one million sign-ups for each of five strategies, in slices of a few
//! milliseconds, so that the page stays alive.
//!
//! | module | what |
//! |---|---|
//! | `run` | the computation, slice by slice |
//! | `rows` | the table |
//! | `text` | the same in sentences |
//! | `see_one` | from a number to the first sign-up behind it |

mod rows;
mod run;
mod see_one;
mod text;

use std::rc::Rc;

use twiceproof_sim::strategy::Strategy;
use twiceproof_sim::table::{Table, TableParams, article, format};
use yew::prelude::*;

use crate::controls::{Go, chip};
use crate::icons::{Icon, icon};
use crate::{files, units};
use run::{Progress, Run};

/// What the comparison is told.
#[derive(Clone, PartialEq, Properties)]
pub struct Props {
    /// The strategy shown above, to be marked in the table.
    pub strategy: Option<Strategy>,
    /// Where a row or an example is loaded.
    pub go: Go,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Tab {
    Table,
    Text,
}

/// The comparison.
#[component]
pub fn Compare(props: &Props) -> Html {
    let run = use_reducer(Run::default);
    let tab = use_state(|| Tab::Table);
    run::use_run(&run);
    html! {
        <section class="compare" id="compare" tabindex="-1" aria-labelledby="compare-title">
            <div class="chead">
                <h2 id="compare-title">{ format!("Five strategies, {}", jobs_words(run.params.jobs)) }</h2>
                { settings(&run, &props.go) }
                { verdict(&run.progress) }
                { actions(&run, &tab, &props.go) }
            </div>
            { body(&run, *tab, props) }
        </section>
    }
}

fn jobs_words(jobs: u64) -> String {
    if jobs == 1_000_000 { "one million sign-ups".to_owned() } else { format!("{} sign-ups", format::grouped(jobs)) }
}

fn body(run: &Run, tab: Tab, props: &Props) -> Html {
    match (&run.progress, tab) {
        (Progress::Done { table, .. }, Tab::Text) => text::sentences(table),
        (Progress::Done { table, .. }, Tab::Table) => rows::table(&run.params, Some(table), props),
        (_, _) => rows::table(&run.params, None, props),
    }
}

/// The probabilities and limits of the table, each changed by typing.
fn settings(run: &UseReducerHandle<Run>, go: &Go) -> Html {
    let take = |read: Read| {
        let (run, go) = (run.dispatcher(), go.clone());
        let params = run_params(run.clone(), go);
        Callback::from(move |typed: String| params(typed, read))
    };
    let p = &run.params;
    html! {
        <div class="chips">
            { chip("fails", "calls that fail", units::percent(p.fail), take(|text, p| { p.fail = units::read_percent(text)?; Some(()) })) }
            { chip("lost", "email replies that are lost", units::percent(p.lost), take(|text, p| { p.lost = units::read_percent(text)?; Some(()) })) }
            { chip("attempts", "attempts at most", p.attempts.to_string(), take(|text, p| { p.attempts = units::read_whole(text)?; Some(()) })) }
            { chip("seed", "seed of all draws", p.seed.to_string(), take(|text, p| { p.seed = units::read_whole(text)?; Some(()) })) }
        </div>
    }
}

/// How a typed text changes the parameters; nothing if it means nothing.
type Read = fn(&str, &mut TableParams) -> Option<()>;

fn run_params(run: UseReducerDispatcher<Run>, go: Go) -> impl Fn(String, Read) {
    move |typed, read| run.dispatch(run::Action::Change { typed, read, go: go.clone() })
}

fn verdict(progress: &Progress) -> Html {
    let Progress::Done { table, .. } = progress else { return Html::default() };
    let Some(rows) = article::compare(table) else {
        return html! { <p class="match muted" role="status">{ "other settings than the article's" }</p> };
    };
    let cells = |equal: &article::Equality| {
        [equal.succeeded, equal.failed, equal.calls_per_job, equal.repeated_steps, equal.two_emails]
    };
    let equal: Vec<bool> = rows.iter().flatten().flat_map(cells).collect();
    let (same, all) = (equal.iter().filter(|same| **same).count(), equal.len());
    if same == all {
        html! {
            <p class="match" role="status">
                <span class="c-effect">{ icon(Icon::Check) }</span>{ format!("All {all} match the article") }
            </p>
        }
    } else {
        html! { <p class="match" role="status">{ format!("{same} of {all} match the article") }</p> }
    }
}

fn actions(run: &UseReducerHandle<Run>, tab: &UseStateHandle<Tab>, go: &Go) -> Html {
    let again = {
        let run = run.dispatcher();
        move |_: MouseEvent| run.dispatch(run::Action::Start)
    };
    let cancel = {
        let run = run.dispatcher();
        move |_: MouseEvent| run.dispatch(run::Action::Cancel)
    };
    let running = match run.progress {
        Progress::Running { done, total } => Some((done, total)),
        Progress::Done { .. } | Progress::Cancelled => None,
    };
    html! {
        <div class="cacts">
            if let Some((done, total)) = running {
                <progress max={total.to_string()} value={done.to_string()} aria-label="Sign-ups done"></progress>
                <button class="btn" type="button" onclick={cancel}>{ "Cancel" }</button>
            } else {
                { tabs(tab) }
                { copy_menu(run, go) }
                <button class="btn" type="button" onclick={again}>{ "Run again" }</button>
            }
        </div>
    }
}

fn tabs(tab: &UseStateHandle<Tab>) -> Html {
    let choose = {
        let tab = tab.clone();
        Callback::from(move |chosen: Tab| tab.set(chosen))
    };
    let choices = [(Tab::Table, "Table"), (Tab::Text, "As text")];
    html! { <div class="tabs">{ crate::controls::choice("View", "compare-view", &choices, **tab, false, choose) }</div> }
}

fn copy_menu(run: &UseReducerHandle<Run>, go: &Go) -> Html {
    let Progress::Done { table, elapsed_ms } = &run.progress else { return Html::default() };
    let elapsed_ms = *elapsed_ms;
    let item = |name: &'static str, write: Box<dyn Fn(&Table) -> String>| {
        let (go, table): (Go, Rc<Table>) = (go.clone(), table.clone());
        let onclick = move |_: MouseEvent| files::copy_and_say(&go, write(&table), name);
        html! {
            <li>
                <button class="btn quiet" type="button" popovertarget="copy-menu" popovertargetaction="hide" {onclick}>
                    { name }
                </button>
            </li>
        }
    };
    html! {
        <>
            <button class="btn" type="button" popovertarget="copy-menu">{ icon(Icon::Copy) }{ "Copy" }</button>
            <div class="menu" id="copy-menu" popover="auto">
                <ul>
                    { item("Markdown", Box::new(format::markdown)) }
                    { item("CSV", Box::new(format::csv)) }
                    { item("JSON", Box::new(move |table| format::json(table, elapsed_ms))) }
                </ul>
            </div>
        </>
    }
}
