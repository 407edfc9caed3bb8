//! Caratheodory: the same information matrix on fewer points.

use super::Apportionment;
use super::report::{Rounded, RoundingPath};
use super::request::Share;
use super::{Request, Rounding, RoundingError};
use crate::numerics::{Matrix, add_scaled_row, row_dependencies};
use crate::pool::PointId;

/// Rows of moments whose remainder is below this fraction of the longest are dependent.
const DEPENDENT: f64 = 1e-11;

/// Support reduction after Caratheodory, then [`Apportionment`]: exactly T measurements of few candidates.
///
/// The moments `(x xᵀ, 1)` of the points live in a space of r(r+1)/2 + 1 dimensions, r(r+1)/2 when the mass
/// follows from the matrix (rows of equal length, say). Weights on more points than that can be moved
/// along a linear dependency, changing neither `A(λ)` nor the sum, until one of them is zero. A design with fewer
/// points is rounded as it is. Cost: about s q² for q = r(r+1)/2 < s.
///
/// ```
/// use elfving::design::{Criterion, Problem};
/// use elfving::rounding::{Caratheodory, Constraints, Request, Rounding};
/// use elfving::{numerics::Matrix, pool::{PointId, Pool}, units::Ridge};
/// let pool = Pool::from_features(Matrix::from_fn(11, 2, |i, k| if k == 0 { 1.0 } else { i as f64 / 10.0 }))?;
/// let problem = Problem::over_choices(&pool, Criterion::G, Ridge::ZERO)?;
/// let weights: Vec<_> = (0..11).map(|i| (PointId::new(i), 1.0)).collect();
/// // A line measured on eleven points: three carry the same information.
/// let request = Request::from_weights(&problem, &weights, 22, &Constraints::default())?;
/// let rounded = Caratheodory.round(&request)?;
/// assert!(rounded.allocation.counts().len() <= 3);
/// assert_eq!(rounded.allocation.total(), 22);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, Copy, Default)]
pub struct Caratheodory;

impl Rounding for Caratheodory {
    fn name(&self) -> &'static str {
        "caratheodory"
    }

    fn round(&self, request: &Request) -> Result<Rounded, RoundingError> {
        let weights = reduce(&request.frame.points, &request.weights);
        let counts = Apportionment::default().counts(request, &weights);
        let path = RoundingPath::Reduced { from: request.weights.len(), to: weights.len() };
        Ok(request.answer(self.name(), &counts, path))
    }
}

impl Caratheodory {
    /// The reduced weights themselves, with sum one: the same `A(λ)` on at most r(r+1)/2 + 1 points.
    pub fn reduced_weights(&self, request: &Request) -> Vec<(PointId, f64)> {
        let weights = reduce(&request.frame.points, &request.weights);
        weights.into_iter().map(|(i, weight)| (PointId::new(i), weight)).collect()
    }
}

/// Moves weights along dependencies of the moments until none is left.
fn reduce(points: &Matrix, weights: &[Share]) -> Vec<Share> {
    let p = points.columns();
    let moments = p * (p + 1) / 2;
    let mut kept = weights.to_vec();
    // With at most this many points a dependency would be a coincidence, not a certainty.
    while kept.len() > moments {
        // Twice the points that can stay: half of them go at once.
        let batch = kept.len().min(2 * (moments + 1));
        let dependencies = row_dependencies(&moment_rows(points, &kept[..batch]), DEPENDENT);
        if dependencies.rows() == 0 {
            break;
        }
        eliminate(&mut kept[..batch], dependencies);
        kept.retain(|&(_, weight)| weight > 0.0);
    }
    let sum: f64 = kept.iter().map(|&(_, weight)| weight).sum();
    kept.into_iter().map(|(i, weight)| (i, weight / sum)).collect()
}

/// `(x_j², √2 x_j x_k, p)` of each point, a row each: inner products are those of the matrices, and the mass
/// weighs as much as a matrix does, because whitened points have squared length about p.
fn moment_rows(points: &Matrix, shares: &[Share]) -> Matrix {
    let p = points.columns();
    let columns = p * (p + 1) / 2 + 1;
    let mut data = Vec::with_capacity(shares.len() * columns);
    for &(i, _) in shares {
        let x = points.row(i);
        for j in 0..p {
            data.push(x[j] * x[j]);
            data.extend((0..j).map(|k| std::f64::consts::SQRT_2 * x[j] * x[k]));
        }
        data.push(p as f64);
    }
    Matrix::from_row_major(shares.len(), columns, data)
}

/// Uses up the dependencies, each to bring one weight to zero.
fn eliminate(shares: &mut [Share], mut dependencies: Matrix) {
    for left in (0..dependencies.rows()).rev() {
        let along = dependencies.row(left);
        // A dependency has entries of both signs, because it moves no mass.
        let Some((gone, step)) = first_zero(shares, along) else { continue };
        for (share, z) in shares.iter_mut().zip(along) {
            share.1 = (share.1 - step * z).max(0.0);
        }
        shares[gone].1 = 0.0;
        // What remains must not touch the point that is gone. The largest entry is the pivot, so that no
        // multiplier exceeds one and rounding errors do not grow.
        let pivot = (0..=left).fold(left, |best, k| {
            if dependencies[(k, gone)].abs() > dependencies[(best, gone)].abs() { k } else { best }
        });
        let pivot_row = dependencies.row(pivot).to_vec();
        let last = dependencies.row(left).to_vec();
        dependencies.row_mut(pivot).copy_from_slice(&last);
        for k in 0..left {
            let multiplier = dependencies[(k, gone)] / pivot_row[gone];
            add_scaled_row(dependencies.row_mut(k), -multiplier, &pivot_row);
            dependencies[(k, gone)] = 0.0;
        }
    }
}

/// The step along a dependency, in either direction, that is shortest until a weight reaches zero.
fn first_zero(shares: &[Share], along: &[f64]) -> Option<(usize, f64)> {
    let mut first: Option<(usize, f64)> = None;
    for (k, (&(_, weight), &z)) in shares.iter().zip(along).enumerate() {
        let step = weight / z;
        if z != 0.0 && weight > 0.0 && first.is_none_or(|(_, shortest)| step.abs() < shortest.abs()) {
            first = Some((k, step));
        }
    }
    first
}
