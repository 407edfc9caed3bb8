//! `elfving pool`: candidates from factors.

use std::io::Write;
use std::path::PathBuf;

use clap::Args;
use comfy_table::{Table as Printed, presets};
use elfving_problem::factors::{
    Factor, FactorError, Factors, Mixture, Rows, SampleMethod, Selection, USUAL_LEVELS,
};
use elfving_table::{Condition, ReadOptions, Table};
use serde_json::{Map, Value, json};

use crate::console::Console;
use crate::error::{CliError, write_error};
use crate::input;
use crate::named::named;
use crate::output::{self, FileFormat, Format, OutputArgs, answer_file};
use crate::words::{counted, trimmed};

/// Arguments of `elfving pool`.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  elfving pool --factor temp=20:100:20 --factor base=K2CO3,KOAc,CsOPiv > grid.csv
      every combination: 15 candidates, with ids
  elfving pool --factor a=-1:1 --factor b=-1:1 --factor c=-1:1 --where \"a + b <= 1\" --out grid.csv
      three levels each, and only what can be made
  elfving pool --mixture A,B,C:0.05 --factor temp=20,80 --sample 200 --out blends.csv
      blends that sum to 1; 200 of the candidates, spread evenly
  elfving pool ranges.csv --levels 5 --out grid.csv
      from a table with the columns factor, low and high

Then: elfving design grid.csv --id id --polynomial-model 2, or elfving new screen grid.csv --id id --maximize yield")]
pub(crate) struct FactorArgs {
    /// A table of factors with the columns factor, low and high, and step or levels if you like (`-` for stdin)
    #[arg(value_name = "RANGES")]
    ranges: Option<PathBuf>,
    /// A factor: NAME=LOW:HIGH:STEP, NAME=LOW:HIGH, NAME=1,2,5 or NAME=red,green (may be repeated)
    #[arg(long, value_name = "FACTOR", allow_hyphen_values = true)]
    factor: Vec<String>,
    /// Columns that sum to 1, and the step: A,B,C:0.05 (may be repeated)
    #[arg(long, value_name = "MIXTURE")]
    mixture: Vec<String>,
    /// Levels of a range without a step
    #[arg(long, value_name = "N", default_value_t = USUAL_LEVELS)]
    levels: usize,
    /// Keep only combinations that meet a condition, such as \"A + B <= 0.6\" (may be repeated)
    #[arg(long = "where", value_name = "CONDITION")]
    conditions: Vec<Condition>,
    /// Take a regular fraction, 1/2 or 1/4 (factors with 2 levels), 1/3 or 1/9 (with 3)
    #[arg(long, value_name = "1/N", conflicts_with = "sample")]
    fraction: Option<String>,
    /// Take so many combinations, spread evenly
    #[arg(long, value_name = "N")]
    sample: Option<usize>,
    /// How a sample is spread
    #[arg(long, default_value = "sobol", requires = "sample", value_parser = named::<SampleMethod>())]
    method: SampleMethod,
    /// The seed of a sample
    #[arg(long, default_value_t = 0, requires = "sample")]
    seed: u64,
    /// The name of the column of ids
    #[arg(long, value_name = "COLUMN", default_value = "id")]
    id: String,
    /// How many rows a table for people shows
    #[arg(long, value_name = "N", default_value_t = 10)]
    show: usize,
    #[command(flatten)]
    output: OutputArgs,
}

impl From<FactorError> for CliError {
    fn from(error: FactorError) -> Self {
        Self::refused(error.kind(), "E213", error.message, error.help)
    }
}

pub(crate) fn run(args: &FactorArgs, as_json: bool, console: Console) -> Result<(), CliError> {
    let format = args.output.format_or(Format::Csv, as_json)?;
    let out = answer_file(args.output.out.as_ref(), "candidates are")?;
    let factors = factors(args)?;
    let rows = factors.rows()?;
    console.line(size(args, &factors, rows.len()));
    if let Some((path, of_file)) = &out {
        output::write_file_with(path, |file| match of_file {
            FileFormat::Csv => write_csv(&rows, file),
            FileFormat::Json => file.write_all(&output::json_file(&document(&factors, &rows))),
        })?;
        // A file that was asked for is enough, unless stdout was asked for, too.
        if args.output.printed.format.is_none() && !as_json {
            return Ok(());
        }
    }
    match format {
        Format::Json => output::print(output::json_line(&document(&factors, &rows))),
        Format::Csv => print_csv(&rows),
        Format::Table => output::show(shown(&rows, args.show)),
    }
}

fn factors(args: &FactorArgs) -> Result<Factors, CliError> {
    let mut factors = Vec::new();
    if let Some(path) = &args.ranges {
        factors.extend(Factor::of_table(&input::table(path, &ReadOptions::default())?, args.levels)?);
    }
    for text in &args.factor {
        factors.push(Factor::parse(text, args.levels)?);
    }
    let mixtures: Result<Vec<Mixture>, FactorError> =
        args.mixture.iter().map(|text| Mixture::parse(text)).collect();
    let selection = match (&args.fraction, args.sample) {
        (Some(text), _) => Selection::Fraction { one_in: one_in(text)? },
        (None, Some(rows)) => Selection::Sample { rows, method: args.method, seed: args.seed },
        (None, None) => Selection::All,
    };
    let made = Factors::new(factors, mixtures?)?.id(&args.id)?.select(selection);
    Ok(args.conditions.iter().cloned().fold(made, Factors::only))
}

/// `1/4` is one in 4.
fn one_in(text: &str) -> Result<u64, CliError> {
    let parsed = text.strip_prefix("1/").and_then(|n| n.trim().parse().ok()).filter(|&n: &u64| n > 1);
    parsed.ok_or_else(|| {
        CliError::usage(
            "E213",
            format!("{text:?} is not a fraction of the combinations"),
            "write 1/2, 1/4 or 1/3",
        )
    })
}

/// How many candidates there are, and of how many combinations.
fn size(args: &FactorArgs, factors: &Factors, rows: usize) -> String {
    let combinations = factors.combinations();
    let meeting = if args.conditions.is_empty() { "" } else { " that meet every condition" };
    match (&args.fraction, args.sample) {
        (Some(fraction), _) => {
            format!("{}: {fraction} of {combinations} combinations{}", counted(rows, "candidate"), meeting)
        }
        (None, Some(_)) => {
            format!("{}: a sample of {combinations} combinations{meeting}", counted(rows, "candidate"))
        }
        (None, None) if rows as u64 == combinations => {
            format!("{}: every combination", counted(rows, "candidate"))
        }
        (None, None) => format!("{} of {combinations} combinations{meeting}", counted(rows, "candidate")),
    }
}

fn write_csv(rows: &Rows<'_>, mut to: impl Write) -> std::io::Result<()> {
    for (k, block) in rows.blocks().enumerate() {
        to.write_all(&csv_block(&block, k == 0).map_err(std::io::Error::other)?)?;
    }
    Ok(())
}

fn print_csv(rows: &Rows<'_>) -> Result<(), CliError> {
    for (k, block) in rows.blocks().enumerate() {
        output::print(csv_block(&block, k == 0).map_err(write_error(PathBuf::from(output::STDOUT)))?)?;
    }
    Ok(())
}

/// A block as lines; only the first has the header.
fn csv_block(block: &Table, header: bool) -> Result<Vec<u8>, elfving_table::WriteError> {
    let bytes = block.write_csv(Vec::new(), block.dialect())?;
    let skip = if header { 0 } else { bytes.iter().position(|&byte| byte == b'\n').map_or(0, |at| at + 1) };
    Ok(bytes[skip..].to_vec())
}

fn document(factors: &Factors, rows: &Rows<'_>) -> Value {
    let mut listed = Vec::with_capacity(rows.len());
    for block in rows.blocks() {
        let names: Vec<&str> = block.columns().iter().map(|column| column.name()).collect();
        for row in 0..block.rows() {
            let cell = |(name, cell): (&&str, elfving_table::Cell<'_>)| {
                let value = match cell {
                    elfving_table::Cell::Number(x) => json!(x),
                    other => json!(other.to_string()),
                };
                ((*name).to_owned(), value)
            };
            listed.push(Value::Object(names.iter().zip(block.cells(row)).map(cell).collect::<Map<_, _>>()));
        }
    }
    json!({
        "columns": factors.names().collect::<Vec<_>>(),
        "id": factors.id_name(),
        "combinations": factors.combinations(),
        "size": rows.len(),
        "rows": listed,
    })
}

fn shown(rows: &Rows<'_>, show: usize) -> String {
    let block = rows.block(0..show.min(rows.len()));
    let mut printed = Printed::new();
    printed.load_style(presets::NOTHING);
    printed.set_header(block.columns().iter().map(|column| column.name().to_owned()));
    for row in 0..block.rows() {
        printed.add_row(block.cells(row).map(|cell| cell.to_string()).collect::<Vec<_>>());
    }
    let more = match rows.len() - block.rows() {
        0 => String::new(),
        more => format!("and {more} more\n"),
    };
    format!("{}\n{more}", trimmed(&printed))
}
