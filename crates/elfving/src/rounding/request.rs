//! The question: a design, a budget and constraints, checked once.

use super::allocation::Allocation;
use super::constraints::Bounds;
use super::frame::Frame;
use super::report::{Rounded, RoundingPath, RoundingReport};
use super::{Constraints, RoundingError};
use crate::design::{Criterion, Design, Problem, TargetRef, recheck};
use crate::pool::{PointId, TargetRows};
use crate::units::Simplex;

/// Counts up to this are exact as `f64`.
pub(super) const MOST_MEASUREMENTS: u64 = 1 << 53;

/// A point, by its row, with its share of the measurements.
pub(super) type Share = (usize, f64);

/// What is to be rounded: the weights of a design into `budget` measurements under constraints.
///
/// Everything that can be wrong with the question is found here, so that every [`Rounding`](super::Rounding)
/// can answer. Cost: s r² + n r² for s points of positive weight and n in the pool.
///
/// ```
/// use elfving::design::{Control, Criterion, InteriorPoint, Problem, Solver};
/// use elfving::rounding::{Apportionment, Constraints, Request, Rounding};
/// use elfving::{numerics::Matrix, pool::Pool, units::{Ridge, Tolerance}};
///
/// // A straight line measured on 0, 0.1, ..., 1: half of the measurements at each end.
/// let line = Matrix::from_fn(11, 2, |i, k| if k == 0 { 1.0 } else { i as f64 / 10.0 });
/// let pool = Pool::from_features(line)?;
/// let problem = Problem::over_choices(&pool, Criterion::G, Ridge::ZERO)?;
/// let design = InteriorPoint::default().solve(&problem, &mut Control::new(Tolerance::new(1e-9)?))?;
///
/// let request = Request::new(&problem, &design, 20, &Constraints::default())?;
/// let rounded = Apportionment::default().round(&request)?;
/// assert_eq!(rounded.allocation.total(), 20);
/// assert!((rounded.report.ratio.unwrap() - 1.0).abs() < 1e-6);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone)]
pub struct Request<'a> {
    problem: &'a Problem<'a>,
    /// Positive weights with sum one, in pool order.
    pub(super) weights: Vec<Share>,
    continuous: f64,
    pub(super) budget: u64,
    pub(super) bounds: Bounds,
    pub(super) frame: Frame,
}

impl<'a> Request<'a> {
    /// Asks for `budget` new measurements close to `design`.
    ///
    /// # Errors
    /// [`RoundingError::OtherProblem`] when the design is for another criterion or ridge; those of
    /// [`Request::from_weights`] otherwise.
    pub fn new(
        problem: &'a Problem<'a>,
        design: &Design,
        budget: u64,
        constraints: &Constraints,
    ) -> Result<Self, RoundingError> {
        if design.criterion() != problem.criterion() || design.gamma() != problem.gamma() {
            return Err(RoundingError::OtherProblem {
                design: design.criterion(),
                design_gamma: design.gamma().get(),
                problem: problem.criterion(),
                problem_gamma: problem.gamma().get(),
            });
        }
        Self::build(problem, design.support(), Some(design.certificate().value()), budget, constraints)
    }

    /// Asks for `budget` new measurements close to any weights, which are normalised and evaluated first.
    ///
    /// # Errors
    /// [`RoundingError::Budget`], the errors of infeasible [`Constraints`], [`RoundingError::UnknownPoint`]
    /// and [`RoundingError::NamedTwice`] for ids, [`RoundingError::Invalid`] for invalid weights, and
    /// [`RoundingError::Design`] when the weights leave a target undetermined.
    pub fn from_weights(
        problem: &'a Problem<'a>,
        weights: &[(PointId, f64)],
        budget: u64,
        constraints: &Constraints,
    ) -> Result<Self, RoundingError> {
        Self::build(problem, weights, None, budget, constraints)
    }

    fn build(
        problem: &'a Problem<'a>,
        weights: &[(PointId, f64)],
        continuous: Option<f64>,
        budget: u64,
        constraints: &Constraints,
    ) -> Result<Self, RoundingError> {
        let points = problem.pool().len();
        if budget == 0 {
            return Err(RoundingError::Budget { got: budget });
        }
        let bounds = Bounds::new(constraints, points, budget)?;
        let all = budget.saturating_add(bounds.done_total);
        if all > MOST_MEASUREMENTS {
            return Err(RoundingError::Budget { got: all });
        }
        let weights = checked_weights(weights, points)?;
        let frame = Frame::new(problem, &weights)?;
        let continuous = match continuous {
            Some(value) => value,
            None => {
                let weights: Vec<(PointId, f64)> =
                    weights.iter().map(|&(i, weight)| (PointId::new(i), weight)).collect();
                recheck(problem, &weights, &[(some_target(problem), 1.0)])?.value()
            }
        };
        Ok(Self { problem, weights, continuous, budget, bounds, frame })
    }

    /// The problem.
    pub fn problem(&self) -> &'a Problem<'a> {
        self.problem
    }

    /// New measurements asked for.
    pub fn budget(&self) -> u64 {
        self.budget
    }

    /// The weights to round: positive, in pool order, with sum one.
    pub fn weights(&self) -> Vec<(PointId, f64)> {
        self.weights.iter().map(|&(i, weight)| (PointId::new(i), weight)).collect()
    }

    /// The criterion at the weights.
    pub fn continuous_value(&self) -> f64 {
        self.continuous
    }

    /// What an allocation is worth, whoever made it; its constraints are not checked.
    ///
    /// # Errors
    /// [`RoundingError::UnknownPoint`].
    pub fn evaluate(&self, allocation: &Allocation) -> Result<RoundingReport, RoundingError> {
        let counts = self.dense("counts", allocation.counts())?;
        Ok(self.report("given", &counts, RoundingPath::Direct))
    }

    /// Done and new measurements as shares of all of them.
    pub(super) fn shares(&self, counts: &[u64]) -> Vec<Share> {
        let all = (counts.iter().sum::<u64>() + self.bounds.done_total) as f64;
        let both = counts.iter().zip(&self.bounds.done).map(|(new, done)| new + done);
        both.enumerate().filter(|&(_, count)| count > 0).map(|(i, count)| (i, count as f64 / all)).collect()
    }

    /// The value to compare allocations by: finite, smaller is better.
    pub(super) fn search_value(&self, counts: &[u64]) -> f64 {
        self.frame.search_value(&self.shares(counts))
    }

    /// One count for each point of the pool.
    pub(super) fn dense(
        &self,
        list: &'static str,
        counts: &[(PointId, u64)],
    ) -> Result<Vec<u64>, RoundingError> {
        let points = self.problem.pool().len();
        let mut dense = vec![0; points];
        for &(id, count) in counts {
            *dense.get_mut(id.index()).ok_or(RoundingError::UnknownPoint { list, id, points })? = count;
        }
        Ok(dense)
    }

    /// The answer of a method, with what it is worth.
    pub(super) fn answer(&self, method: &str, counts: &[u64], path: RoundingPath) -> Rounded {
        let report = self.report(method, counts, path);
        Rounded { allocation: Allocation::from_dense(counts), report }
    }

    pub(super) fn report(&self, method: &str, counts: &[u64], path: RoundingPath) -> RoundingReport {
        let appraisal = self.frame.appraise(&self.shares(counts));
        let dimension = self.frame.dimension();
        let (value, ratio) = match (self.problem.criterion(), appraisal.value) {
            (_, None) => (None, None),
            // The loss of log det in one dimension, as a factor: what D-efficiency is one over.
            (Criterion::D, Some(loss)) => {
                (Some(self.continuous - loss), Some((loss / dimension as f64).exp()))
            }
            (_, Some(value)) => (Some(value), Some(value / self.continuous)),
        };
        RoundingReport {
            method: method.to_string(),
            path,
            criterion: self.problem.criterion(),
            gamma: self.problem.gamma(),
            budget: self.budget,
            total: counts.iter().sum(),
            done: self.bounds.done_total,
            candidates: counts.iter().filter(|&&count| count > 0).count(),
            value: value.filter(|value| value.is_finite()),
            continuous_value: self.continuous,
            ratio: ratio.filter(|ratio| ratio.is_finite()),
            smallest_eigenvalue: appraisal.smallest_eigenvalue,
            guaranteed_eigenvalue: None,
            dimension,
        }
    }
}

/// Positive weights with sum one, in pool order.
fn checked_weights(weights: &[(PointId, f64)], points: usize) -> Result<Vec<Share>, RoundingError> {
    let mut weights = weights.to_vec();
    weights.sort_by_key(|&(id, _)| id);
    if let Some(pair) = weights.windows(2).find(|pair| pair[0].0 == pair[1].0) {
        return Err(RoundingError::NamedTwice { list: "weights", id: pair[0].0 });
    }
    if let Some(&(id, _)) = weights.iter().find(|(id, _)| id.index() >= points) {
        return Err(RoundingError::UnknownPoint { list: "weights", id, points });
    }
    let shares = Simplex::new(weights.iter().map(|&(_, weight)| weight).collect())?;
    let pairs = weights.iter().zip(shares.as_slice()).map(|(&(id, _), &share)| (id.index(), share));
    Ok(pairs.filter(|&(_, share)| share > 0.0).collect())
}

/// A target that is not zero, for the check of a value: which one does not matter.
fn some_target(problem: &Problem) -> TargetRef {
    let rows = problem.rows().matrix();
    let differs = |i: &usize, from: Option<&[f64]>| match from {
        Some(first) => rows.row(*i) != first,
        None => rows.row(*i).iter().any(|&x| x != 0.0),
    };
    match problem.rows() {
        TargetRows::Rows(_) => TargetRef::Row((0..rows.rows()).find(|i| differs(i, None)).unwrap_or(0)),
        TargetRows::Pairs(_) => {
            let first = Some(rows.row(0));
            TargetRef::Pair(0, (1..rows.rows()).find(|i| differs(i, first)).unwrap_or(1))
        }
    }
}
