//! Five strategies over many sign-ups, computed in the page while the reader moves the sliders.
//!
//! | module | what |
//! |---|---|
//! | `setting`, `settings` | what can be set, and the sliders and fields for it |
//! | `run` | the computation, slice by slice, towards the latest settings |
//! | `tabs`, `rows`, `chart`, `text` | the same numbers three ways |
//! | `scale` | how long a bar is |
//! | `copy` | the table on the clipboard |
//! | `behind` | from a number to the first sign-up behind it |
//!
//! The settings live here while they move, and go to the page's state, and so to the address, when they rest: a page
//! is not to be drawn again for every place of a slider.

pub(crate) mod behind;
mod chart;
mod copy;
mod rows;
mod run;
mod scale;
mod setting;
mod settings;
mod tabs;
mod text;

use std::rc::Rc;

use twiceproof_sim::strategy::Strategy;
use twiceproof_sim::table::{TableParams, article, format};
use yew::prelude::*;

use crate::app::action::Action as PageAction;
use crate::app::effects;
use crate::controls::Go;
use crate::icons::{Icon, icon};
use run::{Action, Run, Shown};

pub use setting::with_steps;

/// What is compared, and how it is looked at.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Comparison {
    /// The table's parameters, those that the page has no setting for being the article's.
    pub params: TableParams,
    /// How it is looked at.
    pub tab: Tab,
}

/// The ways to look at it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Tab {
    /// Numbers.
    #[default]
    Table,
    /// Bars.
    Chart,
    /// Sentences.
    Text,
}

impl Tab {
    /// All, in their order.
    pub const ALL: [Self; 3] = [Self::Table, Self::Chart, Self::Text];

    /// Its word in links.
    pub fn word(self) -> &'static str {
        match self {
            Self::Table => "table",
            Self::Chart => "chart",
            Self::Text => "text",
        }
    }

    fn label(self) -> &'static str {
        match self {
            Self::Table => "Table",
            Self::Chart => "Chart",
            Self::Text => "As text",
        }
    }

    fn id(self) -> &'static str {
        match self {
            Self::Table => "compare-table",
            Self::Chart => "compare-chart",
            Self::Text => "compare-text",
        }
    }
}

/// The id of what the tabs show.
const PANEL: &str = "compare-panel";

/// What the comparison is told.
#[derive(Clone, PartialEq, Properties)]
pub struct Props {
    /// The strategy shown above, to be marked in the table.
    pub strategy: Option<Strategy>,
    /// The settings that the page's state holds.
    pub comparison: Comparison,
    /// Where a row or an example is loaded.
    pub go: Go,
}

/// The comparison.
#[component]
pub fn Compare(props: &Props) -> Html {
    let run = use_reducer(|| Run::new(props.comparison));
    let put = {
        let go = props.go.clone();
        Callback::from(move |comparison| go.dispatch(PageAction::Compare(comparison)))
    };
    run::use_run(&run);
    run::use_address(&run, props.comparison, &put);
    behind::use_search(&run, &props.go);
    // Its buttons come and go without the page around it.
    effects::use_roving();
    let (wanted, dispatcher) = (run.wanted, run.dispatcher());
    let panel = Panel {
        tab: wanted.tab,
        params: wanted.params,
        shown: run.shown.clone(),
        strategy: props.strategy,
        go: props.go.clone(),
        run: dispatcher.clone(),
    };
    html! {
        <section class="compare" id="compare" tabindex="-1" aria-labelledby="compare-title">
            <div class="chead">
                <h2 id="compare-title">{ format!("Five strategies, {}", jobs_words(wanted.params.jobs)) }</h2>
                { verdict(&run) }
                <div class="cacts">
                    { tabs::tabs(wanted.tab, &dispatcher) }
                    { actions(&run) }
                </div>
            </div>
            { settings::settings(&wanted.params, &dispatcher) }
            // A text has nothing that takes the focus, a chart may have nothing, and both may have to be scrolled.
            <div id={PANEL} role="tabpanel" aria-labelledby={wanted.tab.id()} tabindex={(wanted.tab != Tab::Table).then_some("0")}>
                <Shows ..panel />
            </div>
        </section>
    }
}

/// What the tab shows. One component for all of them, because each component is another 2 kB.
#[component]
fn Shows(panel: &Panel) -> Html {
    match panel.tab {
        Tab::Table => rows::table(panel),
        Tab::Chart => chart::chart(panel),
        Tab::Text => text::sentences(panel),
    }
}

/// What each view is told. It is drawn again when the table changes, not when a slider moves.
#[derive(Clone, Properties)]
struct Panel {
    tab: Tab,
    /// The settings, for as long as there is no table.
    params: TableParams,
    shown: Option<Rc<Shown>>,
    strategy: Option<Strategy>,
    go: Go,
    run: UseReducerDispatcher<Run>,
}

impl PartialEq for Panel {
    fn eq(&self, other: &Self) -> bool {
        let same_table = match (&self.shown, &other.shown) {
            (Some(one), Some(two)) => Rc::ptr_eq(one, two),
            (None, None) => self.params == other.params,
            (_, _) => false,
        };
        same_table && self.tab == other.tab && self.strategy == other.strategy && self.go == other.go
    }
}

fn jobs_words(jobs: u64) -> String {
    match jobs {
        1_000_000 => "one million sign-ups".to_owned(),
        1 => "1 sign-up".to_owned(),
        jobs => format!("{} sign-ups", format::grouped(jobs)),
    }
}

/// Whether the table is the article's, and how long it took.
fn verdict(run: &Run) -> Html {
    let Some(shown) = run.shown.as_ref().filter(|shown| shown.whole) else {
        return html! { <p class="match" role="status" /> };
    };
    let took = if run.seeking.is_some() { "looking for it…".to_owned() } else { took(shown.worked_ms) };
    html! {
        <>
            <p class="match" role="status">{ match_words(shown) }</p>
            <span class="muted min took">{ took }</span>
        </>
    }
}

fn took(ms: f64) -> String {
    if ms < 1.0 { "in less than 1 ms".to_owned() } else { format!("in {} ms", format::grouped(ms.round() as u64)) }
}

fn match_words(shown: &Shown) -> Html {
    let Some(rows) = article::compare(&shown.table) else {
        return html! { <span class="muted">{ "other settings than the article's" }</span> };
    };
    let cells = |equal: &article::Equality| {
        [equal.succeeded, equal.failed, equal.calls_per_job, equal.repeated_steps, equal.two_emails]
    };
    let equal: Vec<bool> = rows.iter().flatten().flat_map(cells).collect();
    let (same, all) = (equal.iter().filter(|same| **same).count(), equal.len());
    if same == all {
        html! { <><span class="c-effect">{ icon(Icon::Check) }</span>{ format!("All {all} match the article") }</> }
    } else {
        html! { { format!("{same} of {all} match the article") } }
    }
}

/// What can be done: stop what takes long, begin again what was stopped, copy what is there, go back to the article's settings.
fn actions(run: &UseReducerHandle<Run>) -> Html {
    let button = |text: &'static str, action: fn() -> Action| {
        let run = run.dispatcher();
        let onclick = move |_: MouseEvent| run.dispatch(action());
        html! { <button class="btn" type="button" {onclick}>{ text }</button> }
    };
    let of_these = run.shown.as_ref().filter(|shown| shown.table.params == run.wanted.params);
    let other = run.wanted.params != TableParams::default();
    html! {
        <>
            if let Some(shown) = of_these.filter(|shown| run.running && !shown.whole) {
                <progress max="1" value={done(shown).to_string()} aria-label="Sign-ups done"></progress>
                <span class="min muted">{ format!("{:.0} %", done(shown) * 100.0) }</span>
                { button("Cancel", || Action::Cancel) }
            } else if !run.running && of_these.is_none_or(|shown| !shown.whole) {
                <span class="muted min" role="status">{ stopped(of_these.map(|shown| &**shown)) }</span>
                { button("Run", || Action::Start) }
            } else if let Some(shown) = run.shown.as_ref().filter(|shown| shown.whole) {
                <copy::Copies shown={shown.clone()} />
            }
            if other {
                { button("Article's settings", || Action::Article) }
            }
        </>
    }
}

/// Where it was stopped: the numbers that stand there are of so many sign-ups.
fn stopped(shown: Option<&Shown>) -> String {
    match shown.and_then(|shown| shown.table.rows.iter().map(|row| row.jobs).min()) {
        Some(done) => format!("cancelled: the rows are of the first {} sign-ups", format::grouped(done)),
        None => "cancelled".to_owned(),
    }
}

/// The share of the sign-ups that are done.
fn done(shown: &Shown) -> f64 {
    let rows = &shown.table.rows;
    let done: u64 = rows.iter().map(|row| row.jobs).sum();
    done as f64 / (rows.len() as u64 * shown.table.params.jobs).max(1) as f64
}
