//! How a batch lies on the bench, on the command line.

use clap::Args;
use elfving_campaign::{ControlWells, FewValues, LayoutChange};
use elfving_table::Plate;

/// Plates, controls, and columns of which a batch holds few values.
#[derive(Debug, Args)]
#[command(next_help_heading = "Batches")]
pub(super) struct LayoutArgs {
    /// Assign wells: rows and columns such as 8x12, or 6, 12, 24, 48, 96, 384, 1536 wells
    #[arg(long, value_name = "RxC")]
    plate: Option<Plate>,
    /// A candidate that is in every batch, n times; may be repeated
    #[arg(long = "control", value_name = "ID:N")]
    controls: Vec<ControlWells>,
    /// All measurements of a batch share the value of this column; may be repeated
    #[arg(long, value_name = "COLUMN")]
    same: Vec<String>,
    /// A batch holds at most k different values of this column; may be repeated
    #[arg(long, value_name = "COLUMN=K")]
    at_most: Vec<FewValues>,
}

impl LayoutArgs {
    /// What is given here.
    pub(super) fn given(&self) -> LayoutChange {
        let same = self.same.iter().map(FewValues::same);
        let few: Vec<FewValues> = same.chain(self.at_most.iter().cloned()).collect();
        LayoutChange {
            plate: self.plate,
            controls: Some(self.controls.clone()).filter(|controls| !controls.is_empty()),
            at_most: Some(few).filter(|few| !few.is_empty()),
        }
    }
}
