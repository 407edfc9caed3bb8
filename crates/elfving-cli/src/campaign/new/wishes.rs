//! What is wanted and what is vouched for, on the command line.

use clap::{Args, ValueEnum};
use elfving::bandit::Goal;
use elfving::estimate::Tails;
use elfving::units::{Confidence, InvalidValue, Ridge};
use elfving_campaign::{Aim, Mode, Recipe, Spec, Vouched};

use super::questions::Questions;
use crate::error::CliError;

/// The wish.
#[derive(Debug, Args)]
#[command(next_help_heading = "Question")]
pub(super) struct WishArgs {
    /// The outcome, large ones good: the column that results will have
    #[arg(long, value_name = "OUTCOME", conflicts_with = "minimize")]
    maximize: Option<String>,
    /// The outcome, small ones good
    #[arg(long, value_name = "OUTCOME")]
    minimize: Option<String>,
    /// What is wanted
    #[arg(long, value_enum, default_value = "best")]
    goal: GoalName,
    /// How far from the best an answer may be (goals best, top, all-good; default: 0, the best itself), or how well every
    /// mean is to be known (map)
    #[arg(long, value_name = "E", allow_negative_numbers = true)]
    epsilon: Option<f64>,
    /// How many candidates are wanted (goal top)
    #[arg(long, value_name = "M", default_value_t = 3)]
    top: usize,
    /// What stands behind the answer (default: certified)
    #[arg(long, value_enum)]
    mode: Option<ModeName>,
    /// The algorithm; `auto` is the one for what is vouched for
    #[arg(long, value_name = "NAME", default_value = "auto")]
    algorithm: String,
    /// What the tails of the noise are known to be
    #[arg(long, value_enum, help_heading = "Assumptions")]
    noise: Option<NoiseName>,
    /// Bound on the standard deviation of the noise
    #[arg(long, value_name = "S", allow_negative_numbers = true, help_heading = "Assumptions")]
    sigma: Option<f64>,
    /// Bound on the mean outcomes, in absolute value
    #[arg(long, value_name = "B", allow_negative_numbers = true, help_heading = "Assumptions")]
    bound: Option<f64>,
    /// Bound on the norm of theta, in the space of the kernel if there is one
    #[arg(long, value_name = "N", allow_negative_numbers = true, help_heading = "Assumptions")]
    norm: Option<f64>,
    /// How far the means may be from the model
    #[arg(
        long,
        value_name = "H",
        default_value_t = 0.0,
        allow_negative_numbers = true,
        help_heading = "Assumptions"
    )]
    misspecification: f64,
    /// The probability with which a certified verdict may be wrong
    #[arg(
        long,
        value_name = "D",
        default_value_t = 0.05,
        allow_negative_numbers = true,
        help_heading = "Assumptions"
    )]
    delta: f64,
    /// The ridge (default: chosen by the algorithm)
    #[arg(long, value_name = "G", allow_negative_numbers = true, help_heading = "Assumptions")]
    gamma: Option<f64>,
    /// Measurements asked for at once
    #[arg(long, value_name = "N", default_value_t = 24, help_heading = "Campaign")]
    batch: usize,
    /// Measurements in all, at most
    #[arg(long, value_name = "T", help_heading = "Campaign")]
    budget: Option<u64>,
    /// The seed of every random choice, run orders included
    #[arg(long, value_name = "S", default_value_t = 0, help_heading = "Campaign")]
    seed: u64,
}

/// The goals by name.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum GoalName {
    /// One candidate within epsilon of the best
    Best,
    /// M candidates within epsilon of the M-th best
    Top,
    /// Every candidate within epsilon of the best
    AllGood,
    /// Little loss while measuring
    Regret,
    /// Every mean within epsilon
    Map,
}

/// The modes by name.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum ModeName {
    /// A theorem under the assumptions
    Certified,
    /// A fitted model: practical, no proof
    Calibrated,
}

/// The tails by name.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum NoiseName {
    /// Normal, bounded, or as light
    SubGaussian,
    /// Any tails: only the variance is bounded
    BoundedVariance,
}

/// A wish with nothing missing, every number in its domain.
pub(super) struct Wish {
    pub(super) outcome: String,
    pub(super) gamma: Option<f64>,
    pub(super) seed: u64,
    pub(super) mode: Mode,
    aim: Aim,
    goal: Goal,
    vouched: Vouched,
    delta: f64,
    algorithm: String,
    batch: usize,
    budget: Option<u64>,
}

impl WishArgs {
    /// Asks for what is missing and refuses what is wrong.
    pub(super) fn settle(&self, questions: &mut Questions) -> Result<Wish, CliError> {
        let (aim, outcome) = self.aim(questions)?;
        let mode = self.mode(questions)?;
        let vouched = self.vouched(mode, questions)?;
        for (option, zero) in [("--batch", self.batch == 0), ("--budget", self.budget == Some(0))] {
            if zero {
                let message = format!("{option} must be at least 1");
                return Err(CliError::usage("E201", message, "give a number >= 1"));
            }
        }
        Ok(Wish {
            outcome,
            gamma: self.gamma.map(Ridge::new).transpose()?.map(Ridge::get),
            seed: self.seed,
            aim,
            goal: self.goal(questions)?,
            mode,
            vouched,
            delta: Confidence::new(self.delta)?.delta(),
            algorithm: self.algorithm.clone(),
            batch: self.batch,
            budget: self.budget,
        })
    }

    fn aim(&self, questions: &mut Questions) -> Result<(Aim, String), CliError> {
        Ok(match (&self.maximize, &self.minimize) {
            (Some(outcome), _) => (Aim::Maximise, outcome.clone()),
            (None, Some(outcome)) => (Aim::Minimise, outcome.clone()),
            (None, None) => {
                let option = "--maximize OUTCOME (or --minimize OUTCOME)";
                let outcome =
                    questions.text(option, "What is measured (the column that results will have)?")?;
                let aim = match questions.interactive() {
                    true => questions.choice(option, "Is large good?", &["yes", "no"])?,
                    false => "yes",
                };
                (if aim == "yes" { Aim::Maximise } else { Aim::Minimise }, outcome)
            }
        })
    }

    fn mode(&self, questions: &mut Questions) -> Result<Mode, CliError> {
        let asked = match self.mode {
            Some(ModeName::Calibrated) => "calibrated",
            None if questions.interactive() && self.noise.is_none() && self.sigma.is_none() => {
                let question = "A fitted model without proof, or a theorem under your assumptions?";
                questions.choice("--mode MODE", question, &["calibrated", "certified"])?
            }
            Some(ModeName::Certified) | None => "certified",
        };
        Ok(if asked == "calibrated" { Mode::Calibrated } else { Mode::Certified })
    }

    fn goal(&self, questions: &mut Questions) -> Result<Goal, CliError> {
        let epsilon = match self.epsilon {
            None if questions.interactive() && self.goal != GoalName::Regret => {
                questions.number("--epsilon E", "How far from the best may the answer be?")?
            }
            given => given.unwrap_or(0.0),
        };
        let goal = match self.goal {
            GoalName::Best => Goal::Best { epsilon },
            GoalName::Top => Goal::Top { count: self.top, epsilon },
            GoalName::AllGood => Goal::AllGood { epsilon },
            GoalName::Regret => Goal::Regret { horizon: self.budget },
            GoalName::Map => Goal::Map { epsilon },
        };
        let refused = |error: elfving::bandit::BanditError| {
            CliError::usage("E201", error.to_string(), "see --goal, --epsilon and --top")
        };
        goal.check(usize::MAX).map_err(refused)
    }

    /// The certified mode needs to know the noise; the rest may be unknown.
    fn vouched(&self, mode: Mode, questions: &mut Questions) -> Result<Vouched, CliError> {
        let certified = mode == Mode::Certified;
        let tails = match (self.noise, certified) {
            (Some(NoiseName::SubGaussian), _) => Tails::SubGaussian,
            (Some(NoiseName::BoundedVariance), _) | (None, false) => Tails::BoundedVariance,
            (None, true) => {
                let option = "--noise sub-gaussian|bounded-variance";
                let answers = ["sub-gaussian", "bounded-variance"];
                match questions.choice(option, "What are the tails of the noise known to be?", &answers)? {
                    "sub-gaussian" => Tails::SubGaussian,
                    _ => Tails::BoundedVariance,
                }
            }
        };
        let sigma = match self.sigma {
            None if certified => {
                Some(questions.number("--sigma S", "What is the standard deviation of the noise at most?")?)
            }
            given => given,
        };
        let number = |option: &'static str, question: &str, given: Option<f64>, questions: &mut Questions| {
            let wanted = given.is_none() && certified && questions.interactive();
            Ok::<_, CliError>(if wanted { Some(questions.number(option, question)?) } else { given })
        };
        let norm = match tails {
            Tails::SubGaussian => {
                let question = "What is the norm of the function at most (`elfving diagnose` has a guess)?";
                number("--norm N", question, self.norm, questions)?
            }
            Tails::BoundedVariance => self.norm,
        };
        let bound = match tails {
            Tails::SubGaussian => self.bound,
            Tails::BoundedVariance => number(
                "--bound B",
                "What are mean outcomes at most, in absolute value?",
                self.bound,
                questions,
            )?,
        };
        if let Some(sigma) = sigma.filter(|sigma| !(*sigma >= 0.0 && sigma.is_finite())) {
            return Err(InvalidValue::Sigma { got: sigma }.into());
        }
        if let Some(bound) = bound.filter(|bound| !(*bound > 0.0 && bound.is_finite())) {
            return Err(InvalidValue::Bound { got: bound }.into());
        }
        Ok(Vouched { sigma, tails, bound, norm, misspecification: self.misspecification })
    }
}

impl Wish {
    pub(super) fn spec(self, name: String, recipe: Recipe) -> Spec {
        Spec::new(name, self.outcome, self.aim, recipe)
            .goal(self.goal)
            .mode(self.mode)
            .vouched(self.vouched)
            .delta(self.delta)
            .gamma(self.gamma)
            .algorithm(self.algorithm)
            .seed(self.seed)
            .batch(self.batch)
            .budget(self.budget)
    }
}
