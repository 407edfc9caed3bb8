//! Certified regret: optimism inside the survivors.

use super::state::State;
use crate::bandit::batch_rules::Counts;
use crate::bandit::{
    BanditError, Decision, Goal, Next, Plan, Policy, Precision, Question, Reading, Reason, Report, SetAside,
    Status, Wanted, Why,
};
use crate::numerics::first_largest;
use crate::pool::{ChoiceId, PointId};

/// The survivors are looked at again when there are this many more measurements, relatively: a look costs n r², a measurement n r.
const LOOK_AGAIN_AFTER: f64 = 0.05;

/// `ellipsoid-regret`: little loss while measuring, and a proof of what is out.
///
/// Each measurement goes to the survivor of the largest `mean + radius · ‖φ‖` (in the inverse of V), with the radius of the
/// confidence ellipsoid; whoever is proved worse than the leader is out for good. In a batch the means are held and the norms
/// updated. A measurement costs O(n r).
///
/// ```
/// use elfving::bandit::{Bandit, EllipsoidRegret, Goal, Question};
/// use elfving::estimate::{Assumptions, Tails};
/// use elfving::{numerics::Matrix, pool::Pool};
/// let pool = Pool::from_features(Matrix::identity(4))?;
/// let heavy = Question::new(pool.clone(), Assumptions::new(0.1)?.norm(1.0)?, Goal::Regret { horizon: None })?;
/// assert!(EllipsoidRegret::new(heavy).is_err());
/// let light = Assumptions::new(0.1)?.norm(1.0)?.tails(Tails::SubGaussian);
/// let question = Question::new(pool, light, Goal::Regret { horizon: Some(100) })?;
/// assert_eq!(Bandit::new(Box::new(EllipsoidRegret::new(question)?)).ask(10)?.len(), 10);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct EllipsoidRegret {
    state: State,
    /// How many measurements there may be, those brought in included.
    horizon: Option<u64>,
    next_look: u64,
}

impl EllipsoidRegret {
    /// Starts with the ridge that balances noise and norm.
    ///
    /// # Errors
    /// [`BanditError::NeedsAssumption`] without sub-Gaussian noise or without a norm bound, [`BanditError::OtherGoal`]
    /// unless the goal is regret, [`BanditError::ChoicesNotMeasurable`] when points and choices differ.
    pub fn new(question: Question) -> Result<Self, BanditError> {
        const NAME: &str = "ellipsoid-regret";
        let Goal::Regret { horizon } = question.goal else {
            let wanted = "regret; ellipsoid-best is for the best choices";
            return Err(BanditError::OtherGoal { policy: NAME, goal: question.goal.to_string(), wanted });
        };
        if !question.pool.chooses_among_itself() {
            return Err(BanditError::ChoicesNotMeasurable { policy: NAME });
        }
        Ok(Self { state: State::new(NAME, question)?, horizon, next_look: 1 })
    }

    fn left(&self) -> u64 {
        self.horizon.map_or(u64::MAX, |horizon| horizon.saturating_sub(self.state.regression.samples()))
    }

    /// The survivor of the largest upper bound, and how little is known of it.
    fn most_promising(
        &self,
        standing: &[ChoiceId],
        precision: &Precision,
        counts: &Counts,
    ) -> Option<(PointId, Why)> {
        let regression = &self.state.regression;
        let radius = self.state.radius(precision.log_det());
        let width = |id: &ChoiceId| radius * precision.norms()[id.index()].sqrt();
        let upper = |id: &ChoiceId| regression.means()[id.index()] + width(id);
        let score = |id: &ChoiceId| if counts.allow(id.index()) { upper(id) } else { f64::NEG_INFINITY };
        let scores: Vec<f64> = standing.iter().map(score).collect();
        let chosen = standing[first_largest(&scores)?];
        let point = self.state.question.pool.point_of(chosen).expect("regret refuses other choices");
        Some((point, Why::Width { width: width(&chosen) }))
    }

    /// Sets the time of the next look, by how much data the last decision had: so a record that is followed looks when the campaign did.
    fn looked(&mut self) {
        let samples = self.state.regression.samples();
        if samples >= self.next_look {
            self.next_look = samples + 1 + (LOOK_AGAIN_AFTER * samples as f64) as u64;
        }
    }
}

impl Policy for EllipsoidRegret {
    fn name(&self) -> &'static str {
        self.state.policy()
    }

    fn plan(&mut self, wanted: &Wanted) -> Result<Next, BanditError> {
        let under_way = wanted.pending.len() as u64;
        let batch = self.left().saturating_sub(under_way).min(wanted.batch as u64);
        if batch == 0 {
            return Ok(Next::Stop(Reason::Horizon));
        }
        self.state.regression.catch_up();
        let precision = self.state.regression.precision();
        let mut counts = Counts::new(precision.counts(), wanted);
        let standing = self.state.standing();
        let mut supposed = None;
        for point in wanted.pending {
            supposed.get_or_insert_with(|| precision.clone()).suppose(*point);
        }
        let mut chosen: Vec<(PointId, Why)> = Vec::new();
        for _ in 0..batch {
            if let Some((last, _)) = chosen.last() {
                supposed.get_or_insert_with(|| precision.clone()).suppose(*last);
            }
            let next = self.most_promising(&standing, supposed.as_ref().unwrap_or(precision), &counts);
            let Some(next) = next else { break };
            counts.add(next.0.index());
            chosen.push(next);
        }
        let (points, reasons) = chosen.into_iter().unzip();
        Ok(Next::Measure(Plan::chosen(wanted.round, points).because(reasons)))
    }

    fn learn(&mut self, plan: &Plan, readings: &[Reading]) -> Result<Decision, BanditError> {
        self.note(&plan.measured(readings))?;
        self.decide(plan.round)
    }

    fn recall(&mut self, plan: &Plan, readings: &[Reading]) -> Result<(), BanditError> {
        self.remember(&plan.measured(readings))
    }

    fn earlier(&mut self, measured: &[(PointId, Reading)]) -> Result<bool, BanditError> {
        self.state.note(measured);
        let brought: u64 = measured.iter().map(|(_, reading)| reading.weight()).sum();
        self.horizon = self.horizon.map(|horizon| horizon + brought);
        Ok(true)
    }

    fn is_anytime(&self) -> bool {
        true
    }

    fn note(&mut self, measured: &[(PointId, Reading)]) -> Result<(), BanditError> {
        self.state.take(measured);
        Ok(())
    }

    fn remember(&mut self, measured: &[(PointId, Reading)]) -> Result<(), BanditError> {
        self.state.note(measured);
        Ok(())
    }

    fn decide(&mut self, round: u64) -> Result<Decision, BanditError> {
        if self.state.regression.samples() < self.next_look {
            return Ok(Decision::keep(round, self.state.remaining()));
        }
        Ok(self.state.decide(round, &self.state.snapshot()))
    }

    fn set_aside(&mut self, set_aside: &SetAside) -> bool {
        self.state.set_aside(&set_aside.points);
        true
    }

    fn apply(&mut self, decision: &Decision) {
        if !decision.eliminated.is_empty() {
            let snapshot = self.state.snapshot();
            self.state.apply(decision, &snapshot);
        }
        self.state.adopt(decision);
        self.looked();
    }

    fn status(&self) -> Status {
        if self.state.standing().is_empty() {
            return Status::Finished(Reason::NothingLeft);
        }
        if self.left() == 0 { Status::Finished(Reason::Horizon) } else { Status::Measuring }
    }

    fn report(&self) -> Report {
        self.state.report(self.status())
    }
}
