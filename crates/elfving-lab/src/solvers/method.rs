//! The solvers by name.

use super::{FrankWolfe, MirrorDescent, Multiplicative, RandomisedExchange};
use elfving::design::{ElfvingSet, InteriorPoint, Problem, Solver};
use elfving::pool::PointId;

/// Which solver answers, with its usual settings.
///
/// ```
/// use elfving_lab::solvers::Method;
/// assert_eq!(Method::from_name("mirror-descent"), Some(Method::MirrorDescent));
/// assert!(Method::all().all(|method| Method::from_name(method.name()) == Some(method)));
/// assert_eq!(Method::from_name("newton"), None);
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Method {
    /// [`InteriorPoint`].
    InteriorPoint,
    /// [`ElfvingSet`].
    ElfvingSet,
    /// [`MirrorDescent`].
    MirrorDescent,
    /// [`Multiplicative`].
    Multiplicative,
    /// [`FrankWolfe`].
    FrankWolfe,
    /// [`RandomisedExchange`].
    Exchange,
}

impl Method {
    /// Every method.
    pub fn all() -> impl Iterator<Item = Self> {
        [
            Self::InteriorPoint,
            Self::ElfvingSet,
            Self::MirrorDescent,
            Self::Multiplicative,
            Self::FrankWolfe,
            Self::Exchange,
        ]
        .into_iter()
    }

    /// The method of this name.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::all().find(|method| method.name() == name)
    }

    /// The name on the command line and in Python.
    pub fn name(self) -> &'static str {
        match self {
            Self::InteriorPoint => "interior-point",
            Self::ElfvingSet => "elfving-set",
            Self::MirrorDescent => "mirror-descent",
            Self::Multiplicative => "multiplicative",
            Self::FrankWolfe => "frank-wolfe",
            Self::Exchange => "exchange",
        }
    }

    /// What it is, in a line.
    pub fn about(self) -> &'static str {
        match self {
            Self::InteriorPoint => "Interior point on a working set: fast, and precise to 1e-9",
            Self::ElfvingSet => "Elfving's linear programme, for criterion c without a ridge",
            Self::MirrorDescent => "The paper's mirror descent",
            Self::Multiplicative => "Multiplicative updates",
            Self::FrankWolfe => "Pairwise Frank-Wolfe steps",
            Self::Exchange => "Randomised exchange",
        }
    }

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
