//! Pivoted (incomplete) Cholesky `K ≈ F Fᵀ` of a matrix that is never stored.
//!
//! Greedy: each step takes the index with the largest remaining diagonal as the next pivot (ties
//! to the smallest index) and asks for that one column of K. Computed *lazily*: a remaining
//! diagonal only ever shrinks, so a row whose last known value is below the current largest cannot
//! be the pivot and need not be brought up to date yet. Rows are then updated by many columns at a
//! time while they sit in cache, instead of streaming the whole factor through memory once per
//! pivot. Every entry is computed once, by the same arithmetic, whenever that happens: the result
//! is that of the plain algorithm, bit for bit, and does not depend on the number of threads.

use rayon::prelude::*;

use super::Matrix;

/// Rows handled together by one task: fixed, so that nothing depends on the number of threads.
const BLOCK_ROWS: usize = 512;

/// When to stop: at a small enough remaining diagonal, or at a largest rank.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct CholeskyStop {
    /// Stop when every remaining diagonal entry is at most this times the largest diagonal entry.
    pub tolerance: f64,
    /// Stop at this rank at the latest.
    pub max_rank: Option<usize>,
}

/// The factor F (n × r) of `K ≈ F Fᵀ`, its pivots, and what was left over.
#[derive(Debug, Clone)]
pub struct PivotedCholesky {
    /// F: n × r, rows in the order of K. Equal rows of K get equal rows of F, bit for bit.
    pub factor: Matrix,
    /// The r pivots, in the order taken.
    pub pivots: Vec<usize>,
    /// `max_i (K_ii - |F_i|²)`, recomputed from the finished factor; at least 0.
    pub max_residual: f64,
    /// `Σ_i (K_ii - |F_i|²)`, recomputed from the finished factor; at least 0.
    pub trace_residual: f64,
    /// The rows of F at the pivots.
    pub triangle: PivotTriangle,
}

/// Why a matrix has no Cholesky factor.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum NotFactorable {
    /// A remaining diagonal entry is negative beyond rounding.
    #[error(
        "the matrix is not positive semidefinite: after the pivots, entry {index} of the diagonal is {residual:e}"
    )]
    NotPositiveSemidefinite {
        /// The row concerned.
        index: usize,
        /// Its remaining diagonal entry `uᵀ K u` (negative).
        residual: f64,
        /// The non-zero entries of `u`: a direction in which the quadratic form is negative.
        direction: Vec<(usize, f64)>,
    },
    /// An entry is NaN or infinite, or became so.
    #[error("entry ({row}, {column}) of the matrix is not a finite number, or too large to factorise")]
    NotFinite {
        /// Its row.
        row: usize,
        /// Its column.
        column: usize,
    },
}

/// Factorises the n × n positive semidefinite K given by its diagonal and a way to compute a column.
///
/// `column(p, out)` writes `K_ip` for all i. Stops when no remaining diagonal entry exceeds
/// `stop.tolerance · max_i K_ii` (or what rounding allows, about `r · 2e-16 · max_i K_ii`, when the
/// tolerance is below that), or at `stop.max_rank`. Time O(n r²) plus r columns; memory about n × r.
///
/// # Errors
/// [`NotFactorable::NotPositiveSemidefinite`] when a remaining diagonal entry falls below minus the
/// tolerance, with a direction that proves it; [`NotFactorable::NotFinite`] for NaN or overflow.
///
/// ```
/// use elfving::linalg::{CholeskyStop, pivoted_cholesky};
/// // K = a aᵀ with a = (1, 2, 3): rank one, and the largest diagonal is the pivot.
/// let a = [1.0, 2.0, 3.0];
/// let stop = CholeskyStop { tolerance: 1e-12, max_rank: None };
/// let result = pivoted_cholesky(vec![1.0, 4.0, 9.0], |p, out| {
///     for i in 0..3 {
///         out[i] = a[i] * a[p];
///     }
/// }, stop)?;
/// assert_eq!(result.pivots, vec![2]);
/// assert_eq!(result.factor.as_slice(), &[1.0, 2.0, 3.0]);
/// # Ok::<(), elfving::linalg::NotFactorable>(())
/// ```
pub fn pivoted_cholesky(
    diagonal: Vec<f64>,
    mut column: impl FnMut(usize, &mut [f64]),
    stop: CholeskyStop,
) -> Result<PivotedCholesky, NotFactorable> {
    let n = diagonal.len();
    if let Some(row) = diagonal.iter().position(|d| !d.is_finite()) {
        return Err(NotFactorable::NotFinite { row, column: row });
    }
    let scale = diagonal.iter().fold(0.0, |m: f64, d| m.max(d.abs()));
    let negligible = |rank: usize| scale * stop.tolerance.max(rounding(rank));
    let max_rank = stop.max_rank.unwrap_or(n).min(n);

    let mut blocks = Block::split(&diagonal);
    let mut triangle = PivotTriangle::default();
    let mut pivots = Vec::new();
    let mut values = vec![0.0; n];
    loop {
        let extremes = find_extremes(&mut blocks, &triangle);
        let limit = negligible(pivots.len());
        if extremes.smallest < -limit {
            return Err(not_positive(&blocks, &triangle, &pivots, extremes));
        }
        let more_to_explain = extremes.largest > limit && pivots.len() < max_rank;
        if !more_to_explain {
            break;
        }
        let pivot = extremes.largest_at;
        triangle.push(row_of(&blocks, pivot), extremes.largest.sqrt());
        column(pivot, &mut values);
        if let Some(row) = values.iter().position(|v| !v.is_finite()) {
            return Err(NotFactorable::NotFinite { row, column: pivot });
        }
        blocks.par_iter_mut().for_each(|block| block.append(&values));
        pivots.push(pivot);
    }

    blocks.par_iter_mut().for_each(|block| block.finish(&triangle, &diagonal));
    let residuals = || blocks.iter().flat_map(|block| &block.residual);
    if let Some(row) = residuals().position(|r| !r.is_finite()) {
        return Err(NotFactorable::NotFinite { row, column: row });
    }
    let trace_residual = residuals().sum::<f64>().max(0.0);
    let extremes = Extremes::of_all(blocks.iter().map(Block::extremes));
    if extremes.smallest < -negligible(pivots.len()) {
        return Err(not_positive(&blocks, &triangle, &pivots, extremes));
    }
    Ok(PivotedCholesky {
        factor: assemble(blocks, n, pivots.len()),
        pivots,
        max_residual: extremes.largest.max(0.0),
        trace_residual,
        triangle,
    })
}

/// The relative size of a remaining diagonal that may be rounding alone: each of the `rank` updates
/// of an entry is off by a few units in the last place of K's largest entry.
fn rounding(rank: usize) -> f64 {
    (rank as f64 + 8.0) * f64::EPSILON
}

impl PivotedCholesky {
    /// The direction `u` with `uᵀ K u = cᵀ R c`, where R = K - F Fᵀ is what the factor leaves over
    /// and `c` has the given non-zero entries.
    pub fn residual_direction(&self, coefficients: &[(usize, f64)]) -> Vec<(usize, f64)> {
        residual_direction(&self.triangle, &self.pivots, coefficients, |i| self.factor.row(i))
    }
}

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

    fn row(&self, c: usize) -> &[f64] {
        let start = c * (c + 1) / 2;
        &self.packed[start..start + c + 1]
    }

    fn push(&mut self, row: &[f64], pivot: f64) {
        self.packed.extend_from_slice(row);
        self.packed.push(pivot);
        self.rank += 1;
    }

    /// Turns the values of K in `rows[..][level..to]` into entries of F, the earlier ones being done,
    /// and takes their squares off the remaining diagonals one by one.
    fn advance<const R: usize>(
        &self,
        rows: &mut [&mut [f64]; R],
        levels: std::ops::Range<usize>,
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
    fn solve_transposed(&self, b: &mut [f64]) {
        for c in (0..b.len()).rev() {
            let row = self.row(c);
            b[c] /= row[c];
            for k in 0..c {
                b[k] -= row[k] * b[c];
            }
        }
    }
}

/// A fixed run of rows: their entries so far, and how far each of them is.
#[derive(Debug)]
struct Block {
    first: usize,
    /// Row-major with `stride` slots a row; slots from `level` to `rank` still hold values of K.
    entries: Vec<f64>,
    stride: usize,
    rank: usize,
    /// The remaining diagonal of each row as of its level: an upper bound on the current one.
    residual: Vec<f64>,
    level: Vec<usize>,
}

impl Block {
    fn split(diagonal: &[f64]) -> Vec<Block> {
        let chunks = diagonal.chunks(BLOCK_ROWS).enumerate();
        chunks
            .map(|(k, chunk)| Block {
                first: k * BLOCK_ROWS,
                entries: Vec::new(),
                stride: 0,
                rank: 0,
                residual: chunk.to_vec(),
                level: vec![0; chunk.len()],
            })
            .collect()
    }

    /// Appends this block's part of a column of K, widening the rows by half when they are full.
    fn append(&mut self, column: &[f64]) {
        let rows = self.residual.len();
        if self.rank == self.stride {
            let stride = (self.stride + self.stride / 2).max(32);
            let mut wider = vec![0.0; rows * stride];
            for i in 0..rows {
                let old = &self.entries[i * self.stride..i * self.stride + self.rank];
                wider[i * stride..i * stride + self.rank].copy_from_slice(old);
            }
            (self.entries, self.stride) = (wider, stride);
        }
        for i in 0..rows {
            self.entries[i * self.stride + self.rank] = column[self.first + i];
        }
        self.rank += 1;
    }

    fn row(&self, i: usize) -> &[f64] {
        &self.entries[i * self.stride..i * self.stride + self.rank]
    }

    /// Brings the chosen rows up to date, four abreast: a row waits for the three behind it.
    fn refresh(&mut self, mut chosen: Vec<usize>, triangle: &PivotTriangle) {
        chosen.sort_unstable_by_key(|&i| (self.level[i], i));
        for group in chosen.chunks(4) {
            // levels[k]: where the first k rows stop to wait for the next one, or the end.
            let levels = [1, 2, 3, 4].map(|k| group.get(k).map_or(self.rank, |&next| self.level[next]));
            if let [a, ..] = *group {
                self.advance([a], levels[0], triangle);
            }
            if let [a, b, ..] = *group {
                self.advance([a, b], levels[1], triangle);
            }
            if let [a, b, c, ..] = *group {
                self.advance([a, b, c], levels[2], triangle);
            }
            if let [a, b, c, d] = *group {
                self.advance([a, b, c, d], levels[3], triangle);
            }
        }
    }

    /// Takes rows of the same level to a higher one.
    fn advance<const R: usize>(&mut self, group: [usize; R], level: usize, triangle: &PivotTriangle) {
        let ranges = group.map(|i| i * self.stride..i * self.stride + self.rank);
        let mut rows = self.entries.get_disjoint_mut(ranges).expect("different rows do not overlap");
        let mut residuals = group.map(|i| self.residual[i]);
        triangle.advance(&mut rows, self.level[group[0]]..level, &mut residuals);
        for k in 0..R {
            self.residual[group[k]] = residuals[k];
            self.level[group[k]] = level;
        }
    }

    /// Brings the most promising row up to date; returns its remaining diagonal.
    fn refresh_leader(&mut self, triangle: &PivotTriangle) -> f64 {
        let leader = self.extremes().largest_at - self.first;
        self.advance([leader], self.rank, triangle);
        self.residual[leader]
    }

    /// Brings every row that could reach `bound` up to date.
    fn refresh_above(&mut self, bound: f64, triangle: &PivotTriangle) -> Extremes {
        let could = (0..self.residual.len()).filter(|&i| self.residual[i] >= bound).collect();
        self.refresh(could, triangle);
        self.extremes()
    }

    /// Brings every row up to date and recomputes what the finished factor leaves of the diagonal.
    fn finish(&mut self, triangle: &PivotTriangle, diagonal: &[f64]) {
        self.refresh((0..self.residual.len()).collect(), triangle);
        for i in 0..self.residual.len() {
            let squared_norm = self.row(i).iter().map(|entry| entry * entry).sum::<f64>();
            self.residual[i] = diagonal[self.first + i] - squared_norm;
        }
    }

    fn extremes(&self) -> Extremes {
        let each = self.residual.iter().enumerate();
        Extremes::of_all(each.map(|(i, &r)| Extremes {
            largest: r,
            largest_at: self.first + i,
            smallest: r,
            smallest_at: self.first + i,
        }))
    }
}

/// The largest and smallest remaining diagonal entries, each at its smallest index.
#[derive(Debug, Clone, Copy)]
struct Extremes {
    largest: f64,
    largest_at: usize,
    smallest: f64,
    smallest_at: usize,
}

impl Extremes {
    /// In index order, so that ties go to the smallest index.
    fn of_all(parts: impl Iterator<Item = Extremes>) -> Extremes {
        let nothing = Extremes { largest: 0.0, largest_at: 0, smallest: 0.0, smallest_at: 0 };
        let both = |mut all: Extremes, part: Extremes| {
            if part.largest > all.largest {
                (all.largest, all.largest_at) = (part.largest, part.largest_at);
            }
            if part.smallest < all.smallest {
                (all.smallest, all.smallest_at) = (part.smallest, part.smallest_at);
            }
            all
        };
        parts.reduce(both).unwrap_or(nothing)
    }
}

/// The exact largest remaining diagonal, by bringing up to date only the rows that could be it.
///
/// The leaders of the blocks give a lower bound on the largest; a row known to be below that bound
/// cannot be the largest now, nor later tie with it.
fn find_extremes(blocks: &mut [Block], triangle: &PivotTriangle) -> Extremes {
    let leaders: Vec<f64> = blocks.par_iter_mut().map(|block| block.refresh_leader(triangle)).collect();
    let bound = leaders.into_iter().fold(f64::NEG_INFINITY, f64::max);
    let parts: Vec<Extremes> =
        blocks.par_iter_mut().map(|block| block.refresh_above(bound, triangle)).collect();
    Extremes::of_all(parts.into_iter())
}

fn row_of(blocks: &[Block], i: usize) -> &[f64] {
    blocks[i / BLOCK_ROWS].row(i % BLOCK_ROWS)
}

fn not_positive(
    blocks: &[Block],
    triangle: &PivotTriangle,
    pivots: &[usize],
    found: Extremes,
) -> NotFactorable {
    let index = found.smallest_at;
    if !found.smallest.is_finite() {
        return NotFactorable::NotFinite { row: index, column: index };
    }
    // The row is up to date as far as its remaining diagonal was taken down.
    let level = blocks[index / BLOCK_ROWS].level[index % BLOCK_ROWS];
    let row = &row_of(blocks, index)[..level];
    let direction = residual_direction(triangle, &pivots[..level], &[(index, 1.0)], |_| row);
    NotFactorable::NotPositiveSemidefinite { index, residual: found.smallest, direction }
}

/// `u = c - E_P L⁻ᵀ Fᵀ c`: c with what the pivots P explain of it taken off.
fn residual_direction<'a>(
    triangle: &PivotTriangle,
    pivots: &[usize],
    coefficients: &[(usize, f64)],
    row: impl Fn(usize) -> &'a [f64],
) -> Vec<(usize, f64)> {
    let mut explained = vec![0.0; pivots.len()];
    for &(i, c) in coefficients {
        for (sum, entry) in explained.iter_mut().zip(row(i)) {
            *sum += c * entry;
        }
    }
    triangle.solve_transposed(&mut explained);
    let on_pivots = pivots.iter().zip(&explained).map(|(&p, w)| (p, -w));
    coefficients.iter().copied().chain(on_pivots).collect()
}

/// Row-major n × rank, freeing each block as soon as it is copied.
fn assemble(blocks: Vec<Block>, n: usize, rank: usize) -> Matrix {
    let mut data = Vec::with_capacity(n * rank);
    for block in blocks {
        for i in 0..block.residual.len() {
            data.extend_from_slice(block.row(i));
        }
    }
    Matrix::from_row_major(n, rank, data)
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
