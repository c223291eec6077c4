//! The timeline: what the worker saw and what the provider did, on one axis.
//!
//! Each row is a small svg of its own and is drawn anew only when an entry of its own is played. The veil over the
//! future, the playhead and the edge of what is under way are HTML boxes, moved by CSSOM transforms. In a still
//! picture (rendered beforehand) the same things are svg shapes.
//!
//! Deliberately not here: what anything means ([`crate::story`]) and says ([`crate::words`]); playback.

mod axis;
mod draw;
mod head;
mod keyboard;
mod list;
mod now;
mod place;
mod plan;
mod row;
mod scale;
mod shapes;
mod store;
#[cfg(test)]
mod tests;

use std::rc::Rc;

use yew::prelude::*;

pub(crate) use self::scale::{FOLD, Scale};
pub(crate) use self::shapes::{diamond, hatch, octagon, zigzag};

use self::plan::Plan;
use self::row::Row;
use crate::app::page;
use crate::story::{AttemptName, Kind, Story};
use crate::words;

/// Width of the column of labels.
const LABELS: i32 = 192;

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
    /// The virtual time of the playhead while it moves between two entries, in milliseconds.
    #[prop_or_default]
    pub now_ms: Option<f64>,
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
    let open = use_state(|| Some(1));
    let cursor = use_state(|| None::<AttemptName>);
    let width = (props.width as i32 - LABELS).max(120);
    let scale = use_memo((props.story.clone(), width), |(story, width)| {
        Scale::new(story.whole.as_deref().unwrap_or(story), *width)
    });
    let plan = use_memo((props.story.clone(), *open), |(story, open)| Plan::new(story, *open));
    let root = use_node_ref();
    let view = use_state_eq(|| (0, VIEW_HEIGHT));
    let onscroll = {
        let (view, root) = (view.clone(), root.clone());
        Callback::from(move |_: Event| {
            if let Some(root) = root.cast::<web_sys::Element>() {
                // In coarse steps, so that most scrolling draws nothing.
                view.set((root.scroll_top() / VIEW_STEP * VIEW_STEP, root.client_height()));
            }
        })
    };
    let boxes = Boxes {
        veil: use_node_ref(),
        line: use_node_ref(),
        past: use_node_ref(),
        inner: use_node_ref(),
        flag: use_node_ref(),
        notch: use_node_ref(),
    };
    let head = match props.now_ms {
        Some(now) => scale.exact(now),
        None => f64::from(scale.x(props.story.time(props.index))),
    };
    {
        let (boxes, scale) = (boxes.clone(), scale.clone());
        // After it was a list it has new boxes, which stand nowhere yet.
        use_effect_with((head, scale.width, props.compact), move |_| boxes.move_to(head, &scale));
    }
    // The row that was folded or opened is another row now, and its button another button.
    let pressed = use_mut_ref(|| None);
    let on_open = {
        let (open, pressed) = (open.clone(), pressed.clone());
        Callback::from(move |job: u32| {
            *pressed.borrow_mut() = Some(job);
            open.set((*open != Some(job)).then_some(job));
        })
    };
    {
        let root = root.clone();
        use_effect_with(*open, move |_| {
            if let Some(job) = pressed.borrow_mut().take() {
                keyboard::focus_fold(&root, job);
            }
        });
    }
    // Who scrolls while nothing moves on is left alone. Before the selection, which may have come with the index.
    {
        let (root, plan, compact) = (root.clone(), plan.clone(), props.compact);
        let told = use_mut_ref(|| None);
        let story = props.story.clone();
        use_effect_with(props.index, move |index| {
            // The page stays at its top when it opens, and when another story does.
            let goes_on = told.replace(Some(story.clone())) == Some(story);
            if compact && goes_on {
                page::follow(".vl-now", ".tlwrap");
            } else if !compact {
                scroll(&root, |top, room| plan.follow(*index, top, room));
            }
        });
    }
    {
        let (root, selected) = (root.clone(), props.selected);
        use_effect_with((props.selected, props.story.clone(), props.compact), {
            let plan = plan.clone();
            move |_| {
                let row = selected.and_then(|call| plan.rows.iter().find(|row| row.shows(call)));
                if let Some(row) = row {
                    scroll(&root, |top, room| row.in_view(top, room));
                }
            }
        });
    }
    if props.compact {
        return list::list(props, props.now_ms.map_or(props.story.time(props.index), |now| now as u64));
    }
    let window = plan.window(view.0 - VIEW_STEP, view.0 + view.1 + 2 * VIEW_STEP);
    let parts = Parts { props, scale: &scale, plan: &plan, window, head, boxes: &boxes };
    html! {
        <div class={classes!("tl", props.now_ms.is_some().then_some("playing"))} ref={root.clone()}
            {onscroll} role="group" aria-label="Timeline" onkeydown={keyboard::on_key(&root, &props.on_select)} onfocusin={keyboard::on_focus(&cursor)}>
            { parts.axis() }
            <div class="tl-body">
                { parts.ground() }
                { parts.rows(*cursor, &on_open) }
                { parts.under_way() }
            </div>
        </div>
    }
}

/// The height of the axis, which stays over the rows.
const AXIS: i32 = 36;
/// The height of the view before it has been scrolled.
const VIEW_HEIGHT: i32 = 1200;
/// Rows come and go when the view has moved so far.
const VIEW_STEP: i32 = 400;

/// Scrolls the view, and never the page, to where `to` wants it: it is given where the view begins and how high it is.
fn scroll(root: &NodeRef, to: impl FnOnce(i32, i32) -> i32) {
    let Some(root) = root.cast::<web_sys::Element>() else { return };
    let top = root.scroll_top();
    let wanted = to(top, root.client_height() - AXIS);
    if wanted != top {
        root.set_scroll_top(wanted);
    }
}

/// Whether the picture will not be moved: it is rendered beforehand.
const STILL: bool = cfg!(not(target_arch = "wasm32"));

/// What moves with the playhead.
#[derive(Clone, PartialEq)]
struct Boxes {
    veil: NodeRef,
    line: NodeRef,
    past: NodeRef,
    inner: NodeRef,
    flag: NodeRef,
    notch: NodeRef,
}

impl Boxes {
    /// Moves all of them. Only transforms change, so nothing is laid out or painted anew.
    fn move_to(&self, head: f64, scale: &Scale) {
        let width = f64::from(scale.width);
        let flag = axis::flag_x(scale, head.round() as i32);
        for (node, x) in [
            (&self.veil, head),
            (&self.line, head - 1.0),
            (&self.past, head - width),
            (&self.inner, width - head),
            (&self.flag, f64::from(flag - 32)),
            (&self.notch, head - 6.0),
        ] {
            if let Some(element) = node.cast::<web_sys::HtmlElement>() {
                // Setting a property of an element's style cannot fail.
                let _ = element.style().set_property("transform", &format!("translateX({x:.2}px)"));
            }
        }
    }
}

/// The parts of the desktop's timeline.
struct Parts<'a> {
    props: &'a Props,
    scale: &'a Rc<Scale>,
    plan: &'a Rc<Plan>,
    window: (&'a [plan::Row], i32, i32),
    head: f64,
    boxes: &'a Boxes,
}

impl Parts<'_> {
    fn axis(&self) -> Html {
        let Props { story, show_provider, on_toggle_provider, .. } = self.props;
        let head = self.head.round() as i32;
        let now = self.props.now_ms.map_or(story.time(self.props.index), |now| now as u64);
        html! {
            <div class="tl-axis">
                { axis::corner(story, *show_provider, on_toggle_provider) }
                <div class="tl-axis-plot">
                    { axis::axis(self.scale, head) }
                    if STILL {
                        { axis::still_flag(self.scale, head, now) }
                    } else {
                        <div class="tl-notch" ref={self.boxes.notch.clone()} />
                        <div class="tl-flag" ref={self.boxes.flag.clone()}>{ words::clock(now) }</div>
                    }
                    { self.seek() }
                </div>
            </div>
        }
    }

    /// Press or drag on the axis to play up to there. Arrows and the slider below do the same.
    fn seek(&self) -> Html {
        let seek = {
            let (scale, story) = (self.scale.clone(), self.props.story.clone());
            self.props.on_seek.reform(move |x: i32| story.index_at(scale.ms(f64::from(x))))
        };
        let drag = seek.clone();
        let onpointerdown = Callback::from(move |event: PointerEvent| {
            if let Some(element) = event.target_dyn_into::<web_sys::Element>() {
                let _ = element.set_pointer_capture(event.pointer_id());
            }
            seek.emit(event.offset_x());
        });
        let onpointermove = Callback::from(move |event: PointerEvent| {
            if event.buttons() & 1 == 1 {
                drag.emit(event.offset_x());
            }
        });
        html! { <div class="tl-seek" {onpointerdown} {onpointermove} /> }
    }

    fn svg(&self, content: Html) -> Html {
        let (width, height) = (self.scale.width, self.plan.height);
        html! {
            <svg width={width.to_string()} height={height.to_string()} viewBox={format!("0 0 {width} {height}")} aria-hidden="true">
                { content }
            </svg>
        }
    }

    /// Under the rows: the band of the selected row, the veil over the future, the grid, the playhead.
    fn ground(&self) -> Html {
        let selected = self.props.selected;
        let head = self.head.round() as i32;
        html! {
            <div class="tl-plot">
                { self.svg(axis::band(self.plan, self.scale, selected)) }
                if STILL {
                    { self.svg(axis::still_head(self.plan, self.scale, head)) }
                } else {
                    <div class="tl-veil" ref={self.boxes.veil.clone()} />
                }
                { self.svg(axis::grid(self.plan, self.scale, selected)) }
                if STILL {
                    { self.svg(axis::still_line(self.plan, head)) }
                } else {
                    <div class="tl-line" ref={self.boxes.line.clone()} />
                }
            </div>
        }
    }

    fn rows(&self, cursor: Option<AttemptName>, on_open: &Callback<u32>) -> Html {
        let props = self.props;
        let reachable = keyboard::reachable(&props.story, props.index, cursor.or(props.selected));
        let (rows, above, below) = self.window;
        let subject: Option<AttrValue> = self.plan.subject.clone().map(Into::into);
        html! {
            <ol class="tl-rows" aria-label="Jobs and their steps">
                { spacer(above) }
                { for rows.iter().map(|row| html! {
                    <Row key={format!("{:?}", row.kind)} story={props.story.clone()} scale={self.scale.clone()} kind={row.kind}
                        index={row.clamp(props.index)} selected={props.selected.filter(|name| row.shows(*name))}
                        reachable={reachable.filter(|name| row.shows(*name))} show_provider={props.show_provider}
                        dimmed={props.dimmed.clone()} subject={subject.clone()} on_select={props.on_select.clone()}
                        on_open={on_open.clone()} />
                }) }
                { spacer(below) }
            </ol>
        }
    }

    /// Over the rows: what is under way, cut off at the playhead.
    fn under_way(&self) -> Html {
        let Props { story, index, selected, .. } = self.props;
        let drawing = now::now(story, self.plan, self.window.0, self.scale, *index, *selected);
        if STILL {
            let (width, height) = (self.head.round() as i32, self.plan.height);
            return html! {
                <div class="tl-plot tl-over">
                    <svg width={width.to_string()} height={height.to_string()} viewBox={format!("0 0 {width} {height}")} aria-hidden="true">{ drawing }</svg>
                </div>
            };
        }
        html! {
            <div class="tl-plot tl-over">
                <div class="tl-past" ref={self.boxes.past.clone()}>
                    <div class="tl-past-inner" ref={self.boxes.inner.clone()}>{ self.svg(drawing) }</div>
                </div>
            </div>
        }
    }
}

/// Stands for rows that are out of view. A drawing has a height without a style.
fn spacer(height: i32) -> Html {
    html! {
        if height > 0 {
            <li aria-hidden="true"><svg class="spacer" width="1" height={height.to_string()} /></li>
        }
    }
}
