//! The design of a round, and the accuracy it is planned for.

use super::round::Round;
use super::*;
use crate::design::{Control, Criterion, DesignError, InteriorPoint, Problem, Solver};
use crate::estimate::prospect;
use crate::pool::{Subset, Targets};
use crate::units::Tolerance;
use std::borrow::Cow;
use std::collections::BTreeMap;

/// The ridge that stands in for none where the optimum is singular, relative to the largest squared feature norm.
const STAND_IN_RIDGE: f64 = 1e-6;
/// The share of the D design in such a design.
const EVERYWHERE: f64 = 1.0 / 64.0;

/// A design for the survivors, and what it promises.
pub(crate) struct RoundDesign<'a> {
    /// The points it may weigh: the survivors, or all.
    pub(crate) pool: Cow<'a, Pool>,
    /// Which points of the whole pool these are, when they are not all.
    pub(crate) ids: Option<Vec<PointId>>,
    pub(crate) criterion: Criterion,
    pub(crate) targets: Targets,
    /// λ_ℓ on the points of `pool`.
    pub(crate) own_weights: Vec<(PointId, f64)>,
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
    /// `min f(λ; X_ℓ, γ)` over the simplex on the survivors (g), or `min f(λ; Z_ℓ, γ)` over the simplex on the pool (xy).
    pub(crate) fn design(&self, criterion: Criterion, round: &Round) -> Result<RoundDesign<'_>, BanditError> {
        let whole = &self.question.pool;
        let survivors = self.survivors().to_vec();
        let own = Targets::Points(Subset::Of(survivors.clone()));
        let (pool, ids, targets, whole_targets, steps) = match criterion {
            Criterion::G => {
                let points: Vec<PointId> = survivors.iter().map(|&id| self.point_of(id)).collect();
                let restricted = Cow::Owned(whole.restrict(&points));
                (restricted, Some(points), Targets::Points(Subset::All), own, 1.0)
            }
            _ => {
                let pairs = Targets::Differences(Subset::Of(survivors));
                (Cow::Borrowed(whole), None, pairs.clone(), pairs, 2.0)
            }
        };
        let problem = Problem::new(&pool, criterion, targets.clone(), round.gamma)?;
        let own_weights = self.optimal_weights(&problem, &self.rounds.warm_start(ids.as_deref()))?;
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
            let mut control = Control::new(Tolerance::new(schedule::DESIGN_TOLERANCE)?);
            Ok(InteriorPoint::default().warm_start(start).solve(problem, &mut control)?.support().to_vec())
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
            Goal::Regret { .. } | Goal::Map { .. } => 0.0,
        };
        let room = self.thresholds() == Thresholds::Room;
        schedule::accuracy_of_round(epsilon, wanted, bias, lasting, self.last_accuracy(), room)
    }
}

impl RoundDesign<'_> {
    pub(crate) fn plan(&self, round: &Round, measurements: Measurements) -> Plan {
        Plan {
            round: round.number,
            measurements,
            epsilon: Some(self.accuracy),
            gamma: Some(round.gamma.get()),
            value: Some(self.value),
            reasons: Vec::new(),
        }
    }
}
