//! The farthest pairs of a point set, exactly, in blocks and without materialising pairs.
//!
//! The checks of a certificate have their own, which shares nothing with this.

use rayon::prelude::*;

use super::{Matrix, multiply_transposed, norm_squared};

/// Rows compared at a time.
const BLOCK_ROWS: usize = 128;

/// For each row the squared distance to the farthest later row, and that row; ties to the smallest.
///
/// The last row has no later one: distance 0 to itself. Cost: m² r / 2 products, in blocks over threads.
pub(crate) fn farthest_partners(rows: &Matrix) -> Vec<(f64, usize)> {
    let later = farthest_later(rows, |_, _| false);
    let or_itself = |(i, (distance, j))| if distance > 0.0 { (distance, j) } else { (0.0, i) };
    later.into_iter().enumerate().map(or_itself).collect()
}

/// For each row the farthest other row, of those farther than `threshold` (squared), largest first.
///
/// Rows are sorted by their distance c to the centroid; a block of pairs with `(c_i + c_j)² < threshold` is
/// skipped, because no pair in it can reach the threshold. At most `k` pairs come back, ties to the smallest
/// indices, and no pair twice. Cost: at most m² r / 2 products, in blocks over threads.
pub(crate) fn farthest_pairs(rows: &Matrix, threshold: f64, k: usize) -> Vec<(f64, usize, usize)> {
    let (order, reach) = by_distance_to_centroid(rows);
    let out_of_reach = |first: usize, other: usize| {
        let bound = reach[first] + reach[other];
        bound * bound < threshold
    };
    let mut pairs: Vec<(f64, usize, usize)> = farthest_later(&rows.select_rows(&order), out_of_reach)
        .into_iter()
        .enumerate()
        .filter(|&(_, (distance, _))| distance > f64::NEG_INFINITY && distance >= threshold)
        .map(|(i, (distance, j))| (distance, order[i].min(order[j]), order[i].max(order[j])))
        .collect();
    pairs.sort_by(|x, y| y.0.total_cmp(&x.0).then((x.1, x.2).cmp(&(y.1, y.2))));
    pairs.truncate(k);
    pairs
}

/// For each row the farthest later row and their squared distance, minus infinity where there is none. Row i of a block that
/// starts at `first` is not compared with blocks from `other` on when `out_of_reach(first, other)`.
fn farthest_later(rows: &Matrix, out_of_reach: impl Fn(usize, usize) -> bool + Sync) -> Vec<(f64, usize)> {
    let m = rows.rows();
    let norms: Vec<f64> = (0..m).map(|i| norm_squared(rows.row(i))).collect();
    let take = |start: usize, end: usize| {
        Matrix::from_row_major(end - start, rows.columns(), rows.row_range(start, end).to_vec())
    };
    let blocks = m.div_ceil(BLOCK_ROWS);
    let best: Vec<Vec<(f64, usize)>> = (0..blocks)
        .into_par_iter()
        .map(|a| {
            let (start, end) = (a * BLOCK_ROWS, ((a + 1) * BLOCK_ROWS).min(m));
            let left = take(start, end);
            let mut best = vec![(f64::NEG_INFINITY, 0); end - start];
            for b in a..blocks {
                let (from, to) = (b * BLOCK_ROWS, ((b + 1) * BLOCK_ROWS).min(m));
                if out_of_reach(start, from) {
                    break;
                }
                let inner = multiply_transposed(&left, &take(from, to));
                for i in start..end {
                    let row = inner.row(i - start);
                    for j in from.max(i + 1)..to {
                        let distance = norms[i] + norms[j] - 2.0 * row[j - from];
                        if distance > best[i - start].0 {
                            best[i - start] = (distance, j);
                        }
                    }
                }
            }
            best
        })
        .collect();
    best.concat()
}

/// Row indices by falling distance to the centroid, and these distances in that order.
fn by_distance_to_centroid(rows: &Matrix) -> (Vec<usize>, Vec<f64>) {
    let (m, r) = (rows.rows(), rows.columns());
    let mut centroid = vec![0.0; r];
    for i in 0..m {
        centroid.iter_mut().zip(rows.row(i)).for_each(|(c, x)| *c += x / m as f64);
    }
    let distance: Vec<f64> = (0..m)
        .map(|i| rows.row(i).iter().zip(&centroid).map(|(x, c)| (x - c) * (x - c)).sum::<f64>().sqrt())
        // The bound must hold after rounding too.
        .map(|distance| distance * (1.0 + 1e-12))
        .collect();
    let mut order: Vec<usize> = (0..m).collect();
    order.sort_by(|&a, &b| distance[b].total_cmp(&distance[a]).then(a.cmp(&b)));
    let reach = order.iter().map(|&i| distance[i]).collect();
    (order, reach)
}

/// A distance to start pruning from: the best of a few farthest-point hops.
pub(crate) fn diameter_guess(rows: &Matrix) -> f64 {
    let m = rows.rows();
    let mut from = 0;
    let mut best: f64 = 0.0;
    for _ in 0..6 {
        let distance = |j: usize| -> f64 {
            rows.row(from).iter().zip(rows.row(j)).map(|(a, b)| (a - b) * (a - b)).sum()
        };
        let mut farthest = (f64::NEG_INFINITY, 0);
        for j in 0..m {
            let d = distance(j);
            if d > farthest.0 {
                farthest = (d, j);
            }
        }
        if farthest.0 <= best {
            break;
        }
        best = farthest.0;
        from = farthest.1;
    }
    best
}

#[cfg(test)]
mod tests {
    use super::*;

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
                |best, pair| {
                    if squared(pair.0, pair.1) > squared(best.0, best.1) { pair } else { best }
                },
            );
        let near = |distance: f64| (distance - squared(slow.0, slow.1)).abs() < 1e-12 * distance;
        let partners = farthest_partners(&rows);
        assert!(partners[slow.0].1 == slow.1 && near(partners[slow.0].0));
        assert_eq!(partners[299], (0.0, 299));
        let pruned = farthest_pairs(&rows, 0.9 * diameter_guess(&rows), 1)[0];
        assert!((pruned.1, pruned.2) == slow && near(pruned.0));
    }

    #[test]
    fn a_row_far_from_none_is_its_own_partner() {
        let same = Matrix::from_fn(130, 2, |_, _| 0.1);
        assert!(
            farthest_partners(&same).iter().enumerate().all(|(i, &(d, j))| d >= 0.0 && (d > 0.0 || j == i))
        );
        assert!(farthest_pairs(&same, 1.0, 5).is_empty());
    }
}
