//! What the columns of a table ask for.

use crate::Dataset;
use elfving::numerics::{Matrix, right_singular, triangular_factor};
use elfving_table::{ColumnData, LogBase};

use super::{Finding, Suggestion};
use crate::words::short;

/// Deviations that differ by more than this want a common scale.
const WILD: f64 = 10.0;
/// A positive column whose largest value is this many times its smallest wants a log scale.
const LOG: f64 = 30.0;
/// For powers of two this is enough.
const POWERS: f64 = 8.0;
/// Columns that are nearly combinations of each other from here on.
const ILL_CONDITIONED: f64 = 1e6;

/// The ridge for columns that are.
const COLLINEAR_RIDGE: f64 = 1e-3;

/// What the columns ask for.
pub(super) struct Columns {
    pub(super) findings: Vec<Finding>,
    /// The coordinates as they are with the options suggested.
    pub(super) coordinates: Matrix,
    /// Whether they are brought to a common scale.
    pub(super) standardize: bool,
    /// Whether text columns are waiting to become features.
    pub(super) waiting: bool,
}

pub(super) fn findings(data: &Dataset, points: &Matrix, names: &[String]) -> Columns {
    let mut found = Vec::new();
    let waiting = texts(data);
    if !waiting.is_empty() {
        let text = format!("{}: text, not used as features", list(&waiting));
        let columns = waiting.iter().map(|&name| name.to_owned()).collect();
        found.push(Finding::new("text columns", text).suggesting(Suggestion::OneHot { columns }));
    }
    let columns: Vec<Vec<f64>> =
        (0..points.columns()).map(|k| (0..points.rows()).map(|i| points[(i, k)]).collect()).collect();
    let spreads: Vec<f64> = columns.iter().map(|column| deviation(column)).collect();
    let constant: Vec<&str> =
        (0..columns.len()).filter(|&k| spreads[k] == 0.0).map(|k| names[k].as_str()).collect();
    if !constant.is_empty() {
        let columns = data
            .feature_columns()
            .into_iter()
            .filter(|name| !constant.contains(name))
            .chain(waiting.iter().copied())
            .map(str::to_owned)
            .collect();
        found.push(
            Finding::new("constant columns", format!("{}: the same for every candidate", list(&constant)))
                .suggesting(Suggestion::Features { columns }),
        );
    }
    let bases: Vec<Option<LogBase>> = columns
        .iter()
        .map(|column| log_scale(column).filter(|_| data.spec().columns.log_scale.is_empty()))
        .collect();
    let logs: Vec<(String, LogBase)> =
        (0..columns.len()).filter_map(|k| Some((names[k].clone(), bases[k]?))).collect();
    if !logs.is_empty() {
        let shown: Vec<&str> = logs.iter().map(|(name, _)| name.as_str()).collect();
        let text = format!("{}: positive, over several orders of magnitude", list(&shown));
        found.push(Finding::new("log scale", text).suggesting(Suggestion::Log { columns: logs }));
    }
    let coordinates = Matrix::from_fn(points.rows(), points.columns(), |i, k| match bases[k] {
        Some(LogBase::Two) => points[(i, k)].log2(),
        Some(_) => points[(i, k)].log10(),
        None => points[(i, k)],
    });
    let spreads: Vec<f64> = (0..coordinates.columns())
        .map(|k| deviation(&(0..coordinates.rows()).map(|i| coordinates[(i, k)]).collect::<Vec<_>>()))
        .collect();
    let moving = || spreads.iter().copied().filter(|spread| *spread > 0.0);
    let (widest, narrowest) = (moving().fold(0.0, f64::max), moving().fold(f64::INFINITY, f64::min));
    let wild = widest > WILD * narrowest && !data.spec().columns.standardize;
    if wild {
        let text =
            format!("standard deviations of the columns differ by a factor of {}", short(widest / narrowest));
        found.push(Finding::new("scales", text).suggesting(Suggestion::Standardize));
    } else {
        found.push(Finding::new("scales", "the columns are on comparable scales"));
    }
    if let Some(condition) = condition_number(&coordinates, &spreads) {
        let text = format!("condition number {} of the scaled columns", short(condition));
        let finding = Finding::new("collinearity", text);
        let ridge = Suggestion::Gamma { value: COLLINEAR_RIDGE };
        found.push(if condition > ILL_CONDITIONED { finding.suggesting(ridge) } else { finding });
    }
    Columns { findings: found, coordinates, standardize: wild, waiting: !waiting.is_empty() }
}

/// Text columns that are no features yet, unless somebody chose the features.
fn texts(data: &Dataset) -> Vec<&str> {
    let known = &data.spec().columns;
    let Some(table) = data.table().filter(|_| known.features.is_none()) else { return vec![] };
    let used = data.feature_columns();
    table
        .columns()
        .iter()
        .filter(|column| matches!(column.data(), ColumnData::Texts(_)))
        .map(|column| column.name())
        .filter(|name| known.id.as_deref() != Some(name) && !used.iter().any(|used| used == name))
        .filter(|name| !known.exclude.iter().any(|outcome| outcome == name))
        .collect()
}

/// The base for a column that wants a log scale: 2 for powers of two.
fn log_scale(column: &[f64]) -> Option<LogBase> {
    let (smallest, largest) =
        column.iter().fold((f64::INFINITY, 0.0f64), |(low, high), &x| (low.min(x), high.max(x)));
    let power_of_two = |x: &f64| (x.log2() - x.log2().round()).abs() < 1e-12;
    if !(smallest > 0.0) {
        None
    } else if largest >= POWERS * smallest && column.iter().all(power_of_two) {
        Some(LogBase::Two)
    } else {
        (largest >= LOG * smallest).then_some(LogBase::Ten)
    }
}

/// Largest over smallest singular value of the centred columns, each of deviation one.
fn condition_number(points: &Matrix, spreads: &[f64]) -> Option<f64> {
    let kept: Vec<usize> = (0..spreads.len()).filter(|&k| spreads[k] > 0.0).collect();
    if kept.is_empty() || kept.len() >= points.rows() {
        return None;
    }
    let n = points.rows();
    let means: Vec<f64> =
        kept.iter().map(|&k| (0..n).map(|i| points[(i, k)]).sum::<f64>() / n as f64).collect();
    let scaled = Matrix::from_fn(n, kept.len(), |i, k| (points[(i, kept[k])] - means[k]) / spreads[kept[k]]);
    let values = right_singular(&triangular_factor(&scaled))?.values;
    let condition = values.first()? / values.last()?;
    Some(if condition.is_finite() { condition } else { 1e300 })
}

fn deviation(column: &[f64]) -> f64 {
    let n = column.len() as f64;
    let mean = column.iter().sum::<f64>() / n;
    let spread = (column.iter().map(|x| (x - mean).powi(2)).sum::<f64>() / n).sqrt();
    // A constant that rounds is still a constant.
    if spread <= 1e-12 * mean.abs() { 0.0 } else { spread }
}

fn list(names: &[&str]) -> String {
    const SHOWN: usize = 4;
    let shown = names.iter().take(SHOWN).map(|name| format!("{name:?}")).collect::<Vec<_>>().join(", ");
    if names.len() > SHOWN { format!("{shown} and {} more", names.len() - SHOWN) } else { shown }
}
