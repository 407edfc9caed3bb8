//! What came back for one slot, as it was told.

use crate::estimate::LARGEST;
use serde::{Deserialize, Serialize};
use std::fmt;

/// One number, several, one with its own error, or the mean of many.
///
/// Written as a bare number, a list, `{"value": .., "standard_error": ..}`, or `{"count": .., "mean": .., "deviation": ..}`.
///
/// ```
/// use elfving::bandit::Reading;
/// let twice: Reading = serde_json::from_str("[0.5, 0.7]")?;
/// assert_eq!(twice, Reading::Repeats(vec![0.5, 0.7]));
/// assert_eq!(twice.mean(), 0.6);
/// assert_eq!(serde_json::to_string(&Reading::from(0.25))?, "0.25");
/// # Ok::<(), serde_json::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum Reading {
    /// One number.
    Value(f64),
    /// The slot was measured several times: at least one number.
    Repeats(Vec<f64>),
    /// A number that brings its own standard error, above 0.
    WithError {
        /// The number.
        value: f64,
        /// Its standard error.
        standard_error: f64,
    },
    /// Many measurements, of which only their number, mean and standard deviation are told.
    Summary {
        /// How many, at least 1.
        count: u64,
        /// Their mean.
        mean: f64,
        /// Their standard deviation, where it is known.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        deviation: Option<f64>,
    },
}

impl Reading {
    /// Every number told.
    pub fn values(&self) -> &[f64] {
        match self {
            Reading::Value(value)
            | Reading::WithError { value, .. }
            | Reading::Summary { mean: value, .. } => std::slice::from_ref(value),
            Reading::Repeats(values) => values,
        }
    }

    /// How many measurements it stands for.
    pub fn count(&self) -> u64 {
        match self {
            Reading::Summary { count, .. } => *count,
            other => other.values().len() as u64,
        }
    }

    /// How many independent measurements its mean is worth, at least: the repeats of one slot may share their error, so they count
    /// as one; those of a summary are told as independent.
    pub fn weight(&self) -> u64 {
        match self {
            Reading::Summary { count, .. } => *count,
            _ => 1,
        }
    }

    /// The average of the numbers. Its noise is no larger than that of one of them, so what is assumed of one
    /// measurement holds for it.
    pub fn mean(&self) -> f64 {
        let values = self.values();
        if let [value] = values {
            return *value;
        }
        let count = values.len() as f64;
        // Neumaier's sum: what each addition rounds away is kept, so that a million ones have the mean 1.
        let (mut sum, mut lost) = (0.0_f64, 0.0_f64);
        for &value in values {
            let next = sum + value;
            lost += if sum.abs() >= value.abs() { (sum - next) + value } else { (value - next) + sum };
            sum = next;
        }
        let mean = (sum + lost) / count;
        if !mean.is_finite() {
            // The sum of finite numbers may overflow; that of their shares does not.
            return values.iter().map(|value| value / count).sum();
        }
        let (least, most) =
            values.iter().fold((f64::INFINITY, f64::NEG_INFINITY), |(least, most), &value| {
                (least.min(value), most.max(value))
            });
        if least <= most { mean.clamp(least, most) } else { mean }
    }

    /// The squared standard error, where the reading brings one.
    pub fn variance(&self) -> Option<f64> {
        match self {
            Reading::WithError { standard_error, .. } => Some(standard_error * standard_error),
            Reading::Summary { count, deviation: Some(deviation), .. } if *deviation > 0.0 => {
                Some(deviation * deviation / *count as f64)
            }
            _ => None,
        }
    }

    /// What is wrong with it, in a few words: no number at all, one that is not finite, an error that is not positive.
    pub fn problem(&self) -> Option<String> {
        if self.values().is_empty() {
            return Some("no number".to_owned());
        }
        if let Some(got) = self.values().iter().find(|value| !value.is_finite()) {
            return Some(format!("{got} is not a finite number"));
        }
        let too_large = |value: &&f64| !(value.abs() <= LARGEST);
        if let Some(got) = self.values().iter().find(too_large) {
            return Some(format!(
                "{got:e} is larger than {LARGEST:e}, the largest outcome that can be worked with: use another unit"
            ));
        }
        match self {
            Reading::WithError { standard_error, .. }
                if !(*standard_error > 0.0
                    && *standard_error <= LARGEST
                    && self.variance().is_some_and(f64::is_normal)) =>
            {
                Some(format!("the standard error {standard_error} is not a positive number"))
            }
            Reading::Summary { count: 0, .. } => Some("a mean of no measurements".to_owned()),
            Reading::Summary { deviation: Some(deviation), .. }
                if !(*deviation >= 0.0 && *deviation <= LARGEST) =>
            {
                Some(format!("the standard deviation {deviation} is not a number from 0"))
            }
            _ => None,
        }
    }

    /// The same with every number negated: what was to be minimised is to be maximised.
    #[must_use]
    pub fn negated(&self) -> Self {
        match self {
            Reading::Value(value) => Reading::Value(-value),
            Reading::Repeats(values) => Reading::Repeats(values.iter().map(|value| -value).collect()),
            Reading::WithError { value, standard_error } => {
                Reading::WithError { value: -value, standard_error: *standard_error }
            }
            Reading::Summary { count, mean, deviation } => {
                Reading::Summary { count: *count, mean: -mean, deviation: *deviation }
            }
        }
    }
}

impl From<f64> for Reading {
    fn from(value: f64) -> Self {
        Reading::Value(value)
    }
}

impl fmt::Display for Reading {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Reading::Value(value) => write!(f, "{value}"),
            Reading::Repeats(values) => {
                let texts: Vec<String> = values.iter().map(f64::to_string).collect();
                f.write_str(&texts.join("; "))
            }
            Reading::WithError { value, standard_error } => write!(f, "{value} ± {standard_error}"),
            Reading::Summary { count, mean, deviation: None } => write!(f, "{mean} (mean of {count})"),
            Reading::Summary { count, mean, deviation: Some(deviation) } => {
                write!(f, "{mean} (mean of {count}, standard deviation {deviation})")
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_form_is_written_and_read_back() {
        let error = Reading::WithError { value: 1.0, standard_error: 0.1 };
        for (reading, text) in [
            (Reading::Value(-0.5), "-0.5"),
            (Reading::Repeats(vec![1.0, 2.5]), "[1.0,2.5]"),
            (error, r#"{"value":1.0,"standard_error":0.1}"#),
            (
                Reading::Summary { count: 40, mean: 0.5, deviation: Some(2.0) },
                r#"{"count":40,"mean":0.5,"deviation":2.0}"#,
            ),
            (Reading::Summary { count: 3, mean: 0.5, deviation: None }, r#"{"count":3,"mean":0.5}"#),
        ] {
            assert_eq!(serde_json::to_string(&reading).unwrap(), text);
            assert_eq!(serde_json::from_str::<Reading>(text).unwrap(), reading);
            assert_eq!(reading.negated().negated(), reading);
            assert_eq!(reading.negated().mean(), -reading.mean());
        }
    }

    #[test]
    fn what_cannot_be_an_outcome_is_named() {
        let error = |standard_error| Reading::WithError { value: 1.0, standard_error };
        assert_eq!(Reading::Repeats(vec![]).problem().as_deref(), Some("no number"));
        for bad in [f64::NAN, f64::INFINITY] {
            assert!(Reading::Value(bad).problem().is_some());
            assert!(Reading::Repeats(vec![1.0, bad]).problem().is_some());
            assert!(error(bad).problem().is_some());
        }
        assert!(error(0.0).problem().is_some() && error(-1.0).problem().is_some());
        assert!(error(1e-200).problem().is_some(), "its square is 0");
        assert_eq!(error(0.1).problem(), None);
        for large in [1e151, -1e300, f64::MAX] {
            let problem = Reading::Repeats(vec![1.0, large]).problem().unwrap();
            assert!(problem.starts_with(&format!("{large:e} is larger than 1e150")), "{problem}");
            assert!(error(large.abs()).problem().is_some());
        }
        assert_eq!(Reading::Value(-1e150).problem(), None);
        assert_eq!(Reading::Repeats(vec![f64::MAX, f64::MAX]).mean(), f64::MAX);
    }

    #[test]
    fn the_mean_of_many_repeats_has_no_rounding_of_its_own() {
        assert_eq!(Reading::Repeats(vec![1.0; 3_000_001]).mean(), 1.0);
        assert_eq!(Reading::Repeats(vec![0.1; 7]).mean(), 0.1);
        assert_eq!(Reading::Repeats(vec![1e16, 1.0, -1e16, 3.0]).mean(), 1.0);
    }
}
