//! Splits CSV text into rows of cells, strictly, and knows the physical line of each row.
//!
//! The `csv` crate is used for writing only: as a reader it joins `"a"b` into one cell, takes a quote that is
//! never closed as the rest of the file, and its line numbers count line feeds already consumed, which is off
//! by one after `\r\n` and after blank lines. A refusal has to name the right line.

use std::io::{self, BufRead};

/// One row: its cells without quotes, and the line it starts on.
#[derive(Debug, Default)]
pub(crate) struct Record {
    bytes: Vec<u8>,
    spans: Vec<(usize, usize)>,
    pub(crate) line: u64,
    pub(crate) fault: Option<Fault>,
}

/// What is wrong with the syntax of a row.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Fault {
    UnclosedQuote,
    TextAfterQuote,
    LoneCarriageReturn,
}

impl Record {
    pub(crate) fn len(&self) -> usize {
        self.spans.len()
    }

    /// Whether every cell is empty, or holds only blanks.
    pub(crate) fn is_blank(&self) -> bool {
        self.fault.is_none() && self.cells().all(|cell| cell.trim_ascii().is_empty())
    }

    pub(crate) fn cells(&self) -> impl ExactSizeIterator<Item = &[u8]> {
        self.spans.iter().map(|&(start, end)| &self.bytes[start..end])
    }
}

/// The rows of a CSV text. Blank lines are skipped.
pub(crate) struct Records<R> {
    input: R,
    delimiter: u8,
    lines_read: u64,
    raw: Vec<u8>,
}

impl<R: BufRead> Records<R> {
    pub(crate) fn new(input: R, delimiter: u8) -> Self {
        Self { input, delimiter, lines_read: 0, raw: Vec::new() }
    }

    /// Reads the next row into `record`; `false` at the end of the text.
    pub(crate) fn next(&mut self, record: &mut Record) -> io::Result<bool> {
        record.spans.clear();
        record.fault = None;
        let end = loop {
            record.bytes.clear();
            if !self.read_line_into(&mut record.bytes)? {
                return Ok(false);
            }
            match content_length(&record.bytes) {
                0 => continue,
                end => break end,
            }
        };
        record.line = self.lines_read;
        if !self.split_plain(record, end) {
            record.spans.clear();
            std::mem::swap(&mut record.bytes, &mut self.raw);
            self.split_quoted(record, end)?;
        }
        Ok(true)
    }

    fn read_line_into(&mut self, buffer: &mut Vec<u8>) -> io::Result<bool> {
        let found = self.input.read_until(b'\n', buffer)? > 0;
        self.lines_read += u64::from(found);
        Ok(found)
    }

    /// The common case, without copying: gives up at the first quote or stray carriage return.
    fn split_plain(&self, record: &mut Record, end: usize) -> bool {
        let mut start = 0;
        for (at, &byte) in record.bytes[..end].iter().enumerate() {
            if byte == self.delimiter {
                record.spans.push((start, at));
                start = at + 1;
            } else if byte == b'"' || byte == b'\r' {
                return false;
            }
        }
        record.spans.push((start, end));
        true
    }

    /// Splits `self.raw`, which grows by the following lines while a quoted cell is open.
    fn split_quoted(&mut self, record: &mut Record, mut end: usize) -> io::Result<()> {
        record.bytes.clear();
        let mut at = 0;
        loop {
            let start = record.bytes.len();
            if at < end && self.raw[at] == b'"' {
                at += 1;
                loop {
                    let Some(quote) = self.raw[at..].iter().position(|&byte| byte == b'"') else {
                        record.bytes.extend_from_slice(&self.raw[at..]);
                        // The cell goes on in the next line; what was copied is not needed any more.
                        self.raw.clear();
                        at = 0;
                        let mut raw = std::mem::take(&mut self.raw);
                        let more = self.read_line_into(&mut raw)?;
                        self.raw = raw;
                        if !more {
                            record.spans.push((start, record.bytes.len()));
                            record.fault = Some(Fault::UnclosedQuote);
                            return Ok(());
                        }
                        end = content_length(&self.raw);
                        continue;
                    };
                    record.bytes.extend_from_slice(&self.raw[at..at + quote]);
                    at += quote + 1;
                    if self.raw.get(at) != Some(&b'"') {
                        break;
                    }
                    record.bytes.push(b'"');
                    at += 1;
                }
                if at < end && self.raw[at] != self.delimiter {
                    record.fault.get_or_insert(Fault::TextAfterQuote);
                }
            }
            let rest = &self.raw[at..end];
            let length = rest.iter().position(|&byte| byte == self.delimiter).unwrap_or(rest.len());
            if rest[..length].contains(&b'\r') {
                record.fault.get_or_insert(Fault::LoneCarriageReturn);
            }
            record.bytes.extend_from_slice(&rest[..length]);
            record.spans.push((start, record.bytes.len()));
            if length == rest.len() {
                return Ok(());
            }
            at += length + 1;
        }
    }
}

/// Length of a line without its `\n` or `\r\n`.
fn content_length(line: &[u8]) -> usize {
    match line {
        [content @ .., b'\r', b'\n'] | [content @ .., b'\n'] => content.len(),
        _ => line.len(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn split(text: &str) -> Vec<(u64, Vec<String>, Option<Fault>)> {
        let mut records = Records::new(text.as_bytes(), b',');
        let mut record = Record::default();
        let mut rows = Vec::new();
        while records.next(&mut record).unwrap() {
            let cells = record.cells().map(|cell| String::from_utf8(cell.to_vec()).unwrap()).collect();
            rows.push((record.line, cells, record.fault));
        }
        rows
    }

    fn row(line: u64, cells: &[&str]) -> (u64, Vec<String>, Option<Fault>) {
        (line, cells.iter().map(|&cell| cell.to_owned()).collect(), None)
    }

    #[test]
    fn lines_are_physical_lines_after_crlf_blank_lines_and_quoted_line_breaks() {
        assert_eq!(
            split("a,b\r\n1,2\r\n3,4"),
            [row(1, &["a", "b"]), row(2, &["1", "2"]), row(3, &["3", "4"])]
        );
        assert_eq!(
            split("\na,b\n\n1,\"x\ny\"\n\r\n3,4\n"),
            [row(2, &["a", "b"]), row(4, &["1", "x\ny"]), row(7, &["3", "4"])]
        );
    }

    #[test]
    fn quotes_are_undone_and_a_quote_inside_a_cell_is_a_character() {
        assert_eq!(
            split("\"a,b\",\"say \"\"hi\"\"\",5\" pipe\n"),
            [row(1, &["a,b", "say \"hi\"", "5\" pipe"])]
        );
        assert_eq!(split("\"\",,\"\"\n"), [row(1, &["", "", ""])]);
    }

    #[test]
    fn faults_are_reported_and_the_next_row_is_still_read() {
        let rows = split("\"a\"b,c\nx\ry,z\n1,\"open\n2,3\n");
        assert_eq!(rows[0].2, Some(Fault::TextAfterQuote));
        assert_eq!(rows[1].2, Some(Fault::LoneCarriageReturn));
        assert_eq!((rows[2].0, rows[2].2), (3, Some(Fault::UnclosedQuote)));
        assert_eq!(rows.len(), 3);
    }

    proptest! {
        #[test]
        fn well_formed_text_is_split_as_the_csv_crate_splits_it(
            grid in prop::collection::vec(prop::collection::vec("[a\"',;\n\r =]{0,5}", 3), 1..6)
        ) {
            let mut writer = csv::Writer::from_writer(Vec::new());
            for cells in &grid {
                writer.write_record(cells).unwrap();
            }
            let text = String::from_utf8(writer.into_inner().unwrap()).unwrap();
            let rows: Vec<Vec<String>> = split(&text).into_iter().map(|(_, cells, fault)| {
                assert_eq!(fault, None);
                cells
            }).collect();
            prop_assert_eq!(rows, grid);
        }
    }
}
