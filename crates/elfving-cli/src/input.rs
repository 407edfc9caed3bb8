//! Reading: files by name, and stdin as `-`.

use std::io::{self, Read};
use std::path::Path;
use std::sync::OnceLock;

use elfving_campaign::{ResultsFile, ResultsFormat};
use elfving_problem::Source;
use elfving_table::{ReadOptions, Table, TableError, read, read_bytes};

use crate::error::CliError;

/// How stdin is named where a table is wanted.
const STDIN: &str = "-";

/// Refuses stdin for more than one input.
pub(crate) fn check_stdin<'a>(values: impl Iterator<Item = &'a Path>) -> Result<(), CliError> {
    if values.filter(|path| is_stdin(path)).count() > 1 {
        let message = "- is stdin, which holds one table only";
        return Err(CliError::usage("E202", message, "give a file name for the other one"));
    }
    Ok(())
}

/// A table from a file or from stdin.
pub(crate) fn table(path: &Path, options: &ReadOptions) -> Result<Table, TableError> {
    match is_stdin(path) {
        true => stdin().and_then(|(name, bytes)| read_bytes(name, bytes, options)),
        false => read(path, options),
    }
}

/// Where a table comes from, for those who read it later.
pub(crate) fn source(path: &Path) -> Result<Source, TableError> {
    match is_stdin(path) {
        true => stdin().map(|(name, bytes)| Source::Bytes { name: name.to_owned(), bytes: bytes.to_vec() }),
        false => Ok(Source::File(path.to_owned())),
    }
}

/// The name and the bytes of a table.
pub(crate) fn bytes(path: &Path) -> Result<(String, Vec<u8>), TableError> {
    if is_stdin(path) {
        return stdin().map(|(name, bytes)| (name.to_owned(), bytes.to_vec()));
    }
    let file = path.display().to_string();
    let bytes = std::fs::read(path).map_err(|source| TableError::Io { file, source })?;
    Ok((elfving_problem::file_name(path), bytes))
}

/// A file of results.
pub(crate) fn results(path: &Path, format: &ResultsFormat) -> Result<ResultsFile, TableError> {
    match is_stdin(path) {
        true => stdin().and_then(|(name, bytes)| ResultsFile::from_bytes(name, bytes, format)),
        false => ResultsFile::read(path, format),
    }
}

/// A file without its folder, and what stdin is called.
pub(crate) fn name(path: &Path) -> String {
    if is_stdin(path) { "stdin".to_owned() } else { elfving_problem::file_name(path) }
}

fn is_stdin(path: &Path) -> bool {
    path.as_os_str() == STDIN
}

/// What stdin held, read once, under a name whose extension says what it is.
fn stdin() -> Result<(&'static str, &'static [u8]), TableError> {
    static READ: OnceLock<Result<Vec<u8>, (io::ErrorKind, String)>> = OnceLock::new();
    let read = READ.get_or_init(|| {
        let mut bytes = Vec::new();
        match io::stdin().lock().read_to_end(&mut bytes) {
            Ok(_) => Ok(bytes),
            Err(error) => Err((error.kind(), error.to_string())),
        }
    });
    match read {
        Ok(bytes) => Ok((elfving_table::stdin_name(bytes), bytes)),
        Err((kind, what)) => {
            Err(TableError::Io { file: "stdin".to_owned(), source: io::Error::new(*kind, what.clone()) })
        }
    }
}
