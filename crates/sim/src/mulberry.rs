//! The article's random generator, mulberry32, with random access.
//!
//! The article draws from it in sequence. Its state is a plain counter, though, so draw `n` can be had without the draws
//! before it; that is what makes the table's fast kernel possible. The period is 2^32 draws.
//!
//! Deliberately not here: any other use of randomness. Scenarios draw by key from ChaCha8; this generator exists so that the
//! table matches the article digit for digit.

/// What the state grows by from draw to draw.
pub const INCREMENT: u32 = 0x6d2b_79f5;

/// How many different values a draw has: 2^32.
pub const DRAW_VALUES: u64 = 1 << 32;

/// The generator for one seed. Copies are independent; there is no position to share.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Mulberry32 {
    seed: u32,
}

impl Mulberry32 {
    /// The generator the article's `seededRandom(seed)` returns.
    pub const fn new(seed: u32) -> Self {
        Self { seed }
    }

    /// The generator's state at draw `n`, counted from 0.
    pub const fn state(self, n: u64) -> u32 {
        self.seed.wrapping_add((n as u32).wrapping_add(1).wrapping_mul(INCREMENT))
    }

    /// Draw `n`, counted from 0, before the article divides it by 2^32.
    pub const fn draw(self, n: u64) -> u32 {
        scramble(self.state(n))
    }

    /// Draw `n`, counted from 0, as the article's program sees it: in `[0, 1)`.
    pub fn unit(self, n: u64) -> f64 {
        f64::from(self.draw(n)) / DRAW_VALUES as f64
    }
}

/// The draw that belongs to a state.
pub const fn scramble(state: u32) -> u32 {
    let t = before_last_mix(state);
    t ^ (t >> 14)
}

/// The draw that belongs to a state, but for the last mix. That leaves the upper 14 bits alone, so this number is enough to
/// tell nearly all draws that are not below a limit.
pub const fn before_last_mix(state: u32) -> u32 {
    let t = (state ^ (state >> 15)).wrapping_mul(state | 1);
    t.wrapping_add((t ^ (t >> 7)).wrapping_mul(t | 61)) ^ t
}

/// The largest [`before_last_mix`] of a draw that is below `limit`, or a little more. For limits from 1 to 2^32.
pub const fn bound_before_last_mix(limit: u64) -> u32 {
    (limit - 1) as u32 | (u32::MAX >> 14)
}

/// How many of the 2^32 draws make `draw / 2^32 < p` true: a draw passes the test exactly if it is less than this.
///
/// Exact for every `p`: scaling by a power of two loses nothing, and an integer is below a real number exactly if it is
/// below that number rounded up. Zero for NaN and for anything not above zero; 2^32 from 1 upwards.
pub fn threshold(p: f64) -> u64 {
    // The cast saturates and maps NaN to 0.
    ((p * DRAW_VALUES as f64).ceil() as u64).min(DRAW_VALUES)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The article's generator, kept as it stands there: with a running state.
    fn sequential(seed: u32) -> impl FnMut() -> f64 {
        let mut a = seed as i32;
        move || {
            a = a.wrapping_add(0x6d2b_79f5);
            let mut t = (a ^ ((a as u32) >> 15) as i32).wrapping_mul(1 | a);
            t = t.wrapping_add((t ^ ((t as u32) >> 7) as i32).wrapping_mul(61 | t)) ^ t;
            f64::from((t ^ ((t as u32) >> 14) as i32) as u32) / 4_294_967_296.0
        }
    }

    #[test]
    fn a39_random_access_equals_the_running_generator() {
        for seed in [0, 1, 42, u32::MAX, 0x8000_0000] {
            let mut next = sequential(seed);
            let generator = Mulberry32::new(seed);
            for n in 0..2_000 {
                assert_eq!(next(), generator.unit(n), "seed {seed}, draw {n}");
            }
        }
        // Node 20 prints 0.6270739405881613 first for seed 1.
        assert_eq!(Mulberry32::new(1).unit(0), 0.627_073_940_588_161_3);
    }

    #[test]
    fn no_draw_below_a_limit_is_beyond_its_bound() {
        for limit in [1, 2, 1 << 18, 42_949_673, 1 << 31, DRAW_VALUES] {
            let bound = bound_before_last_mix(limit);
            for n in 0..20_000 {
                let state = Mulberry32::new(3).state(n);
                assert!(u64::from(scramble(state)) >= limit || before_last_mix(state) <= bound);
            }
        }
    }

    #[test]
    fn the_period_is_two_to_the_32() {
        let generator = Mulberry32::new(7);
        assert_eq!(generator.draw(5), generator.draw(DRAW_VALUES + 5));
    }

    #[test]
    fn a_threshold_decides_as_the_division_does() {
        let near = |x: f64| [x.next_down(), x, x.next_up()];
        let unit = 1.0 / DRAW_VALUES as f64;
        let interesting = [0.0, 5e-324, unit, 0.005, 0.01, 0.5, 1.0 - unit, 1.0, 2.0, 2.0 * unit, 0.1, 1.0 / 3.0];
        for p in interesting.into_iter().flat_map(near).chain([f64::NAN, f64::INFINITY, -1.0, f64::NEG_INFINITY]) {
            let limit = threshold(p);
            let around = [0, 1, limit.saturating_sub(2), limit.saturating_sub(1), limit, limit + 1, DRAW_VALUES - 1];
            for draw in around.into_iter().filter(|draw| *draw < DRAW_VALUES) {
                assert_eq!(draw < limit, (draw as f64 / DRAW_VALUES as f64) < p, "p = {p:e}, draw {draw}");
            }
        }
    }
}
