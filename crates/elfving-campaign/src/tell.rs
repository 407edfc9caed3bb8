//! Telling: what was told is weighed against the record, and what is new goes on it, whole or not at all.

use std::collections::{BTreeMap, HashMap};

use elfving::bandit::{Outcome, Reading, Verdict};
use elfving::pool::PointId;
use elfving_table::{Code, Hint, Problem, Problems, nearest, slot_index, slot_name};
use serde::Serialize;

use crate::at::At;
use crate::campaign::{Campaign, problem_with};
use crate::error::CampaignError;
use crate::event::{Barring, BroughtIn, Change, Correction, Event, Failing, Source, Telling};
use crate::fates::Fate;
use crate::outliers::Outlier;
use crate::results::{Entry, ResultsFile, Volunteered};

/// How to tell.
///
/// | setting | default | effect |
/// |---|---|---|
/// | `correct` | none | a slot with another outcome is corrected, for this reason; without one it is a conflict |
/// | `dry_run` | false | everything is checked and nothing is written |
/// | `all_new` | false | a line without a slot is new although the same value of the same candidate is on record |
/// | `by` | nobody | who tells it |
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct TellOptions {
    /// Why outcomes are replaced.
    pub correct: Option<String>,
    /// Whether nothing is written.
    pub dry_run: bool,
    /// Whether lines without a slot are new even where the same value is on record.
    pub all_new: bool,
    /// Who tells it.
    pub by: Option<String>,
}

impl TellOptions {
    /// Replaces outcomes that differ, for a reason.
    #[must_use]
    pub fn correct(mut self, reason: impl Into<String>) -> Self {
        self.correct = Some(reason.into());
        self
    }

    /// Checks everything and writes nothing.
    #[must_use]
    pub fn dry_run(mut self, dry_run: bool) -> Self {
        self.dry_run = dry_run;
        self
    }
}

/// What became of what was told: `read = recorded + volunteered + repeated + corrected + failed + infeasible + blank`, and nothing was
/// refused.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct Told {
    /// Lines read.
    pub read: usize,
    /// Outcomes that are new.
    pub recorded: usize,
    /// Measurements that nobody asked for.
    pub volunteered: usize,
    /// Outcomes that were on record already.
    pub repeated: usize,
    /// Outcomes that replaced another one.
    pub corrected: usize,
    /// Measurements that failed and have to be made again.
    pub failed: usize,
    /// Measurements that cannot be made at all.
    pub infeasible: usize,
    /// Candidates that are set aside now, because they cannot be measured.
    pub set_aside: Vec<String>,
    /// Lines without an outcome: their slots stay open.
    pub blank: usize,
    /// Outcomes far from all others.
    pub outliers: Vec<Outlier>,
    /// Slots handed out and open after this.
    pub open: usize,
    /// Rounds that were decided.
    pub closed: Vec<u64>,
    /// The last event of the campaign now.
    pub event: u64,
}

/// What follows from what was told, before it is put on record.
#[derive(Debug, Default)]
pub(crate) struct Words {
    told: Told,
    results: Vec<(usize, Reading)>,
    failed: Vec<usize>,
    changes: Vec<Change>,
    volunteered: Vec<(String, Reading)>,
    /// Candidates that cannot be measured, with the reason.
    infeasible: BTreeMap<String, String>,
    /// What becomes of the lines of a file.
    pub(crate) fates: Vec<(usize, Fate)>,
}

impl Words {
    /// Adds what `lines` lines say of a slot.
    fn add(&mut self, slot: usize, outcome: Outcome, verdict: Verdict, lines: usize) {
        let told = &mut self.told;
        match (verdict, outcome) {
            (Verdict::Repeated, _) => told.repeated += lines,
            (Verdict::Conflict { known: from, .. }, outcome) => {
                told.corrected += lines;
                let to = match outcome {
                    Outcome::Measured(reading) => Some(reading),
                    Outcome::Failed | Outcome::Infeasible => None,
                };
                self.changes.push(Change { slot, from, to });
            }
            (_, Outcome::Measured(reading)) => {
                told.recorded += lines;
                self.results.push((slot, reading));
            }
            (_, Outcome::Failed) => {
                told.failed += lines;
                self.failed.push(slot);
            }
            (_, Outcome::Infeasible) => told.infeasible += lines,
        }
    }
}

impl Campaign {
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
        self.refresh()?;
        let number = self.known_slot(slot)?;
        match self.state.judge(number, &to) {
            Verdict::Conflict { .. } | Verdict::Repeated => self.tell_outcomes(&[(slot, to)], &options, at),
            _ => Err(CampaignError::NothingToCorrect { slot: slot.to_owned() }),
        }
    }

    /// The events that follow from what was told.
    fn events_of(
        &mut self,
        words: Words,
        options: &TellOptions,
        source: Option<&Source>,
    ) -> Result<(Vec<Event>, Told), CampaignError> {
        let Words { mut told, results, failed, changes, volunteered, mut infeasible, fates: _ } = words;
        let mut events = Vec::new();
        let (source, by) = (|| source.cloned(), || options.by.clone());
        let measured = results.iter().map(|(slot, reading)| (slot_name(*slot), reading));
        let changed = changes.iter().filter_map(|change| Some((slot_name(change.slot), change.to.as_ref()?)));
        let volunteers = volunteered.iter().map(|(id, reading)| (id.clone(), reading));
        for (slot, reading) in measured.chain(changed).chain(volunteers) {
            if let Some(problem) = problem_with(reading, &self.state.spec.assumed) {
                return Err(CampaignError::NotAnOutcome { slot, problem });
            }
        }
        told.outliers = self.outliers(&results, &volunteered)?;
        // Whoever has failed as often as may be cannot be measured.
        let tries = self.state.spec.tries;
        for &slot in &failed {
            let failures = self.state.slot(slot).map_or(0, |slot| slot.failures) + 1;
            if failures >= tries {
                infeasible.entry(self.id_of(slot)?).or_insert_with(|| match failures {
                    1 => "it failed".to_owned(),
                    times => format!("it failed {times} times"),
                });
            }
        }
        if !results.is_empty() {
            let also = BTreeMap::new();
            events.push(Event::Told(Telling { results, also, source: source(), by: by() }));
        }
        if !failed.is_empty() {
            events.push(Event::Failed(Failing { slots: failed, source: source(), by: by() }));
        }
        if !volunteered.is_empty() {
            let measurements = volunteered;
            events.push(Event::Earlier(BroughtIn { measurements, source: source(), by: by() }));
        }
        let mut by_reason: BTreeMap<String, Vec<String>> = BTreeMap::new();
        for (id, reason) in infeasible {
            by_reason.entry(reason).or_default().push(id);
        }
        for (reason, candidates) in by_reason {
            told.set_aside.extend(candidates.iter().cloned());
            let barring = Barring { candidates, infeasible: true, reason, rule: None, by: by() };
            events.push(Event::Barred(barring));
        }
        if !changes.is_empty() {
            let reason = options.correct.clone().unwrap_or_default();
            events.push(Event::Corrected(self.correction(changes, reason, by())?));
        }
        if options.dry_run {
            events.clear();
        }
        Ok((events, told))
    }

    fn id_of(&self, slot: usize) -> Result<String, CampaignError> {
        let point = self.state.point(slot).expect("the slot was handed out");
        Ok(self.candidates()?.names().name(point.index()).into_owned())
    }

    /// A correction, with what it changes in the decisions made so far where they can be made anew.
    fn correction(
        &mut self,
        changes: Vec<Change>,
        reason: String,
        by: Option<String>,
    ) -> Result<Correction, CampaignError> {
        let mut corrected = self.state.talk.clone();
        let mut any_decided = false;
        for Change { slot, from, to } in &changes {
            let decided = corrected.replace(*slot, from, to.clone());
            any_decided |= decided.map_err(|_| CampaignError::CannotFailLate { slot: slot_name(*slot) })?;
        }
        let decisions = match any_decided && corrected.is_anytime() {
            true => Some(self.decided_again(&corrected)?),
            false => None,
        };
        Ok(Correction { changes, reason, decisions, by })
    }

    /// Decides what can be decided now, and completes the account.
    fn conclude(&mut self, mut told: Told, options: &TellOptions, at: At) -> Result<Told, CampaignError> {
        if !options.dry_run {
            let decided = self.settle(at);
            let decided = decided.map_err(|source| CampaignError::Undecided { source: Box::new(source) })?;
            told.closed.extend(decided);
        }
        told.open = self.state.open().count();
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

    /// Reads a file against the record; every problem of it is listed.
    fn read(&self, results: &ResultsFile, options: &TellOptions) -> Result<Words, CampaignError> {
        let (words, problems) = self.look_at(results, options)?;
        problems.finish()?;
        Ok(words)
    }

    /// The same with the problems beside what the other lines say.
    pub(crate) fn look_at(
        &self,
        results: &ResultsFile,
        options: &TellOptions,
    ) -> Result<(Words, Problems), CampaignError> {
        let (state, candidates) = (self.state(), self.candidates()?);
        let ids = candidates.names().text();
        let id_of = |slot: usize| Some(&ids[state.point(slot)?.index()]);
        let id_column = candidates.id_column().unwrap_or("row");
        let (outcome, slots) = (&self.spec().outcome, state.slot_count());
        let mut problems = Problems::default();
        let entries = results.entries(outcome, id_column, slots, id_of, &mut problems)?;
        let mut words = Words::default();
        let mut refused = Problems::default();
        for Entry { row, slot, outcome, lines } in entries.list {
            let verdict = state.judge(slot, &outcome);
            match &verdict {
                Verdict::TooLate => refused.add(|| too_late(results, row, slot)),
                Verdict::Conflict { known, .. } if options.correct.is_none() => {
                    words.fates.push((row, Fate::Conflict));
                    refused.add(|| conflict(results, row, slot, known, &outcome));
                }
                _ => {
                    if outcome == Outcome::Infeasible && verdict == Verdict::New {
                        words.infeasible.insert(self.id_of(slot)?, "told as infeasible".to_owned());
                    }
                    words.fates.push((row, Fate::of(&verdict, &outcome)));
                    words.add(slot, outcome, verdict, lines);
                }
            }
        }
        words.fates.extend(entries.blank.iter().map(|&row| (row, Fate::Blank)));
        self.read_volunteered(results, options, entries.volunteered, &mut words, &mut refused)?;
        problems.absorb(refused);
        words.told.read = results.rows();
        words.told.blank += entries.blank.len();
        Ok((words, problems))
    }

    /// What a file says without naming a slot.
    fn read_volunteered(
        &self,
        results: &ResultsFile,
        options: &TellOptions,
        lines: Vec<Volunteered>,
        words: &mut Words,
        refused: &mut Problems,
    ) -> Result<(), CampaignError> {
        if lines.is_empty() {
            return Ok(());
        }
        let candidates = self.candidates()?;
        let mut known = self.known_values();
        for Volunteered { row, id, outcome } in lines {
            let Ok(point) = candidates.find(&id) else {
                let close = nearest(&id, candidates.names().text().iter()).map(str::to_owned);
                refused.add(|| unknown_candidate(results, row, &id, close));
                continue;
            };
            if !self.state.is_anytime() && outcome != Outcome::Failed {
                refused.add(|| nobody_asked(results, row, &self.state.spec.algorithm));
                continue;
            }
            let fate = match outcome {
                // That somebody failed at what nobody asked for asks for nothing.
                Outcome::Failed => {
                    words.told.blank += 1;
                    Fate::Blank
                }
                Outcome::Infeasible => {
                    let known = self.state.barred().get(&PointId::new(point));
                    if known.is_some_and(|bar| bar.infeasible) {
                        words.told.repeated += 1;
                        Fate::Repeated
                    } else {
                        words.told.infeasible += 1;
                        words.infeasible.insert(id, "told as infeasible".to_owned());
                        Fate::Infeasible
                    }
                }
                Outcome::Measured(reading) => {
                    let times = known.get_mut(&(point, reading.to_string())).filter(|times| **times > 0);
                    match times.filter(|_| !options.all_new) {
                        Some(times) => {
                            *times -= 1;
                            words.told.repeated += 1;
                            Fate::Repeated
                        }
                        None => {
                            words.told.volunteered += 1;
                            words.volunteered.push((id, reading));
                            Fate::Volunteered
                        }
                    }
                }
            };
            words.fates.push((row, fate));
        }
        Ok(())
    }

    /// How often each value of each candidate is on record without a slot: a file that is told twice is one file.
    fn known_values(&self) -> HashMap<(usize, String), usize> {
        let mut known = HashMap::new();
        for (point, reading) in self.state.brought() {
            *known.entry((point.index(), reading.to_string())).or_insert(0) += 1;
        }
        known
    }

    /// The same for outcomes by slot name; the first problem is named.
    fn listen(&self, outcomes: &[(&str, Outcome)], options: &TellOptions) -> Result<Words, CampaignError> {
        let mut words = Words::default();
        let mut seen = std::collections::HashSet::new();
        for (name, outcome) in outcomes {
            let slot = self.known_slot(name)?;
            let name = slot_name(slot);
            if !seen.insert(slot) {
                return Err(CampaignError::NotAnOutcome {
                    slot: name,
                    problem: "it is told twice".to_owned(),
                });
            }
            if let Outcome::Measured(reading) = outcome
                && let Some(problem) = reading.problem()
            {
                return Err(CampaignError::NotAnOutcome { slot: name, problem });
            }
            let verdict = self.state().judge(slot, outcome);
            match &verdict {
                Verdict::TooLate => return Err(CampaignError::TooLate { slot: name }),
                Verdict::Conflict { known, .. } if options.correct.is_none() => {
                    let (known, told) = (known.to_string(), in_words(outcome));
                    return Err(CampaignError::Conflict { slot: name, known, told });
                }
                _ => {
                    if *outcome == Outcome::Infeasible && verdict == Verdict::New {
                        words.infeasible.insert(self.id_of(slot)?, "told as infeasible".to_owned());
                    }
                    words.add(slot, outcome.clone(), verdict, 1);
                }
            }
        }
        words.told.read = outcomes.len();
        Ok(words)
    }
}

fn in_words(outcome: &Outcome) -> String {
    match outcome {
        Outcome::Measured(reading) => reading.to_string(),
        Outcome::Failed => "failed".to_owned(),
        Outcome::Infeasible => "infeasible".to_owned(),
    }
}

fn problem(results: &ResultsFile, code: Code, row: usize, message: String) -> Problem {
    let table = results.table();
    Problem::new(code, table.file(), message).at(table.place(row))
}

fn unknown_candidate(results: &ResultsFile, row: usize, id: &str, close: Option<String>) -> Problem {
    let help = match close {
        Some(close) => format!("the nearest is {close:?}"),
        None => "correct the id, or remove the line".to_owned(),
    };
    problem(results, Code::UnknownId, row, format!("there is no candidate {id:?}")).help(help)
}

fn nobody_asked(results: &ResultsFile, row: usize, algorithm: &str) -> Problem {
    let message = format!("the line has no slot, and {algorithm} uses only measurements that it asked for");
    problem(results, Code::UnknownSlot, row, message).help(
        "its proof is about its own draws; calibrated campaigns and the ellipsoid algorithms take such lines",
    )
}

fn too_late(results: &ResultsFile, row: usize, slot: usize) -> Problem {
    let message = format!("the round of slot {} was closed without it", slot_name(slot));
    problem(results, Code::TooLate, row, message).help("remove the line; the outcome is no longer used")
}

fn conflict(results: &ResultsFile, row: usize, slot: usize, known: &Reading, told: &Outcome) -> Problem {
    let (name, told) = (slot_name(slot), in_words(told));
    let message = format!("slot {name} has the outcome {known} already, the line says {told}");
    problem(results, Code::Conflict, row, message).help(Hint::CorrectOutcome)
}
