//! Polynomial expansion: the model of a designed experiment.

use crate::numerics::Matrix;
use crate::pool::points::check_table;
use crate::pool::{Points, PoolError};

use super::FeatureMap;

/// More columns than this is taken for a mistake.
const MAX_COLUMNS: usize = 100_000;

/// All monomials up to a degree: what a designed experiment calls its model.
///
/// | setting | default | range | effect |
/// |---|---|---|---|
/// | `degree` | 2 | ≥ 1 | 1: main effects; 2: also squares and two-factor interactions; … |
/// | `interactions_only` | false | | leave out powers: each factor at most once in a column |
/// | `intercept` | true | | a first column of ones |
///
/// Columns by degree, and within a degree in the order of the factors: `1, a, b, a^2, a:b, b^2`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PolynomialExpansion {
    /// The largest total degree of a column.
    pub degree: usize,
    /// Whether powers are left out.
    pub interactions_only: bool,
    /// Whether there is a column of ones.
    pub intercept: bool,
}

impl Default for PolynomialExpansion {
    fn default() -> Self {
        Self { degree: 2, interactions_only: false, intercept: true }
    }
}

/// A monomial: an earlier one (by position in the list, the constant first) times a factor.
struct Monomial {
    parent: usize,
    factors: Vec<usize>,
}

impl PolynomialExpansion {
    /// Sets the largest total degree.
    #[must_use]
    pub fn degree(self, degree: usize) -> Self {
        Self { degree, ..self }
    }

    /// Sets whether powers are left out.
    #[must_use]
    pub fn interactions_only(self, interactions_only: bool) -> Self {
        Self { interactions_only, ..self }
    }

    /// Sets whether there is a column of ones.
    #[must_use]
    pub fn intercept(self, intercept: bool) -> Self {
        Self { intercept, ..self }
    }

    /// The names of the columns, given the names of the factors.
    ///
    /// # Errors
    /// [`PoolError::Parameter`] for degree 0, [`PoolError::TooManyColumns`].
    ///
    /// ```
    /// use elfving::pool::feature_maps::PolynomialExpansion;
    /// let names = PolynomialExpansion::default().names(&["heat", "acid"])?;
    /// assert_eq!(names, ["1", "heat", "acid", "heat^2", "heat:acid", "acid^2"]);
    /// # Ok::<(), elfving::pool::PoolError>(())
    /// ```
    pub fn names<S: AsRef<str>>(&self, factors: &[S]) -> Result<Vec<String>, PoolError> {
        let name = |monomial: &Monomial| {
            let powers = monomial.factors.chunk_by(|a, b| a == b).map(|power| match power.len() {
                1 => factors[power[0]].as_ref().to_owned(),
                p => format!("{}^{p}", factors[power[0]].as_ref()),
            });
            let name = powers.collect::<Vec<_>>().join(":");
            if name.is_empty() { "1".to_owned() } else { name }
        };
        Ok(self.monomials(factors.len())?.iter().skip(self.skipped()).map(name).collect())
    }

    /// The constant leads the list of monomials, wanted as a column or not.
    fn skipped(&self) -> usize {
        usize::from(!self.intercept)
    }

    fn monomials(&self, dimension: usize) -> Result<Vec<Monomial>, PoolError> {
        if self.degree == 0 {
            return Err(PoolError::Parameter { parameter: "the degree", range: "at least 1", got: 0.0 });
        }
        let mut list = vec![Monomial { parent: 0, factors: Vec::new() }];
        let mut previous_degree = 0..1;
        for _ in 0..self.degree {
            for parent in previous_degree.clone() {
                let first = match list[parent].factors.last() {
                    None => 0,
                    Some(&last) => last + usize::from(self.interactions_only),
                };
                for factor in first..dimension {
                    if list.len() > MAX_COLUMNS {
                        return Err(PoolError::TooManyColumns { limit: MAX_COLUMNS });
                    }
                    let factors = list[parent].factors.iter().copied().chain([factor]).collect();
                    list.push(Monomial { parent, factors });
                }
            }
            previous_degree = previous_degree.end..list.len();
        }
        Ok(list)
    }
}

impl FeatureMap for PolynomialExpansion {
    /// Cost one product an entry.
    fn map(&self, points: &Points) -> Result<Matrix, PoolError> {
        let monomials = self.monomials(points.dimension())?;
        let columns = monomials.len() - self.skipped();
        let mut values = vec![1.0; monomials.len()];
        let mut data = Vec::with_capacity(points.len() * columns);
        for i in 0..points.len() {
            let x = points.matrix().row(i);
            for (k, monomial) in monomials.iter().enumerate().skip(1) {
                let factor = *monomial.factors.last().expect("only the constant has no factor");
                values[k] = values[monomial.parent] * x[factor];
            }
            data.extend_from_slice(&values[self.skipped()..]);
        }
        let features = Matrix::from_row_major(points.len(), columns, data);
        check_table(&features)?;
        Ok(features)
    }
}
