//! Checked values: a number that must be valid is a type, checked once and carried.
//!
//! Every guard is written so that NaN fails it.

use serde::{Deserialize, Serialize};

/// What kind of mistake an error is, for programs that turn errors into exit codes, exceptions or HTTP statuses. Every public
/// error of the library, and of the crates above it, has a `kind()`. The kinds about files have no user in this crate: they are
/// here so that a program maps one list.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum ErrorKind {
    /// An option or a combination of them makes no sense: change the call.
    Usage,
    /// The data do not fit: change the table, the weights or the outcomes.
    Data,
    /// No measurement of this pool says anything about a target: give a ridge, or drop the target.
    NotIdentifiable,
    /// A kernel matrix is not symmetric and positive semidefinite.
    NotPositiveSemidefinite,
    /// Double precision is not enough at this scale.
    Numerical,
    /// There are fewer measurements than a theorem needs.
    TooFewSamples,
    /// The budget does not allow it.
    Budget,
    /// There is no such slot.
    UnknownSlot,
    /// A slot was told another outcome before.
    Conflict,
    /// Slots of the round are still open.
    RoundIncomplete,
    /// There is another choice that only the user can make.
    Decision,
    /// There is no such file.
    MissingFile,
    /// There is a file of that name, and it is not replaced.
    FileExists,
    /// A file is not as it was written, or is something else.
    Damaged,
    /// A file was written by a later version.
    Newer,
    /// A file could not be written.
    Durability,
    /// Another process holds the file.
    Locked,
}

/// A value outside its domain, with what was given.
#[derive(Debug, Clone, Copy, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum InvalidValue {
    /// The ridge γ must be finite and not negative.
    #[error("gamma must be a finite number >= 0, got {got}")]
    Ridge {
        /// The value given.
        got: f64,
    },
    /// The failure probability δ must lie strictly between 0 and 1.
    #[error("delta must lie strictly between 0 and 1, got {got}")]
    Confidence {
        /// The value given.
        got: f64,
    },
    /// A noise level σ must be finite and not negative.
    #[error("sigma must be a finite number >= 0, got {got}")]
    Sigma {
        /// The value given.
        got: f64,
    },
    /// The bound B on the mean outcomes must be finite and positive.
    #[error("the bound B must be a finite number > 0, got {got}")]
    Bound {
        /// The value given.
        got: f64,
    },
    /// A tolerance must be finite and positive.
    #[error("the tolerance must be a finite number > 0, got {got}")]
    Tolerance {
        /// The value given.
        got: f64,
    },
    /// A weight of a design must be finite and not negative.
    #[error("weight {index} must be a finite number >= 0, got {got}")]
    Weight {
        /// Position of the weight.
        index: usize,
        /// The value given.
        got: f64,
    },
    /// The weights of a design must have a positive sum.
    #[error("the weights must have a positive, finite sum, got {got}")]
    WeightSum {
        /// The sum of the weights given.
        got: f64,
    },
    /// A lengthscale must be finite and positive.
    #[error("a length scale must be a finite number > 0, got {got}")]
    Lengthscale {
        /// The value given.
        got: f64,
    },
}

impl InvalidValue {
    /// What kind of mistake it is.
    pub fn kind(&self) -> ErrorKind {
        match self {
            InvalidValue::Weight { .. } | InvalidValue::WeightSum { .. } => ErrorKind::Data,
            _ => ErrorKind::Usage,
        }
    }
}

/// The ridge γ ≥ 0 of `A(λ) + γI`.
#[derive(Debug, Clone, Copy, PartialEq, PartialOrd, Serialize, Deserialize)]
#[serde(try_from = "f64", into = "f64")]
pub struct Ridge(f64);

impl Ridge {
    /// No regularisation: γ = 0.
    pub const ZERO: Ridge = Ridge(0.0);

    /// Checks γ.
    ///
    /// # Errors
    /// [`InvalidValue::Ridge`] unless γ is finite and at least 0.
    ///
    /// ```
    /// use elfving::units::Ridge;
    /// assert_eq!(Ridge::new(0.005)?.get(), 0.005);
    /// assert!(Ridge::new(f64::NAN).is_err());
    /// # Ok::<(), elfving::units::InvalidValue>(())
    /// ```
    pub fn new(gamma: f64) -> Result<Self, InvalidValue> {
        if gamma >= 0.0 && gamma.is_finite() {
            Ok(Self(gamma))
        } else {
            Err(InvalidValue::Ridge { got: gamma })
        }
    }

    /// The number.
    pub fn get(self) -> f64 {
        self.0
    }
}

/// The failure probability δ in (0, 1): a statement holds with probability 1 - δ.
#[derive(Debug, Clone, Copy, PartialEq, PartialOrd, Serialize, Deserialize)]
#[serde(try_from = "f64", into = "f64")]
pub struct Confidence(f64);

impl Confidence {
    /// Checks δ.
    ///
    /// # Errors
    /// [`InvalidValue::Confidence`] unless 0 < δ < 1.
    pub fn new(delta: f64) -> Result<Self, InvalidValue> {
        if delta > 0.0 && delta < 1.0 {
            Ok(Self(delta))
        } else {
            Err(InvalidValue::Confidence { got: delta })
        }
    }

    /// The number δ.
    pub fn delta(self) -> f64 {
        self.0
    }

    /// `log(2 · statements / δ)`: the two-sided union bound over `statements` events.
    pub fn log_two_sided(self, statements: usize) -> f64 {
        (2.0 * statements as f64 / self.0).ln()
    }
}

/// A relative accuracy > 0 asked of a certificate.
#[derive(Debug, Clone, Copy, PartialEq, PartialOrd, Serialize, Deserialize)]
#[serde(try_from = "f64", into = "f64")]
pub struct Tolerance(f64);

impl Tolerance {
    /// Checks the tolerance.
    ///
    /// # Errors
    /// [`InvalidValue::Tolerance`] unless it is finite and positive.
    pub fn new(tolerance: f64) -> Result<Self, InvalidValue> {
        if tolerance > 0.0 && tolerance.is_finite() {
            Ok(Self(tolerance))
        } else {
            Err(InvalidValue::Tolerance { got: tolerance })
        }
    }

    /// The number.
    pub fn get(self) -> f64 {
        self.0
    }
}

/// Weights on the pool: not negative, summing to one.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "Vec<f64>", into = "Vec<f64>")]
pub struct Simplex(Vec<f64>);

impl Simplex {
    /// Normalises non-negative numbers to sum to one.
    ///
    /// # Errors
    /// [`InvalidValue::Weight`] for a negative or non-finite entry, [`InvalidValue::WeightSum`]
    /// when the sum is zero or overflows.
    ///
    /// ```
    /// use elfving::units::Simplex;
    /// let weights = Simplex::new(vec![1.0, 3.0])?;
    /// assert_eq!(weights.as_slice(), &[0.25, 0.75]);
    /// # Ok::<(), elfving::units::InvalidValue>(())
    /// ```
    pub fn new(mut weights: Vec<f64>) -> Result<Self, InvalidValue> {
        for (index, &got) in weights.iter().enumerate() {
            if !(got >= 0.0 && got.is_finite()) {
                return Err(InvalidValue::Weight { index, got });
            }
        }
        let sum: f64 = weights.iter().sum();
        if !(sum > 0.0 && sum.is_finite()) {
            return Err(InvalidValue::WeightSum { got: sum });
        }
        for weight in &mut weights {
            *weight /= sum;
        }
        Ok(Self(weights))
    }

    /// Equal weights on `n` points.
    ///
    /// # Errors
    /// [`InvalidValue::WeightSum`] for n = 0.
    pub fn uniform(n: usize) -> Result<Self, InvalidValue> {
        Self::new(vec![1.0; n])
    }

    /// The weights.
    pub fn as_slice(&self) -> &[f64] {
        &self.0
    }

    /// How many points carry the weights (zeros included).
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// True only for an empty vector, which [`Simplex::new`] refuses.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Positions of the positive weights, in order.
    pub fn support(&self) -> Vec<usize> {
        (0..self.0.len()).filter(|&i| self.0[i] > 0.0).collect()
    }
}

macro_rules! serde_as_number {
    ($type:ident, $get:ident) => {
        impl TryFrom<f64> for $type {
            type Error = InvalidValue;
            fn try_from(value: f64) -> Result<Self, InvalidValue> {
                Self::new(value)
            }
        }
        impl From<$type> for f64 {
            fn from(value: $type) -> f64 {
                value.$get()
            }
        }
    };
}
serde_as_number!(Ridge, get);
serde_as_number!(Confidence, delta);
serde_as_number!(Tolerance, get);

impl TryFrom<Vec<f64>> for Simplex {
    type Error = InvalidValue;
    fn try_from(weights: Vec<f64>) -> Result<Self, InvalidValue> {
        Self::new(weights)
    }
}

impl From<Simplex> for Vec<f64> {
    fn from(weights: Simplex) -> Vec<f64> {
        weights.0
    }
}

/// A count as people read it: thousands separators from 10,000 on.
///
/// ```
/// use elfving::units::grouped;
/// assert_eq!((grouped(9_999), grouped(1_261_147)), ("9999".to_owned(), "1,261,147".to_owned()));
/// ```
pub fn grouped(count: u64) -> String {
    let digits = count.to_string();
    if count < 10_000 {
        return digits;
    }
    let first = (digits.len() - 1) % 3 + 1;
    let mut text = digits[..first].to_owned();
    for group in digits.as_bytes()[first..].chunks(3) {
        text.push(',');
        text.extend(group.iter().map(|&digit| char::from(digit)));
    }
    text
}

/// Four digits, rounded up: what may be lost is never printed smaller than it is.
pub(crate) fn rounded_up(x: f64) -> f64 {
    four_digits(x, f64::ceil)
}

/// Four digits, rounded down: what may be assumed is never printed larger than it is.
pub(crate) fn rounded_down(x: f64) -> f64 {
    four_digits(x, f64::floor)
}

fn four_digits(x: f64, round: impl Fn(f64) -> f64) -> f64 {
    let scale = 10f64.powf(3.0 - x.abs().log10().floor());
    let rounded = round(x * scale) / scale;
    if rounded.is_finite() { rounded } else { x }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nan_and_infinity_fail_every_guard() {
        for bad in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY] {
            assert!(Ridge::new(bad).is_err());
            assert!(Confidence::new(bad).is_err());
            assert!(Tolerance::new(bad).is_err());
            assert!(Simplex::new(vec![0.5, bad]).is_err());
        }
    }

    #[test]
    fn the_edges_of_each_domain_are_where_they_should_be() {
        assert!(Ridge::new(0.0).is_ok() && Ridge::new(-1e-300).is_err());
        assert!(Confidence::new(0.0).is_err() && Confidence::new(1.0).is_err());
        assert!(Confidence::new(1e-12).is_ok());
        assert!(Tolerance::new(0.0).is_err());
        assert!(Simplex::new(vec![]).is_err() && Simplex::new(vec![0.0]).is_err());
        assert!(Simplex::new(vec![f64::MAX, f64::MAX]).is_err());
    }

    #[test]
    fn a_simplex_sums_to_one_and_survives_json() {
        let weights = Simplex::new(vec![0.0, 2.0, 6.0]).unwrap();
        assert_eq!(weights.as_slice(), &[0.0, 0.25, 0.75]);
        assert_eq!(weights.support(), vec![1, 2]);
        let json = serde_json::to_string(&weights).unwrap();
        assert_eq!(serde_json::from_str::<Simplex>(&json).unwrap(), weights);
        assert!(serde_json::from_str::<Ridge>("-1.0").is_err());
    }

    #[test]
    fn the_two_sided_union_bound_counts_both_tails() {
        let delta = Confidence::new(0.05).unwrap();
        assert!((delta.log_two_sided(6) - (12.0f64 / 0.05).ln()).abs() < 1e-15);
    }

    #[test]
    fn what_is_printed_is_rounded_to_the_safe_side() {
        assert_eq!((rounded_down(0.000_469_99), rounded_up(0.000_469_91)), (0.000_469_9, 0.000_47));
        assert_eq!((rounded_down(1.299_99), rounded_up(1.234_51)), (1.299, 1.235));
        assert_eq!((rounded_down(12_345.6), rounded_up(12_345.6)), (12_340.0, 12_350.0));
        for x in [0.0, 1e-320, 1e300, f64::MAX] {
            assert!(rounded_down(x) <= x && rounded_up(x) >= x && rounded_up(x).is_finite(), "{x}");
        }
    }
}
