//! Catoni's root for thousands of directions: Newton passes without a logarithm in the inner loop.

use super::directions::DirectionSamples;
use super::influence::KAPPA;
use super::lanes::{self, BLOCK, clipped_sum_and_largest, product_influence, series_influence};

/// Scaled samples up to here go through the product form: the centre is among them, so |z - m| is at most twice this.
const LARGEST: f64 = 0.5 * lanes::LARGEST;
/// Scaled samples up to here go through the power series, which loses nothing to the 1 of `1 + |u| + u²/2`.
const SMALL: f64 = 1.0 / 1024.0;
/// Below this the scaled samples may have lost digits to underflow.
const SMALLEST: f64 = 1e-280;
/// What a Newton pass may leave, relative to the smaller of 1 and the largest scaled sample.
const ACCURACY: f64 = 1e-14;
/// Newton passes before the safeguarded scalar form takes over.
const PASSES: usize = 8;

/// The outcomes sorted by the point they were measured at, so that scaling a direction reads and writes in order.
/// Only for estimators that do not depend on the order of the samples.
pub(super) struct Grouped<'a> {
    samples: &'a DirectionSamples<'a>,
    outcomes: Vec<f64>,
    /// (column, one past its last outcome), by column.
    runs: Vec<(usize, usize)>,
}

impl<'a> Grouped<'a> {
    /// Cost: O(n log n), once for all directions.
    pub(super) fn new(samples: &'a DirectionSamples<'a>) -> Self {
        let points = samples.points();
        let mut order: Vec<usize> = (0..points.len()).collect();
        order.sort_by_key(|&draw| points[draw]);
        let mut runs: Vec<(usize, usize)> = Vec::new();
        for (rank, &draw) in order.iter().enumerate() {
            match runs.last_mut() {
                Some((column, end)) if *column == points[draw] => *end = rank + 1,
                _ => runs.push((points[draw], rank + 1)),
            }
        }
        let outcomes = order.iter().map(|&draw| samples.outcomes()[draw]).collect();
        Self { samples, outcomes, runs }
    }

    /// The samples of one direction times α, in `buffer`; nothing when their size needs the scalar form.
    pub(super) fn scaled<'b>(
        &self,
        direction: usize,
        alpha: f64,
        buffer: &'b mut Vec<f64>,
    ) -> Option<Scaled<'b>> {
        let row = self.samples.row(direction);
        let n = self.outcomes.len();
        buffer.resize(n.next_multiple_of(BLOCK), 0.0);
        buffer[n..].fill(0.0);
        let mut start = 0;
        for &(column, end) in &self.runs {
            let coefficient = alpha * row[column];
            for (z, y) in buffer[start..end].iter_mut().zip(&self.outcomes[start..end]) {
                *z = coefficient * y;
            }
            start = end;
        }
        let (clipped, largest) = clipped_sum_and_largest(buffer);
        let usable = clipped.is_finite() && (SMALLEST..=LARGEST).contains(&largest);
        usable.then(|| Scaled { z: buffer, n, centre: clipped / n as f64, largest })
    }
}

/// The scaled samples z = αx of one direction, padded to whole blocks.
pub(super) struct Scaled<'b> {
    z: &'b mut [f64],
    n: usize,
    /// The mean of the samples clipped at ±1: where Newton starts.
    centre: f64,
    largest: f64,
}

impl Scaled<'_> {
    /// `(Σ ψ(zᵢ - m), Σ ψ'(zᵢ - m))`.
    pub(super) fn influence(&mut self, m: f64) -> (f64, f64) {
        // A padded entry at m adds ψ(0) = 0 to the sum and ψ'(0) = 1 to the slope.
        self.z[self.n..].fill(m);
        let (sum, slope) =
            if self.largest <= SMALL { series_influence(self.z, m) } else { product_influence(self.z, m) };
        (sum, slope - (self.z.len() - self.n) as f64)
    }

    /// The root of `Σ ψ(zᵢ - m) = 0`, or nothing when Newton strays from where its error is known.
    pub(super) fn root(&mut self) -> Option<f64> {
        let enough = ACCURACY * self.largest.min(1.0);
        let mut m = self.centre;
        for _ in 0..PASSES {
            let (sum, slope) = self.influence(m);
            let step = sum / slope;
            let understood = step.abs() <= 1.0; // false for NaN
            if !understood {
                return None;
            }
            m += step;
            if KAPPA * step * step <= enough {
                return Some(m);
            }
        }
        None
    }
}
