//! Estimates with their intervals, the largest first.

use crate::canvas::{Area, Canvas, Stroke};
use crate::colour::BLUE;
use crate::panel::{HEAD, Panel, YLabels, write_head};
use crate::picture::{Picture, PictureError, drawable, same_length};
use crate::scale::Span;
use crate::text::{LABEL, fitted, width};

/// Up to this many intervals carry their labels; more become a band of thin lines.
const MOST_LABELS: usize = 60;
/// The height of a labelled interval.
const ROW: f64 = 17.0;

/// Estimates with intervals.
#[derive(Debug, Clone, Copy)]
pub struct Intervals<'a> {
    /// The first line.
    pub title: &'a str,
    /// The second line.
    pub subtitle: &'a str,
    /// What is estimated, with its unit.
    pub axis: &'a str,
    /// The name of each estimate.
    pub labels: &'a [String],
    /// The estimates.
    pub estimates: &'a [f64],
    /// The lower ends.
    pub low: &'a [f64],
    /// The upper ends.
    pub high: &'a [f64],
    /// Whether the smallest estimate comes first: small is good.
    pub smallest_first: bool,
}

/// Draws every estimate as a point on its interval, sorted from the largest (top) to the smallest, or the other way.
///
/// Up to 60 intervals are labelled; beyond that they stand side by side in the same order, without labels.
///
/// # Errors
/// [`PictureError::Empty`], [`PictureError::Length`], or [`PictureError::NotDrawable`] for an end that is not finite.
///
/// ```
/// use elfving_plot::{Intervals, intervals_picture};
/// let labels = ["a1".to_owned(), "b7".to_owned()];
/// let picture = intervals_picture(&Intervals {
///     title: "Estimated yield",
///     subtitle: "95 % together",
///     axis: "yield (%)",
///     labels: &labels,
///     estimates: &[61.0, 74.0],
///     low: &[55.0, 70.0],
///     high: &[67.0, 78.0],
///     smallest_first: false,
/// })?;
/// assert!(picture.to_svg().contains("b7"));
/// # Ok::<(), elfving_plot::PictureError>(())
/// ```
pub fn intervals_picture(figure: &Intervals) -> Result<Picture, PictureError> {
    let n = figure.estimates.len();
    if n == 0 {
        return Err(PictureError::Empty);
    }
    same_length("labels", figure.labels.len(), n)?;
    same_length("lower ends", figure.low.len(), n)?;
    same_length("upper ends", figure.high.len(), n)?;
    drawable("estimates", figure.estimates, false)?;
    drawable("lower ends", figure.low, false)?;
    drawable("upper ends", figure.high, false)?;
    let mut order: Vec<usize> = (0..n).collect();
    let sign = if figure.smallest_first { -1.0 } else { 1.0 };
    let key = |i: usize| sign * figure.estimates[i];
    order.sort_by(|&i, &j| key(j).total_cmp(&key(i)).then(i.cmp(&j)));
    let canvas = if n <= MOST_LABELS { labelled(figure, &order) } else { ranked(figure, &order) };
    Ok(Picture { canvas })
}

fn values<'a>(figure: &'a Intervals) -> impl Iterator<Item = f64> + 'a {
    figure.low.iter().chain(figure.high).chain(figure.estimates).copied()
}

/// One row an interval.
fn labelled(figure: &Intervals, order: &[usize]) -> Canvas {
    let page = 900.0;
    let bottom = HEAD + 12.0 + (ROW * order.len() as f64).max(80.0);
    let mut canvas = Canvas::new(page, bottom + 60.0);
    write_head(&mut canvas, figure.title, figure.subtitle, page);
    let names: Vec<(f64, String)> =
        order.iter().enumerate().map(|(k, &i)| (k as f64, fitted(&figure.labels[i], LABEL, 220.0))).collect();
    let widest = names.iter().map(|(_, name)| width(name, LABEL)).fold(0.0, f64::max);
    let area = Area { left: 32.0 + widest, top: HEAD + 12.0, right: page - 30.0, bottom };
    let x = Span::of(values(figure), false).padded_both();
    let panel = Panel::rows(area, 0.0, x, order.len());
    panel.draw_axes(&mut canvas, Some(figure.axis), "", YLabels::Names(&names));
    for (k, &i) in order.iter().enumerate() {
        let row = k as f64;
        let (from, to) = (panel.at(figure.low[i], row), panel.at(figure.high[i], row));
        canvas.line(from, to, Stroke::new(BLUE, 2.0));
        canvas.circle(panel.at(figure.estimates[i], row), 4.0, Some(BLUE), None);
    }
    canvas
}

/// Too many for labels: rank along x.
fn ranked(figure: &Intervals, order: &[usize]) -> Canvas {
    let (page, height) = (900.0, 560.0);
    let mut canvas = Canvas::new(page, height);
    write_head(&mut canvas, figure.title, figure.subtitle, page);
    let y = Span::of(values(figure), false).padded_both();
    let top = HEAD + 12.0;
    let left = crate::panel::left_margin(y, height - 60.0 - top);
    let area = Area { left, top, right: page - 30.0, bottom: height - 60.0 };
    let x = Span::of([1.0, order.len() as f64], false).padded_both();
    let panel = Panel::new(area, 0.0, x, y);
    panel.draw_axes(&mut canvas, Some("rank"), figure.axis, YLabels::Numbers);
    let width = (area.width() / order.len() as f64 * 0.5).clamp(0.4, 2.0);
    for (k, &i) in order.iter().enumerate() {
        let rank = (k + 1) as f64;
        let pale = crate::colour::SERIES[4];
        canvas.line(panel.at(rank, figure.low[i]), panel.at(rank, figure.high[i]), Stroke::new(pale, width));
    }
    let line =
        order.iter().enumerate().map(|(k, &i)| panel.at((k + 1) as f64, figure.estimates[i])).collect();
    canvas.polyline(line, Stroke::new(BLUE, 1.8));
    canvas
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_largest_estimate_is_on_top_and_ends_must_be_finite() {
        let labels = ["low".to_owned(), "top".to_owned()];
        let figure = Intervals {
            title: "t",
            subtitle: "s",
            axis: "yield",
            labels: &labels,
            estimates: &[1.0, 2.0],
            low: &[0.5, 1.0],
            high: &[1.5, 3.0],
            smallest_first: false,
        };
        let svg = intervals_picture(&figure).unwrap().to_svg();
        assert!(svg.find(">top<").unwrap() < svg.find(">low<").unwrap());
        let svg = intervals_picture(&Intervals { smallest_first: true, ..figure }).unwrap().to_svg();
        assert!(svg.find(">low<").unwrap() < svg.find(">top<").unwrap());
        let broken = Intervals { high: &[1.5, f64::INFINITY], ..figure };
        assert!(matches!(intervals_picture(&broken), Err(PictureError::NotDrawable { index: 1, .. })));
    }

    #[test]
    fn many_intervals_are_ranked_without_labels() {
        let labels: Vec<String> = (0..500).map(|i| format!("id{i}")).collect();
        let estimates: Vec<f64> = (0..500).map(|i| i as f64).collect();
        let low: Vec<f64> = estimates.iter().map(|x| x - 5.0).collect();
        let high: Vec<f64> = estimates.iter().map(|x| x + 5.0).collect();
        let (title, subtitle, axis) = ("t", "s", "y");
        let figure = Intervals {
            title,
            subtitle,
            axis,
            labels: &labels,
            estimates: &estimates,
            low: &low,
            high: &high,
            smallest_first: false,
        };
        let svg = intervals_picture(&figure).unwrap().to_svg();
        assert!(svg.contains(">rank<") && !svg.contains("id499"));
    }
}
