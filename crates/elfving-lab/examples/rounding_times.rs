//! One run of regret minimisation on the paper's first pool, for `cargo xtask peers rounding`.
//!
//! `rounding_times T ALPHA` prints `{"seconds": .., "lambda_min": .., "counts": [..]}` for T measurements, uniform weights on 1275 points in
//! 50 dimensions, and one α. The clock covers the rounding and its report, not the making of the pool.

#[path = "../../elfving/tests/support/mod.rs"]
mod support;

use std::error::Error;
use std::time::Instant;

use elfving::design::{Criterion, Problem};
use elfving::pool::{PointId, Pool};
use elfving::rounding::{Constraints, RegretMinimisation, Request, Rounding};
use elfving::units::Ridge;

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [budget, alpha] = arguments.as_slice() else { return Err("usage: rounding_times T ALPHA".into()) };
    let (budget, alpha): (u64, f64) = (budget.parse()?, alpha.parse()?);
    let pool = Pool::from_features(support::paper_g())?;
    let problem = Problem::over_choices(&pool, Criterion::G, Ridge::ZERO)?;
    let weights: Vec<(PointId, f64)> = (0..pool.len()).map(|i| (PointId::new(i), 1.0)).collect();

    let start = Instant::now();
    let request = Request::from_weights(&problem, &weights, budget, &Constraints::default())?;
    let rounded = RegretMinimisation::default().alpha(alpha).round(&request)?;
    let seconds = start.elapsed().as_secs_f64();

    let counts: Vec<u64> = (0..pool.len()).map(|i| rounded.allocation.count(PointId::new(i))).collect();
    println!(
        "{{\"seconds\": {seconds}, \"lambda_min\": {}, \"counts\": {counts:?}}}",
        rounded.report.smallest_eigenvalue
    );
    Ok(())
}
