//! The table: the article's columns, what theory expects beside each, a bar, and a tick where a row equals the article's. A number
//! that sign-ups add to is a button, and opens the first of them.

use twiceproof_sim::strategy::{ARTICLE_ROWS, Strategy};
use twiceproof_sim::table::{Row, article, format};
use yew::prelude::*;

use super::behind::Wanted;
use super::run::Shown;
use super::scale::Measure;
use super::{Panel, behind};
use crate::app::action::Action;
use crate::controls::on;
use crate::edit::Edit;
use crate::icons::{Icon, icon};
use crate::panels::row_of;

/// The table; without numbers its frame, so that nothing moves when they come.
pub(super) fn table(panel: &Panel) -> Html {
    let shown = panel.shown.as_deref();
    let equal = shown.filter(|shown| shown.whole).and_then(|shown| article::compare(&shown.table));
    let above = panel.strategy.and_then(row_of);
    let rows = (0..ARTICLE_ROWS.len()).map(|row| {
        let same = equal.as_ref().and_then(|rows| rows[row]).map(article::Equality::all);
        let beside = above.filter(|(above, _)| *above == row).map(|(_, beside)| beside);
        line(row, shown, same, beside, panel)
    });
    html! {
        <div class="cmp-box">
            { behind::hint(shown) }
            <table class="cmp">
                <caption class="sr">{ caption(panel) }</caption>
                { head() }
                <tbody data-roving="grid">{ for rows }</tbody>
            </table>
        </div>
    }
}

fn caption(panel: &Panel) -> String {
    let params = panel.shown.as_ref().map_or(panel.params, |shown| shown.table.params);
    format!(
        "What became of the sign-ups under each strategy, beside what theory expects. Step {} of {} sends the email.",
        params.lost_step, params.steps
    )
}

fn head() -> Html {
    let measure = |measure: Measure| {
        let name = measure.name();
        let scale = if measure == Measure::Calls { "extra" } else { "log" };
        html! {
            <>
                <th class="num" scope="col">{ name }</th>
                <th class="num exp" scope="col">{ "theory" }<span class="sr">{ format!(": {name}") }</span></th>
                <th class="bar" scope="col"><span aria-hidden="true">{ scale }</span><span class="sr">{ format!("{name}, drawn") }</span></th>
            </>
        }
    };
    html! {
        <thead>
            <tr>
                <th scope="col">{ "Strategy" }</th>
                <th class="num" scope="col">{ "Succeeded" }</th>
                { for Measure::ALL.into_iter().map(measure) }
                <th class="art" scope="col">{ "Article" }</th>
            </tr>
        </thead>
    }
}

fn line(index: usize, shown: Option<&Shown>, same: Option<bool>, beside: Option<&'static str>, panel: &Panel) -> Html {
    let strategy: Strategy = ARTICLE_ROWS[index].strategy;
    let row = shown.map(|shown| &shown.table.rows[index]);
    let measures = Measure::ALL.into_iter().map(|measure| numbers(measure, index, panel));
    html! {
        <tr class={beside.map(|_| "cur")} onclick={on(&panel.go, Action::Edit(Edit::Protect(strategy)))}>
            <th scope="row">
                <span class="rn">{ index + 1 }</span>
                <button type="button" class="rb" title="Use this strategy above">{ capital(&strategy.name()) }</button>{ " " }
                if let Some(beside) = beside {
                    <span class="shown">{ if beside.is_empty() { "shown above" } else { beside.trim_start_matches(", ") } }</span>
                }
            </th>
            <td class="num" data-label="Succeeded">{ row.map(Row::succeeded_percent) }</td>
            { for measures }
            <td class="art" data-label="Article">{ tick(same) }</td>
        </tr>
    }
}

/// A number, what theory expects, and the number's bar.
fn numbers(measure: Measure, index: usize, panel: &Panel) -> Html {
    let label = measure.name();
    let Some(shown) = panel.shown.as_deref() else {
        return html! { <><td class="num" data-label={label} /><td class="num exp" /><td class="bar" /></> };
    };
    let value = measure.of(&shown.table.rows[index]);
    html! {
        <>
            <td class={classes!("num", (value == 0.0).then_some("zero"))} data-label={label}>{ number(measure, index, shown, panel) }</td>
            <td class="num exp">{ expected_text(measure, measure.expected(shown, index)) }</td>
            <td class="bar">{ bar(measure.scale(shown).share(value), measure.class()) }</td>
        </>
    }
}

/// A number; if there is a sign-up behind it, the way to it, as large as its cell.
fn number(measure: Measure, index: usize, shown: &Shown, panel: &Panel) -> Html {
    let text = text(measure, measure.of(&shown.table.rows[index]));
    match Wanted::of(measure, index, shown) {
        None => text.into(),
        Some(wanted) => html! {
            <button type="button" class="lk nb" aria-label={wanted.label(&text)} onclick={wanted.onclick(&panel.run)}>{ text }</button>
        },
    }
}

/// A number as the article prints it.
pub(super) fn text(measure: Measure, value: f64) -> String {
    match measure {
        Measure::Calls if value.is_nan() => "–".to_owned(),
        Measure::Calls => value.to_string(),
        Measure::Failed | Measure::Repeated | Measure::TwoEmails => format::grouped(value as u64),
    }
}

fn expected_text(measure: Measure, value: f64) -> String {
    match measure {
        Measure::Calls if value.is_nan() => "–".to_owned(),
        Measure::Calls => format!("{value:.3}"),
        Measure::Failed | Measure::Repeated | Measure::TwoEmails => format::grouped(value.round() as u64),
    }
}

const BAR_WIDTH: f64 = 50.0;

fn bar(share: f64, class: &'static str) -> Html {
    if share == 0.0 {
        return Html::default();
    }
    let width = format!("{:.1}", (share * BAR_WIDTH).max(2.0));
    html! {
        <svg class="cb" width="50" height="8" aria-hidden="true"><rect {class} {width} height="8" rx="1" /></svg>
    }
}

fn tick(same: Option<bool>) -> Html {
    match same {
        Some(true) => html! { <span class="c-effect" role="img" aria-label="equal">{ icon(Icon::Check) }</span> },
        Some(false) => html! { <span class="c-fail">{ "differs" }</span> },
        None => Html::default(),
    }
}

/// A name as the beginning of a line.
pub(super) fn capital(text: &str) -> String {
    let mut characters = text.chars();
    characters.next().map(|first| first.to_uppercase().chain(characters).collect()).unwrap_or_default()
}
