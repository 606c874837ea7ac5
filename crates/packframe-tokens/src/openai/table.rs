//! Tables that the build script made, baked into the library.

use bytemuck::Pod;

/// Bytes at an address that every number type is content with.
#[repr(C, align(64))]
pub(super) struct Aligned<B: ?Sized>(pub(super) B);

/// A table of numbers.
pub(super) struct Table<T: 'static> {
    bytes: &'static [u8],
    kind: std::marker::PhantomData<fn() -> T>,
}

impl<T: Pod> Table<T> {
    pub(super) const fn new(bytes: &'static Aligned<[u8]>) -> Self {
        Self {
            bytes: &bytes.0,
            kind: std::marker::PhantomData,
        }
    }

    /// Returns the numbers. The build script writes little-endian ones.
    #[inline]
    pub(super) fn get(&self) -> &'static [T] {
        const {
            assert!(
                cfg!(target_endian = "little"),
                "the baked tables are little-endian"
            );
        };
        bytemuck::cast_slice(self.bytes)
    }
}

/// Bakes a file of the build script in.
macro_rules! table {
    ($file:expr, $kind:ty) => {{
        static ALIGNED: &$crate::openai::table::Aligned<[u8]> =
            &$crate::openai::table::Aligned(*include_bytes!(concat!(env!("OUT_DIR"), "/", $file)));
        $crate::openai::table::Table::<$kind>::new(ALIGNED)
    }};
}

pub(super) use table;
