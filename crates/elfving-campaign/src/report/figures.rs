//! The pictures of a report.

use elfving_plot::{
    Axis, DesignView, Intervals, Lines, Picture, PictureError, Series, design_picture, intervals_picture,
    lines_picture,
};

use super::facts::Facts;
use super::words::{number, recipe};
use crate::status::Survivor;
use crate::words::counted;

/// Intervals drawn with their names.
const NAMED: usize = 30;
/// More outcomes than this are drawn as averages of neighbours.
const MOST_OUTCOMES: usize = 3000;

/// A picture, what it shows in words, and what to look for.
pub(super) struct Figure {
    pub(super) name: &'static str,
    pub(super) svg: String,
    /// For those who do not see it.
    pub(super) description: String,
    pub(super) caption: &'static str,
}

/// Those for which there are data.
#[derive(Default)]
pub(super) struct Figures {
    pub(super) intervals: Option<Figure>,
    pub(super) estimates: Option<Figure>,
    pub(super) progress: Option<Figure>,
    pub(super) elimination: Option<Figure>,
    pub(super) design: Option<Figure>,
}

pub(super) fn draw(facts: &Facts) -> Figures {
    if facts.measured.is_empty() {
        return Figures::default();
    }
    Figures {
        intervals: intervals(facts),
        estimates: estimates(facts),
        progress: progress(facts),
        elimination: elimination(facts),
        design: design(facts),
    }
}

/// What cannot be drawn (outcomes at the ends of the floating-point range) is left out; the tables have it.
fn figure(
    name: &'static str,
    picture: Result<Picture, PictureError>,
    description: String,
    caption: &'static str,
) -> Option<Figure> {
    picture.ok().map(|picture| Figure { name, svg: picture.to_svg(), description, caption })
}

/// The best choices with their intervals.
fn intervals(facts: &Facts) -> Option<Figure> {
    let title = if facts.is_calibrated() { "What may still be the best" } else { "What remains" };
    let known = || facts.status.survivors.iter().filter_map(|choice| Some((choice, choice.interval?)));
    let label = |choice: &Survivor| recipe(&choice.columns).unwrap_or_else(|| choice.id.clone());
    let labels: Vec<String> = known().take(NAMED).map(|(choice, _)| label(choice)).collect();
    let of = |end: fn(&crate::status::Span) -> f64| known().take(NAMED).map(|(_, span)| end(&span)).collect();
    let (estimates, low, high): (Vec<f64>, Vec<f64>, Vec<f64>) =
        (of(|span| span.estimate), of(|span| span.lower), of(|span| span.upper));
    let (best, span) = known().next()?;
    let subtitle = format!("the best {} of {}, with intervals", labels.len(), facts.status.survivors.len());
    let picture = intervals_picture(&Intervals {
        title,
        subtitle: &subtitle,
        axis: &facts.spec.outcome,
        labels: &labels,
        estimates: &estimates,
        low: &low,
        high: &high,
        smallest_first: !facts.maximises(),
    });
    let (estimate, lower, upper) = (number(span.estimate), number(span.lower), number(span.upper));
    let description = format!(
        "Estimates with intervals, {subtitle}. The best estimate is {}: {estimate}, between {lower} and {upper}.",
        best.id
    );
    figure(
        title,
        picture,
        description,
        "Each point is an estimated mean, each line its interval; the best is on top.",
    )
}

/// Every remaining candidate, side by side.
fn estimates(facts: &Facts) -> Option<Figure> {
    let title = "Estimates against what was measured";
    let spans: Vec<_> = facts.status.survivors.iter().filter_map(|choice| choice.interval).collect();
    if spans.len() <= NAMED {
        return None;
    }
    let ranks: Vec<f64> = (1..=spans.len()).map(|rank| rank as f64).collect();
    let of = |end: fn(&crate::status::Span) -> f64| spans.iter().map(end).collect::<Vec<f64>>();
    let estimates = Series::new("estimate", ranks, of(|span| span.estimate))
        .band(of(|span| span.lower), of(|span| span.upper));
    let places: std::collections::HashMap<&str, usize> =
        facts.status.survivors.iter().enumerate().map(|(k, choice)| (choice.id.as_str(), k + 1)).collect();
    let averages = facts.measured.iter().filter_map(|candidate| {
        Some((*places.get(facts.ids[candidate.row].as_str())? as f64, candidate.mean()))
    });
    let (at, average): (Vec<f64>, Vec<f64>) = averages.unzip();
    let subtitle = format!("{} candidates, the best first", spans.len());
    let picture = lines_picture(&Lines {
        title,
        subtitle: &subtitle,
        x: Axis::linear("rank"),
        y: Axis::linear(&facts.spec.outcome),
        series: vec![estimates, Series::new("average outcome", at, average).dots()],
    });
    let description = format!(
        "Estimated means of {subtitle}, with their intervals as a band and measured averages as dots."
    );
    figure(
        title,
        picture,
        description,
        "The band shows the intervals; dots are averages of a candidate's own outcomes.",
    )
}

/// Outcomes in the order of their slots, and the best average so far.
fn progress(facts: &Facts) -> Option<Figure> {
    let title = "Outcomes in order";
    let told: Vec<(&str, f64)> = facts
        .slots
        .iter()
        .filter_map(|slot| Some((slot.id.as_str(), slot.reading.as_ref()?.mean())))
        .collect();
    if told.len() < 2 {
        return None;
    }
    let sign = if facts.maximises() { 1.0 } else { -1.0 };
    let mut best = f64::NEG_INFINITY;
    let best_so_far: Vec<f64> = told
        .iter()
        .map(|(_, outcome)| {
            best = best.max(sign * outcome);
            sign * best
        })
        .collect();
    let step = told.len().div_ceil(MOST_OUTCOMES);
    let thinned = |values: &[f64]| values.iter().copied().step_by(step).collect::<Vec<f64>>();
    let order: Vec<f64> = (1..=told.len()).map(|k| k as f64).collect();
    let outcomes: Vec<f64> = told.iter().map(|(_, outcome)| *outcome).collect();
    let picture = lines_picture(&Lines {
        title,
        subtitle: &counted(told.len(), "measurement"),
        x: Axis::linear("measurement"),
        y: Axis::linear(&facts.spec.outcome),
        series: vec![
            Series::new("outcome", thinned(&order), thinned(&outcomes)).dots(),
            Series::new("best single outcome so far", thinned(&order), thinned(&best_so_far)).dashed(),
        ],
    });
    let description = format!(
        "{} in the order of their slots; the best single outcome is {}.",
        counted(told.len(), "outcome"),
        number(*best_so_far.last()?)
    );
    figure(
        title,
        picture,
        description,
        "A single outcome is not a mean: compare candidates by their intervals.",
    )
}

/// How many choices are in after each round.
fn elimination(facts: &Facts) -> Option<Figure> {
    let title = "Candidates remaining";
    if facts.status.eliminated.is_empty() {
        return None;
    }
    let mut measurements = 0;
    let (mut x, mut y) = (vec![0.0], vec![facts.status.choices as f64]);
    for round in &facts.rounds {
        measurements += round.told;
        if let Some((survivors, _)) = round.decided {
            x.push(measurements as f64);
            y.push(survivors as f64);
        }
    }
    let left = facts.status.survivors.len();
    let picture = lines_picture(&Lines {
        title,
        subtitle: &format!("{left} of {}", facts.status.choices),
        x: Axis::linear("measurements"),
        y: Axis::linear("candidates"),
        series: vec![Series::new("remaining", x, y)],
    });
    let description = format!(
        "The number of remaining candidates falls from {} to {left} over the rounds.",
        facts.status.choices
    );
    figure(title, picture, description, "A candidate is eliminated when another one is proved better.")
}

/// Where the measurements went, and how well each candidate is known.
fn design(facts: &Facts) -> Option<Figure> {
    let title = "Where the measurements went";
    let total: usize = facts.measured.iter().map(|candidate| candidate.values.len()).sum();
    // Principal coordinates of more than two columns say nothing to somebody who thinks in recipes.
    let is_a_plane = facts.coordinates.columns() <= 2 || !facts.is_calibrated();
    if total == 0 || facts.status.choices != facts.ids.len() || !is_a_plane {
        return None;
    }
    let mut weights = vec![0.0; facts.ids.len()];
    for candidate in &facts.measured {
        weights[candidate.row] = candidate.values.len() as f64 / total as f64;
    }
    let half_widths: std::collections::HashMap<&str, f64> = facts
        .status
        .survivors
        .iter()
        .filter_map(|choice| {
            Some((choice.id.as_str(), 0.5 * (choice.interval?.upper - choice.interval?.lower)))
        })
        .collect();
    let variance: Vec<f64> =
        facts.ids.iter().map(|id| half_widths.get(id.as_str()).map_or(f64::INFINITY, |w| w * w)).collect();
    let picture = design_picture(&DesignView {
        title,
        subtitle: "weight: share of the measurements; variance: squared half width of the interval",
        coordinates: &facts.coordinates,
        names: &facts.coordinate_names,
        same_unit: false,
        ids: &facts.ids,
        weights: &weights,
        variance: &variance,
    });
    let description = format!(
        "{} on {} of {} candidates.",
        counted(total, "measurement"),
        facts.measured.len(),
        facts.ids.len()
    );
    figure(title, picture, description, "Eliminated candidates have no interval.")
}
