//! γ_T: what T measurements can tell about the function at most.

use std::fmt;

use serde::{Deserialize, Serialize};

use super::error::positive;
use super::worst_variance::optimum;
use super::{ComplexityError, Enclosure};
use elfving::design::Criterion;
use elfving::numerics::{Matrix, add_scaled_row, apply, dot, norm_squared};
use elfving::pool::{PointId, Pool, Subset, Targets};
use elfving::units::{Ridge, Tolerance};

/// `γ_T = max_λ log det(I + T K_λ / σ²)`, over all weights λ.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct InformationGain {
    /// T.
    pub horizon: f64,
    /// σ², the variance that a kernel value is compared with.
    pub noise: f64,
    /// γ_T. Half of it is the mutual information of Srinivas and others.
    pub gain: Enclosure,
}

/// The information gain over all weights, certified: a D-optimal design with ridge σ²/T.
///
/// The paper prints `log det(T A + γ)`, which in the space of a kernel is infinite or zero: the part that every design shares,
/// `r log γ`, has to be taken off. With Srinivas' factor 1/2, f ≤ 2 γ_T; the paper's Lemma has 3/2 for this form, but
/// `u/(1 + u) ≤ log(1 + u)` for every eigenvalue gives f ≤ γ_T with the constant 1 (see [`worst_subset`](super::worst_subset)).
///
/// # Errors
/// [`ComplexityError::Parameter`] unless T and σ² are finite numbers > 0; what the design finds.
///
/// ```
/// use elfving_lab::complexity::information_gain;
/// use elfving::{numerics::Matrix, pool::Pool, units::Tolerance};
/// // Two orthogonal directions share 10 measurements: 2 log(1 + 5).
/// let pool = Pool::from_features(Matrix::identity(2))?;
/// let gain = information_gain(&pool, 10.0, 1.0, Tolerance::new(1e-9)?)?.gain;
/// assert!((gain.value - 2.0 * 6f64.ln()).abs() < 1e-7);
/// # Ok::<(), elfving_lab::complexity::ComplexityError>(())
/// ```
pub fn information_gain(
    pool: &Pool,
    horizon: f64,
    noise: f64,
    tolerance: Tolerance,
) -> Result<InformationGain, ComplexityError> {
    let gamma = Ridge::new(positive("the noise variance", noise)? / positive("the horizon", horizon)?)?;
    let design = optimum(pool, Criterion::D, Targets::Points(Subset::All), gamma, tolerance)?;
    let shared = pool.dimension() as f64 * gamma.get().ln();
    Ok(InformationGain {
        horizon,
        noise,
        gain: design.enclosure().map(|log_det| (log_det - shared).max(0.0)),
    })
}

/// `log det(I + Σ_t φ(x_t) φ(x_t)ᵀ / σ²)` of T points chosen one by one, each where the variance is largest.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct GreedyInformationGain {
    /// T.
    pub horizon: usize,
    /// σ².
    pub noise: f64,
    /// The gain of the points chosen. No T points gain more than `value / (1 - 1/e)`: the gain is submodular.
    pub value: f64,
    /// The points, in the order chosen.
    pub points: Vec<PointId>,
}

/// The information gain of T measurements chosen greedily. Cost: T (n r + r²).
///
/// # Errors
/// [`ComplexityError::Parameter`] unless σ² is a finite number > 0.
pub fn greedy_information_gain(
    pool: &Pool,
    horizon: usize,
    noise: f64,
) -> Result<GreedyInformationGain, ComplexityError> {
    let noise = positive("the noise variance", noise)?;
    let features = pool.features();
    let r = pool.dimension();
    // V⁻¹ and the variances φᵀV⁻¹φ, updated together (Sherman and Morrison).
    let mut inverse = Matrix::from_fn(r, r, |i, j| if i == j { 1.0 / noise } else { 0.0 });
    let mut variances: Vec<f64> = (0..pool.len()).map(|x| norm_squared(features.row(x)) / noise).collect();
    let mut value = 0.0;
    let mut points = Vec::with_capacity(horizon);
    for _ in 0..horizon {
        let best = (0..variances.len()).fold(0, |b, x| if variances[x] > variances[b] { x } else { b });
        let mut along = apply(&inverse, features.row(best));
        let gain = 1.0 + dot(features.row(best), &along).max(0.0);
        value += gain.ln();
        points.push(PointId::new(best));
        let root = gain.sqrt();
        along.iter_mut().for_each(|a| *a /= root);
        for (k, &a) in along.iter().enumerate() {
            add_scaled_row(inverse.row_mut(k), -a, &along);
        }
        let drops = apply(features, &along);
        variances.iter_mut().zip(&drops).for_each(|(variance, drop)| *variance -= drop * drop);
    }
    Ok(GreedyInformationGain { horizon, noise, value, points })
}

impl fmt::Display for InformationGain {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "information gain of {} measurements: {}", self.horizon, self.gain)
    }
}

impl fmt::Display for GreedyInformationGain {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "information gain of {} measurements chosen greedily: {:.8}", self.horizon, self.value)
    }
}
