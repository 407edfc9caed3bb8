//! What is certified on a table whose truth is known, as a user would do it: a campaign of batches, and what its status says on the way.
//!
//! ```sh
//! cargo run --release -p elfving-campaign --example certified_tables -- TABLE OUTCOME sigma=6 norm=50 [option=value ..]
//! ```
//!
//! TABLE has the columns `id`, OUTCOME (the true mean) and the features. Options: `kernel` (`linear`, else what a certified campaign takes
//! by itself), `epsilon`, `delta`, `seeds`, `most` (measurements), `batch`, `aim` (`max` or `min`), `log` (1: the outcome is its
//! logarithm to base 2), `repeats` (a table `id,rep,y`: a measurement draws one of the repeats of its candidate), `noise` (otherwise a normal
//! measurement of this standard deviation; sigma unless given), `categories` (1: text columns are categories), `standardize` (1),
//! `trace` (1: a line for each batch).

#![allow(clippy::unwrap_used)] // a program for those who measure

use std::collections::HashMap;
use std::time::{Duration, Instant};

use elfving::bandit::{Goal, Guarantee, Outcome};
use elfving::estimate::Tails;
use elfving::numerics::rng::{Purpose, Stream, stream};
use elfving_campaign::{Aim, AssumptionSpec, At, Attachment, Campaign, Draft, Mode, Spec, TellOptions};
use elfving_problem::{Model, PoolSpec};
use elfving_table::{OneHot, ReadOptions, read_bytes};

/// After how many measurements the certificate is printed.
const LOOKS: [u64; 4] = [50, 100, 200, 600];

struct World {
    pool: Attachment,
    outcome: String,
    truth: HashMap<String, f64>,
    repeats: HashMap<String, Vec<f64>>,
    noise: f64,
    aim: Aim,
}

/// What one campaign printed.
#[derive(Default)]
struct Run {
    /// At each look: the certified epsilon, where one is, and the true gap.
    looks: Vec<Option<(Option<f64>, f64)>>,
    wrong: bool,
    reached: Option<u64>,
    refuted: Option<u64>,
    measured: u64,
    slowest: Duration,
}

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [table, outcome, rest @ ..] = arguments.as_slice() else {
        eprintln!("certified_tables TABLE OUTCOME sigma=S norm=N [option=value ..]");
        return;
    };
    let options: HashMap<&str, &str> = rest.iter().filter_map(|option| option.split_once('=')).collect();
    let number = |key: &str, default: f64| options.get(key).map_or(default, |text| text.parse().unwrap());
    let sigma = number("sigma", 1.0);
    let world = World::read(table, outcome, &options, number("noise", sigma));
    let (low, high) = world.truth.values().fold((f64::MAX, f64::MIN), |(l, h), y| (l.min(*y), h.max(*y)));
    let started = Instant::now();
    let runs: Vec<Run> = (0..number("seeds", 20.0) as u64).map(|seed| run(&world, &options, seed)).collect();
    println!(
        "{table}: {} candidates, outcomes {low:.3} to {high:.3}, {:.0} s",
        world.truth.len(),
        started.elapsed().as_secs_f64()
    );
    println!("measurements  certified epsilon (median)  largest  true gap (median)  withdrawn before");
    for (k, look) in LOOKS.iter().enumerate() {
        let there: Vec<&(Option<f64>, f64)> =
            runs.iter().filter_map(|run| run.looks.get(k)?.as_ref()).collect();
        let withdrawn = runs.iter().filter(|run| run.refuted.is_some_and(|at| at <= *look)).count();
        let epsilons = sorted(there.iter().filter_map(|(epsilon, _)| *epsilon));
        let gaps = sorted(there.iter().map(|(_, gap)| *gap));
        if !there.is_empty() {
            let largest = epsilons.last().copied();
            println!(
                "{look:>12}  {:>26}  {:>7}  {:>17}  {withdrawn} of {}",
                shown(median(&epsilons)),
                shown(largest),
                shown(median(&gaps)),
                runs.len()
            );
        }
    }
    let count = |is: fn(&Run) -> bool| runs.iter().filter(|run| is(run)).count();
    let refuted = sorted(runs.iter().filter_map(|run| run.refuted.map(|at| at as f64)));
    let reached = sorted(runs.iter().filter_map(|run| run.reached.map(|at| at as f64)));
    let slowest = runs.iter().map(|run| run.slowest).max().unwrap_or_default();
    println!(
        "a printed epsilon was wrong in {} of {} campaigns; refuted in {} (median at {}); goal reached in {} (median at {}); slowest step {:.1} s",
        count(|run| run.wrong),
        runs.len(),
        refuted.len(),
        shown(median(&refuted)),
        reached.len(),
        shown(median(&reached)),
        slowest.as_secs_f64()
    );
}

fn sorted(values: impl Iterator<Item = f64>) -> Vec<f64> {
    let mut values: Vec<f64> = values.collect();
    values.sort_by(f64::total_cmp);
    values
}

fn median(sorted: &[f64]) -> Option<f64> {
    (!sorted.is_empty()).then(|| sorted[(sorted.len() - 1) / 2])
}

fn shown(value: Option<f64>) -> String {
    value.map_or_else(|| "-".to_owned(), |value| format!("{value:.2}"))
}

impl World {
    fn read(file: &str, outcome: &str, options: &HashMap<&str, &str>, noise: f64) -> Self {
        let bytes = std::fs::read(file).unwrap();
        let table = read_bytes(file, &bytes, &ReadOptions::default().text("id")).unwrap();
        let log = options.get("log") == Some(&"1");
        let scaled = |y: f64| if log { y.log2() } else { y };
        let means = table.numbers(outcome).unwrap().into_iter().map(scaled);
        let truth = table.texts("id").unwrap().into_iter().zip(means).collect();
        let mut repeats: HashMap<String, Vec<f64>> = HashMap::new();
        if let Some(file) = options.get("repeats") {
            let bytes = std::fs::read(file).unwrap();
            let table = read_bytes(file, &bytes, &ReadOptions::default().text("id")).unwrap();
            for (id, y) in table.texts("id").unwrap().into_iter().zip(table.numbers("y").unwrap()) {
                repeats.entry(id).or_default().push(scaled(y));
            }
        }
        let aim = if options.get("aim") == Some(&"min") { Aim::Minimise } else { Aim::Maximise };
        Self {
            pool: Attachment::new("pool.csv", bytes),
            outcome: outcome.to_owned(),
            truth,
            repeats,
            noise,
            aim,
        }
    }

    fn measured(&self, id: &str, random: &mut Stream) -> f64 {
        match self.repeats.get(id) {
            Some(repeats) => repeats[random.below(repeats.len() as u64) as usize],
            None => self.truth[id] + self.noise * normal(random),
        }
    }

    /// How far a candidate is from the best.
    fn gap(&self, id: &str) -> f64 {
        let sign = if self.aim == Aim::Maximise { 1.0 } else { -1.0 };
        let best = self.truth.values().map(|y| sign * y).fold(f64::MIN, f64::max);
        best - sign * self.truth[id]
    }
}

fn run(world: &World, options: &HashMap<&str, &str>, seed: u64) -> Run {
    let number = |key: &str, default: f64| options.get(key).map_or(default, |text| text.parse().unwrap());
    let is = |key: &str| options.get(key) == Some(&"1");
    let mut pool = PoolSpec::default();
    pool.columns = pool.columns.id("id");
    pool.columns.standardize = is("standardize");
    if is("categories") {
        pool.columns.one_hot = OneHot::AllText;
    }
    if options.get("kernel") == Some(&"linear") {
        pool.model = Model::Linear;
    }
    let folder = tempfile::tempdir().unwrap();
    let begun = Instant::now();
    let draft =
        Draft::read(world.pool.clone(), None, pool, &world.outcome, Mode::Certified, None, seed).unwrap();
    let assumed = AssumptionSpec {
        sigma: Some(number("sigma", 1.0)),
        norm: Some(number("norm", 1.0)),
        tails: Tails::SubGaussian,
        ..AssumptionSpec::default()
    };
    let spec = Spec::new("table", &world.outcome, world.aim, draft.recipe().clone())
        .goal(Goal::Best { epsilon: number("epsilon", 0.0) })
        .delta(number("delta", 0.05))
        .assumed(assumed)
        .seed(seed);
    let mut campaign: Campaign =
        draft.create(folder.path().join("table.elfving"), spec, None, At(0)).unwrap();
    if seed == 0 {
        println!("model: {}", campaign.model_in_words().unwrap());
    }
    let mut random = stream(seed, 0, Purpose::new("example-noise"));
    let mut run = Run { slowest: begun.elapsed(), ..Run::default() };
    let (most, batch) = (number("most", 600.0) as u64, number("batch", 10.0) as usize);
    while run.measured < most {
        let begun = Instant::now();
        let rows = campaign.ask(Some(batch.min((most - run.measured) as usize)), At(1)).unwrap().rows;
        if rows.is_empty() {
            break;
        }
        let outcomes: Vec<(String, Outcome)> = rows
            .iter()
            .map(|row| (row.slot.clone(), Outcome::from(world.measured(&row.id, &mut random))))
            .collect();
        let outcomes: Vec<(&str, Outcome)> =
            outcomes.iter().map(|(slot, y)| (slot.as_str(), y.clone())).collect();
        campaign.tell_outcomes(&outcomes, &TellOptions::default(), At(2)).unwrap();
        run.slowest = run.slowest.max(begun.elapsed());
        run.measured += outcomes.len() as u64;
        let status = campaign.status().unwrap();
        let gap = status.picks.iter().map(|id| world.gap(id)).fold(0.0, f64::max);
        if is("trace") {
            let ahead = status.bets.iter().map(|bet| bet.nats).fold(f64::NEG_INFINITY, f64::max);
            let check = status.data_check.as_ref().map_or(0.0, |check| check.log_evidence_ratio);
            println!(
                "seed {seed}, {:>3} measurements: epsilon {}, gap {gap:.2}, bets ahead {ahead:.1}, check {check:.1}",
                run.measured,
                shown(status.epsilon)
            );
        }
        run.wrong |= status.epsilon.is_some_and(|epsilon| gap > epsilon);
        if status.guarantee == Guarantee::Withdrawn && run.refuted.is_none() {
            run.refuted = Some(run.measured);
        }
        if status.goal_reached && run.reached.is_none() {
            run.reached = Some(run.measured);
        }
        while LOOKS.get(run.looks.len()).is_some_and(|look| run.measured >= *look) {
            run.looks.push(Some((status.epsilon, gap)));
        }
        if run.refuted.is_some() {
            break;
        }
    }
    run
}

/// A standard normal number, by Box and Muller.
fn normal(random: &mut Stream) -> f64 {
    let unit = |random: &mut Stream| (random.below(1 << 53) as f64 + 0.5) / (1u64 << 53) as f64;
    let (a, b) = (unit(random), unit(random));
    (-2.0 * a.ln()).sqrt() * (std::f64::consts::TAU * b).cos()
}
