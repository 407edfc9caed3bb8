//! What would become of every line of a file of results: to look at before anything is recorded.

use std::collections::{BTreeMap, HashMap};

use elfving::bandit::{Outcome, Verdict};
use elfving_table::{Place, TableError};
use serde::Serialize;

use crate::campaign::Campaign;
use crate::error::CampaignError;
use crate::results::ResultsFile;
use crate::tell::TellOptions;

/// What becomes of a line.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Fate {
    /// It has a new outcome.
    Recorded,
    /// It has an outcome that nobody asked for.
    Volunteered,
    /// It is on record already.
    Repeated,
    /// It replaces an outcome.
    Corrected,
    /// Another outcome is on record, and no reason is given to replace it.
    Conflict,
    /// The measurement failed; it is made again.
    Failed,
    /// The candidate cannot be measured.
    Infeasible,
    /// It has no outcome: its slot stays open.
    Blank,
    /// It is refused, and the file with it.
    Refused,
}

impl Fate {
    /// What a verdict makes of a line that is not refused.
    pub(crate) fn of(verdict: &Verdict, outcome: &Outcome) -> Self {
        match (verdict, outcome) {
            (Verdict::Repeated, _) => Self::Repeated,
            (Verdict::Conflict { .. }, _) => Self::Corrected,
            (_, Outcome::Measured(_)) => Self::Recorded,
            (_, Outcome::Failed) => Self::Failed,
            (_, Outcome::Infeasible) => Self::Infeasible,
        }
    }

    /// Whether the file is refused because of it.
    pub fn is_refusal(self) -> bool {
        matches!(self, Self::Conflict | Self::Refused)
    }
}

/// A line of a file, and what becomes of it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct LineFate {
    /// The line of the file, from 1; none where the file has no lines.
    pub line: Option<u64>,
    /// The slot that it names; empty without one.
    pub slot: String,
    /// The outcome as it is written.
    pub outcome: String,
    /// What becomes of it.
    pub fate: Fate,
    /// Why it is refused.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub problem: Option<String>,
}

impl Campaign {
    /// What would become of every line of a file, told now with these options. Nothing is written.
    ///
    /// # Errors
    /// What is wrong with the file as a whole.
    pub fn fates(
        &self,
        results: &ResultsFile,
        options: &TellOptions,
    ) -> Result<Vec<LineFate>, CampaignError> {
        let (words, problems) = self.look_at(results, options)?;
        let fates: HashMap<usize, Fate> = words.fates.into_iter().collect();
        let messages: BTreeMap<Place, String> = match problems.finish() {
            Err(TableError::Refused { problems, .. }) => {
                problems.into_iter().map(|problem| (problem.place, problem.message)).collect()
            }
            _ => BTreeMap::new(),
        };
        let slots = results.texts("slot").unwrap_or_default();
        let outcomes = results.texts(&self.spec().outcome).unwrap_or_default();
        // Where several lines of a slot are its repeats, the first one speaks for all.
        let mut of_slot: HashMap<String, Fate> = HashMap::new();
        let rows = (0..results.rows()).map(|row| {
            let place = results.table().place(row);
            let slot = slots.get(row).map(|slot| slot.trim().to_owned()).unwrap_or_default();
            let problem = messages.get(&place).cloned();
            let joined = || of_slot.get(&slot).copied().filter(|_| problem.is_none());
            let fate = fates.get(&row).copied().or_else(joined).unwrap_or(Fate::Refused);
            of_slot.entry(slot.clone()).or_insert(fate);
            let line = match place {
                Place::Line(line) => Some(line),
                Place::File | Place::Row(_) => None,
            };
            LineFate { line, slot, outcome: outcomes.get(row).cloned().unwrap_or_default(), fate, problem }
        });
        Ok(rows.collect())
    }
}
