//! Ridge regression on everything measured so far; with ridge σ² it is the posterior of a Gaussian process.

mod noise;
mod precision;

pub use precision::Precision;

use super::BanditError;
use crate::numerics::{add_scaled_row, apply, apply_transposed, dot};
use crate::pool::{PointId, Pool};

/// `θ = V⁻¹ Σ_s w φ(x_s) y_s` with `V = ridge·I + Σ_s w φ(x_s) φ(x_s)ᵀ`, and the mean `⟨φ(x), θ⟩` of every point.
///
/// In the features of a kernel k this is the posterior of a Gaussian process with prior covariance k and noise variance
/// `ridge`: mean `⟨φ(x), θ⟩`, variance `ridge · φ(x)ᵀV⁻¹φ(x)`. One more measurement costs O(n r + r²): θ and the means
/// move along `V⁻¹φ`. Every few hundred of them all is computed again from a factorisation, so rounding errors do not add up.
///
/// ```
/// use elfving::{bandit::Regression, numerics::Matrix, pool::{PointId, Pool}};
/// let pool = Pool::from_features(Matrix::from_rows(&[[1.0], [2.0]]))?;
/// let mut regression = Regression::new(pool, 0.5)?;
/// regression.add(PointId::new(0), 3.0);
/// // V = 0.5 + 1, θ = 3 / 1.5.
/// assert!((regression.means()[1] - 4.0).abs() < 1e-12);
/// assert!((regression.precision().norms()[1] - 4.0 / 1.5).abs() < 1e-12);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone)]
pub struct Regression {
    precision: Precision,
    /// `Σ y` of each point.
    sums: Vec<f64>,
    theta: Vec<f64>,
    means: Vec<f64>,
    samples: u64,
}

impl Regression {
    /// Nothing measured yet: θ = 0 and `V = ridge·I`.
    ///
    /// # Errors
    /// [`BanditError::Ridge`] unless the ridge is finite and positive.
    pub fn new(pool: Pool, ridge: f64) -> Result<Self, BanditError> {
        Self::weighted(pool, ridge, None)
    }

    /// The same with a weight w for each point: a measurement of x counts w_x times, as for noise of variance `1/w_x`.
    ///
    /// # Errors
    /// [`BanditError::Ridge`], [`BanditError::Weights`] unless there is one finite, positive weight a point.
    pub fn weighted(pool: Pool, ridge: f64, weights: Option<Vec<f64>>) -> Result<Self, BanditError> {
        let (points, dimension) = (pool.len(), pool.dimension());
        Ok(Self {
            precision: Precision::new(pool, ridge, weights)?,
            sums: vec![0.0; points],
            theta: vec![0.0; dimension],
            means: vec![0.0; points],
            samples: 0,
        })
    }

    /// Takes in one outcome.
    ///
    /// # Panics
    /// When the pool has no such point.
    pub fn add(&mut self, point: PointId, outcome: f64) {
        let surprise = outcome - self.means[point.index()];
        let gain = self.precision.add(point);
        self.sums[point.index()] += outcome;
        self.samples += 1;
        if self.precision.is_fresh() {
            return self.solve();
        }
        add_scaled_row(&mut self.theta, gain.weight * surprise, &gain.direction);
        add_scaled_row(&mut self.means, gain.weight * surprise, &gain.covariances);
    }

    /// Takes in one outcome without moving θ, the means and the inverse of V: they are those of before until
    /// [`refresh`](Self::refresh). Counts, [`moment`](Self::moment) and [`Precision::factor`] know it. Cost: constant.
    ///
    /// # Panics
    /// When the pool has no such point.
    pub fn note(&mut self, point: PointId, outcome: f64) {
        self.note_times(point, outcome, 1);
    }

    /// The same for the mean of `times` measurements of a point: as if each had had it. Cost: constant.
    ///
    /// # Panics
    /// When the pool has no such point.
    pub fn note_times(&mut self, point: PointId, mean: f64, times: u64) {
        self.precision.note(point, times);
        self.sums[point.index()] += if times == 1 { mean } else { times as f64 * mean };
        self.samples += times;
    }

    /// `Σ_s w φ(x_s) y_s`. Cost: n r.
    pub fn moment(&self) -> Vec<f64> {
        let weighted: Vec<f64> =
            (0..self.sums.len()).map(|i| self.precision.weight(i) * self.sums[i]).collect();
        apply_transposed(self.pool().features(), &weighted)
    }

    /// θ and the means from the present factorisation.
    fn solve(&mut self) {
        self.theta = self.precision.image(&self.moment());
        self.means = apply(self.pool().features(), &self.theta);
    }

    /// Makes θ and the means those of everything noted.
    pub(super) fn catch_up(&mut self) {
        if self.precision.is_behind() {
            self.refresh();
        }
    }

    /// Computes everything again from a factorisation of V.
    pub fn refresh(&mut self) {
        self.precision.refresh();
        self.solve();
    }

    /// The pool.
    pub fn pool(&self) -> &Pool {
        self.precision.pool()
    }

    /// V, which does not depend on the outcomes.
    pub fn precision(&self) -> &Precision {
        &self.precision
    }

    /// θ.
    pub fn theta(&self) -> &[f64] {
        &self.theta
    }

    /// `⟨φ(x), θ⟩` of every measurable point.
    pub fn means(&self) -> &[f64] {
        &self.means
    }

    /// `⟨z, θ⟩` of every choice. Cost: m r, nothing when the pool chooses among itself.
    pub fn choice_means(&self) -> Vec<f64> {
        if self.pool().chooses_among_itself() {
            return self.means.clone();
        }
        let choices = self.pool().choices();
        (0..choices.rows()).map(|i| dot(choices.row(i), &self.theta)).collect()
    }

    /// Outcomes taken in.
    pub fn samples(&self) -> u64 {
        self.samples
    }
}

#[cfg(test)]
mod tests;
