//! The state of a campaign: its events folded into one conversation, light enough to be done whenever a file is opened.

use std::collections::BTreeMap;
use std::ops::Deref;

use elfving::bandit::{Bar, Conversation, Goal, SlotRecord};
use elfving::pool::PointId;
use elfving_lab::AnyAlgorithm;
use elfving_table::{Plate, slot_name};

use crate::at::At;
use crate::chain::Digest;
use crate::event::{Barring, Changing, Correction, Creation, Event, Recorded};
use crate::spec::Spec;
use crate::store::Head;

/// What the events amount to.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct State {
    /// The question as it stands now.
    pub(crate) spec: Spec,
    pub(crate) created: At,
    pub(crate) talk: Conversation,
    /// The names of the attached files, as far as the record has them.
    pub(crate) files: BTreeMap<Digest, String>,
    /// When the first slots of each round went out.
    pub(crate) asked: Vec<At>,
    /// The plates of all batches behind so many: what lies on a plate stays there when the next ones are others.
    plates: Vec<(usize, Option<Plate>)>,
    head: Head,
}

/// Where a slot lies: its batch, its place there, and the plate that this is on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Seat {
    pub(crate) batch: usize,
    pub(crate) seat: usize,
    pub(crate) plate: Option<Plate>,
}

impl Seat {
    /// The well, where there are plates.
    pub(crate) fn well(&self) -> Option<String> {
        self.plate.map(|plate| plate.well(self.seat))
    }
}

/// Finds the point of a candidate by its id.
pub(crate) type Find<'a> = &'a dyn Fn(&str) -> Result<PointId, String>;

impl Deref for State {
    type Target = Conversation;

    fn deref(&self) -> &Conversation {
        &self.talk
    }
}

impl State {
    /// Begins with the first event.
    pub(crate) fn begin(first: Recorded) -> Result<Self, String> {
        let head = Head { event: first.seq, hash: first.hash };
        match first.event {
            Event::Created(creation) => {
                let Creation { spec, files, .. } = *creation;
                let anytime = spec.algorithm.parse::<AnyAlgorithm>().is_ok_and(AnyAlgorithm::is_anytime);
                let talk = Conversation::new(anytime);
                let plates = vec![(0, spec.layout.plate)];
                Ok(Self { spec, created: first.at, talk, files, asked: Vec::new(), plates, head })
            }
            other => Err(format!("event 1 is {:?}, not the creation", other.kind())),
        }
    }

    /// Takes in the next event; says what is wrong with one that cannot have happened. Cost: linear in the event.
    pub(crate) fn apply(&mut self, recorded: Recorded, find: Find) -> Result<(), String> {
        let Recorded { seq, at, event, hash } = recorded;
        let talk = &mut self.talk;
        let applied = match event {
            Event::Created(_) => Err("a second creation".to_owned()),
            Event::Asked(handing) => {
                let handed = talk.hand_out(handing);
                self.asked.resize(talk.rounds().len(), at);
                handed
            }
            Event::Told(telling) => {
                telling.results.into_iter().try_for_each(|(slot, reading)| talk.tell(slot, reading))
            }
            Event::Failed(failing) => {
                failing.slots.into_iter().try_for_each(|slot| talk.fail(slot).map(drop))
            }
            Event::Released(releasing) => talk.release(&releasing.slots, releasing.for_good),
            Event::Corrected(correction) => self.correct(correction),
            Event::Closed(closing) => talk.close(closing.decision, closing.waived),
            Event::Decided(decision) => talk.decide(decision),
            Event::Earlier(brought_in) => {
                let measured = brought_in.measurements.into_iter();
                let measured: Result<_, String> =
                    measured.map(|(id, reading)| Ok((find(&id)?, reading))).collect();
                measured.and_then(|measured| talk.bring(measured))
            }
            Event::Barred(Barring { candidates, infeasible, reason, .. }) => {
                points(&candidates, find).map(|points| talk.bar(&points, &Bar { infeasible, reason }))
            }
            Event::Allowed(allowing) => points(&allowing.candidates, find).map(|points| talk.allow(&points)),
            Event::Changed(changing) => {
                change(&mut self.spec, &changing);
                self.plates.push((talk.batch_count(), self.spec.layout.plate));
                Ok(())
            }
            Event::Extended(extending) => {
                self.spec.recipe.more.push(extending.table);
                // The same bytes may be attached already, under the name they came with.
                self.files.entry(extending.table).or_insert(extending.file);
                talk.extend(extending.extension)
            }
        };
        self.head = Head { event: seq, hash };
        applied.map_err(|what| format!("event {seq}: {what}"))
    }

    pub(crate) fn head(&self) -> &Head {
        &self.head
    }

    /// Where a slot lies.
    pub(crate) fn seat(&self, record: &SlotRecord) -> Seat {
        let (batch, seat) = (record.batch, record.seat);
        let since = self.plates.iter().rev().find(|(behind, _)| *behind < batch);
        Seat { batch, seat, plate: since.and_then(|(_, plate)| *plate) }
    }

    fn correct(&mut self, correction: Correction) -> Result<(), String> {
        let mut decided = None;
        for change in correction.changes {
            if self.talk.replace(change.slot, &change.from, change.to)? {
                decided = Some(change.slot);
            }
        }
        match (correction.decisions, decided) {
            (Some(decisions), _) => self.talk.decide_again(decisions)?,
            (None, Some(slot)) => {
                let (slot, algorithm) = (slot_name(slot), &self.spec.algorithm);
                self.talk.waive(format!(
                    "slot {slot} was corrected after its round was closed, and {algorithm} does not decide from all data anew"
                ));
            }
            (None, None) => {}
        }
        Ok(())
    }
}

fn points(candidates: &[String], find: Find) -> Result<Vec<PointId>, String> {
    candidates.iter().map(|id| find(id)).collect()
}

/// The question as it is from here on.
pub(crate) fn change(spec: &mut Spec, changing: &Changing) {
    let Changing { budget, batch, epsilon, worth, limits, tries, layout, .. } = changing;
    if let Some(budget) = budget {
        spec.budget = *budget;
    }
    if let Some(batch) = batch {
        spec.batch = *batch;
    }
    if worth.is_some() {
        spec.worth = *worth;
    }
    if let Some(limits) = limits {
        spec.limits = *limits;
    }
    if let Some(tries) = tries {
        spec.tries = *tries;
    }
    if let Some(layout) = layout {
        spec.layout.clone_from(layout);
    }
    if let Some(to) = epsilon {
        match &mut spec.goal {
            Goal::Best { epsilon }
            | Goal::Top { epsilon, .. }
            | Goal::AllGood { epsilon }
            | Goal::Map { epsilon } => *epsilon = *to,
            Goal::Regret { .. } => {}
        }
    }
}
