//! How reliable the outlook of calibrated campaigns is: what it said against what happened, on tables whose truth is known.
//!
//! ```sh
//! cargo run --release -p elfving-lab --example reliability -- auto 50 10 200 table.csv.. prior-3 > study.csv
//! ```
//!
//! Strategy, campaigns for each table, measurements at a time, measurements in all. A table has the columns `id`, its features, and
//! `outcome`, the true mean (large is good); `prior-D` stands for functions of D columns drawn from the model's own prior, a new one for
//! each campaign. Measurements have normal noise of 3 % of the range of the outcomes, or draw from `table.repeats` beside it: a line with
//! the outcomes of each row. One line of the answer is one campaign at one time; `cargo xtask reliability` makes the page of it.

#![allow(clippy::unwrap_used)] // a program for those who measure

use std::collections::BTreeSet;
use std::path::Path;

use elfving::bandit::{Calibrated, CalibratedSettings, Goal, Next, Plan, Policy, Reading, Strategy, Wanted};
use elfving::numerics::Matrix;
use elfving::numerics::rng::{Normals, Purpose, Stream, stream};
use elfving::pool::PointId;
use elfving::surrogate::{Columns, Priors, Space};
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

/// Rows of a table that is drawn from the prior, and waves that its function is made of.
const PRIOR_ROWS: usize = 500;
const WAVES: usize = 400;
const PRIOR: Purpose = Purpose::new("study-prior");

fn uniform(random: &mut Stream) -> f64 {
    (random.next_u64() >> 11) as f64 / (1u64 << 53) as f64
}

/// A function drawn from the model's prior, at random places: many random waves make a Matérn 5/2 process.
fn drawn(dimension: usize, seed: u64) -> Table {
    let mut random = stream(seed, dimension as u64, PRIOR);
    let places = Matrix::from_fn(PRIOR_ROWS, dimension, |_, _| uniform(&mut random));
    let mut normals = Normals::new(stream(seed, 100 + dimension as u64, PRIOR));
    let priors = Priors::default().of_logs(dimension);
    let lengths: Vec<f64> = priors[..dimension]
        .iter()
        .map(|prior| (prior.mean + prior.deviation * normals.draw()).exp())
        .collect();
    let waves: Vec<(Vec<f64>, f64)> = (0..WAVES)
        .map(|_| {
            // The spectrum of a Matérn 5/2 kernel is a Student-t distribution with 5 degrees of freedom.
            let chi: f64 = (0..5).map(|_| normals.draw().powi(2)).sum();
            let frequency =
                lengths.iter().map(|length| normals.draw() / length * (5.0 / chi).sqrt()).collect();
            (frequency, std::f64::consts::TAU * uniform(&mut random))
        })
        .collect();
    let wave = |row: usize, (frequency, phase): &(Vec<f64>, f64)| {
        (elfving::numerics::dot(places.row(row), frequency) + phase).cos()
    };
    let scale = (2.0 / WAVES as f64).sqrt();
    let truth =
        (0..PRIOR_ROWS).map(|row| scale * waves.iter().map(|one| wave(row, one)).sum::<f64>()).collect();
    let space = Space::new(&Columns::numeric(places), None).unwrap();
    Table { name: format!("prior-{dimension}"), space, truth, repeats: None }
}

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let strategy: Strategy = serde_json::from_value(serde_json::Value::String(arguments[0].clone())).unwrap();
    let [campaigns, batch, budget] = [1, 2, 3].map(|k| arguments[k].parse::<u64>().unwrap());
    let quantiles: Vec<String> = QUANTILES.iter().map(|share| format!("q{:02.0}", 100.0 * share)).collect();
    println!(
        "table,batch,seed,measured,range,spread,gain,gain_lower,gain_upper,gain_ahead,gain_ahead_upper,loss,{},widening,distinct,seen,true_value,true_loss",
        quantiles.join(",")
    );
    for source in &arguments[4..] {
        let dimension = source.strip_prefix("prior-").and_then(|dimension| dimension.parse().ok());
        let table = dimension.is_none().then(|| Table::read(Path::new(source)));
        let run = |seed: u64| match (&table, dimension) {
            (Some(table), _) => campaign(table, strategy, seed, batch as usize, budget),
            (None, dimension) => {
                campaign(&drawn(dimension.unwrap(), seed), strategy, seed, batch as usize, budget)
            }
        };
        let lines: Vec<Vec<String>> = (0..campaigns).into_par_iter().map(run).collect();
        lines.iter().flatten().for_each(|line| println!("{line}"));
    }
}

fn campaign(table: &Table, strategy: Strategy, seed: u64, batch: usize, budget: u64) -> Vec<String> {
    let settings = CalibratedSettings::default().seed(seed).budget(budget).strategy(strategy);
    let mut policy = Calibrated::new(table.space.clone(), Goal::Best { epsilon: 0.0 }, settings).unwrap();
    let mut random = stream(seed, 0, NOISE);
    let mut normals = Normals::new(stream(seed, 1, NOISE));
    let best = table.truth.iter().copied().fold(f64::MIN, f64::max);
    let (mut lines, mut measured, mut distinct) = (Vec::new(), 0, BTreeSet::new());
    let (mut low, mut high) = (f64::INFINITY, f64::NEG_INFINITY);
    while measured < budget {
        let wanted = Wanted { left: budget - measured, ..Wanted::batch(batch) };
        let Next::Measure(plan) = policy.plan(&wanted).unwrap() else { break };
        let points = plan.measurements.points();
        let outcomes: Vec<f64> =
            points.iter().map(|point| table.measure(*point, &mut random, &mut normals)).collect();
        low = outcomes.iter().copied().fold(low, f64::min);
        high = outcomes.iter().copied().fold(high, f64::max);
        distinct.extend(points.iter().copied());
        let readings: Vec<Reading> = outcomes.iter().copied().map(Reading::from).collect();
        measured += points.len() as u64;
        let decision = policy.learn(&Plan::chosen(measured, points), &readings).unwrap();
        policy.apply(&decision);
        let wanted = Wanted { left: (budget - measured).max(batch as u64), ..Wanted::batch(batch) };
        let Some(outlook) = policy.outlook_of(&wanted).unwrap() else { break };
        let value = table.truth[policy.report().picks[0].index()];
        let fit = policy.fit().unwrap().unwrap();
        let spread = 1.0 / fit.outcome().slope(fit.outcome().inverse(0.0));
        let mut cells = vec![table.name.clone(), batch.to_string(), seed.to_string(), measured.to_string()];
        let mut numbers =
            vec![table.range(), spread, outlook.gain.mean, outlook.gain.lower, outlook.gain.upper];
        numbers.extend([outlook.gain_ahead.mean, outlook.gain_ahead.upper, outlook.loss.mean]);
        numbers.extend(QUANTILES.iter().map(|share| outlook.loss_quantile(*share)));
        numbers.extend([fit.widening(), distinct.len() as f64, high - low, value, best - value]);
        cells.extend(numbers.iter().map(|number| format!("{number:.6e}")));
        lines.push(cells.join(","));
    }
    lines
}
