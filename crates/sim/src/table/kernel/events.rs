//! The rare draws of a block: those that make some call fail.
//!
//! Memory: one block of [`BLOCK_DRAWS`] draws, whatever the probabilities. At probability 1 every draw is an event, and the
//! buffer is full.

use super::backend::{Backend, MASK_DRAWS};
use crate::mulberry::{Mulberry32, bound_before_last_mix, scramble};
use crate::table::draws::Draws;
use crate::table::params::Limits;

/// Draws scanned at a time. An event is 8 bytes, so at the article's probabilities a block's events take less than a KiB.
pub(super) const BLOCK_DRAWS: u32 = 8_192;

const MASKS: usize = (BLOCK_DRAWS / MASK_DRAWS) as usize;

/// Draws that fail nothing, measured in undisturbed sign-ups: so many whole ones, and the rest.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Stretch {
    pub(super) whole: u16,
    pub(super) rest: u16,
}

impl Stretch {
    /// One draw. A sign-up has at least two.
    pub(super) const ONE: Self = Self { whole: 0, rest: 1 };
}

/// Measures stretches of up to a block.
#[derive(Clone, Copy, Debug)]
struct Ruler {
    /// Draws of an undisturbed sign-up.
    length: u32,
    /// 2^32 / `length`, rounded up: multiplying is quicker than dividing.
    reciprocal: u64,
}

impl Ruler {
    fn new(length: u32) -> Self {
        Self { length, reciprocal: (1_u64 << 32).div_ceil(length.into()) }
    }

    /// Exact, because a block's draws times the longest sign-up's stay below 2^32.
    #[inline(always)]
    fn measure(self, draws: u32) -> Stretch {
        let whole = ((u64::from(draws) * self.reciprocal) >> 32) as u32;
        Stretch { whole: whole as u16, rest: (draws - whole * self.length) as u16 }
    }
}

/// A draw that is below at least one of the limits.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Event {
    /// The draws between the event before and this one.
    pub(super) since: Stretch,
    index: u16,
    /// Bit 0: below the limit for calls. Bit 1: below the limit for replies.
    below: u16,
}

impl Event {
    /// The draw's place in its block.
    pub(super) fn index(self) -> u32 {
        self.index.into()
    }

    /// Whether the call fails if this is the draw that decides about a lost reply (`true`) or about the call (`false`).
    pub(super) fn fails(self, decides_reply: bool) -> bool {
        self.below >> u32::from(decides_reply) & 1 == 1
    }
}

/// A block's events in order.
#[derive(Clone, Debug)]
pub(super) struct Events {
    limits: Limits,
    ruler: Ruler,
    candidates: Box<[u16]>,
    buffer: Box<[Event]>,
    len: usize,
    /// The draws after the last event.
    rest: Stretch,
}

impl Events {
    /// A buffer for any block. `length` is that of an undisturbed sign-up, in draws.
    pub(super) fn new(limits: Limits, length: u32) -> Self {
        Self {
            limits,
            ruler: Ruler::new(length),
            candidates: vec![0; BLOCK_DRAWS as usize + EAGER].into(),
            buffer: vec![Event::default(); BLOCK_DRAWS as usize + 1].into(),
            len: 0,
            rest: Stretch::default(),
        }
    }

    pub(super) fn as_slice(&self) -> &[Event] {
        &self.buffer[..self.len]
    }

    pub(super) fn rest(&self) -> Stretch {
        self.rest
    }

    /// Whether there can be events at all.
    pub(super) fn can_occur(&self) -> bool {
        self.limits != Limits { fail: 0, lost: 0 }
    }

    /// Scans the block of mulberry32 draws that begins at draw `first`.
    pub(super) fn scan(&mut self, backend: Backend, generator: Mulberry32, first: u64) {
        let most = self.limits.fail.max(self.limits.lost);
        let mut masks = [0; MASKS];
        // With no rare draws to look for, the masks stay empty.
        if most > 0 {
            backend.fill_masks(generator.state(first), bound_before_last_mix(most), &mut masks);
        }
        let candidates = gather(&masks, &mut self.candidates);
        let mut collector = Collector::new(self.limits, self.ruler, &mut self.buffer);
        for index in &self.candidates[..candidates] {
            collector.offer((*index).into(), scramble(generator.state(first + u64::from(*index))));
        }
        (self.len, self.rest) = collector.finish();
    }

    /// Reads the next block of draws from a generator that has to be read in order.
    pub(super) fn read(&mut self, draws: &mut Draws) {
        let mut collector = Collector::new(self.limits, self.ruler, &mut self.buffer);
        for index in 0..BLOCK_DRAWS {
            collector.offer(index, draws.next());
        }
        (self.len, self.rest) = collector.finish();
    }
}

/// Indices of a pair of masks written without asking how many there are. Two are enough for the article's probabilities.
const EAGER: usize = 2;

/// Writes the indices of all bits that are set, and returns how many there are.
fn gather(masks: &[u32; MASKS], indices: &mut [u16]) -> usize {
    let mut len = 0;
    for (number, pair) in masks.chunks_exact(2).enumerate() {
        let mut bits = u64::from(pair[1]) << MASK_DRAWS | u64::from(pair[0]);
        let first = number as u32 * 2 * MASK_DRAWS;
        // Whether there are none, one or two, nobody could predict, so two are written and those that were there are kept.
        // That there are more is rare, or the rule.
        let indices = &mut indices[len..];
        for index in &mut indices[..EAGER] {
            *index = (first + bits.trailing_zeros()) as u16;
            len += usize::from(bits != 0);
            bits &= bits.wrapping_sub(1);
        }
        if bits != 0 {
            for index in &mut indices[EAGER..] {
                *index = (first + bits.trailing_zeros()) as u16;
                len += 1;
                bits &= bits - 1;
                if bits == 0 {
                    break;
                }
            }
        }
    }
    len
}

/// Takes draws in order and keeps the events.
struct Collector<'a> {
    limits: Limits,
    ruler: Ruler,
    buffer: &'a mut [Event],
    len: usize,
    next: u32,
}

impl<'a> Collector<'a> {
    fn new(limits: Limits, ruler: Ruler, buffer: &'a mut [Event]) -> Self {
        Self { limits, ruler, buffer, len: 0, next: 0 }
    }

    /// Keeps the draw if it is an event. There is no branch, because at most probabilities nobody could predict it.
    #[inline(always)]
    fn offer(&mut self, index: u32, draw: u32) {
        let fails = u16::from(u64::from(draw) < self.limits.fail);
        let loses = u16::from(u64::from(draw) < self.limits.lost);
        let below = loses << 1 | fails;
        let since = self.ruler.measure(index - self.next);
        self.buffer[self.len] = Event { since, index: index as u16, below };
        self.len += usize::from(below != 0);
        self.next = if below == 0 { self.next } else { index + 1 };
    }

    fn finish(self) -> (usize, Stretch) {
        (self.len, self.ruler.measure(BLOCK_DRAWS - self.next))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mulberry::DRAW_VALUES;
    use crate::table::{STEPS_MAX, TableParams};

    #[test]
    fn scanning_finds_what_reading_finds_even_where_the_generator_begins_again() {
        let params = TableParams { fail: 0.01, lost: 0.02, ..TableParams::default() };
        for first in [0, 5, DRAW_VALUES - 4_000, 3 * DRAW_VALUES - 1] {
            let mut scanned = Events::new(params.limits(), 11);
            scanned.scan(Backend::best(), Mulberry32::new(params.seed), first);
            let mut read = Events::new(params.limits(), 11);
            let mut draws = Draws::of_row(&params, 0);
            draws.seek(first);
            read.read(&mut draws);
            assert_eq!(scanned.as_slice(), read.as_slice());
            assert_eq!(scanned.rest(), read.rest());
            assert!(read.as_slice().len() > 100);
        }
    }

    #[test]
    fn stretches_are_measured_exactly() {
        for length in 2..=STEPS_MAX + 1 {
            let ruler = Ruler::new(length);
            for draws in 0..=BLOCK_DRAWS {
                let Stretch { whole, rest } = ruler.measure(draws);
                assert_eq!((u32::from(whole), u32::from(rest)), (draws / length, draws % length));
            }
        }
    }

    #[test]
    fn gathering_finds_every_bit_however_many() {
        for masks in [[0; MASKS], [u32::MAX; MASKS], [0x8000_0001; MASKS], [0x0010_0000; MASKS]] {
            let mut indices = [0; BLOCK_DRAWS as usize + EAGER];
            let len = gather(&masks, &mut indices);
            let set = |index: &u32| masks[(index / 32) as usize] >> (index % 32) & 1 == 1;
            let expected: Vec<u16> = (0..BLOCK_DRAWS).filter(set).map(|index| index as u16).collect();
            assert_eq!(indices[..len], expected);
        }
    }
}
