//! Checked values: a number that must be valid is a type, checked once and carried.
//!
//! Every guard is written so that NaN fails it.

use serde::{Deserialize, Serialize};

/// A value outside its domain, with what was given.
#[derive(Debug, Clone, Copy, PartialEq, thiserror::Error)]
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

/// What is vouched for about the outcomes: `|μ_x| ≤ B` and noise of variance at most σ².
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct NoiseModel {
    sigma: f64,
    bound: f64,
}

impl NoiseModel {
    /// Checks σ ≥ 0 and B > 0.
    ///
    /// # Errors
    /// [`InvalidValue::Sigma`] or [`InvalidValue::Bound`].
    pub fn new(sigma: f64, bound: f64) -> Result<Self, InvalidValue> {
        if !(sigma >= 0.0 && sigma.is_finite()) {
            return Err(InvalidValue::Sigma { got: sigma });
        }
        if !(bound > 0.0 && bound.is_finite()) {
            return Err(InvalidValue::Bound { got: bound });
        }
        Ok(Self { sigma, bound })
    }

    /// The standard-deviation bound σ of the noise.
    pub fn sigma(self) -> f64 {
        self.sigma
    }

    /// The bound B on the mean outcomes.
    pub fn bound(self) -> f64 {
        self.bound
    }

    /// `B² + σ²`, the second moment of one outcome (Theorem 1 of the paper).
    pub fn second_moment(self) -> f64 {
        self.bound * self.bound + self.sigma * self.sigma
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nan_and_infinity_fail_every_guard() {
        for bad in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY] {
            assert!(Ridge::new(bad).is_err());
            assert!(Confidence::new(bad).is_err());
            assert!(Tolerance::new(bad).is_err());
            assert!(NoiseModel::new(bad, 1.0).is_err());
            assert!(NoiseModel::new(0.1, bad).is_err());
            assert!(Simplex::new(vec![0.5, bad]).is_err());
        }
    }

    #[test]
    fn the_edges_of_each_domain_are_where_they_should_be() {
        assert!(Ridge::new(0.0).is_ok() && Ridge::new(-1e-300).is_err());
        assert!(Confidence::new(0.0).is_err() && Confidence::new(1.0).is_err());
        assert!(Confidence::new(1e-12).is_ok());
        assert!(Tolerance::new(0.0).is_err());
        assert!(NoiseModel::new(0.0, 1.0).is_ok() && NoiseModel::new(0.0, 0.0).is_err());
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
}
