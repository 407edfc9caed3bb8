//! The potential for a Z that only grows by single points: the eigenvectors of Z are kept for a few steps.
//!
//! In the eigenvectors of Z as it was, `cI + αZ` is a diagonal D for every c. Points added since then are a thin
//! correction, `cI + αZ = D + Y Yᵀ` with Y the points times √α, and `A^½ = D⁻¹ - Q Qᵀ` with `Q = D⁻¹ Y L⁻ᵀ`, `L Lᵀ = I + Yᵀ D⁻¹ Y`
//! (Woodbury). So c costs next to nothing, and the points are seen through k ≤ 5 columns instead of p; one full
//! product over the points and one eigendecomposition serve six steps.

use super::potential::{HalfPower, MOST_STEPS, Potential, balance};
use crate::numerics::{
    Cholesky, Matrix, SymmetricEigen, add_scaled, add_scaled_row, apply, dot, gram, low_rank_forms,
    low_rank_partner, multiply, norm_squared,
};

/// Points added before the eigenvectors are renewed.
const MOST_ADDED: usize = 5;

/// Shifts too small that the old eigenvectors may try; trying is cheap, turning is not.
const FEW_RETREATS: usize = 6;

/// Entries of D above this lose no more than two digits to the correction: the true ones are at least 1.
const SAFE: f64 = 0.01;

/// See the [module](self). Cost of a look: about 4 s p k, and a share of 2 s p² + 9 p³.
pub(super) struct Rotated<'s> {
    columns: &'s Matrix,
    z: Matrix,
    alpha: f64,
    shift: f64,
    /// Eigenvalues of Z when it was last turned.
    values: Vec<f64>,
    /// The eigenvectors then, a row each.
    vectors: Matrix,
    /// The points in these coordinates, a column each.
    turned: Matrix,
    /// √α times what was added since, in these coordinates.
    added: Vec<Vec<f64>>,
    /// Whether something else than points was added.
    stale: bool,
}

/// `D⁻¹ - Q Qᵀ`.
struct Thin {
    inverse_diagonal: Vec<f64>,
    q: Matrix,
}

impl<'s> Rotated<'s> {
    /// `Z = 0`; a point is a column.
    pub(super) fn new(columns: &'s Matrix, alpha: f64) -> Self {
        let p = columns.rows();
        Self {
            columns,
            z: Matrix::zeros(p, p),
            alpha,
            shift: (p as f64).sqrt(),
            values: vec![0.0; p],
            vectors: Matrix::identity(p),
            turned: columns.clone(),
            added: Vec::with_capacity(MOST_ADDED),
            stale: false,
        }
    }

    /// Goes to the eigenvectors of Z as it is.
    fn turn(&mut self) {
        let SymmetricEigen { values, vectors } = SymmetricEigen::new(&self.z).expect("Z is finite");
        self.turned = multiply(&vectors, self.columns);
        (self.values, self.vectors) = (values, vectors);
        self.added.clear();
        self.stale = false;
    }

    /// `None` where D is not safely positive: the old eigenvectors reach no further.
    fn half_power(&self, shift: f64) -> Option<HalfPower<Thin>> {
        let (p, k) = (self.values.len(), self.added.len());
        let diagonal: Vec<f64> = self.values.iter().map(|value| shift + self.alpha * value).collect();
        if !diagonal.iter().all(|&d| d > SAFE) {
            return None;
        }
        let inverse_diagonal: Vec<f64> = diagonal.iter().map(|d| 1.0 / d).collect();
        let weighted = Matrix::from_fn(p, k, |i, j| self.added[j][i] * inverse_diagonal[i].sqrt());
        let mut inner = gram(&weighted);
        (0..k).for_each(|j| inner[(j, j)] += 1.0);
        let mut q = Matrix::from_fn(p, k, |i, j| self.added[j][i] * inverse_diagonal[i]);
        Cholesky::new(inner).ok()?.whiten_rows(&mut q);

        // Traces of (D⁻¹ - QQᵀ)² and (D⁻¹ - QQᵀ)³.
        let power = |n: i32| inverse_diagonal.iter().map(|d| d.powi(n)).sum::<f64>();
        let square = power(2) - dot(q.as_slice(), low_rank_partner(&inverse_diagonal, &q).as_slice());
        let spread = Matrix::from_fn(p, k, |i, j| q[(i, j)] * inverse_diagonal[i]);
        let mixed = multiply(&q.transposed(), &spread);
        let own = gram(&q);
        let cube = power(3) - 3.0 * norm_squared(spread.as_slice())
            + 3.0 * dot(mixed.as_slice(), own.as_slice())
            - dot(own.as_slice(), gram(&own).as_slice());
        Some(HalfPower { half: Thin { inverse_diagonal, q }, square, cube })
    }
}

impl Potential for Rotated<'_> {
    fn z(&self) -> &Matrix {
        &self.z
    }

    fn add(&mut self, weight: f64, x: &[f64]) {
        for (k, &value) in x.iter().enumerate() {
            add_scaled_row(self.z.row_mut(k), weight * value, x);
        }
        if self.added.len() == MOST_ADDED || weight < 0.0 {
            self.stale = true;
        }
        if !self.stale {
            let root = (weight * self.alpha).sqrt();
            self.added.push(apply(&self.vectors, x).into_iter().map(|value| root * value).collect());
        }
    }

    fn add_matrix(&mut self, weight: f64, p: &Matrix) {
        add_scaled(&mut self.z, weight, p);
        self.stale = true;
    }

    fn look(&mut self, halves: &mut [f64], fulls: &mut [f64]) -> f64 {
        if self.stale {
            self.turn();
        }
        // The root lies at least 1 above -α λ_min(Z), but Z may have outgrown its old eigenvalues: then turn, and
        // only then is a shift without an answer too small.
        let search = |game: &Self, retreats: usize| {
            let mut shift = game.shift;
            let half = balance(&mut shift, game.z.rows(), retreats, |shift| game.half_power(shift))?;
            Some((shift, half))
        };
        let found = search(self, FEW_RETREATS).or_else(|| {
            self.turn();
            search(self, MOST_STEPS)
        });
        let thin;
        (self.shift, thin) = found.expect("the matrix is positive definite at a shift of √p");
        low_rank_forms(&self.turned, &thin.inverse_diagonal, &thin.q, halves, fulls);
        let trace = thin.inverse_diagonal.iter().sum::<f64>() - norm_squared(thin.q.as_slice());
        -(trace + self.shift) / self.alpha
    }
}
