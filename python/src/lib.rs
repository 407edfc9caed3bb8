//! The compiled half of the Python package `elfving`: converts, never computes.
//!
//! Arrays cross as NumPy, structured answers as JSON text; the Python layer gives both their names. Every call that computes
//! goes through [`task`], every error through [`failure`].

mod arrays;
mod design;
mod failure;
mod ids;
mod pool;
mod task;

use pyo3::prelude::*;

/// `elfving._native`: see the package `elfving` for what is meant to be used.
#[pymodule]
fn _native(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add("__version__", env!("CARGO_PKG_VERSION"))?;
    module.add_class::<pool::Pool>()?;
    module.add_class::<design::Design>()?;
    module.add_function(wrap_pyfunction!(design::design, module)?)?;
    module.add_function(wrap_pyfunction!(panic_on_purpose, module)?)?;
    Ok(())
}

/// Panics inside the library's thread, so that the tests can see what becomes of it.
#[pyfunction]
fn panic_on_purpose(py: Python<'_>) -> PyResult<()> {
    task::run(py, || panic!("on purpose"))
}
