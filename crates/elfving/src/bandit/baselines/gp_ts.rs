//! GP-TS: measure the best point of a draw from the posterior (Thompson 1933; Chowdhury and Gopalan 2017).

use super::index::{Index, Seen};
use crate::bandit::Question;
use crate::bandit::normals::Normals;
use crate::linalg::{add_scaled_row, apply};
use crate::rounding::{Purpose, stream};

const PURPOSE: Purpose = Purpose::new("gp-ts");

/// One joint draw over the pool, noise variance σ². The draw is not inflated by the β_t of Chowdhury and Gopalan's theorem,
/// which nobody uses in practice.
///
/// In a batch every point has a draw of its own, from what is known with the earlier points of the batch supposed.
/// `V⁻¹ (√ridge g + Σ_x √(n_x w_x) g_x φ(x))` with independent standard normals has covariance V⁻¹: no factorisation, O(n r) a draw.
pub(super) struct GpTs;

impl Index for GpTs {
    fn name(&self) -> &'static str {
        "gp-ts"
    }

    fn ridge(&self, question: &Question) -> f64 {
        question.assumptions.sigma_bound().powi(2)
    }

    fn scores(&self, seen: &Seen<'_>) -> Vec<f64> {
        let precision = seen.precision;
        let features = precision.pool().features();
        let mut normals = Normals::new(stream(seen.question.seed, seen.t, PURPOSE));
        let root = precision.ridge().sqrt();
        let mut perturbed: Vec<f64> = (0..features.columns()).map(|_| root * normals.next()).collect();
        for i in (0..features.rows()).filter(|&i| precision.counts()[i] > 0) {
            add_scaled_row(&mut perturbed, precision.mass(i).sqrt() * normals.next(), features.row(i));
        }
        let draw = apply(features, &precision.image(&perturbed));
        seen.means.iter().zip(draw).map(|(mean, deviation)| mean + root * deviation).collect()
    }

    fn multiplier(&self, seen: &Seen<'_>) -> f64 {
        // Two posterior standard deviations.
        2.0 * seen.precision.ridge().sqrt()
    }
}
