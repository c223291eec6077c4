//! Which of many consecutive draws are candidates for being rare: the one place with SIMD, and the one place with `unsafe`.
//!
//! A backend fills bit masks, a bit for each draw, and does nothing else. The masks name a superset of the rare draws; whoever
//! reads them computes the draws they name in full. All backends fill the same masks.
//!
//! `unsafe` is used for one thing: to call code compiled for AVX2 or AVX-512 on a processor that was seen to have it. No pointer
//! is read or written by it. The intrinsics themselves are safe in a function that enables their feature.
//!
//! Miri runs the test below over all of them, if it is told that they are there:
//! `RUSTFLAGS="-Ctarget-feature=+avx2,+avx512f" cargo +nightly miri test -p twiceproof-sim --lib backend`.

use crate::mulberry::{INCREMENT, before_last_mix};

/// Draws to a mask.
pub(super) const MASK_DRAWS: u32 = u32::BITS;

/// A way to scan the generator on this machine. It can only be had where it can run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Backend(Kind);

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Portable,
    #[cfg(target_arch = "x86_64")]
    Avx2,
    #[cfg(target_arch = "x86_64")]
    Avx512,
    #[cfg(target_arch = "wasm32")]
    Simd128,
}

impl Backend {
    /// Plain Rust.
    pub const PORTABLE: Self = Self(Kind::Portable);

    /// All that can run on this machine, from plain Rust to the widest SIMD.
    #[cfg(target_arch = "x86_64")]
    pub fn all() -> Vec<Self> {
        // The only place where these kinds are made.
        let seen = [
            (std::arch::is_x86_feature_detected!("avx2"), Kind::Avx2),
            (std::arch::is_x86_feature_detected!("avx512f"), Kind::Avx512),
        ];
        let simd = seen.into_iter().filter_map(|(is_there, kind)| is_there.then_some(Self(kind)));
        [Self::PORTABLE].into_iter().chain(simd).collect()
    }

    /// All that can run on this machine, from plain Rust to the widest SIMD.
    #[cfg(not(target_arch = "x86_64"))]
    pub fn all() -> Vec<Self> {
        vec![
            Self::PORTABLE,
            #[cfg(target_arch = "wasm32")]
            Self(Kind::Simd128),
        ]
    }

    /// The widest SIMD if there is any, plain Rust otherwise.
    pub fn best() -> Self {
        Self::all().pop().unwrap_or(Self::PORTABLE)
    }

    /// A word for it, for benchmarks.
    pub fn name(self) -> &'static str {
        match self.0 {
            Kind::Portable => "portable",
            #[cfg(target_arch = "x86_64")]
            Kind::Avx2 => "avx2",
            #[cfg(target_arch = "x86_64")]
            Kind::Avx512 => "avx512",
            #[cfg(target_arch = "wasm32")]
            Kind::Simd128 => "simd128",
        }
    }

    /// Marks every draw whose [`before_last_mix`] is at most `bound`, beginning with the draw that has this state: mask 0
    /// holds the first 32 draws, its lowest bit the first. The bound's lower 18 bits are ones
    /// ([`bound_before_last_mix`](crate::mulberry::bound_before_last_mix)).
    pub(super) fn fill_masks(self, state: u32, bound: u32, masks: &mut [u32]) {
        match self.0 {
            Kind::Portable => portable(state, bound, masks),
            #[cfg(target_arch = "x86_64")]
            // SAFETY: a backend of this kind is only made after AVX2 was detected, and a processor does not lose it.
            Kind::Avx2 => unsafe { avx2::fill_masks(state, bound, masks) },
            #[cfg(target_arch = "x86_64")]
            // SAFETY: as above, for AVX-512.
            Kind::Avx512 => unsafe { avx512::fill_masks(state, bound, masks) },
            #[cfg(target_arch = "wasm32")]
            Kind::Simd128 => simd128::fill_masks(state, bound, masks),
        }
    }
}

fn portable(mut state: u32, bound: u32, masks: &mut [u32]) {
    for mask in masks {
        // Two loops, so that the first has no bits to gather and the compiler can make SIMD of it where it may.
        let mut mixed = [0; MASK_DRAWS as usize];
        for (lane, mixed) in mixed.iter_mut().enumerate() {
            *mixed = before_last_mix(state.wrapping_add(INCREMENT.wrapping_mul(lane as u32)));
        }
        state = state.wrapping_add(INCREMENT.wrapping_mul(MASK_DRAWS));
        *mask = 0;
        for (lane, mixed) in mixed.iter().enumerate() {
            *mask |= u32::from(*mixed <= bound) << lane;
        }
    }
}

// In `avx2` and `simd128`, a vector of even draws and one of odd draws are merged by keeping only the upper half of each draw:
// the lower half decides nothing, because a bound's lower 18 bits are all ones. The lanes hold draws in such an order that
// narrowing puts them in line.

#[cfg(target_arch = "x86_64")]
mod avx2 {
    use core::arch::x86_64::*;

    use super::{INCREMENT, MASK_DRAWS};

    #[target_feature(enable = "avx2")]
    pub(super) fn fill_masks(state: u32, bound: u32, masks: &mut [u32]) {
        if state & 1 == 1 { fill::<true>(state, bound, masks) } else { fill::<false>(state, bound, masks) }
    }

    /// States are odd and even in turn, because the increment is odd. So a vector's states are all one or all the other, and
    /// half of the vectors need not be made odd. `ODD`: the first is.
    #[inline]
    #[target_feature(enable = "avx2")]
    fn fill<const ODD: bool>(state: u32, bound: u32, masks: &mut [u32]) {
        let bound = _mm256_set1_epi16((bound >> 16) as i16);
        // Draws 0 to 6 and 16 to 22; the other three vectors are 1, 8 and 9 draws on.
        let lanes = _mm256_mullo_epi32(_mm256_setr_epi32(0, 2, 4, 6, 16, 18, 20, 22), splat(INCREMENT));
        let mut state = _mm256_add_epi32(splat(state), lanes);
        let on = |state, draws: u32| _mm256_add_epi32(state, splat(INCREMENT.wrapping_mul(draws)));
        for mask in masks {
            // What they exceed the bound by. Narrowing keeps nothing nothing, and all else something.
            let near = _mm256_subs_epu16(merged::<ODD>(state, on(state, 1)), bound);
            let far = _mm256_subs_epu16(merged::<ODD>(on(state, 8), on(state, 9)), bound);
            let is_nothing = _mm256_cmpeq_epi8(_mm256_packs_epi16(near, far), _mm256_setzero_si256());
            *mask = _mm256_movemask_epi8(is_nothing) as u32;
            state = on(state, MASK_DRAWS);
        }
    }

    /// The upper halves of the draws with these states, taken in turn.
    #[inline]
    #[target_feature(enable = "avx2")]
    fn merged<const ODD: bool>(first: __m256i, second: __m256i) -> __m256i {
        let (first, second) = if ODD {
            (before_last_mix::<true>(first), before_last_mix::<false>(second))
        } else {
            (before_last_mix::<false>(first), before_last_mix::<true>(second))
        };
        _mm256_blend_epi16::<0b1010_1010>(_mm256_srli_epi32::<16>(first), second)
    }

    #[inline]
    #[target_feature(enable = "avx2")]
    fn before_last_mix<const ODD: bool>(state: __m256i) -> __m256i {
        let t = _mm256_xor_si256(state, _mm256_srli_epi32::<15>(state));
        let t = _mm256_mullo_epi32(t, if ODD { state } else { _mm256_or_si256(state, splat(1)) });
        let u = _mm256_xor_si256(t, _mm256_srli_epi32::<7>(t));
        let u = _mm256_mullo_epi32(u, _mm256_or_si256(t, splat(61)));
        _mm256_xor_si256(_mm256_add_epi32(t, u), t)
    }

    #[inline]
    #[target_feature(enable = "avx2")]
    fn splat(value: u32) -> __m256i {
        _mm256_set1_epi32(value as i32)
    }
}

/// Here a comparison makes a mask by itself, so nothing has to be merged or narrowed.
#[cfg(target_arch = "x86_64")]
mod avx512 {
    use core::arch::x86_64::*;

    use super::{INCREMENT, MASK_DRAWS};

    #[target_feature(enable = "avx512f")]
    pub(super) fn fill_masks(state: u32, bound: u32, masks: &mut [u32]) {
        let bound = splat(bound);
        let lanes = _mm512_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
        let mut state = _mm512_add_epi32(splat(state), _mm512_mullo_epi32(lanes, splat(INCREMENT)));
        let on = |state, draws: u32| _mm512_add_epi32(state, splat(INCREMENT.wrapping_mul(draws)));
        for mask in masks {
            let low = _mm512_cmple_epu32_mask(before_last_mix(state), bound);
            let high = _mm512_cmple_epu32_mask(before_last_mix(on(state, MASK_DRAWS / 2)), bound);
            *mask = u32::from(high) << (MASK_DRAWS / 2) | u32::from(low);
            state = on(state, MASK_DRAWS);
        }
    }

    #[inline]
    #[target_feature(enable = "avx512f")]
    fn before_last_mix(state: __m512i) -> __m512i {
        let t = _mm512_xor_si512(state, _mm512_srli_epi32::<15>(state));
        let t = _mm512_mullo_epi32(t, _mm512_or_si512(state, splat(1)));
        let u = _mm512_xor_si512(t, _mm512_srli_epi32::<7>(t));
        let u = _mm512_mullo_epi32(u, _mm512_or_si512(t, splat(61)));
        _mm512_xor_si512(_mm512_add_epi32(t, u), t)
    }

    #[inline]
    #[target_feature(enable = "avx512f")]
    fn splat(value: u32) -> __m512i {
        _mm512_set1_epi32(value as i32)
    }
}

#[cfg(target_arch = "wasm32")]
mod simd128 {
    use core::arch::wasm32::*;

    use super::{INCREMENT, MASK_DRAWS};

    #[target_feature(enable = "simd128")]
    pub(super) fn fill_masks(state: u32, bound: u32, masks: &mut [u32]) {
        let bound = u16x8_splat((bound >> 16) as u16);
        // Draws 0 to 6; the other vectors are 1, 8 and 9 draws on, and those of the mask's second half 16 more.
        let lanes = u32x4_mul(u32x4(0, 2, 4, 6), u32x4_splat(INCREMENT));
        let mut state = u32x4_add(u32x4_splat(state), lanes);
        let on = |state, draws: u32| u32x4_add(state, u32x4_splat(INCREMENT.wrapping_mul(draws)));
        for mask in masks {
            *mask = 0;
            for half in [0, MASK_DRAWS / 2] {
                let near = u16x8_le(merged(state, on(state, 1)), bound);
                let far = u16x8_le(merged(on(state, 8), on(state, 9)), bound);
                *mask |= u32::from(i8x16_bitmask(i8x16_narrow_i16x8(near, far))) << half;
                state = on(state, MASK_DRAWS / 2);
            }
        }
    }

    /// The upper halves of the draws with these states, taken in turn.
    #[inline]
    #[target_feature(enable = "simd128")]
    fn merged(even: v128, odd: v128) -> v128 {
        let upper = v128_and(before_last_mix(odd), u32x4_splat(0xffff_0000));
        v128_or(u32x4_shr(before_last_mix(even), 16), upper)
    }

    #[inline]
    #[target_feature(enable = "simd128")]
    fn before_last_mix(state: v128) -> v128 {
        let t = v128_xor(state, u32x4_shr(state, 15));
        let t = u32x4_mul(t, v128_or(state, u32x4_splat(1)));
        let u = v128_xor(t, u32x4_shr(t, 7));
        let u = u32x4_mul(u, v128_or(t, u32x4_splat(61)));
        v128_xor(u32x4_add(t, u), t)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mulberry::bound_before_last_mix;

    #[test]
    fn masks_mark_exactly_the_draws_up_to_the_bound() {
        for limit in [1, 1 << 18, (1 << 18) + 1, 42_949_673, 1 << 31, (1 << 32) - 1, 1 << 32] {
            let bound = bound_before_last_mix(limit);
            for state in [0, 1, INCREMENT, u32::MAX, 0x8000_0001] {
                let mut masks = [0xdead_beef; 5];
                Backend::PORTABLE.fill_masks(state, bound, &mut masks);
                for n in 0..5 * MASK_DRAWS {
                    let mixed = before_last_mix(state.wrapping_add(INCREMENT.wrapping_mul(n)));
                    assert_eq!(masks[(n / 32) as usize] >> (n % 32) & 1 == 1, mixed <= bound, "draw {n}");
                }
                for backend in Backend::all() {
                    let mut same = [0; 5];
                    backend.fill_masks(state, bound, &mut same);
                    assert_eq!(masks, same, "{backend:?}, bound {bound:#x}, state {state:#x}");
                }
            }
        }
    }
}
