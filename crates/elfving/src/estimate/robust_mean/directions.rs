//! One set of outcomes seen from many directions.

use super::{MeanError, MomentBound};
use crate::numerics::Matrix;
use rayon::prelude::*;

/// The samples of every direction v: `x(v, t) = coefficients[v][points[t]] · outcomes[t]`.
///
/// In RIPS a coefficient is `v' M⁻¹ φ(x_j)`, for the s distinct points x_j that were drawn; the samples of all
/// directions are never stored together.
///
/// ```
/// use elfving::estimate::robust_mean::{Catoni, DirectionSamples, MomentBound, RobustMean};
/// use elfving::numerics::Matrix;
/// use elfving::units::Confidence;
///
/// let points: Vec<usize> = (0..60).map(|t| t % 2).collect();
/// let outcomes: Vec<f64> = points.iter().map(|&j| [1.0, 3.0][j]).collect();
/// let coefficients = Matrix::from_rows(&[[2.0, 0.0], [0.0, 2.0], [2.0, -2.0]]); // both points, and a difference
/// let samples = DirectionSamples::new(&points, &outcomes, &coefficients)?;
/// let bounds = [2.0, 18.0, 20.0].map(|u| MomentBound::new(u).unwrap());
/// let w = Catoni::new(Confidence::new(0.05)?).estimate_each(&samples, &bounds)?;
/// assert!((w[0] - 1.0).abs() < 1e-9 && (w[1] - 3.0).abs() < 1e-9);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, Copy)]
pub struct DirectionSamples<'a> {
    points: &'a [usize],
    outcomes: &'a [f64],
    coefficients: &'a Matrix,
}

impl<'a> DirectionSamples<'a> {
    /// Checks the pieces once. `points`: the column of the point drawn at each time; `outcomes`: what was measured
    /// then; `coefficients`: |V| × s.
    ///
    /// # Errors
    /// [`MeanError::Length`], [`MeanError::UnknownPoint`], [`MeanError::NonFinite`] for an outcome,
    /// [`MeanError::Coefficient`].
    pub fn new(
        points: &'a [usize],
        outcomes: &'a [f64],
        coefficients: &'a Matrix,
    ) -> Result<Self, MeanError> {
        if outcomes.len() != points.len() {
            return Err(MeanError::Length { what: "outcomes", expected: points.len(), got: outcomes.len() });
        }
        let columns = coefficients.columns();
        if let Some(draw) = points.iter().position(|&point| point >= columns) {
            return Err(MeanError::UnknownPoint { draw, point: points[draw], points: columns });
        }
        if let Some(index) = outcomes.iter().position(|y| !y.is_finite()) {
            return Err(MeanError::NonFinite { index, got: outcomes[index] });
        }
        if let Some((direction, point)) = coefficients.first_non_finite() {
            return Err(MeanError::Coefficient { direction, point, got: coefficients[(direction, point)] });
        }
        Ok(Self { points, outcomes, coefficients })
    }

    /// The number of draws n.
    pub fn draws(&self) -> usize {
        self.points.len()
    }

    /// The number of directions |V|.
    pub fn directions(&self) -> usize {
        self.coefficients.rows()
    }

    /// The samples of one direction in the order of time, written over `buffer`.
    pub(super) fn write(&self, direction: usize, buffer: &mut Vec<f64>) {
        let row = self.coefficients.row(direction);
        buffer.clear();
        buffer.extend(self.points.iter().zip(self.outcomes).map(|(&point, y)| row[point] * y));
    }

    pub(super) fn points(&self) -> &[usize] {
        self.points
    }

    pub(super) fn outcomes(&self) -> &[f64] {
        self.outcomes
    }

    pub(super) fn row(&self, direction: usize) -> &[f64] {
        self.coefficients.row(direction)
    }
}

/// Directions that one task works through with one buffer; fixed, so that the work is the same for any number of
/// threads.
const CHUNK: usize = 16;

/// Runs `estimate(direction, bound, buffer)` for every direction, in parallel, and reports the first refusal in
/// the order of the directions.
pub(super) fn for_each_direction(
    samples: &DirectionSamples<'_>,
    bounds: &[MomentBound],
    estimate: impl Fn(usize, MomentBound, &mut Vec<f64>) -> Result<f64, MeanError> + Sync,
) -> Result<Vec<f64>, MeanError> {
    if bounds.len() != samples.directions() {
        let (expected, got) = (samples.directions(), bounds.len());
        return Err(MeanError::Length { what: "moment bounds", expected, got });
    }
    let chunks: Vec<Result<Vec<f64>, MeanError>> = bounds
        .par_chunks(CHUNK)
        .enumerate()
        .map(|(chunk, bounds)| {
            let mut buffer = Vec::new();
            bounds
                .iter()
                .zip(chunk * CHUNK..)
                .map(|(&bound, direction)| {
                    estimate(direction, bound, &mut buffer)
                        .map_err(|error| MeanError::Direction { direction, error: Box::new(error) })
                })
                .collect()
        })
        .collect();
    let mut estimates = Vec::with_capacity(bounds.len());
    for chunk in chunks {
        estimates.extend(chunk?);
    }
    Ok(estimates)
}
