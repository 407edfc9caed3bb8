//! True functions to simulate with.

use super::SimulationError;
use elfving::numerics::norm_squared;
use elfving::numerics::rng::{Purpose, stream};
use elfving::pool::Pool;
use rand_distr::{Distribution, StandardNormal};

const CENTRES: Purpose = Purpose::new("rkhs-centres");

/// A function `f = Σ_j a_j k(x_j, ·)` with random centres x_j in the pool, random a_j, and a given norm.
///
/// For explicit features it is `⟨θ, ·⟩` with θ in the span of the centres.
#[derive(Debug, Clone, PartialEq)]
pub struct RkhsFunction {
    /// Its values at the points.
    pub means: Vec<f64>,
    /// Its values at the choices; the same for a pool that chooses among itself.
    pub choice_means: Vec<f64>,
}

impl RkhsFunction {
    /// Draws a function of this norm. Cost: (n + m + centres) r.
    ///
    /// # Errors
    /// [`SimulationError::Zero`] without centres, [`SimulationError::Parameter`] for a norm that is not a finite number > 0,
    /// or when every centre is zero.
    pub fn random(pool: &Pool, centres: usize, norm: f64, seed: u64) -> Result<Self, SimulationError> {
        if centres == 0 {
            return Err(SimulationError::Zero { what: "the number of centres" });
        }
        let refused =
            SimulationError::Parameter { what: "the norm", wanted: "a finite number > 0", got: norm };
        if !(norm > 0.0 && norm.is_finite()) {
            return Err(refused);
        }
        let mut random = stream(seed, 0, CENTRES);
        let mut theta = vec![0.0; pool.dimension()];
        for _ in 0..centres {
            let centre = random.below(pool.len() as u64) as usize;
            let height: f64 = StandardNormal.sample(&mut random);
            theta.iter_mut().zip(pool.features().row(centre)).for_each(|(t, x)| *t += height * x);
        }
        let length = norm_squared(&theta).sqrt();
        if !(length > 0.0 && length.is_finite()) {
            return Err(refused);
        }
        theta.iter_mut().for_each(|t| *t *= norm / length);
        let at = |rows: &elfving::numerics::Matrix| -> Vec<f64> {
            (0..rows.rows()).map(|i| rows.row(i).iter().zip(&theta).map(|(x, t)| x * t).sum()).collect()
        };
        Ok(Self { means: at(pool.features()), choice_means: at(pool.choices()) })
    }
}
