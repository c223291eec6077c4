//! How the reader looks at a story. Nothing here changes what happens.

use std::rc::Rc;

use crate::story::Kind;

/// Light, dark, or as the system says.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Theme {
    /// As the system says.
    #[default]
    Auto,
    /// Light.
    Light,
    /// Dark.
    Dark,
}

impl Theme {
    /// The one after, as the button goes through them.
    pub fn next(self) -> Self {
        match self {
            Self::Auto => Self::Light,
            Self::Light => Self::Dark,
            Self::Dark => Self::Auto,
        }
    }

    /// Its word in links, attributes and labels.
    pub fn word(self) -> &'static str {
        match self {
            Self::Auto => "auto",
            Self::Light => "light",
            Self::Dark => "dark",
        }
    }

    /// By its word.
    pub fn named(word: &str) -> Option<Self> {
        [Self::Auto, Self::Light, Self::Dark].into_iter().find(|theme| theme.word() == word)
    }
}

/// How fast it plays.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Speed {
    /// Four times as slow.
    Quarter,
    /// Half as fast.
    Half,
    /// So that each event can be read.
    #[default]
    Normal,
    /// Twice as fast.
    Double,
    /// Four times as fast.
    Quadruple,
    /// As fast as it can be drawn.
    Max,
}

impl Speed {
    /// All, from slow to fast.
    pub const ALL: [Self; 6] = [Self::Quarter, Self::Half, Self::Normal, Self::Double, Self::Quadruple, Self::Max];

    /// Its label, which is its value in the menu too.
    pub fn label(self) -> &'static str {
        match self {
            Self::Quarter => "0.25×",
            Self::Half => "0.5×",
            Self::Normal => "1×",
            Self::Double => "2×",
            Self::Quadruple => "4×",
            Self::Max => "max",
        }
    }

    /// How many times as fast as normal; none for as fast as possible.
    pub fn factor(self) -> Option<f64> {
        match self {
            Self::Quarter => Some(0.25),
            Self::Half => Some(0.5),
            Self::Normal => Some(1.0),
            Self::Double => Some(2.0),
            Self::Quadruple => Some(4.0),
            Self::Max => None,
        }
    }
}

/// How the reader looks at a story.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct View {
    /// What the provider really did is hidden, for predictions.
    pub worker_only: bool,
    /// The kinds of marks pressed in the legend; the others stand back.
    pub picked: Rc<[Kind]>,
    /// How fast it plays.
    pub speed: Speed,
    /// Light or dark.
    pub theme: Theme,
    /// Keys without a modifier do something while focus is inside.
    pub keys: bool,
    /// The set-up lies open over the page, on small screens.
    pub set_up_open: bool,
}

impl Default for View {
    fn default() -> Self {
        Self {
            worker_only: false,
            picked: Rc::default(),
            speed: Speed::Normal,
            theme: Theme::Auto,
            keys: true,
            set_up_open: false,
        }
    }
}
