//! Algorithms in phases: explore the active points without looking, then drop whoever is clearly worse.

use super::index::needs_norm;
use super::record::Record;
use elfving::bandit::{
    BanditError, Decision, Elimination, Next, Plan, Policy, Precision, Question, Reading, Reason, Regression,
    Report, Status, Wanted, averages,
};
use elfving::pool::{ChoiceId, PointId};

/// How a phase explores.
pub(super) trait Exploration: Send {
    fn name(&self) -> &'static str;

    /// The length of phase `phase` (from 1), with `before` measurements in the phase before it.
    fn length(&self, horizon: u64, phase: u64, before: u64) -> u64;

    /// How many phases there are at most.
    fn most_phases(&self, horizon: u64) -> u64;

    /// Which active points to measure, `length` of them, with nothing measured in this phase yet.
    fn choose(
        &self,
        fresh: &Precision,
        active: &[PointId],
        length: u64,
        seed: u64,
        phase: u64,
    ) -> Vec<PointId>;
}

/// The algorithm box: measure, fit this phase's data alone, keep x while `mean + width ≥ max (mean - width)`.
///
/// The points of a phase do not depend on its outcomes, so ridge regression has the fixed-design width
/// `(√ridge S + σ √(2 ln(2 n P / δ))) ‖φ‖` for P phases (Vakili, Bouziani, Jalali, Bernacchia and Shiu 2021, Theorem 1).
pub(super) struct Phased<E> {
    exploration: E,
    record: Record,
    horizon: u64,
    norm: f64,
    active: Vec<ChoiceId>,
    eliminated: Vec<Elimination>,
    /// The length of the last phase.
    before: u64,
}

impl<E: Exploration> Phased<E> {
    pub(super) fn new(exploration: E, question: Question) -> Result<Self, BanditError> {
        let name = exploration.name();
        let norm = needs_norm(name, &question)?;
        let ridge = question.assumptions.sigma_bound().powi(2);
        let record = Record::of_measurable(name, question, ridge)?;
        let needs_horizon =
            BanditError::NeedsAssumption { policy: name, what: "a horizon", instead: "gp-ucb" };
        let horizon = record.horizon().ok_or(needs_horizon)?;
        let active = record.all_choices();
        Ok(Self { exploration, record, horizon, norm, active, eliminated: Vec::new(), before: 1 })
    }

    /// Nothing measured yet, with the ridge of the record.
    fn fresh(&self) -> Result<Regression, BanditError> {
        Regression::of(&self.record.question, self.record.regression.precision().ridge())
    }

    /// The width is this times `‖φ‖` in the inverse of V.
    fn multiplier(&self) -> f64 {
        let question = &self.record.question;
        let sigma = question.assumptions.sigma_bound();
        let statements = question.pool.len() as f64 * self.exploration.most_phases(self.horizon) as f64;
        let quantile = (2.0 * (2.0 * statements / question.delta.delta()).ln()).sqrt();
        self.record.regression.precision().ridge().sqrt() * self.norm + sigma * quantile
    }
}

impl<E: Exploration> Policy for Phased<E> {
    fn name(&self) -> &'static str {
        self.record.name()
    }

    fn plan(&mut self, _: &Wanted) -> Result<Next, BanditError> {
        let phase = self.record.next_round();
        let wanted = self.exploration.length(self.horizon, phase, self.before);
        let Some(length) = self.record.within_horizon(wanted) else { return Ok(Next::Stop(Reason::Horizon)) };
        let fresh = self.fresh()?;
        let seed = self.record.question.seed;
        let active = self.record.measurable(&self.active);
        let points = self.exploration.choose(fresh.precision(), &active, length, seed, phase);
        Ok(Next::Measure(Plan::chosen(phase, points)))
    }

    fn learn(&mut self, plan: &Plan, readings: &[Reading]) -> Result<Decision, BanditError> {
        let outcomes = &averages(readings);
        let mut fresh = self.fresh()?;
        for (point, &outcome) in plan.measurements.points().into_iter().zip(outcomes) {
            fresh.add(point, outcome);
        }
        self.before = outcomes.len() as u64;
        let multiplier = self.multiplier();
        let mean = |id: &ChoiceId| fresh.means()[id.index()];
        let width = |id: &ChoiceId| multiplier * fresh.precision().norms()[id.index()].sqrt();
        let by =
            self.active.iter().copied().reduce(|best, id| {
                if mean(&id) - width(&id) > mean(&best) - width(&best) { id } else { best }
            });
        let by = by.expect("the point of the largest lower bound stays active");
        let mut decision = self.record.take(plan, outcomes, Vec::new());
        for &choice in &self.active {
            let (difference, threshold) = (mean(&by) - mean(&choice), width(&by) + width(&choice));
            if difference > threshold {
                let round = plan.round;
                decision.eliminated.push(Elimination { choice, by, difference, threshold, round });
            } else {
                decision.survivors.push(choice);
            }
        }
        Ok(decision)
    }

    fn apply(&mut self, decision: &Decision) {
        self.record.close(decision);
        self.active.clone_from(&decision.survivors);
        self.eliminated.extend_from_slice(&decision.eliminated);
    }

    fn status(&self) -> Status {
        self.record.status()
    }

    fn report(&self) -> Report {
        self.record.report(self.active.clone(), self.eliminated.clone(), self.multiplier())
    }
}
