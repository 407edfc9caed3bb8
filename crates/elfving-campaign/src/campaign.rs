//! The campaign: a state, its file, and the one way in which they change.
//!
//! Every change is the same three steps: see what others have appended, work out the events that follow from it, append them
//! behind exactly that state. Who comes second looks again. So any number of processes can ask and tell at once, and each
//! speaks about the state it has seen.

use std::cell::OnceCell;
use std::collections::BTreeMap;
use std::path::Path;

use elfving::bandit::{Conversation, Decision, Follower, Goal, Limits, Reading, TheoremName};
use elfving::pool::PointId;
use elfving::units::grouped;
use elfving_problem::{AssumptionSpec, Dataset};

use crate::at::At;
use crate::chain::Digest;
use crate::engine;
use crate::error::CampaignError;
use crate::event::{BroughtIn, Creation, Event, Recorded, Source};
use crate::spec::{Mode, Spec};
use crate::state::State;
use crate::store::{Attachment, Head, Store};

/// A campaign on a file.
///
/// ```
/// use elfving_campaign::{Aim, At, Attachment, Campaign, Recipe, ResultsFile, Spec, TellOptions, AssumptionSpec};
/// use elfving::{bandit::Goal, estimate::Tails};
/// use elfving_table::{PoolOptions, ReadOptions};
/// # let folder = tempfile::tempdir()?;
/// # let path = folder.path().join("doses.elfving");
/// let pool = Attachment::new("pool.csv", "id,dose\na,1\nb,2\nc,3\n");
/// let recipe = Recipe::new(&pool, ReadOptions::default(), PoolOptions::default().id("id"));
/// let assumed = AssumptionSpec { sigma: Some(0.1), tails: Tails::SubGaussian, norm: Some(1.0), ..AssumptionSpec::default() };
/// let spec = Spec::new("doses", "yield", Aim::Maximise, recipe)
///     .goal(Goal::Best { epsilon: 0.2 })
///     .assumed(assumed)
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
    pub(crate) state: State,
    candidates: OnceCell<Dataset>,
    pub(crate) engine: Option<Follower>,
    /// Who acts, where no event says so itself.
    by: Option<String>,
    /// The head behind which alone the next change may go.
    expected: Option<Digest>,
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
        let file = |digest: &Digest| {
            let found = attachments.iter().find(|attachment| attachment.digest() == *digest);
            found.cloned().ok_or_else(|| setting(format!("the file {digest} of the recipe is not attached")))
        };
        let candidates = spec.recipe.read(file, &spec.outcome, &spec.forbidden)?;
        Self::begin(path.as_ref(), spec, attachments, candidates, earlier, None, at)
    }

    /// Writes the first events, once the candidates are known.
    pub(crate) fn begin(
        path: &Path,
        spec: Spec,
        attachments: &[Attachment],
        candidates: Dataset,
        earlier: Option<BroughtIn>,
        by: Option<String>,
        at: At,
    ) -> Result<Self, CampaignError> {
        check(&spec)?;
        spec.forced.iter().try_for_each(|id| candidates.find(id).map(drop))?;
        spec.layout.check(&candidates, spec.batch)?;
        let spec = engine::resolve(spec, &candidates)?;
        check_priors(&spec)?;
        let engine = engine::start(&spec, &candidates)?;
        check_limits(&spec, &engine)?;
        let assumed = spec.assumed;
        let files = attachments.iter().map(|file| (file.digest(), file.name.clone())).collect();
        let version = env!("CARGO_PKG_VERSION").to_owned();
        let creation = Creation { spec, version, files, by: by.clone() };
        let mut events = vec![(at, Event::Created(Box::new(creation)))];
        if let Some(brought_in) = earlier.filter(|brought_in| !brought_in.measurements.is_empty()) {
            check_earlier(&brought_in.measurements, &candidates, &assumed)?;
            events.push((at, Event::Earlier(brought_in).signed(by.as_deref())));
        }
        let store = Store::create(path, attachments, &events)?;
        let mut candidates = OnceCell::from(candidates);
        let state = replayed(&store, &mut candidates)?;
        Ok(Self { store, state, candidates, engine: Some(engine), by, expected: None })
    }

    /// Opens a campaign; to read, a file that cannot be written is enough.
    ///
    /// # Errors
    /// [`CampaignError::Missing`], [`CampaignError::NotACampaign`], [`CampaignError::Newer`], [`CampaignError::Damaged`],
    /// [`CampaignError::Locked`].
    pub fn open(path: impl AsRef<Path>) -> Result<Self, CampaignError> {
        let store = Store::open(path.as_ref())?;
        let mut candidates = OnceCell::new();
        let state = replayed(&store, &mut candidates)?;
        Ok(Self { store, state, candidates, engine: None, by: None, expected: None })
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
        check_earlier(measurements, self.candidates()?, &self.spec().assumed)?;
        self.change(at, |_| {
            let (measurements, source, by) = (measurements.to_vec(), source.clone(), None);
            Ok((vec![Event::Earlier(BroughtIn { measurements, source, by })], ()))
        })?;
        self.settle(at)?;
        let used = self.engine()?.uses_brought();
        Ok(Brought { measurements: measurements.len(), used })
    }

    /// From here on every event says that `by` did it, where it does not name somebody itself.
    pub fn act_as(&mut self, by: Option<String>) {
        self.by = by;
    }

    /// The next change goes in behind the event with this seal or not at all: whoever has seen another state decides anew.
    /// Without a seal every state will do, as at the start.
    pub fn expect_head(&mut self, head: Option<Digest>) {
        self.expected = head;
    }

    /// The question.
    pub fn spec(&self) -> &Spec {
        &self.state.spec
    }

    /// Whether the algorithm decides by whole rounds, and so waits for all their results.
    pub fn needs_whole_rounds(&self) -> bool {
        !self.state.is_anytime()
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
    pub fn candidates(&self) -> Result<&Dataset, CampaignError> {
        let State { spec, files, .. } = &self.state;
        read_candidates(&self.store, spec, files, &self.candidates)
    }

    /// The candidates once more, from their files: to make others of them.
    pub(crate) fn read_again(&self) -> Result<Dataset, CampaignError> {
        let State { spec, files, .. } = &self.state;
        read_dataset(&self.store, spec, files)
    }

    /// Every event so far.
    ///
    /// # Errors
    /// What reading finds.
    pub fn log(&self) -> Result<Vec<Recorded>, CampaignError> {
        self.store.events_after(&self.store.start())
    }

    /// The events after the one with this number. Cost: a check of the seals of those alone; of all where it is 0.
    ///
    /// # Errors
    /// What reading finds.
    pub fn events_after(&self, event: u64) -> Result<Vec<Recorded>, CampaignError> {
        match self.store.head_at(event)? {
            Some(head) => self.store.events_after(&head),
            None => Ok(Vec::new()),
        }
    }

    pub(crate) fn store(&self) -> &Store {
        &self.store
    }

    pub(crate) fn state(&self) -> &State {
        &self.state
    }

    /// The algorithm where the record stands.
    pub(crate) fn engine(&mut self) -> Result<&mut Follower, CampaignError> {
        let mut engine = match self.engine.take().filter(|engine| !engine.went_ahead()) {
            Some(engine) => engine,
            None => engine::start(&self.state.spec, self.candidates()?)?,
        };
        engine.follow(&self.state.talk).map_err(CampaignError::Bandit)?;
        Ok(self.engine.insert(engine))
    }

    /// The same, with what was told since the last decision.
    pub(crate) fn engine_with_all(&mut self) -> Result<&mut Follower, CampaignError> {
        self.engine()?;
        let engine = self.engine.as_mut().expect("it was built just now");
        if self.state.talk.is_anytime() {
            engine.note_fresh(&self.state.talk).map_err(CampaignError::Bandit)?;
        }
        Ok(engine)
    }

    /// Every decision made anew from the outcomes of a conversation, each with the candidates that there were at its time.
    pub(crate) fn decided_again(&self, talk: &Conversation) -> Result<Vec<Decision>, CampaignError> {
        let State { spec, files, .. } = &self.state;
        let mut decisions = Vec::new();
        let mut talk = talk.clone();
        let extensions = talk.extensions().count();
        for stage in 0..=extensions {
            let engine = if stage == extensions {
                engine::start(spec, self.candidates()?)?
            } else {
                let mut spec = spec.clone();
                spec.recipe.more.truncate(stage);
                engine::start(&spec, &read_dataset(&self.store, &spec, files)?)?
            };
            let part = talk.with_extensions(stage);
            decisions.extend(engine.decide_again(&part).map_err(CampaignError::Bandit)?);
            // What comes later rests on these.
            talk.decide_first_again(&decisions);
        }
        Ok(decisions)
    }

    /// Appends the events that follow from the current state: sees what others did, works them out, appends them behind that
    /// state, and looks again if somebody was faster.
    pub(crate) fn change<T>(
        &mut self,
        at: At,
        follows: impl Fn(&mut Self) -> Result<(Vec<Event>, T), CampaignError>,
    ) -> Result<T, CampaignError> {
        self.change_with(&[], at, follows)
    }

    /// The same with files that the events speak of.
    pub(crate) fn change_with<T>(
        &mut self,
        attachments: &[Attachment],
        at: At,
        follows: impl Fn(&mut Self) -> Result<(Vec<Event>, T), CampaignError>,
    ) -> Result<T, CampaignError> {
        loop {
            self.refresh()?;
            if let Some(expected) = self.expected.filter(|expected| *expected != self.state.head().hash) {
                return Err(CampaignError::MovedOn { expected, event: self.state.head().event });
            }
            let followed = follows(self);
            // An engine that went ahead of the record is not kept.
            let (events, answer) = followed.inspect_err(|_| self.engine = None)?;
            if events.is_empty() {
                return Ok(answer);
            }
            let events: Vec<Event> =
                events.into_iter().map(|event| event.signed(self.by.as_deref())).collect();
            if let Some(event) = events.iter().find(|event| !event.is_readable()) {
                self.engine = None;
                return Err(CampaignError::OutOfRange { what: event.kind() });
            }
            let appended = self.store.append(self.state.head(), at, &events, attachments);
            match appended.inspect_err(|_| self.engine = None)? {
                Some(hashes) => {
                    // What follows from it goes in behind it.
                    self.expected = None;
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
        // What was learned from another outcome, or for another question, is learned again.
        if matches!(recorded.event, Event::Corrected(_) | Event::Changed(_) | Event::Extended(_)) {
            self.engine = None;
        }
        let Self { store, state, candidates, .. } = self;
        applied(store, state, candidates, recorded)
    }
}

/// Takes the next event into the state. What depends on the candidates is looked up among those there are by then.
fn applied(
    store: &Store,
    state: &mut State,
    candidates: &mut OnceCell<Dataset>,
    recorded: Recorded,
) -> Result<(), CampaignError> {
    let extended = matches!(recorded.event, Event::Extended(_));
    let names_candidates = matches!(recorded.event, Event::Earlier(_) | Event::Barred(_) | Event::Allowed(_));
    let before = names_candidates.then(|| (state.spec.clone(), state.files.clone()));
    let find = |id: &str| match &before {
        Some((spec, files)) => find(store, spec, files, candidates, id),
        None => Err("this event names no candidate".to_owned()),
    };
    state.apply(recorded, &find).map_err(|what| store.damaged(what))?;
    if extended {
        *candidates = OnceCell::new();
    }
    Ok(())
}

/// The most measurements of a campaign, in all or at a time: more is a slip of the finger.
pub const MOST_MEASUREMENTS: u64 = 10_000_000;

/// Refuses what no algorithm is needed for to see that it is wrong.
pub(crate) fn check(spec: &Spec) -> Result<(), CampaignError> {
    let most = grouped(MOST_MEASUREMENTS);
    if let Some(id) = spec.forced.iter().find(|id| spec.forbidden.contains(id)) {
        return Err(setting(format!(
            "candidate {id:?} is both forced and forbidden: take it out of one of the lists"
        )));
    }
    if let Some(problem) = spec.assumed.range_problem() {
        return Err(setting(problem));
    }
    match spec {
        Spec { batch, .. } if *batch as u64 > MOST_MEASUREMENTS => {
            Err(setting(format!("a batch has at most {most} measurements, got {}", grouped(*batch as u64))))
        }
        Spec { budget: Some(budget), .. } if *budget > MOST_MEASUREMENTS => {
            Err(setting(format!("the budget is at most {most} measurements, got {}", grouped(*budget))))
        }
        Spec { budget: Some(budget), forced, .. } if forced.len() as u64 > *budget => Err(setting(format!(
            "{} candidates are forced, and the budget is {budget}: raise the budget or force fewer",
            forced.len()
        ))),
        Spec { batch: 0, .. } => Err(setting("a batch has at least 1 measurement".to_owned())),
        Spec { budget: Some(0), .. } => Err(setting("the budget must be at least 1".to_owned())),
        Spec { worth: Some(worth), .. } if !(*worth >= 0.0 && worth.is_finite()) => {
            Err(setting(format!("worth is a gain of at least 0, got {worth}")))
        }
        Spec { worth: Some(_), mode: Mode::Certified, .. } => Err(setting(
            "worth is for the calibrated mode: a certified campaign ends when its goal is proved; give --epsilon".to_owned(),
        )),
        Spec { worth: Some(_), goal, .. } if !matches!(goal, Goal::Best { .. }) => {
            Err(setting("worth is about the best candidate: it goes with the goal `best`".to_owned()))
        }
        Spec { tries: 0, .. } => Err(setting("a candidate gets at least 1 try".to_owned())),
        Spec { limits: Limits { in_a_batch: Some(0), .. } | Limits { in_all: Some(0), .. }, .. } => {
            Err(setting("a candidate may be measured at least once".to_owned()))
        }
        Spec { outcome, .. } if outcome.trim().is_empty() => {
            Err(setting("the outcome needs a name".to_owned()))
        }
        _ => Ok(()),
    }
}

/// What is wrong with an outcome under what is assumed: outside of the stated range is no outcome at all.
pub(crate) fn problem_with(reading: &Reading, assumed: &AssumptionSpec) -> Option<String> {
    reading.problem().or_else(|| {
        let (low, high) = assumed.range?;
        let outside = reading.values().iter().find(|value| !(low..=high).contains(*value))?;
        Some(format!(
            "{outside} is outside the range {low} to {high} that this campaign assumes of every outcome"
        ))
    })
}

fn check_earlier(
    measurements: &[(String, Reading)],
    candidates: &Dataset,
    assumed: &AssumptionSpec,
) -> Result<(), CampaignError> {
    for (id, reading) in measurements {
        candidates.find(id)?;
        if let Some(problem) = problem_with(reading, assumed) {
            return Err(CampaignError::NotAnOutcome { slot: id.clone(), problem });
        }
    }
    Ok(())
}

/// The candidates, read when they are needed first.
fn read_candidates<'a>(
    store: &Store,
    spec: &Spec,
    files: &BTreeMap<Digest, String>,
    candidates: &'a OnceCell<Dataset>,
) -> Result<&'a Dataset, CampaignError> {
    if let Some(candidates) = candidates.get() {
        return Ok(candidates);
    }
    let read = read_dataset(store, spec, files)?;
    Ok(candidates.get_or_init(|| read))
}

fn read_dataset(
    store: &Store,
    spec: &Spec,
    files: &BTreeMap<Digest, String>,
) -> Result<Dataset, CampaignError> {
    // The extension of its name says how a file is read.
    let file = |digest: &Digest| {
        let file = store.attachment(digest)?;
        match files.get(digest).filter(|name| **name != file.name) {
            Some(name) => {
                Err(store.damaged(format!("the attachment {name:?} is called {:?} now", file.name)))
            }
            None => Ok(file),
        }
    };
    spec.recipe.read(file, &spec.outcome, &spec.forbidden)
}

fn find(
    store: &Store,
    spec: &Spec,
    files: &BTreeMap<Digest, String>,
    candidates: &OnceCell<Dataset>,
    id: &str,
) -> Result<PointId, String> {
    let candidates = read_candidates(store, spec, files, candidates).map_err(|error| match error {
        CampaignError::Damaged { what, .. } => what,
        other => other.to_string(),
    })?;
    candidates.find(id).map(PointId::new).map_err(|error| error.to_string())
}

/// An algorithm by whole rounds measures what its design says.
pub(crate) fn check_limits(spec: &Spec, engine: &Follower) -> Result<(), CampaignError> {
    let rule = match spec {
        _ if engine.is_anytime() => return Ok(()),
        Spec { limits, .. } if !limits.are_none() => "no limit on repeats",
        Spec { layout, .. } if layout.chooses() => "no controls, and no rule about columns",
        _ => return Ok(()),
    };
    Err(setting(format!(
        "{} measures what its design says, as often as it says: it takes {rule}",
        spec.algorithm
    )))
}

/// Predictions bet where models bet; elsewhere they would be ignored.
fn check_priors(spec: &Spec) -> Result<(), CampaignError> {
    let bets = spec.algorithm.starts_with("ellipsoid-") && spec.theorem == TheoremName::Witnesses;
    if spec.priors.is_empty() || bets {
        return Ok(());
    }
    Err(setting(format!(
        "{} does not use an earlier campaign's predictions: they bet in certified campaigns with sub-Gaussian noise and a norm",
        spec.algorithm
    )))
}

fn replayed(store: &Store, candidates: &mut OnceCell<Dataset>) -> Result<State, CampaignError> {
    let mut events = store.events_after(&store.start())?.into_iter();
    let first = events.next().ok_or_else(|| store.damaged("there are no events".to_owned()))?;
    let mut state = State::begin(first).map_err(|what| store.damaged(what))?;
    for recorded in events {
        applied(store, &mut state, candidates, recorded)?;
    }
    Ok(state)
}

pub(crate) fn setting(message: String) -> CampaignError {
    CampaignError::Setting { message }
}
