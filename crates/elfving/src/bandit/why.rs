//! Why a measurement is in a round.

use crate::pool::PointId;
use serde::{Deserialize, Serialize};
use std::fmt;

/// What put a measurement into a plan. Numbers are on the scale of the outcomes.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Why {
    /// Its weight in the design of the round.
    Weight {
        /// The weight, at most 1.
        weight: f64,
    },
    /// How little is known of its own mean.
    Width {
        /// The half width of its interval when it was chosen.
        width: f64,
    },
    /// It sharpens the comparison that stands in the way.
    Comparison {
        /// The choice that may be better …
        rival: PointId,
        /// … than the leader.
        leader: PointId,
        /// The half width of their difference when the point was chosen.
        width: f64,
    },
    /// Its mean may be large.
    Promise {
        /// The mean that is expected.
        mean: f64,
        /// Its standard deviation.
        deviation: f64,
    },
    /// It was measured before and is measured again.
    Repeat {
        /// How often it was measured before.
        times: u64,
    },
    /// Asked for by the user.
    Forced,
    /// Before there are data: spread over the pool.
    Start,
}

impl fmt::Display for Why {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Why::Weight { weight } => write!(f, "weight {weight:.4} in the design"),
            Why::Width { width } => write!(f, "known to ±{width:.4}"),
            Why::Comparison { rival, leader, width } => {
                write!(f, "tells {rival} from {leader}, known to ±{width:.4}")
            }
            Why::Promise { mean, deviation } => write!(f, "expected {mean:.4} ± {deviation:.4}"),
            Why::Repeat { times } => write!(f, "measured {times} times, to be sure"),
            Why::Forced => f.write_str("asked for"),
            Why::Start => f.write_str("to start with"),
        }
    }
}
