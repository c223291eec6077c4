//! The idempotency store. Keys are dense numbers that JavaScript gives to names, values lie there in a slab by the
//! same number; here is only who runs, what is remembered, and until when.

use twiceproof_core::{
    idempotency::{Begin, Look, Store},
    ids::KeyId,
    limits::SWEEP_PER_CALL_MAX,
    options,
};
use wasm_bindgen::prelude::*;

use crate::{NONE, error, memory};

/// What [`KeyStore::begin`] says, in the two lowest bits.
const RUN: u32 = 0;
const JOIN: u32 = 1;
const SAVED: u32 = 2;
const CONFLICT: u32 = 3;
/// Beside it: other keys were swept, and wait in [`KeyStore::take_swept`].
const SWEPT: u32 = 4;
/// Above them: the key's number.
const NUMBER_SHIFT: u32 = 3;
/// The work of this key waits for itself.
const REENTRANT: f64 = -1.0;

/// Who owns a key: nobody says, because the slab knows who brought it.
const OWNER: () = ();

/// The store.
#[wasm_bindgen]
pub struct KeyStore {
    store: Store<()>,
    swept: Vec<u32>,
}

#[wasm_bindgen]
impl KeyStore {
    /// An empty store that remembers a finished key for `ttl_ms` milliseconds, `Infinity` for ever.
    #[wasm_bindgen(constructor)]
    pub fn new(ttl_ms: f64) -> Result<KeyStore, JsValue> {
        let ttl_ms = options::window_ms("ttlMs", ttl_ms).map_err(error::option)?;
        Ok(Self { store: Store::new(ttl_ms), swept: Vec::new() })
    }

    /// One call with a key: what to do, whether others were swept, and the key's number, packed; or [`REENTRANT`].
    /// `key` is `NONE` for a name without a number, `inside` the key whose work makes the call or `NONE`. `data` is
    /// the fingerprint of the call's data, negative for none.
    pub fn begin(&mut self, now: f64, key: u32, data: f64, inside: u32) -> f64 {
        memory::ahead();
        let key = if key == NONE { self.store.next_key() } else { KeyId(key) };
        let data = (data >= 0.0).then_some(data as u64);
        let inside = (inside != NONE).then_some(KeyId(inside));
        let swept = &mut self.swept;
        let answer = match self.store.begin(now as u64, key, OWNER, data, inside, |forgotten| swept.push(forgotten.0)) {
            Ok(Begin::Run) => RUN,
            Ok(Begin::Join(_)) => JOIN,
            Ok(Begin::Saved(_)) => SAVED,
            Ok(Begin::Conflict(_)) => CONFLICT,
            Err(_) => return REENTRANT,
        };
        let flag = if self.swept.is_empty() { 0 } else { SWEPT };
        f64::from(key.0 << NUMBER_SHIFT | flag | answer)
    }

    /// The work of the key finished at `now`. True if other keys were swept: see [`KeyStore::take_swept`].
    pub fn finish(&mut self, now: f64, key: u32) -> bool {
        let expires_at = self.store.expires_at(now as u64);
        self.store.finish(KeyId(key), expires_at);
        let swept = &mut self.swept;
        self.store.sweep(now as u64, SWEEP_PER_CALL_MAX, |forgotten| swept.push(forgotten.0)) > 0
    }

    /// The work of the key failed, or the key is to be forgotten: its number is free.
    pub fn forget(&mut self, key: u32) {
        self.store.forget(KeyId(key));
    }

    /// Forgets up to `limit` keys whose window is over; how many.
    pub fn sweep(&mut self, now: f64, limit: f64) -> u32 {
        let swept = &mut self.swept;
        self.store.sweep(now as u64, limit as usize, |forgotten| swept.push(forgotten.0)) as u32
    }

    /// Whether the key is remembered as finished, its window over or not.
    #[wasm_bindgen(js_name = isSaved)]
    pub fn is_saved(&self, key: u32) -> bool {
        matches!(self.store.look(0, KeyId(key), None), Look::Saved { .. } | Look::Expired { .. })
    }

    /// The numbers swept since the last call. To be asked for before the next `begin`, which may give them anew.
    #[wasm_bindgen(js_name = takeSwept)]
    pub fn take_swept(&mut self) -> Vec<u32> {
        core::mem::take(&mut self.swept)
    }

    /// How many keys are running or remembered.
    #[wasm_bindgen(getter)]
    pub fn size(&self) -> u32 {
        self.store.len() as u32
    }
}
