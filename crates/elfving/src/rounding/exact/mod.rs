//! Exact designs: many searches from different beginnings, and the best of them.

mod row_exchange;

use rayon::prelude::*;

use super::loss::Loss;
use super::report::{Rounded, RoundingPath};
use super::{BestRounding, Exchange, Request, Rounding, RoundingError};
use crate::numerics::rng::{Purpose, Stream, stream};
use row_exchange::RowExchange;

const BEGINNINGS: Purpose = Purpose::new("exact-starts");
/// Arithmetic that the searches may take unless their number is given: a second or two.
const WORK: f64 = 4e9;
/// Passes over the runs that a search takes, as seen on factorial, quadratic and mixture models of 3 to 8 factors.
const PASSES: f64 = 8.0;
/// Searches that are made in any case, and at most, unless their number is given.
const SEARCHES: (usize, usize) = (8, 400);
/// Of a worst case, where a search costs more, one in so many.
const FEWER: usize = 8;
/// Values this close, relative, are the same: what rounding errors decide is decided by the number of the search.
const SAME: f64 = 1e-10;

/// The best plan of exactly T runs that many searches find.
///
/// Each search begins somewhere else: at the [`BestRounding`], at draws from the continuous design, at draws from all points; then it
/// exchanges runs one by one (Fedorov 1972, in the order of Cook and Nachtsheim 1980: for each run the best point in its place) until no
/// exchange helps. Criteria d, a, v and c compare exchanges by rank-two updates; g and xy go on from the plans that are best for d
/// and for the mean variance by [`Exchange`]. What is found is at least as good as [`BestRounding`], and how far it can be from the best
/// plan there is, the continuous design says: its value is a bound for every plan.
///
/// The same seed gives the same plan on any number of threads.
///
/// | setting | default | effect |
/// |---|---|---|
/// | `searches` | as many as take a second or two, 8 to 400 | more find better plans, seldom by much |
/// | `seed` | 0 | where they begin |
///
/// ```
/// use elfving::design::{Criterion, Problem};
/// use elfving::rounding::{Constraints, ExactSearch, Request, Rounding};
/// use elfving::{numerics::Matrix, pool::{PointId, Pool}, units::Ridge};
/// // 1, a, b, ab on a 3 x 3 grid in 4 runs: the four corners.
/// let (a, b) = (|i: usize| (i % 3) as f64 - 1.0, |i: usize| (i / 3) as f64 - 1.0);
/// let grid = Matrix::from_fn(9, 4, |i, k| [1.0, a(i), b(i), a(i) * b(i)][k]);
/// let pool = Pool::from_features(grid)?;
/// let problem = Problem::over_choices(&pool, Criterion::D, Ridge::ZERO)?;
/// let uniform: Vec<_> = (0..9).map(|i| (PointId::new(i), 1.0)).collect();
/// let request = Request::from_weights(&problem, &uniform, 4, &Constraints::default())?;
/// let exact = ExactSearch::default().round(&request)?;
/// let corners: Vec<usize> = exact.allocation.counts().iter().map(|(id, _)| id.index()).collect();
/// assert_eq!(corners, [0, 2, 6, 8]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct ExactSearch {
    searches: Option<usize>,
    seed: u64,
}

impl ExactSearch {
    /// Sets how many searches are made.
    #[must_use]
    pub fn searches(mut self, searches: usize) -> Self {
        self.searches = Some(searches);
        self
    }

    /// Sets where they begin.
    #[must_use]
    pub fn seed(mut self, seed: u64) -> Self {
        self.seed = seed;
        self
    }

    /// How many searches there will be.
    fn count(&self, request: &Request) -> usize {
        let (n, p) = (request.frame.points.rows() as f64, request.frame.dimension() as f64);
        let of_one = PASSES * request.budget as f64 * n * p * 6.0;
        self.searches.unwrap_or(((WORK / of_one) as usize).clamp(SEARCHES.0, SEARCHES.1))
    }

    /// Searches from the given counts and from others; every result with its value, in the order of the searches.
    fn plans(&self, request: &Request, loss: &Loss, first: &[u64], searches: usize) -> Vec<(f64, Vec<u64>)> {
        let search = |number: usize| {
            let mut random = stream(self.seed, number as u64, BEGINNINGS);
            let begin = if number == 0 { first.to_vec() } else { beginning(request, number, &mut random) };
            let mut exchange = RowExchange::new(request, loss, begin);
            exchange.settle();
            (exchange.value(), exchange.into_counts())
        };
        (0..searches.max(1)).into_par_iter().map(search).collect()
    }
}

impl Rounding for ExactSearch {
    fn name(&self) -> &'static str {
        "exact"
    }

    fn round(&self, request: &Request) -> Result<Rounded, RoundingError> {
        let rounded = BestRounding::default().round(request)?;
        let first = request.dense("counts", rounded.allocation.counts())?;
        let searches = self.count(request);
        let frame = &request.frame;
        let plans = match &frame.loss {
            Loss::LogDet | Loss::Trace(_) => self.plans(request, &frame.loss, &first, searches),
            Loss::Largest(rows) => self.worst_case(request, &Loss::mean(rows), &first, searches)?,
            Loss::Diameter(rows) => self.worst_case(request, &Loss::mean_of_pairs(rows), &first, searches)?,
        };
        // All are compared by one rule, the rounding among them.
        let mut best = (request.search_value(&first), &first);
        let mut found_by = 0;
        for (number, (_, counts)) in plans.iter().enumerate() {
            let value = request.search_value(counts);
            let better = match frame.loss {
                Loss::LogDet => value < best.0 - SAME,
                _ => value < best.0 * (1.0 - SAME),
            };
            if better {
                best = (value, counts);
                found_by = number;
            }
        }
        let path = RoundingPath::Searched { searches: plans.len(), found_by };
        Ok(request.answer(self.name(), best.1, path))
    }
}

impl ExactSearch {
    /// For a worst case: plans that are good on average and for the determinant, each improved for the worst case.
    fn worst_case(
        &self,
        request: &Request,
        average: &Loss,
        first: &[u64],
        searches: usize,
    ) -> Result<Vec<(f64, Vec<u64>)>, RoundingError> {
        let each = searches.div_ceil(FEWER).max(SEARCHES.0);
        let mut begun = vec![(0.0, first.to_vec())];
        for loss in [average, &Loss::LogDet] {
            let mut plans = self.plans(request, loss, first, each);
            plans.sort_by(|a, b| a.0.total_cmp(&b.0));
            begun.extend(plans);
        }
        let random = (1..=each).map(|number| {
            let mut random = stream(self.seed, number as u64, BEGINNINGS);
            (0.0, beginning(request, number, &mut random))
        });
        begun.extend(random);
        begun.dedup_by(|a, b| a.1 == b.1);
        let exchange = Exchange::default();
        let improved = begun.into_par_iter().map(|(_, mut counts)| {
            exchange.improve(request, &mut counts);
            (request.search_value(&counts), counts)
        });
        Ok(improved.collect())
    }
}

/// Runs at random: of the continuous design, of all points, or half and half, by turns; minima and maxima kept.
fn beginning(request: &Request, number: usize, random: &mut Stream) -> Vec<u64> {
    let bounds = &request.bounds;
    let mut counts = bounds.lower.clone();
    let mut left = request.budget - counts.iter().sum::<u64>();
    let cumulated: Vec<(f64, usize)> = request
        .weights
        .iter()
        .scan(0.0, |sum, &(point, weight)| {
            *sum += weight;
            Some((*sum, point))
        })
        .collect();
    let unit = |random: &mut Stream| (random.next_u64() >> 11) as f64 * (-53.0f64).exp2();
    let mut misses = 0;
    while left > 0 {
        let of_design = match number % 3 {
            1 => true,
            2 => false,
            _ => random.below(2) == 0,
        };
        let point = match of_design && misses < 64 {
            true => {
                let u = unit(random) * cumulated.last().map_or(0.0, |(sum, _)| *sum);
                cumulated[cumulated.partition_point(|(sum, _)| *sum <= u).min(cumulated.len() - 1)].1
            }
            false => random.below(counts.len() as u64) as usize,
        };
        if counts[point] < bounds.upper[point] {
            counts[point] += 1;
            left -= 1;
            misses = 0;
        } else {
            misses += 1;
            // Where most points are full, the next one with room.
            if misses > 256 {
                let room = (0..counts.len()).map(|k| (point + k) % counts.len());
                let Some(point) = room.into_iter().find(|&k| counts[k] < bounds.upper[k]) else { break };
                counts[point] += 1;
                left -= 1;
            }
        }
    }
    counts
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::design::{Criterion, Problem};
    use crate::numerics::Matrix;
    use crate::pool::{PointId, Pool};
    use crate::rounding::Constraints;
    use crate::units::Ridge;

    /// 1, a, b, a², ab, b² on a grid.
    fn quadratic(levels: usize) -> Pool {
        let at = |k: usize| 2.0 * k as f64 / (levels - 1) as f64 - 1.0;
        Pool::from_features(Matrix::from_fn(levels * levels, 6, |i, k| {
            let (a, b) = (at(i % levels), at(i / levels));
            [1.0, a, b, a * a, a * b, b * b][k]
        }))
        .unwrap()
    }

    fn uniform(pool: &Pool) -> Vec<(PointId, f64)> {
        (0..pool.len()).map(|i| (PointId::new(i), 1.0)).collect()
    }

    /// All plans of `left` runs from point `from` on.
    fn every_plan(counts: &mut Vec<u64>, from: usize, left: u64, visit: &mut dyn FnMut(&[u64])) {
        if left == 0 {
            return visit(counts);
        }
        for point in from..counts.len() {
            counts[point] += 1;
            every_plan(counts, point, left - 1, visit);
            counts[point] -= 1;
        }
    }

    #[test]
    fn small_problems_are_solved_as_enumeration_solves_them() {
        let pool = quadratic(3);
        for criterion in [Criterion::D, Criterion::A, Criterion::V, Criterion::G] {
            let problem = Problem::over_choices(&pool, criterion, Ridge::ZERO).unwrap();
            for budget in [6, 7, 8] {
                let request =
                    Request::from_weights(&problem, &uniform(&pool), budget, &Constraints::default())
                        .unwrap();
                let found = ExactSearch::default().searches(60).round(&request).unwrap();
                let found =
                    request.search_value(&request.dense("counts", found.allocation.counts()).unwrap());
                let mut best = f64::INFINITY;
                every_plan(&mut vec![0; 9], 0, budget, &mut |counts| {
                    best = best.min(request.search_value(counts));
                });
                assert!(found <= best + 1e-9 * best.abs(), "{criterion} {budget}: {found} {best}");
            }
        }
    }

    #[test]
    fn the_constraints_hold_and_the_rounding_is_never_better() {
        let pool = quadratic(5);
        let constraints = Constraints::default()
            .each_at_most(2)
            .at_least(PointId::new(12), 2)
            .at_most(PointId::new(0), 0)
            .already_done(PointId::new(4), 3);
        for criterion in [Criterion::D, Criterion::V, Criterion::G] {
            let problem = Problem::over_choices(&pool, criterion, Ridge::ZERO).unwrap();
            let request = Request::from_weights(&problem, &uniform(&pool), 11, &constraints).unwrap();
            let exact = ExactSearch::default().searches(20).round(&request).unwrap();
            let counts = request.dense("counts", exact.allocation.counts()).unwrap();
            assert_eq!(counts.iter().sum::<u64>(), 11);
            assert!(counts.iter().all(|count| *count <= 2) && counts[12] == 2 && counts[0] == 0);
            let best = BestRounding::default().round(&request).unwrap();
            assert!(exact.report.ratio <= best.report.ratio.map(|ratio| ratio * (1.0 + 1e-9)), "{criterion}");
        }
    }

    #[test]
    fn full_shelves_are_filled() {
        let pool = quadratic(3);
        let problem = Problem::over_choices(&pool, Criterion::D, Ridge::ZERO).unwrap();
        let request =
            Request::from_weights(&problem, &uniform(&pool), 9, &Constraints::default().each_at_most(1))
                .unwrap();
        let exact = ExactSearch::default().searches(5).round(&request).unwrap();
        assert_eq!(exact.allocation.counts().len(), 9);
    }
}
