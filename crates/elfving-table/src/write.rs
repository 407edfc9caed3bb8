//! Writing CSV that a spreadsheet opens without surprises.

use std::borrow::Cow;
use std::io::{self, Write};

use elfving::units::ErrorKind;

use crate::number::{parse_number, shortest};
use crate::read::{Delimiter, Dialect};
use crate::table::Table;

/// One cell to write.
#[derive(Debug, Clone, PartialEq)]
pub enum Cell<'a> {
    /// A finite number, written in the shortest form that reads as the same `f64`.
    Number(f64),
    /// A whole number.
    Integer(i64),
    /// Text. If it starts with `=`, `+`, `-`, `@`, a tab or a carriage return, a spreadsheet would run it as a
    /// formula: it gets a leading `'`, which reading removes again.
    Text(Cow<'a, str>),
    /// A number in the user's own digits (`1.50`), written as it is. Anything else is treated as text.
    AsWritten(&'a str),
    /// Nothing.
    Empty,
}

impl From<f64> for Cell<'_> {
    fn from(x: f64) -> Self {
        Self::Number(x)
    }
}

impl From<i64> for Cell<'_> {
    fn from(n: i64) -> Self {
        Self::Integer(n)
    }
}

impl<'a> From<&'a str> for Cell<'a> {
    fn from(text: &'a str) -> Self {
        Self::Text(Cow::Borrowed(text))
    }
}

impl From<String> for Cell<'_> {
    fn from(text: String) -> Self {
        Self::Text(Cow::Owned(text))
    }
}

impl std::fmt::Display for Cell<'_> {
    /// The cell as people read it: without what a spreadsheet needs around it.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Cell::Number(x) => f.write_str(&shortest(*x, crate::number::Decimal::default())),
            Cell::Integer(n) => write!(f, "{n}"),
            Cell::Text(text) => f.write_str(text),
            Cell::AsWritten(text) => f.write_str(text),
            Cell::Empty => Ok(()),
        }
    }
}

/// Why a table was not written.
#[derive(Debug, thiserror::Error)]
pub enum WriteError {
    /// The operating system refused.
    #[error("cannot write the table: {0}")]
    Io(#[from] io::Error),
    /// NaN and infinities are never written.
    #[error("row {row}, column {column} of the table to write is not a finite number")]
    NotFinite {
        /// Row, from 0.
        row: usize,
        /// Column, from 0.
        column: usize,
    },
    /// Every row has as many cells as the header.
    #[error("row {row} of the table to write has {got} cells, the header has {expected}")]
    Ragged {
        /// Row, from 0.
        row: usize,
        /// Cells in the header.
        expected: usize,
        /// Cells in the row.
        got: usize,
    },
}

impl WriteError {
    /// What kind of mistake it is.
    pub fn kind(&self) -> ErrorKind {
        match self {
            WriteError::Io(_) => ErrorKind::Durability,
            WriteError::NotFinite { .. } | WriteError::Ragged { .. } => ErrorKind::Data,
        }
    }
}

/// Writes a CSV table row by row.
///
/// # Examples
/// ```
/// use elfving_table::{Cell, CsvWriter, Dialect};
/// let mut sheet = CsvWriter::new(Vec::new(), Dialect::default(), ["id", "weight", "note"])?;
/// sheet.row([Cell::from("a1"), Cell::Number(-0.25), Cell::from("=now()")])?;
/// sheet.row([Cell::from("a2"), Cell::Empty, Cell::from("well, fine")])?;
/// assert_eq!(sheet.finish()?, b"id,weight,note\na1,-0.25,'=now()\na2,,\"well, fine\"\n");
/// # Ok::<(), elfving_table::WriteError>(())
/// ```
pub struct CsvWriter<W: Write> {
    writer: csv::Writer<W>,
    dialect: Dialect,
    width: usize,
    rows: usize,
    record: csv::ByteRecord,
}

impl<W: Write> CsvWriter<W> {
    /// Writes the header.
    ///
    /// # Errors
    /// [`WriteError::Io`].
    pub fn new<N: AsRef<str>>(
        mut writer: W,
        dialect: Dialect,
        header: impl IntoIterator<Item = N>,
    ) -> Result<Self, WriteError> {
        if dialect.bom {
            writer.write_all(b"\xef\xbb\xbf")?;
        }
        let terminator = if dialect.crlf { csv::Terminator::CRLF } else { csv::Terminator::Any(b'\n') };
        let writer = csv::WriterBuilder::new()
            .delimiter(dialect.delimiter.byte())
            .terminator(terminator)
            .flexible(true)
            .from_writer(writer);
        let mut sheet = Self { writer, dialect, width: 0, rows: 0, record: csv::ByteRecord::new() };
        for name in header {
            sheet.record.push_field(escaped(name.as_ref()).as_bytes());
        }
        sheet.width = sheet.record.len();
        sheet.flush_record()?;
        Ok(sheet)
    }

    /// Writes one row. A row that is refused leaves nothing behind.
    ///
    /// # Errors
    /// [`WriteError::NotFinite`], [`WriteError::Ragged`], [`WriteError::Io`].
    pub fn row<'a>(&mut self, cells: impl IntoIterator<Item = Cell<'a>>) -> Result<(), WriteError> {
        self.record.clear();
        for (column, cell) in cells.into_iter().enumerate() {
            if matches!(cell, Cell::Number(x) if !x.is_finite()) {
                return Err(WriteError::NotFinite { row: self.rows, column });
            }
            self.record.push_field(self.text_of(&cell).as_bytes());
        }
        if self.record.len() != self.width {
            return Err(WriteError::Ragged { row: self.rows, expected: self.width, got: self.record.len() });
        }
        self.rows += 1;
        self.flush_record()
    }

    /// Writes what is still in memory and gives the writer back.
    ///
    /// # Errors
    /// [`WriteError::Io`].
    pub fn finish(self) -> Result<W, WriteError> {
        self.writer.into_inner().map_err(|error| WriteError::Io(error.into_error()))
    }

    fn text_of<'a>(&self, cell: &'a Cell<'_>) -> Cow<'a, str> {
        match cell {
            Cell::Number(x) => Cow::Owned(shortest(*x, self.dialect.decimal)),
            Cell::Integer(n) => Cow::Owned(n.to_string()),
            Cell::Text(text) => escaped(text),
            Cell::AsWritten(text) if parse_number(text.as_bytes(), self.dialect.decimal).is_some() => {
                Cow::Borrowed(text)
            }
            Cell::AsWritten(text) => escaped(text),
            Cell::Empty => Cow::Borrowed(""),
        }
    }

    fn flush_record(&mut self) -> Result<(), WriteError> {
        self.writer.write_byte_record(&self.record).map_err(|error| WriteError::Io(error.into()))
    }
}

impl Table {
    /// Writes the whole table as CSV.
    ///
    /// # Errors
    /// [`WriteError::Io`].
    pub fn write_csv<W: Write>(&self, writer: W, dialect: Dialect) -> Result<W, WriteError> {
        let mut sheet = CsvWriter::new(writer, dialect, self.columns.iter().map(|column| &column.name))?;
        for row in 0..self.rows {
            sheet.row(self.cells(row))?;
        }
        sheet.finish()
    }
}

impl Dialect {
    /// What spreadsheets in countries with a decimal comma read by themselves.
    pub fn decimal_comma() -> Self {
        Self { delimiter: Delimiter::Semicolon, decimal: crate::number::Decimal::Comma, ..Self::default() }
    }
}

/// Whether a spreadsheet would run the text as a formula, apart from quotes put in front of it before.
fn is_dangerous(text: &str) -> bool {
    text.trim_start_matches('\'').starts_with(['=', '+', '-', '@', '\t', '\r'])
}

fn escaped(text: &str) -> Cow<'_, str> {
    if is_dangerous(text) { Cow::Owned(format!("'{text}")) } else { Cow::Borrowed(text) }
}

/// Undoes [`escaped`]: because a `'` before a dangerous text is itself escaped, every text survives.
pub(crate) fn unescaped(text: &str) -> &str {
    match text.strip_prefix('\'') {
        Some(rest) if is_dangerous(rest) => rest,
        _ => text,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn written(cells: &[Cell<'_>], dialect: Dialect) -> String {
        let header: Vec<String> = (0..cells.len()).map(|j| format!("c{j}")).collect();
        let mut sheet = CsvWriter::new(Vec::new(), dialect, header).unwrap();
        sheet.row(cells.iter().cloned()).unwrap();
        let text = String::from_utf8(sheet.finish().unwrap()).unwrap();
        text.lines().nth(1).unwrap().to_owned()
    }

    #[test]
    fn text_that_a_spreadsheet_would_run_gets_an_apostrophe_and_numbers_never_do() {
        for text in ["=1+1", "+x", "-x", "@sum", "-5"] {
            assert_eq!(written(&[text.into()], Dialect::default()), format!("'{text}"));
        }
        assert_eq!(written(&["\tx".into()], Dialect::default()), "'\tx");
        assert_eq!(
            written(&[Cell::Number(-1.5), Cell::Integer(-3), Cell::AsWritten("-1.50")], Dialect::default()),
            "-1.5,-3,-1.50"
        );
        assert_eq!(written(&[Cell::AsWritten("-x")], Dialect::default()), "'-x");
    }

    #[test]
    fn decimal_commas_are_written_between_semicolons() {
        let cells = [Cell::Number(0.51), Cell::Number(1e-9), Cell::from("a;b")];
        assert_eq!(written(&cells, Dialect::decimal_comma()), "0,51;1e-9;\"a;b\"");
    }

    #[test]
    fn a_bad_row_is_refused_and_leaves_nothing_behind() {
        let mut sheet = CsvWriter::new(Vec::new(), Dialect::default(), ["a", "b"]).unwrap();
        sheet.row([Cell::Integer(1), Cell::Integer(2)]).unwrap();
        let error = sheet.row([Cell::Integer(3), Cell::Number(f64::NAN)]).unwrap_err();
        assert_eq!(error.to_string(), "row 1, column 1 of the table to write is not a finite number");
        let error = sheet.row([Cell::Integer(3)]).unwrap_err();
        assert_eq!(error.to_string(), "row 1 of the table to write has 1 cells, the header has 2");
        assert_eq!(sheet.finish().unwrap(), b"a,b\n1,2\n");
    }

    proptest! {
        #[test]
        fn every_text_survives_the_apostrophe(text in "['=+@\t\r a-]{0,6}") {
            let escaped = escaped(&text);
            prop_assert_eq!(unescaped(&escaped), text.as_str());
            prop_assert!(!escaped.starts_with(['=', '+', '-', '@', '\t', '\r']));
        }
    }
}
