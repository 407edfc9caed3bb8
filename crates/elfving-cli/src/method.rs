//! Which solver answers.

use clap::ValueEnum;
use elfving::design::{
    Criterion, ElfvingSet, FrankWolfe, InteriorPoint, MirrorDescent, Multiplicative, Problem,
    RandomisedExchange, Solver,
};
use elfving::pool::PointId;

/// The solvers by name.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Method {
    /// Interior point on a working set: fast, and precise to 1e-9
    InteriorPoint,
    /// Elfving's linear programme, for criterion c without a ridge
    ElfvingSet,
    /// The paper's mirror descent
    MirrorDescent,
    /// Multiplicative updates
    Multiplicative,
    /// Pairwise Frank-Wolfe steps
    FrankWolfe,
    /// Randomised exchange
    Exchange,
}

impl Method {
    /// What suits the problem when the user has not chosen.
    pub(crate) fn suited_to(problem: &Problem) -> Self {
        if problem.criterion() == Criterion::C && problem.gamma().get() == 0.0 {
            Self::ElfvingSet
        } else {
            Self::InteriorPoint
        }
    }

    /// The solver, starting from these weights where it can.
    pub(crate) fn solver(self, warm: &[(PointId, f64)]) -> Box<dyn Solver> {
        match self {
            Self::InteriorPoint => Box::new(InteriorPoint::default().warm_start(warm)),
            Self::ElfvingSet => Box::new(ElfvingSet),
            Self::MirrorDescent => Box::new(MirrorDescent::default()),
            Self::Multiplicative => Box::new(Multiplicative::default()),
            Self::FrankWolfe => Box::new(FrankWolfe::default()),
            Self::Exchange => Box::new(RandomisedExchange::default()),
        }
    }
}
