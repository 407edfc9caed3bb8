//! What to measure next: the open slots of a campaign, as data and as a sheet.

use std::fmt;

use elfving::bandit::{Reason, Why};
use elfving::pool::PointId;
use elfving::units::grouped;
use elfving_problem::Dataset;
use elfving_table::{LabSheet, SheetLine, TextColumn, slot_name};
use serde::Serialize;

use crate::error::CampaignError;
use crate::spec::Spec;
use crate::state::{Round, SlotState, State};

/// The measurements to make now, in run order; none when the campaign has stopped.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Batch {
    /// The round they belong to; 0 for what the user forced.
    pub round: u64,
    /// The measurements.
    pub rows: Vec<BatchRow>,
    /// Whether they were handed out before: an open batch is shown again, never redrawn.
    pub again: bool,
    /// Measurements of the round that are not handed out yet.
    pub later: usize,
    /// Why there is nothing to measure.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub stopped: Option<Stop>,
}

/// One measurement to make.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct BatchRow {
    /// The name of the slot: with it the outcome comes back.
    pub slot: String,
    /// The candidate.
    pub id: String,
    /// Why it is in the batch.
    pub why: String,
    /// Whether an attempt failed.
    pub failed_before: bool,
    #[serde(skip)]
    number: usize,
    #[serde(skip)]
    row: usize,
}

impl BatchRow {
    /// The row of the candidate in the user's table.
    pub fn table_row(&self) -> usize {
        self.row
    }

    fn line(&self) -> SheetLine<'_> {
        SheetLine { slot: self.number, row: self.row, id: &self.id, why: &self.why }
    }
}

/// Why nothing is measured any more.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Stop {
    /// The algorithm has finished.
    Finished(Reason),
    /// All measurements of the budget were made.
    Budget {
        /// How many these are.
        measurements: u64,
    },
}

impl fmt::Display for Stop {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Stop::Finished(reason) => reason.fmt(f),
            Stop::Budget { measurements } => {
                write!(f, "the budget of {} measurements is spent", grouped(*measurements))
            }
        }
    }
}

impl Batch {
    pub(crate) fn of(state: &State, candidates: &Dataset, again: bool) -> Self {
        let Some(round) = state.open_round() else {
            return Self { round: 0, rows: Vec::new(), again, later: 0, stopped: None };
        };
        let why = Reasons { state, candidates, round, why: round.plan.why() };
        let row = |slot: usize| {
            let place = slot - round.first;
            let point = round.points[place].index();
            BatchRow {
                slot: slot_name(slot),
                id: candidates.names().name(point).into_owned(),
                why: why.of(place),
                failed_before: round.slots[place] == SlotState::Failed,
                number: slot,
                row: candidates.table_row(point),
            }
        };
        let rows = round.waiting().map(row).collect();
        let later = round.points.len() - round.handed_out;
        Self { round: round.plan.round, rows, again, later, stopped: None }
    }

    pub(crate) fn stopped(stop: Stop) -> Self {
        Self { round: 0, rows: Vec::new(), again: false, later: 0, stopped: Some(stop) }
    }

    /// A sheet for the lab in the dialect of the pool: `slot`, the id, the user's columns, `why`, the empty outcome and an
    /// empty `status`. Fill in the outcome and tell the file.
    ///
    /// # Errors
    /// [`CampaignError::Sheet`].
    pub fn to_csv(&self, spec: &Spec, candidates: &Dataset) -> Result<Vec<u8>, CampaignError> {
        let no_ids = TextColumn::default();
        let sheet = LabSheet::new(&no_ids)
            .id_column(candidates.id_column())
            .table(candidates.table())
            .outcome(&spec.outcome)
            .with_reasons();
        Ok(sheet.lines_to_csv(self.rows.iter().map(BatchRow::line))?)
    }
}

/// Why each measurement of a round is in it, in the user's names and sign.
struct Reasons<'a> {
    state: &'a State,
    candidates: &'a Dataset,
    round: &'a Round,
    why: Vec<Why>,
}

impl Reasons<'_> {
    fn of(&self, place: usize) -> String {
        let choices = self.candidates.choices().text();
        match self.why.get(self.round.measurement(place)) {
            None => format!("chosen by {}", self.state.spec.algorithm),
            Some(Why::Comparison { rival, leader, width }) => {
                let (rival, leader) = (&choices[rival.index()], &choices[leader.index()]);
                Why::comparison(rival, leader, *width)
            }
            // What is planned is not measured yet: count what was told.
            Some(Why::Repeat { .. }) => match self.measured(self.round.points[place]) {
                0 => "replicate within this batch".to_owned(),
                1 => "replicate; measured once so far".to_owned(),
                times => format!("replicate; measured {times} times so far"),
            },
            Some(other) => other.turned(self.state.spec.aim.sign()).to_string(),
        }
    }

    /// How often a candidate was measured, in the campaign and before.
    fn measured(&self, point: PointId) -> usize {
        let rounds = self.state.rounds.iter();
        let told =
            rounds.flat_map(|round| round.points.iter().zip(&round.slots)).map(|(of, slot)| match slot {
                SlotState::Told(reading) if *of == point => reading.values().len(),
                _ => 0,
            });
        let id = &self.candidates.names().text()[point.index()];
        let earlier = self.state.earlier.iter().flat_map(|group| &group.measurements);
        let earlier = earlier.filter(|(of, _)| of == id).map(|(_, reading)| reading.values().len());
        told.chain(earlier).sum()
    }
}
