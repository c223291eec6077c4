//! One row: its label, and its own small svg in a box of fixed height. Nothing in it is drawn anew until one of its
//! own entries is played.

use std::rc::Rc;

use yew::prelude::*;

use super::SharedStory;
use super::draw::{self, Ctx};
use super::place::{job_marks, step_marks};
use super::plan::Kind as RowKind;
use super::scale::Scale;
use super::{head, store};
use crate::icons::{Glyph, glyph};
use crate::story::{AttemptName, Job, Kind, Step};
use crate::words;

#[derive(Clone, PartialEq, Properties)]
pub(super) struct Props {
    pub(super) story: SharedStory,
    pub(super) scale: Rc<Scale>,
    pub(super) kind: RowKind,
    /// Clamped to the row's own entries.
    pub(super) index: usize,
    /// Only if it is in this row.
    pub(super) selected: Option<AttemptName>,
    /// Only if it is in this row.
    pub(super) reachable: Option<AttemptName>,
    pub(super) show_provider: bool,
    pub(super) dimmed: Rc<[Kind]>,
    pub(super) subject: Option<AttrValue>,
    pub(super) on_select: Callback<AttemptName>,
    pub(super) on_open: Callback<u32>,
}

/// A row.
#[component]
pub(super) fn Row(props: &Props) -> Html {
    let story = &*props.story;
    match props.kind {
        RowKind::Head(job) => story.job(job).map_or_else(Html::default, |job| head_row(props, job)),
        RowKind::Folded(job) => story.job(job).map_or_else(Html::default, |job| folded_row(props, job)),
        RowKind::Step(job, step) => match (story.job(job), story.step(job, step)) {
            (Some(job), Some(step)) => step_row(props, job, step),
            _ => Html::default(),
        },
        RowKind::StoreHead => html! {
            <li class="tlr tlr-store"><p class="tlr-label"><b>{ "Key store" }</b>
                if let Some(subject) = &props.subject { <span class="muted">{ subject.clone() }</span> }
            </p></li>
        },
        RowKind::Key(line) => html! {
            <li class="tlr tlr-key">
                <p class="tlr-label mono">
                    { &*story.lifelines[line].action }
                    if props.subject.is_none() { <span class="muted">{ format!(":{}", story.lifelines[line].subject) }</span> }
                </p>
                { plot(props, 18, store::lane(story, &props.scale, line, props.index)) }
            </li>
        },
    }
}

fn plot(props: &Props, height: i32, content: Html) -> Html {
    let (width, height) = (props.scale.width.to_string(), height.to_string());
    let view = format!("0 0 {width} {height}");
    html! { <svg class="tlr-plot" {width} {height} viewBox={view}>{ content }</svg> }
}

fn ctx<'a>(props: &'a Props, job: &'a Job) -> Ctx<'a> {
    Ctx {
        story: &props.story,
        job,
        index: props.index,
        selected: props.selected,
        reachable: props.reachable,
        show_provider: props.show_provider,
        dimmed: &props.dimmed,
        on_select: &props.on_select,
    }
}

fn chevron(props: &Props, job: &Job, open: bool) -> Html {
    let number = job.number;
    let onclick = props.on_open.reform(move |_: MouseEvent| number);
    let drawn = if open { Glyph::Down } else { Glyph::Right };
    let label = if open { format!("Fold job {number}") } else { format!("Open job {number}") };
    html! {
        <button class="fold-job" type="button" tabindex="-1" data-job={number.to_string()} aria-expanded={open.to_string()} aria-label={label} {onclick}>
            <svg width="16" height="16" viewBox="-8 -8 16 16" aria-hidden="true">{ glyph(drawn, 0.0, 0.0, 1.0, "c-muted") }</svg>
        </button>
    }
}

fn head_row(props: &Props, job: &Job) -> Html {
    let story = &*props.story;
    html! {
        <li class="tlr tlr-head">
            { chevron(props, job, true) }
            <p class="tlr-label"><b>{ format!("Job {}", job.number) }</b><span class="muted">{ words::job_about(story, job) }</span></p>
            { plot(props, 26, head::life(story, &props.scale, job, props.index)) }
        </li>
    }
}

fn folded_row(props: &Props, job: &Job) -> Html {
    let story = &*props.story;
    let picked = props.selected.is_some().then_some("picked");
    let name = job.person.map(|person| story.people[person].name.to_string()).unwrap_or_default();
    let about = if job.repeats == crate::story::Repeats::Nothing { name } else { words::job_about(story, job) };
    let marks = job_marks(story, &props.scale, job);
    html! {
        <li class={classes!("tlr", "tlr-step", "tlr-folded", picked)}>
            { chevron(props, job, false) }
            <p class="tlr-label two"><span><b>{ format!("Job {}", job.number) }</b><span class="muted">{ about }</span></span>
                <span class="muted min">{ words::job_detail(story, job) }</span></p>
            { plot(props, 50, html! { <>{ head::queue(story, &props.scale, job, props.index, 16) }{ draw::marks(&ctx(props, job), &marks) }</> }) }
        </li>
    }
}

fn step_row(props: &Props, job: &Job, step: &Step) -> Html {
    let picked = props.selected.is_some().then_some("picked");
    let marks = step_marks(&props.story, &props.scale, job, step);
    let performer = match &step.what.provider {
        Some(provider) if props.show_provider => Some(provider.to_string()),
        _ if !props.story.provider_recorded => Some("not recorded".into()),
        _ => None,
    };
    html! {
        <li class={classes!("tlr", "tlr-step", picked)}>
            <p class="tlr-label two"><span>{ &*step.what.name }</span>
                <span class="muted min">{ performer }</span></p>
            { plot(props, 50, draw::marks(&ctx(props, job), &marks)) }
        </li>
    }
}
