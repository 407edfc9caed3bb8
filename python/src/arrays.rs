//! Arrays in and out. Strides are followed, never assumed: a Fortran-ordered or reversed array reads as what it is.

use elfving::numerics::Matrix;
use numpy::{PyArray1, PyArray2, PyReadonlyArray1, PyReadonlyArray2, PyUntypedArrayMethods};
use pyo3::prelude::*;

use crate::shared;

/// A table of numbers as a matrix: where it lies, if its rows follow each other, else copied in the order of its rows.
pub(crate) fn matrix(array: &PyReadonlyArray2<'_, f64>) -> Matrix {
    let (rows, columns) = (array.shape()[0], array.shape()[1]);
    match shared::entries(array) {
        Some(entries) => Matrix::shared(rows, columns, entries),
        None => Matrix::from_row_major(rows, columns, array.as_array().iter().copied().collect()),
    }
}

/// A row of numbers.
pub(crate) fn vector(array: &PyReadonlyArray1<'_, f64>) -> Vec<f64> {
    array.as_array().iter().copied().collect()
}

/// A matrix for Python.
pub(crate) fn to_array<'py>(py: Python<'py>, matrix: &Matrix) -> PyResult<Bound<'py, PyArray2<f64>>> {
    use numpy::PyArrayMethods;
    PyArray1::from_slice(py, matrix.as_slice()).reshape([matrix.rows(), matrix.columns()])
}
