//! `elfving change`, `elfving forbid`, `elfving allow`: changing one's mind, with the reason on record.

use std::path::{Path, PathBuf};

use clap::Args;
use elfving_campaign::event::Changing;
use elfving_campaign::{Campaign, Changed, Layout, Limits, Spec};
use elfving_table::Condition;

use super::failure::failed;
use super::layout_args::LayoutArgs;
use super::new::ids_of;
use super::{locate, now};
use crate::error::CliError;
use crate::output::{self, OutputArgs};
use crate::words::counted;

/// Arguments of `elfving change`.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  elfving change screen --budget 144 --reason \"one more plate\"
  elfving change screen --batch 12 --max-repeats 2 --reason \"smaller plates\"
  elfving change screen --same solvent --reason \"one bottle a day\"

The log keeps the change and its reason, and the answer says what it does to the guarantee.")]
pub(crate) struct ChangeArgs {
    /// The campaign: a file or its name
    campaign: PathBuf,
    /// Measurements in all, at most, or `none`
    #[arg(long, value_name = "N", value_parser = budget)]
    budget: Option<Budget>,
    /// Measurements at a time
    #[arg(long, short = 'n', value_name = "N")]
    batch: Option<usize>,
    /// How far from the best the answer may be
    #[arg(long, value_name = "E")]
    epsilon: Option<f64>,
    /// Advise to stop when another batch gains less than this, in nine cases of ten
    #[arg(long, value_name = "X")]
    worth: Option<f64>,
    /// Measurements of one candidate in one batch, at most
    #[arg(long, value_name = "N")]
    max_repeats: Option<u64>,
    /// Measurements of one candidate in all, at most
    #[arg(long, value_name = "N")]
    max_measurements: Option<u64>,
    /// Failures after which a candidate counts as infeasible
    #[arg(long, value_name = "N")]
    tries: Option<u64>,
    #[command(flatten)]
    layout: LayoutArgs,
    /// No plate, no controls, no rule about columns, but what is given beside this
    #[arg(long, help_heading = "Batches")]
    no_layout: bool,
    /// The reason; kept in the log
    #[arg(long, value_name = "TEXT")]
    reason: String,
    /// Who changes it; kept in the log
    #[arg(long, value_name = "NAME")]
    by: Option<String>,
    #[command(flatten)]
    output: OutputArgs,
}

/// A budget, or none.
#[derive(Debug, Clone, Copy)]
struct Budget(Option<u64>);

fn budget(text: &str) -> Result<Budget, String> {
    match text {
        "none" => Ok(Budget(None)),
        number => {
            let number = number.parse().map_err(|_| "give a number, or none".to_owned())?;
            Ok(Budget(Some(number)))
        }
    }
}

pub(crate) fn change(args: &ChangeArgs, as_json: bool) -> Result<(), CliError> {
    args.output.check(as_json, "an account is")?;
    let mut campaign = locate::open(Some(&args.campaign))?;
    let before = campaign.head().event;
    let limited = args.max_repeats.is_some() || args.max_measurements.is_some();
    let changing = |spec: &Spec| Changing {
        budget: args.budget.map(|budget| budget.0),
        batch: args.batch,
        epsilon: args.epsilon,
        worth: args.worth,
        limits: limited.then(|| Limits {
            in_a_batch: args.max_repeats.or(spec.limits.in_a_batch),
            in_all: args.max_measurements.or(spec.limits.in_all),
        }),
        tries: args.tries,
        layout: {
            let before = if args.no_layout { &Layout::default() } else { &spec.layout };
            Some(args.layout.given().over(before)).filter(|layout| *layout != spec.layout)
        },
        reason: args.reason.clone(),
        by: args.by.clone(),
    };
    let changed = campaign.change_question_by(changing, now()).map_err(|error| failed(error, before))?;
    let text = format!("changed (campaign at event {})\n{}\n", changed.event, changed.guarantee);
    args.output.deliver(as_json, "an account is", &changed, || output::csv_of_fields(&changed), || text)
}

/// Arguments of `elfving forbid`.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  elfving forbid screen a3,a4 --reason \"the ligand is sold out\"
  elfving forbid screen sold-out.csv --reason \"the ligand is sold out\"
      the ids in a table
  elfving forbid screen --where \"solvent = 'DMAc' and x > 0.5\" --reason \"it decomposes\"
      all that meet a condition (the grammar is in docs/tables.md)
  elfving forbid screen b5 --infeasible --reason \"it does not dissolve\"
      the model learns from it where things fail

They are neither measured nor chosen from here on. Results of their open slots are still taken. RIPS and PTR refuse it: their
proof is about a fixed pool.")]
pub(crate) struct ForbidArgs {
    /// The campaign: a file or its name
    campaign: PathBuf,
    #[command(flatten)]
    which: WhichArgs,
    /// They cannot be measured, rather than should not
    #[arg(long)]
    infeasible: bool,
    /// The reason; kept in the log
    #[arg(long, value_name = "TEXT")]
    reason: String,
    #[command(flatten)]
    output: OutputArgs,
}

pub(crate) fn forbid(args: &ForbidArgs, as_json: bool) -> Result<(), CliError> {
    args.output.check(as_json, "an account is")?;
    let (mut campaign, ids) = args.which.candidates(&args.campaign)?;
    let before = campaign.head().event;
    let rule = args.which.condition.as_ref().map(Condition::text);
    let forbidden = campaign.forbid(&ids, args.infeasible, rule, &args.reason, now());
    let forbidden = forbidden.map_err(|error| failed(error, before))?;
    account(&args.output, as_json, &forbidden, "excluded")
}

/// Arguments of `elfving allow`.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  elfving allow screen a3 --reason \"the ligand has arrived\"
  elfving allow screen --where \"solvent = 'DMAc'\" --reason \"dried\"")]
pub(crate) struct AllowArgs {
    /// The campaign: a file or its name
    campaign: PathBuf,
    #[command(flatten)]
    which: WhichArgs,
    /// The reason; kept in the log
    #[arg(long, value_name = "TEXT")]
    reason: String,
    #[command(flatten)]
    output: OutputArgs,
}

pub(crate) fn allow(args: &AllowArgs, as_json: bool) -> Result<(), CliError> {
    args.output.check(as_json, "an account is")?;
    let (mut campaign, ids) = args.which.candidates(&args.campaign)?;
    let before = campaign.head().event;
    let allowed = campaign.allow(&ids, &args.reason, now()).map_err(|error| failed(error, before))?;
    account(&args.output, as_json, &allowed, "allowed again")
}

/// Candidates by id, or by a condition.
#[derive(Debug, Args)]
struct WhichArgs {
    /// Ids with commas between them, or tables that have them
    #[arg(value_name = "IDS", required_unless_present = "condition")]
    ids: Vec<String>,
    /// All candidates that meet a condition, such as "solvent = 'DMAc' and base != 'KOAc'"
    #[arg(long = "where", value_name = "CONDITION", conflicts_with = "ids")]
    condition: Option<Condition>,
}

impl WhichArgs {
    fn candidates(&self, campaign: &Path) -> Result<(Campaign, Vec<String>), CliError> {
        let campaign = locate::open(Some(campaign))?;
        let candidates = campaign.candidates().map_err(|error| failed(error, None))?;
        let ids = match &self.condition {
            Some(condition) => candidates.ids_where(condition).map_err(|error| failed(error.into(), None))?,
            None => ids_of(&self.ids, candidates.id_column())?,
        };
        Ok((campaign, ids))
    }
}

pub(super) fn account(
    output: &OutputArgs,
    as_json: bool,
    changed: &Changed,
    what: &str,
) -> Result<(), CliError> {
    let dropped = match changed.dropped {
        0 => String::new(),
        dropped => format!(", {} dropped", counted(dropped, "open slot")),
    };
    let text = format!(
        "{} {what}{dropped} (campaign at event {})\n{}\n",
        counted(changed.candidates, "candidate"),
        changed.event,
        changed.guarantee
    );
    output.deliver(as_json, "an account is", changed, || output::csv_of_fields(changed), || text)
}
