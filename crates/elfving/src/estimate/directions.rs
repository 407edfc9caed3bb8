//! The directions V as an estimator sees them: whitened, with their coefficients at the measured points.

use super::EstimateError;
use super::whitening::Whitening;
use crate::design::TargetRef;
use crate::numerics::{Matrix, multiply_transposed, norm_squared};
use crate::pool::{Pool, TargetRows, Targets};
use std::borrow::Cow;

/// Numbers of one block of coefficients: about 16 MB.
const BLOCK_NUMBERS: usize = 1 << 21;

/// V in whitened coordinates, beside the whitened points that were measured.
pub(super) struct Directions<'a> {
    /// One row a target; or one row a choice, when the targets are differences.
    rows: Matrix,
    /// x̃ of the measured points, s × k.
    points: &'a Matrix,
    /// `⟨z̃, x̃⟩` of every choice, when the targets are differences.
    of_choices: Option<Matrix>,
    /// `γ M⁻¹ v` of every row, when there is a ridge.
    pulls: Option<Matrix>,
    /// How many features' worth of truncation each target carries: 1 for a choice, 2 for a difference, Σ|c|.
    truncations: Truncations,
    pairs: usize,
}

enum Truncations {
    Same(f64),
    Each(Vec<f64>),
}

impl<'a> Directions<'a> {
    /// Looks the targets up and whitens them. Cost: 2 m r k, and for differences 2 m s k.
    pub(super) fn new(
        pool: &Pool,
        targets: &Targets,
        whitening: &Whitening,
        points: &'a Matrix,
    ) -> Result<Self, EstimateError> {
        let compiled = targets.compile(pool)?;
        let pairs = matches!(compiled, TargetRows::Pairs(_));
        let choices = compiled.matrix().rows();
        if let Some(row) = first_outside(whitening, compiled.matrix(), pairs) {
            let target = if pairs { TargetRef::Pair(0, row) } else { TargetRef::Row(row) };
            return Err(EstimateError::NotIdentifiable { target });
        }
        let rows = whitening.forward(compiled.matrix());
        if rows.first_non_finite().is_some() {
            return Err(EstimateError::Overflow);
        }
        let truncations = match targets {
            Targets::Points(_) => Truncations::Same(1.0),
            Targets::Differences(_) => Truncations::Same(2.0),
            Targets::Directions(_) => Truncations::Same(0.0),
            Targets::Combinations(list) => Truncations::Each(
                list.iter().map(|one| one.terms.iter().map(|(_, c)| c.abs()).sum()).collect(),
            ),
        };
        Ok(Self {
            of_choices: pairs.then(|| multiply_transposed(&rows, points)),
            pulls: whitening.ridge_pull(&rows),
            truncations,
            pairs: if pairs { choices } else { 0 },
            rows,
            points,
        })
    }

    /// |V|.
    pub(super) fn count(&self) -> usize {
        if self.pairs > 0 { self.pairs * (self.pairs - 1) / 2 } else { self.rows.rows() }
    }

    /// V in pieces of bounded memory, in order.
    pub(super) fn blocks(&self) -> impl Iterator<Item = Vec<TargetRef>> + use<> {
        let width = self.points.rows().max(self.rows.columns()).max(1);
        let (pairs, count) = (self.pairs, self.rows.rows());
        let mut all: Box<dyn Iterator<Item = TargetRef>> = if pairs > 0 {
            Box::new((0..pairs).flat_map(move |i| (i + 1..pairs).map(move |j| TargetRef::Pair(i, j))))
        } else {
            Box::new((0..count).map(TargetRef::Row))
        };
        let size = (BLOCK_NUMBERS / width).max(64);
        std::iter::from_fn(move || {
            let block: Vec<TargetRef> = all.by_ref().take(size).collect();
            (!block.is_empty()).then_some(block)
        })
    }

    /// ṽ of each target of the block.
    pub(super) fn whitened(&self, block: &[TargetRef]) -> Matrix {
        gather(&self.rows, block)
    }

    /// `vᵀ M⁻¹ φ(x)` of each target of the block at each measured point.
    pub(super) fn coefficients(&self, block: &[TargetRef]) -> Matrix {
        match &self.of_choices {
            Some(of_choices) => gather(of_choices, block),
            None => multiply_transposed(&self.whitened(block), self.points),
        }
    }

    /// `‖v‖` of each target of the block.
    pub(super) fn norms(&self, block: &[TargetRef]) -> Vec<f64> {
        row_lengths(&self.whitened(block))
    }

    /// `γ ‖M⁻¹v‖` of each target of the block: what the ridge may take from `⟨v, θ⟩` for each unit of ‖θ‖.
    pub(super) fn ridge_pull(&self, block: &[TargetRef]) -> Vec<f64> {
        match &self.pulls {
            Some(pulls) => row_lengths(&gather(pulls, block)),
            None => vec![0.0; block.len()],
        }
    }

    /// V in whitened coordinates, to fit θ̃ to.
    pub(super) fn into_rows(self) -> TargetRows<'static> {
        let rows = Cow::Owned(self.rows);
        if self.pairs > 0 { TargetRows::Pairs(rows) } else { TargetRows::Rows(rows) }
    }

    /// The whitened rows V is made of, and whether V is their differences.
    pub(super) fn rows(&self) -> (&Matrix, bool) {
        (&self.rows, self.pairs > 0)
    }

    /// `γ M⁻¹v` of every such row, when there is a ridge.
    pub(super) fn pulls(&self) -> Option<&Matrix> {
        self.pulls.as_ref()
    }

    /// The truncation factor, by position in V.
    pub(super) fn truncation(&self, position: usize) -> f64 {
        match &self.truncations {
            Truncations::Same(factor) => *factor,
            Truncations::Each(factors) => factors[position],
        }
    }
}

/// The first target outside the measured span. All differences are inside when those to the first choice are.
fn first_outside(whitening: &Whitening, rows: &Matrix, pairs: bool) -> Option<usize> {
    if !pairs {
        return whitening.first_outside(rows);
    }
    let from_first = Matrix::from_fn(rows.rows() - 1, rows.columns(), |i, j| rows[(0, j)] - rows[(i + 1, j)]);
    whitening.first_outside(&from_first).map(|i| i + 1)
}

fn row_lengths(rows: &Matrix) -> Vec<f64> {
    (0..rows.rows()).map(|i| norm_squared(rows.row(i)).sqrt()).collect()
}

/// Rows of the block: a row, or the difference of two.
fn gather(rows: &Matrix, block: &[TargetRef]) -> Matrix {
    let mut out = Vec::with_capacity(block.len() * rows.columns());
    for target in block {
        match *target {
            TargetRef::Row(i) => out.extend_from_slice(rows.row(i)),
            TargetRef::Pair(i, j) => out.extend(rows.row(i).iter().zip(rows.row(j)).map(|(a, b)| a - b)),
        }
    }
    Matrix::from_row_major(block.len(), rows.columns(), out)
}
