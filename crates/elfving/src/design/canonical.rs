//! The problem in the coordinates the solvers work in.
//!
//! Solvers see a matrix of points, a prior Γ and a goal; how the pool is scaled, whether some directions
//! cannot be measured at all, and how badly its columns are conditioned is settled here, once. A pool in
//! good shape is borrowed as it is. Otherwise the points become `x̃ = Fᵀx` with `x = B x̃`, where the
//! columns of B (r × k) span what the pool can measure and the rows x̃ are orthonormal columns up to
//! scale: norms do not change, and neither do the optimal weights.

use std::borrow::Cow;

use super::{Criterion, DesignError, Problem, TargetRef};
use crate::numerics::{
    Cholesky, Matrix, RightSingular, SymmetricEigen, average_gram, gram, multiply, norm_squared,
    right_singular, triangular_factor,
};
use crate::pool::TargetRows;

/// A design problem, ready to solve.
pub(super) struct Canonical<'a> {
    /// n × r.
    pub points: Cow<'a, Matrix>,
    /// Γ of `M = A(λ) + Γ`, r × r.
    pub prior: Matrix,
    pub goal: Goal<'a>,
}

/// What is minimised.
pub(super) enum Goal<'a> {
    /// `-log det M`.
    LogDet,
    /// `tr(S M⁻¹)`: the moment matrix S and a root R of it, `RᵀR = S`.
    Trace { moment: Matrix, root: Matrix },
    /// `max_v vᵀ M⁻¹ v`.
    Largest(TargetRows<'a>),
}

/// Features between these bounds are squared and summed without leaving the floating-point range.
const SAFE_SCALE: std::ops::Range<f64> = 1e-60..1e60;
/// A pool whose columns, scaled to unit length, are conditioned better than this is solved as it is.
const HEALTHY_CONDITION: f64 = 1e-10;
/// Singular values below this fraction of the largest are rounding noise, not directions.
const RANK_TOLERANCE: f64 = 1e-13;
/// A target with more than this fraction outside the span is not identifiable.
const SPAN_TOLERANCE: f64 = 1e-8;

impl<'a> Canonical<'a> {
    /// Puts a problem into canonical coordinates.
    ///
    /// # Errors
    /// [`DesignError::NothingToMeasure`], [`DesignError::NotIdentifiable`] for a target outside the span
    /// when γ does not carry it, [`DesignError::Singular`].
    pub(super) fn new(problem: &Problem<'a>) -> Result<Self, DesignError> {
        let pool = problem.pool();
        let scale = pool.features().max_abs();
        if !(scale > 0.0) {
            return Err(DesignError::NothingToMeasure);
        }
        let gamma = problem.gamma().get();
        if SAFE_SCALE.contains(&scale) && is_healthy(pool.features(), gamma) {
            return Self::assemble(problem, Basis::Given { gamma, dimension: pool.dimension() });
        }
        let basis = SpanBasis::new(pool.features(), gamma, scale)?;
        Self::assemble(problem, Basis::Span(basis))
    }

    fn assemble(problem: &Problem<'a>, basis: Basis) -> Result<Self, DesignError> {
        let same = problem.targets_are_the_points();
        let points = basis.rows(Cow::Borrowed(problem.pool().features()));
        let goal = match problem.criterion() {
            Criterion::D => Goal::LogDet,
            // Kiefer and Wolfowitz: without a prior the two problems have the same solutions.
            Criterion::G if problem.gamma().get() == 0.0 && same => Goal::LogDet,
            Criterion::A => {
                let root = basis.all_directions();
                Goal::Trace { moment: gram(&root), root }
            }
            Criterion::V | Criterion::C => {
                basis.check(problem)?;
                let root = basis.rows(Cow::Owned(problem.moment_root())).into_owned();
                Goal::Trace { moment: gram(&root), root }
            }
            Criterion::G | Criterion::Xy => {
                if !same {
                    basis.check(problem)?;
                }
                Goal::Largest(match problem.rows() {
                    TargetRows::Rows(rows) => TargetRows::Rows(basis.rows(rows.clone())),
                    TargetRows::Pairs(rows) => TargetRows::Pairs(basis.rows(rows.clone())),
                })
            }
        };
        Ok(Canonical { points, prior: basis.prior(), goal })
    }
}

/// Whether the columns are well enough conditioned to be solved as given.
fn is_healthy(features: &Matrix, gamma: f64) -> bool {
    let (n, r) = (features.rows(), features.columns());
    let stride = n.div_ceil(20 * r + 1000).max(1);
    let sample: Vec<usize> = (0..n).step_by(stride).collect();
    let mut matrix = average_gram(features, &sample);
    for k in 0..r {
        matrix[(k, k)] += gamma;
    }
    let diagonal: Vec<f64> = (0..r).map(|k| matrix[(k, k)].sqrt()).collect();
    if diagonal.iter().any(|d| !(*d > 0.0 && d.is_finite())) {
        return false;
    }
    for i in 0..r {
        for j in 0..r {
            matrix[(i, j)] /= diagonal[i] * diagonal[j];
        }
    }
    SymmetricEigen::new(&matrix).is_ok_and(|eigen| eigen.values[0] > HEALTHY_CONDITION)
}

/// The coordinates chosen.
enum Basis {
    Given { gamma: f64, dimension: usize },
    Span(SpanBasis),
}

impl Basis {
    fn rows<'b>(&self, rows: Cow<'b, Matrix>) -> Cow<'b, Matrix> {
        match self {
            Basis::Given { .. } => rows,
            Basis::Span(span) => Cow::Owned(span.forward_rows(&rows)),
        }
    }

    fn prior(&self) -> Matrix {
        match self {
            Basis::Given { gamma, dimension } => {
                Matrix::from_fn(*dimension, *dimension, |i, j| if i == j { *gamma } else { 0.0 })
            }
            Basis::Span(span) => span.prior.clone(),
        }
    }

    /// The unit vectors of feature space, projected on the span: the targets of criterion a.
    fn all_directions(&self) -> Matrix {
        match self {
            Basis::Given { dimension, .. } => Matrix::identity(*dimension),
            Basis::Span(span) => span.all_directions.clone(),
        }
    }

    fn check(&self, problem: &Problem) -> Result<(), DesignError> {
        match self {
            Basis::Given { .. } => Ok(()),
            Basis::Span(span) => span.check_targets(problem),
        }
    }
}

/// A basis of the span of the pool, from a QR factorisation of the scaled columns.
struct SpanBasis {
    /// Powers of two that bring each column to order one.
    column_scale: Vec<f64>,
    /// Right singular vectors of the scaled columns that carry something, k × r.
    directions: Matrix,
    /// One over their singular values, times √n.
    stretch: Vec<f64>,
    prior: Matrix,
    all_directions: Matrix,
}

impl SpanBasis {
    fn new(features: &Matrix, gamma: f64, scale: f64) -> Result<Self, DesignError> {
        let (n, r) = (features.rows(), features.columns());
        let mut largest = vec![0.0f64; r];
        for i in 0..n {
            largest.iter_mut().zip(features.row(i)).for_each(|(m, x)| *m = m.max(x.abs()));
        }
        // A column of zeros stays one: no direction of the span uses it.
        let column_scale: Vec<f64> =
            largest.iter().map(|&m| if m > 0.0 { power_of_two(m) } else { 1.0 }).collect();
        let scaled = scale_columns(features, &column_scale);
        let singular = DesignError::Singular { scale, gamma };
        let RightSingular { values, vectors } =
            right_singular(&triangular_factor(&scaled)).ok_or(singular.clone())?;
        let cut = RANK_TOLERANCE * values[0] * (r as f64).sqrt();
        let rank = values.iter().filter(|&&value| value > cut).count();
        let directions = vectors.select_rows(&(0..rank).collect::<Vec<_>>());
        let root_n = (n as f64).sqrt();
        let stretch: Vec<f64> = values[..rank].iter().map(|value| root_n / value).collect();

        // B = D⁻¹ Vᵀ / stretch (r × k); (BᵀB)⁻¹ gives the prior and the projection on the span. With one
        // common factor taken out, so that extreme scales stay representable.
        let common = column_scale.iter().copied().fold(f64::INFINITY, f64::min);
        let basis =
            Matrix::from_fn(r, rank, |j, k| directions[(k, j)] * (common / column_scale[j]) / stretch[k]);
        let normal = Cholesky::new(gram(&basis)).map_err(|_| singular.clone())?;
        let mut inverse = Matrix::identity(rank);
        normal.solve_rows(&mut inverse);
        let mut all_directions = basis;
        normal.solve_rows(&mut all_directions);
        let by = gamma * common * common;
        if !by.is_finite() {
            return Err(singular);
        }
        inverse.as_mut_slice().iter_mut().for_each(|value| *value *= by);
        Ok(Self { column_scale, directions, stretch, prior: inverse, all_directions })
    }

    /// `x̃ = Fᵀx` for every row.
    fn forward_rows(&self, rows: &Matrix) -> Matrix {
        let scaled = scale_columns(rows, &self.column_scale);
        let mut out = multiply(&scaled, &self.directions.transposed());
        for i in 0..out.rows() {
            out.row_mut(i).iter_mut().zip(&self.stretch).for_each(|(value, by)| *value *= by);
        }
        out
    }

    /// Refuses a target that has a part outside the span: nothing measured says anything about it.
    fn check_targets(&self, problem: &Problem) -> Result<(), DesignError> {
        let rows = problem.rows().matrix();
        let scaled = scale_columns(rows, &self.column_scale);
        let inside = multiply(&scaled, &self.directions.transposed());
        let mut outside = scaled.clone();
        let back = multiply(&inside, &self.directions);
        outside.as_mut_slice().iter_mut().zip(back.as_slice()).for_each(|(value, part)| *value -= part);
        let refuse = |target| DesignError::NotIdentifiable { target, gamma: problem.gamma().get() };
        let pairs = matches!(problem.rows(), TargetRows::Pairs(_));
        for i in usize::from(pairs)..rows.rows() {
            // A difference may cancel what is outside.
            let (part, whole): (Vec<f64>, f64) = if pairs {
                let part = outside.row(i).iter().zip(outside.row(0)).map(|(a, b)| a - b).collect();
                (part, norm_squared(scaled.row(i)).max(norm_squared(scaled.row(0))))
            } else {
                (outside.row(i).to_vec(), norm_squared(scaled.row(i)))
            };
            if norm_squared(&part) > SPAN_TOLERANCE * SPAN_TOLERANCE * whole {
                return Err(refuse(if pairs { TargetRef::Pair(0, i) } else { TargetRef::Row(i) }));
            }
        }
        Ok(())
    }
}

/// The power of two that brings `largest` into [1, 2): scaling by it rounds nothing.
fn power_of_two(largest: f64) -> f64 {
    (-largest.log2().floor()).exp2()
}

fn scale_columns(rows: &Matrix, by: &[f64]) -> Matrix {
    let mut out = rows.clone();
    for i in 0..out.rows() {
        out.row_mut(i).iter_mut().zip(by).for_each(|(value, by)| *value *= by);
    }
    out
}

/// The targets as rows, pairs as differences.
pub(super) fn materialise(rows: &TargetRows, targets: &[TargetRef]) -> Matrix {
    let base = rows.matrix();
    let mut out = Matrix::zeros(targets.len(), base.columns());
    for (k, target) in targets.iter().enumerate() {
        match *target {
            TargetRef::Row(i) => out.row_mut(k).copy_from_slice(base.row(i)),
            TargetRef::Pair(i, j) => {
                for ((value, a), b) in out.row_mut(k).iter_mut().zip(base.row(i)).zip(base.row(j)) {
                    *value = a - b;
                }
            }
        }
    }
    out
}
