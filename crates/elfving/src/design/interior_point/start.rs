//! Which points and targets the iteration starts with.

use super::newton::Breakdown;
use super::pass::worst_targets;
use super::working_set::{WorkingSet, normalised};
use crate::design::TargetRef;
use crate::design::canonical::Canonical;
use crate::linalg::{Cholesky, Matrix, add_scaled, dot, largest_rows, row_norms, weighted_gram};
use crate::pool::TargetRows;

/// Points looked at closely before the first Newton step, at least, and per dimension.
const CLOSE_LOOK: (usize, usize) = (1500, 40);
/// Up to this many points (or six per dimension), all of them are in the working set from the start.
const SMALL_POOL: usize = 250;
/// After the multiplicative updates, points below this fraction of the largest variance are left out.
const PROMISING: f64 = 0.93;
/// Targets above this fraction of the worst one join at the start of a worst-case problem.
const NEARLY_WORST: f64 = 0.99;

/// The points that matter for the determinant, with weights, and whether the whole pool was passed over.
///
/// From all points of a small pool, or from those of largest leverage under equal weights of a
/// subsample; with the warm start, if there is one.
pub(super) fn initial_points(canonical: &Canonical, warm: &[(usize, f64)]) -> (WorkingSet, usize) {
    let (n, r) = (canonical.points.rows(), canonical.points.columns());
    let wanted = CLOSE_LOOK.0.max(CLOSE_LOOK.1 * r);
    let mut passes = 0;
    let mut points: Vec<usize> = warm.iter().map(|&(i, _)| i).collect();
    if n <= wanted {
        points = (0..n).collect();
    } else if points.len() <= r {
        match Cholesky::new(rough_information(canonical)) {
            Ok(factor) => {
                passes = 1;
                let whitening = factor.inverse_lower().transposed();
                points.extend(
                    largest_rows(&canonical.points, &[&whitening], wanted)[0].iter().map(|&(_, i)| i),
                );
            }
            Err(_) => points.extend((0..n).step_by(n.div_ceil(wanted))),
        }
    }
    points.sort_unstable();
    points.dedup();
    let (points, lambda) = promising(canonical, points, warm);
    let mu = 0.3 / points.len() as f64;
    (WorkingSet { points, lambda, targets: vec![], w: vec![], mu }, passes)
}

/// The information of equal weights on a strided subsample, with enough ridge to be definite.
fn rough_information(canonical: &Canonical) -> Matrix {
    let (n, r) = (canonical.points.rows(), canonical.points.columns());
    let sample: Vec<usize> = (0..n).step_by(n.div_ceil(200 * r + 4000)).collect();
    let equal = vec![1.0 / sample.len() as f64; sample.len()];
    let mut rough = weighted_gram(&canonical.points.select_rows(&sample), &equal);
    add_scaled(&mut rough, 1.0, &canonical.prior);
    let trace: f64 = (0..r).map(|k| rough[(k, k)]).sum();
    for k in 0..r {
        rough[(k, k)] += 1e-10 * trace / r as f64;
    }
    rough
}

/// A few multiplicative updates `λ ← λ q / Σλq`: they cost little beside a Newton step and tell which
/// points matter for the determinant.
fn promising(canonical: &Canonical, points: Vec<usize>, warm: &[(usize, f64)]) -> (Vec<usize>, Vec<f64>) {
    let n = points.len();
    let rows = canonical.points.select_rows(&points);
    let r = rows.columns();
    let mut lambda = vec![1.0 / n as f64; n];
    for &(i, weight) in warm {
        if let Ok(at) = points.binary_search(&i) {
            lambda[at] += 9.0 * weight;
        }
    }
    let mut q = vec![1.0; n];
    // As much work as one Newton step, at most.
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
    let floor = 0.1 / n as f64;
    let kept = (0..n)
        .filter(|&k| n <= SMALL_POOL.max(6 * r) || q[k] >= PROMISING * largest)
        .map(|k| (points[k], lambda[k].max(floor)))
        .collect();
    normalised(kept)
}

/// From a log-determinant design to the start of a worst-case problem: the points nearly active in it,
/// from the whole pool, and the targets nearly worst under it.
pub(super) fn narrow(
    canonical: &Canonical,
    targets: &TargetRows,
    set: &mut WorkingSet,
) -> Result<(), Breakdown> {
    let factor = set.information(canonical)?;
    let r = canonical.points.columns();
    let most = CLOSE_LOOK.0.max(CLOSE_LOOK.1 * r);
    let whitening = factor.inverse_lower().transposed();
    let top = &largest_rows(&canonical.points, &[&whitening], most)[0];
    let largest = top.first().map_or(0.0, |top| top.0);
    let floor = 0.05 / set.points.len() as f64;
    let few = canonical.points.rows() <= SMALL_POOL.max(6 * r);
    let weight = |i: usize| set.points.binary_search(&i).map_or(floor, |at| set.lambda[at].max(floor));
    let mut points: Vec<(usize, f64)> =
        top.iter().filter(|(q, _)| few || *q >= PROMISING * largest).map(|&(_, i)| (i, weight(i))).collect();
    points.sort_unstable_by_key(|&(i, _)| i);

    let same = std::ptr::eq::<Matrix>(targets.matrix(), &*canonical.points);
    let worst = worst_targets(targets, &factor, 0.0, most);
    let largest = worst.first().map_or(0.0, |top| top.0);
    let near = worst.iter().filter(|(q, _)| *q >= NEARLY_WORST * largest).count();
    // Where targets are points, the two weights agree at γ = 0 and are close nearby: a good guess.
    let guess = |target: TargetRef| match target {
        TargetRef::Row(i) if same => weight(i),
        _ => 1.0,
    };
    let mut targets: Vec<(TargetRef, f64)> =
        worst.iter().take(near.max(2 * r + 20)).map(|&(_, target)| (target, guess(target))).collect();
    targets.sort_unstable_by_key(|&(target, _)| target);
    (set.targets, set.w) = normalised(targets);
    (set.points, set.lambda) = normalised(points);
    set.mu = 0.0;
    Ok(())
}
