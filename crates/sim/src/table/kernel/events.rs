//! The rare draws of a block: those that make some call fail.
//!
//! Memory: one block of [`BLOCK_DRAWS`] draws, whatever the probabilities. At probability 1 every draw is an event, and the
//! buffer is full.

use super::backend::{Backend, MASK_DRAWS};
use crate::mulberry::{Mulberry32, bound_before_last_mix, scramble};
use crate::table::draws::Draws;
use crate::table::params::Limits;

/// Draws scanned at a time: 32 KiB of events at most, which stay in the processor's nearest cache.
pub(super) const BLOCK_DRAWS: u32 = 8_192;

const MASKS: usize = (BLOCK_DRAWS / MASK_DRAWS) as usize;

/// A draw that is below at least one of the limits.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Event(u32);

impl Event {
    fn new(index: u32, draw: u32, limits: Limits) -> Self {
        let fails = u32::from(u64::from(draw) < limits.fail);
        let loses = u32::from(u64::from(draw) < limits.lost);
        Self(index << 2 | loses << 1 | fails)
    }

    /// The draw's place in its block.
    pub(super) fn index(self) -> u32 {
        self.0 >> 2
    }

    /// Whether the call fails if this is the draw that decides about a lost reply (`true`) or about the call (`false`).
    pub(super) fn fails(self, decides_reply: bool) -> bool {
        self.0 >> u32::from(decides_reply) & 1 == 1
    }

    fn is_rare(self) -> bool {
        self.0 & 3 != 0
    }
}

/// A block's events in order.
#[derive(Clone, Debug)]
pub(super) struct Events {
    buffer: Box<[Event]>,
    len: usize,
}

impl Events {
    pub(super) fn new() -> Self {
        Self {
            buffer: vec![Event::default(); BLOCK_DRAWS as usize].into(),
            len: 0,
        }
    }

    pub(super) fn as_slice(&self) -> &[Event] {
        &self.buffer[..self.len]
    }

    /// Scans the block of mulberry32 draws that begins at draw `first`.
    pub(super) fn scan(
        &mut self,
        backend: Backend,
        generator: Mulberry32,
        first: u64,
        limits: Limits,
    ) {
        self.len = 0;
        let most = limits.fail.max(limits.lost);
        if most == 0 {
            return;
        }
        let mut masks = [0; MASKS];
        backend.fill_masks(
            generator.state(first),
            bound_before_last_mix(most),
            &mut masks,
        );
        for (number, mut mask) in masks.into_iter().enumerate() {
            while mask != 0 {
                let index = number as u32 * MASK_DRAWS + mask.trailing_zeros();
                mask &= mask - 1;
                let draw = scramble(generator.state(first + u64::from(index)));
                self.push(Event::new(index, draw, limits));
            }
        }
    }

    /// Reads the next block of draws from a generator that has to be read in order.
    pub(super) fn read(&mut self, draws: &mut Draws, limits: Limits) {
        self.len = 0;
        for index in 0..BLOCK_DRAWS {
            self.push(Event::new(index, draws.next(), limits));
        }
    }

    /// Keeps the event if it is one: no branch, because at most probabilities nobody could predict it.
    fn push(&mut self, event: Event) {
        self.buffer[self.len] = event;
        self.len += usize::from(event.is_rare());
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mulberry::DRAW_VALUES;
    use crate::table::TableParams;

    #[test]
    fn scanning_finds_what_reading_finds_even_where_the_generator_begins_again() {
        let params = TableParams {
            fail: 0.01,
            lost: 0.02,
            ..TableParams::default()
        };
        for first in [0, 5, DRAW_VALUES - 4_000, 3 * DRAW_VALUES - 1] {
            let (mut scanned, mut read) = (Events::new(), Events::new());
            scanned.scan(
                Backend::best(),
                Mulberry32::new(params.seed),
                first,
                params.limits(),
            );
            let mut draws = Draws::of_row(&params, 0);
            draws.seek(first);
            read.read(&mut draws, params.limits());
            assert_eq!(scanned.as_slice(), read.as_slice());
            assert!(read.as_slice().len() > 100);
        }
    }
}
