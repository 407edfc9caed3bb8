//! CSV into a [`Table`].
//!
//! Numbers are stored as they come and no text is kept for them. A column that turns out to be text is noted,
//! and the file is read again with that knowledge; as the first rows give most text columns away, one pass is
//! the rule.

use std::io::{self, BufRead, BufReader, Read};

use crate::code::Code;
use crate::column::{Column, ColumnData, TextColumn};
use crate::hint::Hint;
use crate::number::{Decimal, parse_number};
use crate::problem::{Place, Problem, Problems, TableError, quoted};
use crate::read::{Delimiter, Dialect, ReadOptions, ReadSeek, Source};
use crate::records::{Fault, Record, Records};
use crate::table::{Places, Table, missing_columns};
use crate::warning::counted;
use crate::write::unescaped;

/// Rows that are looked at first, to find the text columns.
const SAMPLE: usize = 1000;
const BOM: &[u8] = b"\xef\xbb\xbf";
const SAVE_AS_UTF8: &str = "save the file as UTF-8 (in a spreadsheet: \"CSV UTF-8\")";

type Input<'a> = BufReader<Box<dyn ReadSeek + 'a>>;

pub(crate) fn read(file: &str, source: Source<'_>, options: &ReadOptions) -> Result<Table, TableError> {
    let dialect = find_dialect(file, source, options)?;
    let csv = Csv { file, source, dialect };
    let (header, mut problems) = csv.header()?;
    let is_nameless = |column: &str| column.trim().is_empty();
    let mut is_text = vec![false; header.len()];
    for (is_text, column) in is_text.iter_mut().zip(&header) {
        *is_text = is_nameless(column) || options.text.iter().any(|name| name.trim() == column.trim());
    }
    let names: Vec<&str> = header.iter().map(String::as_str).collect();
    missing_columns(file, &options.text, &names, &mut problems);
    let declared_text = is_text.clone();

    csv.scan(&header, &is_text, SAMPLE)?.mark_surprises(&mut is_text);
    let mut scan = csv.scan(&header, &is_text, usize::MAX)?;
    problems.absorb(csv.nameless(&header, &scan));
    problems.absorb(std::mem::take(&mut scan.problems));
    problems.finish()?;
    if scan.mark_surprises(&mut is_text) {
        scan = csv.scan(&header, &is_text, usize::MAX)?;
        if !scan.problems.is_empty() || scan.mark_surprises(&mut is_text) {
            return Err(TableError::io(file, io::Error::other("the file changed while it was being read")));
        }
    }

    let mut columns = Vec::with_capacity(header.len());
    for ((name, cells), declared_text) in header.into_iter().zip(scan.columns).zip(declared_text) {
        if is_nameless(&name) {
            continue;
        }
        columns.push(Column { name, data: cells.into_data(), declared_text });
    }
    Ok(Table { file: file.to_owned(), columns, rows: scan.rows, places: scan.places, dialect })
}

/// A CSV source whose dialect is known.
struct Csv<'a> {
    file: &'a str,
    source: Source<'a>,
    dialect: Dialect,
}

/// What one pass over the rows found.
struct Scan {
    columns: Vec<Cells>,
    rows: usize,
    places: Places,
    problems: Problems,
}

/// A column while it is read.
enum Cells {
    Numbers(Vec<f64>),
    Texts(TextColumn),
    /// Taken for numbers until a cell was not one.
    Surprise,
}

impl Cells {
    fn into_data(self) -> ColumnData {
        match self {
            Self::Numbers(mut numbers) => {
                numbers.shrink_to_fit();
                ColumnData::Numbers(numbers.into())
            }
            Self::Texts(mut texts) => {
                texts.shrink_to_fit();
                ColumnData::Texts(texts)
            }
            Self::Surprise => unreachable!("the last pass has no surprises"),
        }
    }
}

impl Scan {
    fn mark_surprises(&self, is_text: &mut [bool]) -> bool {
        let mut any = false;
        for (cells, is_text) in self.columns.iter().zip(is_text) {
            if matches!(cells, Cells::Surprise) {
                *is_text = true;
                any = true;
            }
        }
        any
    }
}

impl<'a> Csv<'a> {
    fn records(&self) -> Result<Records<Input<'a>>, TableError> {
        let input = open(self.file, self.source)?;
        Ok(Records::new(input, self.dialect.delimiter.byte()))
    }

    /// The names of the columns, and what is wrong with them.
    fn header(&self) -> Result<(Vec<String>, Problems), TableError> {
        let mut record = Record::default();
        if !self.next(&mut self.records()?, &mut record)? {
            return Err(Problem::new(Code::NoHeader, self.file, "the file is empty")
                .at(Place::Line(1))
                .help("the first line must name the columns")
                .into());
        }
        let place = Place::Line(record.line);
        let mut problems = Problems::default();
        self.check_syntax(&record, &mut problems);
        let mut names = Vec::with_capacity(record.len());
        for cell in record.cells() {
            names.push(
                unescaped(self.check_text(cell, |problem| problem.at(place), &mut problems)).to_owned(),
            );
        }
        if record.cells().all(|cell| parse_number(cell, self.dialect.decimal).is_some()) {
            problems.add(|| {
                Problem::new(
                    Code::NoHeader,
                    self.file,
                    "there is no header: the first line holds only numbers",
                )
                .at(place)
                .help("add a first line that names the columns")
            });
        }
        for (at, name) in names.iter().enumerate() {
            if name.trim().is_empty() {
                continue;
            }
            if let Some(before) = names[..at].iter().position(|other| other.trim() == name.trim()) {
                let message = format!("columns {} and {} have the same name", before + 1, at + 1);
                problems.add(|| {
                    Problem::new(Code::DuplicateHeader, self.file, message)
                        .at(place)
                        .column(name)
                        .help("give each column its own name")
                });
            }
        }
        Ok((names, problems))
    }

    /// Columns without a name. Spreadsheets leave empty ones behind: those are no columns, the others are refused.
    fn nameless(&self, header: &[String], scan: &Scan) -> Problems {
        let mut problems = Problems::default();
        let nothing_else = header.iter().all(|name| name.trim().is_empty());
        for (at, (name, cells)) in header.iter().zip(&scan.columns).enumerate() {
            let empty = match cells {
                Cells::Texts(texts) => texts.iter().all(|cell| cell.trim().is_empty()),
                Cells::Numbers(_) | Cells::Surprise => false,
            };
            if name.trim().is_empty() && (nothing_else || !empty) {
                let message = format!("column {} of {} has no name", at + 1, header.len());
                problems.add(|| {
                    Problem::new(Code::NoHeader, self.file, message)
                        .at(Place::Line(self.header_line().unwrap_or(1)))
                        .help("name every column in the first line, or delete the column")
                });
            }
        }
        problems
    }

    fn header_line(&self) -> Option<u64> {
        let mut record = Record::default();
        let found = self.records().ok()?.next(&mut record).ok()?;
        found.then_some(record.line)
    }

    /// Reads at most `limit` rows.
    fn scan(&self, header: &[String], is_text: &[bool], limit: usize) -> Result<Scan, TableError> {
        let start =
            |&text: &bool| if text { Cells::Texts(TextColumn::default()) } else { Cells::Numbers(vec![]) };
        let mut scan = Scan {
            columns: is_text.iter().map(start).collect(),
            rows: 0,
            places: Places::Regular { first: 0 },
            problems: Problems::default(),
        };
        let mut records = self.records()?;
        let mut record = Record::default();
        self.next(&mut records, &mut record)?; // the header
        // Lines of delimiters alone, which spreadsheets leave at the end: rows only if another row follows.
        let mut held_back: Vec<(u64, usize)> = Vec::new();
        while scan.rows < limit && self.next(&mut records, &mut record)? {
            if header.len() > 1 && record.is_blank() {
                held_back.push((record.line, record.len()));
                continue;
            }
            for (line, width) in held_back.drain(..) {
                self.add_row(line, std::iter::repeat_n(&b""[..], width), header, &mut scan);
            }
            self.check_syntax(&record, &mut scan.problems);
            self.add_row(record.line, record.cells(), header, &mut scan);
        }
        Ok(scan)
    }

    fn add_row<'c>(
        &self,
        line: u64,
        row: impl ExactSizeIterator<Item = &'c [u8]>,
        header: &[String],
        scan: &mut Scan,
    ) {
        if row.len() != header.len() {
            scan.problems.add(|| self.ragged(line, row.len(), header.len()));
            return;
        }
        for ((cells, cell), name) in scan.columns.iter_mut().zip(row).zip(header) {
            if let Cells::Numbers(numbers) = cells {
                match parse_number(cell, self.dialect.decimal) {
                    Some(x) => {
                        numbers.push(x);
                        continue;
                    }
                    None => *cells = Cells::Surprise,
                }
            }
            let text = self.check_text(
                cell,
                |problem| problem.at(Place::Line(line)).column(name),
                &mut scan.problems,
            );
            if let Cells::Texts(texts) = cells {
                texts.push(unescaped(text));
            }
        }
        scan.places.push(scan.rows, line);
        scan.rows += 1;
    }

    fn next(&self, records: &mut Records<Input<'a>>, record: &mut Record) -> Result<bool, TableError> {
        records.next(record).map_err(|source| TableError::io(self.file, source))
    }

    fn check_syntax(&self, record: &Record, problems: &mut Problems) {
        let Some(fault) = record.fault else { return };
        problems.add(|| {
            let (code, message, help) = match fault {
                Fault::UnclosedQuote => (
                    Code::BadQuote,
                    "a quoted cell that starts in this row is not closed",
                    "close the quote; inside a quoted cell write a quote twice",
                ),
                Fault::TextAfterQuote => (
                    Code::BadQuote,
                    "text follows the closing quote of a cell",
                    "put the whole cell in quotes; inside a quoted cell write a quote twice",
                ),
                Fault::LoneCarriageReturn => (
                    Code::LoneCarriageReturn,
                    "a carriage return without a line feed",
                    "save the file with the line ends of Windows or Unix (in a spreadsheet: \"CSV UTF-8\")",
                ),
            };
            Problem::new(code, self.file, message).at(Place::Line(record.line)).help(help)
        });
    }

    /// The cell as text; empty, and a problem, when it is not.
    fn check_text<'c>(
        &self,
        cell: &'c [u8],
        locate: impl FnOnce(Problem) -> Problem,
        problems: &mut Problems,
    ) -> &'c str {
        let (code, fault) = match std::str::from_utf8(cell) {
            Err(_) => (Code::NotUtf8, "is not UTF-8 text"),
            Ok(text) if text.contains('\0') => (Code::NulByte, "contains a NUL byte"),
            Ok(text) => return text,
        };
        problems.add(|| {
            let message = format!("{} {fault}", quoted(&String::from_utf8_lossy(cell)));
            locate(Problem::new(code, self.file, message)).help(SAVE_AS_UTF8)
        });
        ""
    }

    fn ragged(&self, line: u64, found: usize, width: usize) -> Problem {
        let message = format!("{} where the header has {width}", counted(found, "cell", "cells"));
        let hint = match self.dialect.delimiter {
            Delimiter::Comma => Hint::QuoteCommas,
            Delimiter::Semicolon => "put a cell that contains a semicolon in quotes".into(),
            Delimiter::Tab => "put a cell that contains a tab in quotes".into(),
        };
        Problem::new(Code::RaggedRow, self.file, message).at(Place::Line(line)).help(hint)
    }
}

/// Opens the source behind its byte-order mark.
fn open<'a>(file: &str, source: Source<'a>) -> Result<Input<'a>, TableError> {
    let failed = |error| TableError::io(file, error);
    let mut input = BufReader::with_capacity(1 << 16, source.open().map_err(failed)?);
    if input.fill_buf().map_err(failed)?.starts_with(BOM) {
        input.consume(BOM.len());
    }
    Ok(input)
}

fn find_dialect(file: &str, source: Source<'_>, options: &ReadOptions) -> Result<Dialect, TableError> {
    let failed = |error| TableError::io(file, error);
    let mut start = Vec::new();
    source.open().and_then(|input| input.take(4).read_to_end(&mut start)).map_err(failed)?;
    if is_utf16(&start) {
        return Err(Problem::new(Code::NotUtf8, file, "the file is UTF-16 text")
            .at(Place::Line(1))
            .help(SAVE_AS_UTF8)
            .into());
    }
    // The first line that is not blank.
    let mut input = open(file, source)?;
    let mut line = Vec::new();
    while line.iter().all(|byte| matches!(byte, b'\r' | b'\n')) {
        line.clear();
        if input.read_until(b'\n', &mut line).map_err(failed)? == 0 {
            break;
        }
    }
    let delimiter = options.delimiter.unwrap_or_else(|| most_frequent_delimiter(&line, options.decimal));
    Ok(Dialect {
        delimiter,
        decimal: options.decimal,
        crlf: line.ends_with(b"\r\n"),
        bom: start.starts_with(BOM),
    })
}

/// By its byte-order mark; without one, by the zero in every other byte of two plain letters.
fn is_utf16(start: &[u8]) -> bool {
    match start {
        [0xff, 0xfe, ..] | [0xfe, 0xff, ..] => true,
        [a, 0, b, 0] | [0, a, 0, b] => *a != 0 && *b != 0,
        _ => false,
    }
}

fn most_frequent_delimiter(line: &[u8], decimal: Decimal) -> Delimiter {
    let candidates: &[Delimiter] = match decimal {
        Decimal::Point => &[Delimiter::Comma, Delimiter::Semicolon, Delimiter::Tab],
        Decimal::Comma => &[Delimiter::Semicolon, Delimiter::Tab],
    };
    let count = |delimiter: Delimiter| {
        let mut in_quotes = false;
        let outside = line.iter().filter(|&&byte| {
            in_quotes ^= byte == b'"';
            !in_quotes && byte == delimiter.byte()
        });
        outside.count()
    };
    // `rev`, because `max_by_key` returns the last of equals.
    candidates.iter().rev().copied().max_by_key(|&delimiter| count(delimiter)).unwrap_or_default()
}
