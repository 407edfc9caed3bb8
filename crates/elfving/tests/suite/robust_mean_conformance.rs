//! What every robust mean promises, checked on every robust mean.

use elfving::estimate::robust_mean::{
    Assumption, Catoni, DirectionSamples, MeanError, MedianOfMeans, MomentBound, PlainMean, RobustMean,
    SoftTruncatedMean, TrimmedMean, TruncatedMean,
};
use elfving::numerics::Matrix;
use elfving::units::Confidence;
use proptest::prelude::*;

fn every_mean(delta: f64) -> Vec<Box<dyn RobustMean>> {
    let delta = Confidence::new(delta).unwrap();
    vec![
        Box::new(Catoni::new(delta)),
        Box::new(SoftTruncatedMean::new(delta)),
        Box::new(TruncatedMean::new(delta)),
        Box::new(MedianOfMeans::new(delta)),
        Box::new(TrimmedMean::new(delta)),
        Box::new(PlainMean::new(delta)),
    ]
}

fn bound(bound: f64) -> MomentBound {
    MomentBound::new(bound).unwrap()
}

#[test]
fn the_minimum_is_where_estimate_and_deviation_begin() {
    for delta in [0.5, 0.05, 1e-3, 1e-9] {
        for mean in every_mean(delta) {
            let fewest = mean.minimum_samples();
            assert!(mean.estimate(&vec![0.0; fewest], bound(1.0)).is_ok(), "{}", mean.name());
            assert!(mean.deviation(fewest, bound(1.0)).unwrap().is_finite());
            let needed = MeanError::TooFewSamples { estimator: mean.name(), needed: fewest, got: fewest - 1 };
            assert_eq!(mean.estimate(&vec![0.0; fewest - 1], bound(1.0)), Err(needed.clone()));
            assert_eq!(mean.deviation(fewest - 1, bound(1.0)), Err(needed));
            assert!(matches!(mean.estimate(&[], bound(1.0)), Err(MeanError::TooFewSamples { got: 0, .. })));
        }
    }
}

#[test]
fn the_deviation_shrinks_with_samples_and_grows_with_the_bound_and_the_confidence() {
    for (mean, surer) in every_mean(0.05).iter().zip(every_mean(0.005)) {
        let n = 4 * surer.minimum_samples();
        let at = |n: usize, b: f64| mean.deviation(n, bound(b)).unwrap();
        assert!(at(4 * n, 1.0) < at(n, 1.0), "{}", mean.name());
        assert!((at(n, 9.0) / at(n, 1.0) - 3.0).abs() < 1e-14);
        assert!(surer.deviation(n, bound(1.0)).unwrap() > at(n, 1.0));
        assert_eq!(at(n, 0.0), 0.0);
    }
}

#[test]
fn a_sample_that_is_not_finite_is_named() {
    for mean in every_mean(0.05) {
        for bad in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY] {
            let mut samples = vec![1.0; 100];
            samples[41] = bad;
            let refused = mean.estimate(&samples, bound(1.0)).unwrap_err();
            assert!(matches!(refused, MeanError::NonFinite { index: 41, .. }), "{}: {refused}", mean.name());
        }
    }
}

#[test]
fn equal_samples_are_their_own_mean_where_a_variance_is_bounded() {
    for mean in every_mean(0.05) {
        for value in [0.0, 0.1, -3e150, 7e-150] {
            if mean.assumption() == Assumption::Variance {
                let got = mean.estimate(&[value; 100], bound(0.0)).unwrap();
                assert!((got - value).abs() <= 1e-15 * value.abs(), "{}: {got}", mean.name());
            } else {
                let got = mean.estimate(&[value; 100], bound(0.0));
                assert_eq!(
                    got.is_ok(),
                    value == 0.0,
                    "{}: a second moment of 0 allows only zeros",
                    mean.name()
                );
            }
        }
    }
}

#[test]
fn extreme_scales_give_finite_means_and_widths() {
    for mean in every_mean(0.05) {
        for scale in [1e-150f64, 1e150] {
            let samples: Vec<f64> = (0..100).map(|i| scale * f64::from(i % 10)).collect();
            let spread = bound(25.0 * scale * scale);
            let got = mean.estimate(&samples, spread).unwrap() / scale;
            assert!((got - 4.5).abs() < 2.0, "{}: {got}", mean.name());
            assert!(mean.deviation(100, spread).unwrap() > 0.0);
        }
        for negative in [1, 2, 3, 4, 100] {
            let samples: Vec<f64> =
                (0..100).map(|i| if i % negative == 0 { -f64::MAX } else { f64::MAX }).collect();
            assert!(mean.estimate(&samples, bound(1e300)).unwrap().is_finite(), "{}", mean.name());
        }
    }
    let hopeless = PlainMean::new(Confidence::new(1e-320).unwrap());
    assert!(matches!(hopeless.deviation(1, bound(1e308)), Err(MeanError::Overflow { .. })));
}

#[test]
fn many_directions_agree_with_one_at_a_time() {
    let points: Vec<usize> = (0..150).map(|t| (t * t) % 5).collect();
    let outcomes: Vec<f64> = (0..150).map(|t| (f64::from(t) * 0.7).sin().powi(3) * 4.0 + 1.0).collect();
    let coefficients = Matrix::from_fn(37, 5, |i, j| ((3 * i + 5 * j) as f64).cos());
    let samples = DirectionSamples::new(&points, &outcomes, &coefficients).unwrap();
    let bounds: Vec<MomentBound> = (0..37).map(|i| bound(1.0 + f64::from(i % 4))).collect();
    for mean in every_mean(0.05) {
        let together = mean.estimate_each(&samples, &bounds).unwrap();
        for i in 0..37 {
            let own: Vec<f64> = (0..150).map(|t| coefficients[(i, points[t])] * outcomes[t]).collect();
            let alone = mean.estimate(&own, bounds[i]).unwrap();
            assert!((together[i] - alone).abs() < 5e-12, "{}, direction {i}", mean.name());
        }
    }
}

#[test]
fn a_wrong_batch_is_refused_with_its_place() {
    let coefficients = Matrix::from_rows(&[[1.0, 2.0], [0.0, 1e200]]);
    let table = &coefficients;
    let refused =
        |points: &[usize], outcomes: &[f64]| DirectionSamples::new(points, outcomes, table).unwrap_err();
    assert!(matches!(refused(&[0, 1], &[1.0]), MeanError::Length { expected: 2, got: 1, .. }));
    assert!(matches!(
        refused(&[0, 2], &[1.0, 1.0]),
        MeanError::UnknownPoint { draw: 1, point: 2, points: 2 }
    ));
    assert!(matches!(refused(&[0, 1], &[1.0, f64::NAN]), MeanError::NonFinite { index: 1, .. }));
    let bad = Matrix::from_rows(&[[1.0, f64::INFINITY]]);
    let refused = DirectionSamples::new(&[0], &[1.0], &bad).unwrap_err();
    assert!(matches!(refused, MeanError::Coefficient { direction: 0, point: 1, .. }));

    let (points, outcomes) = ([1; 100], [1e200; 100]); // 1e200 times 1e200 overflows in direction 1 alone
    let samples = DirectionSamples::new(&points, &outcomes, &coefficients).unwrap();
    for mean in every_mean(0.05) {
        let refused = mean.estimate_each(&samples, &[bound(1.0)]).unwrap_err();
        assert!(matches!(refused, MeanError::Length { expected: 2, got: 1, .. }));
        let refused = mean.estimate_each(&samples, &[bound(1.0), bound(1.0)]).unwrap_err();
        let MeanError::Direction { direction, error } = refused else { panic!("{refused}") };
        assert_eq!(direction, 1);
        assert!(matches!(*error, MeanError::NonFinite { index: 0, .. }), "{}: {error}", mean.name());
        let few = DirectionSamples::new(&[], &[], &coefficients).unwrap();
        assert!(mean.estimate_each(&few, &[bound(1.0); 2]).is_err());
    }
}

#[test]
fn moment_bounds_are_finite_and_not_negative() {
    for bad in [f64::NAN, f64::INFINITY, -1e-300] {
        assert!(matches!(MomentBound::new(bad), Err(MeanError::Moment { .. })));
    }
}

/// 80 to 130 numbers, most of order one, some wild.
fn samples() -> impl Strategy<Value = Vec<f64>> {
    let sample = prop_oneof![8 => -3.0..3.0f64, 1 => -1e4..1e4f64];
    prop::collection::vec(sample, 80..130)
}

proptest! {
    #[test]
    fn every_mean_is_odd_and_positively_homogeneous(x in samples(), variance in 0.1..100.0f64, c in 1e-3..1e3f64) {
        let typical = 1.0 + variance.sqrt();
        for mean in every_mean(0.05) {
            let m = mean.estimate(&x, bound(variance)).unwrap();
            let negated: Vec<f64> = x.iter().map(|x| -x).collect();
            let scaled: Vec<f64> = x.iter().map(|x| c * x).collect();
            let minus = mean.estimate(&negated, bound(variance)).unwrap();
            let times = mean.estimate(&scaled, bound(c * c * variance)).unwrap();
            prop_assert!((minus + m).abs() <= 1e-12 * (typical + m.abs()), "{}: odd", mean.name());
            prop_assert!((times / c - m).abs() <= 1e-12 * (typical + m.abs()), "{}: homogeneous", mean.name());
        }
    }

    #[test]
    fn every_mean_of_a_variance_follows_a_shift(x in samples(), variance in 0.1..100.0f64, shift in -1e3..1e3f64) {
        for mean in every_mean(0.05).iter().filter(|mean| mean.assumption() == Assumption::Variance) {
            let m = mean.estimate(&x, bound(variance)).unwrap();
            let moved: Vec<f64> = x.iter().map(|x| x + shift).collect();
            let got = mean.estimate(&moved, bound(variance)).unwrap();
            prop_assert!((got - shift - m).abs() <= 1e-11 * (1.0 + shift.abs() + m.abs()), "{}", mean.name());
        }
    }

    #[test]
    fn every_mean_stays_among_its_samples_or_nearer_to_zero(x in samples(), variance in 0.1..100.0f64) {
        let low = x.iter().copied().fold(0.0, f64::min);
        let high = x.iter().copied().fold(0.0, f64::max);
        for mean in every_mean(0.05) {
            let m = mean.estimate(&x, bound(variance)).unwrap();
            prop_assert!((low..=high).contains(&m), "{}: {m}", mean.name());
        }
    }
}
