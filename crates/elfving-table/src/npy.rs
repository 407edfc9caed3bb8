//! NumPy arrays: `.npy` in and out, `.npz` in.
//!
//! The header is parsed here rather than by a crate so that no shape or header length in a damaged file can
//! make the reader overflow or reserve memory for numbers that are not there.

use std::io::{self, BufReader, Read, Write};
use std::sync::Arc;

use elfving::numerics::Matrix;

use crate::code::Code;
use crate::column::{Array, Column, ColumnData, Numbers, TextColumn};
use crate::hint::Hint;
use crate::problem::{Problem, Problems, TableError};
use crate::read::{Dialect, ReadOptions, Source};
use crate::table::{Places, Table, missing_columns};
use crate::write::WriteError;

const MAGIC: &[u8; 6] = b"\x93NUMPY";
/// NumPy itself refuses longer headers, and aligns the data to this many bytes.
const LONGEST_HEADER: usize = 10_000;
const ALIGNMENT: usize = 64;

pub(crate) fn read_npy(file: &str, source: Source<'_>, options: &ReadOptions) -> Result<Table, TableError> {
    let input = source.open().map_err(|error| TableError::io(file, error))?;
    read_array(file, BufReader::new(input), options)
}

pub(crate) fn read_npz(file: &str, source: Source<'_>, options: &ReadOptions) -> Result<Table, TableError> {
    let input = source.open().map_err(|error| TableError::io(file, error))?;
    let damaged = |error: zip::result::ZipError| TableError::from(damaged(file, error.to_string()));
    let mut archive = zip::ZipArchive::new(BufReader::new(input)).map_err(damaged)?;
    let names: Vec<String> =
        archive.file_names().filter_map(|name| Some(name.ok()?.strip_suffix(".npy")?.to_owned())).collect();
    let wanted = match &options.array {
        Some(name) => names.contains(name).then_some(name.as_str()),
        None if names.len() == 1 => Some(names[0].as_str()),
        None => names.iter().map(String::as_str).find(|&name| name == "features"),
    };
    let Some(wanted) = wanted else { return Err(which_array(file, options, &names).into()) };
    let entry = archive.by_name(&format!("{wanted}.npy")).map_err(damaged)?;
    read_array(file, BufReader::new(entry), options)
}

fn which_array(file: &str, options: &ReadOptions, names: &[String]) -> Problem {
    let message = match (&options.array, names) {
        (_, []) => "the file contains no array".to_owned(),
        (Some(name), _) => format!("there is no array {name:?}"),
        (None, _) => format!("there are {} arrays and none is called \"features\"", names.len()),
    };
    let problem = Problem::new(Code::WhichArray, file, message);
    match names {
        [] => problem.help("save an array with numpy.savez"),
        _ => problem.help(Hint::ChooseArray { arrays: names.to_vec() }),
    }
}

/// The array does not fit into memory.
fn too_large(file: &str, rows: u64, width: u64) -> TableError {
    let what = format!("an array of {rows} x {width} numbers does not fit into memory");
    TableError::io(file, io::Error::new(io::ErrorKind::OutOfMemory, what))
}

fn damaged(file: &str, message: impl Into<String>) -> Problem {
    Problem::new(Code::Damaged, file, message).help("write the file again; it is damaged or not a NumPy file")
}

/// What the header of an array says.
#[derive(Debug, PartialEq)]
struct Header {
    element: Element,
    big_endian: bool,
    fortran_order: bool,
    shape: Vec<u64>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Element {
    Bool,
    Signed(usize),
    Unsigned(usize),
    Float(usize),
}

impl Element {
    fn parse(kind: &str) -> Option<Self> {
        Some(match kind {
            "b1" => Self::Bool,
            "i1" => Self::Signed(1),
            "i2" => Self::Signed(2),
            "i4" => Self::Signed(4),
            "i8" => Self::Signed(8),
            "u1" => Self::Unsigned(1),
            "u2" => Self::Unsigned(2),
            "u4" => Self::Unsigned(4),
            "u8" => Self::Unsigned(8),
            "f4" => Self::Float(4),
            "f8" => Self::Float(8),
            _ => return None,
        })
    }

    fn size(self) -> usize {
        match self {
            Self::Bool => 1,
            Self::Signed(size) | Self::Unsigned(size) | Self::Float(size) => size,
        }
    }

    /// The number in little-endian `bytes`, padded to eight; 64-bit integers are rounded to the nearest `f64`.
    fn number(self, bytes: [u8; 8]) -> f64 {
        let bits = u64::from_le_bytes(bytes);
        match self {
            Self::Bool => f64::from(u8::from(bits != 0)),
            Self::Unsigned(_) => bits as f64,
            Self::Signed(size) => {
                let unused = 64 - 8 * size as u32;
                // Shifting up and back down extends the sign.
                (((bits << unused) as i64) >> unused) as f64
            }
            Self::Float(4) => f64::from(f32::from_bits(bits as u32)),
            Self::Float(_) => f64::from_bits(bits),
        }
    }
}

fn read_array(file: &str, mut input: impl Read, options: &ReadOptions) -> Result<Table, TableError> {
    let header = read_header(file, &mut input)?;
    let (rows, width) = match header.shape[..] {
        [rows] => (rows, 1),
        [rows, columns] => (rows, columns),
        _ => {
            let message = format!("the array has {} dimensions", header.shape.len());
            return Err(Problem::new(Code::UnsupportedType, file, message)
                .help("a table is an array with one row per candidate and one column per feature")
                .into());
        }
    };
    if rows == 0 || width == 0 {
        let code = if rows == 0 { Code::NoRows } else { Code::NoFeatures };
        return Err(Problem::new(code, file, format!("the array is empty: {rows} x {width}"))
            .help("a table is an array with one row per candidate and one column per feature")
            .into());
    }

    let total = rows.saturating_mul(width);
    let mut entries: Vec<f64> = Vec::new();
    let mut values =
        Values { input, header: &header, block: vec![0; header.element.size() * 4096], ready: 0..0 };
    for k in 0..total {
        let x = values.next().map_err(|error| match error.kind() {
            io::ErrorKind::UnexpectedEof => {
                damaged(file, format!("the data end after {k} of {total} numbers"))
            }
            _ => damaged(file, error.to_string()),
        })?;
        // Memory follows the data, not the header.
        entries.try_reserve(1).map_err(|_| too_large(file, rows, width))?;
        entries.push(x);
    }
    if values.any_left().map_err(|error| damaged(file, error.to_string()))? {
        return Err(damaged(file, format!("bytes follow the {total} numbers of the array")).into());
    }
    let (rows, width) = (rows as usize, width as usize);
    let table = Table {
        file: file.to_owned(),
        columns: columns(entries, rows, width, header.fortran_order, options),
        rows,
        places: Places::Rows,
        dialect: Dialect::default(),
    };
    let mut problems = Problems::default();
    let names: Vec<&str> = table.columns.iter().map(Column::name).collect();
    missing_columns(file, &options.text, &names, &mut problems);
    problems.finish().map(|()| table)
}

/// The columns of an array. They have no names and are called `x0`, `x1`, ...; rows of finite numbers are kept as they are.
fn columns(
    mut entries: Vec<f64>,
    rows: usize,
    width: usize,
    fortran_order: bool,
    options: &ReadOptions,
) -> Vec<Column> {
    entries.shrink_to_fit();
    let array = Array { entries: Arc::new(entries), width };
    let finite = array.entries.iter().all(|x| x.is_finite());
    let column = |at: usize| {
        let name = format!("x{at}");
        let declared_text = options.text.contains(&name);
        let data = if finite && !fortran_order && !declared_text {
            ColumnData::Numbers(Numbers::in_array(&array, at))
        } else {
            let mut data = match declared_text {
                true => ColumnData::Texts(TextColumn::default()),
                false => ColumnData::Numbers(Vec::new().into()),
            };
            let place = |row: usize| if fortran_order { at * rows + row } else { row * width + at };
            (0..rows).for_each(|row| data.push_number(array.entries[place(row)]));
            data
        };
        Column { name, data, declared_text }
    };
    (0..width).map(column).collect()
}

/// The numbers of an array in the order of the file.
struct Values<'a, R> {
    input: R,
    header: &'a Header,
    block: Vec<u8>,
    ready: std::ops::Range<usize>,
}

impl<R: Read> Values<'_, R> {
    fn next(&mut self) -> io::Result<f64> {
        let size = self.header.element.size();
        if self.ready.len() < size {
            self.refill(size)?;
        }
        let bytes = &self.block[self.ready.start..self.ready.start + size];
        self.ready.start += size;
        let mut padded = [0; 8];
        padded[..size].copy_from_slice(bytes);
        if self.header.big_endian {
            padded[..size].reverse();
        }
        Ok(self.header.element.number(padded))
    }

    /// Whether bytes follow the last number: the shape in the header is then not that of the data.
    fn any_left(&mut self) -> io::Result<bool> {
        match self.ready.is_empty() {
            true => match self.refill(1) {
                Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => Ok(false),
                other => other.map(|()| true),
            },
            false => Ok(true),
        }
    }

    fn refill(&mut self, size: usize) -> io::Result<()> {
        self.block.copy_within(self.ready.clone(), 0);
        self.ready = 0..self.ready.len();
        while self.ready.len() < size {
            match self.input.read(&mut self.block[self.ready.end..]) {
                Ok(0) => return Err(io::ErrorKind::UnexpectedEof.into()),
                Ok(more) => self.ready.end += more,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
        }
        Ok(())
    }
}

fn read_header(file: &str, input: &mut impl Read) -> Result<Header, TableError> {
    let mut bytes = |length: usize| {
        let mut bytes = vec![0; length];
        input.read_exact(&mut bytes).map_err(|_| damaged(file, "the header is incomplete")).map(|()| bytes)
    };
    let start = bytes(8)?;
    if !start.starts_with(MAGIC) {
        return Err(damaged(file, "this is not a NumPy array").into());
    }
    let length = match start[6] {
        1 => bytes(2)?.iter().rev().fold(0, |length, &byte| length << 8 | usize::from(byte)),
        2 | 3 => bytes(4)?.iter().rev().fold(0, |length, &byte| length << 8 | usize::from(byte)),
        version => return Err(damaged(file, format!("NumPy format {version} is not known")).into()),
    };
    if length > LONGEST_HEADER {
        return Err(damaged(file, format!("a header of {length} bytes is too long")).into());
    }
    let text = bytes(length)?;
    let text = String::from_utf8_lossy(&text);
    let (Some(descr), Some(order), Some(shape)) =
        (value_of(&text, "descr"), value_of(&text, "fortran_order"), value_of(&text, "shape"))
    else {
        return Err(damaged(file, "the header lacks descr, fortran_order or shape").into());
    };
    let (Some(fortran_order), Some(shape)) = (parse_bool(order), parse_shape(shape)) else {
        return Err(damaged(file, "the header cannot be read").into());
    };
    let type_name =
        descr.strip_prefix('\'').and_then(|rest| rest.split_once('\'')).map_or("", |(name, _)| name);
    let Some(element) = Element::parse(type_name.trim_start_matches(['<', '>', '|', '='])) else {
        let message = match type_name {
            "" => "an array of records is not supported".to_owned(),
            name => format!("elements of type {name} are not supported"),
        };
        return Err(Problem::new(Code::UnsupportedType, file, message)
            .help("convert the array to float64, float32 or integers")
            .into());
    };
    Ok(Header { element, big_endian: type_name.starts_with('>'), fortran_order, shape })
}

/// What follows `'key':` in the dictionary of the header.
fn value_of<'a>(header: &'a str, key: &str) -> Option<&'a str> {
    let (_, rest) = header.split_once(&format!("'{key}'"))?;
    Some(rest.trim_start().strip_prefix(':')?.trim_start())
}

fn parse_bool(value: &str) -> Option<bool> {
    match (value.starts_with("True"), value.starts_with("False")) {
        (true, _) => Some(true),
        (_, true) => Some(false),
        _ => None,
    }
}

fn parse_shape(value: &str) -> Option<Vec<u64>> {
    let (inside, _) = value.strip_prefix('(')?.split_once(')')?;
    inside.split(',').map(str::trim).filter(|part| !part.is_empty()).map(|part| part.parse().ok()).collect()
}

/// Writes a matrix as a `.npy` array of `float64` in C order.
///
/// # Errors
/// [`WriteError::NotFinite`] names the first entry that is not a number; [`WriteError::Io`].
///
/// # Examples
/// ```
/// use elfving::numerics::Matrix;
/// use elfving_table::{read_bytes, write_npy};
/// let mut file = Vec::new();
/// write_npy(&mut file, &Matrix::from_rows(&[[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]]))?;
/// let table = read_bytes("design.npy", &file, &Default::default())?;
/// assert_eq!(table.numbers("x1")?, [2.0, 4.0, 6.0]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn write_npy<W: Write>(mut writer: W, matrix: &Matrix) -> Result<(), WriteError> {
    if let Some((row, column)) = matrix.first_non_finite() {
        return Err(WriteError::NotFinite { row, column });
    }
    let mut header = format!(
        "{{'descr': '<f8', 'fortran_order': False, 'shape': ({}, {}), }}",
        matrix.rows(),
        matrix.columns()
    );
    // Magic, version and length take ten bytes; the header ends with a line feed.
    let padded = (10 + header.len() + 1).next_multiple_of(ALIGNMENT) - 10;
    header.push_str(&" ".repeat(padded - 1 - header.len()));
    header.push('\n');
    let length = u16::try_from(header.len()).expect("two numbers fit a short header");
    writer.write_all(MAGIC)?;
    writer.write_all(&[1, 0])?;
    writer.write_all(&length.to_le_bytes())?;
    writer.write_all(header.as_bytes())?;
    for row in 0..matrix.rows() {
        let bytes: Vec<u8> = matrix.row(row).iter().flat_map(|x| x.to_le_bytes()).collect();
        writer.write_all(&bytes)?;
    }
    writer.flush()?;
    Ok(())
}
