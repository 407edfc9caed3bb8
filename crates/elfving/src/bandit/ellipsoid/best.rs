//! Certified best-arm identification: measure the open comparison until the answer is proved.

use super::batch::choose_batch;
use super::doubt::checks;
use super::snapshot::Snapshot;
use super::state::State;
use crate::bandit::{
    BanditError, Decision, Goal, Next, Plan, Policy, Question, Reading, Report, SetAside, Status, Wanted,
};
use crate::pool::PointId;
use std::cell::OnceCell;

/// `ellipsoid-best`: one choice within ε of the best, m of them, or all good ones, proved by the confidence ellipsoid.
///
/// Each round it takes the leader and the rival that may be most above it, measures the points that sharpen their difference
/// most (LinGapE of Xu, Honda and Sugiyama 2018, with a kernel and in batches), drops whoever is proved worse, and stops when
/// no rival can be more than ε above the leader. Points and choices may differ. A choice of the round costs O((n + m) r),
/// the round itself O((n + m) r² + r³).
///
/// It needs sub-Gaussian noise and a norm bound; a stated h is part of every width. Noise that differs from point to point is
/// a weight in the regression, `(σ/σ_x)²`. The γ of the question is the ridge of a design and is not used here: see
/// [`ridge`](Self::ridge).
///
/// ```
/// use elfving::bandit::{Bandit, EllipsoidBest, Goal, Outcome, Question};
/// use elfving::estimate::{Assumptions, Tails};
/// use elfving::{numerics::Matrix, pool::Pool};
///
/// let pool = Pool::from_features(Matrix::from_rows(&[[1.0, 0.0], [0.0, 1.0], [0.6, 0.6]]))?;
/// let assumptions = Assumptions::new(0.1)?.tails(Tails::SubGaussian).norm(1.0)?;
/// let question = Question::new(pool, assumptions, Goal::Best { epsilon: 0.05 })?;
/// let mut bandit = Bandit::new(Box::new(EllipsoidBest::new(question)?));
/// while !bandit.finished() {
///     for slot in bandit.ask(4)? {
///         let mean = [0.9, 0.2, 0.66][slot.point.index()];
///         bandit.tell(slot.id, Outcome::from(mean + 0.1 * (-1f64).powi(slot.id.number() as i32)))?;
///     }
/// }
/// let report = bandit.report();
/// assert_eq!(report.picks[0].index(), 0);
/// assert!(report.epsilon.unwrap() <= 0.05 && report.samples < 100);
/// println!("{report}");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct EllipsoidBest {
    state: State,
    /// What is known at this time; emptied by every change, so that a record replays without looking.
    snapshot: OnceCell<Snapshot>,
    status: OnceCell<Status>,
}

impl EllipsoidBest {
    /// Starts with the ridge that balances noise and norm.
    ///
    /// # Errors
    /// [`BanditError::NeedsAssumption`] without sub-Gaussian noise or without a norm bound, [`BanditError::OtherGoal`] for
    /// regret.
    pub fn new(question: Question) -> Result<Self, BanditError> {
        const NAME: &str = "ellipsoid-best";
        if let Goal::Regret { .. } | Goal::Map { .. } = question.goal {
            let wanted = "the best choices; ellipsoid-regret is for regret, ellipsoid-map for a map";
            return Err(BanditError::OtherGoal { policy: NAME, goal: question.goal.to_string(), wanted });
        }
        Ok(Self::from_state(State::new(NAME, question)?))
    }

    fn from_state(state: State) -> Self {
        Self { state, snapshot: OnceCell::new(), status: OnceCell::new() }
    }

    fn snapshot(&self) -> &Snapshot {
        self.snapshot.get_or_init(|| self.state.snapshot())
    }

    fn data_changed(&mut self) {
        self.snapshot = OnceCell::new();
        self.status = OnceCell::new();
    }

    /// Another ridge: any positive number fixed before the first measurement is valid.
    ///
    /// # Errors
    /// [`BanditError::Ridge`] unless it is finite and positive.
    pub fn ridge(self, ridge: f64) -> Result<Self, BanditError> {
        Ok(Self::from_state(self.state.with_ridge(ridge)?))
    }
}

impl Policy for EllipsoidBest {
    fn name(&self) -> &'static str {
        self.state.policy()
    }

    fn plan(&mut self, wanted: &Wanted) -> Result<Next, BanditError> {
        if let Status::Finished(reason) = self.status() {
            return Ok(Next::Stop(reason));
        }
        let (state, snapshot) = (&self.state, self.snapshot());
        let (contest, precision) = (state.contest(snapshot), state.regression.precision());
        let may_measure = |point| state.may_measure(point);
        let checks = checks(state, wanted);
        let with_checks: Vec<PointId> =
            wanted.pending.iter().copied().chain(checks.iter().map(|(point, _)| *point)).collect();
        let rest = Wanted { batch: wanted.batch - checks.len(), pending: &with_checks, ..*wanted };
        let (mut points, mut reasons) =
            choose_batch(snapshot, contest, precision, state.assumed(), &rest, may_measure);
        for (point, why) in checks {
            points.push(point);
            reasons.push(why);
        }
        Ok(Next::Measure(Plan::chosen(wanted.round, points).because(reasons)))
    }

    fn learn(&mut self, plan: &Plan, readings: &[Reading]) -> Result<Decision, BanditError> {
        self.note(&plan.measured(readings))?;
        self.decide(plan.round)
    }

    fn recall(&mut self, plan: &Plan, readings: &[Reading]) -> Result<(), BanditError> {
        self.note(&plan.measured(readings))
    }

    fn earlier(&mut self, measured: &[(PointId, Reading)]) -> Result<bool, BanditError> {
        self.note(measured).map(|()| true)
    }

    fn is_anytime(&self) -> bool {
        true
    }

    fn note(&mut self, measured: &[(PointId, Reading)]) -> Result<(), BanditError> {
        self.state.note(measured);
        self.data_changed();
        Ok(())
    }

    fn decide(&mut self, round: u64) -> Result<Decision, BanditError> {
        Ok(self.state.decide(round, self.snapshot()))
    }

    fn set_aside(&mut self, set_aside: &SetAside) -> bool {
        self.state.set_aside(&set_aside.points);
        self.status = OnceCell::new();
        true
    }

    fn apply(&mut self, decision: &Decision) {
        if !decision.eliminated.is_empty() {
            self.snapshot();
            let snapshot = self.snapshot.take().expect("it was made above");
            self.state.apply(decision, &snapshot);
            self.snapshot = OnceCell::from(snapshot);
        }
        self.state.adopt(decision);
        self.status = OnceCell::new();
    }

    fn status(&self) -> Status {
        *self.status.get_or_init(|| self.state.status(self.snapshot()))
    }

    fn report(&self) -> Report {
        self.state.report(self.status())
    }
}
