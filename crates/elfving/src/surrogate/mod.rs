//! The Gaussian-process model of the calibrated mode: what a few noisy measurements say about every candidate.
//!
//! | file | what it is |
//! |---|---|
//! | [`Columns`], [`Space`] | candidates: numbers scaled to [0, 1], one distance a category column |
//! | [`OutcomeScale`], [`YeoJohnson`] | outcomes: sign, z-score, a compressed lower tail, and back |
//! | [`Measurement`], [`GroupedMeasurements`] | measurements by distinct row, repeats handled exactly |
//! | [`Parameters`], [`Priors`] | lengthscales, noise, roughness, and what is believed of them |
//! | [`Covariance`] | the covariance of two rows |
//! | [`Lbfgs`] | the search for the most probable parameters |
//! | [`Surrogate`], [`Fit`] | the settings, and the model fitted to measurements; [`Surrogate::plausible`] draws the parameters that they leave open |
//! | [`Posterior`] | mean and deviation of every row, hypothetical measurements, joint draws |
//! | [`log_expected_improvement`] | the improvement over an incumbent, on the log scale |
//!
//! Nothing here is proved about the world: intervals are right when the model is. Statements with a proof are those of
//! the designs, the estimators and the bandits.
//!
//! ```
//! use elfving::numerics::Matrix;
//! use elfving::pool::PointId;
//! use elfving::surrogate::{Columns, Measurement, PosteriorOver, Space, Surrogate};
//!
//! // Ten temperatures with two catalysts; five reactions run, one of them twice.
//! let table = Columns::numeric(Matrix::from_fn(20, 1, |i, _| (i % 10) as f64))
//!     .category((0..20).map(|i| i / 10).collect());
//! let space = Space::new(&table, None)?;
//! let yields = [(0, 10.0), (4, 61.0), (4, 63.0), (9, 30.0), (12, 20.0), (17, 55.0)];
//! let measured: Vec<_> = yields.iter().map(|&(row, y)| Measurement::new(PointId::new(row), y)).collect();
//!
//! let fit = Surrogate::default().fit(&space, &measured, None)?;
//! let posterior = fit.posterior(PosteriorOver::Points);
//! let row = space.point_row(PointId::new(5));
//! let reported = fit.outcome().report(posterior.mean(row), posterior.deviation(row), 1.645);
//! assert!(reported.lower < reported.median && reported.median < reported.upper);
//! let twice = space.point_row(PointId::new(4)); // measured twice
//! assert!(posterior.deviation(twice) < posterior.deviation(row));
//! # Ok::<(), elfving::surrogate::SurrogateError>(())
//! ```

mod ensemble;
mod error;
mod fit;
mod improvement;
mod kernel;
mod lbfgs;
mod likelihood;
mod measurements;
mod normal;
mod outcome;
mod posterior;
mod prior;
mod robust;
mod samples;
mod space;
mod yeo_johnson;

pub use error::SurrogateError;
pub use fit::{Fit, Surrogate};
pub use improvement::log_expected_improvement;
pub use kernel::{Covariance, Parameters};
pub use lbfgs::{Lbfgs, Minimum, SearchStatus};
pub use likelihood::Evaluation;
pub use measurements::{GroupedMeasurements, Measurement};
pub use normal::upper_quantile;
pub use outcome::{Aim, OutcomeScale, Reported};
pub use posterior::{Posterior, PosteriorOver};
pub use prior::{Normal, Priors};
pub use robust::StudentT;
pub use space::{ColumnKind, Columns, RowId, Space};
pub use yeo_johnson::YeoJohnson;
