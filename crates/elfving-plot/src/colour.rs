//! Colours that people with any kind of colour vision can tell apart.

use crate::canvas::viridis;

/// Red, green and blue.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Colour(pub(crate) u8, pub(crate) u8, pub(crate) u8);

/// Titles.
pub(crate) const INK: Colour = Colour(0x22, 0x22, 0x22);
/// Titles of axes.
pub(crate) const SLATE: Colour = Colour(0x3c, 0x3c, 0x3c);
/// Axes, ticks and subtitles.
pub(crate) const GREY: Colour = Colour(0x55, 0x55, 0x55);
/// Marks in the background.
pub(crate) const PALE: Colour = Colour(0xc4, 0xc4, 0xc4);
/// Grid lines.
pub(crate) const GRID: Colour = Colour(0xe8, 0xe8, 0xe8);

/// Okabe and Ito (2008), without black and in an order that keeps neighbours apart; yellow last, weak on white.
pub(crate) const SERIES: [Colour; 7] = [
    Colour(0x00, 0x72, 0xb2),
    Colour(0xd5, 0x5e, 0x00),
    Colour(0x00, 0x9e, 0x73),
    Colour(0xcc, 0x79, 0xa7),
    Colour(0x56, 0xb4, 0xe9),
    Colour(0xe6, 0x9f, 0x00),
    Colour(0xf0, 0xe4, 0x42),
];

/// Blue, for what is measured or estimated.
pub(crate) const BLUE: Colour = SERIES[0];
/// Vermilion, for limits.
pub(crate) const VERMILION: Colour = SERIES[1];

/// A value's place between the ends of a colour bar; values that are not finite are [`PALE`].
pub(crate) fn heat(value: f64, low: f64, high: f64) -> Colour {
    if !value.is_finite() {
        PALE
    } else if high > low {
        viridis(((value - low) / (high - low)).clamp(0.0, 1.0))
    } else {
        viridis(0.5)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_ends_of_the_map_are_dark_and_light_and_nothing_leaves_it() {
        let brightness = |c: Colour| u32::from(c.0) + u32::from(c.1) + u32::from(c.2);
        assert!(brightness(heat(0.0, 0.0, 1.0)) < brightness(heat(1.0, 0.0, 1.0)));
        assert_eq!(heat(7.0, 0.0, 1.0), heat(1.0, 0.0, 1.0));
        assert_eq!(heat(f64::NAN, 0.0, 1.0), PALE);
        assert_eq!(heat(f64::INFINITY, 0.0, 1.0), PALE);
        assert_eq!(heat(3.0, 3.0, 3.0), viridis(0.5));
    }
}
