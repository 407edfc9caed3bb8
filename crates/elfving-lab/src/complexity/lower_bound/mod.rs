//! T*(θ): what no algorithm can undercut.
//!
//! An algorithm must tell θ from every θ' of norm at most R under which another choice is best. With shares λ of the measurements,
//! unit noise and such a θ', it sees `½ ‖θ' - θ‖²_{A(λ)}` of evidence a measurement, so that
//!
//! ```text
//! 1 / T* = max_λ min_z' inf_{θ': ⟨θ', z' - z*⟩ ≥ 0, ‖θ'‖ ≤ R} ½ ‖θ' - θ‖²_{A(λ)}
//! ```
//!
//! For given λ the inner problem has a dual with one unknown ([`alternatives`]); over λ it is a matrix game with one row for every
//! θ', solved with the rows found so far ([`game`]). Any λ bounds T* from above and any mixture of alternatives from below, so
//! the answer is certified whatever the game is worth.

mod alternatives;
mod game;

use std::fmt;

use serde::{Deserialize, Serialize};

use super::error::positive;
use super::rho_star::rho_design;
use super::{ComplexityError, Enclosure, Truth};
use alternatives::Oracle;
use elfving::numerics::norm_squared;
use elfving::pool::Pool;
use elfving::units::{Confidence, Ridge, Tolerance};
use game::Game;

/// Rounds of the game at most, and on large pools the arithmetic it may take, some seconds; the bounds hold at any time.
const MOST_ROUNDS: usize = 200;
const FEWEST_ROUNDS: usize = 8;
const MOST_WORK: f64 = 1e10;
/// Rows that join the game in a round.
const ROWS_A_ROUND: usize = 40;

/// `E[τ] ≥ T* σ² log(1/(2.4 δ))` for every algorithm that names the best choice with probability 1 - δ.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct CharacteristicTime {
    /// T* for noise of variance one.
    pub time: Enclosure,
    /// R, the bound on ‖θ‖ that the algorithm may rely on.
    pub norm_bound: Option<f64>,
    /// Whether it helps: the certified T* with it is below the certified T* without.
    pub norm_bound_helps: bool,
}

impl CharacteristicTime {
    /// Expected measurements that no algorithm undercuts, for noise of standard deviation σ: `T* σ² log(1/(2.4 δ))`.
    ///
    /// The paper has log(1/δ) and the limit δ → 0; with 2.4 δ it holds for every δ (Kaufmann, Cappé, Garivier 2016). 0 when δ is too
    /// large for it to say anything.
    pub fn measurements(&self, sigma: f64, delta: Confidence) -> f64 {
        self.time.at_least * sigma * sigma * (1.0 / (2.4 * delta.delta())).ln().max(0.0)
    }
}

/// The characteristic time of naming the best choice, for Gaussian noise of variance one.
///
/// Without a bound on the norm `T* = 2 ρ*(0, 0)`. The paper's corollary has the sign of `x' - x*` reversed and a 1/2 missing in the
/// definition it starts from; with both right, the inner value is
/// `sup_γ max{(x* - x')ᵀ(A+γ)⁻¹Aθ, 0}² / 2‖x* - x'‖²_{(A+γ)⁻¹} + γ/2 (‖θ‖²_{(A+γ)⁻¹A} - R²)`.
///
/// Cost: one design without a bound. With one, some tens of rounds of an eigendecomposition, m searches in one unknown of r flops a
/// step, and a linear programme; on large pools it stops after some seconds with the bounds it has. Kernel pools are taken by
/// their features.
///
/// # Errors
/// [`ComplexityError::Tie`] for two best choices, [`ComplexityError::NormBound`] for a truth above the bound; without a bound what the
/// design finds.
///
/// ```
/// use elfving_lab::complexity::{Truth, characteristic_time};
/// use elfving::{numerics::Matrix, pool::Pool, units::Tolerance};
/// let pool = Pool::from_features(Matrix::identity(2))?;
/// let truth = Truth::from_theta(&pool, vec![1.0, 0.5])?;
/// let tolerance = Tolerance::new(1e-7)?;
/// let free = characteristic_time(&pool, &truth, None, tolerance)?;
/// assert!((free.time.value - 32.0).abs() < 1e-4); // 2 · 4 / 0.5²
/// let bounded = characteristic_time(&pool, &truth, Some(truth.norm), tolerance)?;
/// assert!(bounded.time.value <= free.time.value * (1.0 + 1e-6));
/// # Ok::<(), elfving_lab::complexity::ComplexityError>(())
/// ```
pub fn characteristic_time(
    pool: &Pool,
    truth: &Truth,
    norm_bound: Option<f64>,
    tolerance: Tolerance,
) -> Result<CharacteristicTime, ComplexityError> {
    let free = rho_design(pool, truth, Ridge::ZERO, 0.0, tolerance);
    let Some(bound) = norm_bound else {
        let time = free?.map_or(Enclosure::exact(0.0), |design| design.enclosure().map(|rho| 2.0 * rho));
        return Ok(CharacteristicTime { time, norm_bound, norm_bound_helps: false });
    };
    let bound = positive("the norm bound", bound)?;
    if truth.norm > bound * (1.0 + 1e-12) {
        return Err(ComplexityError::NormBound { norm: truth.norm, bound });
    }
    // Where to start: the shares that are best without the bound, or with a little ridge where there are none.
    let scale = (0..pool.len()).map(|x| norm_squared(pool.features().row(x))).fold(0.0, f64::max);
    let unbounded = match free {
        Err(ComplexityError::Design(_)) => None,
        other => Some(other?),
    };
    let start = match &unbounded {
        Some(None) => {
            let time = Enclosure::exact(0.0);
            return Ok(CharacteristicTime { time, norm_bound, norm_bound_helps: false });
        }
        Some(Some(design)) => design.clone(),
        None => rho_design(pool, truth, Ridge::new(1e-4 * scale)?, 0.0, tolerance)?
            .expect("there are choices to compare"),
    };
    let evidence = most_evidence(pool, truth, bound, start.weights.as_slice(), tolerance.get());
    // 1/x turns the sides around.
    let mut time = Enclosure {
        value: 1.0 / evidence.at_least,
        at_least: 1.0 / evidence.at_most,
        at_most: 1.0 / evidence.at_least,
    };
    let without = unbounded.flatten().map(|design| design.enclosure().map(|rho| 2.0 * rho));
    if let Some(without) = without {
        // A bound never makes it harder.
        time.at_most = time.at_most.min(without.at_most);
        time.value = time.value.min(time.at_most);
    }
    let norm_bound_helps = without.is_none_or(|without| time.at_most < without.at_least);
    Ok(CharacteristicTime { time, norm_bound, norm_bound_helps })
}

/// `max_λ min ½ ‖θ' - θ‖²_{A(λ)}`, from below by the best λ seen and from above by a mixture of alternatives.
fn most_evidence(pool: &Pool, truth: &Truth, bound: f64, start: &[f64], tolerance: f64) -> Enclosure {
    let oracle = Oracle::new(pool, truth, bound);
    let mut game = Game::new(pool.len());
    let mut shares = start.to_vec();
    let (mut at_least, mut at_most) = (0.0f64, f64::INFINITY);
    let a_round =
        20.0 * pool.len() as f64 * (game::MOST_ROWS as f64).powi(2) + 9.0 * (pool.dimension() as f64).powi(3);
    for _ in 0..((MOST_WORK / a_round) as usize).clamp(FEWEST_ROUNDS, MOST_ROUNDS) {
        let answer = oracle.answer(&shares);
        at_least = at_least.max(answer.evidence);
        for row in oracle.rows(&answer.alternatives, ROWS_A_ROUND) {
            game.add(row);
        }
        let gap = if at_most.is_finite() { (at_most - at_least) / at_most } else { 1.0 };
        // Loosely solved, the game hands out shares in the middle of what is still possible: fewer rounds than its vertices need.
        let solved = game.solve((0.1 * gap).clamp(0.05 * tolerance, 0.1));
        at_most = at_most.min(solved.at_most);
        if !(at_most - at_least > tolerance * at_most) {
            break;
        }
        shares = solved.shares;
    }
    Enclosure { value: at_least, at_least: at_least.min(at_most), at_most }
}

impl fmt::Display for CharacteristicTime {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "T* = {}", self.time)?;
        match self.norm_bound {
            Some(bound) if self.norm_bound_helps => write!(f, ", with a norm of at most {bound}"),
            Some(bound) => write!(f, ", a norm of at most {bound} changes nothing"),
            None => Ok(()),
        }
    }
}
