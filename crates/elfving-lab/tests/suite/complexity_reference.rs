//! Costs of problems whose values are known: the instance linear6 (six points in R³, computed by an independent prototype, good
//! to about 1e-6), the instances of Soare and others (to 8 digits), and closed forms.

use crate::support;

use elfving::numerics::Matrix;
use elfving::pool::{ChoiceId, Factorisation, PointId, Points, Pool, kernels::Rbf};
use elfving::units::{Confidence, Ridge, Tolerance};
use elfving_lab::complexity::{
    ComplexityError, Enclosure, Over, Truth, characteristic_time, effective_dimension, epsilon_bar, floor,
    greedy_information_gain, information_gain, near_best_variance, rho_star, worst_subset, worst_variance,
    worst_variance_among,
};

fn linear6() -> Pool {
    Pool::from_features(Matrix::from_rows(&[
        [1.0, 0.0, 0.0],
        [0.0, 1.0, 0.0],
        [0.0, 0.0, 1.0],
        [0.7, 0.7, 0.0],
        [0.0, 0.6, -0.8],
        [0.5, -0.5, 0.7],
    ]))
    .unwrap()
}

fn theta6(pool: &Pool) -> Truth {
    Truth::from_theta(pool, vec![1.0, 0.3, -0.2]).unwrap()
}

/// h of linear6.
const MISSPECIFICATION: f64 = 0.01;

fn tight() -> Tolerance {
    Tolerance::new(1e-9).unwrap()
}

fn ridge(gamma: f64) -> Ridge {
    Ridge::new(gamma).unwrap()
}

#[track_caller]
fn assert_close(got: f64, expected: f64, tolerance: f64) {
    assert!((got - expected).abs() <= tolerance * expected.abs().max(1e-12), "{got} instead of {expected}");
}

#[track_caller]
fn assert_encloses(enclosure: Enclosure, expected: f64, tolerance: f64) {
    assert_close(enclosure.value, expected, tolerance);
    let slack = tolerance * expected.abs();
    assert!(
        enclosure.at_least <= expected + slack && expected <= enclosure.at_most + slack,
        "{enclosure:?} does not hold {expected}"
    );
    assert!(enclosure.relative_width() <= 1e-8, "{enclosure:?}");
}

#[test]
fn the_worst_variance_of_linear6_is_the_reference() {
    let pool = linear6();
    for (over, gamma, expected) in [
        (Over::Points, 0.0, 3.0),
        (Over::Points, 0.05, 2.6086956523),
        (Over::Differences, 0.0, 7.485987853022019),
        (Over::Differences, 0.05, 6.509554654506095),
        (Over::Points, 0.1, 2.307692310121925),
        (Over::Points, 0.01, 2.9126213606117974),
    ] {
        assert_encloses(worst_variance(&pool, over, ridge(gamma), tight()).unwrap(), expected, 2e-9);
    }
}

#[test]
fn the_effective_dimensions_of_linear6_are_the_reference() {
    let pool = linear6();
    for (gamma, trace) in [(0.0, 3.0), (0.05, 2.608695652057453)] {
        let effective = effective_dimension(&pool, ridge(gamma), tight()).unwrap();
        assert_close(effective.trace, trace, 1e-8);
        assert_eq!((effective.count, effective.dimension), (3, 3));
        assert!(effective.worst_variance >= effective.trace * (1.0 - 1e-12));
        assert_close(effective.worst_variance, trace, 1e-6);
    }
    // The three eigenvalues are 1/3 each: a ridge above them leaves no direction.
    assert_eq!(effective_dimension(&pool, ridge(0.34), tight()).unwrap().count, 0);
}

#[test]
fn the_information_gain_of_linear6_is_the_reference() {
    let pool = linear6();
    for (horizon, noise, expected) in [
        (10.0, 1.0, 4.399011205192661),
        (10.0, 0.05, 12.643781069538138),
        (100.0, 1.0, 10.608350093223123),
        (100.0, 0.05, 19.511367137758388),
    ] {
        let gain = information_gain(&pool, horizon, noise, tight()).unwrap().gain;
        assert_encloses(gain, expected, 1e-8);
    }
    for (horizon, half) in [(10, 2.1910133173369406), (100, 5.304034555360868)] {
        let greedy = greedy_information_gain(&pool, horizon, 1.0).unwrap();
        assert_close(0.5 * greedy.value, half, 1e-12);
        assert_eq!(greedy.points.len(), horizon);
    }
}

#[test]
fn the_instance_quantities_of_linear6_are_the_reference() {
    let pool = linear6();
    let truth = theta6(&pool);
    assert_close(truth.norm, 1.063014581273465, 1e-15);
    for (gamma, epsilon, rho, g) in [
        (0.0, 0.0, 124.8152453137549, 0.0),
        (0.0, 0.05, 124.8152453137549, 0.0),
        (0.0, 0.2, 26.69203236187627, 0.9999999976132508),
        (0.0, 0.5, 10.422815427322597, 0.9999999976132508),
        (0.05, 0.05, 112.23344563107725, 0.0),
        (0.05, 0.2, 23.21046294282921, 0.9090909098441406),
        (0.05, 0.5, 9.063317760016156, 0.9090909098441406),
    ] {
        let got = rho_star(&pool, &truth, ridge(gamma), epsilon, tight()).unwrap();
        assert_encloses(got, rho, 2e-7);
        let got = near_best_variance(&pool, &truth, ridge(gamma), epsilon, tight()).unwrap();
        assert_close(got.value, g, 1e-6);
        let near: Vec<ChoiceId> = (0..6).filter(|&z| truth.gaps[z] <= epsilon).map(ChoiceId::new).collect();
        let all_pairs = worst_variance_among(&pool, Over::Differences, &near, ridge(gamma), tight()).unwrap();
        assert_close(all_pairs.value, g, 1e-6);
    }
}

#[test]
fn epsilon_bar_of_linear6_is_the_reference() {
    let pool = linear6();
    let truth = theta6(&pool);
    for (gamma, over, smallest) in [
        (0.0, Over::Points, 0.08),
        (0.0, Over::Differences, 0.08),
        (0.05, Over::Points, 4.212107969485731),
        (0.05, Over::Differences, 4.5094607669457805),
    ] {
        let got = epsilon_bar(&pool, &truth, ridge(gamma), MISSPECIFICATION, over, tight()).unwrap();
        assert_close(got.smallest.value, smallest, 1e-8);
        assert_close(got.epsilon_bar.value, 8.0 * smallest, 1e-8);
        assert!(got.smallest.at_least <= got.smallest.at_most && got.smallest.relative_width() < 1e-8);
    }
    // At γ = 0.05 every choice is within reach: four times the floor.
    let floor = floor(&pool, ridge(0.05), truth.norm, MISSPECIFICATION, tight()).unwrap();
    assert_close(4.0 * floor.floor.value, 4.5094607669457805, 1e-8);
}

#[test]
fn the_worst_subset_of_linear6_is_the_basis() {
    let worst = worst_subset(&linear6(), ridge(0.05), tight()).unwrap();
    assert_encloses(worst.worst, 2.6086956523056917, 2e-9);
    let expected: Vec<PointId> = (0..3).map(PointId::new).collect();
    assert_eq!(worst.subset, Some(expected));
    // Thirteen points are not searched, but enclosed.
    let pool = Pool::from_features(support::normals(3, 13, 3)).unwrap();
    let enclosed = worst_subset(&pool, ridge(0.05), tight()).unwrap();
    assert!(enclosed.subset.is_none() && enclosed.worst.at_least <= enclosed.worst.at_most);
    assert!(enclosed.worst.at_most <= 3.0 && enclosed.worst.at_least > 2.0, "{enclosed}");
}

#[test]
fn rho_star_of_the_soare_instances_has_eight_digits() {
    for (d, expected) in [(2, 110.07504029), (5, 110.86250135), (10, 112.17462742), (20, 114.79774602)] {
        let pool = Pool::from_features(support::soare(d)).unwrap();
        let theta = (0..d).map(|k| if k == 0 { 2.0 } else { 0.0 }).collect();
        let truth = Truth::from_theta(&pool, theta).unwrap();
        let rho = rho_star(&pool, &truth, Ridge::ZERO, 0.0, tight()).unwrap();
        assert_encloses(rho, expected, 5e-9);
        // All alternatives of that design have norm at most 4: the bound changes nothing.
        let time = characteristic_time(&pool, &truth, Some(4.0), Tolerance::new(1e-7).unwrap()).unwrap();
        assert!(!time.norm_bound_helps);
        assert_close(time.time.value, 2.0 * expected, 1e-6);
        assert!(time.time.relative_width() <= 1.1e-7, "d = {d}: {time}");
    }
}

#[test]
fn the_characteristic_time_of_linear6_is_the_reference() {
    let pool = linear6();
    let truth = theta6(&pool);
    let tolerance = Tolerance::new(1e-8).unwrap();
    let free = characteristic_time(&pool, &truth, None, tolerance).unwrap();
    assert_encloses(free.time, 249.6304906275098, 2e-7);
    let loose = characteristic_time(&pool, &truth, Some(1.5), tolerance).unwrap();
    assert!(!loose.norm_bound_helps);
    assert_close(loose.time.value, free.time.value, 3e-8);
    // The reference has certified intervals of relative width 1.7e-6: ours must meet them.
    for (bound, at_least, at_most) in [
        (1.084275, 246.91357994187334, 246.91399945533612),
        (truth.norm, 246.91357966023435, 246.91399914836185),
    ] {
        let got = characteristic_time(&pool, &truth, Some(bound), tolerance).unwrap();
        assert!(got.norm_bound_helps);
        assert!(got.time.at_least <= at_most && got.time.at_most >= at_least, "{got:?}");
        assert!(got.time.relative_width() <= 1e-7, "{:?}", got.time);
    }
    let delta = Confidence::new(0.05).unwrap();
    assert_close(free.measurements(0.1, delta), 0.01 * 249.6304906275098 * (1.0f64 / 0.12).ln(), 1e-7);
}

#[test]
fn a_truth_is_recovered_from_its_means() {
    let pool = linear6();
    let given = theta6(&pool);
    let means = [1.0, 0.3, -0.2, 0.91, 0.34, 0.21];
    let fitted = Truth::from_means(&pool, &means).unwrap();
    for (fitted, given) in fitted.theta.iter().zip(&given.theta) {
        assert_close(*fitted, *given, 1e-13);
    }
    assert!(fitted.misfit < 1e-14 && fitted.best == given.best);
    // Means off the plane: the misfit says by how much at least.
    let bent = Truth::from_means(&pool, &[1.0, 0.3, -0.2, 1.91, 0.34, 0.21]).unwrap();
    assert!(bent.misfit > 0.3 && bent.misfit < 1.0);
}

#[test]
fn a_kernel_pool_is_certified_with_its_exact_kernel() {
    let points = Points::new(Matrix::from_fn(40, 1, |i, _| i as f64 / 39.0)).unwrap();
    let pool = Pool::from_kernel(
        std::sync::Arc::new(Rbf::new(0.2).unwrap()),
        points,
        None,
        &Factorisation::default(),
    )
    .unwrap();
    let means: Vec<f64> = (0..40).map(|i| (i as f64 / 39.0 * 3.0).sin()).collect();
    let truth = Truth::from_means(&pool, &means).unwrap();
    assert!(truth.misfit < 1e-6);
    let gamma = ridge(0.01);
    let f = worst_variance(&pool, Over::Points, gamma, tight()).unwrap();
    let effective = effective_dimension(&pool, gamma, tight()).unwrap();
    assert!(f.at_least <= effective.worst_variance && f.value < 10.0);
    let gain = information_gain(&pool, 100.0, 1.0, tight()).unwrap().gain;
    assert!(f.at_least <= gain.at_most);
    assert!(rho_star(&pool, &truth, gamma, 0.05, tight()).unwrap().relative_width() < 1e-6);
}

#[test]
fn wrong_questions_are_refused_with_their_numbers() {
    let pool = linear6();
    let truth = theta6(&pool);
    assert!(matches!(
        Truth::from_theta(&pool, vec![1.0]),
        Err(ComplexityError::Length { expected: 3, got: 1, .. })
    ));
    assert!(Truth::from_means(&pool, &[f64::NAN; 6]).is_err());
    for bad in [f64::NAN, -0.1, f64::INFINITY] {
        assert!(rho_star(&pool, &truth, Ridge::ZERO, bad, tight()).is_err());
        assert!(near_best_variance(&pool, &truth, Ridge::ZERO, bad, tight()).is_err());
        assert!(floor(&pool, Ridge::ZERO, 1.0, bad, tight()).is_err());
        assert!(information_gain(&pool, bad, 1.0, tight()).is_err());
        assert!(greedy_information_gain(&pool, 3, bad).is_err());
        assert!(characteristic_time(&pool, &truth, Some(bad), tight()).is_err());
    }
    assert!(matches!(
        characteristic_time(&pool, &truth, Some(1.0), tight()),
        Err(ComplexityError::NormBound { .. })
    ));
    assert!(worst_subset(&pool, Ridge::ZERO, tight()).is_err());
    let tied = Truth::from_theta(&pool, vec![1.0, 1.0, 0.0]).unwrap();
    let tied_pool = Pool::from_features(Matrix::identity(3)).unwrap();
    let tied = Truth { ..Truth::from_theta(&tied_pool, tied.theta).unwrap() };
    assert!(matches!(
        rho_star(&tied_pool, &tied, Ridge::ZERO, 0.0, tight()),
        Err(ComplexityError::Tie { .. })
    ));
}

#[test]
fn one_choice_costs_nothing_and_duplicates_of_the_best_do_not_count() {
    let alone = Pool::from_features(Matrix::from_rows(&[[1.0, 0.0]])).unwrap();
    let truth = Truth::from_theta(&alone, vec![1.0, 0.0]).unwrap();
    assert_eq!(rho_star(&alone, &truth, Ridge::ZERO, 0.0, tight()).unwrap(), Enclosure::exact(0.0));
    assert_eq!(
        worst_variance(&alone, Over::Differences, Ridge::ZERO, tight()).unwrap(),
        Enclosure::exact(0.0)
    );
    assert_eq!(characteristic_time(&alone, &truth, Some(2.0), tight()).unwrap().time, Enclosure::exact(0.0));
    let twice = Pool::from_features(Matrix::from_rows(&[[1.0, 0.0], [0.0, 1.0], [1.0, 0.0]])).unwrap();
    let truth = Truth::from_theta(&twice, vec![1.0, 0.5]).unwrap();
    assert_close(rho_star(&twice, &truth, Ridge::ZERO, 0.0, tight()).unwrap().value, 16.0, 1e-8);
}
