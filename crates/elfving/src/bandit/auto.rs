//! Which family of certified algorithms, by what the user assumes.

use super::Question;
use crate::estimate::Tails;
use serde::Serialize;
use std::fmt;

/// With means this many times the noise it pays to be charged for σ² alone, at the price of a coarser rounding.
const MEANS_FAR_ABOVE_NOISE: f64 = 3.0;

/// A family of certified algorithms.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Family {
    /// The confidence ellipsoid: sub-Gaussian noise and a norm bound.
    Ellipsoid,
    /// Robust means on independent draws: a bound on the variance is enough.
    Rips,
    /// Least squares on a rounded design: sub-Gaussian noise, no norm bound.
    Ptr,
}

/// A family and why.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Recommendation {
    /// The family.
    pub family: Family,
    /// One sentence.
    pub reason: String,
}

impl fmt::Display for Recommendation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let name = match self.family {
            Family::Ellipsoid => "ellipsoid",
            Family::Rips => "RIPS",
            Family::Ptr => "PTR",
        };
        write!(f, "{name}: {}", self.reason)
    }
}

/// The family that needs the fewest measurements among those whose premises the user assumes.
///
/// | assumed | family |
/// |---|---|
/// | sub-Gaussian noise and ‖θ‖ ≤ S | ellipsoid |
/// | sub-Gaussian noise, B at least 3 σ or unknown | PTR |
/// | else | RIPS |
///
/// ```
/// use elfving::bandit::{Family, Goal, Question, recommend};
/// use elfving::{estimate::{Assumptions, Tails}, numerics::Matrix, pool::Pool};
/// let pool = Pool::from_features(Matrix::identity(3))?;
/// let heavy = Question::new(pool, Assumptions::new(0.1)?.bound(1.0)?, Goal::Best { epsilon: 0.1 })?;
/// assert_eq!(recommend(&heavy).family, Family::Rips);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn recommend(question: &Question) -> Recommendation {
    let assumptions = &question.assumptions;
    let sigma = assumptions.sigma_bound();
    let (family, reason) = match (assumptions.tail(), assumptions.norm_bound(), assumptions.bound_if_known()) {
        (Tails::SubGaussian, Some(norm), _) => (
            Family::Ellipsoid,
            format!(
                "sub-Gaussian noise and a norm of at most {norm} are assumed, so all data can be reused and every \
                 difference is bounded at all times"
            ),
        ),
        (Tails::SubGaussian, None, Some(bound)) if bound < MEANS_FAR_ABOVE_NOISE * sigma => (
            Family::Rips,
            format!(
                "no bound on the norm is given, and with means within {bound} and noise {sigma} robust means cost little \
                 more than least squares"
            ),
        ),
        (Tails::SubGaussian, None, Some(bound)) => (
            Family::Ptr,
            format!(
                "noise is sub-Gaussian but no bound on the norm is given; least squares pays for the noise {sigma} alone, \
                 not for the means within {bound}"
            ),
        ),
        (Tails::SubGaussian, None, None) => (
            Family::Ptr,
            "noise is sub-Gaussian, and neither the norm nor the means are bounded: least squares needs neither".into(),
        ),
        (Tails::BoundedVariance, ..) => (
            Family::Rips,
            format!("only the standard deviation {sigma} of the noise is assumed: its tails may be heavy"),
        ),
    };
    Recommendation { family, reason }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bandit::Goal;
    use crate::estimate::Assumptions;
    use crate::numerics::Matrix;
    use crate::pool::Pool;

    fn family(assumptions: Assumptions) -> Family {
        let pool = Pool::from_features(Matrix::identity(2)).unwrap();
        recommend(&Question::new(pool, assumptions, Goal::Best { epsilon: 0.1 }).unwrap()).family
    }

    #[test]
    fn the_family_is_the_cheapest_whose_premises_are_assumed() {
        let sigma = || Assumptions::new(0.1).unwrap();
        let light = || sigma().tails(Tails::SubGaussian);
        assert_eq!(family(light().norm(1.0).unwrap()), Family::Ellipsoid);
        assert_eq!(family(sigma().norm(1.0).unwrap()), Family::Rips);
        assert_eq!(family(light().bound(1.0).unwrap()), Family::Ptr);
        assert_eq!(family(light().bound(0.2).unwrap()), Family::Rips);
        assert_eq!(family(light()), Family::Ptr);
        assert_eq!(family(sigma().bound(1.0).unwrap()), Family::Rips);
    }

    #[test]
    fn the_reason_is_one_sentence_with_the_numbers_in_it() {
        let pool = Pool::from_features(Matrix::identity(2)).unwrap();
        let assumptions = Assumptions::new(0.25).unwrap().bound(1.0).unwrap();
        let question = Question::new(pool, assumptions, Goal::Regret { horizon: None }).unwrap();
        let said = recommend(&question).to_string();
        assert_eq!(
            said,
            "RIPS: only the standard deviation 0.25 of the noise is assumed: its tails may be heavy"
        );
    }
}
