//! Campaigns on the command line: `new`, `ask`, `tell`, `watch`, `release`, `change`, `extend`, `forbid`, `allow`, `status`, `report`, `log`, `export`,
//! `verify`, `correct`.
//!
//! One file a command. They find the campaign, call the library with the time of the clock, and print.

mod ask;
mod change;
mod correct;
mod export;
mod extend;
mod failure;
mod history;
mod layout_args;
mod locate;
mod new;
mod release;
mod report;
mod results_args;
mod status;
mod tell;
mod verify;
mod watch;

use std::ffi::{OsStr, OsString};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use elfving_campaign::At;

use crate::error::CliError;

pub(crate) use ask::{AskArgs, ask};
pub(crate) use change::{AllowArgs, ChangeArgs, ForbidArgs, allow, change, forbid};
pub(crate) use correct::{CorrectArgs, correct};
pub(crate) use export::{ExportArgs, export};
pub(crate) use extend::{ExtendArgs, extend};
pub(crate) use failure::{CampaignFailure, failed};
pub(crate) use history::{LogArgs, log};
pub(crate) use locate::CampaignFile;
pub(crate) use new::{NewArgs, new};
pub(crate) use release::{ReleaseArgs, release};
pub(crate) use report::{ReportArgs, report};
pub(crate) use status::{StatusArgs, status};
pub(crate) use tell::{TellArgs, tell};
pub(crate) use verify::{VerifyArgs, verify};
pub(crate) use watch::{WatchArgs, watch};

/// The variable that stands in for the clock.
const FIXED_CLOCK: &str = "SOURCE_DATE_EPOCH";

/// Seconds since 1970, up to the year 9999.
fn seconds(text: &OsStr) -> Option<u64> {
    text.to_str()?.parse().ok().filter(|&seconds| seconds <= 253_402_300_799)
}

/// Refuses a fixed time that is none.
pub(crate) fn check_clock() -> Result<(), CliError> {
    match std::env::var_os(FIXED_CLOCK) {
        Some(text) if seconds(&text).is_none() => {
            let message = format!("{FIXED_CLOCK} is {text:?}, not a whole number of seconds since 1970");
            Err(CliError::usage("E201", message, "unset it, or give seconds such as 1767225600"))
        }
        _ => Ok(()),
    }
}

/// In `elfving correct`, a word such as `-1.5e-3` or `-0.5;-0.6` is a value and no option.
pub(crate) fn with_negative_values(mut arguments: Vec<OsString>) -> Vec<OsString> {
    let is_value = |word: &OsString| {
        let Some(word) = word.to_str().filter(|word| word.starts_with('-')) else { return false };
        word.split(';').all(|part| part.trim().parse::<f64>().is_ok())
    };
    let command = arguments.iter().skip(1).position(|word| word == "correct");
    if let Some(at) = command {
        let words = arguments.iter_mut().skip(at + 2);
        for word in words.take_while(|word| *word != "--").filter(|word| is_value(word)) {
            // A blank in front, which the value does without: the parser takes no option to start with one.
            let mut value = OsString::from(" ");
            value.push(&*word);
            *word = value;
        }
    }
    arguments
}

/// The time of the clock; the library reads none. `SOURCE_DATE_EPOCH`, in seconds, stands in for it where files must come out the same again.
pub(crate) fn now() -> At {
    let fixed = std::env::var_os(FIXED_CLOCK).as_deref().and_then(seconds);
    let since = fixed.map_or_else(
        || SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default(),
        Duration::from_secs,
    );
    At(u64::try_from(since.as_millis()).unwrap_or(u64::MAX))
}
