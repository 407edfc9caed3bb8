//! Catoni's mean.

use super::batch::Grouped;
use super::influence::root;
use super::{
    Assumption, DirectionSamples, LogTerm, MeanError, MomentBound, RobustMean, arithmetic_mean, check,
    directions, enough, range, width,
};
use crate::units::Confidence;

/// Catoni's mean: the root m of `Σ ψ(α(xᵢ - m)) = 0`, `ψ(x) = sign(x) log(1 + |x| + x²/2)`, for variance at most ν².
///
/// With L = log(2/δ), n > 2L and `α = √(2L / (n (ν² + 2ν²L/(n - 2L)))) = √(2L (n - 2L)) / (n ν)`,
///
/// `|estimate - μ| ≤ ν √(2L / (n - 2L))` with probability 1 - δ
///
/// (Catoni, *Challenging the empirical mean and empirical variance: a deviation study*, Ann. IHP 48, 2012, Prop. 2.4; there
/// each side has its own ε = δ/2). The constant is that of the normal law as n grows.
///
/// ```
/// use elfving::estimate::robust_mean::{Catoni, MomentBound, RobustMean};
/// use elfving::units::Confidence;
///
/// let catoni = Catoni::new(Confidence::new(0.05)?);
/// let variance = MomentBound::new(1.0)?;
/// assert_eq!(catoni.minimum_samples(), 8);
/// assert_eq!(catoni.estimate(&[2.5; 10], variance)?, 2.5);
/// println!("{} ± {}", catoni.estimate(&[2.5; 10], variance)?, catoni.deviation(10, variance)?);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Catoni {
    log_term: LogTerm,
}

impl Catoni {
    /// Catoni's mean for statements that fail with probability at most δ.
    pub fn new(delta: Confidence) -> Self {
        Self { log_term: LogTerm::two_sided(delta) }
    }

    /// Catoni's mean for L = log(2/δ) given as it is, say log(2|V|/δ).
    ///
    /// # Errors
    /// [`MeanError::LogTerm`] unless L is finite and above log 2.
    pub fn with_log_term(log_term: f64) -> Result<Self, MeanError> {
        Ok(Self { log_term: LogTerm::new(log_term)? })
    }

    /// `α = √(2L (n - 2L)) / (n ν)`: how hard outliers are held down; infinite for ν = 0.
    ///
    /// # Errors
    /// [`MeanError::TooFewSamples`] unless n > 2L.
    pub fn alpha(&self, n: usize, bound: MomentBound) -> Result<f64, MeanError> {
        enough(self, n)?;
        let (n, twice) = (n as f64, 2.0 * self.log_term.get());
        Ok((twice / n * ((n - twice) / n)).sqrt() / bound.root())
    }

    /// The deviation of an estimate tuned for variance `tuned` when the variance is only known to be at most `actual`;
    /// `None` when nothing is proved of it.
    ///
    /// For any α, `Σ ψ(α(xᵢ - m))` is bounded on both sides with probability 1 - δ by parabolas in m, whose roots are
    /// `(1 - √(1 - α²ν² - 2L/n)) / α` from the mean while the root exists (Catoni 2012, section 2). At `actual = tuned`
    /// it is [`deviation`](RobustMean::deviation), and it grows with `actual`.
    ///
    /// # Errors
    /// [`MeanError::TooFewSamples`] unless n > 2L.
    pub fn deviation_if(
        &self,
        n: usize,
        tuned: MomentBound,
        actual: MomentBound,
    ) -> Result<Option<f64>, MeanError> {
        let alpha = self.alpha(n, tuned)?;
        if !alpha.is_finite() {
            return Ok((actual.get() == 0.0).then_some(0.0));
        }
        let twice = 2.0 * self.log_term.get() / n as f64;
        let spread = alpha * actual.root();
        let below = 1.0 - twice - spread * spread;
        // (1 - √b)/α without the cancellation, for b near 1.
        let deviation = (twice + spread * spread) / ((1.0 + below.sqrt()) * alpha);
        Ok(Some(deviation).filter(|deviation| below >= 0.0 && deviation.is_finite()))
    }
}

/// Below this α(max - min) the influence function is the identity to double precision, and the root is the mean.
const LINEAR: f64 = 1e-8;

impl RobustMean for Catoni {
    fn name(&self) -> &'static str {
        "Catoni mean"
    }

    fn assumption(&self) -> Assumption {
        Assumption::Variance
    }

    /// ⌊2L⌋ + 1, the smallest n > 2L.
    fn minimum_samples(&self) -> usize {
        ((2.0 * self.log_term.get()) as usize).saturating_add(1)
    }

    /// Cost: O(n) for each Newton step, usually 3 to 6 of them, one logarithm a sample. Exact to about one rounding of the
    /// typical sample; data of scale 1e-150 to 1e150 are safe.
    fn estimate(&self, samples: &[f64], bound: MomentBound) -> Result<f64, MeanError> {
        check(self, samples)?;
        let alpha = self.alpha(samples.len(), bound)?;
        let (lowest, highest) = range(samples);
        if lowest == highest {
            Ok(lowest)
        } else if bound.get() == 0.0 {
            Err(MeanError::BoundRefuted { assumption: Assumption::Variance, lowest, highest })
        } else if alpha * (highest - lowest) <= LINEAR {
            Ok(arithmetic_mean(samples))
        } else {
            Ok(root(samples, alpha, lowest, highest))
        }
    }

    fn deviation(&self, n: usize, bound: MomentBound) -> Result<f64, MeanError> {
        enough(self, n)?;
        let twice = 2.0 * self.log_term.get();
        width(self, bound, (twice / (n as f64 - twice)).sqrt())
    }

    /// Cost: O(directions · n), two or three passes of a few flops a sample and no logarithm inside. Agrees with
    /// [`estimate`](Self::estimate) to 1e-12 of the largest sample of the direction.
    fn estimate_each(
        &self,
        samples: &DirectionSamples<'_>,
        bounds: &[MomentBound],
    ) -> Result<Vec<f64>, MeanError> {
        enough(self, samples.draws())?;
        let grouped = Grouped::new(samples);
        directions::for_each_direction(samples, bounds, |direction, bound, buffer| {
            let alpha = self.alpha(samples.draws(), bound)?;
            match grouped.scaled(direction, alpha, buffer).and_then(|mut scaled| scaled.root()) {
                Some(scaled_root) => Ok(scaled_root / alpha),
                None => {
                    samples.write(direction, buffer);
                    self.estimate(buffer, bound)
                }
            }
        })
    }
}
