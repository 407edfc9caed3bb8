//! The one door of every shell: from tables and options to a problem, and from answers to documents.
//!
//! | what | what it is |
//! |---|---|
//! | [`PoolSpec`], [`Model`] | how a table becomes a pool |
//! | [`Dataset`] | names, numbers and model of a pool and its targets, read once; the pool itself, built once |
//! | [`ColumnSeen`] | what the model sees of a table, for people |
//! | [`TargetSpec`] | what a design is for |
//! | [`AssumptionSpec`] | what is assumed about noise and model |
//! | [`Measurements`], [`Estimator`] | a plan of counts or draws, and the intervals that its outcomes give |
//! | [`documents`] | designs, plans and estimates as files |
//! | [`factors`] | candidates from factors: levels, ranges, mixtures |
//! | [`diagnosis`] | what must be chosen for a table, and how to choose it |
//! | [`forecast`] | what an answer will cost, before the first measurement |
//! | [`defaults`] | what is taken where the user says nothing |
//!
//! The command line, campaigns and the Python package convert, call and print; what two of them would decide is decided here.

/// The examples of the documentation page.
#[cfg(doctest)]
#[doc = include_str!("../../../docs/problem.md")]
mod page {}

mod assumptions;
pub mod codes;
mod dataset;
pub mod defaults;
pub mod diagnosis;
pub mod documents;
mod error;
mod estimator;
mod exact;
pub mod factors;
pub mod forecast;
mod measurements;
mod model;
mod names;
mod pool_spec;
mod seen;
mod targets;
pub mod words;

pub use assumptions::AssumptionSpec;
pub use dataset::{About, Dataset, Files, Note};
pub use error::ProblemError;
pub use estimator::Estimator;
pub use exact::{ExactPlan, exact_plan};
pub use measurements::Measurements;
pub use model::{KernelName, Model};
pub use names::{NameIndex, Names, Numbered};
pub use pool_spec::{PoolSpec, Source, file_name};
pub use seen::{ColumnSeen, Ignored, SeenAs};
pub use targets::TargetSpec;
