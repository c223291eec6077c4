//! The same numbers as bars: five rows, four small multiples, every bar with its number beside it, and a tick where theory
//! expects its end. A bar that sign-ups add to is a button, and opens the first of them.
//!
//! Lengths are shares of a drawing as wide as its place, so nothing has to be measured, and a window that changes its
//! width draws nothing anew.

use twiceproof_sim::strategy::ARTICLE_ROWS;
use twiceproof_sim::table::format;
use yew::prelude::*;

use super::Panel;
use super::behind::{self, Wanted};
use super::rows::{capital, text};
use super::run::Shown;
use super::scale::{Measure, Scale};

/// The share of its place that the longest bar takes; beside it stands its number.
const LONGEST: f64 = 72.0;
/// A power of ten is written below every so many lines.
const LINES_TO_A_LABEL: usize = 3;

pub(super) fn chart(panel: &Panel) -> Html {
    let Some(shown) = panel.shown.as_deref() else { return Html::default() };
    let scales = Measure::ALL.map(|measure| (measure, measure.scale(shown)));
    let head = |(measure, scale): &(Measure, Scale)| {
        let how = match scale {
            Scale::Log { .. } => "log".to_owned(),
            Scale::Linear { from, .. } => format!("from {from}"),
        };
        html! { <div class="ch-h"><b>{ measure.name() }</b><span class="muted">{ how }</span></div> }
    };
    let row = |row: usize| {
        html! {
            <>
                <div class="ch-n"><span class="rn">{ row + 1 }</span>{ capital(&ARTICLE_ROWS[row].strategy.name()) }</div>
                { for scales.iter().map(|(measure, scale)| cell(*measure, *scale, row, shown, panel)) }
            </>
        }
    };
    html! {
        <figure class="chart" aria-label={summary(shown)} data-roving="grid">
            <div class="ch-h ch-n">{ behind::hint(Some(shown)) }</div>
            { for scales.iter().map(head) }
            { for (0..ARTICLE_ROWS.len()).map(row) }
            <div class="ch-n ch-t muted">{ "The tick on a bar is what theory expects." }</div>
            { for scales.iter().map(|(measure, scale)| axis(*measure, *scale)) }
        </figure>
    }
}

/// What the drawing shows, for those who cannot see it; the other tabs have every number.
fn summary(shown: &Shown) -> String {
    let most = |measure: Measure| {
        let of = |row: &usize| measure.of(&shown.table.rows[*row]);
        let row =
            (0..shown.table.rows.len()).max_by(|one, two| of(one).total_cmp(&of(two)).then(two.cmp(one))).unwrap_or(0);
        format!("{}: most in row {}, {}", measure.name(), row + 1, text(measure, of(&row)))
    };
    let parts = Measure::ALL.map(most).join(". ");
    format!("Bars for five strategies. {parts}. The tabs Table and As text have every number.")
}

fn cell(measure: Measure, scale: Scale, row: usize, shown: &Shown, panel: &Panel) -> Html {
    let value = measure.of(&shown.table.rows[row]);
    let (number, wanted) = (text(measure, value), Wanted::of(measure, row, shown));
    let at = |value: f64| percent(scale.share(value));
    let expected = measure.expected(shown, row);
    let width = at(value);
    html! {
        <div class="ch-c" data-label={measure.name()}>
            <svg width="100%" height="26" aria-hidden="true">
                { for scale.lines().into_iter().map(|line| vertical("grid", &at(line), 0, 26)) }
                if scale.share(value) > 0.0 {
                    <rect class={measure.class()} y="7" {width} height="12" rx="1" />
                }
                if !expected.is_nan() {
                    { vertical("ch-exp", &at(expected), 4, 22) }
                }
                <svg x={at(value)} overflow="visible"><text class={classes!("s", wanted.map(|_| "lk"))} x="7" y="18">{ &*number }</text></svg>
            </svg>
            if let Some(wanted) = wanted {
                <button type="button" class="ch-b" aria-label={wanted.label(&number)} onclick={wanted.onclick(&panel.run)} />
            } else {
                <span class="sr">{ format!("{}: {number}", measure.name()) }</span>
            }
        </div>
    }
}

fn vertical(class: &'static str, x: &str, from: u32, to: u32) -> Html {
    let x = AttrValue::from(x.to_owned());
    html! { <line {class} x1={x.clone()} x2={x} y1={from.to_string()} y2={to.to_string()} /> }
}

/// What stands below the lines.
fn axis(measure: Measure, scale: Scale) -> Html {
    let label = |(place, value): (usize, f64)| {
        let written = match scale {
            Scale::Log { .. } => place == 0 || (place - 1).is_multiple_of(LINES_TO_A_LABEL) && value > 1.0,
            Scale::Linear { .. } => true,
        };
        let class = if place == 0 { "s m" } else { "s m mid" };
        html! {
            if written {
                <svg x={percent(scale.share(value))} overflow="visible"><text {class} y="14">{ short(value) }</text></svg>
            }
        }
    };
    let labels = scale.lines().into_iter().enumerate().map(label);
    html! { <div class="ch-c ch-a" data-label={measure.name()}><svg width="100%" height="18" aria-hidden="true">{ for labels }</svg></div> }
}

/// "1k", "1M", "10.5".
fn short(value: f64) -> String {
    for (unit, name) in [(1e12, "T"), (1e9, "G"), (1e6, "M"), (1e3, "k")] {
        if value >= unit {
            return format!("{}{name}", value / unit);
        }
    }
    if value.fract() == 0.0 {
        format::grouped(value as u64)
    } else {
        crate::units::shortest((value * 1e3).round() / 1e3)
    }
}

fn percent(share: f64) -> String {
    format!("{:.2}%", share * LONGEST)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn axis_labels_are_short() {
        let cases = [(0.0, "0"), (1_000.0, "1k"), (1e6, "1M"), (1e8, "100M"), (10.5, "10.5"), (10.05, "10.05")];
        for (value, label) in cases {
            assert_eq!(short(value), label);
        }
    }
}
