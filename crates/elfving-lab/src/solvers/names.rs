//! The solvers by name.

use super::{FrankWolfe, MirrorDescent, Multiplicative, RandomisedExchange};
use elfving::design::{ElfvingSet, InteriorPoint, Problem, Solver};
use elfving::named::named_enum;
use elfving::pool::PointId;

named_enum! {
    /// Which solver answers, with its usual settings.
    ///
    /// ```
    /// use elfving_lab::solvers::SolverName;
    /// assert_eq!("mirror-descent".parse(), Ok(SolverName::MirrorDescent));
    /// assert!("newton".parse::<SolverName>().is_err());
    /// ```
    pub enum SolverName: "method" {
        /// [`InteriorPoint`].
        InteriorPoint = "interior-point": "Interior point on a working set: fast, and precise to 1e-9",
        /// [`ElfvingSet`].
        ElfvingSet = "elfving-set": "Elfving's linear programme, for criterion c without a ridge",
        /// [`MirrorDescent`].
        MirrorDescent = "mirror-descent": "The paper's mirror descent",
        /// [`Multiplicative`].
        Multiplicative = "multiplicative": "Multiplicative updates",
        /// [`FrankWolfe`].
        FrankWolfe = "frank-wolfe": "Pairwise Frank-Wolfe steps",
        /// [`RandomisedExchange`].
        Exchange = "exchange": "Randomised exchange",
    }
}

impl SolverName {
    /// What suits the problem when nobody has chosen.
    pub fn suited_to(problem: &Problem) -> Self {
        if ElfvingSet::suits(problem) { Self::ElfvingSet } else { Self::InteriorPoint }
    }

    /// The solver, starting from these weights where it can.
    pub fn solver(self, warm: &[(PointId, f64)]) -> Box<dyn Solver> {
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
