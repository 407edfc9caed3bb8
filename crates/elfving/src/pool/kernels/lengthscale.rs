//! Over which distance a kernel forgets.

use serde::{Deserialize, Serialize};

use crate::units::InvalidValue;

/// One lengthscale for all features, or one for each. In JSON: a number, a list of numbers, or null for the median.
///
/// Every kernel's constructor checks that they are finite and positive.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(untagged)]
pub enum Lengthscale {
    /// The median distance between the points, until [`KernelSpec::resolve`](super::KernelSpec::resolve) puts a number in its place.
    #[default]
    Median,
    /// The same for all features.
    Shared(f64),
    /// One for each feature, in order.
    PerFeature(Vec<f64>),
}

impl Lengthscale {
    /// The numbers: one, one for each feature, or none yet.
    pub fn values(&self) -> &[f64] {
        match self {
            Lengthscale::Median => &[],
            Lengthscale::Shared(value) => std::slice::from_ref(value),
            Lengthscale::PerFeature(values) => values,
        }
    }

    /// Checks that every lengthscale is positive and finite (and not so small that its inverse is not).
    ///
    /// # Errors
    /// [`InvalidValue::Lengthscale`] with the first one that is not, or with NaN for a median that was not taken yet.
    pub fn check(&self) -> Result<(), InvalidValue> {
        if *self == Lengthscale::Median {
            return Err(InvalidValue::Lengthscale { got: f64::NAN });
        }
        let usable = |&&l: &&f64| l > 0.0 && l.is_finite() && (1.0 / l).is_finite();
        match self.values().iter().find(|l| !usable(l)) {
            Some(&got) => Err(InvalidValue::Lengthscale { got }),
            None => Ok(()),
        }
    }
}

impl From<f64> for Lengthscale {
    fn from(shared: f64) -> Self {
        Lengthscale::Shared(shared)
    }
}

impl From<Vec<f64>> for Lengthscale {
    fn from(per_feature: Vec<f64>) -> Self {
        Lengthscale::PerFeature(per_feature)
    }
}

impl std::fmt::Display for Lengthscale {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Lengthscale::Median => write!(f, "length scale: the median distance"),
            Lengthscale::Shared(value) => write!(f, "length scale {value}"),
            Lengthscale::PerFeature(values) => {
                let list: Vec<String> = values.iter().map(f64::to_string).collect();
                write!(f, "length scales {}", list.join(", "))
            }
        }
    }
}
