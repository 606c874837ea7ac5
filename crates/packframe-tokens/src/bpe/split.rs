//! What a token is merged from. The build script writes it with the very same functions.

/// The two tokens that one is merged from; a byte is merged from none.
#[derive(Clone, Copy)]
pub struct Split(pub u64);

/// The bits of a rank.
const RANK: u32 = 28;

impl Split {
    /// Returns the split into a left token of so many bytes and the rank of both, which are below
    /// 2^28.
    pub fn new(length: u8, left: u32, right: u32) -> Self {
        Self(u64::from(length) | u64::from(left) << 8 | u64::from(right) << (8 + RANK))
    }

    /// Tells whether the token is a byte.
    #[inline]
    pub const fn is_byte(self) -> bool {
        self.0 == 0
    }

    /// Returns the bytes of the left token.
    #[inline]
    pub const fn length(self) -> usize {
        (self.0 & 0xFF) as usize
    }

    /// Returns the rank of the left token.
    #[inline]
    pub const fn left(self) -> u32 {
        (self.0 >> 8 & ((1 << RANK) - 1)) as u32
    }

    /// Returns the rank of the right token.
    #[inline]
    pub const fn right(self) -> u32 {
        (self.0 >> (8 + RANK)) as u32
    }
}
