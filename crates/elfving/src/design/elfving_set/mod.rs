//! Elfving's theorem: the best design for one target, without a ridge, is a linear programme.
//!
//! The Elfving set is the convex hull of all ±x. Where the ray through c leaves it, `ρ c = Σ β_x x` with
//! `Σ |β_x| = 1`, and `λ = |β|` is the best design for c, of value `ρ⁻²`. Scaled:
//!
//! ```text
//! min Σ |β_x|  subject to Σ β_x x = c      (value = its square)
//! max cᵀy      subject to |xᵀy| ≤ 1        (y is the supporting hyperplane)
//! ```
//!
//! `linear_programme` solves it on a working set of points; what y shows to be outside joins.

mod basic_solution;
mod linear_programme;

use std::collections::BTreeMap;

use super::canonical::Breakdown;
use super::canonical::{Canonical, Objective};
use super::solver::SolverWeights;
use super::{Control, Criterion, Design, DesignError, DesignStatus, Problem, Progress, Solver, TargetRef};
use crate::numerics::{Cholesky, Matrix, apply, largest_rows};
use basic_solution::basic_solution;
use linear_programme::Programme;

/// Elfving's linear programme (1952), for one target at γ = 0: criterion c, and g or v when there is one target only.
///
/// The optimum of this criterion is usually singular, so methods that need `M⁻¹` only come near it; here the support and
/// the weights are exact: at most r points, and `Σ β_x x = c` to rounding. When fewer than r points
/// carry the target, M is singular and says nothing about the other points: then a third of the tolerance
/// is spread over these, along the central path of the programme, which makes the proof readable.
///
/// There are no settings. Cost: 15 to 25 factorisations of r × r matrices from the working set, and a pass of
/// 2 n r for each time it grows.
///
/// ```
/// use elfving::design::{Control, Criterion, ElfvingSet, Problem, Solver, DesignStatus};
/// use elfving::{numerics::Matrix, pool::{Pool, Targets}, units::{Ridge, Tolerance}};
///
/// // A straight line on 0, 0.1, ..., 1, to be known at 2: measure at the ends, twice as often at 1.
/// let pool = Pool::from_features(Matrix::from_fn(11, 2, |i, k| (i as f64 / 10.0).powi(k as i32)))?;
/// let there = Targets::Directions(Matrix::from_rows(&[[1.0, 2.0]]));
/// let problem = Problem::new(&pool, Criterion::C, there, Ridge::ZERO)?;
/// let design = ElfvingSet.solve(&problem, &mut Control::new(Tolerance::new(1e-9)?))?;
///
/// assert_eq!(design.status(), DesignStatus::Certified);
/// assert!((design.certificate().value() - 9.0).abs() < 1e-8);
/// assert!((design.support()[1].1 - 2.0 / 3.0).abs() < 1e-9);
/// # Ok::<(), elfving::design::DesignError>(())
/// ```
#[derive(Debug, Clone, Copy, Default)]
pub struct ElfvingSet;

impl ElfvingSet {
    /// Whether the problem has one target and no ridge. (A pool of one point has nothing to choose.)
    pub fn suits(problem: &Problem) -> bool {
        let criterion = problem.criterion();
        let one_target = match criterion {
            Criterion::C => true,
            Criterion::G | Criterion::V => problem.target_count() == 1 && problem.pool().len() > 1,
            Criterion::Xy | Criterion::D | Criterion::A => false,
        };
        one_target && problem.gamma().get() == 0.0
    }
}

impl Solver for ElfvingSet {
    fn name(&self) -> &'static str {
        "elfving-set"
    }

    fn solve(&self, problem: &Problem, control: &mut Control) -> Result<Design, DesignError> {
        if !Self::suits(problem) {
            return Err(DesignError::Unsupported { method: self.name(), criterion: problem.criterion() });
        }
        let canonical = Canonical::new(problem)?;
        let target = match &canonical.objective {
            Objective::Trace { root, .. } => root.row(0),
            Objective::Largest(targets) => targets.matrix().row(0),
            Objective::LogDet => unreachable!("a determinant has no target"),
        };
        let mut hull = Hull::new(&canonical, target).map_err(|_| problem.singular())?;

        hull.solve(EXACT, control).map_err(|_| problem.singular())?;
        let vertex = hull.vertex();
        let mut best = Design::checked(problem, self.name(), hull.found(&vertex), control);
        for closeness in CLOSENESS {
            if best.as_ref().is_ok_and(|best| best.status() == DesignStatus::Certified) || control.stopped {
                break;
            }
            // Fewer than r points: M is singular, and which y belongs to it only the central path says.
            if hull.solve(closeness, control).is_err() {
                break;
            }
            let found = hull.found(&hull.dusted(&vertex, DUST * control.tolerance));
            let dusted = Design::checked(problem, self.name(), found, control);
            let gap = |design: &Result<Design, _>| {
                design.as_ref().map_or(f64::INFINITY, |design: &Design| design.certificate().relative_gap())
            };
            if gap(&dusted) < gap(&best) {
                best = dusted;
            }
        }
        best
    }
}

/// Relative duality gaps at which the central path is tried as the source of y, in this order.
const CLOSENESS: [f64; 3] = [1e-4, 1e-6, 1e-8];
/// The part of the tolerance that may be spent on weights outside the optimal support.
const DUST: f64 = 0.3;
/// Relative duality gap of a programme that counts as solved.
const EXACT: f64 = 1e-13;
/// A point this far outside joins the working set.
const OUTSIDE: f64 = 1e-11;
/// Up to this many points, all of them are in the working set.
const SMALL_POOL: usize = 2000;

/// The symmetric hull of the points, seen from a working set, in coordinates where the uniform design is the identity.
struct Hull<'a> {
    canonical: &'a Canonical<'a>,
    factor: Cholesky,
    /// c in these coordinates.
    target: Vec<f64>,
    working: Vec<usize>,
    programme: Programme,
    iterations: usize,
    passes: usize,
}

impl<'a> Hull<'a> {
    fn new(canonical: &'a Canonical, target: &[f64]) -> Result<Self, Breakdown> {
        let n = canonical.points.rows();
        let factor = canonical.information(&canonical.uniform())?;
        let mut row = Matrix::from_rows(&[target]);
        factor.whiten_rows(&mut row);
        let working = if n <= SMALL_POOL {
            (0..n).collect()
        } else {
            let spanning = canonical.spanning_start()?;
            (0..n).filter(|i| spanning[*i] > 0.0 || i % n.div_ceil(SMALL_POOL / 2) == 0).collect()
        };
        let target = row.into_vec();
        let programme = Programme::new(Matrix::zeros(0, target.len()), vec![]);
        Ok(Self { canonical, factor, target, working, programme, iterations: 0, passes: 1 })
    }

    /// Solves on the working set, adds the points outside, until there are none.
    fn solve(&mut self, gap: f64, control: &mut Control) -> Result<(), Breakdown> {
        loop {
            let mut rows = self.canonical.points.select_rows(&self.working);
            self.factor.whiten_rows(&mut rows);
            self.programme = Programme::new(rows, self.target.clone());
            self.iterations += self.programme.solve(gap)?;
            let missing = self.outside();
            let progress =
                Progress { gap: self.programme.gap(), iterations: self.iterations, passes: self.passes };
            let stop = control.report(&progress).is_break();
            if missing.is_empty() || stop {
                return Ok(());
            }
            self.working.extend(missing);
            self.working.sort_unstable();
            self.working.dedup();
        }
    }

    /// The points beyond the hyperplanes `|xᵀy| = 1`, farthest first.
    fn outside(&mut self) -> Vec<usize> {
        if self.working.len() == self.canonical.points.rows() {
            return vec![];
        }
        self.passes += 1;
        let r = self.target.len();
        let y = apply(&self.factor.inverse_upper(), self.programme.y());
        let transform = Matrix::from_row_major(r, 1, y);
        let top = largest_rows(&self.canonical.points, &[&transform], self.working.len() + 2 * r + 20);
        let beyond = top[0].iter().filter(|(squared, i)| {
            *squared > (1.0 + OUTSIDE).powi(2) && self.working.binary_search(i).is_err()
        });
        beyond.map(|&(_, i)| i).take(2 * r + 20).collect()
    }

    /// The weights |β| of a basic solution, by point.
    fn vertex(&self) -> BTreeMap<usize, f64> {
        let mut basic = basic_solution(self.programme.rows(), &self.target, &self.programme.beta());
        let sum: f64 = basic.iter().map(|(_, weight)| weight).sum();
        basic.iter_mut().for_each(|(_, weight)| *weight /= sum);
        basic.into_iter().map(|(k, weight)| (self.working[k], weight)).collect()
    }

    /// The vertex mixed with the central path, where `M y = c` for a y inside the hyperplanes, as far as the
    /// value grows by no more than the fraction `loss`.
    fn dusted(&self, vertex: &BTreeMap<usize, f64>, loss: f64) -> BTreeMap<usize, f64> {
        // To first order the mixture loses its share of the central path's gap.
        let share = (loss / self.programme.gap()).min(0.5);
        let central = self.programme.central_weights();
        let sum: f64 = central.iter().sum();
        let mut mixed: BTreeMap<usize, f64> =
            vertex.iter().map(|(&i, weight)| (i, (1.0 - share) * weight)).collect();
        for (k, weight) in central.iter().enumerate() {
            *mixed.entry(self.working[k]).or_insert(0.0) += share * weight / sum;
        }
        mixed
    }

    fn found(&self, weights: &BTreeMap<usize, f64>) -> SolverWeights {
        let weights = weights.iter().map(|(&i, &weight)| (i, weight)).collect();
        // One target: its weight is one, and only g asks for it.
        let target_weights = match self.canonical.objective {
            Objective::Largest(_) => vec![(TargetRef::Row(0), 1.0)],
            Objective::Trace { .. } | Objective::LogDet => vec![],
        };
        SolverWeights { weights, target_weights, iterations: self.iterations, passes: self.passes }
    }
}
