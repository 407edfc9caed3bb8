//! How the time of a certified design grows with the pool: `cargo run --release -p elfving-plot --example design_growth -- FOLDER`.
//!
//! Writes `design-growth-n.svg` and `design-growth-d.svg`, and prints the numbers. Normal pools, criterion d without a
//! ridge and g with one, to a certified 1e-9; the fastest of the runs of one second.

#[path = "../../elfving/tests/support/mod.rs"]
#[allow(unreachable_pub)]
mod support;

use std::error::Error;
use std::path::Path;
use std::time::Instant;

use elfving::design::{Control, Criterion, DesignStatus, InteriorPoint, Problem, Solver};
use elfving::pool::Pool;
use elfving::units::{Ridge, Tolerance};
use elfving_plot::{Axis, Lines, Series, lines_picture};

/// Runs are repeated for about this many seconds.
const LONG_ENOUGH: f64 = 1.0;
const QUESTIONS: [(Criterion, f64); 2] = [(Criterion::D, 0.0), (Criterion::G, 0.01)];

fn main() -> Result<(), Box<dyn Error>> {
    let folder = std::env::args().nth(1).unwrap_or_else(|| ".".to_owned());
    let folder = Path::new(&folder);
    let rows = [1_000, 3_000, 10_000, 30_000, 100_000, 300_000, 1_000_000].map(|n| (n, 20));
    let columns = [5, 10, 20, 50, 100, 200].map(|d| (10_000, d));
    draw(&folder.join("design-growth-n.svg"), "d = 20", "candidates n", &rows, |(n, _)| n)?;
    draw(&folder.join("design-growth-d.svg"), "n = 10,000", "features d", &columns, |(_, d)| d)
}

fn draw(
    path: &Path,
    fixed: &str,
    varied: &str,
    sizes: &[(usize, usize)],
    of: impl Fn((usize, usize)) -> usize,
) -> Result<(), Box<dyn Error>> {
    let mut seconds = vec![Vec::new(); QUESTIONS.len()];
    for &(n, d) in sizes {
        let pool = Pool::from_features(support::normals(1952, n, d))?;
        for (times, (criterion, gamma)) in seconds.iter_mut().zip(QUESTIONS) {
            times.push(fastest(&pool, criterion, gamma)?);
            println!("n = {n:<8} d = {d:<4} {criterion} gamma {gamma:<5} {:.4} s", times[times.len() - 1]);
        }
    }
    let x: Vec<f64> = sizes.iter().map(|&size| of(size) as f64).collect();
    let series = QUESTIONS.iter().zip(seconds).map(|((criterion, gamma), seconds)| {
        Series::new(format!("criterion {criterion}, gamma {gamma}"), x.clone(), seconds)
    });
    let figure = Lines {
        title: "Time to a certified design",
        subtitle: &format!("{fixed}, normal features, relative gap 1e-9, the proof included"),
        x: Axis::log(varied),
        y: Axis::log("seconds"),
        series: series.collect(),
    };
    std::fs::write(path, lines_picture(&figure)?.to_svg())?;
    Ok(())
}

fn fastest(pool: &Pool, criterion: Criterion, gamma: f64) -> Result<f64, Box<dyn Error>> {
    let problem = Problem::over_choices(pool, criterion, Ridge::new(gamma)?)?;
    let (mut best, mut spent) = (f64::INFINITY, 0.0);
    while spent < LONG_ENOUGH {
        let start = Instant::now();
        let design = InteriorPoint::default().solve(&problem, &mut Control::new(Tolerance::new(1e-9)?))?;
        let seconds = start.elapsed().as_secs_f64();
        (best, spent) = (best.min(seconds), spent + seconds);
        assert_eq!(design.status(), DesignStatus::Certified, "{design}");
    }
    Ok(best)
}
