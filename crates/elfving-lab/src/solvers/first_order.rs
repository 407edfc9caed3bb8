//! What the first-order methods share: the gradient in canonical coordinates, where to start, and the loop
//! around a step.

use rayon::prelude::*;

use elfving::design::{Breakdown, SolverWeights};
use elfving::design::{Canonical, Objective};
use elfving::design::{Control, Criterion, Design, DesignError, DesignStatus, Problem, Progress, TargetRef};
use elfving::numerics::{
    Cholesky, Matrix, dot, largest_rows, multiply, multiply_transposed, norm_squared, row_norms,
};
use elfving::pool::TargetRows;

/// A method that improves weights one step at a time.
pub(super) trait Descent {
    /// One turn of the algorithm box.
    fn step(&mut self) -> Result<(), Breakdown>;

    /// The weights now and what they are worth.
    fn standing(&mut self) -> Result<Standing, Breakdown>;

    /// Passes over the whole pool so far.
    fn passes(&self) -> usize;
}

/// Weights, and the relative gap they would be certified with if nothing were rounded.
#[derive(Debug, Clone)]
pub(super) struct Standing {
    pub gap: f64,
    pub lambda: Vec<f64>,
    pub target_weights: Vec<(TargetRef, f64)>,
}

/// How long a method goes on by itself, and how often it looks at its gap.
#[derive(Debug, Clone, Copy)]
pub(super) struct Patience {
    pub iteration_limit: usize,
    pub check_every: usize,
}

/// Steps until the independent check certifies the best weights so far, or `control` or the patience ends.
///
/// A method's own estimate of the gap only says when to ask: where the check is stricter, the method goes on.
pub(super) fn descend(
    problem: &Problem,
    name: &'static str,
    mut method: impl Descent,
    patience: Patience,
    control: &mut Control,
) -> Result<Design, DesignError> {
    let limit = patience.iteration_limit;
    control.at_most(limit, |control| steps(problem, name, &mut method, patience.check_every, control))
}

fn steps(
    problem: &Problem,
    name: &'static str,
    method: &mut impl Descent,
    check_every: usize,
    control: &mut Control,
) -> Result<Design, DesignError> {
    let (mut best, mut iterations, mut broken) = (None::<Standing>, 0, false);
    let mut aim = control.tolerance();
    loop {
        match method.standing() {
            Ok(now) if now.gap.is_nan() => broken = true,
            Ok(now) if best.as_ref().is_none_or(|best| now.gap < best.gap) => best = Some(now),
            Ok(_) => {}
            Err(Breakdown) => broken = true,
        }
        let Some(best) = &best else { return Err(problem.singular()) };
        let progress = Progress { gap: best.gap, iterations, passes: method.passes() };
        let stop = control.report(&progress).is_break() || broken;
        if stop || best.gap <= aim {
            let design = Design::checked(problem, name, best.found(problem, &progress), control);
            let done = |design: &Design| {
                design.status() == DesignStatus::Certified || stop || aim < 1e-4 * control.tolerance()
            };
            if design.as_ref().map_or(true, done) {
                return design;
            }
            aim *= 0.3;
        }
        let steps = check_every.min(control.most_iterations() - iterations);
        broken = (0..steps).any(|_| method.step().is_err());
        iterations += steps;
    }
}

impl Standing {
    fn found(&self, problem: &Problem, progress: &Progress) -> SolverWeights {
        let positive = |&(_, weight): &(usize, f64)| weight > 0.0;
        let weights: Vec<(usize, f64)> = self.lambda.iter().copied().enumerate().filter(positive).collect();
        let target_weights = if problem.criterion() == Criterion::G && self.target_weights.is_empty() {
            // Solved as log det (Kiefer and Wolfowitz): the weights of the points prove it as weights of targets.
            weights.iter().map(|&(i, weight)| (TargetRef::Row(i), weight)).collect()
        } else {
            self.target_weights.clone()
        };
        SolverWeights { weights, target_weights, iterations: progress.iterations, passes: progress.passes }
    }
}

/// Minus the gradient of a smooth criterion and the level it is measured against.
///
/// `-log det M`: g = q and r. `tr(S M⁻¹)`: `g_x = xᵀ M⁻¹ S M⁻¹ x` and the trace itself.
#[derive(Debug, Clone)]
pub(super) struct Gradient {
    pub g: Vec<f64>,
    pub level: f64,
}

impl Gradient {
    /// One pass over the points. Cost: 2 n r².
    ///
    /// # Panics
    /// For a worst-case goal, which has no gradient.
    pub(super) fn new(canonical: &Canonical, factor: &Cholesky) -> Result<Self, Breakdown> {
        let (transform, level) = match &canonical.objective {
            Objective::LogDet => (factor.inverse_upper(), canonical.points.columns() as f64),
            Objective::Trace { root, .. } => {
                let mut whitened = root.clone();
                factor.whiten_rows(&mut whitened);
                let mut solved = root.clone();
                factor.solve_rows(&mut solved);
                (solved.transposed(), norm_squared(whitened.as_slice()))
            }
            Objective::Largest(_) => unreachable!("a worst case has no gradient"),
        };
        let g = row_norms(&canonical.points, &transform);
        let finite = level.is_finite() && g.iter().all(|value| value.is_finite());
        if finite { Ok(Self { g, level }) } else { Err(Breakdown) }
    }

    /// The relative gap that the certificate of `criterion` has at these weights.
    pub(super) fn gap(&self, criterion: Criterion, lambda: &[f64]) -> f64 {
        let excess = (largest(&self.g) - dot(lambda, &self.g)).max(0.0) / self.level;
        match criterion {
            // With w = λ: max q (F + Δ) / F² - 1, where F = r and max q = F + Δ.
            Criterion::G => excess * (2.0 + excess),
            _ => excess,
        }
    }
}

/// Refuses the worst-case criteria for the methods that need a gradient.
///
/// Criterion g at γ = 0 over the pool itself has one: it is the log-determinant problem.
pub(super) fn refuse_worst_case(
    problem: &Problem,
    canonical: &Canonical,
    method: &'static str,
) -> Result<(), DesignError> {
    match canonical.objective {
        Objective::Largest(_) => Err(DesignError::Unsupported { method, criterion: problem.criterion() }),
        Objective::LogDet | Objective::Trace { .. } => Ok(()),
    }
}

/// Divides by the sum.
pub(super) fn normalise(weights: &mut [f64]) {
    let sum: f64 = weights.iter().sum();
    weights.iter_mut().for_each(|weight| *weight /= sum);
}

/// The largest of non-negative values.
pub(super) fn largest(values: &[f64]) -> f64 {
    values.iter().copied().fold(0.0, f64::max)
}

/// The largest `q_v` and its target, over all of them.
pub(super) fn worst_target(targets: &TargetRows, factor: &Cholesky) -> (f64, TargetRef) {
    let whitening = factor.inverse_upper();
    match targets {
        TargetRows::Rows(rows) => {
            let (q, i) = largest_rows(rows, &[&whitening], 1)[0][0];
            (q, TargetRef::Row(i))
        }
        TargetRows::Pairs(rows) => {
            let (q, i, j) = farthest_pair(&multiply(rows, &whitening));
            (q, TargetRef::Pair(i, j))
        }
    }
}

/// The two rows farthest from each other and their squared distance; the first such pair in index order.
/// Cost: m² r / 2 products in blocks over threads.
fn farthest_pair(rows: &Matrix) -> (f64, usize, usize) {
    const BLOCK: usize = 128;
    let m = rows.rows();
    let norms: Vec<f64> = (0..m).map(|i| norm_squared(rows.row(i))).collect();
    let blocks: Vec<(f64, usize, usize)> = (0..m.div_ceil(BLOCK))
        .into_par_iter()
        .map(|block| {
            let (start, end) = (block * BLOCK, ((block + 1) * BLOCK).min(m));
            let left = rows.select_rows(&(start..end).collect::<Vec<_>>());
            let right = rows.select_rows(&(start..m).collect::<Vec<_>>());
            let inner = multiply_transposed(&left, &right);
            let mut best = (f64::NEG_INFINITY, 0, 1);
            for i in start..end {
                for j in i + 1..m {
                    let distance = norms[i] + norms[j] - 2.0 * inner[(i - start, j - start)];
                    if distance > best.0 {
                        best = (distance, i, j);
                    }
                }
            }
            best
        })
        .collect();
    let first_of_largest =
        |best: (f64, usize, usize), next: (f64, usize, usize)| if next.0 > best.0 { next } else { best };
    blocks.into_iter().reduce(first_of_largest).expect("differences need two rows")
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;
    use elfving::pool::Pool;
    use elfving::units::Ridge;

    /// What a smooth method minimises: minus log det, or the trace.
    pub(in crate::solvers) fn criterion(canonical: &Canonical, lambda: &[f64]) -> f64 {
        let factor = canonical.information(lambda).unwrap_or_else(|_| panic!("definite"));
        match &canonical.objective {
            Objective::LogDet => -factor.log_det(),
            Objective::Trace { root, .. } => {
                let mut whitened = root.clone();
                factor.whiten_rows(&mut whitened);
                norm_squared(whitened.as_slice())
            }
            Objective::Largest(_) => unreachable!("a worst case is not smooth"),
        }
    }

    #[test]
    fn the_gradient_is_the_derivative() {
        let pool =
            Pool::from_features(Matrix::from_fn(7, 3, |i, k| ((i * i + 5 * i * k) as f64).cos())).unwrap();
        for kind in [Criterion::D, Criterion::A, Criterion::V] {
            let problem = Problem::over_choices(&pool, kind, Ridge::new(0.2).unwrap()).unwrap();
            let canonical = Canonical::new(&problem).unwrap();
            let lambda = [0.3, 0.1, 0.1, 0.2, 0.1, 0.1, 0.1];
            let factor = canonical.information(&lambda).unwrap_or_else(|_| panic!("definite"));
            let gradient = Gradient::new(&canonical, &factor).unwrap_or_else(|_| panic!("finite"));
            for i in 0..7 {
                let at = |change: f64| {
                    let mut moved = lambda;
                    moved[i] += change;
                    criterion(&canonical, &moved)
                };
                let derivative = (at(1e-5) - at(-1e-5)) / 2e-5;
                assert!((derivative + gradient.g[i]).abs() < 1e-7 * gradient.level, "{kind} {i}");
            }
        }
    }

    #[test]
    fn the_spanning_start_spans_with_as_few_points_as_it_can() {
        // Two far points in nearly the same direction are not both taken; 2 is zero.
        let rows = [[100.0, 1.0, 0.0], [101.0, 1.0, 0.0], [0.0, 0.0, 0.0], [0.0, 3.0, 0.0], [1.0, 1.0, 1e-6]];
        let pool = Pool::from_features(Matrix::from_rows(&rows)).unwrap();
        let problem = Problem::over_choices(&pool, Criterion::D, Ridge::ZERO).unwrap();
        let canonical = Canonical::new(&problem).unwrap();
        let start = canonical.spanning_start().unwrap_or_else(|_| panic!("spans"));
        assert_eq!(start.iter().filter(|weight| **weight > 0.0).count(), 3);
        assert!(start[2] == 0.0 && canonical.information(&start).is_ok());
    }

    #[test]
    fn the_farthest_pair_is_found_across_blocks() {
        let rows = Matrix::from_fn(300, 2, |i, k| {
            ((i * (k + 3)) as f64 * 0.37).sin() * if i == 290 { 5.0 } else { 1.0 }
        });
        let squared = |i: usize, j: usize| (0..2).map(|k| (rows[(i, k)] - rows[(j, k)]).powi(2)).sum::<f64>();
        let pairs = (0..300).flat_map(|i| (i + 1..300).map(move |j| (i, j)));
        let slow =
            pairs.fold(
                (0, 1),
                |best, pair| if squared(pair.0, pair.1) > squared(best.0, best.1) { pair } else { best },
            );
        let (distance, i, j) = farthest_pair(&rows);
        assert!((i, j) == slow && (distance - squared(i, j)).abs() < 1e-12 * distance);
    }
}
