//! The triangle of the pivots: all it takes to compute any row of the factor.

use std::ops::Range;

/// The rows of F at the pivots, `L[c, ..=c]`: lower triangular, packed row after row.
#[derive(Debug, Clone, Default)]
pub struct PivotTriangle {
    packed: Vec<f64>,
    rank: usize,
}

impl PivotTriangle {
    /// The rank r.
    pub fn rank(&self) -> usize {
        self.rank
    }

    /// The row of F that a new row of K would have: takes `K_xp` for the pivots p, in their order,
    /// and overwrites them. For a row of the factorised matrix this is its row of F, bit for bit.
    /// Cost r²/2.
    ///
    /// # Panics
    /// When `row.len()` is not the rank.
    pub fn extend_row(&self, row: &mut [f64]) {
        assert_eq!(row.len(), self.rank, "one kernel value for each pivot");
        self.advance(&mut [row], 0..self.rank, &mut [0.0]);
    }

    pub(super) fn row(&self, c: usize) -> &[f64] {
        let start = c * (c + 1) / 2;
        &self.packed[start..start + c + 1]
    }

    pub(super) fn push(&mut self, row: &[f64], pivot: f64) {
        self.packed.extend_from_slice(row);
        self.packed.push(pivot);
        self.rank += 1;
    }

    /// Turns the values of K in `rows[..][level..to]` into entries of F, the earlier ones being done,
    /// and takes their squares off the remaining diagonals one by one.
    pub(super) fn advance<const R: usize>(
        &self,
        rows: &mut [&mut [f64]; R],
        levels: Range<usize>,
        residuals: &mut [f64; R],
    ) {
        for c in levels {
            let pivot_row = self.row(c);
            let explained = dots(rows, &pivot_row[..c]);
            for k in 0..R {
                let entry = (rows[k][c] - explained[k]) / pivot_row[c];
                rows[k][c] = entry;
                residuals[k] -= entry * entry;
            }
        }
    }

    /// Solves Lᵀ w = b in place.
    pub(super) fn solve_transposed(&self, b: &mut [f64]) {
        for c in (0..b.len()).rev() {
            let row = self.row(c);
            b[c] /= row[c];
            for k in 0..c {
                b[k] -= row[k] * b[c];
            }
        }
    }
}

/// `Σ_i rows[k]_i b_i` for each k, over the length of b: four running sums each, so that it
/// vectorises, in an order that depends neither on R nor on k.
#[inline(always)]
fn dots<const R: usize>(rows: &[&mut [f64]; R], b: &[f64]) -> [f64; R] {
    let (b_body, b_tail) = b.as_chunks::<4>();
    let bodies: [&[[f64; 4]]; R] = std::array::from_fn(|k| &rows[k].as_chunks::<4>().0[..b_body.len()]);
    let mut sums = [[0.0; 4]; R];
    for (i, y) in b_body.iter().enumerate() {
        for k in 0..R {
            for lane in 0..4 {
                sums[k][lane] += bodies[k][i][lane] * y[lane];
            }
        }
    }
    std::array::from_fn(|k| {
        let tail = rows[k][4 * b_body.len()..].iter().zip(b_tail).map(|(x, y)| x * y).sum::<f64>();
        (sums[k][0] + sums[k][1]) + (sums[k][2] + sums[k][3]) + tail
    })
}
