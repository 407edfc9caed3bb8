//! Excel workbooks (`.xlsx`) into a [`Table`]: one sheet, whose first row that is not empty names the columns.
//!
//! Cells are read one by one, so that a lone cell far outside the table costs nothing. Numbers and truth values are numbers, dates are
//! text in ISO 8601; a formula is the value that the spreadsheet saved with it. Lines in messages are rows of the sheet.

use std::collections::BTreeMap;
use std::io::BufReader;

use calamine::{DataRef, ExcelDateTime, Reader, Xlsx, XlsxError};

use crate::code::Code;
use crate::column::{Column, ColumnData, TextColumn};
use crate::hint::Hint;
use crate::number::{Decimal, parse_number, shortest};
use crate::problem::{Place, Problem, Problems, TableError};
use crate::read::{Delimiter, Dialect, ReadOptions, Source};
use crate::table::{Places, Table, missing_columns};
use crate::write::unescaped;

/// What a cell holds; a number may also be kept as text, as an apostrophe or a download leaves it.
#[derive(Debug, Clone, PartialEq)]
enum Content {
    Number(f64),
    Text(String),
}

/// The cells that are not empty, row by row.
type Rows = BTreeMap<u32, BTreeMap<u32, Content>>;

pub(crate) fn read(file: &str, source: Source<'_>, options: &ReadOptions) -> Result<Table, TableError> {
    let input = source.open().map_err(|error| TableError::io(file, error))?;
    let mut workbook: Xlsx<_> = Xlsx::new(BufReader::new(input)).map_err(|error| damaged(file, &error))?;
    let sheets = workbook.sheet_names();
    let wanted = match &options.sheet {
        Some(name) => sheets.iter().find(|sheet| *sheet == name),
        None => sheets.first(),
    };
    let Some(sheet) = wanted else { return Err(which_sheet(file, options, &sheets).into()) };
    let mut problems = Problems::default();
    let rows = cells(file, &mut workbook, sheet, &mut problems)?;
    table(file, rows, options, problems)
}

fn damaged(file: &str, error: &XlsxError) -> Problem {
    let message = match error {
        XlsxError::Password => "the workbook is protected by a password".to_owned(),
        other => format!("this is not an Excel workbook (.xlsx): {other}"),
    };
    Problem::new(Code::Damaged, file, message)
        .help("open it in a spreadsheet program and save it as .xlsx without a password, or as \"CSV UTF-8\"")
}

fn which_sheet(file: &str, options: &ReadOptions, sheets: &[String]) -> Problem {
    match &options.sheet {
        Some(name) if !sheets.is_empty() => {
            Problem::new(Code::WhichArray, file, format!("there is no sheet {name:?}"))
                .help(Hint::ChooseSheet { sheets: sheets.to_vec() })
        }
        _ => Problem::new(Code::WhichArray, file, "the workbook has no sheet").help("save a table in it"),
    }
}

/// The cells of a sheet; those that hold an error of a formula are problems.
fn cells(
    file: &str,
    workbook: &mut Xlsx<impl std::io::Read + std::io::Seek>,
    sheet: &str,
    problems: &mut Problems,
) -> Result<Rows, TableError> {
    let failed = |error: XlsxError| TableError::from(damaged(file, &error));
    let mut reader = workbook.worksheet_cells_reader(sheet).map_err(failed)?;
    let mut rows = Rows::new();
    while let Some(cell) = reader.next_cell().map_err(failed)? {
        let (row, column) = cell.get_position();
        let content = match cell.get_value() {
            DataRef::Empty => continue,
            DataRef::Int(whole) => Content::Number(*whole as f64),
            DataRef::Float(number) => Content::Number(*number),
            DataRef::Bool(truth) => Content::Number(f64::from(u8::from(*truth))),
            DataRef::String(text) => Content::Text(text.clone()),
            DataRef::SharedString(text) => Content::Text((*text).to_owned()),
            DataRef::DateTime(time) => Content::Text(iso(time)),
            DataRef::DateTimeIso(text) | DataRef::DurationIso(text) => Content::Text(text.clone()),
            DataRef::Error(error) => {
                problems.add(|| {
                    let message = format!("cell {} holds the error {error}", cell_name(row, column));
                    Problem::new(Code::UnsupportedType, file, message)
                        .at(Place::Line(u64::from(row) + 1))
                        .help("correct the formula, or clear the cell")
                });
                continue;
            }
        };
        let content = match content {
            Content::Text(text) if text.trim().is_empty() => continue,
            // Kept as text, so that it can be named when it is refused.
            Content::Number(number) if !number.is_finite() => Content::Text(number.to_string()),
            other => other,
        };
        rows.entry(row).or_default().insert(column, content);
    }
    Ok(rows)
}

fn table(file: &str, rows: Rows, options: &ReadOptions, mut problems: Problems) -> Result<Table, TableError> {
    let decimal = options.decimal;
    let mut rows = rows.into_iter();
    let Some((header_row, header)) = rows.next() else {
        problems.finish()?;
        return Err(Problem::new(Code::NoHeader, file, "the sheet is empty")
            .at(Place::Line(1))
            .help("the first row must name the columns")
            .into());
    };
    let place = Place::Line(u64::from(header_row) + 1);
    if header.values().all(|cell| as_number(cell, decimal).is_some()) {
        let message = "there is no header: the first row holds only numbers";
        let help = "add a first row that names the columns";
        problems.add(|| Problem::new(Code::NoHeader, file, message).at(place).help(help));
    }
    let names: Vec<(u32, String)> =
        header.into_iter().map(|(at, cell)| (at, unescaped(&as_text(cell, decimal)).to_owned())).collect();
    for (k, (at, name)) in names.iter().enumerate() {
        if let Some((before, _)) = names[..k].iter().find(|(_, other)| other.trim() == name.trim()) {
            let message =
                format!("columns {} and {} have the same name", column_name(*before), column_name(*at));
            problems.add(|| {
                Problem::new(Code::DuplicateHeader, file, message)
                    .at(place)
                    .column(name)
                    .help("give each column its own name")
            });
        }
    }
    let listed: Vec<&str> = names.iter().map(|(_, name)| name.as_str()).collect();
    missing_columns(file, &options.text, &listed, &mut problems);

    let mut places = Places::Regular { first: 0 };
    let mut lines: Vec<BTreeMap<u32, Content>> = Vec::new();
    for (row, cells) in rows {
        let line = u64::from(row) + 1;
        if let Some(at) = cells.keys().find(|at| names.iter().all(|(known, _)| known != *at)) {
            let message = format!("cell {} is in a column without a name", cell_name(row, *at));
            problems.add(|| {
                Problem::new(Code::NoHeader, file, message)
                    .at(Place::Line(line))
                    .help("name the column in the first row, or clear the cell")
            });
        }
        places.push(lines.len(), line);
        lines.push(cells);
    }
    problems.finish()?;

    let rows = lines.len();
    let column = |(at, name): (u32, String)| {
        let declared_text = options.text.iter().any(|text| text.trim() == name.trim());
        let cell = |line: &BTreeMap<u32, Content>| line.get(&at).cloned();
        let numbers: Option<Vec<f64>> = match declared_text {
            true => None,
            false => lines.iter().map(|line| as_number(line.get(&at)?, decimal)).collect(),
        };
        let texts =
            || lines.iter().map(|line| cell(line).map_or_else(String::new, |cell| as_text(cell, decimal)));
        let data = match numbers {
            Some(numbers) => ColumnData::Numbers(numbers.into()),
            None => {
                ColumnData::Texts(texts().map(|text| unescaped(&text).to_owned()).collect::<TextColumn>())
            }
        };
        Column { name, data, declared_text }
    };
    let columns = names.into_iter().map(column).collect();
    // What is written next to it is text: a decimal comma needs another delimiter.
    let delimiter = if decimal == Decimal::Comma { Delimiter::Semicolon } else { Delimiter::Comma };
    let dialect = Dialect { delimiter, decimal, ..Dialect::default() };
    Ok(Table { file: file.to_owned(), columns, rows, places, dialect })
}

fn as_number(cell: &Content, decimal: Decimal) -> Option<f64> {
    match cell {
        Content::Number(number) => Some(*number),
        Content::Text(text) => parse_number(text.as_bytes(), decimal),
    }
}

fn as_text(cell: Content, decimal: Decimal) -> String {
    match cell {
        Content::Number(number) => shortest(number, decimal),
        Content::Text(text) => text,
    }
}

/// A date, a time, or both, in ISO 8601.
fn iso(time: &ExcelDateTime) -> String {
    let (year, month, day, hour, minute, second, milli) = time.to_ymd_hms_milli();
    let fraction = if milli == 0 { String::new() } else { format!(".{milli:03}") };
    let clock = format!("{hour:02}:{minute:02}:{second:02}{fraction}");
    let date = format!("{year:04}-{month:02}-{day:02}");
    match (time.as_f64() < 1.0, time.as_f64().fract() == 0.0) {
        (true, _) => clock,
        (false, true) => date,
        (false, false) => format!("{date}T{clock}"),
    }
}

/// `C5`, as spreadsheets call it.
fn cell_name(row: u32, column: u32) -> String {
    format!("{}{}", column_name(column), u64::from(row) + 1)
}

fn column_name(column: u32) -> String {
    let mut letters = Vec::new();
    let mut rest = u64::from(column) + 1;
    while rest > 0 {
        letters.push(char::from(b'A' + ((rest - 1) % 26) as u8));
        rest = (rest - 1) / 26;
    }
    letters.iter().rev().collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cells_are_called_as_in_a_spreadsheet() {
        assert_eq!(cell_name(0, 0), "A1");
        assert_eq!(
            (cell_name(4, 25), cell_name(9, 26), cell_name(0, 701), cell_name(0, 702)),
            ("Z5".into(), "AA10".into(), "ZZ1".into(), "AAA1".into())
        );
        assert_eq!(cell_name(1_048_575, 16_383), "XFD1048576");
    }
}
