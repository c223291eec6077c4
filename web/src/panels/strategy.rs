//! Four independent controls, and which row of the table they make.

use twiceproof_sim::strategy::{ARTICLE_ROWS, RetryScope, SentKey, Strategy};
use yew::prelude::*;

use crate::app::action::Action;
use crate::app::state::State;
use crate::controls::{Go, choice, switch};
use crate::edit::Edit;

pub(super) fn section(state: &State, go: &Go) -> Html {
    let Some(scenario) = state.scenario() else { return Html::default() };
    let Strategy { retry, key, skip_finished, provider_remembers } = scenario.strategy;
    let scopes = [(RetryScope::EachStep, "Each step"), (RetryScope::WholeJob, "Whole job")];
    let keys = [(SentKey::None, "None"), (SentKey::NewEachCall, "New each call"), (SentKey::Same, "Same")];
    html! {
        <section>
            <h2 class="hd">{ "Strategy" }{ row_link(scenario.strategy) }</h2>
            { choice("Retry", "retry", &scopes, retry, false, edits(go, Edit::Retry)) }
            { choice("Key sent to the provider", "key", &keys, key, false, edits(go, Edit::Key)) }
            { switch("Our store skips finished steps", skip_finished, false, edits(go, Edit::SkipFinished)) }
            { switch("Provider remembers keys", provider_remembers, false, edits(go, Edit::ProviderRemembers)) }
        </section>
    }
}

/// A callback that makes an edit of a value.
pub(super) fn edits<T: 'static>(go: &Go, edit: fn(T) -> Edit) -> Callback<T> {
    let go = go.clone();
    Callback::from(move |value| go.dispatch(Action::Edit(edit(value))))
}

fn row_link(strategy: Strategy) -> Html {
    let Some((row, beside)) = row_of(strategy) else {
        return html! { <span class="hd-r muted">{ "none of the rows below" }</span> };
    };
    let onclick = |_: MouseEvent| crate::app::page::scroll_to("compare");
    html! { <button class="hd-a" type="button" {onclick}>{ format!("row {} below{beside}", row + 1) }</button> }
}

/// The row of the article's table, from 0, that a strategy is or is nearest to, and how it differs from it.
/// None if no row retries so or sends such a key.
pub fn row_of(strategy: Strategy) -> Option<(usize, &'static str)> {
    // Without a key there is nothing for a provider to remember.
    let forgets = !strategy.provider_remembers && strategy.key != SentKey::None;
    let near = |row: &Strategy| (row.retry, row.key) == (strategy.retry, strategy.key);
    let same_store = |row: &Strategy| near(row) && row.skip_finished == strategy.skip_finished;
    let place = |is_it: &dyn Fn(&Strategy) -> bool| ARTICLE_ROWS.iter().position(|row| is_it(&row.strategy));
    let (row, other_store) = match place(&same_store) {
        Some(row) => (row, false),
        None => (place(&near)?, true),
    };
    let beside = match (other_store, forgets) {
        (false, false) => "",
        (true, false) => ", with a store",
        (false, true) => ", forgetful provider",
        (true, true) => ", not quite",
    };
    Some((row, beside))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_row_of_the_article_is_itself() {
        for (index, row) in ARTICLE_ROWS.iter().enumerate() {
            assert_eq!(row_of(row.strategy), Some((index, "")));
        }
        let first = ARTICLE_ROWS[0].strategy;
        assert_eq!(row_of(Strategy { skip_finished: true, ..first }), Some((0, ", with a store")));
        assert_eq!(row_of(Strategy { provider_remembers: false, ..first }), Some((0, "")));
        assert_eq!(row_of(Strategy { retry: RetryScope::WholeJob, ..first }), None);
    }
}
