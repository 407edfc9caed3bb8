//! Campaigns in a lab where things go wrong, on a table whose truth is known.
//!
//! `week TABLE OUTCOME COLUMN`: five plates of 24. Three vials break every day, half of Tuesday's plate comes a day late, twelve candidates are
//! measured that nobody asked for, and half of the values of COLUMN (two solvents of four, say) arrive on the third day. Beside it the same
//! week with nothing but the arrival. `script TABLE OUTCOME`: 200 runs, of which a quarter of the table, where its numeric columns have
//! the largest product, never works.
//!
//! ```sh
//! cargo run --release -p elfving-campaign --example mishaps -- week reactions.csv yield solvent
//! cargo run --release -p elfving-campaign --example mishaps -- script kernels.csv ms
//! ```

#![allow(clippy::unwrap_used)] // a program for those who measure

use std::collections::{BTreeSet, HashMap};

use elfving::bandit::Outcome;
use elfving::numerics::rng::{Purpose, Stream, stream};
use elfving_campaign::{Aim, At, Attachment, Batch, Campaign, Draft, Mode, ResultsFile, Spec, TellOptions};
use elfving_problem::PoolSpec;
use elfving_table::{LogBase, PoolOptions, ReadOptions, Table, read_bytes};

const SEEDS: u64 = 20;
/// The standard deviation of the noise, in parts of the range of the outcome.
const NOISE: f64 = 0.05;
const WELLS: usize = 24;

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    match arguments.as_slice() {
        ["week", file, outcome, column] => weeks(&World::read(file, outcome), column),
        ["script", file, outcome] => scripts(&World::read(file, outcome)),
        _ => eprintln!("mishaps week TABLE OUTCOME COLUMN | mishaps script TABLE OUTCOME"),
    }
}

/// A table and what is true of its candidates.
struct World {
    table: Table,
    outcome: String,
    truth: HashMap<String, f64>,
    noise: f64,
}

impl World {
    fn read(file: &str, outcome: &str) -> Self {
        let table = read_bytes(file, &std::fs::read(file).unwrap(), &ReadOptions::default()).unwrap();
        let (ids, means) = (table.texts("id").unwrap(), table.numbers(outcome).unwrap());
        let (low, high) = means.iter().fold((f64::MAX, f64::MIN), |(l, h), y| (l.min(*y), h.max(*y)));
        let truth = ids.into_iter().zip(means).collect();
        Self { table, outcome: outcome.to_owned(), truth, noise: NOISE * (high - low) }
    }

    /// Rows without the outcome, as a file.
    fn part(&self, name: &str, keep: impl Fn(usize) -> bool) -> Attachment {
        let columns: Vec<usize> = (0..self.table.columns().len())
            .filter(|&k| self.table.columns()[k].name() != self.outcome)
            .collect();
        let names: Vec<&str> = columns.iter().map(|&k| self.table.columns()[k].name()).collect();
        let mut text = names.join(",") + "\n";
        for row in (0..self.table.rows()).filter(|row| keep(*row)) {
            let cells: Vec<String> = self.table.cells(row).map(|cell| cell.to_string()).collect();
            let cells: Vec<&str> = columns.iter().map(|&k| cells[k].as_str()).collect();
            text += &(cells.join(",") + "\n");
        }
        Attachment::new(name, text)
    }

    fn measured(&self, id: &str, random: &mut Stream) -> f64 {
        self.truth[id] + self.noise * normal(random)
    }

    fn campaign(
        &self,
        folder: &tempfile::TempDir,
        pool: Attachment,
        aim: Aim,
        spec: impl FnOnce(Spec) -> Spec,
    ) -> Campaign {
        let columns = PoolOptions::default().id("id");
        let numeric = self.table.columns().iter().map(elfving_table::Column::name);
        let powers = numeric
            .filter(|name| aim == Aim::Minimise && self.are_powers(name))
            .map(|name| (name.to_owned(), LogBase::Two));
        let columns = PoolOptions { log_scale: powers.collect(), ..columns };
        let pool_spec = PoolSpec { columns, ..PoolSpec::default() };
        let draft = Draft::read(pool, None, pool_spec, &self.outcome, Mode::Calibrated, None, 0).unwrap();
        let spec = spec(Spec::new("lab", &*self.outcome, aim, draft.recipe().clone()).mode(Mode::Calibrated));
        draft.create(folder.path().join("lab.elfving"), spec, None, At(0)).unwrap()
    }

    /// Powers of two want a log scale.
    fn are_powers(&self, column: &str) -> bool {
        let is_power = |x: &f64| *x >= 1.0 && x.log2().fract() == 0.0;
        column != self.outcome
            && column != "id"
            && self.table.numbers(column).is_ok_and(|all| all.iter().all(is_power))
    }
}

fn normal(random: &mut Stream) -> f64 {
    let uniform = |random: &mut Stream| (random.below(1 << 53) as f64 + 0.5) / (1u64 << 53) as f64;
    (-2.0 * uniform(random).ln()).sqrt() * (std::f64::consts::TAU * uniform(random)).cos()
}

/// What a week came to.
struct Week {
    regret: f64,
    smallest_plate: usize,
    most_copies: usize,
    late: usize,
}

fn weeks(world: &World, column: &str) {
    let of =
        |mishaps: bool| -> Vec<Week> { (0..SEEDS).map(|seed| week(world, column, seed, mishaps)).collect() };
    let (with, without) = (of(true), of(false));
    for (name, weeks) in [("with mishaps", &with), ("without", &without)] {
        let regrets: Vec<f64> = weeks.iter().map(|week| week.regret).collect();
        let plate = weeks.iter().map(|week| week.smallest_plate).min().unwrap();
        let copies = weeks.iter().map(|week| week.most_copies).max().unwrap();
        let late: usize = weeks.iter().map(|week| week.late).sum();
        println!(
            "{name}: the pick is {} below the best; smallest plate {plate} of {WELLS}, at most {copies} copies on a plate, {late} results not in the estimates on their day",
            in_words(&regrets)
        );
    }
    let differences: Vec<f64> = with.iter().zip(&without).map(|(a, b)| a.regret - b.regret).collect();
    println!("the mishaps cost {} ({SEEDS} seeds, mean and standard error)", in_words(&differences));
}

fn in_words(numbers: &[f64]) -> String {
    let n = numbers.len() as f64;
    let mean = numbers.iter().sum::<f64>() / n;
    let error = (numbers.iter().map(|x| (x - mean).powi(2)).sum::<f64>() / (n - 1.0) / n).sqrt();
    format!("{mean:.2} ({error:.2})")
}

fn week(world: &World, column: &str, seed: u64, mishaps: bool) -> Week {
    let folder = tempfile::tempdir().unwrap();
    let values = world.table.texts(column).unwrap();
    let levels: BTreeSet<&str> = values.iter().map(String::as_str).collect();
    let first: BTreeSet<&str> = levels.iter().copied().take(levels.len().div_ceil(2)).collect();
    let is_first = |row: usize| first.contains(values[row].as_str());
    let pool = world.part("pool.csv", is_first);
    let mut campaign = world.campaign(&folder, pool, Aim::Maximise, |spec| {
        spec.batch(WELLS).budget(Some(5 * WELLS as u64)).seed(seed)
    });
    let mut random = stream(seed, 0, Purpose::new("mishaps"));
    let mut found = Week { regret: 0.0, smallest_plate: usize::MAX, most_copies: 0, late: 0 };
    let mut told = 0;
    let mut waiting: Vec<(String, Outcome)> = Vec::new();
    for day in 1..=5u64 {
        if day == 3 {
            campaign
                .extend(world.part("more.csv", |row| !is_first(row)), "they arrived", At(10 * day))
                .unwrap();
        }
        // Broken vials are not measurements: the plate is full while the budget lasts.
        let batch = campaign.ask(None, At(10 * day + 1)).unwrap();
        found.smallest_plate = found.smallest_plate.min(batch.rows.len());
        found.most_copies = found.most_copies.max(copies(&batch));
        let broken: BTreeSet<usize> = match mishaps {
            true => (0..3).map(|_| random.below(batch.rows.len() as u64) as usize).collect(),
            false => BTreeSet::new(),
        };
        let mut today: Vec<(String, Outcome)> = std::mem::take(&mut waiting);
        for (k, row) in batch.rows.iter().enumerate() {
            let outcome = match broken.contains(&k) {
                true => Outcome::Failed,
                false => Outcome::from(world.measured(&row.id, &mut random)),
            };
            let is_late = mishaps && day == 2 && k >= WELLS / 2;
            if is_late { &mut waiting } else { &mut today }.push((row.slot.clone(), outcome));
        }
        told += today.iter().filter(|(_, outcome)| *outcome != Outcome::Failed).count();
        let outcomes: Vec<(&str, Outcome)> =
            today.iter().map(|(slot, told)| (slot.as_str(), told.clone())).collect();
        campaign.tell_outcomes(&outcomes, &TellOptions::default(), At(10 * day + 2)).unwrap();
        if mishaps && day == 2 {
            told += volunteer(world, &mut campaign, &mut random);
        }
        found.late += told - campaign.report().unwrap().samples as usize;
    }
    let best = world.truth.values().copied().fold(f64::MIN, f64::max);
    found.regret = best - world.truth[&campaign.status().unwrap().picks[0]];
    found
}

/// Twelve candidates that nobody asked for.
fn volunteer(world: &World, campaign: &mut Campaign, random: &mut Stream) -> usize {
    let names = campaign.candidates().unwrap().names().text().iter().map(str::to_owned).collect::<Vec<_>>();
    let mut text = format!("id,{}\n", world.outcome);
    for _ in 0..12 {
        let id = &names[random.below(names.len() as u64) as usize];
        text += &format!("{id},{}\n", world.measured(id, random));
    }
    let file = ResultsFile::from_bytes("others.csv", text.as_bytes(), &campaign.spec().results).unwrap();
    campaign.tell(&file, &TellOptions::default(), At(29)).unwrap().volunteered
}

fn copies(batch: &Batch) -> usize {
    let mut times: HashMap<&str, usize> = HashMap::new();
    batch.rows.iter().for_each(|row| *times.entry(&row.id).or_default() += 1);
    times.into_values().max().unwrap_or(0)
}

fn scripts(world: &World) {
    let never = never_works(world);
    println!("{} of {} candidates never work", never.len(), world.truth.len());
    for seed in 0..SEEDS.min(5) {
        script(world, &never, seed);
    }
}

/// The quarter of the table with the largest product of its numeric columns.
fn never_works(world: &World) -> BTreeSet<String> {
    let ids = world.table.texts("id").unwrap();
    let columns = world.table.columns().iter().map(elfving_table::Column::name);
    let numeric: Vec<Vec<f64>> = columns
        .filter(|name| *name != "id" && *name != world.outcome)
        .filter_map(|name| world.table.numbers(name).ok())
        .filter(|values| values.iter().all(|x| *x > 0.0))
        .collect();
    let mut order: Vec<(f64, &String)> = ids
        .iter()
        .enumerate()
        .map(|(row, id)| (numeric.iter().map(|values| values[row].ln()).sum(), id))
        .collect();
    order.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(b.1)));
    order.iter().take(ids.len() / 4).map(|(_, id)| (*id).clone()).collect()
}

fn script(world: &World, never: &BTreeSet<String>, seed: u64) {
    let folder = tempfile::tempdir().unwrap();
    let pool = world.part("pool.csv", |_| true);
    let mut campaign =
        world.campaign(&folder, pool, Aim::Minimise, |spec| spec.batch(10).budget(Some(200)).seed(seed));
    let mut random = stream(seed, 0, Purpose::new("mishaps"));
    let (mut slots, mut failing, mut late_failing) = (0, 0, 0);
    let mut asks = 0;
    loop {
        let batch = campaign.ask(None, At(asks)).unwrap();
        if batch.rows.is_empty() {
            println!("seed {seed}: ends by itself after {asks} batches: {}", batch.stopped.unwrap());
            break;
        }
        asks += 1;
        assert!(asks < 1_000, "it never ends");
        let mut outcomes = Vec::new();
        for row in &batch.rows {
            slots += 1;
            let fails = never.contains(&row.id);
            failing += usize::from(fails);
            late_failing += usize::from(fails && slots > 50);
            outcomes.push((
                row.slot.as_str(),
                match fails {
                    true => Outcome::Failed,
                    false => Outcome::from(world.measured(&row.id, &mut random)),
                },
            ));
        }
        campaign.tell_outcomes(&outcomes, &TellOptions::default(), At(asks)).unwrap();
    }
    let works = world.truth.iter().filter(|(id, _)| !never.contains(*id)).map(|(_, mean)| *mean);
    let best = works.fold(f64::MAX, f64::min);
    let pick = world.truth[&campaign.status().unwrap().picks[0]];
    println!(
        "  {slots} slots, {failing} on what never works, {:.0} % of those after the first 50; the pick is {:.2} times the best",
        100.0 * late_failing as f64 / (slots - 50) as f64,
        pick / best
    );
}
