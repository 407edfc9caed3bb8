//! Files of results: matched by slot, in any order, all or nothing.
//!
//! | cells | meaning |
//! |---|---|
//! | outcome `0.51` | one number |
//! | outcome `0.51;0.49;0.5` | repeats of the slot |
//! | columns declared as repeats | repeats of the slot, empty ones left out |
//! | outcome, and a column declared as its standard error | a number with its own error |
//! | outcome that is a declared marker | failed, or the number it stands for |
//! | outcome empty, status empty | not measured yet: the slot stays open |
//! | outcome empty, status `failed` | failed: the slot is asked again |
//! | outcome empty, status `infeasible` | the candidate cannot be measured: never again |
//! | no slot, but an id | measured without being asked for |
//! | columns `n`, `mean` and `sd` in place of the outcome | many measurements, summed up |
//!
//! Columns that nobody asks for are ignored, so a batch can come back with notes beside it.

use std::collections::HashMap;
use std::path::Path;

use elfving::bandit::{Outcome, Reading};
use elfving_table::{
    Code, Hint, Place, Problem, Problems, ReadOptions, Table, TableError, TextColumn, nearest, read_bytes,
    slot_index, slot_name,
};

use crate::chain::Digest;
use crate::event::Source;
use crate::spec::{Meaning, ResultsFormat};

/// A file of results as it was read; what it means is up to the campaign.
#[derive(Debug, Clone)]
pub struct ResultsFile {
    table: Table,
    source: Source,
    format: ResultsFormat,
}

/// What one slot of a file says.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Entry {
    pub(crate) row: usize,
    pub(crate) slot: usize,
    pub(crate) outcome: Outcome,
    /// How many lines say it.
    pub(crate) lines: usize,
}

/// What a line without a slot says of a candidate.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Volunteered {
    pub(crate) row: usize,
    pub(crate) id: String,
    pub(crate) outcome: Outcome,
}

/// Everything a file says: entries, what nobody asked for, and lines without an outcome.
#[derive(Debug, Default)]
pub(crate) struct Entries {
    pub(crate) list: Vec<Entry>,
    pub(crate) volunteered: Vec<Volunteered>,
    /// The rows of lines without an outcome.
    pub(crate) blank: Vec<usize>,
}

impl ResultsFile {
    /// Reads a file.
    ///
    /// # Errors
    /// Those of [`elfving_table::read`].
    pub fn read(path: impl AsRef<Path>, format: &ResultsFormat) -> Result<Self, TableError> {
        let path = path.as_ref();
        let shown = path.display().to_string();
        let bytes = std::fs::read(path).map_err(|source| TableError::Io { file: shown.clone(), source })?;
        Self::from_bytes(&shown, &bytes, format)
    }

    /// The same from memory; the extension of the name decides the format.
    ///
    /// # Errors
    /// Those of [`elfving_table::read_bytes`].
    pub fn from_bytes(name: &str, bytes: &[u8], format: &ResultsFormat) -> Result<Self, TableError> {
        let mut reading = ReadOptions::default().decimal(format.decimal);
        // Every cell that we read is kept as it was written: `007` is a slot of nobody, `-999` may be a marker.
        let seen = read_bytes(name, bytes, &reading)?;
        reading.text = seen.columns().iter().map(|column| column.name().to_owned()).collect();
        let table = read_bytes(name, bytes, &reading)?;
        let file = Path::new(name).file_name().map_or(name.into(), |name| name.to_string_lossy());
        let source = Source { file: file.into_owned(), sha256: Some(Digest::of(bytes)) };
        Ok(Self { table, source, format: format.clone() })
    }

    /// Where the results come from.
    pub fn source(&self) -> &Source {
        &self.source
    }

    pub(crate) fn table(&self) -> &Table {
        &self.table
    }

    /// What a column says in every row, where there is one of that name.
    pub(crate) fn texts(&self, column: &str) -> Option<Vec<String>> {
        self.table.texts(column).ok()
    }

    pub(crate) fn rows(&self) -> usize {
        self.table.rows()
    }

    /// What every line says. `id_of` knows the slots: which candidate each one is for.
    pub(crate) fn entries<'i>(
        &self,
        outcome: &str,
        id_column: &str,
        slots: usize,
        id_of: impl Fn(usize) -> Option<&'i str>,
        problems: &mut Problems,
    ) -> Result<Entries, TableError> {
        let columns = Columns::of(self, outcome, id_column)?;
        let slots_of_lines = match (self.table.column("slot"), &columns.ids) {
            (Err(_), Some(_)) => vec![String::new(); self.table.rows()],
            _ => self.table.texts("slot")?,
        };
        let mut entries = Entries::default();
        // Of every slot seen: its first line, and its entry if that line has an outcome.
        let mut seen: HashMap<usize, (usize, Option<usize>)> = HashMap::new();
        for row in 0..self.table.rows() {
            let name = slots_of_lines[row].trim();
            if name.is_empty() && columns.is_blank(row) {
                entries.blank.push(row);
                continue;
            }
            let own_id = columns.ids.as_ref().map_or("", |ids| ids[row].trim());
            if name.is_empty() && !own_id.is_empty() {
                match columns.outcome(row) {
                    Ok(Some(outcome)) => {
                        entries.volunteered.push(Volunteered { row, id: own_id.to_owned(), outcome });
                    }
                    Ok(None) => entries.blank.push(row),
                    Err(problem) => problems.add(|| problem),
                }
                continue;
            }
            let known = slot_index(name).and_then(|slot| Some((slot, id_of(slot)?)));
            let Some((slot, planned)) = known else {
                problems.add(|| self.unknown_slot(row, name, slots));
                continue;
            };
            if let Some((earlier, _)) = seen.get(&slot).filter(|_| !self.format.repeated_slots) {
                problems.add(|| self.slot_twice(row, name, *earlier));
                continue;
            }
            if let Some(id) = columns.ids.as_ref().map(|ids| &ids[row]).filter(|id| **id != planned) {
                problems.add(|| self.wrong_candidate(row, name, planned, id));
                continue;
            }
            let (_, entry) = seen.entry(slot).or_insert((row, None));
            match (columns.outcome(row), *entry) {
                (Err(problem), _) => problems.add(|| problem),
                (Ok(None), _) => entries.blank.push(row),
                (Ok(Some(outcome)), None) => {
                    *entry = Some(entries.list.len());
                    entries.list.push(Entry { row, slot, outcome, lines: 1 });
                }
                (Ok(Some(outcome)), Some(at)) => {
                    let entry = &mut entries.list[at];
                    entry.lines += 1;
                    match joined(&entry.outcome, &outcome) {
                        Some(both) => entry.outcome = both,
                        None => problems.add(|| self.cannot_join(row, name)),
                    }
                }
            }
        }
        Ok(entries)
    }

    /// Measurements by candidate, as they were made outside a campaign: lines of id and outcome, several of one id where it was
    /// measured several times. Lines that failed or have no outcome are left out.
    ///
    /// # Errors
    /// `E333` without the columns, `E336` for ids that are not in `ids`, and the problems of outcomes.
    pub fn measurements(
        &self,
        outcome: &str,
        id_column: &str,
        ids: &TextColumn,
    ) -> Result<Vec<(String, Reading)>, TableError> {
        let columns = Columns::of(self, outcome, id_column)?;
        let mut problems = Problems::default();
        let outcomes: Vec<Option<Outcome>> = (0..self.table.rows())
            .map(|row| {
                columns.outcome(row).unwrap_or_else(|problem| {
                    problems.add(|| problem);
                    None
                })
            })
            .collect();
        // What is wrong with ids and what is wrong with outcomes is listed together.
        let positions = match self.table.positions(id_column, ids.iter()) {
            Ok(positions) => positions,
            Err(refused) => {
                problems.absorb(Problems::from(refused));
                Vec::new()
            }
        };
        problems.finish()?;
        let measured = positions.into_iter().zip(outcomes).filter_map(|(position, outcome)| match outcome {
            Some(Outcome::Measured(reading)) => Some((ids[position].to_owned(), reading)),
            _ => None,
        });
        Ok(measured.collect())
    }

    fn problem(&self, code: Code, row: usize, message: String) -> Problem {
        Problem::new(code, self.table.file(), message).at(self.table.place(row))
    }

    fn unknown_slot(&self, row: usize, name: &str, slots: usize) -> Problem {
        let known: Vec<String> = (0..slots).map(slot_name).collect();
        let help = match (nearest(name, known.iter().map(String::as_str)), slots) {
            (_, 0) => Hint::AskFirst,
            (Some(close), _) => format!("the nearest slot is {close}").into(),
            (None, _) => format!("the slots are {} to {}", slot_name(0), slot_name(slots - 1)).into(),
        };
        let message = match name {
            "" => "the line has no slot".to_owned(),
            name => format!("{name:?} is not a slot of this campaign"),
        };
        self.problem(Code::UnknownSlot, row, message).column("slot").help(help)
    }

    fn slot_twice(&self, row: usize, name: &str, earlier: usize) -> Problem {
        let place = match self.table.place(earlier) {
            Place::Line(line) => format!("line {line}"),
            Place::Row(row) => format!("row {row}"),
            Place::File => "another line".to_owned(),
        };
        let message = format!("slot {name} is also on {place}");
        self.problem(Code::DuplicateSlot, row, message).column("slot").help(Hint::OneLinePerSlot)
    }

    fn wrong_candidate(&self, row: usize, name: &str, planned: &str, id: &str) -> Problem {
        let message = format!("slot {name} is for candidate {planned:?}, the line says {id:?}");
        let help = "correct the slot or the id; nothing is guessed";
        self.problem(Code::WrongCandidate, row, message).help(help)
    }

    fn cannot_join(&self, row: usize, name: &str) -> Problem {
        let message = format!("slot {name} has a standard error and several lines");
        self.problem(Code::BadError, row, message)
            .help("give one line with one number and its standard error")
    }
}

/// The repeats of two lines of one slot; a failed one adds nothing.
fn joined(one: &Outcome, other: &Outcome) -> Option<Outcome> {
    let values = |reading: &Reading| match reading {
        Reading::WithError { .. } | Reading::Summary { .. } => None,
        reading => Some(reading.values().to_vec()),
    };
    Some(match (one, other) {
        (Outcome::Failed, other) => other.clone(),
        (one, Outcome::Failed) => one.clone(),
        (Outcome::Infeasible, _) | (_, Outcome::Infeasible) => Outcome::Infeasible,
        (Outcome::Measured(one), Outcome::Measured(other)) => {
            let mut all = values(one)?;
            all.extend(values(other)?);
            Outcome::Measured(Reading::Repeats(all))
        }
    })
}

/// The columns that matter, as text.
struct Columns<'a> {
    file: &'a ResultsFile,
    ids: Option<Vec<String>>,
    /// The outcome, or its repeats.
    outcomes: Vec<(&'a str, Vec<String>)>,
    statuses: Option<Vec<String>>,
    errors: Option<(&'a str, Vec<String>)>,
    /// How many measurements a line sums up, and their standard deviation.
    summaries: Option<(Vec<String>, Option<Vec<String>>)>,
}

impl<'a> Columns<'a> {
    fn of(file: &'a ResultsFile, outcome: &'a str, id: &str) -> Result<Self, TableError> {
        let table = &file.table;
        let optional = |name: &str| table.column(name).is_ok().then(|| table.texts(name)).transpose();
        let has = |name: &str| table.column(name).is_ok();
        let sums_up = !has(outcome) && has("mean") && has("n") && file.format.repeats.is_empty();
        let names: Vec<&str> = match file.format.repeats.as_slice() {
            [] if sums_up => vec!["mean"],
            [] => vec![outcome],
            repeats => repeats.iter().map(String::as_str).collect(),
        };
        let cells = |name: &'a str| Ok::<_, TableError>((name, table.texts(name)?));
        Ok(Self {
            file,
            ids: optional(id)?,
            outcomes: names.into_iter().map(cells).collect::<Result<_, _>>()?,
            statuses: optional("status")?,
            errors: file.format.error_column.as_deref().map(cells).transpose()?,
            summaries: match sums_up {
                true => Some((table.texts("n")?, optional("sd")?)),
                false => None,
            },
        })
    }

    fn is_blank(&self, row: usize) -> bool {
        let empty = |cells: &Vec<String>| cells[row].trim().is_empty();
        self.outcomes.iter().all(|(_, cells)| empty(cells)) && self.statuses.as_ref().is_none_or(empty)
    }

    /// What a line says about its slot; nothing while it is not measured.
    fn outcome(&self, row: usize) -> Result<Option<Outcome>, Problem> {
        let mut numbers = Vec::new();
        let mut failed = false;
        for (column, cells) in &self.outcomes {
            match self.cell(column, row, cells[row].trim())? {
                Cell::Empty => {}
                Cell::Failed => failed = true,
                Cell::Numbers(more) => numbers.extend(more),
            }
        }
        let measured = match numbers.as_slice() {
            [] => None,
            [one] => Some(Reading::Value(*one)),
            _ => Some(Reading::Repeats(numbers)),
        };
        let measured = self.with_error(row, measured)?;
        let measured = self.summed_up(row, measured)?;
        let status = self.statuses.as_ref().map_or("", |statuses| statuses[row].trim());
        let contradiction = |message: String, help: Hint| {
            self.file.problem(Code::BadStatus, row, message).column("status").help(help)
        };
        match (status.to_ascii_lowercase().as_str(), measured) {
            // The last ones are the words of our own export.
            ("" | "ok" | "done" | "told" | "volunteered", Some(reading)) => {
                Ok(Some(Outcome::Measured(reading)))
            }
            ("failed", None) => Ok(Some(Outcome::Failed)),
            ("infeasible", None) => Ok(Some(Outcome::Infeasible)),
            ("open" | "released" | "missing" | "dropped", None) => Ok(None),
            ("", None) => Ok(failed.then_some(Outcome::Failed)),
            ("ok" | "done", None) if failed => {
                let message = format!("the status is {status}, but the outcome says failed");
                Err(contradiction(message, Hint::LeaveCellEmpty))
            }
            ("ok" | "done", None) => {
                let help = "fill in the outcome, or empty the status: the slot then stays open";
                Err(contradiction(format!("the status is {status}, but there is no outcome"), help.into()))
            }
            ("failed" | "infeasible", Some(reading)) => {
                let help = "for a failed run leave the outcome empty";
                Err(contradiction(format!("the run failed, but its outcome is {reading}"), help.into()))
            }
            _ => Err(contradiction(
                format!("{status:?} is not a status"),
                "write failed, infeasible, ok, or nothing".into(),
            )),
        }
    }

    /// A mean, with how many measurements it is the mean of.
    fn summed_up(&self, row: usize, measured: Option<Reading>) -> Result<Option<Reading>, Problem> {
        let (Some((counts, deviations)), Some(Reading::Value(mean))) = (&self.summaries, &measured) else {
            return Ok(measured);
        };
        let refused = |column: &str, message: String| {
            let help =
                "write the number of measurements, their mean, and their standard deviation or nothing";
            Err(self.file.problem(Code::BadError, row, message).column(column).help(help))
        };
        let count = counts[row].trim();
        let Some(count) = count.parse::<u64>().ok().filter(|count| *count > 0) else {
            return refused("n", format!("{count:?} is not a number of measurements"));
        };
        let deviation = match deviations.as_ref().map_or("", |cells| cells[row].trim()) {
            "" => None,
            text => Some(self.file.table.number_in("sd", row, text)?),
        };
        let reading = Reading::Summary { count, mean: *mean, deviation };
        match reading.problem() {
            Some(problem) => refused("sd", problem),
            None => Ok(Some(reading)),
        }
    }

    /// One cell of an outcome column.
    fn cell(&self, column: &str, row: usize, text: &str) -> Result<Cell, Problem> {
        if text.is_empty() {
            return Ok(Cell::Empty);
        }
        if let Some(marker) = self.file.format.markers.iter().find(|marker| marker.text == text) {
            return Ok(match marker.means {
                Meaning::Failed => Cell::Failed,
                Meaning::Number(number) => Cell::Numbers(vec![number]),
            });
        }
        let number = |part: &str| self.file.table.number_in(column, row, part).map_err(with_help);
        text.split(';').map(number).collect::<Result<_, _>>().map(Cell::Numbers)
    }

    /// Adds the standard error of the line to its outcome.
    fn with_error(&self, row: usize, measured: Option<Reading>) -> Result<Option<Reading>, Problem> {
        let Some((column, cells)) = &self.errors else { return Ok(measured) };
        let text = cells[row].trim();
        if text.is_empty() {
            return Ok(measured);
        }
        let standard_error = self.file.table.number_in(column, row, text)?;
        let refused = |message: String, help: &'static str| {
            Err(self.file.problem(Code::BadError, row, message).column(*column).help(help))
        };
        let reading = match measured {
            Some(Reading::Value(value)) => Reading::WithError { value, standard_error },
            Some(other) => {
                return refused(
                    format!("a standard error beside the repeats {other}"),
                    "repeats say themselves how much they vary: leave the cell empty",
                );
            }
            None => return refused("a standard error without an outcome".to_owned(), "fill in the outcome"),
        };
        match reading.problem() {
            Some(problem) => refused(problem, "a standard error is above 0; leave the cell empty if unknown"),
            None => Ok(Some(reading)),
        }
    }
}

/// What a cell of an outcome column holds.
enum Cell {
    Empty,
    Failed,
    Numbers(Vec<f64>),
}

/// A run without a number has a way to say so.
fn with_help(problem: Problem) -> Problem {
    match problem.code {
        Code::NotFinite | Code::EmptyCell => problem.help(Hint::LeaveCellEmpty),
        _ if matches!(problem.help, Some(Hint::WithoutUnit { .. })) => problem,
        Code::NotANumber => problem.help(Hint::MarkFailed),
        _ => problem,
    }
}
