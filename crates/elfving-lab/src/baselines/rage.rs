//! RAGE: transductive best-arm identification by XY designs (Fiez, Jain, Jamieson and Ratliff 2019).

use super::record::Record;
use elfving::bandit::{
    BanditError, Decision, Elimination, Goal, Measurements, Next, Plan, Policy, Question, Reading, Reason,
    Report, Status, Wanted, averages,
};
use elfving::design::{Control, Criterion, InteriorPoint, Problem, Solver};
use elfving::estimate::{Counted, LeastSquares};
use elfving::numerics::apply;
use elfving::pool::{ChoiceId, Subset, Targets};
use elfving::rounding::{Allocation, Apportionment, Constraints, Request, Rounding};
use elfving::units::{Ridge, Tolerance};

/// How close to the optimal design is close enough; it enters the sample size as ε does in theirs.
const DESIGN_TOLERANCE: f64 = 1e-3;

/// Their Algorithm 1. Round t: the design that is best for the differences of the survivors, `N_t = ⌈8 (2^{t+1})² σ² f ln(m²/δ_t)⌉`
/// measurements with `δ_t = δ/t²` and f the value of the design, least squares on this round alone, and z is out when some
/// survivor is `2^{-(t+2)}` above it. After round t every survivor is within `2^{-t}` of the best.
///
/// Their theorem is for linear means (h = 0) and σ-sub-Gaussian noise, with a rounding that loses a factor 1 + ε; ours is efficient
/// apportionment, with N_t at least the size of the support. Points and choices may differ. For regret it explores, then
/// measures the best survivor.
pub(super) struct Rage {
    record: Record,
    survivors: Vec<ChoiceId>,
    eliminated: Vec<Elimination>,
}

impl Rage {
    pub(super) fn new(question: Question) -> Result<Self, BanditError> {
        const NAME: &str = "rage";
        let ridge = question.assumptions.sigma_bound().powi(2);
        let record = match question.goal {
            Goal::Best { .. } => Record::new(NAME, question, ridge)?,
            Goal::Regret { .. } => Record::of_measurable(NAME, question, ridge)?,
            goal => {
                let wanted = "one best choice, or regret";
                return Err(BanditError::OtherGoal { policy: NAME, goal: goal.to_string(), wanted });
            }
        };
        let survivors = record.all_choices();
        Ok(Self { record, survivors, eliminated: Vec::new() })
    }

    /// Whether the survivors are close enough together, or cannot be told apart.
    fn found(&self) -> Option<Reason> {
        let close_enough = match self.record.question.goal {
            Goal::Best { epsilon } => self.rounds() > 0 && (-(self.rounds() as f64)).exp2() <= epsilon,
            _ => false,
        };
        let choices = self.record.question.pool.choices();
        let first = choices.row(self.survivors[0].index());
        if self.survivors.len() == 1 || close_enough {
            Some(Reason::Reached)
        } else if self.survivors.iter().all(|id| choices.row(id.index()) == first) {
            Some(Reason::Tied)
        } else {
            None
        }
    }

    fn rounds(&self) -> u64 {
        self.record.next_round() - 1
    }

    fn explore(&self, round: u64) -> Result<Allocation, BanditError> {
        let question = &self.record.question;
        let targets = Targets::Differences(Subset::Of(self.survivors.clone()));
        let problem = Problem::new(&question.pool, Criterion::Xy, targets, Ridge::ZERO)?;
        let tolerance = Tolerance::new(DESIGN_TOLERANCE)?;
        let design = InteriorPoint::default().solve(&problem, &mut Control::new(tolerance))?;
        let (choices, t) = (question.pool.choice_count() as f64, round as f64);
        let log_term = (choices * choices * t * t / question.delta.delta()).ln();
        let scale = (2.0 * (t + 1.0)).exp2() * question.assumptions.sigma_bound().powi(2);
        let wanted = (8.0 * scale * design.certificate().value() * log_term).ceil() as u64;
        let length = wanted.max(design.support().len() as u64);
        let request = Request::new(&problem, &design, length, &Constraints::default())?;
        Ok(Apportionment::default().round(&request)?.allocation)
    }

    /// As many measurements of the allocation as the horizon leaves, in its order.
    fn truncated(&self, allocation: Allocation) -> Measurements {
        match self.record.within_horizon(allocation.total()) {
            Some(length) if length < allocation.total() => {
                Measurements::Chosen(allocation.slots().into_iter().take(length as usize).collect())
            }
            _ => Measurements::Counted(allocation),
        }
    }
}

impl Policy for Rage {
    fn name(&self) -> &'static str {
        self.record.name()
    }

    fn plan(&mut self, wanted: &Wanted) -> Result<Next, BanditError> {
        let batch = wanted.batch;
        let Some(batch) = self.record.within_horizon(batch as u64) else {
            return Ok(Next::Stop(Reason::Horizon));
        };
        let round = self.record.next_round();
        let measurements = match (self.found(), self.record.question.goal) {
            (Some(reason), Goal::Best { .. }) => return Ok(Next::Stop(reason)),
            (Some(_), _) => {
                let best = self.record.measurable(&self.survivors[..1]);
                Measurements::Chosen(best.repeat(batch as usize))
            }
            (None, _) => self.truncated(self.explore(round)?),
        };
        Ok(Next::Measure(Plan { measurements, ..Plan::chosen(round, Vec::new()) }))
    }

    fn learn(&mut self, plan: &Plan, readings: &[Reading]) -> Result<Decision, BanditError> {
        let outcomes = &averages(readings);
        let mut decision = self.record.take(plan, outcomes, Vec::new());
        // A round cut short by the horizon decides nothing.
        let Measurements::Counted(allocation) = &plan.measurements else {
            decision.survivors.clone_from(&self.survivors);
            return Ok(decision);
        };
        let pool = &self.record.question.pool;
        let fit = LeastSquares::fit(&Counted::new(pool, allocation, outcomes, Ridge::ZERO)?);
        let values = apply(pool.choices(), fit.theta());
        let best = Goal::Best { epsilon: 0.0 }.picks(&values, &self.survivors)[0];
        let threshold = (-(plan.round as f64 + 2.0)).exp2();
        for &choice in &self.survivors {
            let difference = values[best.index()] - values[choice.index()];
            if difference >= threshold && choice != best {
                let round = plan.round;
                decision.eliminated.push(Elimination { choice, by: best, difference, threshold, round });
            } else {
                decision.survivors.push(choice);
            }
        }
        Ok(decision)
    }

    fn apply(&mut self, decision: &Decision) {
        self.record.close(decision);
        self.survivors.clone_from(&decision.survivors);
        self.eliminated.extend_from_slice(&decision.eliminated);
    }

    fn status(&self) -> Status {
        match (self.found(), self.record.question.goal) {
            (Some(reason), Goal::Best { .. }) => Status::Finished(reason),
            _ => self.record.status(),
        }
    }

    fn report(&self) -> Report {
        let two_deviations = 2.0 * self.record.regression.precision().ridge().sqrt();
        let report = self.record.report(self.survivors.clone(), self.eliminated.clone(), two_deviations);
        Report { status: self.status(), ..report }
    }
}
