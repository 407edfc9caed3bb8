//! Texts that were declared to mean something in a feature column, such as `n.d.`.

use serde::{Deserialize, Serialize};

use crate::number::{Decimal, parse_number};

/// What a text such as `n.d.` means in a feature column.
///
/// Parsed from `TEXT=NUMBER` (use the number) or `TEXT` (a missing value: refuse the cell). A cell that holds a
/// marker says nothing about whether its column is numeric.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Marker {
    /// The text of the cell, without spaces around it.
    pub text: String,
    /// The number to use; `None`: the value is missing and the cell is refused by name.
    pub value: Option<f64>,
}

impl Marker {
    /// Uses `value` wherever a feature cell reads `text`.
    pub fn number(text: impl Into<String>, value: f64) -> Self {
        Self { text: text.into(), value: Some(value) }
    }

    /// Refuses every feature cell that reads `text`, which may itself look like a number (`-999`).
    pub fn missing(text: impl Into<String>) -> Self {
        Self { text: text.into(), value: None }
    }
}

impl std::str::FromStr for Marker {
    type Err = String;

    fn from_str(declaration: &str) -> Result<Self, String> {
        let Some((text, value)) = declaration.rsplit_once('=') else {
            return Ok(Self::missing(declaration.trim()));
        };
        match parse_number(value.as_bytes(), Decimal::Point) {
            Some(value) => Ok(Self::number(text.trim(), value)),
            None => Err(format!("{value:?} is not a number: write TEXT=NUMBER, for example \"n.d.=0\"")),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_marker_is_declared_as_text_and_number_or_as_text_alone() {
        assert_eq!("n.d.=0".parse(), Ok(Marker::number("n.d.", 0.0)));
        assert_eq!("a=b=-1.5".parse(), Ok(Marker::number("a=b", -1.5)));
        assert_eq!("-999".parse(), Ok(Marker::missing("-999")));
        assert_eq!(
            "n.d.=NaN".parse::<Marker>(),
            Err("\"NaN\" is not a number: write TEXT=NUMBER, for example \"n.d.=0\"".to_owned())
        );
    }
}
