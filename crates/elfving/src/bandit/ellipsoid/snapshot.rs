//! All that a decision needs, at one time, from one factorisation of V.

use super::confidence::{ConfidenceSet, Views};
use super::testimony::Testimony;
use super::theorem::Theorem;
use super::width::{Direction, Ellipsoid};
use crate::bandit::Regression;
use crate::estimate::Assumptions;
use crate::numerics::{
    Cholesky, Matrix, SymmetricEigen, apply, dot, multiply_transposed, norm_squared, weighted_gram,
};
use crate::pool::Pool;
use crate::units::Confidence;
use std::borrow::Cow;
use std::sync::Arc;

/// Points and choices in the coordinates `L⁻¹φ` in which V = LLᵀ is the identity.
#[derive(Debug, Clone)]
pub(super) struct Geometry {
    /// `L⁻¹z`, m × r.
    pub(super) choices: Matrix,
    /// `L⁻¹φ(x)`, n × r, when the points are not the choices.
    other_points: Option<Matrix>,
}

impl Geometry {
    /// Cost: (n + m) r².
    fn of(pool: &Pool, factor: &Cholesky) -> Self {
        let whitened = |rows: &Matrix| {
            let mut rows = rows.clone();
            factor.whiten_rows(&mut rows);
            rows
        };
        let other_points = (!pool.chooses_among_itself()).then(|| whitened(pool.features()));
        Self { choices: whitened(pool.choices()), other_points }
    }

    /// `L⁻¹φ(x)`, n × r.
    pub(super) fn points(&self) -> &Matrix {
        self.other_points.as_ref().unwrap_or(&self.choices)
    }

    /// `‖z_i - z_j‖` in the inverse of V.
    pub(super) fn distance(&self, i: usize, j: usize) -> f64 {
        let squares = self.choices.row(i).iter().zip(self.choices.row(j)).map(|(a, b)| (a - b) * (a - b));
        squares.sum::<f64>().sqrt()
    }
}

/// The geometry of all data, the means of the choices, and the confidence set.
pub(super) struct Snapshot {
    pool: Pool,
    pub(super) ellipsoid: Ellipsoid,
    /// `⟨z, θ⟩` of every choice.
    pub(super) means: Vec<f64>,
    geometry: Geometry,
    /// The measured points with `n_x w_x`.
    measured: Vec<(usize, f64)>,
    /// The coordinates of the choices that no measurement sees, m × k, when there are any.
    unseen: Option<Arc<Matrix>>,
    /// √r of every choice, with r what its features leave out of k(z, z).
    left_out: Arc<[f64]>,
    /// The confidence set of the witnesses.
    set: Option<ConfidenceSet>,
    /// Whether the ellipsoid of all data is used.
    one_ridge: bool,
    /// Whether its `reach` is computed for every direction.
    reaches: bool,
}

impl Snapshot {
    /// Cost: (n + m) r² + r³, and that of the [confidence set](ConfidenceSet::new).
    pub(super) fn new(
        regression: &Regression,
        theorem: &Theorem,
        delta: Confidence,
        unseen: Option<Arc<Matrix>>,
        left_out: Arc<[f64]>,
        reaches: bool,
    ) -> Self {
        let precision = regression.precision();
        let pool = regression.pool().clone();
        let factor = precision.factor();
        let mut theta = regression.moment();
        factor.solve(&mut theta);
        let means = apply(pool.choices(), &theta);
        let measured: Vec<(usize, f64)> =
            (0..pool.len()).map(|i| (i, precision.mass(i))).filter(|&(_, mass)| mass > 0.0).collect();
        let ellipsoid = Ellipsoid {
            ridge: precision.ridge(),
            log_det: factor.log_det() - pool.dimension() as f64 * precision.ridge().ln(),
            mass: measured.iter().map(|&(_, mass)| mass).sum(),
            log_confidence: -(delta.delta() * theorem.share_of_one_ridge()).ln(),
            left_out: pool.residual().max(0.0).sqrt(),
        };
        let geometry = Geometry::of(&pool, &factor);
        let set = theorem.testimony().map(|testimony: &Testimony| {
            ConfidenceSet::new(testimony, &pool, precision.ridge(), delta, theorem.share_of_witnesses())
        });
        let one_ridge = theorem.share_of_one_ridge() > 0.0;
        Self { ellipsoid, means, geometry, measured, unseen, left_out, set, one_ridge, reaches, pool }
    }

    /// The geometry in which a comparison is bounded from above: that is where it is to be sharpened.
    pub(super) fn geometry_of(&self, difference: &Direction, assumed: &Assumptions) -> Cow<'_, Geometry> {
        let factor = match (&self.set, &difference.seen) {
            (Some(set), Some(seen)) => set.factor(&self.pool, seen, assumed),
            _ => None,
        };
        factor.map_or(Cow::Borrowed(&self.geometry), |factor| Cow::Owned(Geometry::of(&self.pool, &factor)))
    }

    /// The geometry of all data.
    pub(super) fn geometry(&self) -> &Geometry {
        &self.geometry
    }

    /// The ellipsoids of the witnesses.
    pub(super) fn views(&self) -> Option<&Arc<Views>> {
        self.set.as_ref().map(ConfidenceSet::views)
    }

    /// The choice itself. Cost: r, and s r for its reach with s different points measured.
    pub(super) fn choice(&self, i: usize) -> Direction {
        let unseen = self.unseen.as_ref().map_or(0.0, |unseen| norm_squared(unseen.row(i)).sqrt());
        Direction { unseen, means: 1.0, truncated_means: 1.0, ..self.direction(i, None, self.reaches) }
    }

    /// Choice i minus choice j. Cost: r, and s r for its reach with s different points measured.
    pub(super) fn difference(&self, i: usize, j: usize) -> Direction {
        self.difference_of(i, j, self.reaches)
    }

    /// The same with its reach, whether or not this snapshot computes it for all.
    pub(super) fn difference_with_reach(&self, i: usize, j: usize) -> Direction {
        self.difference_of(i, j, true)
    }

    fn difference_of(&self, i: usize, j: usize, reaches: bool) -> Direction {
        let direction = self.direction(i, Some(j), reaches);
        let (truncated_means, left_out) =
            if self.are_same(i, j) { (0.0, 0.0) } else { (2.0, direction.left_out) };
        Direction { unseen: self.unseen(i, j), truncated_means, left_out, ..direction }
    }

    fn direction(&self, i: usize, j: Option<usize>, reaches: bool) -> Direction {
        let mut v = self.geometry.choices.row(i).to_vec();
        if let Some(j) = j {
            v.iter_mut().zip(self.geometry.choices.row(j)).for_each(|(a, b)| *a -= b);
        }
        let norm = norm_squared(&v).sqrt();
        let reach = || if reaches { self.reach(&v) } else { 0.0 };
        Direction {
            estimate: self.means[i] - j.map_or(0.0, |j| self.means[j]),
            norm,
            norm_now: norm,
            unseen: 0.0,
            means: 2.0,
            truncated_means: 2.0,
            left_out: self.left_out[i] + j.map_or(0.0, |j| self.left_out[j]),
            seen: self.set.as_ref().map(|set| set.direction(&self.pool, i, j)),
            one_ridge: self.one_ridge.then(|| (self.ellipsoid, reach())),
        }
    }

    /// The length of the part of a difference that no measurement sees.
    fn unseen(&self, i: usize, j: usize) -> f64 {
        self.unseen.as_ref().map_or(0.0, |unseen| {
            let squares = unseen.row(i).iter().zip(unseen.row(j)).map(|(a, b)| (a - b) * (a - b));
            squares.sum::<f64>().sqrt()
        })
    }

    /// `Σ_s w_s |vᵀV⁻¹φ_s|` for v in the coordinates of V.
    fn reach(&self, v: &[f64]) -> f64 {
        let points = self.geometry.points();
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
