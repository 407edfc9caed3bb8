//! Linear programmes: a closed form, feasibility and duality on both sides, and the central path.

use elfving::numerics::lp::{Constraints, LinearProgramme, Point};
use elfving::numerics::{Cholesky, Matrix, apply, apply_transposed, dot, weighted_gram};

/// A and b without structure.
struct Dense {
    rows: Matrix,
    limits: Vec<f64>,
}

impl Constraints for Dense {
    type Normal = Cholesky;

    fn slacks(&self, y: &mut [f64]) -> Vec<f64> {
        apply(&self.rows, y).iter().zip(&self.limits).map(|(value, limit)| limit - value).collect()
    }

    fn apply(&self, direction: &[f64]) -> Vec<f64> {
        apply(&self.rows, direction)
    }

    fn apply_transposed(&self, multipliers: &[f64]) -> Vec<f64> {
        apply_transposed(&self.rows, multipliers)
    }

    fn normal(&self, weights: &[f64]) -> Option<Cholesky> {
        Cholesky::new(weighted_gram(&self.rows, weights)).ok()
    }

    fn solve(&self, normal: &Cholesky, right: &mut Vec<f64>) {
        normal.solve(right);
    }
}

fn solved(constraints: &Dense, objective: &[f64]) -> (Point, usize) {
    let programme = LinearProgramme { constraints, objective };
    let (unknowns, count) = (objective.len(), constraints.limits.len());
    let mut at = programme.start(vec![0.0; unknowns], vec![1.0; count]);
    let steps = programme.solve(&mut at, 60, |at| at.complementarity() <= 1e-11);
    (at, steps)
}

/// `|y_k| ≤ 1`: the corner on the side of c.
#[test]
fn a_box_is_left_at_its_corner() {
    let objective = [3.0, -0.5, 0.25, -7.0];
    let rows = Matrix::from_fn(8, 4, |i, k| if i % 4 == k { [1.0, -1.0][i / 4] } else { 0.0 });
    let (at, steps) = solved(&Dense { rows, limits: vec![1.0; 8] }, &objective);
    for (y, c) in at.y.iter().zip(objective) {
        assert!((y - c.signum()).abs() < 1e-11, "{:?}", at.y);
    }
    assert!((dot(&at.y, &objective) - 10.75).abs() < 1e-11);
    // The multiplier of the side that holds is |c|.
    for (k, c) in objective.iter().enumerate() {
        let holding = if *c > 0.0 { k } else { k + 4 };
        assert!((at.multipliers[holding] - c.abs()).abs() < 1e-9, "{:?}", at.multipliers);
    }
    assert!(at.complementarity() <= 1e-11 && steps < 20, "{steps}");
}

#[test]
fn both_sides_are_feasible_and_meet_also_with_constraints_given_twice() {
    for seed in 0..20 {
        let (count, unknowns) = (30 + seed, 2 + seed % 5);
        let entry = |i: usize, k: usize| ((i * i * (k + 1) + 7 * k + seed * (k + 3)) as f64 * 1.3).sin();
        // Around the origin, half of them twice.
        let rows = Matrix::from_fn(2 * count, unknowns, |i, k| {
            if i < count { entry(i / 2, k) } else { -entry(i - count, k) }
        });
        let limits: Vec<f64> = (0..2 * count).map(|i| 1.0 + (i % 3) as f64).collect();
        let objective: Vec<f64> = (0..unknowns).map(|k| entry(k, seed)).collect();
        let constraints = Dense { rows, limits };
        let (at, steps) = solved(&constraints, &objective);
        // It ends where a slack is lost in the rounding of A y, which constraints given twice reach sooner.
        assert!(at.complementarity() <= 1e-10 && steps < 40, "{seed}: {steps} {}", at.complementarity());
        assert!(constraints.slacks(&mut at.y.clone()).iter().all(|slack| *slack > 0.0));
        assert!(at.multipliers.iter().all(|x| *x > 0.0));
        let reached = constraints.apply_transposed(&at.multipliers);
        assert!(reached.iter().zip(&objective).all(|(a, c)| (a - c).abs() < 1e-10), "{seed}");
        let (primal, dual) = (dot(&objective, &at.y), dot(&constraints.limits, &at.multipliers));
        assert!((dual - primal).abs() < 1e-9 * dual, "{seed}: {primal} {dual}");
    }
}

#[test]
fn centring_evens_out_the_products_and_keeps_their_sum() {
    let rows = Matrix::from_fn(12, 3, |i, k| ((i * i + 3 * i * k) as f64).cos());
    let constraints = Dense { rows, limits: vec![1.0; 12] };
    let objective = constraints.apply_transposed(&[1.0; 12]);
    let programme = LinearProgramme { constraints: &constraints, objective: &objective };
    let mut at = programme.start(vec![0.0; 3], (1..13).map(f64::from).collect());
    programme.solve(&mut at, 60, |at| at.complementarity() <= 1e-3);
    let before = at.complementarity();
    for _ in 0..6 {
        assert!(programme.centre(&mut at));
    }
    assert!((at.complementarity() / before - 1.0).abs() < 1e-3, "{before} {}", at.complementarity());
    let mean = at.complementarity() / 12.0;
    assert!(at.slacks.iter().zip(&at.multipliers).all(|(s, x)| (s * x / mean - 1.0).abs() < 1e-6));
}
