//! LAMBDA: weights on the pool, each with a certificate.
//!
//! A [`Problem`] says what to optimise, a [`Solver`] looks for weights, and [`recheck`], which shares no code with any
//! solver, says what they are worth. A solver of your own works on the [`Canonical`] form of the problem and ends with
//! [`Design::checked`]; `elfving-lab` has six.

mod canonical;
mod certificate;
mod control;
mod diagnostics;
mod elfving_set;
mod error;
mod estimable;
mod exact_check;
mod front_door;
mod information;
mod interior_point;
mod problem;
mod solver;
mod variance;

pub use canonical::{Breakdown, Canonical, Objective};
pub use certificate::{Certificate, CheckedBy, StatedCertificate, recheck};
pub use control::{Control, Progress};
pub use diagnostics::{Diagnostics, Efficiency};
pub use elfving_set::ElfvingSet;
pub use error::DesignError;
pub use estimable::undetermined;
pub use front_door::Optimal;
pub use information::{AtomCombination, InformationMatrix, KernelInformation};
pub use interior_point::InteriorPoint;
pub use problem::{Criterion, Problem, TargetRef, materialise};
pub use solver::{Design, DesignStatus, Solver, SolverWeights, StatedDesign};
pub use variance::variance_function;
