//! A campaign for other programs: its measurements as a table, all of it as one JSON document.

use elfving::bandit::Reading;
use elfving_table::{Cell, CsvWriter, Table};
use serde::Serialize;

use crate::at::At;
use crate::campaign::Campaign;
use crate::chain::Digest;
use crate::error::CampaignError;
use crate::event::Recorded;
use crate::spec::{Spec, spec_for_programs};
use crate::status::CampaignStatus;
use crate::story::SlotStory;

/// Everything about a campaign.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Export {
    /// The format of the file it comes from.
    pub format: u32,
    /// The question.
    #[serde(serialize_with = "for_programs")]
    pub spec: Spec,
    /// Where it stands.
    pub status: CampaignStatus,
    /// Every slot.
    pub slots: Vec<SlotStory>,
    /// The log.
    pub events: Vec<ExportedEvent>,
}

fn for_programs<S: serde::Serializer>(spec: &Spec, serializer: S) -> Result<S::Ok, S::Error> {
    spec_for_programs(spec).serialize(serializer)
}

/// One event of the log.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ExportedEvent {
    /// Its number.
    pub event: u64,
    /// When, in milliseconds since 1970.
    pub at: At,
    /// Its kind.
    pub kind: &'static str,
    /// Its seal.
    pub hash: Digest,
    /// Its content.
    pub body: serde_json::Value,
}

impl From<Recorded> for ExportedEvent {
    fn from(recorded: Recorded) -> Self {
        Self {
            event: recorded.seq,
            at: recorded.at,
            kind: recorded.event.kind(),
            hash: recorded.hash,
            body: serde_json::from_str(&recorded.event.body()).expect("a body is JSON"),
        }
    }
}

impl Campaign {
    /// Everything as one document.
    ///
    /// # Errors
    /// Those of [`status`](Self::status) and [`log`](Self::log).
    pub fn export(&mut self) -> Result<Export, CampaignError> {
        let status = self.status()?;
        Ok(Export {
            format: crate::format::FORMAT,
            spec: self.spec().clone(),
            status,
            slots: self.slots()?,
            events: self.log()?.into_iter().map(ExportedEvent::from).collect(),
        })
    }

    /// One line a slot, in the dialect of the pool: `slot`, the id, `round`, `status`, the outcome, `values` (how many
    /// numbers the outcome is the average of), its `standard error`, and `all values` where there are several.
    ///
    /// # Errors
    /// Those of [`slots`](Self::slots), [`CampaignError::Sheet`].
    pub fn export_csv(&self) -> Result<Vec<u8>, CampaignError> {
        let candidates = self.candidates()?;
        let id = candidates.id_column().unwrap_or("row");
        let outcome = self.spec().outcome.as_str();
        let header = ["slot", id, "round", "status", outcome, "values", "standard error", "all values"];
        let mut sheet = CsvWriter::new(
            Vec::new(),
            candidates.table().map_or_else(Default::default, Table::dialect),
            header,
        )?;
        for slot in self.slots()? {
            let [mean, count, error, all] = cells(slot.reading.as_ref());
            let round = Cell::Integer(slot.round as i64);
            sheet.row([
                slot.slot.into(),
                slot.id.into(),
                round,
                slot.state.into(),
                mean,
                count,
                error,
                all,
            ])?;
        }
        let names = candidates.names();
        for (point, reading) in self.state().brought() {
            let [mean, count, error, all] = cells(Some(reading));
            let (id, state) = (names.name(point.index()).into_owned(), "volunteered");
            sheet.row([Cell::Empty, id.into(), Cell::Empty, state.into(), mean, count, error, all])?;
        }
        Ok(sheet.finish()?)
    }
}

fn cells(reading: Option<&Reading>) -> [Cell<'static>; 4] {
    let Some(reading) = reading else { return [Cell::Empty, Cell::Integer(0), Cell::Empty, Cell::Empty] };
    let error = match reading {
        Reading::WithError { standard_error, .. } => Cell::Number(*standard_error),
        _ => Cell::Empty,
    };
    let all = match reading {
        Reading::Repeats(values) => {
            Cell::Text(values.iter().map(f64::to_string).collect::<Vec<_>>().join(";").into())
        }
        _ => Cell::Empty,
    };
    [Cell::Number(reading.mean()), Cell::Integer(reading.count() as i64), error, all]
}
