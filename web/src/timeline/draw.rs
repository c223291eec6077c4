//! Draws the marks of a row as they stand at an index. What has not begun is a dotted outline without hue or glyph;
//! what is under way is drawn by [`super::now`], over the same outline.

use std::rc::Rc;

use yew::prelude::*;

use super::place::{Label, Placed, What};
use super::shapes::{Bar, MIDDLE, PROVIDER, PROVIDER_TEXT, WORKER_TEXT, diamond, octagon, text_width};
use crate::icons::{Glyph, glyph};
use crate::story::{Attempt, AttemptName, Did, Job, Kind, Seen, Skip, Story, Wait};
use crate::words;

/// What the marks of a row are drawn with.
pub(super) struct Ctx<'a> {
    pub(super) story: &'a Story,
    pub(super) job: &'a Job,
    pub(super) index: usize,
    pub(super) selected: Option<AttemptName>,
    /// The mark that the Tab key reaches.
    pub(super) reachable: Option<AttemptName>,
    pub(super) show_provider: bool,
    pub(super) dimmed: &'a Rc<[Kind]>,
    pub(super) on_select: &'a Callback<AttemptName>,
}

impl Ctx<'_> {
    /// The class of a part that shows this kind of thing.
    fn part(&self, kind: Kind) -> Option<&'static str> {
        self.dimmed.contains(&kind).then_some("dim")
    }
}

/// All marks of a row.
pub(super) fn marks(ctx: &Ctx, placed: &[Placed]) -> Html {
    html! { <>{ for placed.iter().map(|mark| draw(ctx, mark)) }</> }
}

fn draw(ctx: &Ctx, mark: &Placed) -> Html {
    match &mark.what {
        What::Attempt(attempt) => {
            button(ctx, mark, attempt.name, attempt_label(ctx, mark, attempt), draw_attempt(ctx, mark, attempt))
        }
        What::Wait(wait) if wait.from.by(ctx.index) => draw_wait(ctx, mark, wait),
        What::Skips(skips) if skips[0].moment.by(ctx.index) => {
            let step = mark.step.map_or(0, |step| step.number);
            let name = AttemptName { job: ctx.job.number, step, attempt: 0 };
            let played: Vec<&Skip> = skips.iter().copied().filter(|skip| skip.moment.by(ctx.index)).collect();
            let label = format!("job {}: {}", ctx.job.number, skips_label(ctx, mark, &played));
            button(ctx, mark, name, label, draw_skips(ctx, mark, &played, skips.len()))
        }
        // Between two bars there is no room for it; the open job shows it.
        What::Expired(used) if used.moment.by(ctx.index) && mark.bar.width() > 0 => draw_expired(ctx, mark),
        What::Conflict(conflict) if conflict.moment.by(ctx.index) => {
            let name = AttemptName { job: ctx.job.number, step: mark.step.map_or(0, |step| step.number), attempt: 0 };
            let label = format!("Rejected: data differs from the first request, of job {}", conflict.first);
            button(ctx, mark, name, label, draw_conflict(ctx, mark))
        }
        What::GaveUp(moment) if moment.by(ctx.index) => draw_gave_up(ctx, mark),
        What::Wait(_) | What::Skips(_) | What::Expired(_) | What::Conflict(_) | What::GaveUp(_) => Html::default(),
    }
}

/// A mark that can be chosen: by pointer, by Tab and arrows, by its name.
fn button(ctx: &Ctx, mark: &Placed, name: AttemptName, label: String, drawing: Html) -> Html {
    let chosen = ctx.selected == Some(name);
    let onclick = ctx.on_select.reform(move |_: MouseEvent| name);
    let tab = if ctx.reachable == Some(name) { "0" } else { "-1" };
    let Bar { left, right } = mark.bar;
    // As wide as the ring of the selection, and never too small to hit.
    let wide = (right - left + 8).max(24);
    let hit = Bar { left: (left + right - wide) / 2, right: (left + right + wide) / 2 };
    html! {
        <>
            // Beside the button, not in it: the button's name says all that is drawn, and more.
            <g aria-hidden="true">{ drawing }</g>
            <g class="mark" role="button" tabindex={tab} aria-label={label} aria-pressed={chosen.to_string()}
                data-mark={id(name)} {onclick}>
                <rect class="hit-area" x={hit.left.to_string()} y="2" width={hit.width().to_string()} height="46" rx="7" />
                if chosen {
                    <rect class="sel" x={(left - 4).to_string()} y="2" width={(right - left + 8).to_string()} height="28" rx="7" />
                }
            </g>
        </>
    }
}

/// The name of a mark in the page: "1.2.1".
pub(super) fn id(name: AttemptName) -> String {
    format!("{}.{}.{}", name.job, name.step, name.attempt)
}

fn attempt_label(ctx: &Ctx, mark: &Placed, attempt: &Attempt) -> String {
    let both = ctx.show_provider && ctx.story.provider_recorded;
    let step = mark.step.map_or_else(String::new, |step| step.what.name.to_string());
    format!("job {}, {step}: {}", ctx.job.number, words::attempt_state(ctx.story, attempt, ctx.index, both))
}

fn draw_attempt(ctx: &Ctx, mark: &Placed, attempt: &Attempt) -> Html {
    let seen = attempt.seen(ctx.index);
    let Some((_, seen)) = seen else {
        // Under way or ahead: the outline of what is to come, and of what the provider did already.
        let begun = attempt.started.by(ctx.index);
        return html! {
            <>
                if attempt.ended.is_some() { <path class="ghost" d={mark.bar.closed()} /> }
                if begun && ctx.show_provider { { draw_provider(ctx, mark, attempt) } }
            </>
        };
    };
    let (kind, class, path) = match (attempt.joined, seen) {
        (Some(_), _) => (Kind::Joined, "shared", mark.bar.closed()),
        (None, Seen::Reply) => (Kind::Replied, "ok", mark.bar.closed()),
        (None, Seen::NoReply(_)) => (Kind::Lost, "bad", mark.bar.torn()),
        (None, Seen::Error(_)) => (Kind::Failed, "bad", mark.bar.closed()),
        (None, Seen::Interrupted) => (Kind::Restart, "run", mark.bar.open()),
    };
    html! {
        <>
            if ctx.show_provider { { draw_provider(ctx, mark, attempt) } }
            <g class={classes!(ctx.part(kind))}>
                <path {class} d={path} />
                { bar_content(mark, attempt, seen) }
            </g>
        </>
    }
}

/// What is drawn and written inside and beside a bar that ended.
pub(super) fn bar_content(mark: &Placed, attempt: &Attempt, seen: &Seen) -> Html {
    let bar = mark.bar;
    let number = mark.numbered && bar.width() >= 16 && attempt.joined.is_none();
    let hatched = matches!(seen, Seen::Error(_)) && attempt.joined.is_none();
    let glyph_x = f64::from(bar.left + bar.right) / 2.0;
    html! {
        <>
            if attempt.joined.is_some() { { joined(bar) } }
            if hatched { { hatched_content(bar, number.then_some(attempt.name.attempt)) } }
            if number && !hatched { { number_text(bar, attempt.name.attempt, bar.width() < 38) } }
            if *seen == Seen::Reply && attempt.joined.is_none() {
                if number && bar.width() >= 38 {
                    { glyph(Glyph::Check, f64::from(bar.right - 11), f64::from(MIDDLE), 1.0, "c-text") }
                } else if !number && bar.width() >= 16 {
                    { glyph(Glyph::Check, glyph_x, f64::from(MIDDLE), 1.0, "c-text") }
                }
            }
            { label(&mark.worker_label, WORKER_TEXT, "s") }
        </>
    }
}

fn number_text(bar: Bar, number: u32, alone: bool) -> Html {
    let (class, x) = if alone { ("s b mid", bar.centre()) } else { ("s b", bar.left + 8) };
    html! { <text {class} x={x.to_string()} y={WORKER_TEXT}>{ number }</text> }
}

/// Hatching with a cross on a disc; a numbered bar has its number beside the cross.
fn hatched_content(bar: Bar, number: Option<u32>) -> Html {
    let middle = f64::from(bar.left + bar.right) / 2.0;
    let number = number.filter(|_| bar.width() >= 44);
    let half = if number.is_some() { 16.0 } else { 8.0 };
    html! {
        <>
            <path class="hatch" d={bar.hatch()} />
            if bar.width() >= 24 {
                <rect class="bad nos" x={(middle - half).to_string()} y="8" width={(2.0 * half).to_string()} height="16" rx="8" />
                if let Some(number) = number {
                    <text class="s b mid" x={(middle - 7.0).to_string()} y={WORKER_TEXT}>{ number }</text>
                    { glyph(Glyph::Cross, middle + 7.0, f64::from(MIDDLE), 0.85, "c-fail") }
                } else {
                    { glyph(Glyph::Cross, middle, f64::from(MIDDLE), 0.9, "c-fail") }
                }
            }
        </>
    }
}

/// The double line to the leader, and the two sheets.
pub(super) fn joined(bar: Bar) -> Html {
    html! {
        <>
            <path class="stroke thin c-key" d={format!("M{} 0V8M{} 0V8", bar.left + 8, bar.left + 12)} />
            if bar.width() >= 28 { { glyph(Glyph::Joined, f64::from(bar.left + 15), f64::from(MIDDLE), 0.85, "c-key") } }
        </>
    }
}

/// The provider's lane: the path of the call down to what it did, and the way back of the reply.
fn draw_provider(ctx: &Ctx, mark: &Placed, attempt: &Attempt) -> Html {
    let Some(x) = mark.provider_x else { return Html::default() };
    let did = attempt.did(ctx.index);
    if did.is_none() && !attempt.arrived.is_some_and(|moment| moment.by(ctx.index)) {
        return Html::default();
    }
    let (down, up) = (mark.bar.left + 5.min(mark.bar.width() / 2), mark.bar.right - 5.min(mark.bar.width() / 2));
    let half = match did {
        Some((_, Did::Effect(nth))) if nth > 1 => 9,
        Some((_, Did::Effect(_))) => 6,
        Some((_, Did::KnewKey)) | None => 6,
        Some((_, Did::Refused)) => 8,
        Some((_, Did::Failed)) => 7,
    };
    let request = if down < x - half {
        format!("M{down} 27V{PROVIDER}H{}", x - half)
    } else {
        format!("M{x} 27V{}", PROVIDER - half)
    };
    let answered =
        matches!(attempt.seen(ctx.index), Some((_, Seen::Reply | Seen::Error(_)))) && !attempt.is_lost(ctx.index);
    let effective = matches!(did, Some((_, Did::Effect(_) | Did::KnewKey)));
    let kind = match did {
        Some((_, Did::Effect(1))) => Kind::Done,
        Some((_, Did::Effect(_))) => Kind::DoneAgain,
        Some((_, Did::KnewKey)) => Kind::KnewKey,
        Some((_, Did::Refused)) => Kind::Conflict,
        Some((_, Did::Failed)) | None => Kind::Failed,
    };
    html! {
        <g class={classes!("provider", ctx.part(kind))}>
            <path class="req" d={request} />
            if answered && up > x + half {
                <path class={if effective { "rep" } else { "req" }} d={format!("M{} {PROVIDER}H{up}V27", x + half)} />
            }
            if attempt.is_lost(ctx.index) {
                <path class="lostl" d={format!("M{} {PROVIDER}h{}m-1 5l5 -10m0 10l5 -10", x + half, 24 - half)} />
            }
            { provider_mark(x, did.map(|did| did.1)) }
            if did.is_some() { { provider_label(ctx, mark, attempt) } }
        </g>
    }
}

/// What the provider did: solid means the work was done, hollow that it was not.
pub(super) fn provider_mark(x: i32, did: Option<Did>) -> Html {
    let y = PROVIDER;
    match did {
        None => html! { <path class="d-arrive" d={diamond(x, y, 5.5)} /> },
        Some(Did::Effect(1)) => html! { <path class="d-effect" d={diamond(x, y, 6.0)} /> },
        Some(Did::Effect(_)) => html! {
            <><path class="d-ring" d={diamond(x, y, 9.0)} /><path class="d-dup" d={diamond(x, y, 5.0)} /></>
        },
        Some(Did::KnewKey) => html! {
            <>
                <path class="d-key" d={diamond(x, y, 6.5)} />
                <path class="stroke c-key" d={format!("M{} {y}h4.5m-1 0v3", f64::from(x) + 6.5)} />
            </>
        },
        Some(Did::Refused) => html! {
            <>
                <circle class="warned" cx={x.to_string()} cy={y.to_string()} r="7" />
                { glyph(Glyph::Unequal, f64::from(x), f64::from(y), 0.6, "c-warn") }
            </>
        },
        Some(Did::Failed) => html! {
            <>
                <path class="stroke thin c-fail" d={format!("M{} {}l10 -10", x - 5, y + 5)} />
                <circle class="stroke thin c-fail" cx={x.to_string()} cy={y.to_string()} r="4" />
            </>
        },
    }
}

fn provider_label(ctx: &Ctx, mark: &Placed, attempt: &Attempt) -> Html {
    let Some(Label { x, text }) = &mark.provider_label else { return Html::default() };
    // The label of a lost reply is known when it is lost, that of a second effect when it is done.
    if attempt.lost.is_some() && !attempt.is_lost(ctx.index) {
        return Html::default();
    }
    if matches!(attempt.did, Some((_, Did::Effect(nth))) if nth > 1) {
        let wide = text_width(text, true) + 10;
        return html! {
            <>
                <rect class="harm" x={x.to_string()} y="29" width={wide.to_string()} height="18" rx="4" />
                <text class="s b" x={(x + 5).to_string()} y={PROVIDER_TEXT}>{ text.clone() }</text>
            </>
        };
    }
    label(&mark.provider_label, PROVIDER_TEXT, "s halo")
}

fn label(label: &Option<Label>, y: &'static str, class: &'static str) -> Html {
    let Some(Label { x, text }) = label else { return Html::default() };
    html! { <text {class} x={x.to_string()} {y}>{ text.clone() }</text> }
}

/// Dashes at the foot of the lane between two caps, the time above, the range of the draw on focus.
fn draw_wait(ctx: &Ctx, mark: &Placed, wait: &Wait) -> Html {
    // While it lasts, it is drawn up to the playhead.
    if !wait.ended.is_some_and(|moment| moment.by(ctx.index)) {
        return html! { if wait.ended.is_some() { <path class="ghost" d={format!("M{} 22H{}", mark.bar.left, mark.bar.right)} /> } };
    }
    html! {
        <g class={classes!("mark", "waits", ctx.part(Kind::Waiting))} role="img" aria-label={words::wait_state(wait, ctx.index)}>
            { wait_body(mark) }
            if let Some(to) = mark.range_to {
                <path class="bracket" d={format!("M{}.5 29v3H{to}v-3", mark.bar.left)} />
            }
            <rect class="hit-area" x={mark.bar.left.to_string()} y="5" width={mark.bar.width().to_string()} height="24" />
        </g>
    }
}

/// A wait from cap to cap.
pub(super) fn wait_body(mark: &Placed) -> Html {
    let Bar { left, right } = mark.bar;
    if right - left < 14 {
        return html! { <path class="cap" d={format!("M{} 22H{}", left + 2, (right - 1).max(left + 4))} /> };
    }
    html! {
        <>
            <path class="wait" d={format!("M{} 22H{}", left + 3, right - 2)} />
            <path class="cap" d={format!("M{} 17v10M{} 17v10", left + 2, right - 2)} />
            { label(&mark.worker_label, "16", "s") }
        </>
    }
}

fn skips_label(ctx: &Ctx, mark: &Placed, skips: &[&Skip]) -> String {
    match skips {
        [one] => {
            let name = mark.step.map_or_else(String::new, |step| step.what.name.to_string());
            format!("{name}: {}", words::skip_state(one, ctx.job.number))
        }
        many => format!("{} steps skipped, results saved by job {}", many.len(), many[0].saved_by),
    }
}

fn draw_skips(ctx: &Ctx, mark: &Placed, played: &[&Skip], all: usize) -> Html {
    let Bar { left, right } = mark.bar;
    let other_data = played.iter().any(|skip| skip.other_data);
    let middle = f64::from(left + right) / 2.0;
    let text = match (all, played.len()) {
        (1, _) => mark.worker_label.as_ref().map(|label| label.text.clone()),
        (_, n) => Some(words::count(n, "step skipped", "steps skipped")),
    };
    let class = if all > 1 { "s b" } else { "s" };
    html! {
        <g class={classes!(ctx.part(Kind::Skipped))}>
            <rect class="keyed" x={(left + 1).to_string()} y="6" width={(right - left - 2).to_string()} height="20" rx="10" />
            { glyph(Glyph::Key, middle, f64::from(MIDDLE), 0.95, "c-key") }
            if other_data {
                <circle class="warned" cx={(right - 1).to_string()} cy="8" r="7" />
                { glyph(Glyph::Unequal, f64::from(right - 1), 8.0, 0.62, "c-warn") }
            }
            if let (Some(Label { x, .. }), Some(text)) = (&mark.worker_label, text) {
                <text {class} x={x.to_string()} y={WORKER_TEXT}>{ text }</text>
            }
            if ctx.show_provider { { label(&mark.provider_label, PROVIDER_TEXT, "s m") } }
        </g>
    }
}

fn draw_expired(ctx: &Ctx, mark: &Placed) -> Html {
    let Bar { left, right } = mark.bar;
    let middle = f64::from(left + right) / 2.0;
    html! {
        <g class={classes!("mark", ctx.part(Kind::Expired))} role="img" aria-label="The key was forgotten; the work runs again">
            <rect class="keyed broken" x={(left + 1).to_string()} y="6" width={(right - left - 2).to_string()} height="20" rx="10" />
            { glyph(Glyph::Hourglass, middle, f64::from(MIDDLE), 0.8, "c-key") }
            { label(&mark.provider_label, PROVIDER_TEXT, "s") }
        </g>
    }
}

fn draw_conflict(ctx: &Ctx, mark: &Placed) -> Html {
    html! {
        <g class={classes!(ctx.part(Kind::Conflict))}>
            <path class="warned" d={octagon(mark.bar.centre(), MIDDLE)} />
            { glyph(Glyph::Unequal, f64::from(mark.bar.centre()), f64::from(MIDDLE), 0.95, "c-warn") }
            { label(&mark.worker_label, WORKER_TEXT, "s") }
        </g>
    }
}

fn draw_gave_up(ctx: &Ctx, mark: &Placed) -> Html {
    html! {
        <g class={classes!("mark", ctx.part(Kind::GaveUp))} role="img" aria-label="Gave up">
            <rect class="stopsq" x={mark.bar.left.to_string()} y="9" width="14" height="14" rx="1" />
            { label(&mark.worker_label, WORKER_TEXT, "s") }
        </g>
    }
}
