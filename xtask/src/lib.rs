//! Development tasks of the workspace: `cargo xtask test | layers | wheel | bench | peers`.
//!
//! The tasks use the Rust toolchain and, for comparisons, the browser and the Python package, Python 3. Nothing here ships with the library.

pub mod browser;
pub mod layers;
pub mod peers;
pub mod python;
pub mod test;
pub mod wheel;
pub mod workspace;
