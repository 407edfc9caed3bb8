//! The world of a simulation: a truth in a column, and noise.

use std::path::{Path, PathBuf};

use clap::Args;
use elfving::units::ErrorKind;
use elfving_lab::simulate::{Environment, LawName, SimulationError};
use elfving_table::{Code, Problem, TableError, nearest};

use super::settings::positive_sigma;
use crate::error::CliError;
use crate::input;
use crate::named::named;
use crate::pool_source::LoadedPool;
use crate::truth::TruthArgs;
use elfving_problem::codes::code_of;

/// How outcomes come about.
#[derive(Debug, Args)]
#[command(next_help_heading = "World")]
pub(super) struct WorldArgs {
    #[command(flatten)]
    truth: TruthArgs,
    /// Recorded outcomes: a table with the ids and the outcome, several lines for each candidate; a measurement returns one
    /// of them
    #[arg(long, help_heading = "World", value_name = "FILE", conflicts_with_all = ["world_noise", "world_tail", "world_sigma"])]
    records: Option<PathBuf>,
    /// The law of the noise in the simulated world
    #[arg(long, help_heading = "World", value_parser = named::<LawName>(), default_value = "normal")]
    world_noise: LawName,
    /// Its parameter: degrees of freedom of student-t (default 3), shape of pareto (3), probability of two-point (0.01)
    #[arg(long, help_heading = "World", value_name = "X", allow_negative_numbers = true)]
    world_tail: Option<f64>,
    /// The standard deviation of the noise in the simulated world
    #[arg(
        long,
        help_heading = "World",
        value_name = "S",
        default_value_t = 0.1,
        allow_negative_numbers = true
    )]
    world_sigma: f64,
    /// Move every true mean up or down by this much, at random: a truth outside the model
    #[arg(
        long,
        help_heading = "World",
        value_name = "H",
        default_value_t = 0.0,
        allow_negative_numbers = true
    )]
    perturb: f64,
}

impl WorldArgs {
    /// The column of the pool that is no feature, unless the truth is in records.
    pub(super) fn truth_in_pool(&self) -> Result<Option<&str>, CliError> {
        let column = self.column()?;
        Ok(self.records.is_none().then_some(column))
    }

    /// The column of the truth, which the parser asks for.
    fn column(&self) -> Result<&str, CliError> {
        Ok(self.truth.column()?.expect("the parser asks for it"))
    }

    pub(super) fn build(&self, loaded: &LoadedPool, seed: u64) -> Result<Environment, CliError> {
        let sign = self.truth.aim.sign();
        let mut environment = match &self.records {
            Some(path) => self.with_records(path, loaded, sign)?,
            None => self.with_law(loaded)?,
        };
        if let Some(table) = loaded.target_table() {
            let means = table.numbers(self.column()?)?;
            environment = environment.choices(signed(means, sign)).map_err(refused)?;
        }
        environment.misspecified(self.perturb, seed).map_err(refused)
    }

    /// The truth is a column of the pool, the noise a law.
    fn with_law(&self, loaded: &LoadedPool) -> Result<Environment, CliError> {
        let means = self.truth.means(loaded)?.expect("the parser asks for it");
        let environment = Environment::new(means).map_err(refused)?;
        let sigma = positive_sigma(self.world_sigma)?;
        let noisy = match self.world_noise.law(self.world_tail) {
            Some(law) => environment.noise(law, sigma),
            None => environment.bernoulli(),
        };
        noisy.map_err(refused)
    }

    /// The truth is the mean of the recorded outcomes.
    fn with_records(&self, path: &Path, loaded: &LoadedPool, sign: f64) -> Result<Environment, CliError> {
        let id = loaded.id_column().ok_or_else(|| {
            CliError::usage("E202", "--records is matched by ids", "name the column of ids with --id")
        })?;
        let table = input::table(path, &loaded.reading())?;
        let (ids, outcomes) = (table.texts(id)?, table.numbers(self.column()?)?);
        let rows = loaded.names().index();
        let mut records = vec![Vec::new(); loaded.pool.len()];
        for (line, (name, outcome)) in ids.iter().zip(outcomes).enumerate() {
            let Some(row) = rows.get(name) else {
                let unknown = format!("{name:?} is not a candidate of the pool");
                let mut problem = Problem::new(Code::UnknownId, table.file(), unknown);
                if let Some(similar) = nearest(name, loaded.ids().iter()) {
                    problem = problem.help(format!("did you mean {similar:?}?"));
                }
                return Err(TableError::from(problem.at(table.place(line)).column(id)).into());
            };
            records[row].push(sign * outcome);
        }
        if let Some(row) = records.iter().position(Vec::is_empty) {
            let message = format!("{}: candidate {:?} has no outcome", table.file(), &loaded.ids()[row]);
            return Err(CliError::data("E354", message, "every candidate needs at least one"));
        }
        Environment::repeats(records).map_err(refused)
    }
}

fn signed(means: Vec<f64>, sign: f64) -> Vec<f64> {
    means.into_iter().map(|mean| sign * mean).collect()
}

fn refused(error: SimulationError) -> CliError {
    let kind = error.kind();
    let help = if kind == ErrorKind::Data { "look at the column of the truth" } else { "see --help" };
    CliError::refused(kind, code_of(kind), error.to_string(), help)
}
