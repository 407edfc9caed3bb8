//! Development tasks of the workspace: `cargo xtask test | layers | bench | peers`.
//!
//! The tasks use the Rust toolchain and, for the comparisons only, Python 3. Nothing here ships with the library.

pub mod layers;
pub mod peers;
pub mod test;
pub mod workspace;
