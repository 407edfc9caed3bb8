//! Data frames as tables, and tables as files.

use elfving_table::{ColumnData, CsvWriter, Table};
use numpy::PyReadonlyArray1;
use pyo3::prelude::*;
use pyo3::types::PyBytes;

use crate::arrays::vector;
use crate::failure::Answer;
use crate::task;

/// A column of a data frame: numbers, or texts.
#[derive(FromPyObject)]
pub(crate) enum PyColumn<'py> {
    Numbers(PyReadonlyArray1<'py, f64>),
    Texts(Vec<String>),
}

/// The columns of a data frame by name.
pub(crate) type PyColumns<'py> = Vec<(String, PyColumn<'py>)>;

/// A data frame as a table.
pub(crate) fn table(file: &str, columns: PyColumns<'_>) -> Answer<Table> {
    let columns = columns.into_iter().map(|(name, column)| {
        let data = match column {
            PyColumn::Numbers(numbers) => ColumnData::Numbers(vector(&numbers).into()),
            PyColumn::Texts(texts) => ColumnData::Texts(texts.into_iter().collect()),
        };
        (name, data)
    });
    Ok(Table::from_columns(file, columns)?)
}

/// A table as the bytes of a file.
fn csv(table: &Table) -> Answer<Vec<u8>> {
    let header = table.columns().iter().map(elfving_table::Column::name);
    let mut writer = CsvWriter::new(Vec::new(), table.dialect(), header)?;
    for row in 0..table.rows() {
        writer.row(table.cells(row))?;
    }
    Ok(writer.finish()?)
}

/// A data frame as the bytes of a .csv file.
#[pyfunction]
pub(crate) fn csv_of_columns<'py>(
    py: Python<'py>,
    name: &str,
    columns: PyColumns<'_>,
) -> PyResult<Bound<'py, PyBytes>> {
    let table = table(name, columns)?;
    let bytes = task::run(py, move || csv(&table))?;
    Ok(PyBytes::new(py, &bytes))
}
