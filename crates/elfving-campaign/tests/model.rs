//! A campaign against a model that is a few lines long: whatever is asked, told, failed, corrected, repeated, shuffled or reopened,
//! both agree.

#![allow(clippy::unwrap_used)] // helpers of tests, too

mod support;

use elfving::bandit::{Outcome, Reading};
use elfving_campaign::{At, Campaign, CampaignError, SlotStory, TellOptions};
use elfving_table::slot_name;
use proptest::prelude::*;
use support::*;

const BATCH: usize = 5;

/// One thing that a user does; numbers choose among the slots there are.
#[derive(Debug, Clone)]
enum Act {
    Ask,
    /// Lines of a file: a slot, and what it says.
    Tell(Vec<(usize, Say)>),
    Correct(usize, u8),
    CloseWithoutGuarantee,
    Reopen,
}

#[derive(Debug, Clone, Copy, PartialEq)]
enum Say {
    Value(u8),
    Failed,
    Nothing,
}

fn acts() -> impl Strategy<Value = Vec<Act>> {
    let say =
        prop_oneof![6 => (0..4u8).prop_map(Say::Value), 1 => Just(Say::Failed), 1 => Just(Say::Nothing)];
    let line = (0..12usize, say);
    let act = prop_oneof![
        4 => Just(Act::Ask),
        8 => proptest::collection::vec(line, 1..7).prop_map(Act::Tell),
        2 => (0..12usize, 0..4u8).prop_map(|(slot, value)| Act::Correct(slot, value)),
        1 => Just(Act::CloseWithoutGuarantee),
        2 => Just(Act::Reopen),
    ];
    proptest::collection::vec(act, 1..25)
}

#[derive(Debug, Clone, Copy, PartialEq)]
enum Slot {
    Open,
    Failed,
    Told(u8),
    Missing,
}

/// Slots by number, and from which one on the round is open.
#[derive(Debug, Clone, Default)]
struct Model {
    slots: Vec<Slot>,
    open_from: Option<usize>,
    waived: bool,
}

impl Model {
    /// The slots of the open round that wait.
    fn waiting(&self) -> Vec<usize> {
        let from = self.open_from.unwrap_or(self.slots.len());
        (from..self.slots.len()).filter(|&k| !matches!(self.slots[k], Slot::Told(_))).collect()
    }

    fn ask(&mut self) -> Vec<usize> {
        if self.waiting().is_empty() {
            self.open_from = Some(self.slots.len());
            self.slots.extend([Slot::Open; BATCH]);
        }
        self.waiting()
    }

    /// Recorded, repeated, failed and blank lines; nothing when the file is refused.
    fn tell(&mut self, lines: &[(usize, Say)]) -> Option<[usize; 4]> {
        let mut after = self.clone();
        let mut counts = [0; 4];
        let mut seen = Vec::new();
        for &(slot, say) in lines {
            if slot >= self.slots.len() || seen.contains(&slot) {
                return None;
            }
            seen.push(slot);
            let closed = self.open_from.is_none_or(|from| slot < from);
            counts[match (self.slots[slot], say) {
                (_, Say::Nothing) => 3,
                (Slot::Told(known), Say::Value(value)) if known == value => 1,
                (Slot::Told(_), _) | (Slot::Missing, _) => return None,
                _ if closed => return None,
                (Slot::Failed, Say::Failed) => 1,
                (_, Say::Failed) => {
                    after.slots[slot] = Slot::Failed;
                    2
                }
                (_, Say::Value(value)) => {
                    after.slots[slot] = Slot::Told(value);
                    0
                }
            }] += 1;
        }
        *self = after;
        self.close_if_complete();
        Some(counts)
    }

    fn close_if_complete(&mut self) {
        if self.open_from.is_some() && self.waiting().is_empty() {
            self.open_from = None;
        }
    }

    fn correct(&mut self, slot: usize, value: u8) -> bool {
        let closed = self.open_from.is_none_or(|from| slot < from);
        match self.slots.get(slot) {
            Some(Slot::Told(known)) => {
                self.waived |= closed && *known != value;
                self.slots[slot] = Slot::Told(value);
                true
            }
            _ => false,
        }
    }

    fn close(&mut self) -> bool {
        let Some(from) = self.open_from.take() else { return false };
        for slot in &mut self.slots[from..] {
            if !matches!(slot, Slot::Told(_)) {
                *slot = Slot::Missing;
                self.waived = true;
            }
        }
        true
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
            Say::Nothing => (String::new(), ""),
        };
        format!("{},{outcome},{status},a note\n", slot_name(slot))
    };
    format!("slot,yield,status,remark\n{}", lines.iter().map(line).collect::<String>())
}

fn agree(campaign: &Campaign, model: &Model) {
    let slots = campaign.slots().unwrap();
    assert_eq!(slots.len(), model.slots.len());
    for (k, (story, slot)) in slots.iter().zip(&model.slots).enumerate() {
        let SlotStory { slot: name, state, reading, .. } = story;
        let expected = match slot {
            Slot::Open => ("open", None),
            Slot::Failed => ("failed", None),
            Slot::Missing => ("missing", None),
            Slot::Told(value) => ("told", Some(Reading::Value(number(*value)))),
        };
        assert_eq!((name, (*state, reading.clone())), (&slot_name(k), expected));
    }
}

fn live(acts: &[Act]) {
    let lab = Lab::quick();
    let mut campaign = lab.create(random().batch(BATCH));
    let mut model = Model::default();
    for (k, act) in acts.iter().enumerate() {
        let (at, before) = (At(k as u64), campaign.head().event);
        match act {
            Act::Ask => {
                let rows = campaign.ask(None, at).unwrap().rows;
                let slots: Vec<String> = rows.into_iter().map(|row| row.slot).collect();
                assert_eq!(slots, model.ask().into_iter().map(slot_name).collect::<Vec<_>>());
            }
            Act::Tell(lines) => {
                // A file of nothing but a header says nothing.
                let told = tell(&mut campaign, &file(lines), k as u64);
                match (told, model.tell(lines)) {
                    (Ok(told), Some(counts)) => {
                        let got = [told.recorded, told.repeated, told.failed, told.blank];
                        assert_eq!((got, told.read), (counts, lines.len()));
                        assert_eq!(told.open, model.waiting().len());
                    }
                    (Err(CampaignError::Table(_)), None) => assert_eq!(campaign.head().event, before),
                    (told, expected) => panic!("{told:?} and not {expected:?}"),
                }
            }
            Act::Correct(slot, value) => {
                let to = Outcome::from(number(*value));
                let corrected = campaign.correct(&slot_name(*slot), to, "a reason", at);
                assert_eq!(corrected.is_ok(), model.correct(*slot, *value), "{corrected:?}");
            }
            Act::CloseWithoutGuarantee => {
                let closed = campaign.close_without_guarantee(at);
                assert_eq!(closed.is_ok(), model.close(), "{closed:?}");
            }
            Act::Reopen => {
                let status = campaign.status().unwrap();
                campaign = lab.open();
                assert_eq!(campaign.status().unwrap(), status);
            }
        }
        agree(&campaign, &model);
    }
    assert_eq!(campaign.status().unwrap().waived.is_some(), model.waived);
    // Who tells everything again changes nothing.
    let all: Vec<(usize, Say)> = model
        .slots
        .iter()
        .enumerate()
        .filter_map(|(k, slot)| match slot {
            Slot::Told(value) => Some((k, Say::Value(*value))),
            _ => None,
        })
        .rev()
        .collect();
    if !all.is_empty() {
        let told = tell_with(&mut campaign, &file(&all), &TellOptions::default(), 99).unwrap();
        assert_eq!((told.repeated, told.recorded), (all.len(), 0));
    }
    lab.open().verify().unwrap();
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 1_000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn any_sequence_of_acts_equals_the_model(acts in acts()) {
        live(&acts);
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 10_000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    #[ignore = "slow: ten thousand campaigns"]
    fn any_of_ten_thousand_sequences_of_acts_equals_the_model(acts in acts()) {
        live(&acts);
    }
}
