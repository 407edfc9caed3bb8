//! Identities of the linear algebra, with tolerances that grow with the order.

use crate::support;

use elfving::numerics::{
    Cholesky, Matrix, SymmetricEigen, SymmetricIndefinite, add_upper_outer_gram, apply, average_gram, dot,
    gram, largest_rows, mirror_upper, multiply, multiply_transposed, norm_squared, right_singular, row_norms,
    symmetric_apply, transposed_multiply, triangular_factor, upper_hadamard, upper_outer_gram,
    upper_squared_gram, weighted_gram,
};
use support::normals;

/// Largest absolute difference of two matrices.
fn distance(a: &Matrix, b: &Matrix) -> f64 {
    assert_eq!((a.rows(), a.columns()), (b.rows(), b.columns()));
    a.as_slice().iter().zip(b.as_slice()).fold(0.0, |worst, (x, y)| f64::max(worst, (x - y).abs()))
}

fn naive_product(a: &Matrix, b: &Matrix) -> Matrix {
    Matrix::from_fn(a.rows(), b.columns(), |i, j| (0..a.columns()).map(|k| a[(i, k)] * b[(k, j)]).sum())
}

fn positive_definite(seed: u64, n: usize) -> Matrix {
    let mut a = gram(&normals(seed, n + 5, n));
    for k in 0..n {
        a[(k, k)] += 0.1;
    }
    a
}

#[test]
fn products_agree_with_their_definition() {
    // Sizes on both sides of the block boundary.
    for (n, k, m) in [(1, 1, 1), (3, 5, 2), (97, 40, 33), (200, 7, 101)] {
        let (a, b) = (normals(1, n, k), normals(2, k, m));
        let tolerance = 1e-13 * k as f64;
        assert!(distance(&multiply(&a, &b), &naive_product(&a, &b)) < tolerance);
        assert!(distance(&multiply_transposed(&a, &b.transposed()), &naive_product(&a, &b)) < tolerance);
        assert!(distance(&transposed_multiply(&a.transposed(), &b), &naive_product(&a, &b)) < tolerance);
        let mut outer = upper_outer_gram(&a);
        mirror_upper(&mut outer);
        let expected = naive_product(&a, &a.transposed());
        assert!(distance(&outer, &expected) < tolerance);
        let doubled = Matrix::from_fn(n, k, |i, j| 2.0 * a[(i, j)]);
        let mut squares = upper_hadamard(&a, &doubled);
        mirror_upper(&mut squares);
        let expected = Matrix::from_fn(n, n, |i, j| 2.0 * expected[(i, j)].powi(2));
        assert!(distance(&squares, &expected) < tolerance * (1.0 + expected.max_abs()));
        let mut squares = upper_squared_gram(&a, 2.0);
        mirror_upper(&mut squares);
        assert!(distance(&squares, &expected) < tolerance * (1.0 + expected.max_abs()));
        let mut twice = upper_outer_gram(&a);
        add_upper_outer_gram(&mut twice, &a);
        mirror_upper(&mut twice);
        assert!(distance(&twice, &Matrix::from_fn(n, n, |i, j| 2.0 * outer[(i, j)])) < tolerance);
        let x: Vec<f64> = (0..n).map(|i| (i as f64).sin()).collect();
        let upper = Matrix::from_fn(n, n, |i, j| if j < i { f64::NAN } else { outer[(i, j)] });
        let applied = symmetric_apply(&upper, &x);
        let difference =
            applied.iter().zip(apply(&outer, &x)).fold(0.0, |worst, (a, b)| f64::max(worst, (a - b).abs()));
        assert!(difference < 1e-12 * n as f64 * outer.max_abs());
        assert!(distance(&gram(&a), &naive_product(&a.transposed(), &a)) < 1e-13 * n as f64);
    }
}

#[test]
fn a_weighted_gram_is_the_sum_of_outer_products() {
    let x = normals(3, 9000, 4); // more than one chunk
    let weights: Vec<f64> = (0..9000).map(|i| if i % 3 == 0 { 0.0 } else { 1.0 / (1 + i) as f64 }).collect();
    let mut expected = Matrix::zeros(4, 4);
    for (i, w) in weights.iter().enumerate() {
        for a in 0..4 {
            for b in 0..4 {
                expected[(a, b)] += w * x[(i, a)] * x[(i, b)];
            }
        }
    }
    assert!(distance(&weighted_gram(&x, &weights), &expected) < 1e-12);
}

#[test]
fn cholesky_factors_solves_and_refuses() {
    for n in [1, 2, 17, 80] {
        let a = positive_definite(4, n);
        let factor = Cholesky::new(a.clone()).unwrap();
        let back = transposed_multiply(factor.upper(), factor.upper());
        assert!(distance(&back, &a) < 1e-13 * n as f64 * a.max_abs());
        let x: Vec<f64> = (0..n).map(|i| (i as f64).sin()).collect();
        let mut solved = apply(&a, &x);
        factor.solve(&mut solved);
        assert!(solved.iter().zip(&x).all(|(s, x)| (s - x).abs() < 1e-9));
        let mut rows = Matrix::from_rows(&[x.clone(), x.clone()]);
        factor.whiten_rows(&mut rows);
        let quadratic = norm_squared(rows.row(1));
        factor.unwhiten_rows(&mut rows);
        assert!((quadratic - dot(&x, rows.row(0))).abs() <= 1e-9 * quadratic, "x' A^-1 x both ways");
        let identity = multiply(&factor.inverse_upper(), factor.upper());
        assert!(distance(&identity, &Matrix::identity(n)) < 1e-10);
    }
    assert_eq!(Cholesky::new(Matrix::from_rows(&[[1.0, 2.0], [2.0, 1.0]])).unwrap_err().pivot, 1);
    assert!(Cholesky::new(Matrix::from_rows(&[[f64::NAN]])).is_err());
    assert!(Cholesky::new(Matrix::zeros(3, 3)).is_err());
}

#[test]
fn a_large_matrix_is_factored_in_panels() {
    let n = 901; // panels and shares that do not come out even
    let decay = |i: usize, j: usize| (-(i as f64 - j as f64).abs() / 30.0).exp();
    let mut a = Matrix::from_fn(n, n, |i, j| if i <= j { decay(i, j) } else { f64::NAN }); // never read
    let factor = Cholesky::new(a.clone()).unwrap();
    // The kernel of a Markov chain: each row of L⁻¹ has two entries, and the determinant is a product.
    let step = 1.0 - decay(0, 2);
    let expected = (n - 1) as f64 * step.ln();
    assert!((factor.log_det() - expected).abs() < 1e-11 * expected.abs());
    let back = transposed_multiply(factor.upper(), factor.upper());
    assert!(distance(&back, &Matrix::from_fn(n, n, decay)) < 1e-13);
    assert!((1..n).all(|i| factor.upper().row(i)[..i].iter().all(|entry| *entry == 0.0)));

    a[(700, 700)] = 1.0 - 1.01 * step;
    assert_eq!(Cholesky::new(a).unwrap_err().pivot, 700);
}

#[test]
fn eigenvectors_diagonalise() {
    let a = positive_definite(7, 30);
    let eigen = SymmetricEigen::new(&a).unwrap();
    assert!(eigen.values.windows(2).all(|pair| pair[0] <= pair[1]), "ascending");
    for (k, value) in eigen.values.iter().enumerate() {
        let image = apply(&a, eigen.vectors.row(k));
        let worst =
            image.iter().zip(eigen.vectors.row(k)).map(|(y, v)| (y - value * v).abs()).fold(0.0, f64::max);
        assert!(worst < 1e-11 * eigen.values[29]);
    }
    assert!(SymmetricEigen::new(&Matrix::from_rows(&[[f64::INFINITY]])).is_err());
}

#[test]
fn an_indefinite_system_is_solved() {
    // A saddle point: [A b; b' 0].
    let n = 25;
    let a = positive_definite(8, n);
    let saddle = Matrix::from_fn(n + 1, n + 1, |i, j| match (i == n, j == n) {
        (false, false) => a[(i, j)],
        (true, true) => 0.0,
        _ => 1.0,
    });
    let x: Vec<f64> = (0..=n).map(|i| (1.0 + i as f64).ln()).collect();
    let mut solved = apply(&saddle, &x);
    SymmetricIndefinite::new(&saddle).solve(&mut solved);
    assert!(solved.iter().zip(&x).all(|(s, x)| (s - x).abs() < 1e-9));
}

#[test]
fn triangular_factors_keep_the_condition_number() {
    let mut x = normals(9, 5000, 6); // more than one chunk
    for i in 0..x.rows() {
        x.row_mut(i)[5] *= 1e-12; // squared, this column would drown
    }
    let factor = triangular_factor(&x);
    assert!((0..6).all(|i| (0..i).all(|j| factor[(i, j)] == 0.0)), "upper triangular");
    let singular = right_singular(&factor).unwrap();
    assert!(singular.values.windows(2).all(|pair| pair[0] >= pair[1]), "descending");
    let column_norm = (0..5000).map(|i| x[(i, 5)] * x[(i, 5)]).sum::<f64>().sqrt();
    assert!((singular.values[5] / column_norm - 1.0).abs() < 1e-3);
    assert!(right_singular(&Matrix::from_rows(&[[f64::NAN]])).is_none());
    assert_eq!(triangular_factor(&normals(10, 3, 6)).rows(), 3, "a wide matrix keeps its rows");
}

#[test]
fn a_sweep_sees_every_row_norm_and_keeps_the_largest() {
    // Boundaries of chunks, blocks and chunks together: 4096, 256 and 131,072 rows.
    for n in [1, 255, 256, 257, 4096, 4097, 9001, 140_000] {
        let (x, transform) = (normals(11, n, 5), normals(12, 5, 3));
        let y = naive_product(&x, &transform);
        let expected: Vec<f64> = (0..n).map(|i| norm_squared(y.row(i))).collect();
        let norms = row_norms(&x, &transform);
        assert!(norms.iter().zip(&expected).all(|(a, b)| (a - b).abs() < 1e-12 * (1.0 + b)));
        let mut order: Vec<usize> = (0..n).collect();
        order.sort_by(|&a, &b| norms[b].total_cmp(&norms[a]).then(a.cmp(&b)));
        for k in [1, 7, n + 3] {
            let tops = largest_rows(&x, &[&transform, &Matrix::identity(5)], k);
            let rows: Vec<usize> = tops[0].iter().map(|&(_, i)| i).collect();
            assert_eq!(rows, order[..k.min(n)]);
            assert_eq!(tops[1].len(), k.min(n));
        }
    }
}

#[test]
fn grams_of_some_rows_are_sums_over_chunks() {
    let x = normals(16, 2500, 4); // more than one chunk
    let rows: Vec<usize> = (0..2500).step_by(2).collect();
    let share = 1.0 / rows.len() as f64;
    let weights: Vec<f64> = (0..2500).map(|i| if i % 2 == 0 { share } else { 0.0 }).collect();
    let expected = Matrix::from_fn(4, 4, |j, k| rows.iter().map(|&i| share * x[(i, j)] * x[(i, k)]).sum());
    assert!(distance(&average_gram(&x, &rows), &expected) < 1e-13);
    assert!(distance(&weighted_gram(&x, &weights), &expected) < 1e-13);
}

#[test]
fn ties_in_a_sweep_go_to_the_smallest_row_and_nan_is_seen() {
    let mut x = Matrix::from_fn(10_000, 1, |_, _| 2.0);
    let tops = largest_rows(&x, &[&Matrix::identity(1)], 3);
    assert_eq!(tops[0], vec![(4.0, 0), (4.0, 1), (4.0, 2)]);
    x[(9_999, 0)] = f64::NAN;
    assert!(largest_rows(&x, &[&Matrix::identity(1)], 3)[0][0].0.is_nan());
}

#[test]
fn threads_do_not_change_bits() {
    let (x, transform) = (normals(13, 20_000, 6), normals(14, 6, 6));
    let run = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| {
            let factor = Cholesky::new(gram(&x)).unwrap();
            let mut rows = x.clone();
            factor.whiten_rows(&mut rows);
            let tops = largest_rows(&x, &[&transform], 50);
            let large = Cholesky::new(positive_definite(17, 901)).unwrap();
            let large = large.upper().clone();
            (row_norms(&x, &transform), rows, upper_outer_gram(&normals(15, 300, 40)), tops, large)
        })
    };
    let one = run(1);
    for threads in [2, 8] {
        assert!(run(threads) == one, "{threads} threads");
    }
}

#[test]
fn a_stored_matrix_with_the_wrong_length_is_refused() {
    let good = serde_json::to_string(&Matrix::identity(2)).unwrap();
    assert_eq!(serde_json::from_str::<Matrix>(&good).unwrap(), Matrix::identity(2));
    assert!(serde_json::from_str::<Matrix>(r#"{"rows":2,"columns":2,"data":[1.0]}"#).is_err());
}
