//! All that a decision needs, at one time, from one factorisation of V.

use super::width::{Direction, Ellipsoid};
use crate::bandit::Regression;
use crate::numerics::{Matrix, SymmetricEigen, apply, dot, multiply_transposed, norm_squared, weighted_gram};
use crate::pool::Pool;
use crate::units::Confidence;
use std::sync::Arc;

/// Points and choices in the coordinates `L⁻¹φ` in which V = LLᵀ is the identity, and the means of the choices.
pub(super) struct Snapshot {
    pool: Pool,
    pub(super) ellipsoid: Ellipsoid,
    /// `⟨z, θ⟩` of every choice.
    pub(super) means: Vec<f64>,
    /// `L⁻¹z`, m × r.
    pub(super) choices: Matrix,
    /// `L⁻¹φ(x)`, n × r, when the points are not the choices.
    other_points: Option<Matrix>,
    /// The measured points with `n_x w_x`.
    measured: Vec<(usize, f64)>,
    /// The coordinates of the choices that no measurement sees, m × k, when there are any.
    unseen: Option<Arc<Matrix>>,
    /// Whether `reach` is computed for every direction.
    reaches: bool,
}

impl Snapshot {
    /// Cost: (n + m) r² + r³.
    pub(super) fn new(
        regression: &Regression,
        delta: Confidence,
        unseen: Option<Arc<Matrix>>,
        reaches: bool,
    ) -> Self {
        let precision = regression.precision();
        let pool = regression.pool().clone();
        let factor = precision.factor();
        let mut theta = regression.moment();
        factor.solve(&mut theta);
        let means = apply(pool.choices(), &theta);
        let whitened = |rows: &Matrix| {
            let mut rows = rows.clone();
            factor.whiten_rows(&mut rows);
            rows
        };
        let measured: Vec<(usize, f64)> =
            (0..pool.len()).map(|i| (i, precision.mass(i))).filter(|&(_, mass)| mass > 0.0).collect();
        let ellipsoid = Ellipsoid {
            ridge: precision.ridge(),
            log_det: factor.log_det() - pool.dimension() as f64 * precision.ridge().ln(),
            mass: measured.iter().map(|&(_, mass)| mass).sum(),
            log_confidence: -delta.delta().ln(),
            left_out: pool.residual().max(0.0).sqrt(),
        };
        let choices = whitened(pool.choices());
        let other_points = (!pool.chooses_among_itself()).then(|| whitened(pool.features()));
        Self { ellipsoid, means, choices, other_points, measured, unseen, reaches, pool }
    }

    /// `L⁻¹φ(x)`, n × r.
    pub(super) fn points(&self) -> &Matrix {
        self.other_points.as_ref().unwrap_or(&self.choices)
    }

    /// The choice itself. Cost: r, and s r for its reach with s different points measured.
    pub(super) fn choice(&self, i: usize) -> Direction {
        let v = self.choices.row(i);
        Direction {
            estimate: self.means[i],
            norm: norm_squared(v).sqrt(),
            unreachable: self
                .unseen
                .as_ref()
                .map_or(0.0, |unseen| (norm_squared(unseen.row(i)) / self.ellipsoid.ridge).sqrt()),
            reach: if self.reaches { self.reach(v) } else { 0.0 },
            means: 1.0,
            truncated_means: 1.0,
            ellipsoid: self.ellipsoid,
        }
    }

    /// Choice i minus choice j. Cost: r, and s r for its reach with s different points measured.
    pub(super) fn difference(&self, i: usize, j: usize) -> Direction {
        let v: Vec<f64> = self.choices.row(i).iter().zip(self.choices.row(j)).map(|(a, b)| a - b).collect();
        Direction {
            estimate: self.means[i] - self.means[j],
            norm: norm_squared(&v).sqrt(),
            unreachable: self.unreachable(i, j),
            reach: if self.reaches { self.reach(&v) } else { 0.0 },
            means: 2.0,
            truncated_means: if self.are_same(i, j) { 0.0 } else { 2.0 },
            ellipsoid: self.ellipsoid,
        }
    }

    /// The same with its reach, whether or not this snapshot computes it for all.
    pub(super) fn difference_with_reach(&self, i: usize, j: usize) -> Direction {
        let v: Vec<f64> = self.choices.row(i).iter().zip(self.choices.row(j)).map(|(a, b)| a - b).collect();
        Direction { reach: self.reach(&v), ..self.difference(i, j) }
    }

    /// V is ridge·I in the directions that no measurement sees.
    fn unreachable(&self, i: usize, j: usize) -> f64 {
        self.unseen.as_ref().map_or(0.0, |unseen| {
            let squares = unseen.row(i).iter().zip(unseen.row(j)).map(|(a, b)| (a - b) * (a - b));
            (squares.sum::<f64>() / self.ellipsoid.ridge).sqrt()
        })
    }

    /// `Σ_s w_s |vᵀV⁻¹φ_s|` for v in the coordinates of V.
    fn reach(&self, v: &[f64]) -> f64 {
        let points = self.points();
        self.measured.iter().map(|&(i, mass)| mass * dot(points.row(i), v).abs()).sum()
    }

    /// Whether two choices are one and the same to the model, also in what the features of a kernel leave out.
    fn are_same(&self, i: usize, j: usize) -> bool {
        let same_features = self.pool.choices().row(i) == self.pool.choices().row(j);
        same_features
            && self.pool.exact().is_none_or(|kernel| {
                let (a, b) = (kernel.choice_atom(i), kernel.choice_atom(j));
                kernel.value(a, a) + kernel.value(b, b) - 2.0 * kernel.value(a, b) <= 0.0
            })
    }
}

/// Information below this fraction of the largest counts as none.
const NOTHING: f64 = 1e-12;

/// The coordinates of the choices (m × k) in the k directions that every measurable point is orthogonal to; `None` when there
/// is no such direction, as when the choices are the points. Cost: n r² + 9 r³ + m r k.
pub(super) fn unseen_coordinates(pool: &Pool) -> Option<Arc<Matrix>> {
    if pool.chooses_among_itself() {
        return None;
    }
    let information = weighted_gram(pool.features(), &vec![1.0; pool.len()]);
    let SymmetricEigen { values, vectors } = SymmetricEigen::new(&information).ok()?;
    let largest = values.last().copied().unwrap_or(0.0);
    let unseen: Vec<usize> = (0..values.len()).filter(|&k| values[k] <= NOTHING * largest).collect();
    if unseen.is_empty() {
        return None;
    }
    Some(Arc::new(multiply_transposed(pool.choices(), &vectors.select_rows(&unseen))))
}
