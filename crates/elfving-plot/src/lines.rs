//! Curves, with bands of uncertainty, on linear or logarithmic axes.

use crate::canvas::{Area, At, Canvas, Stroke};
use crate::colour::SERIES;
use crate::legend::{Key, keys, keys_width};
use crate::panel::{HEAD, Panel, YLabels, left_margin, write_head};
use crate::picture::{Picture, PictureError, drawable, same_length};
use crate::scale::Span;

/// A curve carries a dot at each of its points up to this many of them.
const MOST_DOTS: usize = 40;

/// An axis: its title, and whether it is logarithmic.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Axis {
    /// What is measured, with its unit.
    pub title: String,
    /// Whether equal factors, rather than equal differences, take equal room.
    pub log: bool,
}

impl Axis {
    /// An axis on which equal differences take equal room.
    pub fn linear(title: impl Into<String>) -> Self {
        Self { title: title.into(), log: false }
    }

    /// A logarithmic axis; every number on it must be positive.
    pub fn log(title: impl Into<String>) -> Self {
        Self { title: title.into(), log: true }
    }
}

/// One curve.
#[derive(Debug, Clone, PartialEq)]
pub struct Series {
    /// Its name in the legend.
    pub name: String,
    /// Where, in ascending order.
    pub x: Vec<f64>,
    /// The curve.
    pub y: Vec<f64>,
    /// Lower and upper end of a band around it.
    pub band: Option<(Vec<f64>, Vec<f64>)>,
    /// Whether the curve is a limit or a reference: drawn dashed.
    pub dashed: bool,
    /// Whether there is no curve, only its points.
    pub dots: bool,
}

impl Series {
    /// A curve without a band.
    pub fn new(name: impl Into<String>, x: Vec<f64>, y: Vec<f64>) -> Self {
        Self { name: name.into(), x, y, band: None, dashed: false, dots: false }
    }

    /// Adds a band from `low` to `high`.
    #[must_use]
    pub fn band(mut self, low: Vec<f64>, high: Vec<f64>) -> Self {
        self.band = Some((low, high));
        self
    }

    /// Draws the curve dashed.
    #[must_use]
    pub fn dashed(mut self) -> Self {
        self.dashed = true;
        self
    }

    /// Draws the points alone, in any order.
    #[must_use]
    pub fn dots(mut self) -> Self {
        self.dots = true;
        self
    }

    fn check(&self, figure: &Lines) -> Result<(), PictureError> {
        same_length("y of a curve", self.y.len(), self.x.len())?;
        drawable("x of a curve", &self.x, figure.x.log)?;
        drawable("y of a curve", &self.y, figure.y.log)?;
        if let Some((low, high)) = &self.band {
            same_length("lower end of a band", low.len(), self.x.len())?;
            same_length("upper end of a band", high.len(), self.x.len())?;
            drawable("lower end of a band", low, figure.y.log)?;
            drawable("upper end of a band", high, figure.y.log)?;
        }
        Ok(())
    }

    fn heights(&self) -> impl Iterator<Item = f64> + '_ {
        let band = self.band.iter().flat_map(|(low, high)| low.iter().chain(high));
        self.y.iter().chain(band).copied()
    }
}

/// A figure of curves.
#[derive(Debug, Clone, PartialEq)]
pub struct Lines<'a> {
    /// The first line.
    pub title: &'a str,
    /// The second line.
    pub subtitle: &'a str,
    /// The horizontal axis.
    pub x: Axis,
    /// The vertical axis.
    pub y: Axis,
    /// The curves; the first seven have colours of their own.
    pub series: Vec<Series>,
}

/// Draws curves with their bands and, for more than one, a legend.
///
/// # Errors
/// [`PictureError::Empty`] without a point, [`PictureError::Length`], and [`PictureError::NotDrawable`] for a number
/// that is not finite, or not positive on a logarithmic axis.
pub fn lines_picture(figure: &Lines) -> Result<Picture, PictureError> {
    if figure.series.iter().all(|series| series.x.is_empty()) {
        return Err(PictureError::Empty);
    }
    figure.series.iter().try_for_each(|series| series.check(figure))?;

    let (page, height) = (900.0, 560.0);
    let mut canvas = Canvas::new(page, height);
    write_head(&mut canvas, figure.title, figure.subtitle, page);
    let has_legend = figure.series.len() > 1;
    let legend =
        if has_legend { 24.0 + keys_width(figure.series.iter().map(|s| s.name.as_str())) } else { 0.0 };
    let x = Span::of(figure.series.iter().flat_map(|s| s.x.iter().copied()), figure.x.log);
    let y = Span::of(figure.series.iter().flat_map(Series::heights), figure.y.log).padded();
    let (top, bottom) = (HEAD + 12.0, height - 60.0);
    let area = Area { left: left_margin(y, bottom - top), top, right: page - 30.0 - legend, bottom };
    let panel = Panel::new(area, 0.0, x.padded(), y);
    panel.draw_axes(&mut canvas, Some(&figure.x.title), &figure.y.title, YLabels::Numbers);

    canvas.clip(area);
    for (series, colour) in figure.series.iter().zip(SERIES.iter().cycle()) {
        if let Some((low, high)) = &series.band {
            let there = series.x.iter().zip(high).map(|(&x, &y)| panel.at(x, y));
            let back = series.x.iter().zip(low).rev().map(|(&x, &y)| panel.at(x, y));
            canvas.area(&there.chain(back).collect::<Vec<At>>(), *colour, 0.18);
        }
    }
    canvas.unclip();
    for (series, &colour) in figure.series.iter().zip(SERIES.iter().cycle()) {
        let curve: Vec<At> = series.x.iter().zip(&series.y).map(|(&x, &y)| panel.at(x, y)).collect();
        if series.dots || curve.len() <= MOST_DOTS && !series.dashed {
            curve.iter().for_each(|&at| canvas.circle(at, 3.4, Some(colour), None));
        }
        if series.dots {
            continue;
        }
        canvas.polyline(curve, Stroke { colour, width: 2.0, dashed: series.dashed });
    }
    if has_legend {
        let entry = |(series, &colour): (&Series, _)| {
            let key = if series.dots { Key::Dot(colour) } else { Key::Line(colour, series.dashed) };
            (key, series.name.clone())
        };
        let entries: Vec<_> = figure.series.iter().zip(SERIES.iter().cycle()).map(entry).collect();
        keys(&mut canvas, (area.right + 18.0, top), &entries);
    }
    Ok(Picture { canvas })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn figure(series: Vec<Series>, log: bool) -> Lines<'static> {
        let y = if log { Axis::log("regret") } else { Axis::linear("regret") };
        Lines { title: "t", subtitle: "s", x: Axis::linear("samples"), y, series }
    }

    #[test]
    fn a_legend_appears_with_the_second_curve() {
        let one = Series::new("first", vec![0.0, 1.0], vec![1.0, 2.0]);
        let two = Series::new("second", vec![0.0, 1.0], vec![2.0, 1.0]).band(vec![1.0, 0.5], vec![3.0, 2.0]);
        let svg = lines_picture(&figure(vec![one.clone()], false)).unwrap().to_svg();
        assert!(svg.contains("regret") && !svg.contains("first"));
        let svg = lines_picture(&figure(vec![one, two], false)).unwrap().to_svg();
        assert!(svg.contains("first") && svg.contains("second"));
    }

    #[test]
    fn zero_is_refused_on_a_log_axis_and_nothing_is_not_drawn() {
        let zero = Series::new("a", vec![0.0, 1.0], vec![0.0, 2.0]);
        assert!(lines_picture(&figure(vec![zero.clone()], false)).is_ok());
        assert!(matches!(
            lines_picture(&figure(vec![zero], true)),
            Err(PictureError::NotDrawable { index: 0, .. })
        ));
        assert_eq!(lines_picture(&figure(vec![], false)).unwrap_err(), PictureError::Empty);
        let ragged = Series::new("a", vec![0.0], vec![1.0]).band(vec![], vec![]);
        assert!(matches!(lines_picture(&figure(vec![ragged], false)), Err(PictureError::Length { .. })));
    }
}
