//! A design for a spreadsheet: the candidates with weight, next to the user's own columns.

use std::path::Path;

use elfving_table::{Cell, CsvWriter, Dialect};

use super::Answer;
use crate::error::{CliError, write_error};

/// `id,weight,...` in the dialect of the pool file, the heaviest first.
pub(super) fn csv(answer: &Answer, to: &Path) -> Result<Vec<u8>, CliError> {
    let failed = write_error(to.to_owned());
    let loaded = answer.loaded;
    let table = loaded.table();
    let id = loaded.args.columns.id.as_deref().map(str::trim);
    let own: Vec<usize> = table.map_or_else(Vec::new, |table| {
        (0..table.columns().len()).filter(|&k| Some(table.columns()[k].name().trim()) != id).collect()
    });
    let own_names: Vec<&str> = own.iter().filter_map(|&k| Some(table?.columns()[k].name())).collect();
    let free = |name: &'static str, other: &'static str| if own_names.contains(&name) { other } else { name };
    let mut header = vec![id.unwrap_or(free("row", "pool row")), free("weight", "design weight")];
    header.extend(&own_names);

    let dialect = table.map_or_else(Dialect::default, |table| table.dialect());
    let mut sheet = CsvWriter::new(Vec::new(), dialect, header).map_err(&failed)?;
    for (row, weight) in answer.heaviest_first() {
        let name = match id {
            Some(_) => Cell::from(loaded.ids[row].as_str()),
            None => Cell::Integer(row as i64),
        };
        let cells: Vec<Cell> = table.map_or_else(Vec::new, |table| table.cells(row).collect());
        let own_cells = own.iter().map(|&k| cells[k].clone());
        sheet.row([name, Cell::Number(weight)].into_iter().chain(own_cells)).map_err(&failed)?;
    }
    sheet.finish().map_err(&failed)
}
