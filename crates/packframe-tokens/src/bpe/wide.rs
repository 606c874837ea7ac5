//! The classes of 64 bytes in wide registers, where the processor has them.
//!
//! This is the one module of the crate with `unsafe` in it. Nearly all of it is of one kind: calling
//! a function that was compiled for instructions which the running processor was just asked for.
//! [`Masks::read`] is its safe twin, and a test holds that both say the same. The rest asks for
//! memory ahead of time, which changes nothing but when it arrives.

#![expect(
    unsafe_code,
    reason = "a function for instructions that not every processor has is unsafe to call"
)]

use super::masks::Masks;

/// Reads 64 bytes in the widest way that the processor has.
#[inline]
pub(super) fn read(bytes: &[u8; 64]) -> Masks {
    #[cfg(target_arch = "x86_64")]
    {
        if std::arch::is_x86_feature_detected!("avx512bw") {
            // SAFETY: the processor was just asked for AVX-512BW.
            return unsafe { x86::read_64(bytes) };
        }
        if std::arch::is_x86_feature_detected!("avx2") {
            // SAFETY: the processor was just asked for AVX2.
            return unsafe { x86::read_32(bytes) };
        }
        // SAFETY: each x86-64 processor has SSE2.
        unsafe { x86::read_16(bytes) }
    }
    #[cfg(not(target_arch = "x86_64"))]
    Masks::read(bytes)
}

/// Asks for a place of a table, which is read later, or not at all.
#[inline]
pub(super) fn ask<T>(table: &[T], at: usize) {
    #[cfg(target_arch = "x86_64")]
    if let Some(place) = table.get(at) {
        use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
        // SAFETY: each x86-64 processor has SSE, and the hint is given for a place in a slice.
        unsafe { _mm_prefetch::<_MM_HINT_T0>(std::ptr::from_ref(place).cast()) }
    }
    #[cfg(not(target_arch = "x86_64"))]
    let _ = (table, at);
}

#[cfg(target_arch = "x86_64")]
mod x86 {
    use std::arch::x86_64::{
        __m128i, __m256i, __m512i, _mm_cmpeq_epi8, _mm_min_epu8, _mm_movemask_epi8, _mm_or_si128,
        _mm_set1_epi8, _mm_sub_epi8, _mm256_cmpeq_epi8, _mm256_min_epu8, _mm256_movemask_epi8,
        _mm256_or_si256, _mm256_set1_epi8, _mm256_sub_epi8, _mm512_cmpeq_epi8_mask,
        _mm512_cmple_epu8_mask, _mm512_movepi8_mask, _mm512_or_si512, _mm512_set1_epi8,
        _mm512_sub_epi8,
    };

    use super::Masks;

    /// Writes the classes out in terms of "equal to" and "from, and so many more".
    macro_rules! classes {
        ($is:expr, $within:expr, $folded:expr, $beyond:expr) => {{
            let spaces = $is(b' ');
            Masks {
                letters: $folded(b'a', 25),
                capitals: $within(b'A', 25),
                digits: $within(b'0', 9),
                white: $within(b'\t', 4) | spaces,
                breaks: $is(b'\n') | $is(b'\r'),
                spaces,
                apostrophes: $is(b'\''),
                beyond: $beyond,
                controls: ($within(0, 0x1F) | $is(0x7F)) & !$within(b'\t', 4),
            }
        }};
    }

    #[target_feature(enable = "avx512f,avx512bw")]
    pub(super) fn read_64(bytes: &[u8; 64]) -> Masks {
        let text: __m512i = bytemuck::must_cast(*bytes);
        let all = |byte: u8| _mm512_set1_epi8(byte.cast_signed());
        let within = |text, first: u8, more: u8| {
            _mm512_cmple_epu8_mask(_mm512_sub_epi8(text, all(first)), all(more))
        };
        classes!(
            |byte| _mm512_cmpeq_epi8_mask(text, all(byte)),
            |first, more| within(text, first, more),
            |first, more| within(_mm512_or_si512(text, all(0x20)), first, more),
            _mm512_movepi8_mask(text)
        )
    }

    #[target_feature(enable = "avx2")]
    pub(super) fn read_32(bytes: &[u8; 64]) -> Masks {
        let halves: [__m256i; 2] = bytemuck::must_cast(*bytes);
        let all = |byte: u8| _mm256_set1_epi8(byte.cast_signed());
        let bits = |low: __m256i, high: __m256i| {
            let low = u64::from(_mm256_movemask_epi8(low).cast_unsigned());
            low | u64::from(_mm256_movemask_epi8(high).cast_unsigned()) << 32
        };
        let is = |byte: u8| {
            let [low, high] = halves.map(|half| _mm256_cmpeq_epi8(half, all(byte)));
            bits(low, high)
        };
        let within = |halves: [__m256i; 2], first: u8, more: u8| {
            let [low, high] = halves.map(|half| {
                let from = _mm256_sub_epi8(half, all(first));
                _mm256_cmpeq_epi8(_mm256_min_epu8(from, all(more)), from)
            });
            bits(low, high)
        };
        classes!(
            is,
            |first, more| within(halves, first, more),
            |first, more| within(
                halves.map(|half| _mm256_or_si256(half, all(0x20))),
                first,
                more
            ),
            bits(halves[0], halves[1])
        )
    }

    #[target_feature(enable = "sse2")]
    pub(super) fn read_16(bytes: &[u8; 64]) -> Masks {
        let quarters: [__m128i; 4] = bytemuck::must_cast(*bytes);
        let all = |byte: u8| _mm_set1_epi8(byte.cast_signed());
        let bits = |quarters: [__m128i; 4]| {
            let parts = quarters.map(|part| u64::from(_mm_movemask_epi8(part).cast_unsigned()));
            parts[0] | parts[1] << 16 | parts[2] << 32 | parts[3] << 48
        };
        let is = |byte: u8| bits(quarters.map(|part| _mm_cmpeq_epi8(part, all(byte))));
        let within = |quarters: [__m128i; 4], first: u8, more: u8| {
            bits(quarters.map(|part| {
                let from = _mm_sub_epi8(part, all(first));
                _mm_cmpeq_epi8(_mm_min_epu8(from, all(more)), from)
            }))
        };
        classes!(
            is,
            |first, more| within(quarters, first, more),
            |first, more| within(
                quarters.map(|part| _mm_or_si128(part, all(0x20))),
                first,
                more
            ),
            bits(quarters)
        )
    }
}

#[cfg(test)]
mod tests {
    use super::{Masks, read};

    /// Sixty-four bytes that all differ from those of another number.
    fn bytes(number: u32) -> [u8; 64] {
        let mut at = number * 64;
        std::array::from_fn(|_| {
            at += 1;
            at.wrapping_mul(0x9E37_79B1).to_be_bytes()[0]
        })
    }

    #[test]
    fn every_way_says_what_the_portable_one_does() {
        for number in 0..4_096 {
            let bytes = bytes(number);
            let expected = Masks::read(&bytes);
            assert_eq!(read(&bytes), expected);
            #[cfg(target_arch = "x86_64")]
            {
                // SAFETY: each x86-64 processor has SSE2.
                assert_eq!(unsafe { super::x86::read_16(&bytes) }, expected);
                if std::arch::is_x86_feature_detected!("avx2") {
                    // SAFETY: the processor was just asked for AVX2.
                    assert_eq!(unsafe { super::x86::read_32(&bytes) }, expected);
                }
            }
        }
    }
}
