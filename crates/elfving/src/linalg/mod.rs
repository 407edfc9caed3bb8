//! Linear algebra in plain `f64`; the only module that names the library behind it.

mod matrix;
mod pivoted_cholesky;

pub use matrix::Matrix;
pub use pivoted_cholesky::{CholeskyStop, NotFactorable, PivotTriangle, PivotedCholesky, pivoted_cholesky};
