//! What can be measured: a finite pool of candidates, its kernel or features, and the targets.
//!
//! Everything after this module works on one representation, a dense feature matrix Φ (n × r).
//! Explicit features are taken as given ([`Pool::from_features`]); a kernel
//! ([`Pool::from_kernel`]) or a precomputed Gram matrix ([`Pool::from_gram`]) goes through a pivoted
//! Cholesky factorisation `K ≈ Φ Φᵀ` with a stated residual, so that r is the numerical rank of the
//! kernel on the pool. The kernel itself stays available ([`Pool::exact`]) to check answers with.
//!
//! ```
//! use std::sync::Arc;
//! use elfving::numerics::Matrix;
//! use elfving::pool::{Factorisation, Points, Pool, Subset, Targets, kernels::Rbf};
//!
//! let points = Points::new(Matrix::from_fn(501, 1, |i, _| (i as f64 / 500.0).powi(2)))?;
//! let pool = Pool::from_kernel(Arc::new(Rbf::new(0.025)?), points, None, &Factorisation::default())?;
//! assert!(pool.dimension() < 120 && pool.residual() < 2e-12);
//!
//! // V = the differences of all pairs of candidates, never written out.
//! let targets = Targets::Differences(Subset::All).compile(&pool)?;
//! assert_eq!(targets.count(), 501 * 500 / 2);
//! # Ok::<(), elfving::pool::PoolError>(())
//! ```

mod candidates;
mod error;
mod exact;
mod factorisation;
pub mod feature_maps;
pub mod formula;
mod gram;
pub mod kernels;
mod median;
mod points;
mod targets;

pub use candidates::Pool;
pub use error::PoolError;
pub use exact::ExactKernel;
pub use factorisation::Factorisation;
pub use kernels::{Kernel, KernelSpec, Lengthscale};
pub use median::{default_lengthscale, median_lengthscale};
pub(crate) use points::row_id;
pub use points::{ChoiceId, PointId, Points};
pub use targets::{Combination, Subset, TargetRows, Targets};
