//! A calibrated campaign over pipes, for `cargo xtask peers campaigns`: a line of `[[row, outcome], ..]` in, a line of
//! `{"pick": row, "next": [row, ..], "intervals": [[row, lower, upper], ..]}` out. Rows are counted from 0; large outcomes are good.

use std::io::{BufRead, Write};
use std::path::PathBuf;

use clap::Parser;
use elfving::bandit::{Algorithm, Bandit, Calibrated, CalibratedSettings, Goal, Reading, SlotId};
use elfving::numerics::Matrix;
use elfving::pool::PointId;
use elfving::surrogate::Space;
use elfving_table::{LogBase, OneHot, PoolOptions, PoolTable, ReadOptions, read_pool};

#[derive(Parser)]
struct Args {
    #[arg(long)]
    pool: PathBuf,
    /// The columns of the candidates; text is a category
    #[arg(long, value_delimiter = ',')]
    columns: Vec<String>,
    /// Those on a log scale
    #[arg(long, value_delimiter = ',')]
    logs: Vec<String>,
    /// A column that is 1 for the rows that can be measured
    #[arg(long)]
    points: Option<String>,
    /// A column that is 1 for the rows to choose among
    #[arg(long)]
    choices: Option<String>,
    #[arg(long, default_value = "calibrated")]
    algorithm: String,
    #[arg(long, default_value_t = 10)]
    batch: usize,
    #[arg(long)]
    budget: u64,
    #[arg(long, default_value_t = 0)]
    seed: u64,
}

/// The rows of a role: those with a 1 in its column, or all.
fn rows_of(pool: &PoolTable, column: Option<&String>) -> Result<Vec<usize>, Box<dyn std::error::Error>> {
    let Some(column) = column else { return Ok((0..pool.ids.len()).collect()) };
    let marks = pool.table.numbers(column)?;
    Ok((0..marks.len()).filter(|&row| marks[row] == 1.0).collect())
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let args = Args::parse();
    let mut options = PoolOptions::default().features(args.columns).one_hot(OneHot::AllText);
    for column in args.logs.into_iter().filter(|column| !column.is_empty()) {
        options = options.log_scale(column, LogBase::Two);
    }
    let pool = read_pool(&args.pool, &ReadOptions::default(), &options)?;
    let (points, choices) = (rows_of(&pool, args.points.as_ref())?, rows_of(&pool, args.choices.as_ref())?);
    let columns = |rows: &[usize]| {
        let some = Matrix::from_fn(rows.len(), pool.features.columns(), |i, j| pool.features[(rows[i], j)]);
        let only = |codes: &Vec<u32>| rows.iter().map(|&row| codes[row]).collect();
        let codes: Vec<Vec<u32>> = pool.codes.iter().map(only).collect();
        pool.encoding.surrogate_columns(&some, &codes)
    };
    let others = (points != choices).then(|| columns(&choices));
    let space = Space::new(&columns(&points), others.as_ref())?;
    let Ok(Algorithm::Calibrated(strategy)) = args.algorithm.parse() else {
        return Err(format!("{} is not a calibrated algorithm", args.algorithm).into());
    };
    let settings = CalibratedSettings::default().strategy(strategy).budget(args.budget).seed(args.seed);
    let mut bandit = Bandit::new(Box::new(Calibrated::new(space, Goal::Best { epsilon: 0.0 }, settings)?));

    let mut asked: Vec<SlotId> = Vec::new();
    let mut measured = 0;
    for line in std::io::stdin().lock().lines() {
        let outcomes: Vec<(usize, f64)> = serde_json::from_str(&line?)?;
        measured += outcomes.len() as u64;
        if asked.is_empty() {
            let place =
                |row| points.iter().position(|&point| point == row).expect("a row that can be measured");
            let earlier: Vec<_> =
                outcomes.iter().map(|&(row, y)| (PointId::new(place(row)), Reading::Value(y))).collect();
            bandit.earlier(&earlier)?;
        }
        for (slot, (_, outcome)) in asked.iter().zip(outcomes) {
            bandit.tell(*slot, outcome)?;
        }
        let report = bandit.report();
        let pick = choices[report.picks[0].index()];
        let intervals: Vec<_> = report
            .intervals
            .iter()
            .map(|found| (choices[found.choice.index()], found.lower, found.upper))
            .collect();
        let slots = if measured < args.budget { bandit.ask(args.batch)? } else { Vec::new() };
        asked = slots.iter().map(|slot| slot.id).collect();
        let next: Vec<usize> = slots.iter().map(|slot| points[slot.point.index()]).collect();
        println!("{}", serde_json::json!({ "pick": pick, "next": next, "intervals": intervals }));
        std::io::stdout().flush()?;
    }
    Ok(())
}
