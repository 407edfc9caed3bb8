//! The compiled half of the Python package `elfving`: converts, never computes.
//!
//! Arrays cross as NumPy, structured answers as JSON text; the Python layer gives both their names. Every call that computes
//! goes through `task`, every error through `failure`.

mod arrays;
mod bandit;
mod campaign;
mod complexity;
mod costs;
mod design;
mod estimate;
mod factors;
mod failure;
mod frames;
mod hints;
mod json;
mod pool;
mod problem_error;
mod robust_mean;
mod rounding;
mod shared;
mod simulate;
mod task;

use pyo3::prelude::*;

/// `elfving._native`: see the package `elfving` for what is meant to be used.
#[pymodule]
fn _native(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add("__version__", env!("CARGO_PKG_VERSION"))?;
    module.add_class::<pool::Pool>()?;
    module.add_class::<design::Design>()?;
    module.add_class::<campaign::Campaign>()?;
    module.add_function(wrap_pyfunction!(frames::check_file, module)?)?;
    module.add_function(wrap_pyfunction!(frames::csv_of_columns, module)?)?;
    module.add_function(wrap_pyfunction!(design::design, module)?)?;
    module.add_class::<rounding::Plan>()?;
    module.add_function(wrap_pyfunction!(rounding::round, module)?)?;
    module.add_function(wrap_pyfunction!(rounding::draw, module)?)?;
    module.add_function(wrap_pyfunction!(estimate::estimate, module)?)?;
    module.add_function(wrap_pyfunction!(robust_mean::robust_mean, module)?)?;
    module.add_class::<bandit::Bandit>()?;
    module.add_function(wrap_pyfunction!(bandit::algorithms, module)?)?;
    module.add_function(wrap_pyfunction!(simulate::simulate, module)?)?;
    module.add_function(wrap_pyfunction!(complexity::complexity, module)?)?;
    module.add_function(wrap_pyfunction!(hints::hints, module)?)?;
    module.add_function(wrap_pyfunction!(factors::factors, module)?)?;
    module.add_function(wrap_pyfunction!(costs::diagnose, module)?)?;
    module.add_function(wrap_pyfunction!(costs::forecast, module)?)?;
    #[cfg(feature = "testing")]
    module.setattr("_panic_on_purpose", wrap_pyfunction!(panic_on_purpose, module)?)?;
    Ok(())
}

/// Panics inside the library's thread, so that the tests can see what becomes of it. No wheel that is given away has it.
#[cfg(feature = "testing")]
#[pyfunction]
fn panic_on_purpose(py: Python<'_>) -> PyResult<()> {
    task::run(py, || panic!("on purpose"))
}
