//! Elfving: which candidates to measure next, how often, and when to stop.
//!
//! | module | what it is |
//! |---|---|
//! | [`units`] | checked values: ridge, confidence, weights, noise |
//! | [`numerics`] | the linear algebra everything rests on |
//! | [`pool`] | what can be measured: points, kernels, feature maps, targets |
//! | [`design`] | weights on the pool, each with a certificate |
//! | [`rounding`] | designs into measurements |
//! | [`estimate`] | estimates that survive heavy tails |
//! | [`surrogate`] | the Gaussian-process model of the calibrated mode |
//! | [`bandit`] | ask, tell and decide: elimination, confidence ellipsoids, fitted models |

// The harness of the campaigns is shared with the tests outside.
#[cfg(test)]
extern crate self as elfving;

pub mod bandit;
pub mod design;
pub mod estimate;
pub mod numerics;
pub mod pool;
pub mod rounding;
pub mod surrogate;
pub mod units;
