//! The working set: a few points and targets solved exactly, then a pass over everything that adds what
//! the small problem left out and measures how far it is from the whole one.

use super::diameter::{diameter_guess, farthest_pairs};
use super::newton::{Breakdown, Iterate, Objective, Outcome, Working};
use crate::design::canonical::{Canonical, Goal, materialise};
use crate::design::{Control, Found, Progress, TargetRef};
use crate::linalg::{
    Cholesky, Matrix, add_scaled, dot, largest_rows, multiply, norm_squared, row_norms, triangular_factor,
    weighted_gram,
};
use crate::pool::TargetRows;

/// The working set with its weights.
#[derive(Debug, Clone, Default)]
struct WorkingSet {
    points: Vec<usize>,
    lambda: Vec<f64>,
    targets: Vec<TargetRef>,
    w: Vec<f64>,
    mu: f64,
}

impl WorkingSet {
    /// Adds what the pass found and forgets what is far from active, back on the central path at a
    /// complementarity that fits the gap.
    fn regroup(&mut self, pass: &Pass, forget: f64) {
        let count = (self.points.len() + self.targets.len()) as f64;
        self.mu = self.mu.max(0.1 * pass.gap.min(1.0) / count);
        regroup(&mut self.points, &mut self.lambda, &pass.points, self.mu, forget);
        regroup(&mut self.targets, &mut self.w, &pass.targets, self.mu, forget);
    }
}

/// On the central path `weight · slack = mu`, and slacks are of order one for what is not active: such
/// members carry about `mu`. They are dropped, the rest is kept at least there, the new ones join at a
/// tenth of the average.
fn regroup<M: Copy + Ord>(members: &mut Vec<M>, weights: &mut Vec<f64>, fresh: &[M], mu: f64, forget: f64) {
    if members.is_empty() {
        return;
    }
    let average = 1.0 / members.len() as f64;
    let inactive = forget * average;
    let mut all: Vec<(M, f64)> = members
        .iter()
        .copied()
        .zip(weights.iter().copied())
        .filter(|&(_, weight)| weight > inactive)
        .map(|(member, weight)| (member, weight.max(mu)))
        .chain(fresh.iter().map(|&member| (member, 0.1 * average)))
        .collect();
    all.sort_unstable_by_key(|&(member, _)| member);
    let sum: f64 = all.iter().map(|(_, weight)| weight).sum();
    (*members, *weights) = all.into_iter().map(|(member, weight)| (member, weight / sum)).unzip();
}

/// What a pass over the whole pool saw.
struct Pass {
    /// Relative gap on the whole problem.
    gap: f64,
    /// Points outside the working set whose gradient exceeds the working set's, worst first.
    points: Vec<usize>,
    /// Targets outside the working set above its level, worst first.
    targets: Vec<TargetRef>,
}

/// Up to this many points, all of them are in the working set from the start.
const SMALL_POOL: usize = 250;
/// Passes after which the answer is handed back whatever its gap.
const PASS_LIMIT: usize = 40;
/// Members of the working set that carry less than this share of the average weight are forgotten early on.
const FORGET: f64 = 1e-2;

/// Solves the canonical problem to `control.tolerance` on the whole pool, or as far as it gets.
pub(in crate::design) fn solve(
    canonical: &Canonical,
    warm: &[(usize, f64)],
    control: &mut Control,
) -> Result<Found, Breakdown> {
    let mut tally = Tally::default();
    let mut set = initial_points(canonical, warm, &mut tally);
    if let Goal::Largest(targets) = &canonical.goal {
        // The log-determinant design is close to the worst-case one and cheap: it names what is active.
        set = climb(canonical, &Goal::LogDet, set, 1e-3, control, &mut tally)?;
        narrow(canonical, targets, &mut set, &mut tally)?;
    }
    let tolerance = control.tolerance;
    let mut set = climb(canonical, &canonical.goal, set, tolerance, control, &mut tally)?;
    prune(canonical, &mut set, 0.1 * tolerance)?;
    Ok(Found {
        weights: set.points.into_iter().zip(set.lambda).collect(),
        target_weights: set.targets.into_iter().zip(set.w).collect(),
        iterations: tally.iterations,
        passes: tally.passes,
    })
}

/// Solves on the working set, looks at everything, adds what was missing, and goes on from there.
fn climb(
    canonical: &Canonical,
    goal: &Goal,
    mut set: WorkingSet,
    tolerance: f64,
    control: &mut Control,
    tally: &mut Tally,
) -> Result<WorkingSet, Breakdown> {
    let mut best: Option<(f64, WorkingSet)> = None;
    let mut stage = tolerance.max(1e-3);
    let last = 0.2 * tolerance;
    for round in 0..PASS_LIMIT {
        let rows = target_rows(goal, &set.targets);
        let objective = match goal {
            Goal::LogDet => Objective::LogDet,
            Goal::Trace { moment, .. } => Objective::Trace(moment),
            Goal::Largest(_) => Objective::Largest(&rows),
        };
        let outcome = newton(canonical, &objective, &set, stage, control, tally)?;
        set.lambda = outcome.iterate.lambda;
        set.w = outcome.iterate.w;
        set.mu = outcome.iterate.mu;
        let pass = pass(canonical, goal, &set, tally)?;
        if TRACE {
            println!(
                "   stage {stage:.1e} inner gap {:.1e} its {} set {} targets {} -> gap {:.2e} add {} + {}",
                outcome.gap,
                outcome.iterations,
                set.points.len(),
                set.targets.len(),
                pass.gap,
                pass.points.len(),
                pass.targets.len()
            );
        }
        if best.as_ref().is_none_or(|(gap, _)| pass.gap < *gap) {
            best = Some((pass.gap, set.clone()));
        }
        let gap = best.as_ref().map_or(f64::INFINITY, |(gap, _)| *gap);
        let progress = Progress { gap, iterations: tally.iterations, passes: tally.passes };
        if gap <= 0.5 * tolerance || control.report(&progress).is_break() {
            break;
        }
        let complete = pass.points.is_empty() && pass.targets.is_empty();
        if complete && (outcome.gap > stage || stage <= last) {
            break; // nothing is missing and the small problem is as good as rounding lets it be
        }
        stage = if complete { last } else { (1e-3 * pass.gap).clamp(last, 1e-2) };
        // Dropping late could cycle: what the last pass brought would go and come for ever.
        set.regroup(&pass, if round < 2 { FORGET } else { 0.0 });
    }
    best.map(|(_, set)| set).ok_or(Breakdown)
}
const TRACE: bool = false;

#[derive(Debug, Default)]
struct Tally {
    iterations: usize,
    passes: usize,
}

fn newton(
    canonical: &Canonical,
    objective: &Objective,
    set: &WorkingSet,
    tolerance: f64,
    control: &mut Control,
    tally: &mut Tally,
) -> Result<Outcome, Breakdown> {
    let points = canonical.points.select_rows(&set.points);
    let working = Working { points: &points, prior: &canonical.prior, objective: objective.clone() };
    let w = if matches!(objective, Objective::Largest(_)) { set.w.clone() } else { vec![] };
    let start = Iterate { lambda: set.lambda.clone(), w, mu: set.mu };
    let done = tally.iterations;
    let passes = tally.passes;
    let outcome = working.solve(start, tolerance, |gap, iteration| {
        let progress = Progress { gap, iterations: done + iteration, passes };
        control.report(&progress).is_continue()
    })?;
    tally.iterations += outcome.iterations;
    Ok(outcome)
}

/// Starts from the warm design, from all points of a small pool, or from the points of largest leverage.
fn initial_points(canonical: &Canonical, warm: &[(usize, f64)], tally: &mut Tally) -> WorkingSet {
    let (n, r) = (canonical.points.rows(), canonical.points.columns());
    let mut points: Vec<usize> = warm.iter().map(|&(i, _)| i).collect();
    let wanted = (40 * r).max(1500);
    if n <= wanted {
        points = (0..n).collect();
    } else if points.len() < r + 1 {
        let rough = rough_information(canonical);
        if let Ok(factor) = Cholesky::new(rough) {
            tally.passes += 1;
            let transform = factor.inverse_lower().transposed();
            let top = largest_rows(&canonical.points, &[&transform], wanted);
            points.extend(top[0].iter().map(|&(_, i)| i));
        } else {
            points.extend((0..n).step_by(n.div_ceil(wanted)));
        }
    }
    points.sort_unstable();
    points.dedup();
    let (points, lambda) = multiplicative_start(canonical, points, warm);
    let mu = 0.3 / points.len() as f64;
    WorkingSet { points, lambda, targets: vec![], w: vec![], mu }
}

/// A few multiplicative updates `λ ← λ q / Σλq`: they cost nothing beside a Newton step and tell which points
/// matter for the determinant.
fn multiplicative_start(
    canonical: &Canonical,
    points: Vec<usize>,
    warm: &[(usize, f64)],
) -> (Vec<usize>, Vec<f64>) {
    let n = points.len();
    let rows = canonical.points.select_rows(&points);
    let mut lambda = vec![1.0 / n as f64; n];
    for &(i, weight) in warm {
        if let Ok(at) = points.binary_search(&i) {
            lambda[at] += 9.0 * weight;
        }
    }
    let mut q = vec![1.0; n];
    // As much work as one Newton step, at most.
    let r = rows.columns();
    let updates = ((n * n / 3 + n * r) / (2 * r * r)).clamp(5, 40);
    for _ in 0..updates {
        let total = dot(&lambda, &q);
        lambda.iter_mut().zip(&q).for_each(|(weight, q)| *weight *= q / total);
        let mut information = weighted_gram(&rows, &lambda);
        add_scaled(&mut information, 1.0, &canonical.prior);
        let Ok(factor) = Cholesky::new(information) else { break };
        q = row_norms(&rows, &factor.inverse_lower().transposed());
    }
    let largest = q.iter().copied().fold(0.0, f64::max);
    let keep: Vec<usize> = (0..n).filter(|&k| n <= SMALL_POOL || q[k] >= KEEP * largest).collect();
    let floor = 0.1 / n as f64;
    let sum: f64 = keep.iter().map(|&k| lambda[k].max(floor)).sum();
    keep.iter().map(|&k| (points[k], lambda[k].max(floor) / sum)).unzip()
}
const KEEP: f64 = 0.93;

/// The information of equal weights on a strided subsample, with enough ridge to be definite.
fn rough_information(canonical: &Canonical) -> Matrix {
    let (n, r) = (canonical.points.rows(), canonical.points.columns());
    let stride = n.div_ceil(20 * r + 1000).max(1);
    let sample: Vec<usize> = (0..n).step_by(stride).collect();
    let rows = canonical.points.select_rows(&sample);
    let mut rough = weighted_gram(&rows, &vec![1.0 / sample.len() as f64; sample.len()]);
    add_scaled(&mut rough, 1.0, &canonical.prior);
    let trace: f64 = (0..r).map(|k| rough[(k, k)]).sum();
    for k in 0..r {
        rough[(k, k)] += 1e-10 * trace / r as f64;
    }
    rough
}

/// `M = A(λ) + Γ` of the working set, factored.
fn information(canonical: &Canonical, set: &WorkingSet) -> Result<Cholesky, Breakdown> {
    let rows = canonical.points.select_rows(&set.points);
    let mut matrix = weighted_gram(&rows, &set.lambda);
    add_scaled(&mut matrix, 1.0, &canonical.prior);
    Cholesky::new(matrix).map_err(|_| Breakdown)
}

/// Names the targets that are worst under the log-determinant design, and the points nearly active in it.
fn narrow(
    canonical: &Canonical,
    targets: &TargetRows,
    set: &mut WorkingSet,
    tally: &mut Tally,
) -> Result<(), Breakdown> {
    let factor = information(canonical, set)?;
    tally.passes += 1;
    let whitening = factor.inverse_lower().transposed();
    let r = canonical.points.columns();
    let most = (40 * r).max(1500);
    let top = &largest_rows(&canonical.points, &[&whitening], most)[0];
    let floor = 0.05 / set.points.len() as f64;
    let mut points: Vec<(usize, f64)> = top
        .iter()
        .filter(|(q, _)| *q >= KEEP_G * top[0].0)
        .map(|&(_, i)| (i, set.points.binary_search(&i).map_or(floor, |at| set.lambda[at].max(floor))))
        .collect();
    points.sort_unstable_by_key(|&(i, _)| i);
    let sum: f64 = points.iter().map(|(_, weight)| weight).sum();
    (set.points, set.lambda) = points.into_iter().map(|(i, weight)| (i, weight / sum)).unzip();
    let worst = worst_targets(targets, &factor, 0.0, most);
    let largest = worst.first().map_or(0.0, |top| top.0);
    let near = worst.iter().filter(|(q, _)| *q >= KEEP_V * largest).count().max(2 * r + 20);
    let mut active: Vec<(TargetRef, f64)> =
        worst.iter().take(near).map(|&(q, target)| (target, q / largest)).collect();
    active.sort_unstable_by_key(|&(target, _)| target);
    let q: Vec<f64> = active.iter().map(|&(_, q)| q).collect();
    set.mu = 3e-2 / (set.points.len() + active.len()) as f64;
    set.targets = active.into_iter().map(|(target, _)| target).collect();
    set.w = central_weights(&q, set.mu);
    if TRACE {
        println!("   narrowed to {} points {} targets", set.points.len(), set.targets.len());
    }
    Ok(())
}

/// The weights of the central path at complementarity `mu`: `w_v = mu / (t - q_v)` with t such that they
/// sum to one.
fn central_weights(q: &[f64], mu: f64) -> Vec<f64> {
    let largest = q.iter().copied().fold(0.0, f64::max);
    let total = |t: f64| -> f64 { q.iter().map(|q| mu / (t - q)).sum() };
    // With one target at the top the sum is at least one at `largest + mu`, and at most one at the far end.
    let (mut low, mut high) = (largest + mu, largest + mu * q.len() as f64);
    for _ in 0..60 {
        let middle = 0.5 * (low + high);
        if total(middle) > 1.0 { low = middle } else { high = middle }
    }
    let sum = total(high);
    q.iter().map(|q| mu / (high - q) / sum).collect()
}

const KEEP_G: f64 = 0.93;
const KEEP_V: f64 = 0.985;

/// The targets with the largest `q`, at least `threshold`, worst first.
fn worst_targets(targets: &TargetRows, factor: &Cholesky, threshold: f64, k: usize) -> Vec<(f64, TargetRef)> {
    match targets {
        TargetRows::Rows(rows) => {
            let transform = factor.inverse_lower().transposed();
            let top = largest_rows(rows, &[&transform], k);
            top[0].iter().map(|&(q, i)| (q, TargetRef::Row(i))).collect()
        }
        TargetRows::Pairs(rows) => {
            let whitened = multiply(rows, &factor.inverse_lower().transposed());
            let prune = threshold.max(0.3 * diameter_guess(&whitened));
            let pairs = farthest_pairs(&whitened, prune, k);
            pairs.into_iter().map(|(q, i, j)| (q, TargetRef::Pair(i, j))).collect()
        }
    }
}

/// The named targets as rows.
fn target_rows(goal: &Goal, targets: &[TargetRef]) -> Matrix {
    match goal {
        Goal::Largest(rows) => materialise(rows, targets),
        Goal::LogDet | Goal::Trace { .. } => Matrix::zeros(0, 0),
    }
}

/// One look at every point and every target.
fn pass(canonical: &Canonical, goal: &Goal, set: &WorkingSet, tally: &mut Tally) -> Result<Pass, Breakdown> {
    let factor = information(canonical, set)?;
    let r = canonical.points.columns();
    let inverse = factor.inverse_lower();
    let whitening = inverse.transposed();
    let wanted = set.points.len() + 2 * r + 40;
    tally.passes += 1;

    // ‖Gᵀ x‖² = g_x, with G = M⁻¹ (root of S_w)ᵀ; for log det g = q and G = L⁻ᵀ.
    let rows = target_rows(goal, &set.targets);
    let gradient = match goal {
        Goal::LogDet => whitening.clone(),
        Goal::Trace { root, .. } => gradient_transform(&factor, root.clone()),
        Goal::Largest(_) => {
            let mut weighted = rows.clone();
            for (k, w) in set.w.iter().enumerate() {
                weighted.row_mut(k).iter_mut().for_each(|value| *value *= w.sqrt());
            }
            gradient_transform(&factor, triangular_factor(&weighted))
        }
    };
    let shared = match goal {
        Goal::Largest(TargetRows::Rows(rows)) => std::ptr::eq(&**rows, &*canonical.points),
        _ => false,
    };
    let transforms: &[&Matrix] = if shared { &[&gradient, &whitening] } else { &[&gradient] };
    let tops = largest_rows(&canonical.points, transforms, wanted);

    let own = canonical.points.select_rows(&set.points);
    let g = row_norms(&own, &gradient);
    let inner = dot(&set.lambda, &g);
    let largest_g = tops[0].first().map_or(0.0, |top| top.0);
    let delta = (largest_g - inner).max(0.0);
    let own_largest = g.iter().copied().fold(0.0, f64::max);
    let points = tops[0]
        .iter()
        .filter(|(value, i)| *value > own_largest && set.points.binary_search(i).is_err())
        .map(|&(_, i)| i)
        .take(2 * r + 20)
        .collect();
    let (gap, targets) = match goal {
        Goal::LogDet => ((delta / r as f64).ln_1p(), vec![]),
        Goal::Trace { root, .. } => {
            let mut whitened = root.clone();
            factor.whiten_rows(&mut whitened);
            (delta / norm_squared(whitened.as_slice()), vec![])
        }
        Goal::Largest(targets) => {
            let mut whitened = rows;
            factor.whiten_rows(&mut whitened);
            let q: Vec<f64> = (0..whitened.rows()).map(|k| norm_squared(whitened.row(k))).collect();
            let own_largest = q.iter().copied().fold(0.0, f64::max);
            let level = dot(&set.w, &q);
            let worst: Vec<(f64, TargetRef)> = if shared {
                tops[1].iter().map(|&(q, i)| (q, TargetRef::Row(i))).collect()
            } else {
                worst_targets(targets, &factor, own_largest, wanted + set.targets.len())
            };
            let largest = worst.first().map_or(own_largest, |top| top.0.max(own_largest));
            let fresh = worst
                .into_iter()
                .filter(|(q, target)| *q > own_largest && !set.targets.contains(target))
                .map(|(_, target)| target)
                .take(2 * r + 20)
                .collect();
            (largest * (level + delta) / (level * level) - 1.0, fresh)
        }
    };
    Ok(Pass { gap, points, targets })
}

/// Drops the smallest weights while that raises no norm by more than the fraction `allowed`.
///
/// Without the points of a set D, `M - Σ_D λxxᵀ ⪰ (1 - Σ_D λ_x q_x) M`.
fn prune(canonical: &Canonical, set: &mut WorkingSet, allowed: f64) -> Result<(), Breakdown> {
    let whitening = information(canonical, set)?.inverse_lower().transposed();
    let q = row_norms(&canonical.points.select_rows(&set.points), &whitening);
    let loss: Vec<f64> = set.lambda.iter().zip(&q).map(|(weight, q)| weight * q).collect();
    let mut order: Vec<usize> = (0..loss.len()).collect();
    order.sort_by(|&a, &b| loss[a].total_cmp(&loss[b]).then(a.cmp(&b)));
    let mut spent = 0.0;
    let mut keep = vec![true; loss.len()];
    for k in order {
        spent += loss[k];
        if spent > allowed {
            break;
        }
        keep[k] = false;
    }
    let kept = set.points.iter().zip(&set.lambda).zip(&keep).filter(|(_, keep)| **keep);
    (set.points, set.lambda) = kept.map(|((&i, &weight), _)| (i, weight)).unzip();
    Ok(())
}

/// `G = M⁻¹ Rᵀ` for a root R of the targets' moment matrix (`RᵀR = S`).
fn gradient_transform(factor: &Cholesky, mut root: Matrix) -> Matrix {
    factor.solve_rows(&mut root);
    root.transposed()
}
