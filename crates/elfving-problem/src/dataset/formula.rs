//! A formula on the columns of a dataset.

use elfving::numerics::Matrix;
use elfving::pool::formula::{BoundFormula, Values, Variable};
use elfving::pool::{Points, PoolError};
use elfving_table::{FeatureMap, Table, TextLook};

use super::{About, Numbers, numbered_names};
use crate::{Model, PoolSpec, ProblemError};

/// The columns that the formula names become the features, unless the user chose them; text, and what stands in `C( )`, as categories.
pub(super) fn choose_columns(spec: &mut PoolSpec, table: &Table) -> Result<(), ProblemError> {
    let Model::Formula { formula } = &spec.model else { return Ok(()) };
    let known = || table.columns().iter().map(|column| column.name());
    for name in formula.variables() {
        if table.column(name).is_err() {
            return Err(ProblemError::Formula(formula.no_such_column(name, known())));
        }
    }
    let columns = &mut spec.columns;
    let named = formula.variables().into_iter().map(str::to_owned);
    columns.features.get_or_insert_with(|| named.collect());
    for name in formula.variables() {
        // Texts with numbers among them are numbers with something wrong, which is then said of their cells.
        let numbers = |look: &TextLook| matches!(look, TextLook::WithNumbers | TextLook::Empty);
        let look = table.column(name).ok().and_then(|column| table.text_look(column));
        let is_category = formula.categories().contains(&name) || look.is_some_and(|look| !numbers(&look));
        if is_category && !columns.categorical.iter().any(|known| known == name) {
            columns.categorical.push(name.to_owned());
        }
    }
    Ok(())
}

/// The formula on the columns, where the model is one.
pub(super) fn bound(about: &About, numbers: &Numbers) -> Result<Option<BoundFormula>, ProblemError> {
    let Model::Formula { formula } = &about.spec.model else { return Ok(None) };
    let Numbers::Coordinates { x, .. } = numbers else { return Ok(None) };
    formula.bind(&variables(about, x)).map(Some).map_err(ProblemError::Formula)
}

/// The features of candidates and choices.
pub(super) fn features(about: &About, numbers: &Numbers) -> Result<(Matrix, Option<Matrix>), ProblemError> {
    let (Some(bound), Numbers::Coordinates { x, z }) = (bound(about, numbers)?, numbers) else {
        return Err(ProblemError::NoTable { what: "a formula" });
    };
    let of_rows = |points: &Points, codes: &[Vec<u32>], what: &str| {
        let rows = points.matrix().rows();
        if codes.iter().any(|levels| levels.len() != rows) {
            return Err(ProblemError::NoTable { what: "a formula with categories" });
        }
        bound.features(rows, &values(about, points.matrix(), codes)).map_err(|error| match error {
            PoolError::FeatureNotFinite { feature, row, value } => {
                let names = if what == "target" { about.choice_names.as_ref() } else { Some(&about.names) };
                let name = names.map_or_else(|| row.to_string(), |names| names.name(row).into_owned());
                let value = if value.is_nan() { "not a number" } else { "infinite" };
                let problem =
                    format!("{feature} is {value} for {what} {name}: leave it out, or change the formula");
                ProblemError::Data { problem }
            }
            other => other.into(),
        })
    };
    let (codes, choice_codes) = &about.codes;
    let x = of_rows(x, codes, "candidate")?;
    let z =
        z.as_ref().map(|z| of_rows(z, choice_codes.as_deref().unwrap_or_default(), "target")).transpose()?;
    Ok((x, z))
}

/// What the formula may name: the columns of the table as they were encoded, or the coordinates.
fn variables(about: &About, x: &Points) -> Vec<Variable> {
    match &about.encoding {
        Some(encoding) => {
            let variable = |column: &elfving_table::EncodedColumn| match &column.map {
                FeatureMap::Number { .. } => Variable::numeric(&column.column),
                FeatureMap::Category { levels } => Variable::category(&column.column, levels),
            };
            encoding.columns().iter().map(variable).collect()
        }
        None => {
            let names = about.coordinate_names.clone().unwrap_or_else(|| numbered_names(x.dimension()));
            names.into_iter().map(Variable::numeric).collect()
        }
    }
}

/// The rows of every variable.
fn values<'a>(about: &About, x: &Matrix, codes: &'a [Vec<u32>]) -> Vec<Values<'a>> {
    let numbers = |at: usize| Values::Numbers((0..x.rows()).map(|row| x[(row, at)]).collect());
    let Some(encoding) = &about.encoding else { return (0..x.columns()).map(numbers).collect() };
    let (mut at, mut categories) = (0, codes.iter());
    let of_column = |column: &elfving_table::EncodedColumn| match &column.map {
        FeatureMap::Number { .. } => {
            at += 1;
            numbers(at - 1)
        }
        FeatureMap::Category { levels } => {
            at += levels.len();
            Values::Levels(categories.next().map_or(&[], Vec::as_slice))
        }
    };
    encoding.columns().iter().map(of_column).collect()
}
