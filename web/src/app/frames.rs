//! One call for every frame, until what it gave is dropped. Natively there are no frames.

use std::cell::RefCell;
use std::rc::Rc;

use wasm_bindgen::JsCast;
use wasm_bindgen::closure::Closure;

use crate::app::page;

struct Loop {
    next: Option<i32>,
    step: Option<Closure<dyn FnMut()>>,
}

/// Frames under way.
pub(crate) struct Frames(Rc<RefCell<Loop>>);

impl Drop for Frames {
    fn drop(&mut self) {
        if let (Some(window), Some(next)) = (page::window(), self.0.borrow_mut().next.take()) {
            let _ = window.cancel_animation_frame(next);
        }
    }
}

pub(crate) fn each(act: impl Fn() + 'static) -> Frames {
    let state = Rc::new(RefCell::new(Loop { next: None, step: None }));
    if page::window().is_some() {
        // Weak, or the loop would keep itself.
        let weak = Rc::downgrade(&state);
        let step = Closure::new(move || {
            act();
            if let Some(state) = weak.upgrade() {
                ask(&state);
            }
        });
        state.borrow_mut().step = Some(step);
        ask(&state);
    }
    Frames(state)
}

fn ask(state: &Rc<RefCell<Loop>>) {
    let mut state = state.borrow_mut();
    let step = state.step.as_ref().map(|step| step.as_ref().unchecked_ref::<js_sys::Function>());
    state.next = page::window().zip(step).and_then(|(window, step)| window.request_animation_frame(step).ok());
}
