//! The thin lines of jobs: waiting for a worker, and being under way.

use yew::prelude::*;

use super::scale::Scale;
use super::shapes::text_width;
use crate::story::{Job, Story};
use crate::words;

/// The life of a job on its head's row: from its first worker to its end, with what it came to.
pub(super) fn life(story: &Story, scale: &Scale, job: &Job, index: usize) -> Html {
    let Some(started) = job.started().filter(|started| started.by(index)) else {
        return queue(story, scale, job, index, 13);
    };
    let from = scale.x(started.at);
    let Some((ended, _)) = job.ending(index) else { return Html::default() };
    let to = scale.x(ended.at);
    let text = words::job_state(story, job, index);
    let size = text_width(&text, false);
    let caps = format!("M{from}.5 9.5v7M{to}.5 9.5v7");
    // The words stand in the line near its end; where it is short, behind it.
    let inside = to - from >= size + 60;
    let (line, x) = if inside {
        (format!("M{from} 13.5H{}M{} 13.5H{to}", to - size - 20, to - 8), to - size - 14)
    } else {
        (format!("M{from} 13.5H{to}"), to + 9)
    };
    html! {
        <>
            <path class="hair" d={line} /><path class="hair" d={caps} />
            <text class="s m" x={x.to_string()} y="18">{ text }</text>
        </>
    }
}

/// How long a job waited for a worker: a thin line without caps, its words in a gap of it. While it waits it is
/// drawn by [`super::now`].
pub(super) fn queue(_story: &Story, scale: &Scale, job: &Job, index: usize, y: i32) -> Html {
    let waits = job.passes.iter().filter_map(|pass| {
        let (queued, started) = (pass.queued?, pass.started?);
        (started.by(index) && started.at > queued.at).then_some((queued.at, started.at))
    });
    let line =
        |(from, to)| queue_line(scale.x(from), scale.x(to), y, &format!("queued {}", words::duration(to - from)));
    html! { <>{ for waits.map(line) }</> }
}

/// A thin line with words in it.
pub(super) fn queue_line(from: i32, to: i32, y: i32, text: &str) -> Html {
    let size = text_width(text, false);
    let fits = to - from >= size + 28;
    let line =
        if fits { format!("M{from} {y}.5h10M{} {y}.5H{to}", from + size + 22) } else { format!("M{from} {y}.5H{to}") };
    html! {
        <>
            <path class="hair" d={line} />
            if fits { <text class="s m" x={(from + 16).to_string()} y={format!("{}.5", y + 4)}>{ text.to_owned() }</text> }
        </>
    }
}
