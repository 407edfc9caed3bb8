//! Measurements against epsilon.

use elfving_plot::{Axis, Lines, Picture, Series, lines_picture};

use elfving_problem::forecast::{ByEpsilon, Forecast};

use crate::error::CliError;
use crate::pool_source::LoadedPool;

pub(super) fn draw(plan: &Forecast, loaded: &LoadedPool) -> Result<Picture, CliError> {
    let curve = |name: &str, of: &dyn Fn(&ByEpsilon) -> Option<f64>| {
        let mut points: Vec<(f64, f64)> =
            plan.by_epsilon.iter().filter_map(|at| Some((at.epsilon, of(at)?.max(1.0)))).collect();
        points.sort_by(|a, b| a.0.total_cmp(&b.0));
        let (x, y) = points.into_iter().unzip();
        Series::new(name, x, y)
    };
    let simulated =
        |at: &ByEpsilon| at.ellipsoid_best.and_then(|found| found.samples.map(|samples| samples.mean));
    let mut series = vec![
        curve("rips-best, at worst", &|at| at.rips_best.map(|samples| samples as f64)),
        curve("ptr-best, at worst", &|at| at.ptr_best.map(|samples| samples as f64)),
        curve(
            if plan.simulated_truth == "guess" {
                "ellipsoid-best, the guess"
            } else {
                "ellipsoid-best, all equal"
            },
            &simulated,
        ),
    ];
    if let Some(bound) = plan.lower_bound.filter(|bound| *bound >= 1.0) {
        let ends = |side: fn(f64, f64) -> f64| {
            plan.by_epsilon.iter().map(|at| at.epsilon).reduce(side).unwrap_or(plan.epsilon)
        };
        let name = "lower bound for the best itself";
        series.push(Series::new(name, vec![ends(f64::min), ends(f64::max)], vec![bound, bound]).dashed());
    }
    series.retain(|series| !series.x.is_empty());
    let figure = Lines {
        title: "What an answer costs",
        subtitle: &format!(
            "{}: {} candidates, {}; delta = {}",
            loaded.file_name(),
            plan.n,
            loaded.data.model(),
            plan.delta
        ),
        x: Axis::log("epsilon: how far from the best the answer may be"),
        y: Axis::log("measurements"),
        series,
    };
    Ok(lines_picture(&figure)?)
}
