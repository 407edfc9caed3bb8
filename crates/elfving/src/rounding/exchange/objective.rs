//! The criterion after a swap, without factoring anything again.

use super::super::loss::Loss;
use crate::numerics::{
    Cholesky, Matrix, dot, farthest_partners, multiply, multiply_transposed, norm_squared, row_norms,
    triangular_factor,
};

/// Targets that decide the worst case while swaps are compared; what is chosen is checked on all of them.
const ACTIVE_TARGETS: usize = 1024;
/// The weight of a target in the gradient of a worst case is this power of its share of the worst.
const SHARPNESS: i32 = 32;

/// What a swap is judged by, in the coordinates `y = L⁻¹ x̃` in which `M = L Lᵀ` is the identity.
pub(super) enum SwapLoss {
    /// `-log det M`.
    LogDet { value: f64 },
    /// `tr(RᵀR)` with `R` the moment root in these coordinates.
    Trace { root: Matrix },
    /// `max ‖v‖²` over the targets that decide, and a root of `Σ w_v v vᵀ`, whose gradient ranks the points.
    Worst { targets: Matrix, norms: Vec<f64>, root: Matrix },
}

impl SwapLoss {
    pub(super) fn new(loss: &Loss, factor: &Cholesky) -> Self {
        let whitening = || factor.inverse_upper();
        match loss {
            Loss::LogDet => SwapLoss::LogDet { value: -factor.log_det() },
            Loss::Trace(root) => SwapLoss::Trace { root: multiply(root, &whitening()) },
            Loss::Largest(rows) => {
                let norms = row_norms(rows, &whitening());
                let mut targets = rows.select_rows(&largest(&norms));
                factor.whiten_rows(&mut targets);
                Self::worst(targets)
            }
            Loss::Diameter(rows) => {
                let whitened = multiply(rows, &whitening());
                let partners = farthest_partners(&whitened);
                let distances: Vec<f64> = partners.iter().map(|&(distance, _)| distance).collect();
                let first = largest(&distances);
                let targets = Matrix::from_fn(first.len(), whitened.columns(), |k, j| {
                    let i = first[k];
                    whitened[(i, j)] - whitened[(partners[i].1, j)]
                });
                Self::worst(targets)
            }
        }
    }

    fn worst(targets: Matrix) -> Self {
        let norms: Vec<f64> = (0..targets.rows()).map(|k| norm_squared(targets.row(k))).collect();
        let worst = norms.iter().copied().fold(f64::MIN_POSITIVE, f64::max);
        let mut weighted = targets.clone();
        for (k, norm) in norms.iter().enumerate() {
            let root_weight = (norm / worst).powi(SHARPNESS / 2);
            weighted.row_mut(k).iter_mut().for_each(|value| *value *= root_weight);
        }
        SwapLoss::Worst { targets, norms, root: triangular_factor(&weighted) }
    }

    /// The value now.
    pub(super) fn value(&self) -> f64 {
        match self {
            SwapLoss::LogDet { value } => *value,
            SwapLoss::Trace { root } => norm_squared(root.as_slice()),
            SwapLoss::Worst { norms, .. } => norms.iter().copied().fold(0.0, f64::max),
        }
    }

    /// `G` with `‖G y‖²` the gradient of a point; `None` when it is the identity.
    pub(super) fn gradient_root(&self) -> Option<&Matrix> {
        match self {
            SwapLoss::LogDet { .. } => None,
            SwapLoss::Trace { root } | SwapLoss::Worst { root, .. } => Some(root),
        }
    }

    /// What [`SwapLoss::after`] needs to know of points, a row each.
    pub(super) fn images(&self, points: &Matrix) -> Matrix {
        match self {
            SwapLoss::LogDet { .. } => Matrix::zeros(points.rows(), 0),
            SwapLoss::Trace { root } => multiply_transposed(points, root),
            SwapLoss::Worst { targets, .. } => multiply_transposed(points, targets),
        }
    }

    /// The value after a swap of points with these images; infinite when it leaves the information singular.
    pub(super) fn after(&self, swap: &RankTwo, given: &[f64], taken: &[f64]) -> f64 {
        match self {
            _ if swap.determinant <= f64::EPSILON => f64::INFINITY,
            SwapLoss::LogDet { value } => value - swap.determinant.ln(),
            SwapLoss::Trace { .. } => {
                self.value() - swap.form(norm_squared(given), dot(given, taken), norm_squared(taken))
            }
            SwapLoss::Worst { norms, .. } => {
                let after = |k: usize| {
                    let (g, t) = (given[k], taken[k]);
                    norms[k] - swap.form(g * g, g * t, t * t)
                };
                (0..norms.len()).map(after).fold(0.0, f64::max)
            }
        }
    }
}

/// `M⁻¹ - (M + h t tᵀ - h g gᵀ)⁻¹` in coordinates in which M is the identity, by Woodbury's formula.
pub(super) struct RankTwo {
    /// `det(M + h t tᵀ - h g gᵀ) / det M`.
    determinant: f64,
    /// Coefficients of gg, gt and tt in the quadratic form.
    coefficients: (f64, f64, f64),
}

impl RankTwo {
    pub(super) fn new(share: f64, given: &[f64], taken: &[f64]) -> Self {
        let (gg, gt, tt) = (norm_squared(given), dot(given, taken), norm_squared(taken));
        let (taking, giving) = (1.0 + share * tt, 1.0 - share * gg);
        let determinant = taking * giving + (share * gt).powi(2);
        let scale = share / determinant;
        Self { determinant, coefficients: (-taking * scale, 2.0 * share * gt * scale, giving * scale) }
    }

    /// How much a squared norm falls, from the inner products of its vector with the two points.
    fn form(&self, gg: f64, gt: f64, tt: f64) -> f64 {
        let (a, b, c) = self.coefficients;
        a * gg + b * gt + c * tt
    }
}

/// Positions of the largest values, at most [`ACTIVE_TARGETS`], largest first.
fn largest(values: &[f64]) -> Vec<usize> {
    let mut order: Vec<usize> = (0..values.len()).collect();
    order.sort_by(|&a, &b| values[b].total_cmp(&values[a]).then(a.cmp(&b)));
    order.truncate(ACTIVE_TARGETS);
    order
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::numerics::weighted_gram;

    #[test]
    fn a_swap_without_factoring_is_the_swap_with() {
        let points = Matrix::from_fn(7, 3, |i, j| ((i * 5 + j * 11 + i * j) % 9) as f64 - 3.5);
        let targets = Matrix::from_fn(5, 3, |i, j| ((i * 3 + j * 7) % 5) as f64 - 1.5);
        let mut shares = [0.2, 0.3, 0.1, 0.1, 0.1, 0.2, 0.0];
        let goals = [
            Loss::LogDet,
            Loss::mean(&targets),
            Loss::mean_of_pairs(&targets),
            Loss::Largest(targets.clone().into()),
            Loss::Diameter(targets.into()),
        ];
        let factor = Cholesky::new(weighted_gram(&points, &shares)).unwrap();
        let mut pair = points.select_rows(&[1, 6]);
        factor.whiten_rows(&mut pair);
        shares[1] -= 0.1;
        shares[6] += 0.1;
        let after = Cholesky::new(weighted_gram(&points, &shares)).unwrap();
        for loss in goals {
            let objective = SwapLoss::new(&loss, &factor);
            assert!((objective.value() - loss.value(&factor)).abs() < 1e-12 * objective.value().abs());
            let images = objective.images(&pair);
            let swap = RankTwo::new(0.1, pair.row(0), pair.row(1));
            let value = objective.after(&swap, images.row(0), images.row(1));
            match loss {
                // Only the farthest partner of each row is followed: a lower bound.
                Loss::Diameter(_) => assert!(value <= loss.value(&after) * (1.0 + 1e-12)),
                _ => assert!((value - loss.value(&after)).abs() < 1e-11 * value.abs(), "{loss:?}"),
            }
        }
    }
}
