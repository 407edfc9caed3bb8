//! What the colours and sizes of a picture mean.

use crate::canvas::{Anchor, Area, At, Canvas, Stroke};
use crate::colour::{Colour, GREY, INK, heat};
use crate::scale::Span;
use crate::text::{AXIS_TITLE, LABEL, four_digits, width};

/// A bar of colours from `low` (bottom) to `high` (top), its title above it.
pub(crate) fn colour_bar(canvas: &mut Canvas, area: Area, low: f64, high: f64, title: &str) {
    const SLICES: usize = 64;
    canvas.text((area.left, area.top - 12.0), title, AXIS_TITLE, Anchor::Start);
    let height = area.height() / SLICES as f64;
    for k in 0..SLICES {
        let top = area.bottom - (k + 1) as f64 * height;
        let share = (k as f64 + 0.5) / SLICES as f64;
        // A little over the next slice, so that no white line shows between them.
        let slice = Area { top: top - 0.4, bottom: top + height, ..area };
        canvas.rectangle(slice, heat(share, 0.0, 1.0));
    }
    let scale = Span::of([low, high], false).over(area.bottom, area.top);
    let ticks = if high > low { scale.ticks(5) } else { vec![(low, four_digits(low))] };
    for (value, label) in ticks {
        let y = if high > low { scale.position(value) } else { (area.top + area.bottom) / 2.0 };
        canvas.line((area.right, y), (area.right + 4.0, y), Stroke::new(GREY, 1.0));
        canvas.text((area.right + 8.0, y + 4.2), &label, LABEL, Anchor::Start);
    }
}

/// One line of a legend.
pub(crate) enum Key {
    /// A line of this colour.
    Line(Colour, bool),
    /// A dot of this colour.
    Dot(Colour),
    /// A circle of this radius, filled or only outlined.
    Circle(f64, Option<Colour>),
}

/// Lines of marks and words, the first one at `at`.
pub(crate) fn keys(canvas: &mut Canvas, at: At, entries: &[(Key, String)]) {
    let largest = |(key, _): &(Key, String)| match key {
        Key::Line(..) | Key::Dot(_) => 0.0,
        Key::Circle(radius, _) => *radius,
    };
    let mark = entries.iter().map(largest).fold(11.0, f64::max);
    let mut y = at.1;
    for entry in entries {
        let line = 20f64.max(2.0 * largest(entry) + 5.0);
        let centre = (at.0 + mark, y + line / 2.0);
        match &entry.0 {
            Key::Line(colour, dashed) => {
                let stroke = Stroke { colour: *colour, width: 2.0, dashed: *dashed };
                canvas.line((centre.0 - 11.0, centre.1), (centre.0 + 11.0, centre.1), stroke);
            }
            Key::Dot(colour) => canvas.circle(centre, 3.4, Some(*colour), None),
            Key::Circle(radius, fill) => {
                canvas.circle(centre, *radius, *fill, Some(Stroke::new(INK, 0.9)));
            }
        }
        canvas.text((at.0 + 2.0 * mark + 8.0, centre.1 + 4.2), &entry.1, LABEL, Anchor::Start);
        y += line;
    }
}

/// The width of a legend with lines as marks.
pub(crate) fn keys_width<'a>(names: impl Iterator<Item = &'a str>) -> f64 {
    30.0 + names.map(|name| width(name, LABEL)).fold(0.0, f64::max)
}
