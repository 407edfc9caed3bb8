//! The campaign: ask, tell, and again, on a file that survives.
//!
//! Every change is the same three steps: see what others have appended, work out the events that follow from it, append them
//! behind exactly that state. Who comes second looks again. So any number of processes can ask and tell at once, and each
//! speaks about the state it has seen.

use std::cell::OnceCell;
use std::path::Path;

use elfving::bandit::{BanditError, Decision, Outcome, Reading, Status};
use elfving::pool::PointId;
use elfving::rounding::{Purpose, below, stream};
use elfving_table::{nearest, slot_index, slot_name};

use crate::at::At;
use crate::batch::{Batch, Stop};
use crate::chain::Digest;
use crate::engine::{self, Engine, Step};
use crate::error::CampaignError;
use crate::event::{
    Asking, BroughtIn, Change, Closing, Correction, Creation, Event, Failing, Recorded, Source, Telling,
};
use crate::recipe::Candidates;
use crate::results::ResultsFile;
use crate::spec::Spec;
use crate::state::{State, Verdict};
use crate::store::{Attachment, Head, Store};
use crate::tell::{TellOptions, Told, Words};

/// A campaign on a file.
///
/// ```
/// use elfving_campaign::{Aim, At, Attachment, Campaign, Recipe, ResultsFile, Spec, TellOptions, Vouched};
/// use elfving::{bandit::Goal, estimate::Tails};
/// use elfving_table::{PoolOptions, ReadOptions};
/// # let folder = tempfile::tempdir()?;
/// # let path = folder.path().join("doses.elfving");
/// let pool = Attachment::new("pool.csv", "id,dose\na,1\nb,2\nc,3\n");
/// let recipe = Recipe::new(&pool, ReadOptions::default(), PoolOptions::default().id("id"));
/// let vouched = Vouched { sigma: Some(0.1), tails: Tails::SubGaussian, norm: Some(1.0), ..Vouched::default() };
/// let spec = Spec::new("doses", "yield", Aim::Maximise, recipe)
///     .goal(Goal::Best { epsilon: 0.2 })
///     .vouched(vouched)
///     .batch(2);
/// let mut campaign = Campaign::create(&path, spec, &[pool], At(0))?;
///
/// let batch = campaign.ask(None, At(1))?;
/// assert_eq!(batch.rows.len(), 2);
/// let sheet = format!("slot,yield\n{},0.5\n{},0.4\n", batch.rows[0].slot, batch.rows[1].slot);
/// let results = ResultsFile::from_bytes("results.csv", sheet.as_bytes(), &campaign.spec().results)?;
/// let told = campaign.tell(&results, &TellOptions::default(), At(2))?;
/// assert_eq!((told.recorded, told.open, told.closed.len()), (2, 0, 1));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct Campaign {
    store: Store,
    state: State,
    candidates: OnceCell<Candidates>,
    pub(crate) engine: Option<Engine>,
}

/// What became of measurements that were brought in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Brought {
    /// How many there are.
    pub measurements: usize,
    /// Whether the algorithm can use them: a theorem about a design says nothing of other measurements.
    pub used: bool,
}

impl Campaign {
    /// Starts a campaign on a new file, which is complete or not there.
    ///
    /// # Errors
    /// What is wrong with the spec, the tables or the question; [`CampaignError::Exists`], [`CampaignError::Durability`].
    pub fn create(
        path: impl AsRef<Path>,
        spec: Spec,
        attachments: &[Attachment],
        at: At,
    ) -> Result<Self, CampaignError> {
        Self::create_with(path, spec, attachments, None, at)
    }

    /// The same with measurements that were made before.
    ///
    /// # Errors
    /// Those of [`create`](Self::create) and of [`bring_in`](Self::bring_in).
    pub fn create_with(
        path: impl AsRef<Path>,
        spec: Spec,
        attachments: &[Attachment],
        earlier: Option<BroughtIn>,
        at: At,
    ) -> Result<Self, CampaignError> {
        check(&spec)?;
        let file = |digest: &Digest| {
            let found = attachments.iter().find(|attachment| attachment.digest() == *digest);
            found.cloned().ok_or_else(|| setting(format!("the file {digest} of the recipe is not attached")))
        };
        let candidates = spec.recipe.read(file, &spec.outcome, &spec.forbidden)?;
        spec.forced.iter().try_for_each(|id| candidates.find(id).map(drop))?;
        let spec = engine::resolve(spec, &candidates)?;
        let engine = Engine::start(&spec, &candidates)?;
        let creation = Creation { spec, version: env!("CARGO_PKG_VERSION").to_owned() };
        let mut events = vec![(at, Event::Created(Box::new(creation)))];
        if let Some(brought_in) = earlier.filter(|brought_in| !brought_in.measurements.is_empty()) {
            check_earlier(&brought_in.measurements, &candidates)?;
            events.push((at, Event::Earlier(brought_in)));
        }
        let store = Store::create(path.as_ref(), attachments, &events)?;
        let state = replayed(&store)?;
        Ok(Self { store, state, candidates: OnceCell::from(candidates), engine: Some(engine) })
    }

    /// Opens a campaign; to read, a file that cannot be written is enough.
    ///
    /// # Errors
    /// [`CampaignError::Missing`], [`CampaignError::NotACampaign`], [`CampaignError::Newer`], [`CampaignError::Damaged`],
    /// [`CampaignError::Locked`].
    pub fn open(path: impl AsRef<Path>) -> Result<Self, CampaignError> {
        let store = Store::open(path.as_ref())?;
        let state = replayed(&store)?;
        Ok(Self { store, state, candidates: OnceCell::new(), engine: None })
    }

    /// The slots to measure now: those that are open, or else up to `batch` new ones (unless given, as many as the spec says).
    /// Asked again before anything is told, it shows the same.
    ///
    /// # Errors
    /// [`CampaignError::OverBudget`], what planning a round finds, and what appending finds.
    pub fn ask(&mut self, batch: Option<usize>, at: At) -> Result<Batch, CampaignError> {
        let size = batch.unwrap_or(self.state.spec.batch);
        if size == 0 {
            return Err(CampaignError::Bandit(BanditError::EmptyBatch));
        }
        loop {
            self.decide_complete_round(at)?;
            if let Some(batch) = self.change(at, |campaign| campaign.hand_out(size))? {
                return match batch {
                    Handed::Out { again } => Ok(Batch::of(&self.state, self.candidates()?, again)),
                    Handed::Stopped(stop) => Ok(Batch::stopped(stop)),
                };
            }
        }
    }

    /// Takes in a file of results, all of it or nothing; a round whose last outcome it brings is decided.
    ///
    /// # Errors
    /// [`CampaignError::Table`] with every problem of the file; [`CampaignError::Undecided`] when the outcomes are on record
    /// and their round has no decision; what appending finds.
    pub fn tell(
        &mut self,
        results: &ResultsFile,
        options: &TellOptions,
        at: At,
    ) -> Result<Told, CampaignError> {
        let told = self.change(at, |campaign| {
            let words = campaign.read(results, options)?;
            campaign.events_of(words, options, Some(results.source()))
        })?;
        self.conclude(told, options, at)
    }

    /// The same for outcomes by the names of their slots.
    ///
    /// # Errors
    /// [`CampaignError::UnknownSlot`], [`CampaignError::Conflict`], [`CampaignError::TooLate`],
    /// [`CampaignError::NotAnOutcome`], and those of [`tell`](Self::tell).
    pub fn tell_outcomes(
        &mut self,
        outcomes: &[(&str, Outcome)],
        options: &TellOptions,
        at: At,
    ) -> Result<Told, CampaignError> {
        let told = self.change(at, |campaign| {
            let words = campaign.listen(outcomes, options)?;
            campaign.events_of(words, options, None)
        })?;
        self.conclude(told, options, at)
    }

    /// Replaces an outcome, or says that the measurement had failed after all. In a closed round the decisions are made anew
    /// where the algorithm decides from all data; otherwise nothing is guaranteed from here on.
    ///
    /// # Errors
    /// [`CampaignError::UnknownSlot`], [`CampaignError::NothingToCorrect`], [`CampaignError::NotAnOutcome`], and what appending
    /// finds.
    pub fn correct(&mut self, slot: &str, to: Outcome, reason: &str, at: At) -> Result<Told, CampaignError> {
        let options = TellOptions::default().correct(reason);
        let number = self.known_slot(slot)?;
        match self.state.judge(number, &to) {
            Verdict::Conflict { .. } | Verdict::Repeated => self.tell_outcomes(&[(slot, to)], &options, at),
            _ => Err(CampaignError::NothingToCorrect { slot: slot.to_owned() }),
        }
    }

    /// Closes the round under way with the outcomes there are. No theorem covers that: from here on nothing is guaranteed.
    ///
    /// # Errors
    /// [`CampaignError::NoRound`], and what appending finds.
    pub fn close_without_guarantee(&mut self, at: At) -> Result<Decision, CampaignError> {
        self.change(at, |campaign| {
            // A round with slots missing is decided by an engine that has not begun it.
            campaign.engine = None;
            let round = campaign.state.open_round().ok_or(CampaignError::NoRound)?.clone();
            let decision = campaign.engine()?.decide(&round)?;
            let waived = round.missing > 0 && !round.plan.is_forced();
            Ok((vec![Event::Closed(Closing { decision: decision.clone(), waived })], decision))
        })
    }

    /// Refuses to go on while slots of the round are open.
    ///
    /// # Errors
    /// [`CampaignError::RoundIncomplete`].
    pub fn close(&mut self, at: At) -> Result<(), CampaignError> {
        self.decide_complete_round(at)?;
        match self.state.open_round() {
            Some(round) => {
                Err(CampaignError::RoundIncomplete { round: round.plan.round, open: round.missing })
            }
            None => Ok(()),
        }
    }

    /// Brings in measurements made before or beside the campaign, by candidate.
    ///
    /// # Errors
    /// [`CampaignError::UnknownCandidate`], [`CampaignError::NotAnOutcome`], and what appending finds.
    pub fn bring_in(
        &mut self,
        measurements: &[(String, Reading)],
        source: Option<Source>,
        at: At,
    ) -> Result<Brought, CampaignError> {
        check_earlier(measurements, self.candidates()?)?;
        self.change(at, |_| {
            let brought_in = BroughtIn { measurements: measurements.to_vec(), source: source.clone() };
            Ok((vec![Event::Earlier(brought_in)], ()))
        })?;
        let used = self.engine()?.used_earlier();
        Ok(Brought { measurements: measurements.len(), used })
    }

    /// The question.
    pub fn spec(&self) -> &Spec {
        &self.state.spec
    }

    /// The last event that was seen.
    pub fn head(&self) -> &Head {
        self.state.head()
    }

    /// The file.
    pub fn path(&self) -> &Path {
        self.store.path()
    }

    /// The candidates: names, numbers, the user's table.
    ///
    /// # Errors
    /// [`CampaignError::Damaged`] when the attached files are not as they were.
    pub fn candidates(&self) -> Result<&Candidates, CampaignError> {
        if let Some(candidates) = self.candidates.get() {
            return Ok(candidates);
        }
        let spec = &self.state.spec;
        let read =
            spec.recipe.read(|digest| self.store.attachment(digest), &spec.outcome, &spec.forbidden)?;
        Ok(self.candidates.get_or_init(|| read))
    }

    /// Every event so far.
    ///
    /// # Errors
    /// What reading finds.
    pub fn log(&self) -> Result<Vec<Recorded>, CampaignError> {
        self.store.events_after(&self.store.start())
    }

    pub(crate) fn store(&self) -> &Store {
        &self.store
    }

    pub(crate) fn state(&self) -> &State {
        &self.state
    }

    /// The algorithm where the record stands.
    pub(crate) fn engine(&mut self) -> Result<&mut Engine, CampaignError> {
        let mut engine = match self.engine.take().filter(|engine| !engine.went_ahead()) {
            Some(engine) => engine,
            None => Engine::start(&self.state.spec, self.candidates()?)?,
        };
        engine.follow(&self.state, self.candidates()?)?;
        Ok(self.engine.insert(engine))
    }

    /// Appends the events that follow from the current state: sees what others did, works them out, appends them behind that
    /// state, and looks again if somebody was faster.
    fn change<T>(
        &mut self,
        at: At,
        follows: impl Fn(&mut Self) -> Result<(Vec<Event>, T), CampaignError>,
    ) -> Result<T, CampaignError> {
        loop {
            self.refresh()?;
            let followed = follows(self);
            // An engine that went ahead of the record is not kept.
            let (events, answer) = followed.inspect_err(|_| self.engine = None)?;
            if events.is_empty() {
                return Ok(answer);
            }
            let appended = self.store.append(self.state.head(), at, &events);
            match appended.inspect_err(|_| self.engine = None)? {
                Some(hashes) => {
                    self.appended(at, events, hashes)?;
                    return Ok(answer);
                }
                None => self.engine = None,
            }
        }
    }

    /// Takes in what other processes have appended.
    ///
    /// # Errors
    /// What reading finds.
    pub fn refresh(&mut self) -> Result<(), CampaignError> {
        for recorded in self.store.events_after(self.state.head())? {
            self.take_in(recorded)?;
        }
        Ok(())
    }

    fn appended(&mut self, at: At, events: Vec<Event>, hashes: Vec<Digest>) -> Result<(), CampaignError> {
        for (event, hash) in events.into_iter().zip(hashes) {
            let seq = self.state.head().event + 1;
            self.take_in(Recorded { seq, at, event, hash })?;
        }
        Ok(())
    }

    fn take_in(&mut self, recorded: Recorded) -> Result<(), CampaignError> {
        if matches!(recorded.event, Event::Corrected(_)) {
            self.engine = None;
        }
        self.state.apply(recorded).map_err(|what| self.store.damaged(what))
    }

    /// Decides the round under way if its last outcome is in.
    fn decide_complete_round(&mut self, at: At) -> Result<Option<Decision>, CampaignError> {
        self.change(at, |campaign| {
            let complete = campaign.state.open_round().filter(|round| round.missing == 0).cloned();
            let Some(round) = complete else { return Ok((Vec::new(), None)) };
            let decision = campaign.engine()?.decide(&round)?;
            Ok((vec![Event::Closed(Closing { decision: decision.clone(), waived: false })], Some(decision)))
        })
    }

    /// The events that hand out the next slots; none where open ones are shown again.
    fn hand_out(&mut self, size: usize) -> Result<(Vec<Event>, Option<Handed>), CampaignError> {
        let asking = match self.state.open_round() {
            Some(round) if round.waiting().next().is_some() => {
                return Ok((Vec::new(), Some(Handed::Out { again: true })));
            }
            // Somebody told the last outcome just now: decide first.
            Some(round) if round.missing == 0 => return Ok((Vec::new(), None)),
            Some(round) => {
                let handed_out = round.points.len().min(round.handed_out.saturating_add(size));
                Asking { plan: None, order: None, handed_out }
            }
            None => match self.plan(size)? {
                Ok(asking) => asking,
                Err(stop) => return Ok((Vec::new(), Some(Handed::Stopped(stop)))),
            },
        };
        Ok((vec![Event::Asked(asking)], Some(Handed::Out { again: false })))
    }

    /// The first slots of the next round, or why there is none.
    fn plan(&mut self, size: usize) -> Result<Result<Asking, Stop>, CampaignError> {
        let spec = &self.state.spec;
        let (seed, budget, first_slot) = (spec.seed, spec.budget, self.state.slot_count());
        if let Some(measurements) = budget.filter(|&budget| self.state.planned() >= budget) {
            return Ok(Err(Stop::Budget { measurements }));
        }
        let forced: Vec<PointId> = match self.state.rounds.is_empty() {
            true => {
                let candidates = self.candidates()?;
                let find = |id: &String| candidates.find(id).map(PointId::new);
                spec.forced.iter().map(find).collect::<Result<_, _>>()?
            }
            false => Vec::new(),
        };
        let step = self.engine()?.plan(forced, size).map_err(|error| match (error, budget) {
            (CampaignError::Bandit(BanditError::OverBudget { needed, left }), Some(budget)) => {
                CampaignError::OverBudget { needed, left, budget }
            }
            (other, _) => other,
        })?;
        Ok(match step {
            Step::Stop(Status::Finished(reason)) => Err(Stop::Finished(reason)),
            Step::Stop(Status::Measuring) => unreachable!("an algorithm that stops has finished"),
            Step::Measure(plan) => {
                let count = plan.measurements.len();
                let order = Some(run_order(count, seed, first_slot as u64));
                Ok(Asking { plan: Some(plan), order, handed_out: count.min(size) })
            }
        })
    }

    /// The events that follow from what was told.
    fn events_of(
        &mut self,
        words: Words,
        options: &TellOptions,
        source: Option<&Source>,
    ) -> Result<(Vec<Event>, Told), CampaignError> {
        let Words { told, results, failed, changes } = words;
        let mut events = Vec::new();
        let source = || source.cloned();
        if !results.is_empty() {
            events.push(Event::Told(Telling { results, source: source() }));
        }
        if !failed.is_empty() {
            events.push(Event::Failed(Failing { slots: failed, source: source() }));
        }
        if !changes.is_empty() {
            let reason = options.correct.clone().unwrap_or_default();
            events.push(Event::Corrected(self.correction(changes, reason)?));
        }
        if options.dry_run {
            events.clear();
        }
        Ok((events, told))
    }

    /// A correction, with what it changes in the decisions of closed rounds where they can be made anew.
    fn correction(&mut self, changes: Vec<Change>, reason: String) -> Result<Correction, CampaignError> {
        let mut corrected = self.state.clone();
        let mut any_closed = false;
        for change in &changes {
            let slot = change.slot;
            let closed = corrected.replace(change.clone());
            any_closed |= closed.map_err(|_| CampaignError::CannotFailLate { slot: slot_name(slot) })?;
        }
        let decisions = match any_closed && self.engine()?.reuses_all() {
            true => Some(Engine::decide_again(&corrected.spec, self.candidates()?, &corrected)?),
            false => None,
        };
        Ok(Correction { changes, reason, decisions })
    }

    /// Decides what can be decided now, and completes the account.
    fn conclude(&mut self, mut told: Told, options: &TellOptions, at: At) -> Result<Told, CampaignError> {
        if !options.dry_run {
            let decided = self.decide_complete_round(at);
            let decided = decided.map_err(|source| CampaignError::Undecided { source: Box::new(source) })?;
            told.closed.extend(decided.map(|decision| decision.round));
        }
        told.open = self.state.open_round().map_or(0, |round| round.waiting().count());
        told.event = self.state.head().event;
        Ok(told)
    }

    /// The number of a slot that was handed out.
    pub(crate) fn known_slot(&self, name: &str) -> Result<usize, CampaignError> {
        let known = slot_index(name.trim()).filter(|&slot| self.state.place(slot).is_some());
        known.ok_or_else(|| {
            let names: Vec<String> = (0..self.state.slot_count()).map(slot_name).collect();
            let nearest = nearest(name, names.iter().map(String::as_str)).map(str::to_owned);
            CampaignError::UnknownSlot { slot: name.to_owned(), nearest }
        })
    }
}

/// What asking came to.
enum Handed {
    Out { again: bool },
    Stopped(Stop),
}

/// Refuses what no algorithm is needed for to see that it is wrong.
fn check(spec: &Spec) -> Result<(), CampaignError> {
    match spec {
        Spec { batch: 0, .. } => Err(setting("a batch has at least 1 measurement".to_owned())),
        Spec { budget: Some(0), .. } => Err(setting("the budget must be at least 1".to_owned())),
        Spec { outcome, .. } if outcome.trim().is_empty() => {
            Err(setting("the outcome needs a name".to_owned()))
        }
        _ => Ok(()),
    }
}

fn check_earlier(measurements: &[(String, Reading)], candidates: &Candidates) -> Result<(), CampaignError> {
    for (id, reading) in measurements {
        candidates.find(id)?;
        if let Some(problem) = reading.problem() {
            return Err(CampaignError::NotAnOutcome { slot: id.clone(), problem });
        }
    }
    Ok(())
}

/// Every order is equally likely: a drift over the day falls on all candidates alike.
fn run_order(count: usize, seed: u64, first_slot: u64) -> Vec<usize> {
    let mut order: Vec<usize> = (0..count).collect();
    let mut random = stream(seed, first_slot, Purpose::RUN_ORDER);
    for last in (1..count).rev() {
        order.swap(last, below(&mut random, last as u64 + 1) as usize);
    }
    order
}

fn replayed(store: &Store) -> Result<State, CampaignError> {
    let mut events = store.events_after(&store.start())?.into_iter();
    let first = events.next().ok_or_else(|| store.damaged("there are no events".to_owned()))?;
    let mut state = State::begin(first).map_err(|what| store.damaged(what))?;
    for recorded in events {
        state.apply(recorded).map_err(|what| store.damaged(what))?;
    }
    Ok(state)
}

fn setting(message: String) -> CampaignError {
    CampaignError::Setting { message }
}
