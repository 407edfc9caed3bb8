//! The question of a campaign, on the command line.

use clap::Args;
use elfving::bandit::{Goal, GoalName};
use elfving::estimate::Tails;
use elfving::units::{Confidence, InvalidValue, Ridge};
use elfving_campaign::{Aim, AssumptionSpec, Layout, Limits, Mode, Recipe, Spec};
use elfving_table::Table;

use super::super::layout_args::LayoutArgs;
use super::questions::Questions;
use crate::assumption_args::{AssumptionArgs, SigmaArg};
use crate::error::CliError;
use crate::goal_args::{AimArgs, GoalArgs};
use crate::limits;
use crate::named::named;

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
    /// The ridge (default: chosen by the algorithm)
    #[arg(long, value_name = "G", allow_negative_numbers = true, help_heading = "Campaign")]
    gamma: Option<f64>,
    /// Measurements at a time
    #[arg(long, short = 'n', value_name = "N", default_value_t = 24, help_heading = "Campaign")]
    batch: usize,
    /// Measurements in all, at most
    #[arg(long, value_name = "N", help_heading = "Campaign")]
    budget: Option<u64>,
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
    limits: Limits,
    tries: u64,
    layout: Layout,
}

impl CampaignArgs {
    /// Asks for what is missing and refuses what is wrong.
    pub(super) fn settle(&self, questions: &mut Questions) -> Result<CampaignSettings, CliError> {
        let (aim, outcome) = self.aim(questions)?;
        let mode = self.mode(questions)?;
        let (assumed, sigma) = self.assumed(mode, questions)?;
        limits::check("--batch", self.batch as u64, limits::MOST_MEASUREMENTS)?;
        limits::check("--budget", self.budget.unwrap_or(1), limits::MOST_MEASUREMENTS)?;
        Ok(CampaignSettings {
            outcome,
            gamma: self.gamma.map(Ridge::new).transpose()?.map(Ridge::get),
            seed: self.seed,
            aim,
            goal: self.goal(questions)?,
            mode,
            assumed,
            sigma,
            delta: Confidence::new(self.assumptions.delta)?.delta(),
            algorithm: self.algorithm.clone(),
            batch: self.batch,
            budget: self.budget,
            limits: Limits { in_a_batch: self.max_repeats, in_all: self.max_measurements },
            tries: self.tries,
            layout: self.layout.over(Layout::default()),
        })
    }

    fn aim(&self, questions: &mut Questions) -> Result<(Aim, String), CliError> {
        Ok(match (&self.aim.maximize, &self.aim.minimize) {
            (Some(outcome), _) => (Aim::Maximise, outcome.clone()),
            (None, Some(outcome)) => (Aim::Minimise, outcome.clone()),
            (None, None) => {
                let option = "--maximize COLUMN (or --minimize COLUMN)";
                let outcome = questions
                    .text(option, "Which outcome is measured (the column that results will have)?")?;
                let aim = match questions.interactive() {
                    true => questions.choice(option, "Are large values good?", &["yes", "no"])?,
                    false => "yes",
                };
                (if aim == "yes" { Aim::Maximise } else { Aim::Minimise }, outcome)
            }
        })
    }

    fn mode(&self, questions: &mut Questions) -> Result<Mode, CliError> {
        Ok(match self.mode {
            Some(mode) => mode,
            None if questions.interactive()
                && self.assumptions.noise.is_none()
                && self.assumptions.sigma.is_none() =>
            {
                let question =
                    "Calibrated (a fitted model, no proof) or certified (a theorem under your assumptions)?";
                questions.named("--mode MODE", question, &[Mode::Calibrated, Mode::Certified])?
            }
            None => Mode::Certified,
        })
    }

    fn goal(&self, questions: &mut Questions) -> Result<Goal, CliError> {
        let epsilon = match self.goal.epsilon {
            None if questions.interactive() && self.goal.goal != GoalName::Regret => {
                questions.number("--epsilon E", "How far from the best may the answer be?")?
            }
            given => given.unwrap_or(0.0),
        };
        self.goal.goal(epsilon, self.budget)
    }

    /// The certified mode needs to know the noise; the rest may be unknown.
    fn assumed(
        &self,
        mode: Mode,
        questions: &mut Questions,
    ) -> Result<(AssumptionSpec, Option<SigmaArg>), CliError> {
        let certified = mode == Mode::Certified;
        let given = &self.assumptions;
        let tails = match (given.noise, certified) {
            (Some(tails), _) => tails,
            (None, false) => Tails::BoundedVariance,
            (None, true) => {
                let option = "--noise sub-gaussian|bounded-variance";
                questions.named(option, "Which tails does the noise have?", &Tails::ALL)?
            }
        };
        let sigma = match &given.sigma {
            None if certified => {
                let question = "What is the standard deviation of the noise, at most?";
                Some(SigmaArg::Number(questions.number("--sigma X", question)?))
            }
            given => given.clone(),
        };
        sigma.as_ref().map_or(Ok(()), SigmaArg::check)?;
        let number = |option: &'static str, question: &str, given: Option<f64>, questions: &mut Questions| {
            let wanted = given.is_none() && certified && questions.interactive();
            Ok::<_, CliError>(if wanted { Some(questions.number(option, question)?) } else { given })
        };
        let norm = match tails {
            Tails::SubGaussian => {
                let question =
                    "What is the norm of the true function, at most (`elfving diagnose` suggests one)?";
                number("--norm N", question, given.norm, questions)?
            }
            Tails::BoundedVariance => given.norm,
        };
        let bound = match tails {
            Tails::SubGaussian => given.bound,
            Tails::BoundedVariance => number(
                "--bound B",
                "What are the mean outcomes, at most in absolute value?",
                given.bound,
                questions,
            )?,
        };
        let level = match &sigma {
            Some(SigmaArg::Number(sigma)) => Some(checked_sigma(*sigma)?),
            _ => None,
        };
        if let Some(bound) = bound.filter(|bound| !(*bound > 0.0 && bound.is_finite())) {
            return Err(InvalidValue::Bound { got: bound }.into());
        }
        let misspecification = given.misspecification.unwrap_or(0.0);
        Ok((AssumptionSpec { sigma: level, tails, bound, norm, misspecification }, sigma))
    }
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
            .limits(self.limits)
            .tries(self.tries)
            .layout(self.layout)
    }
}
