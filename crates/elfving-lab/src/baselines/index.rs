//! Algorithms that give every point an index and measure the largest.

use super::record::Record;
use elfving::bandit::{
    BanditError, Decision, Next, Plan, Policy, Precision, Question, Reading, Reason, Report, Status, Wanted,
    averages,
};
use elfving::numerics::first_largest;
use elfving::pool::PointId;

/// What an index is made of.
pub(super) struct Seen<'a> {
    pub(super) question: &'a Question,
    /// `⟨φ(x), θ⟩`, from the outcomes that are in.
    pub(super) means: &'a [f64],
    /// V, with the earlier points of the batch supposed to be measured.
    pub(super) precision: &'a Precision,
    /// Which measurement this is, counted from 1.
    pub(super) t: u64,
}

impl Seen<'_> {
    /// `mean + multiplier · ‖φ‖` of every point.
    pub(super) fn optimistic(&self, multiplier: f64) -> Vec<f64> {
        let each = self.means.iter().zip(self.precision.norms());
        each.map(|(mean, norm)| mean + multiplier * norm.sqrt()).collect()
    }
}

/// S, or an error.
pub(super) fn needs_norm(policy: &'static str, question: &Question) -> Result<f64, BanditError> {
    let what = "a bound S on the norm of theta";
    question.assumptions.norm_bound().ok_or(BanditError::NeedsAssumption { policy, what, instead: "gp-ucb" })
}

/// A rule behind [`Indexed`].
pub(super) trait Index: Send {
    fn name(&self) -> &'static str;

    /// The ridge of its regression.
    fn ridge(&self, question: &Question) -> f64;

    /// The index of every point.
    fn scores(&self, seen: &Seen<'_>) -> Vec<f64>;

    /// How many `‖φ(x)‖` in the inverse of V its interval around a mean is, for the report.
    fn multiplier(&self, seen: &Seen<'_>) -> f64;
}

/// The algorithm box: measure the largest index, update, again.
pub(super) struct Indexed<I> {
    index: I,
    record: Record,
}

impl<I: Index> Indexed<I> {
    pub(super) fn new(index: I, question: Question) -> Result<Self, BanditError> {
        let ridge = index.ridge(&question);
        let record = Record::of_measurable(index.name(), question, ridge)?;
        Ok(Self { index, record })
    }

    fn seen<'a>(&'a self, precision: &'a Precision, supposed: u64) -> Seen<'a> {
        let regression = &self.record.regression;
        let t = regression.samples() + supposed + 1;
        Seen { question: &self.record.question, means: regression.means(), precision, t }
    }

    fn best(&self, precision: &Precision, supposed: u64) -> PointId {
        let scores = self.index.scores(&self.seen(precision, supposed));
        // Indices that left the range of numbers are all alike.
        PointId::new(first_largest(&scores).unwrap_or(0))
    }

    fn choose(&self, batch: u64) -> Vec<PointId> {
        let mut points = vec![self.best(self.record.regression.precision(), 0)];
        if batch > 1 {
            let mut supposed = self.record.regression.precision().clone();
            for k in 1..batch {
                supposed.suppose(points[points.len() - 1]);
                points.push(self.best(&supposed, k));
            }
        }
        points
    }
}

impl<I: Index> Policy for Indexed<I> {
    fn name(&self) -> &'static str {
        self.record.name()
    }

    fn plan(&mut self, wanted: &Wanted) -> Result<Next, BanditError> {
        let batch = wanted.batch;
        Ok(match self.record.within_horizon(batch as u64) {
            None => Next::Stop(Reason::Horizon),
            Some(batch) => Next::Measure(Plan::chosen(self.record.next_round(), self.choose(batch))),
        })
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
        let multiplier = self.index.multiplier(&self.seen(self.record.regression.precision(), 0));
        self.record.report(self.record.all_choices(), Vec::new(), multiplier)
    }
}
