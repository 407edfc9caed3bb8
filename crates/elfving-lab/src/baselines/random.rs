//! Uniform random: what everything must beat.

use super::record::Record;
use elfving::bandit::{
    BanditError, Decision, Next, Plan, Policy, Question, Reading, Reason, Report, Status, Wanted, averages,
};
use elfving::numerics::rng::{Purpose, stream};
use elfving::pool::PointId;

const PURPOSE: Purpose = Purpose::new("uniform-random");

/// Independent uniform draws, measurement t from its own stream; ridge regression (ridge σ²) to choose with.
pub(super) struct UniformRandom {
    record: Record,
}

impl UniformRandom {
    pub(super) fn new(question: Question) -> Result<Self, BanditError> {
        let ridge = question.assumptions.sigma_bound().powi(2);
        Ok(Self { record: Record::new("random", question, ridge)? })
    }
}

impl Policy for UniformRandom {
    fn name(&self) -> &'static str {
        self.record.name()
    }

    fn plan(&mut self, wanted: &Wanted) -> Result<Next, BanditError> {
        let batch = wanted.batch;
        let Some(batch) = self.record.within_horizon(batch as u64) else {
            return Ok(Next::Stop(Reason::Horizon));
        };
        let (seed, points) = (self.record.question.seed, self.record.question.pool.len() as u64);
        let first = self.record.regression.samples();
        let draw = |t: u64| PointId::new(stream(seed, t, PURPOSE).below(points) as usize);
        Ok(Next::Measure(Plan::chosen(self.record.next_round(), (first..first + batch).map(draw).collect())))
    }

    fn learn(&mut self, plan: &Plan, readings: &[Reading]) -> Result<Decision, BanditError> {
        let outcomes = &averages(readings);
        let everyone = self.record.all_choices();
        Ok(self.record.take(plan, outcomes, everyone))
    }

    fn apply(&mut self, decision: &Decision) {
        self.record.close(decision);
    }

    fn status(&self) -> Status {
        self.record.status()
    }

    fn report(&self) -> Report {
        let two_deviations = 2.0 * self.record.regression.precision().ridge().sqrt();
        self.record.report(self.record.all_choices(), Vec::new(), two_deviations)
    }
}
