//! Weights against outliers: Student-t residuals, by reweighting.

use super::Parameters;
use super::likelihood::Conditioned;
use super::measurements::GroupedMeasurements;

/// Student-t residuals with ν degrees of freedom: some rounds over, the noise of each measurement is widened by what it
/// is off from the prediction of all others.
///
/// With T the variance of that prediction, noise included, and `z² = (y - prediction)² / T`, the weight of a t-distribution is
/// `ω = (ν + 1) / (ν + z²)`. Where it is below 1, the noise u becomes `u + T (1/ω - 1)`, so that the whole variance is `T / ω`:
/// widening the noise alone would leave the outlier to be explained by its row. Off unless asked for: on tables with light
/// tails it costs more than it brings.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct StudentT {
    degrees: f64,
    pub(super) rounds: usize,
}

impl Default for StudentT {
    fn default() -> Self {
        Self { degrees: 4.0, rounds: 4 }
    }
}

impl StudentT {
    /// Sets ν, at least 1: the smaller, the less an outlier pulls. Smaller numbers and NaN are taken as 1.
    #[must_use]
    pub fn degrees(self, degrees: f64) -> Self {
        Self { degrees: degrees.max(1.0), ..self }
    }

    /// Sets the number of reweightings, each with a fit.
    #[must_use]
    pub fn rounds(self, rounds: usize) -> Self {
        Self { rounds, ..self }
    }

    /// The next weight of each measurement, between 0 and 1, given the weights of the fit.
    pub(super) fn weights(
        &self,
        evidence: &GroupedMeasurements,
        conditioned: &Conditioned,
        parameters: &Parameters,
        weights: &[f64],
    ) -> Vec<f64> {
        let cells = evidence.posterior_at_cells(conditioned, parameters);
        let measurements = evidence.members.iter().zip(evidence.values()).zip(weights);
        measurements
            .map(|((&at, (value, weight)), factor)| {
                let noise = if evidence.cells[at].known { weight.recip() } else { parameters.noise };
                let (mean, variance) = cells[at];
                // The row without this measurement: precisions subtract. What is left is at least the prior's.
                let own = factor / noise;
                let precision = (variance.max(1e-12).recip() - own).max(1e-6);
                let prediction = mean + own / precision * (mean - value);
                let total = precision.recip() + noise;
                let squared = (value - prediction) * (value - prediction) / total;
                let weight = (self.degrees + 1.0) / (self.degrees + squared);
                noise / (noise + total * (weight.recip() - 1.0).max(0.0))
            })
            .collect()
    }
}
