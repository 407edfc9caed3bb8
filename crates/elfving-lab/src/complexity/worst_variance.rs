//! f(X, γ): the variance that the best design leaves at the worst target.

use serde::{Deserialize, Serialize};

use super::{ComplexityError, Enclosure};
use elfving::design::{Control, Criterion, DesignError, InteriorPoint, Problem, Solver, recheck};
use elfving::pool::{ChoiceId, Combination, Pool, Subset, Targets};
use elfving::units::{Ridge, Simplex, Tolerance};

/// What the worst is taken over.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Over {
    /// The choices themselves.
    Points,
    /// All differences of two choices.
    Differences,
}

/// `f = inf_λ max_v ‖v‖²` in the inverse of `A(λ) + γI`, over the choices of the pool or their differences.
///
/// A round of RIPS that is to bound every such v within ε takes about `2 (B² + σ²) f log(·) / ε²` measurements. Cost: one
/// certified design.
///
/// # Errors
/// What the design finds: [`DesignError::NotIdentifiable`](elfving::design::DesignError) for γ = 0 and a choice that the pool
/// says nothing about.
///
/// ```
/// use elfving_lab::complexity::{Over, worst_variance};
/// use elfving::{numerics::Matrix, pool::Pool, units::{Ridge, Tolerance}};
/// let pool = Pool::from_features(Matrix::identity(4))?;
/// let f = worst_variance(&pool, Over::Points, Ridge::new(0.25)?, Tolerance::new(1e-9)?)?;
/// assert!((f.value - 2.0).abs() < 1e-8); // 1 / (1/4 + 1/4)
/// assert!(f.at_least <= 2.0 && 2.0 <= f.at_most * (1.0 + 1e-15));
/// # Ok::<(), elfving_lab::complexity::ComplexityError>(())
/// ```
pub fn worst_variance(
    pool: &Pool,
    over: Over,
    gamma: Ridge,
    tolerance: Tolerance,
) -> Result<Enclosure, ComplexityError> {
    among(pool, over, Subset::All, pool.choice_count(), gamma, tolerance)
}

/// The same over some of the choices only, measured with all points: f(X, S; γ) of the paper's appendix.
///
/// # Errors
/// Those of [`worst_variance`], and a choice that the pool does not have.
pub fn worst_variance_among(
    pool: &Pool,
    over: Over,
    choices: &[ChoiceId],
    gamma: Ridge,
    tolerance: Tolerance,
) -> Result<Enclosure, ComplexityError> {
    among(pool, over, Subset::Of(choices.to_vec()), choices.len(), gamma, tolerance)
}

fn among(
    pool: &Pool,
    over: Over,
    subset: Subset,
    count: usize,
    gamma: Ridge,
    tolerance: Tolerance,
) -> Result<Enclosure, ComplexityError> {
    let (criterion, targets) = match over {
        // One difference is one target.
        Over::Differences if count == 2 => {
            let (a, b) = match &subset {
                Subset::All => (ChoiceId::new(0), ChoiceId::new(1)),
                Subset::Of(pair) => (pair[0], pair[1]),
            };
            (Criterion::G, Targets::Combinations(vec![Combination { terms: vec![(a, 1.0), (b, -1.0)] }]))
        }
        Over::Points => (Criterion::G, Targets::Points(subset)),
        // Nothing to compare.
        Over::Differences if count < 2 => return Ok(Enclosure::exact(0.0)),
        Over::Differences => (Criterion::Xy, Targets::Differences(subset)),
    };
    Ok(optimum(pool, criterion, targets, gamma, tolerance)?.enclosure())
}

/// The optimum of a criterion between a value that weights reach and a bound.
#[derive(Clone)]
pub(super) struct Optimum {
    pub weights: Simplex,
    pub value: f64,
    pub bound: f64,
}

impl Optimum {
    pub(super) fn enclosure(&self) -> Enclosure {
        let (value, bound) = (self.value, self.bound);
        Enclosure { value, at_least: value.min(bound), at_most: value.max(bound) }
    }
}

/// Weights near the optimum of a criterion, and a proven bound.
///
/// Without a ridge and with few targets the best design may measure fewer directions than the pool has, where Newton steps break
/// down. Then a tiny ridge finds the weights: its bound holds without the ridge, too, and the weights are checked without it.
pub(super) fn optimum(
    pool: &Pool,
    criterion: Criterion,
    targets: Targets,
    gamma: Ridge,
    tolerance: Tolerance,
) -> Result<Optimum, ComplexityError> {
    let problem = Problem::new(pool, criterion, targets.clone(), gamma)?;
    let solve = |problem: &Problem| InteriorPoint::default().solve(problem, &mut Control::new(tolerance));
    let refused = match solve(&problem) {
        Err(refused @ DesignError::Singular { .. }) if gamma.get() == 0.0 => refused,
        other => {
            let design = other?;
            let (value, bound) = (design.certificate().value(), design.certificate().bound());
            return Ok(Optimum { weights: design.weights(pool.len()), value, bound });
        }
    };
    let scale = pool.features().max_abs();
    let mut best: Option<Optimum> = None;
    for share in TINY_RIDGES {
        let ridge = Ridge::new(share * scale * scale)?;
        let Ok(design) = solve(&Problem::new(pool, criterion, targets.clone(), ridge)?) else { continue };
        let weights = design.certificate().target_weights();
        let Ok(checked) = recheck(&problem, design.support(), weights) else { continue };
        let known = best.as_ref().map_or(0.0, |best| best.bound);
        let value = checked.value();
        let bound = checked.bound().max(design.certificate().bound()).max(known).min(value);
        match &mut best {
            Some(best) if value > best.value => best.bound = bound,
            _ => best = Some(Optimum { weights: design.weights(pool.len()), value, bound }),
        }
    }
    best.ok_or_else(|| refused.into())
}

/// Ridges to try, relative to the square of the largest feature: the smaller, the closer to none.
const TINY_RIDGES: [f64; 5] = [1e-12, 1e-10, 1e-8, 1e-7, 1e-6];
