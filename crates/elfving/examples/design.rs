//! A design with its certificate, and the runs of a budget: `cargo run --example design`.

use std::error::Error;

use elfving::prelude::*;

pub(crate) fn main() -> Result<(), Box<dyn Error>> {
    // A quadratic in one factor, which can be set to -1, -0.9, ..., 1.
    let settings: Vec<f64> = (0..=20).map(|i| f64::from(i) / 10.0 - 1.0).collect();
    let pool = Pool::from_features(Matrix::from_fn(21, 3, |i, k| settings[i].powi(k as i32)))?;

    // Where to measure so that the worst prediction is as good as it can be. The certificate is computed by code that
    // shares nothing with the solver.
    let design = Problem::g(&pool).solve(1e-9)?;
    println!("{design}");
    for &(point, weight) in design.support() {
        println!("  at {:4}: {weight:.4}", settings[point.index()]);
    }
    assert_eq!(design.status(), design::DesignStatus::Certified);

    // Ten runs, close to these weights, and how much the whole numbers cost.
    let problem = Problem::g(&pool).problem()?;
    let rounded =
        BestRounding::default().round(&Request::new(&problem, &design, 10, &Constraints::default())?)?;
    println!("{}", rounded.report);
    Ok(())
}
