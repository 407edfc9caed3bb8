//! `elfving verify`: whether a campaign is as it was written.

use clap::Args;

use super::CampaignFile;
use super::failure::failed;
use crate::console::Console;
use crate::error::CliError;
use crate::output::{self, OutputArgs};
use crate::words::counted;

/// Arguments of `elfving verify`.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  elfving verify screen

Checks the pages of the file, the hash of every event over all events before it, every attached table, and replays
every round. A file that is not intact ends with exit code 4. With the printed hash (or that of `elfving status`) you can
prove later that nothing up to its event was changed or cut off.")]
pub(crate) struct VerifyArgs {
    #[command(flatten)]
    file: CampaignFile,
    #[command(flatten)]
    output: OutputArgs,
}

pub(crate) fn verify(args: &VerifyArgs, as_json: bool, console: Console) -> Result<(), CliError> {
    args.output.check(as_json, "a check is")?;
    let campaign = args.file.open()?;
    let spinner = console.spinner("checking");
    let verification = campaign.verify().map_err(|error| failed(error, None))?;
    drop(spinner);
    let csv = || output::csv_of_fields(&verification);
    args.output.deliver(as_json, "a check is", &verification, csv, || text(&verification))
}

fn text(verification: &elfving_campaign::Verification) -> String {
    let mut text = format!(
        "intact: {}, {}, {}\nhead {}\n",
        counted(verification.events as usize, "event"),
        counted(verification.attachments, "attached table"),
        counted(verification.rounds, "decided round"),
        verification.head
    );
    if !verification.differing.is_empty() {
        let rounds: Vec<String> = verification.differing.iter().map(u64::to_string).collect();
        let rounds = rounds.join(", ");
        text.push_str(&format!(
            "recomputed on this machine, rounds {rounds} differ in the last digits; the record stands\n"
        ));
    }
    text
}
