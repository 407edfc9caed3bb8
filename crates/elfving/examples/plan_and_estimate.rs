//! Plan a fixed number of measurements, make them, and read off intervals: `cargo run --example plan_and_estimate`.

use std::error::Error;
use std::sync::Arc;

use elfving::estimate::{Counted, LeastSquares};
use elfving::pool::kernels::Matern52;
use elfving::prelude::*;

pub(crate) fn main() -> Result<(), Box<dyn Error>> {
    // Forty candidates on a line; nearby ones are alike.
    let points = Points::new(Matrix::from_fn(40, 1, |i, _| i as f64 / 40.0))?;
    let pool = Pool::from_kernel(Arc::new(Matern52::new(0.3)?), points, None, &Factorisation::default())?;

    // Sixty measurements, planned before the first: counts close to the best design.
    let gamma = 0.01;
    let design = Problem::g(&pool).gamma(gamma)?.solve(1e-4)?;
    let problem = Problem::g(&pool).gamma(gamma)?.problem()?;
    let request = Request::new(&problem, &design, 60, &Constraints::default())?;
    let allocation = BestRounding::default().round(&request)?.allocation;

    // What the laboratory says: the truth, and a little noise.
    let truth = |i: usize| (5.0 * i as f64 / 40.0).sin();
    let noise = |k: usize| 0.05 * (12.9898 * k as f64).sin();
    let slots = allocation.slots();
    let outcomes: Vec<f64> =
        slots.iter().enumerate().map(|(k, point)| truth(point.index()) + noise(k)).collect();

    // Intervals that all hold together with probability 95 %, if the noise and the norm are what we assume.
    let assumptions = Assumptions::new(0.05)?.norm(3.0)?.tails(Tails::SubGaussian);
    let counted = Counted::new(&pool, &allocation, &outcomes, problem.gamma())?;
    let intervals = LeastSquares::new(assumptions, Confidence::new(0.05)?)
        .intervals(&counted, &Targets::Points(Subset::All))?;
    println!("{}", intervals.statement);
    for (i, interval) in intervals.intervals.iter().enumerate().step_by(8) {
        println!("candidate {i:2}: {:.3} ± {:.3}, true {:.3}", interval.estimate, interval.width(), truth(i));
        assert!((interval.estimate - truth(i)).abs() <= interval.width());
    }
    Ok(())
}
