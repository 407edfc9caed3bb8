use super::*;
use crate::numerics::rng::{Purpose, stream};
use crate::numerics::{Cholesky, Matrix, weighted_gram};

/// 40 points in 6 dimensions, of lengths between 0.1 and 3.
fn pool() -> Pool {
    Pool::from_features(Matrix::from_fn(40, 6, |i, j| ((i * 7 + j * 11 + i * j) % 13) as f64 / 6.0 - 1.0))
        .expect("a pool")
}

fn measured(ridge: f64, weights: Option<Vec<f64>>, samples: usize) -> (Regression, Vec<(usize, f64)>) {
    let mut regression = Regression::weighted(pool(), ridge, weights).expect("a regression");
    let mut random = stream(5, 0, Purpose::new("test"));
    let mut data = Vec::new();
    for _ in 0..samples {
        // Most measurements at few points: the worst for an updated inverse.
        let point = (random.below(40) * random.below(40) / 40) as usize;
        let outcome = random.below(2000) as f64 / 1000.0 - 1.0;
        regression.add(PointId::new(point), outcome);
        data.push((point, outcome));
    }
    (regression, data)
}

/// The same from one dense solve.
fn assert_direct(regression: &Regression, ridge: f64, weights: &[f64], data: &[(usize, f64)]) {
    let features = regression.pool().features();
    let mut masses = vec![0.0; 40];
    let mut theta = vec![0.0; 6];
    for &(point, outcome) in data {
        masses[point] += weights[point];
        add_scaled_row(&mut theta, weights[point] * outcome, features.row(point));
    }
    let mut v = weighted_gram(features, &masses);
    (0..6).for_each(|i| v[(i, i)] += ridge);
    let factor = Cholesky::new(v).expect("positive definite");
    factor.solve(&mut theta);
    let close = |a: f64, b: f64| (a - b).abs() <= 1e-9 * a.abs().max(b.abs()).max(1e-3);
    assert!(close(regression.precision().log_det(), factor.log_det() - 6.0 * ridge.ln()));
    for i in 0..40 {
        assert!(close(regression.means()[i], dot(features.row(i), &theta)), "mean {i}");
        let mut image = features.row(i).to_vec();
        factor.solve(&mut image);
        let norm = dot(&image, features.row(i));
        assert!((regression.precision().norms()[i] - norm).abs() <= 1e-9 * norm, "norm {i}");
        assert!((regression.precision().norm(features.row(i)) - norm).abs() <= 1e-9 * norm, "form {i}");
    }
}

#[test]
fn updates_agree_with_a_direct_solve_between_and_after_factorisations() {
    for ridge in [1e-2, 1.0] {
        // 64 updates between factorisations: right before, at and after one, and far on.
        for samples in [1, 63, 64, 65, 5_119, 20_000] {
            let (regression, data) = measured(ridge, None, samples);
            assert_direct(&regression, ridge, &[1.0; 40], &data);
        }
    }
}

#[test]
fn rounding_errors_of_many_updates_do_not_add_up() {
    // A ridge of 1e-6 against 20,000 measurements: an inverse that is only updated loses ten digits on the way.
    let (mut regression, _) = measured(1e-6, None, 20_000);
    let updated = regression.precision().norms().to_vec();
    regression.refresh();
    for (updated, fresh) in updated.iter().zip(regression.precision().norms()) {
        assert!((updated - fresh).abs() <= 1e-9 * fresh, "{updated} {fresh}");
    }
}

#[test]
fn weights_count_a_measurement_as_often_as_they_say() {
    let weights: Vec<f64> = (0..40).map(|i| 0.1 + i as f64 / 7.0).collect();
    let (regression, data) = measured(0.05, Some(weights.clone()), 150);
    assert_direct(&regression, 0.05, &weights, &data);
}

#[test]
fn supposed_points_change_what_is_known_as_measured_ones_do() {
    let (regression, _) = measured(0.1, None, 30);
    let mut supposed = regression.precision().clone();
    let mut told = regression.clone();
    for i in [3, 3, 17] {
        supposed.suppose(PointId::new(i));
        told.add(PointId::new(i), -2.0);
    }
    assert_eq!(supposed.norms(), told.precision().norms());
    assert_ne!(supposed.norms(), regression.precision().norms());
}

#[test]
fn ridges_and_weights_outside_their_domain_are_refused() {
    for bad in [0.0, -1.0, f64::NAN, f64::INFINITY] {
        assert!(matches!(Regression::new(pool(), bad), Err(BanditError::Ridge { .. })));
        let mut weights = vec![1.0; 40];
        weights[7] = bad;
        assert!(matches!(
            Regression::weighted(pool(), 1.0, Some(weights)),
            Err(BanditError::Weights { points: 40 })
        ));
    }
}
