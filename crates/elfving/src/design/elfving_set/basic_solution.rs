//! From an optimal face to one of its vertices.

use crate::numerics::{Cholesky, Matrix, apply, apply_transposed, dot, norm_squared, upper_outer_gram};

/// β below this fraction of its sum counts as zero.
const NEGLIGIBLE: f64 = 1e-9;
/// A solved weight below this fraction of their sum is rounding.
const ROUNDING: f64 = 1e-11;
/// A row with less than this fraction outside the span of others depends on them.
const DEPENDENT: f64 = 1e-9;

/// Positions and weights |β| of a solution of `Σ β_x x = c` with independent points, from any solution that is
/// optimal (Carathéodory): as long as a point depends on the others, weight moves along the dependence
/// until one of them is empty. On an optimal face this changes neither the signs nor the sum.
pub(super) fn basic_solution(rows: &Matrix, target: &[f64], beta: &[f64]) -> Vec<(usize, f64)> {
    let total: f64 = beta.iter().map(|b| b.abs()).sum();
    let mut order: Vec<usize> = (0..beta.len()).filter(|&i| beta[i].abs() > NEGLIGIBLE * total).collect();
    order.sort_by(|&a, &b| beta[b].abs().total_cmp(&beta[a].abs()).then(a.cmp(&b)));

    let mut basis = Basis { rows, signs: beta.iter().map(|b| b.signum()).collect(), members: vec![] };
    for i in order {
        basis.absorb(i, beta[i].abs());
    }
    basis.solve(target)
}

/// Independent points `±x` with positive weights.
struct Basis<'a> {
    rows: &'a Matrix,
    signs: Vec<f64>,
    members: Vec<(usize, f64)>,
}

impl Basis<'_> {
    fn signed(&self, i: usize) -> Vec<f64> {
        self.rows.row(i).iter().map(|value| self.signs[i] * value).collect()
    }

    fn signed_rows(&self) -> Matrix {
        let rows: Vec<Vec<f64>> = self.members.iter().map(|&(i, _)| self.signed(i)).collect();
        Matrix::from_rows(&rows)
    }

    /// The combination of the members nearest to `point`, refined once, and the squared distance left.
    fn nearest(&self, point: &[f64]) -> Option<(Vec<f64>, f64)> {
        let rows = self.signed_rows();
        let factor = Cholesky::new(upper_outer_gram(&rows)).ok()?;
        let mut coefficients = vec![0.0; rows.rows()];
        let mut rest = point.to_vec();
        for _ in 0..3 {
            let mut correction = apply(&rows, &rest);
            factor.solve(&mut correction);
            coefficients.iter_mut().zip(&correction).for_each(|(a, c)| *a += c);
            let reached = apply_transposed(&rows, &coefficients);
            rest = point.iter().zip(&reached).map(|(x, z)| x - z).collect();
        }
        Some((coefficients, norm_squared(&rest)))
    }

    /// Takes in a point and its weight, giving up the dependence if there is one.
    fn absorb(&mut self, i: usize, weight: f64) {
        let point = self.signed(i);
        let dependence = if self.members.is_empty() { None } else { self.nearest(&point) };
        match dependence {
            Some((a, rest)) if rest < DEPENDENT * DEPENDENT * dot(&point, &point) => {
                // point = Σ a_k z_k: θ of it can be replaced as long as no weight_k + θ a_k falls below zero.
                let limit = |k: usize| if a[k] < 0.0 { self.members[k].1 / -a[k] } else { f64::INFINITY };
                let first = (0..a.len()).fold(0, |b, k| if limit(k) < limit(b) { k } else { b });
                let theta = weight.min(limit(first));
                self.members.iter_mut().zip(&a).for_each(|((_, weight), a)| *weight += theta * a);
                if theta < weight {
                    self.members[first] = (i, weight - theta);
                }
            }
            _ => self.members.push((i, weight)),
        }
    }

    /// The weights solved for once more on the members alone; members that turn out not to be needed go.
    fn solve(mut self, target: &[f64]) -> Vec<(usize, f64)> {
        while let Some((weights, _)) = self.nearest(target) {
            let needed = ROUNDING * weights.iter().map(|weight| weight.abs()).sum::<f64>();
            let before = self.members.len();
            let solved = self.members.iter().zip(weights).filter(|(_, weight)| *weight > needed);
            self.members = solved.map(|(&(i, _), weight)| (i, weight)).collect();
            if self.members.len() == before || self.members.is_empty() {
                break;
            }
        }
        self.members.sort_unstable_by_key(|&(i, _)| i);
        self.members
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn weight_spread_over_dependent_points_is_gathered_on_independent_ones() {
        // A square seen from its centre: (1, 0) lies on the edge from (1, 1) to (1, -1), which also holds (1, ±1/2).
        let rows = Matrix::from_rows(&[[1.0, 1.0], [1.0, -1.0], [1.0, 0.5], [-1.0, 0.5], [0.2, 0.1]]);
        let beta = [0.25, 0.25, 0.25, -0.25, 0.0];
        let basic = basic_solution(&rows, &[1.0, 0.0], &beta);
        assert!(basic.len() <= 2, "{basic:?}");
        assert!((basic.iter().map(|(_, weight)| weight).sum::<f64>() - 1.0).abs() < 1e-14);
        let signs = [1.0, 1.0, 1.0, -1.0, 1.0];
        let sum = |k: usize| basic.iter().map(|&(i, weight)| signs[i] * weight * rows[(i, k)]).sum::<f64>();
        assert!((sum(0) - 1.0).abs() < 1e-14 && sum(1).abs() < 1e-14);
    }
}
