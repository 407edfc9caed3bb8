//! The question: what can be measured, what is wanted, and what is assumed.

use super::{BanditError, Belief, Goal};
use crate::estimate::Assumptions;
use crate::named::named_enum;
use crate::pool::Pool;
use crate::surrogate::Space;
use crate::units::{Confidence, Ridge};

named_enum! {
    /// The theorem behind the bounds of the ellipsoid family.
    pub enum TheoremName: "theorem" {
        /// Models bet, witnesses testify (docs/ellipsoid.md).
        Witnesses = "witnesses": "Models bet on every outcome; well-predicted outcomes are the witnesses",
        /// The ellipsoid of all data with one ridge (Abbasi-Yadkori, Pal and Szepesvari 2011): what campaigns of an earlier version rest on.
        OneRidge = "one-ridge": "One ellipsoid of all data with a fixed ridge",
    }
}

/// What a policy is built from.
///
/// | setter | default | meaning |
/// |---|---|---|
/// | [`new`](Self::new) | required | the pool, what is assumed, the goal |
/// | [`delta`](Self::delta) | 0.05 | the probability with which the verdict may be wrong |
/// | [`gamma`](Self::gamma) | chosen by the policy | the ridge γ |
/// | [`seed`](Self::seed) | 0 | of every random choice |
/// | [`begun_with`](Self::begun_with) | all points | how many points there were before the first measurement |
/// | [`space`](Self::space) | the features of the pool | the candidates by their columns, for calibrated policies and for bets |
/// | [`believes`](Self::believes) | nothing | what was predicted before the first measurement: it bets in the ellipsoid family |
/// | [`theorem`](Self::theorem) | witnesses | what the bounds of the ellipsoid family rest on |
///
/// ```
/// use elfving::bandit::{Goal, Question};
/// use elfving::{estimate::Assumptions, numerics::Matrix, pool::Pool};
/// let pool = Pool::from_features(Matrix::identity(3))?;
/// let question = Question::new(pool, Assumptions::new(0.1)?.bound(1.0)?, Goal::Best { epsilon: 0.1 })?.seed(7);
/// assert_eq!(question.delta.delta(), 0.05);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone)]
pub struct Question {
    /// X and Z.
    pub pool: Pool,
    /// What is assumed about noise and model.
    pub assumptions: Assumptions,
    /// What is wanted.
    pub goal: Goal,
    /// δ.
    pub delta: Confidence,
    /// The ridge, when the user sets it.
    pub gamma: Option<Ridge>,
    /// Of every random choice.
    pub seed: u64,
    /// How many of the points there were before the first measurement: what has to be fixed in advance is fixed by these.
    pub begun_with: usize,
    /// The candidates by their own columns, for a calibrated policy; where there is none it takes the features of the pool.
    pub space: Option<Space>,
    /// What was predicted before the first measurement.
    pub beliefs: Vec<Belief>,
    /// The theorem behind the bounds of the ellipsoid family.
    pub theorem: TheoremName,
}

impl Question {
    /// Asks for `goal` on `pool`, with δ = 0.05 and seed 0.
    ///
    /// # Errors
    /// Those of [`Goal::check`].
    pub fn new(pool: Pool, assumptions: Assumptions, goal: Goal) -> Result<Self, BanditError> {
        let goal = goal.check(pool.choice_count())?;
        let delta = Confidence::new(0.05).expect("0.05 lies between 0 and 1");
        let begun_with = pool.len();
        Ok(Self {
            pool,
            assumptions,
            goal,
            delta,
            gamma: None,
            seed: 0,
            begun_with,
            space: None,
            beliefs: Vec::new(),
            theorem: TheoremName::Witnesses,
        })
    }

    /// The probability with which the verdict may be wrong.
    #[must_use]
    pub fn delta(mut self, delta: Confidence) -> Self {
        self.delta = delta;
        self
    }

    /// The ridge γ of designs and estimates.
    #[must_use]
    pub fn gamma(mut self, gamma: Ridge) -> Self {
        self.gamma = Some(gamma);
        self
    }

    /// Only the first so many points were there before the first measurement; the others were added later.
    #[must_use]
    pub fn begun_with(mut self, points: usize) -> Self {
        self.begun_with = points.clamp(1, self.pool.len());
        self
    }

    /// The candidates by their own columns, numbers and categories.
    #[must_use]
    pub fn space(mut self, space: Space) -> Self {
        self.space = Some(space);
        self
    }

    /// Lets one more prediction bet, made before the first measurement.
    ///
    /// # Errors
    /// [`BanditError::Belief`] unless it has one mean for each of the points that there were then.
    pub fn believes(mut self, belief: Belief) -> Result<Self, BanditError> {
        let problem = belief.problem().or_else(|| {
            let (points, means) = (self.begun_with, belief.means().len());
            (means != points).then(|| format!("{means} predictions for {points} candidates"))
        });
        match problem {
            Some(problem) => Err(BanditError::Belief { name: belief.name().to_owned(), problem }),
            None => {
                self.beliefs.push(belief);
                Ok(self)
            }
        }
    }

    /// The theorem behind the bounds of the ellipsoid family.
    #[must_use]
    pub fn theorem(mut self, theorem: TheoremName) -> Self {
        self.theorem = theorem;
        self
    }

    /// The seed of every random choice.
    #[must_use]
    pub fn seed(mut self, seed: u64) -> Self {
        self.seed = seed;
        self
    }
}
