//! Linear algebra in plain `f64`, random streams ([`rng`]) and what is made of them; the only module that names the
//! libraries behind both.
//!
//! What runs on several threads (sweeps over the rows of a pool, large products, factorisations, pairs) splits its work into fixed chunks
//! and combines them in index order: the same bits on any number of threads.

mod cholesky;
mod dependencies;
mod farthest_pairs;
pub mod lp;
mod matrix;
mod pivoted_cholesky;
mod product;
mod qr;
mod quadratic_forms;
pub mod rng;
mod storage;
mod sweep;
mod symmetric;
mod ties;
mod whitening;

pub use cholesky::{Cholesky, NotPositiveDefinite};
pub use dependencies::row_dependencies;
pub(crate) use farthest_pairs::{diameter_guess, farthest_pairs, farthest_partners};
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
pub use symmetric::{EigenFailure, SymmetricEigen, SymmetricIndefinite};
pub use ties::{first_largest, largest_first, position_of_largest};
pub(crate) use whitening::{RowSpan, column_scale, scale_columns, scale_empty_columns};
