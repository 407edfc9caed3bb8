//! Elfving: which candidates to measure next, how often, and when to stop.
//!
//! | module | what it is |
//! |---|---|
//! | [`units`] | checked values: ridge, confidence, weights, noise |
//! | [`text`] | what people write in a small language, and where it is wrong |
//! | [`named`] | enums that are chosen from by name |
//! | [`numerics`] | the linear algebra everything rests on |
//! | [`pool`] | what can be measured: points, kernels, feature maps, targets |
//! | [`design`] | weights on the pool, each with a certificate |
//! | [`rounding`] | designs into measurements |
//! | [`estimate`] | estimates that survive heavy tails |
//! | [`surrogate`] | the Gaussian-process model of the calibrated mode |
//! | [`bandit`] | ask, tell and decide: elimination, confidence ellipsoids, fitted models |
//!
//! [`prelude`] has what most programs need. A design with its certificate, in five lines:
//!
//! ```
//! use elfving::prelude::*;
//! let pool = Pool::from_features(Matrix::from_fn(11, 2, |i, k| (i as f64 / 10.0).powi(k as i32)))?;
//! let design = Problem::g(&pool).gamma(0.01)?.solve(1e-6)?;
//! println!("{design}");
//! # Ok::<(), elfving::design::DesignError>(())
//! ```
//!
//! The examples show the rest: `design`, `plan_and_estimate`, `ask_and_tell` and `rips`.

// The harness of the campaigns is shared with the tests outside.
#[cfg(test)]
extern crate self as elfving;

pub mod bandit;
pub mod design;
pub mod estimate;
pub mod named;
pub mod numerics;
pub mod pool;
pub mod prelude;
pub mod rounding;
pub mod surrogate;
pub mod text;
pub mod units;
