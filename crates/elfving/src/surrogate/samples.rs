//! Joint draws from the posterior, for Thompson sampling.

use crate::numerics::rng::Stream;
use crate::numerics::{Cholesky, Matrix, apply};

use super::{Posterior, RowId};

impl Posterior {
    /// `count` joint draws of the values at the named rows: count × rows.
    ///
    /// Hypothetical measurements narrow the draws as they narrow the variances. Cost: k² (G + m) + k³/3 for k rows, so
    /// on a large pool name the few thousand that can be best.
    ///
    /// ```
    /// use elfving::numerics::Matrix;
    /// use elfving::pool::PointId;
    /// use elfving::numerics::rng::{Purpose, stream};
    /// use elfving::surrogate::{Columns, Measurement, PosteriorOver, RowId, Space, Surrogate};
    /// let space = Space::new(&Columns::numeric(Matrix::from_fn(9, 1, |i, _| i as f64)), None)?;
    /// let measured = [Measurement::new(PointId::new(1), 3.0), Measurement::new(PointId::new(6), 5.0)];
    /// let posterior = Surrogate::default().fit(&space, &measured, None)?.posterior(PosteriorOver::Points);
    /// let rows: Vec<RowId> = (0..9).map(RowId::new).collect();
    /// let draws = posterior.samples(&rows, 3, &mut stream(1, 0, Purpose::new("thompson")));
    /// assert_eq!((draws.rows(), draws.columns()), (3, 9));
    /// # Ok::<(), elfving::surrogate::SurrogateError>(())
    /// ```
    pub fn samples(&self, rows: &[RowId], count: usize, random: &mut Stream) -> Matrix {
        let root = self.root(rows);
        let mut draws = Matrix::zeros(count, rows.len());
        let mut normals = vec![0.0; rows.len()];
        for k in 0..count {
            fill_normal(&mut normals, random);
            let noise = apply(&root, &normals);
            for (draw, (noise, row)) in draws.row_mut(k).iter_mut().zip(noise.iter().zip(rows)) {
                *draw = self.mean(*row) + noise;
            }
        }
        draws
    }

    /// `L` with `L Lᵀ` the covariance of the rows.
    fn root(&self, rows: &[RowId]) -> Matrix {
        let covariance = Matrix::from_fn(rows.len(), rows.len(), |i, j| {
            if i <= j { self.covariance(rows[i], rows[j]) } else { 0.0 }
        });
        // Equal rows, and rows known exactly, make it singular: a little more on the diagonal, until it can be factored.
        let largest = rows.iter().map(|row| self.variance(*row)).fold(f64::MIN_POSITIVE, f64::max);
        let mut jitter = 1e-12 * largest;
        loop {
            let mut raised = covariance.clone();
            (0..rows.len()).for_each(|i| raised[(i, i)] += jitter);
            match Cholesky::new(raised) {
                Ok(factor) => return factor.upper().transposed(),
                Err(_) if jitter < largest => jitter *= 10.0,
                // Beyond rounding error: the rows one by one.
                Err(_) => {
                    return Matrix::from_fn(rows.len(), rows.len(), |i, j| {
                        if i == j { self.variance(rows[i]).sqrt() } else { 0.0 }
                    });
                }
            }
        }
    }
}

/// Standard normals, two at a time; of an odd number the last pair gives one.
pub(super) fn fill_normal(out: &mut [f64], random: &mut Stream) {
    for pair in out.chunks_mut(2) {
        let (first, second) = random.normal_pair();
        pair[0] = first;
        if let Some(last) = pair.get_mut(1) {
            *last = second;
        }
    }
}
