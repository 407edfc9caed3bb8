//! The mean of softly truncated samples: one pass of Catoni's influence function.

use super::batch::Grouped;
use super::influence::psi;
use super::truncated::refuse_zero_bound;
use super::{
    Assumption, DirectionSamples, LogTerm, MeanError, MomentBound, RobustMean, check, directions, enough,
    width,
};
use crate::units::Confidence;

/// The mean of `ψ(α xᵢ)/α` with Catoni's ψ and α = √(2L / (n u)), L = log(2/δ), for `E X² ≤ u`.
///
/// **Bound.** `ψ(x) ≤ log(1 + x + x²/2)`, hence `E exp ψ(αX) ≤ 1 + αμ + α²u/2 ≤ exp(αμ + α²u/2)`, and by Markov's
/// inequality `estimate ≤ μ + αu/2 + L/(αn)` with probability at least 1 - e^-L. ψ is odd, so the same holds
/// below. With the α above, for every n ≥ 1,
///
/// `|estimate - μ| ≤ √(2 u L / n)` with probability 1 - δ.
///
/// This is the first half of Catoni's argument (2012, section 2) with the centre held at 0; Catoni and Giulini
/// (*Dimension-free PAC-Bayesian bounds for the estimation of the mean of a random vector*, 2017) use it in many
/// dimensions. When only the raw second moment is bounded, as for the samples of RIPS, it is never wider than [`Catoni`](super::Catoni)
/// and needs no minimum number of samples; Catoni wins when the variance bound is much below the second moment.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct SoftTruncatedMean {
    log_term: LogTerm,
}

impl SoftTruncatedMean {
    /// The softly truncated mean for statements that fail with probability at most δ.
    pub fn new(delta: Confidence) -> Self {
        Self { log_term: LogTerm::two_sided(delta) }
    }

    /// The softly truncated mean for L = log(2/δ) given as it is, say log(2|V|/δ).
    ///
    /// # Errors
    /// [`MeanError::LogTerm`] unless L is finite and above log 2.
    pub fn with_log_term(log_term: f64) -> Result<Self, MeanError> {
        Ok(Self { log_term: LogTerm::new(log_term)? })
    }

    fn alpha(&self, n: usize, bound: MomentBound) -> f64 {
        (2.0 * self.log_term.get() / n as f64).sqrt() / bound.root()
    }
}

impl RobustMean for SoftTruncatedMean {
    fn name(&self) -> &'static str {
        "soft truncated mean"
    }

    fn assumption(&self) -> Assumption {
        Assumption::SecondMoment
    }

    fn minimum_samples(&self) -> usize {
        1
    }

    /// Cost: O(n), one logarithm a sample.
    fn estimate(&self, samples: &[f64], bound: MomentBound) -> Result<f64, MeanError> {
        check(self, samples)?;
        refuse_zero_bound(samples, bound)?;
        if bound.get() == 0.0 {
            return Ok(0.0);
        }
        let alpha = self.alpha(samples.len(), bound);
        let sum: f64 = samples.iter().map(|x| psi(alpha * x)).sum();
        Ok(sum / samples.len() as f64 / alpha)
    }

    fn deviation(&self, n: usize, bound: MomentBound) -> Result<f64, MeanError> {
        enough(self, n)?;
        width(self, bound, (2.0 * self.log_term.get() / n as f64).sqrt())
    }

    /// Cost: O(directions · n), a few flops a sample; agrees with [`estimate`](Self::estimate) to 1e-12 of the
    /// largest sample.
    fn estimate_each(
        &self,
        samples: &DirectionSamples<'_>,
        bounds: &[MomentBound],
    ) -> Result<Vec<f64>, MeanError> {
        enough(self, samples.draws())?;
        let grouped = Grouped::new(samples);
        directions::for_each_direction(samples, bounds, |direction, bound, buffer| {
            let alpha = self.alpha(samples.draws(), bound);
            match grouped.scaled(direction, alpha, buffer) {
                Some(mut scaled) => Ok(scaled.influence(0.0).0 / samples.draws() as f64 / alpha),
                None => {
                    samples.write(direction, buffer);
                    self.estimate(buffer, bound)
                }
            }
        })
    }
}
