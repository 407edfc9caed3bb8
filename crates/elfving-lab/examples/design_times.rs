//! How long designs take: one line a case, with the certified gap. `cargo run --release --example design_times [filter]`.

#[path = "../../elfving/tests/support/mod.rs"]
mod support;

use std::sync::Arc;
use std::time::Instant;

use elfving::design::{Control, Criterion, InteriorPoint, Problem, Solver};
use elfving::numerics::Matrix;
use elfving::pool::{Factorisation, Points, Pool, kernels::Rbf};
use elfving::units::{Ridge, Tolerance};

fn main() {
    let filter = std::env::args().nth(1).unwrap_or_default();
    let report = |name: &str, pool: &dyn Fn() -> Pool, criterion: Criterion, gamma: f64, tolerance: f64| {
        if !format!("{name} {criterion}").contains(&filter) {
            return;
        }
        let pool = pool();
        let problem =
            Problem::over_choices(&pool, criterion, Ridge::new(gamma).expect("a ridge")).expect("a problem");
        let mut control = Control::new(Tolerance::new(tolerance).expect("a tolerance"));
        let start = Instant::now();
        let design = InteriorPoint::default().solve(&problem, &mut control).expect("a design");
        println!(
            "{name:24} {criterion:>2} gamma {gamma:<6} {:>9.1} ms  {:3} iterations {:2} passes  support {:4}  {} gap {:.1e}",
            1e3 * start.elapsed().as_secs_f64(),
            design.iterations(),
            design.passes(),
            design.support().len(),
            design.status(),
            design.certificate().relative_gap(),
        );
    };
    let features = |matrix: Matrix| Pool::from_features(matrix).expect("a pool");
    let d20 = || features(support::unit_rows(support::normals(21, 210, 20), 0));
    report("210 x 20", &d20, Criterion::D, 0.0, 1e-9);
    report("210 x 20", &d20, Criterion::G, 0.01, 1e-9);
    let paper_g = || features(support::paper_g());
    report("paper g", &paper_g, Criterion::D, 0.0, 1e-9);
    report("paper g", &paper_g, Criterion::G, 0.01, 1e-9);
    let rbf = || {
        let points = Points::new(support::paper_rbf()).expect("points");
        Pool::from_kernel(
            Arc::new(Rbf::new(0.025).expect("a kernel")),
            points,
            None,
            &Factorisation::default(),
        )
        .expect("a pool")
    };
    report("paper rbf", &rbf, Criterion::G, 0.005, 1e-9);
    let xy = |m: usize| {
        Pool::from_features_with_choices(support::normals(23, 1000, 20), support::normals(22, m, 20))
            .expect("a pool")
    };
    report("xy 200", &|| xy(200), Criterion::Xy, 0.01, 1e-9);
    report("xy 20000", &|| xy(20_000), Criterion::Xy, 0.01, 1e-9);
    report("tall", &|| features(support::normals(4, 100_000, 50)), Criterion::D, 0.0, 1e-9);
    report("million", &|| features(support::normals(5, 1_000_000, 20)), Criterion::D, 0.0, 1e-9);
    report("million", &|| features(support::normals(5, 1_000_000, 20)), Criterion::G, 0.0, 1e-9);
    report("million", &|| features(support::normals(5, 1_000_000, 20)), Criterion::G, 0.01, 1e-9);
    let cube = || {
        let points = Points::new(Matrix::from_fn(5000, 3, |i, k| {
            // A Kronecker sequence fills the cube evenly.
            ((i + 1) as f64 * [0.8191725133961645, 0.6710436067037893, 0.5497004779019703][k]).fract()
        }));
        let settings = Factorisation { residual: 1e-7, ..Factorisation::default() };
        Pool::from_kernel(
            Arc::new(Rbf::new(0.2).expect("a kernel")),
            points.expect("points"),
            None,
            &settings,
        )
        .expect("a pool")
    };
    report("rbf cube 5000", &cube, Criterion::G, 1e-3, 1e-3);
}
