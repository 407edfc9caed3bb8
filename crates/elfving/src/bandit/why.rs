//! Why a measurement is in a round.

use crate::pool::ChoiceId;
use serde::{Deserialize, Serialize};
use std::fmt;

/// What put a measurement into a plan. Numbers are on the scale of the outcomes.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
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
        rival: ChoiceId,
        /// … than the leader.
        leader: ChoiceId,
        /// The half width of their difference when the point was chosen.
        width: f64,
    },
    /// Its mean may be large.
    Promise {
        /// The mean that is expected.
        mean: f64,
        /// Its standard deviation.
        deviation: f64,
        /// How likely it is that the candidate can be measured, where some could not.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        feasible: Option<f64>,
    },
    /// It tells choices apart that may be the best.
    Telling {
        /// The mean that is expected of itself.
        mean: f64,
        /// Its standard deviation.
        deviation: f64,
        /// How likely it is that the candidate can be measured, where some could not.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        feasible: Option<f64>,
    },
    /// It was measured before and is measured again.
    Repeat {
        /// How often it was measured before.
        times: u64,
    },
    /// Asked for by the user.
    Forced,
    /// A control, which is in every batch.
    Control,
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
            Why::Weight { weight } => write!(f, "weight {} in the design", to_two_digits(*weight, *weight)),
            Why::Width { width } => write!(f, "uncertain: known to ±{}", to_two_digits(*width, *width)),
            Why::Comparison { rival, leader, width } => f.write_str(&Why::comparison(rival, leader, *width)),
            Why::Promise { mean, deviation, feasible } => {
                write!(f, "promising: {}{}", prediction(*mean, *deviation), chance(*feasible))
            }
            Why::Telling { mean, deviation, feasible } => {
                let own = prediction(*mean, *deviation);
                write!(f, "separates the leading candidates (own prediction {own}){}", chance(*feasible))
            }
            Why::Repeat { times } => write!(f, "replicate; measurement {} of this candidate", times + 1),
            Why::Forced => f.write_str("requested"),
            Why::Control => f.write_str("control: in every batch"),
            Why::Start => f.write_str("start: spread over the table"),
        }
    }
}

impl Why {
    /// The reason of a comparison, with the names that the user knows.
    pub fn comparison(rival: impl fmt::Display, leader: impl fmt::Display, width: f64) -> String {
        format!("compares {rival} with {leader} (difference known to ±{})", to_two_digits(width, width))
    }
}

/// How likely a candidate is to work, where that is in doubt.
fn chance(feasible: Option<f64>) -> String {
    let doubtful = feasible.filter(|feasible| *feasible < 0.95);
    doubtful.map_or_else(String::new, |feasible| format!("; {:.0} % likely to work", 100.0 * feasible))
}

/// `41 ± 20`: as many digits as the deviation carries.
fn prediction(mean: f64, deviation: f64) -> String {
    format!("{} ± {}", to_two_digits(mean, deviation), to_two_digits(deviation, deviation))
}

/// A number with the decimals of a scale that is known to two digits.
fn to_two_digits(x: f64, scale: f64) -> String {
    let exponent = if scale != 0.0 && scale.is_finite() { scale.abs().log10().floor() } else { 0.0 };
    if !(-6.0..=12.0).contains(&exponent) {
        return format!("{x:.1e}");
    }
    format!("{x:.*}", (1.0 - exponent).max(0.0) as usize)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_minimised_is_expected_in_the_sign_of_the_user() {
        let (mean, deviation) = (-3.5, 0.25);
        let words = |why: Why| why.turned(-1.0).to_string();
        assert_eq!(words(Why::Promise { mean, deviation, feasible: None }), "promising: 3.50 ± 0.25");
        assert_eq!(
            words(Why::Telling { mean, deviation, feasible: Some(0.8) }),
            "separates the leading candidates (own prediction 3.50 ± 0.25); 80 % likely to work"
        );
        assert_eq!(words(Why::Width { width: 0.5 }), "uncertain: known to ±0.50");
    }

    #[test]
    fn numbers_have_the_digits_that_their_uncertainty_carries() {
        let promise = |mean, deviation| Why::Promise { mean, deviation, feasible: None }.to_string();
        assert_eq!(promise(40.7760, 20.0933), "promising: 41 ± 20");
        assert_eq!(promise(1234.5, 203.3), "promising: 1234 ± 203");
        assert_eq!(promise(0.123_456, 0.001_234), "promising: 0.1235 ± 0.0012");
        assert_eq!(promise(1e-9, 2e-10), "promising: 1.0e-9 ± 2.0e-10");
        assert_eq!(promise(2.0, 0.0), "promising: 2.0 ± 0.0");
        assert_eq!(Why::comparison("P46", "P00", 3.752), "compares P46 with P00 (difference known to ±3.8)");
    }
}
