//! A panel: two axes around an area, with grid, ticks and titles.

use crate::canvas::{Anchor, Area, At, Canvas, Stroke};
use crate::colour::{GREY, GRID};
use crate::scale::{Scale, Span};
use crate::text::{AXIS_TITLE, LABEL, SUBTITLE, TITLE, fitted, width};

/// The length of a tick.
const TICK: f64 = 5.0;
/// Pixels for one tick label along the x axis, about.
const TICK_EVERY: f64 = 85.0;

/// Where the first panel may start below title and subtitle.
pub(crate) const HEAD: f64 = 70.0;

/// Writes title and subtitle at the upper left.
pub(crate) fn write_head(canvas: &mut Canvas, title: &str, subtitle: &str, page_width: f64) {
    let room = page_width - 2.0 * 20.0;
    canvas.text((20.0, 30.0), &fitted(title, TITLE, room), TITLE, Anchor::Start);
    canvas.text((20.0, 51.0), &fitted(subtitle, SUBTITLE, room), SUBTITLE, Anchor::Start);
}

/// Two scales over an area.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Panel {
    pub(crate) area: Area,
    /// The left end of the room for the labels of the y axis; its title stands there.
    pub(crate) outer_left: f64,
    pub(crate) x: Scale,
    pub(crate) y: Scale,
}

/// What stands beside the y axis.
pub(crate) enum YLabels<'a> {
    /// Numbers.
    Numbers,
    /// These texts at these values.
    Names(&'a [(f64, String)]),
}

impl Panel {
    /// Numbers on both axes.
    pub(crate) fn new(area: Area, outer_left: f64, x: Span, y: Span) -> Self {
        Self { area, outer_left, x: x.over(area.left, area.right), y: y.over(area.bottom, area.top) }
    }

    /// Named rows from top to bottom, the first one at 0.
    pub(crate) fn rows(area: Area, outer_left: f64, x: Span, rows: usize) -> Self {
        let ranks = Span::of([-0.6, rows as f64 - 0.4], false);
        Self { area, outer_left, x: x.over(area.left, area.right), y: ranks.over(area.top, area.bottom) }
    }

    /// Where a point is, in pixels.
    pub(crate) fn at(&self, x: f64, y: f64) -> At {
        (self.x.position(x), self.y.position(y))
    }

    fn x_ticks(&self) -> Vec<(f64, String)> {
        self.x.ticks((self.area.width() / TICK_EVERY).round().clamp(3.0, 10.0) as usize)
    }

    fn y_ticks(&self) -> Vec<(f64, String)> {
        self.y.ticks((self.area.height() / 48.0).round().clamp(3.0, 8.0) as usize)
    }

    /// Draws grid lines, axes, ticks and labels. Without `x_title` the x axis has ticks but no labels, for a panel
    /// above another one with the same axis.
    pub(crate) fn draw_axes(
        &self,
        canvas: &mut Canvas,
        x_title: Option<&str>,
        y_title: &str,
        names: YLabels,
    ) {
        let Area { left, top, right, bottom } = self.area;
        let axis = Stroke::new(GREY, 1.0);
        let y_labels = match names {
            YLabels::Numbers => {
                let ticks = self.y_ticks();
                for (value, _) in &ticks {
                    let y = self.y.position(*value);
                    canvas.line((left, y), (right, y), Stroke::new(GRID, 1.0));
                    canvas.line((left - TICK, y), (left, y), axis);
                }
                ticks
            }
            YLabels::Names(names) => {
                for (value, _) in &self.x_ticks() {
                    let x = self.x.position(*value);
                    canvas.line((x, top), (x, bottom), Stroke::new(GRID, 1.0));
                }
                names.to_vec()
            }
        };
        for (value, label) in &y_labels {
            let at = (left - TICK - 4.0, self.y.position(*value) + 4.2);
            canvas.text(at, label, LABEL, Anchor::End);
        }
        if !y_title.is_empty() {
            let at = (self.outer_left + 26.0, (top + bottom) / 2.0);
            canvas.upward_text(
                at,
                &fitted(y_title, AXIS_TITLE, bottom - top + 60.0),
                AXIS_TITLE,
                Anchor::Middle,
            );
        }
        for (value, label) in self.x_ticks() {
            let x = self.x.position(value);
            canvas.line((x, bottom), (x, bottom + TICK), axis);
            if x_title.is_some() {
                canvas.text((x, bottom + TICK + 14.0), &label, LABEL, Anchor::Middle);
            }
        }
        if let Some(title) = x_title {
            let at = ((left + right) / 2.0, bottom + TICK + 36.0);
            canvas.text(at, &fitted(title, AXIS_TITLE, right - left + 80.0), AXIS_TITLE, Anchor::Middle);
        }
        canvas.line((left, top), (left, bottom), axis);
        canvas.line((left, bottom), (right, bottom), axis);
    }
}

/// The left margin that the labels of this y axis need.
pub(crate) fn left_margin(y: Span, height: f64) -> f64 {
    let area = Area { left: 0.0, top: 0.0, right: 1.0, bottom: height };
    let panel = Panel::new(area, 0.0, y, y);
    let widest = panel.y_ticks().iter().map(|(_, label)| width(label, LABEL)).fold(0.0, f64::max);
    widest + TICK + 46.0
}
