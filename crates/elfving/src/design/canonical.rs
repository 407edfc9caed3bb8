//! The problem in the coordinates the solvers work in.
//!
//! Solvers see a matrix of points, a prior Γ and a objective; how the pool is scaled, whether some directions
//! cannot be measured at all, and how badly its columns are conditioned is settled here, once. A pool in
//! good shape is borrowed as it is. Otherwise the points become `x̃ = Fᵀx` with `x = B x̃`, where the
//! columns of B (r × k) span what the pool can measure and the rows x̃ are orthonormal columns up to
//! scale: norms do not change, and neither do the optimal weights.

use std::borrow::Cow;

use super::{Criterion, DesignError, Problem, TargetRef};
use crate::numerics::{
    Cholesky, Matrix, RowSpan, SymmetricEigen, add_scaled, average_gram, column_scale, dot, gram, multiply,
    norm_squared, position_of_largest, scale_columns, scale_empty_columns, weighted_gram,
};
use crate::pool::TargetRows;

/// A design problem in the coordinates that solvers work in: minimise the [objective](Self::objective) of
/// `M = Σ λ_x x xᵀ + Γ` over the simplex. Weights found here are weights of the problem.
#[derive(Debug)]
pub struct Canonical<'a> {
    /// One row for each point of the pool, n × r.
    pub points: Cow<'a, Matrix>,
    /// Γ of `M = A(λ) + Γ`, r × r.
    pub prior: Matrix,
    /// What is minimised.
    pub objective: Objective<'a>,
}

/// What a solver minimises.
#[derive(Debug)]
pub enum Objective<'a> {
    /// `-log det M`.
    LogDet,
    /// `tr(S M⁻¹)`: the moment matrix S and a root R of it, `RᵀR = S`.
    Trace {
        /// S, r × r.
        moment: Matrix,
        /// R.
        root: Matrix,
    },
    /// `max_v vᵀ M⁻¹ v`.
    Largest(TargetRows<'a>),
}

/// The information matrix stopped being positive definite, or a number left the floating-point range.
#[derive(Debug)]
pub struct Breakdown;

/// Features between these bounds are squared and summed without leaving the floating-point range.
const SAFE_SCALE: std::ops::Range<f64> = 1e-60..1e60;
/// A pool whose columns, scaled to unit length, are conditioned better than this is solved as it is.
const HEALTHY_CONDITION: f64 = 1e-10;

impl<'a> Canonical<'a> {
    /// Puts a problem into canonical coordinates.
    ///
    /// # Errors
    /// [`DesignError::NothingToMeasure`], [`DesignError::NotIdentifiable`] for a target outside the span
    /// when γ does not carry it, [`DesignError::Singular`].
    pub fn new(problem: &Problem<'a>) -> Result<Self, DesignError> {
        let pool = problem.pool();
        let scale = pool.features().max_abs();
        if !(scale > 0.0) {
            return Err(DesignError::NothingToMeasure);
        }
        let gamma = problem.gamma().get();
        if SAFE_SCALE.contains(&scale) && is_healthy(pool.features(), gamma) {
            return Self::assemble(problem, Basis::Given { gamma, dimension: pool.dimension() });
        }
        let basis = SpanBasis::new(pool.features(), problem.rows().matrix(), gamma, scale)?;
        Self::assemble(problem, Basis::Span(basis))
    }

    fn assemble(problem: &Problem<'a>, basis: Basis) -> Result<Self, DesignError> {
        let same = problem.targets_are_the_points();
        let points = basis.rows(Cow::Borrowed(problem.pool().features()));
        let objective = match problem.criterion() {
            Criterion::D => Objective::LogDet,
            // Kiefer and Wolfowitz: without a prior the two problems have the same solutions.
            Criterion::G if problem.gamma().get() == 0.0 && same => Objective::LogDet,
            Criterion::A => {
                let root = basis.all_directions();
                Objective::Trace { moment: gram(&root), root }
            }
            Criterion::V | Criterion::C => {
                basis.check(problem)?;
                let root = basis.rows(Cow::Owned(problem.moment_root())).into_owned();
                Objective::Trace { moment: gram(&root), root }
            }
            Criterion::G | Criterion::Xy => {
                if !same {
                    basis.check(problem)?;
                }
                Objective::Largest(match problem.rows() {
                    TargetRows::Rows(rows) => TargetRows::Rows(basis.rows(rows.clone())),
                    TargetRows::Pairs(rows) => TargetRows::Pairs(basis.rows(rows.clone())),
                })
            }
        };
        Ok(Canonical { points, prior: basis.prior(), objective })
    }

    /// `M = A(λ) + Γ`, factored. Cost: n r² + r³/3.
    ///
    /// # Errors
    /// [`Breakdown`] when M is not positive definite.
    pub fn information(&self, lambda: &[f64]) -> Result<Cholesky, Breakdown> {
        let mut matrix = weighted_gram(&self.points, lambda);
        add_scaled(&mut matrix, 1.0, &self.prior);
        Cholesky::new(matrix).map_err(|_| Breakdown)
    }

    /// Equal weights.
    pub fn uniform(&self) -> Vec<f64> {
        let n = self.points.rows();
        vec![1.0 / n as f64; n]
    }

    /// Equal weights on at most r points that span the space: each the farthest from the span of the ones before,
    /// in the norm of the uniform design (Kumar and Yıldırım 2005 start so). Cost: about 4 n r².
    ///
    /// # Errors
    /// [`Breakdown`].
    pub fn spanning_start(&self) -> Result<Vec<f64>, Breakdown> {
        let (n, r) = (self.points.rows(), self.points.columns());
        let factor = self.information(&self.uniform())?;
        let mut rest = multiply(&self.points, &factor.inverse_upper());
        let mut chosen = vec![0.0; n];
        let mut first = 0.0;
        for _ in 0..r.min(n) {
            let norms: Vec<f64> = (0..n).map(|i| norm_squared(rest.row(i))).collect();
            let farthest = position_of_largest(&norms);
            first = norms[farthest].max(first);
            // Below this nothing but rounding is left of the rows.
            let something_left = norms[farthest] > 1e-24 * first;
            if !something_left {
                break;
            }
            chosen[farthest] = 1.0;
            let direction: Vec<f64> =
                rest.row(farthest).iter().map(|value| value / norms[farthest].sqrt()).collect();
            for i in 0..n {
                let along = dot(rest.row(i), &direction);
                rest.row_mut(i).iter_mut().zip(&direction).for_each(|(value, d)| *value -= along * d);
            }
        }
        if first == 0.0 {
            return Err(Breakdown);
        }
        let sum: f64 = chosen.iter().sum();
        Ok(chosen.into_iter().map(|weight| weight / sum).collect())
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
    /// The right singular vectors of the scaled columns that carry something.
    span: RowSpan,
    /// One over their singular values, times √n.
    stretch: Vec<f64>,
    prior: Matrix,
    all_directions: Matrix,
}

impl SpanBasis {
    fn new(features: &Matrix, targets: &Matrix, gamma: f64, scale: f64) -> Result<Self, DesignError> {
        let (n, r) = (features.rows(), features.columns());
        let mut column_scale = column_scale(features, 0.0);
        scale_empty_columns(&mut column_scale, features, targets);
        let singular = DesignError::Singular { scale, gamma };
        let span = RowSpan::of(&scale_columns(features, &column_scale)).ok_or(singular.clone())?;
        let RowSpan { directions, values, .. } = &span;
        let rank = values.len();
        let root_n = (n as f64).sqrt();
        let stretch: Vec<f64> = values.iter().map(|value| root_n / value).collect();

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
        Ok(Self { column_scale, span, stretch, prior: inverse, all_directions })
    }

    /// `x̃ = Fᵀx` for every row.
    fn forward_rows(&self, rows: &Matrix) -> Matrix {
        let scaled = scale_columns(rows, &self.column_scale);
        let mut out = multiply(&scaled, &self.span.directions.transposed());
        for i in 0..out.rows() {
            out.row_mut(i).iter_mut().zip(&self.stretch).for_each(|(value, by)| *value *= by);
        }
        out
    }

    /// Refuses a target that has a part outside the span: nothing measured says anything about it.
    fn check_targets(&self, problem: &Problem) -> Result<(), DesignError> {
        let rows = problem.rows().matrix();
        let scaled = scale_columns(rows, &self.column_scale);
        let inside = multiply(&scaled, &self.span.directions.transposed());
        let mut outside = scaled.clone();
        let back = multiply(&inside, &self.span.directions);
        outside.as_mut_slice().iter_mut().zip(back.as_slice()).for_each(|(value, part)| *value -= part);
        let refuse = |target| DesignError::NotIdentifiable { target, gamma: problem.gamma().get() };
        let pairs = matches!(problem.rows(), TargetRows::Pairs(_));
        let length = |row: &[f64]| norm_squared(row).sqrt();
        let inner = |i: usize| {
            let over = inside.row(i).iter().zip(&self.span.values).map(|(value, by)| value / by);
            length(&over.collect::<Vec<_>>())
        };
        for i in usize::from(pairs)..rows.rows() {
            // A difference may cancel what is outside.
            let (part, whole, inner) = if pairs {
                let part = outside.row(i).iter().zip(outside.row(0)).map(|(a, b)| a - b).collect::<Vec<_>>();
                (length(&part), length(scaled.row(i)).max(length(scaled.row(0))), inner(i).max(inner(0)))
            } else {
                (length(outside.row(i)), length(scaled.row(i)), inner(i))
            };
            if self.span.is_outside(part, whole, inner) {
                return Err(refuse(if pairs { TargetRef::Pair(0, i) } else { TargetRef::Row(i) }));
            }
        }
        Ok(())
    }
}
