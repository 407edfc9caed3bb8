//! The curves of all algorithms: regret while measuring, or the gap of the pick.

use elfving::bandit::Goal;
use elfving_lab::simulate::Summary;
use elfving_plot::{Axis, Lines, Picture, Series, lines_picture};

use super::{Answer, Tried, summary};
use crate::error::CliError;

pub(super) fn draw(answer: &Answer) -> Result<Picture, CliError> {
    let cumulative = matches!(answer.settings.goal, Goal::Regret { .. });
    let series = |tried: &Tried| {
        let curve = if cumulative { tried.runs.regret() } else { tried.runs.simple_regret() };
        let samples = tried.runs.checkpoints.iter().map(|&samples| samples as f64).collect();
        let at = |errors: f64| -> Vec<f64> {
            let height = |point: &Summary| (point.mean + errors * point.standard_error).max(0.0);
            curve.iter().map(height).collect()
        };
        Series::new(tried.algorithm.name(), samples, at(0.0)).band(at(-2.0), at(2.0))
    };
    let (title, axis) = match cumulative {
        true => ("Loss while measuring", "cumulative regret"),
        false => ("How far the pick is from the best", "simple regret"),
    };
    let figure = Lines {
        title,
        subtitle: &summary::head(answer),
        x: Axis::log("measurements"),
        y: Axis::linear(axis),
        series: answer.tried.iter().map(series).collect(),
    };
    Ok(lines_picture(&figure)?)
}
