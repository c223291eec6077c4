//! The same requests under the rules of other systems, side by side; a click on a system shows the rule behind each cell.

use twiceproof_sim::rules::{self, Answer, Ask, PRESETS, Preset, STREAM, Then};
use yew::prelude::*;

use crate::below::Change;
use crate::icons::{Icon, icon};

/// What the table is drawn from.
#[derive(Clone, PartialEq, Properties)]
pub struct Props {
    /// The system that is looked into, by its place.
    pub open: Option<usize>,
    /// One is opened or closed.
    pub change: Callback<Change>,
}

/// The table.
#[component]
pub fn Rules(props: &Props) -> Html {
    let heads = STREAM.iter().map(|ask| html! { <th scope="col">{ ask.what }</th> });
    html! {
        <section class="compare rules" aria-labelledby="rules-title">
            <div class="chead"><h2 id="rules-title">{ "Same requests, other rules" }</h2></div>
            <p class="muted rules-about">
                { "Seven requests, two pieces of work. What each system does with them, by its documentation and source as of November 2026. Open one for its rules." }
            </p>
            <div class="rules-scroll" role="region" aria-label="Table of rules" tabindex="0">
                <table class="rules-table">
                    <thead><tr><th scope="col">{ "System" }</th>{ for heads }<th scope="col" class="num">{ "Runs" }</th></tr></thead>
                    <tbody>{ for PRESETS.iter().enumerate().map(|(place, preset)| row(place, preset, props)) }</tbody>
                </table>
            </div>
        </section>
    }
}

fn row(place: usize, preset: &'static Preset, props: &Props) -> Html {
    let verdicts = rules::judge(preset, &STREAM);
    let is_open = props.open == Some(place);
    let toggle = props.change.reform(move |_: MouseEvent| Change::Rules((!is_open).then_some(place)));
    let runs = verdicts.iter().filter(|verdict| verdict.then.starts_work()).count();
    let cells = verdicts.iter().zip(&STREAM).map(|(verdict, ask)| cell(verdict.then, ask));
    html! {
        <>
            <tr key={place} class={is_open.then_some("cur")}>
                <th scope="row">
                    <button class="rb" type="button" aria-expanded={is_open.to_string()} onclick={toggle}>
                        { icon(if is_open { Icon::Down } else { Icon::Next }) }
                        <span>{ preset.system }{ ", " }<span class="muted">{ preset.mode }</span></span>
                    </button>
                </th>
                { for cells }
                <td class="num">{ runs }</td>
            </tr>
            if is_open {
                <tr key={format!("{place}-rules")} class="rules-open"><td colspan="9">{ cited(preset, &verdicts) }</td></tr>
            }
        </>
    }
}

/// A repeat that starts work is what a key is to prevent, unless the first one failed. The same key with other data is a mistake:
/// that it is told is good, and an answer that hides it is not.
fn class(then: Then, ask: &Ask) -> &'static str {
    let repeat = is_repeat(ask);
    match then {
        Then::Refused if ask.data != 0 => "then-kept",
        Then::Returns | Then::Joins | Then::Ignored if ask.data != 0 => "then-refused",
        Then::Runs | Then::Replaces | Then::Afterwards if repeat => "then-runs",
        Then::Runs | Then::Replaces | Then::Afterwards => "then-first",
        Then::Refused => "then-refused",
        Then::Returns | Then::Joins | Then::Ignored => "then-kept",
    }
}

fn cell(then: Then, ask: &Ask) -> Html {
    html! { <td class={class(then, ask)}>{ word(then, is_repeat(ask)) }</td> }
}

fn is_repeat(ask: &Ask) -> bool {
    ask.what.starts_with("again")
}

fn word(then: Then, repeat: bool) -> &'static str {
    match then {
        Then::Runs if repeat => "runs again",
        Then::Runs => "runs",
        Then::Returns => "first result",
        Then::Joins => "shares the run",
        Then::Refused => "error",
        Then::Ignored => "nothing",
        Then::Replaces => "stops it, runs",
        Then::Afterwards => "runs after it",
    }
}

fn cited(preset: &Preset, verdicts: &[Answer]) -> Html {
    let lines = STREAM.iter().zip(verdicts).map(|(ask, verdict)| {
        html! { <div><dt>{ ask.what }</dt><dd>{ verdict.rule }</dd></div> }
    });
    html! {
        <>
            <p class="min">{ "Its key: " }{ preset.key }{ "." }</p>
            <dl class="kv">{ for lines }</dl>
        </>
    }
}

/// What a system is called in links: letters and digits of its name and mode, with dashes between.
pub fn word_of(preset: &Preset) -> String {
    let letter = |c: char| if c.is_ascii_alphanumeric() { c.to_ascii_lowercase() } else { ' ' };
    let name: String = format!("{} {}", preset.system, preset.mode).chars().map(letter).collect();
    name.split_whitespace().collect::<Vec<_>>().join("-")
}

/// The place of the system that is called so.
pub fn named(word: &str) -> Option<usize> {
    PRESETS.iter().position(|preset| word_of(preset) == word)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_system_s_word_in_links_is_its_own() {
        assert_eq!(word_of(&PRESETS[0]), "the-article-s-store-24-h");
        for (place, preset) in PRESETS.iter().enumerate() {
            assert_eq!(named(&word_of(preset)), Some(place));
        }
    }

    #[test]
    fn a_key_with_other_data_is_a_mistake_that_is_to_be_told() {
        let class = |then, ask: usize| match class(then, &STREAM[ask]) {
            "then-kept" => "good",
            "then-refused" => "doubtful",
            "then-runs" => "harm",
            _ => "plain",
        };
        let other = STREAM.iter().position(|ask| ask.data != 0).unwrap();
        assert_eq!((class(Then::Refused, other), class(Then::Returns, other)), ("good", "doubtful"));
        assert_eq!(
            (class(Then::Refused, 2), class(Then::Returns, 2), class(Then::Runs, 2)),
            ("doubtful", "good", "harm")
        );
    }

    #[test]
    fn every_system_has_a_name_of_its_own_and_every_verdict_a_word() {
        let mut names: Vec<_> = PRESETS.iter().map(|preset| (preset.system, preset.mode)).collect();
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), PRESETS.len());
        assert_eq!((word(Then::Runs, false), word(Then::Runs, true)), ("runs", "runs again"));
    }
}
