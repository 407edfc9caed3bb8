//! Linear algebra in plain `f64`; the only module that names the library behind it.
//!
//! Everything here runs on one thread, except the [sweeps](row_norms) over the rows of a pool, which
//! split rows into fixed chunks and combine them in index order.

mod cholesky;
mod eigen;
mod indefinite;
mod matrix;
mod pivoted_cholesky;

pub use cholesky::{Cholesky, NotPositiveDefinite};
pub use eigen::{EigenFailure, SymmetricEigen};
pub use indefinite::SymmetricIndefinite;
pub use matrix::Matrix;
pub use pivoted_cholesky::{CholeskyStop, NotFactorable, PivotTriangle, PivotedCholesky, pivoted_cholesky};
