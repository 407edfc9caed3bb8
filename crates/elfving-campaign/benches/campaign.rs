//! A campaign of 100,000 slots: asking, telling one file and saying where it stands, each from opening the file on.
//!
//! Two ways to get there: a hundred rounds of the ellipsoid, and one round of draws.

#![allow(missing_docs)]

use std::path::{Path, PathBuf};

use elfving::bandit::{Goal, Outcome};
use elfving::estimate::Tails;
use elfving_campaign::{
    Aim, AssumptionSpec, At, Attachment, Campaign, Recipe, ResultsFile, Spec, TellOptions,
};
use elfving_table::{PoolOptions, ReadOptions};

const SLOTS: usize = 100_000;

fn main() {
    divan::main();
}

/// 1,000 candidates with 10 features.
fn pool() -> Attachment {
    let names: Vec<String> = (0..10).map(|k| format!("x{k}")).collect();
    let row = |i: usize| {
        let cells: Vec<String> = (0..10).map(|k| format!("{:.4}", ((i * (k + 3)) as f64).sin())).collect();
        format!("c{i},{}\n", cells.join(","))
    };
    let rows: String = (0..1_000).map(row).collect();
    Attachment::new("pool.csv", format!("id,{}\n{rows}", names.join(",")))
}

/// The ellipsoid in rounds of 1,000; draws in one round of about 100,000, which the noise makes so large.
fn spec(algorithm: &str) -> Spec {
    let columns = PoolOptions::default().id("id");
    let (batch, sigma) = if algorithm == "ellipsoid-best" { (1_000, 0.1) } else { (usize::MAX, 12.5) };
    let assumed = AssumptionSpec {
        sigma: Some(sigma),
        tails: Tails::SubGaussian,
        norm: Some(3.0),
        bound: Some(3.0),
        ..AssumptionSpec::default()
    };
    Spec::new("bench", "yield", Aim::Maximise, Recipe::new(&pool(), ReadOptions::default(), columns))
        .goal(Goal::Best { epsilon: 0.0 })
        .assumed(assumed)
        .algorithm(algorithm)
        .batch(batch)
}

struct Lab {
    folder: tempfile::TempDir,
}

impl Lab {
    /// A campaign whose first `slots` slots are told, in whole rounds.
    fn with(algorithm: &str, slots: usize) -> Self {
        let lab = Self { folder: tempfile::tempdir().expect("a folder") };
        let mut campaign =
            Campaign::create(lab.path(), spec(algorithm), &[pool()], At(0)).expect("a campaign");
        let mut told = 0;
        while told < slots {
            let batch = campaign.ask(None, At(1)).expect("a batch");
            assert!(!batch.rows.is_empty(), "the campaign goes on");
            let outcomes: Vec<(&str, Outcome)> =
                batch.rows.iter().enumerate().map(|(k, row)| (row.slot.as_str(), value(k).into())).collect();
            campaign.tell_outcomes(&outcomes, &TellOptions::default(), At(2)).expect("told");
            told += outcomes.len();
        }
        lab
    }

    /// What is told before the last batch.
    fn before_the_last(algorithm: &str) -> Self {
        Self::with(algorithm, if algorithm == "ellipsoid-best" { SLOTS - 1_000 } else { 0 })
    }

    fn path(&self) -> PathBuf {
        self.folder.path().join("bench.elfving")
    }

    /// A copy to change.
    fn copy(&self, name: &str) -> PathBuf {
        let copy = self.folder.path().join(name);
        std::fs::copy(self.path(), &copy).expect("a copy");
        copy
    }
}

fn value(k: usize) -> f64 {
    (k as f64).cos()
}

fn open(path: &Path) -> Campaign {
    Campaign::open(path).expect("a campaign")
}

const ALGORITHMS: [&str; 2] = ["ellipsoid-best", "rips-best"];

#[divan::bench(args = ALGORITHMS, sample_count = 5, sample_size = 1)]
fn ask(bencher: divan::Bencher, algorithm: &str) {
    let lab = Lab::before_the_last(algorithm);
    let asked = open(&lab.copy("probe.elfving")).ask(None, At(3)).expect("a batch").rows.len();
    assert!(asked == 1_000 || asked > 90_000, "{asked}");
    bencher.with_inputs(|| lab.copy("ask.elfving")).bench_values(|path| open(&path).ask(None, At(3)));
}

#[divan::bench(args = ALGORITHMS, sample_count = 5, sample_size = 1)]
fn tell(bencher: divan::Bencher, algorithm: &str) {
    let lab = Lab::before_the_last(algorithm);
    let rows = open(&lab.path()).ask(None, At(3)).expect("a batch").rows;
    let lines: String =
        rows.iter().enumerate().map(|(k, row)| format!("{},{},{}\n", row.slot, row.id, value(k))).collect();
    let csv = format!("slot,id,yield\n{lines}");
    bencher.with_inputs(|| lab.copy("tell.elfving")).bench_values(|path| {
        let mut campaign = open(&path);
        let results = ResultsFile::from_bytes("results.csv", csv.as_bytes(), &campaign.spec().results)
            .expect("a table");
        campaign.tell(&results, &TellOptions::default(), At(4)).expect("told")
    });
}

#[divan::bench(args = ALGORITHMS, sample_count = 5, sample_size = 1)]
fn status(bencher: divan::Bencher, algorithm: &str) {
    let lab = Lab::with(algorithm, SLOTS - 1_000);
    bencher.bench(|| open(&lab.path()).status().expect("a status").told);
}
