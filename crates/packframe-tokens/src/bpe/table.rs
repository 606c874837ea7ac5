//! Tables that the build script made, baked into the library.

use bytemuck::Pod;

/// Bytes at an address that every number type is content with.
#[repr(C, align(64))]
pub(crate) struct Aligned<B: ?Sized>(pub(crate) B);

/// A table of numbers.
pub(crate) struct Table<T: 'static> {
    bytes: &'static [u8],
    kind: std::marker::PhantomData<fn() -> T>,
}

impl<T: Pod> Table<T> {
    pub(crate) const fn new(bytes: &'static Aligned<[u8]>) -> Self {
        Self {
            bytes: &bytes.0,
            kind: std::marker::PhantomData,
        }
    }

    /// Returns the numbers. The build script writes little-endian ones.
    #[inline]
    pub(crate) fn get(&self) -> &'static [T] {
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
        static ALIGNED: &$crate::bpe::table::Aligned<[u8]> =
            &$crate::bpe::table::Aligned(*include_bytes!(concat!(env!("OUT_DIR"), "/", $file)));
        $crate::bpe::table::Table::<$kind>::new(ALIGNED)
    }};
}

pub(crate) use table;
