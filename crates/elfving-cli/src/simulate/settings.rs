//! The arguments of `elfving simulate`, checked once.

use std::path::PathBuf;

use elfving::bandit::{BanditError, Goal, Question};
use elfving::estimate::Tails;
use elfving::units::{Confidence, InvalidValue, Ridge};
use elfving_lab::AnyAlgorithm;
use elfving_lab::simulate::{Environment, Simulation};

use super::{GoalName, SimulateArgs};
use crate::error::CliError;
use crate::output::{FileFormat, Format, answer_file, picture_file};
use crate::pool_source::LoadedPool;
use crate::talk::Talk;
use crate::vouched::Vouched;

/// What is to be done, every value valid.
pub(super) struct Settings {
    pub(super) goal: Goal,
    pub(super) budget: u64,
    pub(super) batch: usize,
    pub(super) repeats: usize,
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
        for (option, value) in
            [("--budget", runs.budget), ("--batch", runs.batch as u64), ("--repeats", runs.repeats as u64)]
        {
            if value == 0 {
                return Err(CliError::usage(
                    "E201",
                    format!("{option} must be at least 1"),
                    "give a number >= 1",
                ));
            }
        }
        let epsilon = runs.epsilon;
        let goal = match runs.goal {
            GoalName::Regret => Goal::Regret { horizon: Some(runs.budget) },
            GoalName::Best => Goal::Best { epsilon },
            GoalName::Top => Goal::Top { count: runs.top, epsilon },
            GoalName::AllGood => Goal::AllGood { epsilon },
            GoalName::Map => Goal::Map { epsilon },
        };
        let goal = goal.check(usize::MAX).map_err(|error| refused_goal(&error))?;
        Ok(Self {
            goal,
            budget: runs.budget,
            batch: runs.batch,
            repeats: runs.repeats,
            simulation: Simulation::new(runs.budget).batch(runs.batch).repeats(runs.repeats).seed(runs.seed),
            delta: Confidence::new(args.vouched.delta)?,
            gamma: args.vouched.gamma.map(Ridge::new).transpose()?,
            format: match (as_json, args.output.csv) {
                (true, _) => Format::Json,
                (_, true) => Format::Csv,
                _ => args.output.format,
            },
            out: answer_file(args.output.out.as_ref(), "curves are")?,
            plot: picture_file(args.output.plot.as_ref())?,
        })
    }

    /// What the algorithms are asked and told.
    pub(super) fn question(
        &self,
        args: &SimulateArgs,
        loaded: &LoadedPool,
        world: &Environment,
        talk: Talk,
    ) -> Result<Question, CliError> {
        let vouched = &args.vouched;
        let bound = vouched.bound.unwrap_or_else(|| {
            let largest = world.largest_mean();
            let bound = if largest > 0.0 { largest } else { 1.0 };
            talk.note(format!("--bound {bound} is taken from the truth, which in practice nobody knows"));
            bound
        });
        let (sigma, tails) = world.noise_level();
        let assumptions = Vouched {
            sigma: vouched.assumed_sigma.unwrap_or(sigma),
            bound: Some(bound),
            norm: vouched.norm,
            misspecification: vouched.misspecification,
            tails: if vouched.bounded_variance { Tails::BoundedVariance } else { tails },
        }
        .assumptions()?;
        let question = Question::new(loaded.pool.clone(), assumptions, self.goal)
            .map_err(|error| refused_goal(&error))?
            .delta(self.delta);
        Ok(match self.gamma {
            Some(gamma) => question.gamma(gamma),
            None => question,
        })
    }
}

fn refused_goal(error: &BanditError) -> CliError {
    CliError::usage("E201", error.to_string(), "see --goal, --epsilon and --top")
}

/// An algorithm by its name, or `auto`, for which there is none yet.
pub(super) fn algorithm(name: &str) -> Result<Option<AnyAlgorithm>, String> {
    match (name, AnyAlgorithm::from_name(name)) {
        ("auto", _) => Ok(None),
        (_, Some(algorithm)) => Ok(Some(algorithm)),
        _ => {
            let names: Vec<&str> = AnyAlgorithm::all().map(AnyAlgorithm::name).collect();
            Err(format!("the algorithms are auto, {}", names.join(", ")))
        }
    }
}

/// σ is checked where the world is built, too.
pub(super) fn positive_sigma(sigma: f64) -> Result<f64, InvalidValue> {
    if sigma >= 0.0 && sigma.is_finite() { Ok(sigma) } else { Err(InvalidValue::Sigma { got: sigma }) }
}
