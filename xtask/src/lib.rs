//! Development tasks of the workspace: `cargo xtask test | layers | bench | peers`.
//!
//! The tasks use the Rust toolchain and, for comparisons and the browser, Python 3. Nothing here ships with the library.

pub mod browser;
pub mod layers;
pub mod peers;
pub mod python;
pub mod test;
pub mod workspace;
