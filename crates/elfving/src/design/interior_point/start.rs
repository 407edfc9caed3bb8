//! Which points and targets the iteration starts with.

use super::newton::Breakdown;
use super::pass::worst_targets;
use super::working_set::{WorkingSet, normalised};
use crate::design::TargetRef;
use crate::design::canonical::Canonical;
use crate::numerics::{
    Cholesky, Matrix, add_scaled, average_gram, dot, largest_rows, row_norms, weighted_gram,
};
use crate::pool::TargetRows;

/// Points looked at closely before the first Newton step, at least, and per dimension.
const CLOSE_LOOK: (usize, usize) = (1500, 40);
/// Up to this many points (or six per dimension, within reason), all of them are in the working set from the start.
const SMALL_POOL: (usize, usize) = (100, 1500);
/// Most points in the working set at the start, at least, and per effective dimension.
const ROOM: (usize, f64) = (1500, 4.0);
/// Multiplicative updates before the first Newton step, at least and at most.
const UPDATES: (usize, usize) = (5, 40);
/// After the multiplicative updates, points below this fraction of the largest variance are left out.
const PROMISING: f64 = 0.93;
/// The same after as many updates as there may be: by then the variances of what matters are closer together.
const PROMISING_LATE: f64 = 0.95;
/// Targets above this fraction of the worst one join at the start of a worst-case problem.
const NEARLY_WORST: f64 = 0.99;

/// Targets of a worst-case problem under a strong ridge, from everywhere: they cost little as long as they are idle.
const MOST_TARGETS: usize = 6000;

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
                let whitening = factor.inverse_upper();
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
    let mut rough = average_gram(&canonical.points, &sample);
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
    // As much work as half a Newton step, at most.
    let updates = ((n * n / 3 + n * r) / (4 * r * r)).clamp(UPDATES.0, UPDATES.1);
    for _ in 0..updates {
        let total = dot(&lambda, &q);
        lambda.iter_mut().zip(&q).for_each(|(weight, q)| *weight *= q / total);
        let mut information = weighted_gram(&rows, &lambda);
        add_scaled(&mut information, 1.0, &canonical.prior);
        let Ok(factor) = Cholesky::new(information) else { break };
        q = row_norms(&rows, &factor.inverse_upper());
    }
    let largest = q.iter().copied().fold(0.0, f64::max);
    let enough = largest * if updates < UPDATES.1 { PROMISING } else { PROMISING_LATE };
    let near = q.iter().filter(|q| **q >= enough).count();
    let dimension = dot(&lambda, &q);
    let floor = 0.1 / n as f64;
    if is_small(n, r) || near as f64 > 2.0 * dimension {
        let kept = |k: &usize| is_small(n, r) || q[*k] >= enough;
        let kept = (0..n).filter(kept).map(|k| (points[k], lambda[k].max(floor))).collect();
        return normalised(heaviest(kept, room(dimension)));
    }
    // Too early to tell by the variances: those whose weights have grown most, and some from everywhere.
    let members: Vec<(usize, f64)> = points.into_iter().zip(lambda).collect();
    let half = room(dimension) / 2;
    let everywhere = members.iter().copied().step_by(n.div_ceil(half));
    let mut kept = heaviest(members.clone(), half);
    kept.extend(everywhere);
    kept.sort_unstable_by_key(|&(i, _)| i);
    kept.dedup_by_key(|&mut (i, _)| i);
    normalised(kept)
}

fn is_small(n: usize, r: usize) -> bool {
    n <= (6 * r).clamp(SMALL_POOL.0, SMALL_POOL.1)
}

/// How many points a working set may start with when `Σλq = tr(M⁻¹A)` dimensions are measured.
fn room(effective_dimension: f64) -> usize {
    ROOM.0.max((ROOM.1 * effective_dimension) as usize)
}

/// The `most` members of largest weight, in the order of the pool.
fn heaviest(mut members: Vec<(usize, f64)>, most: usize) -> Vec<(usize, f64)> {
    if members.len() > most {
        members.select_nth_unstable_by(most, |a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
        members.truncate(most);
        members.sort_unstable_by_key(|&(i, _)| i);
    }
    members
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
    let whitening = factor.inverse_upper();
    let top = &largest_rows(&canonical.points, &[&whitening], most)[0];
    let largest = top.first().map_or(0.0, |top| top.0);
    let own = row_norms(&canonical.points.select_rows(&set.points), &whitening);
    let dimension = dot(&set.lambda, &own);
    let floor = 0.05 / set.points.len() as f64;
    let few = is_small(canonical.points.rows(), r);
    let weight = |i: usize| set.points.binary_search(&i).map_or(floor, |at| set.lambda[at].max(floor));
    // Under a strong ridge the two designs differ, so look everywhere.
    let strong_ridge = 2.0 * dimension < r as f64;
    let everywhere = |rows: usize, most: usize| {
        (0..rows).step_by(rows.div_ceil(most)).take(if strong_ridge { rows } else { 0 })
    };
    let points: Vec<(usize, f64)> =
        top.iter().filter(|(q, _)| few || *q >= PROMISING * largest).map(|&(_, i)| (i, weight(i))).collect();
    let mut points = heaviest(points, room(dimension) / if strong_ridge { 2 } else { 1 });
    points.extend(everywhere(canonical.points.rows(), ROOM.0).map(|i| (i, weight(i))));
    points.sort_unstable_by_key(|&(i, _)| i);
    points.dedup_by_key(|&mut (i, _)| i);

    let same = std::ptr::eq::<Matrix>(targets.matrix(), &*canonical.points);
    let worst = worst_targets(targets, &factor, 0.0, most);
    let largest = worst.first().map_or(0.0, |top| top.0);
    let near = worst.iter().filter(|(q, _)| *q >= NEARLY_WORST * largest).count();
    // Where targets are points, the two weights agree at γ = 0 and are close nearby: a good guess.
    let guess = |target: TargetRef| match target {
        TargetRef::Row(i) if same => weight(i),
        _ => 1.0,
    };
    let near = near.clamp(2 * dimension as usize + 20, room(dimension));
    let mut chosen: Vec<TargetRef> = worst.iter().take(near).map(|&(_, target)| target).collect();
    if let TargetRows::Rows(rows) = targets {
        chosen.extend(everywhere(rows.rows(), MOST_TARGETS).map(TargetRef::Row));
    }
    chosen.sort_unstable();
    chosen.dedup();
    (set.targets, set.w) = normalised(chosen.into_iter().map(|target| (target, guess(target))).collect());
    (set.points, set.lambda) = normalised(points);
    set.mu = 0.0;
    Ok(())
}
