//! One round before it is measured: its accuracy, its ridge, its design.

use super::phases::Phases;
use super::sample_size::{exact_counts, log_term};
use super::settings::{Constants, Thresholds};
use crate::bandit::{BanditError, Goal, Measurements, Plan};
use crate::design::{Control, Criterion, DesignError, InteriorPoint, Problem, Solver};
use crate::estimate::prospect;
use crate::linalg::norm_squared;
use crate::pool::{PointId, Pool, Subset, Targets};
use crate::rounding::{Apportionment, Constraints, Draws, ProjectThenRound, Request, Rounding};
use crate::units::{Ridge, Tolerance};
use std::borrow::Cow;
use std::collections::BTreeMap;

/// How well a round's design is solved. What was achieved is used, so this costs samples, never truth.
const DESIGN_TOLERANCE: f64 = 1e-3;
/// The share of ε_ℓ that the ridge's bias may take. A smaller ridge has less bias and a larger f, which grows slowly.
const RIDGE_SHARE: f64 = 0.125;
/// The smallest ridge, relative to the largest squared feature norm: below it norms lose their digits.
const SMALLEST_RIDGE: f64 = 1e-10;
/// The ridge that stands in for none where the optimum is singular, relative to the largest squared feature norm.
const STAND_IN_RIDGE: f64 = 1e-6;
/// The share of the D design in such a design.
const EVERYWHERE: f64 = 1.0 / 64.0;
/// A horizon that is not known is guessed as the next power of two, and at least this.
const FIRST_HORIZON: u64 = 1 << 10;
/// Draws that a plan may hold in memory.
const MOST_IN_A_ROUND: u64 = 1 << 30;
/// From so many measurements a supported point on, apportionment loses at most a third.
const PLENTY: u64 = 4;

/// Round ℓ as it starts out.
#[derive(Debug, Clone, Copy)]
pub(super) struct Round {
    /// ℓ.
    pub number: u64,
    /// ε_ℓ = B 2^-ℓ.
    pub epsilon: f64,
    /// γ.
    pub gamma: Ridge,
    /// Whether γ stays the same when ε_ℓ falls.
    pub gamma_is_fixed: bool,
    /// Measurements that the budget leaves.
    pub left: u64,
}

/// A design for the survivors, and what it promises.
pub(super) struct RoundDesign<'a> {
    /// The points it may weigh: the survivors, or all.
    pool: Cow<'a, Pool>,
    /// Which points of the whole pool these are, when they are not all.
    ids: Option<Vec<PointId>>,
    criterion: Criterion,
    targets: Targets,
    /// λ_ℓ on the points of `pool`.
    own_weights: Vec<(PointId, f64)>,
    /// λ_ℓ on the points of the whole pool.
    pub weights: Vec<(PointId, f64)>,
    /// f: the achieved value, `max ‖v‖²`.
    pub value: f64,
    /// The largest second moment of one draw, centred.
    pub moment: f64,
    /// The noise width to plan for.
    pub accuracy: f64,
}

impl Phases {
    /// γ: what the user set; for regret k/T with k the largest squared feature norm, T the horizon or the power of two above what was
    /// measured; for exploration so small that the ridge's bias is about ε_ℓ/8, which needs S, and 0 without S when
    /// the features are explicit.
    pub(super) fn ridge(&self, epsilon: f64) -> Result<(Ridge, bool), BanditError> {
        if let Some(gamma) = self.question.gamma {
            return Ok((gamma, true));
        }
        let scale = self.largest_squared_norm();
        if let Goal::Regret { horizon } = self.question.goal {
            let guess = (2 * self.samples()).next_power_of_two().max(FIRST_HORIZON);
            return Ok((Ridge::new(scale / horizon.unwrap_or(guess) as f64)?, horizon.is_some()));
        }
        let norm = match self.question.assumptions.norm_bound() {
            Some(norm) => norm,
            None if self.question.pool.residual() == 0.0 && self.question.pool.exact().is_none() => {
                return Ok((Ridge::ZERO, true));
            }
            None => 2.0 * self.scale() / scale.sqrt(),
        };
        let value = self.last_value().unwrap_or(self.question.pool.dimension() as f64).max(1.0);
        let wanted = (RIDGE_SHARE * epsilon / norm).powi(2) / value;
        let smallest = SMALLEST_RIDGE * scale;
        // NaN and infinity (a norm of 0) end at the scale of the features.
        let gamma = if wanted < scale { wanted.max(smallest) } else { scale };
        Ok((Ridge::new(gamma)?, gamma == smallest))
    }

    fn largest_squared_norm(&self) -> f64 {
        let features = self.question.pool.features();
        (0..features.rows()).map(|i| norm_squared(features.row(i))).fold(f64::MIN_POSITIVE, f64::max)
    }

    /// `min f(λ; X_ℓ, γ)` over the simplex on the survivors (g), or `min f(λ; Z_ℓ, γ)` over the simplex on the pool (xy).
    pub(super) fn design(&self, criterion: Criterion, round: &Round) -> Result<RoundDesign<'_>, BanditError> {
        let whole = &self.question.pool;
        let survivors = self.survivors().to_vec();
        let own = Targets::Points(Subset::Of(survivors.clone()));
        let (pool, ids, targets, whole_targets, steps) = match criterion {
            Criterion::G => {
                let restricted = Cow::Owned(whole.restrict(&survivors));
                (restricted, Some(survivors), Targets::Points(Subset::All), own, 1.0)
            }
            _ => {
                let pairs = Targets::Differences(Subset::Of(survivors));
                (Cow::Borrowed(whole), None, pairs.clone(), pairs, 2.0)
            }
        };
        let problem = Problem::new(&pool, criterion, targets.clone(), round.gamma)?;
        let own_weights = self.optimal_weights(&problem, &self.warm_start(ids.as_deref()))?;
        let weights = match &ids {
            Some(ids) => own_weights.iter().map(|&(id, weight)| (ids[id.index()], weight)).collect(),
            None => own_weights.clone(),
        };
        let seen = prospect(whole, &weights, round.gamma, &whole_targets, &self.second_moments()?)?;
        let ridge = self.question.assumptions.norm_bound().unwrap_or(0.0) * seen.pull;
        let wrong_model = self.question.assumptions.h() * (seen.norm + steps);
        let lasting = wrong_model + if round.gamma_is_fixed { ridge } else { 0.0 };
        let accuracy = match self.constants() {
            Constants::Certified => self.accuracy_for(round.epsilon, ridge + wrong_model, lasting),
            Constants::Paper => round.epsilon,
        };
        let (value, moment) = (seen.norm * seen.norm, seen.moment);
        drop(problem);
        Ok(RoundDesign { pool, ids, criterion, targets, own_weights, weights, value, moment, accuracy })
    }

    /// The design to 1e-3. When its optimum is singular (few survivors, no ridge), one with a small ridge in its place and a little of the
    /// D design, which measures every direction: what it achieves is computed as for any other.
    fn optimal_weights(
        &self,
        problem: &Problem<'_>,
        start: &[(PointId, f64)],
    ) -> Result<Vec<(PointId, f64)>, BanditError> {
        let solve = |problem: &Problem<'_>| -> Result<Vec<(PointId, f64)>, DesignError> {
            let mut control = Control::new(Tolerance::new(DESIGN_TOLERANCE)?);
            Ok(InteriorPoint::default().warm_start(start).solve(problem, &mut control)?.support)
        };
        match solve(problem) {
            Err(DesignError::Singular { .. }) => {}
            solved => return Ok(solved?),
        }
        let pool = problem.pool();
        let ridge = Ridge::new(problem.gamma().get().max(STAND_IN_RIDGE * self.largest_squared_norm()))?;
        let nearly = solve(&Problem::new(pool, problem.criterion(), problem.targets().clone(), ridge)?)?;
        let everywhere = solve(&Problem::over_choices(&pool.points_only(), Criterion::D, problem.gamma())?)?;
        let mut mixed: BTreeMap<PointId, f64> = BTreeMap::new();
        for (weights, share) in [(nearly, 1.0 - EVERYWHERE), (everywhere, EVERYWHERE)] {
            weights.into_iter().for_each(|(id, weight)| *mixed.entry(id).or_default() += share * weight);
        }
        Ok(mixed.into_iter().collect())
    }

    /// The noise width to plan for: ε_ℓ, or what the goal needs when that is more, and not far below a bias that stays.
    fn accuracy_for(&self, epsilon: f64, bias: f64, lasting: f64) -> f64 {
        let wanted = match self.question.goal {
            Goal::Best { epsilon } | Goal::Top { epsilon, .. } => epsilon,
            // What stays in is within ε + 3 widths of the best.
            Goal::AllGood { epsilon } => epsilon / 3.0,
            Goal::Regret { .. } => 0.0,
        };
        let enough = match self.thresholds() {
            Thresholds::Vouched => wanted - bias,
            Thresholds::Room => (wanted - bias).min(0.5 * wanted),
        };
        // A little less, for what the rounding of weights and the last digits may take.
        let enough = 0.999 * enough;
        if enough > epsilon && enough < self.last_accuracy() {
            enough
        } else if lasting < 0.75 * self.last_accuracy() {
            epsilon.max(lasting)
        } else {
            epsilon
        }
    }

    /// K statements in both tails, in all rounds.
    pub(super) fn log_term(&self, round: &Round, statements: usize) -> f64 {
        log_term(self.question.delta, round.number, statements)
    }

    /// Independent draws; nothing when they do not fit into the horizon.
    pub(super) fn draw(
        &self,
        round: &Round,
        design: &RoundDesign<'_>,
        wanted: u64,
    ) -> Result<Option<Plan>, BanditError> {
        let Some(count) = self.within_horizon(round, wanted)? else { return Ok(None) };
        let draws = Draws::for_round(&design.weights, count, self.question.seed, round.number)?;
        Ok(Some(design.plan(round, Measurements::Drawn(draws))))
    }

    /// Counts by project-then-round whose achieved width is the accuracy: the paper's `2σ² f L ε⁻²`, f being what the rounding achieved, and
    /// at least the effective dimension; nothing when they do not fit into the horizon.
    pub(super) fn count(
        &self,
        round: &Round,
        design: &RoundDesign<'_>,
        log_term: f64,
    ) -> Result<Option<Plan>, BanditError> {
        let accuracy = design.accuracy;
        let variance = self.question.assumptions.sigma_bound().powi(2);
        let problem = Problem::new(&design.pool, design.criterion, design.targets.clone(), round.gamma)?;
        let none = Constraints::default();
        let mut wanted = exact_counts(log_term, variance, design.value, accuracy);
        for _ in 0..8 {
            let Some(count) = self.within_horizon(round, wanted)? else { return Ok(None) };
            let request = Request::from_weights(&problem, &design.own_weights, count, &none)?;
            let rounded = if count >= PLENTY * design.weights.len() as u64 {
                Apportionment::default().round(&request)?
            } else {
                ProjectThenRound::default().round(&request)?
            };
            let dimension = rounded.report.dimension as u64;
            let enough = match (rounded.report.value, rounded.report.ratio) {
                (Some(value), Some(ratio)) if ratio <= 2.0 => {
                    exact_counts(log_term, variance, value, accuracy)
                }
                _ => 2 * wanted.max(dimension),
            };
            if count < wanted
                || count
                    >= enough.max(if count >= PLENTY * design.weights.len() as u64 { 0 } else { dimension })
            {
                let allocation = match &design.ids {
                    None => rounded.allocation,
                    Some(ids) => crate::rounding::Allocation::new(
                        rounded.allocation.counts().iter().map(|&(id, n)| (ids[id.index()], n)).collect(),
                    )?,
                };
                return Ok(Some(design.plan(round, Measurements::Counted(allocation))));
            }
            wanted = enough.max(dimension);
        }
        Err(BanditError::OverBudget { needed: wanted, left: round.left })
    }

    /// The measurements of a round: all of them, or as many as the horizon allows; nothing when it is better to play the leader.
    ///
    /// # Errors
    /// [`BanditError::OverBudget`].
    fn within_horizon(&self, round: &Round, wanted: u64) -> Result<Option<u64>, BanditError> {
        let count = match self.horizon_left() {
            Some(left) => match self.room_in_horizon(wanted, left) {
                Some(count) => count,
                None => return Ok(None),
            },
            None => wanted,
        };
        let left = round.left.min(MOST_IN_A_ROUND);
        if count > left {
            return Err(BanditError::OverBudget { needed: count, left });
        }
        Ok(Some(count))
    }
}

impl RoundDesign<'_> {
    fn plan(&self, round: &Round, measurements: Measurements) -> Plan {
        Plan {
            round: round.number,
            measurements,
            epsilon: Some(self.accuracy),
            gamma: Some(round.gamma.get()),
            value: Some(self.value),
        }
    }
}
