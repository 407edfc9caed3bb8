//! How reliable the outlook of calibrated campaigns is: what it said against what happened, on tables whose truth is known.
//!
//! ```sh
//! cargo run --release -p elfving-lab --example reliability -- 50 10 200 table.csv.. > study.csv
//! ```
//!
//! Campaigns for each table, measurements at a time, measurements in all. A table has the columns `id`, its features, and `outcome`, the true
//! mean (large is good). Measurements have normal noise of 3 % of the range of the outcomes, or draw from `table.repeats` beside it: a line
//! with the outcomes of each row. One line of the answer is one campaign at one time; `cargo xtask peers reliability` makes the page of it.

#![allow(clippy::unwrap_used)] // a program for those who measure

use std::path::Path;

use elfving::bandit::{Calibrated, CalibratedSettings, Goal, Plan, Policy, Reading, Strategy, Wanted};
use elfving::numerics::rng::{Normals, Purpose, Stream, stream};
use elfving::pool::PointId;
use elfving::surrogate::Space;
use elfving_table::{OneHot, PoolOptions, ReadOptions, read_pool};
use rayon::prelude::*;

const NOISE: Purpose = Purpose::new("study-noise");
/// The deviation of the noise, in parts of the range of the outcomes.
const NOISE_SHARE: f64 = 0.03;
/// Quantiles of the stated loss.
const QUANTILES: [f64; 12] = [0.05, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 0.95, 0.99];

struct Table {
    name: String,
    space: Space,
    truth: Vec<f64>,
    repeats: Option<Vec<Vec<f64>>>,
}

impl Table {
    fn read(path: &Path) -> Self {
        let options = PoolOptions::default().id("id").exclude("outcome").one_hot(OneHot::AllText);
        let pool = read_pool(path, &ReadOptions::default(), &options).unwrap();
        let truth = pool.table.numbers("outcome").unwrap();
        let columns = pool.encoding.surrogate_columns(&pool.features, &pool.codes);
        let numbers = |line: &str| line.split_whitespace().map(|y| y.parse().unwrap()).collect();
        let repeats = std::fs::read_to_string(path.with_extension("repeats")).ok();
        Self {
            name: path.file_stem().unwrap().to_string_lossy().into_owned(),
            space: Space::new(&columns, None).unwrap(),
            truth,
            repeats: repeats.map(|text| text.lines().map(numbers).collect()),
        }
    }

    fn range(&self) -> f64 {
        let fold = |f: fn(f64, f64) -> f64, from| self.truth.iter().copied().fold(from, f);
        fold(f64::max, f64::MIN) - fold(f64::min, f64::MAX)
    }

    fn measure(&self, point: PointId, random: &mut Stream, normals: &mut Normals) -> f64 {
        match &self.repeats {
            Some(repeats) => {
                let of = &repeats[point.index()];
                of[random.below(of.len() as u64) as usize]
            }
            None => self.truth[point.index()] + NOISE_SHARE * self.range() * normals.draw(),
        }
    }
}

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [campaigns, batch, budget] = [0, 1, 2].map(|k| arguments[k].parse::<u64>().unwrap());
    let strategy: Strategy = std::env::var("STRATEGY").ok().map_or(Strategy::Auto, |name| {
        serde_json::from_value(serde_json::Value::String(name)).unwrap()
    });
    let quantiles: Vec<String> = QUANTILES.iter().map(|share| format!("q{:02.0}", 100.0 * share)).collect();
    println!(
        "table,batch,seed,measured,range,spread,gain,gain_lower,gain_upper,loss,{},gain_fit,loss_fit,q50_fit,q80_fit,q90_fit,q95_fit,widening,distinct,true_value,true_loss",
        quantiles.join(",")
    );
    for path in &arguments[3..] {
        let table = Table::read(Path::new(path));
        let lines: Vec<Vec<String>> = (0..campaigns)
            .into_par_iter()
            .map(|seed| campaign(&table, strategy, seed, batch as usize, budget))
            .collect();
        lines.iter().flatten().for_each(|line| println!("{line}"));
    }
}

fn campaign(table: &Table, strategy: Strategy, seed: u64, batch: usize, budget: u64) -> Vec<String> {
    let settings = CalibratedSettings::default().seed(seed).budget(budget).strategy(strategy);
    let start = |settings| Calibrated::new(table.space.clone(), Goal::Best { epsilon: 0.0 }, settings).unwrap();
    let mut policy = start(settings.clone());
    let mut only_fit = start(settings.members(0));
    let mut random = stream(seed, 0, NOISE);
    let mut normals = Normals::new(stream(seed, 1, NOISE));
    let best = table.truth.iter().copied().fold(f64::MIN, f64::max);
    let mut lines = Vec::new();
    let mut measured = 0;
    let mut distinct = std::collections::BTreeSet::new();
    while measured < budget {
        let wanted = Wanted { left: budget - measured, ..Wanted::batch(batch) };
        let (points, _) = {
            let plan = policy.plan(&wanted).unwrap();
            let elfving::bandit::Next::Measure(plan) = plan else { break };
            (plan.measurements.points(), ())
        };
        let outcomes: Vec<f64> =
            points.iter().map(|point| table.measure(*point, &mut random, &mut normals)).collect();
        distinct.extend(points.iter().copied());
        let readings: Vec<Reading> = outcomes.iter().copied().map(Reading::from).collect();
        measured += points.len() as u64;
        let plan = Plan::chosen(measured, points);
        let decision = policy.learn(&plan, &readings).unwrap();
        policy.apply(&decision);
        only_fit.recall(&plan, &readings).unwrap();
        only_fit.apply(&decision);
        let report = policy.report();
        let wanted = Wanted { left: budget.saturating_sub(measured).max(batch as u64), ..Wanted::batch(batch) };
        let Some(outlook) = policy.outlook_of(&wanted).unwrap() else { break };
        let alone = only_fit.outlook_of(&wanted).unwrap().unwrap();
        let value = table.truth[report.picks[0].index()];
        let fit = policy.fit().unwrap().unwrap();
        let spread = 1.0 / fit.outcome().slope(fit.outcome().inverse(0.0));
        let mut cells = vec![table.name.clone(), batch.to_string(), seed.to_string(), measured.to_string()];
        let mut numbers =
            vec![table.range(), spread, outlook.gain.mean, outlook.gain.lower, outlook.gain.upper, outlook.loss.mean];
        numbers.extend(QUANTILES.iter().map(|share| outlook.loss_quantile(*share)));
        numbers.extend([alone.gain.mean, alone.loss.mean]);
        numbers.extend([0.5, 0.8, 0.9, 0.95].map(|share| alone.loss_quantile(share)));
        numbers.extend([fit.widening(), distinct.len() as f64, value, best - value]);
        cells.extend(numbers.iter().map(|number| format!("{number:.6e}")));
        lines.push(cells.join(","));
    }
    lines
}
