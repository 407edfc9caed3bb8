//! Every algorithm by name: the core's and the baselines.

use crate::baselines::Baseline;
use elfving::bandit::{Algorithm, BanditError, Policy, Question, Recommendation};
use elfving::named::{Named, named_by_name};

/// An algorithm of the core, or a baseline.
///
/// ```
/// use elfving::bandit::Algorithm;
/// use elfving_lab::AnyAlgorithm;
/// assert_eq!("ellipsoid-best".parse(), Ok(AnyAlgorithm::from(Algorithm::EllipsoidBest)));
/// assert_eq!("gp-ucb".parse().map(AnyAlgorithm::name), Ok("gp-ucb"));
/// assert!("no-such".parse::<AnyAlgorithm>().is_err());
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AnyAlgorithm {
    /// One of the core.
    Core(Algorithm),
    /// A baseline, without a proof of ours.
    Baseline(Baseline),
}

impl From<Algorithm> for AnyAlgorithm {
    fn from(algorithm: Algorithm) -> Self {
        Self::Core(algorithm)
    }
}

impl From<Baseline> for AnyAlgorithm {
    fn from(baseline: Baseline) -> Self {
        Self::Baseline(baseline)
    }
}

impl AnyAlgorithm {
    /// All of them: certified ones first, then calibrated ones, then baselines.
    pub fn all() -> impl Iterator<Item = Self> {
        Algorithm::all().map(Self::Core).chain(Baseline::ALL.into_iter().map(Self::Baseline))
    }

    /// Whether it rests on a fitted model, which takes the [space](Question::space) of the question.
    pub fn is_calibrated(self) -> bool {
        matches!(self, Self::Core(algorithm) if algorithm.is_calibrated())
    }

    /// Whether its policy decides from all data at any time: [`Policy::is_anytime`].
    pub fn is_anytime(self) -> bool {
        matches!(self, Self::Core(algorithm) if algorithm.is_anytime())
    }

    /// The certified algorithm for what the question assumes, and why: [`Algorithm::auto`].
    pub fn auto(question: &Question) -> (Self, Recommendation) {
        let (algorithm, why) = Algorithm::auto(question);
        (algorithm.into(), why)
    }

    /// Its name on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Self::Core(algorithm) => algorithm.name(),
            Self::Baseline(baseline) => baseline.name(),
        }
    }

    /// What it is, in a line.
    pub fn about(self) -> &'static str {
        match self {
            Self::Core(algorithm) => algorithm.about(),
            Self::Baseline(baseline) => baseline.about(),
        }
    }

    /// The policy that answers a question.
    ///
    /// # Errors
    /// What the algorithm finds wrong with the question: another goal, an assumption that is missing.
    pub fn start(self, question: Question) -> Result<Box<dyn Policy>, BanditError> {
        match self {
            Self::Core(algorithm) => algorithm.start(question),
            Self::Baseline(baseline) => baseline.start(question),
        }
    }
}

impl Named for AnyAlgorithm {
    const KIND: &'static str = "algorithm";

    fn all() -> Vec<Self> {
        Self::all().collect()
    }

    fn name(self) -> &'static str {
        self.name()
    }

    fn about(self) -> &'static str {
        self.about()
    }
}

named_by_name!(AnyAlgorithm);
