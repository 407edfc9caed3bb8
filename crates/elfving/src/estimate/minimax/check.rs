//! The proof: how good a fit is, from the problem, θ and the weights ζ alone.
//!
//! For weights with `Σ ζ_v u_v = 0`, u = v/s, every θ' has `max_v |r_v(θ')| Σ|ζ| ≥ Σ ζ_v r_v(θ') = Σ ζ_v r_v(θ)`, where
//! `r_v = (W(v) - ⟨v, θ⟩)/s(v)`. The weights of a solver sum to nearly 0 only. So the check projects them first, and charges
//! what is left: if θ' is better than θ then `|⟨u_v, θ' - θ⟩| ≤ 2 max|r(θ)|` for every v, hence a remainder
//! `e = Σ ζ_v u_v = Σ κ_v u_v` moves the sum by at most `2 max|r(θ)| Σ|κ_v|`.

use super::MinimaxProblem;
use crate::numerics::{Matrix, RightSingular, dot, right_singular, triangular_factor};
use crate::pool::TargetRows;

/// Singular values below this fraction of the largest are not used to correct weights.
const RANK_TOLERANCE: f64 = 1e-12;

/// The residual of a fit, and the bound that no fit beats.
#[derive(Debug, Clone, PartialEq)]
pub struct FitCertificate {
    /// `max_v |⟨v, θ⟩ - W(v)| / s(v)`.
    pub residual: f64,
    /// No θ has a smaller residual than this.
    pub bound: f64,
    /// `residual / bound - 1`; infinite when the bound is 0 and the residual is not.
    pub relative_gap: f64,
    /// The weights ζ on targets, by position, that prove the bound.
    pub weights: Vec<(usize, f64)>,
}

/// Recomputes the residual of θ and the bound that the weights prove. Cost: one pass, and a factorisation of the rows with weight.
///
/// # Panics
/// When θ has another dimension or a weight names a target that is not there.
pub fn recheck(problem: &MinimaxProblem<'_>, theta: &[f64], weights: &[(usize, f64)]) -> FitCertificate {
    let residuals = Residuals::new(problem, theta);
    let residual =
        residuals.values.iter().fold(0.0, |m: f64, r| if r.abs() > m || r.is_nan() { r.abs() } else { m });
    let mut weights: Vec<(usize, f64)> =
        weights.iter().copied().filter(|&(i, w)| w != 0.0 && problem.scales()[i] > 0.0).collect();
    weights.sort_by_key(|&(i, _)| i);
    let bound = proved_bound(problem, &residuals, residual, &mut weights).unwrap_or(0.0).clamp(0.0, residual);
    let relative_gap = if residual == bound { 0.0 } else { residual / bound - 1.0 };
    FitCertificate { residual, bound, relative_gap, weights }
}

/// Every `r_v`, and how far rounding may have moved it.
struct Residuals {
    values: Vec<f64>,
    rounding: f64,
}

impl Residuals {
    fn new(problem: &MinimaxProblem<'_>, theta: &[f64]) -> Self {
        let rows = problem.borrowed();
        let matrix = rows.matrix();
        let products: Vec<f64> = (0..matrix.rows()).map(|i| dot(matrix.row(i), theta)).collect();
        let mut values = Vec::with_capacity(problem.count());
        let mut rounding = 0.0_f64;
        let mut add = |fitted: f64, size: f64| {
            let (w, s) = (problem.values()[values.len()], problem.scales()[values.len()]);
            if s > 0.0 {
                rounding = rounding.max((w.abs() + size) / s * f64::EPSILON);
            }
            values.push(if s > 0.0 { (w - fitted) / s } else { 0.0 });
        };
        match rows {
            TargetRows::Rows(_) => products.iter().for_each(|&fitted| add(fitted, fitted.abs())),
            TargetRows::Pairs(_) => {
                for (i, a) in products.iter().enumerate() {
                    products[i + 1..].iter().for_each(|b| add(a - b, a.abs() + b.abs()));
                }
            }
        }
        Self { values, rounding }
    }
}

/// Projects the weights until they sum the rows to 0, and takes the bound they prove.
fn proved_bound(
    problem: &MinimaxProblem<'_>,
    residuals: &Residuals,
    residual: f64,
    weights: &mut [(usize, f64)],
) -> Option<f64> {
    if weights.is_empty() {
        return None;
    }
    let positions: Vec<usize> = weights.iter().map(|&(i, _)| i).collect();
    let rows = problem.scaled_rows(&positions);
    let correction = Correction::new(&rows, weights)?;
    for _ in 0..3 {
        let change = correction.of(&rows, weights);
        weights.iter_mut().zip(&change).for_each(|((_, weight), change)| *weight -= change);
    }
    let mass: f64 = weights.iter().map(|(_, weight)| weight.abs()).sum();
    weights.iter_mut().for_each(|(_, weight)| *weight /= mass);
    let left: f64 = correction.of(&rows, weights).iter().map(|change| change.abs()).sum();
    let proved: f64 = weights.iter().map(|&(i, weight)| weight * residuals.values[i]).sum();
    // Twice the charge of the derivation: the remainder of the remainder is not computed.
    let bound = proved - 4.0 * residual * left - residuals.rounding;
    bound.is_finite().then_some(bound)
}

/// `κ = W R (RᵀW R)⁺ Rᵀζ`, the change that brings `Rᵀζ` to 0, with weights W = |ζ| so that it falls on rows that matter.
struct Correction {
    sizes: Vec<f64>,
    singular: RightSingular,
}

impl Correction {
    fn new(rows: &Matrix, weights: &[(usize, f64)]) -> Option<Self> {
        let sizes: Vec<f64> = weights.iter().map(|(_, weight)| weight.abs()).collect();
        let mut scaled = rows.clone();
        for (i, size) in sizes.iter().enumerate() {
            scaled.row_mut(i).iter_mut().for_each(|x| *x *= size.sqrt());
        }
        Some(Self { sizes, singular: right_singular(&triangular_factor(&scaled))? })
    }

    fn of(&self, rows: &Matrix, weights: &[(usize, f64)]) -> Vec<f64> {
        let mut sum = vec![0.0; rows.columns()];
        for (i, (_, weight)) in weights.iter().enumerate() {
            sum.iter_mut().zip(rows.row(i)).for_each(|(total, x)| *total += weight * x);
        }
        let RightSingular { values, vectors } = &self.singular;
        let mut solved = vec![0.0; rows.columns()];
        for (k, value) in values.iter().enumerate().filter(|(_, value)| **value > RANK_TOLERANCE * values[0])
        {
            let along = dot(vectors.row(k), &sum) / (value * value);
            solved.iter_mut().zip(vectors.row(k)).for_each(|(x, axis)| *x += along * axis);
        }
        self.sizes.iter().enumerate().map(|(i, size)| size * dot(rows.row(i), &solved)).collect()
    }
}
