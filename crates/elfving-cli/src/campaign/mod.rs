//! Campaigns on the command line: `new`, `ask`, `tell`, `status`, `report`, `log`, `export`, `verify`, `correct`.
//!
//! One file a command. They find the campaign, call the library with the time of the clock, and print.

mod ask;
mod correct;
mod export;
mod failure;
mod history;
mod locate;
mod new;
mod report;
mod results_args;
mod status;
mod tell;
mod verify;

use std::time::{Duration, SystemTime, UNIX_EPOCH};

use elfving_campaign::At;

pub(crate) use ask::{AskArgs, ask};
pub(crate) use correct::{CorrectArgs, correct};
pub(crate) use export::{ExportArgs, export};
pub(crate) use failure::{CampaignFailure, failed};
pub(crate) use history::{LogArgs, log};
pub(crate) use locate::CampaignFile;
pub(crate) use new::{NewArgs, new};
pub(crate) use report::{ReportArgs, report};
pub(crate) use status::{StatusArgs, status};
pub(crate) use tell::{TellArgs, tell};
pub(crate) use verify::{VerifyArgs, verify};

/// The time of the clock; the library reads none. `SOURCE_DATE_EPOCH`, in seconds, stands in for it where files must come out the same again.
pub(crate) fn now() -> At {
    let fixed = std::env::var("SOURCE_DATE_EPOCH").ok().and_then(|seconds| seconds.parse().ok());
    let since = fixed.map_or_else(
        || SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default(),
        Duration::from_secs,
    );
    At(u64::try_from(since.as_millis()).unwrap_or(u64::MAX))
}
