//! One requested measurement and what comes back for it.

use super::Reading;
use crate::pool::PointId;
use serde::{Deserialize, Serialize};
use std::fmt;

/// The name of one requested measurement: counted from 0 over the life of a bandit, and the key that makes telling twice
/// harmless.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct SlotId(pub(super) u64);

impl SlotId {
    /// The slot asked as number `number`, counted from 0.
    pub fn new(number: u64) -> Self {
        Self(number)
    }

    /// Its number.
    pub fn number(self) -> u64 {
        self.0
    }
}

impl fmt::Display for SlotId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

/// One requested measurement. A batch may ask for one point many times, each time in its own slot.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Slot {
    /// Its name.
    pub id: SlotId,
    /// What to measure.
    pub point: PointId,
}

/// What came back for a slot.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Outcome {
    /// It was measured.
    Measured(Reading),
    /// No value. The same slot is asked again: to leave it out would bias the estimate.
    Failed,
    /// No value, ever: the candidate cannot be measured. It is neither measured nor chosen from here on.
    Infeasible,
}

impl From<f64> for Outcome {
    fn from(value: f64) -> Self {
        Outcome::Measured(Reading::Value(value))
    }
}

impl From<Reading> for Outcome {
    fn from(reading: Reading) -> Self {
        Outcome::Measured(reading)
    }
}

/// What became of an outcome.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Told {
    /// New, and kept.
    Recorded,
    /// The same value was told before; nothing changed.
    Repeated,
    /// The measurement failed: the slot stays open.
    AskedAgain,
    /// The candidate cannot be measured: it is not asked for again.
    NeverAgain,
}
