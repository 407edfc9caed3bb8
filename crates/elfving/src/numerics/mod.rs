//! Linear algebra in plain `f64`; the only module that names the library behind it.
//!
//! Everything here runs on one thread, except the [sweeps](row_norms) over the rows of a pool, which
//! split rows into fixed chunks and combine them in index order.

mod cholesky;
mod dependencies;
mod eigen;
mod indefinite;
mod matrix;
mod pivoted_cholesky;
mod product;
mod qr;
mod quadratic_forms;
mod storage;
mod sweep;

pub use cholesky::{Cholesky, NotPositiveDefinite};
pub use dependencies::row_dependencies;
pub use eigen::{EigenFailure, SymmetricEigen};
pub use indefinite::SymmetricIndefinite;
pub use matrix::Matrix;
pub use pivoted_cholesky::{CholeskyStop, NotFactorable, PivotTriangle, PivotedCholesky, pivoted_cholesky};
pub use product::{
    add_scaled, add_scaled_row, add_upper_outer_gram, apply, apply_transposed, average_gram, dot, gram,
    mirror_upper, multiply, multiply_transposed, norm_squared, squared_product, symmetric_apply,
    transposed_multiply, upper_hadamard, upper_outer_gram, upper_squared_gram, weighted_gram,
};
pub use qr::{RightSingular, right_singular, triangular_factor};
pub use quadratic_forms::{low_rank_forms, low_rank_partner, quadratic_forms};
pub use storage::SharedEntries;
pub use sweep::{largest_rows, row_norms};
