//! What holds on random pools.

use crate::support;

use elfving::design::{Criterion, Problem};
use elfving::numerics::weighted_gram;
use elfving::pool::{PointId, Pool};
use elfving::rounding::{
    Allocation, Caratheodory, Constraints, Draws, Exchange, Method, RegretMinimisation, Request, Rounding,
};
use elfving::units::Ridge;
use proptest::prelude::*;
use proptest::test_runner::RngSeed;

fn random_weights(seed: u64, n: usize) -> Vec<(PointId, f64)> {
    let row = support::normals(seed ^ 0xABCD, 1, n);
    // Squares of normals: some weights are large, some tiny.
    (0..n).map(|i| (PointId::new(i), row[(0, i)].powi(2))).collect()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 24, rng_seed: RngSeed::Fixed(1952), ..ProptestConfig::default() })]

    #[test]
    fn regret_minimisation_keeps_its_guarantee(
        seed in 0u64..1000, d in 1usize..7, extra in 1u64..60, gamma in prop_oneof![Just(0.0), 0.001f64..3.0]
    ) {
        let pool = Pool::from_features(support::normals(seed, 30, d)).unwrap();
        let problem = Problem::over_choices(&pool, Criterion::G, Ridge::new(gamma).unwrap()).unwrap();
        let budget = 2 * d as u64 + extra;
        let request =
            Request::from_weights(&problem, &random_weights(seed, 30), budget, &Constraints::default()).unwrap();
        let report = RegretMinimisation::default().round(&request).unwrap().report;
        let bound = (1.0 - (2.0 * d as f64 / budget as f64).sqrt()).powi(2);
        prop_assert!((report.guaranteed_eigenvalue.unwrap() - bound).abs() < 1e-12);
        prop_assert!(report.smallest_eigenvalue >= bound - 1e-9, "{report}");
        // And so every squared norm: the ratio is at most one over it.
        prop_assert!(report.ratio.unwrap() <= (1.0 + 1e-9) / report.smallest_eigenvalue);
    }

    #[test]
    fn random_constraints_are_respected_by_every_method(
        seed in 0u64..1000, budget in 6u64..40, cap in 1u64..5, forced in 0usize..20, done in 0u64..30
    ) {
        let pool = Pool::from_features(support::normals(seed, 40, 3)).unwrap();
        let problem = Problem::over_choices(&pool, Criterion::V, Ridge::new(0.01).unwrap()).unwrap();
        let constraints = Constraints::default()
            .each_at_most(cap)
            .at_least(PointId::new(forced), 1)
            .at_most(PointId::new(forced + 20), 0)
            .already_done(PointId::new(forced + 10), done);
        let request =
            Request::from_weights(&problem, &random_weights(seed, 40), budget, &constraints).unwrap();
        for method in Method::ALL {
            let allocation = method.rounding().round(&request).unwrap().allocation;
            prop_assert!(allocation.total() >= budget);
            prop_assert!(method == Method::Ceiling || allocation.total() == budget);
            prop_assert!(allocation.counts().iter().all(|&(_, count)| count <= cap));
            prop_assert!(allocation.count(PointId::new(forced)) >= 1);
            prop_assert_eq!(allocation.count(PointId::new(forced + 20)), 0);
        }
    }

    #[test]
    fn caratheodory_keeps_any_information_matrix(seed in 0u64..1000, d in 1usize..6, n in 5usize..120) {
        let pool = Pool::from_features(support::normals(seed, n, d)).unwrap();
        let problem = Problem::over_choices(&pool, Criterion::A, Ridge::new(0.1).unwrap()).unwrap();
        let before = random_weights(seed, n);
        let request = Request::from_weights(&problem, &before, 10, &Constraints::default()).unwrap();
        let after = Caratheodory.reduced_weights(&request);
        prop_assert!(after.len() <= d * (d + 1) / 2 + 1);
        let matrix = |weights: &[(PointId, f64)]| {
            let sum: f64 = weights.iter().map(|&(_, weight)| weight).sum();
            let mut dense = vec![0.0; n];
            weights.iter().for_each(|&(id, weight)| dense[id.index()] = weight / sum);
            weighted_gram(pool.features(), &dense)
        };
        let (a, b) = (matrix(&before), matrix(&after));
        for (x, y) in a.as_slice().iter().zip(b.as_slice()) {
            prop_assert!((x - y).abs() < 1e-12 * a.max_abs(), "{x} {y}");
        }
    }

    #[test]
    fn exchange_never_makes_it_worse(seed in 0u64..1000, which in 0usize..5, budget in 4u64..30) {
        let criterion = [Criterion::G, Criterion::Xy, Criterion::D, Criterion::A, Criterion::V][which];
        let pool = Pool::from_features(support::normals(seed, 25, 4)).unwrap();
        let problem = Problem::over_choices(&pool, criterion, Ridge::new(0.02).unwrap()).unwrap();
        let request =
            Request::from_weights(&problem, &random_weights(seed, 25), budget, &Constraints::default()).unwrap();
        let drawn = Draws::new(&request.weights(), budget, seed).unwrap();
        let start = Allocation::new(drawn.counts()).unwrap();
        let before = request.evaluate(&start).unwrap();
        let after = Exchange::default().polish(&request, &start).unwrap();
        prop_assert_eq!(after.allocation.total(), budget);
        prop_assert!(after.report.ratio.unwrap() <= before.ratio.unwrap() * (1.0 + 1e-12));
    }

    #[test]
    fn scaling_the_features_changes_no_count(seed in 0u64..200, power in -200i32..200) {
        let features = support::normals(seed, 20, 3);
        let counts = |by: f64| {
            let mut scaled = features.clone();
            scaled.as_mut_slice().iter_mut().for_each(|x| *x *= by);
            let pool = Pool::from_features(scaled).unwrap();
            let problem = Problem::over_choices(&pool, Criterion::G, Ridge::ZERO).unwrap();
            let weights = random_weights(seed, 20);
            let request = Request::from_weights(&problem, &weights, 15, &Constraints::default()).unwrap();
            Method::ALL.map(|method| method.rounding().round(&request).unwrap().allocation)
        };
        prop_assert_eq!(counts(1.0), counts(f64::from(power).exp2()));
    }
}
