//! The article's queue: which job is next, and whether all is done. Jobs are numbers; the data stays outside.

use twiceproof_core::{options, queue};
use wasm_bindgen::prelude::*;

use crate::{NONE, error};

/// A first-in, first-out queue with a number of slots.
#[wasm_bindgen]
pub struct Queue {
    queue: queue::Queue,
}

#[wasm_bindgen]
impl Queue {
    /// An empty queue. `concurrency` is a whole number of at least 1, or `Infinity`.
    #[wasm_bindgen(constructor)]
    pub fn new(concurrency: f64) -> Result<Queue, JsValue> {
        let slots = options::concurrency("concurrency", concurrency).map_err(error::option)?;
        Ok(Self { queue: queue::Queue::new(slots) })
    }

    /// Adds a job.
    pub fn add(&mut self, job: u32) -> Result<(), JsValue> {
        self.queue.add(job, 0).map_err(|full| error::range(&full.to_string()))
    }

    /// Takes the next job and a slot; `NONE` if nothing waits or no slot is free.
    pub fn take(&mut self) -> u32 {
        self.queue.take(0).unwrap_or(NONE)
    }

    /// A job ended: gives its slot back, and takes the next job with it as [`Queue::take`] does.
    #[wasm_bindgen(js_name = next)]
    pub fn end_and_take(&mut self) -> u32 {
        self.queue.release();
        self.take()
    }

    /// Whether nothing waits and nothing runs.
    #[wasm_bindgen(js_name = isIdle)]
    pub fn is_idle(&self) -> bool {
        self.queue.is_idle()
    }
}
