//! Every rounding against the budget on the paper's two pools, as CSV.
//!
//! `cargo run --release --example rounding_ratios > ratios.csv`; the ratio is empty where some target is not
//! determined. `sample` is the median of 25 seeds, `apportion+x` and the like are polished by exchange.

#[path = "../tests/support/mod.rs"]
mod support;

use std::sync::Arc;

use elfving::design::{Control, Criterion, Design, InteriorPoint, Problem, Solver};
use elfving::pool::{Factorisation, Points, Pool, kernels::Rbf};
use elfving::rounding::{
    Constraints, Draws, Exchange, Method, ProjectThenRound, Request, Rounded, Rounding, RoundingError,
};
use elfving::units::{Ridge, Tolerance};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let kernel = Arc::new(Rbf::new(0.025)?);
    let points = Points::new(support::paper_rbf())?;
    let rbf = Pool::from_kernel(kernel, points, None, &Factorisation::default())?;
    let linear = Pool::from_features(support::paper_g())?;
    println!("pool,budget,method,total,candidates,ratio,smallest_eigenvalue,guaranteed,dimension,path");
    ratios("paper_rbf", &rbf, 0.005, &[30, 40, 50, 75, 100, 150, 200, 250, 300, 500, 1000])?;
    ratios("paper_g", &linear, 0.0, &[50, 60, 75, 100, 150, 200, 300, 500, 1000, 2000])?;
    Ok(())
}

fn ratios(name: &str, pool: &Pool, gamma: f64, budgets: &[u64]) -> Result<(), Box<dyn std::error::Error>> {
    let problem = Problem::over_choices(pool, Criterion::G, Ridge::new(gamma)?)?;
    let design = InteriorPoint::default().solve(&problem, &mut Control::new(Tolerance::new(1e-6)?))?;
    eprintln!("{name}: {design}, {} points of positive weight", design.support.len());
    for &budget in budgets {
        let request = Request::new(&problem, &design, budget, &Constraints::default())?;
        for method in Method::ALL {
            let rounded = method.rounding().round(&request)?;
            row(name, budget, &method.to_string(), &rounded);
            if matches!(method, Method::Apportion | Method::Regret | Method::Greedy) {
                row(name, budget, &format!("{method}+x"), &Exchange::default().after(&request, &rounded)?);
            }
        }
        row(name, budget, "ptr-literal", &ProjectThenRound::default().literal(true).round(&request)?);
        println!(
            "{name},{budget},sample,{budget},,{},,,,median of 25 seeds",
            median_of_draws(&request, &design)?
        );
    }
    Ok(())
}

fn row(name: &str, budget: u64, method: &str, Rounded { report, .. }: &Rounded) {
    let number = |value: Option<f64>| value.map_or(String::new(), |value| format!("{value:.4}"));
    println!(
        "{name},{budget},{method},{},{},{},{:.4},{},{},\"{}\"",
        report.total,
        report.candidates,
        number(report.ratio),
        report.smallest_eigenvalue,
        number(report.guaranteed_eigenvalue),
        report.dimension,
        report.path
    );
}

/// The median ratio over seeds; empty when more than half of them are infinite.
fn median_of_draws(request: &Request, design: &Design) -> Result<String, RoundingError> {
    let mut ratios = Vec::new();
    for seed in 0..25 {
        let draws = Draws::new(&design.support, request.budget(), seed)?;
        ratios.push(draws.report(request)?.ratio.unwrap_or(f64::INFINITY));
    }
    ratios.sort_by(f64::total_cmp);
    Ok(if ratios[12].is_finite() { format!("{:.4}", ratios[12]) } else { String::new() })
}
