//! Elfving: which candidates to measure next, how often, and when to stop.
//!
//! | module | what it is |
//! |---|---|
//! | [`units`] | checked values: ridge, confidence, weights, noise |
//! | [`numerics`] | the linear algebra everything rests on |
//! | [`pool`] | what can be measured: points, kernels, feature maps, targets |
//! | [`design`] | weights on the pool, each with a certificate |
//! | [`complexity`] | what a problem costs: f, information gain, effective dimensions, rho*, T* |
//! | [`rounding`] | designs into measurements |
//! | [`estimate`] | estimates that survive heavy tails |
//! | [`surrogate`] | the Gaussian-process model of the calibrated mode |
//! | [`bandit`] | ask, tell and decide: elimination, confidence ellipsoids, baselines |
//! | [`plan`] | how many measurements an answer takes, before the first one |
//! | [`simulate`] | environments, a seeded runner, metrics |

// The harness of the campaigns is shared with the tests outside.
#[cfg(test)]
extern crate self as elfving;

pub mod bandit;
pub mod complexity;
pub mod design;
pub mod estimate;
pub mod numerics;
pub mod plan;
pub mod pool;
pub mod rounding;
pub mod simulate;
pub mod surrogate;
pub mod units;
