//! `elfving correct`: replaces a wrong result.

use clap::Args;
use elfving_campaign::{CorrectDocument, outcome_from_text};

use super::failure::failed;
use super::{locate, now};
use crate::error::CliError;
use crate::output::{self, OutputArgs};

/// Arguments of `elfving correct`.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  elfving correct screen S0012H 0.51 --reason \"a comma was misread\"
  elfving correct S0012H failed --reason \"the vial was empty\"
      the slot is open again; only while its round is open

In a closed round, algorithms that use all data (the ellipsoid, the calibrated mode) decide again with the new result. For the
others (draws from a design) the correction forfeits the guarantee. The log keeps both results and the reason.")]
pub(crate) struct CorrectArgs {
    /// The campaign (a file or its name; default: the only one in this folder), the slot, and the right outcome: a number,
    /// repeats (0.5;0.6), or `failed`
    #[arg(value_name = "[CAMPAIGN] SLOT VALUE", num_args = 2..=3, required = true, allow_negative_numbers = true)]
    words: Vec<String>,
    /// The reason; kept in the log
    #[arg(long, value_name = "TEXT")]
    reason: String,
    /// The standard error of the value
    #[arg(long, value_name = "S")]
    standard_error: Option<f64>,
    #[command(flatten)]
    output: OutputArgs,
}

pub(crate) fn correct(args: &CorrectArgs, as_json: bool) -> Result<(), CliError> {
    let (campaign, slot, value) = match args.words.as_slice() {
        [campaign, slot, value] => (Some(campaign.as_ref()), slot, value.trim()),
        [slot, value] => (None, slot, value.trim()),
        _ => unreachable!("clap counts the words"),
    };
    args.output.check(as_json, "a correction is")?;
    check_reason(&args.reason)?;
    let outcome = outcome_from_text(value, args.standard_error);
    let outcome = outcome
        .map_err(|what| CliError::usage("E201", what, "give a number, repeats as 0.5;0.6, or failed"))?;
    let mut campaign = locate::open(campaign)?;
    let before = campaign.head().event;
    let told = campaign.correct(slot, outcome, &args.reason, now());
    let told = told.map_err(|error| failed(error, before))?;
    let status = campaign.status().map_err(|error| failed(error, None))?;
    let event = told.event;
    let document =
        CorrectDocument { slot, corrected: told.corrected > 0, event, guarantee: status.guarantee };
    let mut text = match told.corrected {
        0 => {
            format!(
                "slot {slot} has that result on record; nothing was written (campaign at event {event})\n"
            )
        }
        _ => format!("slot {slot} corrected to {value} (campaign at event {event})\n"),
    };
    if let Some(waived) = &status.waived {
        text.push_str(&format!("no guarantee: {waived}\n"));
    }
    let delivered = args.output.deliver(
        as_json,
        "a correction is",
        &document,
        || output::csv_of_fields(&document),
        || text,
    );
    delivered.map_err(|error| error.after_commit("the correction is on record", event))
}

/// A reason says something.
pub(super) fn check_reason(reason: &str) -> Result<(), CliError> {
    match reason.trim() {
        "" => Err(CliError::usage("E201", "--reason is empty", "say why in a few words; the log keeps it")),
        _ => Ok(()),
    }
}
