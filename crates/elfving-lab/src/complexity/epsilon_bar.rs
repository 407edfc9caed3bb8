//! ε̄: the accuracy that bias leaves in reach.

use std::collections::BTreeMap;
use std::fmt;

use serde::{Deserialize, Serialize};

use super::error::not_negative;
use super::{ComplexityError, Enclosure, Over, Truth, near_best_variance, worst_variance_among};
use elfving::pool::{ChoiceId, Pool};
use elfving::units::{Ridge, Tolerance};

/// `ε_min = min {ε : 4 (√γ ‖θ‖ + h)(2 + √g(ε)) ≤ ε}` and `ε̄ = 8 ε_min`.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct EpsilonBar {
    /// √γ ‖θ‖ + h.
    pub bias: f64,
    /// Whether g is taken over pairs with z* (the theorem) or all pairs (the appendix).
    pub over: Over,
    /// ε_min.
    pub smallest: Enclosure,
    /// ε̄ = 8 ε_min: the paper's theorem holds for every ε of at least this.
    pub epsilon_bar: Enclosure,
}

/// The accuracy below which the paper's theorem on identification says nothing, for a model that is wrong by h.
///
/// `Over::Points` pairs every choice with z*, as the theorem does; `Over::Differences` takes all pairs, as the appendix does.
/// ε̄ has √γ ‖θ‖ in it, not γ ‖θ‖. The paper counts its factor 8 twice: ε̄ is defined with it, and a lemma multiplies by 8
/// again; once is enough. Cost: a few designs, because `ε ← 4 bias (2 + √g(ε))` from 0 climbs to the least solution in as many
/// steps as g has levels below it.
///
/// # Errors
/// [`ComplexityError::Parameter`] for an h that is not a finite number ≥ 0; what the designs find.
pub fn epsilon_bar(
    pool: &Pool,
    truth: &Truth,
    gamma: Ridge,
    misspecification: f64,
    over: Over,
    tolerance: Tolerance,
) -> Result<EpsilonBar, ComplexityError> {
    let bias = gamma.get().sqrt() * truth.norm + not_negative("the misspecification h", misspecification)?;
    // g by the number of choices it is taken over: it changes only when another one comes within ε.
    let mut levels: BTreeMap<usize, Enclosure> = BTreeMap::new();
    let mut climb = |side: fn(&Enclosure) -> f64| -> Result<f64, ComplexityError> {
        let mut epsilon = 0.0;
        loop {
            let near: Vec<ChoiceId> =
                (0..truth.gaps.len()).filter(|&z| truth.gaps[z] <= epsilon).map(ChoiceId::new).collect();
            let level = match levels.get(&near.len()) {
                Some(&level) => level,
                None => {
                    let level = match over {
                        Over::Points => near_best_variance(pool, truth, gamma, epsilon, tolerance)?,
                        Over::Differences => worst_variance_among(pool, over, &near, gamma, tolerance)?,
                    };
                    levels.insert(near.len(), level);
                    level
                }
            };
            let next = 4.0 * bias * (2.0 + side(&level).sqrt());
            if !(next > epsilon) {
                return Ok(epsilon);
            }
            epsilon = next;
        }
    };
    let at_least = climb(|level| level.at_least)?;
    let at_most = climb(|level| level.at_most)?;
    let smallest = Enclosure { value: at_most, at_least, at_most };
    Ok(EpsilonBar { bias, over, smallest, epsilon_bar: smallest.map(|epsilon| 8.0 * epsilon) })
}

impl fmt::Display for EpsilonBar {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "epsilon-bar {} for a bias of {:.4e}", self.epsilon_bar, self.bias)
    }
}
