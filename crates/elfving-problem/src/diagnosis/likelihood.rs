//! A Gaussian process fitted to results: lengthscale, noise and signal by marginal likelihood.
//!
//! One eigendecomposition `K = U diag(e) Uᵀ` a lengthscale; then for a noise-to-signal ratio g the best signal is
//! `s² = Σ (u_iᵀy)² / (e_i + g) / n` and the log likelihood `-½ (n log s² + Σ log(e_i + g)) + constant`. Both searches are one-dimensional:
//! a grid, then golden sections.

use elfving::numerics::{Matrix, SymmetricEigen, apply};
use elfving::pool::{KernelSpec, Lengthscale};

use crate::ProblemError;

/// More measured candidates than this are thinned out evenly: an eigendecomposition is cubic.
const MOST_POINTS: usize = 200;
/// Lengthscales tried, from a tenth to ten times the median distance.
const LENGTHSCALES: usize = 9;

/// A fitted kernel.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Fit {
    pub(super) name: &'static str,
    pub(super) kernel: KernelSpec,
    pub(super) log_likelihood: f64,
    /// Standard deviation of the noise, and of the signal.
    pub(super) noise: f64,
    pub(super) signal: f64,
    /// The norm of the fitted mean in the space of the kernel, outcomes as they are.
    pub(super) norm: f64,
}

/// The kernels that are compared.
const KERNELS: [&str; 4] = ["rbf", "matern52", "matern32", "linear"];

/// Fits every kernel; the most likely first.
pub(super) fn fits(points: &Matrix, outcomes: &[f64], median: f64) -> Result<Vec<Fit>, ProblemError> {
    let stride = outcomes.len().div_ceil(MOST_POINTS);
    let kept: Vec<usize> = (0..outcomes.len()).step_by(stride.max(1)).collect();
    let points = points.select_rows(&kept);
    let outcomes: Vec<f64> = kept.iter().map(|&i| outcomes[i]).collect();
    let mut fits = Vec::new();
    for kernel in KERNELS {
        let at = |log_scale: f64| Data::new(kernel, median * log_scale.exp(), &points, &outcomes)?.best();
        if kernel == "linear" {
            fits.extend(at(0.0)?);
            continue;
        }
        let reach = 10f64.ln();
        let step = 2.0 * reach / (LENGTHSCALES - 1) as f64;
        let mut best: Option<(f64, Fit)> = None;
        let mut consider = |log_scale: f64| -> Result<f64, ProblemError> {
            let Some(fit) = at(log_scale)? else { return Ok(f64::NEG_INFINITY) };
            let value = fit.log_likelihood;
            if best.as_ref().is_none_or(|(_, best)| value > best.log_likelihood) {
                best = Some((log_scale, fit));
            }
            Ok(value)
        };
        let grid: Vec<f64> = (0..LENGTHSCALES).map(|k| -reach + k as f64 * step).collect();
        let values = grid.iter().map(|&at| consider(at)).collect::<Result<Vec<f64>, ProblemError>>()?;
        let top = (0..LENGTHSCALES).fold(0, |top, k| if values[k] > values[top] { k } else { top });
        golden(grid[top] - step, grid[top] + step, 10, &mut consider)?;
        fits.extend(best.map(|(_, fit)| fit));
    }
    fits.sort_by(|a, b| b.log_likelihood.total_cmp(&a.log_likelihood));
    Ok(fits)
}

/// Golden sections towards the maximum.
fn golden(
    mut low: f64,
    mut high: f64,
    steps: usize,
    value: &mut dyn FnMut(f64) -> Result<f64, ProblemError>,
) -> Result<f64, ProblemError> {
    let ratio = (5f64.sqrt() - 1.0) / 2.0;
    let (mut a, mut b) = (high - ratio * (high - low), low + ratio * (high - low));
    let (mut at_a, mut at_b) = (value(a)?, value(b)?);
    for _ in 0..steps {
        if at_a > at_b {
            (high, b, at_b) = (b, a, at_a);
            a = high - ratio * (high - low);
            at_a = value(a)?;
        } else {
            (low, a, at_a) = (a, b, at_b);
            b = low + ratio * (high - low);
            at_b = value(b)?;
        }
    }
    Ok(0.5 * (low + high))
}

/// The data in the eigenvectors of one kernel matrix.
struct Data {
    name: &'static str,
    kernel: KernelSpec,
    values: Vec<f64>,
    /// uᵀy of the centred outcomes, and of the outcomes as they are.
    centred: Vec<f64>,
    raw: Vec<f64>,
}

impl Data {
    fn new(name: &'static str, scale: f64, points: &Matrix, outcomes: &[f64]) -> Result<Self, ProblemError> {
        let lengthscale = Lengthscale::Shared(scale);
        let kernel = match name {
            "rbf" => KernelSpec::Rbf { lengthscale },
            "matern52" => KernelSpec::Matern52 { lengthscale },
            "matern32" => KernelSpec::Matern32 { lengthscale },
            _ => KernelSpec::Linear,
        };
        let spec = kernel.build()?;
        let n = points.rows();
        let gram = Matrix::from_fn(n, n, |i, j| spec.evaluate(points.row(i), points.row(j)));
        let eigen = SymmetricEigen::new(&gram).map_err(|_| ProblemError::Data {
            problem: "the kernel matrix of the results overflows: standardize the columns".to_owned(),
        })?;
        let mean = outcomes.iter().sum::<f64>() / n as f64;
        let centred: Vec<f64> = outcomes.iter().map(|y| y - mean).collect();
        Ok(Self {
            name,
            kernel,
            values: eigen.values.iter().map(|value| value.max(0.0)).collect(),
            centred: apply(&eigen.vectors, &centred),
            raw: apply(&eigen.vectors, outcomes),
        })
    }

    /// The best noise-to-signal ratio; nothing when all outcomes are equal.
    fn best(&self) -> Result<Option<Fit>, ProblemError> {
        if self.centred.iter().all(|y| *y == 0.0) {
            return Ok(None);
        }
        let scale = self.values.iter().sum::<f64>() / self.values.len() as f64;
        let at = |log_ratio: f64| self.log_likelihood(scale * log_ratio.exp()).0;
        let grid: Vec<f64> = (0..=12).map(|k| -14.0 + 1.5 * k as f64).collect();
        let top = grid.iter().copied().fold(grid[0], |top, k| if at(k) > at(top) { k } else { top });
        let best = golden(top - 1.5, top + 1.5, 24, &mut |log_ratio| Ok(at(log_ratio)))?;
        let ratio = scale * best.exp();
        let (log_likelihood, signal) = self.log_likelihood(ratio);
        let norm: f64 = self.values.iter().zip(&self.raw).map(|(e, y)| e * (y / (e + ratio)).powi(2)).sum();
        Ok(Some(Fit {
            name: self.name,
            kernel: self.kernel.clone(),
            log_likelihood,
            noise: (signal * ratio).sqrt(),
            signal: signal.sqrt(),
            norm: norm.sqrt(),
        }))
    }

    /// At a noise-to-signal ratio, with the best signal variance.
    fn log_likelihood(&self, ratio: f64) -> (f64, f64) {
        let n = self.values.len() as f64;
        let signal = self.values.iter().zip(&self.centred).map(|(e, y)| y * y / (e + ratio)).sum::<f64>() / n;
        let determinant: f64 = self.values.iter().map(|e| (e + ratio).ln()).sum();
        (-0.5 * (n * signal.max(f64::MIN_POSITIVE).ln() + determinant), signal)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A smooth curve with a little noise that is no noise: the fit must find scale and size of both.
    #[test]
    fn a_smooth_curve_gets_a_smooth_kernel_and_its_noise() {
        let points = Matrix::from_fn(80, 1, |i, _| i as f64 / 79.0);
        let rough = |i: usize| ((i * 7919 + 13) % 101) as f64 / 101.0 - 0.5;
        let y: Vec<f64> = (0..80).map(|i| (6.0 * points[(i, 0)]).sin() + 0.2 * rough(i)).collect();
        let fits = fits(&points, &y, 0.3).unwrap();
        assert_ne!(fits[0].name, "linear");
        // The standard deviation of uniform noise on ±0.1 is 0.058.
        assert!((0.03..0.09).contains(&fits[0].noise), "{:?}", fits[0]);
        let lengthscale = match &fits[0].kernel {
            KernelSpec::Rbf { lengthscale }
            | KernelSpec::Matern32 { lengthscale }
            | KernelSpec::Matern52 { lengthscale } => lengthscale.values()[0],
            other => panic!("{other:?}"),
        };
        assert!((0.05..1.5).contains(&lengthscale), "{:?}", fits[0]);
        let linear = fits.iter().find(|fit| fit.name == "linear").unwrap();
        assert!(linear.log_likelihood < fits[0].log_likelihood - 20.0);
    }

    #[test]
    fn the_likelihood_is_that_of_a_normal_distribution() {
        // Two points, K = [[1, k], [k, 1]], y = ±1: e = 1 ∓ k, and y lies along 1 - k.
        let points = Matrix::from_rows(&[[0.0], [1.0]]);
        let data = Data::new("rbf", 1.0, &points, &[1.0, -1.0]).unwrap();
        let k = (-0.5f64).exp();
        let (value, signal) = data.log_likelihood(0.3);
        let expected = 2.0 / (1.0 - k + 0.3) / 2.0;
        assert!((signal - expected).abs() < 1e-12);
        let determinant = ((1.3 - k) * (1.3 + k)).ln();
        assert!((value + 0.5 * (2.0 * expected.ln() + determinant)).abs() < 1e-12);
    }

    #[test]
    fn equal_outcomes_have_no_fit() {
        let points = Matrix::from_fn(5, 1, |i, _| i as f64);
        assert!(fits(&points, &[2.0; 5], 1.0).unwrap().is_empty());
    }
}
