//! The covariance of the model and its parameters.

use serde::{Deserialize, Serialize};

use crate::linalg::Matrix;

use super::SurrogateError;
use super::space::{ColumnKind, Space};

/// What the fit chooses: `G` lengthscales, the noise of a measurement and the roughness of a row.
///
/// The covariance of two rows is `k(r) + tau² 1[same site]`, with the Matern 5/2 function
/// `k(r) = (1 + √5 r + 5r²/3) exp(-√5 r)` of `r² = Σ_g D_g / l_g²`. All in units of the transformed outcome.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Parameters {
    /// `l_g`, one for each column that varies.
    pub lengthscales: Vec<f64>,
    /// `s²`, the variance of one measurement around its row.
    pub noise: f64,
    /// `tau²`, the variance of a row around the smooth surface; part of what is predicted.
    pub roughness: f64,
}

impl Parameters {
    /// The logarithms `log l_1 … log l_G, log s², log tau²`.
    pub fn logs(&self) -> Vec<f64> {
        let values = self.lengthscales.iter().chain([&self.noise, &self.roughness]);
        values.map(|value| value.ln()).collect()
    }

    /// Parameters from their logarithms.
    ///
    /// # Panics
    /// With fewer than two.
    pub fn from_logs(logs: &[f64]) -> Self {
        let (lengths, variances) = logs.split_at(logs.len() - 2);
        Self {
            lengthscales: lengths.iter().map(|log| log.exp()).collect(),
            noise: variances[0].exp(),
            roughness: variances[1].exp(),
        }
    }

    /// `k(r) + tau² 1[same site]` of two rows.
    pub fn covariance(&self, space: &Space, a: usize, b: usize) -> f64 {
        let scaled = self.lengthscales.iter().enumerate();
        let squared = scaled.map(|(g, length)| space.squared_distance(a, b, g) / (length * length)).sum();
        matern(squared) + if space.site(a) == space.site(b) { self.roughness } else { 0.0 }
    }

    /// One positive lengthscale for each of the `dimension` columns, positive variances.
    ///
    /// # Errors
    /// [`SurrogateError::Parameter`].
    pub fn check(&self, dimension: usize) -> Result<(), SurrogateError> {
        let wrong =
            |what, wanted: &str, got| Err(SurrogateError::Parameter { what, wanted: wanted.into(), got });
        if self.lengthscales.len() != dimension {
            let wanted = format!("{dimension}, one for each column that varies");
            return wrong("the number of lengthscales", &wanted, self.lengthscales.len() as f64);
        }
        let named = self.lengthscales.iter().map(|length| ("a lengthscale", *length));
        for (what, got) in named.chain([("the noise", self.noise), ("the roughness", self.roughness)]) {
            // The logarithm and the inverse square must be finite too.
            if !(got > 1e-100 && got < 1e100) {
                return wrong(what, "positive, between 1e-100 and 1e100", got);
            }
        }
        Ok(())
    }
}

/// Squared distances `r²` in lengthscales.
#[derive(Debug, Clone)]
pub(super) struct Distance {
    kinds: Vec<ColumnKind>,
    inverse_squares: Vec<f64>,
}

impl Distance {
    pub(super) fn new(space: &Space, parameters: &Parameters) -> Self {
        let inverse_squares =
            parameters.lengthscales.iter().map(|length| (length * length).recip()).collect();
        Self { kinds: space.kinds().to_vec(), inverse_squares }
    }

    /// `1 / l_g²`.
    pub(super) fn inverse_square(&self, g: usize) -> f64 {
        self.inverse_squares[g]
    }

    /// `r²` from one row to the rows of `columns` (G × m) from `first` on, as many as `out` has room for.
    pub(super) fn squared(&self, row: &[f64], columns: &Matrix, first: usize, out: &mut [f64]) {
        out.fill(0.0);
        for (g, &at) in row.iter().enumerate() {
            let scale = self.inverse_squares[g];
            for_each_distance(self.kinds[g], at, &columns.row(g)[first..], out, |out, d| *out += scale * d);
        }
    }

    /// `Σ_j weights_j D_g(at, first + j)` over rows of `columns`.
    pub(super) fn weighted(&self, g: usize, at: f64, columns: &Matrix, first: usize, weights: &[f64]) -> f64 {
        let others = &columns.row(g)[first..first + weights.len()];
        match self.kinds[g] {
            ColumnKind::Numeric => {
                weighted_sum(weights, others, |other| ColumnKind::Numeric.squared_distance(at, other))
            }
            ColumnKind::Category => {
                weighted_sum(weights, others, |other| ColumnKind::Category.squared_distance(at, other))
            }
        }
    }
}

/// One loop a kind, so that each vectorises.
fn for_each_distance(
    kind: ColumnKind,
    at: f64,
    others: &[f64],
    out: &mut [f64],
    mut add: impl FnMut(&mut f64, f64),
) {
    let pairs = out.iter_mut().zip(others);
    match kind {
        ColumnKind::Numeric => {
            pairs.for_each(|(out, other)| add(out, ColumnKind::Numeric.squared_distance(at, *other)))
        }
        ColumnKind::Category => {
            pairs.for_each(|(out, other)| add(out, ColumnKind::Category.squared_distance(at, *other)))
        }
    }
}

/// `Σ weight · f(other)`, with eight running sums so that it vectorises and rounds the same everywhere.
fn weighted_sum(weights: &[f64], others: &[f64], f: impl Fn(f64) -> f64) -> f64 {
    let mut lanes = [0.0; 8];
    let (ws, xs) = (weights.chunks_exact(8), others.chunks_exact(8));
    let tail: f64 = ws.remainder().iter().zip(xs.remainder()).map(|(w, x)| w * f(*x)).sum();
    for (w, x) in ws.zip(xs) {
        for lane in 0..8 {
            lanes[lane] += w[lane] * f(x[lane]);
        }
    }
    lanes.iter().sum::<f64>() + tail
}

/// The Matern 5/2 function of a squared distance.
#[inline]
pub(super) fn matern(squared: f64) -> f64 {
    matern_and_slope(squared).0
}

/// `k` and `-2 dk/d(r²) = 5/3 (1 + s) exp(-s)` with `s = √5 r`, so that `dk / d log l_g = slope · D_g / l_g²`.
#[inline]
pub(super) fn matern_and_slope(squared: f64) -> (f64, f64) {
    let s = (5.0 * squared).sqrt();
    let decay = (-s).exp();
    // Far away s may be infinite; the kernel is 0 there, not infinity times zero.
    if decay > 0.0 { ((1.0 + s + s * s / 3.0) * decay, 5.0 / 3.0 * (1.0 + s) * decay) } else { (0.0, 0.0) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_slope_is_the_derivative() {
        for squared in [0.01, 0.04, 1.0, 9.0, 100.0] {
            let step = 1e-5 * squared;
            let slope = -(matern(squared + step) - matern(squared - step)) / step;
            let (_, exact) = matern_and_slope(squared);
            assert!((slope - exact).abs() < 1e-6 * exact.max(1e-3), "{squared}: {slope} {exact}");
        }
        assert_eq!(matern_and_slope(0.0), (1.0, 5.0 / 3.0));
        assert_eq!(matern_and_slope(f64::INFINITY), (0.0, 0.0));
    }

    #[test]
    fn logs_and_parameters_are_inverse() {
        let parameters = Parameters { lengthscales: vec![0.5, 2.0], noise: 0.01, roughness: 0.003 };
        let back = Parameters::from_logs(&parameters.logs());
        for (a, b) in back.logs().iter().zip(parameters.logs()) {
            assert!((a - b).abs() < 1e-14);
        }
        assert!(parameters.check(2).is_ok() && parameters.check(3).is_err());
        assert!(Parameters { noise: f64::NAN, ..parameters }.check(2).is_err());
    }
}
