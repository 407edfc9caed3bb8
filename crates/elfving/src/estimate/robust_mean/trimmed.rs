//! The trimmed mean: the first half of the samples sets the range, the second half is averaged.

use super::{Assumption, MeanError, MomentBound, RobustMean, arithmetic_mean, check, enough, width};
use crate::units::Confidence;

/// The mean of the second half of the samples, cut back to `[a, b]`, the k-th smallest and k-th largest of the first half;
/// k = ⌈1.5 L⌉ with L = log(6/δ). It needs no bound to be computed.
///
/// The estimator is that of Lugosi and Mendelson (*Robust multivariate mean estimation: the optimality of trimmed mean*, Ann.
/// Statist. 49, 2021, section 2); the constants here are derived for a known variance and clean samples, as follows.
///
/// **Bound.** N = ⌊n/2⌋ samples set the range, M = n - N are averaged; q = 2.65 k/N, p = 0.24 k/N, ρ = √(q/(1 - q)).
/// 1. `P(X > b) ≤ q`. Else fewer than k of N samples reach the upper q-quantile, whose count has mean at least 2.65 k:
///    probability at most `exp(-k (2.65 - 1 - log 2.65)) ≤ e^-L` (Chernoff), since the bracket is at least 2/3.
/// 2. `P(X ≥ b) ≥ p`. Else at least k of N lie beyond the upper p-quantile, a count of mean at most 0.24 k: probability
///    at most `exp(-k (0.24 - 1 - log 0.24)) ≤ e^-L`. Hence `b - μ ≤ ν/√p` (Chebyshev). Likewise for a: four events.
/// 3. Bias. Let w = P(X > b). `E (X - μ) 1{X > b} ≤ ν √(w(1 - w))` (Cauchy-Schwarz), and if b < μ then
///    `μ - b ≤ ν √(w/(1 - w))`; so `E (X - b)₊ ≤ ν √(w/(1 - w)) ≤ νρ`. The two ends pull in opposite directions: the bias of the
///    cut-back X is at most νρ.
/// 4. Noise. Cutting back does not raise the variance, and the cut-back X exceeds its mean by at most
///    `ν(1/√p + ρ)`; by Bernstein's inequality the average of M misses by more than
///    `ν √(2L/M) + ν (1/√p + ρ) L/(3M)` with probability at most e^-L on either side.
///
/// Together, with probability at least `1 - 6 e^-L = 1 - δ`,
///
/// `|estimate - μ| ≤ ν (√(2L/M) + ρ + (1/√p + ρ) L/(3M))`, for N ≥ 4k.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct TrimmedMean {
    /// L = log(6/δ).
    log_term: f64,
}

impl TrimmedMean {
    /// The trimmed mean for statements that fail with probability at most δ.
    pub fn new(delta: Confidence) -> Self {
        Self { log_term: (6.0 / delta.delta()).ln() }
    }

    /// How many samples of the first half lie at or beyond each end of the range: k = ⌈1.5 log(6/δ)⌉.
    pub fn trimmed(&self) -> usize {
        (1.5 * self.log_term).ceil() as usize
    }

    /// The trimmed mean, which needs no bound. Cost: O(n).
    ///
    /// # Errors
    /// [`MeanError::TooFewSamples`], [`MeanError::NonFinite`].
    pub fn of(&self, samples: &[f64]) -> Result<f64, MeanError> {
        check(self, samples)?;
        let (first, second) = samples.split_at(samples.len() / 2);
        let mut first = first.to_vec();
        first.sort_unstable_by(f64::total_cmp);
        let (low, high) = (first[self.trimmed() - 1], first[first.len() - self.trimmed()]);
        let cut: Vec<f64> = second.iter().map(|x| x.clamp(low, high)).collect();
        Ok(arithmetic_mean(&cut))
    }
}

impl RobustMean for TrimmedMean {
    fn name(&self) -> &'static str {
        "trimmed mean"
    }

    fn assumption(&self) -> Assumption {
        Assumption::Variance
    }

    fn minimum_samples(&self) -> usize {
        8 * self.trimmed()
    }

    fn estimate(&self, samples: &[f64], _bound: MomentBound) -> Result<f64, MeanError> {
        self.of(samples)
    }

    fn deviation(&self, n: usize, bound: MomentBound) -> Result<f64, MeanError> {
        enough(self, n)?;
        let (first, second) = ((n / 2) as f64, (n - n / 2) as f64);
        let share = self.trimmed() as f64 / first;
        let (q, p) = (2.65 * share, 0.24 * share);
        let bias = (q / (1.0 - q)).sqrt();
        let noise = (2.0 * self.log_term / second).sqrt();
        let range = (1.0 / p.sqrt() + bias) * self.log_term / (3.0 * second);
        width(self, bound, noise + bias + range)
    }
}
