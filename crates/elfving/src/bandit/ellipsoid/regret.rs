//! Certified regret: optimism inside the survivors.

use super::state::State;
use crate::bandit::{
    BanditError, Decision, Goal, Next, Plan, Policy, Precision, Question, Reading, Reason, Report, Status,
    Why,
};
use crate::numerics::first_largest;
use crate::pool::PointId;

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
    fn most_promising(&self, precision: &Precision) -> (PointId, Why) {
        let State { regression, survivors, .. } = &self.state;
        let radius = self.state.radius(precision.log_det());
        let width = |id: &PointId| radius * precision.norms()[id.index()].sqrt();
        let upper = |id: &PointId| regression.means()[id.index()] + width(id);
        let scores: Vec<f64> = survivors.iter().map(upper).collect();
        let chosen = survivors[first_largest(&scores).expect("the leader survives")];
        (chosen, Why::Width { width: width(&chosen) })
    }

    /// Whether it is time to look at the survivors again.
    fn looks(&mut self) -> bool {
        let samples = self.state.regression.samples();
        let looks = samples >= self.next_look;
        if looks {
            self.next_look = samples + 1 + (LOOK_AGAIN_AFTER * samples as f64) as u64;
        }
        looks
    }
}

impl Policy for EllipsoidRegret {
    fn name(&self) -> &'static str {
        self.state.policy()
    }

    fn plan(&mut self, batch: usize) -> Result<Next, BanditError> {
        let batch = self.left().min(batch as u64);
        if batch == 0 {
            return Ok(Next::Stop(Reason::Horizon));
        }
        self.state.regression.catch_up();
        let precision = self.state.regression.precision();
        let mut chosen = vec![self.most_promising(precision)];
        if batch > 1 {
            let mut supposed = precision.clone();
            for _ in 1..batch {
                supposed.suppose(chosen[chosen.len() - 1].0);
                chosen.push(self.most_promising(&supposed));
            }
        }
        let (points, reasons) = chosen.into_iter().unzip();
        Ok(Next::Measure(Plan::chosen(self.state.rounds + 1, points).because(reasons)))
    }

    fn learn(&mut self, plan: &Plan, outcomes: &[f64]) -> Result<Decision, BanditError> {
        self.state.take(plan, outcomes);
        if !self.looks() {
            return Ok(Decision::keep(plan.round, self.state.survivors.clone()));
        }
        Ok(self.state.decide(plan.round, &self.state.snapshot()))
    }

    fn recall(&mut self, plan: &Plan, readings: &[Reading]) -> Result<(), BanditError> {
        self.state.note(plan, readings.iter().map(Reading::mean));
        self.looks();
        Ok(())
    }

    fn earlier(&mut self, measured: &[(PointId, Reading)]) -> Result<bool, BanditError> {
        self.state.note_earlier(measured);
        self.horizon = self.horizon.map(|horizon| horizon + measured.len() as u64);
        Ok(true)
    }

    fn reuses_all(&self) -> bool {
        true
    }

    fn apply(&mut self, decision: &Decision) {
        if !decision.eliminated.is_empty() {
            let snapshot = self.state.snapshot();
            self.state.apply(decision, &snapshot);
        }
    }

    fn status(&self) -> Status {
        if self.left() == 0 { Status::Finished(Reason::Horizon) } else { Status::Measuring }
    }

    fn report(&self) -> Report {
        self.state.report(self.status())
    }
}
