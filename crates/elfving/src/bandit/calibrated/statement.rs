//! What is certified *if*: the confidence ellipsoid for the kernel in use, with the norm of the truth as its one unknown.

use crate::bandit::BanditError;
use crate::numerics::{Cholesky, Matrix, dot, norm_squared};
use crate::pool::ChoiceId;
use crate::surrogate::{Covariance, Fit, Measurement};
use crate::units::{Confidence, InvalidValue};
use crate::units::{rounded_down, rounded_up};
use rayon::prelude::*;
use serde::Serialize;
use std::collections::BTreeMap;
use std::fmt;

/// How far below the best the pick may be, as a function of the norm S of the truth under the kernel in use.
///
/// With probability 1 - δ, for noise that is σ-sub-Gaussian and a truth of norm at most S in the space of the kernel
/// `1 + k + tau² 1[same site]`, no choice is better than the pick by more than
///
/// `ε(S) = max_z [ difference of estimates + deviation of the difference · √(S² + 2 ln(1/δ) + ln det(I + K/σ²)) ]`.
///
/// The theorem is for a kernel that was fixed before the data; here its parameters were fitted to them. So this says what follows
/// from an assumption, not what is known: the norm that the fit suggests is that of the estimate, and the truth's is larger.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ConditionalStatement {
    /// The choice it is about.
    pub pick: ChoiceId,
    /// σ, in the units of the outcomes.
    pub sigma: f64,
    /// δ.
    pub delta: f64,
    /// The norm of the estimate itself: the truth's is at least about this.
    pub suggested_norm: f64,
    /// What a norm of 1 is worth, in the units of the outcomes.
    pub unit: f64,
    /// `2 ln(1/δ) + ln det(I + K/σ²)`.
    log_term: f64,
    /// How much better each rival is estimated to be, and the deviation of that, in units.
    rivals: Vec<(f64, f64)>,
}

impl ConditionalStatement {
    /// ε(S) in the units of the outcomes: the pick is at most this below the best when the norm is at most S.
    pub fn epsilon(&self, norm: f64) -> f64 {
        let radius = (norm * norm + self.log_term).sqrt();
        let worst = self.rivals.iter().map(|(above, deviation)| above + radius * deviation);
        self.unit * worst.fold(0.0, f64::max)
    }

    /// The statement for twice the norm that the fit suggests; `worse` is "below" the best, or "above" where small is good.
    ///
    /// What is assumed is printed rounded down and what is promised rounded up, so that the words hold where the numbers do.
    pub fn in_words(&self, worse: &str) -> String {
        let Self { sigma, suggested_norm, delta, .. } = *self;
        let norm = 2.0 * suggested_norm;
        format!(
            "if the truth has a norm of at most {} under the fitted kernel (the fit suggests {}) and the noise is sub-Gaussian with \
             sigma at most {}, then with probability {} % the pick is at most {} {worse} the best; this premise is not verified: the \
             kernel was fitted to the same data",
            rounded_down(norm),
            rounded_down(suggested_norm),
            rounded_down(sigma),
            100.0 * (1.0 - delta),
            rounded_up(self.epsilon(norm)),
        )
    }
}

impl fmt::Display for ConditionalStatement {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.in_words("below"))
    }
}

/// The statement for a pick, from all measurements that the fit rests on.
///
/// Outcomes are taken as they are but for their scale, large ones as good; σ is in their units, and where it is not given, that of the fit
/// near the pick. Cost: m³ for m distinct rows measured, m² for each choice over threads.
///
/// # Errors
/// [`BanditError::Invalid`] for a σ that is not finite and positive, and what the factorisation finds.
pub fn conditional_statement(
    fit: &Fit,
    measurements: &[Measurement],
    pick: ChoiceId,
    sigma: Option<f64>,
    delta: Confidence,
) -> Result<ConditionalStatement, BanditError> {
    let (space, parameters) = (fit.space(), fit.parameters());
    let row = |choice: usize| space.choice_row(ChoiceId::new(choice)).index();

    // The rows measured, with count and average; the scale is the spread of the averages.
    let mut rows: BTreeMap<usize, (f64, f64)> = BTreeMap::new();
    for one in measurements {
        let (count, sum) = rows.entry(space.site(one.point.index())).or_default();
        (*count, *sum) = (*count + 1.0, *sum + one.outcome);
    }
    let averages: Vec<f64> = rows.values().map(|(count, sum)| sum / count).collect();
    let centre = averages.iter().sum::<f64>() / averages.len() as f64;
    let spread = (averages.iter().map(|y| (y - centre).powi(2)).sum::<f64>() / averages.len() as f64).sqrt();
    let unit = if spread > 0.0 { spread } else { 1.0 };
    let best = averages.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let sigma = sigma.unwrap_or_else(|| fit.next_noise().sqrt() / fit.outcome().slope(best));
    if !(sigma > 0.0 && sigma.is_finite()) {
        return Err(InvalidValue::Sigma { got: sigma }.into());
    }
    let noise = (sigma / unit).powi(2);

    // C = 1 + K + σ²/n, and ln det(I + K/σ²) with the repeats written out.
    let fitted = Covariance::new(space, parameters);
    let kernel = |a: usize, b: usize| 1.0 + fitted.covariance(a, b);
    let sites: Vec<(usize, f64)> = rows.iter().map(|(&site, &(count, _))| (site, count)).collect();
    let covariance = Matrix::from_fn(sites.len(), sites.len(), |i, j| {
        if j < i {
            0.0
        } else {
            kernel(sites[i].0, sites[j].0) + if i == j { noise / sites[i].1 } else { 0.0 }
        }
    });
    let singular = crate::surrogate::SurrogateError::Singular {
        cells: sites.len(),
        noise,
        roughness: parameters.roughness,
    };
    let factor = Cholesky::new(covariance).map_err(|_| singular)?;
    let log_det = factor.log_det() + sites.iter().map(|(_, count)| (count / noise).ln()).sum::<f64>();

    // Estimates k'C⁻¹y and whitened rows L⁻¹k of all choices.
    let mut coefficients: Vec<f64> = averages.iter().map(|y| (y - centre) / unit).collect();
    factor.solve(&mut coefficients);
    let mut whitened = Matrix::zeros(space.choices(), sites.len());
    whitened.as_mut_slice().par_chunks_mut(sites.len()).enumerate().for_each(|(z, covariances)| {
        let entries = covariances.iter_mut().zip(&sites);
        entries.for_each(|(entry, (site, _))| *entry = kernel(row(z), *site));
    });
    let estimates: Vec<f64> = (0..space.choices()).map(|z| dot(whitened.row(z), &coefficients)).collect();
    factor.whiten_rows(&mut whitened);
    let own = whitened.row(pick.index()).to_vec();
    let rival = |z: usize| {
        let (one, other) = (row(z), row(pick.index()));
        let prior = kernel(one, one) + kernel(other, other) - 2.0 * kernel(one, other);
        let seen: Vec<f64> = whitened.row(z).iter().zip(&own).map(|(z, pick)| z - pick).collect();
        let variance = (prior - norm_squared(&seen)).max(0.0);
        (estimates[z] - estimates[pick.index()], variance.sqrt())
    };
    // ‖estimate‖² = αᵀKα = αᵀ(y - σ²/n α).
    let fitted = sites
        .iter()
        .zip(&averages)
        .zip(&coefficients)
        .map(|(((_, count), y), alpha)| alpha * ((y - centre) / unit - noise / count * alpha));
    Ok(ConditionalStatement {
        pick,
        sigma,
        delta: delta.delta(),
        suggested_norm: fitted.sum::<f64>().max(0.0).sqrt(),
        unit,
        log_term: 2.0 * -delta.delta().ln() + log_det,
        rivals: (0..space.choices()).filter(|&z| z != pick.index()).map(rival).collect(),
    })
}
