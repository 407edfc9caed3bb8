//! Candidates for a spreadsheet: a number for each, next to the user's own columns.

use std::path::Path;

use elfving_table::{Cell, CsvWriter, Dialect};

use crate::error::{CliError, write_error};
use crate::pool_source::LoadedPool;

/// `id,number,...` in the dialect of the pool file, in the order given. `names` are the header of the number, and another one
/// for pools that have a column of that name.
pub(crate) fn csv<'a>(
    loaded: &LoadedPool,
    names: (&'static str, &'static str),
    numbers: impl IntoIterator<Item = (usize, Cell<'a>)>,
    to: &Path,
) -> Result<Vec<u8>, CliError> {
    let failed = write_error(to.to_owned());
    let table = loaded.table();
    let id = loaded.id_column().map(str::trim);
    let own: Vec<usize> = table.map_or_else(Vec::new, |table| {
        (0..table.columns().len()).filter(|&k| Some(table.columns()[k].name().trim()) != id).collect()
    });
    let own_names: Vec<&str> = own.iter().filter_map(|&k| Some(table?.columns()[k].name())).collect();
    let free =
        |(name, other): (&'static str, &'static str)| if own_names.contains(&name) { other } else { name };
    let mut header = vec![id.unwrap_or(free(("row", "pool row"))), free(names)];
    header.extend(&own_names);

    let dialect = table.map_or_else(Dialect::default, |table| table.dialect());
    let mut sheet = CsvWriter::new(Vec::new(), dialect, header).map_err(&failed)?;
    for (row, number) in numbers {
        let name = match id {
            Some(_) => Cell::from(&loaded.ids()[row]),
            None => Cell::Integer(row as i64),
        };
        let cells: Vec<Cell> = table.map_or_else(Vec::new, |table| table.cells(row).collect());
        let own_cells = own.iter().map(|&k| cells[k].clone());
        sheet.row([name, number].into_iter().chain(own_cells)).map_err(&failed)?;
    }
    sheet.finish().map_err(&failed)
}
