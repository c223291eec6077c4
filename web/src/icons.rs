//! Every glyph and icon as a drawn path. None is a typed character: several of those turn into emoji or boxes on
//! some systems.

use yew::prelude::*;

/// Glyphs of the marks, drawn around 0 0 within a box of 16.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Glyph {
    /// A tick: the reply came.
    Check,
    /// A cross: it failed.
    Cross,
    /// A key: the store answered.
    Key,
    /// An hourglass: a window is over.
    Hourglass,
    /// Two sheets: joined.
    Joined,
    /// Unequal: other data.
    Unequal,
    /// A turning arrow: restart.
    Restart,
    /// An eye: the provider's lane is shown.
    Eye,
    /// An eye, struck through: it is hidden.
    EyeOff,
    /// Folded.
    Right,
    /// Open.
    Down,
}

impl Glyph {
    /// The path.
    pub const fn path(self) -> &'static str {
        match self {
            Self::Check => "M-4.5 .5L-1.5 3.5L4.5 -3.5",
            Self::Cross => "M-4 -4L4 4M4 -4L-4 4",
            Self::Key => "M-1 0H6M6 0V3M3 0V2.5M-6.5 0A2.75 2.75 0 1 0 -1 0A2.75 2.75 0 1 0 -6.5 0",
            Self::Hourglass => "M-4 -6H4M-4 6H4M-3.5 -6C-3.5 -2 3.5 2 3.5 6M3.5 -6C3.5 -2 -3.5 2 -3.5 6",
            Self::Joined => "M-6 -5H2V3H-6ZM-2 3V6H6V-2H2",
            Self::Unequal => "M-5 -2.2H5M-5 2.2H5M-2.5 5.5L2.5 -5.5",
            Self::Restart => "M5.5 0A5.5 5.5 0 1 1 2.8 -4.7M2.5 -7V-4.4H5.5",
            Self::Eye => "M-7 0C-4 -5 4 -5 7 0C4 5 -4 5 -7 0ZM-2 0A2 2 0 1 0 2 0A2 2 0 1 0 -2 0",
            Self::EyeOff => "M-7 0C-4 -5 4 -5 7 0C4 5 -4 5 -7 0ZM-2 0A2 2 0 1 0 2 0A2 2 0 1 0 -2 0M-5.5 6L5.5 -6",
            Self::Right => "M-1.5 -3.5L2 0L-1.5 3.5",
            Self::Down => "M-3.5 -1.5L0 2L3.5 -1.5",
        }
    }
}

/// A glyph at a place inside an svg, in a colour class (`c-effect`, `c-fail`, `c-key`, `c-warn`, `c-muted`, `c-text`).
pub fn glyph(glyph: Glyph, x: f64, y: f64, scale: f64, colour: &'static str) -> Html {
    // The stroke keeps its drawn width at every scale.
    let width = format!("{:.2}", stroke(glyph) / scale);
    let place = format!("translate({x} {y}) scale({scale})");
    html! { <g class={colour} transform={place}><path class="glyph" stroke-width={width} d={glyph.path()} /></g> }
}

const fn stroke(glyph: Glyph) -> f64 {
    match glyph {
        Glyph::Check | Glyph::Cross | Glyph::Unequal => 2.0,
        Glyph::Key => 1.8,
        Glyph::Hourglass | Glyph::Joined | Glyph::Restart | Glyph::Eye | Glyph::EyeOff | Glyph::Right | Glyph::Down => {
            1.5
        }
    }
}

/// Icons of buttons, in a box of 16 by 16.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Icon {
    /// To the left.
    Previous,
    /// To the right.
    Next,
    /// Down.
    Down,
    /// A link.
    Share,
    /// An arrow onto a line.
    Export,
    /// Half a disc: the theme.
    Theme,
    /// A question mark.
    Help,
    /// A plus.
    Add,
    /// An hourglass.
    Expire,
    /// A turning arrow.
    Restart,
    /// To the first event.
    First,
    /// One back.
    Back,
    /// Play.
    Play,
    /// Pause.
    Pause,
    /// One forward.
    Forward,
    /// To the last event.
    Last,
    /// A tick.
    Check,
    /// A cross.
    Close,
    /// Two sheets.
    Copy,
    /// Three lines.
    Menu,
    /// Two sliders.
    Settings,
    /// Two arrows apart.
    Expand,
}

impl Icon {
    /// The path, and whether it is filled.
    pub const fn path(self) -> (&'static str, bool) {
        match self {
            Self::Previous => ("M10 4L6 8l4 4", false),
            Self::Next => ("M6 4l4 4-4 4", false),
            Self::Down => ("M4 6l4 4 4-4", false),
            Self::Share => (
                "M6.5 9.5l3-3M7 4.8l1.2-1.2a2.9 2.9 0 0 1 4.1 4.1L11 9M9 11.2l-1.2 1.2a2.9 2.9 0 0 1-4.1-4.1L5 7",
                false,
            ),
            Self::Export => ("M8 2.5v7.5M4.8 7L8 10.2 11.2 7M3 13.5h10", false),
            Self::Theme => ("M8 2.5a5.5 5.5 0 1 0 0 11zM8 2.5a5.5 5.5 0 0 1 0 11", false),
            Self::Help => ("M5.8 6a2.2 2.2 0 1 1 3.2 2c-.7.4-1 .8-1 1.5M8 12v.2", false),
            Self::Add => ("M8 3.5v9M3.5 8h9", false),
            Self::Expire => ("M4 2.5h8M4 13.5h8M4.5 2.5c0 4 7 7 7 11M11.5 2.5c0 4-7 7-7 11", false),
            Self::Restart => ("M13 8a5 5 0 1 1-2.3-4.2M10.6 1.6v2.4h2.6", false),
            Self::First => ("M11.5 3.5L6.5 8l5 4.5zM4.5 3.5v9", true),
            Self::Back => ("M10 3.5L5 8l5 4.5z", true),
            Self::Play => ("M4.5 2.8L13 8l-8.5 5.2z", true),
            Self::Pause => ("M4.5 3h2v10h-2zM9.5 3h2v10h-2z", true),
            Self::Forward => ("M6 3.5L11 8l-5 4.5z", true),
            Self::Last => ("M4.5 3.5L9.5 8l-5 4.5zM11.5 3.5v9", true),
            Self::Check => ("M3.5 8.5l3 3 6-7", false),
            Self::Close => ("M4 4l8 8M12 4l-8 8", false),
            Self::Copy => ("M5.5 5.5h7v7h-7zM3.5 10.5v-7h7", false),
            Self::Menu => ("M2.5 4.5h11M2.5 8h11M2.5 11.5h11", false),
            Self::Settings => (
                "M2.5 5h6M11.5 5h2M2.5 11h2M7.5 11h6M8.5 5a1.5 1.5 0 1 0 3 0 1.5 1.5 0 1 0-3 0M4.5 11a1.5 1.5 0 1 0 3 0 1.5 1.5 0 1 0-3 0",
                false,
            ),
            Self::Expand => ("M9.5 3h3.5v3.5M13 3L9 7M6.5 13H3V9.5M3 13l4-4", false),
        }
    }
}

/// An icon of 16 by 16, without a name of its own: its button has one.
pub fn icon(icon: Icon) -> Html {
    let (path, filled) = icon.path();
    let (fill, width) = if filled { ("currentColor", "1.25") } else { ("none", "1.5") };
    html! {
        <svg class="ic" width="16" height="16" viewBox="0 0 16 16" aria-hidden="true">
            <path fill={fill} stroke="currentColor" stroke-width={width} stroke-linecap="round" stroke-linejoin="round" d={path} />
        </svg>
    }
}

/// An envelope: an email that arrived. One too many has the double outline of a duplicate.
pub fn envelope(again: bool) -> Html {
    html! {
        <svg class="env" width="26" height="18" viewBox="0 0 26 18" aria-hidden="true">
            if again {
                <path class="env-ring" d="M1 1H25V17H1Z" />
                <path class="env-dup" d="M4 4H22V14H4Z" />
            } else {
                <path class="env-ok" d="M4 4H22V14H4Z" />
            }
            <path class="env-fold" d="M4.5 4.5L13 10L21.5 4.5" />
        </svg>
    }
}
