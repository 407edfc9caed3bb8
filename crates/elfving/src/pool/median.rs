//! The median heuristic for a lengthscale.

use super::{Points, PoolError};
use crate::numerics::rng::Stream;

/// Up to this many points, all pairs are used.
const EXACT_POINTS: usize = 2000;
/// Beyond it, this many pairs, drawn with replacement.
const SAMPLED_PAIRS: usize = 1_000_000;

/// The median Euclidean distance between two different points: a common first lengthscale.
///
/// All pairs up to 2000 points; beyond that 10⁶ pairs drawn from the seed. Zero distances (repeated
/// points) are left out. It is a heuristic: standardise the columns first when their units differ.
///
/// # Errors
/// [`PoolError::AllPointsEqual`].
///
/// ```
/// use elfving::numerics::Matrix;
/// use elfving::pool::{Points, median_lengthscale};
/// let points = Points::new(Matrix::from_rows(&[[0.0], [1.0], [3.0]]))?;
/// assert_eq!(median_lengthscale(&points, 0)?, 2.0); // of 1, 2, 3
/// # Ok::<(), elfving::pool::PoolError>(())
/// ```
pub fn median_lengthscale(points: &Points, seed: u64) -> Result<f64, PoolError> {
    let sampled_pairs = (points.len() > EXACT_POINTS).then_some(SAMPLED_PAIRS);
    median_distance(points, seed, sampled_pairs)
}

/// [`median_lengthscale`] as a default: four digits, which a user can type, and 1 where all points are equal, because
/// then they are equally similar at any lengthscale.
///
/// # Errors
/// Those of [`median_lengthscale`] but [`PoolError::AllPointsEqual`].
///
/// ```
/// use elfving::numerics::Matrix;
/// use elfving::pool::{Points, default_lengthscale};
/// let points = Points::new(Matrix::from_rows(&[[0.0], [1.0 / 3.0]]))?;
/// assert_eq!(default_lengthscale(&points, 0)?, 0.3333);
/// # Ok::<(), elfving::pool::PoolError>(())
/// ```
pub fn default_lengthscale(points: &Points, seed: u64) -> Result<f64, PoolError> {
    match median_lengthscale(points, seed) {
        Ok(median) => Ok(format!("{median:.3e}").parse().unwrap_or(median)),
        Err(PoolError::AllPointsEqual) => Ok(1.0),
        Err(error) => Err(error),
    }
}

fn median_distance(points: &Points, seed: u64, sampled_pairs: Option<usize>) -> Result<f64, PoolError> {
    let n = points.len();
    // Distances are taken in units of the largest coordinate, so that no square overflows.
    let unit = points.matrix().max_abs();
    let distance = |i: usize, j: usize| {
        let pairs = points.matrix().row(i).iter().zip(points.matrix().row(j));
        pairs.map(|(x, y)| (x / unit - y / unit).powi(2)).sum::<f64>().sqrt()
    };
    let mut distances: Vec<f64> = match sampled_pairs {
        None => (0..n).flat_map(|i| (0..i).map(move |j| (i, j))).map(|(i, j)| distance(i, j)).collect(),
        Some(pairs) => {
            let mut random = Stream::of_seed(seed);
            let mut pair = || {
                let (i, j) = (random.below(n as u64) as usize, random.below(n as u64 - 1) as usize);
                (i, j + usize::from(j >= i))
            };
            (0..pairs).map(|_| pair()).map(|(i, j)| distance(i, j)).collect()
        }
    };
    distances.retain(|&d| d > 0.0);
    if distances.is_empty() {
        // Nearly all points repeated: some distance from the first one is not zero, unless all are.
        distances = (1..n).map(|i| distance(0, i)).filter(|&d| d > 0.0).collect();
    }
    match median(&mut distances) {
        Some(median) => Ok(unit * median),
        None => Err(PoolError::AllPointsEqual),
    }
}

fn median(values: &mut [f64]) -> Option<f64> {
    if values.is_empty() {
        return None;
    }
    let middle = values.len() / 2;
    let odd = values.len() % 2 == 1;
    let (below, &mut upper, _) = values.select_nth_unstable_by(middle, f64::total_cmp);
    let lower = if odd { upper } else { below.iter().fold(f64::NEG_INFINITY, |m, &x| m.max(x)) };
    Some(lower + (upper - lower) / 2.0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::numerics::Matrix;

    #[test]
    fn the_median_of_an_even_count_is_between_the_middle_two() {
        assert_eq!(median(&mut [4.0, 1.0, 3.0, 2.0]), Some(2.5));
        assert_eq!(median(&mut []), None);
    }

    #[test]
    fn a_pool_that_repeats_one_point_almost_always_still_has_a_lengthscale() {
        // Ten pairs of a thousand points miss the one that differs.
        let points = Points::new(Matrix::from_fn(1000, 1, |i, _| f64::from(i == 777))).unwrap();
        assert_eq!(median_distance(&points, 1, Some(10)), Ok(1.0));
        let same = Points::new(Matrix::from_fn(1000, 1, |_, _| 0.1)).unwrap();
        assert_eq!(median_distance(&same, 1, Some(10)), Err(PoolError::AllPointsEqual));
    }
}
