//! LAMBDA: weights on the pool, each with a certificate.
mod canonical;
mod certificate;
mod control;
mod error;
mod exact_check;
mod exchange;
mod first_order;
mod frank_wolfe;
mod information;
mod interior_point;
mod mirror_descent;
mod multiplicative;
mod problem;
mod rank_one;
mod solver;

pub use certificate::{Certificate, CheckedBy, recheck};
pub use control::{Control, Progress};
pub use error::DesignError;
pub use exchange::RandomisedExchange;
pub use frank_wolfe::{FrankWolfe, Variant};
pub use information::{AtomCombination, InformationMatrix, KernelInformation};
pub use interior_point::InteriorPoint;
pub use mirror_descent::{MirrorDescent, Opponent, StepSize};
pub use multiplicative::Multiplicative;
pub use problem::{Criterion, Problem, TargetRef};
use solver::Found;
pub use solver::{Design, Solver, Status};
