//! A panel as a picture: means with bands of one standard error, as in the paper.

use super::{Curve, Panel};
use crate::simulate::Summary;
use elfving_plot::{Axis, Lines, Picture, PictureError, Series, lines_picture};

/// Draws a panel.
///
/// # Errors
/// [`PictureError`] for a panel without a point.
pub fn figure(panel: &Panel) -> Result<Picture, PictureError> {
    let axis = |title: &str, log: bool| if log { Axis::log(title) } else { Axis::linear(title) };
    let series = |curve: &Curve| {
        // A logarithmic axis has no place for 0, and a band may not reach it.
        let drawn = |k: &usize| !panel.log_y || curve.y[*k].mean > 0.0;
        let points: Vec<usize> = (0..curve.x.len()).filter(drawn).collect();
        let lowest = |mean: f64| if panel.log_y { mean / 10.0 } else { f64::NEG_INFINITY };
        let at = |errors: f64| -> Vec<f64> {
            let height = |y: &Summary| (y.mean + errors * y.standard_error).max(lowest(y.mean));
            points.iter().map(|&k| height(&curve.y[k])).collect()
        };
        let x = points.iter().map(|&k| curve.x[k]).collect();
        let line = Series::new(&curve.method, x, at(0.0)).band(at(-1.0), at(1.0));
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
