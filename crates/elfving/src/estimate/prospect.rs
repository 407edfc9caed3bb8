//! What measuring by a design would give, before anything is measured.

use super::EstimateError;
use super::frame::Frame;
use crate::numerics::{Matrix, multiply_transposed, norm_squared};
use crate::pool::{PointId, Pool, Targets};
use crate::units::Ridge;
use rayon::prelude::*;

/// The worst target of a design: what decides how many draws it takes.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Prospect {
    /// The largest `Σ_x p_x c_x² u_x`: the second moment of one draw, for second moments u of the outcomes.
    pub moment: f64,
    /// The largest `γ ‖M⁻¹v‖`: the bias for each unit of ‖θ‖, without what a kernel's features leave out.
    pub pull: f64,
    /// The largest ‖v‖, which bounds the bias for each unit of h.
    pub norm: f64,
}

/// Looks at every target, differences included, without an outcome.
///
/// `second_moments`: one bound on `E y²` (or on the centred square) for each point of the pool. Cost: m s k for m targets and s
/// points of positive weight, m² s for differences of m choices.
///
/// ```
/// use elfving::estimate::prospect;
/// use elfving::{numerics::Matrix, pool::{PointId, Pool, Subset, Targets}, units::Ridge};
/// let pool = Pool::from_features(Matrix::identity(2))?;
/// let half = [(PointId::new(0), 0.5), (PointId::new(1), 0.5)];
/// let seen = prospect(&pool, &half, Ridge::ZERO, &Targets::Differences(Subset::All), &[1.0, 3.0])?;
/// // c = (2, -2): 0.5 · 4 · 1 + 0.5 · 4 · 3.
/// assert!((seen.moment - 8.0).abs() < 1e-12 && (seen.norm - 2.0).abs() < 1e-12 && seen.pull == 0.0);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// What [`Targets::compile`] finds, [`EstimateError::UnknownPoint`], [`EstimateError::NotIdentifiable`],
/// [`EstimateError::PerPoint`] unless there is one second moment for each point.
pub fn prospect(
    pool: &Pool,
    weights: &[(PointId, f64)],
    gamma: Ridge,
    targets: &Targets,
    second_moments: &[f64],
) -> Result<Prospect, EstimateError> {
    if second_moments.len() != pool.len() {
        let (expected, got) = (pool.len(), second_moments.len());
        return Err(EstimateError::PerPoint { what: "second moment", expected, got });
    }
    let frame = Frame::new(pool, weights.iter().copied(), gamma)?;
    let directions = frame.directions(targets)?;
    let moment_of = |(id, p): (&PointId, &f64)| (p * second_moments[id.index()]).sqrt();
    let scale: Vec<f64> = frame.ids.iter().zip(&frame.weights).map(moment_of).collect();
    let (rows, pairs) = directions.rows();
    let mut scaled = multiply_transposed(rows, &frame.points);
    for i in 0..scaled.rows() {
        scaled.row_mut(i).iter_mut().zip(&scale).for_each(|(c, by)| *c *= by);
    }
    Ok(Prospect {
        moment: largest_squared(&scaled, pairs),
        pull: directions.pulls().map_or(0.0, |pulls| largest_squared(pulls, pairs).sqrt()),
        norm: largest_squared(rows, pairs).sqrt(),
    })
}

/// Rows compared at a time.
const BLOCK: usize = 128;

/// The largest squared length of a row, or of the difference of two rows.
fn largest_squared(rows: &Matrix, pairs: bool) -> f64 {
    if !pairs {
        return (0..rows.rows()).map(|i| norm_squared(rows.row(i))).fold(0.0, f64::max);
    }
    // Relative to one of them the rows are as short as their differences: nothing cancels.
    let rows = rows.relative_to_first_row();
    let lengths: Vec<f64> = (0..rows.rows()).map(|i| norm_squared(rows.row(i))).collect();
    let starts: Vec<usize> = (0..rows.rows()).step_by(BLOCK).collect();
    let largest_from = |&start: &usize| {
        let members: Vec<usize> = (start..rows.rows().min(start + BLOCK)).collect();
        let products = multiply_transposed(&rows.select_rows(&members), &rows);
        let of_member = |(k, &i): (usize, &usize)| {
            let distances = lengths.iter().zip(products.row(k)).map(|(other, both)| other - 2.0 * both);
            lengths[i] + distances.fold(f64::NEG_INFINITY, f64::max)
        };
        members.iter().enumerate().map(of_member).fold(0.0, f64::max)
    };
    let parts: Vec<f64> = starts.par_iter().map(largest_from).collect();
    parts.into_iter().fold(0.0, f64::max)
}
