//! Greedy maximum variance: measure where least is known.

use super::report::{Rounded, RoundingPath};
use super::{Request, Rounding, RoundingError, first_best};
use crate::numerics::{Matrix, add_scaled_row, apply, dot, gram, row_norms};

/// Takes T times the point of largest `xᵀ M⁻¹ x`, with M the information so far: no design needed.
///
/// Each step is the best next measurement for the determinant. Without a ridge the first steps pick a well
/// spread basis. A baseline, and what the other methods use where maxima leave the weights no room. Cost: T n p.
///
/// ```
/// use elfving::design::{Criterion, Problem};
/// use elfving::rounding::{Constraints, GreedyVariance, Request, Rounding};
/// use elfving::{numerics::Matrix, pool::{PointId, Pool}, units::Ridge};
/// let pool = Pool::from_features(Matrix::identity(4))?;
/// let problem = Problem::over_choices(&pool, Criterion::G, Ridge::ZERO)?;
/// let weights: Vec<_> = [0.4, 0.3, 0.2, 0.1].into_iter().enumerate()
///     .map(|(i, weight)| (PointId::new(i), weight)).collect();
/// // Each direction twice, whatever the weights.
/// let request = Request::from_weights(&problem, &weights, 8, &Constraints::default())?;
/// let rounded = GreedyVariance.round(&request)?;
/// assert!(rounded.allocation.counts().iter().all(|&(_, count)| count == 2));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, Copy, Default)]
pub struct GreedyVariance;

impl Rounding for GreedyVariance {
    fn name(&self) -> &'static str {
        "greedy"
    }

    fn round(&self, request: &Request) -> Result<Rounded, RoundingError> {
        let mut counts = request.bounds.lower.clone();
        fill(request, &mut counts);
        Ok(request.answer(self.name(), &counts, RoundingPath::Direct))
    }
}

/// Spends what is left of the budget, one measurement at a time, where the variance is largest.
pub(super) fn fill(request: &Request, counts: &mut [u64]) {
    let spent: u64 = counts.iter().sum();
    if spent >= request.budget {
        return;
    }
    let mut variances = Variances::new(request, counts);
    for step in 1..=request.budget - spent {
        let room = |i: usize| counts[i] < request.bounds.upper[i];
        let pick = first_best(counts.len(), |i| if room(i) { variances.of[i] } else { f64::NEG_INFINITY });
        let pick = pick.expect("the maxima hold the budget");
        counts[pick] += 1;
        if step % variances.refresh_every == 0 {
            variances = Variances::new(request, counts);
        } else {
            variances.measure(request, pick);
        }
    }
}

/// `xᵀ M⁻¹ x` of every point, with M the sum of the measurements so far and the prior of the whole experiment.
struct Variances {
    of: Vec<f64>,
    inverse: Matrix,
    /// Rounding errors of the updates are forgotten this often, at no more than the cost of the updates.
    refresh_every: u64,
}

impl Variances {
    fn new(request: &Request, counts: &[u64]) -> Self {
        let (frame, bounds) = (&request.frame, &request.bounds);
        let all = (request.budget + bounds.done_total) as f64;
        let both = counts.iter().zip(&bounds.done).map(|(new, done)| new + done).enumerate();
        let shares: Vec<(usize, f64)> =
            both.filter(|&(_, count)| count > 0).map(|(i, count)| (i, count as f64 / all)).collect();
        let whitening = frame.search_factor(&frame.information(&shares)).inverse_upper();
        let mut inverse = gram(&whitening.transposed());
        inverse.as_mut_slice().iter_mut().for_each(|value| *value /= all);
        let mut of = row_norms(&frame.points, &whitening);
        of.iter_mut().for_each(|value| *value /= all);
        Self { of, inverse, refresh_every: frame.dimension().max(16) as u64 }
    }

    /// One more measurement of a point (Sherman and Morrison).
    fn measure(&mut self, request: &Request, point: usize) {
        let points = &request.frame.points;
        let image = apply(&self.inverse, points.row(point));
        let pivot = 1.0 + dot(points.row(point), &image);
        for (i, variance) in self.of.iter_mut().enumerate() {
            *variance -= dot(points.row(i), &image).powi(2) / pivot;
        }
        for k in 0..image.len() {
            add_scaled_row(self.inverse.row_mut(k), -image[k] / pivot, &image);
        }
    }
}
