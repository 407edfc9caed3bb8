//! The numbers of an experiment for a spreadsheet.

use elfving_table::{Cell, CsvWriter, Dialect, WriteError};

use super::Findings;

const HEADER: [&str; 6] = ["panel", "method", "x", "mean", "standard error", "repeats"];

/// One row for each method and number of measurements.
///
/// # Errors
/// [`WriteError`] for a number that is not finite.
pub fn csv(findings: &Findings) -> Result<Vec<u8>, WriteError> {
    let mut sheet = CsvWriter::new(Vec::new(), Dialect::default(), HEADER)?;
    for row in rows(findings) {
        sheet.row(row)?;
    }
    sheet.finish()
}

/// The rows of several experiments, each behind the name of its own.
///
/// # Errors
/// [`WriteError`] for a number that is not finite.
pub fn csv_of_all(all: &[Findings]) -> Result<Vec<u8>, WriteError> {
    let header = ["experiment"].into_iter().chain(HEADER);
    let mut sheet = CsvWriter::new(Vec::new(), Dialect::default(), header)?;
    for findings in all {
        for row in rows(findings) {
            sheet.row([Cell::from(findings.experiment)].into_iter().chain(row))?;
        }
    }
    sheet.finish()
}

fn rows(findings: &Findings) -> impl Iterator<Item = [Cell<'_>; 6]> {
    let curves =
        findings.panels.iter().flat_map(|panel| panel.curves.iter().map(move |curve| (panel, curve)));
    curves.flat_map(|(panel, curve)| {
        curve.x.iter().zip(&curve.y).map(|(x, y)| {
            let [x, mean, error] = [*x, y.mean, y.standard_error].map(Cell::Number);
            let names = (Cell::from(panel.name.as_str()), Cell::from(curve.method.as_str()));
            [names.0, names.1, x, mean, error, Cell::Integer(findings.repeats as i64)]
        })
    })
}
