//! The median of block means.

use super::{Assumption, MeanError, MomentBound, RobustMean, arithmetic_mean, check, enough, width};
use crate::units::Confidence;

/// The median of the means of k contiguous blocks, k = ⌈8 log(1/δ)⌉; it needs no bound to be computed.
///
/// The blocks have ⌊n/k⌋ or ⌈n/k⌉ samples, the longer ones first; for even k the two middle means are averaged.
///
/// **Bound.** A block mean misses μ by more than `2ν/√⌊n/k⌋` with probability at most 1/4 (Chebyshev). The median
/// misses by more only if at least k/2 blocks do, which has probability at most `exp(-2k/16) = exp(-k/8) ≤ δ`
/// (Hoeffding). So `|estimate - μ| ≤ 2ν/√⌊n/k⌋` with probability 1 - δ. When 8 log(1/δ) is whole and divides n this is
/// `√(32 ν² log(1/δ)/n)`, the form in which it is usually printed (Lugosi and Mendelson, *Mean estimation and
/// regression under heavy-tailed distributions*, 2019, Theorem 2); rounding k up and n/k down makes the
/// honest number slightly larger.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct MedianOfMeans {
    blocks: usize,
}

impl MedianOfMeans {
    /// k = ⌈8 log(1/δ)⌉ blocks, for statements that fail with probability at most δ.
    pub fn new(delta: Confidence) -> Self {
        Self { blocks: ((-8.0 * delta.delta().ln()).ceil() as usize).max(1) }
    }

    /// k blocks, for statements that fail with probability at most exp(-k/8).
    ///
    /// # Errors
    /// [`MeanError::NoBlocks`] for k = 0.
    pub fn with_blocks(blocks: usize) -> Result<Self, MeanError> {
        if blocks >= 1 { Ok(Self { blocks }) } else { Err(MeanError::NoBlocks) }
    }

    /// The number of blocks k.
    pub fn blocks(&self) -> usize {
        self.blocks
    }

    /// The median of means, which needs no bound. Cost: O(n).
    ///
    /// # Errors
    /// [`MeanError::TooFewSamples`] for fewer samples than blocks, [`MeanError::NonFinite`].
    pub fn of(&self, samples: &[f64]) -> Result<f64, MeanError> {
        check(self, samples)?;
        let (short, longer_blocks) = (samples.len() / self.blocks, samples.len() % self.blocks);
        let mut rest = samples;
        let mut means: Vec<f64> = (0..self.blocks)
            .map(|block| {
                let (head, tail) = rest.split_at(short + usize::from(block < longer_blocks));
                rest = tail;
                arithmetic_mean(head)
            })
            .collect();
        means.sort_unstable_by(f64::total_cmp);
        Ok(0.5 * means[(self.blocks - 1) / 2] + 0.5 * means[self.blocks / 2])
    }
}

impl RobustMean for MedianOfMeans {
    fn name(&self) -> &'static str {
        "median of means"
    }

    fn assumption(&self) -> Assumption {
        Assumption::Variance
    }

    fn minimum_samples(&self) -> usize {
        self.blocks
    }

    fn estimate(&self, samples: &[f64], _bound: MomentBound) -> Result<f64, MeanError> {
        self.of(samples)
    }

    fn deviation(&self, n: usize, bound: MomentBound) -> Result<f64, MeanError> {
        enough(self, n)?;
        width(self, bound, 2.0 / ((n / self.blocks) as f64).sqrt())
    }
}
