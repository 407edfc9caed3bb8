//! What to measure next: the open slots of a campaign, as data and as a sheet.

use std::collections::BTreeMap;
use std::fmt;

use elfving::bandit::{Advice, Reason};
use elfving::units::grouped;
use elfving_problem::Dataset;
use elfving_table::{Cell, Dialect, LabSheet, SheetLine, Table, TextColumn, slot_name};
use serde::Serialize;
use serde_json::Map;

use crate::campaign::Campaign;
use crate::error::CampaignError;
use crate::reasons::Reasons;
use crate::spec::Spec;
use crate::state::Seat;

/// The measurements to make now, in run order; none when the campaign has stopped.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Batch {
    /// The round of the last of them; 0 for what the user forced.
    pub round: u64,
    /// The measurements.
    pub rows: Vec<BatchRow>,
    /// Whether they were handed out before: an open batch is shown again, never redrawn.
    pub again: bool,
    /// Measurements of the round that are not handed out yet.
    pub later: usize,
    /// Slots that are under way beside these.
    pub open_before: usize,
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
    /// Its well, where the campaign has plates.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub well: Option<String>,
    /// Who has it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub worker: Option<String>,
    /// The candidate's own columns, as the user's table has them.
    pub columns: Map<String, serde_json::Value>,
    /// Why it is in the batch.
    pub why: String,
    /// The same in one word: `promising`, `unknown`, `replicate`, `compare`, `start`, `forced`, `control` or
    /// `design`.
    pub kind: &'static str,
    /// Whether an attempt failed.
    pub failed_before: bool,
    #[serde(skip)]
    number: usize,
    #[serde(skip)]
    row: usize,
    #[serde(skip)]
    place: Seat,
}

impl BatchRow {
    /// The row of the candidate in the user's table.
    pub fn table_row(&self) -> usize {
        self.row
    }

    fn line(&self) -> SheetLine<'_> {
        SheetLine {
            slot: self.number,
            row: self.row,
            id: &self.id,
            why: &self.why,
            well: self.well.as_deref(),
        }
    }
}

/// A batch with everything beside it.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct BatchInFull {
    /// The batch.
    pub batch: serde_json::Value,
    /// The sheet for the lab.
    pub sheet: String,
    /// The map of the plates, where the campaign has some.
    pub plate_map: Option<String>,
}

/// Why nothing is measured any more.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Stop {
    /// The algorithm has finished.
    Finished(Reason),
    /// All measurements of the budget were made, or the next round needs more than is left.
    Budget {
        /// How many these are.
        measurements: u64,
        /// What the next round needs, where that is more than is left.
        #[serde(skip_serializing_if = "Option::is_none")]
        needed: Option<u64>,
    },
    /// Another batch is not worth what the user said it must be.
    Advice(Advice),
    /// Nothing can be handed out until results of open slots are told.
    Waiting {
        /// Slots that are open.
        open: usize,
    },
}

impl fmt::Display for Stop {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Stop::Finished(reason) => reason.fmt(f),
            Stop::Budget { measurements, needed: None } => {
                write!(f, "the budget of {} measurements is spent", grouped(*measurements))
            }
            Stop::Budget { measurements, needed: Some(needed) } => {
                let (needed, budget) = (grouped(*needed), grouped(*measurements));
                write!(
                    f,
                    "the next round needs {needed} measurements, more than the budget of {budget} leaves"
                )
            }
            Stop::Advice(_) => f.write_str("another batch is not worth it by what you stated"),
            Stop::Waiting { open: 1 } => f.write_str("one slot is under way: its result comes first"),
            Stop::Waiting { open } => write!(f, "{open} slots are under way: their results come first"),
        }
    }
}

impl Batch {
    /// These slots.
    pub(crate) fn of(campaign: &Campaign, slots: &[usize], again: bool) -> Result<Self, CampaignError> {
        let (talk, candidates) = (&campaign.state().talk, campaign.candidates()?);
        let mut reasons = Reasons::new(campaign, candidates);
        let rows = slots.iter().filter_map(|&slot| {
            let (round, place) = talk.place(slot)?;
            let (point, record) = (talk.point(slot)?.index(), talk.slot(slot)?);
            let (kind, why) = reasons.of(round, place);
            let seat = campaign.state().seat(record);
            let why = if record.failures > 0 { format!("failed before; {why}") } else { why };
            Some(BatchRow {
                slot: slot_name(slot),
                id: candidates.names().name(point).into_owned(),
                well: seat.well(),
                worker: record.worker.clone(),
                columns: columns(candidates, &campaign.spec().outcome, point),
                why,
                kind,
                failed_before: record.failures > 0,
                number: slot,
                row: candidates.table_row(point),
                place: seat,
            })
        });
        let rows: Vec<BatchRow> = rows.collect();
        let last = slots.iter().max().and_then(|&slot| talk.place(slot));
        let round = last.map_or(0, |(round, _)| talk.rounds()[round].plan().round);
        let waiting = talk.rounds().last().filter(|round| !round.is_closed());
        let later = waiting.map_or(0, |round| round.points().len() - round.handed_out());
        let open_before = talk.open().count().saturating_sub(rows.len());
        Ok(Self { round, rows, again, later, open_before, stopped: None })
    }

    pub(crate) fn stopped(stop: Stop, open: usize) -> Self {
        Self { round: 0, rows: Vec::new(), again: false, later: 0, open_before: open, stopped: Some(stop) }
    }

    /// Whether a sheet of it says which well each slot has.
    pub fn has_wells(&self, spec: &Spec) -> bool {
        spec.layout.plate.is_some() || self.rows.iter().any(|row| row.well.is_some())
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
            .with_wells(self.has_wells(spec))
            .with_reasons();
        Ok(sheet.lines_to_csv(self.rows.iter().map(BatchRow::line))?)
    }
}

impl Batch {
    /// The batch with all columns of each candidate, in the order of the user's table, beside its sheet and its map: what a program needs that
    /// has no file.
    ///
    /// # Errors
    /// [`CampaignError::Sheet`], and what reading the candidates finds.
    pub fn in_full(&self, campaign: &Campaign) -> Result<BatchInFull, CampaignError> {
        let (candidates, spec) = (campaign.candidates()?, campaign.spec());
        let mut batch = serde_json::to_value(self).expect("finite numbers and text have a JSON form");
        if let Some(own) = candidates.table() {
            for (k, row) in self.rows.iter().enumerate() {
                // A list of pairs keeps the order of the table.
                let pairs: Vec<(String, serde_json::Value)> = cells(own, row.table_row()).collect();
                batch["rows"][k]["columns"] = serde_json::json!(pairs);
            }
        }
        batch["outcome"] = serde_json::json!(spec.outcome);
        batch["id_column"] = serde_json::json!(candidates.id_column());
        if let Some(stop) = &self.stopped {
            batch["stopped_words"] = serde_json::json!(stop.to_string());
        }
        let in_text = |bytes: Vec<u8>| String::from_utf8_lossy(&bytes).into_owned();
        let sheet = in_text(self.to_csv(spec, candidates)?);
        Ok(BatchInFull { batch, sheet, plate_map: self.plate_map(spec, candidates)?.map(in_text) })
    }

    /// The batch as a map of its plates, with the candidate in each well; none unless the campaign has plates. Slots that went out on plates
    /// of another shape are on maps of their own, in front.
    ///
    /// # Errors
    /// [`CampaignError::Sheet`].
    pub fn plate_map(&self, spec: &Spec, candidates: &Dataset) -> Result<Option<Vec<u8>>, CampaignError> {
        let mut rows: Vec<&BatchRow> = self.rows.iter().filter(|row| row.place.plate.is_some()).collect();
        rows.sort_by_key(|row| (row.place.batch, row.place.seat));
        if rows.is_empty() && spec.layout.plate.is_none() {
            return Ok(None);
        }
        let mut maps = Vec::new();
        for rows in rows.chunk_by(|one, next| one.place.plate == next.place.plate) {
            maps.extend(map_of(rows, candidates)?);
        }
        if let Some(plate) = spec.layout.plate.filter(|_| rows.is_empty()) {
            maps = plate.map(0, dialect_of(candidates), |_| String::new())?;
        }
        Ok(Some(maps))
    }
}

fn dialect_of(candidates: &Dataset) -> Dialect {
    candidates.table().map_or_else(Dialect::default, Table::dialect)
}

/// The map of rows on plates of one shape, in the order of their seats: every batch has plates of its own.
fn map_of(rows: &[&BatchRow], candidates: &Dataset) -> Result<Vec<u8>, CampaignError> {
    let Some(plate) = rows.first().and_then(|row| row.place.plate) else { return Ok(Vec::new()) };
    let mut ids: BTreeMap<usize, &str> = BTreeMap::new();
    let mut seats = 0;
    for batch in rows.chunk_by(|one, next| one.place.batch == next.place.batch) {
        let first = usize::next_multiple_of(seats, plate.wells());
        ids.extend(batch.iter().map(|row| (first + row.place.seat, row.id.as_str())));
        seats = ids.keys().last().map_or(0, |last| last + 1);
    }
    let id = |seat: usize| ids.get(&seat).copied().unwrap_or_default().to_owned();
    Ok(plate.map(seats, dialect_of(candidates), id)?)
}

/// The user's own columns of a candidate: what the model sees and what it does not, without id and outcome.
pub(crate) fn columns(candidates: &Dataset, outcome: &str, point: usize) -> Map<String, serde_json::Value> {
    let Some(table) = candidates.table() else { return Map::new() };
    let hidden = |name: &str| name == outcome || candidates.id_column() == Some(name);
    cells(table, candidates.table_row(point)).filter(|(name, _)| !hidden(name)).collect()
}

pub(crate) fn cells(table: &Table, row: usize) -> impl Iterator<Item = (String, serde_json::Value)> {
    let cell = |value: Cell<'_>| match value {
        Cell::Number(number) => serde_json::Value::from(number),
        Cell::Integer(number) => serde_json::Value::from(number),
        Cell::Empty => serde_json::Value::Null,
        other => serde_json::Value::from(other.to_string()),
    };
    let cells = table.columns().iter().zip(table.cells(row));
    cells.map(move |(column, value)| (column.name().to_owned(), cell(value)))
}
