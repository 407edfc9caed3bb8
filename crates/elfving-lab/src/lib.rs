//! For researchers: what Elfving is compared with, and what it is compared on.
//!
//! | module | what it is |
//! |---|---|
//! | [`baselines`] | well-known bandits without a proof of ours |
//! | [`solvers`] | well-known design solvers, and every solver by name |
//! | [`feature_maps`] | Nystrom and random Fourier features |
//! | [`simulate`] | environments, a seeded runner, metrics |
//! | [`complexity`] | what a problem costs: f, information gain, effective dimensions, rho*, T* |
//! | [`plan`] | how many measurements an answer takes, before the first one |
//! | [`experiments`] | the paper's experiments and our own, with their figures |
//!
//! [`AnyAlgorithm`] knows the core's algorithms and the baselines by name.

mod algorithm;
pub mod baselines;
pub mod complexity;
pub mod experiments;
pub mod feature_maps;
pub mod plan;
pub mod simulate;
pub mod solvers;

pub use algorithm::AnyAlgorithm;
