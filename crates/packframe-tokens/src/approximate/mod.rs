//! Estimates that need no vocabulary: one in the middle, and one that is meant never to be under.
//!
//! Both add up *units*, 1/60 token each, over the characters of a text. What a character adds is
//! looked up in tables (`weights.bin`) that were fitted to `o200k_base` and `cl100k_base` by
//! `scripts/fit_approximate.py`; `docs/approximate-counts.md` has the errors that were measured.
//!
//! - An ASCII character costs by itself and by the character before it: most of a token where a
//!   word begins, little inside it. Behind two characters of white space only that is seen, so
//!   that an indent costs little and letters that stand wide apart do not.
//! - A character beyond ASCII costs by itself.
//! - The bound asks, too, whether a *window* is familiar: the last four characters of ASCII, or
//!   the last three Latin or Cyrillic letters beyond it, back to the start of the word. The
//!   windows of much written text are in a table of bits. In an unfamiliar one a character costs
//!   about what it costs where two characters alternate, so random letters are not mistaken for
//!   words.
//!
//! White space behind anything else costs the same whatever that is, and hides it from what
//! follows: such a border is a seam.

mod border;
mod conservative;
mod estimate;
mod walk;
mod weights;

pub use conservative::Conservative;
pub use estimate::Approximate;
