//! `robust_mean`: means that survive heavy tails.

use elfving::estimate::Mean;
use elfving::estimate::robust_mean::{MomentBound, PlainMean, RobustMean};
use elfving::units::Confidence;
use numpy::PyReadonlyArray1;
use pyo3::prelude::*;

use crate::arrays::vector;
use crate::task;

/// A robust mean by name: the estimate, and what its distance from the mean exceeds with probability delta.
#[pyfunction]
pub(crate) fn robust_mean(
    py: Python<'_>,
    name: String,
    samples: PyReadonlyArray1<'_, f64>,
    bound: f64,
    delta: f64,
) -> PyResult<(f64, f64)> {
    let samples = vector(&samples);
    task::run(py, move || {
        let delta = Confidence::new(delta)?;
        let mean: Box<dyn RobustMean> = match name.as_str() {
            "plain" => Box::new(PlainMean::new(delta)),
            name => name.parse::<Mean>()?.build(delta),
        };
        let bound = MomentBound::new(bound)?;
        Ok((mean.estimate(&samples, bound)?, mean.deviation(samples.len(), bound)?))
    })
}
