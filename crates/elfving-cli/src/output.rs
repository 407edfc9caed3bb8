//! Writing: stdout, and files that are there whole or not at all.

use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};

use clap::ValueEnum;
use serde::Serialize;

use crate::error::CliError;

/// Held while a file takes its place; Ctrl-C waits for it.
static WRITING: Mutex<()> = Mutex::new(());

/// Waits until no file is being written, and lets none begin.
pub(crate) fn hold_writes() -> MutexGuard<'static, ()> {
    WRITING.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Data on stdout.
pub(crate) fn print(data: impl AsRef<[u8]>) -> Result<(), CliError> {
    let mut stdout = io::stdout().lock();
    match stdout.write_all(data.as_ref()).and_then(|()| stdout.flush()) {
        Ok(()) => Ok(()),
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Err(CliError::ReaderGone),
        Err(source) => Err(CliError::Write { to: "stdout".to_owned(), source }),
    }
}

/// Writes a file through a temporary one beside it: an old file stays until the new one is complete on disk.
pub(crate) fn write_file(path: &Path, bytes: &[u8]) -> Result<(), CliError> {
    let _guard = hold_writes();
    let folder = match path.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => folder,
        _ => Path::new("."),
    };
    let write = || -> io::Result<()> {
        let mut file = tempfile::NamedTempFile::new_in(folder)?;
        file.write_all(bytes)?;
        file.as_file().sync_all()?;
        allow_reading(&file)?;
        file.persist(path).map_err(|error| error.error)?;
        Ok(())
    };
    write().map_err(|source| CliError::write(path, source))
}

/// Temporary files are private; a result is as readable as any other file of the user.
#[cfg(unix)]
fn allow_reading(file: &tempfile::NamedTempFile) -> io::Result<()> {
    use std::os::unix::fs::PermissionsExt;
    file.as_file().set_permissions(std::fs::Permissions::from_mode(0o644))
}

#[cfg(not(unix))]
fn allow_reading(_: &tempfile::NamedTempFile) -> io::Result<()> {
    Ok(())
}

/// An answer as JSON on one line, for stdout.
pub(crate) fn json_line(document: &impl Serialize) -> String {
    let json = serde_json::to_string(document).expect("finite numbers and text have a JSON form");
    format!("{json}\n")
}

/// An answer as JSON on many lines, for a file that people open.
pub(crate) fn json_file(document: &impl Serialize) -> Vec<u8> {
    let mut json = serde_json::to_vec_pretty(document).expect("finite numbers and text have a JSON form");
    json.push(b'\n');
    json
}

/// The formats of stdout.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Format {
    /// For people
    Table,
    /// For spreadsheets
    Csv,
    /// For programs
    Json,
}

/// The formats of a file with an answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum FileFormat {
    Json,
    Csv,
}

/// The file of `--out` with its format; `what` is what it holds, as in "a design is".
pub(crate) fn answer_file(
    out: Option<&PathBuf>,
    what: &str,
) -> Result<Option<(PathBuf, FileFormat)>, CliError> {
    let Some(path) = out else { return Ok(None) };
    let extension = path.extension().unwrap_or_default().to_string_lossy().to_ascii_lowercase();
    match extension.as_str() {
        "json" => Ok(Some((path.clone(), FileFormat::Json))),
        "csv" => Ok(Some((path.clone(), FileFormat::Csv))),
        _ => {
            let shown = path.display().to_string();
            let message = format!("{what} written as .json or .csv, not as {shown:?}");
            Err(CliError::usage("E204", message, "change the extension of --out"))
        }
    }
}

/// The file of `--plot` with its format.
pub(crate) fn picture_file(
    plot: Option<&PathBuf>,
) -> Result<Option<(PathBuf, elfving_plot::Format)>, CliError> {
    let Some(path) = plot else { return Ok(None) };
    Ok(Some((path.clone(), elfving_plot::Format::of(path)?)))
}
