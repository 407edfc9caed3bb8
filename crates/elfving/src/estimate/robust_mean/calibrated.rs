//! Catoni's mean with the sample variance in place of a bound: practical, without proof.

use super::{Catoni, MeanError, MomentBound, RobustMean, arithmetic_mean, check};
use crate::units::Confidence;
use std::fmt;

/// Catoni's mean and width with the sample variance plugged in: **calibrated, no proof**.
///
/// On a skewed law the sample variance is small exactly when the sample mean is wrong, and the interval fails many times
/// more often than δ. So this type offers no `deviation` and is not a [`RobustMean`]: nothing that promises a
/// guarantee accepts it.
///
/// ```
/// use elfving::estimate::robust_mean::CalibratedCatoni;
/// use elfving::units::Confidence;
///
/// let samples: Vec<f64> = (0..30).map(|i| f64::from(i % 5)).collect();
/// let fit = CalibratedCatoni::plug_in(&samples, Confidence::new(0.05)?)?;
/// assert!((fit.estimate - 2.0).abs() < 1e-12);
/// assert!(fit.to_string().ends_with("(calibrated, no proof)"));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct CalibratedCatoni {
    /// Catoni's mean at the sample variance.
    pub estimate: f64,
    /// What Catoni's bound would be if the sample variance were a bound. It is not.
    pub calibrated_width: f64,
    /// `Σ (xᵢ - x̄)² / (n - 1)`.
    pub sample_variance: f64,
}

impl CalibratedCatoni {
    /// Estimates the variance and the mean from the same samples. Cost: O(n) for each Newton step.
    ///
    /// # Errors
    /// [`MeanError::TooFewSamples`] unless n > 2 log(2/δ), [`MeanError::NonFinite`], [`MeanError::Moment`] when the sample
    /// variance overflows.
    pub fn plug_in(samples: &[f64], delta: Confidence) -> Result<Self, MeanError> {
        let catoni = Catoni::new(delta);
        check(&catoni, samples)?;
        let sample_variance = sample_variance(samples);
        let plugged_in = MomentBound::new(sample_variance)?;
        Ok(Self {
            estimate: catoni.estimate(samples, plugged_in)?,
            calibrated_width: catoni.deviation(samples.len(), plugged_in)?,
            sample_variance,
        })
    }
}

impl fmt::Display for CalibratedCatoni {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} ± {} (calibrated, no proof)", self.estimate, self.calibrated_width)
    }
}

/// The unbiased sample variance of at least two samples, scaled so that no square underflows or overflows early.
fn sample_variance(samples: &[f64]) -> f64 {
    let mean = arithmetic_mean(samples);
    let scale = samples.iter().fold(0.0, |scale: f64, x| scale.max((x - mean).abs()));
    if scale == 0.0 {
        return 0.0;
    }
    let squares: f64 = samples.iter().map(|x| ((x - mean) / scale).powi(2)).sum();
    scale * (scale * (squares / (samples.len() - 1) as f64))
}
