//! A formula on the columns of a table.

use super::coding::{MOST_CATEGORIES, Product, products};
use super::{Coding, FactorKind, Formula};
use crate::numerics::Matrix;
use crate::pool::PoolError;
use crate::text::{TextError, nearest};

/// More features than this are taken for a mistake.
const MOST_FEATURES: usize = 100_000;

/// A column that a formula may name.
#[derive(Debug, Clone, PartialEq)]
pub struct Variable {
    name: String,
    levels: Option<Vec<String>>,
}

impl Variable {
    /// A column of numbers.
    pub fn numeric(name: impl Into<String>) -> Self {
        Self { name: name.into(), levels: None }
    }

    /// A column of categories with these levels.
    pub fn category<S: Into<String>>(name: impl Into<String>, levels: impl IntoIterator<Item = S>) -> Self {
        Self { name: name.into(), levels: Some(levels.into_iter().map(Into::into).collect()) }
    }
}

/// The rows of a column.
#[derive(Debug, Clone, PartialEq)]
pub enum Values<'a> {
    /// Of a column of numbers.
    Numbers(Vec<f64>),
    /// Of categories: positions in the list of levels.
    Levels(&'a [u32]),
}

/// A formula whose columns are known; see [`Formula`].
#[derive(Debug, Clone, PartialEq)]
pub struct BoundFormula {
    formula: Formula,
    /// For each factor its variables, by position, and how it becomes numbers.
    factors: Vec<Bound>,
    columns: Vec<Recipe>,
    names: Vec<String>,
    terms: Vec<usize>,
    variables: Vec<String>,
}

#[derive(Debug, Clone, PartialEq)]
enum Bound {
    Number(usize),
    Arithmetic,
    Category { variable: usize, levels: Vec<String>, coding: Coding, reference: usize },
}

/// A feature: a product of numbers and contrasts.
type Recipe = Vec<Part>;

#[derive(Debug, Clone, PartialEq)]
struct Part {
    factor: usize,
    /// What each level counts; of a number nothing.
    contrast: Option<Vec<f64>>,
}

impl Formula {
    /// The features of the formula on these columns.
    ///
    /// # Errors
    /// [`TextError`] for a column or level that is not there, arithmetic on categories, and more than 100,000 features.
    pub fn bind(&self, columns: &[Variable]) -> Result<BoundFormula, TextError> {
        let find = |name: &str| {
            let known = || columns.iter().map(|variable| variable.name.as_str());
            columns
                .iter()
                .position(|variable| variable.name == name)
                .ok_or_else(|| self.no_such_column(name, known()))
        };
        let mut factors = Vec::with_capacity(self.factors.len());
        for factor in &self.factors {
            let category = |variable: usize, levels: &[String], coding: &Coding| {
                let reference = match coding {
                    Coding::Treatment { reference: Some(level) } => {
                        levels.iter().position(|known| known == level).ok_or_else(|| {
                            let help = match nearest(level, levels.iter().map(String::as_str)) {
                                Some(nearest) => format!("; the nearest is {nearest:?}"),
                                None => format!("; there are {}", levels.join(", ")),
                            };
                            self.error(factor.at.clone(), format!("there is no level {level:?}{help}"))
                        })?
                    }
                    _ => 0,
                };
                let (levels, coding) = (levels.to_vec(), coding.clone());
                Ok(Bound::Category { variable, levels, coding, reference })
            };
            factors.push(match &factor.kind {
                FactorKind::Column(name) => {
                    let at = find(name)?;
                    match &columns[at].levels {
                        None => Bound::Number(at),
                        Some(levels) => category(at, levels, &Coding::Treatment { reference: None })?,
                    }
                }
                FactorKind::Category { column, coding } => {
                    let at = find(column)?;
                    let Some(levels) = &columns[at].levels else {
                        let message = format!("{column} has numbers and no levels here");
                        return Err(self.error(factor.at.clone(), message));
                    };
                    category(at, levels, coding)?
                }
                FactorKind::Number(arithmetic) => {
                    for name in arithmetic.columns() {
                        if columns[find(name)?].levels.is_some() {
                            let message = format!("{name} is a category, and arithmetic needs numbers");
                            return Err(self.error(factor.at.clone(), message));
                        }
                    }
                    Bound::Arithmetic
                }
            });
        }
        let variables = columns.iter().map(|variable| variable.name.clone()).collect();
        let (columns, names, terms) = (Vec::new(), Vec::new(), Vec::new());
        let mut bound = BoundFormula { formula: self.clone(), factors, columns, names, terms, variables };
        bound.write_out()?;
        Ok(bound)
    }
}

impl BoundFormula {
    /// The names of the features: `Intercept`, `temp`, `base[T.KOAc]`, `temp:base[T.KOAc]`.
    pub fn names(&self) -> &[String] {
        &self.names
    }

    /// The term of each feature, by its position in [`term_names`](Self::term_names).
    pub fn terms(&self) -> &[usize] {
        &self.terms
    }

    /// The terms as they are written: `Intercept`, `temp`, `temp:base`.
    pub fn term_names(&self) -> Vec<String> {
        let label = |factor: &usize| self.formula.factors[*factor].label.clone();
        let name = |term: &super::Term| match term.is_empty() {
            true => "Intercept".to_owned(),
            false => term.iter().map(label).collect::<Vec<_>>().join(":"),
        };
        self.formula.terms.iter().map(name).collect()
    }

    /// The features, one row for each row of the columns, which stand in the order of [`Formula::bind`].
    ///
    /// # Errors
    /// [`PoolError::FeatureNotFinite`], such as the logarithm of a negative number.
    ///
    /// # Panics
    /// When a column has levels where it was bound as numbers, or the other way round, or another number of rows.
    pub fn features(&self, rows: usize, columns: &[Values<'_>]) -> Result<Matrix, PoolError> {
        let numbers = |variable: usize| match &columns[variable] {
            Values::Numbers(numbers) => numbers,
            Values::Levels(_) => panic!("{} was bound as numbers", self.variables[variable]),
        };
        let of_factor: Vec<Option<Vec<f64>>> = self
            .factors
            .iter()
            .zip(&self.formula.factors)
            .map(|(bound, factor)| match (bound, &factor.kind) {
                (Bound::Number(variable), _) => Some(numbers(*variable).clone()),
                (Bound::Arithmetic, FactorKind::Number(arithmetic)) => {
                    let at =
                        |name: &str| self.variables.iter().position(|known| known == name).expect("bound");
                    let value = |row: usize| arithmetic.at(&|name| numbers(at(name))[row]);
                    Some((0..rows).map(value).collect())
                }
                _ => None,
            })
            .collect();
        let levels = |factor: usize| match &self.factors[factor] {
            Bound::Category { variable, .. } => match &columns[*variable] {
                Values::Levels(levels) => *levels,
                Values::Numbers(_) => panic!("{} was bound as a category", self.variables[*variable]),
            },
            _ => unreachable!("only categories have contrasts"),
        };
        let mut features = Matrix::from_fn(rows, self.columns.len(), |_, _| 1.0);
        for (k, recipe) in self.columns.iter().enumerate() {
            for part in recipe {
                match &part.contrast {
                    None => {
                        let numbers = of_factor[part.factor].as_ref().expect("a number");
                        (0..rows).for_each(|row| features[(row, k)] *= numbers[row]);
                    }
                    Some(contrast) => {
                        let levels = levels(part.factor);
                        (0..rows).for_each(|row| features[(row, k)] *= contrast[levels[row] as usize]);
                    }
                }
            }
        }
        match features.first_non_finite() {
            None => Ok(features),
            Some((row, k)) => {
                let (feature, value) = (self.names[k].clone(), features[(row, k)]);
                Err(PoolError::FeatureNotFinite { feature, row, value })
            }
        }
    }

    /// Every term as features.
    fn write_out(&mut self) -> Result<(), TextError> {
        let formula = self.formula.clone();
        let is_category = |factor: usize| matches!(self.factors[factor], Bound::Category { .. });
        let crowded = |term: &&super::Term| {
            term.iter().filter(|factor| is_category(**factor)).count() > MOST_CATEGORIES
        };
        let whole = 0..formula.text.len();
        if formula.terms.iter().any(|term| crowded(&term)) {
            let message = format!("a term has more than {MOST_CATEGORIES} categories");
            return Err(formula.error(whole, message));
        }
        let of_terms = products(&formula.terms, &is_category);
        for (term, products) in of_terms.iter().enumerate() {
            for product in products {
                let (recipes, names) = self.features_of(product);
                if self.columns.len() + recipes.len() > MOST_FEATURES {
                    let message = format!("the formula has more than {MOST_FEATURES} features");
                    return Err(formula.error(whole, message));
                }
                self.terms.extend(recipes.iter().map(|_| term));
                self.columns.extend(recipes);
                self.names.extend(names);
            }
        }
        if self.columns.is_empty() {
            return Err(
                formula.error(whole, "the formula has no features: its categories have one level".to_owned())
            );
        }
        Ok(())
    }

    /// The features of a product, the levels of its first category varying fastest.
    fn features_of(&self, product: &Product) -> (Vec<Recipe>, Vec<String>) {
        let mut all: Vec<(Recipe, Vec<String>)> = vec![(Vec::new(), Vec::new())];
        for &(factor, full) in product {
            let columns = self.columns_of(factor, full);
            all = columns
                .iter()
                .flat_map(|(part, name)| {
                    all.iter().map(move |(recipe, names)| {
                        let recipe = recipe.iter().chain([part]).cloned().collect();
                        (recipe, names.iter().chain([name]).cloned().collect())
                    })
                })
                .take(MOST_FEATURES + 1)
                .collect();
        }
        let name = |names: Vec<String>| match names.is_empty() {
            true => "Intercept".to_owned(),
            false => names.join(":"),
        };
        all.into_iter().map(|(recipe, names)| (recipe, name(names))).unzip()
    }

    /// The columns of one factor, with their names.
    fn columns_of(&self, factor: usize, full: bool) -> Vec<(Part, String)> {
        let label = &self.formula.factors[factor].label;
        let Bound::Category { variable, levels, coding, reference } = &self.factors[factor] else {
            return vec![(Part { factor, contrast: None }, label.clone())];
        };
        let column = &self.variables[*variable];
        let indicator = |k: usize| (0..levels.len()).map(|j| f64::from(u8::from(j == k))).collect::<Vec<_>>();
        let part = |contrast, name| (Part { factor, contrast: Some(contrast) }, name);
        let last = levels.len() - 1;
        let column_of = |k: usize| match (full, coding) {
            (true, _) => part(indicator(k), format!("{column}[{}]", levels[k])),
            (false, Coding::Treatment { .. }) => part(indicator(k), format!("{column}[T.{}]", levels[k])),
            (false, Coding::Sum) => {
                let mut contrast = indicator(k);
                contrast[last] = -1.0;
                part(contrast, format!("{column}[S.{}]", levels[k]))
            }
        };
        let left_out = match (full, coding) {
            (true, _) => None,
            (false, Coding::Treatment { .. }) => Some(*reference),
            (false, Coding::Sum) => Some(last),
        };
        (0..levels.len()).filter(|k| Some(*k) != left_out).map(column_of).collect()
    }
}
