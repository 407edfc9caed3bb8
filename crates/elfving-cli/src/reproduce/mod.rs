//! `elfving reproduce`: the paper's experiments and ours, as numbers, figures and claims.

mod summary;

use std::fs;
use std::path::{Path, PathBuf};

use clap::Args;
use elfving_lab::experiments::{Experiment, ExperimentError, Findings, Settings, csv, csv_of_all, figure};
use elfving_plot::Format as PictureFormat;
use serde::Serialize;

use crate::console::Console;
use crate::error::{CliError, write_error};
use crate::named::{NameOr, named_or};
use crate::output::{self, Format, FormatArgs};
use elfving_problem::codes::code_of;

/// Arguments of `elfving reproduce`.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  elfving reproduce kernel --out figures
      the paper's second experiment, with its 40 repetitions
  elfving reproduce all --out figures --repetitions 400
      everything, with tight error bars

For each experiment DIR gets NAME.csv and NAME.json with all numbers, and NAME-PANEL.svg and .png with the
figures: means with bands of one standard error, as in the paper. The same seed gives the same numbers.")]
pub(crate) struct ReproduceArgs {
    /// Which experiment
    #[arg(value_parser = named_or::<Experiment>("all", "All of them"))]
    experiment: NameOr<Experiment>,
    /// The folder for numbers and figures; created if needed
    #[arg(long, value_name = "DIR")]
    out: PathBuf,
    /// How often each simulation is run (default: as in the paper)
    #[arg(long, value_name = "N")]
    repetitions: Option<usize>,
    /// The seed of everything random
    #[arg(long, value_name = "S", default_value_t = 0)]
    seed: u64,
    #[command(flatten)]
    printed: FormatArgs,
}

/// What is printed with `--format json`.
#[derive(Debug, Serialize)]
struct Reproduced {
    experiments: Vec<Findings>,
    /// The files written, without their folder.
    files: Vec<String>,
}

pub(crate) fn run(args: &ReproduceArgs, as_json: bool, console: Console) -> Result<(), CliError> {
    let format = args.printed.format_or(Format::Table, as_json)?;
    let settings = Settings { repeats: args.repetitions, seed: args.seed };
    fs::create_dir_all(&args.out).map_err(|source| CliError::write(&args.out, source))?;
    let mut all = Reproduced { experiments: Vec::new(), files: Vec::new() };
    let experiments = match args.experiment {
        NameOr::Name(one) => vec![one],
        NameOr::Word => Experiment::ALL.to_vec(),
    };
    for experiment in experiments {
        let bar = console.bar(experiment.name(), experiment.steps(&settings));
        let findings = experiment.run(&settings, &|| bar.step()).map_err(explain)?;
        drop(bar);
        write(&findings, &args.out, &mut all.files)?;
        // One after the other, as they are found.
        if format == Format::Table {
            output::print(summary::text(&findings))?;
        }
        all.experiments.push(findings);
    }
    let csv = || csv_of_all(&all.experiments).map_err(write_error(PathBuf::from(output::STDOUT)));
    let files = || format!("written to {}: {}\n", args.out.display(), all.files.join(", "));
    args.printed.print(as_json, &all, csv, files)
}

/// Numbers and figures of one experiment.
fn write(findings: &Findings, folder: &Path, files: &mut Vec<String>) -> Result<(), CliError> {
    let name = findings.experiment;
    let mut file = |file: String, bytes: &[u8]| {
        output::write_file(&folder.join(&file), bytes)?;
        files.push(file);
        Ok::<(), CliError>(())
    };
    let table = csv(findings).map_err(write_error(folder.join(format!("{name}.csv"))))?;
    file(format!("{name}.csv"), &table)?;
    file(format!("{name}.json"), &output::json_file(findings))?;
    for panel in &findings.panels {
        let picture = figure(panel)?;
        for (extension, format) in [("svg", PictureFormat::Svg), ("png", PictureFormat::Png)] {
            file(format!("{name}-{}.{extension}", panel.name), &picture.to_bytes(format)?)?;
        }
    }
    Ok(())
}

fn explain(error: ExperimentError) -> CliError {
    let (kind, message) = (error.kind(), error.to_string());
    match error {
        ExperimentError::Repeats { .. } => {
            CliError::refused(kind, code_of(kind), message, "give --repetitions 2 or more")
        }
        ExperimentError::Picture(error) => error.into(),
        _ => CliError::refused(kind, code_of(kind), message, "try another --seed"),
    }
}
