//! A campaign of 100,000 slots: asking, telling one file and saying where it stands, each from opening the file on.
//!
//! | case | candidates | how it got there | asks |
//! |---|---|---|---|
//! | `ellipsoid` | 1,000 | rounds of 1,000 | 1,000 |
//! | `draws` | 1,000 | one round of RIPS, which the noise makes so large | that round |
//! | `large-ellipsoid` | 100,000 | 90,000 forced, told by 1,000; then rounds of 1,000 | 100 |
//! | `large-calibrated` | 100,000 | 100 candidates measured 990 times each, told by 1,000 | 24 |

#![allow(missing_docs)]

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use elfving::bandit::{Goal, Outcome};
use elfving::estimate::Tails;
use elfving_campaign::{
    Aim, AssumptionSpec, At, Attachment, Batch, Campaign, Mode, Recipe, ResultsFile, Spec, TellOptions,
};
use elfving_table::{PoolOptions, ReadOptions};

const SLOTS: usize = 100_000;
const PART: usize = 1_000;
const CASES: [&str; 4] = ["ellipsoid", "draws", "large-ellipsoid", "large-calibrated"];

fn main() {
    divan::main();
}

/// Candidates with 10 features.
fn pool(candidates: usize) -> Attachment {
    let names: Vec<String> = (0..10).map(|k| format!("x{k}")).collect();
    let row = |i: usize| {
        let cells: Vec<String> = (0..10).map(|k| format!("{:.4}", feature(i, k))).collect();
        format!("c{i},{}\n", cells.join(","))
    };
    let rows: String = (0..candidates).map(row).collect();
    Attachment::new("pool.csv", format!("id,{}\n{rows}", names.join(",")))
}

fn feature(i: usize, k: usize) -> f64 {
    ((i * (k + 3)) as f64).sin()
}

/// One kind of campaign.
#[derive(Clone, Copy)]
struct Case {
    algorithm: &'static str,
    candidates: usize,
    /// Slots handed out at a time.
    batch: usize,
    sigma: f64,
    /// Different candidates that are forced, and how many slots these are.
    forced: (usize, usize),
    /// Slots of the `ask` that is measured.
    ask: Option<usize>,
}

impl Case {
    fn of(name: &str) -> Self {
        let small = Self {
            algorithm: "ellipsoid-best",
            candidates: 1_000,
            batch: PART,
            sigma: 0.1,
            forced: (0, 0),
            ask: None,
        };
        match name {
            "draws" => Self { algorithm: "rips-best", batch: usize::MAX, sigma: 12.5, ..small },
            "large-ellipsoid" => {
                Self { candidates: 100_000, forced: (90_000, 90_000), ask: Some(100), ..small }
            }
            "large-calibrated" => Self {
                algorithm: "calibrated",
                candidates: 100_000,
                forced: (100, SLOTS - PART),
                ask: Some(24),
                ..small
            },
            _ => small,
        }
    }

    fn spec(&self, pool: &Attachment) -> Spec {
        let columns = PoolOptions::default().id("id");
        let assumed = AssumptionSpec {
            sigma: Some(self.sigma),
            tails: Tails::SubGaussian,
            norm: Some(3.0),
            bound: Some(3.0),
            ..AssumptionSpec::default()
        };
        let mode = if self.algorithm == "calibrated" { Mode::Calibrated } else { Mode::Certified };
        let (different, slots) = self.forced;
        let forced = (0..slots).map(|k| format!("c{}", k % different)).collect();
        Spec::new("bench", "yield", Aim::Maximise, Recipe::new(pool, ReadOptions::default(), columns))
            .goal(Goal::Best { epsilon: 0.0 })
            .mode(mode)
            .assumed(assumed)
            .algorithm(self.algorithm)
            .batch(self.batch)
            .force(forced)
    }
}

struct Lab {
    folder: tempfile::TempDir,
}

impl Lab {
    /// A campaign whose first `slots` slots are told.
    fn with(case: Case, slots: usize) -> Self {
        let lab = Self { folder: tempfile::tempdir().expect("a folder") };
        let pool = pool(case.candidates);
        let mut campaign =
            Campaign::create(lab.path(), case.spec(&pool), &[pool], At(0)).expect("a campaign");
        let mut told = 0;
        while told < slots {
            let forced = (told == 0 && case.forced.1 > 0).then_some(case.forced.1);
            let batch = campaign.ask(forced, At(1)).expect("a batch");
            assert!(!batch.rows.is_empty(), "the campaign goes on");
            let rows: Vec<_> =
                batch.rows.iter().map(|row| (row.slot.as_str(), Outcome::from(value(&row.id)))).collect();
            for part in rows.chunks(if case.candidates > PART { PART } else { usize::MAX }) {
                campaign.tell_outcomes(part, &TellOptions::default(), At(2)).expect("told");
            }
            told += rows.len();
        }
        lab
    }

    /// What is told before the last batch; made once for each case.
    fn before_the_last(name: &str) -> PathBuf {
        static MADE: Mutex<BTreeMap<String, Lab>> = Mutex::new(BTreeMap::new());
        let mut made = MADE.lock().unwrap_or_else(PoisonError::into_inner);
        let slots = if name == "draws" { 0 } else { SLOTS - PART };
        made.entry(name.to_owned()).or_insert_with(|| Self::with(Case::of(name), slots)).path()
    }

    fn path(&self) -> PathBuf {
        self.folder.path().join("bench.elfving")
    }
}

/// A copy to change.
fn copy(path: &Path, name: &str) -> PathBuf {
    let copy = path.with_file_name(name);
    std::fs::copy(path, &copy).expect("a copy");
    copy
}

/// A linear truth, and something that no model knows.
fn value(id: &str) -> f64 {
    let i: usize = id[1..].parse().expect("the id is a number behind a c");
    (0..10).map(|k| feature(i, k) * 0.2 / (k + 1) as f64).sum::<f64>() + 0.05 * (i as f64).cos()
}

fn open(path: &Path) -> Campaign {
    Campaign::open(path).expect("a campaign")
}

fn ask_of(path: &Path, case: Case) -> Batch {
    open(path).ask(case.ask, At(3)).expect("a batch")
}

#[divan::bench(args = CASES, sample_count = 5, sample_size = 1)]
fn ask(bencher: divan::Bencher, name: &str) {
    let (path, case) = (Lab::before_the_last(name), Case::of(name));
    let asked = ask_of(&copy(&path, "probe.elfving"), case).rows.len();
    assert!(asked == case.ask.unwrap_or(PART) || asked > 90_000, "{asked}");
    bencher.with_inputs(|| copy(&path, "ask.elfving")).bench_values(|path| ask_of(&path, case));
}

#[divan::bench(args = CASES, sample_count = 5, sample_size = 1)]
fn tell(bencher: divan::Bencher, name: &str) {
    let (path, case) = (Lab::before_the_last(name), Case::of(name));
    let path = copy(&path, "asked.elfving");
    let rows = ask_of(&path, case).rows;
    let lines: String =
        rows.iter().map(|row| format!("{},{},{}\n", row.slot, row.id, value(&row.id))).collect();
    let csv = format!("slot,id,yield\n{lines}");
    bencher.with_inputs(|| copy(&path, "tell.elfving")).bench_values(|path| {
        let mut campaign = open(&path);
        let results = ResultsFile::from_bytes("results.csv", csv.as_bytes(), &campaign.spec().results)
            .expect("a table");
        campaign.tell(&results, &TellOptions::default(), At(4)).expect("told")
    });
}

#[divan::bench(args = CASES, sample_count = 5, sample_size = 1)]
fn status(bencher: divan::Bencher, name: &str) {
    let (path, case) = (Lab::before_the_last(name), Case::of(name));
    let path = copy(&path, "status.elfving");
    if name == "draws" {
        let rows = ask_of(&path, case).rows;
        let outcomes: Vec<_> =
            rows.iter().map(|row| (row.slot.as_str(), Outcome::from(value(&row.id)))).collect();
        open(&path).tell_outcomes(&outcomes, &TellOptions::default(), At(4)).expect("told");
    }
    bencher.bench(|| open(&path).status().expect("a status").told);
}
