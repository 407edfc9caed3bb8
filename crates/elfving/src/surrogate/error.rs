//! What can be wrong with a question to the model.

use crate::pool::PointId;
use crate::units::ErrorKind;

/// Why the model cannot answer as asked.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum SurrogateError {
    /// A table of candidates without a row.
    #[error("the table of candidates has no rows; give at least one")]
    NoRows,
    /// Numbers and categories of a table do not have the same number of rows.
    #[error(
        "category column {column} has {got} rows and the table has {expected}; give one code for each row"
    )]
    CategoryLength {
        /// Which category column, counted from 0.
        column: usize,
        /// Rows of the table.
        expected: usize,
        /// Codes given.
        got: usize,
    },
    /// The choices do not have the columns of the points.
    #[error(
        "the choices have {numeric} numeric and {categories} category columns, the points {expected_numeric} and \
         {expected_categories}; describe both by the same columns"
    )]
    OtherColumns {
        /// Numeric columns of the choices.
        numeric: usize,
        /// Category columns of the choices.
        categories: usize,
        /// Numeric columns of the points.
        expected_numeric: usize,
        /// Category columns of the points.
        expected_categories: usize,
    },
    /// A coordinate is NaN or infinite.
    #[error("row {row}, numeric column {column}: {value} is not a finite number")]
    Coordinate {
        /// The row, choices counted after the points.
        row: usize,
        /// The numeric column.
        column: usize,
        /// Its value.
        value: f64,
    },
    /// Nothing has been measured.
    #[error("no measurements; the model needs at least one")]
    NoMeasurements,
    /// A measured point that is not in the table.
    #[error("measurement {index} is of point {point}, and the table has {points} points")]
    UnknownPoint {
        /// Which measurement, counted from 0.
        index: usize,
        /// The point named.
        point: PointId,
        /// Points of the table.
        points: usize,
    },
    /// An outcome is NaN or infinite.
    #[error("measurement {index}: the outcome {value} is not a finite number; leave failed measurements out")]
    Outcome {
        /// Which measurement, counted from 0.
        index: usize,
        /// Its outcome.
        value: f64,
    },
    /// A stated noise variance is not a positive number.
    #[error("measurement {index}: the noise variance must be finite and positive, got {value}")]
    Variance {
        /// Which measurement, counted from 0.
        index: usize,
        /// The variance given.
        value: f64,
    },
    /// Parameters that are not positive, or not one lengthscale for each column that varies.
    #[error("{what} must be {wanted}, got {got}")]
    Parameter {
        /// Which.
        what: &'static str,
        /// What it must be.
        wanted: String,
        /// The value given.
        got: f64,
    },
    /// The covariance of the measured rows cannot be factored in double precision.
    #[error(
        "the covariance of {cells} measured rows is singular at noise {noise:e} and roughness {roughness:e}; raise either"
    )]
    Singular {
        /// How many rows.
        cells: usize,
        /// s².
        noise: f64,
        /// tau².
        roughness: f64,
    },
}

impl SurrogateError {
    /// What kind of mistake it is.
    pub fn kind(&self) -> ErrorKind {
        match self {
            SurrogateError::Parameter { .. } => ErrorKind::Usage,
            SurrogateError::Singular { .. } => ErrorKind::Numerical,
            _ => ErrorKind::Data,
        }
    }
}
