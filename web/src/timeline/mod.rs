//! The timeline: what the worker saw and what the provider did, on one axis.

use std::rc::Rc;

use yew::prelude::*;

use crate::story::{AttemptName, Kind, Story};

/// What a timeline is drawn from.
#[derive(Clone, PartialEq, Properties)]
pub struct Props {
    /// The story. The same `Rc` until the scenario changes: it is compared by address.
    pub story: SharedStory,
    /// Entries played.
    pub index: usize,
    /// The mark that the inspector describes.
    #[prop_or_default]
    pub selected: Option<AttemptName>,
    /// A mark was chosen.
    pub on_select: Callback<AttemptName>,
    /// A place on the axis was chosen: play up to this index.
    pub on_seek: Callback<usize>,
    /// Width of the whole timeline, in CSS pixels.
    pub width: u32,
    /// Whether the provider's lane is shown.
    #[prop_or(true)]
    pub show_provider: bool,
    /// The eye was pressed.
    #[prop_or_default]
    pub on_toggle_provider: Callback<()>,
    /// Drawn as a list, for narrow screens.
    #[prop_or_default]
    pub compact: bool,
    /// Kinds of marks that stand back; chosen in the legend.
    #[prop_or_default]
    pub dimmed: Rc<[Kind]>,
}

/// A story shared by address: two are equal if they are one.
#[derive(Clone, Debug)]
pub struct SharedStory(pub Rc<Story>);

impl PartialEq for SharedStory {
    fn eq(&self, other: &Self) -> bool {
        Rc::ptr_eq(&self.0, &other.0)
    }
}

impl std::ops::Deref for SharedStory {
    type Target = Story;

    fn deref(&self) -> &Story {
        &self.0
    }
}

impl From<Story> for SharedStory {
    fn from(story: Story) -> Self {
        Self(Rc::new(story))
    }
}

/// The timeline.
#[component]
pub fn Timeline(props: &Props) -> Html {
    let _ = props;
    html! { <div class="tl" /> }
}
