//! Candidates from factors.

use elfving_problem::factors::{Factor, FactorError, Factors, Levels, Mixture, SampleMethod, Selection};
use elfving_table::{ColumnData, Condition, Table};
use numpy::{PyArray1, PyReadonlyArray1};
use pyo3::prelude::*;
use pyo3::types::PyList;

use crate::arrays::vector;
use crate::failure::{Answer, Failure};
use crate::task;

/// The levels of one factor.
#[derive(FromPyObject)]
pub(crate) enum PyLevels<'py> {
    Range(f64, f64, Option<f64>),
    Numbers(PyReadonlyArray1<'py, f64>),
    Names(Vec<String>),
}

/// How many combinations are wanted: a fraction, or a sample with its method and seed.
#[derive(FromPyObject)]
pub(crate) enum PySelection {
    Sample(usize, String, u64),
    Fraction(u64),
}

impl From<FactorError> for Failure {
    fn from(error: FactorError) -> Self {
        Self::Refused(error.kind().into(), format!("{}; {}", error.message, error.help))
    }
}

fn made(
    factors: Vec<(String, PyLevels<'_>)>,
    mixtures: Vec<(Vec<String>, f64)>,
    conditions: &[String],
    levels: usize,
    selection: Option<PySelection>,
    id: &str,
) -> Answer<Factors> {
    let factor = |(name, given): (String, PyLevels<'_>)| match given {
        PyLevels::Range(low, high, step) => Factor::range(&name, low, high, step, levels),
        PyLevels::Numbers(values) => Factor::listed(&name, Levels::Numbers(vector(&values))),
        PyLevels::Names(names) => Factor::listed(&name, Levels::Names(names)),
    };
    let factors: Result<Vec<Factor>, FactorError> = factors.into_iter().map(factor).collect();
    let mixtures: Result<Vec<Mixture>, FactorError> =
        mixtures.into_iter().map(|(names, step)| Mixture::new(names, step)).collect();
    let selection = match selection {
        None => Selection::All,
        Some(PySelection::Fraction(one_in)) => Selection::Fraction { one_in },
        Some(PySelection::Sample(rows, method, seed)) => {
            Selection::Sample { rows, method: method.parse::<SampleMethod>()?, seed }
        }
    };
    let mut made = Factors::new(factors?, mixtures?)?.id(id)?.select(selection);
    for text in conditions {
        let condition = Condition::parse(text).map_err(|error| Failure::option(error.to_string()))?;
        made = made.only(condition);
    }
    Ok(made)
}

/// The columns of the candidates by name, ids first: arrays of numbers and lists of text.
#[pyfunction]
#[pyo3(signature = (factors, mixtures, conditions, levels, selection, id))]
pub(crate) fn factors<'py>(
    py: Python<'py>,
    factors: Vec<(String, PyLevels<'_>)>,
    mixtures: Vec<(Vec<String>, f64)>,
    conditions: Vec<String>,
    levels: usize,
    selection: Option<PySelection>,
    id: &str,
) -> PyResult<Vec<(String, Bound<'py, PyAny>)>> {
    let made = made(factors, mixtures, &conditions, levels, selection, id)?;
    let table: Table = task::run(py, move || Ok(made.table()?))?;
    let column = |column: &elfving_table::Column| {
        let data = match column.data() {
            ColumnData::Numbers(numbers) => PyArray1::from_slice(py, &numbers.values()).into_any(),
            ColumnData::Texts(texts) => PyList::new(py, texts.iter())?.into_any(),
        };
        Ok((column.name().to_owned(), data))
    };
    table.columns().iter().map(column).collect()
}
