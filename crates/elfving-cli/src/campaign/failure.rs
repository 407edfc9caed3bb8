//! What a failure of a campaign is called, and what is on record after it.

use std::fmt;

use elfving::bandit::BanditError;
use elfving_campaign::CampaignError;
use elfving_table::TableError;

use crate::error::{CONDITION_HELP, CliError, of_design, of_pool, of_value};
use crate::exit::ExitCode;
use crate::hints;

/// An error of a campaign, and the event at which the campaign still stands.
#[derive(Debug)]
pub(crate) struct CampaignFailure {
    pub(crate) error: CampaignError,
    pub(crate) event: Option<u64>,
}

/// A failure with the event at which the campaign stands, for commands that write.
pub(crate) fn failed(error: CampaignError, event: impl Into<Option<u64>>) -> CliError {
    CampaignFailure { error, event: event.into() }.into()
}

impl CampaignFailure {
    /// The code and the exit code.
    pub(crate) fn verdict(&self) -> (&'static str, ExitCode) {
        verdict(&self.error)
    }

    /// The table that is refused, if it is one.
    pub(crate) fn table(&self) -> Option<&elfving_table::TableError> {
        match &self.error {
            CampaignError::Table(error) => Some(error),
            _ => None,
        }
    }

    /// What to do about it.
    pub(crate) fn help(&self) -> Option<&'static str> {
        help(&self.error)
    }
}

fn verdict(error: &CampaignError) -> (&'static str, ExitCode) {
    match error {
        CampaignError::Missing { .. } => ("E301", ExitCode::DataRefused),
        CampaignError::Exists { .. } => ("E210", ExitCode::Usage),
        CampaignError::NotACampaign { .. } => ("E401", ExitCode::Damaged),
        CampaignError::Damaged { .. } => ("E402", ExitCode::Damaged),
        CampaignError::Newer { .. } => ("E901", ExitCode::Newer),
        CampaignError::Durability { .. } | CampaignError::Unconfirmed { .. } => {
            ("E502", ExitCode::Durability)
        }
        CampaignError::Locked { .. } => ("E601", ExitCode::Locked),
        CampaignError::Table(TableError::Condition(_)) => ("E211", ExitCode::Usage),
        CampaignError::Table(_) => ("", ExitCode::DataRefused),
        CampaignError::Setting { .. } => ("E201", ExitCode::Usage),
        CampaignError::UnknownCandidate { .. } => ("E203", ExitCode::Usage),
        CampaignError::UnknownSlot { .. } => ("E337", ExitCode::DataRefused),
        CampaignError::Conflict { .. } => ("E342", ExitCode::DataRefused),
        CampaignError::TooLate { .. } | CampaignError::CannotFailLate { .. } => {
            ("E343", ExitCode::DataRefused)
        }
        CampaignError::NothingToCorrect { .. } => ("E358", ExitCode::DataRefused),
        CampaignError::NotAnOutcome { .. } => ("E312", ExitCode::DataRefused),
        CampaignError::RoundIncomplete { .. } => ("E801", ExitCode::DecisionNeeded),
        CampaignError::NotOpen { .. } => ("E359", ExitCode::DataRefused),
        CampaignError::WholeRounds { .. } => ("E803", ExitCode::DecisionNeeded),
        CampaignError::OutOfRange { .. } => ("E703", ExitCode::NoCertificate),
        CampaignError::NoRound => ("E202", ExitCode::Usage),
        CampaignError::Undecided { source } => verdict(source),
        CampaignError::Pool(error) => of_pool(error),
        CampaignError::Bandit(error) => of_bandit(error),
        CampaignError::Sheet(_) => ("E501", ExitCode::Durability),
    }
}

fn of_bandit(error: &BanditError) -> (&'static str, ExitCode) {
    match error {
        BanditError::Invalid(error) => of_value(error),
        BanditError::Pool(error) => of_pool(error),
        BanditError::Design(error) => of_design(error),
        BanditError::Epsilon { .. }
        | BanditError::TopCount { .. }
        | BanditError::Horizon
        | BanditError::EmptyBatch => ("E201", ExitCode::Usage),
        BanditError::OtherGoal { .. }
        | BanditError::NeedsAssumption { .. }
        | BanditError::ChoicesNotMeasurable { .. } => ("E202", ExitCode::Usage),
        BanditError::Estimate(elfving::estimate::EstimateError::Invalid(error)) => of_value(error),
        BanditError::Estimate(elfving::estimate::EstimateError::Bound { .. }) => ("E201", ExitCode::Usage),
        BanditError::OverBudget { .. } => ("E802", ExitCode::DecisionNeeded),
        BanditError::RoundIncomplete { .. } => ("E801", ExitCode::DecisionNeeded),
        _ => ("E703", ExitCode::NoCertificate),
    }
}

fn help(error: &CampaignError) -> Option<&'static str> {
    Some(match error {
        CampaignError::Table(TableError::Condition(_)) => CONDITION_HELP,
        CampaignError::Missing { .. } => "check the name; `elfving new` starts a campaign",
        CampaignError::Exists { .. } => "choose another name; a campaign never replaces a file",
        CampaignError::NotACampaign { .. } => "name a file that `elfving new` wrote",
        CampaignError::Damaged { .. } => {
            "the file was left as it is; go back to a copy and run `elfving verify` on it"
        }
        CampaignError::Newer { .. } => "use a newer version of elfving; the file was left as it is",
        CampaignError::Durability { .. } => {
            "check the disk, the folder and their permissions; what was recorded before is safe"
        }
        CampaignError::Unconfirmed { .. } => {
            "check the disk, then run the command again: nothing is counted twice"
        }
        CampaignError::Locked { .. } => "try again when the other process has finished",
        CampaignError::UnknownSlot { .. } => "`elfving ask` prints the names of the slots",
        CampaignError::Conflict { .. } => {
            "replace the outcome with elfving correct SLOT VALUE --reason \"why\""
        }
        CampaignError::RoundIncomplete { .. } => {
            "wait for them, measure them again, or close the round with --no-guarantee"
        }
        CampaignError::NotOpen { .. } => "`elfving status` lists who has which slots",
        CampaignError::WholeRounds { .. } => {
            "start a new campaign with the change, and give this one's export with --measured"
        }
        CampaignError::OutOfRange { .. } => "bring outcomes and features to a scale near 1",
        CampaignError::NoRound => "`elfving ask` starts one",
        CampaignError::Bandit(BanditError::NeedsAssumption { .. }) => {
            "state it with --norm, --bound or --noise sub-gaussian"
        }
        CampaignError::Bandit(BanditError::OtherGoal { .. }) => "change --goal or --algorithm",
        CampaignError::Bandit(BanditError::ChoicesNotMeasurable { .. }) => {
            "leave out --targets, or use --goal best"
        }
        CampaignError::Undecided { source } => return help(source),
        _ => return None,
    })
}

impl fmt::Display for CampaignFailure {
    /// The message, and the help and what is on record on lines of their own.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.error {
            CampaignError::Table(error) => f.write_str(&error.render(&hints::words))?,
            error => write!(f, "error[{}]: {error}", self.verdict().0)?,
        }
        if let Some(help) = self.help() {
            write!(f, "\n  help: {help}")?;
        }
        match (self.event, &self.error) {
            (_, CampaignError::Unconfirmed { event, .. }) => {
                write!(f, "\n  it is on record (campaign at event {event})")
            }
            (Some(event), CampaignError::Undecided { .. }) => {
                write!(f, "\n  the outcomes are on record (campaign at event {event})")
            }
            (Some(event), _) => write!(f, "\n  nothing was written (campaign still at event {event})"),
            (None, _) => Ok(()),
        }
    }
}
