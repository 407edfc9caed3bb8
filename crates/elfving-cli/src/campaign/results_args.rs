//! How files of results are written, on the command line.

use clap::Args;
use elfving_campaign::{OutcomeMarker, ResultsFormat};

/// How results come back; kept in the campaign when it is created, and changed for one file when it is told.
#[derive(Debug, Clone, Default, Args)]
#[command(next_help_heading = "Results")]
pub(super) struct ResultsArgs {
    /// A column with the standard error of each outcome
    #[arg(long, value_name = "COLUMN")]
    error_column: Option<String>,
    /// Columns with repeats of a slot, instead of the outcome column (repeats may also share a cell: 0.5;0.6;0.4)
    #[arg(long, value_name = "A,B,..", value_delimiter = ',')]
    repeats: Vec<String>,
    /// Accept several lines per slot as its repeats
    #[arg(long)]
    repeated_slots: bool,
}

impl ResultsArgs {
    /// The format of a campaign, changed by what was given.
    pub(super) fn over(&self, format: &ResultsFormat, markers: &[OutcomeMarker]) -> ResultsFormat {
        let mut format = format.clone();
        // A text that is declared again has its new meaning.
        format.markers.retain(|known| markers.iter().all(|marker| marker.text != known.text));
        format.markers.extend(markers.iter().cloned());
        if self.error_column.is_some() {
            format.error_column.clone_from(&self.error_column);
        }
        if !self.repeats.is_empty() {
            format.repeats.clone_from(&self.repeats);
        }
        format.repeated_slots |= self.repeated_slots;
        format
    }
}
