//! The address bar: read at the start, written while the reader explores, watched for what the reader types.

use web_sys::{Window, window};

/// How a new address is put down.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Change {
    /// In place of the one before: stepping through a story should not fill the history.
    Replace,
    /// As a new entry: another story, to come back from.
    Push,
}

/// The address of this page.
#[derive(Clone, Debug)]
pub struct Address {
    window: Window,
}

impl Address {
    /// The address of this page; none where there is no page.
    pub fn of_page() -> Option<Self> {
        cfg!(target_arch = "wasm32").then(window).flatten().map(|window| Self { window })
    }

    /// What stands behind `#`, without it.
    pub fn fragment(&self) -> String {
        let hash = self.window.location().hash().unwrap_or_default();
        hash.strip_prefix('#').map(str::to_owned).unwrap_or(hash)
    }

    /// What stands behind `?`, without it.
    pub fn query(&self) -> String {
        let search = self.window.location().search().unwrap_or_default();
        search.strip_prefix('?').map(str::to_owned).unwrap_or(search)
    }

    /// The whole address with another fragment, and without the query of an embed.
    pub fn link(&self, fragment: &str) -> String {
        let location = self.window.location();
        let (origin, path) = (location.origin().unwrap_or_default(), location.pathname().unwrap_or_default());
        // The origin of a file or a sandboxed frame is opaque; its address still works without one.
        if origin == "null" {
            let href = location.href().unwrap_or_default();
            let base = href.split(['#', '?']).next().unwrap_or_default();
            return format!("{base}#{fragment}");
        }
        format!("{origin}{path}#{fragment}")
    }

    /// Puts down another fragment. Browsers limit how often; a refusal is of no consequence.
    pub fn put(&self, fragment: &str, change: Change) {
        if self.fragment() == fragment {
            return;
        }
        let Ok(history) = self.window.history() else { return };
        let url = match self.window.location().pathname() {
            // An empty text would leave the address as it is.
            Ok(path) if fragment.is_empty() => match self.query() {
                query if query.is_empty() => path,
                query => format!("{path}?{query}"),
            },
            _ => format!("#{fragment}"),
        };
        let state = wasm_bindgen::JsValue::NULL;
        let _ = match change {
            Change::Replace => history.replace_state_with_url(&state, "", Some(&url)),
            Change::Push => history.push_state_with_url(&state, "", Some(&url)),
        };
    }
}
