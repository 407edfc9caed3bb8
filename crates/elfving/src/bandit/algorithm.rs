//! Every algorithm by name.

use super::elimination::{Constants, PtrBest, PtrRegret, RipsBest, RipsRegret};
use super::{
    BanditError, Calibrated, CalibratedSettings, EllipsoidBest, EllipsoidMap, EllipsoidRegret, Family, Goal,
    Policy, Question, Recommendation, Strategy, recommend,
};
use crate::named::{Named, named_by_name};

/// An algorithm of the library, with its usual settings. The baselines are in `elfving-lab`.
///
/// ```
/// use elfving::bandit::Algorithm;
/// assert_eq!("ellipsoid-best".parse(), Ok(Algorithm::EllipsoidBest));
/// assert_eq!("rips-best".parse().map(Algorithm::name), Ok("rips-best"));
/// assert!("no-such".parse::<Algorithm>().is_err());
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Algorithm {
    /// [`EllipsoidBest`].
    EllipsoidBest,
    /// [`EllipsoidRegret`].
    EllipsoidRegret,
    /// [`EllipsoidMap`].
    EllipsoidMap,
    /// [`RipsBest`].
    RipsBest(Constants),
    /// [`RipsRegret`].
    RipsRegret(Constants),
    /// [`PtrBest`].
    PtrBest(Constants),
    /// [`PtrRegret`].
    PtrRegret(Constants),
    /// [`Calibrated`]: a fitted model, without a proof.
    Calibrated(Strategy),
}

/// Those with a guarantee, and the same with the constants printed in the paper.
const CERTIFIED: [Algorithm; 11] = [
    Algorithm::EllipsoidBest,
    Algorithm::EllipsoidRegret,
    Algorithm::EllipsoidMap,
    Algorithm::RipsBest(Constants::Certified),
    Algorithm::RipsRegret(Constants::Certified),
    Algorithm::PtrBest(Constants::Certified),
    Algorithm::PtrRegret(Constants::Certified),
    Algorithm::RipsBest(Constants::Paper),
    Algorithm::RipsRegret(Constants::Paper),
    Algorithm::PtrBest(Constants::Paper),
    Algorithm::PtrRegret(Constants::Paper),
];

impl Algorithm {
    /// All of them, certified ones first, then calibrated ones.
    pub fn all() -> impl Iterator<Item = Algorithm> {
        let calibrated = Strategy::ALL.into_iter().map(Algorithm::Calibrated);
        CERTIFIED.into_iter().chain(calibrated)
    }

    /// Whether it rests on a fitted model, which takes the [space](Question::space) of the question.
    pub fn is_calibrated(self) -> bool {
        matches!(self, Algorithm::Calibrated(_))
    }

    /// Whether its policy decides from all data at any time: [`Policy::is_anytime`].
    pub fn is_anytime(self) -> bool {
        use Algorithm::{Calibrated, EllipsoidBest, EllipsoidMap, EllipsoidRegret};
        matches!(self, Calibrated(_) | EllipsoidBest | EllipsoidMap | EllipsoidRegret)
    }

    /// The certified algorithm for what the question assumes, and why.
    ///
    /// ```
    /// use elfving::bandit::{Algorithm, Goal, Question};
    /// use elfving::{estimate::{Assumptions, Tails}, numerics::Matrix, pool::Pool};
    /// let pool = Pool::from_features(Matrix::identity(3))?;
    /// let light = Assumptions::new(0.1)?.norm(1.0)?.tails(Tails::SubGaussian);
    /// let (algorithm, why) = Algorithm::auto(&Question::new(pool, light, Goal::Best { epsilon: 0.1 })?);
    /// assert_eq!(algorithm.name(), "ellipsoid-best");
    /// println!("{why}");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn auto(question: &Question) -> (Self, Recommendation) {
        let why = recommend(question);
        let algorithm = match (why.family, question.goal) {
            (Family::Ellipsoid, Goal::Regret { .. }) => Algorithm::EllipsoidRegret,
            (_, Goal::Map { .. }) => Algorithm::EllipsoidMap,
            (Family::Ellipsoid, _) => Algorithm::EllipsoidBest,
            (Family::Rips, Goal::Regret { .. }) => Algorithm::RipsRegret(Constants::Certified),
            (Family::Rips, _) => Algorithm::RipsBest(Constants::Certified),
            (Family::Ptr, Goal::Regret { .. }) => Algorithm::PtrRegret(Constants::Certified),
            (Family::Ptr, _) => Algorithm::PtrBest(Constants::Certified),
        };
        (algorithm, why)
    }

    /// Its name on the command line.
    pub fn name(self) -> &'static str {
        use Constants::{Certified, Paper};
        match self {
            Algorithm::EllipsoidBest => "ellipsoid-best",
            Algorithm::EllipsoidRegret => "ellipsoid-regret",
            Algorithm::EllipsoidMap => "ellipsoid-map",
            Algorithm::RipsBest(Certified) => "rips-best",
            Algorithm::RipsRegret(Certified) => "rips-regret",
            Algorithm::PtrBest(Certified) => "ptr-best",
            Algorithm::PtrRegret(Certified) => "ptr-regret",
            Algorithm::RipsBest(Paper) => "rips-best-paper",
            Algorithm::RipsRegret(Paper) => "rips-regret-paper",
            Algorithm::PtrBest(Paper) => "ptr-best-paper",
            Algorithm::PtrRegret(Paper) => "ptr-regret-paper",
            Algorithm::Calibrated(strategy) => strategy.name(),
        }
    }

    /// What it is, in a line.
    pub fn about(self) -> &'static str {
        match self {
            Algorithm::EllipsoidBest => "Confidence ellipsoid: the best, the m best or all good candidates",
            Algorithm::EllipsoidRegret => "Confidence ellipsoid: little loss while measuring",
            Algorithm::EllipsoidMap => "Confidence ellipsoid: every mean",
            Algorithm::RipsBest(_) => {
                "Elimination by RIPS, any tails: the best, the m best or all good candidates"
            }
            Algorithm::RipsRegret(_) => "Elimination by RIPS, any tails: little loss while measuring",
            Algorithm::PtrBest(_) => {
                "Elimination by rounded designs: the best, the m best or all good candidates"
            }
            Algorithm::PtrRegret(_) => "Elimination by rounded designs: little loss while measuring",
            Algorithm::Calibrated(_) => "A fitted model: practical, no proof",
        }
    }

    /// The policy that answers a question.
    ///
    /// # Errors
    /// What the algorithm finds wrong with the question: another goal, an assumption that is missing.
    pub fn start(self, question: Question) -> Result<Box<dyn Policy>, BanditError> {
        Ok(match self {
            Algorithm::EllipsoidBest => Box::new(EllipsoidBest::new(question)?),
            Algorithm::EllipsoidRegret => Box::new(EllipsoidRegret::new(question)?),
            Algorithm::EllipsoidMap => Box::new(EllipsoidMap::new(question)?),
            Algorithm::RipsBest(constants) => Box::new(RipsBest::new(question)?.constants(constants)),
            Algorithm::RipsRegret(constants) => Box::new(RipsRegret::new(question)?.constants(constants)),
            Algorithm::PtrBest(constants) => Box::new(PtrBest::new(question)?.constants(constants)),
            Algorithm::PtrRegret(constants) => Box::new(PtrRegret::new(question)?.constants(constants)),
            Algorithm::Calibrated(strategy) => {
                let settings = CalibratedSettings::default().strategy(strategy);
                Box::new(Calibrated::answering(question, settings)?)
            }
        })
    }
}

impl Named for Algorithm {
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

named_by_name!(Algorithm);
