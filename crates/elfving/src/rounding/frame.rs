//! Coordinates in which a rounding is easy to judge: those in which the continuous design is the identity.
//!
//! A point x becomes `x̃ = Wᵀx` with `Wᵀ M(λ) W = I`, so that the information of a good rounding is near the
//! identity whatever the scale and conditioning of the pool. W comes from a QR factorisation and singular
//! values, which square no condition number. Without a ridge, a design may leave directions unmeasured, or nearly so,
//! that the pool could measure; then half of the reference is the pool itself, so that every point has its full image.

use std::sync::Arc;

use super::loss::{Loss, any_unseen};
use super::request::Share;
use crate::design::{Criterion, DesignError, Problem};
use crate::numerics::{
    Cholesky, Matrix, RowSpan, SymmetricEigen, add_scaled, column_scale, gram, multiply, scale_columns,
    triangular_factor, weighted_gram,
};
use crate::pool::TargetRows;

/// An eigenvalue of an information matrix below p times this fraction of the largest counts as zero.
const SINGULAR: f64 = 1e-15;
/// Added to the information while searching, so that a singular allocation has a finite, comparable value.
const SEARCH_RIDGE: f64 = 1e-9;
/// A whitened point with a coordinate beyond this lies in a direction that the design hardly measures.
const FAR: f64 = 1e3;

/// Pool, prior and loss in whitened coordinates.
#[derive(Debug, Clone)]
pub(super) struct Frame {
    /// x̃ of every point, n × p.
    pub points: Arc<Matrix>,
    /// `γ WᵀW`, p × p.
    pub prior: Matrix,
    pub loss: Loss,
    /// `M(λ)`: the identity, or singular when the design leaves directions unmeasured.
    design: Matrix,
}

impl Frame {
    pub(super) fn new(problem: &Problem, weights: &[Share]) -> Result<Self, DesignError> {
        let features = problem.pool().features();
        let mut basis = Basis::of_design(problem, weights, false)?;
        let mut points = Arc::new(basis.forward(features));
        if basis.values.len() < features.columns() || !(points.max_abs() <= FAR) {
            basis = Basis::of_design(problem, weights, true)?;
            points = Arc::new(basis.forward(features));
        }
        let shared = std::ptr::eq(problem.rows().matrix(), problem.pool().features());
        let rows = || if shared { points.clone() } else { Arc::new(basis.forward(problem.rows().matrix())) };
        let loss = match (problem.criterion(), problem.rows()) {
            (Criterion::D, _) => Loss::LogDet,
            (Criterion::A, _) => Loss::Trace(basis.all_directions()?),
            (Criterion::V | Criterion::C, TargetRows::Rows(_)) => Loss::mean(&rows()),
            (Criterion::V | Criterion::C, TargetRows::Pairs(_)) => Loss::mean_of_pairs(&rows()),
            (Criterion::G | Criterion::Xy, TargetRows::Rows(_)) => Loss::Largest(rows()),
            (Criterion::G | Criterion::Xy, TargetRows::Pairs(_)) => Loss::Diameter(rows()),
        };
        let prior = basis.prior(problem.gamma().get());
        let mut frame = Self { points, prior, loss, design: Matrix::zeros(0, 0) };
        frame.design = frame.information(weights);
        Ok(frame)
    }

    /// Dimension p of the coordinates.
    pub(super) fn dimension(&self) -> usize {
        self.prior.rows()
    }

    /// `Σ share · x̃ x̃ᵀ + γ WᵀW`.
    pub(super) fn information(&self, shares: &[Share]) -> Matrix {
        let rows: Vec<usize> = shares.iter().map(|&(i, _)| i).collect();
        let weights: Vec<f64> = shares.iter().map(|&(_, share)| share).collect();
        let mut information = weighted_gram(&self.points.select_rows(&rows), &weights);
        add_scaled(&mut information, 1.0, &self.prior);
        information
    }

    /// The factor to search with: that of the information and a trace of ridge.
    pub(super) fn search_factor(&self, information: &Matrix) -> Cholesky {
        let mut ridged = information.clone();
        let ridge = SEARCH_RIDGE * information.max_abs().max(1.0);
        for k in 0..ridged.rows() {
            ridged[(k, k)] += ridge;
        }
        Cholesky::new(ridged).expect("a ridge above rounding makes a Gram matrix positive definite")
    }

    /// The value to search with: finite for every allocation, smaller is better.
    pub(super) fn search_value(&self, shares: &[Share]) -> f64 {
        self.loss.value(&self.search_factor(&self.information(shares)))
    }

    /// What the shares are worth, exactly; `None` when some target is not determined by them.
    pub(super) fn appraise(&self, shares: &[Share]) -> Appraisal {
        let information = self.information(shares);
        let spectrum = Spectrum::new(&information);
        let value = self.loss.spectral_value(&spectrum.whitening, &spectrum.unseen);
        let design = Spectrum::new(&self.design);
        let smallest_eigenvalue = self.smallest_ratio(&design, &spectrum);
        // log det relative to the design: the same in any coordinates.
        let value = match self.loss {
            Loss::LogDet => value.map(|negative| design.log_det + negative),
            _ => value,
        };
        Appraisal { value, smallest_eigenvalue }
    }

    /// The smallest `vᵀM(λ)⁺v / vᵀM(n)⁺v` over the v that the design determines; 0 when the counts leave one of them
    /// undetermined.
    fn smallest_ratio(&self, design: &Spectrum, counts: &Spectrum) -> f64 {
        // v = M(λ) W a with W the whitening of the design: the first norm is ‖a‖².
        let determined = multiply(&self.design, &design.whitening).transposed();
        if any_unseen(&determined, &counts.unseen) {
            return 0.0;
        }
        let growth = gram(&multiply(&determined, &counts.whitening).transposed());
        let largest = SymmetricEigen::new(&growth).ok().and_then(|eigen| eigen.values.last().copied());
        largest.map_or(0.0, |largest| 1.0 / largest)
    }
}

/// The worth of an allocation.
pub(super) struct Appraisal {
    /// The criterion; for log det the loss `log det M(λ) - log det M(n)`.
    pub value: Option<f64>,
    /// The smallest eigenvalue of `M(λ)^(-1/2) M(n) M(λ)^(-1/2)`, in what the design determines.
    pub smallest_eigenvalue: f64,
}

/// Eigenvalues of an information matrix, split into what it sees and what it does not.
pub(super) struct Spectrum {
    /// T with `T Tᵀ = M⁺`, p × rank.
    pub whitening: Matrix,
    /// Orthonormal columns that span the null space, p × (p - rank).
    pub unseen: Matrix,
    /// Sum of the logarithms of the eigenvalues seen.
    pub log_det: f64,
}

impl Spectrum {
    pub(super) fn new(information: &Matrix) -> Self {
        let p = information.rows();
        let SymmetricEigen { values, vectors } =
            SymmetricEigen::new(information).expect("an information matrix is finite");
        let cut = SINGULAR * p as f64 * values.last().copied().unwrap_or(0.0);
        // Ascending: the first ones are the unseen ones.
        let hidden = values.iter().take_while(|&&value| value <= cut).count();
        let whitening =
            Matrix::from_fn(p, p - hidden, |i, k| vectors[(hidden + k, i)] / values[hidden + k].sqrt());
        let unseen = Matrix::from_fn(p, hidden, |i, k| vectors[(k, i)]);
        let log_det = values[hidden..].iter().map(|value| value.ln()).sum();
        Self { whitening, unseen, log_det }
    }
}

/// The map from features to whitened coordinates.
struct Basis {
    /// Powers of two that bring every column to order one.
    column_scale: Vec<f64>,
    /// Right singular vectors of the scaled reference that carry something, p × r.
    directions: Matrix,
    /// Their singular values.
    values: Vec<f64>,
}

impl Basis {
    /// In which the design is the identity; with `pool`, the sum of the design and the mean of the pool.
    fn of_design(problem: &Problem, weights: &[Share], pool: bool) -> Result<Self, DesignError> {
        let features = problem.pool().features();
        let (r, gamma) = (features.columns(), problem.gamma().get());
        let column_scale = column_scale(features, gamma.sqrt());
        let ids: Vec<usize> = weights.iter().map(|&(i, _)| i).collect();
        let mut support = scale_columns(&features.select_rows(&ids), &column_scale);
        for (k, &(_, weight)) in weights.iter().enumerate() {
            support.row_mut(k).iter_mut().for_each(|x| *x *= weight.sqrt());
        }
        let ridge = Matrix::from_fn(if gamma > 0.0 { r } else { 0 }, r, |j, k| {
            if j == k { gamma.sqrt() * column_scale[k] } else { 0.0 }
        });
        let mut reference = stacked(&support, &ridge);
        if pool {
            let mut rows = triangular_factor(&scale_columns(features, &column_scale));
            let share = 1.0 / (features.rows() as f64).sqrt();
            rows.as_mut_slice().iter_mut().for_each(|x| *x *= share);
            reference = stacked(&reference, &rows);
        }
        // Rows that are all zero, or not finite, span nothing.
        let span = RowSpan::of(&reference).filter(|span| !span.values.is_empty());
        let RowSpan { directions, values, .. } =
            span.ok_or(DesignError::Singular { scale: features.max_abs(), gamma })?;
        Ok(Self { column_scale, directions, values })
    }

    /// `x̃ = Wᵀx` for every row.
    fn forward(&self, rows: &Matrix) -> Matrix {
        let mut out = multiply(&scale_columns(rows, &self.column_scale), &self.directions.transposed());
        for i in 0..out.rows() {
            out.row_mut(i).iter_mut().zip(&self.values).for_each(|(x, value)| *x /= value);
        }
        out
    }

    fn prior(&self, gamma: f64) -> Matrix {
        let root = Matrix::from_fn(self.column_scale.len(), self.values.len(), |j, k| {
            gamma.sqrt() * self.column_scale[j] * self.directions[(k, j)] / self.values[k]
        });
        gram(&root)
    }

    /// The unit vectors of feature space, projected on the span: the targets of criterion a.
    fn all_directions(&self) -> Result<Matrix, DesignError> {
        let (r, p) = (self.column_scale.len(), self.values.len());
        if p == r {
            return Ok(Matrix::from_fn(r, p, |j, k| {
                self.column_scale[j] * self.directions[(k, j)] / self.values[k]
            }));
        }
        // x = B x̃; a unit vector e has the coordinates (BᵀB)⁻¹ Bᵀe. One common factor is taken out of B, so
        // that extreme scales stay representable.
        let common = self.column_scale.iter().copied().fold(f64::INFINITY, f64::min);
        let mut basis = Matrix::from_fn(r, p, |j, k| {
            self.directions[(k, j)] * self.values[k] * (common / self.column_scale[j])
        });
        let singular = DesignError::Singular { scale: 1.0 / common, gamma: 0.0 };
        let normal = Cholesky::new(gram(&basis)).map_err(|_| singular)?;
        normal.solve_rows(&mut basis);
        basis.as_mut_slice().iter_mut().for_each(|x| *x *= common);
        Ok(basis)
    }
}

fn stacked(above: &Matrix, below: &Matrix) -> Matrix {
    let mut data = above.as_slice().to_vec();
    data.extend_from_slice(below.as_slice());
    Matrix::from_row_major(above.rows() + below.rows(), above.columns(), data)
}
