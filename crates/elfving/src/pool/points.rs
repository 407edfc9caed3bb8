//! Raw coordinates of candidates, and the names of candidates inside the library.

use crate::numerics::Matrix;

use super::PoolError;

/// The name of a row: the same few lines for each table whose rows have names.
macro_rules! row_id {
    ($(#[$about:meta])* $name:ident) => {
        $(#[$about])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, serde::Serialize, serde::Deserialize)]
        #[serde(transparent)]
        pub struct $name(usize);

        impl $name {
            /// That of row `index`, counted from 0.
            pub fn new(index: usize) -> Self {
                Self(index)
            }

            /// Its row.
            pub fn index(self) -> usize {
                self.0
            }
        }

        impl std::fmt::Display for $name {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                self.0.fmt(f)
            }
        }
    };
}

row_id! {
    /// A candidate that can be measured: a row of X.
    ///
    /// It never stands for a choice, also where the pool chooses among itself; there [`Pool::choice_of`](super::Pool::choice_of)
    /// and [`Pool::point_of`](super::Pool::point_of) lead from one to the other.
    ///
    /// ```compile_fail,E0308
    /// use elfving::pool::{PointId, Subset};
    /// Subset::Of(vec![PointId::new(0)]); // a subset of the choices
    /// ```
    PointId
}

row_id! {
    /// A candidate that can be chosen: a row of Z.
    ///
    /// ```
    /// use elfving::pool::{ChoiceId, Subset};
    /// Subset::Of(vec![ChoiceId::new(0)]);
    /// ```
    ///
    /// It never stands for a point that can be measured.
    ///
    /// ```compile_fail,E0308
    /// use elfving::{bandit::Plan, pool::ChoiceId};
    /// Plan::forced(vec![ChoiceId::new(0)]); // points to measure
    /// ```
    ChoiceId
}

pub(crate) use row_id;

/// n × d raw coordinates: at least one row and one column, all finite.
#[derive(Debug, Clone, PartialEq)]
pub struct Points(Matrix);

impl Points {
    /// Checks the coordinates.
    ///
    /// # Errors
    /// [`PoolError::NoPoints`], [`PoolError::NoFeatures`], or [`PoolError::NotFinite`] for the first
    /// entry that is NaN or infinite.
    ///
    /// ```
    /// use elfving::numerics::Matrix;
    /// use elfving::pool::Points;
    /// let points = Points::new(Matrix::from_rows(&[[0.0, 1.0], [2.0, 3.0]]))?;
    /// assert_eq!((points.len(), points.dimension()), (2, 2));
    /// assert!(Points::new(Matrix::from_rows(&[[f64::NAN]])).is_err());
    /// # Ok::<(), elfving::pool::PoolError>(())
    /// ```
    pub fn new(coordinates: Matrix) -> Result<Self, PoolError> {
        check_table(&coordinates)?;
        Ok(Self(coordinates))
    }

    /// The coordinates.
    pub fn matrix(&self) -> &Matrix {
        &self.0
    }

    /// Number of points, at least 1.
    pub fn len(&self) -> usize {
        self.0.rows()
    }

    /// Always false: [`Points::new`] refuses an empty table.
    pub fn is_empty(&self) -> bool {
        self.0.rows() == 0
    }

    /// Number of coordinates, at least 1.
    pub fn dimension(&self) -> usize {
        self.0.columns()
    }

    /// These points, then the others.
    pub fn followed_by(self, others: &Points) -> Result<Points, PoolError> {
        let (rows, columns) = (self.len() + others.len(), self.dimension());
        if others.dimension() != columns {
            return Err(PoolError::ColumnCount { expected: columns, got: others.dimension() });
        }
        let mut data = self.0.into_vec();
        data.extend_from_slice(others.0.as_slice());
        Ok(Points(Matrix::from_row_major(rows, columns, data)))
    }
}

/// At least one row and column, and every entry finite.
pub(crate) fn check_table(table: &Matrix) -> Result<(), PoolError> {
    if table.rows() == 0 {
        return Err(PoolError::NoPoints);
    }
    if table.columns() == 0 {
        return Err(PoolError::NoFeatures);
    }
    match table.first_non_finite() {
        Some((row, column)) => Err(PoolError::NotFinite { row, column, value: table[(row, column)] }),
        None => Ok(()),
    }
}
