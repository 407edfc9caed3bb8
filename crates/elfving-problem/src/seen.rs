//! What the model sees: every column of the user's table with its kind, and the model in words.

use std::fmt;

use elfving::pool::KernelSpec;
use elfving::units::grouped;
use elfving_table::{Column, ColumnData, EncodedColumn, FeatureMap, LogBase, Table, TextLook};
use serde::Serialize;

use crate::words::{counted, short};
use crate::{Dataset, Model};

/// Levels of a category that are named.
const NAMED_LEVELS: usize = 4;
/// Columns of a model that are named in its sentence.
const NAMED_COLUMNS: usize = 12;
/// From this part of the variance on, what features leave out is worth a word.
const WORTH_SAYING: f64 = 1e-4;

/// A column of the user's table as the model sees it.
///
/// `Display` is for people: `category, 4 levels: CsOAc, CsOPiv, KOAc, KOPiv`.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ColumnSeen {
    /// The name of the column.
    pub column: String,
    /// What it is to the model.
    #[serde(flatten)]
    pub kind: SeenAs,
}

/// What a column is to the model.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(tag = "kind", rename_all = "kebab-case")]
#[non_exhaustive]
pub enum SeenAs {
    /// A number.
    Number {
        /// The smallest value, of all rows of the table.
        lower: f64,
        /// The largest one.
        upper: f64,
    },
    /// The logarithm of a number.
    LogNumber {
        /// `2`, `e` or `10`.
        base: &'static str,
        /// The smallest value before the logarithm.
        lower: f64,
        /// The largest one.
        upper: f64,
    },
    /// A category.
    Category {
        /// How many levels it has.
        levels: usize,
        /// The first of them, in sorted order.
        first: Vec<String>,
    },
    /// Not seen by the model.
    Ignored {
        /// Why not.
        why: Ignored,
    },
}

/// Why the model does not see a column.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum Ignored {
    /// It names the candidates.
    Id,
    /// It is the outcome.
    Outcome,
    /// It was left out on request.
    LeftOut,
    /// The features were listed, and it is not among them.
    NotListed,
    /// It is text that nobody asked to encode as a category.
    Text,
    /// It is text with another value in every row, or is called `id` or `index`.
    Names,
    /// It is text, and more cells are empty than not.
    Notes,
    /// It is text with numbers among it.
    TextWithNumbers,
    /// It is text with too many different values for a category.
    TooManyValues,
    /// Its cells are numbers with a unit.
    Units,
    /// It is empty.
    Empty,
}

impl Ignored {
    fn in_words(&self) -> &'static str {
        match self {
            Self::Id => "it names the candidates",
            Self::Outcome => "it is the outcome",
            Self::LeftOut => "left out on request",
            Self::NotListed => "not in the list of features",
            Self::Text => "text; it can be declared a category",
            Self::Names => "text that names rows",
            Self::Notes => "text, mostly empty",
            Self::TextWithNumbers => "text with numbers among it",
            Self::TooManyValues => "text with too many different values",
            Self::Units => "numbers with a unit",
            Self::Empty => "empty",
        }
    }
}

impl fmt::Display for ColumnSeen {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let range = |f: &mut fmt::Formatter<'_>, lower: f64, upper: f64| match lower == upper {
            true => write!(f, "{lower} in every row"),
            false => write!(f, "{lower} to {upper}"),
        };
        match &self.kind {
            SeenAs::Number { lower, upper } => {
                f.write_str("number, ")?;
                range(f, *lower, *upper)
            }
            SeenAs::LogNumber { base, lower, upper } => {
                write!(f, "number on a log scale (base {base}), ")?;
                range(f, *lower, *upper)
            }
            SeenAs::Category { levels, first } => {
                let more = if first.len() < *levels { ", ..." } else { "" };
                write!(f, "category, {}: {}{more}", counted(*levels, "level"), first.join(", "))
            }
            SeenAs::Ignored { why } => write!(f, "ignored: {}", why.in_words()),
        }
    }
}

impl Dataset {
    /// Every column of the user's table, in its order, and what it is to the model; empty without a table.
    ///
    /// ```
    /// use elfving_problem::{Dataset, PoolSpec, Source};
    /// let bytes = b"id,base,dose\na,KOAc,1\nb,KOAc,2\nc,CsOAc,4\n".to_vec();
    /// let pool = Source::Bytes { name: "pool.csv".into(), bytes };
    /// let mut spec = PoolSpec::default();
    /// spec.columns = spec.columns.id("id").categorical("base");
    /// let dataset = Dataset::read(&pool, None, spec, 0)?;
    /// let seen: Vec<String> = dataset.columns_seen().iter().map(ToString::to_string).collect();
    /// assert_eq!(seen, ["ignored: it names the candidates", "category, 2 levels: CsOAc, KOAc", "number, 1 to 4"]);
    /// # Ok::<(), elfving_problem::ProblemError>(())
    /// ```
    pub fn columns_seen(&self) -> Vec<ColumnSeen> {
        let Some(table) = self.table() else { return Vec::new() };
        let encoded = self.about().encoding.as_ref().map_or(&[][..], |encoding| encoding.columns());
        let seen = |column: &Column| ColumnSeen {
            column: column.name().to_owned(),
            kind: match encoded.iter().find(|known| known.column == column.name()) {
                Some(EncodedColumn { map, .. }) => self.seen_as(table, column, map),
                None => SeenAs::Ignored { why: self.why_ignored(table, column) },
            },
        };
        table.columns().iter().map(seen).collect()
    }

    fn seen_as(&self, table: &Table, column: &Column, map: &FeatureMap) -> SeenAs {
        let (lower, upper) = match map {
            FeatureMap::Category { .. } => (0.0, 0.0),
            FeatureMap::Number { .. } => self.range(table, column),
        };
        match map {
            FeatureMap::Number { log: None, .. } => SeenAs::Number { lower, upper },
            FeatureMap::Number { log: Some(base), .. } => {
                let base = match base {
                    LogBase::Two => "2",
                    LogBase::E => "e",
                    LogBase::Ten => "10",
                };
                SeenAs::LogNumber { base, lower, upper }
            }
            FeatureMap::Category { levels } => {
                let first = levels.iter().take(NAMED_LEVELS).cloned().collect();
                SeenAs::Category { levels: levels.len(), first }
            }
        }
    }

    /// The smallest and the largest value, of numbers and of what the markers stand for.
    fn range(&self, table: &Table, column: &Column) -> (f64, f64) {
        let wider = |(lower, upper): (f64, f64), x: f64| (lower.min(x), upper.max(x));
        let nothing = (f64::INFINITY, f64::NEG_INFINITY);
        let (lower, upper) = match column.data() {
            ColumnData::Numbers(numbers) => numbers.iter().fold(nothing, wider),
            ColumnData::Texts(texts) => {
                let markers = &self.spec().columns.markers;
                let value = |(row, cell): (usize, &str)| match markers
                    .iter()
                    .find(|marker| marker.text == cell.trim())
                {
                    Some(marker) => marker.value,
                    None => table.number_in(column.name(), row, cell).ok(),
                };
                texts.iter().enumerate().filter_map(value).fold(nothing, wider)
            }
        };
        // A pool has rows, and each of its feature cells is a number; no infinity leaves the library all the same.
        if lower <= upper { (lower, upper) } else { (0.0, 0.0) }
    }

    fn why_ignored(&self, table: &Table, column: &Column) -> Ignored {
        let spec = self.spec();
        let is = |name: &String| name.trim() == column.name().trim();
        if spec.columns.id.as_ref().is_some_and(is) {
            Ignored::Id
        } else if spec.outcome.as_ref().is_some_and(is) {
            Ignored::Outcome
        } else if spec.columns.exclude.iter().any(is) {
            Ignored::LeftOut
        } else if spec.columns.features.is_some() {
            Ignored::NotListed
        } else {
            match table.text_look(column) {
                Some(TextLook::Names) => Ignored::Names,
                Some(TextLook::Notes) => Ignored::Notes,
                Some(TextLook::WithNumbers) => Ignored::TextWithNumbers,
                Some(TextLook::TooMany { .. }) => Ignored::TooManyValues,
                Some(TextLook::WithUnits) => Ignored::Units,
                Some(TextLook::Empty) => Ignored::Empty,
                _ => Ignored::Text,
            }
        }
    }

    /// The model in words, as it was asked for: `linear in the columns a, b, through the origin: no intercept`, or
    /// `Matern 5/2 kernel, length scale 0.3, on a, b`.
    pub fn model_in_words(&self) -> String {
        // A constant is the intercept of a linear model, and nothing to any other.
        let (count, on) = self.model_columns(matches!(self.model(), Model::Unstated | Model::Linear));
        let columns = if count == 1 { "column" } else { "columns" };
        match self.model() {
            Model::Unstated | Model::Linear => {
                format!("linear in the {columns} {on}, {}", self.intercept_in_words())
            }
            Model::Polynomial { degree, interactions_only: true } => {
                format!("interactions up to degree {degree} of the {columns} {on}, with an intercept")
            }
            Model::Polynomial { degree, .. } => {
                format!("polynomial of degree {degree} in the {columns} {on}, with an intercept")
            }
            Model::Formula { formula } if formula.has_intercept() => {
                format!("linear in the terms of {formula}, with an intercept")
            }
            Model::Formula { formula } => format!("linear in the terms of {formula}, no intercept"),
            Model::Kernel { of, residual } if of.smooth_parts().is_some() => {
                self.smooth_in_words(of, residual.unwrap_or(0.0))
            }
            Model::Kernel { of, .. } => {
                let words = of.to_string();
                let words = match words.split_once(", ") {
                    Some((name, rest)) if !words.contains('(') => format!("{name} kernel, {}", rounded(rest)),
                    _ => format!("kernel {}", rounded(&words)),
                };
                format!("{words}, on {on}")
            }
            Model::Matrix { .. } => "the kernel matrix that came with the pool".to_owned(),
        }
    }

    /// `smooth with an intercept: Matern 5/2 kernel times 4 plus the constant 100, length scales dose 1.06, plate 0.7`.
    fn smooth_in_words(&self, of: &KernelSpec, residual: f64) -> String {
        let Some((intercept, variance, lengthscale)) = of.smooth_parts() else { return of.to_string() };
        let mut words = format!(
            "smooth with an intercept: Matern 5/2 kernel times {variance} plus the constant {intercept}"
        );
        let features = self.features_by_column();
        let varying: Vec<&FeatureColumn> =
            features.iter().filter(|feature| feature.constant.is_none()).collect();
        let length = |at: usize| match lengthscale.values() {
            [shared] => *shared,
            each => each.get(at).copied().unwrap_or(1.0),
        };
        let listed: Vec<String> = varying
            .iter()
            .take(NAMED_COLUMNS)
            .map(|feature| format!("{} {}", feature.name, three_digits(length(feature.first))))
            .collect();
        if !listed.is_empty() {
            let scales = if varying.len() == 1 { "length scale" } else { "length scales" };
            words.push_str(&format!(", {scales} {}", listed.join(", ")));
        }
        if let Some(more) = varying.len().checked_sub(NAMED_COLUMNS).filter(|more| *more > 0) {
            words.push_str(&format!(" and {} more", grouped(more as u64)));
        }
        // As a part of what distinguishes candidates.
        let left_out = residual * (intercept + variance) / variance;
        if left_out > WORTH_SAYING {
            words.push_str(&format!(
                "; its features leave out up to {} % of the variance of a candidate, which every bound pays for",
                three_digits(100.0 * left_out)
            ));
        }
        words
    }

    /// The model of the calibrated mode in words: it has its own kernel, and its parameters are fitted to the data.
    pub fn fitted_model_in_words(&self) -> String {
        match self.model_columns(false) {
            (0, _) => "a model fitted to the data (Matern 5/2); no column varies".to_owned(),
            (_, on) => format!("a model fitted to the data (Matern 5/2) on {on}"),
        }
    }

    /// Columns that carry a constant make the origin no constraint: a constant other than 0, or the levels of a category, of which every
    /// candidate has one.
    fn intercept_in_words(&self) -> String {
        let features = self.features_by_column();
        let constant = features.iter().find(|feature| feature.constant.is_some_and(|value| value != 0.0));
        let category = features.iter().find(|feature| feature.category);
        match (constant, category) {
            (Some(constant), _) => format!("with the constant column {} as its intercept", constant.name),
            (None, Some(category)) => format!("with an intercept for each level of {}", category.name),
            (None, None) => "through the origin: no intercept".to_owned(),
        }
    }

    /// The columns that can distinguish candidates, and those that cannot where they count all the same: how many, and their names.
    fn model_columns(&self, keeps_constants: bool) -> (usize, String) {
        let features = self.features_by_column();
        let names: Vec<&str> = features
            .iter()
            .filter(|feature| feature.constant.is_none() || keeps_constants)
            .map(|feature| feature.name.as_str())
            .collect();
        let listed = match names.len() {
            all if all > NAMED_COLUMNS => {
                let more = grouped((all - NAMED_COLUMNS) as u64);
                format!("{} and {more} more", names[..NAMED_COLUMNS].join(", "))
            }
            _ => names.join(", "),
        };
        (names.len(), listed)
    }

    /// The feature columns with what the candidates have in them.
    fn features_by_column(&self) -> Vec<FeatureColumn> {
        let Some((x, _)) = self.coordinates() else { return Vec::new() };
        let constant = |at: usize| {
            let first = (x.rows() > 0).then(|| x[(0, at)])?;
            (0..x.rows()).all(|row| x[(row, at)] == first).then_some(first)
        };
        let Some(encoding) = &self.about().encoding else {
            let names = self.about().coordinate_names.clone();
            let names =
                names.unwrap_or_else(|| (0..x.columns()).map(|column| format!("x{column}")).collect());
            let feature =
                |(at, name)| FeatureColumn { name, constant: constant(at), category: false, first: at };
            return names.into_iter().enumerate().map(feature).collect();
        };
        let mut at = 0;
        let feature = |EncodedColumn { column, map }: &EncodedColumn| {
            let from = at;
            let (constant, category) = match map {
                FeatureMap::Number { .. } => {
                    at += 1;
                    (constant(from), false)
                }
                FeatureMap::Category { levels } => {
                    at += levels.len();
                    ((from..at).all(|level| constant(level).is_some()).then_some(1.0), true)
                }
            };
            FeatureColumn { name: column.clone(), constant, category, first: from }
        };
        encoding.columns().iter().map(feature).collect()
    }
}

/// A column of the table among the features.
struct FeatureColumn {
    name: String,
    /// The value that every candidate has; none where they differ.
    constant: Option<f64>,
    category: bool,
    /// Its first coordinate.
    first: usize,
}

/// Three digits and no more: `1.36`, `99.8`.
fn three_digits(x: f64) -> f64 {
    format!("{x:.2e}").parse().unwrap_or(x)
}

/// The numbers of a sentence with the digits that people read.
fn rounded(words: &str) -> String {
    const LONG: usize = 7;
    let readable = |word: &str| {
        let number = word.trim_matches(|c: char| !c.is_ascii_digit() && c != '-');
        match number.parse() {
            Ok(x) if number.len() > LONG => word.replace(number, &short(x)),
            _ => word.to_owned(),
        }
    };
    words.split(' ').map(readable).collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{PoolSpec, Source};
    use elfving::pool::Lengthscale;
    use elfving_table::{OneHot, PoolOptions};

    const TABLE: &str = "run,one,dose,base,note,plate,yield
a,1,0.5,KOAc,,1,
b,1,1,CsOAc,dark,2,
c,1,2,KOAc,,1,7
";

    fn dataset(columns: PoolOptions, model: Model) -> Dataset {
        let pool = Source::Bytes { name: "pool.csv".into(), bytes: TABLE.into() };
        let columns = columns.id("run").exclude("yield");
        let spec = PoolSpec { columns, model, outcome: Some("yield".into()), ..PoolSpec::default() };
        Dataset::read(&pool, None, spec, 0).unwrap()
    }

    #[test]
    fn every_column_has_a_kind_or_a_reason() {
        let columns = PoolOptions::default().log_scale("dose", LogBase::Two).categorical("plate");
        let seen = dataset(columns, Model::Linear).columns_seen();
        let words: Vec<String> = seen.iter().map(|seen| format!("{}: {seen}", seen.column)).collect();
        assert_eq!(
            words,
            [
                "run: ignored: it names the candidates",
                "one: number, 1 in every row",
                "dose: number on a log scale (base 2), 0.5 to 2",
                "base: ignored: text; it can be declared a category",
                "note: ignored: text, mostly empty",
                "plate: category, 2 levels: 1, 2",
                "yield: ignored: it is the outcome",
            ]
        );
    }

    #[test]
    fn a_linear_model_says_where_its_intercept_is() {
        let words = |columns: PoolOptions| dataset(columns, Model::Linear).model_in_words();
        let plain = words(PoolOptions::default().features(["dose", "plate"]));
        assert_eq!(plain, "linear in the columns dose, plate, through the origin: no intercept");
        let one = words(PoolOptions::default().features(["dose"]));
        assert_eq!(one, "linear in the column dose, through the origin: no intercept");
        let constant = words(PoolOptions::default().features(["one", "dose"]));
        assert_eq!(
            constant,
            "linear in the columns one, dose, with the constant column one as its intercept"
        );
        let category = PoolOptions::default().features(["dose", "base"]).one_hot(OneHot::AllText);
        assert_eq!(
            words(category),
            "linear in the columns dose, base, with an intercept for each level of base"
        );
    }

    #[test]
    fn a_kernel_is_named_with_readable_numbers_on_the_columns_that_vary() {
        let lengthscale = Lengthscale::Shared(0.342_109_876_54);
        let model = Model::Kernel { of: KernelSpec::Matern52 { lengthscale }, residual: None };
        let dataset = dataset(PoolOptions::default(), model);
        assert_eq!(dataset.model_in_words(), "Matern 5/2 kernel, length scale 0.342, on dose, plate");
        let fitted = "a model fitted to the data (Matern 5/2) on dose, plate";
        assert_eq!(dataset.fitted_model_in_words(), fitted);
        let unnamed = self::dataset(PoolOptions::default(), Model::Linear);
        assert_eq!(unnamed.fitted_model_in_words(), fitted, "the calibrated mode has its own model");
    }
}
