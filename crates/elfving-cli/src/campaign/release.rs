//! `elfving release`: gives slots back.

use clap::Args;
use elfving_campaign::ReleaseDocument;

use super::failure::failed;
use super::{locate, now};
use crate::error::CliError;
use crate::output::{self, OutputArgs};
use crate::words::counted;

/// Arguments of `elfving release`.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  elfving release screen --worker robot1
      all open slots of this worker; the next one who asks gets them
  elfving release screen S0012H S0013K
      these slots
  elfving release screen S0012H --for-good
      nobody measures it any more; a result that still comes is taken")]
pub(crate) struct ReleaseArgs {
    /// The campaign: a file or its name
    campaign: std::path::PathBuf,
    /// Slots to give back
    #[arg(value_name = "SLOT", required_unless_present = "worker")]
    slots: Vec<String>,
    /// All open slots of this worker
    #[arg(long, value_name = "NAME", conflicts_with = "slots")]
    worker: Option<String>,
    /// Nobody is to measure them any more; not for RIPS and PTR, whose rounds are whole
    #[arg(long)]
    for_good: bool,
    #[command(flatten)]
    output: OutputArgs,
}

pub(crate) fn release(args: &ReleaseArgs, as_json: bool) -> Result<(), CliError> {
    args.output.check(as_json, "an account is")?;
    let mut campaign = locate::open(Some(&args.campaign))?;
    let before = campaign.head().event;
    let slots: Vec<&str> = args.slots.iter().map(String::as_str).collect();
    let released = campaign.release(&slots, args.worker.as_deref(), args.for_good, now());
    let released = released.map_err(|error| failed(error, before))?;
    let document = ReleaseDocument { released, event: campaign.head().event };
    let what = if args.for_good { "given up" } else { "given back" };
    let text = format!("{} {what} (campaign at event {})\n", counted(released, "slot"), document.event);
    args.output.deliver(as_json, "an account is", &document, || output::csv_of_fields(&document), || text)
}
