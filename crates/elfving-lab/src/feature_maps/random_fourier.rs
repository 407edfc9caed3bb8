//! Random Fourier features of a stationary kernel.

use rayon::prelude::*;

use elfving::numerics::Matrix;
use elfving::numerics::rng::{Normals, Stream};
use elfving::pool::kernels::{Lengthscale, ScaledDistance};
use elfving::pool::{Points, PoolError};

use elfving::pool::feature_maps::FeatureMap;

/// Rows mapped by one task.
const CHUNK_ROWS: usize = 256;

/// The kernel whose frequencies are drawn.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Spectrum {
    /// [`Rbf`](elfving::pool::kernels::Rbf): normal frequencies.
    Rbf,
    /// [`Matern12`](elfving::pool::kernels::Matern12): Student t frequencies with 1 degree of freedom.
    Matern12,
    /// [`Matern32`](elfving::pool::kernels::Matern32): 3 degrees of freedom.
    Matern32,
    /// [`Matern52`](elfving::pool::kernels::Matern52): 5 degrees of freedom.
    Matern52,
}

/// `φ(x) = (cos ω_jᵀx, sin ω_jᵀx)_j / √D` with D random frequencies ω_j: `φ(x)ᵀφ(y)` has mean
/// k(x, y) and a standard error of at most `1/√(2D)`; `|φ(x)| = 1` (Rahimi and Recht 2007).
///
/// The frequencies depend on the seed and the dimension alone, so points that come later are mapped
/// the same way. The error falls slowly with D: the pivoted Cholesky factorisation is the better map
/// when the pool is known.
#[derive(Debug, Clone)]
pub struct RandomFourier {
    spectrum: Spectrum,
    lengthscale: ScaledDistance,
    frequencies: usize,
    seed: u64,
}

impl RandomFourier {
    /// D = `frequencies` ≥ 1, giving 2 D features.
    ///
    /// # Errors
    /// [`PoolError::Invalid`] for a lengthscale, [`PoolError::Parameter`] for no frequencies.
    pub fn new(
        spectrum: Spectrum,
        lengthscale: impl Into<Lengthscale>,
        frequencies: usize,
        seed: u64,
    ) -> Result<Self, PoolError> {
        if frequencies == 0 {
            let parameter = "the number of frequencies";
            return Err(PoolError::Parameter { parameter, range: "at least 1", got: 0.0 });
        }
        Ok(Self { spectrum, lengthscale: ScaledDistance::new(lengthscale)?, frequencies, seed })
    }

    /// The frequencies, D × d: ω = z / (l √(χ²_k / k)) with z normal; the RBF is the limit k → ∞.
    fn draw(&self, dimension: usize) -> Matrix {
        let mut normals = Normals::new(Stream::of_seed(self.seed));
        let mut omega = Matrix::zeros(self.frequencies, dimension);
        for j in 0..self.frequencies {
            let row = omega.row_mut(j);
            for (k, w) in row.iter_mut().enumerate() {
                *w = normals.draw() * self.lengthscale.inverse(k);
            }
            let degrees = match self.spectrum {
                Spectrum::Rbf => continue,
                Spectrum::Matern12 => 1,
                Spectrum::Matern32 => 3,
                Spectrum::Matern52 => 5,
            };
            let chi_squared: f64 = (0..degrees).map(|_| normals.draw().powi(2)).sum();
            let shrink = (chi_squared / f64::from(degrees)).sqrt();
            row.iter_mut().for_each(|w| *w /= shrink);
        }
        omega
    }
}

impl FeatureMap for RandomFourier {
    /// Cost 2 D d a point.
    fn map(&self, points: &Points) -> Result<Matrix, PoolError> {
        self.lengthscale.check(points.dimension())?;
        let omega = self.draw(points.dimension());
        let columns = 2 * self.frequencies;
        let norm = (self.frequencies as f64).sqrt().recip();
        let mut features = Matrix::zeros(points.len(), columns);
        let chunks = features.as_mut_slice().par_chunks_mut(columns * CHUNK_ROWS).enumerate();
        chunks.for_each(|(chunk, rows)| {
            for (offset, row) in rows.chunks_exact_mut(columns).enumerate() {
                let x = points.matrix().row(chunk * CHUNK_ROWS + offset);
                for (j, pair) in row.chunks_exact_mut(2).enumerate() {
                    let angle: f64 = omega.row(j).iter().zip(x).map(|(w, x)| w * x).sum();
                    (pair[0], pair[1]) = (norm * angle.cos(), norm * angle.sin());
                }
            }
        });
        match features.first_non_finite() {
            Some((row, column)) => Err(PoolError::NotFinite { row, column, value: features[(row, column)] }),
            None => Ok(features),
        }
    }
}
