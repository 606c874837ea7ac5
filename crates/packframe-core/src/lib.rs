//! The decision engine.
