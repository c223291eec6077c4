//! The state, its one reducer, and the page around everything.
//!
//! | module | what |
//! |---|---|
//! | [`state`], [`action`], [`view`] | what there is, and the one way it changes |
//! | [`playback`], [`moving`], `frames`, [`effects`], [`keys`], [`roving`] | the clock, the playhead between two events, the address, the keys |
//! | [`header`], [`help`], [`page`] | around the stage, and the document itself |

pub mod action;
pub mod effects;
pub(crate) mod frames;
pub mod header;
pub mod help;
pub mod keys;
pub mod moving;
pub mod page;
pub mod playback;
pub mod roving;
pub mod state;
pub mod view;

use web_sys::DragEvent;
use yew::prelude::*;

use self::action::Action;
use self::moving::Moving;
use self::state::State;
use crate::compare::Compare;
use crate::controls::{Go, icon_button, on};
use crate::doors::ThreeDoors;
use crate::embed::{self, Wish};
use crate::function_key::FunctionKey;
use crate::icons::{Icon, icon};
use crate::link::Address;
use crate::rules::Rules;
use crate::story::AttemptName;
use crate::timeline::SharedStory;
use crate::{caption, files, legend, panels, transport};

/// The page, or the part of it that an article shows.
#[component]
pub fn App() -> Html {
    let wish =
        use_memo((), |()| Address::of_page().map(|address| Wish::of_query(&address.query())).unwrap_or_default());
    let state = use_reducer(|| begin(&wish));
    let go = state.dispatcher();
    let stage = use_node_ref();
    let extent = effects::use_extent(&stage);
    effects::use_playback(&state, &go);
    effects::use_address(&state, &go, !wish.embed);
    effects::use_document(&state, &go);
    embed::use_host(&state, &go, &wish);
    let press = {
        let (state, go) = (state.clone(), go.clone());
        move |event: KeyboardEvent| {
            roving::press(&event, state.view.keys);
            keys::press(&state, &go, &event);
        }
    };
    let timeline = timeline(&state, &go, extent);
    let press = Callback::from(press);
    effects::use_keys(press.clone(), !wish.embed);
    effects::use_roving();
    if wish.embed {
        return html! {
            <div class="embed" ref={stage} onkeydown={press} onfocusin={|event: FocusEvent| roving::follow(&event)}>{ embed::frame(&state, &go, &wish, timeline) }</div>
        };
    }
    let (over, drop) = drop_handlers(&go);
    let change = {
        let go = go.clone();
        Callback::from(move |change| go.dispatch(Action::Below(change)))
    };
    html! {
        <div class={classes!("pg", state.view.set_up_open.then_some("set-up-open"), state.covers_table().then_some("covers-table"))} ondragover={over} ondrop={drop}
            onfocusin={|event: FocusEvent| roving::follow(&event)}>
            { header::header(&state, &go) }
            { notice(&state, &go) }
            <main class="shell">
                { panels::left(&state, &go) }
                <section class="stage" id="stage" tabindex="-1" aria-labelledby="stage-title" ref={stage}>
                    <h2 class="sr" id="stage-title">{ "What happened" }</h2>
                    <div class="told">{ caption::caption(&state, &go) }{ caption::ask(&state, &go) }</div>
                    { panels::strip(&state, &go) }
                    { timeline }
                    { legend(&state, &go) }
                    { dock(&state, &go) }
                </section>
                { panels::right(&state, &go) }
                <Compare strategy={state.scenario().map(|scenario| scenario.strategy)} comparison={state.comparison}
                    go={go.clone()} />
                <ThreeDoors doors={state.below.doors} change={change.clone()} />
                <Rules open={state.below.rules} change={change.clone()} />
                <FunctionKey field={state.below.key.clone()} change={change.clone()} />
            </main>
        </div>
    }
}

fn timeline(state: &State, go: &Go, extent: effects::Extent) -> Html {
    let select = {
        let go = go.clone();
        Callback::from(move |call: AttemptName| go.dispatch(Action::Select(Some(call))))
    };
    let seek = {
        let go = go.clone();
        Callback::from(move |index: usize| go.dispatch(Action::Seek(index)))
    };
    let view = &state.view;
    html! {
        <div class="tlwrap" id="timeline" tabindex="-1">
            <Moving story={SharedStory(state.story.clone())} index={state.index} selected={state.selected}
                on_select={select} on_seek={seek} width={extent.width} compact={extent.compact}
                show_provider={!view.worker_only} on_toggle_provider={on(go, Action::WorkerOnly(!view.worker_only))}
                dimmed={legend::dimmed(&view.picked)} playing={state.playing} speed={view.speed}
                hold_ms={playback::reading_ms(state.telling.as_deref(), state.index, view.speed)} />
        </div>
    }
}

fn legend(state: &State, go: &Go) -> Html {
    let go = go.clone();
    let pick = Callback::from(move |kinds| go.dispatch(Action::Pick(kinds)));
    legend::legend(state, &pick)
}

/// The transport, with the button that brings up the set-up on small screens, where this bar stays at the foot.
fn dock(state: &State, go: &Go) -> Html {
    let open = state.view.set_up_open;
    html! {
        <div class="dock">
            { transport::transport(state, go) }
            <div class="dock-more">
                { icon_button(if open { Icon::Close } else { Icon::Settings }, "Set-up: sign-ups, strategy and faults", on(go, Action::SetUp(!open)), false) }
            </div>
        </div>
    }
}

/// The message bar. It says what went wrong, or what was done, until it is dismissed.
fn notice(state: &State, go: &Go) -> Html {
    let said = state.notice.as_ref();
    html! {
        <div class={classes!("notice", said.is_none().then_some("none"), said.is_some_and(|said| said.problem).then_some("problem"), said.is_some_and(|said| said.passing).then_some("toast"))}>
            <p role="status">{ said.map(|said| said.text.to_string()).unwrap_or_default() }</p>
            if said.is_some() {
                <button class="btn icon" type="button" aria-label="Dismiss" title="Dismiss" onclick={on(go, Action::Dismiss)}>
                    { icon(Icon::Close) }
                </button>
            }
        </div>
    }
}

/// A file that is dropped anywhere on the page is opened.
fn drop_handlers(go: &Go) -> (Callback<DragEvent>, Callback<DragEvent>) {
    let go = go.clone();
    let dropped = move |event: DragEvent| {
        event.prevent_default();
        let files = event.data_transfer().and_then(|transfer| transfer.files());
        if let Some(file) = files.and_then(|files| files.get(0)) {
            files::open(file, go.clone());
        }
    };
    (Callback::from(|event: DragEvent| event.prevent_default()), Callback::from(dropped))
}

/// The state the page begins with: what the embedding page wishes, else what the address says.
fn begin(wish: &Wish) -> State {
    let fragment = Address::of_page().map(|address| address.fragment()).unwrap_or_default();
    if wish.embed && fragment.is_empty() {
        return wish.state();
    }
    let state = State::of_fragment(&fragment);
    // Whoever reads an article has not bet yet, whoever made its link.
    if wish.embed { State { bet: None, ..state } } else { state }
}
