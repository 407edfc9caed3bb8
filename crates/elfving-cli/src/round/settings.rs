//! The arguments of `elfving round`, checked once.

use std::path::PathBuf;

use super::RoundArgs;
use crate::error::CliError;
use crate::limits;
use crate::named::NameOr;
use crate::output::{FileFormat, Format, answer_file, picture_file};

/// What is to be done, every value valid.
pub(super) struct Settings {
    pub(super) shuffle: bool,
    pub(super) format: Format,
    pub(super) out: Option<(PathBuf, FileFormat)>,
    pub(super) plot: Option<(PathBuf, elfving_plot::Format)>,
    pub(super) show: usize,
}

impl Settings {
    /// Refuses what cannot work before any file is read.
    pub(super) fn resolve(args: &RoundArgs, as_json: bool) -> Result<Self, CliError> {
        if args.budget == 0 {
            let help = "give the number of measurements to make";
            return Err(CliError::usage("E201", "--budget must be at least 1, got 0", help));
        }
        let draws = args.method == NameOr::Word;
        if draws && (args.polish || args.limits.any()) {
            let message = "independent draws cannot respect limits or earlier measurements";
            let help = "leave out --min, --max, --force, --measured and --polish, or choose another --method";
            return Err(CliError::usage("E202", message, help));
        }
        limits::check("--budget", args.budget, limits::MOST_MEASUREMENTS)?;
        Ok(Self {
            shuffle: args.shuffle,
            format: args.output.format_or(Format::Table, as_json)?,
            out: answer_file(args.output.out.as_ref(), "a plan is")?,
            plot: picture_file(args.plot.plot.as_ref())?,
            show: args.show,
        })
    }

    /// Whether stdout holds the lab sheet alone.
    pub(super) fn sheet_on_stdout(&self) -> bool {
        self.shuffle && self.format != Format::Json
    }
}
