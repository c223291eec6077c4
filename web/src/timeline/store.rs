//! The lanes of the key store: what was on this key's line when somebody arrived.

use yew::prelude::*;

use super::scale::{FOLD, Scale};
use super::shapes::{hatch, zigzag};
use crate::icons::{Glyph, glyph};
use crate::story::{Release, Span, Story};

/// The middle of a lane.
const MIDDLE: i32 = 9;

/// A key's lane at an index: what is settled of it. What is under way is drawn by [`super::now`].
pub(super) fn lane(story: &Story, scale: &Scale, line: usize, index: usize) -> Html {
    let line = &story.lifelines[line];
    let joins = line.joins.iter().filter(|join| join.by(index)).map(|join| scale.x(join.at));
    // A label has the room up to the next claim, played or not, so that it need not vanish.
    let rooms = line.spans.iter().skip(1).map(|next| scale.x(next.claimed.at)).chain([scale.width]);
    let spans = line.spans.iter().zip(rooms).filter(|(span, _)| span.claimed.by(index));
    html! {
        <>
            if let Some(first) = line.spans.first().filter(|first| first.claimed.by(index)) {
                <path class="hair" d={format!("M{} {MIDDLE}.5H{}", scale.x(0), scale.x(first.claimed.at))} />
            }
            { for spans.map(|(span, room)| settled(scale, span, room, index)) }
            { for joins.map(|x| read(x, MIDDLE)) }
        </>
    }
}

fn settled(scale: &Scale, span: &Span, room: i32, index: usize) -> Html {
    let from = scale.x(span.claimed.at);
    let ended = span.ended.filter(|ended| ended.0.by(index));
    match (span.saved.filter(|saved| saved.0.by(index)), ended) {
        (None, None) => Html::default(),
        (None, Some((moment, how))) => html! {
            <>
                { running(from, scale.x(moment.at)) }
                if how == Release::NotSaved { { not_saved(scale.x(moment.at), room) } }
            </>
        },
        (Some((saved, until)), ended) => {
            let at = scale.x(saved.at);
            html! {
                <>
                    { running(from, at) }
                    if let Some((moment, how)) = ended {
                        { saved_until(scale, at, moment.at, how) }
                    } else {
                        { later(scale, at, until) }
                    }
                </>
            }
        }
    }
}

/// Somebody looked at the key here, and was answered.
pub(super) fn read(x: i32, y: i32) -> Html {
    html! { <circle class="hit" cx={x.to_string()} cy={y.to_string()} r="3.5" /> }
}

/// A striped box: somebody runs it.
pub(super) fn running(from: i32, to: i32) -> Html {
    let to = to.max(from + 6);
    html! {
        <>
            <rect class="st-run" x={format!("{from}.75")} y="4.75" width={(f64::from(to - from) - 1.5).to_string()} height="8.5" rx="2" />
            <path class="st-stripe" d={hatch(from + 2, to - 2, 6, 12, 5)} />
        </>
    }
}

/// A solid line: it is saved.
pub(super) fn saved(from: i32, to: i32) -> Html {
    let width = (to - from).max(0).to_string();
    html! { <rect class="st-saved" x={from.to_string()} y="7" {width} height="4" /> }
}

fn not_saved(x: i32, room: i32) -> Html {
    html! {
        <>
            if x + 16 < room { { glyph(Glyph::Cross, f64::from(x + 9), f64::from(MIDDLE), 0.8, "c-fail") } }
            if x + 82 < room { <text class="s" x={(x + 19).to_string()} y="13.5">{ "not saved" }</text> }
        </>
    }
}

fn saved_until(scale: &Scale, from: i32, at: u64, how: Release) -> Html {
    let end = match how {
        Release::Expired(since) => scale.x(since),
        Release::NotSaved | Release::Forgotten | Release::Restarted => scale.x(at),
    };
    html! {
        <>
            { saved(from, end) }
            if matches!(how, Release::Expired(_)) { { hourglass(end) } }
            if how == Release::Forgotten { { glyph(Glyph::Cross, f64::from(end + 8), f64::from(MIDDLE), 0.8, "c-key") } }
        </>
    }
}

/// Dots to where it will be forgotten, across the folds.
fn later(scale: &Scale, from: i32, until: Option<u64>) -> Html {
    let end = until.map(|until| scale.x(until));
    let to = end.map_or(scale.width, |end| end - 8);
    let mut path = String::new();
    let mut at = from;
    let folds: Vec<i32> = scale.folds().into_iter().filter(|&fold| fold >= from && fold + FOLD <= to + 8).collect();
    for &fold in &folds {
        path += &format!("M{at} 9H{fold}");
        at = fold + FOLD;
    }
    path += &format!("M{at} 9H{to}");
    html! {
        <>
            <path class="st-later" d={path} />
            { for folds.into_iter().map(|fold| html! { <path class="zig" d={zigzag(fold, 9.0, 4)} /> }) }
            { end.map_or_else(Html::default, hourglass) }
        </>
    }
}

fn hourglass(x: i32) -> Html {
    glyph(Glyph::Hourglass, f64::from(x), f64::from(MIDDLE), 0.85, "c-key")
}
