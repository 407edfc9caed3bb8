//! The curves for a spreadsheet: one line for each algorithm and checkpoint.

use std::path::Path;

use elfving_table::{Cell, CsvWriter, Dialect};

use super::Answer;
use crate::error::{CliError, write_error};

/// `algorithm,samples,regret,regret se,simple regret,simple regret se`.
pub(super) fn csv(answer: &Answer, to: &Path) -> Result<Vec<u8>, CliError> {
    let failed = write_error(to.to_owned());
    let header = ["algorithm", "samples", "regret", "regret se", "simple regret", "simple regret se"];
    let dialect = answer.loaded.table().map_or_else(Dialect::default, |table| table.dialect());
    let mut sheet = CsvWriter::new(Vec::new(), dialect, header).map_err(&failed)?;
    for tried in &answer.tried {
        let curves = tried.runs.regret().into_iter().zip(tried.runs.simple_regret());
        for (&samples, (regret, simple)) in tried.runs.checkpoints.iter().zip(curves) {
            let numbers = [regret.mean, regret.standard_error, simple.mean, simple.standard_error];
            let names = [Cell::from(tried.algorithm.name()), Cell::Integer(samples as i64)];
            sheet.row(names.into_iter().chain(numbers.map(Cell::Number))).map_err(&failed)?;
        }
    }
    sheet.finish().map_err(&failed)
}
