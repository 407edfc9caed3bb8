//! What counts as a number in a text cell, and what only looks like one.

use serde::{Deserialize, Serialize};

/// The character between the whole and the fractional part of a number.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub enum Decimal {
    /// `0.51`
    #[default]
    Point,
    /// `0,51`
    Comma,
}

impl Decimal {
    fn byte(self) -> u8 {
        match self {
            Self::Point => b'.',
            Self::Comma => b',',
        }
    }
}

/// How one text cell reads.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Reading {
    /// A finite number in the strict grammar.
    Number(f64),
    /// Nothing, or only white space.
    Empty,
    /// `NaN`, `inf`, or a number too large for an `f64`.
    NotFinite,
    /// A number in a notation that would have to be guessed (`0,51`, `1 234`, `1_000`), or with a typographic minus (`−5`).
    OtherNotation,
    /// Anything else.
    Text,
}

impl Reading {
    /// Whether the writer of the cell meant a number; decides what a column is meant to be.
    pub(crate) fn meant_as_number(self) -> bool {
        matches!(self, Self::Number(_) | Self::NotFinite | Self::OtherNotation)
    }
}

/// Reads one cell: spaces and tabs around it do not count.
pub(crate) fn classify(cell: &str, decimal: Decimal) -> Reading {
    let trimmed = cell.trim();
    if trimmed.is_empty() {
        Reading::Empty
    } else if let Some(x) = parse_number(cell.as_bytes(), decimal) {
        Reading::Number(x)
    } else if is_not_finite(trimmed, decimal) {
        Reading::NotFinite
    } else if is_other_notation(trimmed) {
        Reading::OtherNotation
    } else {
        Reading::Text
    }
}

/// A finite number in the strict grammar `[+-] digits [mark digits] [(e|E) [+-] digits]`, where either side of
/// the mark may be missing but not both; spaces and tabs around it do not count.
///
/// Stricter than `f64::from_str`, which also takes `NaN`, `inf` and turns `1e999` into infinity.
pub(crate) fn parse_number(cell: &[u8], decimal: Decimal) -> Option<f64> {
    let cell = trim_blanks(cell);
    if !follows_grammar(cell, decimal.byte()) {
        return None;
    }
    let x: f64 = match decimal {
        Decimal::Point => std::str::from_utf8(cell).ok()?.parse().ok()?,
        Decimal::Comma => std::str::from_utf8(cell).ok()?.replace(',', ".").parse().ok()?,
    };
    x.is_finite().then_some(x)
}

fn trim_blanks(mut cell: &[u8]) -> &[u8] {
    while let [b' ' | b'\t', rest @ ..] = cell {
        cell = rest;
    }
    while let [rest @ .., b' ' | b'\t'] = cell {
        cell = rest;
    }
    cell
}

fn follows_grammar(cell: &[u8], mark: u8) -> bool {
    let unsigned = without_sign(cell);
    let whole = leading_digits(unsigned);
    let mut rest = &unsigned[whole..];
    let mut digits = whole;
    if rest.first() == Some(&mark) {
        let fraction = leading_digits(&rest[1..]);
        digits += fraction;
        rest = &rest[1 + fraction..];
    }
    if digits == 0 {
        return false;
    }
    match rest {
        [] => true,
        [b'e' | b'E', exponent @ ..] => {
            let exponent = without_sign(exponent);
            !exponent.is_empty() && leading_digits(exponent) == exponent.len()
        }
        _ => false,
    }
}

fn without_sign(cell: &[u8]) -> &[u8] {
    match cell {
        [b'+' | b'-', rest @ ..] => rest,
        _ => cell,
    }
}

fn leading_digits(cell: &[u8]) -> usize {
    cell.iter().take_while(|byte| byte.is_ascii_digit()).count()
}

fn is_not_finite(trimmed: &str, decimal: Decimal) -> bool {
    let word = without_any_sign(trimmed).to_ascii_lowercase();
    matches!(word.as_str(), "nan" | "inf" | "infinity") || follows_grammar(trimmed.as_bytes(), decimal.byte())
}

/// Numbers with groups of three digits, the other decimal mark, or the typographic minus sign.
///
/// Groups must be whole, so that dates (`12.05.2024`) and versions (`1.2.3`) stay text.
fn is_other_notation(trimmed: &str) -> bool {
    let unsigned = without_any_sign(trimmed);
    let (mantissa, exponent) = match unsigned.split_once(['e', 'E']) {
        Some((mantissa, exponent)) => (mantissa, Some(exponent)),
        None => (unsigned, None),
    };
    if !exponent.is_none_or(|e| all_digits(without_any_sign(e))) {
        return false;
    }
    // The last comma or point may be a decimal mark; what is before it may come in groups.
    let (whole, fraction) = match mantissa.rsplit_once([',', '.']) {
        Some((whole, fraction)) => (whole, fraction),
        None => (mantissa, ""),
    };
    (fraction.is_empty() || all_digits(fraction))
        && (whole.is_empty() && !fraction.is_empty() || all_digits(whole) || is_grouped(whole))
        || is_grouped(mantissa)
}

/// The minus sign of typography, and the en dash that word processors put in its place.
const TYPOGRAPHIC_MINUS: [char; 2] = ['\u{2212}', '\u{2013}'];

fn without_any_sign(text: &str) -> &str {
    text.strip_prefix(['+', '-']).or_else(|| text.strip_prefix(TYPOGRAPHIC_MINUS)).unwrap_or(text)
}

/// The cell with hyphens for typographic minus signs, where they are all that keeps it from being a number.
pub(crate) fn with_plain_minus(cell: &str, decimal: Decimal) -> Option<String> {
    let plain = cell.trim().replace(TYPOGRAPHIC_MINUS, "-");
    parse_number(plain.as_bytes(), decimal).map(|_| plain)
}

/// The unit of a cell such as `5 mg` or `80%`, and whether a blank is before it; `None` for anything else.
pub(crate) fn unit_of(cell: &str, decimal: Decimal) -> Option<(&str, bool)> {
    let cell = cell.trim();
    if classify(cell, decimal).meant_as_number() {
        return None;
    }
    let starts_a_unit = |c: char| c.is_alphabetic() || matches!(c, '%' | '‰' | '°');
    // From the end, because the `e` of `5e3 mg` belongs to the number.
    let starts = cell.char_indices().rev().filter(|&(_, c)| starts_a_unit(c));
    let mut units = starts.filter(|&(at, _)| parse_number(&cell.as_bytes()[..at], decimal).is_some());
    units.next().map(|(at, _)| (&cell[at..], cell[..at].ends_with([' ', '\t'])))
}

fn all_digits(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit())
}

fn is_grouped(text: &str) -> bool {
    const SEPARATORS: [char; 8] = [' ', '\u{a0}', '\u{202f}', '\'', '\u{2019}', '_', ',', '.'];
    let Some(separator) = text.chars().find(|c| SEPARATORS.contains(c)) else { return false };
    let mut groups = text.split(separator);
    groups.next().is_some_and(|first| all_digits(first) && first.len() <= 3)
        && groups.all(|group| all_digits(group) && group.len() == 3)
}

/// The shortest text that reads back as the same `f64`, without a trailing `.0`.
pub(crate) fn shortest(x: f64, decimal: Decimal) -> String {
    let mut text = format!("{x:?}");
    if text.ends_with(".0") {
        text.truncate(text.len() - 2);
    }
    match decimal {
        Decimal::Point => text,
        Decimal::Comma => text.replace('.', ","),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_strict_grammar_takes_plain_numbers_only() {
        for (text, value) in [
            ("0", 0.0),
            ("-1.5", -1.5),
            ("+2", 2.0),
            (".5", 0.5),
            ("3.", 3.0),
            ("1e-3", 1e-3),
            ("2E+4", 2e4),
            (" 7\t", 7.0),
        ] {
            assert_eq!(classify(text, Decimal::Point), Reading::Number(value), "{text}");
        }
        for text in [
            "0x10",
            "1 mg",
            "n.d.",
            "<1",
            "1e",
            "e5",
            ".",
            "-",
            "--1",
            "1.2.3",
            "12.05.2024",
            "2024-05-12",
            "1234 567",
            "12 34",
        ] {
            assert_eq!(classify(text, Decimal::Point), Reading::Text, "{text}");
        }
    }

    #[test]
    fn what_rust_would_take_as_infinite_is_not_finite_here() {
        for text in ["NaN", "nan", "-NaN", "inf", "-Infinity", "1e999", "-1e999"] {
            assert_eq!(classify(text, Decimal::Point), Reading::NotFinite, "{text}");
        }
        assert_eq!(classify("1,5e999", Decimal::Comma), Reading::NotFinite);
    }

    #[test]
    fn numbers_that_would_have_to_be_guessed_are_named_as_such() {
        for text in [
            "0,51",
            "1 234",
            "1,234.5",
            "1.234,5",
            "1'234",
            "1_000",
            "\u{2212}5",
            "\u{2013}5",
            "1\u{202f}234,5",
            "1,234,567",
        ] {
            assert_eq!(classify(text, Decimal::Point), Reading::OtherNotation, "{text}");
        }
        assert_eq!(classify("0.51", Decimal::Comma), Reading::OtherNotation);
        assert_eq!(classify("0,51", Decimal::Comma), Reading::Number(0.51));
    }

    #[test]
    fn a_unit_is_what_follows_a_number() {
        for (cell, unit) in [
            ("5 mg", Some(("mg", true))),
            ("-1.5e3mg/L", Some(("mg/L", false))),
            ("80%", Some(("%", false))),
            ("20 °C", Some(("°C", true))),
            ("5", None),
            ("mg", None),
            ("1e5", None),
            ("1e999", None),
            ("0,5 mg", None),
            ("2024-05-12", None),
            ("10:30", None),
        ] {
            assert_eq!(unit_of(cell, Decimal::Point), unit, "{cell}");
        }
    }

    #[test]
    fn blanks_are_empty() {
        for text in ["", " ", "\t "] {
            assert_eq!(classify(text, Decimal::Point), Reading::Empty);
        }
    }

    #[test]
    fn the_shortest_form_reads_back_as_the_same_bits() {
        for x in [0.1, 1.0, -0.0, 1e300, 5e-324, 0.1 + 0.2, 1e16, f64::MAX, -2.5e-7] {
            for decimal in [Decimal::Point, Decimal::Comma] {
                let back = parse_number(shortest(x, decimal).as_bytes(), decimal).unwrap();
                assert_eq!(back.to_bits(), x.to_bits(), "{x}");
            }
        }
        assert_eq!(shortest(3.0, Decimal::Point), "3");
    }
}
