//! A vector θ, and what it predicts.

use super::EstimateError;
use super::frame::Frame;
use crate::numerics::apply;
use crate::pool::{Pool, TargetRows, Targets};

/// An estimate of θ in the features of the pool.
#[derive(Debug, Clone, PartialEq)]
pub struct LinearFit {
    theta: Vec<f64>,
    pub(super) whitened: Vec<f64>,
}

impl LinearFit {
    pub(super) fn new(frame: &Frame<'_>, whitened: Vec<f64>) -> Self {
        Self { theta: frame.whitening.back(&whitened), whitened }
    }

    /// θ, one coordinate for each feature of the pool.
    pub fn theta(&self) -> &[f64] {
        &self.theta
    }

    /// `⟨v, θ⟩` for each target of the pool.
    ///
    /// # Errors
    /// What [`Targets::compile`] finds.
    ///
    /// # Panics
    /// When the pool has another number of features.
    pub fn predict(&self, pool: &Pool, targets: &Targets) -> Result<Vec<f64>, EstimateError> {
        let rows = targets.compile(pool)?;
        let values = apply(rows.matrix(), &self.theta);
        Ok(match rows {
            TargetRows::Rows(_) => values,
            TargetRows::Pairs(_) => {
                let later = |i: usize| values[i + 1..].iter().map(move |other| (i, other));
                (0..values.len()).flat_map(later).map(|(i, other)| values[i] - other).collect()
            }
        })
    }
}
