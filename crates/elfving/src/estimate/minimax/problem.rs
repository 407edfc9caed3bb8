//! The question of a min-max fit, and its answer.

use super::check::{FitCertificate, recheck};
use super::{exchange, nearest};
use crate::estimate::EstimateError;
use crate::numerics::Matrix;
use crate::pool::TargetRows;
use crate::units::Tolerance;
use std::borrow::Cow;
use std::fmt;

/// `min_θ max_v |⟨v, θ⟩ - W(v)| / s(v)` over the rows of a matrix, or over the differences of its rows.
///
/// ```
/// use elfving::estimate::minimax::MinimaxProblem;
/// use elfving::{numerics::Matrix, pool::TargetRows, units::Tolerance};
/// use std::borrow::Cow;
///
/// // One number that is nearest to 0, 1 and 4: the middle of the range.
/// let rows = TargetRows::Rows(Cow::Owned(Matrix::from_rows(&[[1.0], [1.0], [1.0]])));
/// let problem = MinimaxProblem::new(rows, &[0.0, 1.0, 4.0], &[1.0, 1.0, 1.0])?;
/// let fit = problem.solve(&[0.0], Tolerance::new(1e-9)?);
/// assert!((fit.theta[0] - 2.0).abs() < 1e-8 && fit.certificate.relative_gap < 1e-9);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone)]
pub struct MinimaxProblem<'a> {
    rows: TargetRows<'a>,
    values: &'a [f64],
    scales: &'a [f64],
}

/// How far a fit got.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum FitStatus {
    /// The independent check found the gap within the tolerance, or a residual that is zero to rounding.
    Certified,
    /// No further progress in double precision.
    Inexact,
}

impl fmt::Display for FitStatus {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            FitStatus::Certified => "certified",
            FitStatus::Inexact => "inexact",
        })
    }
}

/// θ with the proof of how good it is.
#[derive(Debug, Clone, PartialEq)]
pub struct MinimaxFit {
    /// Among the best θ the one nearest to where the solver was told to look.
    pub theta: Vec<f64>,
    /// Its residual, and a bound that no θ beats.
    pub certificate: FitCertificate,
    /// How far it got.
    pub status: FitStatus,
    /// Iterations of the interior point, over all working sets.
    pub iterations: usize,
    /// Passes over all targets.
    pub passes: usize,
}

impl fmt::Display for MinimaxFit {
    /// `certified: residual 0.004351, within 1.0e-9 of optimal, 14 iterations`
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let FitCertificate { residual, relative_gap, .. } = &self.certificate;
        write!(
            f,
            "{}: residual {residual:.6}, within {relative_gap:.1e} of optimal, {} iterations",
            self.status, self.iterations
        )
    }
}

impl<'a> MinimaxProblem<'a> {
    /// One value and one scale for each target. A target of scale 0 is left out.
    ///
    /// # Errors
    /// [`EstimateError::Fit`] unless the lengths agree, values are finite and scales finite and at least 0.
    pub fn new(rows: TargetRows<'a>, values: &'a [f64], scales: &'a [f64]) -> Result<Self, EstimateError> {
        let targets = rows.count();
        let sound = values.len() == targets
            && scales.len() == targets
            && targets > 0
            && values.iter().all(|w| w.is_finite())
            && scales.iter().all(|s| *s >= 0.0 && s.is_finite())
            && rows.matrix().first_non_finite().is_none();
        if sound { Ok(Self { rows, values, scales }) } else { Err(EstimateError::Fit { targets }) }
    }

    /// |V|.
    pub fn count(&self) -> usize {
        self.values.len()
    }

    /// The number of coordinates of θ.
    pub fn dimension(&self) -> usize {
        self.rows.matrix().columns()
    }

    /// Solves to a relative gap of `tolerance`; among the best θ it takes the one nearest to `towards`, in the Euclidean norm.
    /// Cost: a few passes over the targets, and about 15 factorisations of order d for each working set.
    ///
    /// # Panics
    /// When `towards` has another dimension.
    pub fn solve(&self, towards: &[f64], tolerance: Tolerance) -> MinimaxFit {
        assert_eq!(towards.len(), self.dimension(), "one coordinate for each column");
        let shifted = Shifted::new(self, towards);
        let found = if shifted.size == 0.0 {
            exchange::Found::nothing_to_do(self.dimension())
        } else {
            nearest::interpolate(&shifted).unwrap_or_else(|| exchange::solve(&shifted, tolerance.get()))
        };
        let theta: Vec<f64> = towards.iter().zip(&found.y).map(|(a, b)| a + shifted.size * b).collect();
        let certificate = recheck(self, &theta, &found.weights);
        let zero = 1e-12 * shifted.largest_value.max(shifted.size);
        let certified = certificate.relative_gap <= tolerance.get() || certificate.residual <= zero;
        let status = if certified { FitStatus::Certified } else { FitStatus::Inexact };
        MinimaxFit { theta, certificate, status, iterations: found.iterations, passes: found.passes + 1 }
    }

    /// `(W(v) - ⟨v, θ⟩) / s(v)` for every target; 0 where the scale is 0. Cost: one product with the rows.
    pub(super) fn residuals(&self, theta: &[f64]) -> Vec<f64> {
        let mut residuals = self.products(theta);
        for ((r, w), s) in residuals.iter_mut().zip(self.values).zip(self.scales) {
            *r = if *s > 0.0 { (w - *r) / s } else { 0.0 };
        }
        residuals
    }

    /// `⟨v, θ⟩` for every target.
    pub(super) fn products(&self, theta: &[f64]) -> Vec<f64> {
        use rayon::prelude::*;
        let matrix = self.rows.matrix();
        let d = matrix.columns();
        let of_rows: Vec<f64> = if d == 0 {
            vec![0.0; matrix.rows()]
        } else {
            let chunks = matrix.as_slice().par_chunks(256 * d);
            chunks
                .flat_map_iter(|rows| rows.chunks_exact(d).map(|row| crate::numerics::dot(row, theta)))
                .collect()
        };
        match self.rows {
            TargetRows::Rows(_) => of_rows,
            TargetRows::Pairs(_) => {
                let all = &of_rows;
                (0..all.len()).flat_map(|i| all[i + 1..].iter().map(move |other| all[i] - other)).collect()
            }
        }
    }

    /// `v / s(v)` for some targets, in ascending order of position.
    pub(super) fn scaled_rows(&self, positions: &[usize]) -> Matrix {
        let matrix = self.rows.matrix();
        let mut rows = match &self.rows {
            TargetRows::Rows(_) => matrix.select_rows(positions),
            TargetRows::Pairs(_) => {
                let mut data = Vec::with_capacity(positions.len() * matrix.columns());
                for &(i, j) in &pairs_at(positions, matrix.rows()) {
                    data.extend(matrix.row(i).iter().zip(matrix.row(j)).map(|(a, b)| a - b));
                }
                Matrix::from_row_major(positions.len(), matrix.columns(), data)
            }
        };
        for (k, &position) in positions.iter().enumerate() {
            let scale = self.scales[position];
            rows.row_mut(k).iter_mut().for_each(|x| *x /= scale);
        }
        rows
    }

    /// The rows as they were given.
    pub(super) fn borrowed(&self) -> TargetRows<'_> {
        match &self.rows {
            TargetRows::Rows(rows) => TargetRows::Rows(Cow::Borrowed(rows)),
            TargetRows::Pairs(rows) => TargetRows::Pairs(Cow::Borrowed(rows)),
        }
    }

    pub(super) fn values(&self) -> &[f64] {
        self.values
    }

    pub(super) fn scales(&self) -> &[f64] {
        self.scales
    }
}

/// The pairs (i, j), i < j, at ascending positions of their list in row order.
fn pairs_at(positions: &[usize], choices: usize) -> Vec<(usize, usize)> {
    let (mut i, mut first) = (0, 0);
    let locate = |&position: &usize| {
        while position >= first + (choices - 1 - i) {
            first += choices - 1 - i;
            i += 1;
        }
        (i, i + 1 + position - first)
    };
    positions.iter().map(locate).collect()
}

/// The problem around `towards`, in units of the residual there: `min_y max_i |⟨u_i, y⟩ - g_i|` with `|g| ≤ 1`.
pub(super) struct Shifted<'a> {
    pub problem: &'a MinimaxProblem<'a>,
    /// `g`, 0 for targets that are left out.
    pub offsets: Vec<f64>,
    /// The largest residual at `towards`.
    pub size: f64,
    /// The largest `|W(v)| / s(v)`.
    pub largest_value: f64,
}

impl<'a> Shifted<'a> {
    fn new(problem: &'a MinimaxProblem<'a>, towards: &[f64]) -> Self {
        let mut offsets = problem.residuals(towards);
        let size = offsets.iter().fold(0.0, |m: f64, r| m.max(r.abs()));
        if size > 0.0 {
            offsets.iter_mut().for_each(|r| *r /= size);
        }
        let zero = vec![0.0; problem.dimension()];
        let largest_value = problem.residuals(&zero).iter().fold(0.0, |m: f64, r| m.max(r.abs()));
        Self { problem, offsets, size, largest_value }
    }

    /// `g_i - ⟨u_i, y⟩` for every target.
    pub(super) fn residuals(&self, y: &[f64]) -> Vec<f64> {
        let mut products = self.problem.products(y);
        for ((r, g), s) in products.iter_mut().zip(&self.offsets).zip(self.problem.scales) {
            *r = if *s > 0.0 { g - *r / s } else { 0.0 };
        }
        products
    }

    /// The targets that are not left out.
    pub(super) fn usable(&self) -> Vec<usize> {
        (0..self.offsets.len()).filter(|&i| self.problem.scales[i] > 0.0).collect()
    }
}
