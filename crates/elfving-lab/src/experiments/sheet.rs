//! The numbers of an experiment as one long table.

use super::Findings;
use elfving_table::{Cell, CsvWriter, Dialect, WriteError};

/// `panel,method,x,mean,standard error,repeats`, one line a point.
///
/// # Errors
/// [`WriteError`] for a number that is not finite.
pub fn csv(findings: &Findings) -> Result<Vec<u8>, WriteError> {
    let header = ["panel", "method", "x", "mean", "standard error", "repeats"];
    let mut sheet = CsvWriter::new(Vec::new(), Dialect::default(), header)?;
    for panel in &findings.panels {
        for curve in &panel.curves {
            for (x, y) in curve.x.iter().zip(&curve.y) {
                let names = [Cell::from(panel.name.as_str()), Cell::from(curve.method.as_str())];
                let numbers = [*x, y.mean, y.standard_error].map(Cell::Number);
                let repeats = [Cell::Integer(findings.repeats as i64)];
                sheet.row(names.into_iter().chain(numbers).chain(repeats))?;
            }
        }
    }
    sheet.finish()
}
