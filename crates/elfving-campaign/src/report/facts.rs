//! What the report is about, gathered once.

use std::borrow::Cow;
use std::collections::{BTreeMap, HashMap};

use elfving::bandit::{Guarantee, Reading};
use elfving::numerics::Matrix;
use elfving_problem::Names;
use elfving_table::Plate;

use crate::at::At;
use crate::campaign::Campaign;
use crate::error::CampaignError;
use crate::event::{Event, Recorded};
use crate::spec::{Aim, Spec};
use crate::state::Seat;
use crate::status::CampaignStatus;
use crate::story::SlotStory;

/// Everything the page shows, in the user's names and units.
pub(super) struct Facts {
    pub(super) spec: Spec,
    pub(super) status: CampaignStatus,
    pub(super) file: String,
    pub(super) rounds: Vec<RoundFacts>,
    pub(super) slots: Vec<SlotStory>,
    pub(super) measured: Vec<MeasuredCandidate>,
    pub(super) log: Vec<Recorded>,
    /// The candidates: ids, n × d coordinates and their names.
    pub(super) ids: Vec<String>,
    pub(super) coordinates: Matrix,
    pub(super) coordinate_names: Vec<String>,
    /// What the user's table says of the picks: column and cell.
    pub(super) picks: Vec<Vec<(String, String)>>,
}

/// One round.
pub(super) struct RoundFacts {
    pub(super) number: u64,
    pub(super) asked: At,
    pub(super) planned: usize,
    pub(super) told: usize,
    pub(super) candidates: usize,
    pub(super) epsilon: Option<f64>,
    pub(super) value: Option<f64>,
    /// How many choices are in after it, and how many went; none while it is under way.
    pub(super) decided: Option<(usize, usize)>,
}

/// A candidate with its own outcomes.
pub(super) struct MeasuredCandidate {
    pub(super) row: usize,
    pub(super) values: Vec<f64>,
}

impl MeasuredCandidate {
    pub(super) fn mean(&self) -> f64 {
        self.values.iter().sum::<f64>() / self.values.len() as f64
    }
}

/// A plate, and who is in which of its wells.
type PlateWells<'a> = (Plate, BTreeMap<usize, &'a str>);

impl Facts {
    /// The open slots by their wells, on the plates of each batch that is under way.
    pub(super) fn open_plates(&self) -> Vec<PlateWells<'_>> {
        let mut plates: BTreeMap<(usize, usize), PlateWells> = BTreeMap::new();
        for slot in self.slots.iter().filter(|slot| slot.state == "open") {
            let Seat { batch, seat, plate: Some(plate) } = slot.place else { continue };
            let (number, well) = (seat / plate.wells(), seat % plate.wells());
            let (_, wells) = plates.entry((batch, number)).or_insert_with(|| (plate, BTreeMap::new()));
            wells.insert(well, &slot.id);
        }
        plates.into_values().collect()
    }

    pub(super) fn gather(campaign: &mut Campaign) -> Result<Self, CampaignError> {
        let status = campaign.status()?;
        let slots = campaign.slots()?;
        let log = campaign.log()?;
        let candidates = campaign.candidates()?;
        let rounds = campaign.rounds().map(|round| RoundFacts {
            number: round.plan.round,
            asked: round.asked,
            planned: round.plan.measurements.len(),
            told: round.plan.measurements.len() - round.missing,
            candidates: distinct(round.plan.measurements.points().iter().map(|point| point.index())),
            epsilon: round.plan.epsilon,
            value: round.plan.value,
            decided: round.decision.map(|decision| (decision.survivors.len(), decision.eliminated.len())),
        });
        let rounds: Vec<RoundFacts> = rounds.collect();
        let measured = measured(&slots, &log, candidates.names());
        let picks = status.picks.iter().map(|pick| cells_of(campaign, pick)).collect::<Result<_, _>>()?;
        Ok(Self {
            spec: campaign.spec().clone(),
            file: campaign.path().file_name().map_or_else(String::new, |name| name.to_string_lossy().into()),
            rounds,
            measured,
            log,
            ids: candidates.names().list(),
            coordinates: candidates.numbers().0.clone(),
            coordinate_names: candidates.about().coordinate_names.clone().unwrap_or_default(),
            picks,
            slots,
            status,
        })
    }

    /// Whether large outcomes are good.
    pub(super) fn maximises(&self) -> bool {
        self.spec.aim == Aim::Maximise
    }

    /// Whether a fitted model stands behind the intervals, and no theorem.
    pub(super) fn is_calibrated(&self) -> bool {
        self.status.guarantee == Guarantee::Calibrated
    }

    /// What the survivors are.
    pub(super) fn remaining(&self) -> &'static str {
        if self.is_calibrated() { "may still be the best" } else { "candidates remaining" }
    }

    /// Whether every word of the statement is a theorem.
    pub(super) fn is_certified(&self) -> bool {
        self.status.guarantee == Guarantee::Certified
    }
}

/// The outcomes of each candidate that has some, corrections and earlier measurements included.
fn measured(slots: &[SlotStory], log: &[Recorded], names: &Names) -> Vec<MeasuredCandidate> {
    let told = slots.iter().filter_map(|slot| Some((slot.id.as_str(), slot.reading.as_ref()?)));
    let earlier = log.iter().filter_map(|recorded| match &recorded.event {
        Event::Earlier(brought_in) => Some(&brought_in.measurements),
        _ => None,
    });
    let earlier = earlier.flatten().map(|(id, reading)| (id.as_str(), reading));
    let mut values: HashMap<&str, Vec<f64>> = HashMap::new();
    for (id, reading) in earlier.chain(told) {
        values.entry(id).or_default().extend(Reading::values(reading));
    }
    let of_row =
        |(row, id): (usize, Cow<'_, str>)| Some(MeasuredCandidate { row, values: values.remove(&*id)? });
    names.iter().enumerate().filter_map(of_row).collect()
}

/// The row of a pick in the user's table, where it is one of the candidates.
fn cells_of(campaign: &Campaign, pick: &str) -> Result<Vec<(String, String)>, CampaignError> {
    let candidates = campaign.candidates()?;
    let Ok(row) = candidates.find(pick) else { return Ok(Vec::new()) };
    let Some(table) = candidates.table() else { return Ok(Vec::new()) };
    let hidden = |name: &str| name == campaign.spec().outcome || candidates.id_column() == Some(name);
    let cells = table.columns().iter().zip(table.cells(candidates.table_row(row)));
    let shown = cells.filter(|(column, _)| !hidden(column.name()));
    Ok(shown.map(|(column, cell)| (column.name().to_owned(), cell.to_string())).collect())
}

fn distinct(rows: impl Iterator<Item = usize>) -> usize {
    rows.collect::<std::collections::HashSet<usize>>().len()
}
