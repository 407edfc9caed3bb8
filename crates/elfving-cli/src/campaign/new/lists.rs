//! Lists of candidates: ids on the command line, or a table with them.

use std::path::Path;

use elfving_table::ReadOptions;

use crate::error::CliError;
use crate::input;

/// The ids of an option: each value is a file, or ids with commas between them.
pub(in crate::campaign) fn ids(values: &[String], id_column: Option<&str>) -> Result<Vec<String>, CliError> {
    let mut ids = Vec::new();
    for value in values {
        if value == "-" || Path::new(value).is_file() {
            ids.extend(of_table(Path::new(value), id_column.unwrap_or("row"))?);
        } else {
            ids.extend(value.split(',').map(|id| id.trim().to_owned()).filter(|id| !id.is_empty()));
        }
    }
    Ok(ids)
}

fn of_table(path: &Path, id_column: &str) -> Result<Vec<String>, CliError> {
    let table = input::table(path, &ReadOptions::default().text(id_column))?;
    Ok(table.texts(id_column)?)
}
