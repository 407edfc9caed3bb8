//! The fonts of a picture, how wide a text is, and where it is cut.

use crate::canvas::Font;
use crate::colour::{GREY, INK, SLATE};

pub(crate) const TITLE: Font = Font { size: 17, colour: INK, bold: true };
pub(crate) const SUBTITLE: Font = Font { size: 13, colour: GREY, bold: false };
pub(crate) const AXIS_TITLE: Font = Font { size: 13, colour: SLATE, bold: false };
pub(crate) const LABEL: Font = Font { size: 12, colour: GREY, bold: false };

/// The width of a text in pixels: an estimate for DejaVu Sans, a little too wide rather than too narrow.
pub(crate) fn width(text: &str, font: Font) -> f64 {
    let em = |c: char| match c {
        'i' | 'j' | 'l' | '.' | ',' | ':' | ';' | '\'' | '|' | 'I' | ' ' | '!' => 0.34,
        '(' | ')' | '[' | ']' | 'f' | 't' | 'r' | '-' | '/' => 0.42,
        'm' | 'w' | 'M' | 'W' | '%' | '@' | '=' => 0.95,
        'A'..='Z' => 0.72,
        '⁰' | '¹' | '²' | '³' | '⁴'..='⁹' | '⁻' => 0.42,
        c if c.is_ascii() => 0.64,
        _ => 0.85,
    };
    let bold = if font.bold { 1.1 } else { 1.0 };
    text.chars().map(em).sum::<f64>() * f64::from(font.size) * bold
}

/// The text if it fits into `room` pixels, else its beginning and an ellipsis.
pub(crate) fn fitted(text: &str, font: Font, room: f64) -> String {
    if width(text, font) <= room {
        return text.to_owned();
    }
    let mut cut: String = text.to_owned();
    while !cut.is_empty() && width(&cut, font) + f64::from(font.size) * 0.85 > room {
        cut.pop();
    }
    format!("{}…", cut.trim_end())
}

/// A number with four digits, in the shorter of the two notations.
pub(crate) fn four_digits(x: f64) -> String {
    if (1e-3..1e5).contains(&x) {
        let decimals = (3.0 - x.log10().floor()).max(0.0) as usize;
        format!("{x:.decimals$}")
    } else {
        format!("{x:.3e}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_long_text_is_cut_to_its_room_and_a_short_one_is_not() {
        assert_eq!(fitted("BrettPhos", LABEL, 200.0), "BrettPhos");
        let cut = fitted("2-dicyclohexylphosphino-2',6'-dimethoxybiphenyl", LABEL, 120.0);
        assert!(cut.ends_with('…') && width(&cut, LABEL) <= 122.0, "{cut}");
    }

    #[test]
    fn numbers_have_four_digits() {
        let shown = [27.491, 0.123456, 12345.6, 3.2e-7, 0.0].map(four_digits);
        assert_eq!(shown, ["27.49", "0.1235", "12346", "3.200e-7", "0.000e0"]);
    }
}
