//! How good a design is, in the words of the design-of-experiments literature and its software.

use serde::{Deserialize, Serialize};
use std::fmt;

use super::canonical::Canonical;
use super::{Control, Criterion, DesignError, InteriorPoint, Problem, Solver, TargetRef, recheck};
use crate::numerics::{Matrix, position_of_largest, right_singular, row_norms, triangular_factor};
use crate::pool::{PointId, Pool};
use crate::units::{Ridge, Simplex, Tolerance};

/// What there is to know about any weights on a pool, optimal or not, with `M = A(λ) + γI`.
///
/// | quantity | definition |
/// |---|---|
/// | variance function | `d(x) = xᵀM⁻¹x`: the variance of the prediction at x, for noise of variance one and one measurement |
/// | leverage | `λ_x d(x)`; without a ridge they sum to the rank r |
/// | D-efficiency | `(det M / det M*)^(1/r)`, M* the D-optimal information matrix and r the rank |
/// | A-efficiency | `tr M*⁻¹ / tr M⁻¹` |
/// | G-efficiency | `max d* / max d`, over the choices of the pool |
/// | V-efficiency | `mean d* / mean d`, over the choices of the pool (I-efficiency in JMP) |
/// | condition number | largest over smallest eigenvalue of M, over the directions that the pool can measure |
///
/// Each efficiency is an interval that holds it for certain, by the certificate of the optimum; it is about 1e-4 wide.
///
/// ```
/// use elfving::design::Diagnostics;
/// use elfving::{numerics::Matrix, pool::Pool, units::{Ridge, Simplex}};
///
/// // Three equally spaced points for a straight line: as a D-optimal design it is worth 82 % of the two ends.
/// let pool = Pool::from_features(Matrix::from_fn(3, 2, |i, k| (i as f64 - 1.0).powi(k as i32)))?;
/// let diagnostics = Diagnostics::new(&pool, &Simplex::uniform(3)?, Ridge::ZERO)?;
/// let d = diagnostics.efficiencies[0];
/// assert!(d.at_least <= (2.0f64 / 3.0).sqrt() && (2.0f64 / 3.0).sqrt() <= d.at_most);
/// assert!((diagnostics.leverage.iter().sum::<f64>() - 2.0).abs() < 1e-12);
/// println!("{diagnostics}");
/// # Ok::<(), elfving::design::DesignError>(())
/// ```
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Diagnostics {
    /// Points of the pool.
    pub points: usize,
    /// Points of positive weight.
    pub support_size: usize,
    /// Coordinates that the pool needs: its features, or fewer when it spans fewer.
    pub rank: usize,
    /// d(x) over the pool.
    pub variance: Vec<f64>,
    /// `λ_x d(x)` over the pool.
    pub leverage: Vec<f64>,
    /// The point with the largest d(x).
    pub largest_variance_at: PointId,
    /// Largest over smallest eigenvalue of M.
    pub condition_number: f64,
    /// For d, a, g and v, in this order; without a where tr M⁻¹ is infinite whatever the design, because γ = 0 and the
    /// pool spans fewer directions than it has features.
    pub efficiencies: Vec<Efficiency>,
}

/// What a design is worth for one criterion: 1 is optimal, 1/2 needs twice the measurements.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Efficiency {
    /// The criterion.
    pub criterion: Criterion,
    /// The criterion at the design: log det M, tr M⁻¹, max d or mean d.
    pub value: f64,
    /// The efficiency is at least this, by the certificate of the optimum.
    pub at_least: f64,
    /// And at most this, by a design that reaches it.
    pub at_most: f64,
    /// The same ratio with equal weights on the pool in place of the optimum; above 1 is better than equal weights.
    pub relative_to_uniform: f64,
}

/// How closely the optima are computed: the width of the intervals.
const OPTIMUM_TOLERANCE: f64 = 1e-4;

impl Diagnostics {
    /// Computes everything. Cost: four optimal designs and a few passes over the pool.
    ///
    /// # Errors
    /// [`DesignError::NotIdentifiable`] or [`DesignError::Singular`] when the design leaves a direction unmeasured
    /// that the pool can measure, and γ = 0: then some variances are infinite. Else what the solver finds
    /// wrong with the pool.
    ///
    /// # Panics
    /// When there is not one weight for each point.
    pub fn new(pool: &Pool, weights: &Simplex, gamma: Ridge) -> Result<Self, DesignError> {
        assert_eq!(pool.len(), weights.len(), "one weight for each point");
        let problem = Problem::over_choices(pool, Criterion::D, gamma)?;
        let canonical = Canonical::new(&problem)?;
        let factor = canonical.information(weights.as_slice()).map_err(|_| problem.singular())?;
        let variance = row_norms(&canonical.points, &factor.inverse_upper());
        let rank = canonical.points.columns();
        let mut efficiencies = vec![];
        for criterion in [Criterion::D, Criterion::A, Criterion::G, Criterion::V] {
            match Efficiency::new(pool, criterion, gamma, weights, rank) {
                Err(DesignError::NotIdentifiable { .. })
                    if criterion == Criterion::A && rank < pool.dimension() => {}
                other => efficiencies.push(other?),
            }
        }
        Ok(Self {
            points: pool.len(),
            support_size: weights.support().len(),
            rank,
            leverage: weights.as_slice().iter().zip(&variance).map(|(weight, d)| weight * d).collect(),
            largest_variance_at: PointId::new(position_of_largest(&variance)),
            variance,
            condition_number: condition_number(pool.features(), weights, gamma, rank)
                .ok_or_else(|| problem.singular())?,
            efficiencies,
        })
    }
}

impl Efficiency {
    fn new(
        pool: &Pool,
        criterion: Criterion,
        gamma: Ridge,
        weights: &Simplex,
        rank: usize,
    ) -> Result<Self, DesignError> {
        let problem = Problem::over_choices(pool, criterion, gamma)?;
        let mut control = Control::new(Tolerance::new(OPTIMUM_TOLERANCE)?);
        let design = InteriorPoint::default().solve(&problem, &mut control)?;
        let optimum = design.certificate();
        let value = value(&problem, weights)?;
        let uniform = self::value(&problem, &Simplex::uniform(pool.len())?)?;
        // How the design compares with one of this value.
        let ratio = |other: f64| match criterion {
            Criterion::D => ((value - other) / rank as f64).exp(),
            _ => other / value,
        };
        Ok(Self {
            criterion,
            value,
            at_least: ratio(optimum.bound()).min(1.0),
            at_most: ratio(optimum.value()).min(1.0),
            relative_to_uniform: ratio(uniform),
        })
    }
}

/// The criterion at the weights, by the code that certifies designs.
fn value(problem: &Problem, weights: &Simplex) -> Result<f64, DesignError> {
    let weights: Vec<(PointId, f64)> =
        weights.support().into_iter().map(|i| (PointId::new(i), weights.as_slice()[i])).collect();
    // The weights on targets matter for the bound alone, which is not used here.
    Ok(recheck(problem, &weights, &[(TargetRef::Row(0), 1.0)])?.value())
}

/// From the singular values of the rows `√λ_x x` and `√γ I`, so that the condition is never squared.
fn condition_number(features: &Matrix, weights: &Simplex, gamma: Ridge, rank: usize) -> Option<f64> {
    let r = features.columns();
    let support = weights.support();
    let scale = features.max_abs();
    let mut rows = features.select_rows(&support).into_vec();
    for (row, i) in rows.chunks_exact_mut(r).zip(&support) {
        let root = weights.as_slice()[*i].sqrt();
        row.iter_mut().for_each(|value| *value = *value / scale * root);
    }
    let ridge = gamma.get().sqrt() / scale;
    if ridge > 0.0 {
        rows.extend((0..r * r).map(|k| if k % (r + 1) == 0 { ridge } else { 0.0 }));
    }
    let stacked = Matrix::from_row_major(rows.len() / r, r, rows);
    let values = right_singular(&triangular_factor(&stacked))?.values;
    let smallest = if ridge > 0.0 { *values.last()? } else { *values.get(rank - 1)? };
    let condition = (values[0] / smallest).powi(2);
    condition.is_finite().then_some(condition)
}

impl fmt::Display for Diagnostics {
    /// A small table for people.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let largest = self.variance[self.largest_variance_at.index()];
        let mean = self.variance.iter().sum::<f64>() / self.points as f64;
        writeln!(f, "support           {} of {} points, rank {}", self.support_size, self.points, self.rank)?;
        writeln!(
            f,
            "variance          mean {mean:.4}, largest {largest:.4} at point {}",
            self.largest_variance_at
        )?;
        writeln!(f, "condition number  {:.2e}", self.condition_number)?;
        writeln!(f)?;
        write!(f, "criterion  value         efficiency        relative to uniform")?;
        for efficiency in &self.efficiencies {
            write!(f, "\n{efficiency}")?;
        }
        Ok(())
    }
}

impl fmt::Display for Efficiency {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let interval = format!("{:.4} to {:.4}", self.at_least, self.at_most);
        write!(
            f,
            "{:<9}  {:<12.6}  {interval:<16}  {:.4}",
            self.criterion.to_string(),
            self.value,
            self.relative_to_uniform
        )
    }
}
