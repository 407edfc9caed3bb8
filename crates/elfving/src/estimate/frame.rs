//! The measured points with their weights, in the coordinates where their information is the identity.

use super::directions::Directions;
use super::whitening::Whitening;
use super::{Assumptions, Bias, EstimateError, LARGEST, Widths};
use crate::design::TargetRef;
use crate::numerics::Matrix;
use crate::pool::{PointId, Pool, Targets};
use crate::units::Ridge;

/// Points with positive weights w (probabilities, or counts) and `M = Σ w_x φ(x) φ(x)ᵀ + γI`.
#[derive(Debug, Clone)]
pub(super) struct Frame<'a> {
    pub pool: &'a Pool,
    pub gamma: Ridge,
    pub ids: Vec<PointId>,
    pub weights: Vec<f64>,
    /// x̃, s × k.
    pub points: Matrix,
    pub whitening: Whitening,
}

impl<'a> Frame<'a> {
    pub(super) fn new(
        pool: &'a Pool,
        weighted: impl Iterator<Item = (PointId, f64)>,
        gamma: Ridge,
    ) -> Result<Self, EstimateError> {
        let (ids, weights): (Vec<PointId>, Vec<f64>) = weighted.unzip();
        if let Some(&id) = ids.iter().find(|id| id.index() >= pool.len()) {
            return Err(EstimateError::UnknownPoint { id, points: pool.len() });
        }
        let rows: Vec<usize> = ids.iter().map(|id| id.index()).collect();
        let features = pool.features().select_rows(&rows);
        let whitening = Whitening::new(&features, &weights, gamma.get())?;
        let points = whitening.forward(&features);
        Ok(Self { pool, gamma, ids, weights, points, whitening })
    }

    pub(super) fn directions(&self, targets: &Targets) -> Result<Directions<'_>, EstimateError> {
        Directions::new(self.pool, targets, &self.whitening, &self.points)
    }

    /// What the ridge and a wrong model may do to each target of a block, whose first one is number `first` of V.
    ///
    /// For `E Σ w_x vᵀM⁻¹φ(x) y = ⟨v, θ⟩ - γ vᵀM⁻¹θ + Σ w_x vᵀM⁻¹φ(x) η_x`; features that leave out at most ρ of k(x, x)
    /// act as a misspecification of √ρ ‖θ‖ at the points, and shift the target itself by as much for each choice in it.
    pub(super) fn biases(
        &self,
        directions: &Directions<'_>,
        (first, block): (usize, &[TargetRef]),
        coefficients: &Matrix,
        assumptions: &Assumptions,
        widths: Widths,
    ) -> Vec<Bias> {
        let left_out = self.pool.residual().max(0.0).sqrt();
        let matters = self.gamma.get() > 0.0 || left_out > 0.0;
        let norm = if matters { assumptions.norm_bound() } else { Some(0.0) };
        let norms = directions.norms(block);
        let pulls = directions.ridge_pull(block);
        (0..block.len())
            .map(|i| {
                let (pull, reach) = match widths {
                    Widths::Sharp => (pulls[i], self.weighted_sum(coefficients.row(i), f64::abs)),
                    Widths::Paper => (self.gamma.get().sqrt() * norms[i], norms[i]),
                };
                let truncated = left_out * (reach + directions.truncation(first + i));
                Bias {
                    ridge: norm.map(|norm| norm * (pull + truncated)),
                    misspecification: assumptions.h() * reach,
                }
            })
            .collect()
    }

    /// `Σ_x w_x f(c_x)`.
    pub(super) fn weighted_sum(&self, coefficients: &[f64], f: impl Fn(f64) -> f64) -> f64 {
        self.weights.iter().zip(coefficients).map(|(w, &c)| w * f(c)).sum()
    }

    /// The position of a point among the measured ones.
    pub(super) fn column(&self, id: PointId) -> Option<usize> {
        self.ids.binary_search(&id).ok()
    }
}

/// One finite outcome for each measurement.
pub(super) fn check_outcomes(outcomes: &[f64], expected: usize) -> Result<(), EstimateError> {
    if outcomes.len() != expected {
        return Err(EstimateError::OutcomeCount { expected, got: outcomes.len() });
    }
    match outcomes.iter().position(|y| !(y.abs() <= LARGEST)) {
        None => Ok(()),
        Some(index) => Err(EstimateError::Outcome { index, got: outcomes[index] }),
    }
}
