//! Data frames as tables, and tables as files.

use std::path::{Path, PathBuf};

use elfving_table::{ColumnData, CsvWriter, OutputKind, OutputRefused, Table, check_output};
use numpy::PyReadonlyArray1;
use pyo3::prelude::*;
use pyo3::types::PyBytes;

use crate::arrays::vector;
use crate::failure::{Answer, Class, Failure};
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

/// Refuses an output that would replace an input, a campaign or a file of another kind: the rule of the program.
#[pyfunction]
pub(crate) fn check_file(path: PathBuf, inputs: Vec<PathBuf>) -> PyResult<()> {
    let inputs: Vec<&Path> = inputs.iter().map(PathBuf::as_path).collect();
    check_output(&path, OutputKind::of(&path), &inputs).map_err(|refused| PyErr::from(of_output(&refused)))
}

fn of_output(refused: &OutputRefused) -> Failure {
    let other = refused.other_name();
    Failure::Refused(
        Class::FileExists,
        format!("{refused}; choose another name, such as {}", other.display()),
    )
}
