//! The information matrix `M = A(λ) + γI` and its bilinear form `aᵀ M⁻¹ b`: in features, and by kernel values.

use super::DesignError;
use crate::numerics::{Cholesky, Matrix, dot, row_norms, weighted_gram};
use crate::pool::{ExactKernel, PointId, Pool};
use crate::units::{Ridge, Simplex};

/// `M = Σ λ_x φ(x) φ(x)ᵀ + γI` in feature space, factored.
///
/// ```
/// use elfving::design::InformationMatrix;
/// use elfving::{numerics::Matrix, pool::Pool, units::{Ridge, Simplex}};
/// let pool = Pool::from_features(Matrix::identity(2))?;
/// let weights = Simplex::new(vec![0.8, 0.2])?;
/// let information = InformationMatrix::new(&pool, &weights, Ridge::ZERO)?;
/// assert!((information.norm_squared(&[1.0, 1.0]) - (1.0 / 0.8 + 1.0 / 0.2)).abs() < 1e-12);
/// # Ok::<(), elfving::design::DesignError>(())
/// ```
#[derive(Debug, Clone)]
pub struct InformationMatrix {
    matrix: Matrix,
    factor: Cholesky,
}

impl InformationMatrix {
    /// Builds and factors M. Cost: s r² for s points of positive weight, and r³/3.
    ///
    /// # Errors
    /// [`DesignError::Singular`] when M is not positive definite to working precision.
    ///
    /// # Panics
    /// When there is not one weight for each point.
    pub fn new(pool: &Pool, weights: &Simplex, gamma: Ridge) -> Result<Self, DesignError> {
        assert_eq!(pool.len(), weights.len(), "one weight for each point");
        Self::from_rows(pool.features(), weights.as_slice(), gamma)
    }

    /// `Σ w_i x_i x_iᵀ + γI` for any non-negative weights on the rows of `features`.
    ///
    /// # Errors
    /// [`DesignError::Singular`] when it is not positive definite to working precision.
    pub fn from_rows(features: &Matrix, weights: &[f64], gamma: Ridge) -> Result<Self, DesignError> {
        let mut matrix = weighted_gram(features, weights);
        for k in 0..matrix.rows() {
            matrix[(k, k)] += gamma.get();
        }
        let singular = || DesignError::Singular { scale: features.max_abs(), gamma: gamma.get() };
        let factor = Cholesky::new(matrix.clone()).map_err(|_| singular())?;
        Ok(Self { matrix, factor })
    }

    /// M itself, r × r.
    pub fn matrix(&self) -> &Matrix {
        &self.matrix
    }

    /// Its Cholesky factor.
    pub fn factor(&self) -> &Cholesky {
        &self.factor
    }

    /// `log det M`.
    pub fn log_det(&self) -> f64 {
        self.factor.log_det()
    }

    /// `aᵀ M⁻¹ b`.
    pub fn bilinear(&self, a: &[f64], b: &[f64]) -> f64 {
        let mut solved = b.to_vec();
        self.factor.solve(&mut solved);
        dot(a, &solved)
    }

    /// `‖v‖² = vᵀ M⁻¹ v`.
    pub fn norm_squared(&self, v: &[f64]) -> f64 {
        let mut whitened = Matrix::from_row_major(1, v.len(), v.to_vec());
        self.factor.whiten_rows(&mut whitened);
        crate::numerics::norm_squared(whitened.row(0))
    }

    /// `vᵀ M⁻¹ v` for every row v; the variance function when the rows are the pool. Cost: 2 m r².
    pub fn norms(&self, rows: &Matrix) -> Vec<f64> {
        row_norms(rows, &self.factor.inverse_upper())
    }
}

/// The same bilinear form from kernel values on the support, by Lemma 1 of the paper.
///
/// `aᵀ M⁻¹ b = (⟨a, b⟩ - k_λ(a)ᵀ (K_λ + γI)⁻¹ k_λ(b)) / γ` with `k_λ(a)_i = √λ_i ⟨φ(x_i), a⟩` and
/// `K_λ,ij = √(λ_i λ_j) k(x_i, x_j)` (the paper misprints the indices of the last). It divides by γ and
/// cancels: relative error about 1e-16 k/γ, norms too small rather than too large.
#[derive(Debug, Clone)]
pub struct KernelInformation<'a> {
    pub(super) kernel: &'a ExactKernel,
    pub(super) gamma: f64,
    pub(super) support: Vec<usize>,
    /// √λ on the support.
    pub(super) roots: Vec<f64>,
    /// Of `K_λ + γI`.
    pub(super) factor: Cholesky,
}

/// A linear combination of the atoms of a kernel pool.
pub type AtomCombination = Vec<(usize, f64)>;

impl<'a> KernelInformation<'a> {
    /// Factors `K_λ + γI` on the points of positive weight. Cost: s³/3.
    ///
    /// # Errors
    /// [`DesignError::Singular`] for γ = 0, where the lemma does not apply, or when rounding makes it so.
    pub fn new(
        kernel: &'a ExactKernel,
        weights: &[(PointId, f64)],
        gamma: Ridge,
    ) -> Result<Self, DesignError> {
        let positive = || weights.iter().filter(|(_, weight)| *weight > 0.0);
        let support: Vec<usize> = positive().map(|(id, _)| id.index()).collect();
        let roots: Vec<f64> = positive().map(|(_, weight)| weight.sqrt()).collect();
        let mut matrix = Matrix::from_fn(support.len(), support.len(), |i, j| {
            roots[i] * roots[j] * kernel.value(support[i], support[j])
        });
        for i in 0..support.len() {
            matrix[(i, i)] += gamma.get();
        }
        let singular = DesignError::Singular { scale: matrix.max_abs(), gamma: gamma.get() };
        if gamma.get() == 0.0 {
            return Err(singular);
        }
        let factor = Cholesky::new(matrix).map_err(|_| singular)?;
        Ok(Self { kernel, gamma: gamma.get(), support, roots, factor })
    }

    /// `aᵀ M⁻¹ b` for combinations of atoms.
    pub fn bilinear(&self, a: &AtomCombination, b: &AtomCombination) -> f64 {
        let whitened = self.whiten(&[a.clone(), b.clone()]);
        (self.inner(a, b) - dot(whitened.row(0), whitened.row(1))) / self.gamma
    }

    /// `L⁻¹ k_λ(a)` for each combination, one per row.
    pub(super) fn whiten(&self, combinations: &[AtomCombination]) -> Matrix {
        use rayon::prelude::*;
        let s = self.support.len();
        let rows: Vec<Vec<f64>> = combinations
            .par_iter()
            .map(|combination| {
                let mut row = vec![0.0; s];
                let mut values = vec![0.0; s];
                for &(atom, coefficient) in combination {
                    self.kernel.row(atom, &self.support, &mut values);
                    row.iter_mut().zip(&values).for_each(|(sum, k)| *sum += coefficient * k);
                }
                row.iter_mut().zip(&self.roots).for_each(|(value, root)| *value *= root);
                row
            })
            .collect();
        let mut whitened = Matrix::from_rows(&rows);
        self.factor.whiten_rows(&mut whitened);
        whitened
    }

    /// `⟨a, b⟩` in the space of the kernel.
    pub(super) fn inner(&self, a: &AtomCombination, b: &AtomCombination) -> f64 {
        let mut sum = 0.0;
        for &(x, alpha) in a {
            for &(y, beta) in b {
                sum += alpha * beta * self.kernel.value(x, y);
            }
        }
        sum
    }
}
