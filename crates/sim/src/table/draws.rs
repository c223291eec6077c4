//! A row's random draws in sequence, from either generator, with a position that can be set.

use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::{Rng, SeedableRng};

use super::{Generator, TableParams};
use crate::mulberry::Mulberry32;

/// The draws of one row, read in order.
#[derive(Clone, Debug)]
pub(crate) struct Draws {
    position: u64,
    source: Source,
}

#[derive(Clone, Debug)]
enum Source {
    Mulberry32(Mulberry32),
    ChaCha8(Box<ChaCha8Rng>),
}

impl Draws {
    /// The draws of the row with this index, from the first. With mulberry32 all rows have the same.
    pub(crate) fn of_row(params: &TableParams, row: usize) -> Self {
        let source = match params.rng {
            Generator::Mulberry32 => Source::Mulberry32(Mulberry32::new(params.seed)),
            Generator::ChaCha8 => {
                let mut rng = ChaCha8Rng::seed_from_u64(params.seed.into());
                rng.set_stream(row as u64);
                Source::ChaCha8(Box::new(rng))
            }
        };
        Self { position: 0, source }
    }

    /// The index of the next draw, from 0.
    pub(crate) fn position(&self) -> u64 {
        self.position
    }

    /// Makes the draw with this index the next one.
    pub(crate) fn seek(&mut self, position: u64) {
        self.position = position;
        if let Source::ChaCha8(rng) = &mut self.source {
            rng.set_word_pos(position.into());
        }
    }

    /// The next draw.
    pub(crate) fn next(&mut self) -> u32 {
        let n = self.position;
        self.position += 1;
        match &mut self.source {
            Source::Mulberry32(generator) => generator.draw(n),
            Source::ChaCha8(rng) => rng.next_u32(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sought_position_continues_the_same_sequence() {
        for rng in [Generator::Mulberry32, Generator::ChaCha8] {
            let params = TableParams { rng, ..TableParams::default() };
            let mut draws = Draws::of_row(&params, 3);
            let first: Vec<u32> = (0..100).map(|_| draws.next()).collect();
            draws.seek(37);
            assert_eq!(draws.next(), first[37]);
            assert_eq!(draws.position(), 38);
        }
    }

    #[test]
    fn chacha8_rows_are_independent_and_mulberry32_rows_are_not() {
        let first = |rng, row| Draws::of_row(&TableParams { rng, ..TableParams::default() }, row).next();
        assert_eq!(first(Generator::Mulberry32, 0), first(Generator::Mulberry32, 4));
        assert_ne!(first(Generator::ChaCha8, 0), first(Generator::ChaCha8, 4));
    }
}
