//! The candidates of a campaign, a page at a time: sorted, filtered, with where each of them stands.

use std::cmp::Ordering;
use std::collections::{HashMap, HashSet};

use elfving::pool::PointId;
use elfving_table::Condition;
use serde::Serialize;
use serde_json::{Map, Value};

use crate::batch::columns;
use crate::campaign::{Campaign, setting};
use crate::error::CampaignError;
use crate::status::{CampaignStatus, Span};

/// The most candidates on a page.
const MOST: usize = 1000;

/// Which candidates, in which order.
#[derive(Debug, Clone, Default)]
pub struct Listing {
    /// Only those that meet it.
    pub condition: Option<Condition>,
    /// Only those in this state: `remaining`, `eliminated` or `excluded`.
    pub state: Option<String>,
    /// Sorted by `id`, `measured`, `estimate`, or a column of the table; in the order of the table without it.
    pub sort: Option<String>,
    /// Whether the largest comes first.
    pub descending: bool,
    /// How many to leave out in front.
    pub offset: usize,
    /// How many to list, at most 1,000.
    pub limit: usize,
}

/// A page of candidates.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct CandidateList {
    /// How many meet the filter, on this page or not.
    pub total: usize,
    /// How many were left out in front.
    pub offset: usize,
    /// Those of the page.
    pub rows: Vec<ListedCandidate>,
}

/// One candidate.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ListedCandidate {
    /// Its id.
    pub id: String,
    /// `remaining`, `eliminated` or `excluded`.
    pub state: &'static str,
    /// How often it was measured.
    pub measured: u64,
    /// Its estimate and interval, while it is in.
    pub interval: Option<Span>,
    /// Its own columns.
    pub columns: Map<String, Value>,
}

impl Campaign {
    /// A page of the candidates that can be measured, beside a status of the same moment.
    ///
    /// # Errors
    /// What is wrong with the condition; [`CampaignError::Setting`] for a column or a state that is not there.
    pub fn list(&self, listing: &Listing, status: &CampaignStatus) -> Result<CandidateList, CampaignError> {
        let candidates = self.candidates()?;
        let outcome = &self.spec().outcome;
        if let Some(state) = listing.state.as_ref().filter(|state| !STATES.contains(&state.as_str())) {
            return Err(setting(format!("{state:?} is no state: use {}", STATES.join(", "))));
        }
        let known = |name: &str| {
            ["id", "measured", "estimate"].contains(&name)
                || candidates.table().is_some_and(|table| table.column(name).is_ok())
        };
        if let Some(column) = listing.sort.as_ref().filter(|column| !known(column)) {
            return Err(setting(format!("there is no column {column:?} to sort by")));
        }
        let met = listing.condition.as_ref().map(|condition| candidates.ids_where(condition)).transpose()?;
        let met: Option<HashSet<String>> = met.map(|ids| ids.into_iter().collect());
        let intervals: HashMap<&str, Span> =
            status.survivors.iter().filter_map(|one| Some((one.id.as_str(), one.interval?))).collect();
        let out: HashSet<&str> = status.eliminated.iter().map(|one| one.id.as_str()).collect();
        let measured = self.measured(candidates);
        let mut rows: Vec<(usize, ListedCandidate)> = Vec::new();
        for (row, id) in candidates.names().iter().enumerate() {
            let id = id.into_owned();
            let state = match () {
                () if self.state().barred().contains_key(&PointId::new(row)) => "excluded",
                () if out.contains(id.as_str()) => "eliminated",
                () => "remaining",
            };
            let wanted = listing.state.as_deref().is_none_or(|wanted| wanted == state)
                && met.as_ref().is_none_or(|met| met.contains(&id));
            if wanted {
                let interval = intervals.get(id.as_str()).copied();
                let one =
                    ListedCandidate { id, state, measured: measured[row], interval, columns: Map::new() };
                rows.push((row, one));
            }
        }
        if let Some(by) = &listing.sort {
            let table = candidates.table();
            let cell = |row: usize| {
                let table = table.filter(|table| table.column(by).is_ok())?;
                columns_of_row(table, candidates.table_row(row)).remove(by)
            };
            let key = |row: usize, one: &ListedCandidate| match by.as_str() {
                "id" => Some(Value::from(one.id.clone())),
                "measured" => Some(Value::from(one.measured)),
                "estimate" => one.interval.map(|span| Value::from(span.estimate)),
                _ => cell(row),
            };
            let mut keyed: Vec<(Option<Value>, (usize, ListedCandidate))> =
                rows.into_iter().map(|(row, one)| (key(row, &one), (row, one))).collect();
            // Whoever has no value comes last in either direction; ties stay in the order of the table.
            keyed.sort_by(|(one, _), (other, _)| match (present(one), present(other)) {
                (Some(one), Some(other)) if listing.descending => order(other, one),
                (Some(one), Some(other)) => order(one, other),
                (one, other) => other.is_some().cmp(&one.is_some()),
            });
            rows = keyed.into_iter().map(|(_, row)| row).collect();
        }
        let total = rows.len();
        let page = rows.into_iter().skip(listing.offset).take(listing.limit.min(MOST));
        let page =
            page.map(|(row, one)| ListedCandidate { columns: columns(candidates, outcome, row), ..one });
        Ok(CandidateList { total, offset: listing.offset, rows: page.collect() })
    }
}

/// Where a candidate may stand.
const STATES: [&str; 3] = ["remaining", "eliminated", "excluded"];

fn columns_of_row(table: &elfving_table::Table, row: usize) -> Map<String, Value> {
    crate::batch::cells(table, row).collect()
}

fn present(key: &Option<Value>) -> Option<&Value> {
    key.as_ref().filter(|value| !value.is_null())
}

/// Numbers by size, then texts by letters.
fn order(one: &Value, other: &Value) -> Ordering {
    match (one.as_f64(), other.as_f64()) {
        (Some(one), Some(other)) => one.total_cmp(&other),
        (Some(_), None) => Ordering::Less,
        (None, Some(_)) => Ordering::Greater,
        (None, None) => one.as_str().unwrap_or_default().cmp(other.as_str().unwrap_or_default()),
    }
}
