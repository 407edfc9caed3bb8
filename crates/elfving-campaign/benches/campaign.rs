//! A campaign of 100,000 slots: opening it, asking, telling one file and saying where it stands, each in a fresh process's shoes.

#![allow(missing_docs)]

use std::path::{Path, PathBuf};

use elfving::bandit::{Goal, Outcome};
use elfving::estimate::Tails;
use elfving_campaign::{Aim, At, Attachment, Campaign, Recipe, ResultsFile, Spec, TellOptions, Vouched};
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

fn spec(algorithm: &str, batch: usize) -> Spec {
    let columns = PoolOptions::default().id("id");
    let vouched = Vouched {
        sigma: Some(0.1),
        tails: Tails::SubGaussian,
        norm: Some(3.0),
        bound: Some(3.0),
        ..Vouched::default()
    };
    Spec::new("bench", "yield", Aim::Maximise, Recipe::new(&pool(), ReadOptions::default(), columns))
        .goal(Goal::Best { epsilon: 0.0 })
        .vouched(vouched)
        .algorithm(algorithm)
        .batch(batch)
}

struct Lab {
    folder: tempfile::TempDir,
}

impl Lab {
    /// Rounds of `batch` slots, all told but the last one, which is handed out.
    fn with(algorithm: &str, batch: usize) -> Self {
        let lab = Self { folder: tempfile::tempdir().expect("a folder") };
        let mut campaign =
            Campaign::create(lab.path(), spec(algorithm, batch), &[pool()], At(0)).expect("a campaign");
        for _ in 0..SLOTS / batch - 1 {
            let batch = campaign.ask(None, At(1)).expect("a batch");
            let outcomes: Vec<(&str, Outcome)> =
                batch.rows.iter().enumerate().map(|(k, row)| (row.slot.as_str(), value(k).into())).collect();
            campaign.tell_outcomes(&outcomes, &TellOptions::default(), At(2)).expect("told");
        }
        lab
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

#[divan::bench(args = [1_000, 100_000], sample_count = 5, sample_size = 1)]
fn ask(bencher: divan::Bencher, batch: usize) {
    let lab = Lab::with("random", batch);
    bencher.with_inputs(|| lab.copy("ask.elfving")).bench_values(|path| open(&path).ask(None, At(3)));
}

#[divan::bench(args = [1_000, 100_000], sample_count = 5, sample_size = 1)]
fn tell(bencher: divan::Bencher, batch: usize) {
    let lab = Lab::with("random", batch);
    let mut campaign = open(&lab.path());
    let rows = campaign.ask(None, At(3)).expect("a batch").rows;
    let lines: String =
        rows.iter().enumerate().map(|(k, row)| format!("{},{},{}\n", row.slot, row.id, value(k))).collect();
    let csv = format!("slot,id,yield\n{lines}");
    drop(campaign);
    bencher.with_inputs(|| lab.copy("tell.elfving")).bench_values(|path| {
        let mut campaign = open(&path);
        let results = ResultsFile::from_bytes("results.csv", csv.as_bytes(), &campaign.spec().results)
            .expect("a table");
        campaign.tell(&results, &TellOptions::default(), At(4)).expect("told")
    });
}

#[divan::bench(args = ["random", "ellipsoid-best"], sample_count = 5, sample_size = 1)]
fn status(bencher: divan::Bencher, algorithm: &str) {
    let lab = Lab::with(algorithm, 1_000);
    bencher.bench(|| open(&lab.path()).status().expect("a status").told);
}
