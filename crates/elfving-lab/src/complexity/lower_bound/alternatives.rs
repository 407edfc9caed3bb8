//! The hardest alternatives to given shares of the measurements.

use rayon::prelude::*;

use crate::complexity::Truth;
use elfving::numerics::{
    Matrix, SymmetricEigen, apply, apply_transposed, dot, multiply_transposed, norm_squared, weighted_gram,
};
use elfving::pool::Pool;

/// Bisections of the one dual unknown, on a logarithmic scale.
const STEPS: usize = 90;
/// The smallest dual unknown, relative to the largest eigenvalue: below it nothing is solved.
const SMALLEST: f64 = 1e-15;

/// Finds, for shares λ, the θ' of each rival that is hardest to tell from θ.
pub(super) struct Oracle<'a> {
    features: &'a Matrix,
    theta: &'a [f64],
    bound: f64,
    /// `y = φ(z') - φ(z*)` for every rival z', a row each.
    differences: Matrix,
}

/// An alternative θ' and the evidence that a measurement gives against it.
pub(super) struct Alternative {
    pub theta: Vec<f64>,
    pub evidence: f64,
}

/// What the worst alternative leaves, and all of them, hardest first.
pub(super) struct Answer {
    /// A lower bound of the evidence against every alternative, by the dual.
    pub evidence: f64,
    pub alternatives: Vec<Alternative>,
}

impl<'a> Oracle<'a> {
    pub(super) fn new(pool: &'a Pool, truth: &'a Truth, bound: f64) -> Self {
        let best = pool.choices().row(truth.best.index());
        let rows: Vec<Vec<f64>> = truth
            .rivals(pool)
            .into_iter()
            .map(|(z, _)| pool.choices().row(z.index()).iter().zip(best).map(|(z, best)| z - best).collect())
            .collect();
        Self { features: pool.features(), theta: &truth.theta, bound, differences: Matrix::from_rows(&rows) }
    }

    /// The hardest alternative of every rival at shares λ. Cost: 9 r³ and m r a step.
    pub(super) fn answer(&self, shares: &[f64]) -> Answer {
        let information = weighted_gram(self.features, shares);
        let Ok(eigen) = SymmetricEigen::new(&information) else {
            return Answer { evidence: 0.0, alternatives: vec![] };
        };
        // In the eigenvectors of A everything is a sum over its eigenvalues.
        let values: Vec<f64> = eigen.values.iter().map(|value| value.max(0.0)).collect();
        let theta = apply(&eigen.vectors, self.theta);
        let differences = multiply_transposed(&self.differences, &eigen.vectors);
        let rotated = Rotated { values: &values, theta: &theta, bound: self.bound };
        let mut found: Vec<(f64, Vec<f64>)> =
            (0..differences.rows()).into_par_iter().map(|i| rotated.hardest(differences.row(i))).collect();
        found.sort_by(|a, b| a.0.total_cmp(&b.0));
        let evidence = found.first().map_or(0.0, |(evidence, _)| *evidence);
        let alternatives = found
            .into_iter()
            .map(|(evidence, theta)| Alternative {
                theta: apply_transposed(&eigen.vectors, &theta),
                evidence,
            })
            .collect();
        Answer { evidence, alternatives }
    }

    /// `½ ⟨x, θ' - θ⟩²` of every point x, for the `most` hardest alternatives.
    pub(super) fn rows(&self, alternatives: &[Alternative], most: usize) -> Vec<Vec<f64>> {
        let row = |alternative: &Alternative| {
            let away: Vec<f64> = alternative.theta.iter().zip(self.theta).map(|(a, b)| a - b).collect();
            apply(self.features, &away).into_iter().map(|step| 0.5 * step * step).collect()
        };
        let worst = alternatives.first().map_or(0.0, |first| first.evidence);
        alternatives
            .iter()
            .take(most)
            .filter(|other| other.evidence <= 2.0 * worst + f64::MIN_POSITIVE)
            .map(row)
            .collect()
    }
}

/// The problem in the eigenvectors of A.
struct Rotated<'a> {
    values: &'a [f64],
    theta: &'a [f64],
    bound: f64,
}

impl Rotated<'_> {
    /// The dual value at the best multiplier γ of the norm, and the θ' it belongs to, made feasible.
    fn hardest(&self, y: &[f64]) -> (f64, Vec<f64>) {
        let smallest = SMALLEST * self.values.last().copied().unwrap_or(0.0).max(f64::MIN_POSITIVE);
        // The slope of the dual in γ is ½(‖θ'‖² - R²), and falls: bisect for its sign.
        let rises = |gamma: f64| norm_squared(&self.alternative(y, gamma).1) > self.bound * self.bound;
        let mut gamma = smallest;
        if rises(gamma) {
            let (mut low, mut high) = (smallest, self.values.last().copied().unwrap_or(1.0).max(smallest));
            while rises(high) {
                low = high;
                high *= 4.0;
            }
            for _ in 0..STEPS {
                let middle = (low * high).sqrt();
                if !(middle > low && middle < high) {
                    break;
                }
                if rises(middle) { low = middle } else { high = middle }
            }
            gamma = high;
        }
        let (value, mut theta) = self.alternative(y, gamma);
        let short = -dot(&theta, y);
        if short > 0.0 {
            let by = short / norm_squared(y);
            theta.iter_mut().zip(y).for_each(|(t, y)| *t += by * y);
        }
        let length = norm_squared(&theta).sqrt();
        if length > self.bound {
            theta.iter_mut().for_each(|t| *t *= self.bound / length);
        }
        (value.max(0.0), theta)
    }

    /// `max{-b, 0}²/2q + γ/2 (n - R²)` with `b = yᵀ(A+γ)⁻¹Aθ`, `q = yᵀ(A+γ)⁻¹y`, `n = θᵀ(A+γ)⁻¹Aθ`, and
    /// `θ' = (A+γ)⁻¹(Aθ + νy)`, `ν = max{-b, 0}/q`.
    fn alternative(&self, y: &[f64], gamma: f64) -> (f64, Vec<f64>) {
        let (mut b, mut q, mut n) = (0.0, 0.0, 0.0);
        for ((&a, &t), &y) in self.values.iter().zip(self.theta).zip(y) {
            let over = 1.0 / (a + gamma);
            b += y * a * t * over;
            q += y * y * over;
            n += t * t * a * over;
        }
        let short = (-b).max(0.0);
        let nu = short / q;
        let value = 0.5 * short * nu + 0.5 * gamma * (n - self.bound * self.bound);
        let theta = (0..y.len())
            .map(|k| (self.values[k] * self.theta[k] + nu * y[k]) / (self.values[k] + gamma))
            .collect();
        (value, theta)
    }
}
