//! The timeline of narrow screens: a list in the order of events. Gaps are printed numbers, worker and provider are
//! two columns, and the playhead is a line across. What lies ahead is not in the list.

use std::rc::Rc;

use yew::prelude::*;

use super::axis::eye;
use super::draw::{bar_content, joined, provider_mark};
use super::place::{Placed, What, job_items};
use super::shapes::{Bar, MIDDLE, octagon};
use super::{Props, SharedStory};
use crate::icons::{Glyph, glyph};
use crate::order;
use crate::story::{Attempt, AttemptName, Did, Job, Kind, Moment, Seen, Skip, Step, Story};
use crate::words::{self, clock, duration, nth};

/// The list. The line stands after the last job that has begun.
pub(super) fn list(props: &Props, now_ms: u64) -> Html {
    let Props { story, index, .. } = props;
    let begun = |job: &&Job| job.started().is_some_and(|started| started.by(*index));
    let (first, ahead): (Vec<&Job>, Vec<&Job>) = story.jobs.iter().partition(begun);
    let under_way: Vec<&Job> = first.iter().copied().filter(|job| job.ending(*index).is_none()).collect();
    // The steps of whoever comes next, so that there is something to look at before anything has happened.
    let next = if under_way.is_empty() { ahead.first().copied() } else { None };
    let section = |job: &Job| {
        let selected = props.selected.filter(|name| name.job == job.number);
        html! {
            <JobList key={job.number} story={story.clone()} job={job.number} index={last_entry(job, *index)} {selected}
                state={words::job_state(story, job, *index)} show_provider={props.show_provider}
                dimmed={props.dimmed.clone()} on_select={props.on_select.clone()} />
        }
    };
    // A restart stands in the list of each job it hit; one that hit none stands for itself.
    let hit = |restart: &Moment| story.jobs.iter().any(|job| restarts_of(job).any(|moment| moment == *restart));
    let restarts = story.restarts.iter().filter(|restart| restart.by(*index) && !hit(restart));
    html! {
        <div class="vl" role="group" aria-label="Timeline">
            <div class="vl-cols">
                <span aria-hidden="true">{ "ms" }</span><span class="vl-w" aria-hidden="true">{ "worker saw" }</span>
                <span class="vl-p"><span aria-hidden="true">{ "provider did" }</span>{ eye(story, props.show_provider, &props.on_toggle_provider) }</span>
            </div>
            { for first.into_iter().map(section) }
            { for restarts.map(|restart| html! { <p class="vl-restart">{ restart_text(*restart) }</p> }) }
            <p class="vl-now"><span class="sr">{ "Now, " }</span><b>{ clock(now_ms) }</b></p>
            { for under_way.into_iter().map(|job| to_come(props, job)) }
            { for next.map(|job| html! { <>{ section(job) }{ to_come(props, job) }</> }) }
            { for ahead.into_iter().skip(usize::from(next.is_some())).map(section) }
        </div>
    }
}

/// The steps of a job that nothing has come of yet.
fn to_come(props: &Props, job: &Job) -> Html {
    let touched = |step: &Step| {
        let all = step.attempts.iter().map(|attempt| attempt.started).chain(step.skips.iter().map(|skip| skip.moment));
        all.chain(step.conflicts.iter().map(|conflict| conflict.moment)).any(|moment| moment.by(props.index))
    };
    let row = |step: &Step| {
        html! {
            <li class="vl-row vl-ahead" key={step.number}>
                <span class="vl-t" />
                { small(html! { <path class="ghost" d="M6 6H42V26H6Z" /> }) }
                <span class="vl-w"><span>{ step_name(Some(step)) }</span><small>{ "queued" }</small></span>
                if props.show_provider { <span class="vl-p"><small>{ step.what.provider.as_deref().map(str::to_owned) }</small></span> }
            </li>
        }
    };
    let rows: Vec<Html> = job.steps.iter().filter(|step| !touched(step)).map(row).collect();
    if rows.is_empty() {
        return Html::default();
    }
    html! { <ol aria-label={format!("Still to come of job {}", job.number)}>{ rows }</ol> }
}

/// When a job was queued again because the process had stopped.
fn restarts_of(job: &Job) -> impl Iterator<Item = Moment> + '_ {
    job.passes.iter().skip(1).filter_map(|pass| pass.queued)
}

fn restart_text(restart: Moment) -> Html {
    html! {
        <>
            <svg width="16" height="16" viewBox="-8 -8 16 16" aria-hidden="true">{ glyph(Glyph::Restart, 0.0, 0.0, 0.85, "c-text") }</svg>
            { format!("restart at {}: the keys in memory are lost", clock(restart.at)) }
        </>
    }
}

/// The index clamped to what the job's list shows.
fn last_entry(job: &Job, index: usize) -> usize {
    let steps = job.steps.iter();
    let of_attempt = |attempt: &Attempt| {
        let provider = [attempt.arrived, attempt.did.map(|did| did.0), attempt.lost];
        let worker = [Some(attempt.started), attempt.ended.as_ref().map(|ended| ended.0)];
        provider.into_iter().chain(worker).flatten().collect::<Vec<_>>()
    };
    let of_step = |step: &Step| {
        let waits = step.waits.iter().flat_map(|wait| [Some(wait.from), wait.ended]).flatten();
        let store =
            step.skips.iter().map(|skip| skip.moment).chain(step.conflicts.iter().map(|conflict| conflict.moment));
        let ends = step.give_ups.iter().map(|give_up| give_up.0).chain(step.expired.iter().map(|used| used.moment));
        step.attempts.iter().flat_map(of_attempt).chain(waits).chain(store).chain(ends).collect::<Vec<_>>()
    };
    let waits = job.waits.iter().flat_map(|wait| [Some(wait.from), wait.ended]).flatten();
    let all = steps.flat_map(of_step).chain(waits).chain(restarts_of(job));
    all.map(|moment| moment.entry).filter(|&entry| entry < index).max().map_or(0, |entry| entry + 1)
}

#[derive(Clone, PartialEq, Properties)]
struct JobProps {
    story: SharedStory,
    job: u32,
    index: usize,
    selected: Option<AttemptName>,
    state: AttrValue,
    show_provider: bool,
    dimmed: Rc<[Kind]>,
    on_select: Callback<AttemptName>,
}

/// A job of the list.
#[component]
fn JobList(props: &JobProps) -> Html {
    let Some(job) = props.story.job(props.job) else { return Html::default() };
    let mut items: Vec<(Moment, Html)> = job_items(job)
        .into_iter()
        .filter(|(what, _)| what.moment().by(props.index))
        .map(|(what, step)| (what.moment(), item(props, job, what, step)))
        .collect();
    let restarts = restarts_of(job).filter(|restart| restart.by(props.index));
    items.extend(restarts.map(|restart| (restart, html! { <li class="vl-restart">{ restart_text(restart) }</li> })));
    order::sort_by_place(&mut items, |(moment, _)| moment.place());
    html! {
        <section class="vl-job">
            <h3><b>{ format!("Job {}", job.number) }</b>{ format!(" {}", words::job_about(&props.story, job)) }<span>{ props.state.clone() }</span></h3>
            if !items.is_empty() { <ol>{ for items.into_iter().map(|(_, item)| item) }</ol> }
        </section>
    }
}

fn item(props: &JobProps, job: &Job, what: What, step: Option<&Step>) -> Html {
    match what {
        What::Attempt(attempt) => attempt_item(props, attempt, step),
        What::Wait(wait) => html! {
            <li class="vl-gap">
                { small(html! { <><path class="wait" d="M3 16H41" /><path class="cap" d="M2 11v10M42 11v10" /></> }) }
                <span>{ format!("{} {}", if wait.sleep { "sleep" } else { "wait" }, duration(wait.delay_ms)) }
                    if let Some(lasted) = wait.cancelled_after(props.index) {
                        <span class="muted">{ format!(", cancelled after {}", duration(lasted)) }</span>
                    } else if wait.delay_ms_max > wait.delay_ms { <span class="muted">{ format!(" of up to {}", duration(wait.delay_ms_max)) }</span> }
                </span>
            </li>
        },
        What::Skips(skips) => skip_item(props, job, &skips, step),
        What::Expired(used) => html! {
            <li class="vl-gap">
                { small(html! { <><rect class="keyed broken" x="9" y="6" width="26" height="20" rx="10" />{ glyph(Glyph::Hourglass, 22.0, f64::from(MIDDLE), 0.8, "c-key") }</> }) }
                <span>{ format!("key forgotten {} ago", duration(used.moment.at.saturating_sub(used.since))) }</span>
            </li>
        },
        What::Conflict(conflict) => {
            let name = AttemptName { job: job.number, step: step.map_or(0, |step| step.number), attempt: 0 };
            let mark = html! { <><path class="warned" d={octagon(22, MIDDLE)} />{ glyph(Glyph::Unequal, 22.0, f64::from(MIDDLE), 0.95, "c-warn") }</> };
            row(
                props,
                name,
                conflict.moment,
                mark,
                (step_name(step), "same key, other data".into()),
                (Html::default(), html! { "no call" }),
            )
        }
        What::GaveUp(_) => html! {
            <li class="vl-gap">{ small(html! { <rect class="stopsq" x="15" y="9" width="14" height="14" rx="1" /> }) }<span>{ "gave up" }</span></li>
        },
    }
}

fn small(drawing: Html) -> Html {
    html! { <svg class="vl-mark" width="44" height="22" viewBox="0 5 44 22" aria-hidden="true">{ drawing }</svg> }
}

fn step_name(step: Option<&Step>) -> String {
    step.map_or_else(String::new, |step| step.what.name.to_string())
}

fn row(
    props: &JobProps,
    name: AttemptName,
    moment: Moment,
    mark: Html,
    (text, small_text): (String, String),
    (provider_drawing, provider_text): (Html, Html),
) -> Html {
    let picked = props.selected == Some(name);
    let onclick = props.on_select.reform(move |_: MouseEvent| name);
    html! {
        <li class={classes!("vl-row", picked.then_some("picked"))}>
            <button type="button" aria-pressed={picked.to_string()} data-mark={super::draw::id(name)} {onclick}>
                <span class="vl-t">{ time(moment.at) }</span>
                { small(mark) }
                <span class="vl-w"><span>{ text }</span>if !small_text.is_empty() { <small>{ small_text }</small> }</span>
                if props.show_provider {
                    <span class="vl-p">
                        <svg width="24" height="22" viewBox="0 27 24 22" aria-hidden="true">{ provider_drawing }</svg>
                        <small>{ provider_text }</small>
                    </span>
                }
            </button>
        </li>
    }
}

/// A time in a narrow column.
fn time(ms: u64) -> String {
    if ms < 10_000 { ms.to_string() } else { clock(ms) }
}

fn attempt_item(props: &JobProps, attempt: &Attempt, step: Option<&Step>) -> Html {
    let index = props.index;
    let bar = Bar { left: 0, right: 44 };
    let numbered = step.is_some_and(|step| step.attempts.len() > 1);
    let placed = Placed {
        what: What::Attempt(attempt),
        step,
        bar,
        worker_label: None,
        provider_label: None,
        provider_x: None,
        numbered,
        range_to: None,
    };
    let seen = attempt.seen(index);
    let mark = match seen {
        None => running(attempt, numbered),
        Some((_, seen)) => {
            let (class, path) = match (attempt.joined, seen) {
                (Some(_), _) => ("shared", bar.closed()),
                (None, Seen::Reply) => ("ok", bar.closed()),
                (None, Seen::NoReply(_)) => ("bad", bar.torn()),
                (None, Seen::Error(_)) => ("bad", bar.closed()),
                (None, Seen::Interrupted) => ("run", bar.open()),
            };
            html! { <><path {class} d={path} />{ bar_content(&placed, attempt, seen) }</> }
        }
    };
    let worker = match (attempt.joined, seen) {
        (Some(leader), _) => format!("joined job {leader}"),
        (None, None) => "running".into(),
        (None, Some((_, Seen::Reply))) if numbered => "reply received".into(),
        (None, Some((_, Seen::Reply))) => String::new(),
        (None, Some((ended, seen @ Seen::NoReply(_)))) => {
            format!("{} after {}", words::seen_short(seen), duration(ended.at - attempt.started.at))
        }
        (None, Some((_, seen))) => words::seen_short(seen),
    };
    row(
        props,
        attempt.name,
        attempt.started,
        mark,
        (step_name(step), worker),
        provider(&props.story, attempt, step, index),
    )
}

/// No right edge, and two shortening lines ahead of it.
fn running(attempt: &Attempt, numbered: bool) -> Html {
    let bar = Bar { left: 0, right: 35 };
    let class = if attempt.joined.is_some() { "shared" } else { "run" };
    html! {
        <>
            <path {class} d={bar.open()} />
            if attempt.joined.is_some() { { joined(bar) } } else { <path class="run" d="M38 10v12M42 12.5v7" /> }
            if numbered && attempt.joined.is_none() { <text class="s b" x="9" y="20.5">{ attempt.name.attempt }</text> }
        </>
    }
}

fn provider(story: &Story, attempt: &Attempt, step: Option<&Step>, index: usize) -> (Html, Html) {
    let did = attempt.did(index).map(|did| did.1);
    if attempt.joined.is_some() || (did.is_none() && !attempt.arrived.is_some_and(|moment| moment.by(index))) {
        let text = if !story.provider_recorded { "not recorded" } else { "" };
        return (Html::default(), html! { <span class="muted">{ text }</span> });
    }
    let email = step.is_some_and(|step| step.what.email);
    let done = step.and_then(|step| step.what.done.as_deref()).unwrap_or("done");
    let text = match did {
        None => html! { "asked" },
        Some(Did::Effect(1)) => html! { done },
        Some(Did::Effect(times)) => {
            html! { <b class="harm-t">{ format!("{} {}", nth(times), if email { "email" } else { "time" }) }</b> }
        }
        Some(Did::KnewKey) => html! { if email { { "already sent" } } else { { "already done" } } },
        Some(Did::Refused) => html! { "refused" },
        Some(Did::Failed) => html! { "nothing" },
    };
    let cut = html! {
        <><br /><svg class="vl-cut" width="11" height="10" viewBox="0 0 11 10" aria-hidden="true"><path class="lostl" d="M1 9L4.5 1M5.5 9L9 1" /></svg>{ "reply lost" }</>
    };
    (provider_mark(12, did), html! { <>{ text }if attempt.is_lost(index) { { cut } }</> })
}

fn skip_item(props: &JobProps, job: &Job, skips: &[&Skip], step: Option<&Step>) -> Html {
    let played: Vec<_> = skips.iter().filter(|skip| skip.moment.by(props.index)).collect();
    let name = AttemptName { job: job.number, step: step.map_or(0, |step| step.number), attempt: 0 };
    let other_data = played.iter().any(|skip| skip.other_data);
    let mark = html! {
        <>
            <rect class="keyed" x="9" y="6" width="26" height="20" rx="10" />
            { glyph(Glyph::Key, 22.0, f64::from(MIDDLE), 0.95, "c-key") }
            if other_data { <circle class="warned" cx="36" cy="12" r="6" />{ glyph(Glyph::Unequal, 36.0, 12.0, 0.55, "c-warn") } }
        </>
    };
    let text = match (skips.len(), step) {
        (1, Some(step)) => step.what.name.to_string(),
        _ => words::count(played.len(), "step skipped", "steps skipped"),
    };
    let by = match (other_data, played[0].saved_by) {
        (true, by) => format!("the answer for job {by}’s data"),
        (false, by) if by == job.number => "done before".into(),
        (false, by) => format!("saved by job {by}"),
    };
    let nothing = if skips.len() > 1 || step.is_some_and(|step| step.what.email) { "nothing sent" } else { "no call" };
    row(props, name, skips[0].moment, mark, (text, by), (Html::default(), html! { nothing }))
}
