//! A sheet to take to the bench: one line per measurement, in run order, with an empty cell for its outcome.

use std::collections::HashMap;

use crate::column::TextColumn;
use crate::read::Dialect;
use crate::table::Table;
use crate::write::{Cell, CsvWriter, WriteError};

/// Letters that a check character can be: 23, a prime, without those that look like a digit.
const CHECK_LETTERS: &[u8; 23] = b"ABCDEFGHJKLMNPRSTUVWXYZ";

/// The name of a slot, from its place in the run order: `S0012H`.
///
/// It starts with a letter, so that no spreadsheet takes it for a number or a date, and ends with a check character:
/// one wrong digit, or two exchanged ones, make a name that [`slot_index`] refuses.
///
/// ```
/// use elfving_table::{slot_index, slot_name};
/// assert_eq!(slot_name(11), "S0012H");
/// assert_eq!(slot_index("S0012H"), Some(11));
/// assert_eq!(slot_index("'S0012H"), Some(11));
/// assert_eq!(slot_index("S0021H"), None);
/// ```
pub fn slot_name(index: usize) -> String {
    let digits = format!("{:04}", index + 1);
    format!("S{digits}{}", check_letter(digits.as_bytes()))
}

/// The place of a slot in the run order; `None` for anything that is not the name of a slot. The apostrophe that spreadsheets
/// put in front of text does not count.
pub fn slot_index(name: &str) -> Option<usize> {
    let name = name.strip_prefix('\'').unwrap_or(name);
    let (digits, check) = name.strip_prefix('S')?.split_at_checked(name.len().checked_sub(2)?)?;
    let number: usize = digits.parse().ok().filter(|_| digits.bytes().all(|b| b.is_ascii_digit()))?;
    let index = number.checked_sub(1)?;
    (slot_name(index) == name && check.len() == 1).then_some(index)
}

/// A sum with weights that differ from place to place, counted from the end, so that leading zeros do not matter.
fn check_letter(digits: &[u8]) -> char {
    let weighted = digits.iter().rev().zip(2..).map(|(digit, weight)| u64::from(digit - b'0') * weight);
    CHECK_LETTERS[(weighted.sum::<u64>() % 23) as usize] as char
}

/// What a lab sheet shows.
///
/// | setting | default | effect |
/// |---|---|---|
/// | `id_column` | none | the header of the ids; without one the ids are rows, numbered from 0 |
/// | `table` | none | the user's own table, whose columns are repeated on every line |
/// | `outcome` | `outcome` | the header of the empty column; a column of the table with that name gives way |
#[derive(Debug, Clone)]
pub struct LabSheet<'a> {
    ids: &'a TextColumn,
    id_column: Option<&'a str>,
    table: Option<&'a Table>,
    outcome: &'a str,
    reasons: bool,
    wells: bool,
}

/// One measurement of a sheet.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SheetLine<'a> {
    /// The number of its slot, from 0.
    pub slot: usize,
    /// The row of the candidate in the user's table.
    pub row: usize,
    /// The candidate.
    pub id: &'a str,
    /// Why it is measured.
    pub why: &'a str,
    /// Its well, on a plate.
    pub well: Option<&'a str>,
}

impl<'a> LabSheet<'a> {
    /// A sheet for the candidates with these ids.
    pub fn new(ids: &'a TextColumn) -> Self {
        Self { ids, id_column: None, table: None, outcome: "outcome", reasons: false, wells: false }
    }

    /// Names the column of the ids.
    #[must_use]
    pub fn id_column(mut self, name: Option<&'a str>) -> Self {
        self.id_column = name;
        self
    }

    /// Repeats the user's own columns; row k of the table is the candidate with id k.
    #[must_use]
    pub fn table(mut self, table: Option<&'a Table>) -> Self {
        self.table = table;
        self
    }

    /// Names the column of the outcomes.
    #[must_use]
    pub fn outcome(mut self, name: &'a str) -> Self {
        self.outcome = name;
        self
    }

    /// Adds a column `why`, and an empty column `status` for runs that fail.
    #[must_use]
    pub fn with_reasons(mut self) -> Self {
        self.reasons = true;
        self
    }

    /// Adds a column `well` behind the slot.
    #[must_use]
    pub fn with_wells(mut self, wells: bool) -> Self {
        self.wells = wells;
        self
    }

    /// The sheet as CSV in the dialect of the table: `slot`, the id, the user's columns, the empty outcome.
    ///
    /// `order` holds the row of the candidate of each measurement, in run order.
    ///
    /// ```
    /// use elfving_table::{LabSheet, ReadOptions, read_bytes};
    /// let table = read_bytes("pool.csv", b"id,dose,yield\na,5,\nb,10,0.3\n", &ReadOptions::default())?;
    /// let ids = ["a", "b"].into_iter().collect();
    /// let sheet = LabSheet::new(&ids).id_column(Some("id")).table(Some(&table)).outcome("yield");
    /// let csv = String::from_utf8(sheet.to_csv(&[1, 0, 1])?)?;
    /// assert_eq!(csv, "slot,id,dose,yield\nS0001C,b,10,\nS0002E,a,5,\nS0003G,b,10,\n");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// [`WriteError`].
    ///
    /// # Panics
    /// For a row that has no id.
    pub fn to_csv(&self, order: &[usize]) -> Result<Vec<u8>, WriteError> {
        let lines = order.iter().enumerate();
        self.lines_to_csv(lines.map(|(slot, &row)| SheetLine {
            slot,
            row,
            id: &self.ids[row],
            why: "",
            well: None,
        }))
    }

    /// The same with slots, ids and reasons of one's own.
    ///
    /// # Errors
    /// [`WriteError`].
    pub fn lines_to_csv<'l>(
        &self,
        lines: impl IntoIterator<Item = SheetLine<'l>>,
    ) -> Result<Vec<u8>, WriteError> {
        let own = self.own_columns();
        // Our own names first: they are how results are read back.
        let mut header = Header::default();
        let slot = header.add("slot");
        let well = self.wells.then(|| header.add("well"));
        let id = header.add(self.id_column.unwrap_or("row"));
        let outcome = header.add(self.outcome);
        let [why, status] = ["why", "status"].map(|name| self.reasons.then(|| header.add(name)));
        let names: Vec<String> = own.iter().map(|&(_, name)| header.add(name)).collect();
        let dialect = self.table.map_or_else(Dialect::default, Table::dialect);
        let columns =
            [slot].into_iter().chain(well).chain([id]).chain(names).chain(why).chain([outcome]).chain(status);
        let mut sheet = CsvWriter::new(Vec::new(), dialect, columns)?;
        for SheetLine { slot, row, id, why, well } in lines {
            let id = match self.id_column {
                Some(_) => Cell::from(id),
                // Rows that were chosen keep their numbers.
                None => Cell::Integer(id.parse().unwrap_or(row as i64)),
            };
            let cells: Vec<Cell> = self.table.map_or_else(Vec::new, |table| table.cells(row).collect());
            let own = own.iter().map(|&(k, _)| cells[k].clone());
            let why = self.reasons.then(|| Cell::from(why));
            let status = self.reasons.then_some(Cell::Empty);
            let well = self.wells.then(|| well.map_or(Cell::Empty, Cell::from));
            let cells =
                [Cell::from(slot_name(slot))].into_iter().chain(well).chain([id]).chain(own).chain(why);
            sheet.row(cells.chain([Cell::Empty]).chain(status))?;
        }
        sheet.finish()
    }

    /// Columns of the table but the id and the outcome.
    fn own_columns(&self) -> Vec<(usize, &'a str)> {
        let columns = self.table.map_or(&[][..], Table::columns);
        let shown = |name: &str| {
            let name = name.trim();
            self.id_column.map(str::trim) != Some(name) && self.outcome.trim() != name
        };
        columns.iter().enumerate().map(|(k, c)| (k, c.name())).filter(|(_, name)| shown(name)).collect()
    }
}

/// Names of columns, made different where the user's table has one of ours.
#[derive(Default)]
struct Header {
    taken: HashMap<String, usize>,
}

impl Header {
    fn add(&mut self, name: &str) -> String {
        let times = self.taken.entry(name.to_owned()).and_modify(|times| *times += 1).or_insert(1);
        if *times == 1 { name.to_owned() } else { format!("{name} ({times})") }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::read::{ReadOptions, read_bytes};

    #[test]
    fn every_slot_name_is_read_back_and_slips_of_the_pen_are_not() {
        for index in [0, 8, 9, 98, 9998, 9999, 123_456] {
            let name = slot_name(index);
            assert_eq!(slot_index(&name), Some(index), "{name}");
            let bytes = name.as_bytes();
            for k in 1..bytes.len() - 1 {
                for digit in b'0'..=b'9' {
                    let mut wrong = bytes.to_vec();
                    wrong[k] = digit;
                    if wrong != bytes {
                        assert_eq!(slot_index(std::str::from_utf8(&wrong).unwrap()), None, "{name}");
                    }
                }
                let mut exchanged = bytes.to_vec();
                exchanged.swap(k, k + 1);
                if exchanged != bytes {
                    assert_eq!(slot_index(std::str::from_utf8(&exchanged).unwrap()), None, "{name}");
                }
            }
        }
        for other in ["", "S", "SA", "S0000A", "S+012F", "S12F", "s0012F", "S0012f", "12", "Sé12"] {
            assert_eq!(slot_index(other), None, "{other}");
        }
    }

    #[test]
    fn a_sheet_without_a_table_numbers_the_rows_and_a_clash_of_names_is_settled() {
        let ids = TextColumn::row_numbers(2);
        let csv = LabSheet::new(&ids).to_csv(&[1, 0]).unwrap();
        assert_eq!(String::from_utf8(csv).unwrap(), "slot,row,outcome\nS0001C,1,\nS0002E,0,\n");
        let table = read_bytes("p.csv", b"slot;x\nA;1,5\n", &ReadOptions::default()).unwrap();
        let sheet = LabSheet::new(&ids).table(Some(&table));
        let csv = String::from_utf8(sheet.to_csv(&[0]).unwrap()).unwrap();
        assert_eq!(csv, "slot;row;slot (2);x;outcome\nS0001C;0;A;1,5;\n");
    }

    #[test]
    fn what_a_spreadsheet_would_run_is_disarmed() {
        let ids = ["=1+1"].into_iter().collect();
        let csv = LabSheet::new(&ids).id_column(Some("id")).to_csv(&[0]).unwrap();
        assert_eq!(String::from_utf8(csv).unwrap(), "slot,id,outcome\nS0001C,'=1+1,\n");
    }
}
