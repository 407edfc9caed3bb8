//! What the model says about every row.

use std::ops::Range;

use rayon::prelude::*;

use crate::numerics::{Matrix, dot, norm_squared};
use crate::pool::PointId;

use super::kernel::Covariance;
use super::{Fit, RowId, Space};

/// Rows that a thread takes at a time.
const BLOCK_ROWS: usize = 64;

/// Which rows are asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PosteriorOver {
    /// The points that can be measured.
    Points,
    /// The choices, which are the points unless others were given.
    Choices,
    /// The points, then the choices where they are others.
    Both,
}

impl PosteriorOver {
    fn rows(self, space: &Space) -> Range<usize> {
        match self {
            PosteriorOver::Points => 0..space.points(),
            PosteriorOver::Choices => space.choice_rows(),
            PosteriorOver::Both => space.all_rows(),
        }
    }
}

/// Normal distributions of the rows' values in the model's units, jointly.
///
/// With `L Lᵀ` the covariance of the measured means and `k` the covariances of a row with them, the mean is
/// `m + kᵀα` and the covariance of two rows `k + tau² 1[same site] - ⟨L⁻¹k, L⁻¹k'⟩ + u u'`, where
/// `u = (1 - kᵀC⁻¹1) / √(1ᵀC⁻¹1)` counts that the constant mean m is estimated (0 where it is to be taken as known).
/// Functions of single rows panic when a row was not asked for.
#[derive(Debug, Clone)]
pub struct Posterior {
    space: Space,
    rows: Range<usize>,
    columns: Matrix,
    kernel: Covariance,
    next_noise: f64,
    means: Vec<f64>,
    variances: Vec<f64>,
    /// n × m: `L⁻¹k` of each row.
    whitened: Matrix,
    /// `u` of each row: what the uncertain mean adds.
    drift: Vec<f64>,
    /// What hypothetical measurements explain.
    hypothetical: Vec<Hypothetical>,
}

/// A measurement that is supposed: the root of its variance, and the covariance of every row with it in such roots.
#[derive(Debug, Clone)]
struct Hypothetical {
    root: f64,
    column: Vec<f64>,
}

impl Fit {
    /// The means of the rows asked for, without their variances. Cost: n m G over threads.
    pub fn means(&self, over: PosteriorOver) -> Vec<f64> {
        let (rows, kernel) = (over.rows(&self.space), Covariance::new(&self.space, self.parameters()));
        let mut means = vec![0.0; rows.len()];
        means.par_chunks_mut(BLOCK_ROWS).enumerate().for_each(|(block, means)| {
            let mut covariance = vec![0.0; self.evidence.cells()];
            for (k, mean) in means.iter_mut().enumerate() {
                self.covariances_with_cells(&kernel, rows.start + block * BLOCK_ROWS + k, &mut covariance);
                *mean = self.conditioned.mean + dot(&covariance, &self.conditioned.coefficients);
            }
        });
        means
    }

    /// The covariances of a row with the means of the cells.
    fn covariances_with_cells(&self, kernel: &Covariance, row: usize, out: &mut [f64]) {
        kernel.values(self.space.row(row), &self.evidence.columns, 0, out);
        let own = self.evidence.cells_of(self.space.site(row));
        out[own].iter_mut().for_each(|entry| *entry += self.parameters().roughness);
    }

    /// Mean and variance of the rows asked for. Cost: n m (G + m) over threads, memory n m.
    pub fn posterior(&self, over: PosteriorOver) -> Posterior {
        let space = &self.space;
        let rows = over.rows(space);
        let kernel = Covariance::new(space, self.parameters());
        let m = self.evidence.cells();

        let mut whitened = Matrix::zeros(rows.len(), m);
        let (mut means, mut drift) = (vec![0.0; rows.len()], vec![0.0; rows.len()]);
        let ones = &self.conditioned.ones;
        let certainty = ones.iter().sum::<f64>().sqrt();
        let blocks = whitened.as_mut_slice().par_chunks_mut(BLOCK_ROWS * m);
        let results = means.par_chunks_mut(BLOCK_ROWS).zip(drift.par_chunks_mut(BLOCK_ROWS));
        blocks.zip(results).enumerate().for_each(|(block, (covariances, (means, drift)))| {
            let results = means.iter_mut().zip(drift);
            for (k, (covariance, (mean, drift))) in covariances.chunks_exact_mut(m).zip(results).enumerate() {
                let row = rows.start + block * BLOCK_ROWS + k;
                self.covariances_with_cells(&kernel, row, covariance);
                *mean = self.conditioned.mean + dot(covariance, &self.conditioned.coefficients);
                if self.uncertain_mean {
                    *drift = (1.0 - dot(covariance, ones)) / certainty;
                }
            }
        });
        self.conditioned.factor.whiten_rows(&mut whitened);
        let mut variances = vec![0.0; rows.len()];
        variances.par_chunks_mut(BLOCK_ROWS).enumerate().for_each(|(block, variances)| {
            for (k, variance) in variances.iter_mut().enumerate() {
                let row = block * BLOCK_ROWS + k;
                let explained = norm_squared(whitened.row(row));
                *variance = (kernel.variance() - explained).max(0.0) + drift[row] * drift[row];
            }
        });
        Posterior {
            space: space.clone(),
            columns: space.by_column(&rows.clone().collect::<Vec<_>>()),
            rows,
            kernel,
            next_noise: self.next_noise(),
            means,
            variances,
            whitened,
            drift,
            hypothetical: Vec::new(),
        }
    }
}

impl Posterior {
    /// Number of rows.
    pub fn len(&self) -> usize {
        self.means.len()
    }

    /// Always false: a space has at least one row.
    pub fn is_empty(&self) -> bool {
        self.means.is_empty()
    }

    /// The mean of a row.
    pub fn mean(&self, row: RowId) -> f64 {
        self.means[self.place(row)]
    }

    /// The variance of a row's value, without the noise of a measurement.
    pub fn variance(&self, row: RowId) -> f64 {
        self.variances[self.place(row)]
    }

    /// The standard deviation of a row's value.
    pub fn deviation(&self, row: RowId) -> f64 {
        self.variance(row).sqrt()
    }

    /// All means.
    pub fn means(&self) -> &[f64] {
        &self.means
    }

    /// All variances.
    pub fn variances(&self) -> &[f64] {
        &self.variances
    }

    /// The covariances of a row with every row. Cost: n (G + m).
    pub fn covariances(&self, row: RowId) -> Vec<f64> {
        let (at, width) = (self.place(row), BLOCK_ROWS * 8);
        let start = self.rows.start;
        let mut covariances = vec![0.0; self.len()];
        self.kernel.values(self.space.row(start + at), &self.columns, 0, &mut covariances);
        covariances.par_chunks_mut(width).enumerate().for_each(|(block, entries)| {
            for (other, entry) in (block * width..).zip(entries) {
                let prior = *entry + self.kernel.roughness_of(start + at, start + other);
                *entry = self.explained_away(at, other, prior);
            }
        });
        covariances
    }

    /// The covariance of two rows. Cost: G + m.
    pub fn covariance(&self, a: RowId, b: RowId) -> f64 {
        let prior = self.kernel.covariance(a.index(), b.index());
        self.explained_away(self.place(a), self.place(b), prior)
    }

    /// The place of a row among those asked for.
    fn place(&self, row: RowId) -> usize {
        row.index().checked_sub(self.rows.start).expect("a row that was asked for")
    }

    /// A prior covariance minus what measurements explain of it.
    fn explained_away(&self, a: usize, b: usize, prior: f64) -> f64 {
        let hypothetical: f64 = self.hypothetical.iter().map(|one| one.column[a] * one.column[b]).sum();
        let explained = dot(self.whitened.row(a), self.whitened.row(b)) + hypothetical;
        prior - explained + self.drift[a] * self.drift[b]
    }

    /// Reduces every variance as one more measurement of a point will, exactly; the means are held.
    ///
    /// The measurement has the noise [`Fit::next_noise`]. Give it the points that are pending and, slot after slot, those
    /// already chosen for a batch. Cost: n (G + m).
    pub fn measure(&mut self, point: PointId) {
        let row = self.space.point_row(point);
        let mut column = self.covariances(row);
        let root = (self.variance(row) + self.next_noise).sqrt();
        for (entry, variance) in column.iter_mut().zip(&mut self.variances) {
            *entry /= root;
            *variance = (*variance - *entry * *entry).max(0.0);
        }
        self.hypothetical.push(Hypothetical { root, column });
    }

    /// The root of the variance of the last hypothetical measurement, and the covariance of every row with it over that root.
    pub(crate) fn last_measured(&self) -> Option<(f64, &[f64])> {
        self.hypothetical.last().map(|one| (one.root, one.column.as_slice()))
    }
}
