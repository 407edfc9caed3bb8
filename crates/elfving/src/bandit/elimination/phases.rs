//! The loop that the four algorithms share: plan, collect, estimate, eliminate.

use super::about::About;
use super::answer::{Differences, Standing};
use super::estimator::{Estimator, Terms};
use super::groups::Groups;
use super::ledger::{Ground, Known, Noise, Premises, RoundRecord, Stated, review};
use super::margins::margins;
use super::round::Round;
use super::sample_size::confidence_of_round;
use super::settings::{Constants, Thresholds};
use crate::bandit::{
    BanditError, ChoiceInterval, Decision, Elimination, Goal, Guarantee, Margins, Measurements, Next, Plan,
    Question, Reason, Report, Status,
};
use crate::estimate::{Assumptions, Centring, Premise, Tails};
use crate::linalg::norm_squared;
use crate::pool::{PointId, Pool};
use crate::units::Ridge;
use std::cell::OnceCell;

/// One algorithm box: what differs between the four.
pub(super) trait Algorithm {
    /// Its name on the command line.
    const NAME: &'static str;
    /// How heavy the tails of the noise may be.
    const TAILS: Tails;

    /// Design, sample size and measurements of a round; nothing when the round does not fit into the horizon.
    fn plan_round(phases: &Phases, round: &Round) -> Result<Option<Plan>, BanditError>;

    /// What the outcomes of a round say.
    fn learn_round(phases: &Phases, plan: &Plan, outcomes: &[f64]) -> Result<Learned, BanditError>;
}

/// What a round found and decides, before it is applied.
pub(super) struct Learned {
    pub decision: Decision,
    pub record: Option<RoundRecord>,
    pub standing: Standing,
}

/// State of an elimination policy: what both goals and both estimators share.
pub(super) struct Phases {
    pub question: Question,
    name: &'static str,
    tails: Tails,
    constants: Constants,
    thresholds: Thresholds,
    groups: Groups,
    /// One choice for each group that is still in.
    survivors: Vec<PointId>,
    eliminated: Vec<Elimination>,
    /// ℓ of the last round closed.
    round: u64,
    rounds: u64,
    samples: u64,
    /// The plan that was handed out and is not decided yet.
    planned: Option<Plan>,
    pending: Option<Learned>,
    records: Vec<RoundRecord>,
    /// Whether a decision on record had no ground in the outcomes as they were recomputed.
    ungrounded: bool,
    known: Known,
    standing: Standing,
    warm_start: Vec<(PointId, f64)>,
    last_value: Option<f64>,
    last_accuracy: f64,
    last_gamma: Option<f64>,
    floor: Option<f64>,
    epsilon: Option<f64>,
    finished: Option<Reason>,
    /// For regret: no further round would tell the survivors apart, or none fits.
    playing: bool,
    margins: OnceCell<Margins>,
}

impl Phases {
    pub(super) fn new<A: Algorithm>(question: Question) -> Result<Self, BanditError> {
        let assumptions = &question.assumptions;
        let regret = matches!(question.goal, Goal::Regret { .. });
        if regret && !question.pool.chooses_among_itself() {
            return Err(BanditError::ChoicesNotMeasurable { policy: A::NAME });
        }
        if A::TAILS == Tails::SubGaussian && assumptions.tail() != Tails::SubGaussian {
            let instead = if regret { "rips-regret" } else { "rips-best" };
            return Err(BanditError::NeedsAssumption {
                policy: A::NAME,
                what: "sub-Gaussian noise",
                instead,
            });
        }
        if assumptions.bound_if_known().is_none() {
            let instead = "a policy for sub-Gaussian noise and a norm bound";
            if A::TAILS == Tails::BoundedVariance {
                let what = "a bound B on the mean outcomes";
                return Err(BanditError::NeedsAssumption { policy: A::NAME, what, instead });
            }
            if assumptions.norm_bound().is_none() {
                let what = "a bound B on the mean outcomes or S on the norm, to know where to start";
                return Err(BanditError::NeedsAssumption { policy: A::NAME, what, instead });
            }
        }
        let ridge_matters = question.pool.exact().is_some() || regret || question.gamma.is_some();
        let vouched = assumptions.norm_bound().is_some() || !ridge_matters;
        let thresholds = if vouched { Thresholds::Vouched } else { Thresholds::Room };
        let groups = Groups::new(&question.pool);
        let survivors = groups.names();
        let mut phases = Self {
            name: A::NAME,
            tails: A::TAILS,
            constants: Constants::default(),
            thresholds,
            known: Known::within(assumptions.bound_if_known()),
            standing: Standing {
                leaders: first_leaders(&question.goal, &groups),
                survivors: survivors.clone(),
            },
            survivors,
            groups,
            eliminated: Vec::new(),
            round: 0,
            rounds: 0,
            samples: 0,
            planned: None,
            pending: None,
            records: Vec::new(),
            ungrounded: false,
            warm_start: Vec::new(),
            last_value: None,
            last_accuracy: f64::INFINITY,
            last_gamma: None,
            floor: None,
            epsilon: None,
            finished: None,
            playing: false,
            margins: OnceCell::new(),
            question,
        };
        phases.conclude();
        Ok(phases)
    }

    pub(super) fn set_constants(&mut self, constants: Constants) {
        self.constants = constants;
    }

    pub(super) fn set_thresholds(&mut self, thresholds: Thresholds) {
        self.thresholds = thresholds;
    }

    pub(super) fn constants(&self) -> Constants {
        self.constants
    }

    pub(super) fn thresholds(&self) -> Thresholds {
        self.thresholds
    }

    /// One choice for each group that is still in, in pool order.
    pub(super) fn survivors(&self) -> &[PointId] {
        &self.survivors
    }

    pub(super) fn groups(&self) -> &Groups {
        &self.groups
    }

    pub(super) fn samples(&self) -> u64 {
        self.samples
    }

    pub(super) fn last_value(&self) -> Option<f64> {
        self.last_value
    }

    pub(super) fn last_accuracy(&self) -> f64 {
        self.last_accuracy
    }

    fn assumptions(&self) -> &Assumptions {
        &self.question.assumptions
    }

    fn is_regret(&self) -> bool {
        matches!(self.question.goal, Goal::Regret { .. })
    }

    /// The size of the means: B, or what S allows.
    pub(super) fn scale(&self) -> f64 {
        let by_norm = || {
            let choices = self.question.pool.choices();
            let longest =
                (0..choices.rows()).map(|i| norm_squared(choices.row(i))).fold(0.0, f64::max).sqrt();
            self.assumptions().norm_bound().unwrap_or(1.0) * longest + self.assumptions().h()
        };
        self.assumptions().bound_if_known().unwrap_or_else(by_norm).max(f64::MIN_POSITIVE)
    }

    /// The support of the last design, in the ids of a restricted pool.
    pub(super) fn warm_start(&self, ids: Option<&[PointId]>) -> Vec<(PointId, f64)> {
        match ids {
            None => self.warm_start.clone(),
            Some(ids) => {
                let place = |&(id, weight): &(PointId, f64)| {
                    ids.binary_search(&id).ok().map(|place| (PointId::new(place), weight))
                };
                self.warm_start.iter().filter_map(place).collect()
            }
        }
    }

    // ---- plan

    /// The next round, or a batch of the leader once rounds are over.
    pub(super) fn plan<A: Algorithm>(&mut self, batch: usize, left: u64) -> Result<Next, BanditError> {
        if let Some(reason) = self.finished {
            return Ok(Next::Stop(reason));
        }
        if let Some(plan) = &self.planned {
            return Ok(Next::Measure(plan.clone()));
        }
        if !(self.playing || self.survivors.len() == 1) {
            let number = self.next_round();
            let epsilon = self.epsilon_of(number);
            let (gamma, gamma_is_fixed) = self.ridge(epsilon)?;
            if let Some(plan) = A::plan_round(self, &Round { number, epsilon, gamma, gamma_is_fixed, left })?
            {
                self.planned = Some(plan.clone());
                return Ok(Next::Measure(plan));
            }
            // It does not fit into the horizon, and nothing will be known that could make it shorter.
            self.playing = true;
        }
        let batch = self.horizon_left().unwrap_or(u64::MAX).min(batch as u64).min(left.max(1));
        let leader = vec![self.standing.leaders[0]; batch as usize];
        Ok(Next::Measure(Plan::chosen(self.round.max(1), leader)))
    }

    /// ε_ℓ = B 2^-ℓ.
    fn epsilon_of(&self, round: u64) -> f64 {
        self.scale() * (-(round as f64)).exp2()
    }

    /// The next round that could put some survivor out: with room, ε_ℓ must be below the largest difference that is still possible.
    fn next_round(&self) -> u64 {
        let mut number = self.round + 1;
        if self.constants == Constants::Certified && self.thresholds == Thresholds::Room {
            let ranges = || self.survivors.iter().map(|&id| self.known.of(self.mean_of(id)));
            let highest = ranges().map(|range| range.high).fold(f64::NEG_INFINITY, f64::max);
            let lowest = ranges().map(|range| range.low).fold(f64::INFINITY, f64::min);
            while self.epsilon_of(number) >= highest - lowest && number < self.round + 64 {
                number += 1;
            }
        }
        number
    }

    /// Measurements until the horizon, when there is one.
    pub(super) fn horizon_left(&self) -> Option<u64> {
        match self.question.goal {
            Goal::Regret { horizon } => horizon.map(|horizon| horizon.saturating_sub(self.samples)),
            _ => None,
        }
    }

    /// How many of the wanted measurements to make in what is left of the horizon. As printed: as many as fit. Certified: a round that would leave
    /// less than it takes gains nothing, so the leader is played; the first one takes half, for there is no leader yet.
    pub(super) fn room_in_horizon(&self, wanted: u64, left: u64) -> Option<u64> {
        match self.constants {
            Constants::Paper => Some(wanted.min(left)),
            Constants::Certified if wanted <= left / 2 => Some(wanted),
            Constants::Certified if self.rounds == 0 => Some((left / 2).max(1)),
            Constants::Certified => None,
        }
    }

    /// `B² + σ²`, as printed.
    pub(super) fn second_moment(&self) -> f64 {
        self.scale().powi(2) + self.assumptions().sigma_bound().powi(2)
    }

    /// Unordered pairs of survivors.
    pub(super) fn pairs(&self) -> usize {
        let count = self.survivors.len();
        count * (count - 1) / 2
    }

    /// Whether a round is too short for any statement at its confidence.
    pub(super) fn too_few_for_catoni(&self, plan: &Plan, statements: usize) -> bool {
        let log_term = super::sample_size::log_term(self.question.delta, plan.round, statements);
        plan.measurements.len() as f64 <= 2.0 * log_term
    }

    /// A bound on the centred second moment of one outcome at each point: `R_x² + σ_x²`, or the paper's `B² + σ²`.
    pub(super) fn second_moments(&self) -> Result<Vec<f64>, BanditError> {
        let ids: Vec<PointId> = (0..self.question.pool.len()).map(PointId::new).collect();
        let variances = self.assumptions().variances(&ids, ids.len())?;
        let Some(bound) = self.assumptions().bound_if_known() else { return Ok(variances) };
        let radius = |id: &PointId| match self.constants {
            Constants::Certified => self.known.of(About::Point(*id)).radius(),
            Constants::Paper => bound,
        };
        Ok(ids.iter().zip(variances).map(|(id, variance)| radius(id).powi(2) + variance).collect())
    }

    // ---- learn

    /// The outcomes of a plan, seen by its estimator; `statements` share the confidence of the round. `points`: statements are about the
    /// measurable points, not the choices.
    pub(super) fn estimator<'a>(
        &'a self,
        pool: &'a Pool,
        plan: &Plan,
        outcomes: &'a [f64],
        statements: usize,
    ) -> Result<Estimator<'a>, BanditError> {
        let terms = Terms {
            assumptions: self.assumptions(),
            confidence: confidence_of_round(self.question.delta, plan.round)?,
            statements,
            gamma: Ridge::new(plan.gamma.unwrap_or(0.0))?,
            centring: self.centring()?,
        };
        Estimator::new(pool, &plan.measurements, outcomes, terms)
    }

    /// What earlier rounds know of each point, to centre on; nothing as printed.
    fn centring(&self) -> Result<Option<Centring>, BanditError> {
        if self.constants == Constants::Paper || self.tails == Tails::SubGaussian {
            return Ok(None);
        }
        let ranges = || (0..self.question.pool.len()).map(|i| self.known.of(About::Point(PointId::new(i))));
        let values = ranges().map(|range| range.middle()).collect();
        let radii = ranges().map(|range| range.radius().max(1e-12 * self.scale())).collect();
        Ok(Some(Centring::new(values, radii)?))
    }

    /// What the mean of a choice is filed under.
    pub(super) fn mean_of(&self, choice: PointId) -> About {
        if self.question.pool.chooses_among_itself() { About::Point(choice) } else { About::Choice(choice) }
    }

    fn premises(&self) -> Premises {
        Premises::of(self.assumptions())
    }

    /// The statements of a round, without the outcomes.
    pub(super) fn record(
        &self,
        plan: &Plan,
        statements: usize,
        stated: Vec<Stated>,
    ) -> Result<RoundRecord, BanditError> {
        let (points, noise): (Vec<PointId>, Noise) = match &plan.measurements {
            Measurements::Drawn(draws) => {
                let ids = draws.integer_weights().iter().map(|&(id, _)| id).collect();
                (ids, Noise::Drawn { draws: draws.points().len() })
            }
            Measurements::Counted(allocation) => {
                (allocation.counts().iter().map(|&(id, _)| id).collect(), Noise::Counted)
            }
            Measurements::Chosen(points) => (points.clone(), Noise::Counted),
        };
        let variances = self.assumptions().variances(&points, self.question.pool.len())?;
        let centre = |id: &PointId| match noise {
            Noise::Drawn { .. } => self.known.of(About::Point(*id)).middle(),
            Noise::Counted => 0.0,
        };
        Ok(RoundRecord {
            noise,
            log_term: confidence_of_round(self.question.delta, plan.round)?.log_two_sided(statements),
            centres: points.iter().map(centre).collect(),
            sigmas: variances.iter().map(|variance| variance.sqrt()).collect(),
            points,
            statements: stated,
            grounds: Vec::new(),
        })
    }

    /// The widths of a record as they are decided by: with room, a bias is never counted as less than ε_ℓ.
    pub(super) fn widths(&self, plan: &Plan, record: &RoundRecord) -> Vec<f64> {
        let room = match self.thresholds {
            Thresholds::Room => plan.epsilon.unwrap_or(0.0),
            Thresholds::Vouched => 0.0,
        };
        record.widths(&self.premises(), self.assumptions().sigma_bound(), &self.known, room)
    }

    /// Regret: out goes every point whose range of means, over all rounds, lies below another one's.
    pub(super) fn drop_below(
        &self,
        plan: &Plan,
        statements: usize,
        stated: Vec<Stated>,
    ) -> Result<Learned, BanditError> {
        let mut record = self.record(plan, statements, stated)?;
        let widths = self.widths(plan, &record);
        let mut known = self.known.clone();
        known.learn(&record, &widths);
        let range = |id: PointId| known.of(About::Point(id));
        let first_highest = |of: &dyn Fn(PointId) -> f64| {
            let better = |best: PointId, id: PointId| if of(id) > of(best) { id } else { best };
            self.survivors.iter().copied().reduce(better).expect("someone is always in")
        };
        let winner = first_highest(&|id| range(id).low);
        let out = |&id: &PointId| {
            let (above, below) = (range(winner), range(id));
            let difference = above.middle() - below.middle();
            let threshold = above.radius() + below.radius();
            let elimination =
                Elimination { choice: id, by: winner, difference, threshold, round: plan.round };
            (above.low > below.high).then_some(elimination)
        };
        let eliminated: Vec<Elimination> = self.survivors.iter().filter_map(out).collect();
        record.grounds = eliminated.iter().map(|one| Ground::Ranges { winner, loser: one.choice }).collect();
        let leader = first_highest(&|id| range(id).middle());
        Ok(self.learned(plan, eliminated, vec![leader], Some(record)))
    }

    /// The decision for a list of groups that are out.
    pub(super) fn learned(
        &self,
        plan: &Plan,
        eliminated: Vec<Elimination>,
        leaders: Vec<PointId>,
        record: Option<RoundRecord>,
    ) -> Learned {
        let is_out = |id: &PointId| eliminated.iter().any(|one| one.choice == *id);
        let survivors: Vec<PointId> = self.survivors.iter().filter(|id| !is_out(id)).copied().collect();
        let of_members = |one: &Elimination| {
            let one = *one;
            self.groups.members(one.choice).iter().map(move |&choice| Elimination { choice, ..one })
        };
        let decision = Decision {
            round: plan.round,
            survivors: self.groups.expand(&survivors),
            eliminated: eliminated.iter().flat_map(of_members).collect(),
        };
        Learned { decision, record, standing: Standing { leaders, survivors } }
    }

    /// Takes in a round; the decision is what follows from it.
    pub(super) fn learn<A: Algorithm>(
        &mut self,
        plan: &Plan,
        outcomes: &[f64],
    ) -> Result<Decision, BanditError> {
        let learned = match plan.measurements {
            Measurements::Chosen(_) => self.learned(plan, Vec::new(), self.standing.leaders.clone(), None),
            _ => A::learn_round(self, plan, outcomes)?,
        };
        let decision = learned.decision.clone();
        if !matches!(plan.measurements, Measurements::Chosen(_)) {
            self.rounds += 1;
            self.last_value = plan.value;
            self.last_gamma = plan.gamma;
            self.last_accuracy = plan.epsilon.unwrap_or(self.last_accuracy);
            self.warm_start = match &plan.measurements {
                Measurements::Drawn(draws) => draws.probabilities(),
                Measurements::Counted(allocation) => {
                    allocation.counts().iter().map(|&(id, count)| (id, count as f64)).collect()
                }
                Measurements::Chosen(_) => Vec::new(),
            };
        }
        self.samples += outcomes.len() as u64;
        self.pending = Some(learned);
        Ok(decision)
    }

    // ---- apply

    /// Makes a decision final, the one just computed or one on record.
    pub(super) fn apply(&mut self, decision: &Decision) {
        self.planned = None;
        self.round = self.round.max(decision.round);
        self.survivors = self.groups.named_in(&decision.survivors);
        self.eliminated.extend(&decision.eliminated);
        if let Some(Learned { decision: computed, record, mut standing }) = self.pending.take() {
            if computed.survivors != decision.survivors {
                self.ungrounded = true;
                self.margins = OnceCell::new();
            }
            standing.survivors.clone_from(&self.survivors);
            standing.leaders.retain(|leader| self.survivors.contains(leader));
            if standing.leaders.is_empty() {
                standing.leaders.extend(self.survivors.first());
            }
            self.standing = standing;
            if let Some(record) = record {
                self.margins = OnceCell::new();
                let premises = self.premises();
                let room = match self.thresholds {
                    Thresholds::Room => self.last_accuracy,
                    Thresholds::Vouched => 0.0,
                };
                let widths = record.widths(&premises, premises.sigma, &self.known, room);
                self.known.learn(&record, &widths);
                self.epsilon = Some(self.epsilon_at(Some((&record, &widths)), &premises, &self.known));
                self.floor = self.floor_of(&record);
                self.records.push(record);
            } else if !self.is_regret() {
                self.epsilon = self.printed_epsilon();
            }
        }
        self.conclude();
    }

    /// What the paper's lemmas say of the survivors of round ℓ: within 4 ε_ℓ of the best, 8 ε_ℓ with PTR. Nothing when the statements of a
    /// certified round contradicted each other.
    fn printed_epsilon(&self) -> Option<f64> {
        let multiple = if self.tails == Tails::SubGaussian { 8.0 } else { 4.0 };
        let of_survivors = if self.survivors.len() == 1 { 0.0 } else { multiple * self.last_accuracy };
        (self.constants == Constants::Paper).then_some(of_survivors)
    }

    /// How far below the best a pick may be.
    fn epsilon_at(&self, last: Option<(&RoundRecord, &[f64])>, premises: &Premises, known: &Known) -> f64 {
        let twins = 2.0 * premises.misspecification;
        let alone = self.survivors.len() == 1;
        let pick = self.standing.leaders[0];
        if self.is_regret() {
            let own = if self.groups.members(pick).len() > 1 { twins } else { 0.0 };
            let low = known.of(About::Point(pick)).low;
            let others = self.survivors.iter().filter(|&&id| id != pick);
            return others.map(|&id| known.of(About::Point(id)).high - low).fold(own, f64::max);
        }
        match last {
            Some((record, widths)) => {
                let differences = Differences::new(record, widths);
                self.standing.epsilon(self.question.goal, &self.groups, &differences, twins)
            }
            None if alone && self.groups.members(pick).len() > 1 => twins,
            None if alone => 0.0,
            None => f64::INFINITY,
        }
    }

    /// Twice the bias that no amount of data reduces: where rounds end, the answer is within it. `None` without S when the ridge
    /// matters.
    fn floor_of(&self, record: &RoundRecord) -> Option<f64> {
        let fixed = self.question.gamma.is_some()
            || matches!(self.question.goal, Goal::Regret { horizon: Some(_) })
            || self.ridge(self.last_accuracy).is_ok_and(|(_, fixed)| fixed);
        let premises = self.premises();
        let lasting = |stated: &Stated| {
            let of = if fixed { premises } else { Premises { norm: Some(0.0), ..premises } };
            of.bias(stated)
        };
        let relevant = |stated: &&Stated| self.is_regret() || matches!(stated.about, About::Pair(..));
        let worst = record.statements.iter().filter(relevant).map(lasting).fold(0.0, f64::max);
        let pulls = record.statements.iter().any(|stated| stated.evidence.pull > 0.0);
        let known = premises.norm.is_some() || !pulls;
        known.then_some(if self.is_regret() { 4.0 * worst } else { 2.0 * worst })
    }

    /// Whether it is over, and why.
    fn conclude(&mut self) {
        if let Goal::Regret { .. } = self.question.goal {
            let steps = 4.0;
            self.playing |= self.floor.is_some_and(|floor| self.last_accuracy <= floor / steps);
            self.finished = (self.horizon_left() == Some(0)).then_some(Reason::Horizon);
            return;
        }
        if self.survivors.len() == 1 && self.epsilon.is_none() {
            self.epsilon = Some(self.epsilon_at(None, &self.premises(), &self.known));
        }
        let reached = self.epsilon.is_some_and(|epsilon| epsilon <= self.limit());
        let few = self.groups.expand(&self.survivors).len() <= self.wanted_count();
        let at_floor = self.floor.is_some_and(|floor| self.last_accuracy <= floor / 2.0);
        self.finished = if reached || few {
            Some(Reason::Reached)
        } else if self.survivors.len() == 1 {
            Some(Reason::Tied)
        } else if self.constants == Constants::Certified && at_floor {
            Some(Reason::Floor)
        } else {
            None
        };
        if few && self.epsilon.is_none() {
            self.epsilon = Some(0.0);
        }
    }

    /// The choices asked for, when there is a number; survivors as few as that are the answer.
    fn wanted_count(&self) -> usize {
        match self.question.goal {
            Goal::Top { count, .. } => count,
            _ => 1,
        }
    }

    /// The ε at which the goal is reached.
    fn limit(&self) -> f64 {
        match self.question.goal {
            Goal::Best { epsilon } | Goal::Top { epsilon, .. } => epsilon,
            Goal::AllGood { epsilon } => 2.0 * epsilon,
            Goal::Regret { .. } => f64::NEG_INFINITY,
        }
    }

    // ---- report

    pub(super) fn status(&self) -> Status {
        self.finished.map_or(Status::Measuring, Status::Finished)
    }

    /// Whether every elimination, and the answer if there is one, follows from these premises too.
    pub(super) fn stands(&self, premises: &Premises) -> bool {
        let reviewed = review(&self.records, premises, self.assumptions().sigma_bound());
        let answered = self.finished == Some(Reason::Reached) && !self.is_regret();
        let reached = || {
            let last = reviewed.last.as_ref().map(|(record, widths)| (*record, widths.as_slice()));
            self.epsilon_at(last, premises, &self.known) <= self.limit()
        };
        reviewed.stands && (!answered || reached())
    }

    fn margins(&self) -> Margins {
        let decided = !self.eliminated.is_empty() || self.finished == Some(Reason::Reached);
        let computed = self.constants == Constants::Certified && !self.ungrounded && !self.records.is_empty();
        if !(decided && computed) {
            return Margins::default();
        }
        let premises = self.premises();
        let longest = self.question.pool.features().max_abs().max(f64::MIN_POSITIVE);
        let scale = self.scale();
        let unit = Premises {
            norm: Some(scale / longest),
            sigma: scale,
            bound: Some(scale),
            misspecification: scale,
        };
        margins(&premises, &unit, |premises| self.stands(premises))
    }

    pub(super) fn report(&self) -> Report {
        let guarantee = match self.constants {
            Constants::Certified => Guarantee::Certified,
            Constants::Paper => Guarantee::AsPrinted,
        };
        let survivors = self.groups.expand(&self.survivors);
        Report {
            policy: self.name,
            goal: self.question.goal,
            status: self.status(),
            guarantee,
            delta: self.question.delta.delta(),
            picks: self.standing.picks(self.question.goal, &self.groups),
            epsilon: self.epsilon.filter(|epsilon| epsilon.is_finite()),
            floor: self.floor,
            intervals: self.intervals(&survivors),
            survivors,
            eliminated: self.eliminated.clone(),
            rounds: self.rounds,
            samples: self.samples,
            premises: self.stated_premises(),
            margins: *self.margins.get_or_init(|| self.margins()),
        }
    }

    fn intervals(&self, survivors: &[PointId]) -> Vec<ChoiceInterval> {
        let name_of = |choice: PointId| {
            let holds = |name: &&PointId| self.groups.members(**name).contains(&choice);
            self.survivors.iter().find(holds).copied().unwrap_or(choice)
        };
        let all_known = self.survivors.iter().all(|&name| self.known.has(self.mean_of(name)));
        if !all_known {
            return Vec::new();
        }
        let interval = |&choice: &PointId| {
            let range = self.known.of(self.mean_of(name_of(choice)));
            ChoiceInterval { choice, estimate: range.middle(), lower: range.low, upper: range.high }
        };
        survivors.iter().map(interval).collect()
    }

    fn stated_premises(&self) -> Vec<Premise> {
        let mut premises = vec![match self.tails {
            Tails::BoundedVariance => Premise::IndependentDraws { draws: self.samples as usize },
            Tails::SubGaussian => Premise::FixedCounts { measurements: self.samples },
        }];
        premises.push(self.assumptions().noise_premise(self.tails));
        if let (Tails::BoundedVariance, Some(bound)) = (self.tails, self.assumptions().bound_if_known()) {
            premises.push(Premise::MeansBounded { bound });
        }
        let gamma = self.last_gamma.unwrap_or(0.0);
        premises.extend(self.assumptions().model_premises(gamma, self.question.pool.residual()));
        premises
    }

    // ---- exploration

    /// The differences that decide: an anchor against every survivor, the anchor being whoever no one is estimated above; and the
    /// m leaders against every survivor.
    ///
    /// Which differences are looked at depends on the outcomes, so the union bound counts all pairs.
    pub(super) fn compare(
        &self,
        plan: &Plan,
        statements: usize,
        estimator: &Estimator<'_>,
        mut stated: Vec<Stated>,
    ) -> Result<Learned, BanditError> {
        let of_means: Vec<f64> = {
            let found = |id: PointId| stated.iter().find(|one| one.about == self.mean_of(id));
            self.survivors.iter().map(|&id| found(id).map_or(0.0, |one| one.evidence.estimate)).collect()
        };
        let mut anchor = self.survivors[first_largest(&of_means)];
        let mut anchors = Vec::new();
        let mut above = Vec::new();
        for _ in 0..5 {
            let others: Vec<PointId> = self.survivors.iter().copied().filter(|&id| id != anchor).collect();
            let differences = estimator.differences(anchor, &others)?;
            above = others.iter().zip(&differences).map(|(&id, one)| (id, -one.evidence.estimate)).collect();
            above.push((anchor, 0.0));
            above.sort_by(|a: &(PointId, f64), b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
            stated.extend(differences);
            anchors.push(anchor);
            let best = above[0];
            if best.1 <= 0.0 || anchors.contains(&best.0) {
                break;
            }
            anchor = best.0;
        }
        let anchor = *anchors.last().expect("one anchor was tried");
        let leaders = self.leaders(anchor, &above);
        for &leader in leaders.iter().filter(|leader| !anchors.contains(leader)) {
            let known = |id: &PointId| *id != leader && !anchors.contains(id);
            let others: Vec<PointId> = self.survivors.iter().copied().filter(known).collect();
            stated.extend(estimator.differences(leader, &others)?);
        }
        let mut record = self.record(plan, statements, stated)?;
        let widths = self.widths(plan, &record);
        let standing = Standing { leaders, survivors: self.survivors.clone() };
        let differences = Differences::new(&record, &widths);
        let beaten = standing.beaten(self.question.goal, &anchors, &differences, plan.round);
        let leaders = standing.leaders;
        if beaten.len() == self.survivors.len() {
            return self.fall_back(plan, estimator, record, &widths);
        }
        let (eliminated, grounds): (Vec<Elimination>, Vec<Vec<Ground>>) = beaten.into_iter().unzip();
        record.grounds = grounds.concat();
        Ok(self.learned(plan, eliminated, leaders, Some(record)))
    }

    /// The anchor and the best others by estimate, until their groups hold as many choices as are wanted.
    fn leaders(&self, anchor: PointId, above: &[(PointId, f64)]) -> Vec<PointId> {
        let mut leaders = vec![anchor];
        let mut held = self.groups.members(anchor).len();
        for &(id, _) in above.iter().filter(|(id, _)| *id != anchor) {
            if held >= self.wanted_count() {
                break;
            }
            held += self.groups.members(id).len();
            leaders.push(id);
        }
        leaders
    }

    /// Every survivor is beaten by some other: the statements contradict each other, which has probability δ_ℓ at most when the
    /// premises hold. One vector θ̂ that agrees with them as well as a vector can does not contradict itself; by Theorem 1 it needs
    /// twice the width.
    fn fall_back(
        &self,
        plan: &Plan,
        estimator: &Estimator<'_>,
        record: RoundRecord,
        widths: &[f64],
    ) -> Result<Learned, BanditError> {
        let pairs: Vec<(usize, Stated)> = record
            .statements
            .iter()
            .enumerate()
            .filter(|(_, one)| matches!(one.about, About::Pair(..)))
            .map(|(at, one)| (at, one.clone()))
            .collect();
        let stated: Vec<Stated> = pairs.iter().map(|(_, one)| one.clone()).collect();
        let fitted = estimator.min_max_fit(&stated)?;
        let estimate = |k: usize| fitted.as_ref().map_or(stated[k].evidence.estimate, |fit| fit[k]);
        // Against the first anchor everyone has a value.
        let About::Pair(anchor, _) = stated[0].about else { unreachable!("pairs were selected") };
        let value = |id: PointId| {
            let with_anchor = stated.iter().position(|one| one.about == About::Pair(anchor, id));
            with_anchor.map_or(0.0, |k| -estimate(k))
        };
        let values: Vec<f64> = self.survivors.iter().map(|&id| value(id)).collect();
        let leader = self.survivors[first_largest(&values)];
        let out = |(k, (at, one)): (usize, &(usize, Stated))| {
            let About::Pair(first, second) = one.about else { return None };
            let (sign, loser) = match (first == leader, second == leader) {
                (true, _) => (1.0, second),
                (_, true) => (-1.0, first),
                _ => return None,
            };
            let (difference, threshold) = (sign * estimate(k), 2.0 * widths[*at]);
            let elimination =
                Elimination { choice: loser, by: leader, difference, threshold, round: plan.round };
            (difference > threshold).then_some(elimination)
        };
        let eliminated: Vec<Elimination> = pairs.iter().enumerate().filter_map(out).collect();
        // What the statements say contradicts itself: it is not kept.
        Ok(self.learned(plan, eliminated, vec![leader], None))
    }
}

/// The first place of the largest value.
pub(super) fn first_largest(values: &[f64]) -> usize {
    (1..values.len()).fold(0, |best, k| if values[k] > values[best] { k } else { best })
}

/// Groups that hold as many choices as are wanted, before anything is known.
fn first_leaders(goal: &Goal, groups: &Groups) -> Vec<PointId> {
    let wanted = if let Goal::Top { count, .. } = goal { *count } else { 1 };
    let mut held = 0;
    let enough = |name: &PointId| {
        let more = held < wanted;
        held += groups.members(*name).len();
        more
    };
    groups.names().into_iter().take_while(enough).collect()
}
