//! GP-TS: measure the best point of a draw from the regression (Thompson 1933; Chowdhury and Gopalan 2017).

use super::index::{Index, Seen};
use elfving::bandit::Question;
use elfving::numerics::rng::{Normals, Purpose, stream};
use elfving::numerics::{add_scaled_row, apply};

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
        let mut perturbed: Vec<f64> = (0..features.columns()).map(|_| root * normals.draw()).collect();
        for i in (0..features.rows()).filter(|&i| precision.counts()[i] > 0) {
            add_scaled_row(&mut perturbed, precision.mass(i).sqrt() * normals.draw(), features.row(i));
        }
        let draw = apply(features, &precision.image(&perturbed));
        seen.means.iter().zip(draw).map(|(mean, deviation)| mean + root * deviation).collect()
    }

    fn multiplier(&self, seen: &Seen<'_>) -> f64 {
        // Two regression standard deviations.
        2.0 * seen.precision.ridge().sqrt()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use elfving::bandit::{Goal, Regression};
    use elfving::estimate::Assumptions;
    use elfving::numerics::Matrix;
    use elfving::pool::{PointId, Pool};

    #[test]
    fn draws_have_the_mean_and_covariance_of_the_posterior() {
        let pool = Pool::from_features(Matrix::from_rows(&[[1.0, 0.0], [0.6, 0.8], [0.0, 2.0]])).unwrap();
        let question =
            Question::new(pool, Assumptions::new(0.5).unwrap(), Goal::Regret { horizon: None }).unwrap();
        let mut regression = Regression::of(&question, 0.25).unwrap();
        for (point, outcome) in [(0, 1.0), (1, -0.5), (1, 0.2), (2, 2.0)] {
            regression.add(PointId::new(point), outcome);
        }
        let draw = |t: u64| {
            let (means, precision) = (regression.means(), regression.precision());
            GpTs.scores(&Seen { question: &question, means, precision, t })
        };
        let draws: Vec<Vec<f64>> = (0..40_000).map(draw).collect();
        let features = regression.pool().features();
        for i in 0..3 {
            let image = regression.precision().image(features.row(i));
            for j in 0..3 {
                let expected = 0.25 * elfving::numerics::dot(&image, features.row(j));
                let centred = |draw: &Vec<f64>, k: usize| draw[k] - regression.means()[k];
                let product = |draw: &Vec<f64>| centred(draw, i) * centred(draw, j);
                let found = draws.iter().map(product).sum::<f64>() / 40_000.0;
                // Five standard errors of a product of normals of variance at most 0.25.
                assert!(
                    (found - expected).abs() < 5.0 * 2f64.sqrt() * 0.25 / 200.0,
                    "{i} {j}: {found} {expected}"
                );
            }
            let mean = draws.iter().map(|draw| draw[i]).sum::<f64>() / 40_000.0;
            assert!((mean - regression.means()[i]).abs() < 5.0 * 0.5 / 200.0);
        }
    }
}
