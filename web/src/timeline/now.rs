//! What is under way at an index, over all rows, and what connects rows. The only drawing that is made at every
//! step; it is cut off at the playhead, so that things may be drawn to the end they will have.

use yew::prelude::*;

use super::draw;
use super::head::queue_line;
use super::place::{Placed, What, job_marks, step_marks};
use super::plan::{Kind, Plan, Row};
use super::scale::Scale;
use super::shapes::{Bar, MIDDLE, WORKER_TEXT};
use super::store;
use crate::icons::{Glyph, glyph};
use crate::story::{AttemptName, Job, Step, Story, Wait};

/// Everything under way in these rows.
pub(super) fn now(
    story: &Story,
    plan: &Plan,
    rows: &[Row],
    scale: &Scale,
    index: usize,
    selected: Option<AttemptName>,
) -> Html {
    let row = |row: &Row| {
        let content = match row.kind {
            Kind::Head(job) => story.job(job).map(|job| head(scale, job, index)),
            Kind::Folded(job) => story.job(job).map(|job| folded(story, scale, job, index)),
            Kind::Step(job, step) => {
                both(story, job, step).map(|(job, step)| open_step(story, scale, job, step, index))
            }
            Kind::Key(line) => Some(lane(story, scale, line, index)),
            Kind::StoreHead => None,
        };
        let picked = selected.is_some_and(|name| row.shows(name)).then_some("picked");
        let place = format!("translate(0 {})", row.y);
        content.filter(|content| *content != Html::default()).map(|content| {
            html! { <g class={classes!(picked)} transform={place}>{ content }</g> }
        })
    };
    html! {
        <>
            { for rows.iter().filter_map(row) }
            { for rows.iter().map(|row| answers(story, plan, scale, row, index)) }
            { for story.restarts.iter().filter(|restart| restart.by(index)).map(|restart| restart_line(plan, scale.x(restart.at))) }
        </>
    }
}

fn head(scale: &Scale, job: &Job, index: usize) -> Html {
    if job.ending(index).is_some() {
        return Html::default();
    }
    match job.started().filter(|started| started.by(index)) {
        Some(started) => {
            let from = scale.x(started.at);
            html! { <path class="hair" d={format!("M{from} 13.5H{}M{from}.5 9.5v7", scale.width)} /> }
        }
        None => queue(scale, job, index, 13),
    }
}

/// The line of a job that waits for a worker.
fn queue(scale: &Scale, job: &Job, index: usize, y: i32) -> Html {
    let waiting = job.passes.iter().find_map(|pass| {
        let queued = pass.queued.filter(|queued| queued.by(index))?;
        pass.started.is_none_or(|started| !started.by(index)).then_some(queued)
    });
    match waiting.filter(|_| job.ending(index).is_none()) {
        Some(queued) => queue_line(scale.x(queued.at), scale.width, y, "queued"),
        None => Html::default(),
    }
}

fn step_is_open(step: &Step, index: usize) -> bool {
    step.attempts.iter().any(|attempt| attempt.started.by(index) && attempt.seen(index).is_none())
        || step.waits.iter().any(|wait| is_waiting(wait, index))
}

fn is_waiting(wait: &Wait, index: usize) -> bool {
    wait.from.by(index) && !wait.ended.is_some_and(|ended| ended.by(index))
}

fn both(story: &Story, job: u32, step: u32) -> Option<(&Job, &Step)> {
    Some((story.job(job)?, story.step(job, step)?))
}

fn open_step(story: &Story, scale: &Scale, job: &Job, step: &Step, index: usize) -> Html {
    if step_is_open(step, index) { open_marks(&step_marks(story, scale, job, step), index) } else { Html::default() }
}

fn folded(story: &Story, scale: &Scale, job: &Job, index: usize) -> Html {
    let open =
        job.steps.iter().any(|step| step_is_open(step, index)) || job.waits.iter().any(|wait| is_waiting(wait, index));
    if open { open_marks(&job_marks(story, scale, job), index) } else { queue(scale, job, index, MIDDLE) }
}

fn open_marks(marks: &[Placed], index: usize) -> Html {
    html! { <>{ for marks.iter().filter_map(|mark| open_mark(mark, index)) }</> }
}

fn open_mark(mark: &Placed, index: usize) -> Option<Html> {
    match &mark.what {
        What::Attempt(attempt) if attempt.started.by(index) && attempt.seen(index).is_none() => {
            let joined = attempt.joined.is_some();
            let class = if joined { "shared" } else { "run" };
            Some(html! {
                <>
                    <path {class} d={mark.bar.open()} />
                    if joined { { draw::joined(mark.bar) } }
                    if mark.numbered && !joined {
                        <text class="s b" x={(mark.bar.left + 10).to_string()} y={WORKER_TEXT}>{ attempt.name.attempt }</text>
                    }
                </>
            })
        }
        What::Wait(wait) if is_waiting(wait, index) => {
            let Bar { left, right } = mark.bar;
            Some(
                html! { <><path class="wait" d={format!("M{} 22H{right}", left + 3)} /><path class="cap" d={format!("M{} 17v10", left + 2)} /></> },
            )
        }
        What::Attempt(_) | What::Wait(_) | What::Skips(_) | What::Expired(_) | What::Conflict(_) | What::GaveUp(_) => {
            None
        }
    }
}

fn lane(story: &Story, scale: &Scale, line: usize, index: usize) -> Html {
    let line = &story.lifelines[line];
    if line.spans.first().is_none_or(|first| !first.claimed.by(index)) {
        return html! { <path class="hair" d={format!("M{} 9.5H{}", scale.x(0), scale.width)} /> };
    }
    let open =
        line.spans.iter().find(|span| span.claimed.by(index) && !span.ended.is_some_and(|ended| ended.0.by(index)));
    let Some(span) = open else { return Html::default() };
    match span.saved.filter(|saved| saved.0.by(index)) {
        Some((saved, until)) => {
            // A window that is over is over, even if nobody has looked yet.
            let end = until.filter(|&until| until <= story.time(index)).map_or(scale.width, |until| scale.x(until));
            store::saved(scale.x(saved.at), end)
        }
        None => {
            let end = span.saved.map(|saved| saved.0).or(span.ended.map(|ended| ended.0));
            store::running(scale.x(span.claimed.at), end.map_or(scale.width, |end| scale.x(end.at)))
        }
    }
}

/// Dots from what the store answered to the lanes it read.
fn answers(story: &Story, plan: &Plan, scale: &Scale, row: &Row, index: usize) -> Html {
    let marks = match row.kind {
        Kind::Step(job, step) => match both(story, job, step) {
            Some((job, step)) if !step.skips.is_empty() => step_marks(story, scale, job, step),
            _ => return Html::default(),
        },
        Kind::Folded(job) => match story.job(job) {
            Some(job) if job.steps.iter().any(|step| !step.skips.is_empty()) => job_marks(story, scale, job),
            _ => return Html::default(),
        },
        Kind::Head(_) | Kind::StoreHead | Kind::Key(_) => return Html::default(),
    };
    let line = |mark: &Placed| {
        let What::Skips(skips) = &mark.what else { return None };
        let x = mark.bar.centre();
        let played = skips.iter().filter(|skip| skip.moment.by(index));
        let lanes: Vec<i32> = played.filter_map(|skip| plan.lane(skip.lifeline?)).map(|lane| lane.y).collect();
        let last = *lanes.iter().max()?;
        Some(html! {
            <>
                <path class="dots" d={format!("M{x} {}V{}", row.y + 30, last + 6)} />
                { for lanes.into_iter().map(|y| store::read(x, y + 9)) }
            </>
        })
    };
    html! { <>{ for marks.iter().filter_map(line) }</> }
}

/// A double line through all rows; what memory held ends here.
fn restart_line(plan: &Plan, x: i32) -> Html {
    let head = plan.rows.iter().find(|row| row.kind == Kind::StoreHead).map(|row| row.y + 12);
    // The words stand before the line, where there is room.
    let (glyph_x, text_x, class) = if x >= 80 { (x - 14, x - 24, "s end") } else { (x + 14, x + 24, "s") };
    html! {
        <>
            <path class="dblline" d={format!("M{} 0V{}M{} 0V{}", x - 2, plan.height, x + 2, plan.height)} />
            if let Some(y) = head {
                { glyph(Glyph::Restart, f64::from(glyph_x), f64::from(y), 0.85, "c-text") }
                <text {class} x={text_x.to_string()} y={format!("{}.5", y + 4)}>{ "restart" }</text>
            }
        </>
    }
}
