//! Draws the time axis of a scene, with the marks of the timeline: a mark for everything that was sent, a lane for every
//! key with its windows, and dots from what was stopped to the window that stopped it.

use twiceproof_sim::doors::{Came, Door, Scene, Sent};
use yew::prelude::*;

use super::layout::{Bar, LINE, Lane, Layout, MARKS, NAME};
use crate::icons::{Glyph, glyph};
use crate::timeline::{FOLD, diamond, hatch, octagon, zigzag};

/// The drawing; `label` says in words what it shows.
pub(super) fn axis(scene: &Scene, label: String) -> Html {
    let layout = Layout::new(scene);
    let (axis, height) = (layout.axis(), layout.height());
    html! {
        <svg class="door-axis" width="100%" height={height.to_string()} role="img" aria-label={label}>
            { for layout.ticks.iter().map(|tick| line("grid", tick.x, 18, axis)) }
            { for layout.passes.iter().map(|&x| pass(x, axis)) }
            { for scene.sent.iter().zip(&layout.marks).map(|(sent, &x)| stopped(&layout, sent, x)) }
            { for layout.lanes.iter().map(|lane| draw_lane(&layout, lane)) }
            { for scene.sent.iter().zip(&layout.marks).map(|(sent, &x)| ring(&layout, sent, x)) }
            { for scene.sent.iter().enumerate().map(|(place, sent)| numbered(scene, sent, place, layout.marks[place])) }
            <line class="rule" x1="0" x2="100%" y1={axis.to_string()} y2={axis.to_string()} />
            { for layout.folds.iter().map(|&x| fold(x, axis)) }
            { for layout.ticks.iter().map(|tick| html! {
                <svg x={per_cent(tick.x)} y={axis.to_string()} overflow="visible">
                    <path class="hair" d="M0 -3V4" />
                    <text class="s m mid" y="18">{ tick.label.clone() }</text>
                    <text class="s m mid" y="33">{ tick.offset.clone().unwrap_or_default() }</text>
                </svg>
            }) }
        </svg>
    }
}

/// The mark of what came of something, around 0 0.
pub(super) fn mark(scene: &Scene, sent: &Sent) -> Html {
    let lost = |x: i32| html! { <path class="lostl" d={format!("M{x} 5l5 -10m0 10l5 -10")} /> };
    let again = sent.emails > scene.wanted;
    match sent.came {
        Came::Began | Came::ReplyLost => html! {
            <>
                if again {
                    <path class="d-ring" d={diamond(0, 0, 9.0)} /><path class="d-dup" d={diamond(0, 0, 5.0)} />
                } else {
                    <path class="d-effect" d={diamond(0, 0, 6.0)} />
                }
                if sent.came == Came::ReplyLost { { lost(if again { 8 } else { 6 }) } }
            </>
        },
        Came::Known { reply_lost } => html! {
            <>
                <path class="d-key" d={diamond(0, 0, 6.5)} />
                <path class="stroke c-key" d="M6.5 0h4.5m-1 0v3" />
                if reply_lost { { lost(11) } }
            </>
        },
        Came::NotStarted(_) | Came::Existing | Came::Skipped => html! {
            <>
                <rect class="keyed" x="-12" y="-10" width="24" height="20" rx="10" />
                { glyph(Glyph::Key, 0.0, 0.0, 0.85, "c-key") }
            </>
        },
        Came::Refused(_) => html! {
            <><path class="warned" d={octagon(0, 0)} />{ glyph(Glyph::Unequal, 0.0, 0.0, 0.85, "c-warn") }</>
        },
    }
}

fn per_cent(x: f64) -> String {
    format!("{x:.2}%")
}

fn line(class: &'static str, x: f64, from: i32, to: i32) -> Html {
    html! { <line {class} x1={per_cent(x)} x2={per_cent(x)} y1={from.to_string()} y2={to.to_string()} /> }
}

fn pass(x: f64, axis: i32) -> Html {
    html! {
        <>
            { line("prune", x, 18, axis) }
            <text class="s m mid" x={per_cent(x)} y="13">{ "prune" }</text>
        </>
    }
}

fn numbered(scene: &Scene, sent: &Sent, place: usize, x: f64) -> Html {
    html! {
        <svg x={per_cent(x)} y={MARKS.to_string()} overflow="visible" data-sent={(place + 1).to_string()}>
            <text class="s m mid" y={(13 - MARKS).to_string()}>{ place + 1 }</text>
            { mark(scene, sent) }
        </svg>
    }
}

/// The lane of the window that stopped it.
fn lane_of<'a>(layout: &'a Layout, sent: &Sent) -> Option<&'a Lane> {
    let window = sent.stopped_by?;
    layout.lanes.iter().find(|lane| lane.bars.iter().any(|bar| bar.window == window))
}

fn stopped(layout: &Layout, sent: &Sent, x: f64) -> Html {
    lane_of(layout, sent).map(|lane| line("dots", x, MARKS + 13, lane.y + LINE - 5)).unwrap_or_default()
}

fn ring(layout: &Layout, sent: &Sent, x: f64) -> Html {
    let ring = |lane: &Lane| html! { <circle class="hit" cx={per_cent(x)} cy={(lane.y + LINE).to_string()} r="3.5" /> };
    lane_of(layout, sent).map(ring).unwrap_or_default()
}

fn draw_lane(layout: &Layout, lane: &Lane) -> Html {
    let y = lane.y + LINE;
    html! {
        <g class="door-lane">
            { for lane.bars.iter().map(|bar| {
                // Where the next one begins at once, the end stands just before it.
                let at_once = lane.bars.iter().any(|next| Some(next.from) == bar.end);
                draw_bar(layout, bar, y, if at_once { -9.0 } else { 0.0 })
            }) }
            <text class="s m" x="0" y={(lane.y + NAME).to_string()}>
                if let Some(key) = &lane.key {
                    { name(lane.door) }{ " " }<tspan class="mono">{ key.to_string() }</tspan>
                } else {
                    { format!("no {}: nothing is remembered", name(lane.door)) }
                }
            </text>
            if lane.bars.is_empty() { <line class="hair" x1="0" x2="100%" y1={y.to_string()} y2={y.to_string()} /> }
        </g>
    }
}

/// What a key of a door is called beside it.
pub(super) fn name(door: Door) -> &'static str {
    match door {
        Door::EventId => "event ID",
        Door::FunctionKey => "function key",
        Door::RunId => "run ID",
        Door::StepKey => "step key",
        Door::ProviderKey => "provider key",
    }
}

/// Striped while its work is under way, solid while it counts for sure, dotted while it counts until something comes by.
fn draw_bar(layout: &Layout, bar: &Bar, y: i32, aside: f64) -> Html {
    let solid = bar.over.unwrap_or(bar.from);
    let ended = bar.end.unwrap_or(100.0);
    let dotted = bar.sure < ended;
    let at = |x: f64, what: Html| html! { <svg x={per_cent(x)} y={y.to_string()} overflow="visible">{ what }</svg> };
    html! {
        <>
            <rect class="st-saved" data-window={bar.window.to_string()} x={per_cent(solid)} y={(y - 2).to_string()} width={per_cent(bar.sure - solid)} height="4" />
            if let Some(over) = bar.over { { running(bar.from, over, y) } }
            { at(bar.from, html! { <path class="stroke c-key" data-opens={bar.window.to_string()} d="M0 -6V6" /> }) }
            if dotted {
                <line class="st-later" x1={per_cent(bar.sure)} x2={per_cent(ended)} y1={y.to_string()} y2={y.to_string()} />
            }
            { for layout.folds.iter().filter(|&&x| bar.from < x && x < ended).map(|&x| fold(x, y)) }
            if bar.sure < 100.0 { { at(bar.sure, end(Glyph::Hourglass, aside)) } }
            if dotted && bar.end.is_some() { { at(ended, end(Glyph::Cross, 0.0)) } }
        </>
    }
}

/// The box of what is under way, its stripes cut off where it ends.
fn running(from: f64, to: f64, y: i32) -> Html {
    html! {
        <svg x={per_cent(from)} y={(y - 5).to_string()} width={per_cent(to - from)} height="10">
            <rect class="st-run" x="0" y="0.75" width="100%" height="8.5" />
            <path class="st-stripe" d={hatch(2, 120, 1, 9, 5)} />
        </svg>
    }
}

/// The glyph of an end, on a ground in the colour of the page, so that it can be seen on the line.
fn end(what: Glyph, x: f64) -> Html {
    html! {
        <>
            <rect class="ground" x={(x - 5.0).to_string()} y="-7" width="10" height="14" />
            { glyph(what, x, 0.0, 0.85, "c-key") }
        </>
    }
}

/// A zigzag in place of a line.
fn fold(x: f64, y: i32) -> Html {
    let half = FOLD / 2;
    html! {
        <svg x={per_cent(x)} y={y.to_string()} overflow="visible">
            <rect class="ground" x={(-half).to_string()} y="-4" width={FOLD.to_string()} height="8" />
            <path class="zig" d={zigzag(-half, 0.0, 4)} />
        </svg>
    }
}
