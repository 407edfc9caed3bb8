//! Arrays in and out. Strides are followed, never assumed: a Fortran-ordered or reversed array reads as what it is.

use elfving::linalg::Matrix;
use numpy::{PyArray1, PyArray2, PyReadonlyArray1, PyReadonlyArray2, PyUntypedArrayMethods};
use pyo3::prelude::*;

/// A table of numbers as a matrix.
pub(crate) fn matrix(array: &PyReadonlyArray2<'_, f64>) -> Matrix {
    let (rows, columns) = (array.shape()[0], array.shape()[1]);
    let data = match array.as_slice() {
        Ok(slice) if array.is_c_contiguous() => slice.to_vec(),
        _ => array.as_array().iter().copied().collect(),
    };
    Matrix::from_row_major(rows, columns, data)
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
