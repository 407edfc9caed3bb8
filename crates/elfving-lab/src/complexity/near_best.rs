//! g(ε): the variance among the choices that are nearly best.

use super::error::not_negative;
use super::worst_variance::optimum;
use super::{ComplexityError, Enclosure, Truth};
use elfving::design::Criterion;
use elfving::pool::{Combination, Pool, Targets};
use elfving::units::{Ridge, Tolerance};

/// `g(ε) = inf_λ max ‖φ(z*) - φ(z)‖²` over the choices with gap at most ε; 0 when z* is alone.
///
/// The theorem pairs every choice with z*; the appendix takes all pairs, which is at least g and at most 4 g by the triangle
/// inequality: [`worst_variance_among`](super::worst_variance_among) the choices of [`Truth::gaps`] at most ε.
///
/// # Errors
/// What the design finds.
pub fn near_best_variance(
    pool: &Pool,
    truth: &Truth,
    gamma: Ridge,
    epsilon: f64,
    tolerance: Tolerance,
) -> Result<Enclosure, ComplexityError> {
    let epsilon = not_negative("epsilon", epsilon)?;
    let targets: Vec<Combination> = truth
        .rivals(pool)
        .into_iter()
        .filter(|&(_, gap)| gap <= epsilon)
        .map(|(z, _)| truth.difference(z, 1.0))
        .collect();
    if targets.is_empty() {
        return Ok(Enclosure::exact(0.0));
    }
    Ok(optimum(pool, Criterion::G, Targets::Combinations(targets), gamma, tolerance)?.enclosure())
}
