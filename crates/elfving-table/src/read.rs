//! Reading a file into a [`Table`], whatever its format.

use std::fs::File;
use std::io::{self, Cursor, Read, Seek};
use std::path::Path;

use serde::{Deserialize, Serialize};

use crate::code::Code;
use crate::number::Decimal;
use crate::problem::{Problem, TableError};
use crate::signature;
use crate::table::Table;

/// The character between two cells of a line.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub enum Delimiter {
    /// `,`
    #[default]
    Comma,
    /// `;`
    Semicolon,
    /// A tab.
    Tab,
}

impl Delimiter {
    pub(crate) fn byte(self) -> u8 {
        match self {
            Self::Comma => b',',
            Self::Semicolon => b';',
            Self::Tab => b'\t',
        }
    }
}

/// How a CSV file is written; found when a file is read, used when one is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Dialect {
    /// Between two cells.
    pub delimiter: Delimiter,
    /// Inside a number.
    pub decimal: Decimal,
    /// Whether lines end with `\r\n` rather than `\n`.
    pub crlf: bool,
    /// Whether the file starts with a byte-order mark, by which spreadsheets recognise UTF-8.
    pub bom: bool,
}

/// How to read a file.
///
/// | setting | default | effect |
/// |---|---|---|
/// | `decimal` | point | the decimal mark of a CSV file |
/// | `delimiter` | found | what is between two cells, see [`delimiter`](Self::delimiter) |
/// | `text` | none | columns kept as text whatever they look like, such as ids with leading zeros |
/// | `sheet` | the first | the sheet of an `.xlsx` to read |
/// | `array` | found | the array of an `.npz` to read: the only one, else the one called `features` |
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ReadOptions {
    /// The decimal mark of a CSV file.
    pub decimal: Decimal,
    /// What is between two cells; `None`: found in the header line.
    pub delimiter: Option<Delimiter>,
    /// Columns kept as text whatever they look like.
    pub text: Vec<String>,
    /// The array of an `.npz`; `None`: the only one, else the one called `features`.
    pub array: Option<String>,
    /// The sheet of an `.xlsx`; `None`: the first.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sheet: Option<String>,
}

impl ReadOptions {
    /// Sets the decimal mark of a CSV file.
    #[must_use]
    pub fn decimal(mut self, decimal: Decimal) -> Self {
        self.decimal = decimal;
        self
    }

    /// Sets what is between two cells.
    ///
    /// Otherwise it is found in the first line, outside quotes: the most frequent of `,` `;` and tab, and in a
    /// tie the first of these. With a decimal comma only `;` and tab come into question.
    #[must_use]
    pub fn delimiter(mut self, delimiter: Delimiter) -> Self {
        self.delimiter = Some(delimiter);
        self
    }

    /// Keeps a column as text whatever it looks like, for example ids with leading zeros.
    #[must_use]
    pub fn text(mut self, column: impl Into<String>) -> Self {
        self.text.push(column.into());
        self
    }

    /// Names the array of an `.npz` to read.
    #[must_use]
    pub fn array(mut self, name: impl Into<String>) -> Self {
        self.array = Some(name.into());
        self
    }

    /// Names the sheet of an `.xlsx` to read.
    #[must_use]
    pub fn sheet(mut self, name: impl Into<String>) -> Self {
        self.sheet = Some(name.into());
        self
    }
}

/// Reads a table from disk; the extension decides the format.
///
/// `.csv`, `.tsv`, `.txt` and names without an extension are CSV; `.xlsx` is an Excel workbook, of which one sheet is read; `.npy` and `.npz` are NumPy; `.parquet` needs
/// the cargo feature `parquet`.
///
/// Cost: one pass over the file, a second one when a column turns out to be text only after its first thousand
/// rows; 8 bytes per number, and for text columns the text.
///
/// # Errors
/// [`TableError::Refused`] lists what is wrong with the data, [`TableError::Io`] says why the file cannot be read.
///
/// # Examples
/// ```
/// # let directory = tempfile::tempdir()?;
/// # let path = directory.path().join("pool.csv");
/// std::fs::write(&path, "id,time (min)\na,5\nb,7.5\n")?;
/// let table = elfving_table::read(&path, &Default::default())?;
/// assert_eq!(table.numbers("time (min)")?, [5.0, 7.5]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn read(path: impl AsRef<Path>, options: &ReadOptions) -> Result<Table, TableError> {
    let path = path.as_ref();
    let file = path.display().to_string();
    let about = std::fs::metadata(path).map_err(|source| TableError::io(&file, source))?;
    if about.is_file() {
        read_source(&file, Source::File(path), options)
    } else {
        // A pipe can be read only once.
        let bytes = std::fs::read(path).map_err(|source| TableError::io(&file, source))?;
        read_source(&file, Source::Bytes(&bytes), options)
    }
}

/// Reads a table from memory; `file` names it in messages, and its extension decides the format.
///
/// # Errors
/// [`TableError::Refused`] lists what is wrong with the data.
///
/// # Examples
/// ```
/// use elfving_table::{ReadOptions, read_bytes};
/// let error = read_bytes("pool.csv", b"id,x\na,1\nb\n", &ReadOptions::default()).unwrap_err();
/// assert!(error.to_string().starts_with("error[E322]: pool.csv:3: 1 cell where the header has 2"));
/// ```
pub fn read_bytes(file: &str, bytes: &[u8], options: &ReadOptions) -> Result<Table, TableError> {
    read_source(file, Source::Bytes(bytes), options)
}

fn read_source(file: &str, source: Source<'_>, options: &ReadOptions) -> Result<Table, TableError> {
    let extension = Path::new(file).extension().map(|e| e.to_string_lossy().to_ascii_lowercase());
    let named = extension.as_deref().unwrap_or("csv");
    let known = ["csv", "tsv", "txt", "npy", "npz", "xlsx", "parquet"];
    if known.contains(&named)
        && let Some(other) =
            signature::other_kind(source, named).map_err(|error| TableError::io(file, error))?
    {
        return Err(other.problem(file).into());
    }
    match named {
        "csv" | "tsv" | "txt" => crate::csv_read::read(file, source, options),
        "npy" => crate::npy::read_npy(file, source, options),
        "npz" => crate::npy::read_npz(file, source, options),
        "xlsx" => crate::xlsx_read::read(file, source, options),
        #[cfg(feature = "parquet")]
        "parquet" => crate::parquet_read::read(file, source, options),
        #[cfg(not(feature = "parquet"))]
        "parquet" => Err(Problem::new(Code::UnknownKind, file, "this build does not read .parquet")
            .help("build with the cargo feature `parquet`, or save the table as .csv or .npy")
            .into()),
        other => Err(Problem::new(Code::UnknownKind, file, format!("files of type .{other} cannot be read"))
            .help("save the table as .csv, .xlsx, .npy, .npz or .parquet")
            .into()),
    }
}

/// Where the bytes of a table come from; can be opened more than once.
#[derive(Clone, Copy)]
pub(crate) enum Source<'a> {
    File(&'a Path),
    Bytes(&'a [u8]),
}

pub(crate) trait ReadSeek: Read + Seek {}
impl<T: Read + Seek> ReadSeek for T {}

impl<'a> Source<'a> {
    pub(crate) fn open(self) -> io::Result<Box<dyn ReadSeek + 'a>> {
        Ok(match self {
            Self::File(path) => Box::new(File::open(path)?),
            Self::Bytes(bytes) => Box::new(Cursor::new(bytes)),
        })
    }
}
