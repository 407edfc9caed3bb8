//! What people compare with: well-known algorithms without a proof of ours behind them.
//!
//! One a file, all behind [`Policy`], sequential and in batches, on the regression of [`Posterior`](super::Posterior). In a
//! batch the means are held and the variances updated as if the earlier points of the batch had been measured (Desautels, Krause
//! and Burdick 2014), so that a batch does not ask one point over and over. Their reports say `no guarantee`.

mod gp_ucb;
mod greedy;
mod index;
mod random;
mod record;

use super::{BanditError, Policy, Question};

/// A baseline, by name.
///
/// ```
/// use elfving::bandit::{Bandit, Baseline, Goal, Question};
/// use elfving::{estimate::Assumptions, linalg::Matrix, pool::Pool};
/// let pool = Pool::from_features(Matrix::identity(3))?;
/// let question = Question::new(pool, Assumptions::new(0.1)?, Goal::Regret { horizon: Some(20) })?;
/// let mut bandit = Bandit::new(Baseline::from_name("gp-ucb").expect("a baseline").start(question)?);
/// assert_eq!(bandit.ask(5)?.len(), 5);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Baseline {
    /// `gp-ucb` (Srinivas, Krause, Kakade and Seeger 2010, Theorem 1): the largest `mean + √β_t · sd` of a Gaussian process with noise
    /// variance σ², `β_t = 2 ln(|X| t² π² / (6δ))`.
    GpUcb,
    /// `greedy`: the largest posterior mean, whatever is unknown; the first point is the one of largest variance.
    Greedy,
    /// `random`: independent uniform draws, and ridge regression to choose with.
    Random,
}

impl Baseline {
    /// All of them.
    pub const ALL: [Baseline; 3] = [Baseline::GpUcb, Baseline::Greedy, Baseline::Random];

    /// Its name on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Baseline::GpUcb => "gp-ucb",
            Baseline::Greedy => "greedy",
            Baseline::Random => "random",
        }
    }

    /// The baseline of this name.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|baseline| baseline.name() == name)
    }

    /// Whether it answers [`Goal::Regret`](super::Goal::Regret).
    pub fn is_for_regret(self) -> bool {
        true
    }

    /// The policy.
    ///
    /// # Errors
    /// [`BanditError::ChoicesNotMeasurable`] when it cannot choose among points that it does not measure, and what is missing
    /// in the question.
    pub fn start(self, question: Question) -> Result<Box<dyn Policy>, BanditError> {
        Ok(match self {
            Baseline::GpUcb => Box::new(index::Indexed::new(gp_ucb::GpUcb, question)?),
            Baseline::Greedy => Box::new(index::Indexed::new(greedy::Greedy, question)?),
            Baseline::Random => Box::new(random::UniformRandom::new(question)?),
        })
    }
}
