//! The worst pair: the squared diameter of a point set, exactly, without materialising pairs.

use rayon::prelude::*;

use crate::numerics::{Matrix, multiply_transposed, norm_squared};

/// Rows compared at a time.
const BLOCK_ROWS: usize = 128;

/// For each row the farthest other row, of those farther than `threshold` (squared), largest first.
///
/// `rows` are already whitened, so that squared distances are the `‖z - z'‖²` of the design. Rows are
/// sorted by their distance c to the centroid; a block of pairs with `(c_i + c_j)² < threshold` is
/// skipped, because no pair in it can reach the threshold. At most `k` pairs come back, ties to the smallest
/// indices, and no pair twice. Cost: at most m² r / 2 products, in blocks over threads.
pub(super) fn farthest_pairs(rows: &Matrix, threshold: f64, k: usize) -> Vec<(f64, usize, usize)> {
    let m = rows.rows();
    let (order, reach) = by_distance_to_centroid(rows);
    let sorted = rows.select_rows(&order);
    let norms: Vec<f64> = (0..m).map(|i| norm_squared(sorted.row(i))).collect();
    let blocks = m.div_ceil(BLOCK_ROWS);
    // best[i]: the farthest partner of sorted row i among the rows of the same or later blocks.
    let best: Vec<Vec<(f64, usize)>> = (0..blocks)
        .into_par_iter()
        .map(|a| {
            let (start, end) = (a * BLOCK_ROWS, ((a + 1) * BLOCK_ROWS).min(m));
            let left =
                Matrix::from_row_major(end - start, rows.columns(), sorted.row_range(start, end).to_vec());
            let mut best = vec![(f64::NEG_INFINITY, 0); end - start];
            for b in a..blocks {
                let (from, to) = (b * BLOCK_ROWS, ((b + 1) * BLOCK_ROWS).min(m));
                let bound = reach[start] + reach[from];
                if bound * bound < threshold {
                    break; // reach falls with the index: no later block can do better
                }
                let right =
                    Matrix::from_row_major(to - from, rows.columns(), sorted.row_range(from, to).to_vec());
                let inner = multiply_transposed(&left, &right);
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
    let mut pairs: Vec<(f64, usize, usize)> = best
        .into_iter()
        .flatten()
        .enumerate()
        .filter(|&(_, (distance, _))| distance > f64::NEG_INFINITY && distance >= threshold)
        .map(|(i, (distance, j))| (distance, order[i].min(order[j]), order[i].max(order[j])))
        .collect();
    pairs.sort_by(|x, y| y.0.total_cmp(&x.0).then((x.1, x.2).cmp(&(y.1, y.2))));
    pairs.truncate(k);
    pairs
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
pub(super) fn diameter_guess(rows: &Matrix) -> f64 {
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
