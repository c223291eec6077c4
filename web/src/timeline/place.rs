//! Where marks and their labels stand in a row. Pure and static: it knows the whole story, so that nothing moves
//! while it is played. What of it is seen at an index is for the drawing to say.

use super::scale::Scale;
use super::shapes::{BAR_MIN, Bar, text_width};
use crate::order;
use crate::story::{Attempt, Conflict, Did, Ending, ExpiredUse, Job, Moment, Seen, Skip, Step, Story, Wait};
use crate::words::{duration, nth, seen_short};

/// A mark with its place.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Placed<'a> {
    pub(super) what: What<'a>,
    /// The step it belongs to.
    pub(super) step: Option<&'a Step>,
    /// Its extent in the worker's lane.
    pub(super) bar: Bar,
    /// Text in the worker's lane, and where it begins.
    pub(super) worker_label: Option<Label>,
    /// Text in the provider's lane.
    pub(super) provider_label: Option<Label>,
    /// Where the provider's mark is.
    pub(super) provider_x: Option<i32>,
    /// Its number is written in it.
    pub(super) numbered: bool,
    /// How far jitter could have drawn a wait.
    pub(super) range_to: Option<i32>,
}

/// A text and where it begins.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Label {
    pub(super) x: i32,
    pub(super) text: String,
}

/// What kind of mark.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum What<'a> {
    Attempt(&'a Attempt),
    Wait(&'a Wait),
    /// Answered by the store, at one moment: in a folded row several steps are one mark.
    Skips(Vec<&'a Skip>),
    Expired(&'a ExpiredUse),
    Conflict(&'a Conflict),
    GaveUp(Moment),
}

impl What<'_> {
    /// When it begins.
    pub(super) fn moment(&self) -> Moment {
        match self {
            Self::Attempt(attempt) => attempt.started,
            Self::Wait(wait) => wait.from,
            Self::Skips(skips) => skips[0].moment,
            Self::Expired(used) => used.moment,
            Self::Conflict(conflict) => conflict.moment,
            Self::GaveUp(moment) => *moment,
        }
    }
}

const PILL: i32 = 26;
const OCTAGON: i32 = 24;
const STOP: i32 = 14;

/// The marks of one step.
pub(super) fn step_marks<'a>(story: &'a Story, scale: &Scale, job: &'a Job, step: &'a Step) -> Vec<Placed<'a>> {
    place(story, scale, job, items_of(job, step))
}

/// The marks of a whole job in one row.
pub(super) fn job_marks<'a>(story: &'a Story, scale: &Scale, job: &'a Job) -> Vec<Placed<'a>> {
    place(story, scale, job, job_items(job))
}

/// All that happens in a job, in order; what the store answers at one moment is one item.
pub(super) fn job_items(job: &Job) -> Vec<(What<'_>, Option<&Step>)> {
    let mut marks = Vec::new();
    for step in &job.steps {
        marks.extend(items_of(job, step));
    }
    marks.extend(job.waits.iter().map(|wait| (What::Wait(wait), None)));
    order::sort_by_place(&mut marks, |(what, _)| what.moment().place());
    let mut joined: Vec<(What, Option<&Step>)> = Vec::new();
    for (what, step) in marks {
        match (joined.last_mut(), what) {
            (Some((What::Skips(skips), _)), What::Skips(more)) if skips[0].moment.at == more[0].moment.at => {
                skips.extend(more);
            }
            (_, what) => joined.push((what, step)),
        }
    }
    joined
}

/// All that happens in a step, in order.
fn items_of<'a>(job: &Job, step: &'a Step) -> Vec<(What<'a>, Option<&'a Step>)> {
    let mut marks: Vec<_> = step.attempts.iter().map(|attempt| (What::Attempt(attempt), Some(step))).collect();
    marks.extend(step.waits.iter().map(|wait| (What::Wait(wait), Some(step))));
    marks.extend(step.skips.iter().map(|skip| (What::Skips(vec![skip]), Some(step))));
    marks.extend(step.expired.iter().map(|used| (What::Expired(used), Some(step))));
    marks.extend(step.conflicts.iter().map(|conflict| (What::Conflict(conflict), Some(step))));
    // Where the whole job is tried again, a step that gives up has not had its last word.
    let last_pass = job.passes.last().and_then(|pass| pass.started);
    let for_good = |moment: &Moment| matches!(job.ended, Some((_, Ending::GaveUp { .. }))) && Some(*moment) > last_pass;
    let give_ups = step.give_ups.iter().map(|give_up| give_up.0).filter(for_good);
    marks.extend(give_ups.map(|moment| (What::GaveUp(moment), Some(step))));
    order::sort_by_place(&mut marks, |(what, _)| what.moment().place());
    marks
}

fn place<'a>(story: &Story, scale: &Scale, job: &Job, marks: Vec<(What<'a>, Option<&'a Step>)>) -> Vec<Placed<'a>> {
    let starts: Vec<i32> = marks.iter().map(|(what, _)| scale.x(what.moment().at)).collect();
    let mut placed: Vec<Placed> = Vec::new();
    for (at, (what, step)) in marks.into_iter().enumerate() {
        let next = starts[at + 1..].iter().copied().find(|&x| x > starts[at]);
        // A pill may stand on the dashes of a wait, but on no bar.
        let is_wait = |mark: &&Placed| matches!(mark.what, What::Wait(_));
        let momentary = matches!(what, What::Skips(_) | What::Expired(_));
        let before = placed.iter().rev().find(|mark| !(momentary && is_wait(mark))).map(|last| last.bar.right);
        let bar = extent(story, scale, &what, starts[at], next, before);
        let provider_x = match &what {
            What::Attempt(attempt) => attempt.did.map(|did| did.0).or(attempt.arrived).map(|moment| scale.x(moment.at)),
            _ => None,
        };
        let range_to = match &what {
            What::Wait(wait) if wait.delay_ms_max > wait.delay_ms => Some(scale.x(wait.from.at + wait.delay_ms_max)),
            _ => None,
        };
        let numbered = step.is_some_and(|step| step.attempts.len() > 1);
        placed.push(Placed {
            what,
            step,
            bar,
            worker_label: None,
            provider_label: None,
            provider_x,
            numbered,
            range_to,
        });
    }
    label_workers(&mut placed, job.number, scale.width);
    label_providers(&mut placed, scale.width);
    placed
}

fn extent(story: &Story, scale: &Scale, what: &What, x: i32, next: Option<i32>, before: Option<i32>) -> Bar {
    let end = |moment: Option<Moment>| scale.x(moment.map_or(story.time(story.len()), |moment| moment.at));
    match what {
        What::Attempt(attempt) => {
            let right = end(attempt.ended.as_ref().map(|ended| ended.0)).max(x + BAR_MIN);
            // Where the axis is tight, bars stand side by side rather than on each other.
            Bar { left: x, right: next.map_or(right, |next| right.min(next.max(x + 3))) }
        }
        What::Wait(wait) => {
            let right = end(wait.ended).max(x + 2);
            Bar { left: before.map_or(x, |before| before.clamp(x, right - 2)), right }
        }
        // A moment has no width; its mark stands before it, so that what follows can begin there.
        What::Skips(_) if !has_room(x, PILL, before) => Bar { left: x - PILL / 2, right: x + PILL / 2 },
        What::Expired(_) if !has_room(x, PILL, before) => Bar { left: x, right: x },
        What::Skips(_) | What::Expired(_) => Bar { left: x - PILL, right: x },
        What::Conflict(_) => Bar { left: x - OCTAGON, right: x },
        What::GaveUp(_) => {
            let left = before.unwrap_or(x).max(x) + 7;
            Bar { left, right: left + STOP }
        }
    }
}

fn has_room(x: i32, width: i32, before: Option<i32>) -> bool {
    x - width >= before.map_or(0, |before| before + 2)
}

/// What is written in the worker's lane.
fn worker_text(what: &What, job: u32) -> Option<String> {
    let text = match what {
        What::Attempt(attempt) => match (&attempt.joined, &attempt.ended) {
            (Some(leader), _) => format!("joined job {leader}"),
            (None, Some((_, seen @ (Seen::NoReply(_) | Seen::Error(_) | Seen::Interrupted)))) => seen_short(seen),
            (None, Some((_, Seen::Reply)) | None) => return None,
        },
        What::Skips(skips) if skips.len() > 1 => format!("{} steps skipped", skips.len()),
        What::Skips(skips) if skips[0].other_data => "first answer returned".into(),
        What::Skips(skips) if skips[0].saved_by == job => "done before".into(),
        What::Skips(skips) => format!("saved by job {}", skips[0].saved_by),
        What::Wait(_) | What::Expired(_) => return None,
        What::Conflict(_) => "same key, other data".into(),
        What::GaveUp(_) => "gave up".into(),
    };
    Some(text)
}

/// What is written in the provider's lane.
fn provider_text(placed: &Placed) -> Option<String> {
    let email = placed.step.is_some_and(|step| step.what.email);
    match &placed.what {
        What::Attempt(attempt) => match (attempt.lost, attempt.did) {
            (Some(_), Some((_, Did::Effect(nth_time)))) if nth_time > 1 && email => {
                Some(format!("{} email, reply lost", nth(nth_time)))
            }
            (Some(_), _) => Some("reply lost".into()),
            (None, Some((_, Did::Effect(nth_time)))) if nth_time > 1 => {
                Some(format!("{} {}", nth(nth_time), if email { "email" } else { "time" }))
            }
            (None, Some((_, Did::KnewKey))) => Some(if email { "already sent" } else { "already done" }.into()),
            (None, Some((_, Did::Refused))) => Some("refused".into()),
            (None, Some((_, Did::Effect(_) | Did::Failed)) | None) => None,
        },
        What::Skips(skips) if skips.len() > 1 || email => Some("nothing sent".into()),
        What::Skips(_) => Some("no call".into()),
        What::Expired(_) => Some("key forgotten".into()),
        What::Wait(_) | What::Conflict(_) | What::GaveUp(_) => None,
    }
}

/// Inside the bar if it fits; else to the right in its own lane; else to the left; else not at all.
fn label_workers(placed: &mut [Placed], job: u32, width: i32) {
    let mut taken: Vec<(i32, i32)> = placed.iter().map(|mark| (mark.bar.left, mark.bar.right)).collect();
    for mark in placed.iter_mut() {
        if let What::Wait(wait) = &mark.what {
            mark.worker_label = wait_label(wait, mark.bar);
            continue;
        }
        let Some(text) = worker_text(&mark.what, job) else { continue };
        let bold = matches!(&mark.what, What::Skips(skips) if skips.len() > 1);
        let (size, bar) = (text_width(&text, bold), mark.bar);
        let x = match &mark.what {
            What::Attempt(attempt) => {
                let lead = if attempt.joined.is_some() {
                    27
                } else if mark.numbered {
                    22
                } else {
                    9
                };
                let hatched = matches!(attempt.ended, Some((_, Seen::Error(_))));
                let inside = !hatched && bar.width() >= size + lead + 11;
                if inside { Some(bar.left + lead) } else { beside(bar, size, &taken, width) }
            }
            What::Wait(_) | What::Skips(_) | What::Expired(_) | What::Conflict(_) | What::GaveUp(_) => {
                beside(bar, size, &taken, width)
            }
        };
        if let Some(x) = x {
            taken.push((x, x + size));
            mark.worker_label = Some(Label { x, text });
        }
    }
}

/// Over the dashes, in the middle; the time alone, or that it was cancelled, where there is no room for more.
fn wait_label(wait: &Wait, bar: Bar) -> Option<Label> {
    let (what, delay) = (if wait.sleep { "sleep" } else { "wait" }, duration(wait.delay_ms));
    let texts = if wait.cancelled {
        [format!("{what} {delay}, cancelled"), "cancelled".to_owned()]
    } else {
        [format!("{what} {delay}"), delay]
    };
    texts.into_iter().find_map(|text| {
        let size = text_width(&text, false);
        (bar.width() >= size + 4).then(|| Label { x: bar.centre() - size / 2, text })
    })
}

fn label_providers(placed: &mut [Placed], width: i32) {
    let reach = |mark: &Placed| match (&mark.what, mark.provider_x) {
        (What::Attempt(attempt), Some(x)) if attempt.lost.is_some() => (mark.bar.left.min(x - 8), x + 35),
        (What::Attempt(_), Some(x)) => (mark.bar.left.min(x - 9), mark.bar.right.max(x + 9)),
        _ => (mark.bar.left, mark.bar.left),
    };
    let mut taken: Vec<(i32, i32)> = placed.iter().map(reach).collect();
    for mark in placed.iter_mut() {
        let Some(text) = provider_text(mark) else { continue };
        let tinted = text.ends_with("email") || text.ends_with("time");
        let size = text_width(&text, tinted) + if tinted { 10 } else { 0 };
        let lost = matches!(&mark.what, What::Attempt(attempt) if attempt.lost.is_some());
        let x = match mark.provider_x {
            Some(x) if lost => free(x + 40, size, &taken, width),
            // To the right of the bar, so that it never crosses the line of the reply.
            Some(x) => free(mark.bar.right.max(x + 9) + 4, size, &taken, width),
            None if matches!(mark.what, What::Expired(_)) => {
                let x = mark.bar.left - 6 - size;
                free(x, size, &taken, width).filter(|&x| x >= 0)
            }
            None => free(mark.bar.right + 8, size, &taken, width),
        };
        if let Some(x) = x {
            taken.push((x, x + size));
            mark.provider_label = Some(Label { x, text });
        }
    }
}

fn beside(bar: Bar, size: i32, taken: &[(i32, i32)], width: i32) -> Option<i32> {
    free(bar.right + 8, size, taken, width)
        .or_else(|| free(bar.left - 8 - size, size, taken, width).filter(|&x| x >= 0))
}

/// `x` if a text of this size fits there.
fn free(x: i32, size: i32, taken: &[(i32, i32)], width: i32) -> Option<i32> {
    let clear = taken.iter().all(|&(left, right)| x + size + 4 <= left || x >= right + 2);
    (x + size <= width - 2 && clear).then_some(x)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::story::samples::two_emails;

    #[test]
    fn labels_of_a_lane_never_touch() {
        let story = two_emails();
        for width in [300, 420, 560, 900] {
            let scale = Scale::new(&story, width);
            for job in &story.jobs {
                let mut rows: Vec<_> = job.steps.iter().map(|step| step_marks(&story, &scale, job, step)).collect();
                rows.push(job_marks(&story, &scale, job));
                for row in rows {
                    let labels = |lane: fn(&Placed) -> Option<Label>| {
                        let mut spans: Vec<_> =
                            row.iter().filter_map(lane).map(|l| (l.x, l.x + text_width(&l.text, false))).collect();
                        spans.sort_unstable();
                        spans
                    };
                    for spans in [labels(|m| m.worker_label.clone()), labels(|m| m.provider_label.clone())] {
                        assert!(spans.windows(2).all(|pair| pair[0].1 <= pair[1].0), "{spans:?} at {width}");
                        assert!(spans.iter().all(|span| span.0 >= 0 && span.1 <= width));
                    }
                }
            }
        }
    }

    #[test]
    fn the_story_of_the_lost_reply_has_all_its_labels() {
        let story = two_emails();
        let scale = Scale::new(&story, 560);
        let marks = step_marks(&story, &scale, &story.jobs[0], &story.jobs[0].steps[1]);
        let texts: Vec<_> = marks
            .iter()
            .flat_map(|m| [&m.worker_label, &m.provider_label])
            .flatten()
            .map(|l| l.text.as_str())
            .collect();
        assert_eq!(texts, ["timed out", "reply lost", "wait 187 ms", "2nd email"]);
        let folded = job_marks(&story, &scale, &story.jobs[1]);
        assert_eq!(folded.len(), 1);
        assert_eq!(folded[0].worker_label.as_ref().map(|label| label.text.as_str()), Some("3 steps skipped"));
    }
}
