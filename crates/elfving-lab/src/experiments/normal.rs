//! Normal noise from named streams.

use elfving::numerics::rng::{Purpose, stream};
use rand_distr::{Distribution, StandardNormal};

/// `count` independent standard normal numbers.
pub(crate) fn normals(seed: u64, round: u64, purpose: Purpose, count: usize) -> Vec<f64> {
    let mut random = stream(seed, round, purpose);
    (0..count).map(|_| StandardNormal.sample(&mut random)).collect()
}
