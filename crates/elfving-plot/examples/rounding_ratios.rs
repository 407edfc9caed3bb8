//! Every rounding against the budget on the paper's two pools: the picture and the tables of `docs/rounding.md`.
//!
//! `cargo run --release -p elfving-plot --example rounding_ratios -- DIRECTORY` writes `rounding-ratio.svg` (and each half as PNG) and
//! prints the tables. A ratio is missing where some target is not determined.

#[path = "../../elfving/tests/support/mod.rs"]
#[allow(unreachable_pub)]
mod support;

use std::error::Error;
use std::path::Path;
use std::sync::Arc;

use elfving::design::{Control, Criterion, Design, InteriorPoint, Problem, Solver};
use elfving::pool::{Factorisation, Points, Pool, kernels::Rbf};
use elfving::rounding::{
    Constraints, Draws, Method, ProjectThenRound, Request, Rounded, Rounding, RoundingError,
};
use elfving::units::{Ridge, Tolerance};
use elfving_plot::{Axis, Lines, Picture, Series, lines_picture};

/// Ratios above this are off the picture.
const MOST: f64 = 12.0;
const SEEDS: u64 = 25;
/// The order of the picture; the last two are dashed.
const NAMES: [&str; 8] =
    ["best", "regret", "exchange", "greedy", "ptr as written", "apportion", "ceiling", "sample"];

fn main() -> Result<(), Box<dyn Error>> {
    let directory = std::env::args().nth(1).unwrap_or_else(|| ".".to_owned());
    let directory = Path::new(&directory);
    let kernel = Arc::new(Rbf::new(0.025)?);
    let points = Points::new(support::paper_rbf())?;
    let rbf = Pool::from_kernel(kernel, points, None, &Factorisation::default())?;
    let linear = Pool::from_features(support::paper_g())?;
    let upper = study("The paper's kernel pool", &rbf, 0.005, &[30, 50, 75, 100, 150, 200, 300, 500, 1000])?;
    let lower =
        study("The paper's first pool", &linear, 0.0, &[50, 60, 75, 100, 150, 200, 300, 500, 1000, 2000])?;
    std::fs::write(directory.join("rounding-ratio-kernel.png"), upper.to_png()?)?;
    std::fs::write(directory.join("rounding-ratio-first.png"), lower.to_png()?)?;
    std::fs::write(directory.join("rounding-ratio.svg"), stacked(&upper.to_svg(), &lower.to_svg()))?;
    Ok(())
}

/// All ratios on one pool: a table on stdout, and the picture.
fn study(name: &str, pool: &Pool, gamma: f64, budgets: &[u64]) -> Result<Picture, Box<dyn Error>> {
    let problem = Problem::over_choices(pool, Criterion::G, Ridge::new(gamma)?)?;
    let design = InteriorPoint::default().solve(&problem, &mut Control::new(Tolerance::new(1e-6)?))?;
    let (n, p, s) = (pool.len(), pool.dimension(), design.support().len());
    println!("**{name}** (n = {n}, p = {p}, gamma = {gamma}; {s} points of positive weight)\n");
    println!("| T | {} |", NAMES.join(" | "));
    println!("|---|{}", "---|".repeat(NAMES.len()));

    let mut curves = NAMES.map(|name| Series::new(name, Vec::new(), Vec::new()));
    for (curve, _) in curves.iter_mut().zip(0..).filter(|(_, k)| *k >= 6) {
        curve.dashed = true;
    }
    for &budget in budgets {
        let request = Request::new(&problem, &design, budget, &Constraints::default())?;
        // Both designs have fewer points than p(p+1)/2, so there is nothing for Caratheodory to leave out.
        let counts = |method: Method| Ok::<_, RoundingError>(method.rounding().round(&request)?.allocation);
        assert_eq!(counts(Method::Caratheodory)?, counts(Method::Apportion)?);
        let mut cells = Vec::new();
        for (name, curve) in NAMES.iter().zip(&mut curves) {
            let (spent, ratio) = spent_and_ratio(name, &request, &design)?;
            if let Some(ratio) = ratio.filter(|&ratio| ratio <= MOST) {
                curve.x.push(spent as f64);
                curve.y.push(ratio);
            }
            let shown = ratio.map_or("inf".to_owned(), |ratio| format!("{ratio:.3}"));
            cells.push(if spent == budget { shown } else { format!("{shown} ({spent})") });
        }
        println!("| {budget} | {} |", cells.join(" | "));
    }
    println!();
    Ok(lines_picture(&Lines {
        title: &format!("{name}: what rounding costs"),
        subtitle: &format!(
            "criterion g, {n} candidates, {p} dimensions, gamma = {gamma}; sample: median of {SEEDS} seeds"
        ),
        x: Axis::log("measurements made"),
        y: Axis::log("worst variance / that of the continuous design"),
        series: curves.map(relabelled).into_iter().filter(|curve| !curve.x.is_empty()).collect(),
    })?)
}

fn relabelled(mut curve: Series) -> Series {
    if curve.name == "apportion" {
        curve.name = "apportion, caratheodory".to_owned();
    }
    curve
}

fn spent_and_ratio(
    name: &str,
    request: &Request,
    design: &Design,
) -> Result<(u64, Option<f64>), RoundingError> {
    let Rounded { report, .. } = match name {
        "sample" => return Ok((request.budget(), median_of_draws(request, design)?)),
        "ptr as written" => ProjectThenRound::default().literal(true).round(request)?,
        _ => {
            let known = Method::ALL.into_iter().find(|method| method.to_string() == name);
            known.expect("the name of a method").rounding().round(request)?
        }
    };
    Ok((report.total, report.ratio))
}

/// The median over seeds; `None` when it is infinite.
fn median_of_draws(request: &Request, design: &Design) -> Result<Option<f64>, RoundingError> {
    let mut ratios = Vec::new();
    for seed in 0..SEEDS {
        let draws = Draws::new(design.support(), request.budget(), seed)?;
        ratios.push(draws.report(request)?.ratio.unwrap_or(f64::INFINITY));
    }
    ratios.sort_by(f64::total_cmp);
    let median = ratios[ratios.len() / 2];
    Ok(median.is_finite().then_some(median))
}

/// Two pictures of 900 x 560, one below the other.
fn stacked(upper: &str, lower: &str) -> String {
    let lower = lower.replacen("<svg", "<svg y=\"570\"", 1);
    format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"900\" height=\"1130\" viewBox=\"0 0 900 1130\">\n{upper}\n{lower}\n</svg>\n"
    )
}
