//! What a failure of a campaign is called, and what is on record after it.

use std::fmt;

use elfving_campaign::CampaignError;
use elfving_table::TableError;

use crate::error::{CONDITION_HELP, CliError, help_of_bandit};
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
    pub(crate) fn code(&self) -> &'static str {
        self.error.code()
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
        CampaignError::MovedOn { .. } => "look at the campaign again, then decide",
        CampaignError::RoundIncomplete { .. } => {
            "wait for them, measure them again, or close the round with --no-guarantee"
        }
        CampaignError::NotOpen { .. } => "`elfving status` lists who has which slots",
        CampaignError::WholeRounds { .. } => {
            "start a new campaign with the change, and give this one's export with --measured"
        }
        CampaignError::OutOfRange { .. } => "bring outcomes and features to a scale near 1",
        CampaignError::NoRound => "`elfving ask` starts one",
        CampaignError::Bandit(error) => return help_of_bandit(error),
        CampaignError::Undecided { source } => return help(source),
        _ => return None,
    })
}

impl fmt::Display for CampaignFailure {
    /// The message, and the help and what is on record on lines of their own.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.error {
            CampaignError::Table(error) => f.write_str(&error.render(&hints::words))?,
            error => write!(f, "error[{}]: {error}", self.code())?,
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
