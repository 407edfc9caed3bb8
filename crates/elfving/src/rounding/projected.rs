//! Project-then-round: the paper's Algorithm 2, and what to do when its theorem fails.

use super::regret::{Space, members};
use super::report::{Rounded, RoundingPath};
use super::{Apportionment, RegretMinimisation, Request, Rounding, RoundingError};
use crate::numerics::{Matrix, SymmetricEigen, multiply_transposed, weighted_gram};

/// A ratio above this is not what the theorem promises.
const PROMISED_RATIO: f64 = 2.0;

/// Project-then-round (PTR) as the paper writes it, with a fallback that keeps its promise.
///
/// Keep the k eigenvectors of A(λ) whose eigenvalue is at least γ, project every point on them, and round in these k
/// dimensions by [`RegretMinimisation`]. The paper claims a ratio of at most 2 from budgets of order k on. Its
/// proof drops the blocks between kept and dropped directions, and the claim is false: there are pools with
/// ratio 5 and more at every budget. So the ratio is computed afterwards, and when it exceeds 2 the answer is regret
/// minimisation with the prior in the full space instead, where that is better (at budgets below the dimension neither may
/// reach 2). [`RoundingPath`] says which. For k = 0 every allocation has ratio at most 2, and the answer is the apportionment.
///
/// Cost: 9 r³ for the eigenvectors, and that of one or two regret minimisations.
///
/// ```
/// use elfving::design::{Criterion, Problem};
/// use elfving::rounding::{Constraints, RoundingPath, ProjectThenRound, Request, Rounding};
/// use elfving::{numerics::Matrix, pool::{PointId, Pool}, units::Ridge};
/// let pool = Pool::from_features(Matrix::from_fn(11, 2, |i, k| if k == 0 { 1.0 } else { i as f64 / 10.0 }))?;
/// let problem = Problem::over_choices(&pool, Criterion::G, Ridge::new(0.3)?)?;
/// let weights: Vec<_> = (0..11).map(|i| (PointId::new(i), 1.0)).collect();
/// let request = Request::from_weights(&problem, &weights, 12, &Constraints::default())?;
/// let report = ProjectThenRound::default().round(&request)?.report;
/// // One eigenvalue of A(λ) reaches γ = 0.3.
/// assert_eq!((report.path, report.dimension), (RoundingPath::Projected, 1));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, Default, PartialEq)]
pub struct ProjectThenRound {
    rounding: RegretMinimisation,
    literal: bool,
}

impl ProjectThenRound {
    /// Rounds the projected points with these settings.
    #[must_use]
    pub fn rounding(mut self, rounding: RegretMinimisation) -> Self {
        self.rounding = rounding;
        self
    }

    /// Gives the paper's procedure even when its ratio exceeds 2: for comparison.
    #[must_use]
    pub fn literal(mut self, literal: bool) -> Self {
        self.literal = literal;
        self
    }
}

impl Rounding for ProjectThenRound {
    fn name(&self) -> &'static str {
        "ptr"
    }

    fn round(&self, request: &Request) -> Result<Rounded, RoundingError> {
        let kept = Projection::new(request);
        let counts = match kept.dimension() {
            0 => Apportionment::default().counts(request, &request.weights),
            _ => self.rounding.best_in(request, &kept.space(request))?.counts,
        };
        let mut projected = request.answer(self.name(), &counts, RoundingPath::Projected);
        projected.report.dimension = kept.dimension();
        let projected_ratio = projected.report.ratio;
        if self.literal || projected_ratio.is_some_and(|ratio| ratio <= PROMISED_RATIO) {
            return Ok(projected);
        }
        let mut full = self.rounding.round(request)?;
        let worth = |ratio: Option<f64>| ratio.unwrap_or(f64::INFINITY);
        if worth(projected_ratio) <= worth(full.report.ratio) {
            return Ok(projected);
        }
        full.report.method = self.name().to_string();
        full.report.path = RoundingPath::FullSpace { projected_ratio };
        Ok(full)
    }
}

/// The leading eigenvectors of A(λ) in the features of the pool.
struct Projection {
    /// k × r.
    vectors: Matrix,
    /// A power of two that brings the features to order one, so that extreme ones can be squared.
    scale: f64,
    /// The ridge at this scale.
    gamma: f64,
}

impl Projection {
    fn new(request: &Request) -> Self {
        let problem = request.problem();
        let ids: Vec<usize> = request.weights.iter().map(|&(i, _)| i).collect();
        let weights: Vec<f64> = request.weights.iter().map(|&(_, weight)| weight).collect();
        let rows = problem.pool().features().select_rows(&ids);
        let scale = (-rows.max_abs().log2().floor()).exp2();
        let information = weighted_gram(&scaled(rows, scale), &weights);
        let SymmetricEigen { values, vectors } =
            SymmetricEigen::new(&information).expect("features of order one have finite squares");
        let gamma = problem.gamma().get() * scale * scale;
        // Without a ridge every direction counts that is more than rounding.
        let noise = 1e-15 * values.len() as f64 * values.last().copied().unwrap_or(0.0);
        let kept: Vec<usize> =
            (0..values.len()).rev().take_while(|&k| values[k] >= gamma && values[k] > noise).collect();
        Self { vectors: vectors.select_rows(&kept), scale, gamma }
    }

    /// The paper's effective dimension.
    fn dimension(&self) -> usize {
        self.vectors.rows()
    }

    /// `V_kᵀ x` of the members, with the prior `γ I_k`.
    fn space(&self, request: &Request) -> Space {
        let ids = members(request);
        let rows = scaled(request.problem().pool().features().select_rows(&ids), self.scale);
        let k = self.dimension();
        let prior = Matrix::from_fn(k, k, |i, j| if i == j { self.gamma } else { 0.0 });
        Space::whitened(request, ids, &multiply_transposed(&rows, &self.vectors), &prior)
    }
}

fn scaled(mut rows: Matrix, by: f64) -> Matrix {
    rows.as_mut_slice().iter_mut().for_each(|x| *x *= by);
    rows
}
