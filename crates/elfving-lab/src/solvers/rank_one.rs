//! The inverse information matrix under rank-one changes, and the best exchange of weight between two points.
//!
//! With `M⁺ = M + t x xᵀ`, `u = M⁻¹x` and `β = t / (1 + t q_x)` the inverse becomes `M⁻¹ - β u uᵀ`
//! (Sherman and Morrison). Moving the weight α from a point y to a point x changes `log det M` by the logarithm
//! of `δ(α) = 1 + (q_x - q_y) α - (q_x q_y - c²) α²`, `c = xᵀM⁻¹y`, and lowers `tr(S M⁻¹)` by
//! `(a α - b α²) / δ(α)` with `a = g_x - g_y`, `b = q_y g_x + q_x g_y - 2 c h`, `h = xᵀM⁻¹SM⁻¹y`. Both have their
//! best α in closed form.

use elfving::design::{Canonical, Objective};

use elfving::design::Breakdown;
use elfving::numerics::{Matrix, add_scaled_row, apply, dot};

/// `M⁻¹`, kept up to date.
pub(super) struct Inverse<'a> {
    matrix: Matrix,
    /// S of `tr(S M⁻¹)`; none for log det.
    moment: Option<&'a Matrix>,
}

/// What the inverse says about one point x.
pub(super) struct Column<'a> {
    pub x: &'a [f64],
    /// `M⁻¹x`.
    pub u: Vec<f64>,
    /// `S M⁻¹x`; empty for log det.
    su: Vec<f64>,
    /// `xᵀM⁻¹x`.
    pub q: f64,
    /// Minus the derivative of the criterion in the weight of x: q for log det, `uᵀSu` for the trace.
    pub g: f64,
}

impl<'a> Inverse<'a> {
    /// Cost: s r² for s points of positive weight, and r³.
    pub(super) fn new(canonical: &'a Canonical, lambda: &[f64]) -> Result<Self, Breakdown> {
        let mut matrix = Matrix::identity(canonical.points.columns());
        canonical.information(lambda)?.solve_rows(&mut matrix);
        let moment = match &canonical.objective {
            Objective::Trace { moment, .. } => Some(moment),
            Objective::LogDet | Objective::Largest(_) => None,
        };
        Ok(Self { matrix, moment })
    }

    /// Cost: r² for log det, 2 r² for the trace.
    pub(super) fn column<'x>(&self, x: &'x [f64]) -> Column<'x> {
        let u = apply(&self.matrix, x);
        let q = dot(x, &u);
        let su = self.moment.map_or_else(Vec::new, |moment| apply(moment, &u));
        let g = if self.moment.is_some() { dot(&u, &su) } else { q };
        Column { x, u, su, q, g }
    }

    /// `M⁻¹ S M⁻¹ x`; nothing for log det.
    pub(super) fn second(&self, column: &Column) -> Option<Vec<f64>> {
        self.moment.map(|_| apply(&self.matrix, &column.su))
    }

    /// `M ← M + t x xᵀ`; returns β. Cost: r².
    pub(super) fn add(&mut self, t: f64, column: &Column) -> f64 {
        let beta = t / (1.0 + t * column.q);
        for i in 0..column.u.len() {
            add_scaled_row(self.matrix.row_mut(i), -beta * column.u[i], &column.u);
        }
        beta
    }

    /// `M ← by · M`.
    pub(super) fn scale(&mut self, by: f64) {
        self.matrix.as_mut_slice().iter_mut().for_each(|value| *value /= by);
    }

    /// The weight whose move from `losing` to `gaining` improves the criterion most, of those in
    /// `-gaining_weight ..= losing_weight`.
    ///
    /// What would make M singular to rounding is not moved whole: see [`ALMOST_ALL`].
    pub(super) fn best_exchange(
        &self,
        (gaining, gaining_weight): (&Column, f64),
        (losing, losing_weight): (&Column, f64),
    ) -> f64 {
        // Weight moves towards the larger gradient.
        if gaining.g < losing.g {
            return -self.best_exchange((losing, losing_weight), (gaining, gaining_weight));
        }
        let c = dot(gaining.x, &losing.u);
        let slope = gaining.g - losing.g;
        let curvature = gaining.q * losing.q - c * c;
        let best = if self.moment.is_none() {
            slope / (2.0 * curvature)
        } else {
            let h = dot(&gaining.u, &losing.su);
            let b = losing.q * gaining.g + gaining.q * losing.g - 2.0 * c * h;
            // The root of a - 2bα + (a·curvature - b·(q_x - q_y)) α² nearest to zero.
            let k = slope * curvature - b * (gaining.q - losing.q);
            slope / (b + (b * b - slope * k).max(0.0).sqrt())
        };
        let carries_alone = losing_weight * losing.q > 1.0 - 1e-9;
        let most = if carries_alone { ALMOST_ALL * losing_weight } else { losing_weight };
        // Not below `most`, or not a number: between parallel points everything moves.
        if best < most { best.max(0.0) } else { most }
    }
}

/// A point that alone carries a direction keeps a hundredth of its weight in a step: the optimum may be
/// singular, but only the limit of the way there.
pub(super) const ALMOST_ALL: f64 = 0.99;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::solvers::first_order::tests::criterion;
    use elfving::design::{Criterion, Problem};
    use elfving::pool::Pool;
    use elfving::units::Ridge;

    fn pool() -> Pool {
        Pool::from_features(Matrix::from_fn(9, 3, |i, k| ((i * i + 5 * i * k + 3 * k) as f64).sin())).unwrap()
    }

    #[test]
    fn the_best_exchange_is_not_beaten_by_any_other_one() {
        let pool = pool();
        let lambda = [0.2, 0.05, 0.1, 0.0, 0.15, 0.2, 0.0, 0.1, 0.2];
        for kind in [Criterion::D, Criterion::A, Criterion::V] {
            for gamma in [0.0, 0.3] {
                let problem = Problem::over_choices(&pool, kind, Ridge::new(gamma).unwrap()).unwrap();
                let canonical = Canonical::new(&problem).unwrap();
                let inverse = Inverse::new(&canonical, &lambda).unwrap_or_else(|_| panic!("definite"));
                for (i, j) in [(0, 1), (3, 5), (5, 3), (4, 8), (7, 2)] {
                    let (x, y) =
                        (inverse.column(canonical.points.row(i)), inverse.column(canonical.points.row(j)));
                    let best = inverse.best_exchange((&x, lambda[i]), (&y, lambda[j]));
                    assert!(best >= -lambda[i] && best <= lambda[j]);
                    let after = |alpha: f64| {
                        let mut moved = lambda;
                        moved[i] += alpha;
                        moved[j] -= alpha;
                        criterion(&canonical, &moved)
                    };
                    let others = (0..=200).map(|k| -lambda[i] + (lambda[i] + lambda[j]) * k as f64 / 200.0);
                    for alpha in others {
                        assert!(
                            after(best) <= after(alpha) + 1e-12,
                            "{kind} {gamma} {i} {j}: {best} and {alpha}"
                        );
                    }
                }
            }
        }
    }

    #[test]
    fn an_updated_inverse_is_the_inverse_of_the_updated_matrix() {
        let pool = pool();
        let problem = Problem::over_choices(&pool, Criterion::V, Ridge::new(0.1).unwrap()).unwrap();
        let canonical = Canonical::new(&problem).unwrap();
        let mut lambda = vec![1.0 / 9.0; 9];
        let mut updated = Inverse::new(&canonical, &lambda).unwrap_or_else(|_| panic!("definite"));
        for (i, t) in [(2, 0.3), (5, -0.1), (0, 0.02)] {
            let column = updated.column(canonical.points.row(i));
            updated.add(t, &column);
            lambda[i] += t;
        }
        let fresh = Inverse::new(&canonical, &lambda).unwrap_or_else(|_| panic!("definite"));
        for (a, b) in updated.matrix.as_slice().iter().zip(fresh.matrix.as_slice()) {
            assert!((a - b).abs() < 1e-12 * fresh.matrix.max_abs());
        }
    }
}
