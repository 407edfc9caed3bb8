//! Targets: points, differences, combinations and directions of a pool's choices.
use std::borrow::Cow;
use std::sync::Arc;

use elfving::numerics::Matrix;
use elfving::pool::kernels::Rbf;
use elfving::pool::{
    ChoiceId, Combination, Factorisation, Points, Pool, PoolError, Subset, TargetRows, Targets,
};

fn ids(indices: &[usize]) -> Vec<ChoiceId> {
    indices.iter().map(|&i| ChoiceId::new(i)).collect()
}

fn pool() -> Pool {
    Pool::from_features_with_choices(
        Matrix::identity(2),
        Matrix::from_rows(&[[1.0, 1.0], [2.0, 0.0], [0.0, 3.0]]),
    )
    .unwrap()
}

fn kernel_pool() -> Pool {
    let points = Points::new(Matrix::from_fn(6, 1, |i, _| i as f64)).unwrap();
    let kernel = Arc::new(Rbf::new(1.0).unwrap());
    Pool::from_kernel(kernel, points, None, &Factorisation::default()).unwrap()
}

#[test]
fn all_points_and_all_differences_borrow_the_pool() {
    let pool = pool();
    let rows = Targets::Points(Subset::All).compile(&pool).unwrap();
    let pairs = Targets::Differences(Subset::All).compile(&pool).unwrap();
    assert!(matches!(&rows, TargetRows::Rows(Cow::Borrowed(m)) if std::ptr::eq(*m, pool.choices())));
    assert!(matches!(&pairs, TargetRows::Pairs(Cow::Borrowed(m)) if std::ptr::eq(*m, pool.choices())));
    assert_eq!((rows.count(), pairs.count()), (3, 3));
}

#[test]
fn a_subset_selects_choices_in_the_order_given() {
    let pool = pool();
    let rows = Targets::Points(Subset::Of(ids(&[2, 0]))).compile(&pool).unwrap();
    assert_eq!(rows.matrix(), &Matrix::from_rows(&[[0.0, 3.0], [1.0, 1.0]]));
    let pairs = Targets::Differences(Subset::Of(ids(&[2, 0]))).compile(&pool).unwrap();
    assert!(matches!(&pairs, TargetRows::Pairs(_)));
    assert_eq!((pairs.count(), pairs.matrix().rows()), (1, 2));
}

#[test]
fn combinations_are_sums_of_choices() {
    let pool = pool();
    let (a, b) = (ChoiceId::new(0), ChoiceId::new(1));
    let list = vec![
        Combination { terms: vec![(a, 0.5), (b, -1.0)] },
        Combination { terms: vec![(a, 1.0), (a, 2.0)] },
    ];
    let rows = Targets::Combinations(list).compile(&pool).unwrap();
    assert_eq!(rows.matrix(), &Matrix::from_rows(&[[-1.5, 0.5], [3.0, 3.0]]));

    let kernel_pool = kernel_pool();
    let contrast = vec![Combination { terms: vec![(a, 1.0), (b, -1.0)] }];
    let rows = Targets::Combinations(contrast).compile(&kernel_pool).unwrap();
    let squared: f64 = rows.matrix().row(0).iter().map(|x| x * x).sum();
    assert!((squared - (2.0 - 2.0 * (-0.5f64).exp())).abs() < 1e-12);
}

#[test]
fn directions_are_for_explicit_features() {
    let directions = Targets::Directions(Matrix::from_rows(&[[1.0, -1.0]]));
    assert_eq!(directions.compile(&pool()).unwrap().matrix().row(0), &[1.0, -1.0]);
    assert_eq!(directions.compile(&kernel_pool()).unwrap_err(), PoolError::DirectionsNeedFeatures);
    let wide = Targets::Directions(Matrix::zeros(1, 5)).compile(&pool()).unwrap_err();
    assert_eq!(wide, PoolError::ColumnCount { expected: 2, got: 5 });
    let nan = Targets::Directions(Matrix::from_rows(&[[1.0, f64::NAN]])).compile(&pool()).unwrap_err();
    assert!(matches!(nan, PoolError::NotFinite { row: 0, column: 1, .. }));
    assert_eq!(Targets::Directions(Matrix::zeros(0, 2)).compile(&pool()).unwrap_err(), PoolError::NoTargets);
}

#[test]
fn an_unknown_choice_is_named() {
    let unknown = PoolError::UnknownChoice { target: 1, id: ChoiceId::new(3), choices: 3 };
    for targets in [Targets::Points(Subset::Of(ids(&[0, 3]))), Targets::Differences(Subset::Of(ids(&[0, 3])))]
    {
        assert_eq!(targets.compile(&pool()).unwrap_err(), unknown);
    }
    assert_eq!(unknown.to_string(), "target 1 names choice 3, but the pool has 3 choices (ids start at 0)");
    let combination = |id: usize, coefficient: f64| {
        let terms = vec![(ChoiceId::new(id), coefficient)];
        Targets::Combinations(vec![Combination { terms }]).compile(&pool()).unwrap_err()
    };
    assert_eq!(combination(9, 1.0), PoolError::UnknownChoice { target: 0, id: ChoiceId::new(9), choices: 3 });
    assert_eq!(
        combination(2, f64::INFINITY),
        PoolError::Coefficient { target: 0, id: ChoiceId::new(2), value: f64::INFINITY }
    );
    assert!(combination(2, f64::NAN).to_string().contains("choice 2 is NaN"));
    assert!(matches!(combination(2, f64::MAX), PoolError::NotFinite { .. }));
}

#[test]
fn nothing_is_not_a_target() {
    let pool = pool();
    let fails = |targets: Targets| targets.compile(&pool).unwrap_err();
    assert_eq!(fails(Targets::Points(Subset::Of(vec![]))), PoolError::NoTargets);
    assert_eq!(fails(Targets::Differences(Subset::Of(vec![]))), PoolError::NoTargets);
    assert_eq!(fails(Targets::Differences(Subset::Of(ids(&[1])))), PoolError::NoPairs { choices: 1 });
    assert_eq!(fails(Targets::Combinations(vec![])), PoolError::NoTargets);
    let empty = Combination { terms: vec![] };
    assert_eq!(fails(Targets::Combinations(vec![empty])), PoolError::EmptyCombination { target: 0 });
}

#[test]
fn targets_survive_json() {
    let list = [
        (Targets::Points(Subset::All), r#"{"points":"all"}"#),
        (Targets::Differences(Subset::Of(ids(&[0, 2]))), r#"{"differences":{"of":[0,2]}}"#),
        (
            Targets::Combinations(vec![Combination { terms: vec![(ChoiceId::new(1), -0.5)] }]),
            r#"{"combinations":[{"terms":[[1,-0.5]]}]}"#,
        ),
    ];
    for (targets, json) in list {
        assert_eq!(serde_json::to_string(&targets).unwrap(), json);
        assert_eq!(serde_json::from_str::<Targets>(json).unwrap(), targets);
    }
}
