//! What a file is by its first bytes, where its name says something else: a workbook renamed to `.csv`, a compressed table.

use std::io::{self, BufReader, Read};

use crate::code::Code;
use crate::problem::Problem;
use crate::read::Source;

/// A kind of file that is known by how it starts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Kind {
    /// The first bytes.
    magic: &'static [u8],
    /// The extension under which it is read; none for what is never a table.
    extension: &'static str,
    name: &'static str,
    help: &'static str,
}

const SAVE_AS_CSV: &str = "open it in a spreadsheet program and save it as \"CSV UTF-8\"";
const SAVE_AS_XLSX: &str =
    "open it in a spreadsheet program and save it as .xlsx without a password, or as \"CSV UTF-8\"";
const DECOMPRESS: &str = "decompress it first";

const fn kind(magic: &'static [u8], extension: &'static str, name: &'static str, help: &'static str) -> Kind {
    Kind { magic, extension, name, help }
}

const ZIP: Kind = kind(b"PK\x03\x04", "npz", "a zip archive", "extract the table from it first");
const WORKBOOK: Kind = kind(b"PK\x03\x04", "xlsx", "an Excel file", "name it .xlsx");
const OPEN_DOCUMENT: Kind = kind(b"PK\x03\x04", "", "an OpenDocument file", SAVE_AS_CSV);
const ARRAYS: Kind = kind(b"PK\x03\x04", "npz", "an archive of NumPy arrays", "name it .npz");

const KINDS: [Kind; 10] = [
    ZIP,
    kind(b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", "", "an Excel file of another kind", SAVE_AS_XLSX),
    kind(b"\x1f\x8b", "", "a gzip file", DECOMPRESS),
    kind(b"BZh", "", "a bzip2 file", DECOMPRESS),
    kind(b"\xfd7zXZ\0", "", "an xz file", DECOMPRESS),
    kind(b"\x28\xb5\x2f\xfd", "", "a zstd file", DECOMPRESS),
    kind(b"\x93NUMPY", "npy", "a NumPy array", "name it .npy"),
    kind(b"PAR1", "parquet", "a Parquet file", "name it .parquet"),
    kind(b"SQLite format 3\0", "", "an SQLite database", "a campaign is kept in one, but it is not a table"),
    kind(b"%PDF-", "", "a PDF file", "give the table itself, as .csv"),
];

/// The kind of a file whose first bytes contradict the extension `named`.
pub(crate) fn other_kind(source: Source<'_>, named: &str) -> io::Result<Option<Kind>> {
    let mut start = Vec::new();
    source.open()?.take(16).read_to_end(&mut start)?;
    // A text file may well start with the letters of a format, and then go on as text.
    let is_text = start.iter().all(|byte| byte.is_ascii_graphic() || byte.is_ascii_whitespace());
    let found =
        KINDS.iter().find(|kind| start.starts_with(kind.magic) && kind.extension != named && !is_text);
    Ok(match found {
        Some(&ZIP) => Some(inside_zip(source)?).filter(|kind| kind.extension != named),
        found => found.copied(),
    })
}

/// What a zip archive holds, by the names in it.
fn inside_zip(source: Source<'_>) -> io::Result<Kind> {
    let Ok(archive) = zip::ZipArchive::new(BufReader::new(source.open()?)) else { return Ok(ZIP) };
    let has = |is: fn(&str) -> bool| archive.file_names().any(|name| name.is_ok_and(|name| is(&name)));
    Ok(if has(|name| name.starts_with("xl/")) {
        WORKBOOK
    } else if has(|name| name == "content.xml") {
        OPEN_DOCUMENT
    } else if has(|name| name.ends_with(".npy")) {
        ARRAYS
    } else {
        ZIP
    })
}

/// What stdin is called, so that the extension says what it holds: text, unless its first bytes are those of an array.
///
/// ```
/// assert_eq!(elfving_table::stdin_name(b"id,x\na,1\n"), "stdin");
/// assert_eq!(elfving_table::stdin_name(b"\x93NUMPY\x01\0"), "stdin.npy");
/// ```
pub fn stdin_name(bytes: &[u8]) -> &'static str {
    match other_kind(Source::Bytes(bytes), "csv") {
        Ok(Some(kind)) => match kind.extension {
            "npy" => "stdin.npy",
            "npz" => "stdin.npz",
            "xlsx" => "stdin.xlsx",
            "parquet" => "stdin.parquet",
            _ => "stdin",
        },
        _ => "stdin",
    }
}

impl Kind {
    pub(crate) fn problem(self, file: &str) -> Problem {
        Problem::new(Code::Damaged, file, format!("this is {}", self.name)).help(self.help)
    }
}
