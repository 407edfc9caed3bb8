//! Means that survive heavy tails: one small trait, one estimator a file.
//!
//! Each estimator is built once from a failure probability δ and then serves any number of samples; what is
//! known about the spread is an argument of each call, because in RIPS it differs from direction to direction
//! while δ is shared.
//!
//! | estimator | it needs a bound on | `\|estimate - mean\| ≤`, with probability 1 - δ | fewest samples |
//! |---|---|---|---|
//! | [`Catoni`] | the variance ν² | `ν √(2L / (n - 2L))`, L = log(2/δ) | ⌊2L⌋ + 1 |
//! | [`SoftTruncatedMean`] | the second moment u | `√(2 u L / n)`, L = log(2/δ) | 1 |
//! | [`TruncatedMean`] | the second moment u | `(√2 + 1/√3) √(u L / n)`, L = log(2/δ) | 1 |
//! | [`MedianOfMeans`] | the variance ν², for the bound only | `2ν / √⌊n/k⌋`, k = ⌈8 log(1/δ)⌉ | k |
//! | [`TrimmedMean`] | the variance ν², for the bound only | about `5.6 ν √(log(6/δ) / n)` for large n | 8 ⌈1.5 log(6/δ)⌉ |
//! | [`PlainMean`] | the variance ν², for the bound only | `ν / √(n δ)` (Chebyshev) | 1 |
//!
//! The samples are independent draws of one law. For a union over |V| statements build the estimator with δ/|V|.
//! A bound estimated from the same sample is not a bound: [`CalibratedCatoni`] does that, says so, and does not
//! implement [`RobustMean`].

mod batch;
mod calibrated;
mod catoni;
mod directions;
mod influence;
mod lanes;
mod median_of_means;
mod plain;
mod soft_truncated;
mod trimmed;
mod truncated;

pub use calibrated::CalibratedCatoni;
pub use catoni::Catoni;
pub use directions::DirectionSamples;
pub use median_of_means::MedianOfMeans;
pub use plain::PlainMean;
pub use soft_truncated::SoftTruncatedMean;
pub use trimmed::TrimmedMean;
pub use truncated::TruncatedMean;

use crate::units::{Confidence, ErrorKind};
use std::fmt;

/// A mean with a two-sided deviation bound that holds with probability 1 - δ; δ is fixed at construction.
///
/// Every implementation is odd and positively homogeneous: scaling the samples by `c` and the bound by `c²`
/// scales the estimate by `c`. Those that assume a variance also follow a shift of the samples.
///
/// ```
/// use elfving::estimate::robust_mean::{Catoni, MedianOfMeans, MomentBound, RobustMean};
/// use elfving::units::Confidence;
///
/// let mut samples: Vec<f64> = (1..=40).map(|i| f64::from(i % 7) - 3.0).collect();
/// samples[39] += 250.0; // one wild outlier: the plain mean is 6.25
/// let variance = MomentBound::new(9.0)?;
/// let delta = Confidence::new(0.05)?;
/// let means: [&dyn RobustMean; 2] = [&Catoni::new(delta), &MedianOfMeans::new(delta)];
/// for mean in means {
///     assert!(mean.estimate(&samples, variance)?.abs() < mean.deviation(40, variance)?);
/// }
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub trait RobustMean: Sync {
    /// The estimator's name in messages and reports.
    fn name(&self) -> &'static str;

    /// Which moment the `bound` arguments bound.
    fn assumption(&self) -> Assumption;

    /// The fewest samples at which the deviation bound holds.
    fn minimum_samples(&self) -> usize;

    /// The estimate of the mean from independent samples whose moment is at most `bound`.
    ///
    /// # Errors
    /// [`MeanError::TooFewSamples`], [`MeanError::NonFinite`], or [`MeanError::BoundRefuted`] when a bound of 0
    /// meets samples that vary.
    fn estimate(&self, samples: &[f64], bound: MomentBound) -> Result<f64, MeanError>;

    /// The number that `|estimate - mean|` exceeds with probability at most δ, for n samples.
    ///
    /// # Errors
    /// [`MeanError::TooFewSamples`] below [`minimum_samples`](Self::minimum_samples), [`MeanError::Overflow`].
    fn deviation(&self, n: usize, bound: MomentBound) -> Result<f64, MeanError>;

    /// The estimates for many directions that share one set of outcomes, in the order of the directions.
    ///
    /// Parallel over directions; the result does not depend on the number of threads.
    ///
    /// # Errors
    /// [`MeanError::Length`] unless there is one bound for each direction, [`MeanError::Direction`] with what
    /// [`estimate`](Self::estimate) refused.
    fn estimate_each(
        &self,
        samples: &DirectionSamples<'_>,
        bounds: &[MomentBound],
    ) -> Result<Vec<f64>, MeanError> {
        directions::for_each_direction(samples, bounds, |direction, bound, buffer| {
            samples.write(direction, buffer);
            self.estimate(buffer, bound)
        })
    }
}

/// Which moment of one sample must be bounded.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Assumption {
    /// The variance, `E (X - E X)² ≤ ν²`.
    Variance,
    /// The raw second moment, `E X² ≤ u`; it bounds the variance too.
    SecondMoment,
}

impl fmt::Display for Assumption {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Assumption::Variance => "variance",
            Assumption::SecondMoment => "second moment",
        })
    }
}

/// A bound ν² on a variance, or u on a second moment: finite and at least 0.
#[derive(Debug, Clone, Copy, PartialEq, PartialOrd)]
pub struct MomentBound(f64);

impl MomentBound {
    /// Checks the bound.
    ///
    /// # Errors
    /// [`MeanError::Moment`] unless it is finite and at least 0.
    pub fn new(bound: f64) -> Result<Self, MeanError> {
        if bound >= 0.0 && bound.is_finite() {
            Ok(Self(bound))
        } else {
            Err(MeanError::Moment { got: bound })
        }
    }

    /// The number, in squared units of the samples.
    pub fn get(self) -> f64 {
        self.0
    }

    /// Its square root, in units of the samples.
    pub fn root(self) -> f64 {
        self.0.sqrt()
    }
}

/// Why a mean was refused.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum MeanError {
    /// The theorem behind the estimator needs more samples.
    #[error("the {estimator} needs at least {needed} samples at this confidence, got {got}")]
    TooFewSamples {
        /// The estimator's name.
        estimator: &'static str,
        /// The fewest samples at which the bound holds.
        needed: usize,
        /// How many were given.
        got: usize,
    },
    /// A sample is NaN or infinite.
    #[error("sample {index} is {got}; every sample must be a finite number")]
    NonFinite {
        /// Position of the first such sample.
        index: usize,
        /// The value given.
        got: f64,
    },
    /// A moment bound must be finite and not negative.
    #[error("a moment bound must be a finite number >= 0, got {got}")]
    Moment {
        /// The value given.
        got: f64,
    },
    /// L = log(2/δ) must be finite and above log 2, which is δ < 1.
    #[error("the confidence term log(2/delta) must be a finite number above log 2, got {got}")]
    LogTerm {
        /// The value given.
        got: f64,
    },
    /// The median of means needs a block.
    #[error("the median of means needs at least one block")]
    NoBlocks,
    /// A bound of 0 says that the samples do not vary, and they do.
    #[error(
        "a {assumption} bound of 0 is refuted by samples from {lowest} to {highest}; give a larger bound"
    )]
    BoundRefuted {
        /// The moment that was bounded by 0.
        assumption: Assumption,
        /// The smallest sample.
        lowest: f64,
        /// The largest sample.
        highest: f64,
    },
    /// The deviation bound is beyond the largest number.
    #[error("the deviation of the {estimator} overflows at moment bound {bound}; rescale the outcomes")]
    Overflow {
        /// The estimator's name.
        estimator: &'static str,
        /// The moment bound given.
        bound: f64,
    },
    /// Two arguments disagree about a length.
    #[error("expected {expected} {what}, got {got}")]
    Length {
        /// What is counted.
        what: &'static str,
        /// The length that fits the other arguments.
        expected: usize,
        /// The length given.
        got: usize,
    },
    /// A draw names a distinct point that the coefficients do not have.
    #[error("draw {draw} names distinct point {point}, but the coefficients have {points} columns")]
    UnknownPoint {
        /// Position of the draw.
        draw: usize,
        /// The point it names.
        point: usize,
        /// How many points there are.
        points: usize,
    },
    /// A coefficient is NaN or infinite.
    #[error(
        "the coefficient of direction {direction} at distinct point {point} is {got}, not a finite number"
    )]
    Coefficient {
        /// Row of the coefficients.
        direction: usize,
        /// Column of the coefficients.
        point: usize,
        /// The value given.
        got: f64,
    },
    /// One direction of many was refused.
    #[error("direction {direction}: {error}")]
    Direction {
        /// The direction.
        direction: usize,
        /// Why it was refused.
        error: Box<MeanError>,
    },
}

impl MeanError {
    /// What kind of mistake it is.
    pub fn kind(&self) -> ErrorKind {
        match self {
            MeanError::Overflow { .. } => ErrorKind::Numerical,
            MeanError::TooFewSamples { .. } => ErrorKind::TooFewSamples,
            MeanError::Direction { error, .. } => error.kind(),
            MeanError::Moment { .. } | MeanError::LogTerm { .. } | MeanError::NoBlocks => ErrorKind::Usage,
            _ => ErrorKind::Data,
        }
    }
}

/// L = log(2/δ), the confidence term of a two-sided statement.
#[derive(Debug, Clone, Copy, PartialEq)]
struct LogTerm(f64);

impl LogTerm {
    fn two_sided(delta: Confidence) -> Self {
        Self(delta.log_two_sided(1))
    }

    fn new(log_term: f64) -> Result<Self, MeanError> {
        if log_term > std::f64::consts::LN_2 && log_term.is_finite() {
            Ok(Self(log_term))
        } else {
            Err(MeanError::LogTerm { got: log_term })
        }
    }

    fn get(self) -> f64 {
        self.0
    }
}

/// Refuses a count below what the estimator's theorem needs.
fn enough(mean: &(impl RobustMean + ?Sized), n: usize) -> Result<(), MeanError> {
    let needed = mean.minimum_samples();
    if n >= needed {
        Ok(())
    } else {
        Err(MeanError::TooFewSamples { estimator: mean.name(), needed, got: n })
    }
}

/// Refuses too few samples and the first one that is not finite.
fn check(mean: &(impl RobustMean + ?Sized), samples: &[f64]) -> Result<(), MeanError> {
    enough(mean, samples.len())?;
    match samples.iter().position(|x| !x.is_finite()) {
        None => Ok(()),
        Some(index) => Err(MeanError::NonFinite { index, got: samples[index] }),
    }
}

/// `bound.root() * factor` as a deviation, unless it overflows.
fn width(mean: &(impl RobustMean + ?Sized), bound: MomentBound, factor: f64) -> Result<f64, MeanError> {
    let width = bound.root() * factor;
    if width.is_finite() {
        Ok(width)
    } else {
        Err(MeanError::Overflow { estimator: mean.name(), bound: bound.get() })
    }
}

/// The arithmetic mean of finite numbers, to about one rounding and without overflow.
fn arithmetic_mean(samples: &[f64]) -> f64 {
    let n = samples.len() as f64;
    let sum: f64 = samples.iter().sum();
    if !sum.is_finite() {
        return samples.iter().map(|x| x / n).sum::<f64>().clamp(f64::MIN, f64::MAX);
    }
    let mean = sum / n;
    // The mean of the residuals takes out the rounding of the first sum.
    let refined = mean + samples.iter().map(|x| x - mean).sum::<f64>() / n;
    if refined.is_finite() { refined } else { mean }
}

/// The smallest and the largest sample; the slice is not empty.
fn range(samples: &[f64]) -> (f64, f64) {
    samples.iter().fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), &x| (low.min(x), high.max(x)))
}
