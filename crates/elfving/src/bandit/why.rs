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
    /// It tells choices apart that may be the best.
    Telling {
        /// The mean that is expected of itself.
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

impl Why {
    /// The same where the user's outcomes are these times `sign`: small ones may be the good ones.
    #[must_use]
    pub fn turned(mut self, sign: f64) -> Self {
        if let Why::Promise { mean, .. } | Why::Telling { mean, .. } = &mut self {
            *mean *= sign;
        }
        self
    }
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
            Why::Telling { mean, deviation } => {
                write!(f, "tells the likely best choices apart, itself expected {mean:.4} ± {deviation:.4}")
            }
            Why::Repeat { times } => write!(f, "measured {times} times, to be sure"),
            Why::Forced => f.write_str("asked for"),
            Why::Start => f.write_str("to start with"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_minimised_is_expected_in_the_sign_of_the_user() {
        let (mean, deviation) = (-3.5, 0.25);
        let words = |why: Why| why.turned(-1.0).to_string();
        assert_eq!(words(Why::Promise { mean, deviation }), "expected 3.5000 ± 0.2500");
        assert_eq!(
            words(Why::Telling { mean, deviation }),
            "tells the likely best choices apart, itself expected 3.5000 ± 0.2500"
        );
        assert_eq!(words(Why::Width { width: 0.5 }), "known to ±0.5000");
    }
}
