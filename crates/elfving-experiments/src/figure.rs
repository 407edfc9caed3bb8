//! A panel as a picture: means with bands of one standard error, as in the paper.

use crate::{Curve, Panel};
use elfving_plot::{Axis, Lines, Picture, PictureError, Series, lines_picture};

/// Draws a panel.
///
/// # Errors
/// [`PictureError`] for a panel without a point.
pub fn figure(panel: &Panel) -> Result<Picture, PictureError> {
    let axis = |title: &str, log: bool| if log { Axis::log(title) } else { Axis::linear(title) };
    let series = |curve: &Curve| {
        let at = |errors: f64| -> Vec<f64> {
            // On a logarithmic axis a band may not reach 0.
            let lowest = |mean: f64| if panel.log_y { mean / 10.0 } else { f64::NEG_INFINITY };
            curve.y.iter().map(|y| (y.mean + errors * y.standard_error).max(lowest(y.mean))).collect()
        };
        let line = Series::new(&curve.method, curve.x.clone(), at(0.0)).band(at(-1.0), at(1.0));
        if curve.reference { line.dashed() } else { line }
    };
    lines_picture(&Lines {
        title: &panel.title,
        subtitle: &panel.subtitle,
        x: axis(&panel.x, panel.log_x),
        y: axis(&panel.y, panel.log_y),
        series: panel.curves.iter().filter(|curve| !curve.x.is_empty()).map(series).collect(),
    })
}
