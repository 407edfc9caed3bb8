//! The same estimates by another road: kernel values in place of features, differences in place of pairs, one thread in place of many.

use crate::support;

use elfving::design::{AtomCombination, InformationMatrix, KernelInformation, TargetRef};
use elfving::estimate::robust_mean::{Catoni, MomentBound, RobustMean};
use elfving::estimate::{
    Assumptions, Centring, Counted, EstimateError, Intervals, Ips, LeastSquares, Mean, Rips, Sampled, Tails,
    Widths,
};
use elfving::numerics::{Matrix, apply};
use elfving::pool::{
    ChoiceId, Combination, Factorisation, PointId, Points, Pool, Subset, Targets, kernels::Rbf,
};
use elfving::rounding::{Allocation, Draws};
use elfving::units::{Confidence, Ridge};
use proptest::prelude::*;
use std::sync::Arc;

fn close(got: &[f64], want: &[f64], relative: f64) {
    assert_eq!(got.len(), want.len());
    let size = want.iter().fold(0.0, |m: f64, w| m.max(w.abs()));
    for (got, want) in got.iter().zip(want) {
        assert!((got - want).abs() <= relative * size, "{got} against {want}");
    }
}

fn delta() -> Confidence {
    Confidence::new(0.05).unwrap()
}

fn assumptions() -> Assumptions {
    Assumptions::new(0.3).unwrap().bound(1.0).unwrap()
}

fn all() -> Targets {
    Targets::Points(Subset::All)
}

fn rbf_pool() -> Pool {
    let points = Points::new(Matrix::from_fn(30, 1, |i, _| (i as f64 / 29.0).powi(2))).unwrap();
    Pool::from_kernel(Arc::new(Rbf::new(0.2).unwrap()), points, None, &Factorisation::default()).unwrap()
}

fn outcomes(count: usize) -> Vec<f64> {
    let mut outcomes: Vec<f64> =
        (0..count).map(|t| (t as f64 * 0.37).sin() + 0.1 * (t as f64).cos()).collect();
    outcomes[count / 2] += 30.0;
    outcomes
}

fn sample(pool: &Pool, budget: u64) -> Draws {
    let weights: Vec<(PointId, f64)> =
        (0..pool.len()).map(|i| (PointId::new(i), 1.0 + (i * i % 7) as f64)).collect();
    Draws::new(&weights, budget, 3).unwrap()
}

/// `vᵀ M⁻¹ φ(x)` by Lemma 1, for v = every point (or a difference) and x in the support.
fn kernel_coefficients(
    pool: &Pool,
    weights: &[(PointId, f64)],
    gamma: Ridge,
    v: &[(usize, f64)],
) -> Vec<f64> {
    let kernel = pool.exact().unwrap();
    let information = KernelInformation::new(kernel, weights, gamma).unwrap();
    weights.iter().map(|(id, _)| information.bilinear(&v.to_vec(), &vec![(id.index(), 1.0)])).collect()
}

#[test]
fn kernel_and_feature_forms_of_the_sampled_estimators_agree() {
    let pool = rbf_pool();
    let (draws, gamma) = (sample(&pool, 150), Ridge::new(0.02).unwrap());
    let outcomes = outcomes(150);
    let sampled = Sampled::new(&pool, &draws, &outcomes, gamma).unwrap();
    let pairs: Vec<(usize, usize)> = (0..30).flat_map(|i| (i + 1..30).map(move |j| (i, j))).collect();
    let centres: Vec<f64> = (0..30).map(|x| 0.1 * x as f64).collect();
    let centring = Centring::new(centres.clone(), vec![0.5; 30]).unwrap();
    let cases: [(Targets, Vec<AtomCombination>); 2] = [
        (all(), (0..30).map(|i| vec![(i, 1.0)]).collect()),
        (Targets::Differences(Subset::All), pairs.iter().map(|&(i, j)| vec![(i, 1.0), (j, -1.0)]).collect()),
    ];
    for (targets, combinations) in cases {
        let catoni = Catoni::with_log_term((2.0 * combinations.len() as f64 / 0.05).ln()).unwrap();
        let weights = draws.probabilities();
        let at = |id: &PointId| weights.iter().position(|(other, _)| other == id).unwrap();
        let (mut rips, mut ips, mut centred) = (vec![], vec![], vec![]);
        for v in &combinations {
            let c = kernel_coefficients(&pool, &weights, gamma, v);
            let square =
                |moment: f64| weights.iter().zip(&c).map(|((_, p), c)| p * c * c * moment).sum::<f64>();
            let samples = |centre: &dyn Fn(usize) -> f64| -> Vec<f64> {
                let one = |(id, y): (&PointId, &f64)| c[at(id)] * (y - centre(id.index()));
                draws.points().iter().zip(&outcomes).map(one).collect()
            };
            let plain = samples(&|_| 0.0);
            rips.push(catoni.estimate(&plain, MomentBound::new(square(1.09)).unwrap()).unwrap());
            ips.push(plain.iter().sum::<f64>() / 150.0);
            let back: f64 = weights.iter().zip(&c).map(|((id, p), c)| p * c * centres[id.index()]).sum();
            let bound = MomentBound::new(square(0.25 + 0.09)).unwrap();
            centred.push(back + catoni.estimate(&samples(&|x| centres[x]), bound).unwrap());
        }
        let estimator = Rips::new(assumptions(), delta());
        close(&estimator.intervals(&sampled, &targets).unwrap().estimates(), &rips, 1e-9);
        close(&Ips::fit(&sampled).predict(&pool, &targets).unwrap(), &ips, 1e-9);
        close(
            &Ips::new(assumptions(), delta()).intervals(&sampled, &targets).unwrap().estimates(),
            &ips,
            1e-9,
        );
        let estimator = Rips::new(assumptions(), delta()).centred(centring.clone());
        close(&estimator.intervals(&sampled, &targets).unwrap().estimates(), &centred, 1e-9);
    }
}

#[test]
fn kernel_and_feature_forms_of_ridge_regression_agree() {
    let pool = rbf_pool();
    let counts: Vec<(PointId, u64)> =
        (0..30).step_by(3).map(|i| (PointId::new(i), 1 + (i as u64 % 4))).collect();
    let allocation = Allocation::new(counts.clone()).unwrap();
    let outcomes = outcomes(allocation.total() as usize);
    let penalty = Ridge::new(0.5).unwrap();
    let counted = Counted::new(&pool, &allocation, &outcomes, penalty).unwrap();
    let weights: Vec<(PointId, f64)> = counts.iter().map(|&(id, n)| (id, n as f64)).collect();
    let slots = allocation.slots();
    let (mut want, mut deviations) = (vec![], vec![]);
    for v in 0..30 {
        let a = kernel_coefficients(&pool, &weights, penalty, &[(v, 1.0)]);
        let of = |id: &PointId| a[weights.iter().position(|(other, _)| other == id).unwrap()];
        want.push(slots.iter().zip(&outcomes).map(|(id, y)| of(id) * y).sum());
        deviations.push(0.3 * slots.iter().map(|id| of(id) * of(id)).sum::<f64>().sqrt());
    }
    let estimator = LeastSquares::new(assumptions().tails(Tails::SubGaussian), delta());
    let intervals = estimator.intervals(&counted, &all()).unwrap();
    close(&intervals.estimates(), &want, 1e-9);
    let quantile = (2.0 * (60.0f64 / 0.05).ln()).sqrt();
    let noise: Vec<f64> = intervals.intervals.iter().map(|interval| interval.noise).collect();
    close(&noise, &deviations.iter().map(|s| quantile * s).collect::<Vec<_>>(), 1e-9);
}

#[test]
fn the_bias_is_that_of_the_information_matrix() {
    let pool = Pool::from_features(support::small()).unwrap();
    let (draws, gamma) = (sample(&pool, 100), Ridge::new(0.1).unwrap());
    let outcomes = outcomes(100);
    let sampled = Sampled::new(&pool, &draws, &outcomes, gamma).unwrap();
    let assumed = assumptions().norm(2.0).unwrap().misspecification(0.3).unwrap();
    let of = |widths| Rips::new(assumed.clone(), delta()).widths(widths).intervals(&sampled, &all()).unwrap();
    let (sharp, paper) = (of(Widths::Sharp), of(Widths::Paper));
    let mut shares = vec![0.0; 60];
    draws.probabilities().iter().for_each(|(id, p)| shares[id.index()] = *p);
    let information = InformationMatrix::from_rows(pool.features(), &shares, gamma).unwrap();
    for (v, (sharp, paper)) in sharp.intervals.iter().zip(&paper.intervals).enumerate() {
        let mut solved = pool.features().row(v).to_vec();
        information.factor().solve(&mut solved);
        let c = apply(pool.features(), &solved);
        let length = solved.iter().map(|x| x * x).sum::<f64>().sqrt();
        let reach: f64 = shares.iter().zip(&c).map(|(p, c)| p * c.abs()).sum();
        let norm = information.norm_squared(pool.features().row(v)).sqrt();
        close(
            &[sharp.bias.ridge.unwrap(), sharp.bias.misspecification, sharp.norm],
            &[2.0 * 0.1 * length, 0.3 * reach, norm],
            1e-11,
        );
        close(
            &[paper.bias.ridge.unwrap(), paper.bias.misspecification],
            &[2.0 * 0.1f64.sqrt() * norm, 0.3 * norm],
            1e-11,
        );
        assert!(sharp.width() < paper.width(), "the sharp width is never the larger one");
    }
}

#[test]
fn combinations_and_directions_say_what_points_and_differences_say() {
    let pool = Pool::from_features(support::small()).unwrap();
    let draws = sample(&pool, 100);
    let outcomes = outcomes(100);
    let sampled = Sampled::new(&pool, &draws, &outcomes, Ridge::new(0.1).unwrap()).unwrap();
    let estimator = Rips::new(assumptions(), delta());
    let of = |targets: &Targets| estimator.intervals(&sampled, targets).unwrap();
    let ids: Vec<ChoiceId> = [4, 9, 31].map(ChoiceId::new).to_vec();
    let difference = |i: usize, j: usize| Combination { terms: vec![(ids[i], 1.0), (ids[j], -1.0)] };
    let pairs = of(&Targets::Differences(Subset::Of(ids.clone())));
    let listed = of(&Targets::Combinations(vec![difference(0, 1), difference(0, 2), difference(1, 2)]));
    close(&pairs.estimates(), &listed.estimates(), 1e-12);
    let targets: Vec<TargetRef> = pairs.intervals.iter().map(|interval| interval.target).collect();
    assert_eq!(targets, [TargetRef::Pair(0, 1), TargetRef::Pair(0, 2), TargetRef::Pair(1, 2)]);
    let rows = pool.features().select_rows(&[4, 9, 31]);
    close(
        &of(&Targets::Points(Subset::Of(ids))).estimates(),
        &of(&Targets::Directions(rows)).estimates(),
        1e-12,
    );
}

#[test]
fn what_a_kernels_features_leave_out_is_in_the_width() {
    let points = || Points::new(Matrix::from_fn(30, 1, |i, _| i as f64 / 29.0)).unwrap();
    let coarse = Factorisation { residual: 1e-3, ..Factorisation::default() };
    let pool = Pool::from_kernel(Arc::new(Rbf::new(0.2).unwrap()), points(), None, &coarse).unwrap();
    assert!(pool.residual() > 1e-5, "{}", pool.residual());
    let draws = sample(&pool, 100);
    let outcomes = outcomes(100);
    let sampled = Sampled::new(&pool, &draws, &outcomes, Ridge::new(0.02).unwrap()).unwrap();
    let ridge_bias = |sampled: &Sampled<'_>, norm: f64| {
        let estimator = Rips::new(assumptions().norm(norm).unwrap(), delta());
        estimator.intervals(sampled, &all()).unwrap().intervals[3].bias.ridge.unwrap()
    };
    // The same features, taken for the whole truth: the difference is the share of the target and that of the points.
    let exact = Pool::from_features(pool.features().clone()).unwrap();
    let without = Sampled::new(&exact, &draws, &outcomes, Ridge::new(0.02).unwrap()).unwrap();
    let more = ridge_bias(&sampled, 2.0) - ridge_bias(&without, 2.0);
    let share = 2.0 * pool.residual().sqrt();
    assert!(more > share && more < 20.0 * share, "{more} against {share}");
    assert_eq!(ridge_bias(&sampled, 0.0), 0.0);
}

#[test]
fn the_answer_does_not_depend_on_the_number_of_threads() {
    let pool = rbf_pool();
    let draws = sample(&pool, 300);
    let outcomes = outcomes(300);
    let run = || -> Intervals {
        let sampled = Sampled::new(&pool, &draws, &outcomes, Ridge::new(0.02).unwrap()).unwrap();
        Rips::new(assumptions(), delta()).intervals(&sampled, &Targets::Differences(Subset::All)).unwrap()
    };
    let on =
        |threads: usize| rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap().install(run);
    assert_eq!(on(1), on(3));
}

#[test]
fn without_a_ridge_only_what_was_measured_can_be_estimated() {
    let pool = Pool::from_features(Matrix::identity(3)).unwrap();
    let draws = Draws::new(&[(PointId::new(0), 0.5), (PointId::new(2), 0.5)], 60, 1).unwrap();
    let outcomes = vec![1.0; 60];
    let sampled = Sampled::new(&pool, &draws, &outcomes, Ridge::ZERO).unwrap();
    let estimator = Rips::new(assumptions(), delta());
    let measured = Targets::Points(Subset::Of(vec![ChoiceId::new(0), ChoiceId::new(2)]));
    assert!(estimator.intervals(&sampled, &measured).is_ok());
    let refused = estimator.intervals(&sampled, &all()).unwrap_err();
    assert_eq!(refused, EstimateError::NotIdentifiable { target: TargetRef::Row(1) });
    let refused = estimator.intervals(&sampled, &Targets::Differences(Subset::All)).unwrap_err();
    assert_eq!(refused, EstimateError::NotIdentifiable { target: TargetRef::Pair(0, 1) });
    // With a ridge every direction has an estimate, and its bias is stated when the norm is.
    let sampled = Sampled::new(&pool, &draws, &outcomes, Ridge::new(0.1).unwrap()).unwrap();
    let assumed = Rips::new(assumptions().norm(2.0).unwrap(), delta());
    let interval = assumed.intervals(&sampled, &all()).unwrap().intervals[1];
    assert_eq!((interval.estimate, interval.noise), (0.0, 0.0));
    assert!((interval.bias.ridge.unwrap() - 2.0).abs() < 1e-12, "nothing is known but the norm");
}

#[test]
fn what_is_wrong_is_said() {
    let pool = Pool::from_features(Matrix::identity(2)).unwrap();
    let draws = Draws::new(&[(PointId::new(0), 0.5), (PointId::new(1), 0.5)], 4, 1).unwrap();
    let gamma = Ridge::ZERO;
    let message = |outcomes: &[f64]| Sampled::new(&pool, &draws, outcomes, gamma).unwrap_err().to_string();
    assert_eq!(
        message(&[1.0; 3]),
        "4 measurements were planned, but 3 outcomes are given: an estimate needs them all"
    );
    assert_eq!(
        message(&[1.0, f64::NAN, 1.0, 1.0]),
        "outcome 1 is NaN; every outcome must be a finite number of at most 1e150"
    );
    let sampled = Sampled::new(&pool, &draws, &[1.0; 4], gamma).unwrap();
    let refused = |estimator: Rips| estimator.intervals(&sampled, &all()).unwrap_err().to_string();
    let unbounded = Assumptions::new(0.1).unwrap();
    assert_eq!(
        refused(Rips::new(unbounded, delta())),
        "RIPS needs a bound B on the mean outcomes for its width"
    );
    assert_eq!(
        refused(Rips::new(assumptions(), delta())),
        "the Catoni mean needs at least 9 samples at this confidence, got 4"
    );
    let five = assumptions().sigma_at(vec![0.1; 5]).unwrap();
    assert!(refused(Rips::new(five, delta()).mean(Mean::SoftTruncated)).contains("one for each point"));
    assert!(Rips::new(assumptions(), delta()).mean(Mean::SoftTruncated).intervals(&sampled, &all()).is_ok());
    for bad in [f64::NAN, f64::INFINITY, -1.0] {
        assert!(Assumptions::new(bad).is_err());
        assert!(assumptions().bound(bad).is_err());
        assert!(assumptions().norm(bad).is_err());
        assert!(assumptions().misspecification(bad).is_err());
        assert!(assumptions().sigma_at(vec![0.1, bad]).is_err());
        assert!(Centring::new(vec![0.0], vec![bad]).is_err());
    }
    let other = Pool::from_features(Matrix::identity(1)).unwrap();
    assert!(matches!(
        Sampled::new(&other, &draws, &[1.0; 4], gamma),
        Err(EstimateError::UnknownPoint { points: 1, .. })
    ));
}

#[test]
fn the_statement_names_what_it_rests_on() {
    let pool = Pool::from_features(Matrix::identity(2)).unwrap();
    let draws = Draws::new(&[(PointId::new(0), 0.5), (PointId::new(1), 0.5)], 40, 1).unwrap();
    let sampled = Sampled::new(&pool, &draws, &[1.0; 40], Ridge::new(0.01).unwrap()).unwrap();
    let said = Rips::new(assumptions(), delta()).intervals(&sampled, &all()).unwrap().statement.to_string();
    assert_eq!(
        said,
        "RIPS: all 2 intervals hold together with probability 0.95, if\n\
         - the 40 measurements were drawn independently from the design\n\
         - independent noise of mean 0 and standard deviation at most 0.3, with any tails\n\
         - mean outcomes between -1 and 1\n\
         - the model is exact (misspecification 0)\n\
         - the norm of the true function is 0: none was given, so the shrinkage bias of the ridge (gamma = 0.01) is not in the \
         widths; give a norm\n"
    );
    let assumed = assumptions().norm(1.5).unwrap().misspecification(0.1).unwrap();
    let intervals = Rips::new(assumed, delta()).intervals(&sampled, &all()).unwrap();
    let said = intervals.to_string();
    assert!(said.contains("- the norm of the true function is at most 1.5\n"), "{said}");
    assert!(
        said.contains("- true means within 0.1 of the model; the intervals are for the model's values\n")
    );
    assert!(said.contains("target 0: "), "{said}");
    // Earlier intervals without their bias are nothing to centre on.
    let blind = Rips::new(assumptions(), delta()).intervals(&sampled, &all()).unwrap();
    assert_eq!(Centring::from_intervals(&pool, &blind), Err(EstimateError::UnknownBias));
}

#[test]
fn repeated_measurements_and_their_average_with_a_smaller_sigma_agree() {
    // Four outcomes of one point, or one outcome that is their mean with sigma / 2: the same estimate and width.
    let pool = Pool::from_features(Matrix::from_rows(&[[1.0, 0.0], [1.0, 1.0], [1.0, 2.0]])).unwrap();
    let each = Allocation::new(vec![(PointId::new(0), 4), (PointId::new(2), 1)]).unwrap();
    let estimate = |allocation: &Allocation, outcomes: &[f64], sigmas: Vec<f64>| {
        let assumed = Assumptions::new(0.0).unwrap().sigma_at(sigmas).unwrap().tails(Tails::SubGaussian);
        let counted = Counted::new(&pool, allocation, outcomes, Ridge::ZERO).unwrap();
        let intervals = LeastSquares::new(assumed, delta()).intervals(&counted, &all()).unwrap();
        intervals.intervals.iter().flat_map(|one| [one.estimate, one.noise]).collect::<Vec<f64>>()
    };
    let repeated = estimate(&each, &[0.8, 1.2, 1.1, 0.9, 3.0], vec![0.4, 0.4, 0.4]);
    let once = Allocation::new(vec![(PointId::new(0), 1), (PointId::new(2), 1)]).unwrap();
    let averaged = estimate(&once, &[1.0, 3.0], vec![0.2, 0.4, 0.4]);
    close(&repeated, &averaged, 1e-12);
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 48, rng_seed: proptest::test_runner::RngSeed::Fixed(5), ..ProptestConfig::default() })]

    #[test]
    fn scaling_features_or_outcomes_scales_the_answer(
        exponent in -150i32..150, seed in 0u64..1000, gamma in prop::sample::select(vec![0.0, 0.05]),
    ) {
        let scale = 2f64.powi(exponent);
        let features = support::normals(seed, 12, 4);
        let draws = Draws::new(&(0..12).map(|i| (PointId::new(i), 1.0)).collect::<Vec<_>>(), 80, seed).unwrap();
        let outcomes = outcomes(80);
        let run = |features: Matrix, gamma: f64, outcomes: &[f64], unit: f64| {
            let pool = Pool::from_features(features).unwrap();
            let sampled = Sampled::new(&pool, &draws, outcomes, Ridge::new(gamma).unwrap()).unwrap();
            let assumed = Assumptions::new(0.3 * unit).unwrap().bound(unit).unwrap();
            let intervals = Rips::new(assumed, delta()).intervals(&sampled, &all()).unwrap().intervals;
            intervals.iter().flat_map(|one| [one.estimate / unit, one.noise / unit]).collect::<Vec<f64>>()
        };
        let plain = run(features.clone(), gamma, &outcomes, 1.0);
        let scaled = Matrix::from_fn(12, 4, |i, j| scale * features[(i, j)]);
        close(&run(scaled, gamma * scale * scale, &outcomes, 1.0), &plain, 1e-9);
        let larger: Vec<f64> = outcomes.iter().map(|y| y * scale).collect();
        close(&run(features, gamma, &larger, scale), &plain, 1e-9);
    }
}
