//! LAMBDA: weights on the pool, each with a certificate.
mod canonical;
mod certificate;
mod control;
mod error;
mod exact_check;
mod information;
mod interior_point;
mod problem;
mod solver;

pub use certificate::{Certificate, CheckedBy, recheck};
pub use control::{Control, Progress};
pub use error::DesignError;
pub use information::{AtomCombination, InformationMatrix, KernelInformation};
pub use interior_point::InteriorPoint;
pub use problem::{Criterion, Problem, TargetRef};
use solver::Found;
pub use solver::{Design, Solver, Status};
