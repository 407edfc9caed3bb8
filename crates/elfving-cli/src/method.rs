//! Which solver answers.

use clap::ValueEnum;
use elfving::design::{InteriorPoint, Problem, Solver};
use elfving::pool::PointId;

/// The solvers by name.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Method {
    /// Interior point on a working set: fast, and precise to 1e-9
    InteriorPoint,
}

impl Method {
    /// What suits the problem when the user has not chosen.
    pub(crate) fn suited_to(_problem: &Problem) -> Self {
        Self::InteriorPoint
    }

    /// The solver, starting from these weights where it can.
    pub(crate) fn solver(self, warm: &[(PointId, f64)]) -> Box<dyn Solver> {
        match self {
            Self::InteriorPoint => Box::new(InteriorPoint::default().warm_start(warm)),
        }
    }
}
