//! The rounds of an elimination algorithm, on paper.

use std::collections::BTreeMap;
use std::fmt;

use serde::Serialize;

use super::rounds::{counts_of_round, widths_of_points};
use elfving::bandit::elimination::schedule::{
    DESIGN_TOLERANCE, accuracy_of_round, epsilon_of_round, exact_draws, log_term, ridge_for, ridge_of_round,
    scale_of_means, statements_of_round,
};
use elfving::bandit::{BanditError, Goal, Question};
use elfving::design::{Control, Criterion, InteriorPoint, Problem, Solver};
use elfving::estimate::{Tails, prospect};
use elfving::pool::{PointId, Subset, Targets};
use elfving::units::{Ridge, Tolerance};

/// Rounds at most: ε_60 is 10⁻¹⁸ of B.
const MOST_ROUNDS: u64 = 60;

/// One round as it is planned.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct PlannedRound {
    /// ℓ.
    pub round: u64,
    /// Every difference within this of its expectation.
    pub accuracy: f64,
    /// What the ridge and the misspecification add to it at most.
    pub bias: f64,
    /// γ.
    pub gamma: f64,
    /// f over all differences, as the design achieves it.
    pub worst_variance: f64,
    /// Measurements.
    pub samples: u64,
}

/// What an algorithm takes when nothing can be eliminated before the end.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct WorstCase {
    /// Its name on the command line.
    pub algorithm: &'static str,
    /// Its rounds.
    pub rounds: Vec<PlannedRound>,
    /// All measurements.
    pub samples: u64,
    /// Whether ε is reached; else bias stands in the way and the rounds end where more of them gain nothing.
    pub reached: bool,
}

/// Plans for a question about the best choice.
///
/// ```
/// use elfving::bandit::{Goal, Question};
/// use elfving_lab::plan::Planner;
/// use elfving::{estimate::{Assumptions, Tails}, numerics::Matrix, pool::Pool};
/// let pool = Pool::from_features(Matrix::identity(3))?;
/// let assumptions = Assumptions::new(0.1)?.bound(1.0)?.tails(Tails::SubGaussian);
/// let question = Question::new(pool, assumptions, Goal::Best { epsilon: 0.1 })?;
/// let mut planner = Planner::new(&question)?;
/// let (rips, ptr) = (planner.rips(0.1)?, planner.ptr(0.1)?);
/// assert!(rips.reached && ptr.reached && ptr.samples < rips.samples);
/// # Ok::<(), elfving::bandit::BanditError>(())
/// ```
#[derive(Debug)]
pub struct Planner<'a> {
    question: &'a Question,
    /// Designs by the bits of γ: both algorithms and all ε share them.
    designs: BTreeMap<u64, Vec<(PointId, f64)>>,
}

impl<'a> Planner<'a> {
    /// Takes pool, assumptions, δ and γ from the question.
    ///
    /// # Errors
    /// [`BanditError::OtherGoal`] for regret, [`BanditError::NeedsAssumption`] without B and without S.
    pub fn new(question: &'a Question) -> Result<Self, BanditError> {
        if let Goal::Regret { .. } = question.goal {
            let (policy, wanted) = ("the planner", "the best choice: little loss has no end to plan for");
            return Err(BanditError::OtherGoal { policy, goal: question.goal.to_string(), wanted });
        }
        let assumptions = &question.assumptions;
        if assumptions.bound_if_known().is_none() && assumptions.norm_bound().is_none() {
            return Err(BanditError::NeedsAssumption {
                policy: "the planner",
                what: "a bound B on the mean outcomes or S on the norm, to know where to start",
                instead: "a simulation",
            });
        }
        Ok(Self { question, designs: BTreeMap::new() })
    }

    /// The rounds of `rips-best` for an answer within ε.
    ///
    /// # Errors
    /// [`BanditError::NeedsAssumption`] without B; what the designs find.
    pub fn rips(&mut self, epsilon: f64) -> Result<WorstCase, BanditError> {
        if self.question.assumptions.bound_if_known().is_none() {
            return Err(BanditError::NeedsAssumption {
                policy: "rips-best",
                what: "a bound B on the mean outcomes",
                instead: "ellipsoid-best or ptr-best",
            });
        }
        self.rounds("rips-best", Tails::BoundedVariance, epsilon)
    }

    /// The rounds of `ptr-best` for an answer within ε; whole numbers cost a little more than planned where a round has few
    /// measurements a point.
    ///
    /// # Errors
    /// What the designs find.
    pub fn ptr(&mut self, epsilon: f64) -> Result<WorstCase, BanditError> {
        self.rounds("ptr-best", Tails::SubGaussian, epsilon)
    }

    /// A ridge whose bias takes about an eighth of ε, which needs S (2B over the largest feature norm without it): `(ε / 8S)² / f`.
    ///
    /// # Errors
    /// What the design finds.
    pub fn suggested_gamma(&mut self, epsilon: f64) -> Result<Ridge, BanditError> {
        let mut value = self.question.pool.dimension() as f64;
        let mut gamma = Ridge::ZERO;
        for _ in 0..2 {
            gamma = ridge_for(self.question, epsilon, Some(value))?.0;
            value = self.worst_variance(gamma)?.max(1.0);
        }
        Ok(gamma)
    }

    /// f over all differences at ridge γ, as a design to 1e-3 achieves it.
    ///
    /// # Errors
    /// What the design finds.
    pub fn worst_variance(&mut self, gamma: Ridge) -> Result<f64, BanditError> {
        let weights = self.design(gamma)?;
        let pool = &self.question.pool;
        let seen =
            prospect(pool, &weights, gamma, &Targets::Differences(Subset::All), &vec![0.0; pool.len()])?;
        Ok(seen.norm * seen.norm)
    }

    fn rounds(
        &mut self,
        algorithm: &'static str,
        tails: Tails,
        epsilon: f64,
    ) -> Result<WorstCase, BanditError> {
        let question = self.question;
        let (pool, assumptions) = (&question.pool, &question.assumptions);
        let mut plan = WorstCase { algorithm, rounds: vec![], samples: 0, reached: true };
        if pool.choice_count() < 2 {
            return Ok(plan);
        }
        let scale = scale_of_means(question);
        let pairs = Targets::Differences(Subset::All);
        let statements = statements_of_round(pool, pool.choice_count(), tails);
        let variance = assumptions.sigma_bound().powi(2);
        // Without S the bias of a kernel's ridge is unknown: the algorithms leave room for it.
        let room = assumptions.norm_bound().is_none() && (pool.exact().is_some() || question.gamma.is_some());
        let mut radii = vec![scale; pool.len()];
        let (mut last_accuracy, mut last_value) = (f64::INFINITY, None);
        let mut number = 0;
        while number < MOST_ROUNDS {
            number += 1;
            let of_round = |number: u64| epsilon_of_round(scale, number);
            // A round that could not tell the worst from the best is skipped.
            let widest = 2.0 * radii.iter().copied().fold(0.0, f64::max);
            while room
                && tails == Tails::BoundedVariance
                && of_round(number) >= widest
                && number < MOST_ROUNDS
            {
                number += 1;
            }
            let (gamma, fixed) = ridge_of_round(question, of_round(number), last_value)?;
            let weights = self.design(gamma)?;
            let moments: Vec<f64> = radii.iter().map(|radius| radius * radius + variance).collect();
            let seen = prospect(pool, &weights, gamma, &pairs, &moments)?;
            let ridge = assumptions.norm_bound().unwrap_or(0.0) * seen.pull;
            let wrong_model = assumptions.h() * (seen.norm + 2.0);
            let lasting = wrong_model + if fixed { ridge } else { 0.0 };
            let bias = ridge + wrong_model;
            let accuracy = accuracy_of_round(of_round(number), epsilon, bias, lasting, last_accuracy, room);
            let log_term = log_term(question.delta, number, statements);
            let value = seen.norm * seen.norm;
            let samples = match tails {
                Tails::BoundedVariance => exact_draws(log_term, seen.moment, accuracy),
                Tails::SubGaussian => counts_of_round(log_term, variance, value, accuracy, weights.len()),
            };
            if tails == Tails::BoundedVariance {
                let widths = widths_of_points(question, &weights, gamma, &moments, log_term, samples)?;
                for (radius, width) in radii.iter_mut().zip(widths) {
                    *radius = radius.min(if room { width + accuracy } else { width });
                }
            }
            let stated = if room { bias.max(accuracy) } else { bias };
            plan.rounds.push(PlannedRound {
                round: number,
                accuracy,
                bias: stated,
                gamma: gamma.get(),
                worst_variance: value,
                samples,
            });
            plan.samples = plan.samples.saturating_add(samples);
            (last_accuracy, last_value) = (accuracy, Some(value));
            if accuracy + stated <= epsilon * (1.0 + 1e-9) {
                return Ok(plan);
            }
            if lasting > 0.0 && accuracy <= lasting {
                break;
            }
        }
        plan.reached = false;
        Ok(plan)
    }

    /// The XY design over all choices.
    fn design(&mut self, gamma: Ridge) -> Result<Vec<(PointId, f64)>, BanditError> {
        let key = gamma.get().to_bits();
        if let Some(weights) = self.designs.get(&key) {
            return Ok(weights.clone());
        }
        let problem =
            Problem::new(&self.question.pool, Criterion::Xy, Targets::Differences(Subset::All), gamma)?;
        let start = self.designs.values().next().cloned().unwrap_or_default();
        let mut control = Control::new(Tolerance::new(DESIGN_TOLERANCE)?);
        let design = InteriorPoint::default().warm_start(&start).solve(&problem, &mut control)?;
        let weights = design.support().to_vec();
        self.designs.insert(key, weights.clone());
        Ok(weights)
    }
}

impl fmt::Display for WorstCase {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "{}: at most {} measurements in {} rounds",
            self.algorithm,
            self.samples,
            self.rounds.len()
        )?;
        if self.reached { Ok(()) } else { f.write_str(", and bias keeps it from epsilon") }
    }
}
