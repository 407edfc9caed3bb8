//! The calibrated policy: measurements in, a fit a round, a batch out.

use super::mixed::Mixed;
use super::model::Model;
use super::settings::{CalibratedSettings, Strategy};
use super::slate::{Ground, Slate};
use super::statement::{ConditionalStatement, conditional_statement};
use super::{posterior_xy, scores, start, thompson};
use crate::bandit::{
    BanditError, Decision, Goal, Next, Plan, Policy, Question, Reading, Reason, Report, Status, Why,
};
use crate::numerics::rng::{Purpose, stream};
use crate::pool::PointId;
use crate::surrogate::{Columns, Fit, Measurement, Parameters, Space, Surrogate};
use std::cell::OnceCell;

const THOMPSON: Purpose = Purpose::new("thompson");
const LIKELY_BEST: Purpose = Purpose::new("likely-best");

/// A campaign by a fitted Gaussian process: all data reused, batches of any size, repeats and standard errors taken as they are.
///
/// After every round the parameters are fitted anew; the next batch is chosen slot by slot, with the slots before it supposed to
/// be measured. What it says is `calibrated, no proof`: intervals were right about as often as stated where that could be
/// measured, nobody is eliminated for good, and no probability of being best is given.
///
/// ```
/// use elfving::bandit::{Bandit, Calibrated, CalibratedSettings, Goal};
/// use elfving::numerics::Matrix;
/// use elfving::surrogate::{Columns, Space};
///
/// // Eleven temperatures with two catalysts.
/// let table = Columns::numeric(Matrix::from_fn(22, 1, |i, _| (i % 11) as f64)).category((0..22).map(|i| i / 11).collect());
/// let space = Space::new(&table, None)?;
/// let policy = Calibrated::new(space, Goal::Best { epsilon: 0.0 }, CalibratedSettings::default().seed(3))?;
/// let mut bandit = Bandit::new(Box::new(policy)).budget(40);
/// for _ in 0..8 {
///     for slot in bandit.ask(5)? {
///         let (temperature, catalyst) = (slot.point.index() % 11, slot.point.index() / 11);
///         let yields = 60.0 - (temperature as f64 - 6.0).powi(2) + 9.0 * catalyst as f64;
///         bandit.tell(slot.id, yields + 0.1 * (-1f64).powi(slot.id.number() as i32))?;
///     }
/// }
/// let report = bandit.report();
/// assert_eq!(report.picks[0].index(), 17);
/// println!("{report}");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct Calibrated {
    pub(super) space: Space,
    pub(super) goal: Goal,
    pub(super) settings: CalibratedSettings,
    pub(super) data: Vec<Measurement>,
    /// How many of them were brought in: the horizon does not count them.
    brought: u64,
    /// Measurements of each site.
    pub(super) pulls: Vec<u64>,
    pub(super) rounds: Vec<Round>,
    /// What the last decision found.
    fitted: Option<Parameters>,
    /// Whether data came in after that.
    stale: bool,
    /// Found when it is needed: a record of many rounds costs one conditioning.
    model: OnceCell<Result<Model, BanditError>>,
}

/// A round that is closed.
pub(super) struct Round {
    pub(super) number: u64,
    /// The data it was decided on are the first so many.
    pub(super) data: usize,
    pub(super) fitted: Option<Parameters>,
    /// The pick after it, found when it is needed.
    pub(super) pick: OnceCell<Option<PointId>>,
}

impl Calibrated {
    /// Starts a campaign for a goal. Large outcomes are good.
    ///
    /// # Errors
    /// Those of [`Goal::check`].
    pub fn new(space: Space, goal: Goal, settings: CalibratedSettings) -> Result<Self, BanditError> {
        let goal = goal.check(space.choices())?;
        let pulls = vec![0; space.points()];
        Ok(Self {
            space,
            goal,
            settings,
            data: Vec::new(),
            brought: 0,
            pulls,
            rounds: Vec::new(),
            fitted: None,
            stale: false,
            model: OnceCell::new(),
        })
    }

    /// Starts a campaign for the goal of a question, with its δ and its seed, on its space or else on the features of its pool. What is
    /// assumed is not used.
    ///
    /// # Errors
    /// Those of [`Calibrated::new`] and of [`Space::new`].
    pub fn answering(question: Question, settings: CalibratedSettings) -> Result<Self, BanditError> {
        let Question { pool, goal, delta, seed, space, .. } = question;
        let space = match space {
            Some(space) => space,
            None => {
                let choices =
                    (!pool.chooses_among_itself()).then(|| Columns::numeric(pool.choices().clone()));
                Space::new(&Columns::numeric(pool.features().clone()), choices.as_ref())?
            }
        };
        Self::new(space, goal, settings.delta(delta).seed(seed))
    }

    /// The model of all data so far; none before there are any.
    ///
    /// # Errors
    /// What the fit finds.
    pub fn fit(&self) -> Result<Option<&Fit>, BanditError> {
        Ok(self.model()?.map(|model| &model.fit))
    }

    /// The points of the next batch and why, while the measurements of `pending` are under way.
    ///
    /// # Errors
    /// What the fit finds.
    pub fn choose(&self, batch: usize, pending: &[PointId]) -> Result<(Vec<PointId>, Vec<Why>), BanditError> {
        self.choose_within(batch, pending, None)
    }

    fn choose_within(
        &self,
        batch: usize,
        pending: &[PointId],
        left: Option<u64>,
    ) -> Result<(Vec<PointId>, Vec<Why>), BanditError> {
        let mut pulls = self.pulls.clone();
        pending.iter().for_each(|point| pulls[self.space.site(point.index())] += 1);
        let sites = (0..self.space.points()).filter(|&row| self.space.site(row) == row);
        let (seen, unseen): (Vec<usize>, Vec<usize>) = sites.partition(|&site| pulls[site] > 0);
        let missing = self.settings.start.saturating_sub(seen.len()).min(unseen.len());
        let at_random = if self.data.is_empty() { batch } else { missing.min(batch) };
        let mut points =
            start::at_random(&self.space, &pulls, at_random, self.settings.seed, self.next_round());
        let mut reasons = vec![Why::Start; points.len()];
        if let Some(model) = self.model()?.filter(|_| at_random < batch) {
            let pending: Vec<PointId> = pending.iter().chain(&points).copied().collect();
            let (chosen, why) = self.fill(model, batch - at_random, &pending, left);
            points.extend(chosen);
            reasons.extend(why);
        }
        Ok((points, reasons))
    }

    /// The algorithm box: score every point, fill a slot with the best, suppose it measured, again.
    fn fill(
        &self,
        model: &Model,
        batch: usize,
        pending: &[PointId],
        left: Option<u64>,
    ) -> (Vec<PointId>, Vec<Why>) {
        let CalibratedSettings { strategy, optimism, repeats, seed, .. } = &self.settings;
        let spent = self.spent(left);
        let (optimism, slots) = (optimism.at(spent), repeats.slots(batch, spent));
        let mut slate = Slate::new(model, self.pulls.clone(), repeats.settled, slots);
        pending.iter().for_each(|point| slate.pend(*point));
        let round = self.next_round();
        let for_others = !self.space.chooses_among_itself() && !matches!(self.goal, Goal::Regret { .. });
        match strategy.resolved(for_others) {
            // Where every mean is wanted there is nothing to promise.
            _ if self.wants_map() => slate.fill_all(batch, Ground::Promise, scores::widest),
            Strategy::Thompson => {
                let draws = thompson::Draws::new(&slate, batch, &mut stream(*seed, round, THOMPSON));
                slate.fill_all(batch, Ground::Promise, |slate| draws.scores(slate));
            }
            Strategy::LogEi => {
                let measured: Vec<usize> = self.measured().collect();
                slate.fill_all(batch, Ground::Promise, |slate| scores::log_improvement(slate, &measured));
            }
            Strategy::PosteriorXy => {
                slate.fill_all(batch, Ground::Telling, |slate| posterior_xy::scores(slate, optimism))
            }
            Strategy::Mixed => {
                let mut mixed = Mixed::new(&slate, &mut stream(*seed, round, LIKELY_BEST));
                for _ in 0..batch {
                    let point = slate.fill(Mixed::ground(&slate), &mixed.scores(&slate, optimism));
                    mixed.suppose(&slate, point);
                }
            }
            Strategy::Ucb | Strategy::Auto => {
                slate.fill_all(batch, Ground::Promise, |slate| scores::optimistic(slate, optimism))
            }
        }
        slate.finish()
    }

    fn wants_map(&self) -> bool {
        matches!(self.goal, Goal::Map { .. })
    }

    /// The share of the budget that is spent; half where nobody says how large it is.
    fn spent(&self, left: Option<u64>) -> f64 {
        let measured = self.data.len() as f64;
        let horizon = match self.goal {
            Goal::Regret { horizon } => horizon,
            _ => None,
        };
        let left = left.map(|left| measured + left as f64);
        let budget = left.or(self.settings.budget.or(horizon).map(|budget| budget as f64));
        budget.map_or(0.5, |budget| (measured / budget.max(1.0)).min(1.0))
    }

    fn next_round(&self) -> u64 {
        self.rounds.last().map_or(0, |round| round.number) + 1
    }

    /// Rows that were measured, one for each site.
    pub(super) fn measured(&self) -> impl Iterator<Item = usize> + '_ {
        (0..self.pulls.len()).filter(|&row| self.pulls[row] > 0)
    }

    /// Fitted to all data where that was not decided yet, else at the parameters decided.
    pub(super) fn model(&self) -> Result<Option<&Model>, BanditError> {
        if self.data.is_empty() {
            return Ok(None);
        }
        let found = self.model.get_or_init(|| {
            let fit = match (&self.fitted, self.stale) {
                (Some(fitted), false) => self.surrogate().at(&self.space, &self.data, fitted),
                (previous, _) => self.surrogate().fit(&self.space, &self.data, previous.as_ref()),
            };
            Ok(Model::new(fit?))
        });
        found.as_ref().map(Some).map_err(Clone::clone)
    }

    pub(super) fn surrogate(&self) -> &Surrogate {
        &self.settings.surrogate
    }

    fn append(&mut self, point: PointId, reading: &Reading) -> Result<(), BanditError> {
        if point.index() >= self.space.points() {
            let (index, points) = (self.data.len(), self.space.points());
            return Err(crate::surrogate::SurrogateError::UnknownPoint { index, point, points }.into());
        }
        for &outcome in reading.values() {
            self.data.push(Measurement { point, outcome, variance: reading.variance() });
            self.pulls[self.space.site(point.index())] += 1;
        }
        self.stale = true;
        self.model = OnceCell::new();
        Ok(())
    }

    fn append_round(&mut self, plan: &Plan, readings: &[Reading]) -> Result<(), BanditError> {
        for (point, reading) in plan.measurements.points().into_iter().zip(readings) {
            self.append(point, reading)?;
        }
        self.rounds.push(Round {
            number: plan.round,
            data: self.data.len(),
            fitted: None,
            pick: OnceCell::new(),
        });
        Ok(())
    }

    /// What is left of T, when the goal names it.
    fn left_of_horizon(&self) -> Option<u64> {
        match self.goal {
            Goal::Regret { horizon: Some(horizon) } => {
                Some(horizon.saturating_sub(self.data.len() as u64 - self.brought))
            }
            _ => None,
        }
    }
}

impl Policy for Calibrated {
    fn name(&self) -> &'static str {
        self.settings.strategy.name()
    }

    fn plan(&mut self, batch: usize) -> Result<Next, BanditError> {
        self.plan_within(batch, u64::MAX)
    }

    fn plan_within(&mut self, batch: usize, left: u64) -> Result<Next, BanditError> {
        if let Status::Finished(reason) = self.status() {
            return Ok(Next::Stop(reason));
        }
        let batch = self.left_of_horizon().map_or(batch, |left| batch.min(left as usize));
        let (points, reasons) = self.choose_within(batch, &[], (left < u64::MAX).then_some(left))?;
        Ok(Next::Measure(Plan::chosen(self.next_round(), points).because(reasons)))
    }

    fn learn(&mut self, plan: &Plan, outcomes: &[f64]) -> Result<Decision, BanditError> {
        let readings: Vec<Reading> = outcomes.iter().copied().map(Reading::Value).collect();
        self.learn_readings(plan, &readings)
    }

    fn learn_readings(&mut self, plan: &Plan, readings: &[Reading]) -> Result<Decision, BanditError> {
        self.append_round(plan, readings)?;
        let fitted = self.model()?.map(|model| model.fit.parameters().clone());
        if let (Some(round), Some(fitted)) = (self.rounds.last_mut(), &fitted) {
            round.fitted = Some(fitted.clone());
        }
        Ok(Decision { fitted, ..Decision::keep(plan.round, self.report().survivors) })
    }

    fn recall(&mut self, plan: &Plan, readings: &[Reading]) -> Result<(), BanditError> {
        self.append_round(plan, readings)
    }

    fn earlier(&mut self, measured: &[(PointId, Reading)]) -> Result<bool, BanditError> {
        for (point, reading) in measured {
            self.append(*point, reading)?;
            self.brought += reading.values().len() as u64;
        }
        Ok(true)
    }

    fn reuses_all(&self) -> bool {
        true
    }

    fn apply(&mut self, decision: &Decision) {
        let Some(fitted) = &decision.fitted else { return };
        let is_current = |model: &Result<Model, BanditError>| {
            model.as_ref().is_ok_and(|model| model.fit.parameters() == fitted)
        };
        if !self.model.get().is_some_and(is_current) {
            self.model = OnceCell::new();
        }
        self.fitted = Some(fitted.clone());
        self.stale = false;
        if let Some(round) = self.rounds.last_mut() {
            round.fitted = Some(fitted.clone());
        }
    }

    fn status(&self) -> Status {
        if self.left_of_horizon() == Some(0) {
            Status::Finished(Reason::Horizon)
        } else if self.map_is_drawn() {
            Status::Finished(Reason::Reached)
        } else {
            Status::Measuring
        }
    }

    fn conditional(&self, sigma: Option<f64>) -> Option<ConditionalStatement> {
        let fit = self.fit().ok().flatten()?;
        let pick = *self.report().picks.first()?;
        conditional_statement(fit, &self.data, pick, sigma, self.settings.delta).ok()
    }

    fn report(&self) -> Report {
        self.say(self.status())
    }
}
