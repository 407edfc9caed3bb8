//! The rows of the factor, each brought up to date only when it might be the next pivot.

use rayon::prelude::*;

use crate::numerics::Matrix;

use super::PivotTriangle;

/// Rows handled together by one task: fixed, so that nothing depends on the number of threads.
const BLOCK_ROWS: usize = 512;

/// The factor in the making: n rows in blocks.
#[derive(Debug)]
pub(super) struct LazyRows {
    blocks: Vec<Block>,
}

impl LazyRows {
    /// No columns yet, and all of the diagonal remaining.
    pub(super) fn new(diagonal: &[f64]) -> Self {
        let chunks = diagonal.chunks(BLOCK_ROWS).enumerate();
        Self { blocks: chunks.map(|(k, chunk)| Block::new(k * BLOCK_ROWS, chunk)).collect() }
    }

    /// The exact largest remaining diagonal, by bringing up to date only the rows that could be it;
    /// and the smallest one seen.
    ///
    /// The leaders of the blocks, up to date, bound the largest from below; a row last seen below
    /// that bound cannot be it.
    pub(super) fn extremes(&mut self, triangle: &PivotTriangle) -> Extremes {
        let leaders = self.blocks.par_iter_mut().map(|block| block.refresh_leader(triangle));
        let bound = leaders.collect::<Vec<f64>>().into_iter().fold(f64::NEG_INFINITY, f64::max);
        let parts = self.blocks.par_iter_mut().map(|block| block.refresh_above(bound, triangle));
        Extremes::of_all(parts.collect::<Vec<_>>().into_iter())
    }

    /// Appends a column of K.
    pub(super) fn append(&mut self, column: &[f64]) {
        self.blocks.par_iter_mut().for_each(|block| block.append(column));
    }

    /// Row i; it must be up to date, as the extremes are.
    pub(super) fn row(&self, i: usize) -> &[f64] {
        self.blocks[i / BLOCK_ROWS].row(i % BLOCK_ROWS)
    }

    /// Brings all rows up to date; returns what the finished factor leaves of the diagonal.
    pub(super) fn finish(&mut self, triangle: &PivotTriangle, diagonal: &[f64]) -> Vec<f64> {
        self.blocks.par_iter_mut().for_each(|block| block.finish(triangle, diagonal));
        self.blocks.iter().flat_map(|block| block.residual.iter().copied()).collect()
    }

    /// The factor, row-major; each block is freed as soon as it is copied.
    pub(super) fn into_matrix(self, n: usize, rank: usize) -> Matrix {
        let mut data = Vec::with_capacity(n * rank);
        for block in self.blocks {
            for i in 0..block.residual.len() {
                data.extend_from_slice(block.row(i));
            }
        }
        Matrix::from_row_major(n, rank, data)
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
    fn new(first: usize, diagonal: &[f64]) -> Self {
        let (residual, level) = (diagonal.to_vec(), vec![0; diagonal.len()]);
        Self { first, entries: Vec::new(), stride: 0, rank: 0, residual, level }
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
        Extremes::of_all((self.first..).zip(&self.residual).map(|(i, &r)| Extremes::of_one(i, r)))
    }
}

/// The largest and smallest remaining diagonal entries, each at its smallest index.
#[derive(Debug, Clone, Copy)]
pub(super) struct Extremes {
    pub(super) largest: f64,
    pub(super) largest_at: usize,
    pub(super) smallest: f64,
    pub(super) smallest_at: usize,
}

impl Extremes {
    pub(super) fn of_one(at: usize, value: f64) -> Extremes {
        Extremes { largest: value, largest_at: at, smallest: value, smallest_at: at }
    }

    /// In index order, so that ties go to the smallest index.
    pub(super) fn of_all(parts: impl Iterator<Item = Extremes>) -> Extremes {
        let both = |mut all: Extremes, part: Extremes| {
            if part.largest > all.largest {
                (all.largest, all.largest_at) = (part.largest, part.largest_at);
            }
            if part.smallest < all.smallest {
                (all.smallest, all.smallest_at) = (part.smallest, part.smallest_at);
            }
            all
        };
        parts.reduce(both).unwrap_or(Extremes::of_one(0, 0.0))
    }
}
