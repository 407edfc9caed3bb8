//! Certified estimates everywhere: measure by a G-optimal design until every mean is known well enough.

use super::snapshot::Snapshot;
use super::state::State;
use super::width::Direction;
use crate::bandit::batch_rules::Counts;
use crate::bandit::{
    BanditError, ChoiceInterval, Decision, Goal, Margins, Measurements, Next, Plan, Policy, Question,
    Reading, Reason, Report, SetAside, Status, Wanted,
};
use crate::design::{Control, Criterion, InteriorPoint, Problem, Solver};
use crate::estimate::Assumptions;
use crate::numerics::{dot, first_largest};
use crate::pool::{ChoiceId, PointId};
use crate::rounding::{Apportionment, Constraints, Request, Rounding};
use crate::units::{Ridge, Tolerance};
use std::cell::OnceCell;

/// How close to the optimal design is close enough for a batch of whole measurements.
const DESIGN_TOLERANCE: f64 = 1e-3;
/// Weights this small against the largest are what the tolerance leaves, and would get a whole measurement each.
const NEGLIGIBLE: f64 = 1e-2;

/// `ellipsoid-map`: the mean of every choice to within ε, proved by the confidence ellipsoid.
///
/// The largest variance after T measurements is that of the design `min max_z ‖z‖²` in the inverse of `A(λ) + (ridge/T) I`: each
/// round solves it for the measurements so far and the next batch together, and hands out what the rounded total has more
/// than was measured. Outcomes do not change what is measured. It stops when no mean can be more than ε off, or when
/// what is left is not the data's to reduce. Points and choices may differ. A round costs one design and O(m r²).
///
/// ```
/// use elfving::bandit::{Bandit, EllipsoidMap, Goal, Question};
/// use elfving::estimate::{Assumptions, Tails};
/// use elfving::{numerics::Matrix, pool::Pool};
/// let line = Matrix::from_fn(11, 2, |i, k| if k == 0 { 1.0 } else { i as f64 / 5.0 - 1.0 });
/// let assumptions = Assumptions::new(0.1)?.tails(Tails::SubGaussian).norm(1.0)?;
/// let question = Question::new(Pool::from_features(line)?, assumptions, Goal::Map { epsilon: 0.1 })?;
/// let mut bandit = Bandit::new(Box::new(EllipsoidMap::new(question)?));
/// while !bandit.finished() {
///     for slot in bandit.ask(8)? {
///         bandit.tell(slot.id, 0.4 + 0.5 * (slot.point.index() as f64 / 5.0 - 1.0))?;
///     }
/// }
/// let report = bandit.report();
/// assert!(report.epsilon.unwrap() <= 0.1);
/// assert!(report.intervals.iter().all(|interval| interval.upper - interval.lower <= 0.2));
/// println!("{report}");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct EllipsoidMap {
    state: State,
    epsilon: f64,
    /// What is known at this time; emptied by every change.
    snapshot: OnceCell<Snapshot>,
}

impl EllipsoidMap {
    /// Starts with the ridge that balances noise and norm.
    ///
    /// # Errors
    /// [`BanditError::NeedsAssumption`] without sub-Gaussian noise or without a norm bound, [`BanditError::OtherGoal`] unless the
    /// goal is a map.
    pub fn new(question: Question) -> Result<Self, BanditError> {
        const NAME: &str = "ellipsoid-map";
        let Goal::Map { epsilon } = question.goal else {
            let wanted = "every mean; ellipsoid-best is for the best choices";
            return Err(BanditError::OtherGoal { policy: NAME, goal: question.goal.to_string(), wanted });
        };
        Ok(Self { state: State::new(NAME, question)?, epsilon, snapshot: OnceCell::new() })
    }

    fn snapshot(&self) -> &Snapshot {
        self.snapshot.get_or_init(|| self.state.snapshot_with(true))
    }

    fn directions(&self) -> impl Iterator<Item = Direction> {
        let snapshot = self.snapshot();
        self.state.standing().into_iter().map(|choice| snapshot.choice(choice.index()))
    }

    /// Whether every point may be measured as often as the design says.
    fn is_free(&self, wanted: &Wanted) -> bool {
        let points = self.state.question.pool.len();
        let ruled = !wanted.limits.are_none() || !wanted.at_most.is_empty();
        !ruled && (0..points).all(|point| self.state.may_measure(PointId::new(point)))
    }

    /// The next measurements where not every point may be measured: again and again the one that takes most from the widest mean.
    fn widest_batch(&self, wanted: &Wanted) -> Plan {
        let state = &self.state;
        let mut supposed = state.regression.clone();
        supposed.refresh();
        let mut precision = supposed.precision().clone();
        wanted.pending.iter().for_each(|point| precision.suppose(*point));
        let mut counts = Counts::new(state.regression.precision().counts(), wanted);
        let (pool, standing) = (&state.question.pool, state.standing());
        let mut chosen = Vec::new();
        for _ in 0..wanted.batch {
            let variance = |choice: &ChoiceId| {
                let features = pool.choices().row(choice.index());
                dot(features, &precision.image(features))
            };
            let variances: Vec<f64> = standing.iter().map(variance).collect();
            let Some(widest) = first_largest(&variances) else { break };
            let along = precision.image(pool.choices().row(standing[widest].index()));
            let gain = |point: usize| {
                let covariance = dot(pool.features().row(point), &along);
                covariance * covariance / (1.0 / precision.weight(point) + precision.norms()[point])
            };
            let scores: Vec<f64> = (0..pool.len())
                .map(|point| match counts.allow(point) && state.may_measure(PointId::new(point)) {
                    true => gain(point),
                    false => f64::NEG_INFINITY,
                })
                .collect();
            let Some(best) = first_largest(&scores) else { break };
            counts.add(best);
            precision.suppose(PointId::new(best));
            chosen.push(PointId::new(best));
        }
        Plan::chosen(wanted.round, chosen)
    }

    /// How far off the mean of any choice may be.
    fn error(&self, assumed: &Assumptions) -> f64 {
        let off = |direction: Direction| {
            let estimate = self.estimate(&direction);
            (direction.upper(assumed) - estimate).max(estimate - direction.lower(assumed))
        };
        self.directions().map(off).fold(0.0, f64::max)
    }

    /// The middle of what the mean may be.
    fn estimate(&self, direction: &Direction) -> f64 {
        let assumed = self.state.assumed();
        0.5 * (direction.lower(assumed) + direction.upper(assumed))
    }

    /// The same with nothing left that data could reduce.
    fn floor(&self) -> f64 {
        let assumed = self.state.assumed();
        self.directions().map(|direction| direction.irreducible(assumed)).fold(0.0, f64::max)
    }

    /// The next measurements of the design for those made and those to come.
    fn next_batch(&self, wanted: &Wanted) -> Result<Plan, BanditError> {
        let State { question, regression, .. } = &self.state;
        let (batch, under_way) = (wanted.batch as u64, wanted.pending.len() as u64);
        let total = (regression.samples() + under_way + batch) as f64;
        let ridge = Ridge::new(regression.precision().ridge() / total)?;
        let problem = Problem::over_choices(&question.pool, Criterion::G, ridge)?;
        let tolerance = Tolerance::new(DESIGN_TOLERANCE)?;
        let design = InteriorPoint::default().solve(&problem, &mut Control::new(tolerance))?;
        let mut counts = regression.precision().counts().to_vec();
        wanted.pending.iter().for_each(|point| counts[point.index()] += 1);
        let done = counts.iter().enumerate().filter(|(_, count)| **count > 0);
        let done = done.map(|(i, count)| (PointId::new(i), *count));
        let constraints = Constraints { done: done.collect(), ..Constraints::default() };
        let largest = design.support().iter().map(|&(_, weight)| weight).fold(0.0, f64::max);
        let weights: Vec<(PointId, f64)> =
            design.support().iter().copied().filter(|&(_, weight)| weight >= NEGLIGIBLE * largest).collect();
        let request = Request::from_weights(&problem, &weights, batch, &constraints)?;
        let rounded = Apportionment::default().round(&request)?;
        Ok(Plan {
            measurements: Measurements::Counted(rounded.allocation),
            gamma: Some(ridge.get()),
            value: Some(design.certificate().value()),
            ..Plan::chosen(wanted.round, Vec::new())
        })
    }

    fn margins(&self, status: Status) -> Margins {
        if status != Status::Finished(Reason::Reached) {
            return Margins::default();
        }
        super::margins::margins(self.state.assumed(), |assumed| self.error(assumed) <= self.epsilon)
    }
}

impl Policy for EllipsoidMap {
    fn name(&self) -> &'static str {
        self.state.policy()
    }

    fn plan(&mut self, wanted: &Wanted) -> Result<Next, BanditError> {
        if let Status::Finished(reason) = self.status() {
            return Ok(Next::Stop(reason));
        }
        let plan = if self.is_free(wanted) { self.next_batch(wanted)? } else { self.widest_batch(wanted) };
        Ok(Next::Measure(plan))
    }

    fn learn(&mut self, plan: &Plan, readings: &[Reading]) -> Result<Decision, BanditError> {
        self.note(&plan.measured(readings))?;
        self.decide(plan.round)
    }

    fn earlier(&mut self, measured: &[(PointId, Reading)]) -> Result<bool, BanditError> {
        self.note(measured).map(|()| true)
    }

    fn is_anytime(&self) -> bool {
        true
    }

    fn note(&mut self, measured: &[(PointId, Reading)]) -> Result<(), BanditError> {
        self.state.note(measured);
        self.snapshot = OnceCell::new();
        Ok(())
    }

    fn decide(&mut self, round: u64) -> Result<Decision, BanditError> {
        let refuted = self.state.check(self.snapshot()).filter(|check| check.refuted);
        Ok(Decision { refuted, ..Decision::keep(round, self.state.remaining()) })
    }

    fn set_aside(&mut self, set_aside: &SetAside) -> bool {
        self.state.set_aside(&set_aside.points);
        true
    }

    fn apply(&mut self, decision: &Decision) {
        self.state.adopt(decision);
    }

    fn status(&self) -> Status {
        if self.state.standing().is_empty() {
            return Status::Finished(Reason::NothingLeft);
        }
        if self.state.is_refuted(self.snapshot()) || self.state.is_doubted(self.snapshot()) {
            return Status::Measuring;
        }
        let error = self.error(self.state.assumed());
        if error <= self.epsilon {
            Status::Finished(Reason::Reached)
        } else if self.state.is_bias_limited(error, self.floor()) {
            Status::Finished(Reason::Floor)
        } else {
            Status::Measuring
        }
    }

    fn report(&self) -> Report {
        let status = self.status();
        let snapshot = self.snapshot();
        if self.state.is_refuted(snapshot) {
            return self.state.withdrawn(status, snapshot);
        }
        if self.state.is_doubted(snapshot) {
            return self.state.silent(status, snapshot);
        }
        let report = self.state.bare_report(status, snapshot);
        let middle = |interval: &ChoiceInterval| ChoiceInterval {
            estimate: self.estimate(&snapshot.choice(interval.choice.index())),
            ..*interval
        };
        Report {
            intervals: report.intervals.iter().map(middle).collect(),
            picks: Goal::Best { epsilon: 0.0 }.picks(&snapshot.means, &self.state.standing()),
            epsilon: Some(self.error(self.state.assumed())),
            floor: Some(self.floor()),
            margins: self.margins(status),
            ..report
        }
    }
}
