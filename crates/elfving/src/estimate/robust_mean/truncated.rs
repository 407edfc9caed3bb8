//! The mean of samples cut back to a fixed range.

use super::{
    Assumption, LogTerm, MeanError, MomentBound, RobustMean, arithmetic_mean, check, enough, range, width,
};
use crate::units::Confidence;

/// The mean of the samples cut back to `[-b, b]`, b = √(3 u n / (4L)), L = log(2/δ), for `E X² ≤ u`.
///
/// **Bound.** Let Y = max(-b, min(X, b)).
/// - Bias: `(|x| - b)₊ ≤ x²/(4b)`, because `(|x| - 2b)² ≥ 0`; so `|E X - E Y| ≤ u/(4b)`.
/// - Noise: `|Y| ≤ b` and `E Y² ≤ u`, so by Bernstein's inequality (Boucheron, Lugosi and Massart, *Concentration
///   inequalities*, 2013, Theorem 2.10 with v = nu, c = b/3) the mean of n copies misses E Y by more than
///   `√(2uL/n) + bL/(3n)` with probability at most e^-L on either side.
///
/// The sum is smallest at the b above, where both b-terms are `√(uL/n)/√12`. So for every n ≥ 1
///
/// `|estimate - μ| ≤ (√2 + 1/√3) √(u L / n)` with probability 1 - δ; the constant is 1.992.
///
/// Dropping samples beyond the range instead of cutting them back, with a range that grows with time, is the form of
/// Bubeck, Cesa-Bianchi and Lugosi (*Bandits with heavy tail*, 2013, Lemma 1); its constant is 4.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct TruncatedMean {
    log_term: LogTerm,
}

impl TruncatedMean {
    /// The truncated mean for statements that fail with probability at most δ.
    pub fn new(delta: Confidence) -> Self {
        Self { log_term: LogTerm::two_sided(delta) }
    }

    /// The truncated mean for L = log(2/δ) given as it is, say log(2|V|/δ).
    ///
    /// # Errors
    /// [`MeanError::LogTerm`] unless L is finite and above log 2.
    pub fn with_log_term(log_term: f64) -> Result<Self, MeanError> {
        Ok(Self { log_term: LogTerm::new(log_term)? })
    }
}

impl RobustMean for TruncatedMean {
    fn name(&self) -> &'static str {
        "truncated mean"
    }

    fn assumption(&self) -> Assumption {
        Assumption::SecondMoment
    }

    fn minimum_samples(&self) -> usize {
        1
    }

    /// Cost: O(n).
    fn estimate(&self, samples: &[f64], bound: MomentBound) -> Result<f64, MeanError> {
        check(self, samples)?;
        refuse_zero_bound(samples, bound)?;
        let limit = bound.root() * (0.75 * samples.len() as f64 / self.log_term.get()).sqrt();
        let cut: Vec<f64> = samples.iter().map(|x| x.clamp(-limit, limit)).collect();
        Ok(arithmetic_mean(&cut))
    }

    fn deviation(&self, n: usize, bound: MomentBound) -> Result<f64, MeanError> {
        enough(self, n)?;
        let constant = 2f64.sqrt() + 1.0 / 3f64.sqrt();
        width(self, bound, constant * (self.log_term.get() / n as f64).sqrt())
    }
}

/// A second moment of 0 allows no sample but 0.
pub(super) fn refuse_zero_bound(samples: &[f64], bound: MomentBound) -> Result<(), MeanError> {
    let (lowest, highest) = range(samples);
    if bound.get() > 0.0 || (lowest == 0.0 && highest == 0.0) {
        Ok(())
    } else {
        Err(MeanError::BoundRefuted { assumption: Assumption::SecondMoment, lowest, highest })
    }
}
