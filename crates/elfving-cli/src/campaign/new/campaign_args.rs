//! The question of a campaign, on the command line.

use clap::Args;
use elfving::bandit::{Goal, GoalName};
use elfving::estimate::Tails;
use elfving::units::{Confidence, InvalidValue, Ridge};
use elfving_campaign::{Aim, AssumptionSpec, Layout, Limits, Mode, Recipe, Spec};
use elfving_table::Table;

use super::super::layout_args::LayoutArgs;
use super::questions::{Question, Questions, count, number};
use super::table_questions;
use crate::assumption_args::{AssumptionArgs, SigmaArg};
use crate::error::CliError;
use crate::goal_args::{AimArgs, GoalArgs};
use crate::limits;
use crate::named::named;

/// Measurements at a time, unless somebody says otherwise: a quarter of a plate of 96 wells.
const USUAL_BATCH: usize = 24;

/// The question of a campaign.
#[derive(Debug, Args)]
#[command(next_help_heading = "Question")]
pub(super) struct CampaignArgs {
    #[command(flatten)]
    aim: AimArgs,
    #[command(flatten)]
    goal: GoalArgs,
    /// Whether the answer is a theorem or practical (default: certified)
    #[arg(long, value_parser = named::<Mode>())]
    mode: Option<Mode>,
    /// The algorithm; `auto` chooses by the assumptions
    #[arg(long, value_name = "NAME", default_value = "auto")]
    algorithm: String,
    #[command(flatten)]
    assumptions: AssumptionArgs,
    /// Between which numbers every outcome lies: bounds sigma by half their distance and clips every interval
    #[arg(long, value_name = "LOW,HIGH", value_parser = range, allow_hyphen_values = true, help_heading = "Assumptions")]
    range: Option<(f64, f64)>,
    /// The ridge (default: chosen by the algorithm)
    #[arg(long, value_name = "G", allow_negative_numbers = true, help_heading = "Campaign")]
    gamma: Option<f64>,
    /// Measurements at a time [default: 24]
    #[arg(long, short = 'n', value_name = "N", help_heading = "Campaign")]
    batch: Option<usize>,
    /// Measurements in all, at most
    #[arg(long, value_name = "N", help_heading = "Campaign")]
    budget: Option<u64>,
    /// Advise to stop when another batch gains less than this, in nine cases of ten; in the units of the outcome (calibrated mode)
    #[arg(long, value_name = "X", help_heading = "Campaign")]
    worth: Option<f64>,
    /// Measurements of one candidate in one batch, at most (default in calibrated mode: 3, while there are others)
    #[arg(long, value_name = "N", help_heading = "Campaign")]
    max_repeats: Option<u64>,
    /// Measurements of one candidate in all, at most
    #[arg(long, value_name = "N", help_heading = "Campaign")]
    max_measurements: Option<u64>,
    /// Failures after which a candidate counts as infeasible and is not asked again
    #[arg(long, value_name = "N", default_value_t = 2, help_heading = "Campaign")]
    tries: u64,
    /// The seed of all random choices, run orders included
    #[arg(long, value_name = "S", default_value_t = 0, help_heading = "Campaign")]
    seed: u64,
    #[command(flatten)]
    layout: LayoutArgs,
}

/// The question with nothing missing, every number in its domain.
pub(super) struct CampaignSettings {
    pub(super) outcome: String,
    pub(super) gamma: Option<f64>,
    pub(super) seed: u64,
    pub(super) mode: Mode,
    aim: Aim,
    goal: Goal,
    assumed: AssumptionSpec,
    sigma: Option<SigmaArg>,
    delta: f64,
    algorithm: String,
    batch: usize,
    budget: Option<u64>,
    worth: Option<f64>,
    limits: Limits,
    tries: u64,
    layout: Layout,
}

impl CampaignArgs {
    /// Whether the options name an outcome.
    pub(super) fn names_an_outcome(&self) -> bool {
        self.aim.column().is_some()
    }

    /// Asks for what is missing and refuses what is wrong. The table is there where somebody can be asked.
    pub(super) fn settle(
        &self,
        questions: &mut Questions<'_>,
        table: Option<&Table>,
        id: Option<&str>,
    ) -> Result<CampaignSettings, CliError> {
        // Who is led through the questions is asked for what has a default, too.
        let guided = questions.interactive() && !self.names_an_outcome();
        let (aim, outcome) = self.aim(questions, table, id)?;
        let mode = self.mode(questions)?;
        let batch = match self.batch {
            None if guided => ask_batch(questions)?,
            given => given.unwrap_or(USUAL_BATCH),
        };
        let budget = match self.budget {
            None if guided => ask_budget(questions)?,
            given => given,
        };
        limits::check("--batch", batch as u64, limits::MOST_MEASUREMENTS)?;
        limits::check("--budget", budget.unwrap_or(1), limits::MOST_MEASUREMENTS)?;
        let goal = self.goal(mode, &outcome, budget, questions)?;
        let (assumed, sigma) = self.assumed(mode, questions)?;
        Ok(CampaignSettings {
            outcome,
            gamma: self.gamma.map(Ridge::new).transpose()?.map(Ridge::get),
            seed: self.seed,
            aim,
            goal,
            mode,
            assumed,
            sigma,
            delta: Confidence::new(self.assumptions.delta)?.delta(),
            algorithm: self.algorithm.clone(),
            batch,
            budget,
            worth: self.worth,
            limits: Limits { in_a_batch: self.max_repeats, in_all: self.max_measurements },
            tries: self.tries,
            layout: self.layout.given().over(&Layout::default()),
        })
    }

    fn aim(
        &self,
        questions: &mut Questions<'_>,
        table: Option<&Table>,
        id: Option<&str>,
    ) -> Result<(Aim, String), CliError> {
        Ok(match (&self.aim.maximize, &self.aim.minimize) {
            (Some(outcome), _) => (Aim::Maximise, outcome.clone()),
            (None, Some(outcome)) => (Aim::Minimise, outcome.clone()),
            (None, None) => {
                let option = "--maximize COLUMN (or --minimize COLUMN)";
                let outcome = table_questions::outcome(questions, option, table, id)?;
                let large = match questions.interactive() {
                    true => questions.yes(&Question {
                        option,
                        text: "Are large values good?",
                        help: "yes looks for the largest outcome, no for the smallest.",
                        default: None,
                    })?,
                    false => None,
                };
                (if large.unwrap_or(true) { Aim::Maximise } else { Aim::Minimise }, outcome)
            }
        })
    }

    fn mode(&self, questions: &mut Questions<'_>) -> Result<Mode, CliError> {
        let assumes =
            self.assumptions.noise.is_some() || self.assumptions.sigma.is_some() || self.range.is_some();
        Ok(match self.mode {
            Some(mode) => mode,
            None if questions.interactive() && !assumes => {
                let question = Question {
                    option: "--mode MODE",
                    text: "Calibrated (a fitted model, no proof) or certified (a theorem under your assumptions)?",
                    help: "calibrated is practical: a model is fitted to the data, and nothing is proved. \
                           certified proves its answer, if the noise level and the model that you state are true.",
                    default: None,
                };
                questions.named(&question, &[Mode::Calibrated, Mode::Certified])?.unwrap_or(Mode::Certified)
            }
            None => Mode::Certified,
        })
    }

    /// Epsilon is asked for where it decides when to stop: in the certified mode.
    fn goal(
        &self,
        mode: Mode,
        outcome: &str,
        budget: Option<u64>,
        questions: &mut Questions<'_>,
    ) -> Result<Goal, CliError> {
        let wanted = mode == Mode::Certified && questions.interactive() && self.goal.goal != GoalName::Regret;
        let epsilon = match self.goal.epsilon {
            None if wanted => {
                let question = Question {
                    option: "--epsilon E",
                    text: &format!("How far from the best may the answer be, in units of {outcome}?"),
                    help: "The campaign ends when a candidate is proved to be this close to the best. \
                           0 asks for the best itself, which may take for ever.",
                    default: Some("0"),
                };
                questions.ask(&question, |answer| number(answer, |x| x >= 0.0, "it must be at least 0"))?
            }
            given => given,
        };
        self.goal.goal(epsilon.unwrap_or(0.0), budget)
    }

    /// The certified mode needs to know the noise; the rest may be unknown.
    fn assumed(
        &self,
        mode: Mode,
        questions: &mut Questions<'_>,
    ) -> Result<(AssumptionSpec, Option<SigmaArg>), CliError> {
        let certified = mode == Mode::Certified;
        let given = &self.assumptions;
        let tails = match (given.noise, certified) {
            (Some(tails), _) => tails,
            (None, false) => Tails::BoundedVariance,
            // Whatever lies between two numbers has light tails.
            (None, true) if self.range.is_some() => Tails::SubGaussian,
            (None, true) => {
                let question = Question {
                    option: "--noise sub-gaussian|bounded-variance",
                    text: "Which tails does the noise have?",
                    help: "sub-gaussian: large errors are as rare as for a normal distribution. \
                           bounded-variance: outliers happen, and only the standard deviation is bounded.",
                    default: None,
                };
                questions.named(&question, &Tails::ALL)?.unwrap_or(Tails::SubGaussian)
            }
        };
        let sigma = match &given.sigma {
            None if certified && self.range.is_none() => {
                let question = Question {
                    option: "--sigma X",
                    text: "What is the standard deviation of the noise, at most?",
                    help: "How much the outcome differs when the same candidate is measured again. \
                           `elfving diagnose POOL --measured FILE` estimates it from repeats.",
                    default: None,
                };
                let sigma = questions
                    .ask(&question, |answer| number(answer, |x| x >= 0.0, "it must be at least 0"))?;
                Some(SigmaArg::Number(sigma.unwrap_or(0.0)))
            }
            given => given.clone(),
        };
        sigma.as_ref().map_or(Ok(()), SigmaArg::check)?;
        let asks = |given: Option<f64>, questions: &Questions<'_>| {
            given.is_none() && certified && questions.interactive()
        };
        let positive = |answer: &str| number(answer, |x| x > 0.0, "it must be positive");
        let norm = match tails {
            Tails::SubGaussian if asks(given.norm, questions) => {
                let question = Question {
                    option: "--norm N",
                    text: "What is the norm of the true function, at most?",
                    help: "How large and how rough the truth may be: the length of the coefficients of a linear model, or the norm in the \
                           space of the kernel. `elfving diagnose` suggests one.",
                    default: None,
                };
                questions.ask(&question, positive)?
            }
            _ => given.norm,
        };
        let bound = match tails {
            Tails::BoundedVariance if asks(given.bound, questions) => {
                let question = Question {
                    option: "--bound B",
                    text: "What are the mean outcomes, at most in absolute value?",
                    help: "For a yield in percent, 100.",
                    default: None,
                };
                questions.ask(&question, positive)?
            }
            _ => given.bound,
        };
        let level = match &sigma {
            Some(SigmaArg::Number(sigma)) => Some(checked_sigma(*sigma)?),
            _ => None,
        };
        if let Some(bound) = bound.filter(|bound| !(*bound > 0.0 && bound.is_finite())) {
            return Err(InvalidValue::Bound { got: bound }.into());
        }
        let misspecification = given.misspecification.unwrap_or(0.0);
        Ok((AssumptionSpec { sigma: level, tails, bound, norm, misspecification, range: self.range }, sigma))
    }
}

/// `0,100`.
fn range(text: &str) -> Result<(f64, f64), String> {
    let number = |part: &str| part.trim().parse::<f64>().map_err(|_| format!("{part:?} is not a number"));
    let (low, high) = text.split_once(',').ok_or("write LOW,HIGH, for example 0,100")?;
    let range = (number(low)?, number(high)?);
    match (AssumptionSpec { range: Some(range), ..AssumptionSpec::default() }).range_problem() {
        Some(problem) => Err(problem),
        None => Ok(range),
    }
}

fn ask_batch(questions: &mut Questions<'_>) -> Result<usize, CliError> {
    let question = Question {
        option: "--batch N",
        text: "How many measurements at a time?",
        help: "As many as you make before you look at the results: the wells of a plate, say.",
        default: Some("24"),
    };
    let answer = questions.ask(&question, |answer| count(answer, limits::MOST_MEASUREMENTS))?;
    Ok(answer.map_or(USUAL_BATCH, |batch| batch as usize))
}

fn ask_budget(questions: &mut Questions<'_>) -> Result<Option<u64>, CliError> {
    let question = Question {
        option: "--budget N",
        text: "How many measurements in all, at most?",
        help: "The campaign ends when they are made. `elfving change` raises the number later.",
        default: Some("none"),
    };
    let answer = questions.ask(&question, |answer| match answer {
        "none" => Ok(None),
        answer => count(answer, limits::MOST_MEASUREMENTS).map(Some),
    })?;
    Ok(answer.flatten())
}

fn checked_sigma(sigma: f64) -> Result<f64, InvalidValue> {
    if sigma >= 0.0 && sigma.is_finite() { Ok(sigma) } else { Err(InvalidValue::Sigma { got: sigma }) }
}

impl CampaignSettings {
    /// The column of the noise level, which is no feature.
    pub(super) fn sigma_column(&self) -> Option<&str> {
        self.sigma.as_ref()?.column()
    }

    /// The noise level as one number, now that the pool is there.
    pub(super) fn read_sigma(&mut self, table: Option<&Table>) -> Result<(), CliError> {
        if let Some(sigma) = &self.sigma {
            self.assumed.sigma = Some(checked_sigma(sigma.largest(table)?)?);
        }
        Ok(())
    }

    pub(super) fn spec(self, name: String, recipe: Recipe) -> Spec {
        Spec::new(name, self.outcome, self.aim, recipe)
            .goal(self.goal)
            .mode(self.mode)
            .assumed(self.assumed)
            .delta(self.delta)
            .gamma(self.gamma)
            .algorithm(self.algorithm)
            .seed(self.seed)
            .batch(self.batch)
            .budget(self.budget)
            .worth(self.worth)
            .limits(self.limits)
            .tries(self.tries)
            .layout(self.layout)
    }
}
