//! Randomness by key (ChaCha8). A draw belongs to its seed, run, step, attempt and purpose, never to a place in a
//! loop: adding a sign-up changes nobody else's luck, and asking twice gives the same answer.

use rand_chacha::{
    ChaCha8Rng,
    rand_core::{Rng, SeedableRng},
};

/// What a number is drawn for. Each purpose has draws of its own, so that none uses up another's.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Purpose {
    /// Does this call fail before anything happened?
    CallFails,
    /// Is the reply of this call lost?
    ReplyLost,
    /// How long to wait before the next attempt.
    Jitter,
    /// How long this call takes.
    Latency,
}

/// Named draws from one seed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Draws {
    /// The seed, as the reader gave it.
    pub seed: u64,
}

impl Draws {
    /// 64 uniform bits for this name. The same name always gives the same bits, on every platform.
    pub fn bits(&self, run: u32, step: u32, attempt: u32, purpose: Purpose) -> u64 {
        let mut key = [0u8; 32];
        key[..8].copy_from_slice(&self.seed.to_le_bytes());
        key[8..12].copy_from_slice(&run.to_le_bytes());
        key[12..16].copy_from_slice(&(purpose as u32).to_le_bytes());
        let mut rng = ChaCha8Rng::from_seed(key);
        rng.set_stream((u64::from(step) << 32) | u64::from(attempt));
        rng.next_u64()
    }

    /// True with probability `p`. Exact at both ends: never for 0, always for 1.
    pub fn chance(&self, p: f64, run: u32, step: u32, attempt: u32, purpose: Purpose) -> bool {
        // 53 bits, the most an f64 in [0, 1) holds evenly.
        let unit = (self.bits(run, step, attempt, purpose) >> 11) as f64 / (1u64 << 53) as f64;
        unit < p
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a39_a_draw_depends_on_its_name_only() {
        let draws = Draws { seed: 1 };
        let first = draws.bits(3, 6, 1, Purpose::CallFails);
        draws.bits(4, 0, 1, Purpose::Jitter);
        assert_eq!(first, draws.bits(3, 6, 1, Purpose::CallFails));
        let others = [
            draws.bits(3, 6, 2, Purpose::CallFails),
            draws.bits(3, 6, 1, Purpose::ReplyLost),
            draws.bits(4, 6, 1, Purpose::CallFails),
            Draws { seed: 2 }.bits(3, 6, 1, Purpose::CallFails),
        ];
        assert!(others.iter().all(|&other| other != first));
    }

    #[test]
    fn chances_are_exact_at_both_ends_and_fair_between() {
        let draws = Draws { seed: 9 };
        let hits = |p: f64| (0..10_000).filter(|&run| draws.chance(p, run, 0, 1, Purpose::CallFails)).count();
        assert_eq!(hits(0.0), 0);
        assert_eq!(hits(1.0), 10_000);
        // Standard deviation 46 at p = 0.3: five of them.
        assert!((2_770..=3_230).contains(&hits(0.3)), "{}", hits(0.3));
    }
}
