//! The timeline of narrow screens: a list in the order of events. Gaps are printed numbers, and worker and provider
//! are two columns.

use yew::prelude::*;

use super::Props;

/// The list.
pub(super) fn list(props: &Props) -> Html {
    let _ = props;
    Html::default()
}
