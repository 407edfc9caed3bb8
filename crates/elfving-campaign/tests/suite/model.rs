//! A campaign against a model that is a few lines long: whatever is asked, told, failed, corrected, released, volunteered, forbidden,
//! added, changed, shuffled or reopened, from a file of this format or of the first, by whom and in whatever order, both agree.

use crate::support;

use std::collections::{BTreeMap, BTreeSet};

use elfving::bandit::{Goal, Outcome, Reading};
use elfving_campaign::event::Changing;
use elfving_campaign::{At, Attachment, Campaign, CampaignError, TellOptions};
use elfving_table::{slot_index, slot_name};
use proptest::prelude::*;
use support::*;

const BATCH: usize = 5;
/// Those of the pool, and two that are added.
const IDS: [&str; 8] = ["a1", "a2", "a3", "b1", "b2", "b3", "c1", "c2"];
const FIRST: usize = 6;
const WORKERS: [Option<&str>; 3] = [None, Some("one"), Some("two")];

/// One thing that a user does; numbers choose among the slots, candidates and workers there are.
#[derive(Debug, Clone)]
enum Act {
    Ask(usize),
    /// Lines of a file: a slot, and what it says.
    Tell(Vec<(usize, Say)>),
    /// Lines of candidates that nobody asked for.
    Volunteer(Vec<(usize, u8)>),
    Correct(usize, u8),
    Release(usize),
    Forbid(usize),
    Allow(usize),
    Change(u8),
    Extend,
    CloseWithoutGuarantee,
    Reopen,
}

#[derive(Debug, Clone, Copy, PartialEq)]
enum Say {
    Value(u8),
    Failed,
    Infeasible,
    Nothing,
}

fn acts() -> impl Strategy<Value = Vec<Act>> {
    let say = prop_oneof![
        8 => (0..4u8).prop_map(Say::Value),
        2 => Just(Say::Failed),
        1 => Just(Say::Infeasible),
        1 => Just(Say::Nothing)
    ];
    let line = (0..16usize, say);
    let act = prop_oneof![
        6 => (0..3usize).prop_map(Act::Ask),
        8 => proptest::collection::vec(line, 1..7).prop_map(Act::Tell),
        2 => proptest::collection::vec((0..9usize, 0..4u8), 1..4).prop_map(Act::Volunteer),
        2 => (0..16usize, 0..4u8).prop_map(|(slot, value)| Act::Correct(slot, value)),
        1 => (0..3usize).prop_map(Act::Release),
        1 => (0..8usize).prop_map(Act::Forbid),
        1 => (0..8usize).prop_map(Act::Allow),
        1 => Just(Act::Extend),
        1 => (1..4u8).prop_map(Act::Change),
        1 => Just(Act::CloseWithoutGuarantee),
        2 => Just(Act::Reopen),
    ];
    proptest::collection::vec(act, 1..25)
}

#[derive(Debug, Clone, Copy, PartialEq)]
enum Slot {
    Open,
    Failed,
    Released,
    Dropped,
    Told(u8),
    /// Its round was closed without it.
    Missing,
}

/// What must be true, whichever candidates the algorithm chooses.
#[derive(Debug, Clone, Default)]
struct Model {
    anytime: bool,
    slots: Vec<(Slot, String, Option<usize>)>,
    failures: BTreeMap<usize, u64>,
    brought: Vec<(String, u8)>,
    /// Candidates there are.
    candidates: usize,
    barred: BTreeSet<String>,
    /// Where the round of a policy by whole rounds begins.
    open_from: usize,
    waived: bool,
}

impl Model {
    fn is_open(&self, slot: usize) -> bool {
        matches!(self.slots[slot].0, Slot::Open | Slot::Failed | Slot::Released)
    }

    fn open(&self) -> Vec<usize> {
        (0..self.slots.len()).filter(|&slot| self.is_open(slot)).collect()
    }

    fn samples(&self) -> usize {
        let told = |slot: &&(Slot, String, Option<usize>)| matches!(slot.0, Slot::Told(_));
        self.slots.iter().filter(told).count() + self.brought.len()
    }

    fn bar(&mut self, id: &str) {
        self.barred.insert(id.to_owned());
        for slot in 0..self.slots.len() {
            if self.is_open(slot) && self.slots[slot].1 == id {
                self.slots[slot].0 = Slot::Dropped;
                self.waived |= !self.anytime;
            }
        }
    }

    /// A whole round is over when nothing of it is open.
    fn close_if_complete(&mut self) {
        if !self.anytime && self.open().is_empty() {
            self.open_from = self.slots.len();
        }
    }

    /// Recorded, repeated, failed, infeasible and blank lines; nothing when the file is refused.
    fn tell(&mut self, lines: &[(usize, Say)]) -> Option<[usize; 5]> {
        let mut after = self.clone();
        let mut counts = [0; 5];
        let mut seen = Vec::new();
        let mut infeasible = Vec::new();
        for &(slot, say) in lines {
            if slot >= self.slots.len() || seen.contains(&slot) {
                return None;
            }
            seen.push(slot);
            let closed = !self.anytime && slot < self.open_from;
            counts[match (self.slots[slot].0, say) {
                (_, Say::Nothing) => 4,
                (Slot::Told(known), Say::Value(value)) if known == value => 1,
                (Slot::Told(_), _) => return None,
                _ if closed => return None,
                (Slot::Failed, Say::Failed) | (Slot::Dropped, Say::Failed | Say::Infeasible) => 1,
                (_, Say::Failed) => {
                    after.slots[slot].0 = Slot::Failed;
                    let failures = after.failures.entry(slot).or_default();
                    *failures += 1;
                    if *failures >= 2 {
                        infeasible.push(self.slots[slot].1.clone());
                    }
                    2
                }
                (_, Say::Infeasible) => {
                    infeasible.push(self.slots[slot].1.clone());
                    3
                }
                (_, Say::Value(value)) => {
                    after.slots[slot].0 = Slot::Told(value);
                    0
                }
            }] += 1;
        }
        *self = after;
        infeasible.iter().for_each(|id| self.bar(id));
        self.close_if_complete();
        Some(counts)
    }

    /// How many lines are new.
    fn volunteer(&mut self, lines: &[(usize, u8)]) -> Option<usize> {
        if !self.anytime || lines.iter().any(|(id, _)| *id >= self.candidates) {
            return None;
        }
        let mut known = self.brought.clone();
        let mut new = 0;
        for &(id, value) in lines {
            let line = (IDS[id].to_owned(), value);
            match known.iter().position(|one| *one == line) {
                Some(place) => drop(known.remove(place)),
                None => {
                    self.brought.push(line);
                    new += 1;
                }
            }
        }
        Some(new)
    }
}

fn number(value: u8) -> f64 {
    f64::from(value) / 3.0
}

/// Lines as a file, slots in the order given.
fn file(lines: &[(usize, Say)]) -> String {
    let line = |&(slot, say): &(usize, Say)| {
        let (outcome, status) = match say {
            Say::Value(value) => (number(value).to_string(), ""),
            Say::Failed => (String::new(), "failed"),
            Say::Infeasible => (String::new(), "infeasible"),
            Say::Nothing => (String::new(), ""),
        };
        format!("{},{outcome},{status},a note\n", slot_name(slot))
    };
    format!("slot,yield,status,remark\n{}", lines.iter().map(line).collect::<String>())
}

fn agree(campaign: &Campaign, model: &Model) {
    let slots = campaign.slots().unwrap();
    assert_eq!(slots.len(), model.slots.len());
    for (k, (story, (slot, id, _))) in slots.iter().zip(&model.slots).enumerate() {
        let expected = match slot {
            Slot::Open => ("open", None),
            Slot::Failed => ("failed", None),
            Slot::Released => ("released", None),
            Slot::Dropped => ("dropped", None),
            Slot::Missing => ("missing", None),
            Slot::Told(value) => ("told", Some(Reading::Value(number(*value)))),
        };
        assert_eq!((&story.slot, &story.id), (&slot_name(k), id));
        assert_eq!((story.state, story.reading.clone()), expected, "{}", story.slot);
    }
}

/// Asks, and checks who gets what.
fn ask(campaign: &mut Campaign, model: &mut Model, worker: usize, at: At) {
    let known = model.slots.len();
    let held: Vec<usize> = (0..known)
        .filter(|&slot| model.slots[slot].0 == Slot::Open && model.slots[slot].2 == Some(worker))
        .collect();
    let batch = campaign.ask_for(WORKERS[worker], None, at).unwrap();
    let numbers: Vec<usize> = batch.rows.iter().map(|row| slot_index(&row.slot).unwrap()).collect();
    assert!(batch.rows.len() <= BATCH.max(held.len()) || batch.again, "{batch:?}");
    for (row, &slot) in batch.rows.iter().zip(&numbers) {
        assert!(!model.barred.contains(&row.id), "{} is set aside", row.id);
        if slot < known {
            assert!(model.is_open(slot), "{batch:?}");
            let (state, _, holder) = &model.slots[slot];
            let nobodys = *state == Slot::Failed && holder.is_none_or(|holder| holder == 0);
            let free = *state == Slot::Released || nobodys || *holder == Some(worker);
            assert!(free || batch.again && worker == 0, "{} is with another one", row.slot);
        }
    }
    let new: BTreeMap<usize, String> =
        numbers.iter().copied().zip(batch.rows.iter().map(|row| row.id.clone())).collect();
    for story in campaign.slots().unwrap().into_iter().skip(known) {
        let slot = slot_index(&story.slot).unwrap();
        let state = if story.state == "dropped" { Slot::Dropped } else { Slot::Open };
        assert!(new.contains_key(&slot) || state == Slot::Dropped, "every new slot is shown");
        model.slots.push((state, story.id, Some(worker)));
    }
    if !(batch.again && worker == 0) {
        for &slot in &numbers {
            (model.slots[slot].0, model.slots[slot].2) = (Slot::Open, Some(worker));
        }
    }
    if worker > 0 {
        let mine: Vec<usize> = held.into_iter().filter(|slot| !numbers.contains(slot)).collect();
        assert!(mine.is_empty(), "whoever asks again gets the own slots: {mine:?}");
    }
    if model.anytime && model.barred.len() < model.candidates && batch.stopped.is_none() {
        assert!(batch.rows.len() >= BATCH.min(numbers.len()), "{batch:?}");
    }
    // Asked again before anything happens, it shows the same.
    let again = campaign.ask_for(WORKERS[worker], None, at).unwrap();
    assert_eq!(
        again.rows.iter().map(|row| &row.slot).collect::<Vec<_>>(),
        batch.rows.iter().map(|row| &row.slot).collect::<Vec<_>>()
    );
}

fn live(anytime: bool, old: bool, acts: &[Act]) {
    let lab = Lab::quick();
    let spec = if anytime { certified().goal(Goal::Best { epsilon: 1e-6 }) } else { random() };
    let mut campaign = lab.create(spec.batch(BATCH));
    let mut model = Model { anytime, candidates: FIRST, ..Model::default() };
    if old {
        // A file of the first format, which has the same first event.
        drop(campaign);
        let file = rusqlite::Connection::open(lab.path()).unwrap();
        file.pragma_update(None, "user_version", 1).unwrap();
        drop(file);
        campaign = lab.open();
    }
    for (k, act) in acts.iter().enumerate() {
        let (at, before) = (At(k as u64), campaign.head().event);
        match act {
            Act::Ask(worker) => ask(&mut campaign, &mut model, *worker, at),
            Act::Tell(lines) => {
                let told = tell(&mut campaign, &file(lines), k as u64);
                match (told, model.tell(lines)) {
                    (Ok(told), Some(counts)) => {
                        let got = [told.recorded, told.repeated, told.failed, told.infeasible, told.blank];
                        assert_eq!((got, told.read), (counts, lines.len()));
                        assert_eq!(told.open, model.open().len());
                    }
                    (Err(CampaignError::Table(_)), None) => assert_eq!(campaign.head().event, before),
                    (told, expected) => panic!("{told:?} and not {expected:?}"),
                }
            }
            Act::Volunteer(lines) => {
                let line = |&(id, value): &(usize, u8)| {
                    format!(
                        "{},{}\n",
                        IDS.get(id).filter(|_| id < model.candidates).unwrap_or(&"nobody"),
                        number(value)
                    )
                };
                let text = format!("id,yield\n{}", lines.iter().map(line).collect::<String>());
                match (tell(&mut campaign, &text, k as u64), model.volunteer(lines)) {
                    (Ok(told), Some(new)) => {
                        assert_eq!((told.volunteered, told.repeated), (new, lines.len() - new));
                    }
                    (Err(CampaignError::Table(_)), None) => assert_eq!(campaign.head().event, before),
                    (told, expected) => panic!("{told:?} and not {expected:?}"),
                }
            }
            Act::Correct(slot, value) => {
                let corrected =
                    campaign.correct(&slot_name(*slot), Outcome::from(number(*value)), "a reason", at);
                let known = model.slots.get(*slot).map(|slot| slot.0);
                assert_eq!(corrected.is_ok(), matches!(known, Some(Slot::Told(_))), "{corrected:?}");
                if let Some(Slot::Told(known)) = known {
                    model.waived |= !anytime && *slot < model.open_from && known != *value;
                    model.slots[*slot].0 = Slot::Told(*value);
                }
            }
            Act::Release(worker) => {
                let held: Vec<usize> = (0..model.slots.len())
                    .filter(|&slot| matches!(model.slots[slot].0, Slot::Open | Slot::Failed))
                    .filter(|&slot| model.slots[slot].2.unwrap_or(0) == *worker)
                    .collect();
                let released = campaign.release(&[], WORKERS[*worker], false, at).unwrap();
                assert_eq!(released, held.len());
                for slot in held {
                    (model.slots[slot].0, model.slots[slot].2) = (Slot::Released, None);
                }
            }
            Act::Forbid(id) => {
                let ids = [IDS[*id].to_owned()];
                let forbidden = campaign.forbid(&ids, false, None, "sold out", at);
                assert_eq!(forbidden.is_ok(), anytime && *id < model.candidates, "{forbidden:?}");
                if forbidden.is_ok() {
                    model.bar(IDS[*id]);
                }
            }
            Act::Allow(id) => {
                let allowed = campaign.allow(&[IDS[*id].to_owned()], "back again", at);
                assert_eq!(allowed.is_ok(), *id < model.candidates, "{allowed:?}");
                model.barred.remove(IDS[*id]);
            }
            Act::Change(budgets) => {
                let budget = Some(Some(100 * u64::from(*budgets)));
                let changing = Changing { budget, reason: "money".to_owned(), ..Changing::default() };
                campaign.change_question(&changing, at).unwrap();
            }
            Act::Extend => {
                let more = "id,ligand,dose (mg)\nc1,SPhos,1\nc2,SPhos,2\n";
                let extended = campaign.extend(Attachment::new("more.csv", more), "new", at);
                assert_eq!(extended.is_ok(), anytime && model.candidates == FIRST, "{extended:?}");
                if extended.is_ok() {
                    model.candidates = IDS.len();
                } else {
                    assert_eq!(campaign.head().event, before, "nothing was written");
                }
            }
            Act::CloseWithoutGuarantee => {
                let open = model.open();
                let closed = campaign.close_without_guarantee(at);
                assert_eq!(closed.is_ok(), !open.is_empty(), "{closed:?}");
                for slot in open {
                    model.slots[slot].0 = if anytime { Slot::Dropped } else { Slot::Missing };
                    model.waived |= !anytime;
                }
                model.close_if_complete();
            }
            Act::Reopen => {
                let status = campaign.status().unwrap();
                campaign = lab.open();
                assert_eq!(campaign.status().unwrap(), status);
            }
        }
        agree(&campaign, &model);
    }
    let status = campaign.status().unwrap();
    assert_eq!(status.waived.is_some(), model.waived);
    if anytime {
        assert_eq!(campaign.report().unwrap().samples as usize, model.samples(), "every result counts, once");
        assert_eq!(status.set_aside.len(), model.barred.len());
    }
    assert_eq!(status.candidates, model.candidates);
    // Who tells everything again changes nothing.
    let told = model.slots.iter().enumerate().filter_map(|(k, slot)| match slot.0 {
        Slot::Told(value) => Some((k, Say::Value(value))),
        _ => None,
    });
    let all: Vec<(usize, Say)> = told.rev().collect();
    if !all.is_empty() {
        let told = tell_with(&mut campaign, &file(&all), &TellOptions::default(), 99).unwrap();
        assert_eq!((told.repeated, told.recorded), (all.len(), 0));
    }
    lab.open().verify().unwrap();
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 500, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn any_sequence_of_acts_equals_the_model(anytime: bool, old: bool, acts in acts()) {
        live(anytime, old, &acts);
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 10_000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    #[ignore = "slow: ten thousand campaigns"]
    fn any_of_ten_thousand_sequences_of_acts_equals_the_model(anytime: bool, old: bool, acts in acts()) {
        live(anytime, old, &acts);
    }
}
