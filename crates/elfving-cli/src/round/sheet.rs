//! A plan for a spreadsheet: counts, or a lab sheet with one line a measurement.

use std::path::Path;

use elfving_table::{Cell, LabSheet};

use super::Answer;
use crate::candidate_sheet;
use crate::error::{CliError, write_error};

/// The lab sheet when the order was shuffled, else the candidates with their counts.
pub(super) fn csv(answer: &Answer, shuffled: bool, to: &Path) -> Result<Vec<u8>, CliError> {
    match &answer.order {
        Some(order) if shuffled => lab_sheet(answer, order, to),
        _ => counts(answer, to),
    }
}

/// `slot,id,...,outcome` in run order.
fn lab_sheet(answer: &Answer, order: &[usize], to: &Path) -> Result<Vec<u8>, CliError> {
    let sheet = LabSheet::new(answer.loaded.ids())
        .id_column(answer.loaded.id_column())
        .table(answer.loaded.table())
        .outcome(&answer.limits.outcome);
    sheet.to_csv(order).map_err(write_error(to.to_owned()))
}

/// `id,count,...`, the most frequent first.
fn counts(answer: &Answer, to: &Path) -> Result<Vec<u8>, CliError> {
    let counts = answer.most_first().into_iter().map(|(row, count)| (row, Cell::Integer(count as i64)));
    candidate_sheet::csv(answer.loaded, ("count", "planned count"), counts, to)
}
