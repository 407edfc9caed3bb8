//! The arguments of `elfving simulate`, checked once.

use std::path::PathBuf;

use elfving::bandit::{Goal, Question};
use elfving::named::UnknownName;
use elfving::units::{Confidence, InvalidValue, Ridge};
use elfving_lab::AnyAlgorithm;
use elfving_lab::simulate::{Environment, Simulation};

use super::SimulateArgs;
use crate::assumption_args::AssumptionValues;
use crate::console::Console;
use crate::error::CliError;
use crate::limits;
use crate::output::{FileFormat, Format, answer_file, picture_file};
use crate::pool_source::LoadedPool;

/// What is to be done, every value valid.
pub(super) struct Settings {
    pub(super) goal: Goal,
    pub(super) budget: u64,
    pub(super) batch: usize,
    pub(super) repetitions: usize,
    pub(super) simulation: Simulation,
    delta: Confidence,
    gamma: Option<Ridge>,
    pub(super) format: Format,
    pub(super) out: Option<(PathBuf, FileFormat)>,
    pub(super) plot: Option<(PathBuf, elfving_plot::Format)>,
}

impl Settings {
    /// Refuses what cannot work before any file is read.
    pub(super) fn resolve(args: &SimulateArgs, as_json: bool) -> Result<Self, CliError> {
        let runs = &args.runs;
        for (option, value, most) in [
            ("--budget", runs.budget, limits::MOST_MEASUREMENTS),
            ("--batch", runs.batch as u64, limits::MOST_MEASUREMENTS),
            ("--repetitions", runs.repetitions as u64, limits::MOST_REPETITIONS),
        ] {
            limits::check(option, value, most)?;
        }
        if let Some(sigma) = &args.assumptions.sigma {
            sigma.check()?;
        }
        let goal = args.goal.goal(args.goal.epsilon.unwrap_or(0.0), Some(runs.budget))?;
        Ok(Self {
            goal,
            budget: runs.budget,
            batch: runs.batch,
            repetitions: runs.repetitions,
            simulation: Simulation::new(runs.budget)
                .batch(runs.batch)
                .repeats(runs.repetitions)
                .seed(runs.seed),
            delta: Confidence::new(args.assumptions.delta)?,
            gamma: runs.gamma.map(Ridge::new).transpose()?,
            format: args.output.format_or(Format::Table, as_json)?,
            out: answer_file(args.output.out.as_ref(), "curves are")?,
            plot: picture_file(args.plot.plot.as_ref())?,
        })
    }

    /// What the algorithms are asked and told.
    pub(super) fn question(
        &self,
        args: &SimulateArgs,
        loaded: &LoadedPool,
        world: &Environment,
        console: Console,
    ) -> Result<Question, CliError> {
        let assumed = &args.assumptions;
        let bound = assumed.bound.unwrap_or_else(|| {
            let largest = world.largest_mean();
            let bound = if largest > 0.0 { largest } else { 1.0 };
            console.note(format!("--bound {bound} is taken from the truth, which in practice is unknown"));
            bound
        });
        let (of_world, tails) = world.noise_level();
        let sigma = match &assumed.sigma {
            Some(sigma) => sigma.largest(loaded.table())?,
            None => of_world,
        };
        if assumed.sigma.is_some() && sigma != of_world {
            console.note(format!(
                "the algorithms assume --sigma {sigma}; the noise of the world is {of_world} (--world-sigma)"
            ));
        }
        let assumptions = AssumptionValues {
            sigma,
            bound: Some(bound),
            norm: assumed.norm,
            misspecification: assumed.misspecification.unwrap_or(0.0),
            tails: assumed.noise.unwrap_or(tails),
        }
        .assumptions()?;
        let question = Question::new((*loaded.pool).clone(), assumptions, self.goal)?.delta(self.delta);
        Ok(match self.gamma {
            Some(gamma) => question.gamma(gamma),
            None => question,
        })
    }
}

/// An algorithm by its name, or `auto`, for which there is none yet.
pub(super) fn algorithm(name: &str) -> Result<Option<AnyAlgorithm>, String> {
    if name == "auto" {
        return Ok(None);
    }
    let unknown = |error: UnknownName| format!("the algorithms are auto, {}", error.names.join(", "));
    name.parse().map(Some).map_err(unknown)
}

/// σ is checked where the world is built, too.
pub(super) fn positive_sigma(sigma: f64) -> Result<f64, InvalidValue> {
    if sigma >= 0.0 && sigma.is_finite() { Ok(sigma) } else { Err(InvalidValue::Sigma { got: sigma }) }
}
