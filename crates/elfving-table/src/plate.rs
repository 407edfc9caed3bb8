//! Plates: wells in rows and columns, by the names that are printed on them.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

use crate::read::Dialect;
use crate::write::{Cell, CsvWriter, WriteError};

/// The rows and columns of a plate.
///
/// ```
/// use elfving_table::Plate;
/// let plate: Plate = "8x12".parse()?;
/// assert_eq!([plate.well(0), plate.well(11), plate.well(12), plate.well(95)], ["A1", "A12", "B1", "H12"]);
/// assert_eq!(plate.well(96), "2-A1"); // the next plate
/// assert_eq!("384".parse::<Plate>()?.to_string(), "16x24");
/// assert!("8 by 12".parse::<Plate>().is_err());
/// # Ok::<(), String>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct Plate {
    rows: usize,
    columns: usize,
}

/// 1,536 wells have 32 rows and 48 columns; nobody makes larger ones.
const MOST_ROWS: usize = 32;
const MOST_COLUMNS: usize = 48;

impl Plate {
    /// How many rows there are.
    pub fn rows(self) -> usize {
        self.rows
    }

    /// How many columns there are.
    pub fn columns(self) -> usize {
        self.columns
    }

    /// How many wells there are.
    pub fn wells(self) -> usize {
        self.rows * self.columns
    }

    /// The well of a place in a batch, row by row; behind the last one, that of the second plate, with its number in front.
    pub fn well(self, seat: usize) -> String {
        let (plate, seat) = (seat / self.wells(), seat % self.wells());
        let name = format!("{}{}", row_name(seat / self.columns), seat % self.columns + 1);
        if plate == 0 { name } else { format!("{}-{name}", plate + 1) }
    }
}

impl Plate {
    /// The plates of a batch as CSV, each with the names of its rows and columns: `cell` says what is at a place.
    ///
    /// # Errors
    /// [`WriteError`].
    ///
    /// ```
    /// use elfving_table::{Dialect, Plate};
    /// let plate: Plate = "2x2".parse()?;
    /// let map = plate.map(3, Dialect::default(), |seat| format!("r{seat}"))?;
    /// assert_eq!(map, b"plate 1,1,2\nA,r0,r1\nB,r2,\n");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn map(
        self,
        seats: usize,
        dialect: Dialect,
        cell: impl Fn(usize) -> String,
    ) -> Result<Vec<u8>, WriteError> {
        let mut bytes = Vec::new();
        for plate in 0..seats.div_ceil(self.wells()).max(1) {
            let header = (1..=self.columns).map(|column| column.to_string());
            let dialect = Dialect { bom: dialect.bom && plate == 0, ..dialect };
            let header = std::iter::once(format!("plate {}", plate + 1)).chain(header);
            let mut lines = CsvWriter::new(bytes, dialect, header)?;
            for row in 0..self.rows {
                let seat = |column: usize| plate * self.wells() + row * self.columns + column;
                let cells = (0..self.columns).map(|column| match seat(column) {
                    seat if seat < seats => Cell::from(cell(seat)),
                    _ => Cell::Empty,
                });
                lines.row(std::iter::once(Cell::from(row_name(row))).chain(cells))?;
            }
            bytes = lines.finish()?;
        }
        Ok(bytes)
    }

    /// The name of a row: A to Z, then AA to AF.
    pub fn row_name(self, row: usize) -> String {
        row_name(row)
    }
}

fn row_name(row: usize) -> String {
    let letter = |k: usize| char::from(b'A' + (k % 26) as u8);
    match row / 26 {
        0 => letter(row).to_string(),
        more => format!("{}{}", letter(more - 1), letter(row)),
    }
}

impl FromStr for Plate {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let refused = || {
            format!(
                "{text:?} is not a plate: write ROWSxCOLUMNS, such as 8x12, or 6, 12, 24, 48, 96, 384 or 1536 wells"
            )
        };
        let (rows, columns) = match text.trim() {
            "6" => (2, 3),
            "12" => (3, 4),
            "24" => (4, 6),
            "48" => (6, 8),
            "96" => (8, 12),
            "384" => (16, 24),
            "1536" => (32, 48),
            other => {
                let (rows, columns) = other.split_once(['x', 'X', '\u{d7}']).ok_or_else(refused)?;
                let number = |text: &str| text.trim().parse::<usize>().map_err(|_| refused());
                (number(rows)?, number(columns)?)
            }
        };
        if !(1..=MOST_ROWS).contains(&rows) || !(1..=MOST_COLUMNS).contains(&columns) {
            return Err(format!(
                "{text:?}: a plate has 1 to {MOST_ROWS} rows and 1 to {MOST_COLUMNS} columns"
            ));
        }
        Ok(Self { rows, columns })
    }
}

impl TryFrom<String> for Plate {
    type Error = String;

    fn try_from(text: String) -> Result<Self, String> {
        text.parse()
    }
}

impl From<Plate> for String {
    fn from(plate: Plate) -> Self {
        plate.to_string()
    }
}

impl fmt::Display for Plate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}x{}", self.rows, self.columns)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_largest_plate_has_wells_up_to_af48() {
        let plate: Plate = "1536".parse().unwrap();
        assert_eq!(
            (plate.wells(), plate.well(1535), plate.well(26 * 48)),
            (1536, "AF48".into(), "AA1".into())
        );
    }

    #[test]
    fn what_is_no_plate_is_refused_with_what_to_write() {
        for text in ["", "8x", "x12", "0x3", "33x1", "8x49", "-1x3", "97"] {
            let refused = text.parse::<Plate>().unwrap_err();
            assert!(refused.contains("plate"), "{refused}");
        }
    }
}
