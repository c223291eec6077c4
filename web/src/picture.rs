//! The timeline as a picture file. `picture.js` draws it from what stands on the page, and is loaded when it is first wanted,
//! by `boot.js` as [`crate::expressions`] is.

use js_sys::{Array, Function, Promise, Reflect};
use wasm_bindgen::{JsCast, JsValue};
use wasm_bindgen_futures::JsFuture;
use web_sys::Blob;
use yew::platform::spawn_local;

use crate::app::action::Action;
use crate::app::page;
use crate::app::state::State;
use crate::controls::Go;
use crate::files;
use crate::words;

/// The form of a picture.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Shapes and texts, with attributes only: for articles, editors and print.
    Svg,
    /// Pixels, two for each of the page: for what takes no SVG.
    Png,
}

impl Kind {
    fn ending(self) -> &'static str {
        match self {
            Self::Svg => "svg",
            Self::Png => "png",
        }
    }
}

/// Saves the timeline as it stands, in the colours it has; what it shows is told in the picture's description.
pub fn save(state: &State, go: &Go, kind: Kind) {
    let (name, go) = (files::file_name(state, kind.ending()), go.clone());
    let (title, description) = (state.title(), description(state));
    spawn_local(async move {
        let saved = draw(&title, &description, kind)
            .await
            .and_then(|picture| files::save_blob(&name, &picture).ok_or_else(String::new));
        let (text, problem) = match saved {
            Ok(()) => (format!("{name} saved."), false),
            Err(why) if why.is_empty() => ("There is no picture of it here.".to_owned(), true),
            Err(why) => (format!("There is no picture of it: {why}."), true),
        };
        go.dispatch(Action::Say { text, problem });
    });
}

/// What has been played, a line for every entry.
fn description(state: &State) -> String {
    let lines = words::transcript(&state.story).into_iter().take(state.index);
    lines.map(|line| format!("{}: {}\n", words::clock(line.at), line.text)).collect()
}

async fn draw(title: &str, description: &str, kind: Kind) -> Result<Blob, String> {
    let document = page::window().and_then(|window| window.document());
    let timeline = document.and_then(|document| document.query_selector(".tl, .vl").ok().flatten());
    let drawer = Reflect::get(&js_sys::global(), &"twiceproofPicture".into()).unwrap_or_default();
    let (Some(timeline), Some(drawer)) = (timeline, drawer.dyn_ref::<Function>()) else { return Err(String::new()) };
    let arguments: Array =
        [timeline.into(), title.into(), description.into(), JsValue::from(kind.ending())].into_iter().collect();
    let said = |error: JsValue| {
        let message = Reflect::get(&error, &"message".into()).ok().and_then(|message| message.as_string());
        message.unwrap_or_default()
    };
    let drawing: Promise = drawer.apply(&JsValue::UNDEFINED, &arguments).map_err(said)?.unchecked_into();
    JsFuture::from(drawing).await.map_err(said)?.dyn_into().map_err(|_| String::new())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::stories;

    #[test]
    fn a_picture_tells_what_has_been_played_and_no_more() {
        let mut state = State::of_story(&stories::ALL[0]);
        assert_eq!(description(&state), "");
        state.index = 2;
        let lines = description(&state);
        assert_eq!(lines.lines().count(), 2);
        state.index = state.story.len();
        assert!(description(&state).starts_with(&lines));
    }
}
