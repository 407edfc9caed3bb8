//! One look at every point and every target: what the working set misses, and how far off it is.

use super::newton::Breakdown;
use super::working_set::WorkingSet;
use crate::design::TargetRef;
use crate::design::canonical::{Canonical, Objective};
use crate::numerics::{
    Cholesky, Matrix, diameter_guess, dot, farthest_pairs, largest_rows, multiply, norm_squared, row_norms,
    triangular_factor,
};
use crate::pool::TargetRows;

/// What a pass saw.
pub(super) struct Pass {
    /// Relative gap on the whole problem.
    pub gap: f64,
    /// Points whose gradient exceeds that of the working set, worst first.
    pub points: Vec<usize>,
    /// Targets above the level of the working set, worst first.
    pub targets: Vec<TargetRef>,
}

impl Pass {
    /// Whether the working set misses nothing.
    pub(super) fn is_complete(&self) -> bool {
        self.points.is_empty() && self.targets.is_empty()
    }

    /// Looks at the whole problem with the weights of the working set.
    ///
    /// The gap is that of the certificate: with `F = Σ w q` and `Δ = max_x g_x - ⟨λ, g⟩`, the optimum is at
    /// least `F²/(F + Δ)`; for log det the loss per dimension is at most `log(1 + Δ/r)`.
    pub(super) fn over(
        canonical: &Canonical,
        objective: &Objective,
        set: &WorkingSet,
    ) -> Result<Self, Breakdown> {
        let factor = set.information(canonical)?;
        let whitening = factor.inverse_upper();
        let rows = set.target_rows(objective);
        let gradient = gradient_transform(objective, set, &factor, &whitening, &rows);
        let shared = match objective {
            Objective::Largest(TargetRows::Rows(rows)) => std::ptr::eq::<Matrix>(&**rows, &*canonical.points),
            _ => false,
        };
        let transforms: &[&Matrix] = if shared { &[&gradient, &whitening] } else { &[&gradient] };
        let own_points = canonical.points.select_rows(&set.points);
        let dimension = dot(&set.lambda, &row_norms(&own_points, &whitening));
        // How many points or targets may join in one pass: some for each dimension that is measured.
        let joining = 2 * dimension as usize + 20;
        let most = set.points.len() + set.targets.len() + joining;
        let tops = largest_rows(&canonical.points, transforms, most);

        let own = row_norms(&own_points, &gradient);
        let own_largest = own.iter().copied().fold(0.0, f64::max);
        let largest = tops[0].first().map_or(own_largest, |top| top.0.max(own_largest));
        let level = dot(&set.lambda, &own);
        let excess = (largest - level).max(0.0);
        // When one point is missing, those just below the level are likely to be missed next.
        let missed = if largest > own_largest { level - 0.5 * excess } else { own_largest };
        let points = tops[0]
            .iter()
            .filter(|(g, i)| *g > missed && set.points.binary_search(i).is_err())
            .map(|&(_, i)| i)
            .take(joining)
            .collect();
        match objective {
            Objective::LogDet => {
                let r = canonical.points.columns() as f64;
                Ok(Pass { gap: excess / r, points, targets: vec![] })
            }
            Objective::Trace { root, .. } => {
                let level = whitened_norms(&factor, root.clone()).iter().sum::<f64>();
                Ok(Pass { gap: excess / level, points, targets: vec![] })
            }
            Objective::Largest(targets) => {
                let q = whitened_norms(&factor, rows);
                let own_largest = q.iter().copied().fold(0.0, f64::max);
                let worst = if shared {
                    tops[1].iter().map(|&(q, i)| (q, TargetRef::Row(i))).collect()
                } else {
                    worst_targets(targets, &factor, own_largest, most)
                };
                let largest = worst.first().map_or(own_largest, |top| top.0.max(own_largest));
                let level = dot(&set.w, &q);
                let targets = worst
                    .into_iter()
                    .filter(|(q, target)| *q > own_largest && set.targets.binary_search(target).is_err())
                    .map(|(_, target)| target)
                    .take(joining)
                    .collect();
                Ok(Pass { gap: largest * (level + excess) / (level * level) - 1.0, points, targets })
            }
        }
    }
}

/// `G` with `‖Gᵀx‖² = g_x`: `M⁻¹Rᵀ` for a root R of the targets' moment matrix; for log det `L⁻ᵀ`.
fn gradient_transform(
    objective: &Objective,
    set: &WorkingSet,
    factor: &Cholesky,
    whitening: &Matrix,
    targets: &Matrix,
) -> Matrix {
    let mut root = match objective {
        Objective::LogDet => return whitening.clone(),
        Objective::Trace { root, .. } => root.clone(),
        Objective::Largest(_) => {
            let mut weighted = targets.clone();
            for (k, w) in set.w.iter().enumerate() {
                weighted.row_mut(k).iter_mut().for_each(|value| *value *= w.sqrt());
            }
            triangular_factor(&weighted)
        }
    };
    factor.solve_rows(&mut root);
    root.transposed()
}

/// `vᵀ M⁻¹ v` for each row.
fn whitened_norms(factor: &Cholesky, mut rows: Matrix) -> Vec<f64> {
    factor.whiten_rows(&mut rows);
    (0..rows.rows()).map(|k| norm_squared(rows.row(k))).collect()
}

/// The targets with the largest `q`, worst first; of pairs, those at least `threshold`.
pub(super) fn worst_targets(
    targets: &TargetRows,
    factor: &Cholesky,
    threshold: f64,
    most: usize,
) -> Vec<(f64, TargetRef)> {
    let whitening = factor.inverse_upper();
    match targets {
        TargetRows::Rows(rows) => {
            let top = &largest_rows(rows, &[&whitening], most)[0];
            top.iter().map(|&(q, i)| (q, TargetRef::Row(i))).collect()
        }
        TargetRows::Pairs(rows) => {
            let whitened = multiply(&rows.relative_to_first_row(), &whitening);
            let prune = threshold.max(0.3 * diameter_guess(&whitened));
            let pairs = farthest_pairs(&whitened, prune, most);
            pairs.into_iter().map(|(q, i, j)| (q, TargetRef::Pair(i, j))).collect()
        }
    }
}
