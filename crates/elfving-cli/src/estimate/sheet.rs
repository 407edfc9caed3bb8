//! Estimates for a spreadsheet, in the dialect of the pool file.

use std::path::Path;

use elfving_table::{Cell, CsvWriter, Dialect};

use super::Answer;
use crate::error::{CliError, write_error};

/// `id,estimate,lower,upper,noise width,ridge width,misspecification width,measured`.
pub(super) fn csv(answer: &Answer, top: Option<usize>, to: &Path) -> Result<Vec<u8>, CliError> {
    let failed = write_error(to.to_owned());
    let loaded = answer.loaded;
    let id = loaded.id_column().unwrap_or("row");
    let mut header =
        vec![id, "estimate", "lower", "upper", "noise width", "ridge width", "misspecification width"];
    if loaded.pool.chooses_among_itself() {
        header.push("measured");
    }
    let dialect = loaded.table().map_or_else(Dialect::default, |table| table.dialect());
    let mut sheet = CsvWriter::new(Vec::new(), dialect, header).map_err(&failed)?;
    for (i, interval) in answer.sorted().into_iter().take(top.unwrap_or(usize::MAX)) {
        let name = loaded.choice_name(i);
        let name = match loaded.id_column() {
            Some(_) => Cell::from(name),
            None => Cell::Integer(i as i64),
        };
        let numbers =
            [interval.estimate, interval.lower(), interval.upper(), interval.noise].map(Cell::Number);
        let ridge = interval.bias.ridge.map_or(Cell::Empty, Cell::Number);
        let misspecification = Cell::Number(interval.bias.misspecification);
        let measured = answer.measured(i).map(|count| Cell::Integer(count as i64));
        let cells = [name].into_iter().chain(numbers).chain([ridge, misspecification]).chain(measured);
        sheet.row(cells).map_err(&failed)?;
    }
    sheet.finish().map_err(&failed)
}
