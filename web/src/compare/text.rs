//! The table in sentences, one for each row.

use twiceproof_sim::table::{Row, format};
use yew::prelude::*;

use super::Panel;
use super::rows::capital;

pub(super) fn sentences(panel: &Panel) -> Html {
    let Some(shown) = panel.shown.as_deref() else { return Html::default() };
    let item = |row: &Row| html! { <li>{ sentence(row) }</li> };
    // The article's own sentence, with the page's own word.
    let head = format::sentence(&shown.table).replacen(" signups,", " sign-ups,", 1);
    let counted = shown.table.rows.iter().map(|row| row.jobs).min().unwrap_or_default();
    let so_far =
        if shown.whole { ".".to_owned() } else { format!("; so far the first {} of them:", format::grouped(counted)) };
    html! {
        <div class="as-text">
            <p class="muted">{ format!("{}{so_far}", capital(&head)) }</p>
            <ol>{ for shown.table.rows.iter().map(item) }</ol>
        </div>
    }
}

fn sentence(row: &Row) -> String {
    let count = |number: u64, one: &str, many: &str| match number {
        0 => format!("no {many}"),
        1 => format!("1 {one}"),
        more => format!("{} {many}", format::grouped(more)),
    };
    format!(
        "{}: {} succeeded and {} failed, with {} calls per job; {} done again, and {} with two welcome emails or more.",
        capital(&row.strategy.name()),
        row.succeeded_percent(),
        format::grouped(row.failed),
        super::rows::text(super::scale::Measure::Calls, row.calls_per_job()),
        count(row.repeated_steps, "step", "steps"),
        count(row.two_emails, "user", "users"),
    )
}

#[cfg(test)]
mod tests {
    use twiceproof_sim::table::{TableParams, article_strategies, kernel};

    use super::*;

    #[test]
    fn a_row_is_a_sentence() {
        let strategies = &article_strategies()[..1];
        let table = kernel::run(&TableParams::default(), strategies, &mut |_, _| core::ops::ControlFlow::Continue(()));
        let expected = "Retry each step, no key: 99.999% succeeded and 11 failed, with 10.11 calls per job; \
                        4,971 steps done again, and 4,939 users with two welcome emails or more.";
        assert_eq!(sentence(&table.unwrap().rows[0]), expected);
    }
}
