//! The axis and the ground under the rows.

use yew::prelude::*;

use super::plan::Plan;
use super::scale::{FOLD, Scale, TICK_LABEL};
use super::shapes::{Bar, diamond, zigzag};
use crate::icons::{Glyph, glyph};
use crate::story::{AttemptName, Story};
use crate::words::clock;

/// A label this near to the playhead makes room for its flag.
const FLAG_ROOM: i32 = 48;
/// Half the width of the flag.
const FLAG_HALF: i32 = 32;

/// Names the lanes, once, and the switch of the lower one.
pub(super) fn corner(story: &Story, show_provider: bool, on_toggle: &Callback<()>) -> Html {
    let provider = if story.provider_recorded || story.is_empty() { "provider did" } else { "provider: not recorded" };
    html! {
        <div class="tl-corner">
            <svg width="16" height="32" viewBox="0 0 16 32" aria-hidden="true">
                <path class="ok" d="M13 3.5H2V10.5a2 2 0 0 0 2 2H13ZM2 10V5.5a2 2 0 0 1 2 -2" />
                <path class="d-effect" d={diamond(8, 24, 5.0)} />
            </svg>
            <p class="min muted"><span>{ "worker saw" }</span><span>{ provider }</span></p>
            { eye(story, show_provider, on_toggle) }
        </div>
    }
}

/// The switch of the provider's lane, if there is something to be seen in it.
pub(super) fn eye(story: &Story, show_provider: bool, on_toggle: &Callback<()>) -> Html {
    let label = if show_provider { "Hide what the provider did" } else { "Show what the provider did" };
    let drawn = if show_provider { Glyph::Eye } else { Glyph::EyeOff };
    html! {
        if story.provider_recorded {
            <button class="eye" type="button" aria-label={label} aria-pressed={show_provider.to_string()}
                onclick={on_toggle.reform(|_: MouseEvent| ())}>
                <svg width="18" height="16" viewBox="-9 -8 18 16" aria-hidden="true">{ glyph(drawn, 0.0, 0.0, 1.0, "c-muted") }</svg>
            </button>
        }
    }
}

/// Ticks, their labels, and the base line with its folds. `head` is where the playhead stands.
pub(super) fn axis(scale: &Scale, head: i32) -> Html {
    let width = scale.width;
    let mut base = String::new();
    let mut at = 0;
    for fold in scale.folds() {
        base += &format!("M{at} 35.5H{fold}");
        at = fold + FOLD;
    }
    base += &format!("M{at} 35.5H{width}");
    let mut last_end = i32::MIN;
    let labels = scale.ticks().into_iter().filter(move |tick| {
        let clear = (tick.x - head).abs() >= FLAG_ROOM && tick.x - TICK_LABEL / 2 > last_end;
        if clear {
            last_end = tick.x + TICK_LABEL / 2;
        }
        clear
    });
    html! {
        <svg class="axis-plot" width={width.to_string()} height="36" viewBox={format!("0 0 {width} 36")} aria-hidden="true">
            <path class="rule" d={base} />
            { for scale.folds().into_iter().map(|fold| html! { <path class="zig" d={zigzag(fold, 35.5, 5)} /> }) }
            { for scale.ticks().into_iter().map(|tick| html! { <path class="grid" d={format!("M{}.5 30v6", tick.x)} /> }) }
            { for labels.map(|tick| {
                let class = if tick.x < 20 { "s m" } else { "s m mid" };
                let x = if tick.x < 20 { tick.x - 4 } else { tick.x };
                html! { <text {class} x={x.to_string()} y="24">{ tick.label }</text> }
            }) }
        </svg>
    }
}

/// The grid goes on under the last row, as far as any window is high.
const GRID_HEIGHT: i32 = 3000;

/// The middle of the flag: it stays inside the plot.
pub(super) fn flag_x(scale: &Scale, head: i32) -> i32 {
    head.clamp(FLAG_HALF - 4, scale.width - FLAG_HALF)
}

/// The band of the row of the selected mark.
pub(super) fn band(plan: &Plan, scale: &Scale, selected: Option<AttemptName>) -> Html {
    let row = plan.rows.iter().find(|row| selected.is_some_and(|name| row.shows(name)));
    html! {
        if let Some(row) = row {
            <rect class="band" x="0" y={row.y.to_string()} width={scale.width.to_string()} height={row.height.to_string()} />
        }
    }
}

/// Grid lines through all rows but the selected one.
pub(super) fn grid(plan: &Plan, scale: &Scale, selected: Option<AttemptName>) -> Html {
    let gap = plan.rows.iter().find(|row| selected.is_some_and(|name| row.shows(name)));
    let end = if cfg!(target_arch = "wasm32") { plan.height.max(GRID_HEIGHT) } else { plan.height };
    let line = |x: i32| match gap {
        Some(row) => format!("M{x}.5 0V{}M{x}.5 {}V{end}", row.y, row.y + row.height),
        None => format!("M{x}.5 0V{end}"),
    };
    let path: String = scale.ticks().into_iter().map(|tick| line(tick.x)).collect();
    html! { <path class="grid" d={path} /> }
}

/// The playhead and the veil as parts of a still picture.
pub(super) fn still_head(plan: &Plan, scale: &Scale, head: i32) -> Html {
    let height = plan.height.to_string();
    html! {
        <>
            <rect class="future" x={head.to_string()} y="0" width={(scale.width - head).max(0).to_string()} {height} />
        </>
    }
}

/// The flag of the playhead in a still picture.
pub(super) fn still_flag(scale: &Scale, head: i32, now: u64) -> Html {
    let x = flag_x(scale, head);
    let Bar { left, right } = Bar { left: x - FLAG_HALF, right: x + FLAG_HALF };
    html! {
        <svg class="axis-plot" width={scale.width.to_string()} height="36" viewBox={format!("0 0 {} 36", scale.width)} aria-hidden="true">
            <path class="ph" d={format!("M{left} 9a4 4 0 0 1 4 -4H{}a4 4 0 0 1 4 4V22a4 4 0 0 1 -4 4H{}a4 4 0 0 1 -4 -4Z", right - 4, left + 4)} />
            <path class="ph" d={format!("M{} 26H{}L{head} 32Z", head - 6, head + 6)} />
            <path class="ph-l" d={format!("M{head} 28V36")} />
            <text class="s mid on-primary" x={x.to_string()} y="20">{ clock(now) }</text>
        </svg>
    }
}

/// The line of the playhead in a still picture.
pub(super) fn still_line(plan: &Plan, head: i32) -> Html {
    html! { <path class="ph-l" d={format!("M{head} 0V{}", plan.height)} /> }
}
