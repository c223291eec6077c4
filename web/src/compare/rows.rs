//! The table: the article's columns, what theory expects beside each, a bar, and a tick where a row equals the article.

use twiceproof_sim::strategy::{ARTICLE_ROWS, Strategy};
use twiceproof_sim::table::theory::Theory;
use twiceproof_sim::table::{Row, Table, TableParams, article, format};
use yew::prelude::*;

use super::{Props, see_one};
use crate::app::action::Action;
use crate::controls::on;
use crate::edit::Edit;
use crate::icons::{Icon, icon};
use crate::panels::row_of;

/// The table; without one its frame, so that nothing moves when the numbers come.
pub(super) fn table(params: &TableParams, table: Option<&Table>, props: &Props) -> Html {
    let equal = table.and_then(article::compare);
    let shown = props.strategy.and_then(row_of);
    let rows = ARTICLE_ROWS.iter().enumerate().map(|(index, row)| {
        let same = equal.as_ref().and_then(|rows| rows[index]).map(article::Equality::all);
        let beside = shown.filter(|(row, _)| *row == index).map(|(_, beside)| beside);
        line(params, row.strategy, table.map(|table| &table.rows[index]), same, beside, props)
    });
    html! {
        <div class="cmp-frame">
            <table class="cmp">
                <caption class="sr">{ "What became of the sign-ups under each strategy, beside what theory expects" }</caption>
                { head() }
                <tbody>{ for rows }</tbody>
            </table>
        </div>
    }
}

fn head() -> Html {
    let measure = |name: &'static str, scale: &'static str| {
        html! {
            <>
                <th class="num" scope="col">{ name }</th>
                <th class="num exp" scope="col">{ "theory" }</th>
                <th class="bar" scope="col"><span aria-hidden="true">{ scale }</span><span class="sr">{ format!("{name}, drawn") }</span></th>
            </>
        }
    };
    html! {
        <thead>
            <tr>
                <th scope="col">{ "Strategy" }</th>
                <th class="num" scope="col">{ "Succeeded" }</th>
                { measure("Failed", "log") }
                { measure("Calls per job", "extra") }
                { measure("Steps done again", "log") }
                { measure("2+ emails", "log") }
                <th class="art" scope="col">{ "Article" }</th>
                <th class="see" scope="col"><span class="sr">{ "Example" }</span></th>
            </tr>
        </thead>
    }
}

fn line(
    params: &TableParams,
    strategy: Strategy,
    row: Option<&Row>,
    same: Option<bool>,
    beside: Option<&'static str>,
    props: &Props,
) -> Html {
    let number = row_of(strategy).map_or(0, |(index, _)| index + 1);
    let theory = Theory::new(params, strategy).ok();
    let name = capital(&strategy.name());
    html! {
        <tr class={beside.map(|_| "cur")} onclick={on(&props.go, Action::Edit(Edit::Protect(strategy)))}>
            <th scope="row">
                <span class="rn">{ number }</span>
                <button type="button" class="rb" title="Use this strategy above">{ name }</button>{ " " }
                if let Some(beside) = beside {
                    <span class="shown">{ if beside.is_empty() { "shown above" } else { beside.trim_start_matches(", ") } }</span>
                }
            </th>
            <td class="num" data-label="Succeeded">{ row.map(Row::succeeded_percent).unwrap_or_default() }</td>
            { numbers(params, row, theory.as_ref()) }
            <td class="art" data-label="Article">{ tick(same) }</td>
            <td class="see">{ see_one::button(params, strategy, row, &props.go) }</td>
        </tr>
    }
}

fn numbers(params: &TableParams, row: Option<&Row>, theory: Option<&Theory>) -> Html {
    let jobs = params.jobs;
    let expected = |of: fn(&Theory, u64) -> f64| theory.map(|theory| of(theory, jobs));
    let counted = |value: Option<u64>, expected: Option<f64>, class: &'static str, label: &'static str| {
        html! {
            <>
                <td class={classes!("num", (value == Some(0)).then_some("zero"))} data-label={label}>{ value.map(format::grouped).unwrap_or_default() }</td>
                <td class="num exp">{ expected.map(|mean| format::grouped(mean.round() as u64)).unwrap_or_default() }</td>
                <td class="bar">{ value.map(|value| bar(log_share(value, jobs), class)).unwrap_or_default() }</td>
            </>
        }
    };
    let per_job = row.map(Row::calls_per_job);
    html! {
        <>
            { counted(row.map(|row| row.failed), expected(|t, jobs| t.failed_of(jobs).mean), "bar-fail", "Failed") }
            <td class="num" data-label="Calls per job">{ per_job.map(|calls| calls.to_string()).unwrap_or_default() }</td>
            <td class="num exp">{ theory.map(|theory| format!("{:.3}", theory.calls.mean)).unwrap_or_default() }</td>
            <td class="bar">{ per_job.map(|calls| bar(calls_share(calls, params), "bar-n")).unwrap_or_default() }</td>
            { counted(row.map(|row| row.repeated_steps), expected(|t, jobs| t.repeated_steps_of(jobs).mean), "bar-dup", "Steps done again") }
            { counted(row.map(|row| row.two_emails), expected(|t, jobs| t.two_emails_of(jobs).mean), "bar-dup", "2+ emails") }
        </>
    }
}

/// A count's share of the bar: logarithmic, so that 11 and 464,233 can both be seen; zero is no bar at all.
fn log_share(value: u64, jobs: u64) -> f64 {
    ((1.0 + value as f64).ln() / (1.0 + jobs as f64).ln()).clamp(0.0, 1.0)
}

/// Calls beyond the one each step needs, up to a tenth of them.
fn calls_share(calls: f64, params: &TableParams) -> f64 {
    let steps = f64::from(params.steps);
    ((calls - steps) / (steps * 0.1)).clamp(0.0, 1.0)
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
