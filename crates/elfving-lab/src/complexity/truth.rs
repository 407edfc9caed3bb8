//! A guess of the truth: the parameter θ that an instance-dependent quantity is computed for.

use serde::{Deserialize, Serialize};

use super::ComplexityError;
use elfving::numerics::{
    RightSingular, apply, apply_transposed, dot, norm_squared, right_singular, triangular_factor,
};
use elfving::pool::{ChoiceId, Combination, Pool};

/// Singular values below this fraction of the largest are not fitted.
const RANK_TOLERANCE: f64 = 1e-9;
/// Steps of iterative refinement of a fit.
const REFINEMENTS: usize = 2;

/// θ in feature space, and what follows from it: the best choice z* and the gaps `⟨θ, φ(z*) - φ(z)⟩`.
///
/// ```
/// use elfving_lab::complexity::Truth;
/// use elfving::{numerics::Matrix, pool::Pool};
/// let pool = Pool::from_features(Matrix::identity(3))?;
/// let truth = Truth::from_theta(&pool, vec![0.2, 1.0, 0.5])?;
/// assert_eq!(truth.best.index(), 1);
/// assert_eq!(truth.gaps, vec![0.8, 0.0, 0.5]);
/// # Ok::<(), elfving_lab::complexity::ComplexityError>(())
/// ```
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Truth {
    /// θ, one number a feature.
    pub theta: Vec<f64>,
    /// ‖θ‖.
    pub norm: f64,
    /// The choice with the largest mean; the first of several.
    pub best: ChoiceId,
    /// `⟨θ, φ(z*) - φ(z)⟩` of every choice.
    pub gaps: Vec<f64>,
    /// The largest distance between the means given and `⟨θ, φ(x)⟩`: how far from linear they are. 0 for a given θ.
    pub misfit: f64,
}

impl Truth {
    /// The truth with this θ.
    ///
    /// # Errors
    /// [`ComplexityError::Length`] unless there is one number a feature, [`ComplexityError::Parameter`] unless all are finite.
    pub fn from_theta(pool: &Pool, theta: Vec<f64>) -> Result<Self, ComplexityError> {
        check("theta", &theta, pool.dimension())?;
        let means = apply(pool.choices(), &theta);
        let best = (0..means.len()).fold(0, |best, i| if means[i] > means[best] { i } else { best });
        let gaps = means.iter().map(|mean| means[best] - mean).collect();
        let norm = norm_squared(&theta).sqrt();
        Ok(Self { norm, best: ChoiceId::new(best), gaps, misfit: 0.0, theta })
    }

    /// The truth that explains these means of the measurable points best: least squares, and of all solutions the one of
    /// smallest norm. Cost: 2 n r² and an SVD of order r.
    ///
    /// # Errors
    /// [`ComplexityError::Length`] unless there is one mean a point, [`ComplexityError::Parameter`] unless all are finite.
    pub fn from_means(pool: &Pool, means: &[f64]) -> Result<Self, ComplexityError> {
        check("the means", means, pool.len())?;
        let features = pool.features();
        let singular = || elfving::design::DesignError::Singular { scale: features.max_abs(), gamma: 0.0 };
        let RightSingular { values, vectors } =
            right_singular(&triangular_factor(features)).ok_or_else(singular)?;
        let mut theta = vec![0.0; pool.dimension()];
        let mut rest = means.to_vec();
        for _ in 0..=REFINEMENTS {
            let moments = apply_transposed(features, &rest);
            for (k, &value) in values.iter().enumerate() {
                if value > RANK_TOLERANCE * values[0] {
                    let along = dot(vectors.row(k), &moments) / (value * value);
                    theta.iter_mut().zip(vectors.row(k)).for_each(|(t, v)| *t += along * v);
                }
            }
            let fitted = apply(features, &theta);
            rest = means.iter().zip(&fitted).map(|(mean, fit)| mean - fit).collect();
        }
        let misfit = rest.iter().fold(0.0f64, |worst, rest| worst.max(rest.abs()));
        Ok(Self { misfit, ..Self::from_theta(pool, theta)? })
    }

    /// The choices other than z* (and its duplicates, which are as good and cannot be told apart) with their gaps.
    pub(super) fn rivals(&self, pool: &Pool) -> Vec<(ChoiceId, f64)> {
        let best = pool.choices().row(self.best.index());
        (0..self.gaps.len())
            .filter(|&z| z != self.best.index() && pool.choices().row(z) != best)
            .map(|z| (ChoiceId::new(z), self.gaps[z]))
            .collect()
    }

    /// `(φ(z*) - φ(z)) / scale`.
    pub(super) fn difference(&self, z: ChoiceId, scale: f64) -> Combination {
        Combination { terms: vec![(self.best, 1.0 / scale), (z, -1.0 / scale)] }
    }
}

fn check(what: &'static str, numbers: &[f64], expected: usize) -> Result<(), ComplexityError> {
    if numbers.len() != expected {
        return Err(ComplexityError::Length { what, expected, got: numbers.len() });
    }
    match numbers.iter().find(|number| !number.is_finite()) {
        Some(&got) => Err(ComplexityError::Parameter { what, wanted: "finite numbers", got }),
        None => Ok(()),
    }
}
