//! Linear algebra in plain `f64`; the only module that names the library behind it.

mod matrix;

pub use matrix::Matrix;
