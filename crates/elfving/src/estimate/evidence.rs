//! What a width is made of, so that it can be computed again under other assumptions without the outcomes.

use super::robust_mean::DirectionSamples;
use super::{Assumptions, Bias, Counted, EstimateError, LeastSquares, Rips, Sampled, Widths};
use crate::design::TargetRef;
use crate::numerics::dot;
use crate::pool::Targets;

/// An estimate of `⟨v, θ⟩` and the coefficients of its width.
///
/// With `c_x = vᵀM⁻¹φ(x)` and weights w (probabilities of draws, or counts) the noise comes from the moment
/// `Σ_x w_x c_x² (R_x² + σ_x²)`, with R = 0 for counts, and the bias is at most `pull · S + reach · h`.
#[derive(Debug, Clone, PartialEq)]
pub struct Evidence {
    /// Which direction v.
    pub target: TargetRef,
    /// The estimate.
    pub estimate: f64,
    /// `w_x c_x²` at every measured point, in pool order.
    pub shares: Vec<f64>,
    /// The moment for which the estimate was made.
    pub moment: f64,
    /// `γ ‖M⁻¹v‖`, and what a kernel's features leave out.
    pub pull: f64,
    /// `Σ_x w_x |c_x|`.
    pub reach: f64,
}

impl Rips {
    /// W(v) with the coefficients of its sharp width, for each target. Cost and memory: as
    /// [`intervals`](Rips::intervals), and s numbers a target.
    ///
    /// # Errors
    /// Those of [`intervals`](Rips::intervals).
    pub fn evidence(&self, sampled: &Sampled<'_>, targets: &Targets) -> Result<Vec<Evidence>, EstimateError> {
        let frame = &sampled.frame;
        let directions = frame.directions(targets)?;
        let mean = self.mean_of_one(directions.count())?;
        let centred = self.centred_outcomes(sampled)?;
        let restore: Vec<f64> = frame.weights.iter().zip(&centred.centres).map(|(p, m)| p * m).collect();
        let mut all = Vec::with_capacity(directions.count());
        for block in directions.blocks() {
            let coefficients = directions.coefficients(&block);
            let norms = directions.norms(&block);
            let moments = self.second_moments(sampled, &centred.second_moments, &coefficients, &norms)?;
            let samples = DirectionSamples::new(&sampled.columns, &centred.outcomes, &coefficients)?;
            let robust_means = mean.estimate_each(&samples, &moments)?;
            let at = (all.len(), block.as_slice());
            let biases = frame.biases(&directions, at, &coefficients, &Assumptions::units(), Widths::Sharp);
            for (i, (&target, bias)) in block.iter().zip(biases).enumerate() {
                let row = coefficients.row(i);
                all.push(Evidence {
                    target,
                    estimate: robust_means[i] + dot(&restore, row),
                    shares: shares(&frame.weights, row),
                    moment: moments[i].get(),
                    pull: pull(bias),
                    reach: bias.misspecification,
                });
            }
        }
        finite(all)
    }
}

impl LeastSquares {
    /// `⟨v, θ⟩` with the coefficients of its width, for each target. Cost: O(|V| s k).
    ///
    /// # Errors
    /// Those of [`intervals`](LeastSquares::intervals).
    pub fn evidence(&self, counted: &Counted<'_>, targets: &Targets) -> Result<Vec<Evidence>, EstimateError> {
        let frame = &counted.frame;
        let directions = frame.directions(targets)?;
        let variances = self.assumptions().variances(&frame.ids, frame.pool.len())?;
        let fit = Self::fit(counted);
        let mut all = Vec::with_capacity(directions.count());
        for block in directions.blocks() {
            let coefficients = directions.coefficients(&block);
            let whitened = directions.whitened(&block);
            let at = (all.len(), block.as_slice());
            let biases = frame.biases(&directions, at, &coefficients, &Assumptions::units(), Widths::Sharp);
            for (i, (&target, bias)) in block.iter().zip(biases).enumerate() {
                let shares = shares(&frame.weights, coefficients.row(i));
                all.push(Evidence {
                    target,
                    estimate: dot(whitened.row(i), &fit.whitened),
                    moment: dot(&shares, &variances),
                    shares,
                    pull: pull(bias),
                    reach: bias.misspecification,
                });
            }
        }
        finite(all)
    }
}

fn shares(weights: &[f64], coefficients: &[f64]) -> Vec<f64> {
    weights.iter().zip(coefficients).map(|(w, c)| w * c * c).collect()
}

fn pull(bias: Bias) -> f64 {
    bias.ridge.expect("a norm of 1 is a bound on the norm")
}

/// Refuses what left the range of floating-point numbers.
fn finite(all: Vec<Evidence>) -> Result<Vec<Evidence>, EstimateError> {
    let sound = |one: &Evidence| (one.estimate + one.moment + one.pull + one.reach).is_finite();
    if all.iter().all(sound) { Ok(all) } else { Err(EstimateError::Overflow) }
}
