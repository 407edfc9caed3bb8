//! Catoni's mean for many directions at once against one direction at a time.

use elfving::estimate::robust_mean::{
    Catoni, DirectionSamples, MeanError, MomentBound, RobustMean, SoftTruncatedMean,
};
use elfving::numerics::Matrix;
use elfving::units::Confidence;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use rand_distr::{Distribution, StudentT};

struct Batch {
    points: Vec<usize>,
    outcomes: Vec<f64>,
    coefficients: Matrix,
    bounds: Vec<MomentBound>,
}

impl Batch {
    fn samples(&self) -> DirectionSamples<'_> {
        DirectionSamples::new(&self.points, &self.outcomes, &self.coefficients).unwrap()
    }

    fn of(&self, direction: usize) -> Vec<f64> {
        self.points.iter().zip(&self.outcomes).map(|(&j, y)| self.coefficients[(direction, j)] * y).collect()
    }
}

/// Student t outcomes (2.1 degrees of freedom) about `centre`; direction i has scale `scale(i)` and a variance bound
/// `looseness` times the square of that.
fn batch(
    seed: u64,
    directions: usize,
    draws: usize,
    centre: f64,
    looseness: f64,
    scale: fn(usize) -> f64,
) -> Batch {
    let mut random = ChaCha8Rng::seed_from_u64(seed);
    let distinct = 1 + draws / 9;
    let law = StudentT::new(2.1).unwrap();
    Batch {
        points: (0..draws).map(|_| random.random_range(0..distinct)).collect(),
        outcomes: (0..draws).map(|_| centre + law.sample(&mut random)).collect(),
        coefficients: Matrix::from_fn(directions, distinct, |i, _| scale(i) * random.random_range(-1.0..1.5)),
        bounds: (0..directions).map(|i| MomentBound::new(looseness * scale(i) * scale(i)).unwrap()).collect(),
    }
}

fn agrees(batch: &Batch, what: &str) {
    let delta = Confidence::new(0.01).unwrap();
    let means: [&dyn RobustMean; 2] = [&Catoni::new(delta), &SoftTruncatedMean::new(delta)];
    for mean in means {
        let together = mean.estimate_each(&batch.samples(), &batch.bounds).unwrap();
        for (i, got) in together.iter().enumerate() {
            let own = batch.of(i);
            let largest = own.iter().fold(0.0, |m: f64, x| m.max(x.abs()));
            let alone = mean.estimate(&own, batch.bounds[i]).unwrap();
            let error = (got - alone).abs();
            assert!(
                error <= 1e-12 * largest,
                "{what}, {}, direction {i}: {got} against {alone}",
                mean.name()
            );
        }
    }
}

#[test]
fn the_batch_agrees_with_the_scalar_root_over_sizes_and_scales() {
    for draws in [12, 63, 64, 65, 500, 3000] {
        agrees(&batch(draws as u64, 40, draws, 0.5, 5.0, |i| 10f64.powi(i as i32 % 7 - 3)), "scales");
    }
    agrees(&batch(1, 40, 200, 0.5, 5.0, |i| [1e-148, 1e148][i % 2]), "extreme scales");
}

#[test]
fn the_batch_agrees_however_loose_or_tight_the_bound() {
    for looseness in [1e-30, 1e-12, 1e-4, 1.0, 1e3, 1e5, 1e6, 1e9, 1e20, 1e100] {
        agrees(&batch(7, 20, 300, 0.5, looseness, |_| 1.0), &format!("bound {looseness:e}"));
    }
}

#[test]
fn the_batch_agrees_when_the_mean_is_far_from_zero() {
    for centre in [10.0, 1e3, -1e6] {
        agrees(&batch(3, 20, 300, centre, 5.0, |_| 1.0), &format!("centre {centre}"));
    }
}

#[test]
fn wild_outliers_and_zeros_do_not_matter() {
    let mut wild = batch(4, 30, 400, 0.5, 5.0, |_| 1.0);
    for (t, size) in [(3, 1e8), (100, -1e12), (200, 1e40), (399, 1e300)] {
        wild.outcomes[t] = size;
        let together =
            Catoni::new(Confidence::new(0.01).unwrap()).estimate_each(&wild.samples(), &wild.bounds).unwrap();
        for (i, got) in together.iter().enumerate() {
            let alone =
                Catoni::new(Confidence::new(0.01).unwrap()).estimate(&wild.of(i), wild.bounds[i]).unwrap();
            assert!((got - alone).abs() < 1e-13, "outlier {size:e}, direction {i}: {got} against {alone}");
        }
    }
    let mut zeros = batch(5, 3, 100, 0.5, 5.0, |_| 1.0);
    zeros.coefficients.row_mut(1).fill(0.0);
    zeros.bounds[1] = MomentBound::new(0.0).unwrap();
    agrees(&zeros, "a direction of zeros");
}

#[test]
fn a_zero_bound_names_its_direction() {
    let mut batch = batch(6, 40, 100, 0.5, 5.0, |_| 1.0);
    batch.bounds[23] = MomentBound::new(0.0).unwrap();
    let delta = Confidence::new(0.01).unwrap();
    let refused = Catoni::new(delta).estimate_each(&batch.samples(), &batch.bounds).unwrap_err();
    let MeanError::Direction { direction: 23, error } = refused else { panic!("{refused}") };
    assert!(matches!(*error, MeanError::BoundRefuted { .. }));
}

#[test]
fn the_batch_is_bit_identical_for_any_number_of_threads() {
    let batch = batch(8, 101, 700, 0.5, 5.0, |i| 1.0 + i as f64);
    let catoni = Catoni::new(Confidence::new(0.01).unwrap());
    let run = |threads| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| catoni.estimate_each(&batch.samples(), &batch.bounds).unwrap())
    };
    let alone: Vec<u64> = run(1).iter().map(|x| x.to_bits()).collect();
    for threads in [2, 3, 7] {
        assert_eq!(run(threads).iter().map(|x| x.to_bits()).collect::<Vec<_>>(), alone);
    }
}

#[test]
fn the_negated_direction_has_the_negated_mean() {
    let batch = batch(9, 10, 300, 0.5, 5.0, |_| 1.0);
    let mut negated = Batch { coefficients: batch.coefficients.clone(), ..batch };
    let catoni = Catoni::new(Confidence::new(0.01).unwrap());
    let plus = catoni.estimate_each(&negated.samples(), &negated.bounds).unwrap();
    negated.coefficients.as_mut_slice().iter_mut().for_each(|c| *c = -*c);
    let minus = catoni.estimate_each(&negated.samples(), &negated.bounds).unwrap();
    for (p, m) in plus.iter().zip(minus) {
        assert!((p + m).abs() < 1e-15, "{p} and {m}");
    }
}
