//! Box 1 of the paper, with an outlier that ruins an average: `cargo run --example rips`.

use std::error::Error;

use elfving::estimate::run_rips;
use elfving::prelude::*;

pub(crate) fn main() -> Result<(), Box<dyn Error>> {
    // Twelve directions in the plane.
    let angle = |i: usize| std::f64::consts::TAU * i as f64 / 12.0;
    let pool = Pool::from_features(Matrix::from_fn(12, 2, |i, k| [angle(i).cos(), angle(i).sin()][k]))?;
    let theta = [0.6, -0.3];
    let mean = |i: usize| theta[0] * angle(i).cos() + theta[1] * angle(i).sin();

    // Two thousand measurements; one of them is wild.
    let mut measured = 0;
    let measure = |point: PointId| {
        measured += 1;
        if measured == 100 { 200.0 } else { mean(point.index()) + 0.1 * (measured as f64).sin() }
    };
    let problem = Problem::g(&pool).problem()?;
    let assumptions = Assumptions::new(0.1)?.bound(1.0)?;
    let run = run_rips(&problem, assumptions, Confidence::new(0.05)?, 2000, 1, measure)?;

    println!("{}\n{}", run.design, run.theta_hat);
    println!("theta is {theta:?}, estimated {:.3?}", run.theta_hat.fit.theta());
    for (i, interval) in run.robust_means.intervals.iter().enumerate() {
        assert!((interval.estimate - mean(i)).abs() <= interval.width());
    }
    Ok(())
}
