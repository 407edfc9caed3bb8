//! f̄(X, γ): f after any eliminations.

use std::fmt;

use rayon::prelude::*;
use serde::{Deserialize, Serialize};

use super::error::positive;
use super::{ComplexityError, Enclosure, Over, information_gain, worst_variance};
use elfving::design::DesignError;
use elfving::numerics::norm_squared;
use elfving::pool::{PointId, Pool};
use elfving::units::{Ridge, Tolerance};

/// Pools of up to this many points are searched subset by subset.
const MOST_POINTS: usize = 12;

/// `f̄ = max_{V ⊆ X} f(V, γ)`, with V both measured and predicted.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct WorstSubset {
    /// γ.
    pub gamma: Ridge,
    /// f̄. Without a search the value is the upper bound.
    pub worst: Enclosure,
    /// The subset that reaches it, when all were searched.
    pub subset: Option<Vec<PointId>>,
    /// log det(I + A/γ) at the D-optimum, an upper bound of the true maximum: f̄ is at most this.
    pub information_gain: f64,
}

/// The largest f over subsets of the measurable points: what the paper's regret bound has in it.
///
/// Up to 12 points every subset is solved. Beyond that f̄ is enclosed: at least f(X, γ), and at most
/// the smaller of `log det(I + A/γ)` at the D-optimum and `r κ / (κ + r γ)` with `κ = max ‖φ(x)‖²`. Both bound the trace form
/// `Σ a_k / (a_k + γ) ≥ f(V, γ)` of every subset: the first because `u/(1 + u) ≤ log(1 + u)` (the paper has the constant 3/2 there; 1 is
/// enough), the second because the sum is concave in the eigenvalues a_k, which add up to at most κ.
///
/// Cost: 2ⁿ small designs for n ≤ 12, else two designs.
///
/// # Errors
/// [`ComplexityError::Parameter`] for γ = 0, where the question is the largest rank; what the designs find.
pub fn worst_subset(pool: &Pool, gamma: Ridge, tolerance: Tolerance) -> Result<WorstSubset, ComplexityError> {
    let ridge = positive("gamma", gamma.get())?;
    let pool = pool.points_only();
    let gain = information_gain(&pool, 1.0 / ridge, 1.0, tolerance)?.gain.at_most;
    let largest = (0..pool.len()).map(|x| norm_squared(pool.features().row(x))).fold(0.0, f64::max);
    let r = pool.dimension().min(pool.len()) as f64;
    let ceiling = gain.min(r * largest / (largest + r * ridge));
    if pool.len() > MOST_POINTS {
        let whole = worst_variance(&pool, Over::Points, gamma, tolerance)?;
        let worst = Enclosure { value: ceiling, at_least: whole.at_least.min(ceiling), at_most: ceiling };
        return Ok(WorstSubset { gamma, worst, subset: None, information_gain: gain });
    }
    let values: Vec<Enclosure> = (1u32..1 << pool.len())
        .into_par_iter()
        .map(|members| {
            match worst_variance(&pool.restrict(&subset(members)), Over::Points, gamma, tolerance) {
                // Points without features are predicted without measuring.
                Err(ComplexityError::Design(DesignError::NothingToMeasure)) => Ok(Enclosure::exact(0.0)),
                other => other,
            }
        })
        .collect::<Result<_, _>>()?;
    // Of subsets that differ by less than the tolerance, the first: small ones come early.
    let largest = values.iter().map(|value| value.value).fold(0.0, f64::max);
    let least = largest * (1.0 - 10.0 * tolerance.get());
    let best = values.iter().position(|value| value.value >= least).unwrap_or(0);
    let side = |of: fn(&Enclosure) -> f64| values.iter().map(of).fold(0.0, f64::max);
    let worst = Enclosure {
        value: largest,
        at_least: side(|value| value.at_least),
        at_most: side(|value| value.at_most),
    };
    Ok(WorstSubset { gamma, worst, subset: Some(subset(best as u32 + 1)), information_gain: gain })
}

/// The points whose bit is set.
fn subset(members: u32) -> Vec<PointId> {
    (0..32).filter(|bit| members >> bit & 1 == 1).map(|bit| PointId::new(bit as usize)).collect()
}

impl fmt::Display for WorstSubset {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.subset {
            Some(subset) => write!(f, "worst subset: {} on {} points", self.worst, subset.len()),
            None => {
                write!(f, "worst subset: between {:.6} and {:.6}", self.worst.at_least, self.worst.at_most)
            }
        }
    }
}
