//! A whole provider call planned: one frame of all its parts, packed once.

mod beside;
mod blame;
mod explain;
mod laid;
mod lead;
mod marks;
mod parts;
mod plan;
mod receipt;
mod render;
mod settle;
mod shorten;
mod talk;
mod template;

pub use explain::{Explained, Origin};
pub use parts::{ContextSection, DataBlock, Request};
pub use plan::{Plan, plan};
pub use receipt::Receipt;
pub use talk::Talk;
