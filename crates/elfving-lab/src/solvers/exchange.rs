//! Randomised exchange.

use rand::seq::SliceRandom;

use super::first_order::{Descent, Gradient, Patience, Standing, descend, refuse_worst_case};
use super::rank_one::Inverse;
use elfving::design::Breakdown;
use elfving::design::Canonical;
use elfving::design::{Control, Criterion, Design, DesignError, Problem, Solver};
use elfving::numerics::position_of_largest;
use elfving::numerics::rng::Stream;

/// The randomised exchange algorithm REX (Harman, Filová and Richtárik 2020), for d, a, v and c, and for g at
/// γ = 0 over the pool itself.
///
/// One turn takes the best exchange between the worst point of the support and the best point of the pool, then
/// goes through all pairs of a support point and one of the leading points, in random order, with the
/// best exchange for each. When the first exchange emptied a point, only exchanges that empty another
/// one are made: the support shrinks quickly.
///
/// | setting | default | effect |
/// |---|---|---|
/// | `seed` | 0 | of the ChaCha stream that orders the pairs; same seed, same design |
/// | `leaders` | 4 | leading points in a turn, as a multiple of r |
/// | `iteration_limit` | 10 000 | ends here even when the control would go on |
///
/// Cost: a turn is one pass, 2 n r², and O(r²) for each of the s · leaders · r pairs.
///
/// ```
/// use elfving::design::{Control, Criterion, Problem, Solver, DesignStatus};
/// use elfving_lab::solvers::{RandomisedExchange};
/// use elfving::{numerics::Matrix, pool::Pool, units::{Ridge, Tolerance}};
/// let pool = Pool::from_features(Matrix::from_fn(41, 3, |i, k| (i as f64 / 20.0 - 1.0).powi(k as i32)))?;
/// let problem = Problem::over_choices(&pool, Criterion::D, Ridge::ZERO)?;
/// let design = RandomisedExchange::default().seed(7).solve(&problem, &mut Control::new(Tolerance::new(1e-6)?))?;
/// assert_eq!(design.status(), DesignStatus::Certified);
/// # Ok::<(), elfving::design::DesignError>(())
/// ```
#[derive(Debug, Clone)]
pub struct RandomisedExchange {
    seed: u64,
    leaders: usize,
    iteration_limit: usize,
}

impl Default for RandomisedExchange {
    fn default() -> Self {
        Self { seed: 0, leaders: 4, iteration_limit: 10_000 }
    }
}

impl RandomisedExchange {
    /// The seed of the stream that orders the pairs.
    #[must_use]
    pub fn seed(mut self, seed: u64) -> Self {
        self.seed = seed;
        self
    }

    /// Leading points in a turn, as a multiple of r; at least 1.
    #[must_use]
    pub fn leaders(mut self, multiple: usize) -> Self {
        self.leaders = multiple.max(1);
        self
    }

    /// Ends after this many turns at the latest.
    #[must_use]
    pub fn iteration_limit(mut self, limit: usize) -> Self {
        self.iteration_limit = limit;
        self
    }
}

impl Solver for RandomisedExchange {
    fn name(&self) -> &'static str {
        "randomised-exchange"
    }

    fn solve(&self, problem: &Problem, control: &mut Control) -> Result<Design, DesignError> {
        let canonical = Canonical::new(problem)?;
        refuse_worst_case(problem, &canonical, self.name())?;
        let leaders = self.leaders.saturating_mul(canonical.points.columns()).min(canonical.points.rows());
        let rng = Stream::of_seed(self.seed);
        let turns =
            Turns::new(&canonical, problem.criterion(), leaders, rng).map_err(|_| problem.singular())?;
        let patience = Patience { iteration_limit: self.iteration_limit, check_every: 1 };
        descend(problem, self.name(), turns, patience, control)
    }
}

struct Turns<'a> {
    canonical: &'a Canonical<'a>,
    criterion: Criterion,
    leaders: usize,
    rng: Stream,
    lambda: Vec<f64>,
    inverse: Inverse<'a>,
    gradient: Gradient,
    passes: usize,
}

/// What an exchange may do to be made.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Allowed {
    Any,
    /// Only one that leaves one of the two points without weight.
    Emptying,
}

impl<'a> Turns<'a> {
    fn new(
        canonical: &'a Canonical,
        criterion: Criterion,
        leaders: usize,
        rng: Stream,
    ) -> Result<Self, Breakdown> {
        let lambda = canonical.spanning_start()?;
        let inverse = Inverse::new(canonical, &lambda)?;
        let gradient = Gradient::new(canonical, &canonical.information(&lambda)?)?;
        Ok(Self { canonical, criterion, leaders, rng, lambda, inverse, gradient, passes: 2 })
    }

    fn support(&self) -> Vec<usize> {
        (0..self.lambda.len()).filter(|&i| self.lambda[i] > 0.0).collect()
    }

    /// The points with the largest gradients, ties to the smallest index.
    fn leading_points(&self) -> Vec<usize> {
        let g = &self.gradient.g;
        let mut order: Vec<usize> = (0..g.len()).collect();
        let better = |&a: &usize, &b: &usize| g[b].total_cmp(&g[a]).then(a.cmp(&b));
        order.select_nth_unstable_by(self.leaders - 1, better);
        order.truncate(self.leaders);
        order.sort_unstable_by(better);
        order
    }

    /// Makes the best exchange of weight from point `from` to point `to` (or back), if it is allowed; says
    /// whether one of the two was left without weight.
    fn exchange(&mut self, from: usize, to: usize, allowed: Allowed) -> bool {
        if from == to || self.lambda[from] + self.lambda[to] == 0.0 {
            return false;
        }
        let points = &self.canonical.points;
        let (gaining, losing) = (self.inverse.column(points.row(to)), self.inverse.column(points.row(from)));
        let alpha = self.inverse.best_exchange((&gaining, self.lambda[to]), (&losing, self.lambda[from]));
        let empties = alpha == self.lambda[from] || alpha == -self.lambda[to];
        if alpha != 0.0 && (empties || allowed == Allowed::Any) {
            self.lambda[to] += alpha;
            self.lambda[from] -= alpha;
            self.inverse.add(alpha, &gaining);
            let losing = self.inverse.column(points.row(from));
            self.inverse.add(-alpha, &losing);
        }
        empties
    }
}

impl Descent for Turns<'_> {
    fn step(&mut self) -> Result<(), Breakdown> {
        let g = &self.gradient.g;
        let mut support = self.support();
        let weakest = support.iter().copied().fold(support[0], |a, b| if g[b] < g[a] { b } else { a });
        let strongest = position_of_largest(g);
        let mut leaders = self.leading_points();

        let emptied = self.exchange(weakest, strongest, Allowed::Any);
        let allowed = if emptied { Allowed::Emptying } else { Allowed::Any };
        support.shuffle(&mut self.rng);
        leaders.shuffle(&mut self.rng);
        for &from in &support {
            for &to in &leaders {
                self.exchange(from, to, allowed);
            }
        }

        self.inverse = Inverse::new(self.canonical, &self.lambda)?;
        self.gradient = Gradient::new(self.canonical, &self.canonical.information(&self.lambda)?)?;
        self.passes += 1;
        Ok(())
    }

    fn standing(&mut self) -> Result<Standing, Breakdown> {
        let gap = self.gradient.gap(self.criterion, &self.lambda);
        Ok(Standing { gap, lambda: self.lambda.clone(), target_weights: vec![] })
    }

    fn passes(&self) -> usize {
        self.passes
    }
}
