//! The questions about the table: which file, which column names the candidates, which is the outcome, and are its numbers measurements.

use std::collections::HashSet;
use std::path::{Path, PathBuf};

use elfving_table::{Column, ColumnData, ReadOptions, Table, nearest};

use super::questions::{Question, Questions};
use crate::error::CliError;
use crate::input;
use crate::words::counted;

/// Files of the folder that are named.
const NAMED_FILES: usize = 8;
/// What stands for no answer.
const NONE: &str = "none";

/// The file of the candidates, read at once where somebody can be asked for another one.
pub(super) fn pool(
    questions: &mut Questions<'_>,
    given: Option<&PathBuf>,
    reading: &ReadOptions,
) -> Result<(PathBuf, Option<Table>), CliError> {
    if let Some(path) = given {
        let look = questions.interactive().then(|| input::table(path, reading)).transpose()?;
        return Ok((path.clone(), look));
    }
    let here = tables_in(Path::new("."));
    let question = Question {
        option: "POOL",
        text: "Which file has the candidates?",
        help: "A table with one row per candidate: a .csv or .xlsx with a header, .npy, .npz or .parquet.",
        // One table in the folder is probably the one.
        default: match here.as_slice() {
            [only] => Some(only),
            _ => None,
        },
    };
    let answer = questions.ask(&question, |answer| {
        let path = PathBuf::from(answer);
        if !path.is_file() {
            return Err(no_such_file(&path));
        }
        let table = input::table(&path, reading).map_err(|refused| refused.to_string())?;
        Ok((path, Some(table)))
    })?;
    Ok(answer.unwrap_or_default())
}

fn no_such_file(path: &Path) -> String {
    let folder = path.parent().filter(|folder| folder.is_dir()).unwrap_or(Path::new("."));
    let folder = if folder.as_os_str().is_empty() { Path::new(".") } else { folder };
    let tables = tables_in(folder);
    let there = match tables.len() {
        0 => "there is no table in that folder either".to_owned(),
        all if all > NAMED_FILES => {
            format!("tables there: {} and {} more", tables[..NAMED_FILES].join(", "), all - NAMED_FILES)
        }
        _ => format!("tables there: {}", tables.join(", ")),
    };
    format!("there is no file {:?}; {there}", path.display().to_string())
}

/// The files of a folder that can be read as tables, by name.
fn tables_in(folder: &Path) -> Vec<String> {
    let is_table = |path: &Path| {
        let extension = path.extension().map(|extension| extension.to_ascii_lowercase());
        let known = ["csv", "tsv", "xlsx", "npy", "npz", "parquet"];
        path.is_file() && extension.is_some_and(|found| known.iter().any(|known| found == *known))
    };
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.path());
    let names = entries.filter(|path| is_table(path)).map(|path| input::name(&path));
    let mut names: Vec<String> = names.collect();
    names.sort();
    names
}

/// The column that names the candidates; none for row numbers.
pub(super) fn id(questions: &mut Questions<'_>, table: &Table) -> Result<Option<String>, CliError> {
    let offered = table.columns().iter().find(|column| can_name(column));
    let question = Question {
        option: "--id COLUMN",
        text: "Which column names the candidates (none: the row number)?",
        help: "Batches, results and answers speak of candidates by this name. It is not seen by the model.",
        default: Some(offered.map_or(NONE, Column::name)),
    };
    let answer = questions.ask(&question, |answer| {
        if answer == NONE && table.column(NONE).is_err() {
            return Ok(None);
        }
        let column = known(table, answer)?;
        match first_twice(column) {
            Some(value) => Err(format!("{:?} has {value:?} twice: names must differ", column.name())),
            None => Ok(Some(column.name().to_owned())),
        }
    })?;
    Ok(answer.flatten())
}

/// Names are text or whole numbers: a coordinate whose values all differ names nothing.
fn can_name(column: &Column) -> bool {
    let whole = match column.data() {
        ColumnData::Numbers(numbers) => numbers.iter().all(|x| x.fract() == 0.0),
        ColumnData::Texts(_) => true,
    };
    whole && first_twice(column).is_none()
}

/// The first value that a column has twice, or an empty one.
fn first_twice(column: &Column) -> Option<String> {
    let mut seen = HashSet::new();
    let value = |row: usize| match column.data() {
        ColumnData::Numbers(numbers) => numbers[row].to_string(),
        ColumnData::Texts(texts) => texts.get(row).trim().to_owned(),
    };
    (0..column.data().len()).map(value).find(|value| value.is_empty() || !seen.insert(value.clone()))
}

fn known<'t>(table: &'t Table, name: &str) -> Result<&'t Column, String> {
    table.column(name).map_err(|_| {
        let names = table.columns().iter().map(Column::name);
        match nearest(name, names.clone()) {
            Some(close) => format!("there is no column {name:?}; the nearest is {close:?}"),
            None => {
                format!("there is no column {name:?}; there are {}", names.collect::<Vec<_>>().join(", "))
            }
        }
    })
}

/// The column of the outcome, in the table or in the results alone.
pub(super) fn outcome(
    questions: &mut Questions<'_>,
    option: &'static str,
    table: Option<&Table>,
    id: Option<&str>,
) -> Result<String, CliError> {
    // A column with empty cells waits for results.
    let offered = table.and_then(|table| table.columns().iter().find(|column| is_waiting(column)));
    let question = Question {
        option,
        text: "Which outcome is measured (the column that results will have)?",
        help: "The quantity that you want large or small. It may be a column of the table, or one that only the results have.",
        default: offered.map(Column::name),
    };
    let answer = questions.ask(&question, |answer| match id {
        Some(id) if id.trim() == answer => Err(format!("{answer:?} names the candidates already")),
        _ => Ok(answer.to_owned()),
    })?;
    let Some(outcome) = answer else { return Ok(String::new()) };
    let Some(table) = table.filter(|table| table.column(&outcome).is_err()) else { return Ok(outcome) };
    let others = table.columns().iter().map(Column::name).filter(|name| Some(*name) != id);
    // A name that is much shorter or longer is no slip of the finger.
    let alike = others.filter(|name| name.chars().count().abs_diff(outcome.chars().count()) <= 2);
    let Some(close) = nearest(&outcome, alike) else {
        questions.say(&format!("{outcome:?} is not a column of the table: results bring it"));
        return Ok(outcome);
    };
    let meant = Question {
        option,
        text: &format!("There is no column {outcome:?} in the table. Did you mean {close:?}?"),
        help: "yes takes that column; no keeps the name that you typed, for a column that only the results have.",
        default: None,
    };
    Ok(if questions.yes(&meant)? == Some(true) { close.to_owned() } else { outcome })
}

fn is_waiting(column: &Column) -> bool {
    match column.data() {
        ColumnData::Numbers(_) => false,
        ColumnData::Texts(texts) => {
            let filled = texts.iter().filter(|cell| !cell.trim().is_empty());
            texts.iter().any(|cell| cell.trim().is_empty())
                && filled.clone().all(|cell| cell.trim().parse::<f64>().is_ok())
        }
    }
}

/// Whether the numbers that the table has in the outcome column are earlier measurements.
pub(super) fn are_measurements(
    questions: &mut Questions<'_>,
    outcome: &str,
    numbers: usize,
) -> Result<bool, CliError> {
    let text = format!(
        "The column {outcome:?} has {}. Use them as earlier measurements?",
        counted(numbers, "number")
    );
    let question = Question {
        option: "--measured FILE",
        text: &text,
        help: "yes if they were measured: the campaign then starts from them. no if they are guesses or a simulation.",
        default: None,
    };
    Ok(questions.yes(&question)?.unwrap_or(false))
}
