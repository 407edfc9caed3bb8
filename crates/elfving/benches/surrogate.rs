//! The Gaussian-process model, setup excluded: `cargo bench --bench surrogate`.

#[path = "../tests/support/mod.rs"]
mod support;

use divan::Bencher;
use elfving::pool::PointId;
use elfving::surrogate::{Columns, Measurement, PosteriorOver, Priors, RowId, Space, Surrogate};

fn main() {
    divan::main();
}

/// Candidates with six numbers and a category, and `measured` of them measured once.
fn pool(rows: usize, measured: usize) -> (Space, Vec<Measurement>) {
    let numbers = support::normals(61, rows, 6);
    let noise = support::normals(62, 1, measured);
    let table = Columns::numeric(numbers.clone()).category((0..rows as u32).map(|i| i % 4).collect());
    let measure = |k: usize| {
        let x = numbers.row(k * 7 % rows);
        Measurement::new(PointId::new(k * 7 % rows), x[0].sin() + 0.5 * x[1] * x[2] + 0.1 * noise[(0, k)])
    };
    (Space::new(&table, None).expect("a space"), (0..measured).map(measure).collect())
}

const SIZES: [(usize, usize); 3] = [(500, 50), (2_000, 200), (10_000, 1_000)];

#[divan::bench(sample_count = 3, args = SIZES)]
fn one_evaluation(bencher: Bencher, (rows, measured): (usize, usize)) {
    let (space, measurements) = pool(rows, measured);
    let centre = Priors::default().centre(space.dimension());
    let fit = Surrogate::default().at(&space, &measurements, &centre).expect("a fit");
    bencher.bench_local(|| fit.evidence().evaluate(&space, &centre, &Priors::default()));
}

#[divan::bench(sample_count = 3, args = SIZES)]
fn first_fit(bencher: Bencher, (rows, measured): (usize, usize)) {
    let (space, measurements) = pool(rows, measured);
    bencher
        .bench_local(|| Surrogate::default().fit(&space, &measurements, None).expect("a fit").evaluations());
}

/// Ten measurements later, from the optimum before.
#[divan::bench(sample_count = 3, args = SIZES)]
fn next_fit(bencher: Bencher, (rows, measured): (usize, usize)) {
    let (space, measurements) = pool(rows, measured);
    let model = Surrogate::default();
    let before = model.fit(&space, &measurements[..measured - 10], None).expect("a fit");
    let previous = before.parameters();
    bencher.bench_local(|| model.fit(&space, &measurements, Some(previous)).expect("a fit").evaluations());
}

/// Mean and deviation of every row, then ten slots with the variances updated.
#[divan::bench(sample_count = 3, args = SIZES)]
fn posterior_and_ten_slots(bencher: Bencher, (rows, measured): (usize, usize)) {
    let (space, measurements) = pool(rows, measured);
    let centre = Priors::default().centre(space.dimension());
    let fit = Surrogate::default().at(&space, &measurements, &centre).expect("a fit");
    bencher.bench_local(|| {
        let mut posterior = fit.posterior(PosteriorOver::Points);
        (0..10).for_each(|slot| posterior.measure(PointId::new(slot)));
        posterior.variance(RowId::new(0))
    });
}
