//! The calibrated policy: measurements in, a fit a round, a batch out.

use super::mixed::Mixed;
use super::model::Model;
use super::settings::{CalibratedSettings, Strategy};
use super::slate::{Copies, Ground, Rules, Slate};
use super::statement::{ConditionalStatement, conditional_statement};
use super::{posterior_xy, scores, start, thompson};
use crate::bandit::batch_rules::Values;
use crate::bandit::{
    BanditError, Decision, Goal, Limits, Next, Outlook, Plan, Policy, Question, Reading, Reason, Report,
    SetAside, Status, Wanted, Why,
};
use crate::numerics::rng::{Purpose, stream};
use crate::pool::{ChoiceId, PointId};
use crate::surrogate::{Columns, Fit, Measurement, Parameters, PosteriorOver, Space, Surrogate};
use std::cell::OnceCell;
use std::collections::HashMap;

const THOMPSON: Purpose = Purpose::new("thompson");
const LIKELY_BEST: Purpose = Purpose::new("likely-best");
/// No point is taken for impossible before it was tried.
const LEAST_FEASIBLE: f64 = 0.01;

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
    /// Points that are neither measured nor chosen.
    pub(super) aside: SetAside,
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
    pub(super) pick: OnceCell<Option<ChoiceId>>,
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
            aside: SetAside::default(),
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
        self.choose_for(&Wanted { round: self.next_round(), pending, ..Wanted::batch(batch) })
    }

    pub(super) fn choose_for(&self, wanted: &Wanted) -> Result<(Vec<PointId>, Vec<Why>), BanditError> {
        let Wanted { round, batch, pending, .. } = *wanted;
        let mut pulls = self.pulls.clone();
        pending.iter().for_each(|point| pulls[self.space.site(point.index())] += 1);
        let sites =
            (0..self.space.points()).filter(|&row| self.space.site(row) == row && self.may_measure(row));
        let (seen, unseen): (Vec<usize>, Vec<usize>) = sites.partition(|&site| pulls[site] > 0);
        let missing = self.settings.start.saturating_sub(seen.len()).min(unseen.len());
        let at_random = if self.data.is_empty() { batch } else { missing.min(batch) };
        let copies = self.copies(wanted.limits, batch);
        let mut already: HashMap<usize, u64> = HashMap::new();
        for point in wanted.in_batch.iter().chain(wanted.controls) {
            *already.entry(self.space.site(point.index())).or_default() += 1;
        }
        let may = |row: usize, in_batch: u64| {
            let site = self.space.site(row);
            let here = in_batch + already.get(&site).copied().unwrap_or(0);
            self.may_measure(row) && copies.hard.allow(here, pulls[site] + in_batch)
        };
        let values = Values::new(wanted);
        let mut points =
            start::at_random(&self.space, &pulls, at_random, self.settings.seed, round, may, values);
        let mut reasons = vec![Why::Start; points.len()];
        let left = batch - points.len();
        if let Some(model) = self.model()?.filter(|_| left > 0) {
            let (chosen, why) = self.fill(model, left, &points, wanted, copies);
            points.extend(chosen);
            reasons.extend(why);
        }
        Ok((points, reasons))
    }

    /// The algorithm box: score every point, fill a slot with the best, suppose it measured, again. `first` are in the batch already.
    fn fill(
        &self,
        model: &Model,
        batch: usize,
        first: &[PointId],
        wanted: &Wanted,
        copies: Copies,
    ) -> (Vec<PointId>, Vec<Why>) {
        let CalibratedSettings { strategy, optimism, repeats, seed, .. } = &self.settings;
        let left = (wanted.left < u64::MAX).then_some(wanted.left);
        let spent = self.spent(left);
        let (optimism, slots) = (optimism.at(spent), repeats.slots(batch, spent));
        let barred: Vec<bool> = (0..self.space.points()).map(|row| !self.may_measure(row)).collect();
        let (settled_at, values) = (repeats.settled, Values::new(wanted));
        let rules = Rules { settled_at, repeats_left: slots, copies, barred, values };
        let mut slate = Slate::new(model, self.pulls.clone(), rules, self.feasibility());
        wanted.pending.iter().for_each(|point| slate.pend(*point));
        wanted.in_batch.iter().chain(wanted.controls).for_each(|point| slate.count_in_batch(*point));
        first.iter().for_each(|point| slate.pend_in_batch(*point));
        let round = wanted.round;
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
                    let scores = mixed.scores(&slate, optimism);
                    let Some(point) = slate.fill(Mixed::ground(&slate), &scores) else { break };
                    mixed.suppose(&slate, point);
                }
            }
            Strategy::Ucb | Strategy::Auto => {
                slate.fill_all(batch, Ground::Promise, |slate| scores::optimistic(slate, optimism))
            }
        }
        slate.finish()
    }

    fn may_measure(&self, row: usize) -> bool {
        self.aside.points.is_empty() || !self.aside.points.contains(&PointId::new(row))
    }

    /// Whether a choice may be chosen: where the choices are the points, one that is not set aside.
    pub(super) fn may_choose(&self, choice: ChoiceId) -> bool {
        !self.space.chooses_among_itself() || self.may_measure(choice.index())
    }

    /// How many copies a batch may hold. What a lab accepts, unless every measurement itself counts: a minority of replicates, and
    /// no candidate more than three times.
    fn copies(&self, limits: Limits, batch: usize) -> Copies {
        match self.goal {
            Goal::Regret { .. } => Copies { hard: limits, usual: u64::MAX, replicates: usize::MAX },
            _ => Copies { hard: limits, usual: 3, replicates: batch.saturating_sub(1) / 2 },
        }
    }

    /// How likely it is that each point can be measured; nothing while none was found that cannot.
    fn feasibility(&self) -> Option<Vec<f64>> {
        if self.aside.infeasible.is_empty() {
            return None;
        }
        let label = |point: usize, feasible: bool| {
            Measurement::new(PointId::new(point), if feasible { 1.0 } else { 0.0 })
        };
        let worked = self.measured().map(|row| label(row, true));
        let failed = self.aside.infeasible.iter().map(|point| label(point.index(), false));
        let labels: Vec<Measurement> = worked.chain(failed).collect();
        let fit = Surrogate::default().warp(false).fit(&self.space, &labels, None).ok()?;
        let likely = |mean: &f64| fit.outcome().inverse(*mean).clamp(LEAST_FEASIBLE, 1.0);
        Some(fit.means(PosteriorOver::Points).iter().map(likely).collect())
    }

    /// Whether there is nothing to choose: no more candidates than are wanted.
    fn has_no_choice(&self) -> bool {
        let wanted = match self.goal {
            Goal::Best { .. } => 1,
            Goal::Top { count, .. } => count,
            Goal::AllGood { .. } | Goal::Map { .. } | Goal::Regret { .. } => return false,
        };
        (0..self.space.choices()).filter(|&z| self.may_choose(ChoiceId::new(z))).nth(wanted).is_none()
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
        }
        self.pulls[self.space.site(point.index())] += reading.count();
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

    /// The round that a decision is about ends with the data there are now: a new one, or the last one with more data.
    fn close_round(&mut self, number: u64, fitted: Parameters) {
        let (data, fitted) = (self.data.len(), Some(fitted));
        match self.rounds.last_mut().filter(|round| round.number == number) {
            Some(round) if round.data == data => round.fitted = fitted,
            Some(round) => *round = Round { number, data, fitted, pick: OnceCell::new() },
            None => self.rounds.push(Round { number, data, fitted, pick: OnceCell::new() }),
        }
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

    fn plan(&mut self, wanted: &Wanted) -> Result<Next, BanditError> {
        if let Status::Finished(reason) = self.status() {
            return Ok(Next::Stop(reason));
        }
        let under_way = wanted.pending.len() as u64;
        let left = self.left_of_horizon().map(|left| left.saturating_sub(under_way) as usize);
        if left == Some(0) {
            return Ok(Next::Stop(Reason::Horizon));
        }
        let batch = left.map_or(wanted.batch, |left| wanted.batch.min(left));
        let (points, reasons) = self.choose_for(&Wanted { batch, ..*wanted })?;
        Ok(Next::Measure(Plan::chosen(wanted.round, points).because(reasons)))
    }

    fn learn(&mut self, plan: &Plan, readings: &[Reading]) -> Result<Decision, BanditError> {
        self.append_round(plan, readings)?;
        self.decide(plan.round)
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

    fn is_anytime(&self) -> bool {
        true
    }

    fn note(&mut self, measured: &[(PointId, Reading)]) -> Result<(), BanditError> {
        measured.iter().try_for_each(|(point, reading)| self.append(*point, reading))
    }

    fn decide(&mut self, round: u64) -> Result<Decision, BanditError> {
        let fitted = self.model()?.map(|model| model.fit.parameters().clone());
        Ok(Decision { fitted, ..Decision::keep(round, self.report().survivors) })
    }

    fn set_aside(&mut self, set_aside: &SetAside) -> bool {
        self.aside.clone_from(set_aside);
        true
    }

    fn apply(&mut self, decision: &Decision) {
        // Parameters of fewer columns are from before the pool was extended.
        let fits = |fitted: &&Parameters| fitted.lengthscales.len() == self.space.dimension();
        let Some(fitted) = decision.fitted.as_ref().filter(fits) else { return };
        let is_current = |model: &Result<Model, BanditError>| {
            model.as_ref().is_ok_and(|model| model.fit.parameters() == fitted)
        };
        if !self.model.get().is_some_and(is_current) {
            self.model = OnceCell::new();
        }
        self.fitted = Some(fitted.clone());
        self.stale = false;
        self.close_round(decision.round, fitted.clone());
    }

    fn status(&self) -> Status {
        if self.left_of_horizon() == Some(0) {
            Status::Finished(Reason::Horizon)
        } else if self.has_no_choice() || self.map_is_drawn() {
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

    fn outlook(&self, wanted: &Wanted) -> Result<Option<Outlook>, BanditError> {
        self.outlook_of(wanted)
    }

    fn report(&self) -> Report {
        self.say(self.status())
    }
}
