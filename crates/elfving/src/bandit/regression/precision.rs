//! What is known whatever the outcomes were: V, its inverse and its determinant.

use crate::bandit::BanditError;
use crate::numerics::{
    Cholesky, Matrix, add_scaled_row, apply, dot, gram, norm_squared, row_norms, weighted_gram,
};
use crate::pool::{PointId, Pool};

/// `V = ridge·I + Σ_x n_x w_x φ(x) φ(x)ᵀ` for n_x measurements of each x, with `φ(x)ᵀV⁻¹φ(x)` of every point.
///
/// Cloned and continued with points that are not measured yet, it says how much a batch will tell.
#[derive(Debug, Clone)]
pub struct Precision {
    pool: Pool,
    ridge: f64,
    weights: Option<Vec<f64>>,
    counts: Vec<u64>,
    inverse: Matrix,
    norms: Vec<f64>,
    /// `ln det(V / ridge)`.
    log_det: f64,
    /// Updates since the last factorisation.
    updates: usize,
    updates_allowed: usize,
}

/// How one more measurement of x moves everything: `θ ← θ + weight · surprise · direction`.
pub(super) struct Gain {
    /// `w / (1 + w φᵀV⁻¹φ)`.
    pub(super) weight: f64,
    /// `V⁻¹φ`.
    pub(super) direction: Vec<f64>,
    /// `φ(x')ᵀV⁻¹φ` of every point x'.
    pub(super) covariances: Vec<f64>,
}

impl Precision {
    pub(super) fn new(pool: Pool, ridge: f64, weights: Option<Vec<f64>>) -> Result<Self, BanditError> {
        if !(ridge > 0.0 && ridge.is_finite()) {
            return Err(BanditError::Ridge { got: ridge });
        }
        if let Some(weights) = &weights
            && !(weights.len() == pool.len() && weights.iter().all(|&w| w > 0.0 && w.is_finite()))
        {
            return Err(BanditError::Weights { points: pool.len() });
        }
        let (points, dimension) = (pool.len(), pool.dimension());
        let mut inverse = Matrix::identity(dimension);
        (0..dimension).for_each(|i| inverse[(i, i)] = 1.0 / ridge);
        let norms = (0..points).map(|i| norm_squared(pool.features().row(i)) / ridge).collect();
        Ok(Self {
            pool,
            ridge,
            weights,
            counts: vec![0; points],
            inverse,
            norms,
            log_det: 0.0,
            updates: 0,
            // A factorisation and its sweep over the pool then cost no more than the updates between two of them.
            updates_allowed: (4 * dimension).max(64),
        })
    }

    /// Adds one measurement of `point`. Cost: n r + r².
    pub(super) fn add(&mut self, point: PointId) -> Gain {
        let i = point.index();
        let weight = self.weight(i);
        let direction = self.image(self.pool.features().row(i));
        let covariances = apply(self.pool.features(), &direction);
        let shrink = weight / (1.0 + weight * covariances[i]);
        self.log_det += (weight * covariances[i]).ln_1p();
        for (norm, covariance) in self.norms.iter_mut().zip(&covariances) {
            *norm = (*norm - shrink * covariance * covariance).max(0.0);
        }
        for (row, &entry) in direction.iter().enumerate() {
            add_scaled_row(self.inverse.row_mut(row), -shrink * entry, &direction);
        }
        self.counts[i] += 1;
        self.updates += 1;
        if self.updates >= self.updates_allowed {
            self.refresh();
        }
        Gain { weight: shrink, direction, covariances }
    }

    /// Counts one measurement of `point`; the rest follows with the next factorisation.
    pub(super) fn note(&mut self, point: PointId, times: u64) {
        self.counts[point.index()] += times;
        self.updates = self.updates_allowed;
    }

    /// Supposes one more measurement of `point`, without an outcome.
    ///
    /// # Panics
    /// When the pool has no such point.
    pub fn suppose(&mut self, point: PointId) {
        self.add(point);
    }

    /// Whether everything comes from a factorisation.
    pub(super) fn is_fresh(&self) -> bool {
        self.updates == 0
    }

    /// Whether measurements were noted that the inverse does not know.
    pub(super) fn is_behind(&self) -> bool {
        self.updates >= self.updates_allowed
    }

    /// Inverse, determinant and norms from a factorisation of V. Cost: n r² + r³.
    pub(super) fn refresh(&mut self) {
        let factor = self.factor();
        let whitening = factor.inverse_upper();
        self.log_det = factor.log_det() - self.pool.dimension() as f64 * self.ridge.ln();
        self.inverse = gram(&whitening.transposed());
        self.norms = row_norms(self.pool.features(), &whitening);
        self.updates = 0;
    }

    /// The Cholesky factor of V. Cost: s r² + r³ for s different points measured.
    pub fn factor(&self) -> Cholesky {
        let masses: Vec<f64> = (0..self.counts.len()).map(|i| self.mass(i)).collect();
        let mut v = weighted_gram(self.pool.features(), &masses);
        (0..v.rows()).for_each(|i| v[(i, i)] += self.ridge);
        Cholesky::new(v).expect("a positive ridge plus a Gram matrix is positive definite")
    }

    /// The pool.
    pub fn pool(&self) -> &Pool {
        &self.pool
    }

    /// The ridge.
    pub fn ridge(&self) -> f64 {
        self.ridge
    }

    /// w of the point in row i.
    pub(in crate::bandit) fn weight(&self, i: usize) -> f64 {
        self.weights.as_ref().map_or(1.0, |weights| weights[i])
    }

    /// `n_x w_x` of the point in row i.
    pub fn mass(&self, i: usize) -> f64 {
        self.counts[i] as f64 * self.weight(i)
    }

    /// How often each point was measured.
    pub fn counts(&self) -> &[u64] {
        &self.counts
    }

    /// `φ(x)ᵀV⁻¹φ(x)` of every measurable point; times the ridge it is the posterior variance of a Gaussian process.
    pub fn norms(&self) -> &[f64] {
        &self.norms
    }

    /// `ln det(V / ridge)`, twice the information gain.
    pub fn log_det(&self) -> f64 {
        self.log_det
    }

    /// `V⁻¹v`. Cost: r².
    pub fn image(&self, v: &[f64]) -> Vec<f64> {
        apply(&self.inverse, v)
    }

    /// `vᵀV⁻¹v`. Cost: r².
    pub fn norm(&self, v: &[f64]) -> f64 {
        dot(v, &self.image(v)).max(0.0)
    }

    /// `zᵀV⁻¹z` of every choice. Cost: m r², nothing when the pool chooses among itself.
    pub fn choice_norms(&self) -> Vec<f64> {
        if self.pool.chooses_among_itself() {
            return self.norms.clone();
        }
        let choices = self.pool.choices();
        (0..choices.rows()).map(|i| self.norm(choices.row(i))).collect()
    }
}
