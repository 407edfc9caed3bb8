//! Robust means against closed forms and numbers computed elsewhere.

use elfving::estimate::robust_mean::{
    CalibratedCatoni, Catoni, MeanError, MedianOfMeans, MomentBound, PlainMean, RobustMean,
    SoftTruncatedMean, TrimmedMean, TruncatedMean,
};
use elfving::units::Confidence;

fn delta(delta: f64) -> Confidence {
    Confidence::new(delta).unwrap()
}

fn bound(bound: f64) -> MomentBound {
    MomentBound::new(bound).unwrap()
}

fn close(got: f64, want: f64, relative: f64) {
    assert!((got - want).abs() <= relative * want.abs(), "{got} against {want}");
}

/// x_i = (i mod 7) - 3 for i = 1..40, plus 250 at i = 40.
fn seq40() -> Vec<f64> {
    let mut samples: Vec<f64> = (1..=40).map(|i| f64::from(i % 7) - 3.0).collect();
    samples[39] += 250.0;
    samples
}

#[test]
fn alpha_has_its_reference_values() {
    let cases = [
        (50, 1.0, 0.05, 0.3546584942749619),
        (100, 4.0, 0.01, 0.1538972713893061),
        (1000, 2.5, 0.1, 0.048808060398621574),
        (40, 9.0, 0.05, 0.12928194582137006),
    ];
    for (n, variance, d, want) in cases {
        close(Catoni::new(delta(d)).alpha(n, bound(variance)).unwrap(), want, 1e-15);
    }
}

#[test]
fn the_sequence_with_one_outlier_has_its_reference_means() {
    let samples = seq40();
    close(Catoni::new(delta(0.05)).estimate(&samples, bound(9.0)).unwrap(), 1.2351163812171886, 1e-14);
    close(PlainMean::new(delta(0.05)).of(&samples).unwrap(), 6.25, 0.0);
    close(MedianOfMeans::with_blocks(8).unwrap().of(&samples).unwrap(), 0.1, 1e-15);
}

#[test]
fn the_deviations_are_the_printed_formulas() {
    let (nu, n) = (1.5f64, 200.0f64);
    let two_sided = (2.0f64 / 0.05).ln();
    let at = |mean: &dyn RobustMean| mean.deviation(200, bound(nu * nu)).unwrap();
    close(at(&Catoni::new(delta(0.05))), (2.0 * nu * nu * two_sided / (n - 2.0 * two_sided)).sqrt(), 1e-14);
    close(at(&SoftTruncatedMean::new(delta(0.05))), (2.0 * nu * nu * two_sided / n).sqrt(), 1e-14);
    close(at(&TruncatedMean::new(delta(0.05))), 1.9915638315627 * nu * (two_sided / n).sqrt(), 1e-12);
    close(at(&PlainMean::new(delta(0.05))), nu / (n * 0.05).sqrt(), 1e-14);
    // delta = e^-1: 8 blocks without rounding, so the bound is sqrt(32 nu^2 log(1/delta) / n).
    let blocks = MedianOfMeans::with_blocks(8).unwrap();
    close(at(&blocks), (32.0 * nu * nu / n).sqrt(), 1e-14);
    // delta = 0.05: L = log 120, k = 8, N = M = 100.
    let l = 120f64.ln();
    let (q, p): (f64, f64) = (2.65 * 0.08, 0.24 * 0.08);
    let rho = (q / (1.0 - q)).sqrt();
    let want = nu * ((2.0 * l / 100.0).sqrt() + rho + (1.0 / p.sqrt() + rho) * l / 300.0);
    close(at(&TrimmedMean::new(delta(0.05))), want, 1e-14);
}

#[test]
fn the_paper_constants_follow_from_catoni_at_four_times_the_log_term() {
    // n >= 4L gives a deviation of at most 2 sqrt(nu^2 L / n).
    for n in 100..200 {
        let l = n as f64 / 4.0;
        let width = Catoni::with_log_term(l).unwrap().deviation(n, bound(1.0)).unwrap();
        close(width, 2.0 * (l / n as f64).sqrt(), 1e-14);
    }
}

#[test]
fn the_fewest_samples_are_those_of_the_theorems() {
    assert_eq!(Catoni::new(delta(0.05)).minimum_samples(), 8); // 2 log 40 = 7.38
    assert_eq!(Catoni::with_log_term(12.0).unwrap().minimum_samples(), 25); // n > 2L, so 24 is too few
    assert_eq!(MedianOfMeans::new(delta(0.05)).minimum_samples(), 24); // 8 log 20 = 23.97
    assert_eq!(TrimmedMean::new(delta(0.05)).minimum_samples(), 64);
    let refused = Catoni::with_log_term(12.0).unwrap().estimate(&[1.0; 24], bound(1.0)).unwrap_err();
    assert_eq!(refused.to_string(), "the Catoni mean needs at least 25 samples at this confidence, got 24");
}

#[test]
fn truncation_cuts_at_its_threshold_and_trimming_at_the_order_statistics_of_the_first_half() {
    // b = sqrt(0.75 u n / L) with n = 4, L = 3, u = 1: b = 1.
    let truncated = TruncatedMean::with_log_term(3.0).unwrap();
    close(truncated.estimate(&[0.5, -3.0, 2.0, 100.0], bound(1.0)).unwrap(), 0.375, 1e-15);
    // alpha = sqrt(2L/(nu)) = 2 with n = 2, L = 4, u = 1: psi(2)/2 and psi(20)/2.
    let soft = SoftTruncatedMean::with_log_term(4.0).unwrap();
    close(soft.estimate(&[1.0, 10.0], bound(1.0)).unwrap(), (5f64.ln() + 221f64.ln()) / 4.0, 1e-15);
    // k = 8 of the first 32 = 0..31: cut to [7, 24]; the second half is 2, 3, 50, 16, 16, ...
    let mut samples: Vec<f64> = (0..32).map(f64::from).chain([16.0; 32]).collect();
    samples[32..35].copy_from_slice(&[2.0, 3.0, 50.0]);
    let want = (7.0 + 7.0 + 24.0 + 29.0 * 16.0) / 32.0;
    close(TrimmedMean::new(delta(0.05)).of(&samples).unwrap(), want, 1e-15);
}

#[test]
fn blocks_of_unequal_length_use_every_sample() {
    // 7 samples in 3 blocks: lengths 3, 2, 2 with means 1, 5, 2.
    let mean = MedianOfMeans::with_blocks(3).unwrap();
    assert_eq!(mean.of(&[0.0, 1.0, 2.0, 4.0, 6.0, 2.0, 2.0]).unwrap(), 2.0);
    // 4 in 2 blocks: the two middle means are averaged.
    assert_eq!(MedianOfMeans::with_blocks(2).unwrap().of(&[0.0, 2.0, 4.0, 10.0]).unwrap(), 4.0);
    assert_eq!(MedianOfMeans::with_blocks(0), Err(MeanError::NoBlocks));
}

/// The k-th number (k = 1, 2, ...) of the splitmix64 counter stream, in (0, 1).
fn uniform(seed: u64, k: u64) -> f64 {
    let mut z = seed.wrapping_add(k.wrapping_mul(0x9E37_79B9_7F4A_7C15));
    z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    z ^= z >> 31;
    ((z >> 11) as f64 + 0.5) * 2f64.powi(-53)
}

/// Samples with tails of index 1: scale (shift + (u - 1/2) / (u (1 - u))).
fn heavy(seed: u64, n: u64, shift: f64, scale: f64) -> Vec<f64> {
    (1..=n).map(|k| uniform(seed, k)).map(|u| scale * (shift + (u - 0.5) / (u * (1.0 - u)))).collect()
}

#[test]
fn catoni_agrees_with_roots_of_fifty_digits() {
    assert_eq!(heavy(101, 3, 0.0, 1.0), [2.1115088326110696, -28.57556519036063, -1.1774718743614523]);
    let tiny = 2f64.powi(-500);
    let huge = 2f64.powi(500);
    // seed, n, shift, scale, variance bound, delta, root (bisection in 60-digit arithmetic), tolerance / scale
    #[rustfmt::skip]
    let cases = [
        (101, 20, 0.0, 1.0, 25.0, 0.05, "-0.22584261958185310017459972626197401247949011416601", 1e-15),
        (102, 60, 0.0, 1.0, 4.0, 0.05, "-0.3990090168622846990331677138857343246598568458534", 1e-15),
        (103, 300, 0.0, 1.0, 40.0, 1e-6, "0.12645673327004993019628763086525445401926334450182", 1e-15),
        (104, 60, 1e6, 1.0, 16.0, 0.01, "1000001.108192302653466638711254555031125909701474", 2e-10),
        (105, 100, 3.0, tiny, 30.0 * tiny * tiny, 0.05, "8.0493764031487600468911222921973187854080414740736e-151", 4e-15),
        (106, 100, 3.0, huge, 30.0 * huge * huge, 0.05, "1.6986970793415075569697184869196715020134980414851e+150", 1e-15),
        (107, 8, 0.0, 1.0, 9.0, 0.05, "7.7401824234445640408766178177032914802196403953903", 1e-14),
        (108, 200, 0.5, 1.0, 1e-6, 0.05, "0.6600592401957661707260883221858322278553526295028", 1e-15),
        (109, 200, 0.5, 1.0, 1e12, 0.05, "7.8720604800994468817463888582893142102364476606073", 1e-14),
    ];
    for (seed, n, shift, scale, variance, d, digits, tolerance) in cases {
        let want: f64 = digits.parse().unwrap();
        let got = Catoni::new(delta(d)).estimate(&heavy(seed, n, shift, scale), bound(variance)).unwrap();
        let error = ((got - want) / scale).abs();
        assert!(error <= tolerance, "seed {seed}: {got} against {want}, error {error:e}");
    }
}

#[test]
fn a_wild_outlier_costs_no_accuracy() {
    // Beyond the clip of the influence function the outlier only counts as "far above".
    let mut samples = heavy(102, 60, 0.0, 1.0);
    samples[17] = 1e60;
    let catoni = Catoni::new(delta(0.05));
    let with_1e60 = catoni.estimate(&samples, bound(4.0)).unwrap();
    let alpha = catoni.alpha(60, bound(4.0)).unwrap();
    let balance: f64 = samples
        .iter()
        .map(|x| alpha * (x - with_1e60))
        .map(|u| (u.abs() + 0.5 * u * u).ln_1p().copysign(u))
        .sum();
    assert!(balance.abs() < 1e-12, "{balance}");
    samples[17] = f64::MAX;
    assert!(catoni.estimate(&samples, bound(4.0)).unwrap() > with_1e60);
}

#[test]
fn a_zero_variance_bound_accepts_equal_samples_and_nothing_else() {
    let catoni = Catoni::new(delta(0.05));
    assert_eq!(catoni.estimate(&[0.1; 20], bound(0.0)).unwrap(), 0.1);
    assert_eq!(catoni.deviation(20, bound(0.0)).unwrap(), 0.0);
    let mut samples = [0.1; 20];
    samples[3] = 0.2;
    let refused = catoni.estimate(&samples, bound(0.0)).unwrap_err();
    assert!(matches!(refused, MeanError::BoundRefuted { lowest: 0.1, highest: 0.2, .. }));
}

#[test]
fn the_calibrated_mean_is_catoni_at_the_sample_variance() {
    let samples = heavy(110, 50, 2.0, 1.0);
    let fit = CalibratedCatoni::plug_in(&samples, delta(0.05)).unwrap();
    let mean = samples.iter().sum::<f64>() / 50.0;
    close(fit.sample_variance, samples.iter().map(|x| (x - mean).powi(2)).sum::<f64>() / 49.0, 1e-13);
    let catoni = Catoni::new(delta(0.05));
    close(fit.estimate, catoni.estimate(&samples, bound(fit.sample_variance)).unwrap(), 0.0);
    close(fit.calibrated_width, catoni.deviation(50, bound(fit.sample_variance)).unwrap(), 0.0);
    let equal = CalibratedCatoni::plug_in(&[7.0; 10], delta(0.05)).unwrap();
    assert_eq!((equal.estimate, equal.calibrated_width), (7.0, 0.0));
}

#[test]
fn a_log_term_at_or_below_log_two_is_refused() {
    for bad in [f64::NAN, f64::INFINITY, -1.0, 0.0, 2f64.ln()] {
        assert!(matches!(Catoni::with_log_term(bad), Err(MeanError::LogTerm { .. })));
        assert!(TruncatedMean::with_log_term(bad).is_err() && SoftTruncatedMean::with_log_term(bad).is_err());
    }
    assert_eq!(Catoni::with_log_term((2.0f64 / 0.05).ln()).unwrap(), Catoni::new(delta(0.05)));
}
