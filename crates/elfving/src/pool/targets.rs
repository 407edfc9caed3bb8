//! Targets V: what the measurements are to tell about the choices.

use std::borrow::Cow;

use serde::{Deserialize, Serialize};

use crate::numerics::Matrix;

use super::points::check_table;
use super::{ChoiceId, Pool, PoolError};

/// Some of the choices, or all.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Subset {
    /// Every choice.
    All,
    /// These choices.
    Of(Vec<ChoiceId>),
}

/// `Σ c_i z_i`: a sparse linear combination of choices.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Combination {
    /// Choices with their coefficients; a choice named twice counts with the sum.
    pub terms: Vec<(ChoiceId, f64)>,
}

/// The set V of directions whose values are wanted.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Targets {
    /// The choices themselves: their means.
    Points(Subset),
    /// All unordered differences `z - z'` of choices: which of two is better.
    Differences(Subset),
    /// Listed combinations of choices, such as a contrast between two groups.
    Combinations(Vec<Combination>),
    /// Listed vectors in feature space, one per row; for pools of explicit features.
    Directions(Matrix),
}

/// Targets in the feature space of a pool, ready for a criterion.
#[derive(Debug, Clone, PartialEq)]
pub enum TargetRows<'a> {
    /// V = the rows.
    Rows(Cow<'a, Matrix>),
    /// V = the unordered differences of the rows, which are never written out.
    Pairs(Cow<'a, Matrix>),
}

impl TargetRows<'_> {
    /// |V|: the number of rows, or of pairs of rows.
    pub fn count(&self) -> usize {
        match self {
            TargetRows::Rows(rows) => rows.rows(),
            TargetRows::Pairs(rows) => rows.rows() * (rows.rows() - 1) / 2,
        }
    }

    /// The rows V is made of.
    pub fn matrix(&self) -> &Matrix {
        match self {
            TargetRows::Rows(rows) | TargetRows::Pairs(rows) => rows,
        }
    }
}

impl Targets {
    /// Looks the targets up in the pool; borrows the pool's features where it can.
    ///
    /// # Errors
    /// [`PoolError::UnknownChoice`] names the id; [`PoolError::NoTargets`], [`PoolError::NoPairs`]
    /// and [`PoolError::EmptyCombination`] for nothing; [`PoolError::Coefficient`] and
    /// [`PoolError::NotFinite`] for NaN; [`PoolError::ColumnCount`] for directions of another
    /// dimension and [`PoolError::DirectionsNeedFeatures`] for directions in a kernel's space.
    ///
    /// ```
    /// use elfving::numerics::Matrix;
    /// use elfving::pool::{Combination, ChoiceId, Pool, Targets};
    /// let pool = Pool::from_features(Matrix::identity(3))?;
    /// let (a, b) = (ChoiceId::new(0), ChoiceId::new(2));
    /// let contrast = Targets::Combinations(vec![Combination { terms: vec![(a, 1.0), (b, -1.0)] }]);
    /// assert_eq!(contrast.compile(&pool)?.matrix().row(0), &[1.0, 0.0, -1.0]);
    /// # Ok::<(), elfving::pool::PoolError>(())
    /// ```
    pub fn compile<'a>(&self, pool: &'a Pool) -> Result<TargetRows<'a>, PoolError> {
        match self {
            Targets::Points(subset) => Ok(TargetRows::Rows(subset.rows(pool)?)),
            Targets::Differences(subset) => {
                let rows = subset.rows(pool)?;
                match rows.rows() {
                    choices @ ..2 => Err(PoolError::NoPairs { choices }),
                    _ => Ok(TargetRows::Pairs(rows)),
                }
            }
            Targets::Combinations(list) => Ok(TargetRows::Rows(Cow::Owned(combine(list, pool)?))),
            Targets::Directions(vectors) => {
                if pool.exact().is_some() {
                    return Err(PoolError::DirectionsNeedFeatures);
                }
                if vectors.rows() == 0 {
                    return Err(PoolError::NoTargets);
                }
                if vectors.columns() != pool.dimension() {
                    return Err(PoolError::ColumnCount {
                        expected: pool.dimension(),
                        got: vectors.columns(),
                    });
                }
                check_table(vectors)?;
                Ok(TargetRows::Rows(Cow::Owned(vectors.clone())))
            }
        }
    }
}

impl Subset {
    fn rows<'a>(&self, pool: &'a Pool) -> Result<Cow<'a, Matrix>, PoolError> {
        match self {
            Subset::All => Ok(Cow::Borrowed(pool.choices())),
            Subset::Of(ids) if ids.is_empty() => Err(PoolError::NoTargets),
            Subset::Of(ids) => {
                let known = ids.iter().enumerate().map(|(target, &id)| check_choice(target, id, pool));
                let rows = known.collect::<Result<Vec<usize>, PoolError>>()?;
                Ok(Cow::Owned(pool.choices().select_rows(&rows)))
            }
        }
    }
}

fn check_choice(target: usize, id: ChoiceId, pool: &Pool) -> Result<usize, PoolError> {
    let choices = pool.choice_count();
    if id.index() < choices { Ok(id.index()) } else { Err(PoolError::UnknownChoice { target, id, choices }) }
}

fn combine(list: &[Combination], pool: &Pool) -> Result<Matrix, PoolError> {
    if list.is_empty() {
        return Err(PoolError::NoTargets);
    }
    let mut rows = Matrix::zeros(list.len(), pool.dimension());
    for (target, combination) in list.iter().enumerate() {
        if combination.terms.is_empty() {
            return Err(PoolError::EmptyCombination { target });
        }
        for &(id, value) in &combination.terms {
            let choice = check_choice(target, id, pool)?;
            if !value.is_finite() {
                return Err(PoolError::Coefficient { target, id, value });
            }
            let features = pool.choices().row(choice);
            rows.row_mut(target).iter_mut().zip(features).for_each(|(sum, z)| *sum += value * z);
        }
    }
    check_table(&rows)?;
    Ok(rows)
}
