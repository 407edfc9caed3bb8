//! Writing: stdout, and files that are there whole or not at all.

use std::borrow::Cow;
use std::io::{self, IsTerminal, Write};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};

use clap::Args;
use elfving::named::named_enum;
use elfving_table::{Cell, CsvWriter, Dialect, OutputKind, OutputRefused, check_output};
use serde::Serialize;

use crate::console::visible;
use crate::error::{CliError, write_error};
use crate::input;
use crate::named::named;

/// Held while a file takes its place; Ctrl-C waits for it.
static WRITING: Mutex<()> = Mutex::new(());

/// Waits until no file is being written, and lets none begin.
pub(crate) fn hold_writes() -> MutexGuard<'static, ()> {
    WRITING.lock().unwrap_or_else(PoisonError::into_inner)
}

/// What stdout is called in messages.
pub(crate) const STDOUT: &str = "stdout";

/// An answer for people on stdout.
pub(crate) fn show(text: impl AsRef<str>) -> Result<(), CliError> {
    print(visible(text.as_ref()).as_bytes())
}

/// Data on stdout: for programs as it is, for people with nothing in it that a terminal would obey.
pub(crate) fn print(data: impl AsRef<[u8]>) -> Result<(), CliError> {
    let mut stdout = io::stdout().lock();
    let data = match std::str::from_utf8(data.as_ref()) {
        Ok(text) if stdout.is_terminal() => Cow::Owned(visible(text).into_owned().into_bytes()),
        _ => Cow::Borrowed(data.as_ref()),
    };
    match stdout.write_all(&data).and_then(|()| stdout.flush()) {
        Ok(()) => Ok(()),
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Err(CliError::ReaderGone),
        Err(source) => Err(CliError::write(Path::new(STDOUT), source)),
    }
}

/// The options that name a file to write.
const OUTPUTS: [&str; 3] = ["out", "plot", "plate_map"];

/// Refuses what an output must not replace, before anything is computed. Every argument of the command line that names a
/// file is an input, so that no command has to say which ones it reads.
pub(crate) fn check_files(matches: &clap::ArgMatches) -> Result<(), CliError> {
    let Some((command, matches)) = matches.subcommand() else { return Ok(()) };
    // The output of these is a folder; each file in it is checked when it is written.
    if ["demo", "reproduce"].contains(&command) {
        return Ok(());
    }
    let given = |id: &str| {
        let values = matches.try_get_raw(id).ok().flatten();
        values.into_iter().flatten().map(Path::new).collect::<Vec<&Path>>()
    };
    let is_output = |id: &str| OUTPUTS.contains(&id);
    let inputs: Vec<&Path> =
        matches.ids().filter(|id| !is_output(id.as_str())).flat_map(|id| given(id.as_str())).collect();
    // What stands behind `--` belongs to another program.
    let ours = matches.ids().filter(|id| !is_output(id.as_str()) && *id != "command");
    input::check_stdin(ours.flat_map(|id| given(id.as_str())))?;
    for path in OUTPUTS.into_iter().flat_map(given) {
        match check_output(path, OutputKind::of(path), &inputs) {
            // The command names the extensions that it writes.
            Err(OutputRefused::OtherKind { wanted: OutputKind::Text, .. }) => {}
            other => other?,
        }
    }
    Ok(())
}

impl From<OutputRefused> for CliError {
    fn from(refused: OutputRefused) -> Self {
        let help = format!("choose another name, such as {}", refused.other_name().display());
        Self::usage("E210", refused.to_string(), help)
    }
}

/// Writes a file through a temporary one beside it: an old file stays until the new one is complete on disk. A campaign, or a
/// file of another kind, is not replaced.
pub(crate) fn write_file(path: &Path, bytes: &[u8]) -> Result<(), CliError> {
    write_file_with(path, |file| file.write_all(bytes))
}

/// The same for content that is written piece by piece.
pub(crate) fn write_file_with(
    path: &Path,
    content: impl FnOnce(&mut dyn Write) -> io::Result<()>,
) -> Result<(), CliError> {
    check_output(path, OutputKind::of(path), &[])?;
    let _guard = hold_writes();
    let folder = match path.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => folder,
        _ => Path::new("."),
    };
    let write = || -> io::Result<()> {
        let mut file = tempfile::NamedTempFile::new_in(folder)?;
        let mut buffered = io::BufWriter::new(&mut file);
        content(&mut buffered)?;
        buffered.flush()?;
        drop(buffered);
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

named_enum! {
    /// The formats of stdout.
    pub(crate) enum Format: "format" {
        /// For people.
        Table = "table": "For people",
        /// For spreadsheets.
        Csv = "csv": "For spreadsheets",
        /// For programs.
        Json = "json": "For programs",
    }
}

/// What stdout gets: the same option in every command.
#[derive(Debug, Clone, Default, Args)]
#[command(next_help_heading = "Output")]
pub(crate) struct FormatArgs {
    /// What to print on stdout; --json is short for --format json
    #[arg(long, value_parser = named::<Format>())]
    pub(crate) format: Option<Format>,
}

/// Where the answer goes: the same options in every command whose answer fits a .json or .csv file.
#[derive(Debug, Clone, Default, Args)]
#[command(next_help_heading = "Output")]
pub(crate) struct OutputArgs {
    #[command(flatten)]
    pub(crate) printed: FormatArgs,
    /// Also write the answer to a file, all of it: .json or .csv
    #[arg(long, value_name = "FILE")]
    pub(crate) out: Option<PathBuf>,
}

/// A picture of the answer.
#[derive(Debug, Clone, Default, Args)]
#[command(next_help_heading = "Output")]
pub(crate) struct PlotArgs {
    /// Draw the answer to a file: .svg or .png
    #[arg(long, value_name = "FILE")]
    pub(crate) plot: Option<PathBuf>,
}

impl FormatArgs {
    /// The format of stdout: what was asked for, or what is usual.
    pub(crate) fn format_or(&self, usual: Format, as_json: bool) -> Result<Format, CliError> {
        match (as_json, self.format) {
            (true, Some(format)) if format != Format::Json => {
                let message = "--json is short for --format json: give one format";
                Err(CliError::usage("E202", message, "leave out --json or --format"))
            }
            (true, _) => Ok(Format::Json),
            (false, format) => Ok(format.unwrap_or(usual)),
        }
    }

    /// Prints an answer for people, for spreadsheets or for programs.
    pub(crate) fn print(
        &self,
        as_json: bool,
        document: &impl Serialize,
        csv: impl FnOnce() -> Result<Vec<u8>, CliError>,
        text: impl FnOnce() -> String,
    ) -> Result<(), CliError> {
        match self.format_or(Format::Table, as_json)? {
            Format::Table => show(text()),
            Format::Csv => print(csv()?),
            Format::Json => print(json_line(document)),
        }
    }
}

impl OutputArgs {
    /// The format of stdout: what was asked for, or what is usual.
    pub(crate) fn format_or(&self, usual: Format, as_json: bool) -> Result<Format, CliError> {
        self.printed.format_or(usual, as_json)
    }

    /// Prints an answer for people, for spreadsheets or for programs, and files it. `what` is what a file holds, as in "a plan is".
    pub(crate) fn deliver(
        &self,
        as_json: bool,
        what: &str,
        document: &impl Serialize,
        csv: impl Fn() -> Result<Vec<u8>, CliError>,
        text: impl FnOnce() -> String,
    ) -> Result<(), CliError> {
        self.format_or(Format::Table, as_json)?;
        if let Some((path, format)) = answer_file(self.out.as_ref(), what)? {
            let bytes = match format {
                FileFormat::Json => json_file(document),
                FileFormat::Csv => csv()?,
            };
            write_file(&path, &bytes)?;
        }
        self.printed.print(as_json, document, csv, text)
    }

    /// Refuses what cannot work before anything is computed.
    pub(crate) fn check(&self, as_json: bool, what: &str) -> Result<(), CliError> {
        self.format_or(Format::Table, as_json)?;
        answer_file(self.out.as_ref(), what).map(drop)
    }
}

/// A table for a spreadsheet that no pool file sets the dialect of.
pub(crate) fn csv<'a>(
    header: &[&str],
    rows: impl IntoIterator<Item = Vec<Cell<'a>>>,
) -> Result<Vec<u8>, CliError> {
    let failed = write_error(PathBuf::from("stdout"));
    let mut sheet =
        CsvWriter::new(Vec::new(), Dialect::default(), header.iter().copied()).map_err(&failed)?;
    for row in rows {
        sheet.row(row).map_err(&failed)?;
    }
    sheet.finish().map_err(&failed)
}

/// The fields of an answer that is no table: `field,value`, lists as JSON.
pub(crate) fn csv_of_fields(document: &impl Serialize) -> Result<Vec<u8>, CliError> {
    let fields = serde_json::to_value(document).expect("finite numbers and text have a JSON form");
    let cell = |value: &serde_json::Value| match value {
        serde_json::Value::Null => Cell::Empty,
        serde_json::Value::String(text) => Cell::Text(text.clone().into()),
        serde_json::Value::Number(number) => match (number.as_i64(), number.as_f64()) {
            (Some(whole), _) => Cell::Integer(whole),
            (None, Some(number)) => Cell::Number(number),
            (None, None) => Cell::Empty,
        },
        other => Cell::Text(other.to_string().into()),
    };
    let rows = fields.as_object().into_iter().flatten();
    csv(&["field", "value"], rows.map(|(field, value)| vec![Cell::Text(field.clone().into()), cell(value)]))
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

/// Refuses a page under a name that is not one of a page.
pub(crate) fn check_page(path: &Path) -> Result<(), CliError> {
    if OutputKind::of(path) == OutputKind::Html {
        return Ok(());
    }
    let message = format!("a report is written as .html, not as {:?}", path.display().to_string());
    let help = format!("change the extension of --out: {}", path.with_extension("html").display());
    Err(CliError::usage("E204", message, help))
}

/// The file of `--plot` with its format.
pub(crate) fn picture_file(
    plot: Option<&PathBuf>,
) -> Result<Option<(PathBuf, elfving_plot::Format)>, CliError> {
    let Some(path) = plot else { return Ok(None) };
    Ok(Some((path.clone(), elfving_plot::Format::of(path)?)))
}
